"""The naivest snapshot there could be, over the plain data of the recorded cases.

A layer is a deep copy of the one below. That is what the original deep-copy snapshot did
(kubernetes/autoscaler commit 35029fed7a), so with three habits of it the model must give the
recorded answers. Without them it is what the interface here promises:

=====================  ==========================  =======================================
the original's habit                               the promise
=====================  ==========================  =======================================
writes to objects      changes a claim of the      whoever hands in an object keeps it as
handed in              caller's in place           it is
loses empty nodes      a fork forgets a node       every fork keeps it
                       whose list is empty
views stay behind      a view shows the layer      a view shows the current layer
                       that it was taken from
=====================  ==========================  =======================================
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

Json = Any
ClaimId = tuple[str, str]

MAX_RESERVATIONS = 256


class Refused(Exception):
    """An error by its recorded name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass
class Layer:
    """A complete state; copied, never shared."""

    claims: dict[ClaimId, Json] = field(default_factory=dict)
    nodes: dict[str, list[str]] = field(default_factory=dict)


class SnapshotModel:
    """Answers the operations of one recorded case.

    Parameters
    ----------
    case : dict
        A case of a ``snapshot_ops`` file.
    has_original_habits : bool
        True for what the original did, False for what the interface promises.
    """

    def __init__(self, case: Json, *, has_original_habits: bool) -> None:
        self._has_original_habits = has_original_habits
        self._pods = case["pods"]
        self._views: dict[str, Layer] = {}
        self.objects: dict[str, Json] = copy.deepcopy(case["objects"])
        self.departures: set[str] = set()
        initial = case["initial"]
        self._classes = sorted(initial["device_classes"])
        self._non_local = list(initial["non_local_slices"])
        base = Layer(nodes={name: list(slices) for name, slices in initial["node_slices"].items()})
        for name in initial["claims"]:
            claim = self._handed_in(self.objects[name])
            base.claims[_id(claim)] = claim
        self._layers = [base]

    def apply(self, operation: Json) -> Json:
        """Do one operation and give its answer as it is recorded."""
        name, *arguments = operation
        try:
            answer = getattr(self, f"_{name}")(*arguments)
        except Refused as refused:
            return {"error": refused.name}
        return "ok" if answer is None else answer

    # --- layers ---

    @property
    def _top(self) -> Layer:
        return self._layers[-1]

    def _fork(self) -> None:
        top = copy.deepcopy(self._top)
        if self._has_original_habits:
            if not all(top.nodes.values()):
                self.departures.add("loses empty nodes")
            top.nodes = {name: slices for name, slices in top.nodes.items() if slices}
        self._layers.append(top)

    def _commit(self) -> None:
        if len(self._layers) > 1:
            del self._layers[-2]

    def _revert(self) -> None:
        if len(self._layers) > 1:
            self._layers.pop()

    # --- claims ---

    def _handed_in(self, claim: Json) -> Json:
        return claim if self._has_original_habits else copy.deepcopy(claim)

    def _writable(self, claim: Json) -> Json:
        if any(claim is handed_in for handed_in in self.objects.values()):
            self.departures.add("writes to objects handed in")
        return claim

    def _add_claims(self, names: list[str]) -> None:
        claims = [self._handed_in(self.objects[name]) for name in names]
        if any(_id(claim) in self._top.claims for claim in claims):
            raise Refused("already_tracked")
        self._top.claims.update((_id(claim), claim) for claim in claims)

    def _claims_of(self, pod: Json) -> list[Json]:
        claims = []
        for reference in pod["refs"]:
            name = _claim_name(pod, reference)
            if not name:
                raise Refused("name_undetermined")
            claim = self._top.claims.get((pod["namespace"], name))
            if claim is None:
                raise Refused("not_tracked")
            claims.append(claim)
        return claims

    def _pod_claims(self, pod_name: str) -> Json:
        return [_shown(claim) for claim in self._claims_of(self._pods[pod_name])]

    def _reserve(self, pod_name: str) -> None:
        pod = self._pods[pod_name]
        claims = self._claims_of(pod)
        for claim in claims:
            entries = claim.get("reserved_for", [])
            if len(entries) >= MAX_RESERVATIONS and not _is_reserved(claim, pod):
                raise Refused("max_reservations")
        for claim in claims:
            if not _is_reserved(claim, pod):
                self._writable(claim).setdefault("reserved_for", []).append(_entry(pod))

    def _remove_reservation(self, claim: Json, pod: Json) -> None:
        if _entry(pod) in claim.get("reserved_for", []):
            self._writable(claim)["reserved_for"].remove(_entry(pod))

    def _unreserve(self, pod_name: str) -> None:
        pod = self._pods[pod_name]
        for claim in {_id(claim): claim for claim in self._claims_of(pod)}.values():
            self._remove_reservation(claim, pod)
            if _is_own(claim, pod) or not claim.get("reserved_for"):
                self._writable(claim).update(allocated=False, devices=[])

    def _remove_pod_owned_claims(self, pod_name: str) -> None:
        pod = self._pods[pod_name]
        for name in dict.fromkeys(_claim_name(pod, reference) for reference in pod["refs"]):
            claim_id = (pod["namespace"], name or "")
            claim = self._top.claims.get(claim_id) if claim_id[1] else None
            if claim is None:
                continue
            if _is_own(claim, pod):
                del self._top.claims[claim_id]
            else:
                self._remove_reservation(claim, pod)

    # --- views ---

    def _claims_list(self) -> Json:
        return _listed(self._top)

    def _tracker_hold(self, view: str) -> None:
        self._views[view] = self._top

    def _tracker_list(self, view: str) -> Json:
        if not self._has_original_habits:
            return _listed(self._top)
        if self._views[view] is not self._top:
            self.departures.add("views stay behind")
        return _listed(self._views[view])

    def _stored(self, claim_id: ClaimId) -> Json:
        if claim_id not in self._top.claims:
            raise Refused("not_found")
        return self._top.claims[claim_id]

    def _claim_get(self, namespace: str, name: str) -> Json:
        return _shown(self._stored((namespace, name)))

    def _list_all_allocated_devices(self) -> Json:
        claims = self._top.claims.values()
        return sorted({device for claim in claims for device in _shown(claim)[3] or []})

    def _signal_pending(self, uid: str, name: str) -> None:
        claim = self.objects[name]
        if self._stored(_id(claim))["uid"] != uid:
            raise Refused("uid_mismatch")
        self._top.claims[_id(claim)] = self._handed_in(claim)

    def _signal_pending_stored(self, namespace: str, name: str) -> None:
        claim = self._stored((namespace, name))
        self._top.claims[namespace, name] = self._handed_in(claim)

    def _has_pending(self, _uid: str) -> bool:
        return False

    def _assume_after_api_call(self, _name: str) -> Json:
        return {"panic": "never_called"}

    def _assumed_restore(self, _namespace: str, _name: str) -> Json:
        return {"panic": "never_called"}

    def _objects(self) -> Json:
        return {name: _shown(claim) for name, claim in self.objects.items()}

    # --- slices and classes ---

    def _node_slices_get(self, node: str) -> Json:
        return [node in self._top.nodes, self._top.nodes.get(node, [])]

    def _node_slices_add(self, node: str, slices: list[str]) -> None:
        if node in self._top.nodes:
            raise Refused("slices_already_present")
        self._top.nodes[node] = slices

    def _node_slices_remove(self, node: str) -> None:
        self._top.nodes.pop(node, None)

    def _slices_list(self) -> Json:
        return sorted(
            [name for names in self._top.nodes.values() for name in names] + self._non_local
        )

    def _classes_list(self) -> Json:
        return self._classes

    def _class_get(self, name: str) -> Json:
        if name not in self._classes:
            raise Refused("class_not_found")
        return name


def _id(claim: Json) -> ClaimId:
    return claim["namespace"], claim["name"]


def _entry(pod: Json) -> list[str]:
    return ["", "pods", pod["name"], pod["uid"]]


def _is_reserved(claim: Json, pod: Json) -> bool:
    return any(entry[3] == pod["uid"] for entry in claim.get("reserved_for", []))


def _is_own(claim: Json, pod: Json) -> bool:
    controllers = [owner["uid"] for owner in claim.get("owners", []) if owner.get("controller")]
    return controllers[:1] == [pod["uid"]]


def _claim_name(pod: Json, reference: Json) -> str | None:
    name: str | None = reference.get("claim_name")
    if name is not None:
        return name
    for status in pod.get("statuses", []):
        if status["name"] == reference["name"] and status["claim_name"] is not None:
            name = status["claim_name"]
            return name
    return None


def _shown(claim: Json) -> Json:
    devices = ["/".join(device) for device in claim.get("devices", [])]
    return [
        f"{claim['namespace']}/{claim['name']}",
        claim["uid"],
        ["|".join(entry) for entry in claim.get("reserved_for", [])],
        devices if claim["allocated"] else None,
    ]


def _listed(layer: Layer) -> Json:
    return [_shown(layer.claims[claim_id]) for claim_id in sorted(layer.claims)]
