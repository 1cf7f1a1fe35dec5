"""``python -m tools.evidence``: put the tables into docs/method.md, between their marks.

``--plot`` draws the trial's plot, too, which needs requirements/trial.txt.

What was simulated lies in docs/evidence/simulation.json; what was tried, if it was, in docs/evidence/trial.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from tools.evidence.tables import simulation_tables
from tools.trial.outcomes import FILE_NAME, read
from tools.trial.summary import summarise
from tools.trial.table import markdown_table

_DOCS = Path(__file__).resolve().parents[2] / "docs"
_EVIDENCE = _DOCS / "evidence"
_TRIAL = _EVIDENCE / "trial" / FILE_NAME


def with_table(text: str, name: str, table: str) -> str:
    """`text` with what stands between the marks of `name` replaced.

    Raises
    ------
    ValueError
        If the marks are not there.
    """
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"docs/method.md has no marks {begin} … {end}.")
    return pattern.sub(lambda _match: f"{begin}\n{table}\n{end}", text)


def rendered(text: str) -> str:
    """docs/method.md as the evidence says."""
    document = json.loads((_EVIDENCE / "simulation.json").read_text(encoding="utf-8"))
    text = with_table(text, "simulation", simulation_tables(document))
    outcomes = read(_TRIAL) if _TRIAL.exists() else []
    return with_table(text, "trial", markdown_table(summarise(outcomes))) if outcomes else text


def main() -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", action="store_true", help="Draw docs/images/trial.svg anew.")
    page = _DOCS / "method.md"
    if parser.parse_args().plot:
        # Only here: whoever renders the tables alone needs no drawing library.
        from tools.trial.plot import detection_plot

        (_DOCS / "images" / "trial.svg").write_bytes(detection_plot(summarise(read(_TRIAL))))
    page.write_text(rendered(page.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
