# SPDX-License-Identifier: MIT
"""GAIA 4's layers whose weights are fixed."""
from gaia import Reactive, Temporal

__all__ = ["ReactiveLayer", "TemporalLayer"]


def ReactiveLayer(input_size, output_size, activation="relu", init="he"):
    """A layer of fixed weights."""
    return with_inputs(Reactive(output_size, activation=activation, init=init), input_size)


def TemporalLayer(input_size, hidden_size, activation="tanh", **keys):
    """A leaky recurrent layer of fixed weights."""
    return with_inputs(Temporal(hidden_size, activation=activation, **keys), input_size)


def with_inputs(layer, inputs):
    """The layer, which says from here on how many inputs it takes."""
    layer.input_size = int(inputs)
    return layer
