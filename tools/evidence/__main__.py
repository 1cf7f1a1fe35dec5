"""``python -m tools.evidence``: put the tables into docs/method.md, between their marks."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from tools.evidence.tables import simulation_tables

_DOCS = Path(__file__).resolve().parents[2] / "docs"


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
    document = json.loads((_DOCS / "evidence" / "simulation.json").read_text(encoding="utf-8"))
    return with_table(text, "simulation", simulation_tables(document))


def main() -> int:
    """Write the page."""
    page = _DOCS / "method.md"
    page.write_text(rendered(page.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
