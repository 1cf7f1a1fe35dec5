"""``report.json`` has the fields of schema ``bakeoff.report/1``, and numbers or null, never NaN."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from bakeoff.report.model import Report
from bakeoff.report.render_json import report_json
from tests.unit.report.made_up import cell, full_report, report_of, timed_comparison

VERDICTS = {"faster", "slower", "same", "inconclusive", "failed"}


@pytest.fixture(scope="module")
def report() -> Report:
    return full_report()


@pytest.fixture(scope="module")
def document(report: Report) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    parsed: dict[str, Any] = json.loads(report_json(report), parse_constant=refuse)
    return parsed


def test_the_top_level_has_all_fields(document: dict[str, Any]) -> None:
    assert document["schema"] == "bakeoff.report/1"
    assert document["report"] == "shelf"
    fields = [
        "study",
        "question",
        "baseline",
        "run",
        "trust",
        "cells",
        "geomeans",
        "growth",
        "claims",
        "profiles",
    ]
    assert set(fields) <= set(document)
    assert document["growth"] == []
    assert document["profiles"] == []


def test_the_run_says_where_and_when(document: dict[str, Any]) -> None:
    run = document["run"]
    fields = ["id", "commit", "dirty", "machine", "python", "started_at", "duration_s", "preset"]
    assert set(fields) <= set(run)
    assert run["dirty"] is True
    assert run["machine"]["cpu"] == "Example CPU 3000"


def test_trust_has_conformance_controls_and_warnings(document: dict[str, Any]) -> None:
    trust = document["trust"]
    assert {"passed", "failed", "skipped"} <= set(trust["conformance"])
    assert trust["conformance"]["failed"] == 1
    assert len(trust["aa"]) == 6
    for control in trust["aa"]:
        assert set(control) >= {"workload", "params", "ratio", "interval"}
        low, high = control["interval"]
        assert low <= control["ratio"] <= high
    assert trust["contended_rounds"] == 2
    assert trust["discarded_rounds"] == 1
    assert trust["warnings"]


def test_every_cell_has_all_fields_of_the_right_kind(document: dict[str, Any]) -> None:
    fields = [
        "workload",
        "params",
        "metric",
        "unit",
        "implementation",
        "value",
        "ratio",
        "interval",
        "level",
        "verdict",
        "rounds",
        "mde",
        "exact",
        "floor_ratio",
        "reason",
    ]
    assert len(document["cells"]) == 7 * 4 + 5 * 4 * 2
    for row in document["cells"]:
        assert set(fields) <= set(row)
        assert row["verdict"] in VERDICTS
        assert isinstance(row["params"], dict)
        assert len(row["interval"]) == 2
        if row["verdict"] == "failed":
            assert row["ratio"] is None
            assert row["reason"]
        for number in (row["ratio"], row["value"], *row["interval"], row["mde"], row["level"]):
            assert number is None or math.isfinite(number)


def test_a_bound_has_one_end(document: dict[str, Any]) -> None:
    row = next(
        row
        for row in document["cells"]
        if row["params"]["configuration"] == "100x100/Owned/Fork"
        and row["implementation"] == "layers"
    )
    assert row["bound"] is True
    assert row["interval"] == [None, pytest.approx(0.00655)]
    assert row["ratio"] == pytest.approx(0.00655)


def test_every_mean_has_all_fields(document: dict[str, Any]) -> None:
    assert len(document["geomeans"]) == 3 * 4
    for row in document["geomeans"]:
        assert set(row) >= {"metric", "implementation", "ratio", "interval", "verdict", "cells"}
        assert row["verdict"] in VERDICTS


def test_every_claim_has_all_fields_and_one_not_measured_has_no_verdict(
    document: dict[str, Any],
) -> None:
    for claim in document["claims"]:
        assert set(claim) >= {"text", "check", "estimate", "interval", "verdict", "reason"}
    by_status = {claim["status"]: claim["verdict"] for claim in document["claims"]}
    assert by_status["not measured here"] is None
    verdicts = [claim["verdict"] for claim in document["claims"] if claim["verdict"]]
    assert set(verdicts) <= {"holds", "fails", "inconclusive"}


def test_text_is_written_as_it_is_for_people_who_open_the_file(document: dict[str, Any]) -> None:
    text = report_json(report_of([timed_comparison(cell("größe/1×"), layers=0.5)])).decode()
    assert "größe/1×" in text
    assert text.endswith("}\n")


def test_counts_of_claims_add_up(report: Report) -> None:
    counts = report.count_claims()
    assert sum(counts.values()) == len(report.claims)
    assert counts["not measured here"] == 1
