# SPDX-License-Identifier: MIT
"""Estimates that are fused, compared with NumPy."""
import numpy as np
import pytest

import gaia
from refused import refused


def errors_of(rows, estimates, numbers, seed, common=0.5):
    """Errors of which a share of the variance is common to all estimates."""
    draw = np.random.default_rng(seed)
    shared = draw.normal(size=(rows, 1, numbers)) * np.sqrt(common)
    return shared + draw.normal(size=(rows, estimates, numbers)) * np.sqrt(1 - common)


def fused_by_numpy(m, s, kept):
    """The best linear estimate of those that are kept, and its covariance."""
    numbers = m.shape[1]
    index = np.concatenate([np.arange(i * numbers, (i + 1) * numbers) for i in np.flatnonzero(kept)])
    j = np.tile(np.eye(numbers), (kept.sum(), 1))
    q = np.linalg.solve(s[np.ix_(index, index)], j)
    p = np.linalg.inv(j.T @ q)
    return p @ q.T @ m[kept].ravel(), p


@pytest.mark.parametrize("estimates, numbers", [(2, 1), (3, 2), (5, 4)])
def test_the_fusion_is_that_of_numpy(estimates, numbers):
    before = errors_of(800, estimates, numbers, 1)
    s = gaia.Consensus.covariance_of(before)
    flat = before.reshape(800, -1)
    np.testing.assert_allclose(s, flat.T @ flat / 800, rtol=1e-12, atol=1e-12)
    consensus = gaia.Consensus(s, estimates)
    rows = errors_of(200, estimates, numbers, 2)
    rows[::7, 0] += 30.0
    all_rows = consensus.fuse(rows)
    assert all_rows.mean.shape == (200, numbers) and all_rows.covariance.shape == (200, numbers, numbers)
    assert all_rows.outlier.dtype == bool and all_rows.outlier.shape == (200, estimates)
    for row, mean, covariance, outlier in zip(rows, *all_rows):
        expected, p = fused_by_numpy(row, s, ~outlier)
        np.testing.assert_allclose(mean, expected, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(covariance, p, rtol=1e-10, atol=1e-10)
        one = consensus.fuse(row)
        assert one.mean.tobytes() == mean.tobytes() and (one.outlier == outlier).all()
    if estimates > 2:
        assert all_rows.outlier[::7, 0].all()
        assert all_rows.outlier.mean() < 1 / 7 / estimates + 0.02
    else:
        assert not all_rows.outlier.any()
    np.testing.assert_allclose(consensus.covariance_of_all, fused_by_numpy(rows[0], s, np.ones(estimates, bool))[1])
    np.testing.assert_allclose(consensus.errors, s)


def test_what_is_common_makes_it_no_surer():
    rows = errors_of(4000, 5, 4, 3)
    s = np.kron(0.5 * np.ones((5, 5)) + 0.5 * np.eye(5), np.eye(4))
    nees = {}
    for name, of, covariance in (("joint", s, "joint"), ("alone", np.eye(20), "joint"), ("careful", s, "intersection")):
        fused = gaia.Consensus(of, 5, covariance=covariance).fuse(rows)
        nees[name] = np.einsum("ri,rij,rj->r", fused.mean, np.linalg.inv(fused.covariance), fused.mean).mean() / 4
    assert nees["joint"] == pytest.approx(1.0, abs=0.05)
    assert nees["alone"] == pytest.approx(3.0, abs=0.15)
    assert nees["careful"] == pytest.approx(0.6, abs=0.03)


def test_single_numbers_need_no_axis():
    consensus = gaia.Consensus(np.eye(3), 3)
    fused = consensus.fuse([1.0, 2.0, 50.0])
    assert fused.outlier.tolist() == [False, False, True]
    assert fused.mean[0] == pytest.approx(1.5)
    assert consensus.fuse([[1.0], [2.0], [50.0]]).mean == fused.mean
    assert np.isnan(consensus.fuse([1.0, np.nan, 2.0]).mean).all()
    assert "3 estimates of 1 numbers" in repr(consensus)
    assert consensus.limit == pytest.approx(10.8276, abs=1e-4)


@pytest.mark.parametrize("errors, estimates, kind, message", [
    (np.eye(4), 3, gaia.errors.ShapeError, "got \\[4, 4\\]"),
    (np.ones(4), 2, gaia.errors.ShapeError, "got \\[4\\]"),
    (np.eye(1), 1, gaia.errors.ArgumentError, "2 to 1024 estimates"),
    (np.ones((2, 2)), 2, gaia.errors.ArgumentError, "singular"),
    (np.array([[1.0, 0.5], [0.1, 1.0]]), 2, gaia.errors.ArgumentError, "not symmetric"),
    (np.diag([1.0, np.nan]), 2, gaia.errors.ArgumentError, "NaN")])
def test_errors_that_are_no_covariance(errors, estimates, kind, message):
    refused(kind, message, lambda: gaia.Consensus(errors, estimates))


def test_other_shapes_and_words():
    consensus = gaia.Consensus(np.eye(4), 2)
    for estimates in (np.ones(4), np.ones((2, 3)), np.ones((1, 1, 2, 2))):
        refused(gaia.errors.ShapeError, "expected estimates", lambda: consensus.fuse(estimates))
    refused(gaia.errors.ArgumentError, "joint", lambda: gaia.Consensus(np.eye(4), 2, covariance="jointly"))
    refused(gaia.errors.ShapeError, "expected errors", lambda: gaia.Consensus.covariance_of(np.zeros((0, 2))))
