"""What a workload counts, its percentiles and its growth, measured by real processes and reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Toy

SUITE = '''
    """Look-ups."""

    from bakeoff import Suite


    class Find(Suite):
        """Find the last of some numbers, and count how many were looked at."""

        parameters = {"size": (1000, 6000, 30000)}
        presets = {"quick": {}}
        counts = ("looks",)
        quantiles = (0.9,)

        def prepare(self, seed, *, size):
            return list(range(size))

        def run(self, create, given):
            return create()(given, len(given) - 1)

        def answer(self, result):
            return result[0]

        def count(self, result):
            return {"looks": result[1]}
'''

SCAN = '''
    """From the first to the last."""


    def create():
        def find(numbers, wanted):
            for looks, number in enumerate(numbers, 1):
                if number == wanted:
                    return number, looks

        return find
'''

BISECTION = '''
    """By halves."""


    def create():
        def find(numbers, wanted):
            low, high, looks = 0, len(numbers), 0
            while True:
                middle = (low + high) // 2
                looks += 1
                if numbers[middle] == wanted:
                    return numbers[middle], looks
                if numbers[middle] < wanted:
                    low = middle + 1
                else:
                    high = middle

        return find
'''

REPORT = """
    title = "Finding"
    question = "How to find a number?"
    study = "search"
    baseline = "scan"

    [[claim]]
    text = "A scan is linear"
    arm = "scan"
    check = "growth(size) in 0.85..1.15"

    [[claim]]
    text = "Bisection grows hardly at all"
    arm = "bisection"
    check = "growth(size) <= 0.5"

    [[claim]]
    text = "A scan of a thousand looks at all of them"
    arm = "scan"
    check = "exact looks == 1000"
    where = { size = 1000 }

    [[claim]]
    text = "Nine in ten bisections are ten times faster, too"
    arm = "bisection"
    check = "p90 ratio <= 1/10"
    where = { size = 30000 }

    [[claim]]
    text = "Bisection is the best"
    arm = "bisection"
    check = "best on time"

    [[claim]]
    text = "A scan does not depend on the size"
    arm = "scan"
    check = "independent of size within 50%"
"""


@pytest.mark.slow
def test_counts_percentiles_and_growth_end_to_end(tmp_path: Path) -> None:
    project = Toy(tmp_path)
    for path in ("impls/__init__.py", "impls/search/__init__.py", "benchmarks/__init__.py"):
        project.write(path, "")
    project.write("impls/search/interface.py", '"""Find a number."""\n')
    project.write("impls/search/scan.py", SCAN)
    project.write("impls/search/bisection.py", BISECTION)
    project.write("benchmarks/search.py", SUITE)
    project.write("reports/search.toml", REPORT)
    project.run("run", "search", "--no-memory", "--seed", "1")
    out, _ = project.run("report", "search")
    report = project.report("search")

    rounds = project.records("round")
    arm = rounds[-1]["arms"]["scan"]
    assert sum(arm["histogram"].values()) >= 200, "a 90th percentile needs two hundred operations"
    assert arm["peak_rss_bytes"] > 1_000_000
    assert arm["quantiles"]["p90"] >= 0

    cells = {
        (cell["implementation"], cell["metric"], cell["params"]["size"]): cell
        for cell in report["cells"]
    }
    looks = cells["scan", "looks", 1000]
    assert (looks["value"], looks["exact"], looks["unit"]) == (1000, True, "1")
    assert cells["bisection", "looks", 30000]["ratio"] == pytest.approx(15 / 30000, rel=0.2)
    assert cells["bisection", "p90", 30000]["verdict"] == "faster"

    growth = {row["implementation"]: row for row in report["growth"] if row["metric"] == "time"}
    assert growth["scan"]["exponent"] == pytest.approx(1.0, abs=0.15)
    assert growth["bisection"]["exponent"] < 0.5
    verdicts = {claim["text"]: claim["verdict"] for claim in report["claims"]}
    assert verdicts.pop("A scan does not depend on the size") == "fails"
    assert set(verdicts.values()) == {"holds"}, report["claims"]
    assert "How time grows" in out
    assert "inside timed operations" in " ".join(out.split())
    assert 0 < report["trust"]["timed_share"] < 1
