# SPDX-License-Identifier: MIT
"""Complex numbers as two arrays, as Fourier transforms and eigenvalues return them."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _gaia


class Complex(NamedTuple):
    """real + i imag.

    real, imag   two Arrays, or two Tensors, of one shape and dtype

        spectrum = gaia.fft.rfft(x)
        abs(spectrum), spectrum.angle()      # Arrays, or Tensors with their gradients
        np.asarray(spectrum)                 # complex64 or complex128

    A function that takes complex numbers takes NumPy's arrays of them too.
    """
    real: Any
    imag: Any

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        real, imag = (np.asarray(part.detach().value if isinstance(part, _gaia.Tensor) else part)
                      for part in (self.real, self.imag))
        made = np.empty(real.shape, np.complex64 if real.dtype == np.float32 else np.complex128)
        made.real, made.imag = real, imag  # 1j * infinity has NaN in it
        return made if dtype is None else made.astype(dtype)

    def __abs__(self) -> Any:
        """|z|, without overflow between."""
        return _gaia.hypot(self.real, self.imag)

    def angle(self) -> Any:
        """The angle of z in (-pi, pi], in radians."""
        return _gaia.arctan2(self.imag, self.real)

    def conj(self) -> Complex:
        """real - i imag."""
        return Complex(self.real, -self.imag)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of both parts."""
        return tuple(self.real.shape)


def complex_of(z: Any) -> Complex:
    """z as two parts: Complex, a complex ndarray or numbers; what is real has an imaginary part of 0."""
    if isinstance(z, Complex):
        return z
    if isinstance(z, (_gaia.Array, _gaia.Tensor)):
        return Complex(z, z * 0)
    values = np.asarray(z)
    if not np.iscomplexobj(values):
        values = values.astype(np.complex64 if values.dtype == np.float32 else np.complex128)
    return Complex(_gaia.array(np.ascontiguousarray(values.real)), _gaia.array(np.ascontiguousarray(values.imag)))
