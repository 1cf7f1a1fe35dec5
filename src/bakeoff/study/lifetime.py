"""How long a process that runs a subject may live: no longer than whoever started it."""

from __future__ import annotations

import os
import signal
import sys

#: ``prctl(PR_SET_PDEATHSIG, …)``, <linux/prctl.h>
_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """End at once when the parent is killed, even in the middle of an operation.

    Else a run that is resumed after a kill would share its CPU with what the killed one left. Where
    the system has no such signal, the closed pipe ends the process after its operation.
    """
    if sys.platform == "linux":
        import ctypes

        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            # It went between the two calls, and nobody will send the signal any more.
            os._exit(1)
