"""Before and after as one module in two folders, for tools that know no commits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tools.trial.subject import source_of


def folder_of(folder: Path, effect_percent: int | None) -> Path:
    """Where the second function of an effect lies, or the first (None)."""
    return folder / ("first" if effect_percent is None else f"second-{effect_percent}")


def make_folders(folder: Path, effects: Sequence[int]) -> None:
    """Write ``subject.py`` for the first function and for the second of each effect."""
    for effect in (None, *effects):
        place = folder_of(folder, effect)
        place.mkdir(parents=True, exist_ok=True)
        (place / "subject.py").write_text(source_of(effect or 0), encoding="utf-8")
