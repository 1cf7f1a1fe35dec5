"""What docs/method.md shows is what was simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools.evidence.__main__ import rendered, with_table
from tools.evidence.tables import simulation_tables

PAGE = Path(__file__).parents[3] / "docs" / "method.md"


def test_the_tables_of_the_page_are_those_of_the_evidence() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert rendered(text) == text, "run: python -m tools.evidence"


def test_only_what_stands_between_the_marks_is_replaced() -> None:
    text = "a\n<!-- x -->\nold\n<!-- /x -->\nb\n"
    assert with_table(text, "x", "new") == "a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"
    with pytest.raises(ValueError, match="no marks"):
        with_table(text, "y", "new")


def test_the_tables_count_what_was_simulated() -> None:
    def row(effect: float, rare: str | None = None, **verdicts: int) -> dict[str, Any]:
        return {
            "noise": "calm",
            "effect_percent": effect,
            "rare": rare,
            "trials": 200,
            "verdicts": verdicts,
            "mean_rounds": 12.4,
            "median_ratio": 1.204,
            "worst_tenth_error": 0.021,
            "covered": 199,
            "named": 200,
        }

    tables = simulation_tables(
        {
            "trials": 200,
            "looks": [10, 30],
            "comparisons": [
                row(0.0, same=190, slower=3, faster=1, inconclusive=6),
                row(3.0, slower=180, same=2, inconclusive=18),
                row(5.0, slower=199, faster=1),
                row(0.0, "burst once in 20 batches", slower=200),
            ],
            "coverage": [{"noise": "calm", "rounds": 10, "trials": 200, "covered": 198}],
            "family": {"cells": 20, "trials": 200, "wrong": 1},
        }
    )
    assert "| calm | 2.00% | 95.00% | 90.00% | 99.50% | 1.00% | 0.50% | 12 |" in tables
    assert "| burst once in 20 batches | 100.00% | 1.204 | 2.1% | 99.5% | 100% |" in tables
    assert "| calm | 99.00% |" in tables
    assert "Of 200 runs of 20 cells of identical code each, 0.50% called any" in tables
