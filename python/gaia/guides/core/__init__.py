# SPDX-License-Identifier: MIT
"""GAIA 4's `gaia.core`: all that its guide takes from there by `from gaia.core import *`, NumPy as np among it."""
import numpy as np

from gaia.core.gpu_utils import *  # noqa: F403
from gaia.core.gpu_utils import __all__ as _of_gpu_utils
from gaia.hierarchy import HierarchicalLevel, HierarchyManager
from gaia.layers import HebbianCore, ReactiveLayer, TemporalLayer

__all__ = ["HebbianCore", "HierarchicalLevel", "HierarchyManager", "ReactiveLayer", "TemporalLayer", "np", *_of_gpu_utils]
