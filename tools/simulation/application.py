"""``python -m tools.simulation``: thousands of comparisons whose truth is known, as one JSON file.

``--trials 3000`` is what docs/method.md shows; it takes about half an hour on two cores.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from tools.simulation.noise import KINDS, TYPICAL, RareCost
from tools.simulation.trials import RULES, Setting, covered, family_errors, simulate

EFFECTS = (1.0, 1.02, 1.03, 1.05, 1.10)
RARE = (RareCost(20, 4.0, is_gc=True), RareCost(20, 4.0, is_gc=False))
COVERAGE_ROUNDS = (8, 10, 15, 20, 30)
FAMILY_CELLS = 20

#: An interval alone is quickly made, and whether it misses in 1 or in 1.5 % of cases takes many to tell:
#: 3,000 tell them apart by less than three times their own error, twice as many by almost four times.
COVERAGE_TRIALS = 2


def settings() -> list[Setting]:
    """Every machine with every effect, and the rare costs on a typical machine."""
    plain = [Setting(noise, effect) for noise in KINDS for effect in EFFECTS]
    return plain + [Setting(TYPICAL, 1.0, rare) for rare in RARE]


def _coverage(trials: int, seed: int, processes: int) -> list[dict[str, Any]]:
    """How often single intervals hold the truth; chance of its own for each figure."""
    rows: list[dict[str, Any]] = []
    for noise in KINDS:
        for rounds in COVERAGE_ROUNDS:
            many = COVERAGE_TRIALS * trials
            held = covered(noise, rounds, many, seed + 1000 + len(rows), processes)
            rows.append({"noise": noise.name, "rounds": rounds, "trials": many, "covered": held})
            print(f"{noise.name}, {rounds} rounds: {held / many:.2%} of intervals hold the truth")
    return rows


def main() -> int:
    """Simulate and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--trials", type=int, default=3000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--out", type=Path, default=Path("docs/evidence/simulation.json"))
    options.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = options.parse_args()
    comparisons = []
    for number, setting in enumerate(settings()):
        summary = simulate(setting, given.trials, given.seed + number, given.processes)
        comparisons.append(asdict(summary))
        print(f"{summary.noise}, {summary.effect_percent:+g} %, {summary.rare}: {summary.verdicts}")
    wrong = family_errors(TYPICAL, FAMILY_CELLS, given.trials, given.seed, given.processes)
    document = {
        "trials": given.trials,
        "seed": given.seed,
        "alpha": RULES.alpha,
        "looks": list(RULES.looks),
        "margin": RULES.margin,
        "comparisons": comparisons,
        "coverage": _coverage(given.trials, given.seed, given.processes),
        "family": {"cells": FAMILY_CELLS, "trials": given.trials, "wrong": wrong},
    }
    given.out.parent.mkdir(parents=True, exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(document), indent=1)
    given.out.write_bytes(text + b"\n")
    print(given.out)
    return 0
