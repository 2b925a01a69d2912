# SPDX-License-Identifier: MIT
"""Discrete Fourier transforms under NumPy's names, of arrays and of tensors.

    spectrum = gaia.fft.rfft(x)                     # gaia.Complex: .real, .imag, abs(), .angle()
    back = gaia.fft.irfft(spectrum, n=len(x))
    np.asarray(gaia.fft.fft(z))                     # NumPy's complex numbers go in and come out

Signatures, lengths and norms are those of numpy.fft.  Complex numbers come back as gaia.Complex, a pair of arrays;
where complex numbers are expected, NumPy's are taken too.  float32 stays float32, bfloat16 gives float32, all else
float64.  Tensors keep their gradients.  Any length is fast: one with a large prime factor takes a few times as long.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _gaia
from ._complex import Complex, complex_of

__all__ = ["fft", "fft2", "fftfreq", "fftshift", "ifft", "ifft2", "ifftshift", "irfft", "rfft", "rfftfreq"]


def _real(x: Any) -> Any:
    """x as an Array or a Tensor; lists are float64, as NumPy's."""
    return x if isinstance(x, (_gaia.Array, _gaia.Tensor)) else _gaia.asarray(np.asarray(x))


def fft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Complex:
    """y[k] = sum_j a[j] exp(-2 pi i j k / n) along an axis, real or complex numbers being given.

    n       length of the transform: a is cut, or filled up with zeros at its end; default: the length of a
    norm    "backward" (default) divides the inverse by n, "ortho" both by sqrt(n), "forward" the transform by n

    Raises ArgumentError for n below 1 and for another norm, ShapeError for an axis that is not there.
    """
    return Complex(*_gaia._fft(*complex_of(a), n, axis, norm))


def ifft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Complex:
    """y[j] = 1 / n sum_k a[k] exp(2 pi i j k / n) along an axis: the inverse of fft, with its arguments."""
    return Complex(*_gaia._ifft(*complex_of(a), n, axis, norm))


def rfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Complex:
    """The first n // 2 + 1 numbers of fft of real ones, of which the others are conjugates, by half the work."""
    return Complex(*_gaia._rfft(_real(a), n, axis, norm))


def irfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The inverse of rfft, which is real: n numbers, by default 2 (m - 1) of m.

    Imaginary parts of a[0], and of a[n // 2] of an even n, are not read.
    """
    return _gaia._irfft(*complex_of(a), n, axis, norm)


def fft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: str | None = None) -> Complex:
    """fft along two axes, or along as many as are named; s are the lengths along them."""
    return Complex(*_gaia._fft2(*complex_of(a), None if s is None else tuple(s), tuple(axes), norm))


def ifft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: str | None = None) -> Complex:
    """The inverse of fft2, with its arguments."""
    return Complex(*_gaia._ifft2(*complex_of(a), None if s is None else tuple(s), tuple(axes), norm))


def fftfreq(n: int, d: float = 1.0) -> _gaia.Array:
    """Frequencies of fft of n numbers that are d apart: 0, 1, ..., -2, -1 over n d; float64.

    Raises ArgumentError for n below 1.
    """
    return _gaia._fftfreq(n, d, "float64")


def rfftfreq(n: int, d: float = 1.0) -> _gaia.Array:
    """Frequencies of rfft of n numbers that are d apart: 0, 1, ..., n // 2 over n d; float64."""
    return _gaia._rfftfreq(n, d, "float64")


def _parts(function: Any, x: Any, axes: int | Sequence[int] | None) -> Any:
    if isinstance(x, (_gaia.Array, _gaia.Tensor)):
        return function(x, axes)
    real, imag = complex_of(x)
    return Complex(function(real, axes), function(imag, axes))


def fftshift(x: Any, axes: int | Sequence[int] | None = None) -> Any:
    """x rolled by half its length along axes (by default all), so that frequency 0 comes into the middle."""
    return _parts(_gaia._fftshift, x, axes)


def ifftshift(x: Any, axes: int | Sequence[int] | None = None) -> Any:
    """The inverse of fftshift."""
    return _parts(_gaia._ifftshift, x, axes)
