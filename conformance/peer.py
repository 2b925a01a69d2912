# SPDX-License-Identifier: MIT
"""What adapters of libraries share: a record of what came out, and how a deviation is written down."""
from __future__ import annotations

import dataclasses
import typing

import numpy as np


class Record:
    """Keeps the answers of every tick, and weights and the like after the ticks that are compared."""

    def __init__(self, case):
        self.ticks, self.y, self.kept = case.ticks, [], {}

    def tick(self, t, y, weights, **more):
        """Ends tick t, counted from 0.  `more` is named memory_NAME, trace_NAME or eligibility."""
        self.y.append(np.array(y, dtype=float).reshape(-1))
        if t + 1 in self.ticks:
            for name, values in {"weights": weights, **more}.items():
                self.kept.setdefault(name.replace("_", "/", 1), []).append(np.array(values, dtype=float))

    def found(self):
        return {"y": np.array(self.y)} | {name: np.array(values) for name, values in self.kept.items()}


@dataclasses.dataclass
class Deviation:
    """A deviation: a library does something else than the paper.

    kind     sign, order, trace, reset, scale, threshold, winner or bounds: what differs
    text     description in one or two sentences
    run      function that runs the library so, where that is not the adapter's `run` (its documented or default way)
    reading  a function of a Tick of numpy_by_hand.py that returns the answers and the change of the weights: what
             the library computes in place of the paper's equations; it is checked
    variant  the case of the vectors that the library equals, where there is one; it is checked
    allowed  whether the paper leaves it open
    """
    kind: str
    text: str
    run: typing.Callable | None = None
    reading: typing.Callable | None = None
    variant: str = ""
    allowed: bool = False


def signal(case, name, t):
    """The number of each neuron that comes from outside at tick t."""
    return np.broadcast_to(case.signals[name][1][t], (len(case.weights_initial),)).astype(float)
