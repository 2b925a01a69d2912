# SPDX-License-Identifier: MIT
"""Functions of arrays compared with those of NumPy, SciPy and PyTorch: one file for each subject.

Every file of this folder has a function `cases(peers)`, which returns a list of Case:

    def cases(peers):
        x = numbers((64, 1024), "float32")
        made = Case("rfft/64x1024/float32", gaia=lambda: gaia.fft.rfft(x), numpy=lambda: np.fft.rfft(x))
        if peers.scipy:
            made.ways["scipy"] = lambda: scipy.fft.rfft(x)
        return [made]

`peers` tells which libraries there are: peers.scipy and peers.torch are the modules, or None.  The name of a case says
function, sizes and dtype.  Operands are created once, outside of what is timed, in the form that each library takes:
NumPy's arrays for all three, gaia.Array(x) where an Array is what a program would have.  bench_functions.py compares
every answer with that of the first peer before the clock starts.
"""

import dataclasses
import typing

import numpy as np


@dataclasses.dataclass
class Peers:
    """Libraries to compare with; None where this interpreter does not have one."""
    scipy: typing.Any = None
    torch: typing.Any = None


class Case:
    """A function with its operands, and how each library computes it.

    ways       calls by library: gaia, numpy, scipy, torch; the answer of the first after gaia is what is right
    tolerance  largest difference of an answer, relative to the largest number of the right one
    limit      time that gaia may take at most, in times of the fastest peer: 2, of Fourier transforms 3
    answer     the part of an answer that is compared, such as |s| of vectors whose signs are free
    """

    def __init__(self, name, *, tolerance=1e-5, limit=2.0, answer=lambda x: x, **ways):
        self.name, self.tolerance, self.limit, self.answer, self.ways = name, tolerance, limit, answer, ways


def numbers(shape, dtype="float64", seed=0):
    """Normal numbers, the same in every run."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)
