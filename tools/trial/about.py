"""What a trial was made with: written before its first outcome, and held against when it resumes."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

import bakeoff
from bakeoff.errors import BakeoffError
from bakeoff.results.provenance import commit_of, sources_digest

_FILE_NAME = "about.json"
_HERE = Path(__file__).parent

#: A new table or plot of old outcomes is another matter.
_DRIVERS = ("command.py", "judges", "neighbour.py", "subject.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Versions, sources and seed of a trial.

    Attributes
    ----------
    commit : str or None
        bakeoff's at the beginning, where it runs from a repository; a later one with the same
        sources may go on.
    sources : str
        Digest of what outcomes depend on: bakeoff, and what drives the tools.
    python : str
        Its version.
    system : str
        Operating system and processor.
    cpus : int
        How many CPUs the trial might use.
    seed : int
        Of order and noise.
    versions : dict of str to str
        By distribution.
    """

    commit: str | None
    sources: str
    python: str
    system: str
    cpus: int
    seed: int
    versions: dict[str, str]


def about_now(root: Path, packages: Iterable[str], seed: int) -> About:
    """What a trial that began now would be made with.

    Parameters
    ----------
    root : pathlib.Path
        The repository.
    packages : iterable of str
        Distributions whose versions matter.
    seed : int
        Of order and noise.

    Raises
    ------
    BakeoffError
        If one of them is not installed.
    """
    return About(
        commit=commit_of(root)[0],
        sources=sources_digest(
            [Path(bakeoff.__file__).parent, *(_HERE / name for name in _DRIVERS)]
        ),
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        cpus=len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 1,
        seed=seed,
        versions={package: _version_of(package) for package in sorted(set(packages))},
    )


def begin_or_resume(folder: Path, now: About) -> None:
    """Record what the trial is made with, or see that it still is what it was made with.

    Parameters
    ----------
    folder : pathlib.Path
        The trial's.
    now : About
        What would be used from now on.

    Raises
    ------
    BakeoffError
        If the folder holds a trial that was made otherwise: outcomes of two must not be added up.
    """
    path = folder / _FILE_NAME
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(now)) + b"\n")
        return
    before = msgspec.json.decode(path.read_bytes(), type=About)
    now = replace(now, commit=before.commit)
    changed = [
        field.name
        for field in fields(About)
        if getattr(before, field.name) != getattr(now, field.name)
    ]
    if changed:
        raise BakeoffError(
            f"{path}: the trial was begun with another {', '.join(changed)}.",
            "Restore that, or begin a new trial in another --out.",
        )


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise BakeoffError(
            f"{package} is not installed.",
            "The trial's tools: python -m pip install --requirement requirements/trial.txt",
        ) from error
