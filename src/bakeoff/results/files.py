"""Writing files that survive a kill or a power cut: whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never a part.

    Parameters
    ----------
    path : pathlib.Path
        The file; its folder exists.
    content : bytes
        All of it.

    Raises
    ------
    OSError
        If it cannot be written; then nothing has changed.
    """
    # In the same folder, for only a rename inside one file system is atomic.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable, where the system has a way to do so."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
