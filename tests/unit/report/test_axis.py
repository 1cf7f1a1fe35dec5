"""The shared axis: logarithmic, 1× always on it, ticks where people expect them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.report.axis import RatioAxis
from bakeoff.report.model import Figure

RATIOS = st.floats(1e-6, 1e6)


def figure(ratio: float, low: float | None = None, high: float | None = None) -> Figure:
    return Figure(ratio, low, high, 0.99)


@given(st.lists(RATIOS, max_size=5))
def test_every_figure_and_the_baseline_lie_on_the_axis_in_their_order(ratios: list[float]) -> None:
    axis = RatioAxis.covering([figure(ratio, ratio, ratio) for ratio in ratios])
    places = [axis.percent(ratio) for ratio in sorted([*ratios, 1.0])]
    assert places == sorted(places)
    assert all(0 < place < 100 for place in places)


@given(st.lists(RATIOS, max_size=5))
def test_one_is_always_a_tick_and_there_are_never_too_many(ratios: list[float]) -> None:
    ticks = RatioAxis.covering([figure(ratio) for ratio in ratios]).ticks
    assert [tick.label for tick in ticks if tick.is_one] == ["1×"]
    assert 2 <= len(ticks) <= 10


@pytest.mark.parametrize(
    ("ratios", "labels"),
    [
        ([0.0031, 1.3], ["0.01×", "0.1×", "1×"]),
        ([0.4, 1.1], ["0.5×", "0.75×", "1×"]),
        ([], ["0.8×", "0.9×", "1×", "1.1×", "1.25×"]),
    ],
)
def test_ticks_are_round_numbers(ratios: list[float], labels: list[str]) -> None:
    ticks = RatioAxis.covering([figure(ratio) for ratio in ratios]).ticks
    assert [tick.label for tick in ticks] == labels


def test_equal_ratios_apart_are_equally_far_apart() -> None:
    axis = RatioAxis.covering([figure(0.001)])
    assert axis.percent(0.1) - axis.percent(0.01) == pytest.approx(
        axis.percent(1.0) - axis.percent(0.1), abs=0.02
    )


def test_an_unbounded_end_goes_to_the_end_of_the_axis_and_is_open() -> None:
    axis = RatioAxis.covering([figure(0.1, None, 0.1)])
    bar = axis.bar(figure(0.5, None, 0.5))
    assert bar.is_open_low
    assert not bar.is_open_high
    assert bar.start == axis.percent(0.1)
    assert axis.bar(figure(0.5, 0.5, None)).end == 95.0


def test_a_ratio_of_zero_is_drawn_at_the_end() -> None:
    axis = RatioAxis.covering([figure(0.1), figure(0.0, 0.0, 0.0)])
    assert axis.percent(0.0) == axis.percent(0.1)
