"""``python -m tools.trial``."""

from __future__ import annotations

import sys

from tools.trial.application import run_application

if __name__ == "__main__":
    sys.exit(run_application())
