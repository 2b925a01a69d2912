# SPDX-License-Identifier: MIT
"""GAIA 4's `gaia.layers`: layers that know their number of inputs."""
from gaia.layers.fixed import ReactiveLayer, TemporalLayer
from gaia.layers.hebbian import HebbianCore

__all__ = ["HebbianCore", "ReactiveLayer", "TemporalLayer"]
