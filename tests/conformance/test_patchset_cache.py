"""The rules of the patch set's read cache, seen by how it is filled and by what is still looked up.

Each was taken from kubernetes/autoscaler commit eb486661803b (PR 8090).
"""

from __future__ import annotations

from impls.snapshot._cached_patches import CachedPatches
from impls.snapshot.interface import Patch


def patch_set() -> CachedPatches[str, int]:
    return CachedPatches([Patch({"a": 1, "b": 2})])


def test_nothing_is_cached_before_it_is_looked_up() -> None:
    assert not patch_set()._cache


def test_a_found_key_is_cached() -> None:
    layered = patch_set()
    layered.find("a")
    assert layered._cache == {"a": 1}


def test_an_absent_key_is_cached_as_absent() -> None:
    layered = patch_set()
    layered.find("z")
    assert layered._cache == {"z": None}


def test_a_cached_key_is_not_looked_for_in_the_patches() -> None:
    layered = patch_set()
    layered.find("a")
    layered._patches[0].modified["a"] = 99
    assert layered.find("a") == 1


def test_a_write_is_cached_at_once() -> None:
    layered = patch_set()
    layered.set("a", 5)
    layered.delete("b")
    assert layered._cache == {"a": 5, "b": None}


def test_a_fork_keeps_the_cache_and_the_flag() -> None:
    layered = patch_set()
    layered.as_map()
    layered.fork()
    assert layered._cache == {"a": 1, "b": 2}
    assert layered._is_cache_in_sync


def test_a_commit_keeps_the_cache_and_the_flag() -> None:
    layered = patch_set()
    layered.as_map()
    layered.fork()
    layered.set("a", 5)
    layered.delete("b")
    layered.commit()
    assert layered._cache == {"a": 5, "b": None}
    assert layered._is_cache_in_sync
    assert layered.as_map() == {"a": 5}


def test_a_revert_evicts_the_keys_of_its_patch_only() -> None:
    layered = CachedPatches([Patch({"a": 1, "b": 2, "c": 3})])
    layered.as_map()
    layered.fork()
    layered.set("a", 5)
    layered.delete("b")
    layered.revert()
    assert layered._cache == {"c": 3}
    assert entries(layered, "abc") == [1, 2, 3]


def test_a_revert_clears_the_flag_even_if_nothing_had_changed() -> None:
    layered = patch_set()
    layered.as_map()
    layered.fork()
    layered.revert()
    assert not layered._is_cache_in_sync
    assert layered._cache == {"a": 1, "b": 2}


def test_a_revert_without_a_fork_keeps_the_cache_and_the_flag() -> None:
    layered = patch_set()
    layered.as_map()
    layered.revert()
    assert layered._cache == {"a": 1, "b": 2}
    assert layered._is_cache_in_sync


def test_a_map_fills_the_cache_and_sets_the_flag() -> None:
    layered = patch_set()
    layered.find("z")
    was_in_sync = layered._is_cache_in_sync
    assert layered.as_map() == {"a": 1, "b": 2}
    assert (was_in_sync, layered._is_cache_in_sync) == (False, True)
    assert layered._cache == {"a": 1, "b": 2, "z": None}


def test_a_map_is_read_off_the_cache_while_that_is_in_sync() -> None:
    layered = patch_set()
    layered.as_map()
    layered._patches[0].modified["a"] = 99
    assert layered.as_map() == {"a": 1, "b": 2}
    assert layered.values() == [1, 2]


def test_writes_keep_the_cache_in_sync() -> None:
    layered = patch_set()
    layered.as_map()
    layered.set("c", 3)
    layered.delete("a")
    assert layered._is_cache_in_sync
    assert layered.as_map() == {"b": 2, "c": 3}


def test_a_fork_does_not_look_at_the_entries() -> None:
    layered = patch_set()
    layered.fork()
    (base, top) = layered._patches
    assert (base.modified, top.modified, top.deleted) == ({"a": 1, "b": 2}, {}, set())


def entries(layered: CachedPatches[str, int], keys: str) -> list[int | None]:
    return [layered.find(key) for key in keys]
