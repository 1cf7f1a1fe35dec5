"""One simulated comparison after the other, each judged as a run judges a cell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from multiprocessing import Pool

from bakeoff.measurement.contrast import Contrast
from bakeoff.measurement.multiplicity import adjust_for_cells
from bakeoff.measurement.paired_arm import ROUNDS_TO_SEE
from bakeoff.measurement.rules import LOOKS, Rules
from bakeoff.measurement.session import next_step
from bakeoff.measurement.timing import time_cell
from bakeoff.results.records import RoundRecord
from tools.simulation.noise import BASELINE, CANDIDATE, CELL, Machine, Noise, RareCost

RULES = Rules(looks=LOOKS)


@dataclass(frozen=True, slots=True)
class Setting:
    """What is simulated: a machine, and the truth."""

    noise: Noise
    effect: float
    rare: RareCost | None = None

    @property
    def truth(self) -> float:
        """Candidate ÷ baseline, in total time."""
        return self.effect * (1.0 if self.rare is None else self.rare.ratio)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one comparison."""

    verdict: str
    rounds: int
    ratio: float
    is_covered: bool
    """The interval holds the truth."""
    is_named: bool
    """Its cost was said to come in bursts."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Many comparisons of one setting."""

    noise: str
    effect_percent: float
    rare: str | None
    trials: int
    verdicts: dict[str, int]
    mean_rounds: float
    median_ratio: float
    worst_tenth_error: float
    """Nine in ten estimates are nearer to the truth than this share of it."""
    covered: int
    named: int


def judge(setting: Setting, seed: int) -> Result:
    """Compare once: looks, verdict, A/A control and second attempt, as in a run."""
    machine = Machine(setting.noise, setting.effect, seed, rare=setting.rare)
    rounds: list[RoundRecord] = []
    while True:
        timing = time_cell(CELL, rounds, [BASELINE, CANDIDATE], BASELINE, RULES)
        step = next_step(timing, rounds, RULES)
        if step is None:
            break
        # Between looks nothing is decided, but after a few rounds whether they must be long.
        upto = ROUNDS_TO_SEE if timing.rounds < ROUNDS_TO_SEE else step.look
        more = range(step.number, step.number + max(1, upto - timing.rounds))
        rounds += [machine.next_round(n, step.attempt, is_long=step.is_long) for n in more]
    contrast = _time_of(timing.contrasts)
    estimate = contrast.estimate
    assert estimate is not None
    return Result(
        verdict=contrast.verdict,
        rounds=len(rounds),
        ratio=estimate.ratio,
        is_covered=estimate.low <= setting.truth <= estimate.high,
        is_named=any("bursts" in warning for warning in contrast.warnings),
    )


def judge_family(noise: Noise, cells: int, seed: int) -> bool:
    """Whether any of so many cells of identical code is called different, all judged together."""
    comparisons = []
    for cell in range(cells):
        machine = Machine(noise, 1.0, seed * 1000 + cell, blocks=5)
        rounds: list[RoundRecord] = []
        for look in LOOKS:
            rounds += [machine.next_round(n) for n in range(len(rounds), look)]
            timing = time_cell(CELL, rounds, [BASELINE, CANDIDATE], BASELINE, RULES)
            if _time_of(timing.contrasts).verdict != "inconclusive":
                break
        comparisons.append(timing.contrasts)
    adjusted = adjust_for_cells(comparisons, BASELINE, RULES)
    return any(_time_of(contrasts).verdict in ("faster", "slower") for contrasts in adjusted)


def covers(noise: Noise, rounds: int, seed: int, alpha: float = 0.01) -> bool:
    """Whether a single interval of so many rounds holds the truth."""
    machine = Machine(noise, 1.0, seed, blocks=5)
    rules = Rules(looks=(rounds,), alpha=alpha)
    records = [machine.next_round(number) for number in range(rounds)]
    estimate = _time_of(
        time_cell(CELL, records, [BASELINE, CANDIDATE], BASELINE, rules).contrasts
    ).estimate
    assert estimate is not None
    return estimate.log_low <= 0.0 <= estimate.log_high


def summarize(setting: Setting, results: Iterable[Result]) -> Summary:
    """Count what became of the comparisons of one setting."""
    found = list(results)
    errors = sorted(abs(math.log(result.ratio / setting.truth)) for result in found)
    ratios = sorted(result.ratio for result in found)
    rare = setting.rare
    return Summary(
        noise=setting.noise.name,
        effect_percent=round(100 * (setting.effect - 1), 3),
        rare=None
        if rare is None
        else f"{'collection' if rare.is_gc else 'burst'} once in {rare.every} batches",
        trials=len(found),
        verdicts=dict(Counter(result.verdict for result in found)),
        mean_rounds=math.fsum(result.rounds for result in found) / len(found),
        median_ratio=ratios[len(ratios) // 2],
        worst_tenth_error=math.expm1(errors[int(0.9 * len(errors))]),
        covered=sum(result.is_covered for result in found),
        named=sum(result.is_named for result in found),
    )


def _judge_job(job: tuple[Setting, int]) -> Result:
    return judge(*job)


def _family_job(job: tuple[Noise, int, int]) -> bool:
    return judge_family(*job)


def _covers_job(job: tuple[Noise, int, int]) -> bool:
    return covers(*job)


def simulate(setting: Setting, trials: int, seed: int, processes: int) -> Summary:
    """Judge a setting many times."""
    jobs = [(setting, seed * 1_000_003 + trial) for trial in range(trials)]
    with Pool(processes) as pool:
        return summarize(setting, pool.imap(_judge_job, jobs, chunksize=25))


def family_errors(noise: Noise, cells: int, trials: int, seed: int, processes: int) -> int:
    """How many of so many runs of identical cells have any difference."""
    jobs = [(noise, cells, seed * 1_000_003 + trial) for trial in range(trials)]
    with Pool(processes) as pool:
        return sum(pool.imap(_family_job, jobs, chunksize=10))


def covered(noise: Noise, rounds: int, trials: int, seed: int, processes: int) -> int:
    """How many of so many single intervals hold the truth."""
    jobs = [(noise, rounds, seed * 1_000_003 + trial) for trial in range(trials)]
    with Pool(processes) as pool:
        return sum(pool.imap(_covers_job, jobs, chunksize=50))


def _time_of(contrasts: Iterable[Contrast]) -> Contrast:
    return next(c for c in contrasts if c.implementation == CANDIDATE and c.metric == "time")


__all__ = ["Setting", "Summary", "covered", "family_errors", "simulate"]
