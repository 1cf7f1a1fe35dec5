"""What a deliberately wrong snapshot is made of: the right parts, one of them replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from impls.snapshot._cached_patches import CachedPatches
from impls.snapshot._ownership import ClonedOnWrite, Ownership
from impls.snapshot._snapshot import HandedIn, LayeredSnapshot, made_of_what_is_handed_in
from impls.snapshot.interface import ClaimId, LayeredMap, Patch, Snapshot, SnapshotFactory

MapFactory = Callable[[Sequence[Patch[Any, Any]]], LayeredMap[Any, Any]]

__all__ = ["WrongSnapshot", "factory"]


@dataclass(frozen=True, slots=True)
class WrongSnapshot:
    """A snapshot that breaks one promise, and the check that must notice.

    Attributes
    ----------
    mistake : str
    caught_by : str
        The check whose promise it is.
    create : SnapshotFactory
    """

    mistake: str
    caught_by: str
    create: SnapshotFactory

    def __str__(self) -> str:
        return self.mistake.replace(" ", "-")


def factory(
    snapshot: type[LayeredSnapshot] = LayeredSnapshot,
    *,
    claims_map: MapFactory = CachedPatches,
    slices_map: MapFactory = CachedPatches,
    ownership: Callable[[Iterable[ClaimId]], Ownership] = lambda _claim_ids: ClonedOnWrite(),
) -> SnapshotFactory:
    """A patch-set snapshot with some parts replaced."""

    def make(given: HandedIn) -> Snapshot:
        return snapshot(
            claims_map([given.claims]),
            slices_map([given.node_slices]),
            ownership(given.claims.modified),
            given,
        )

    return made_of_what_is_handed_in(make)
