"""Which claims of the current layer a snapshot may change in place.

A claim may be changed in place only if the snapshot made it itself, by cloning, and made it for
the current layer. Everything else is cloned first: claims of lower layers, for their layers must
not see the change, and claims that a caller handed in, for the caller must not.

A stored claim that is handed back in becomes the caller's again. It may still be stored in lower
layers too, so it is struck off in all of them. At worst that costs a clone too many; and handing a
claim in costs O(layers), in every form that clones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

from impls.snapshot.interface import ClaimId


class Ownership(Protocol):
    """A record of claims in layers that move with those of the snapshot."""

    def owns(self, claim_id: ClaimId) -> bool:
        """Whether the stored claim may be changed in place."""
        ...

    def take(self, claim_id: ClaimId) -> None:
        """The claim was replaced by a clone, in the current layer."""
        ...

    def hand_in(self, claim_ids: Collection[ClaimId]) -> None:
        """The claims were stored as a caller gave them."""
        ...

    def fork(self) -> None:
        """Push a layer."""
        ...

    def commit(self) -> None:
        """Merge the top layer into the one below, if there are two."""
        ...

    def revert(self) -> None:
        """Drop the top layer, if there are two."""
        ...


class ClonedOnWrite:
    """For snapshots that share claims between layers: each layer owns what it cloned so far."""

    __slots__ = ("_cloned",)

    def __init__(self) -> None:
        self._cloned: list[set[ClaimId]] = [set()]

    def owns(self, claim_id: ClaimId) -> bool:
        return claim_id in self._cloned[-1]

    def take(self, claim_id: ClaimId) -> None:
        self._cloned[-1].add(claim_id)

    def hand_in(self, claim_ids: Collection[ClaimId]) -> None:
        for cloned in self._cloned:
            cloned.difference_update(claim_ids)

    def fork(self) -> None:
        self._cloned.append(set())

    def commit(self) -> None:
        if len(self._cloned) > 1:
            top = self._cloned.pop()
            self._cloned[-1] |= top

    def revert(self) -> None:
        if len(self._cloned) > 1:
            self._cloned.pop()


class NeverOwned:
    """For snapshots whose claims several threads look at: no stored claim is ever changed."""

    __slots__ = ()

    def owns(self, claim_id: ClaimId) -> bool:
        return False

    def take(self, claim_id: ClaimId) -> None:
        pass

    def hand_in(self, claim_ids: Collection[ClaimId]) -> None:
        pass

    def fork(self) -> None:
        pass

    def commit(self) -> None:
        pass

    def revert(self) -> None:
        pass


class ClonedOnFork:
    """For snapshots whose fork clones every claim: each layer owns all but what was handed in."""

    __slots__ = ("_handed_in",)

    def __init__(self, claim_ids: Iterable[ClaimId]) -> None:
        self._handed_in: list[set[ClaimId]] = [set(claim_ids)]

    def owns(self, claim_id: ClaimId) -> bool:
        return claim_id not in self._handed_in[-1]

    def take(self, claim_id: ClaimId) -> None:
        self._handed_in[-1].discard(claim_id)

    def hand_in(self, claim_ids: Collection[ClaimId]) -> None:
        for handed_in in self._handed_in:
            handed_in.update(claim_ids)

    def fork(self) -> None:
        self._handed_in.append(set())

    def commit(self) -> None:
        if len(self._handed_in) > 1:
            del self._handed_in[-2]

    def revert(self) -> None:
        if len(self._handed_in) > 1:
            self._handed_in.pop()
