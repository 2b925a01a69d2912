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
        made += spectra(peers, dtype, 10 * tolerance)
    return made


def spectra(peers, dtype, tolerance):
    """Spectra over time, convolutions and filters, where SciPy is there to compare with."""
    if not peers.scipy:
        return []
    import scipy.signal
    made = []
    for shape in ((100_000,), (16, 10_000)):
        x = numbers(shape, dtype)
        ours, size = gaia.Array(x), f"{'x'.join(map(str, shape))}/{dtype}"
        made += [
            Case(f"stft/{size}", gaia=lambda a=ours: gaia.signal.stft(a), scipy=lambda a=x: scipy.signal.stft(a)),
            Case(f"spectrogram/{size}", gaia=lambda a=ours: gaia.signal.spectrogram(a),
                 scipy=lambda a=x: scipy.signal.spectrogram(a)),
            Case(f"welch/{size}", gaia=lambda a=ours: gaia.signal.welch(a), scipy=lambda a=x: scipy.signal.welch(a)),
        ]
        _, _, z = scipy.signal.stft(x)
        pair = gaia.Complex(*(gaia.Array(np.ascontiguousarray(part)) for part in (z.real, z.imag)))
        made.append(Case(f"istft/{size}", gaia=lambda a=pair: gaia.signal.istft(a)[1],
                         scipy=lambda a=z: scipy.signal.istft(a)[1]))
        kernel = numbers((*shape[:-1], 501), dtype, seed=2)
        our_kernel = gaia.Array(kernel)
        made.append(Case(f"fftconvolve/{size}x501",
                         gaia=lambda a=ours, b=our_kernel: gaia.signal.fftconvolve(a, b, axes=-1),
                         scipy=lambda a=x, b=kernel: scipy.signal.fftconvolve(a, b, axes=-1)))
        sos = scipy.signal.butter(4, 0.2, output="sos").astype(dtype)
        our_sos = gaia.Array(sos)
        made.append(Case(f"sosfilt/4/{size}", gaia=lambda a=ours, b=our_sos: gaia.signal.sosfilt(b, a),
                         scipy=lambda a=x, b=sos: scipy.signal.sosfilt(b, a)))
    made += [Case("get_window/hann/1024", gaia=lambda: gaia.signal.get_window("hann", 1024),
                  scipy=lambda: scipy.signal.get_window("hann", 1024)),
             Case("butter/8/sos", gaia=lambda: gaia.signal.butter(8, 0.2, output="sos"),
                  scipy=lambda: scipy.signal.butter(8, 0.2, output="sos"))]
    for case in made:
        case.tolerance = tolerance if dtype == "float64" else 1e-4
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
