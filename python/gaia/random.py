# SPDX-License-Identifier: MIT
"""Random arrays on the current device, under NumPy's names.

Each call takes the next stream of the seed (`seed`), so that a program draws the same numbers each time it runs, on every
device.  Arrays are float32 unless another dtype is given.
"""
from . import _gaia

__all__ = ["normal", "permutation", "rand", "randint", "randn", "random", "seed", "uniform"]


def seed(number) -> None:
    """Begins again with the streams of a seed, for weights of networks too."""
    _gaia.set_seed(number)


def randn(*shape, dtype="float32") -> _gaia.Array:
    """Numbers of the standard normal distribution, [shape]: randn(2, 3) or randn((2, 3))."""
    return _gaia.random_normal(_shape(shape), dtype=dtype)


def rand(*shape, dtype="float32") -> _gaia.Array:
    """Numbers in [0, 1), [shape]: rand(2, 3) or rand((2, 3))."""
    return _gaia.random_uniform(_shape(shape), dtype=dtype)


def random(size=(), dtype="float32") -> _gaia.Array:
    """Numbers in [0, 1) of shape `size`."""
    return _gaia.random_uniform(size, dtype=dtype)


def normal(loc=0.0, scale=1.0, size=(), dtype="float32") -> _gaia.Array:
    """Normal numbers with mean `loc` and standard deviation `scale`, of shape `size`."""
    return _gaia.random_normal(size, loc, scale, dtype)


def uniform(low=0.0, high=1.0, size=(), dtype="float32") -> _gaia.Array:
    """Numbers in [low, high) of shape `size`."""
    return _gaia.random_uniform(size, low, high, dtype)


def randint(low, high=None, size=(), dtype="int64") -> _gaia.Array:
    """Whole numbers in [low, high), or in [0, low) if high is left out, of shape `size`."""
    return _gaia.random_integers(*((0, low) if high is None else (low, high)), size, dtype)


def permutation(n) -> _gaia.Array:
    """0 ... n - 1 in random order."""
    return _gaia.random_permutation(n)


def _shape(given):
    return given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
