from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.conformance import conformance_cases

if TYPE_CHECKING:
    from bakeoff.conformance.parametrize import Case


@conformance_cases("snapshot", __file__)
def test_the_promise_is_kept(case: Case) -> None:
    case.verify()
