# SPDX-License-Identifier: MIT
"""GAIA 4's `gaia.hierarchy`: levels with numbers, and the manager that they are added to."""
from gaia.hierarchy.level import HierarchicalLevel
from gaia.hierarchy.manager import HierarchyManager

__all__ = ["HierarchicalLevel", "HierarchyManager"]
