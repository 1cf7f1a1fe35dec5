"""As many arms are alive together as memory holds."""

from __future__ import annotations

from msgspec.structs import replace

from bakeoff.measurement.grouping import arms_that_fit
from bakeoff.results.records import CONTROL_ARM, RoundRecord

from .records import a_round, arm, failing_arm

GIB = 2**30


def seen(**peaks: int) -> RoundRecord:
    return a_round(
        0, {name: replace(arm(0.01), peak_rss_bytes=peak) for name, peak in peaks.items()}
    )


def test_all_take_part_where_nothing_is_known_of_their_memory() -> None:
    assert arms_that_fit(["a", "b", "c"], "base", [], 1 * GIB) == ("a", "b", "c")


def test_those_that_do_not_fit_wait_for_a_round_of_their_own() -> None:
    rounds = [seen(base=GIB, a=2 * GIB, b=2 * GIB, c=2 * GIB)]
    # 80 % of 6 GiB less the baseline leaves room for one.
    assert arms_that_fit(["a", "b", "c"], "base", rounds, 6 * GIB) == ("a",)
    rounds.append(seen(base=GIB, a=2 * GIB))
    assert arms_that_fit(["a", "b", "c"], "base", rounds, 6 * GIB) == ("b",)


def test_the_control_needs_room_too() -> None:
    rounds = [seen(base=GIB, a=2 * GIB, b=GIB)]
    assert arms_that_fit(["a", "b"], "base", rounds, 5 * GIB) == ("a", "b")
    rounds = [replace(rounds[0], arms=rounds[0].arms | {CONTROL_ARM: rounds[0].arms["base"]})]
    assert arms_that_fit(["a", "b"], "base", rounds, 5 * GIB) == ("a",)


def test_one_candidate_is_measured_however_little_memory_there_is() -> None:
    assert arms_that_fit(["a"], "base", [seen(base=GIB, a=2 * GIB)], 1) == ("a",)


def test_after_a_process_was_killed_half_as_many_are_started() -> None:
    killed = failing_arm("crash", "killed by SIGKILL (out of memory?)")
    rounds = [a_round(0, {"base": arm(0.01), "a": arm(0.01), "b": killed, "c": arm(0.01)})]
    assert arms_that_fit(["a", "b", "c", "d"], "base", rounds, None) == ("d",)


def test_a_machine_that_does_not_tell_its_memory_has_enough() -> None:
    rounds = [seen(base=GIB, a=900 * GIB, b=900 * GIB)]
    assert arms_that_fit(["a", "b"], "base", rounds, None) == ("a", "b")
