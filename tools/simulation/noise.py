"""What a machine does to two arms that take turns, as far as it was seen to; all chance is seeded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bakeoff.measurement.schedule import LONG_ROUND
from bakeoff.results.records import CONTROL_ARM, ArmRound, Batch, Cell, RoundRecord

CELL = Cell("simulated", {}, 20.0)
BASELINE = "baseline"
CANDIDATE = "candidate"

#: A batch of an arm without any effect, seconds.
_BATCH_S = 0.005

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Noise:
    """One kind of machine.

    Attributes
    ----------
    name : str
        How the table calls it.
    process_spread : float
        Standard deviation between processes of one arm (memory layout, hash seeds): 0.015 is 1.5 %.
    tail_share, tail_factor : float
        So many processes deviate so many times as much: tails heavier than a normal's.
    batch_spread : float
        Standard deviation of one batch, around its process.
    burst_share, burst_size : float
        So many batches are longer by up to so much, in one arm or the other, by somebody else's work.
    drift : float
        How far the machine's speed wanders from round to round, and flips inside a round.
    """

    name: str
    process_spread: float
    tail_share: float = 0.05
    tail_factor: float = 3.0
    batch_spread: float = 0.01
    burst_share: float = 0.05
    burst_size: float = 1.0
    drift: float = 0.02


TYPICAL = Noise("typical, σ 1.5 %", 0.015)
KINDS = (
    Noise("quiet, σ 1 %", 0.01),
    TYPICAL,
    Noise("typical, σ 2 %", 0.02),
    Noise("heavy tails", 0.015, tail_share=0.2, tail_factor=5.0),
    Noise("bursts", 0.015, burst_share=0.25, burst_size=3.0),
    Noise("drift and speed flips", 0.015, drift=0.25),
    Noise("very noisy, σ 6 %", 0.06, tail_share=0.1, tail_factor=4.0, burst_share=0.15, drift=0.1),
)


@dataclass(frozen=True, slots=True)
class RareCost:
    """A cost of the candidate's own that falls into few of its batches.

    Attributes
    ----------
    every : int
        Once in so many batches, wherever a process begins to count.
    size : float
        How much longer that batch is, in batches.
    is_gc : bool
        A garbage collection, which is timed by itself, or a burst, which is not.
    """

    every: int
    size: float
    is_gc: bool

    @property
    def ratio(self) -> float:
        """The candidate's true total time ÷ the baseline's, if they are alike otherwise."""
        return 1.0 + self.size / self.every


class Machine:
    """Makes the rounds of one comparison, one after the other.

    Parameters
    ----------
    noise : Noise
        What the machine is like.
    effect : float
        The candidate's true time ÷ the baseline's: 1.03 is 3 % slower.
    seed : int
        Of everything.
    blocks : int
        Turns of each arm in a round.
    rare : RareCost, optional
        Of the candidate.
    """

    def __init__(
        self,
        noise: Noise,
        effect: float,
        seed: int,
        *,
        blocks: int = 30,
        rare: RareCost | None = None,
    ) -> None:
        self._noise = noise
        self._effect = effect
        self._blocks = blocks
        self._rare = rare
        self._chance = np.random.default_rng(seed)
        self._level = 0.0

    def next_round(self, number: int, attempt: int = 1, *, is_long: bool = False) -> RoundRecord:
        """One more round; the machine goes on wandering."""
        chance, noise = self._chance, self._noise
        blocks = self._blocks * (LONG_ROUND if is_long else 1)
        self._level += chance.normal(0.0, noise.drift)
        # Speed flips inside a round hit all arms of a block alike: they are milliseconds apart.
        shared = (
            self._level
            + noise.drift * np.repeat(chance.choice([0.0, 2.0], -(-blocks // 5)), 5)[:blocks]
        )
        arms = {
            name: self._arm(shared, candidate=name == CANDIDATE, is_long=is_long)
            for name in (BASELINE, CANDIDATE, CONTROL_ARM)
        }
        return RoundRecord(
            cell=CELL.key,
            attempt=attempt,
            round=number,
            seed=number,
            cpus=(0,),
            started_at=float(number),
            duration_s=1.0,
            arms=arms,
            is_long=is_long,
        )

    def _arm(self, shared: FloatArray, *, candidate: bool, is_long: bool) -> ArmRound:
        chance, noise, blocks = self._chance, self._noise, shared.size
        factor = noise.tail_factor if chance.random() < noise.tail_share else 1.0
        process = chance.normal(0.0, noise.process_spread * factor)
        logs = shared + process + chance.normal(0.0, noise.batch_spread, blocks)
        walls = _BATCH_S * np.exp(logs) * (self._effect if candidate else 1.0)
        struck = chance.random(blocks) < noise.burst_share
        walls = walls * np.where(struck, 1.0 + noise.burst_size * chance.random(blocks), 1.0)
        collecting = np.zeros(blocks)
        if candidate and self._rare is not None:
            # Processes start alike, so only a warm-up of random length moves them in their cycle.
            place = int(chance.integers(self._rare.every)) if is_long else 0
            is_due = (np.arange(blocks) + place) % self._rare.every == 0
            extra = np.where(is_due, self._rare.size * walls, 0.0)
            walls = walls + extra
            collecting = extra if self._rare.is_gc else collecting
        batches = tuple(
            Batch(wall, wall, gc_s, int(gc_s > 0), block)
            for block, (wall, gc_s) in enumerate(
                zip(walls.tolist(), collecting.tolist(), strict=True)
            )
        )
        return ArmRound(probe_s=_BATCH_S, batches=batches, answer="a")
