# SPDX-License-Identifier: MIT
"""gaia's functions of arrays against NumPy's: dtypes, views, broadcasting, nothing, NaN and infinity.

Examples are drawn by hypothesis: 25 of each, always the same; 500, other ones each time, where GAIA_LONG_TESTS=1.
"""
import math
import operator
import os

import numpy as np
import pytest

import gaia

pytest.importorskip("hypothesis", reason="hypothesis is not installed (python3-hypothesis): properties are not tested")

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

LONG = os.environ.get("GAIA_LONG_TESTS") == "1"
settings.register_profile("gaia", max_examples=500 if LONG else 25, derandomize=not LONG, deadline=None, database=None,
                          print_blob=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much,
                                                                     HealthCheck.data_too_large,
                                                                     HealthCheck.function_scoped_fixture])
settings.load_profile("gaia")

FLOATS = ("float32", "float64")
WHOLE = ("int32", "int64")
NUMBERS = FLOATS + WHOLE
ALL = NUMBERS + ("bool",)
EXACT = {"rtol": 0, "atol": 0}

pytestmark = pytest.mark.filterwarnings("ignore")  # NumPy warns of NaN, overflow and nothing


def elements(dtype, special=True, bound=1e4):
    """Numbers of a dtype: whole ones, others, and NaN, infinities, -0.0 and the smallest there are."""
    if dtype == "bool":
        return st.booleans()
    if dtype in WHOLE:
        return st.integers(-100, 100)
    numbers = st.floats(-bound, bound, width=32) | st.integers(-5, 5).map(float)
    if special:
        numbers |= st.sampled_from([math.nan, math.inf, -math.inf, -0.0, float(np.finfo(dtype).tiny)])
    return numbers


SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@st.composite
def views(draw, x):
    """A view of the same kind of numbers: turned, cut, reversed, widened."""
    kind = draw(st.sampled_from(["as it is", "transposed", "reversed", "part", "fortran", "broadcast", "flat"]))
    if kind == "transposed":
        return x.transpose(draw(st.permutations(range(x.ndim))))
    if kind == "reversed":
        return x[tuple(slice(None, None, -1) for _ in range(x.ndim))]
    if kind == "part" and x.ndim:
        return x[draw(hnp.basic_indices(x.shape, allow_newaxis=True, allow_ellipsis=True))]
    if kind == "fortran":
        return np.asfortranarray(x)
    if kind == "broadcast" and x.ndim < 4:
        return np.broadcast_to(x, (draw(st.integers(0, 3)), *x.shape))
    if kind == "flat":
        return x.reshape(-1)[draw(st.integers(0, 2)):]
    return x


@st.composite
def arrays(draw, dtypes=ALL, shapes=SHAPES, special=True, bound=1e4, viewed=True):
    dtype = draw(st.sampled_from(dtypes))
    x = draw(hnp.arrays(dtype, shapes, elements=elements(dtype, special, bound)))
    return np.asarray(draw(views(x))) if viewed else x


@st.composite
def pairs(draw, dtypes=ALL, special=True, bound=1e4):
    """Two arrays whose shapes broadcast, each a view, of dtypes of their own."""
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3, min_side=0)).input_shapes
    made = []
    for shape in shapes:
        x = draw(arrays(dtypes, st.just(shape), special, bound, viewed=False))
        if draw(st.booleans()):
            x = np.flip(x)
        x = np.asfortranarray(x) if draw(st.booleans()) else x
        # Before NumPy 2 arrays without axes promoted by their values.
        made.append(np.atleast_1d(x) if np.lib.NumpyVersion(np.__version__) < "2.0.0" else x)
    return made


def tolerance(*arrays_):
    is_single = any(x.dtype == np.float32 for x in arrays_)
    return {"rtol": 2e-5, "atol": 1e-6} if is_single else {"rtol": 1e-10, "atol": 1e-12}


def check(ours, theirs, rtol=0, atol=0, dtype=None):
    """The same shape, NaN at the same places, and numbers as near as that; the dtype where it is said."""
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape
    if dtype is not None:
        assert ours.dtype == str(np.dtype(dtype)), f"expected {np.dtype(dtype)}, got {ours.dtype}"
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=rtol, atol=atol)


def fails_alike(function, theirs):
    """NumPy's answer, or None where it has none; then gaia has none either."""
    try:
        return theirs()
    except (ValueError, IndexError):
        with pytest.raises((ValueError, IndexError)):
            function()
        return None


# One array

KEEP = ["abs", "square"]
SIGNED = ["negative", "sign"]
OF_FLOATS = ["sqrt", "reciprocal", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin",
             "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"]
ROUNDING = ["floor", "ceil", "trunc", "round"]


@pytest.mark.parametrize("name", KEEP + SIGNED)
@given(data=st.data())
def test_arithmetic_of_one_array(name, data):
    x = data.draw(arrays(NUMBERS))
    check(getattr(gaia, name)(gaia.Array(x)), getattr(np, name)(x), **EXACT, dtype=x.dtype)


@pytest.mark.parametrize("name", OF_FLOATS)
@given(x=arrays(bound=50))
def test_functions_of_one_array(name, x):
    ours = getattr(gaia, name)(gaia.Array(x))
    wide = x if x.dtype in FLOATS else x.astype(np.float64)
    check(ours, getattr(np, name)(wide), rtol=2e-5 if x.dtype == np.float32 else 1e-12,
          atol=1e-5 if x.dtype == np.float32 else 1e-13, dtype=wide.dtype)


@pytest.mark.parametrize("name", ROUNDING)
@given(x=arrays())
def test_rounding(name, x):
    check(getattr(gaia, name)(gaia.Array(x)), getattr(np, name)(x), **EXACT, dtype=x.dtype)


@given(x=arrays(FLOATS, bound=100), decimals=st.integers(-2, 3))
def test_rounding_to_decimals(x, decimals):
    check(gaia.round(x, decimals), np.round(x, decimals), **tolerance(x))


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite", "logical_not"])
@given(x=arrays())
def test_questions(name, x):
    check(getattr(gaia, name)(gaia.Array(x)), getattr(np, name)(x), dtype=bool)


@given(x=arrays(FLOATS, bound=30))
def test_activations(x):
    wide = x.astype(np.float64)
    near = {"rtol": 2e-5, "atol": 1e-6}
    check(gaia.sigmoid(x), 1 / (1 + np.exp(-wide)), **near)
    check(gaia.relu(x), np.where(np.isnan(x), x, np.maximum(x, 0)), **EXACT)
    check(gaia.leaky_relu(x), np.where(wide > 0, wide, 0.01 * wide), **near)
    check(gaia.softplus(x), np.logaddexp(0, wide), **near)
    erf = np.vectorize(lambda v: math.erf(v), otypes=[float])(wide)
    check(gaia.erf(x), erf, **near)
    check(gaia.erfc(x), 1 - erf, **near)


# Two arrays


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
@given(both=pairs(NUMBERS))
def test_arithmetic_broadcasts_and_promotes(name, both):
    a, b = both
    check(getattr(gaia, name)(gaia.Array(a), gaia.Array(b)), getattr(np, name)(a, b), **EXACT,
          dtype=np.result_type(a, b) if a.dtype == b.dtype or a.ndim * b.ndim else None)


@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.mul, operator.truediv], ids=lambda f: f.__name__)
@given(both=pairs(FLOATS))
def test_operators_take_arrays_of_either_kind(function, both):
    a, b = both
    theirs = function(a, b)
    for ours in (function(gaia.Array(a), gaia.Array(b)), function(gaia.Array(a), b)):
        check(ours, theirs, **tolerance(a, b))
    if a.ndim:
        check(function(a, gaia.Array(b)), theirs, **tolerance(a, b))


@given(both=pairs(NUMBERS))
def test_division_is_of_floating_numbers(both):
    a, b = both
    theirs = np.divide(a, b)
    check(gaia.divide(gaia.Array(a), gaia.Array(b)), theirs, **tolerance(theirs))


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
@given(both=pairs(NUMBERS, bound=100))
def test_division_with_a_rest(name, both):
    a, b = both
    b = np.where(np.abs(b) < 1e-3, np.asarray(0, b.dtype), b)  # a rest of next to nothing is a matter of rounding
    theirs = getattr(np, name)(a, b)
    ours = getattr(gaia, name)(gaia.Array(a), gaia.Array(b))
    if theirs.dtype in WHOLE:
        check(ours, theirs, **EXACT)
    else:
        check(ours, theirs, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["maximum", "minimum"])
@given(both=pairs())
def test_extremes_of_two(name, both):
    a, b = both
    check(getattr(gaia, name)(gaia.Array(a), gaia.Array(b)), getattr(np, name)(a, b), **EXACT)


@pytest.mark.parametrize("name", ["arctan2", "hypot", "logaddexp"])
@given(both=pairs(FLOATS, bound=100))
def test_functions_of_two(name, both):
    a, b = both
    check(getattr(gaia, name)(gaia.Array(a), gaia.Array(b)), getattr(np, name)(a, b), rtol=2e-5, atol=1e-5)


@given(both=pairs(FLOATS, bound=8))
def test_powers(both):
    a, b = both
    check(gaia.power(gaia.Array(a), gaia.Array(b)), np.power(a, b), rtol=5e-5, atol=1e-6)


@given(x=arrays(WHOLE), exponent=st.integers(0, 4))
def test_powers_of_whole_numbers(x, exponent):
    check(gaia.Array(x) ** exponent, x ** exponent, **EXACT, dtype=x.dtype)


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])
@given(both=pairs(), number=st.sampled_from([0, 1, -2, 0.5, math.nan, math.inf]))
def test_comparisons(name, both, number):
    a, b = both
    check(getattr(gaia, name)(gaia.Array(a), gaia.Array(b)), getattr(np, name)(a, b), dtype=bool)
    check(getattr(gaia, name)(gaia.Array(a), number), getattr(np, name)(a, number), dtype=bool)


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
@given(both=pairs())
def test_logic(name, both):
    a, b = both
    check(getattr(gaia, name)(gaia.Array(a), gaia.Array(b)), getattr(np, name)(a, b), dtype=bool)


@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.mul], ids=lambda f: f.__name__)
@given(x=arrays(NUMBERS), number=st.integers(-5, 5) | st.sampled_from([0.5, -2.25, math.nan, math.inf]))
def test_numbers_beside_arrays(function, x, number):
    x = np.atleast_1d(x)  # of single numbers NumPy's dtypes differ between its versions
    check(function(gaia.Array(x), number), function(x, number), **EXACT, dtype=function(x, number).dtype)
    check(function(number, gaia.Array(x)), function(number, x), **EXACT)


@given(both=pairs(NUMBERS), data=st.data())
def test_where(both, data):
    a, b = both
    condition = data.draw(hnp.arrays(bool, np.broadcast_shapes(a.shape, b.shape)))
    check(gaia.where(condition, gaia.Array(a), gaia.Array(b)), np.where(condition, a, b), **EXACT)
    a = np.broadcast_to(a, condition.shape).copy()
    check(gaia.where(condition, gaia.Array(a), 3), np.where(condition, a, 3), **EXACT)
    check(gaia.where(condition, -2, gaia.Array(a)), np.where(condition, -2, a), **EXACT)
    check(gaia.where(condition, 1, 0), np.where(condition, 1, 0), **EXACT, dtype=np.int64)


@given(x=arrays(NUMBERS), low=st.none() | st.integers(-50, 0), high=st.none() | st.integers(1, 50))
def test_clip(x, low, high):
    assume(low is not None or high is not None)
    check(gaia.clip(x, low, high), np.clip(x, low, high), **EXACT, dtype=x.dtype)


# Along axes


def axes(draw, x, several=True):
    """None, one axis, or several."""
    if x.ndim == 0:
        return None
    one = st.integers(-x.ndim, x.ndim - 1)
    some = st.lists(st.integers(0, x.ndim - 1), min_size=1, unique=True).map(tuple)
    return draw(st.none() | one | some if several else st.none() | one)


REDUCTIONS = ["sum", "prod", "mean", "var", "std", "any", "all", "count_nonzero"]


@pytest.mark.parametrize("name", REDUCTIONS)
@given(data=st.data())
def test_reductions(name, data):
    x = data.draw(arrays(bound=20))
    axis, keep = axes(data.draw, x), data.draw(st.booleans())
    wide = x.astype(np.float64) if x.dtype == np.float32 else x  # gaia's sums are carried in double
    theirs = np.asarray(getattr(np, name)(wide, axis=axis, keepdims=keep))
    ours = getattr(gaia, name)(x, axis=axis, keepdims=keep)
    check(ours, theirs, rtol=1e-5 if x.dtype == np.float32 else 1e-9, atol=1e-5 if x.dtype == np.float32 else 1e-9)
    kind = {"any": "bool", "all": "bool", "count_nonzero": "int64"}.get(name)
    if kind is None:
        kind = x.dtype if x.dtype in FLOATS else "int64" if name in ("sum", "prod") else "float64"
    assert ours.dtype == str(kind)
    if hasattr(gaia.Array, name) and name != "any":
        check(getattr(gaia.Array(x), name)(axis=axis, keepdims=keep), ours.numpy())


@pytest.mark.parametrize("name", ["var", "std"])
@given(data=st.data())
def test_spread_with_fewer_degrees_of_freedom(name, data):
    x = data.draw(arrays(FLOATS, special=False, bound=20))
    axis, ddof = axes(data.draw, x), data.draw(st.integers(0, 2))
    theirs = getattr(np, name)(x.astype(np.float64), axis=axis, ddof=ddof)
    check(getattr(gaia, name)(x, axis=axis, ddof=ddof), theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
@given(data=st.data())
def test_extremes(name, data):
    x = data.draw(arrays())
    axis = axes(data.draw, x, several=name in ("max", "min"))
    theirs = fails_alike(lambda: getattr(gaia, name)(x, axis=axis), lambda: getattr(np, name)(x, axis=axis))
    if theirs is not None:
        dtype = x.dtype if name in ("max", "min") else "int64"
        check(getattr(gaia, name)(x, axis=axis), theirs, **EXACT, dtype=dtype)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@given(data=st.data())
def test_running_totals(name, data):
    x = data.draw(arrays(bound=5))
    assume(x.ndim)
    axis = axes(data.draw, x, several=False)
    wide = x.astype(np.float64) if x.dtype == np.float32 else x
    check(getattr(gaia, name)(x, axis=axis), getattr(np, name)(wide, axis=axis), rtol=1e-5, atol=1e-5)


@given(data=st.data())
def test_norms(data):
    x = data.draw(arrays(FLOATS, special=False, bound=100))
    axis = axes(data.draw, x, several=False)
    keep = data.draw(st.booleans())
    check(gaia.norm(x, axis=axis, keepdims=keep), np.sqrt((x.astype(np.float64) ** 2).sum(axis=axis, keepdims=keep)),
          rtol=1e-5, atol=1e-6)
    if x.ndim and axis is not None and x.shape[axis]:
        for order in (1, np.inf, 3):
            check(gaia.norm(x, axis=axis, order=order), np.linalg.norm(x.astype(np.float64), order, axis), rtol=1e-5,
                  atol=1e-6)


@given(data=st.data())
def test_medians_and_quantiles(data):
    x = data.draw(arrays(NUMBERS, hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5), bound=100, viewed=False))
    x = x[..., ::-1]
    axis = axes(data.draw, x)
    # Between infinities of both signs NumPy's answer depends on its version.
    x = np.where(np.isinf(x), np.asarray(7, x.dtype), x) if x.dtype in FLOATS else x
    check(gaia.median(x, axis=axis), np.median(x, axis=axis), rtol=1e-5, atol=1e-5)
    q = data.draw(st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
    check(gaia.quantile(x, q, axis=axis), np.quantile(x, q, axis=axis), rtol=1e-5, atol=1e-5)


@given(data=st.data())
def test_softmax_and_logsumexp(data):
    x = data.draw(arrays(FLOATS, hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4), special=False, bound=50))
    assume(x.ndim and x.size)
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    wide = x.astype(np.float64)
    total = np.log(np.exp(wide - wide.max(axis=axis, keepdims=True)).sum(axis=axis, keepdims=True)) + \
        wide.max(axis=axis, keepdims=True)
    check(gaia.logsumexp(x, axis=axis, keepdims=True), total, rtol=1e-5, atol=1e-5)
    check(gaia.softmax(x, axis=axis), np.exp(wide - total), rtol=1e-4, atol=1e-6)
    check(gaia.log_softmax(x, axis=axis), wide - total, rtol=1e-4, atol=1e-5)


# By position


@given(x=arrays(ALL, hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4), viewed=False), data=st.data())
def test_basic_indices_are_views(x, data):
    index = data.draw(hnp.basic_indices(x.shape, allow_newaxis=True))
    ours = gaia.Array(x)[index]
    theirs = np.asarray(x[index])
    check(ours, theirs, **EXACT, dtype=x.dtype)
    if theirs.size and isinstance(x[index], np.ndarray):
        assert np.shares_memory(ours.numpy(), x)


@given(x=arrays(ALL, hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4), viewed=False), data=st.data())
def test_parts_are_set(x, data):
    index = data.draw(hnp.basic_indices(x.shape))
    ours = gaia.array(x)
    theirs = x.copy()
    value = data.draw(elements(str(x.dtype)))
    ours[index] = value
    theirs[index] = value
    check(ours, theirs, **EXACT)
    part = np.asarray(theirs[index])[..., ::-1] if np.ndim(theirs[index]) else np.asarray(theirs[index])
    ours[index] = part.copy()
    theirs[index] = part.copy()
    check(ours, theirs, **EXACT)


@given(x=arrays(ALL, hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5)), data=st.data())
def test_masks_and_lists_of_indices(x, data):
    assume(x.ndim and x.shape[0])
    mask = data.draw(hnp.arrays(bool, x.shape))
    check(gaia.Array(x)[mask], x[mask], **EXACT)
    rows = data.draw(hnp.arrays("int64", st.integers(0, 5), elements=st.integers(-x.shape[0], x.shape[0] - 1)))
    check(gaia.Array(x)[rows], x[rows], **EXACT)
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    if x.shape[axis]:
        found = data.draw(hnp.arrays("int32", st.integers(1, 4), elements=st.integers(0, x.shape[axis] - 1)))
        check(gaia.take(x, found, axis=axis), np.take(x, found, axis=axis), **EXACT)


@given(x=arrays())
def test_what_is_not_zero(x):
    assume(x.ndim)
    for ours, theirs in zip(gaia.nonzero(x), np.nonzero(x), strict=True):
        check(ours, theirs, **EXACT, dtype="int64")


# Order


@given(x=arrays(), data=st.data())
def test_sorting(x, data):
    assume(x.ndim)
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    check(gaia.sort(x, axis=axis), np.sort(x, axis=axis), **EXACT, dtype=x.dtype)
    check(gaia.argsort(x, axis=axis), np.argsort(x, axis=axis, kind="stable"), **EXACT, dtype="int64")


@given(x=arrays())
def test_unique(x):
    check(gaia.unique(x), np.unique(x), **EXACT, dtype=x.dtype)


@given(sorted_=arrays(NUMBERS, hnp.array_shapes(max_dims=1, min_side=0), viewed=False), data=st.data(),
       side=st.sampled_from(["left", "right"]))
def test_searchsorted(sorted_, data, side):
    sorted_ = np.sort(sorted_)
    values = data.draw(arrays((str(sorted_.dtype),)))
    check(gaia.searchsorted(sorted_, values, side), np.searchsorted(sorted_, values, side), **EXACT)


# Shapes


@given(x=arrays(), data=st.data())
def test_views_of_other_shapes(x, data):
    order = tuple(data.draw(st.permutations(range(x.ndim))))
    check(gaia.transpose(x, order), x.transpose(order), **EXACT) if order else None
    check(gaia.Array(x).T, x.T, **EXACT)
    check(gaia.reshape(x, (-1,)) if x.size else gaia.reshape(x, (0,)), x.reshape(-1), **EXACT)
    check(gaia.reshape(x, (*x.shape, 1)), x[..., None], **EXACT)
    axis = data.draw(st.integers(-x.ndim - 1, x.ndim))
    check(gaia.expand_dims(x, axis), np.expand_dims(x, axis), **EXACT)
    check(gaia.squeeze(x), np.squeeze(x), **EXACT)
    if x.ndim < 6:
        check(gaia.broadcast_to(x, (2, *x.shape)), np.broadcast_to(x, (2, *x.shape)), **EXACT)
    if x.ndim:
        a, b = data.draw(st.integers(-x.ndim, x.ndim - 1)), data.draw(st.integers(0, x.ndim - 1))
        check(gaia.swapaxes(x, a, b), np.swapaxes(x, a, b), **EXACT)
        check(gaia.flip(x, a), np.flip(x, a), **EXACT)
        check(gaia.roll(x, 3, a), np.roll(x, 3, a), **EXACT)
        check(gaia.roll(x, -2), np.roll(x, -2), **EXACT)
        check(gaia.repeat(x, 2, a), np.repeat(x, 2, a), **EXACT)
        check(gaia.repeat(x, 3), np.repeat(x, 3), **EXACT)
    check(gaia.flip(x), np.flip(x), **EXACT)


@given(x=arrays(ALL, hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=3)), data=st.data())
def test_tiles(x, data):
    counts = tuple(data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=4)))
    assume(x.ndim)
    check(gaia.tile(x, counts), np.tile(x, counts), **EXACT)


@given(x=arrays(ALL, hnp.array_shapes(min_dims=2, max_dims=3, min_side=0, max_side=4), viewed=False), k=st.integers(-3, 3))
def test_diagonals_and_triangles(x, k):
    x = x.swapaxes(0, 1)
    check(gaia.tril(x, k), np.tril(x, k), **EXACT)
    check(gaia.triu(x, k), np.triu(x, k), **EXACT)
    if x.ndim == 2:
        check(gaia.diag(x, k), np.diag(x, k), **EXACT)
        check(gaia.diag(x[:, 0] if x.shape[1] else x.reshape(-1), k), np.diag(x[:, 0] if x.shape[1] else x.reshape(-1), k),
              **EXACT)
    check(gaia.trace(x, k), np.trace(x.astype(np.float64) if x.dtype == np.float32 else x, k), rtol=1e-5, atol=1e-3)


@given(data=st.data())
def test_joining_and_splitting(data):
    first = data.draw(arrays(ALL, hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=3), viewed=False))
    axis = data.draw(st.integers(-first.ndim, first.ndim - 1))
    second = data.draw(arrays(ALL, st.just(first.shape), viewed=False))[..., ::-1]
    check(gaia.concatenate([first, second], axis), np.concatenate([first, second], axis), **EXACT,
          dtype=np.result_type(first, second))
    at = data.draw(st.integers(-first.ndim - 1, first.ndim))
    check(gaia.stack([first, second], at), np.stack([first, second], at), **EXACT)
    for ours, theirs in zip(gaia.split(first, [1, 2], axis), np.split(first, [1, 2], axis), strict=True):
        check(ours, theirs, **EXACT)
    if first.shape[axis] % 2 == 0:
        for ours, theirs in zip(gaia.split(first, 2, axis), np.split(first, 2, axis), strict=True):
            check(ours, theirs, **EXACT)


# Products


@st.composite
def factors(draw, dtypes, special):
    """Two arrays that can be multiplied as matrices."""
    m, k, n = (draw(st.integers(0, 4)) for _ in range(3))
    batch = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, max_side=2)).input_shapes
    dtype = draw(st.sampled_from(dtypes))
    shapes = [(*batch[0], m, k), (*batch[1], k, n)]
    if draw(st.booleans()):
        shapes[0] = (k,)
    elif draw(st.booleans()):
        shapes[1] = (k,)
    a, b = (draw(hnp.arrays(dtype, shape, elements=elements(dtype, special, 100))) for shape in shapes)
    if draw(st.booleans()) and b.ndim > 1:
        b = np.ascontiguousarray(b.swapaxes(-1, -2)).swapaxes(-1, -2)
    return (a[..., ::-1] if draw(st.booleans()) else a), b


@given(both=factors(ALL, special=False))
def test_products_of_matrices(both):
    a, b = both
    is_single = a.dtype == np.float32
    theirs = np.matmul(a.astype(np.float64), b.astype(np.float64)) if is_single else np.matmul(a, b)
    check(gaia.matmul(a, b), theirs, rtol=1e-5 if is_single else 1e-10, atol=1e-1 if is_single else 1e-8, dtype=a.dtype)
    check(gaia.Array(a) @ gaia.Array(b), gaia.matmul(a, b).numpy(), **EXACT)


@given(both=factors(FLOATS, special=True))
def test_products_carry_nan_and_infinity(both):
    a, b = both
    ours, theirs = gaia.matmul(a, b).numpy(), np.matmul(a.astype(np.float64), b.astype(np.float64))
    assert (np.isfinite(ours) == np.isfinite(theirs)).all()
    assert (np.isnan(ours) == np.isnan(theirs)).all()


@given(a=arrays(NUMBERS, hnp.array_shapes(max_dims=1, min_side=0), special=False, bound=100, viewed=False), data=st.data())
def test_dot_outer_einsum(a, data):
    b = data.draw(arrays((str(a.dtype),), st.just(a.shape), special=False, bound=100, viewed=False))[::-1]
    near = {"rtol": 1e-5, "atol": 1e-2}
    check(gaia.dot(a, b), np.dot(a.astype(np.float64), b), **near)
    check(gaia.outer(a, b), np.outer(a, b), **near)
    check(gaia.einsum("i,j->ji", gaia.Array(a), gaia.Array(b)), np.einsum("i,j->ji", a, b), **near)
    check(gaia.einsum("i,i->", gaia.Array(a), gaia.Array(b)), np.einsum("i,i->", a.astype(np.float64), b), **near)
    cube = data.draw(arrays((str(a.dtype),), st.just((2, 3, len(a))), special=False, bound=100, viewed=False))
    check(gaia.einsum("...k,k->...", gaia.Array(cube), gaia.Array(a)),
          np.einsum("...k,k->...", cube.astype(np.float64), a), **near)


@given(x=arrays(FLOATS, hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=5), special=False, bound=10,
                viewed=False), rowvar=st.booleans())
def test_covariances(x, rowvar):
    check(gaia.cov(x, rowvar), np.cov(x.astype(np.float64), rowvar=rowvar), rtol=1e-4, atol=1e-4)


# Making


@given(start=st.integers(-20, 20), stop=st.integers(-20, 20), step=st.integers(-5, 5).filter(bool))
def test_arange(start, stop, step):
    check(gaia.arange(start, stop, step), np.arange(start, stop, step), **EXACT, dtype="int64")
    check(gaia.arange(start / 2, stop / 2, step / 4), np.arange(start / 2, stop / 2, step / 4), **EXACT)


@given(start=st.floats(-10, 10), stop=st.floats(-10, 10), count=st.integers(0, 7), endpoint=st.booleans())
def test_linspace(start, stop, count, endpoint):
    check(gaia.linspace(start, stop, count, "float64", endpoint), np.linspace(start, stop, count, endpoint), rtol=1e-12,
          atol=1e-12)


@given(rows=st.integers(0, 5), columns=st.integers(1, 5), dtype=st.sampled_from(ALL), shape=SHAPES)
def test_made_arrays(rows, columns, dtype, shape):
    check(gaia.eye(rows, columns, dtype), np.eye(rows, columns, dtype=dtype), **EXACT, dtype=dtype)
    check(gaia.zeros(shape, dtype), np.zeros(shape, dtype), **EXACT, dtype=dtype)
    check(gaia.ones(shape, dtype), np.ones(shape, dtype), **EXACT, dtype=dtype)
    check(gaia.full(shape, 1, dtype), np.full(shape, 1, dtype), **EXACT, dtype=dtype)


@given(x=arrays(special=False, bound=1000), dtype=st.sampled_from(ALL))
def test_casts(x, dtype):
    check(gaia.Array(x).astype(dtype), x.astype(dtype), **EXACT, dtype=dtype)


@given(x=arrays())
def test_arrays_come_back_as_they_went(x):
    check(gaia.Array(x), x, **EXACT, dtype=x.dtype)
    check(gaia.array(x), x, **EXACT, dtype=x.dtype)
    np.testing.assert_array_equal(np.array(gaia.Array(x).tolist(), x.dtype).reshape(x.shape), x)
    assert gaia.Array(x).copy().numpy().tobytes() == np.ascontiguousarray(x).tobytes()
