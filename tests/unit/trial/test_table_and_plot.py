"""The table and the plot show the counts, and the same ones twice alike."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from tests.unit.trial.made_up import outcome, outcomes
from tools.trial.summary import summarise
from tools.trial.table import markdown_table

SUMMARIES = summarise(
    [
        *outcomes("same", "same", tool="bakeoff"),
        *outcomes("slower", "slower", effect=5, tool="bakeoff"),
        *outcomes("faster", "no difference", tool="asv, factor 1.01"),
        *outcomes("slower", "no difference", effect=5, tool="asv, factor 1.01"),
        outcome("slower", condition="noisy", tool="bakeoff", effect=2),
    ]
)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_every_row_of_the_table_has_a_cell_for_every_column() -> None:
    head, rule, *rows = markdown_table(SUMMARIES).splitlines()
    assert len(rows) == 3
    assert {len(cells(line)) for line in (head, rule, *rows)} == {len(cells(head))}


def test_the_table_says_how_many_of_how_many() -> None:
    head, _, asv, *_ = markdown_table(SUMMARIES).splitlines()
    row = dict(zip(cells(head), cells(asv), strict=True))
    assert row["alike called different"] == "1 of 2"
    assert row["called faster (never true)"] == "1 of 4"
    assert row["5 % found"] == "1 of 2"
    assert row["2 % found"] == "–"


def test_the_table_does_not_hide_failures() -> None:
    table = markdown_table(summarise(outcomes("failed", "same", tool="bakeoff")))
    assert table.endswith("1 of bakeoff's comparisons (quiet) failed and are not counted.\n")


def test_the_plot_is_the_same_file_for_the_same_outcomes_and_its_text_is_text() -> None:
    detection_plot = pytest.importorskip("tools.trial.plot").detection_plot
    first, second = detection_plot(SUMMARIES), detection_plot(SUMMARIES)
    assert first == second
    text = "".join(ElementTree.fromstring(first).itertext())
    for shown in ("bakeoff", "asv, factor 1.01", "Quiet", "With a noisy neighbour", "5 %"):
        assert shown in text


def test_nothing_is_not_plotted() -> None:
    detection_plot = pytest.importorskip("tools.trial.plot").detection_plot
    with pytest.raises(ValueError, match="at least one"):
        detection_plot([])
