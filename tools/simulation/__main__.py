"""See `tools.simulation.application`."""

import sys

from tools.simulation.application import main

if __name__ == "__main__":
    sys.exit(main())
