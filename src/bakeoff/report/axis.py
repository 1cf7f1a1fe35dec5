"""A shared logarithmic axis of ratios: where a figure's bar lies, in percent of the width."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bakeoff.report.model import Figure
from bakeoff.units import format_significant

#: Room at both ends, so that labels and arrow heads are not cut off.
_MARGIN_PERCENT = 5.0

#: An axis at least this wide: noise should not look like a landslide.
_LEAST_REACH = math.log(1.25)

# Five at most: in a table the axis is narrow, and labels must not touch.
_FINE_TICKS = (0.8, 0.9, 1.0, 1.1, 1.25)
_COARSE_TICKS = (0.25, 0.33, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
_MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled place on the axis."""

    percent: float
    label: str
    is_one: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure on the axis, in percent of its width.

    Attributes
    ----------
    start, end : float
        The interval, cut off at the axis' ends.
    point : float
        The estimate.
    one : float
        Where the baseline lies.
    is_open_low, is_open_high : bool
        The interval goes on beyond the axis: an arrow instead of an end.
    """

    start: float
    end: float
    point: float
    one: float
    is_open_low: bool
    is_open_high: bool


@dataclass(frozen=True, slots=True)
class RatioAxis:
    """The part of the logarithmic axis that a report needs; 1× is always on it."""

    log_low: float
    log_high: float

    @classmethod
    def covering(cls, figures: Iterable[Figure | None]) -> RatioAxis:
        """An axis on which all these figures and 1× have room."""
        logs = [-_LEAST_REACH, _LEAST_REACH]
        for figure in figures:
            if figure is None:
                continue
            ends = (figure.low, figure.estimate, figure.high)
            logs += [math.log(end) for end in ends if end is not None and end > 0]
        return cls(min(logs), max(logs))

    def percent(self, ratio: float) -> float:
        """Where a ratio lies; beyond an end it is that end."""
        log = math.log(ratio) if ratio > 0 else self.log_low
        share = (min(max(log, self.log_low), self.log_high) - self.log_low) / self._width
        return round(_MARGIN_PERCENT + share * (100 - 2 * _MARGIN_PERCENT), 2)

    def bar(self, figure: Figure) -> Bar:
        """A figure's bar; an unbounded end reaches the axis' end."""
        is_open_low = figure.low is None or figure.low <= 0
        return Bar(
            start=self.percent(figure.low or 0.0),
            end=100 - _MARGIN_PERCENT if figure.high is None else self.percent(figure.high),
            point=self.percent(figure.estimate),
            one=self.percent(1.0),
            is_open_low=is_open_low,
            is_open_high=figure.high is None,
        )

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Decades, or finer steps where the axis spans less."""
        low, high = math.exp(self.log_low - 1e-9), math.exp(self.log_high + 1e-9)
        if high / low < 1.7:
            ratios: list[float] = list(_FINE_TICKS)
        elif high / low < 20:
            ratios = list(_COARSE_TICKS)
        else:
            first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
            # Every n-th decade, such that 1× stays among them.
            step = max(1, math.ceil((last - first) / _MOST_TICKS))
            ratios = [10.0**power for power in range(first, last + 1) if power % step == 0]
        return tuple(
            Tick(self.percent(ratio), f"{_plain(ratio)}×", ratio == 1.0)
            for ratio in ratios
            if low <= ratio <= high
        )

    @property
    def _width(self) -> float:
        return self.log_high - self.log_low


def _plain(ratio: float) -> str:
    """A tick's number without trailing zeros: ``0.01``, ``1``, ``100``."""
    return f"{ratio:g}" if 1e-4 <= ratio < 1e6 else format_significant(ratio, 1)
