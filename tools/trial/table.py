"""The summaries as a table in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from tools.trial.summary import MARGIN_PERCENT, Count, Summary

#: Nothing was compared.
_NOTHING = "–"


def markdown_table(summaries: Sequence[Summary]) -> str:
    """One row for each condition and tool.

    Parameters
    ----------
    summaries : sequence of Summary
        In the order of the rows.

    Returns
    -------
    str
        With a newline at the end; failed comparisons are named below the table.
    """
    effects = sorted({effect for summary in summaries for effect in summary.found})
    head = [
        "condition",
        "tool",
        "alike called different",
        "called faster (never true)",
        *(f"{effect} % found" for effect in effects),
        "alike proven the same",
        f"≥ {MARGIN_PERCENT} % called the same",
        "inconclusive",
        "median time",
        "9 of 10 within",
    ]
    rows = [_row(summary, effects) for summary in summaries]
    rule = ["---", "---", *("---:" for _ in head[2:])]
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, rule, *rows)]
    failed = [
        f"{summary.failed} of {summary.tool}'s comparisons ({summary.condition}) failed and are not counted."
        for summary in summaries
        if summary.failed
    ]
    return "\n".join([*lines, *([""] if failed else []), *failed]) + "\n"


def _row(summary: Summary, effects: Sequence[int]) -> list[str]:
    nothing = Count(0, 0)
    return [
        summary.condition,
        summary.tool,
        _of(summary.alarms),
        _of(summary.faster),
        *(_of(summary.found.get(effect, nothing)) for effect in effects),
        _of(summary.proven_same),
        _of(summary.wrongly_same),
        _of(summary.inconclusive),
        f"{summary.median_s:.1f} s",
        f"{summary.ninth_s:.1f} s",
    ]


def _of(count: Count) -> str:
    return f"{count.hits} of {count.total}" if count.total else _NOTHING
