"""A study's page shows the figures that are kept beside it, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from bakeoff.errors import DefinitionError
from tools.study_pages.__main__ import ROOT, evidence_of, kept, page_of
from tools.study_pages.blocks import cited, rendered

STUDIES = sorted(page.stem for page in (ROOT / "docs" / "studies").glob("*.md"))


@pytest.mark.parametrize("study", STUDIES)
def test_a_page_is_what_its_figures_make_of_it(study: str) -> None:
    assert evidence_of(study).is_file()
    page = page_of(study).read_text(encoding="utf-8")
    assert rendered(page, kept(study)) == page


def a_report() -> dict[str, Any]:
    def cell(implementation: str, size: int, ratio: float, floor: float | None) -> dict[str, Any]:
        return {
            "workload": "add",
            "params": {"size": size, "kind": "x"},
            "metric": "time",
            "unit": "s",
            "implementation": implementation,
            "value": 0.001 * ratio,
            "ratio": ratio,
            "interval": [ratio * 0.9, None],
            "floor_ratio": floor,
            "bound": False,
        }

    return {
        "cells": [
            cell("loop", 10, 1.0, 4.0),
            cell("loop", 20, 1.0, None),
            cell("sum", 10, 0.5, 2.0),
            cell("sum", 20, 0.25, 2.5),
        ],
        "growth": [
            {
                "workload": "add",
                "fixed": "kind=x",
                "over": "size",
                "metric": "time",
                "implementation": "sum",
                "exponent": 0.75,
                "interval": [0.5, 1.0],
                "class": "n",
            }
        ],
    }


def block(words: str) -> str:
    return f"before\n<!-- figures: {words} -->\nold\n<!-- /figures -->\nafter\n"


def test_a_block_is_replaced_and_what_is_around_it_stays() -> None:
    page = rendered(block("matrix time add size=10;20"), a_report())
    assert page.startswith("before\n<!-- figures: matrix time add size=10;20 -->\n")
    assert page.endswith("<!-- /figures -->\nafter\n")
    assert "old" not in page
    assert "| implementation | size 10 | size 20 |" in page
    assert "| sum | 0.500× (≥ 0.450) | 0.250× (≥ 0.225) |" in page
    assert rendered(page, a_report()) == page


def test_a_selection_shows_its_cells_alone() -> None:
    page = rendered(block("values time add size=20"), a_report())
    assert "| implementation | add |" in page
    assert "250 µs" in page


def test_a_floor_that_is_unknown_is_left_open() -> None:
    page = rendered(block("floors add kind=x"), a_report())
    assert "| loop | 4.00× | – |" in page


def test_growth_is_that_of_the_chosen_parameters() -> None:
    page = rendered(block("growth time add kind=x"), a_report())
    assert "| sum | size | 0.75 (0.50–1.00) | n |" in page


@pytest.mark.parametrize(
    "words", ["nonsense", "matrix time subtract size=1", "growth time add kind=y"]
)
def test_what_the_report_has_not_got_is_an_error(words: str) -> None:
    with pytest.raises(DefinitionError, match="figures"):
        rendered(block(words), a_report())


def test_what_is_kept_is_what_the_page_shows() -> None:
    report = a_report()
    page = block("matrix time add size=10")
    other = {**report["cells"][0], "workload": "subtract"}
    report["cells"] += [other, {**other, "workload": "add", "metric": "gc_time"}]
    assert len(cited(page, report)["cells"]) == 4
    assert rendered(page, cited(page, report)) == rendered(page, report)
