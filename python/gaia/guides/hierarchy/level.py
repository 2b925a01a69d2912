# SPDX-License-Identifier: MIT
"""GAIA 4's `gaia.hierarchy.level`: a level that has a number, and says what goes in and out."""
from gaia import ArgumentError, Level

__all__ = ["HierarchicalLevel"]


class HierarchicalLevel:
    """A level by its number; layers are added from its inputs to its outputs.

    Raises ArgumentError for a layer whose inputs are not what comes before it.
    """

    def __init__(self, level_id, input_size, output_size, temporal_resolution=1, *, pooling=None):
        self.level_id = int(level_id)
        self.input_size = int(input_size)
        self.output_size = int(output_size)
        self.temporal_resolution = int(temporal_resolution)
        self.pooling = pooling
        self.layers = []

    def add_layer(self, layer):
        """Adds a layer behind those that are there; returns the level.  Raises ArgumentError for one that does not fit."""
        before = _size_of(self.layers[-1]) if self.layers else self.input_size
        takes = getattr(layer, "input_size", before)
        if takes != before:
            raise ArgumentError(f"[add_layer] level {self.level_id}: expected a layer of {before} inputs, got one of "
                                f"{takes}")
        self.layers.append(layer)
        return self

    def get_config(self):
        """Its settings: {"level_id", "input_size", "output_size", "temporal_resolution", "pooling", "layers"}, layers
        as an experiment has them."""
        return {"level_id": self.level_id, "input_size": self.input_size, "output_size": self.output_size,
                "temporal_resolution": self.temporal_resolution, "pooling": self.pooling,
                "layers": [layer.to_dict() for layer in self.layers]}

    def to_level(self):
        """The gaia.Level that it stands for.

        Raises ArgumentError if the last layer is of another size than `output_size`.
        """
        given = _size_of(self.layers[-1]) if self.layers else None
        if given != self.output_size:
            raise ArgumentError(f"[add_level] level {self.level_id} has {self.output_size} outputs: expected a last layer "
                                f"of that size, got {'none' if given is None else given}")
        return Level(*self.layers, temporal_resolution=self.temporal_resolution, pooling=self.pooling)


def _size_of(layer):
    return layer.keys["size"] if "size" in layer.keys else layer.keys["sizes"][-1]
