"""``python -m tools.study_pages [STUDY]``: put the latest report's figures into docs/studies/STUDY.md.

The figures come from reports/STUDY/report.json; the cells that the page shows are kept as docs/evidence/STUDY.json; with ``--keep`` the
kept one is used again. In the page a block ``<!-- figures: … -->`` says what stands between it and
``<!-- /figures -->``; see `tools.study_pages.blocks`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from bakeoff.errors import BakeoffError, NotFoundError
from tools.study_pages.blocks import cited, rendered

ROOT = Path(__file__).resolve().parents[2]


def evidence_of(study: str) -> Path:
    """Where the figures of a study's page are kept."""
    return ROOT / "docs" / "evidence" / f"{study}.json"


def page_of(study: str) -> Path:
    """The page of a study."""
    return ROOT / "docs" / "studies" / f"{study}.md"


def kept(study: str) -> dict[str, Any]:
    """The report that the page's figures are of."""
    document: dict[str, Any] = json.loads(evidence_of(study).read_text(encoding="utf-8"))
    return document


def main() -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", nargs="?", default="snapshot")
    parser.add_argument("--keep", action="store_true", help="Use the figures that are kept.")
    options = parser.parse_args()
    try:
        return _write(options.study, is_kept=options.keep)
    except BakeoffError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code


def _write(study: str, *, is_kept: bool) -> int:
    page = page_of(study)
    if not page.is_file():
        found = [other.stem for other in page.parent.glob("*.md")]
        raise NotFoundError.among("a page", study, found, where="docs/studies")
    if not is_kept:
        report = ROOT / "reports" / study / "report.json"
        if not report.is_file():
            raise BakeoffError(
                f"reports/{study}/report.json does not exist.",
                f"Make it: bakeoff all {study} --preset full",
            )
        document = cited(
            page.read_text(encoding="utf-8"), json.loads(report.read_text(encoding="utf-8"))
        )
        evidence_of(study).write_text(
            json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    page.write_text(rendered(page.read_text(encoding="utf-8"), kept(study)), encoding="utf-8")
    print(f"Written: {page.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
