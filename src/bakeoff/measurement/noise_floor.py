"""The machine's own A/A run: real rounds of a small study, one implementation against its copy."""

from __future__ import annotations

import math
import secrets
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scipy.special import ndtri

from bakeoff import statistics
from bakeoff.measurement.contrast import Contrast
from bakeoff.measurement.quiet import limit_s
from bakeoff.measurement.rounds import RoundSpec, measure_round
from bakeoff.measurement.rules import ROUND_BUDGET_S, Rules
from bakeoff.measurement.schedule import round_seed
from bakeoff.measurement.session import DISCARD_BUDGET, settled_batches
from bakeoff.measurement.timing import time_cell
from bakeoff.results.records import CONTROL_ARM, Cell, RoundRecord

#: For how many minutes of measuring the detectable change is told.
MINUTES = (1, 5, 15)

#: More rounds than this no run takes.
MOST_ROUNDS = 60

#: Probability of finding a change of the size that is told.
POWER = 0.95

_STUDY, _ARM = "noise", "spin"
_FILES = {
    "impls/__init__.py": "",
    "impls/noise/__init__.py": "",
    "impls/noise/interface.py": '"""A function that takes about a millisecond."""\n',
    "impls/noise/spin.py": '''"""Arithmetic and small objects, as most Python code."""


def create():
    """A function of no arguments."""
    return spin


def spin():
    """About a millisecond."""
    table = {}
    for number in range(4000):
        table[number % 97] = [number, number * number % 7]
    return sum(entry[1] for entry in table.values())
''',
    "benchmarks/__init__.py": "",
    "benchmarks/noise.py": '''"""One operation."""

from bakeoff import Suite


class Spin(Suite):
    """Call it once."""

    def run(self, create, given):
        return create()()
''',
}


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """What an A/A run says of the machine.

    Attributes
    ----------
    control : Contrast or None
        The copy against the original; None if too few rounds were kept.
    rounds : int
        How many were kept.
    discards : dict of str to int
        Discarded rounds by cause.
    spread : float
        Standard deviation of one round's log ratio.
    round_s : float
        Wall time of one round of a comparison of two, its control included.
    detectable : dict of int to float or None
        By minutes, the smallest relative change that is found with 95 % power; None for too few
        rounds.
    """

    control: Contrast | None
    rounds: int
    discards: dict[str, int]
    spread: float
    round_s: float
    detectable: dict[int, float | None]

    @property
    def is_biased(self) -> bool:
        """Whether identical code was told apart."""
        estimate = None if self.control is None else self.control.estimate
        return estimate is not None and not estimate.log_low <= 0 <= estimate.log_high


def measure_noise_floor(rounds: int, told: Callable[[int, int], None]) -> NoiseFloor:
    """Measure `rounds` rounds of identical code, in a temporary folder.

    Parameters
    ----------
    rounds : int
        At least eight: with fewer there is no interval.
    told : callable
        Told the number of rounds kept, and wanted, after each.
    """
    cell = Cell("spin", {}, 20.0)
    records: list[RoundRecord] = []
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for file, text in _FILES.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text, encoding="utf-8")
        seed = secrets.randbits(31)
        kept = 0
        while kept < rounds and len(records) < DISCARD_BUDGET * rounds:
            number = len(records)
            spec = RoundSpec(
                root=root,
                study=_STUDY,
                cell=cell,
                baseline=_ARM,
                # A second copy beside the control: a round as long as that of a real comparison.
                arms={_ARM: _ARM, "copy": _ARM, CONTROL_ARM: _ARM},
                iterations=settled_batches(records),
                cpus=1,
                is_cpu_bound=True,
                budget_s=ROUND_BUDGET_S,
                is_control_optional=False,
                quiet_limit_s=limit_s(records),
            )
            records.append(
                measure_round(
                    spec, seed=round_seed(seed, cell.key, 1, number), attempt=1, number=number
                )
            )
            kept += records[-1].discarded is None
            told(kept, rounds)
    return summarize(cell, records, rounds)


def summarize(cell: Cell, records: list[RoundRecord], rounds: int) -> NoiseFloor:
    """What rounds of identical code say; pure."""
    rules = Rules(looks=(rounds,))
    timing = time_cell(cell, records, [_ARM], _ARM, rules)
    control = timing.control
    ratios = None if control is None else control.log_ratios
    round_s = math.fsum(r.duration_s + r.waited_s for r in records) / max(1, len(records))
    spread = math.nan
    if ratios is not None and len(ratios) > 1:
        centre = math.fsum(ratios.per_round) / len(ratios)
        squares = math.fsum((value - centre) ** 2 for value in ratios.per_round)
        spread = math.sqrt(squares / (len(ratios) - 1))
    return NoiseFloor(
        control=control,
        rounds=timing.rounds,
        discards=dict(timing.discards),
        spread=spread,
        round_s=round_s,
        detectable={minutes: detectable_in(minutes, spread, round_s) for minutes in MINUTES},
    )


def detectable_in(minutes: float, spread: float, round_s: float) -> float | None:
    """The change that so many minutes find with `POWER`; None if they hold too few rounds.

    The formula is that of `bakeoff.statistics.minimal_detectable_effect`, with the standard error of
    as many rounds as fit.
    """
    rules = Rules()
    fitting = min(MOST_ROUNDS, int(60 * minutes / round_s)) if round_s > 0 else 0
    if fitting < statistics.minimum_rounds(rules.look_alpha) or math.isnan(spread):
        return None
    z = float(ndtri(1 - rules.look_alpha / 2)) + float(ndtri(POWER))
    return math.expm1(z * spread / math.sqrt(fitting))
