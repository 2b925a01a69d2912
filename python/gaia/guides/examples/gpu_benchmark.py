# SPDX-License-Identifier: MIT
"""GAIA 4's benchmark, which is gaia's own: python -m gaia.examples.gpu_benchmark [options]."""
import runpy

if __name__ == "__main__":
    runpy.run_module("gaia.gpu_benchmark", run_name="__main__")
