"""What is decided before a round begins: seeds, order, CPUs, blocks. Pure; all chance comes from seeds."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: A batch lasts at least this long, so that the clock's grain and the pipe's wake-up do not matter.
BATCH_S = 0.005

#: Turns each arm takes in a round, unless its operations are slow.
BLOCKS = 30
MINIMUM_BLOCKS = 5

#: A long round has so many times the turns and the time of an ordinary one.
LONG_ROUND = 3

#: From here on one operation is one sample, and few rounds are enough (METHOD: few rounds).
SLOW_OPERATION_S = 1.0
VERY_SLOW_OPERATION_S = 5.0
SLOW_ROUNDS = 5
VERY_SLOW_ROUNDS = 3

#: Largest padding of a process's environment, in bytes.
MAXIMUM_PADDING = 4096


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """The chance of one round, drawn once and recorded by its seed."""

    seed: int
    cpus: tuple[int, ...]
    padding: Mapping[str, int]
    start_order: tuple[str, ...]
    warm_up: Mapping[str, int]
    """Batches that each arm of a long round does before its first turn: its place in any cycle."""

    def block_orders(self, arms: Sequence[str], blocks: int) -> list[list[str]]:
        """A fresh random order of `arms` for each block."""
        chance = random.Random(f"{self.seed}/blocks")
        return [chance.sample(arms, len(arms)) for _ in range(blocks)]


def round_seed(run_seed: int, cell: str, attempt: int, number: int) -> int:
    """The seed of one round, 0 … 2**32 - 1: also its arms' ``PYTHONHASHSEED``."""
    text = f"{run_seed}/{cell}/{attempt}/{number}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def plan_round(
    seed: int, arms: Sequence[str], available_cpus: Sequence[int], cpus_needed: int
) -> RoundPlan:
    """Draw the CPUs, the paddings and the order in which processes are started and probed.

    Parameters
    ----------
    seed : int
        The round's seed.
    arms : sequence of str
        Who takes part.
    available_cpus : sequence of int
        What this process may run on; empty where the system cannot pin.
    cpus_needed : int
        How many CPUs the workload uses; all arms share the ones drawn.
    """
    chance = random.Random(seed)
    usable = sorted(available_cpus)
    cpus = tuple(sorted(chance.sample(usable, min(cpus_needed, len(usable)))))
    order = tuple(chance.sample(sorted(arms), len(arms)))
    padding = {arm: chance.randint(0, MAXIMUM_PADDING) for arm in order}
    warm_up = {arm: chance.randrange(LONG_ROUND * BLOCKS) for arm in order}
    return RoundPlan(seed, cpus, padding, order, warm_up)


def blocks_within_budget(
    batch_seconds: Sequence[float], budget_s: float, *, is_long: bool = False
) -> int:
    """How many blocks fit into `budget_s` when one block takes one batch of every arm."""
    longer = LONG_ROUND if is_long else 1
    fitting = int(longer * budget_s / max(sum(batch_seconds), 1e-9))
    return max(MINIMUM_BLOCKS, min(longer * BLOCKS, fitting))


def few_rounds(slowest_operation_s: float) -> int | None:
    """How many rounds a cell with so slow an operation needs; None if the ordinary looks apply."""
    if slowest_operation_s > VERY_SLOW_OPERATION_S:
        return VERY_SLOW_ROUNDS
    if slowest_operation_s > SLOW_OPERATION_S:
        return SLOW_ROUNDS
    return None
