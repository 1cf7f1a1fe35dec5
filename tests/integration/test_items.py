"""Operations that work through many items: percentiles and histogram are of items, whether operations are fast or slow."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Toy

SUITE = '''
    """A queue."""

    import time

    from bakeoff import Suite


    class Serve(Suite):
        """Two hundred items, of which every fifth waits; operations of more than a second take no turns."""

        parameters = {"pause_s": (0.0, 1.05)}
        presets = {"quick": {}}
        quantiles = (0.5, 0.9)
        is_cpu_bound = False

        def run(self, create, given):
            time.sleep(given)
            return [create()(number) for number in range(200)]

        def prepare(self, seed, *, pause_s):
            return pause_s

        def answer(self, result):
            return len(result)

        def latencies(self, result):
            return result
'''

IMPLEMENTATION = '''
    """{label}."""


    def create():
        return lambda number: {waits} if number % 5 == 0 else 0.001
'''

REPORT = """
    title = "Serving"
    question = "Who waits?"
    study = "queue"
    baseline = "waiting"

    [[claim]]
    text = "Nine in ten take less than 20 ms"
    arm = "hurrying"
    check = "p90 value <= 20ms"

    [[claim]]
    text = "That is a tenth of what they take elsewhere"
    arm = "hurrying"
    check = "p90 ratio <= 0.11"

    [[claim]]
    text = "And no less"
    arm = "hurrying"
    check = "p90 ratio >= 0.09"

    [[claim]]
    text = "Half of them take the same"
    arm = "hurrying"
    check = "p50 ratio <= 1.01"
"""


@pytest.mark.slow
def test_percentiles_of_items(tmp_path: Path) -> None:
    project = Toy(tmp_path)
    for path in ("impls/__init__.py", "impls/queue/__init__.py", "benchmarks/__init__.py"):
        project.write(path, "")
    project.write("impls/queue/interface.py", '"""Say what an item takes."""\n')
    for name, waits in (("waiting", 0.1), ("hurrying", 0.01)):
        text = IMPLEMENTATION.format(label=name.capitalize(), waits=waits)
        project.write(f"impls/queue/{name}.py", text)
    project.write("benchmarks/queue.py", SUITE)
    project.write("reports/queue.toml", REPORT)
    project.run("run", "queue", "--no-memory", "--seed", "1")
    project.run("report", "queue")

    report = project.report("queue")
    p90 = {
        (cell["implementation"], cell["params"]["pause_s"]): cell["value"]
        for cell in report["cells"]
        if cell["metric"] == "p90"
    }
    assert p90 == {
        (name, pause_s): pytest.approx(value, rel=0.05)
        for name, value in (("waiting", 0.1), ("hurrying", 0.01))
        for pause_s in (0.0, 1.05)
    }
    assert {claim["verdict"] for claim in report["claims"]} == {"holds"}, report["claims"]
    for record in project.records("round"):
        for arm in record["arms"].values():
            assert sum(arm["histogram"].values()) % 200 == 0
