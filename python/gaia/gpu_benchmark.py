# SPDX-License-Identifier: MIT
"""python -m gaia.gpu_benchmark: whether a GPU pays, measured (docs/gpu.md); --help tells its options."""
import sys

from ._programs import start

if __name__ == "__main__":
    sys.exit(start("gpu_benchmark", sys.argv[1:]))
