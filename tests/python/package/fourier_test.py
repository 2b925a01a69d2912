# SPDX-License-Identifier: MIT
"""gaia.fft against numpy.fft: shapes, lengths, dtypes, strides, norms, gradients, errors."""
import numpy as np
import pytest

import gaia
from refused import refused

TOLERANCE = {"float32": 3e-6, "float64": 1e-14}


def close(ours, theirs, dtype):
    """Equal to rounding, relative to the largest number of each row of a transform."""
    ours = np.asarray(ours)
    assert ours.shape == theirs.shape
    if not theirs.size:
        return
    largest = max(np.abs(theirs).max(), 1.0)
    # NumPy transforms float32 in float32 since 2.0, before that in float64.
    assert np.abs(ours - theirs).max() <= TOLERANCE[dtype] * largest * 4


def laid_out(random, x):
    """x in memory of another order: transposed, every second number, or backwards."""
    kind = random.integers(4)
    if kind == 1:
        return np.ascontiguousarray(x.T).T
    if kind == 2:
        larger = np.full(tuple(2 * n for n in x.shape), np.nan, x.dtype)
        view = larger[tuple(slice(0, 2 * n, 2) for n in x.shape)]
        view[...] = x
        return view
    if kind == 3:
        return np.ascontiguousarray(x[::-1])[::-1]
    return x


def cases(count, seed):
    """Shapes of one to three axes, some of them empty but for the one that is transformed."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        rank = int(random.integers(1, 4))
        shape = [int(n) for n in random.integers(0, 6, rank)]
        axis = int(random.integers(-rank, rank))
        shape[axis] = int(random.choice([1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 30, 31, 53, 64, 97, 100, 127, 211, 360]))
        n = None if random.random() < 0.6 else int(random.integers(1, 2 * shape[axis] + 2))
        norm = [None, "backward", "ortho", "forward"][random.integers(4)]
        dtype = ["float32", "float64"][random.integers(2)]
        yield random, tuple(shape), axis, n, norm, dtype


def test_transforms_are_those_of_numpy():
    compared = 0
    for random, shape, axis, n, norm, dtype in cases(300, 1):
        x = laid_out(random, random.normal(size=shape).astype(dtype))
        z = (x + 1j * random.normal(size=shape)).astype("complex64" if dtype == "float32" else "complex128")
        more = {"n": n, "axis": axis, "norm": norm}
        close(gaia.fft.fft(z, **more), np.fft.fft(z, **more), dtype)
        close(gaia.fft.fft(x, **more), np.fft.fft(x, **more), dtype)
        close(gaia.fft.ifft(z, **more), np.fft.ifft(z, **more), dtype)
        half = gaia.fft.rfft(x, **more)
        close(half, np.fft.rfft(x, **more), dtype)
        assert half.real.dtype == dtype and np.asarray(half).dtype == z.dtype
        compared += 4
        if n is not None or shape[axis] > 1:
            close(gaia.fft.irfft(z, **more), np.fft.irfft(z, **more), dtype)
            compared += 1
    print(f"{compared} transforms compared")
    assert compared > 1400


@pytest.mark.parametrize("n", [1000, 1009, 2048, 2053, 3125, 4096, 6007, 10007, 20000, 65536])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_long_rows_are_those_of_numpy(n, dtype):
    random = np.random.default_rng(n)
    x = random.normal(size=(3, n)).astype(dtype)
    z = (x + 1j * random.normal(size=(3, n))).astype("complex64" if dtype == "float32" else "complex128")
    # The right numbers are those of float64, which float32 nears by its own rounding.
    close(gaia.fft.fft(z), np.fft.fft(z.astype("complex128")), dtype)
    close(gaia.fft.rfft(x), np.fft.rfft(x.astype("float64")), dtype)
    close(gaia.fft.irfft(gaia.fft.rfft(x), n), x, dtype)


def test_two_axes_are_those_of_numpy():
    random = np.random.default_rng(2)
    z = random.normal(size=(3, 4, 5)) + 1j * random.normal(size=(3, 4, 5))
    for more in ({}, {"s": (6, 3)}, {"axes": (0, 2)}, {"axes": (2, 0), "s": (4, 4), "norm": "ortho"}, {"axes": (-3,)},
                 {"norm": "forward"}):
        close(gaia.fft.fft2(z, **more), np.fft.fft2(z, **more), "float64")
        close(gaia.fft.ifft2(z, **more), np.fft.ifft2(z, **more), "float64")
    close(gaia.fft.fft2(z.real), np.fft.fft2(z.real), "float64")


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_frequencies_and_shifts_are_those_of_numpy(n):
    np.testing.assert_array_equal(gaia.fft.fftfreq(n, 0.25).numpy(), np.fft.fftfreq(n, 0.25))
    np.testing.assert_array_equal(gaia.fft.rfftfreq(n, 0.3).numpy(), np.fft.rfftfreq(n, 0.3))
    x = np.arange(3.0 * n).reshape(3, n)
    for axes in (None, 0, (1,), (0, 1)):
        np.testing.assert_array_equal(np.asarray(gaia.fft.fftshift(x, axes)), np.fft.fftshift(x, axes))
        np.testing.assert_array_equal(np.asarray(gaia.fft.ifftshift(x + 1j, axes)), np.fft.ifftshift(x + 1j, axes))


def test_other_numbers_are_taken():
    whole = np.arange(12).reshape(3, 4)
    close(gaia.fft.rfft(whole), np.fft.rfft(whole), "float64")
    assert gaia.fft.rfft(whole).real.dtype == "float64"
    close(gaia.fft.rfft(whole > 4), np.fft.rfft(whole > 4), "float64")
    close(gaia.fft.fft([1.0, 2.0, 3.0]), np.fft.fft([1.0, 2.0, 3.0]), "float64")
    half = gaia.array(whole, dtype="bfloat16")
    assert gaia.fft.rfft(half).real.dtype == "float32"
    spoilt = np.ones((2, 8), "float32")
    spoilt[0, 3] = np.nan
    shown = np.asarray(gaia.fft.rfft(spoilt))
    assert np.isnan(shown[0]).all() and np.isfinite(shown[1]).all()


def test_threads_and_other_rows_do_not_change_bits():
    x = np.random.default_rng(3).normal(size=(37, 1000)).astype("float32")
    long = np.random.default_rng(4).normal(size=100_000)
    before = gaia.num_threads()
    try:
        shown = []
        for threads in (1, 2, 5):
            gaia.set_num_threads(threads)
            shown.append((np.asarray(gaia.fft.rfft(x)), np.asarray(gaia.fft.rfft(long))))
    finally:
        gaia.set_num_threads(before)
    for rows, row in shown[1:]:
        assert rows.tobytes() == shown[0][0].tobytes() and row.tobytes() == shown[0][1].tobytes()
    for i in (0, 5, 36):
        assert np.asarray(gaia.fft.rfft(x[i])).tobytes() == shown[0][0][i].tobytes()


def gradient(f, *values):
    """Gradients by automatic differentiation and by central differences."""
    leaves = [gaia.Tensor(value, requires_grad=True) for value in values]
    f(*leaves).backward()
    differences = []
    for which, value in enumerate(values):
        moved = np.zeros_like(value)
        for place in np.ndindex(value.shape):
            around = []
            for step in (1e-6, -1e-6):
                changed = [one.copy() for one in values]
                changed[which][place] += step
                around.append(f(*map(gaia.Tensor, changed)).item())
            moved[place] = (around[0] - around[1]) / 2e-6
        differences.append(moved)
    return [leaf.grad.numpy() for leaf in leaves], differences


@pytest.mark.parametrize("n", [None, 3, 5, 8, 11])
def test_gradients_are_those_of_differences(n):
    random = np.random.default_rng(5)
    x, y = random.normal(size=(2, 2, 6))
    weights = [gaia.Tensor(random.normal(size=(2, 12))) for _ in range(2)]

    def weighted(z):
        parts = (z.real, z.imag) if isinstance(z, gaia.Complex) else (z,)
        return sum((part * w[:, :part.shape[-1]]).sum() for part, w in zip(parts, weights))

    for f in (lambda a, b: weighted(gaia.fft.fft(gaia.Complex(a, b), n)),
              lambda a, b: weighted(gaia.fft.ifft(gaia.Complex(a, b), n, norm="ortho")),
              lambda a, b: weighted(gaia.fft.irfft(gaia.Complex(a, b), n)),
              lambda a, b: weighted(gaia.fft.rfft(a * b, n, norm="forward"))):
        for ours, wanted in zip(*gradient(f, x, y)):
            np.testing.assert_allclose(ours, wanted, rtol=1e-5, atol=1e-7)


def test_errors_name_the_argument():
    refused(gaia.Error, r"\[fft\] expected a length n of 1 or more, got 0", lambda: gaia.fft.fft([1.0, 2.0], n=0))
    with pytest.raises(gaia.Error, match=r"\[rfft\] .*norm backward, ortho or forward, got sideways"):
        gaia.fft.rfft([1.0, 2.0], norm="sideways")
    refused(gaia.Error, r"\[irfft\] expected a length n of 1 or more", lambda: gaia.fft.irfft([1.0]))
    refused(gaia.Error, "axis", lambda: gaia.fft.ifft(np.ones(3), axis=1))
    refused(gaia.Error, r"\[fft2\] expected as many lengths s as axes", lambda: gaia.fft.fft2(np.ones((3, 3)), s=(2,)))
    refused(gaia.Error, r"\[fftfreq\]", lambda: gaia.fft.fftfreq(0))
    with pytest.raises(gaia.Error, match="real and an imaginary part of one shape"):
        gaia.fft.fft(gaia.Complex(gaia.zeros((2,)), gaia.zeros((3,))))


def test_devices_give_the_same_numbers(device):
    x = np.random.default_rng(6).normal(size=(3, 50)).astype("float32")
    wanted = np.fft.rfft(x.astype("float64"))
    sos = np.asarray(gaia.signal.butter(2, 0.3, output="sos"))
    filtered_there, spectrum_there = gaia.signal.sosfilt(sos, x), gaia.signal.welch(x, nperseg=16)
    gaia.set_device(device)
    here = gaia.Array(x).to(device)
    half = gaia.fft.rfft(here)
    assert half.real.device == half.imag.device == here.device
    close(half, wanted, "float32")
    back = gaia.fft.irfft(half, 50)
    assert back.device == here.device
    close(back, x, "float32")
    filtered = gaia.signal.sosfilt(sos, here)
    assert filtered.device == here.device
    np.testing.assert_allclose(np.asarray(filtered), np.asarray(filtered_there), rtol=1e-6, atol=1e-6)
    for ours, theirs in zip(gaia.signal.welch(here, nperseg=16), spectrum_there):
        np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-4, atol=1e-6)
