# SPDX-License-Identifier: MIT
"""gaia.linalg compared with numpy.linalg, over random shapes, dtypes and strides."""
import numpy as np
import pytest

import gaia
from gaia import linalg
from refused import refused

TOLERANCE = {"float32": 2e-3, "float64": 1e-9}


def numbers(x):
    return np.asarray(x) if isinstance(x, gaia.Complex) else gaia.to_numpy(x)


def close(ours, theirs, dtype, scale=1.0):
    ours = numbers(ours)
    assert ours.shape == np.shape(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=TOLERANCE[dtype] * scale, atol=TOLERANCE[dtype] * scale)


def batches(random, rows=None):
    """Random matrices of random sides and batches, contiguous, turned and sliced."""
    for dtype in ("float32", "float64"):
        for _ in range(20):
            n = int(random.integers(0, 7))
            m = n if rows is None else int(random.integers(0, 7))
            leading = tuple(random.integers(0, 3, random.integers(0, 3)))
            x = random.normal(size=(*leading, m, n)).astype(dtype)
            layout = random.integers(0, 3)
            if layout == 1:
                x = np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)
            if layout == 2:
                x = np.repeat(x, 2, axis=-1)[..., ::2]
            yield dtype, x


def test_square_matrices_as_numpy():
    random = np.random.default_rng(0)
    compared = 0
    for dtype, x in batches(random):
        a = x + 3 * np.eye(x.shape[-1], dtype=dtype)
        b = random.normal(size=(*x.shape[:-1], 2)).astype(dtype)
        close(linalg.solve(a, b), np.linalg.solve(a, b), dtype)
        close(linalg.inv(a), np.linalg.inv(a), dtype)
        close(linalg.det(a), np.linalg.det(a), dtype, 100)
        ours, theirs = linalg.slogdet(a), np.linalg.slogdet(a)
        close(ours.sign, theirs[0], dtype)
        close(ours.logabsdet, theirs[1], dtype)
        positive = x @ x.swapaxes(-1, -2) + np.eye(x.shape[-1], dtype=dtype)
        close(linalg.cholesky(positive), np.linalg.cholesky(positive), dtype)
        symmetric = x + x.swapaxes(-1, -2)
        for side in "LU":
            close(linalg.eigvalsh(symmetric, UPLO=side), np.linalg.eigvalsh(symmetric, UPLO=side), dtype)
            values, vectors = linalg.eigh(symmetric, UPLO=side)
            v = numbers(vectors)
            close(values, np.linalg.eigvalsh(symmetric), dtype)
            np.testing.assert_allclose(symmetric @ v, v * numbers(values)[..., None, :], atol=TOLERANCE[dtype] * 10)
        if x.size:
            ours, theirs = numbers(linalg.eigvals(x)), np.linalg.eigvals(x)
            np.testing.assert_allclose(np.sort_complex(ours), np.sort_complex(theirs), atol=TOLERANCE[dtype] * 10)
            values, vectors = (numbers(part) for part in linalg.eig(x))
            np.testing.assert_allclose(x @ vectors, vectors * values[..., None, :], atol=TOLERANCE[dtype] * 10)
        compared += 1
    print(f"{compared} batches of square matrices compared")


def test_matrices_of_any_sides_as_numpy():
    random = np.random.default_rng(1)
    compared = 0
    for dtype, x in batches(random, rows=True):
        for full in (True, False):
            u, s, vt = (numbers(part) for part in linalg.svd(x, full_matrices=full))
            expected = np.linalg.svd(x, full_matrices=full)
            assert [part.shape for part in (u, s, vt)] == [part.shape for part in expected]
            np.testing.assert_allclose(s, expected[1], rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
            k = s.shape[-1]
            np.testing.assert_allclose(u[..., :k] * s[..., None, :] @ vt[..., :k, :], x, atol=TOLERANCE[dtype])
        close(linalg.svd(x, compute_uv=False), expected[1], dtype)
        for mode in ("reduced", "complete"):
            ours, theirs = linalg.qr(x, mode), np.linalg.qr(x, mode)
            assert numbers(ours.Q).shape == theirs[0].shape and numbers(ours.R).shape == theirs[1].shape
            np.testing.assert_allclose(numbers(ours.Q) @ numbers(ours.R), x, atol=TOLERANCE[dtype])
        assert np.array_equal(numbers(linalg.qr(x, "r")), numbers(linalg.qr(x).R))
        close(linalg.pinv(x), np.linalg.pinv(x, rcond=1e-15) if x.size else np.zeros((*x.shape[:-2], *x.shape[:-3:-1])),
              dtype, 10)
        if x.size:
            assert np.array_equal(numbers(linalg.matrix_rank(x)), np.linalg.matrix_rank(x))
        if x.ndim == 2:
            b = random.normal(size=(len(x), 3)).astype(dtype)
            ours, theirs = linalg.lstsq(x, b), np.linalg.lstsq(x, b, rcond=None)
            close(ours[0], theirs[0], dtype, 10)
            close(ours[1], theirs[1], dtype, 10)
            assert int(ours[2]) == theirs[2]
            close(ours[3], theirs[3], dtype)
        compared += 1
    print(f"{compared} batches of matrices compared")


def test_products_as_numpy():
    random = np.random.default_rng(2)
    for _ in range(40):
        a = random.normal(size=tuple(random.integers(0, 4, random.integers(1, 4))))
        b = random.normal(size=tuple(random.integers(0, 4, random.integers(1, 4))))
        close(gaia.kron(a, b), np.kron(a, b), "float64")
    x, y = random.normal(size=(2, 3, 4)), random.normal(size=(3, 4, 5))
    for axes in (0, 2, ([1, 2], [0, 1]), ([2], [1]), ([-1], [-2])):
        close(gaia.tensordot(x, y, axes), np.tensordot(x, y, axes), "float64")
    close(linalg.expm(np.zeros((3, 3))), np.eye(3), "float64")
    expm = pytest.importorskip("scipy.linalg").expm
    for scale in (0.01, 1, 30):
        a = scale * random.normal(size=(5, 5))
        np.testing.assert_allclose(numbers(linalg.expm(a)), expm(a), rtol=1e-8)


def test_norms_and_traces_as_numpy():
    random = np.random.default_rng(4)
    compared = 0
    for shape in ((5,), (3, 4), (4, 3), (2, 3, 4)):
        x = random.normal(size=shape)
        axes = [None, 0, -1] + [(0, 1), (-1, 0), (-2, -1)] * (len(shape) > 1)
        for axis in axes:
            sides = len(shape) if axis is None else 1 if isinstance(axis, int) else 2
            orders = {1: (None, 0, 1, 2, 3, np.inf, -np.inf), 2: (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)}
            for ord in orders.get(sides, (None,)):
                for keepdims in (False, True):
                    close(linalg.norm(x, ord, axis, keepdims), np.linalg.norm(x, ord, axis, keepdims), "float64")
                    compared += 1
        if len(shape) > 1:
            close(linalg.trace(x, offset=1), np.trace(x, 1, -2, -1), "float64")
    print(f"{compared} norms compared")
    refused(gaia.ArgumentError, r"\[norm\] expected ord", lambda: linalg.norm(np.eye(2), 3))
    refused(gaia.ArgumentError, "name them by axis", lambda: linalg.norm(np.zeros((2, 2, 2)), 2))


def test_edges_as_numpy():
    for x in (np.zeros(3), np.ones(3), np.array(2.0)):
        assert int(linalg.matrix_rank(x)) == np.linalg.matrix_rank(x)
    # Without columns the residuals are the lengths of B; a negative rcond is the spacing at 1.
    b = np.arange(8.0).reshape(4, 2)
    close(linalg.lstsq(np.zeros((4, 0)), b)[1], np.linalg.lstsq(np.zeros((4, 0)), b, rcond=None)[1], "float64")
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    close(linalg.lstsq(singular, b[:2], rcond=-1)[0], np.linalg.lstsq(singular, b[:2], rcond=-1)[0], "float64")
    for axes in ((1, 0), ([1], 0), (0, 1)):
        close(gaia.tensordot(singular, singular + 1, axes), np.tensordot(singular, singular + 1, axes), "float64")
    refused(gaia.ArgumentError, "not positive definite", lambda: linalg.cholesky(np.full((2, 2), np.nan)))
    assert np.isnan(float(linalg.det(np.full((2, 2), np.nan))))


def test_tensors_have_gradients():
    x = np.random.default_rng(3).normal(size=(4, 4)) + 4 * np.eye(4)
    t = gaia.Tensor(x, True)
    linalg.det(t).backward()
    close(t.grad, np.linalg.det(x) * np.linalg.inv(x).T, "float64", 100)
    t = gaia.Tensor(x, True)
    linalg.eigvals(t).real.sum().backward()  # the trace
    close(t.grad, np.eye(4), "float64")


def test_what_is_wrong_is_said():
    refused(gaia.ArgumentError, r"\[inv\] the matrix is singular", lambda: linalg.inv(np.ones((2, 2))))
    refused(gaia.ShapeError, r"\[det\] expected square matrices", lambda: linalg.det(np.ones((2, 3))))
    refused(gaia.ArgumentError, r"\[eigh\] expected UPLO 'L' or 'U', got 'M'", lambda: linalg.eigh(np.eye(2), UPLO="M"))
    refused(gaia.ArgumentError, r"\[qr\] expected mode", lambda: linalg.qr(np.eye(2), "full"))
    refused(gaia.ArgumentError, "expected finite numbers", lambda: linalg.svd(np.full((2, 2), np.nan)))
    assert linalg.library().split()[0] in ("OpenBLAS", "Eigen")
