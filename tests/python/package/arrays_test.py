# SPDX-License-Identifier: MIT
"""Arrays beside NumPy: functions, operators, views, and memory that is shared."""
import copy
import gc
import operator
import pickle

import numpy as np
import pytest

import gaia

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

FLOATS = st.floats(-100, 100, width=32)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
quick = settings(max_examples=50, deadline=None)


def arrays(dtypes=("float32", "float64"), shape=SHAPES, nan=False):
    def of(dtype):
        if np.dtype(dtype).kind == "f":
            elements = FLOATS | st.just(float("nan")) if nan else FLOATS
            return hnp.arrays(dtype, shape, elements=elements)
        return hnp.arrays(dtype, shape, elements=st.integers(-100, 100) if dtype != "bool" else st.booleans())

    return st.sampled_from(dtypes).flatmap(of)


def views(x):
    """The same numbers in several layouts."""
    return [x, np.asfortranarray(x), x[..., ::-1] if x.ndim else x, x.T]


def check(ours, theirs, rtol=2e-5, atol=1e-5):
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=rtol, atol=atol)


UNARY = ["abs", "ceil", "cos", "exp2", "floor", "negative", "sign", "sin", "square", "tanh", "trunc", "arctan", "arcsinh"]


@pytest.mark.parametrize("name", UNARY)
@quick
@given(x=arrays(nan=True))
def test_functions_of_one_array(name, x):
    for view in views(x):
        with np.errstate(all="ignore"):
            check(getattr(gaia, name)(gaia.Array(view)), getattr(np, name)(view))


@pytest.mark.parametrize("name", ["sqrt", "log", "log1p", "log2"])
@quick
@given(x=arrays())
def test_functions_of_positive_numbers(name, x):
    x = np.abs(x) + np.asarray(1, x.dtype)
    check(getattr(gaia, name)(x), getattr(np, name)(x))


@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.mul, operator.truediv],
                         ids=lambda f: f.__name__)
@quick
@given(shapes=hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3), data=st.data())
def test_operators_broadcast(function, shapes, data):
    a, b = (data.draw(hnp.arrays("float64", shape, elements=FLOATS.filter(lambda v: abs(v) > 1e-3 or v == 0)))
            for shape in shapes.input_shapes)
    if function is operator.truediv:
        b = np.abs(b) + 1
    check(function(gaia.Array(a), gaia.Array(b)), np.asarray(function(a, b)))
    check(function(gaia.Array(a), b), np.asarray(function(a, b)))
    check(function(a, gaia.Array(b)) if a.ndim else function(gaia.Array(a), gaia.Array(b)), np.asarray(function(a, b)))


@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow],
                         ids=lambda f: f.__name__)
@quick
@given(x=arrays(("float32", "float64", "int64")))
def test_operators_with_numbers(function, x):
    ours = gaia.Array(x)
    for number in (2, 3):
        check(function(ours, number), np.asarray(function(x, number)), rtol=1e-4)
    if function is not operator.pow:
        check(function(2.5, ours + 200), np.asarray(function(2.5, x + 200)))


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "var", "std"])
@quick
@given(x=arrays(("float64",), hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)), data=st.data())
def test_reductions(name, x, data):
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    keep = data.draw(st.booleans())
    theirs = np.asarray(getattr(np, name)(x, axis=axis, keepdims=keep))
    check(getattr(gaia, name)(x, axis=axis, keepdims=keep), theirs, atol=1e-4)
    check(getattr(gaia.Array(x), name)(axis, keepdims=keep), theirs, atol=1e-4)


@quick
@given(x=arrays(("float32", "int64", "bool"), hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5)),
       data=st.data())
def test_basic_indices(x, data):
    index = data.draw(hnp.basic_indices(x.shape, allow_newaxis=True))
    ours = gaia.Array(x)[index]
    np.testing.assert_array_equal(ours.numpy(), x[index])
    if x[index].size and isinstance(x[index], np.ndarray):
        assert np.shares_memory(ours.numpy(), x)


@quick
@given(x=arrays(("float64",), hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=5)))
def test_products(x):
    check(gaia.Array(x) @ gaia.Array(x).T, x @ x.T, atol=1e-3)
    check(gaia.einsum("ij,kj->ik", gaia.Array(x), gaia.Array(x)), np.einsum("ij,kj->ik", x, x), atol=1e-3)


@quick
@given(x=arrays(nan=True), low=st.integers(-5, 0), high=st.integers(1, 5))
def test_comparisons_and_choices(x, low, high):
    ours = gaia.Array(x)
    np.testing.assert_array_equal((ours > low).numpy(), x > low)
    np.testing.assert_array_equal((ours == ours).numpy(), x == x)
    np.testing.assert_array_equal(gaia.isnan(ours).numpy(), np.isnan(x))
    np.testing.assert_array_equal(gaia.clip(ours, low, high).numpy(), np.clip(x, low, high))
    np.testing.assert_array_equal(gaia.where(ours > low, ours, -ours).numpy(), np.where(x > low, x, -x))


def test_masks_and_lists_of_indices_select():
    x = np.arange(12.0).reshape(4, 3)
    ours = gaia.Array(x)
    np.testing.assert_array_equal(ours[ours > 4].numpy(), x[x > 4])
    np.testing.assert_array_equal(ours[np.array([2, 0])].numpy(), x[[2, 0]])
    with pytest.raises(IndexError):
        ours[4]
    assert [row.tolist() for row in ours] == x.tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool"])
def test_memory_is_shared_both_ways(dtype):
    x = np.ones((4, 6), dtype)
    ours = gaia.Array(x[::2, 1:])
    for back in (ours.numpy(), np.asarray(ours), np.from_dlpack(ours)):
        assert back.dtype == dtype and back.shape == (2, 5)
        assert back.ctypes.data == x[::2, 1:].ctypes.data
    assert ours.__array_interface__["data"][0] == x[::2, 1:].ctypes.data
    ours[0] = 0
    assert (x[0, 1:] == 0).all() and (x[0, :1] == 1).all()
    assert gaia.asarray(x).numpy().ctypes.data == x.ctypes.data
    assert gaia.array(x).numpy().ctypes.data != x.ctypes.data


def test_what_is_shared_lives_as_long_as_anybody_has_it():
    x = np.arange(1000.0)
    ours = gaia.Array(x)
    del x
    gc.collect()
    back = ours.numpy()
    del ours
    gc.collect()
    assert back.sum() == 999 * 500


def test_what_is_read_only_is_copied():
    x = np.arange(3.0)
    x.flags.writeable = False
    ours = gaia.Array(x)
    ours.fill(7)
    assert x.tolist() == [0, 1, 2]


def test_torch_shares_memory_too():
    torch = pytest.importorskip("torch")
    x = torch.arange(6.0).reshape(2, 3)
    ours = gaia.Array(x)
    ours[0, 0] = 9.0
    assert x[0, 0] == 9.0
    assert torch.from_dlpack(ours).data_ptr() == x.data_ptr()


def test_lists_are_float32_and_numbers_keep_dtypes():
    assert gaia.array([1.0, 2.0]).dtype == "float32"
    assert gaia.array([1, 2]).dtype == "int64"
    assert (gaia.array([1.0]) * 2.5).dtype == "float32"
    assert gaia.array([1.0], dtype=np.float64).dtype == "float64"
    assert gaia.zeros((2, 3), "int32").dtype == "int32"


def test_errors_are_of_their_kinds():
    with pytest.raises(gaia.ShapeError):
        gaia.ones((2, 3)) @ gaia.ones((2, 3))
    with pytest.raises(ValueError):
        gaia.ones((2, 3)) + gaia.ones((4,))
    with pytest.raises(gaia.DTypeError):
        gaia.Array(np.zeros(2, np.int8))
    with pytest.raises(TypeError):
        gaia.ones((2,)) + "a"


def test_arrays_are_copied_and_pickled():
    x = gaia.array([[1.0, 2.0]])
    for other in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x), x.copy()):
        assert other.tolist() == x.tolist()
        other.fill(0)
        assert x.tolist() == [[1.0, 2.0]]


def test_devices_have_the_names_of_the_guides():
    assert gaia.get_device() == gaia.get_backend_name() == "cpu"
    with gaia.GPUContext("cpu") as scope:
        assert scope is not None and gaia.current_device() == "cpu"
    gaia.set_backend("numpy")
    gaia.set_device("cpu")
    x = gaia.array([1.0, 2.0])
    assert isinstance(gaia.to_numpy(x), np.ndarray)
    assert isinstance(gaia.to_backend(np.ones(2)), gaia.Array)
    assert gaia.device_info()["device"] == "cpu"
    assert set(gaia.get_device_info()) >= {"cuda_available", "device_name", "device_memory"}
    result = gaia.benchmark_device(lambda: x + 1, warmup=1, repeats=5)
    assert len(result.times) == 5 and result["mean_time"] == result.mean_time > 0
    if not gaia.is_available("cuda"):
        with pytest.raises(gaia.DeviceError):
            gaia.set_device("cuda")


def test_dlpack_says_where_it_is_and_copies_when_asked():
    x = gaia.Array(np.arange(6.0).reshape(2, 3))
    assert x.__dlpack_device__() == (1, 0)
    shared, copied = np.from_dlpack(x), np.from_dlpack(gaia.Array(x.numpy()), copy=True)
    assert np.shares_memory(shared, x.numpy()) and not np.shares_memory(copied, x.numpy())
    np.testing.assert_array_equal(copied, shared)
    x.__dlpack__(dl_device=(1, 0), max_version=(1, 1), stream=None, copy=False)
    with pytest.raises(BufferError, match="lie on cpu"):
        x.__dlpack__(dl_device=(2, 0))
