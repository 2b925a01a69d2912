# SPDX-License-Identifier: MIT
"""python -m gaia: the command line, `gaia`."""
import sys

from ._programs import start

if __name__ == "__main__":
    sys.exit(start("gaia", sys.argv[1:]))
