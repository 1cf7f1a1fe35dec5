"""Which commit and which sources a run was made from."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from bakeoff.errors import BakeoffError

_NOT_SOURCES = (":(exclude).bakeoff", ":(exclude).asv")


def commit_of(root: Path) -> tuple[str | None, bool]:
    """Ask git for the commit of a folder and whether the folder differs from it.

    Parameters
    ----------
    root : pathlib.Path
        A folder inside a working tree; only what lies in it can make it dirty.

    Returns
    -------
    commit : str or None
        The full hash; None without git, outside a repository, or before its first commit.
    dirty : bool
        Whether a file is changed, or is there and neither committed nor ignored. What was measured
        (``.bakeoff``, ``.asv``) does not count: a run must not make the next one dirty.
    """
    commit = _git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    changes = _git(
        root, "status", "--porcelain", "--untracked-files=normal", "--", ".", *_NOT_SOURCES
    )
    return commit, bool(changes)


def sources_digest(paths: Iterable[Path]) -> str:
    """Digest the Python sources in some folders: what must be unchanged for rounds to be mixed.

    Parameters
    ----------
    paths : iterable of pathlib.Path
        Folders, taken with all ``.py`` files in them, and single files. Their order is irrelevant,
        and so is where they lie: names count from each path's own name on. Hidden folders and
        ``__pycache__`` are left out.

    Returns
    -------
    str
        SHA-256 over names and bytes, in hexadecimal digits.

    Raises
    ------
    BakeoffError
        If one of them is missing or cannot be read.
    """
    entries: list[tuple[str, bytes]] = []
    for path in paths:
        try:
            for source in _sources(path):
                name = source.relative_to(path.parent).as_posix()
                entries.append((name, hashlib.sha256(source.read_bytes()).digest()))
        except OSError as error:
            raise BakeoffError(
                f"{error.filename or path}: cannot be read: {error.strerror or error}.",
                "A run notes the sources it was made from; all of them must be readable.",
            ) from error
    digest = hashlib.sha256()
    for name, content in sorted(entries):
        digest.update(name.encode("utf-8", "surrogateescape") + b"\0" + content)
    return digest.hexdigest()


def _sources(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, subfolders, names in os.walk(path, onerror=_raise):
        subfolders[:] = [
            name for name in subfolders if name != "__pycache__" and not name.startswith(".")
        ]
        yield from (Path(folder) / name for name in names if name.endswith(".py"))


def _raise(error: OSError) -> None:
    raise error


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints, or None if it cannot tell."""
    # A hook's GIT_DIR would answer for another repository, and a look must not take git's own lock.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    try:
        finished = subprocess.run(
            ["git", "-C", str(root), *arguments],
            env=environment | {"GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError:
        # No git on this machine. The sources' digest still says what was measured.
        return None
    return finished.stdout.strip() if finished.returncode == 0 else None
