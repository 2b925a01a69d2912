# SPDX-License-Identifier: MIT
"""Statistics against NumPy's, over random shapes, dtypes, strides, nothing, NaN and ties; counts are printed."""
import pickle

import numpy as np
import pytest

import gaia

pytestmark = pytest.mark.filterwarnings("ignore")  # NumPy warns of NaN and nothing

DTYPES = ("float32", "float64", "int32", "int64")
METHODS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
           "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest")


def samples(count, dtypes=DTYPES, seed=3, special=True):
    """Arrays of 1 to 3 axes, some empty, some strided, with ties; those of floating numbers have NaN in them."""
    random = np.random.default_rng(seed)
    for i in range(count):
        shape = tuple(random.integers(0 if i % 7 == 0 else 1, 7, random.integers(1, 4)))
        x = random.integers(-4, 5, shape).astype(dtypes[i % len(dtypes)])
        if x.dtype.kind == "f":
            x = np.where(random.random(shape) < 0.5, x, random.normal(size=shape)).astype(x.dtype)
            if special:
                x[random.random(shape) < 0.25] = np.nan
                x[random.random(shape) < 0.02] = np.inf
        yield (x, x.T, x[..., ::-1], x[::2])[i % 4]


def axes_of(x):
    yield None
    yield from range(-1, x.ndim)
    if x.ndim > 1:
        yield (0, x.ndim - 1)


def agree(ours, theirs, x):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    tolerance = 3e-6 if x.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def test_functions_leave_out_nan():
    count = 0
    for x in samples(50):
        for axis in axes_of(x):
            for keepdims in (False, True):
                for name in ("nansum", "nanprod", "nanmean", "nanmedian", "nanmin", "nanmax"):
                    given = {"axis": axis, "keepdims": keepdims}
                    try:
                        theirs = getattr(np, name)(x, **given)
                    except ValueError:  # the extreme of nothing
                        with pytest.raises(gaia.Error):
                            getattr(gaia, name)(x, **given)
                        continue
                    if name == "nanmedian" and x.size == 0 and axis is not None and keepdims is False:
                        theirs = np.nanmean(x, **given)  # NumPy's has the shape of keepdims there
                    ours = getattr(gaia, name)(x, **given)
                    if x.dtype.kind == "f":
                        assert ours.dtype == theirs.dtype
                    agree(ours, theirs, x)
                    count += 1
                for ddof in (0, 1):
                    for name in ("nanvar", "nanstd"):
                        given = {"axis": axis, "ddof": ddof, "keepdims": keepdims}
                        agree(getattr(gaia, name)(x, **given), getattr(np, name)(x, **given), x)
                        count += 1
    print(f"{count} reductions without NaN")
    assert count > 3500


def test_positions_and_running_totals_leave_out_nan():
    count = 0
    for x in samples(100, seed=4):
        for axis in (None, *range(x.ndim)):
            for name in ("nanargmin", "nanargmax"):
                try:
                    theirs = getattr(np, name)(x, axis=axis)
                except ValueError:  # nothing, or nothing but NaN
                    with pytest.raises(gaia.Error):
                        getattr(gaia, name)(x, axis=axis)
                else:
                    agree(getattr(gaia, name)(x, axis=axis), theirs, x)
                count += 1
            for name in ("nancumsum", "nancumprod"):
                agree(getattr(gaia, name)(x, axis=axis), getattr(np, name)(x, axis=axis), x)
                count += 1
    print(f"{count} positions and running totals")
    assert count > 900


def test_quantiles_by_each_method():
    shares = [0.0, 0.05, 0.1, 0.25, 1 / 3, 0.5, 0.75, 0.9, 1.0]
    count = 0
    for number, x in enumerate(samples(25, special=False, seed=5)):
        if x.size == 0:
            continue
        exact = x.astype("float64")  # NumPy rounds shares to float32 for float32 numbers
        missing = np.where(np.random.default_rng(number).random(x.shape) < 0.3, np.nan, exact)
        for method in METHODS:
            for axis in (None, *range(x.ndim)):
                agree(gaia.quantile(x, shares, axis=axis, method=method),
                      np.quantile(exact, shares, axis=axis, method=method), x)
                agree(gaia.nanquantile(missing, shares, axis=axis, method=method),
                      np.nanquantile(missing, shares, axis=axis, method=method), missing)
                agree(gaia.percentile(x, 30, axis=axis, method=method),
                      np.percentile(exact, 30, axis=axis, method=method), x)
                count += 3
    print(f"{count} quantiles")
    assert count > 1800
    with pytest.raises(gaia.ArgumentError, match="median_unbiased"):
        gaia.quantile(np.ones(3), 0.5, method="middle")


def test_histograms():
    random = np.random.default_rng(6)
    count = 0
    for i in range(27):
        n = int(random.integers(0, 200)) if i % 9 else 0
        x = random.integers(0, 12, n) if i % 3 == 0 else random.normal(size=n)
        weights = random.random(n)
        edges = np.sort(random.integers(-3, 8, 6)).astype(float)
        rules = ["sqrt", "sturges", "rice", "scott", "fd", "doane", "auto", "stone"]
        for bins in (1, 7, edges, *([rules[i % 8]] if n else [])):
            for span in (None, (-1, 5)):
                agree(gaia.histogram_bin_edges(x, bins, span), np.histogram_bin_edges(x, bins, span), np.ones(1))
                for density in (False, True):
                    ours, theirs = gaia.histogram(x, bins, span, density), np.histogram(x, bins, span, density)
                    for a, b in zip(ours, theirs):
                        agree(a, b, np.ones(1))
                    if not isinstance(bins, str):
                        agree(gaia.histogram(x, bins, span, density, weights)[0],
                              np.histogram(x, bins, span, density, weights)[0], np.ones(1))
                    count += 2
    print(f"{count} histograms")
    assert count > 600
    with_nan = np.array([0.0, np.nan, 1.0, 2.0])
    assert gaia.histogram(with_nan, 2, (0, 2))[0].tolist() == [1, 2]
    for wrong in ({"x": with_nan}, {"x": [1.0], "bins": 0}, {"x": [1.0], "bins": "most"}, {"x": [1.0], "bins": [2.0, 1.0]},
                  {"x": [1.0], "range": (1, 0)}, {"x": [1.0], "weights": [1.0, 2.0]}):
        with pytest.raises(gaia.Error):
            gaia.histogram(**{name: np.asarray(value) if isinstance(value, list) else value
                              for name, value in wrong.items()})


def test_counts_of_whole_numbers_and_bins_of_numbers():
    random = np.random.default_rng(7)
    for i in range(200):
        n = int(random.integers(0, 50))
        x = random.integers(0, 9, n).astype(("int32", "int64")[i % 2])[:: 1 + i % 2]
        weights = random.normal(size=x.size)
        least = int(random.integers(0, 15))
        np.testing.assert_array_equal(gaia.bincount(x, minlength=least), np.bincount(x, minlength=least))
        np.testing.assert_array_equal(gaia.bincount(x, weights, least), np.bincount(x, weights, least))
        numbers = random.integers(-5, 5, (3, 4)).astype(float)
        numbers[0, 0] = np.nan
        for bins in (np.sort(random.integers(-4, 4, 5)), -np.sort(random.integers(-4, 4, 5)), np.array([1.0])):
            for right in (False, True):
                np.testing.assert_array_equal(gaia.digitize(numbers, bins, right), np.digitize(numbers, bins, right))
    for wrong in ([-1], [[1]], [0.5]):
        with pytest.raises(gaia.Error):
            gaia.bincount(np.array(wrong))
    with pytest.raises(gaia.ArgumentError):
        gaia.digitize(np.ones(2), np.array([1.0, 3.0, 2.0]))


def test_distinct_elements():
    count = 0
    for x in samples(200, seed=8):
        ours = gaia.unique(x, return_index=True, return_inverse=True, return_counts=True)
        theirs = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
        for a, b in zip(ours, theirs):
            np.testing.assert_array_equal(np.asarray(a).reshape(b.shape), b)
        assert ours[2].shape == x.shape
        np.testing.assert_array_equal(gaia.unique(x), theirs[0])
        np.testing.assert_array_equal(gaia.unique(x, return_counts=True)[1], theirs[3])
        count += 1
    print(f"{count} arrays of distinct elements")


def test_covariances_with_weights_and_averages():
    random = np.random.default_rng(9)
    for i in range(100):
        x = random.normal(size=(1 + i % 4, 12)) + 100
        frequencies = random.integers(0, 4, 12) + (1 if i % 5 == 0 else 0)
        trust = random.random(12)
        for ddof in (0, 1):
            for given in ({"fweights": frequencies}, {"aweights": trust}, {"fweights": frequencies, "aweights": trust}):
                agree(gaia.cov(x, ddof=ddof, **given), np.cov(x, ddof=ddof, **given), x)
                agree(gaia.cov(x.T, rowvar=False, ddof=ddof, **given), np.cov(x, ddof=ddof, **given), x)
        agree(gaia.average(x, 1, trust), np.average(x, 1, trust), x)
        agree(gaia.average(x, None, x), np.average(x, None, x), x)
        for a, b in zip(gaia.average(x, 1, trust, returned=True), np.average(x, 1, trust, returned=True)):
            agree(a, b, x)
    for wrong in ({"fweights": np.ones(3)}, {"aweights": -np.ones(12)}, {"fweights": np.full(12, 0.5)}):
        with pytest.raises(gaia.Error):
            gaia.cov(np.ones((2, 12)), **wrong)
    with pytest.raises(gaia.ArgumentError):
        gaia.average(np.ones(2), weights=np.array([1.0, -1.0]))


def test_covariances_of_blocks_and_parts():
    random = np.random.default_rng(10)
    x = (random.normal(size=(500, 3)) @ random.normal(size=(3, 3)) + 1e6).astype("float64")
    whole, left, right = (gaia.StreamingCovariance(3) for _ in range(3))
    for start in range(0, 500, 37):
        whole.add(x[start:start + 37])
        (left if start % 2 else right).add(x[start:start + 37])
    left.merge(right)
    left.merge(gaia.StreamingCovariance(3))
    again = pickle.loads(pickle.dumps(whole))
    for seen in (whole, left, again):
        assert seen.count == 500 and seen.variables == 3
        np.testing.assert_allclose(seen.mean(), x.mean(0), rtol=1e-14)
        np.testing.assert_allclose(seen.covariance(), np.cov(x.T), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(seen.corrcoef(), np.corrcoef(x.T), rtol=1e-9, atol=1e-9)
    one = gaia.StreamingCovariance(3)
    assert np.isnan(one.mean()).all()
    one.add(x[0])
    assert np.isnan(one.covariance()).all()
    with pytest.raises(gaia.ShapeError):
        one.add(x[:, :2])
    with pytest.raises(gaia.ShapeError):
        one.merge(gaia.StreamingCovariance(2))
