"""Seconds, bytes, counts and ratios as people read them: scaling and formatting in one place."""

from __future__ import annotations

import math

_SI = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def format_significant(value: float, digits: int = 3) -> str:
    """Write a number with `digits` significant digits, no exponent and thousands marked.

    All digits before the point stay: 12345 is ``12,345``.

    Raises
    ------
    ValueError
        If the value is NaN: what is unknown has no figure, and the caller knows a word for it.
    """
    if math.isnan(value):
        raise ValueError("NaN cannot be written as a quantity.")
    if value == 0:
        return "0"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    # Of the rounded value: 9.996 becomes 10.0, which has one decimal less.
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return f"{value:,.{max(0, digits - 1 - exponent)}f}"


def format_seconds(seconds: float) -> str:
    """Write a duration with a fitting SI prefix: ``1.23 ms``."""
    return "0 s" if seconds == 0 else _scaled(seconds, _SI)


def format_bytes(count: float) -> str:
    """Write a number of bytes with a decimal prefix: ``1.23 MB`` is 1,230,000 bytes."""
    if abs(_rounded(count)) < 1e3:
        return f"{format_count(count)} B"
    return _scaled(count, _BYTES)


def format_count(count: float) -> str:
    """Write a count with thousands marked; fractions only where there are any."""
    return f"{count:,.0f}" if float(count).is_integer() else format_significant(count)


def format_quantity(value: float, unit: str) -> str:
    """Write a value in one of the units of ``report.json``.

    Parameters
    ----------
    value : float
        Not NaN.
    unit : {"s", "B", "1"}
        Seconds, bytes, or a plain count.

    Raises
    ------
    ValueError
        If the unit is another: a number without its unit would be a wrong number.
    """
    if unit == "s":
        return format_seconds(value)
    if unit == "B":
        return format_bytes(value)
    if unit == "1":
        return format_count(value)
    raise ValueError(f"{unit!r} is no unit of a metric; known are 's', 'B' and '1'.")


def format_ratio(ratio: float) -> str:
    """Write a ratio to the baseline: ``0.0190×``."""
    return f"{format_significant(ratio)}×"


def describe_ratio(ratio: float, *, less: str = "faster", more: str = "slower") -> str:
    """Write both directions of a ratio: ``0.0190× the baseline, 52.6× faster``.

    The second is left out where it says nothing: for ratios that read as 1, for 0 and for infinity.

    Parameters
    ----------
    ratio : float
        Implementation divided by baseline, not negative; below 1 is better.
    less, more : str
        The words for a ratio below and above 1.

    Raises
    ------
    ValueError
        If the ratio is negative or NaN.
    """
    if ratio < 0:
        raise ValueError(f"A ratio is not negative, but got {ratio}.")
    text = f"{format_ratio(ratio)} the baseline"
    if ratio == 0 or math.isinf(ratio):
        return text
    factor, word = (1 / ratio, less) if ratio < 1 else (ratio, more)
    factor_text = format_significant(factor)
    return text if factor_text == format_significant(1.0) else f"{text}, {factor_text}× {word}"


def _rounded(value: float) -> float:
    """`value` as it will be read: 999,960 is 1.00 MB and not 1,000 kB."""
    return float(f"{value:.2e}")


def _scaled(value: float, units: tuple[tuple[float, str], ...]) -> str:
    """`value` in the largest unit that it fills, or else in the smallest."""
    magnitude = abs(_rounded(value))
    scale, unit = next((pair for pair in units if magnitude >= pair[0]), units[-1])
    return f"{format_significant(value / scale)} {unit}"
