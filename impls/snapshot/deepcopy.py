"""Deep copies: a fork clones every claim.

How it works
    A stack of complete maps. A fork pushes a copy of the top one in which every claim is a clone;
    slices and device classes cannot change, so they are shared. Afterwards claims are changed in
    place. A commit drops the map below the top, a revert the top.

What it costs
    Fork O(objects in all claims), in time and memory; commit and revert O(1) and what it takes to
    free a map; finding, setting and deleting one dict access; listing O(entries).

Where it comes from
    The autoscaler's basic snapshot store up to kubernetes/autoscaler commit 35029fed7a. Unlike it,
    a fork keeps nodes whose list of slices is empty, and views follow the current layer.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic

from impls.snapshot._ownership import ClonedOnFork
from impls.snapshot._snapshot import LayeredSnapshot, node_patch
from impls.snapshot.interface import ClaimId, K, LayeredMap, Patch, Snapshot, V
from kubernetes_testbed.claims import ResourceClaim
from kubernetes_testbed.slices import DeviceClass, ResourceSlice


class _CopiedMap(Generic[K, V]):
    """A stack of complete maps.

    Parameters
    ----------
    layers : sequence of Patch
        Bottom first.
    copy_entries : callable
        What a fork does to the top map; by default the copy shares the values.
    """

    __slots__ = ("_copy_entries", "_maps", "_modified", "_top", "find")

    # The top dict's own `get`: the most frequent call of all needs no frame of ours.
    find: Callable[[K], V | None]

    def __init__(
        self,
        layers: Sequence[Patch[K, V]] = (),
        copy_entries: Callable[[dict[K, V]], dict[K, V]] = dict,
    ) -> None:
        self._copy_entries = copy_entries
        self._maps: list[dict[K, V]] = []
        self._modified: list[builtins.set[K]] = []
        self._set_top({})
        for layer in layers:
            entries = {**self._top, **layer.modified}
            for key in layer.deleted:
                entries.pop(key, None)
            self._push(entries, set(layer.modified))

    def set(self, key: K, value: V) -> None:
        if not self._maps:
            self.fork()
        self._top[key] = value
        self._modified[-1].add(key)

    def delete(self, key: K) -> None:
        if not self._maps:
            self.fork()
        self._top.pop(key, None)

    def values(self) -> list[V]:
        return list(self._top.values())

    def as_map(self) -> dict[K, V]:
        return self._top.copy()

    def in_current_patch(self, key: K) -> bool:
        # A key that was deleted after it was set, here or in a committed fork, is still on record.
        return key in self._top and key in self._modified[-1]

    def fork(self) -> None:
        self._push(self._copy_entries(self._top), set())

    def commit(self) -> None:
        if len(self._maps) < 2:
            return
        del self._maps[-2]
        modified = self._modified.pop()
        self._modified[-1] |= modified

    def revert(self) -> None:
        if len(self._maps) < 2:
            return
        self._maps.pop()
        self._modified.pop()
        self._set_top(self._maps[-1])

    def depth(self) -> int:
        return len(self._maps)

    def _push(self, entries: dict[K, V], modified: builtins.set[K]) -> None:
        self._maps.append(entries)
        self._modified.append(modified)
        self._set_top(entries)

    def _set_top(self, entries: dict[K, V]) -> None:
        self._top = entries
        self.find = entries.get


def clone_claims(claims: dict[ClaimId, ResourceClaim]) -> dict[ClaimId, ResourceClaim]:
    """A map of clones: what a fork of the claims costs."""
    return {claim_id: claim.clone() for claim_id, claim in claims.items()}


def create(
    claims: Mapping[ClaimId, ResourceClaim] | None = None,
    node_slices: Mapping[str, Sequence[ResourceSlice]] | None = None,
    non_local_slices: Iterable[ResourceSlice] = (),
    device_classes: Mapping[str, DeviceClass] | None = None,
) -> Snapshot:
    """Make a snapshot whose fork clones every claim."""
    claims = claims or {}
    return LayeredSnapshot(
        _CopiedMap([Patch(claims)], clone_claims),
        _CopiedMap([node_patch(node_slices)]),
        ClonedOnFork(claims),
        non_local_slices,
        device_classes,
    )


def create_map(layers: Sequence[Patch[K, V]]) -> LayeredMap[K, V]:
    """Make a layered map whose fork copies the whole map, but not its values."""
    return _CopiedMap(layers)
