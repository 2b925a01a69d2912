# SPDX-License-Identifier: MIT
"""GAIA 4's `gaia.examples`, of which the guide runs one: python -m gaia.examples.gpu_benchmark."""
