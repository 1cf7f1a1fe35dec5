"""The little language of a claim's ``check``: text in, a predicate out.

::

    check    :=  [quantile] "ratio" op number       |  [quantile] "value" op quantity
              |  "delta" op quantity                |  "same within" percent
              |  "growth(" parameter ")" op number  |  "growth(" parameter ") in" number ".." number
              |  "exact" count "==" number          |  "independent of" parameter "within" percent
              |  "completes within" quantity        |  "best on" metric
              |  "crossover(" parameter ")" op number
    op       :=  "<="  |  ">="  |  "<"  |  ">"
    quantile :=  "p50", "p90", "p99.9" …
    number   :=  decimal  |  decimal "/" decimal
    quantity :=  decimal [ns us ms s | B kB MB GB KiB MiB GiB]
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable

from bakeoff.errors import DefinitionError
from bakeoff.report.predicates import (
    BestOn,
    CompletesWithin,
    CrossoverBound,
    DeltaBound,
    ExactCount,
    GrowthBound,
    GrowthRange,
    IndependentOf,
    Operator,
    Predicate,
    RatioBound,
    SameWithin,
    ValueBound,
)

KNOWN_CHECKS = (
    "ratio <= x",
    "same within x%",
    "delta <= x",
    "value <= x",
    "p90 ratio <= x",
    "growth(n) <= x",
    "growth(n) in x..y",
    "exact requests == x",
    "independent of n within x%",
    "completes within x",
    "best on time",
    "crossover(n) <= x",
)

_SCALES: dict[str, tuple[str, float]] = {
    "ns": ("s", 1e-9),
    "us": ("s", 1e-6),
    "µs": ("s", 1e-6),
    "ms": ("s", 1e-3),
    "s": ("s", 1.0),
    "B": ("B", 1.0),
    "kB": ("B", 1e3),
    "MB": ("B", 1e6),
    "GB": ("B", 1e9),
    "KiB": ("B", 2.0**10),
    "MiB": ("B", 2.0**20),
    "GiB": ("B", 2.0**30),
}
_DECIMAL = r"\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?"
_OP = r"(?P<op><=|>=|<|>)"
_NAME = r"[A-Za-z_]\w*"
_FRACTION = re.compile(rf"(?P<above>{_DECIMAL})(?:\s*/\s*(?P<below>{_DECIMAL}))?")
_QUANTITY = re.compile(rf"(?P<number>{_DECIMAL})\s*(?P<unit>[A-Za-zµ]*)")
_PERCENT = re.compile(rf"(?P<number>{_DECIMAL})\s*%")


def parse_predicate(text: str, unit_of: Callable[[str], str], metric: str) -> Predicate:
    """Read a claim's ``check``.

    Parameters
    ----------
    text : str
        As written in the definition: ``"ratio <= 1/50"``.
    unit_of : callable
        The unit of a metric by its name, which a quantity's unit has to fit.
    metric : str
        The claim's metric; a check that names its own is about that one.

    Raises
    ------
    DefinitionError
        If the check is unknown or its number cannot be read. The message names neither file nor
        claim: the reader of the definition adds them.
    """
    written = text.strip()
    for pattern, read in _FORMS:
        if match := pattern.fullmatch(written):
            return read(match, text, unit_of, metric)
    nearest = difflib.get_close_matches(written, KNOWN_CHECKS, n=1, cutoff=0.5)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    raise DefinitionError(
        f"check {text!r} is not one this version knows.",
        f"There are: {', '.join(repr(check) for check in KNOWN_CHECKS)}"
        f" (with <=, >=, < or >).{hint}",
    )


def parse_percent(text: str, what: str) -> float:
    """Read ``"15%"`` as 0.15; `what` names the place in the error message."""
    match = _PERCENT.fullmatch(text.strip())
    if match is None:
        raise DefinitionError(f"{what}: {text!r} is not a percentage.", 'Write it as "15%".')
    share = float(match["number"]) / 100
    if share <= 0:
        raise DefinitionError(f"{what}: a percentage must be above zero.", 'Write "15%".')
    return share


_Reader = Callable[[re.Match[str], str, Callable[[str], str], str], Predicate]


def _read_comparison(
    match: re.Match[str], text: str, unit_of: Callable[[str], str], metric: str
) -> Predicate:
    op, bound = _operator(match), match["bound"].strip().strip('"')
    metric = match["quantile"] or metric
    if match["subject"] == "ratio":
        return RatioBound(metric, op, _fraction(bound, text), bound)
    kind = DeltaBound if match["subject"] == "delta" else ValueBound
    return kind(metric, op, _quantity(bound, unit_of(metric), text), bound)


def _read_same(
    match: re.Match[str], text: str, _unit_of: Callable[[str], str], metric: str
) -> Predicate:
    return SameWithin(metric, parse_percent(match["percent"], f"check {text!r}"))


def _read_growth(
    match: re.Match[str], text: str, _unit_of: Callable[[str], str], metric: str
) -> Predicate:
    return GrowthBound(metric, match["over"], _operator(match), _fraction(match["bound"], text))


def _read_growth_range(
    match: re.Match[str], text: str, _unit_of: Callable[[str], str], metric: str
) -> Predicate:
    low, high = float(match["low"]), float(match["high"])
    if low >= high:
        raise DefinitionError(f"check {text!r}: no number lies between {low:g} and {high:g}.")
    return GrowthRange(metric, match["over"], low, high)


def _read_exact(
    match: re.Match[str], _text: str, _unit_of: Callable[[str], str], _metric: str
) -> Predicate:
    return ExactCount(match["count"], float(match["number"]))


def _read_independent(
    match: re.Match[str], text: str, _unit_of: Callable[[str], str], metric: str
) -> Predicate:
    return IndependentOf(metric, match["over"], parse_percent(match["percent"], f"check {text!r}"))


def _read_completes(
    match: re.Match[str], text: str, _unit_of: Callable[[str], str], _metric: str
) -> Predicate:
    return CompletesWithin("time", _quantity(match["limit"], "s", text), match["limit"])


def _read_best(
    match: re.Match[str], _text: str, _unit_of: Callable[[str], str], _metric: str
) -> Predicate:
    return BestOn(match["metric"])


def _read_crossover(
    match: re.Match[str], text: str, _unit_of: Callable[[str], str], metric: str
) -> Predicate:
    return CrossoverBound(metric, match["over"], _operator(match), _fraction(match["bound"], text))


_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (
        re.compile(
            rf"(?:(?P<quantile>p\d+(?:\.\d+)?)\s+)?(?P<subject>ratio|value|delta)\s*{_OP}"
            r"\s*(?P<bound>.*)"
        ),
        _read_comparison,
    ),
    (re.compile(r"same\s+within\s+(?P<percent>.*)"), _read_same),
    (re.compile(rf"growth\(\s*(?P<over>{_NAME})\s*\)\s*{_OP}\s*(?P<bound>.*)"), _read_growth),
    (
        re.compile(
            rf"growth\(\s*(?P<over>{_NAME})\s*\)\s*in\s*(?P<low>-?{_DECIMAL})\s*\.\.\s*"
            rf"(?P<high>{_DECIMAL})"
        ),
        _read_growth_range,
    ),
    (re.compile(rf"exact\s+(?P<count>{_NAME})\s*==\s*(?P<number>{_DECIMAL})"), _read_exact),
    (
        re.compile(rf"independent\s+of\s+(?P<over>{_NAME})\s+within\s+(?P<percent>.*)"),
        _read_independent,
    ),
    (re.compile(r"completes\s+within\s+(?P<limit>.*)"), _read_completes),
    (re.compile(r"best\s+on\s+(?P<metric>[A-Za-z_][\w.]*)"), _read_best),
    (re.compile(rf"crossover\(\s*(?P<over>{_NAME})\s*\)\s*{_OP}\s*(?P<bound>.*)"), _read_crossover),
)


def _operator(match: re.Match[str]) -> Operator:
    op: Operator = match["op"]  # type: ignore[assignment]  # the pattern allows no other
    return op


def _fraction(text: str, check: str) -> float:
    match = _FRACTION.fullmatch(text.strip())
    below = float(match["below"] or 1) if match else 0.0
    if match is None or below == 0 or float(match["above"]) == 0:
        raise DefinitionError(
            f"check {check!r}: {text!r} is not a positive number or fraction.",
            "Write it as in 'ratio <= 1/50' or 'ratio <= 0.02'.",
        )
    return float(match["above"]) / below


def _quantity(text: str, unit: str, check: str) -> float:
    """A number with its unit, in the metric's own unit."""
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        raise DefinitionError(
            f"check {check!r}: {text!r} is not a quantity.",
            "Write it as in 'value <= 910ms', 'value <= 1.5MB' or 'value <= 12'.",
        )
    if not match["unit"]:
        if unit != "1":
            example = "910ms" if unit == "s" else "1.5MB"
            raise DefinitionError(
                f"check {check!r}: the bound has no unit.", f"Write it as in 'value <= {example}'."
            )
        return float(match["number"])
    own_unit, scale = _SCALES.get(match["unit"], ("", 0.0))
    if own_unit != unit:
        fitting = [name for name, (measures, _) in _SCALES.items() if measures == unit]
        raise DefinitionError(
            f"check {check!r}: {match['unit']!r} is not a unit of this metric.",
            f"Use one of: {', '.join(fitting)}." if fitting else "It is a plain count: no unit.",
        )
    return float(match["number"]) * scale
