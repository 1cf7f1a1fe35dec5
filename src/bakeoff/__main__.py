"""``python -m bakeoff``: the command line where the script is not on the path."""

from __future__ import annotations

import sys

from bakeoff.commands import main

if __name__ == "__main__":
    sys.exit(main())
