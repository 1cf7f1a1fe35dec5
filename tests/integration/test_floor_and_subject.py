"""A workload's floor and its prepared subject, measured by real processes and reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Toy

SUITE = '''
    """Looking up."""

    from bakeoff import Suite


    class Find(Suite):
        """Look up a hundred keys in a table that was made before."""

        parameters = {"size": (1000,)}

        def prepare(self, seed, *, size):
            return list(range(size))

        def subject(self, create, prepared):
            return create(prepared)

        def floor(self, keys):
            return dict.fromkeys(keys)

        def run(self, table, given):
            for key in given[-100:]:
                key in table
            return len(given)


    class Consume(Suite):
        """Look everything up in an emptied table: every operation has one of its own."""

        parameters = {"size": (20_000,)}
        consumes_input = True

        def prepare(self, seed, *, size):
            return size

        def fresh_input(self, prepared):
            return list(range(prepared))

        def subject(self, create, prepared):
            table = create(prepared[:20])
            del prepared[100:]
            return table

        def run(self, table, given):
            found = [key in table for _ in range(50) for key in given]
            given.clear()
            return sum(found)


    class Bad(Suite):
        """A floor that cannot do it."""

        def floor(self, keys):
            raise RuntimeError("no floor here")

        def run(self, create, given):
            return len(create(range(2000)))
'''

REPORT = """
    title = "Tables"
    question = "How to look up?"
    study = "tables"
    baseline = "listed"

    [[claim]]
    text = "A set is near the floor"
    arm = "hashed"
    vs = "floor"
    check = "ratio <= 2"
    where = { workload = "find" }

    [[claim]]
    text = "A list is not"
    arm = "listed"
    vs = "floor"
    check = "ratio >= 20"
    where = { workload = "find" }
"""


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    toy = Toy(tmp_path)
    toy.write("benchmarks/__init__.py", "")
    toy.write("benchmarks/tables.py", SUITE)
    toy.write("impls/__init__.py", "")
    toy.write("impls/tables/__init__.py", "")
    toy.write("impls/tables/interface.py", '"""A table."""\n')
    toy.write(
        "impls/tables/listed.py", '"""A list."""\n\n\ndef create(keys):\n    return list(keys)\n'
    )
    toy.write(
        "impls/tables/hashed.py", '"""A set."""\n\n\ndef create(keys):\n    return set(keys)\n'
    )
    toy.write("reports/tables.toml", REPORT)
    return toy


def test_every_implementation_is_shown_as_a_multiple_of_the_floor(toy: Toy) -> None:
    toy.run(
        "run",
        "tables",
        "--preset",
        "full",
        "--no-memory",
        "--workload",
        "find",
        "--workload",
        "consume",
    )
    toy.run("report", "tables", "--to", "html,markdown,json")
    report = toy.report("tables")
    cells = {
        (cell["workload"], cell["implementation"]): cell
        for cell in report["cells"]
        if cell["metric"] == "time"
    }
    hashed, listed = cells["find", "hashed"], cells["find", "listed"]
    # The floor of this one is a dict, which is as good as a set.
    assert 0.5 < hashed["floor_ratio"] < 2
    assert listed["floor_ratio"] > 20
    assert listed["floor_ratio"] * hashed["ratio"] == pytest.approx(hashed["floor_ratio"], rel=0.2)
    # No floor, no multiple of it.
    assert cells["consume", "hashed"]["floor_ratio"] is None
    assert cells["consume", "hashed"]["verdict"] != "failed"
    assert [claim["verdict"] for claim in report["claims"]] == ["holds", "holds"]
    assert {
        record["arms"].keys() >= {"<floor>"}
        for record in toy.records("round")
        if record["cell"].startswith("find")
    } == {True}
    page = (toy.root / "reports" / "tables" / "index.html").read_text(encoding="utf-8")
    text = (toy.root / "reports" / "tables" / "report.md").read_text(encoding="utf-8")
    assert "÷ floor" in page
    assert "÷ floor" in text


def test_a_floor_that_fails_is_said_and_costs_no_verdict(toy: Toy) -> None:
    toy.run("run", "tables", "--preset", "full", "--no-memory", "--workload", "bad")
    toy.run("report", "tables", "--to", "json")
    report = toy.report("tables")
    (hashed,) = (
        cell
        for cell in report["cells"]
        if (cell["implementation"], cell["metric"]) == ("hashed", "time")
    )
    assert hashed["floor_ratio"] is None
    assert hashed["verdict"] != "failed"
    assert any("no floor here" in warning for warning in report["trust"]["warnings"])
