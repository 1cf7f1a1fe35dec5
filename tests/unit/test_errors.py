"""The exception tree: what, where, what next, and the exit code."""

from __future__ import annotations

import inspect
import pickle

import pytest

from bakeoff import errors
from bakeoff.errors import (
    BakeoffError,
    DefinitionError,
    Interrupted,
    LoadError,
    NotFoundError,
    RunDirectoryError,
)

TREE = [BakeoffError, NotFoundError, DefinitionError, LoadError, RunDirectoryError, Interrupted]


def test_the_drawing_of_the_tree_names_every_error() -> None:
    defined = [
        error
        for error in vars(errors).values()
        if inspect.isclass(error) and issubclass(error, Exception)
    ]
    assert defined == TREE
    assert errors.__doc__ is not None
    words = set(errors.__doc__.split())
    assert {error.__name__ for error in TREE} <= words


@pytest.mark.parametrize("error", TREE)
def test_every_error_is_caught_as_a_mistake_of_the_user(error: type[BakeoffError]) -> None:
    assert issubclass(error, BakeoffError)
    assert error("what").exit_code == (130 if error is Interrupted else 2)


def test_an_error_says_what_happened_and_on_its_own_line_what_to_do() -> None:
    error = BakeoffError("reports/a.toml: no baseline.", "Add one.")
    assert str(error) == "reports/a.toml: no baseline.\n  Add one."
    assert (error.what, error.next_step) == ("reports/a.toml: no baseline.", "Add one.")


def test_an_error_without_advice_is_one_line() -> None:
    error = BakeoffError("what")
    assert str(error) == "what"
    assert error.next_step is None


def test_every_line_of_the_advice_is_set_off() -> None:
    assert str(BakeoffError("what", "one\ntwo")) == "what\n  one\n  two"


@pytest.mark.parametrize("error", TREE)
def test_an_error_survives_the_way_out_of_a_child_process(error: type[BakeoffError]) -> None:
    sent = error("what", "next")
    received = pickle.loads(pickle.dumps(sent))
    assert type(received) is error
    assert str(received) == str(sent)
    assert (received.what, received.next_step) == ("what", "next")


def test_a_name_not_found_comes_with_those_that_there_are_and_the_nearest() -> None:
    error = NotFoundError.among(
        "an implementation of 'snapshot'",
        "deep_copy",
        ["patchset", "deepcopy"],
        where="impls/snapshot",
    )
    assert str(error) == (
        "'deep_copy' is not an implementation of 'snapshot'.\n"
        "  Found in impls/snapshot: deepcopy, patchset. Did you mean 'deepcopy'?"
    )
    assert type(error) is NotFoundError


def test_a_name_in_other_letters_is_near() -> None:
    error = NotFoundError.among("a study", "SNAPSHOT", ["snapshot", "restmapper"], where="impls")
    assert str(error).endswith("Did you mean 'snapshot'?")


def test_a_name_like_no_other_gets_no_guess() -> None:
    error = NotFoundError.among("a study", "zzz", ["snapshot", "restmapper"], where="impls")
    assert str(error).endswith("Found in impls: restmapper, snapshot.")


def test_where_nothing_is_found_the_error_says_so() -> None:
    error = NotFoundError.among("a study", "snapshot", [], where="impls")
    assert str(error).endswith("Found in impls: nothing.")


def test_a_name_that_is_known_twice_is_listed_once() -> None:
    error = NotFoundError.among("a study", "x", iter(["snapshot", "snapshot"]), where="impls")
    assert str(error).endswith("Found in impls: snapshot.")
