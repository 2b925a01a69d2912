# SPDX-License-Identifier: MIT
"""Fourier transforms, spectra, convolutions and filters: gaia.fft and gaia.signal."""

import gaia
import numpy as np

from functions import Case, numbers


def cases(peers):
    made = []
    for dtype, tolerance in (("float32", 1e-5), ("float64", 1e-12)):
        for rows, n in ((1, 256), (256, 256), (64, 1000), (64, 1024), (16, 1009), (1, 65536), (1, 1000000)):
            made += transforms(peers, rows, n, dtype, tolerance)
    return made


def transforms(peers, rows, n, dtype, tolerance):
    """rfft and irfft, fft of complex numbers."""
    x = numbers((rows, n), dtype)
    z = x + 1j * numbers((rows, n), dtype, seed=1)
    half = np.fft.rfft(x)
    real, pair, half_pair = gaia.Array(x), gaia.fft.fftshift(z), gaia.Complex(*map(
        gaia.Array, (np.ascontiguousarray(half.real), np.ascontiguousarray(half.imag))))
    shifted = np.asarray(pair)
    size = f"{rows}x{n}/{dtype}"
    made = [
        Case(f"rfft/{size}", gaia=lambda: gaia.fft.rfft(real), numpy=lambda: np.fft.rfft(x)),
        Case(f"irfft/{size}", gaia=lambda: gaia.fft.irfft(half_pair, n), numpy=lambda: np.fft.irfft(half, n)),
        Case(f"fft/{size}", gaia=lambda: gaia.fft.fft(pair), numpy=lambda: np.fft.fft(shifted)),
    ]
    if peers.scipy:
        import scipy.fft
        made[0].ways["scipy"] = lambda: scipy.fft.rfft(x)
        made[1].ways["scipy"] = lambda: scipy.fft.irfft(half, n)
        made[2].ways["scipy"] = lambda: scipy.fft.fft(shifted)
    if peers.torch:
        torch = peers.torch
        tx, thalf, tz = torch.from_numpy(x), torch.from_numpy(half), torch.from_numpy(shifted)
        made[0].ways["torch"] = lambda: torch.fft.rfft(tx)
        made[1].ways["torch"] = lambda: torch.fft.irfft(thalf, n)
        made[2].ways["torch"] = lambda: torch.fft.fft(tz)
    for case in made:
        case.tolerance, case.limit = tolerance, 3.0
    return made
