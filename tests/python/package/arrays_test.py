# SPDX-License-Identifier: MIT
"""Arrays: indices, memory that is shared, dtypes, errors, devices.  properties_test.py holds them against NumPy."""
import copy
import gc
import pickle

import numpy as np
import pytest

import gaia
from refused import refused


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
    shown = [ours.numpy(), np.asarray(ours)]
    if dtype != "bool" or np.lib.NumpyVersion(np.__version__) >= "2.1.0":  # which reads bool from then on
        shown.append(np.from_dlpack(ours))
    for back in shown:
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


def test_einsum_takes_tensors_lists_and_arrays():
    x = np.arange(4.0).reshape(2, 2)
    tensor = gaia.Tensor(x)
    summed = gaia.einsum("ij->j", tensor)
    assert isinstance(summed, gaia.Tensor)
    np.testing.assert_array_equal(summed.value.numpy(), [2, 4])
    summed.sum().backward()
    np.testing.assert_array_equal(tensor.grad.numpy(), np.ones((2, 2)))
    np.testing.assert_array_equal(gaia.einsum("ij->j", x.tolist()).numpy(), [2, 4])
    np.testing.assert_array_equal(gaia.einsum("ij,j->i", gaia.Array(x), [1.0, 2.0]).numpy(), [2, 8])
    mixed = gaia.einsum("ij,jk,k->i", x, tensor, [1.0, 1.0])
    np.testing.assert_allclose(mixed.value.numpy(), x @ x @ [1, 1])
    for wrong, kind in (("ab", "str"), (None, "NoneType")):
        refused(gaia.DTypeError, f"expected numbers, got {kind}", lambda: gaia.einsum("ij->j", wrong))


@pytest.mark.parametrize("kind", [gaia.Array, gaia.Tensor])
def test_a_position_beyond_the_axis_is_named(kind):
    a = kind(np.zeros((3, 2)))
    for index, text in ((5, "from -3 to 2 along axis 0, whose length is 3, got 5"),
                        ((0, -3), "from -2 to 1 along axis 1, whose length is 2, got -3"),
                        ((0, 0, 0), r"at most 2 position\(s\), one for each axis, got 3")):
        with pytest.raises(gaia.PositionError, match=text) as caught:
            a[index]
        assert isinstance(caught.value, IndexError) and isinstance(caught.value, gaia.Error)
    refused(gaia.PositionError, "axis 0 has no positions, since its length is 0; got 0", lambda: kind(np.zeros((0, 2)))[0])
    assert len(list(a)) == 3


def test_dtypes_are_equal_to_those_of_numpy():
    dtype = gaia.zeros((2,)).dtype
    for same in ("float32", np.float32, np.dtype("float32"), gaia.float32, gaia.ones((1,)).dtype):
        assert dtype == same and same == dtype and not dtype != same
    for other in ("float64", np.float64, np.dtype("int32"), float, None, 5, list):
        assert dtype != other and not dtype == other
    assert gaia.Tensor(np.ones(2)).dtype == np.float64
    assert {dtype: 1}["float32"] == 1 and f"{dtype}" == "float32" and np.dtype(dtype) == np.float32
    assert pickle.loads(pickle.dumps(dtype)) == "float32"
    assert gaia.zeros((2,), dtype=gaia.ones((1,)).dtype).dtype == "float32"


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
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("NumPy asks for copies by DLPack from 2.1 on")
    shared, copied = np.from_dlpack(x), np.from_dlpack(gaia.Array(x.numpy()), copy=True)
    assert np.shares_memory(shared, x.numpy()) and not np.shares_memory(copied, x.numpy())
    np.testing.assert_array_equal(copied, shared)
    x.__dlpack__(dl_device=(1, 0), max_version=(1, 1), stream=None, copy=False)
    refused(BufferError, "lie on cpu", lambda: x.__dlpack__(dl_device=(2, 0)))
