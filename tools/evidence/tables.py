"""The tables of docs/method.md, from the files in docs/evidence. Pure: data in, Markdown out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_Row = Mapping[str, Any]


def simulation_tables(document: Mapping[str, Any]) -> str:
    """Verdicts by machine and effect, rare costs, coverage and family-wise errors."""
    trials = document["trials"]
    plain = [row for row in document["comparisons"] if row["rare"] is None]
    rare = [row for row in document["comparisons"] if row["rare"] is not None]
    family = document["family"]
    coverage_trials = document["coverage"][0]["trials"]
    share = family["wrong"] / family["trials"]
    return "\n\n".join(
        (
            f"{trials:,} comparisons for each figure, at most {document['looks'][-1]} rounds each:",
            _verdicts(plain),
            "A cost that one turn in twenty holds, on a typical machine:",
            _rare(rare),
            f"How often a single 99 % interval holds the truth, of {coverage_trials:,} each:",
            _coverage(document["coverage"]),
            f"Of {family['trials']:,} runs of {family['cells']} cells of identical code each, "
            f"{share:.2%} called any of them different.",
        )
    )


def _verdicts(rows: Sequence[_Row]) -> str:
    effects = sorted({row["effect_percent"] for row in rows})
    machines = list(dict.fromkeys(row["noise"] for row in rows))
    found = {(row["noise"], row["effect_percent"]): row for row in rows}
    header = [
        "machine",
        "identical: called different",
        "proven same",
        *(f"+{effect:g} % found" for effect in effects if effect > 0),
        "+3 % called same",
        "+5 % in the wrong direction",
        "mean rounds, identical",
    ]
    lines = []
    for machine in machines:
        identical = found[machine, 0.0]
        line = [
            machine,
            _percent(identical, "faster", "slower"),
            _percent(identical, "same"),
            *(_percent(found[machine, effect], "slower") for effect in effects if effect > 0),
            _percent(found[machine, 3.0], "same"),
            _percent(found[machine, 5.0], "faster"),
            f"{identical['mean_rounds']:.0f}",
        ]
        lines.append(line)
    return _table(header, lines)


def _rare(rows: Sequence[_Row]) -> str:
    header = [
        "cost",
        "found slower",
        "median estimate (truth 1.2)",
        "9 of 10 within",
        "interval holds it",
        "named",
    ]
    return _table(
        header,
        [
            [
                row["rare"],
                _percent(row, "slower"),
                f"{row['median_ratio']:.3f}",
                f"{row['worst_tenth_error']:.1%}",
                f"{row['covered'] / row['trials']:.1%}",
                f"{row['named'] / row['trials']:.0%}",
            ]
            for row in rows
        ],
    )


def _coverage(rows: Sequence[_Row]) -> str:
    rounds = sorted({row["rounds"] for row in rows})
    machines = list(dict.fromkeys(row["noise"] for row in rows))
    found = {(row["noise"], row["rounds"]): row for row in rows}
    return _table(
        ["machine", *(f"{count} rounds" for count in rounds)],
        [
            [
                machine,
                *(
                    f"{found[machine, count]['covered'] / found[machine, count]['trials']:.2%}"
                    for count in rounds
                ),
            ]
            for machine in machines
        ],
    )


def _percent(row: _Row, *verdicts: str) -> str:
    count = sum(row["verdicts"].get(verdict, 0) for verdict in verdicts)
    return f"{count / row['trials']:.2%}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
