from __future__ import annotations

from collections.abc import Callable

import pytest

from impls.snapshot._ownership import ClonedOnFork, ClonedOnWrite, Ownership

CLAIM = ("default", "claim")

both = pytest.mark.parametrize(
    "create", [ClonedOnWrite, lambda: ClonedOnFork([CLAIM])], ids=["on-write", "on-fork"]
)
Create = Callable[[], Ownership]


@both
def test_a_claim_handed_in_is_not_owned_until_it_is_cloned(create: Create) -> None:
    ownership = create()
    ownership.hand_in([CLAIM])
    assert not ownership.owns(CLAIM)
    ownership.take(CLAIM)
    assert ownership.owns(CLAIM)


def test_a_fork_that_shares_claims_owns_none() -> None:
    ownership = ClonedOnWrite()
    ownership.take(CLAIM)
    ownership.fork()
    assert not ownership.owns(CLAIM)


def test_a_fork_that_clones_claims_owns_all() -> None:
    ownership = ClonedOnFork([CLAIM])
    ownership.fork()
    assert ownership.owns(CLAIM)


@both
def test_a_revert_brings_back_what_the_layer_below_owned(create: Create) -> None:
    for is_owned_below in (False, True):
        ownership = create()
        if is_owned_below:
            ownership.take(CLAIM)
        ownership.fork()
        ownership.take(CLAIM)
        ownership.revert()
        assert ownership.owns(CLAIM) is is_owned_below


@both
def test_a_commit_keeps_what_the_fork_owned(create: Create) -> None:
    ownership = create()
    ownership.fork()
    ownership.take(CLAIM)
    ownership.commit()
    assert ownership.owns(CLAIM)


@both
def test_what_is_handed_back_in_is_owned_in_no_layer(create: Create) -> None:
    ownership = create()
    ownership.take(CLAIM)
    ownership.fork()
    ownership.take(CLAIM)
    ownership.hand_in([CLAIM])
    assert not ownership.owns(CLAIM)
    ownership.revert()
    assert not ownership.owns(CLAIM)


@both
def test_the_only_layer_cannot_be_dropped(create: Create) -> None:
    ownership = create()
    ownership.take(CLAIM)
    ownership.revert()
    ownership.commit()
    assert ownership.owns(CLAIM)
