"""Mistakes in the layered map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from impls.snapshot._cached_patches import CachedPatches
from impls.snapshot._copied_map import CopiedMap
from impls.snapshot._ownership import ClonedOnFork
from impls.snapshot.deepcopy import clone_claims
from impls.snapshot.interface import Patch
from tests.conformance.wrong_snapshots.wrong import WrongSnapshot, factory


class CommitDropsDeletions(CachedPatches[Any, Any]):
    def commit(self) -> None:
        if self.depth() > 1:
            self._patches[-1].deleted.clear()
        self._cache.clear()
        self._is_cache_in_sync = False
        super().commit()


class CommitDropsChanges(CachedPatches[Any, Any]):
    def commit(self) -> None:
        self.revert()


class RevertForgetsDeletions(CachedPatches[Any, Any]):
    def revert(self) -> None:
        if self.depth() > 1:
            for key in self._patches[-1].deleted:
                self._patches[-2].modified.pop(key, None)
        super().revert()


class CacheKeepsReverted(CachedPatches[Any, Any]):
    def revert(self) -> None:
        if self.depth() > 1:
            self._patches.pop()
            self._is_cache_in_sync = False


class CacheKeepsAbsence(CachedPatches[Any, Any]):
    """A key that was not there is not looked for again until a revert."""

    def set(self, key: Any, value: Any) -> None:
        was_absent = key in self._cache and self._cache[key] is None
        super().set(key, value)
        if was_absent:
            self._cache[key] = None


class ListStaysInSync(CachedPatches[Any, Any]):
    def revert(self) -> None:
        was_in_sync = self._is_cache_in_sync
        super().revert()
        self._is_cache_in_sync = was_in_sync


class OnlyLayerIsReverted(CachedPatches[Any, Any]):
    def revert(self) -> None:
        if self.depth() == 1:
            self.fork()
            self._patches[0].modified.clear()
            self._patches[0].deleted.clear()
            self._cache.clear()
        super().revert()


class MapIsAdopted(CachedPatches[Any, Any]):
    """As kubernetes/autoscaler commit eb486661803b does with the map of claims."""

    def __init__(self, layers: Sequence[Patch[Any, Any]]) -> None:
        super().__init__(layers)
        (base,) = layers
        assert isinstance(base.modified, dict)
        self._patches[0].modified = base.modified


class CommitIsWrittenBelow(CachedPatches[Any, Any]):
    """Writes through to the layer below, so that the layer's own revert cannot undo it."""

    def commit(self) -> None:
        if self.depth() > 2:
            top = self._patches[-1]
            self._patches[-3].modified.update(top.modified)
        super().commit()


def without_empty_lists(nodes: dict[Any, Any]) -> dict[Any, Any]:
    """As the generated clone of kubernetes/autoscaler commit 35029fed7a does."""
    return {name: slices for name, slices in nodes.items() if slices}


def cloned_but_the_last(claims: dict[Any, Any]) -> dict[Any, Any]:
    """A fork that takes one claim as it is."""
    clones = clone_claims(claims)
    if claims:
        clones.popitem()
        last = next(reversed(claims))
        clones[last] = claims[last]
    return clones


WRONG = [
    WrongSnapshot(
        "a commit drops deletions",
        "check_a_commit_keeps_removals_of_claims",
        factory(claims_map=CommitDropsDeletions),
    ),
    WrongSnapshot(
        "a commit of slices drops deletions",
        "check_a_commit_keeps_changes_of_slices",
        factory(slices_map=CommitDropsDeletions),
    ),
    WrongSnapshot(
        "a commit drops changes",
        "check_a_commit_keeps_changed_claims",
        factory(claims_map=CommitDropsChanges),
    ),
    WrongSnapshot(
        "a commit reaches two layers down",
        "check_layers_nest",
        factory(claims_map=CommitIsWrittenBelow),
    ),
    WrongSnapshot(
        "a revert forgets deletions",
        "check_a_revert_brings_removed_claims_back",
        factory(claims_map=RevertForgetsDeletions),
    ),
    WrongSnapshot(
        "a revert of slices forgets deletions",
        "check_a_revert_undoes_changes_of_slices",
        factory(slices_map=RevertForgetsDeletions),
    ),
    WrongSnapshot(
        "the only layer is reverted",
        "check_the_only_layer_cannot_be_dropped",
        factory(claims_map=OnlyLayerIsReverted),
    ),
    WrongSnapshot(
        "a cache is not invalidated by a revert",
        "check_an_absent_claim_is_noticed_when_it_comes",
        factory(claims_map=CacheKeepsReverted),
    ),
    WrongSnapshot(
        "a cache keeps the absence of a claim",
        "check_an_absent_claim_is_noticed_when_it_comes",
        factory(claims_map=CacheKeepsAbsence),
    ),
    WrongSnapshot(
        "a list is read off the cache after a revert",
        "check_views_follow_the_current_layer",
        factory(claims_map=ListStaysInSync),
    ),
    WrongSnapshot(
        "the map of claims is adopted",
        "check_maps_handed_in_are_never_changed",
        factory(claims_map=MapIsAdopted),
    ),
    WrongSnapshot(
        "a fork loses nodes without slices",
        "check_an_empty_list_of_slices_survives_every_fork",
        factory(slices_map=lambda layers: CopiedMap(layers, without_empty_lists)),
    ),
    WrongSnapshot(
        "a fork shares a claim",
        "check_a_revert_undoes_reservations",
        factory(
            claims_map=lambda layers: CopiedMap(layers, cloned_but_the_last),
            ownership=ClonedOnFork,
        ),
    ),
]
