"""Pods and the nodes they are placed on.

Pods are made inside timed loops, and a frozen dataclass takes four times as long to make. So they
are not frozen; they are read only all the same.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class PodClaimReference:
    """A pod's reference to a claim: by its name, or to the one made for it from a template."""

    name: str
    claim_name: str | None = None
    template_name: str | None = None


@dataclass(slots=True)
class PodClaimStatus:
    """Which claim was made for the reference of that name; None if none was needed."""

    name: str
    claim_name: str | None


@dataclass(slots=True)
class Pod:
    """A pod with its references to claims, in order."""

    namespace: str
    name: str
    uid: str
    claim_references: tuple[PodClaimReference, ...] = ()
    claim_statuses: tuple[PodClaimStatus, ...] = ()

    def claim_name(self, reference: PodClaimReference) -> str | None:
        """Name of the claim that one of the pod's references means, or None if nobody knows yet.

        The name given in the reference wins, and given but empty it is as good as unknown;
        otherwise the first status entry for the reference that names a claim decides.
        """
        if reference.claim_name is not None:
            return reference.claim_name or None
        for status in self.claim_statuses:
            if status.name == reference.name and status.claim_name is not None:
                return status.claim_name or None
        return None


@dataclass(frozen=True, slots=True)
class Node:
    """A node, by its name."""

    name: str
