"""Where things are printed: results on stdout, progress and warnings on stderr."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, field
from typing import Any

import msgspec
from rich.console import Console

#: Width of tables where nobody is looking at a terminal: logs and pipes.
PIPE_WIDTH = 100


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    # A pipe has no width of its own; rich would take 80 and fold what a log could show whole.
    width = None if stream.isatty() else max(PIPE_WIDTH, shutil.get_terminal_size().columns)
    return Console(stderr=stderr, width=width, highlight=False, soft_wrap=not stream.isatty())


@dataclass(frozen=True, slots=True)
class Terminal:
    """The two consoles of a command; ``NO_COLOR`` and pipes are respected by both."""

    out: Console = field(default_factory=lambda: _console(stderr=False))
    err: Console = field(default_factory=lambda: _console(stderr=True))

    def print_json(self, content: Any) -> None:
        """Print data as indented JSON, and nothing else, on stdout."""
        print(msgspec.json.format(msgspec.json.encode(content), indent=2).decode())

    def warn(self, text: str) -> None:
        """One warning on stderr."""
        self.err.print(f"warning: {text}", style="yellow", markup=False)

    def say(self, text: str = "") -> None:
        """One line of a result on stdout, as it is."""
        self.out.print(text, markup=False)

    def note(self, text: str) -> None:
        """One line of progress on stderr, as it is."""
        self.err.print(text, markup=False, style="dim")
