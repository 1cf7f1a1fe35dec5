"""The implementations of a study, found by file name as the harness does."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def implementations(study: str) -> dict[str, ModuleType]:
    """Every implementation of a study by its name."""
    names = sorted(
        file.stem
        for file in (ROOT / "impls" / study).glob("*.py")
        if not file.stem.startswith("_") and file.stem not in {"interface", "conformance"}
    )
    return {name: importlib.import_module(f"impls.{study}.{name}") for name in names}
