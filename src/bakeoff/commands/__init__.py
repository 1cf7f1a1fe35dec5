"""The command line: one small file per verb. Nothing imports this room."""

from __future__ import annotations


def main() -> int:
    """Run the command line; the exit code."""
    # Here, so that a verb can be imported and tested without all the others.
    from bakeoff.commands.application import run_application

    return run_application()
