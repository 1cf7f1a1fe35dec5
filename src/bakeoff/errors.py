"""What can go wrong, as a tree; each error carries the exit code of the command that meets it.

::

    BakeoffError                      a user's mistake or a broken set-up            exit 2
    ├── NotFoundError                 a name that is not there, with what is
    ├── DefinitionError               a file that people write is wrong: which key, where
    ├── LoadError                     an implementation or workload cannot be imported
    ├── RunDirectoryError             a run that cannot be read, resumed or mixed
    └── Interrupted                   Ctrl-C: what was measured is saved             exit 130

Anything else that escapes is our mistake and stays a traceback.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self


class BakeoffError(Exception):
    """A mistake that the user can mend; its text says what, where and what to do next.

    Parameters
    ----------
    what : str
        What happened and where, in one sentence.
    next_step : str, optional
        What to do about it; printed on a line of its own.
    """

    exit_code: int = 2

    def __init__(self, what: str, next_step: str | None = None) -> None:
        self.what = what
        self.next_step = next_step
        # Every line of the advice is set off, so that what happened stays alone on the left.
        lines = [what, *(f"  {line}" for line in (next_step or "").splitlines())]
        super().__init__("\n".join(lines))


class NotFoundError(BakeoffError):
    """A study, implementation, workload, report, run, preset or key that does not exist."""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str], *, where: str) -> Self:
        """Say what was asked for, what there is, and the nearest match.

        Parameters
        ----------
        kind : str
            What was looked for, with its article: ``"a study"``.
        name : str
            The name that was not found.
        known : iterable of str
            The names that exist.
        where : str
            The file or folder that was searched, relative to the project.
        """
        found = sorted(set(known))
        listing = ", ".join(found) if found else "nothing"
        # Whoever shouts the right name has still named it.
        folded = {candidate.casefold(): candidate for candidate in found}
        # Every measuring process imports this module, and few ever miss a name.
        import difflib

        nearest = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
        hint = f" Did you mean {folded[nearest[0]]!r}?" if nearest else ""
        return cls(f"{name!r} is not {kind}.", f"Found in {where}: {listing}.{hint}")


class DefinitionError(BakeoffError):
    """A report definition or another hand-written file is wrong."""


class LoadError(BakeoffError):
    """A module of the project cannot be imported or lacks what its place demands."""


class RunDirectoryError(BakeoffError):
    """A run directory is missing, damaged, in use, or from another machine or commit."""


class Interrupted(BakeoffError):
    """The user stopped a run; everything measured so far is in its journal."""

    exit_code = 130
