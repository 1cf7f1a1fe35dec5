"""``report.json``, schema ``bakeoff.report/1``: numbers or null, never NaN."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from bakeoff.report.model import (
    SCHEMA,
    CellRow,
    ClaimRow,
    FamilyRow,
    Figure,
    GrowthRow,
    Report,
)


def report_json(report: Report) -> bytes:
    """The report for programs.

    Parameters
    ----------
    report : Report
        What to write.

    Raises
    ------
    ValueError
        If a number is not finite: a mistake in the model, which must not reach a reader.
    """
    # Indented afterwards: with an indent, json would use its slow encoder.
    text = json.dumps(report_document(report), ensure_ascii=False, allow_nan=False)
    return msgspec.json.format(text, indent=2).encode() + b"\n"


def report_document(report: Report) -> dict[str, Any]:
    """The same as plain data."""
    machine = report.run.machine
    return {
        "schema": SCHEMA,
        "report": report.name,
        "title": report.title,
        "study": report.study,
        "question": report.question,
        "baseline": report.baseline,
        "candidates": list(report.candidates),
        "headline": {
            "tone": report.headline.tone,
            "advice": report.headline.advice,
            "details": list(report.headline.details),
        },
        "run": {
            "id": report.run.id,
            "commit": report.run.commit,
            "dirty": report.run.is_dirty,
            "machine": {
                "fingerprint": machine.fingerprint,
                "cpu": machine.cpu,
                "cores": machine.cores,
                "memory_bytes": machine.memory_bytes,
                "system": machine.system,
                "virtual": machine.virtual,
                "load_average": machine.load_average,
            },
            "python": machine.python,
            "started_at": report.run.started_at,
            "duration_s": report.run.duration_s,
            "preset": report.run.preset,
            "settings": dict(report.run.settings),
            "bakeoff": report.run.bakeoff,
        },
        "trust": _trust(report),
        "cells": [_cell(row) for row in report.cells],
        "geomeans": [_family(row) for row in report.families],
        "growth": [_growth(row) for row in report.growth],
        "claims": [_claim(claim) for claim in report.claims],
        "capabilities": [
            {"check": row.check, "text": row.text, "has": row.has, "reasons": row.reasons}
            for row in report.capabilities
        ],
        "profiles": [],
        "generated_at": report.generated_at,
    }


def _trust(report: Report) -> dict[str, Any]:
    trust = report.trust
    return {
        "conformance": {
            "passed": trust.passed,
            "failed": trust.failed,
            "skipped": trust.skipped,
            "failures": [
                {
                    "implementation": failure.implementation,
                    "check": failure.check,
                    "promise": failure.promise,
                    "reason": failure.reason,
                }
                for failure in trust.failed_checks
            ],
        },
        "aa": [
            {
                "workload": control.workload,
                "params": dict(control.params),
                "ratio": control.figure.estimate,
                "interval": _interval(control.figure),
            }
            for control in trust.controls
        ],
        "aa_geomean": {"ratio": _estimate(trust.control), "interval": _interval(trust.control)},
        "noise_floor": trust.noise_floor,
        "rounds": trust.rounds,
        "contended_rounds": trust.contended_rounds,
        "discarded_rounds": trust.discarded_rounds,
        "discards": dict(trust.discards),
        "waited_s": trust.waited_s,
        "timed_share": trust.timed_share,
        "warnings": list(trust.warnings),
    }


def _cell(row: CellRow) -> dict[str, Any]:
    return {
        "workload": row.workload,
        "params": dict(row.params),
        "metric": row.metric,
        "unit": row.unit,
        "implementation": row.implementation,
        "value": row.value,
        "ratio": _estimate(row.figure),
        "interval": _interval(row.figure),
        "level": None if row.figure is None else row.figure.level,
        "verdict": row.verdict,
        "rounds": row.rounds,
        "mde": row.mde,
        "exact": row.exact,
        "floor_ratio": row.floor_ratio,
        "reason": row.reason,
        "bound": row.is_bound or (row.figure is not None and row.figure.is_bound),
        "warnings": list(row.warnings),
        "sensitivity": dict(row.sensitivity),
    }


def _family(row: FamilyRow) -> dict[str, Any]:
    return {
        "metric": row.metric,
        "implementation": row.implementation,
        "ratio": _estimate(row.figure),
        "interval": _interval(row.figure),
        "verdict": row.verdict,
        "cells": row.cells,
        "level": None if row.figure is None else row.figure.level,
        "total": {"ratio": _estimate(row.total), "interval": _interval(row.total)},
        "reason": row.reason,
    }


def _growth(row: GrowthRow) -> dict[str, Any]:
    return {
        "workload": row.workload,
        "fixed": row.fixed,
        "over": row.over,
        "metric": row.metric,
        "implementation": row.implementation,
        "exponent": _estimate(row.exponent),
        "interval": _interval(row.exponent),
        "class": row.growth_class,
        "local_exponent": _estimate(row.local_exponent),
        "local_interval": _interval(row.local_exponent),
        "crossover": _estimate(row.crossover),
        "crossover_interval": _interval(row.crossover),
        "reason": row.reason,
    }


def _claim(claim: ClaimRow) -> dict[str, Any]:
    return {
        "text": claim.text,
        "check": claim.check,
        "estimate": _estimate(claim.figure),
        "interval": _interval(claim.figure),
        "verdict": claim.verdict,
        "reason": claim.reason,
        "status": claim.status,
        "arm": claim.arm,
        "vs": claim.vs,
        "metric": claim.metric,
        "over": claim.over,
        "bound": claim.bound,
        "tolerance": claim.tolerance,
        "cells": claim.cells,
        "kind": claim.kind,
        "level": None if claim.figure is None else claim.figure.level,
    }


def _estimate(figure: Figure | None) -> float | None:
    return None if figure is None else figure.estimate


def _interval(figure: Figure | None) -> list[float | None]:
    return [None, None] if figure is None else [figure.low, figure.high]
