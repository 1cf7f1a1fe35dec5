"""Recorded answers of the original implementations: where they are, and one test for each case.

They are not part of the repository. ``--vectors DIR`` says where they are; without it the folder
``shared/vectors`` beside the repository is looked into.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BESIDE_THE_REPOSITORY = Path(__file__).resolve().parents[2].parent / "shared" / "vectors"


def vector_folder(config: pytest.Config) -> Path:
    """The folder given by ``--vectors``, which must exist, or the one beside the repository."""
    given: Path | str | None = config.getoption("--vectors", default=None)
    if given is None:
        return BESIDE_THE_REPOSITORY
    folder = Path(given)
    if not folder.is_dir():
        raise pytest.UsageError(f"--vectors: {folder} is not a folder.")
    return folder


def parametrize_cases(metafunc: pytest.Metafunc, pattern: str) -> None:
    """Give a test that asks for a ``case`` every case of every file that matches.

    Without any file the test is skipped, and the reason says where files were looked for.
    """
    if "case" not in metafunc.fixturenames:
        return
    folder = vector_folder(metafunc.config)
    cases = list(_cases(folder, pattern))
    if not cases:
        reason = f"no {pattern} in {folder}; --vectors names another folder"
        cases = [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="no-vectors")]
    metafunc.parametrize("case", cases)


def _cases(folder: Path, pattern: str) -> Iterator[Any]:
    for file in sorted(folder.glob(pattern)):
        for case in json.loads(file.read_text(encoding="utf-8"))["cases"]:
            yield pytest.param(case, id=f"{file.stem}-{case['id']}")
