"""The metrics a report knows: their units and the words people use for less and more of them."""

from __future__ import annotations

from dataclasses import dataclass

from bakeoff.measurement.contrast import quantile_of


@dataclass(frozen=True, slots=True)
class MetricWords:
    """How one metric is called and compared in prose.

    Attributes
    ----------
    name : str
        Its name in files: ``"time"``.
    unit : str
        ``"s"``, ``"B"`` or ``"1"``, as in ``report.json``.
    title : str
        Its name in headings and tables.
    noun : str
        What follows a ratio in a sentence: ``0.02× the bytes``.
    less, more : str
        The verdicts' words: time is *faster* or *slower*, everything else *less* or *more*.
    """

    name: str
    unit: str
    title: str
    noun: str
    less: str
    more: str


METRICS: dict[str, MetricWords] = {
    words.name: words
    for words in (
        MetricWords("time", "s", "Time", "time", "faster", "slower"),
        MetricWords("gc_time", "s", "Garbage collection", "collector time", "less", "more"),
        MetricWords("gc_collections", "1", "Collections", "collections", "less", "more"),
        MetricWords("allocated_bytes", "B", "Allocated bytes", "allocated bytes", "less", "more"),
        MetricWords("allocator_calls", "1", "Allocator calls", "allocator calls", "less", "more"),
        MetricWords("peak_bytes", "B", "Peak memory", "peak memory", "less", "more"),
    )
}


#: What a workload counts may be seconds or bytes: its name says so.
_COUNT_UNITS = {"_s": "s", "_bytes": "B"}


def metric_words(name: str) -> MetricWords:
    """Words for a metric: a percentile of time, or what a workload counts, under its own name."""
    if name in METRICS:
        return METRICS[name]
    if (quantile := quantile_of(name)) is not None:
        title = f"{quantile * 100:g}th percentile of time"
        return MetricWords(name, "s", title, title, "faster", "slower")
    unit = next((unit for ending, unit in _COUNT_UNITS.items() if name.endswith(ending)), "1")
    title = name.replace("_", " ")
    return MetricWords(name, unit, title, title, "less", "more")
