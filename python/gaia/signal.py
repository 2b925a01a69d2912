# SPDX-License-Identifier: MIT
"""Windows, spectra, convolutions and filters of series under SciPy's names, of arrays and of tensors.

    f, t, z = gaia.signal.stft(x, fs=250.0, nperseg=128)
    f, power = gaia.signal.welch(x, fs=250.0)
    sos = gaia.signal.butter(4, (8.0, 12.0), "bandpass", fs=250.0, output="sos")
    y, state = gaia.signal.sosfilt(sos, x, zi=gaia.signal.sosfilt_zi(sos) * x[0])

Signatures and edge cases are those of scipy.signal, and results are arrays of gaia's: complex ones are gaia.Complex.
float32 stays float32, bfloat16 gives float32, all else float64; frequencies and times are float64.  Tensors keep their
gradients.  Series are real numbers.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _gaia
from ._complex import Complex, complex_of
from .errors import ArgumentError
from .fft import _real

__all__ = ["butter", "fftconvolve", "get_window", "istft", "sosfilt", "sosfilt_zi", "spectrogram", "stft", "welch"]

Window = Any  # a name, a tuple of a name and parameters, a number (beta of kaiser), or the window's numbers


def _window_parts(window: Window) -> tuple[str, list[float], Any]:
    """A window as the module takes it: name, parameters, numbers."""
    if isinstance(window, str):
        return window, [], None
    if isinstance(window, (int, float)):
        return "kaiser", [float(window)], None
    if isinstance(window, tuple) and window and isinstance(window[0], str):
        name, *rest = window
        if name.split("_")[0] in ("exponential", "poisson") and len(rest) == 2:
            rest = rest[1:] if rest[0] is None else rest[::-1]  # SciPy's are centre and tau
        parameters = [float(one) for given in rest for one in np.ravel(np.asarray(given))]
        return name, parameters, None
    return "", [], _gaia.asarray(window)


def _series(x: Any, function: str) -> Any:
    made = x if isinstance(x, (_gaia.Array, _gaia.Tensor)) else np.asarray(x)
    if isinstance(x, Complex) or np.iscomplexobj(made):
        raise ArgumentError(f"[{function}] expected real numbers, got complex ones; hand over their parts one by one")
    return _real(made)


def _detrend(detrend: str | bool | None) -> str:
    return detrend if isinstance(detrend, str) else ("constant" if detrend else "none")


def get_window(window: Window, Nx: int, fftbins: bool = True) -> _gaia.Array:
    """Nx numbers of a window, float64: "hann", ("tukey", 0.25), or a number, which is kaiser's beta.

    fftbins     whether the window is periodic, as transforms want it, or else symmetric; a name that ends in _periodic
                or _symmetric says so itself

    Names, also in SciPy's other spellings: boxcar, triang, bartlett, parzen, bohman, barthann, cosine, lanczos, hann,
    hamming, blackman, nuttall, blackmanharris, flattop; with parameters tukey (alpha), kaiser (beta), gaussian (std),
    exponential (centre, tau), general_gaussian (p, sig), general_hamming (alpha), general_cosine (as many as there are).

    Raises ArgumentError for another name, parameters that the window does not take, and Nx below 1.
    """
    return _gaia._get_window(*_window_parts(window), Nx, fftbins)


def stft(x: Any, fs: float = 1.0, window: Window = "hann", nperseg: int | None = 256, noverlap: int | None = None,
         nfft: int | None = None, detrend: str | bool = False, return_onesided: bool = True, boundary: str | None = "zeros",
         padded: bool = True, axis: int = -1, scaling: str = "spectrum") -> tuple[_gaia.Array, _gaia.Array, Complex]:
    """The short-time Fourier transform: frequencies, times of the middles of segments, and values, a Complex.

    Segments of nperseg numbers (256, or as many as the series has) share noverlap (half of them) with the one before,
    and are transformed by length nfft under the window.  In the values frequencies stand where `axis` was, times last.

    detrend     "constant" or "linear": what is taken off each segment
    boundary    extension of the series, half a segment on either side: "zeros", "constant", "even", "odd" or None
    padded      whether zeros behind the series make segments take in all of it
    scaling     "spectrum", or "psd", of which the squares are a density

    Raises ArgumentError for sizes that do not fit each other and for other names.
    """
    f, t, real, imag = _gaia._stft(_series(x, "stft"), fs, *_window_parts(window), nperseg, noverlap, nfft,
                                   _detrend(detrend), return_onesided, boundary or "none", padded, axis,
                                   _psd(scaling))
    return f, t, Complex(real, imag)


def _psd(scaling: str) -> str:
    """The scaling of stft, whose "psd" is called "density" elsewhere."""
    if scaling not in ("spectrum", "psd"):
        raise ArgumentError(f"[stft] expected scaling spectrum or psd, got {scaling!r}")
    return "density" if scaling == "psd" else "spectrum"


def istft(Zxx: Any, fs: float = 1.0, window: Window = "hann", nperseg: int | None = None, noverlap: int | None = None,
          nfft: int | None = None, input_onesided: bool = True, boundary: bool = True, time_axis: int = -1,
          freq_axis: int = -2, scaling: str = "spectrum") -> tuple[_gaia.Array, Any]:
    """The series whose stft is nearest to Zxx, by least squares: times and values.  Arguments are those of stft.

    boundary    whether half a segment was put around the series, which is taken off

    A warning is logged where the squares of windows add up to 0, so that nothing is known of the series there.
    """
    return _gaia._istft(*complex_of(Zxx), fs, *_window_parts(window), nperseg, noverlap, nfft, input_onesided,
                        bool(boundary), time_axis, freq_axis, _psd(scaling))


def spectrogram(x: Any, fs: float = 1.0, window: Window = ("tukey", 0.25), nperseg: int | None = None,
                noverlap: int | None = None, nfft: int | None = None, detrend: str | bool = "constant",
                return_onesided: bool = True, scaling: str = "density", axis: int = -1,
                mode: str = "psd") -> tuple[_gaia.Array, _gaia.Array, Any]:
    """Spectra of segments over time: frequencies, times of their middles, and values.

    Segments share noverlap numbers (an eighth of nperseg) with the one before.

    scaling     "density", power over frequency, or "spectrum", power
    mode        "psd", "complex", "magnitude", "angle" or "phase", which is the angle without leaps along frequencies
    """
    parts = _window_parts(window)
    if mode != "complex":
        return _gaia._spectrogram(_series(x, "spectrogram"), fs, *parts, nperseg, noverlap, nfft, _detrend(detrend),
                                  return_onesided, scaling, axis, mode)
    x = _series(x, "spectrogram")
    if noverlap is None:
        length = nperseg if nperseg is not None else (256 if parts[2] is None else len(parts[2]))
        noverlap = min(length, x.shape[axis]) // 8
    f, t, real, imag = _gaia._stft(x, fs, *parts, nperseg, noverlap, nfft, _detrend(detrend), return_onesided, "none",
                                   False, axis, scaling)
    return f, t, Complex(real, imag)


def welch(x: Any, fs: float = 1.0, window: Window = "hann", nperseg: int | None = None, noverlap: int | None = None,
          nfft: int | None = None, detrend: str | bool = "constant", return_onesided: bool = True,
          scaling: str = "density", axis: int = -1, average: str = "mean") -> tuple[_gaia.Array, Any]:
    """The power spectrum averaged over segments: frequencies and powers.  Welch (1967).

    average     "mean", or "median" over its bias for Gaussian noise
    """
    return _gaia._welch(_series(x, "welch"), fs, *_window_parts(window), nperseg, noverlap, nfft, _detrend(detrend),
                        return_onesided, scaling, axis, average)


def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: int | Sequence[int] | None = None) -> Any:
    """The convolution along axes, by default all, by Fourier transforms: N log N work whatever the lengths are.

    mode        "full", n + m - 1 numbers; "same", the n in the middle; "valid", those that read nothing outside

    Along other axes, and where one of the two has length 1, they broadcast.

    Raises ShapeError for different numbers of axes and for lengths that do not fit.
    """
    if axes is not None and not isinstance(axes, int):
        axes = tuple(axes)
    return _gaia._fftconvolve(*_alike(_series(in1, "fftconvolve"), _series(in2, "fftconvolve")), mode, axes)


def _alike(*values: Any) -> tuple[Any, ...]:
    """All as tensors if one is."""
    if not any(isinstance(value, _gaia.Tensor) for value in values):
        return values
    return tuple(value if isinstance(value, _gaia.Tensor) else _gaia.Tensor(value) for value in values)


def butter(N: int, Wn: Any, btype: str = "low", analog: bool = False, output: str = "ba", fs: float | None = None) -> Any:
    """Butterworth's filter of order N, digital or analogue, with SciPy's coefficients; float64.

    Wn          the edge, or both edges of a band, in units of fs, without which 1 is half the rate; of an analogue filter
                in rad/s
    btype       "low", "high", "bandpass" or "bandstop"
    output      "ba": polynomials b and a; "zpk": zeros, poles (Complex) and gain; "sos": sections [sections, 6]

    Raises ArgumentError for edges that are not between 0 and half the rate, another order than 1 to 24, and analogue
    sections.
    """
    edges = [float(edge) for edge in np.ravel(np.asarray(Wn))]
    if output not in ("ba", "zpk", "sos"):
        raise ArgumentError(f"[butter] expected output ba, zpk or sos, got {output!r}")
    if analog and fs is not None:
        raise ArgumentError("[butter] expected no fs of an analogue filter, whose edges are in rad/s")
    rate = 2.0 if fs is None else float(fs)
    if output == "sos":
        if analog:
            raise ArgumentError("[butter] expected output ba or zpk of an analogue filter, got sos")
        return _gaia._butter_sos(N, edges, btype, rate)
    if output == "zpk":
        z, p, k = _gaia._butter_zpk(N, edges, btype, analog, rate)
        return complex_of(np.asarray(z, dtype=complex)), complex_of(np.asarray(p, dtype=complex)), k
    return tuple(_gaia.asarray(np.asarray(one)) for one in _gaia._butter_ba(N, edges, btype, analog, rate))


def sosfilt_zi(sos: Any) -> _gaia.Array:
    """State of sections at which an input that is 1 for ever gives an output that stays the same: [sections, 2]."""
    return _gaia._sosfilt_zi(_real(sos))


def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """x filtered along an axis by sections [sections, 6], one behind the other.

    Without zi it begins with zeros, and the filtered series is all that comes back.  With zi, shaped as [sections, ...]
    with 2 in place of the length of `axis`, or [sections, 2] for all series alike, the pair of series and state does,
    with which the next call goes on.  Gradients of tensors flow to x, zi and sos.

    Raises ShapeError for other shapes, ArgumentError for a section whose a0 is not 1.
    """
    if zi is None:
        return _gaia._sosfilt(*_alike(_real(sos), _series(x, "sosfilt")), axis)
    return _gaia._sosfilt_from(*_alike(_real(sos), _series(x, "sosfilt"), _real(zi)), axis)
