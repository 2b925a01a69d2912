# SPDX-License-Identifier: MIT
"""gaia.signal against scipy.signal, and where that is missing against numbers that it gave, and by plain loops."""
import numpy as np
import pytest

import gaia
from refused import refused

try:
    import scipy.signal
except ImportError:  # what it would tell stands below
    scipy = None
needs_scipy = pytest.mark.skipif(scipy is None, reason="SciPy is not here; stored numbers are compared instead")

WINDOWS = ["boxcar", "triang", "bartlett", "parzen", "bohman", "barthann", "cosine", "lanczos", "hann", "hamming",
           "blackman", "nuttall", "blackmanharris", "flattop", "tukey", ("tukey", 0.3), ("tukey", 0.0), ("tukey", 1.5),
           ("kaiser", 8.6), 14.0, ("gaussian", 3.0), "exponential", ("exponential", None, 3.0), ("general_gaussian", 1.5, 3.0),
           ("general_hamming", 0.7), ("general_cosine", [0.5, 0.3, 0.2]), "hann_symmetric", "hamming_periodic", "triangle",
           "han", "ggs"]


def same(ours, theirs, tolerance=1e-11):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * max(1.0, np.abs(theirs).max(initial=0.0)))


@needs_scipy
@pytest.mark.parametrize("window", [w for w in WINDOWS if w != "ggs"], ids=str)
def test_windows_are_those_of_scipy(window):
    for n in (1, 2, 3, 8, 9, 32, 51):
        for periodic in (True, False):
            same(gaia.signal.get_window(window, n, periodic), scipy.signal.get_window(window, n, periodic), 1e-13)


def test_windows_by_their_formulas():
    i = np.arange(9.0)
    same(gaia.signal.get_window("hann", 8), (0.5 - 0.5 * np.cos(2 * np.pi * i / 8))[:8], 1e-14)
    same(gaia.signal.get_window("hamming", 9, False), np.hamming(9), 1e-14)
    same(gaia.signal.get_window("blackman", 9, False), np.blackman(9), 1e-14)
    same(gaia.signal.get_window("bartlett", 9, False), np.bartlett(9), 1e-14)
    same(gaia.signal.get_window(5.0, 9, False), np.kaiser(9, 5.0), 1e-14)
    refused(gaia.Error, r"\[get_window\] expected one of .*hann.*, got 'hamm1'", lambda: gaia.signal.get_window("hamm1", 8))
    with pytest.raises(gaia.Error, match="expected 1 to 1 parameters of the window 'kaiser', got 0"):
        gaia.signal.get_window("kaiser", 8)
    refused(gaia.Error, "length of 1 or more, got 0", lambda: gaia.signal.get_window("hann", 0))


def draw(random, names):
    """Random options of spectra for a series of 300 numbers or fewer."""
    length = int(random.integers(2, 64))
    options = {"nperseg": length, "noverlap": int(random.integers(0, length)), "fs": float(random.uniform(0.5, 500.0)),
               "window": ["hann", "boxcar", ("tukey", 0.25), "hamming"][random.integers(4)],
               "detrend": [False, "constant", "linear"][random.integers(3)],
               "return_onesided": bool(random.random() < 0.7)}
    if random.random() < 0.3:
        options["nfft"] = length + int(random.integers(0, 30))
    for name, values in names.items():
        options[name] = values[random.integers(len(values))]
    return options


def series_of(random):
    shape, axis = [((180,), -1), ((150, 3), 0), ((2, 160), 1), ((2, 128, 3), -2)][random.integers(4)]
    return random.normal(size=shape) + random.normal(), axis


@needs_scipy
def test_spectra_are_those_of_scipy():
    random = np.random.default_rng(6)
    for _ in range(150):
        x, axis = series_of(random)
        options = draw(random, {"scaling": ["density", "spectrum"], "average": ["mean", "median"]}) | {"axis": axis}
        for ours, theirs in zip(gaia.signal.welch(x, **options), scipy.signal.welch(x, **options)):
            same(ours, theirs, 1e-10)
        options = draw(random, {"scaling": ["density", "spectrum"],
                                "mode": ["psd", "complex", "magnitude"]}) | {"axis": axis}
        for ours, theirs in zip(gaia.signal.spectrogram(x, **options), scipy.signal.spectrogram(x, **options)):
            same(ours, theirs, 1e-10)
        options = draw(random, {"scaling": ["psd", "spectrum"], "padded": [True, False],
                                "boundary": ["zeros", "even", "odd", "constant", None]}) | {"axis": axis}
        for ours, theirs in zip(gaia.signal.stft(x, **options), scipy.signal.stft(x, **options)):
            same(ours, theirs, 1e-10)


@needs_scipy
def test_angles_are_those_of_scipy():
    x = np.random.default_rng(7).normal(size=(2, 500))
    for mode in ("angle", "phase"):
        options = {"nperseg": 50, "mode": mode, "detrend": False}
        for ours, theirs in zip(gaia.signal.spectrogram(x, **options), scipy.signal.spectrogram(x, **options)):
            ours, theirs = np.asarray(ours), np.asarray(theirs)
            assert ours.shape == theirs.shape
            turns = np.abs(np.exp(1j * ours) - np.exp(1j * theirs)) if ours.ndim > 1 else np.abs(ours - theirs)
            assert turns.max() < 1e-9  # an angle of -pi may be pi
        if mode == "phase":
            assert np.abs(np.diff(np.asarray(gaia.signal.spectrogram(x, **options)[2]), axis=-2)).max() <= np.pi + 1e-9


@needs_scipy
def test_defaults_are_those_of_scipy():
    x = np.random.default_rng(8).normal(size=(2, 1000))
    for name in ("stft", "spectrogram", "welch"):
        for ours, theirs in zip(getattr(gaia.signal, name)(x), getattr(scipy.signal, name)(x)):
            same(ours, theirs, 1e-10)
    short = x[0, :100]  # shorter than a segment
    with pytest.warns(UserWarning):
        theirs = scipy.signal.welch(short)
    same(gaia.signal.welch(short)[1], theirs[1], 1e-10)


def test_the_series_comes_back():
    random = np.random.default_rng(9)
    for dtype, tolerance in (("float32", 2e-6), ("float64", 1e-13)):
        for nperseg, noverlap, onesided in ((16, 8, True), (15, 5, True), (16, 12, False), (64, 48, True)):
            x = random.normal(size=(2, 200)).astype(dtype)
            _, _, z = gaia.signal.stft(x, nperseg=nperseg, noverlap=noverlap, return_onesided=onesided)
            _, back = gaia.signal.istft(z, nperseg=nperseg, noverlap=noverlap, input_onesided=onesided)
            assert back.dtype == dtype
            same(np.asarray(back)[:, :200], x, tolerance)


@needs_scipy
def test_istft_is_that_of_scipy():
    random = np.random.default_rng(10)
    for _ in range(60):
        length = int(random.integers(2, 40))
        options = {"nperseg": length, "noverlap": int(random.integers(length // 2, length)), "window": "hamming",
                   "scaling": ["psd", "spectrum"][random.integers(2)], "boundary": bool(random.random() < 0.5), "fs": 3.0}
        z = random.normal(size=(2, length // 2 + 1, 9)) + 1j * random.normal(size=(2, length // 2 + 1, 9))
        same(gaia.signal.istft(z, **options)[1], scipy.signal.istft(z, **options)[1], 1e-9)
    z = np.moveaxis(z, (0, 1, 2), (1, 2, 0))
    options |= {"time_axis": 0, "freq_axis": 2}
    same(gaia.signal.istft(z, **options)[1], scipy.signal.istft(z, **options)[1], 1e-9)


def convolved(a, b):
    """The full convolution of two arrays along all axes, number by number."""
    made = np.zeros([n + m - 1 for n, m in zip(a.shape, b.shape)])
    for place in np.ndindex(b.shape):
        made[tuple(slice(i, i + n) for i, n in zip(place, a.shape))] += b[place] * a
    return made


def test_convolutions_are_those_of_a_plain_loop():
    random = np.random.default_rng(11)
    for _ in range(60):
        rank = int(random.integers(1, 4))
        a = random.normal(size=random.integers(1, 9, rank))
        b = random.normal(size=[int(random.integers(1, n + 1)) for n in a.shape])
        whole = convolved(a, b)
        same(gaia.signal.fftconvolve(a, b), whole, 1e-12)
        same(gaia.signal.fftconvolve(b, a, "valid"),
             whole[tuple(slice(m - 1, n) for n, m in zip(a.shape, b.shape))], 1e-12)
        same(gaia.signal.fftconvolve(a, b, "same"),
             whole[tuple(slice((m - 1) // 2, (m - 1) // 2 + n) for n, m in zip(a.shape, b.shape))], 1e-12)
    long = random.normal(size=5000), random.normal(size=3001)
    same(gaia.signal.fftconvolve(*long), np.convolve(*long), 1e-12)
    rows = random.normal(size=(3, 50)), random.normal(size=(1, 7))
    same(gaia.signal.fftconvolve(*rows, axes=1), [np.convolve(row, rows[1][0]) for row in rows[0]], 1e-12)
    with pytest.raises(gaia.Error, match="at least as long as the other"):
        gaia.signal.fftconvolve(np.ones((3, 2)), np.ones((2, 3)), "valid")
    refused(gaia.Error, "as many axes", lambda: gaia.signal.fftconvolve(np.ones(3), np.ones((2, 3))))


def by_place(z):
    """Complex numbers in the order of their places."""
    z = np.atleast_1d(z)
    return z[np.lexsort((np.round(z.imag, 8), np.round(z.real, 8)))]


@needs_scipy
def test_filters_are_those_of_scipy():
    compared = 0
    for order in range(1, 13):
        for btype, edges in (("low", 0.3), ("highpass", 0.1), ("bandpass", (0.1, 0.4)), ("bandstop", [0.2, 0.7])):
            for fs in (None, 250.0):
                wn = np.multiply(edges, 1.0 if fs is None else fs / 2)
                same(gaia.signal.butter(order, wn, btype, fs=fs, output="sos"),
                     scipy.signal.butter(order, wn, btype, fs=fs, output="sos"), 1e-10)
                compared += 1
            for analog in (False, True):
                for ours, theirs in zip(gaia.signal.butter(order, edges, btype, analog, "zpk"),
                                        scipy.signal.butter(order, edges, btype, analog, "zpk")):
                    # Which of two conjugates comes first is a matter of the sign of a zero.
                    same(by_place(ours), by_place(theirs), 1e-10)
                for ours, theirs in zip(gaia.signal.butter(order, edges, btype, analog),
                                        scipy.signal.butter(order, edges, btype, analog)):
                    same(ours, theirs, 1e-10)
                compared += 2
    print(f"{compared} filters compared")


def test_filters_are_those_that_scipy_gave():
    same(gaia.signal.butter(2, 0.25, output="sos"),
         [[0.09763107293781749, 0.19526214587563498, 0.09763107293781749, 1.0, -0.9428090415820634, 0.33333333333333326]],
         1e-12)
    b, a = gaia.signal.butter(3, 0.5, "high")
    same(b, [0.16666666666666666, -0.5, 0.5, -0.16666666666666666], 1e-12)
    same(a, [1.0, 0.0, 0.3333333333333333, 0.0], 1e-12)


def filtered(sos, x, state):
    """One series through sections, number by number."""
    state, made = np.array(state, dtype=float), []
    for number in x:
        for (b0, b1, b2, _, a1, a2), s in zip(sos, state):
            y = b0 * number + s[0]
            s[0] = b1 * number - a1 * y + s[1]
            s[1] = b2 * number - a2 * y
            number = y
        made.append(number)
    return np.array(made), state


def test_filtering_is_that_of_a_plain_loop():
    random = np.random.default_rng(12)
    sos = np.asarray(gaia.signal.butter(5, 0.3, output="sos"))
    x = random.normal(size=(4, 60, 2))
    zi = random.normal(size=(3, 4, 2, 2))
    ours, state = gaia.signal.sosfilt(sos, x, axis=1, zi=zi)
    alone = gaia.signal.sosfilt(sos, x, axis=1)
    for i in range(4):
        for j in range(2):
            wanted, behind = filtered(sos, x[i, :, j], zi[:, i, :, j])
            same(np.asarray(ours)[i, :, j], wanted, 1e-12)
            same(np.asarray(state)[:, i, :, j], behind, 1e-12)
            same(np.asarray(alone)[i, :, j], filtered(sos, x[i, :, j], np.zeros((3, 2)))[0], 1e-12)
    # In two parts, by the state between them, to the bit.
    first, between = gaia.signal.sosfilt(sos, x[:, :23], axis=1, zi=zi)
    rest, end = gaia.signal.sosfilt(sos, x[:, 23:], axis=1, zi=between)
    assert np.asarray(gaia.concatenate([first, rest], 1)).tobytes() == np.asarray(ours).tobytes()
    assert np.asarray(end).tobytes() == np.asarray(state).tobytes()
    # Begun at rest a constant stays one.
    still, _ = gaia.signal.sosfilt(sos, np.full((2, 50), 3.0), zi=np.asarray(gaia.signal.sosfilt_zi(sos)) * 3.0)
    same(still, np.full((2, 50), 3.0), 1e-12)
    nothing, state = gaia.signal.sosfilt(sos, np.zeros((2, 0)), zi=zi[:, :2, :, 0])
    assert nothing.shape == (2, 0) and np.asarray(state).tolist() == zi[:, :2, :, 0].tolist()
    assert gaia.signal.sosfilt(sos, np.zeros((0, 5))).shape == (0, 5)
    assert gaia.signal.sosfilt(sos.astype("float32"), x.astype("float32")).dtype == "float32"
    refused(gaia.Error, "a0 = 1", lambda: gaia.signal.sosfilt(sos * 2, x))
    refused(gaia.Error, r"\[sections, 6\]", lambda: gaia.signal.sosfilt(sos[:, :5], x))
    refused(gaia.Error, "expected a state of shape", lambda: gaia.signal.sosfilt(sos, x, axis=1, zi=zi[1:]))


@needs_scipy
def test_filtering_is_that_of_scipy():
    sos = scipy.signal.butter(4, (0.1, 0.3), "bandpass", output="sos")
    x = np.random.default_rng(13).normal(size=(3, 5, 40))
    for axis in (0, 1, 2, -1):
        same(gaia.signal.sosfilt(sos, x, axis), scipy.signal.sosfilt(sos, x, axis), 1e-11)
    same(gaia.signal.sosfilt_zi(sos), scipy.signal.sosfilt_zi(sos), 1e-10)


def test_gradients_are_those_of_differences():
    from fourier_test import gradient
    random = np.random.default_rng(14)
    x = random.normal(size=(2, 24))
    sos = np.asarray(gaia.signal.butter(3, 0.3, output="sos"))
    zi = random.normal(size=(2, 2, 2))
    pairs = [
        (lambda a: abs(gaia.signal.stft(a, nperseg=8, detrend="linear", boundary="odd")[2]).sum(), (x,)),
        (lambda a: gaia.signal.istft(gaia.signal.stft(a, nperseg=8)[2], nperseg=8)[1].sum(), (x,)),
        (lambda a: (gaia.signal.welch(a, nperseg=7, noverlap=3)[1] ** 2).sum(), (x,)),
        (lambda a: (gaia.signal.spectrogram(a, nperseg=8)[2] ** 2).sum(), (x,)),
        (lambda a, b: (gaia.signal.fftconvolve(a, b, "same") ** 2).sum(), (x, x[:1, :5].copy())),
        (lambda a, b: (gaia.signal.sosfilt(sos, a, zi=b)[0] ** 2).sum(), (x, zi)),
        (lambda a, b: (gaia.signal.sosfilt(sos, a, zi=b)[1] ** 2).sum(), (x, zi)),
    ]
    for f, values in pairs:
        for ours, wanted in zip(*gradient(f, *values)):
            np.testing.assert_allclose(ours, wanted, rtol=2e-5, atol=2e-6)

    def by_coefficients(free):  # a0 stays 1
        return (gaia.signal.sosfilt(free * np.array([1, 1, 1, 0, 1, 1]) + np.array([0, 0, 0, 1, 0, 0]), x) ** 2).sum()

    for ours, wanted in zip(*gradient(by_coefficients, sos)):
        np.testing.assert_allclose(ours, wanted, rtol=2e-5, atol=2e-6)


def test_errors_name_the_argument():
    x = np.ones(20)
    for call, what in (
            (lambda: gaia.signal.stft(x, nperseg=8, noverlap=8), r"\[stft\] expected noverlap from 0 to below nperseg = 8"),
            (lambda: gaia.signal.welch(x, nperseg=8, nfft=4), r"\[welch\] expected nfft of nperseg = 8 or more, got 4"),
            (lambda: gaia.signal.spectrogram(x, mode="loud"), "expected mode to be one of psd"),
            (lambda: gaia.signal.stft(x, boundary="cliff"), "expected boundary to be one of none, zeros"),
            (lambda: gaia.signal.stft(x, scaling="density"), r"\[stft\] expected scaling spectrum or psd"),
            (lambda: gaia.signal.welch(x, detrend="quadratic"), "expected detrend to be one of"),
            (lambda: gaia.signal.welch(x, fs=0.0), r"\[welch\] expected fs above 0"),
            (lambda: gaia.signal.welch(x, window=np.ones(30)), "no longer than the series of 20, got 30"),
            (lambda: gaia.signal.welch(np.ones((3, 0))), "expected a series with numbers"),
            (lambda: gaia.signal.welch(x + 1j), r"\[welch\] expected real numbers"),
            (lambda: gaia.signal.istft(x), r"\[istft\] expected axes of frequencies and of times"),
            (lambda: gaia.signal.butter(4, 1.0), "below half the rate"),
            (lambda: gaia.signal.butter(4, 0.5, "wide"), "expected btype to be one of"),
            (lambda: gaia.signal.butter(4, 0.5, output="abc"), "expected output ba, zpk or sos"),
            (lambda: gaia.signal.butter(4, 0.5, analog=True, output="sos"), "expected output ba or zpk of an analogue")):
        refused(gaia.Error, what, call)
