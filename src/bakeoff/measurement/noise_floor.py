"""The machine's own A/A run: real rounds of a small study, one implementation against its copy."""

from __future__ import annotations

import math
import secrets
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import stdev

from scipy.special import ndtri

from bakeoff.errors import BakeoffError
from bakeoff.measurement.contrast import Contrast
from bakeoff.measurement.quiet import limit_s
from bakeoff.measurement.rounds import RoundSpec, measure_round
from bakeoff.measurement.rules import LOOKS, MORE_LOOKS, ROUND_BUDGET_S, Rules
from bakeoff.measurement.schedule import round_seed
from bakeoff.measurement.session import DISCARD_BUDGET, settled_batches
from bakeoff.measurement.timing import dead_arms, time_cell
from bakeoff.results.records import CONTROL_ARM, Cell, RoundRecord

#: For how many minutes of measuring the detectable change is told.
MINUTES = (1, 5, 15)

#: Probability of finding a change of the size that is told, by the normal approximation. The exact
#: interval of few rounds is wider: simulated with normal noise it is 77 % at 10 rounds, 89 % at 30 and
#: 91 % at 60.
POWER = 0.95

_STUDY, _ARM = "noise", "spin"
_CELL = Cell("spin", {}, 20.0)
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
    for number in range(12000):
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
        The copy against the original; None if no round was kept.
    rounds : int
        How many were kept.
    discards : dict of str to int
        Discarded rounds by cause.
    spread : float
        Standard deviation of one round's log ratio; NaN for fewer than two rounds.
    round_s : float
        Wall time that one kept round costs in a comparison of two, with its control, its waiting for
        quiet and its share of the rounds that were discarded.
    detectable : dict of int to float or None
        By minutes, the smallest relative change that is found with `POWER`; None for too few
        rounds.
    failure : str or None
        Why the run was given up: a process that cannot work here.
    """

    control: Contrast | None
    rounds: int
    discards: dict[str, int]
    spread: float
    round_s: float
    detectable: dict[int, float | None]
    failure: str | None = None

    @property
    def is_biased(self) -> bool:
        """Whether identical code was told apart."""
        estimate = None if self.control is None else self.control.estimate
        return estimate is not None and not estimate.log_low <= 0 <= estimate.log_high

    @property
    def half_width(self) -> float | None:
        """The noise floor: half of the control's interval, as a relative change; None without one."""
        estimate = None if self.control is None else self.control.estimate
        if estimate is None or not estimate.is_bounded:
            return None
        return math.expm1((estimate.log_high - estimate.log_low) / 2)

    @property
    def best(self) -> tuple[int, float] | None:
        """The smallest change that can be told, after the minutes that are enough for it."""
        told = [
            (change, minutes) for minutes, change in self.detectable.items() if change is not None
        ]
        if not told:
            return None
        change, minutes = min(told)
        return minutes, change


def measure_noise_floor(rounds: int, told: Callable[[RoundRecord, int], None]) -> NoiseFloor:
    """Measure `rounds` rounds of identical code, in a temporary folder.

    Parameters
    ----------
    rounds : int
        At least eight: with fewer there is no interval.
    told : callable
        Told each round, and the number of rounds kept so far.

    Raises
    ------
    BakeoffError
        If there is no room for temporary files, or no process can be started.
    """
    records: list[RoundRecord] = []
    try:
        with tempfile.TemporaryDirectory(prefix="bakeoff-doctor-") as name:
            _write_study(Path(name))
            seed = secrets.randbits(31)
            kept = 0
            while (
                kept < rounds and len(records) < DISCARD_BUDGET * rounds and not dead_arms(records)
            ):
                record = measure_round(
                    _spec(Path(name), records),
                    seed=round_seed(seed, _CELL.key, 1, len(records)),
                    attempt=1,
                    number=len(records),
                )
                records.append(record)
                kept += record.discarded is None
                told(record, kept)
    except OSError as error:
        raise BakeoffError(
            f"The study of the A/A run cannot be written: {error.strerror or error}.",
            "Set TMPDIR to a folder with room, or leave the run out: bakeoff doctor --no-noise",
        ) from error
    return summarize(_CELL, records, rounds)


def summarize(cell: Cell, records: list[RoundRecord], rounds: int) -> NoiseFloor:
    """What rounds of identical code say; pure.

    Parameters
    ----------
    cell : Cell
        What was measured.
    records : list of RoundRecord
        All rounds, kept and discarded.
    rounds : int
        How many were wanted: there is one look, after them.
    """
    timing = time_cell(cell, records, [_ARM], _ARM, Rules(looks=(rounds,)))
    control = timing.control
    ratios = () if control is None or control.log_ratios is None else control.log_ratios.per_round
    spread = stdev(ratios) if len(ratios) > 1 else math.nan
    wall_s = math.fsum(record.duration_s + record.waited_s for record in records)
    round_s = wall_s / max(1, timing.rounds)
    return NoiseFloor(
        control=control,
        rounds=timing.rounds,
        discards=dict(timing.discards),
        spread=spread,
        round_s=round_s,
        detectable={minutes: detectable_in(minutes, spread, round_s) for minutes in MINUTES},
        failure=next(iter(timing.dead.values()), None),
    )


def rounds_in(minutes: float, round_s: float) -> int | None:
    """The last look that so many minutes reach; None if they do not reach the first.

    Rounds after the last look decide nothing, so no others count.
    """
    fitting = 60 * minutes / round_s if round_s > 0 else 0.0
    return max((look for look in (*LOOKS, *MORE_LOOKS) if look <= fitting), default=None)


def detectable_in(minutes: float, spread: float, round_s: float) -> float | None:
    """The change that so many minutes find with `POWER`; None if they hold too few rounds.

    The formula is that of `bakeoff.statistics.minimal_detectable_effect`, with the standard error of
    as many rounds as fit, and at the level of one look of a run of so many rounds.

    Parameters
    ----------
    minutes : float
        For the rounds of one comparison, in one cell.
    spread : float
        Standard deviation of one round's log ratio.
    round_s : float
        Wall time that one kept round costs.
    """
    rounds = rounds_in(minutes, round_s)
    if rounds is None or math.isnan(spread):
        return None
    level = Rules(looks=Rules.looks_up_to(rounds)).look_alpha
    z = float(ndtri(1 - level / 2)) + float(ndtri(POWER))
    return math.expm1(z * spread / math.sqrt(rounds))


def _write_study(root: Path) -> None:
    for file, text in _FILES.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")


def _spec(root: Path, records: list[RoundRecord]) -> RoundSpec:
    return RoundSpec(
        root=root,
        study=_STUDY,
        cell=_CELL,
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
