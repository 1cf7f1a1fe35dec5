"""How often a tool finds an effect, against the effect: one line for each tool."""

from __future__ import annotations

import io
from collections.abc import Sequence

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tools.trial.outcomes import Condition
from tools.trial.summary import Count, Summary

#: Okabe and Ito's palette, told apart by the colour-blind; markers tell them apart in print.
_COLOURS = ("#0072B2", "#D55E00", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "D", "^", "v", "P", "X")

#: How far neighbouring tools are moved apart, in percent of effect, so that bars do not hide bars.
_APART = 0.09

#: Drawn broader: the one that the plot is about.
_OURS = "bakeoff"

_TITLES: dict[Condition, str] = {"quiet": "Quiet", "noisy": "With a noisy neighbour"}


def detection_plot(summaries: Sequence[Summary]) -> bytes:
    """An SVG: the share called different at 0 %, and called slower at each effect.

    Bars are 95 % intervals by Clopper and Pearson.

    Parameters
    ----------
    summaries : sequence of Summary
        One panel for each condition among them.

    Returns
    -------
    bytes
        The file, the same for the same summaries.

    Raises
    ------
    ValueError
        If there are none.
    """
    if not summaries:
        raise ValueError("A plot needs at least one summary.")
    conditions = list(dict.fromkeys(summary.condition for summary in summaries))
    tools = sorted({summary.tool for summary in summaries})
    # Text stays text, and the same outcomes give the same file.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "trial", "font.size": 9.0}):
        figure = Figure(figsize=(1.2 + 3.4 * len(conditions), 3.6), layout="constrained")
        panels = figure.subplots(1, len(conditions), sharey=True, squeeze=False)[0]
        for condition, panel in zip(conditions, panels, strict=True):
            for summary in summaries:
                if summary.condition == condition:
                    _draw(panel, summary, tools.index(summary.tool), len(tools))
            _dress(panel, _TITLES[condition], [s for s in summaries if s.condition == condition])
        panels[0].set_ylabel("called slower; at 0 %, different")
        handles, labels = panels[0].get_legend_handles_labels()
        columns = 3 if len(conditions) > 1 else 2
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def _points(summary: Summary) -> list[tuple[int, Count]]:
    """Effects and counts; false alarms stand at 0."""
    points = [(0, summary.alarms), *sorted(summary.found.items())]
    return [(effect, count) for effect, count in points if count.total]


def _draw(panel: Axes, summary: Summary, index: int, tools: int) -> None:
    points = _points(summary)
    shares = [100 * count.share for _, count in points]
    bounds = [count.interval() for _, count in points]
    panel.errorbar(
        [effect + _APART * (index - (tools - 1) / 2) for effect, _ in points],
        shares,
        yerr=[
            [share - 100 * low for share, (low, _) in zip(shares, bounds, strict=True)],
            [100 * high - share for share, (_, high) in zip(shares, bounds, strict=True)],
        ],
        label=summary.tool,
        color=_COLOURS[index % len(_COLOURS)],
        marker=_MARKERS[index % len(_MARKERS)],
        markersize=4,
        linewidth=2.4 if summary.tool == _OURS else 1.2,
        elinewidth=0.7,
    )


def _dress(panel: Axes, title: str, summaries: Sequence[Summary]) -> None:
    """Axes, ticks and title."""
    effects = sorted({effect for summary in summaries for effect, _ in _points(summary)} | {0})
    panel.set_title(title, fontsize=9)
    panel.set_xlabel("true slowdown (at 0 %, every alarm is false)")
    panel.set_xticks(effects, [f"{effect} %" for effect in effects])
    panel.set_yticks([0, 25, 50, 75, 100], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    panel.set_ylim(-3, 103)
    panel.grid(axis="y", linewidth=0.4, alpha=0.6)
    panel.spines[["top", "right"]].set_visible(False)
