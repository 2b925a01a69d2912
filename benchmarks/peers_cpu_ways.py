# SPDX-License-Identifier: MIT
"""Ways to do what a case's name says: what they are, and when their answers are right."""

import dataclasses
import math
import typing

import numpy as np

LARGEST = 10  # of top_k


@dataclasses.dataclass
class Way:
    run: typing.Callable
    error: typing.Callable  # largest difference from float64, relative
    tolerance: float = 2e-5
    reset: typing.Callable = None


def relative_error(answer, wanted):
    answer = np.asarray(answer, dtype="float64")
    if not np.isfinite(answer).all() or answer.shape != wanted.shape:
        return math.inf
    difference = np.abs(answer - wanted).max()
    return float(difference / np.abs(wanted).max()) if difference else 0.0


def sizes_of(text):
    return [int(size) for size in text.split("x")]


@dataclasses.dataclass
class Out:
    """A function that gives a new array, or writes into the one that it is given as `out`."""
    function: typing.Callable
