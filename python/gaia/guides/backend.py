# SPDX-License-Identifier: MIT
"""Cortex's `cortex.backend`: where its modules find `np`, the module whose functions compute on the current device."""
import gaia as np
from gaia import get_backend_name, set_backend, to_backend, to_numpy
from gaia.backends import get_backend

__all__ = ["get_backend", "get_backend_name", "np", "set_backend", "to_backend", "to_numpy"]
