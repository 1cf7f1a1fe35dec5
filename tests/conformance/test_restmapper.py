"""Every REST mapper keeps every promise of its interface; ours can do all that any of them can."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bakeoff.conformance.parametrize import Case, conformance_cases
from impls.restmapper import conformance, deferred, indexed

CAPABILITIES = {
    name: function for name, function in vars(conformance).items() if name.startswith("capability_")
}


@conformance_cases("restmapper", __file__)
def test_the_promise_is_kept(case: Case) -> None:
    case.verify()


@pytest.mark.parametrize("capability", CAPABILITIES.values(), ids=CAPABILITIES)
def test_the_indexed_mapper_can_do_all_that_any_of_them_can(
    capability: Callable[..., None],
) -> None:
    capability(indexed.create)


def test_the_deferred_mapper_discovers_once_for_many_who_ask_first() -> None:
    conformance.capability_many_who_ask_first_cost_one_discovery(deferred.create)
