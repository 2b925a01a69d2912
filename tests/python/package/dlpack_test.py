# SPDX-License-Identifier: MIT
"""Elements shared by DLPack: where they are, what they are, how long they live."""
import ctypes
import gc
import weakref

import numpy as np
import pytest

import gaia
from refused import refused

CPU, CUDA, ROCM = 1, 2, 10  # DLPack's kinds of devices
# From then on NumPy reads capsules that say whether they may be written to, and bool; before, it writes to none.
NUMPY_SPEAKS_1 = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


# DLPack's structures, as dlpack.h has them


class DLDevice(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", DLDevice), ("ndim", ctypes.c_int32), ("dtype", DLDataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    pass


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("dl_tensor", DLTensor), ("manager_ctx", ctypes.c_void_p), ("deleter", DELETER)]


class DLManagedTensorVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("dl_tensor", DLTensor)]


api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def told(array, **request):
    """What the capsule of an array says: pointer, device, dtype, shape, strides."""
    capsule = array.__dlpack__(**request)
    if "max_version" in request:
        versioned = DLManagedTensorVersioned.from_address(api.PyCapsule_GetPointer(capsule, b"dltensor_versioned"))
        assert versioned.major == 1 and versioned.flags == 0  # not read-only, not a copy
        tensor = versioned.dl_tensor
    else:
        tensor = DLManagedTensor.from_address(api.PyCapsule_GetPointer(capsule, b"dltensor")).dl_tensor
    return {"data": (tensor.data or 0) + tensor.byte_offset,
            "device": (tensor.device.device_type, tensor.device.device_id),
            "dtype": (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes),
            "shape": tuple(tensor.shape[:tensor.ndim]), "strides": tuple(tensor.strides[:tensor.ndim])}


class Producer:
    """Somebody else's array: whatever it says of itself, its elements are those of `numbers`."""

    def __init__(self, numbers, device, elements=None):
        self.freed = 0
        self._device = device
        self._numbers = numbers
        self._shape = (ctypes.c_int64 * numbers.ndim)(*numbers.shape)
        self._strides = (ctypes.c_int64 * numbers.ndim)(*(s // numbers.itemsize for s in numbers.strides))
        self._tensor = DLManagedTensor()
        code = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}[numbers.dtype.kind]
        self._tensor.dl_tensor = DLTensor(elements or numbers.ctypes.data, DLDevice(*device), numbers.ndim,
                                          DLDataType(code, 8 * numbers.itemsize, 1), self._shape, self._strides, 0)
        self._tensor.deleter = DELETER(self._free)

    def _free(self, _):
        self.freed += 1

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, **_):
        return api.PyCapsule_New(ctypes.addressof(self._tensor), b"dltensor", None)


@pytest.mark.parametrize("dtype, code", [("float32", (2, 32)), ("float64", (2, 64)), ("int32", (0, 32)),
                                         ("int64", (0, 64)), ("bool", (6, 8)), ("bfloat16", (4, 16))])
def test_a_capsule_tells_device_and_dtype(device, dtype, code):
    gaia.set_device(device)
    array = gaia.ones((3, 4), dtype)
    said = told(array)
    kind = CPU if device == "cpu" else CUDA
    assert said["device"] == array.__dlpack_device__() == (kind, 0)
    assert said["dtype"] == (*code, 1)
    assert said["shape"] == (3, 4) and said["strides"] == (4, 1)
    assert said["data"] != 0


def test_a_capsule_tells_views(device):
    gaia.set_device(device)
    whole = gaia.to_backend(gaia.arange(24).reshape(2, 3, 4))
    start = told(whole)["data"]
    assert told(whole.T)["shape"] == (4, 3, 2) and told(whole.T)["strides"] == (1, 4, 12)
    part = told(whole[1, ::-2, 1:])
    assert part["shape"] == (2, 3) and part["strides"] == (-8, 1)
    assert part["data"] == start + whole.numpy().itemsize * (12 + 2 * 4 + 1)
    assert told(whole[0, 0, 0])["shape"] == ()
    assert told(gaia.zeros((0, 3)))["shape"] == (0, 3)


def test_a_second_gpu_is_told_by_its_number():
    if not gaia.is_available("cuda:1"):
        pytest.skip("there is no second GPU")
    array = gaia.ones((2,)).to("cuda:1")
    assert array.__dlpack_device__() == told(array)["device"] == (CUDA, 1)
    assert gaia.ones((2,)).to("cuda").__dlpack_device__() == (CUDA, 0)


def test_requests_of_the_protocol_are_answered(device):
    gaia.set_device(device)
    array = gaia.ones((3,))
    own = array.__dlpack_device__()
    assert told(array, copy=False, dl_device=own, max_version=(1, 0), stream=None)["data"] == told(array)["data"]
    assert told(array, copy=True)["data"] != told(array)["data"]
    on_cpu = told(array, dl_device=(CPU, 0))
    assert on_cpu["device"] == (CPU, 0)
    assert (on_cpu["data"] == told(array)["data"]) == (device == "cpu")
    refused(BufferError, r"got \(10, 0\)", lambda: array.__dlpack__(dl_device=(ROCM, 0)))
    if device != "cpu":
        with pytest.raises(BufferError, match="lie on cuda:0: expected that device, or the CPU with a copy allowed"):
            array.__dlpack__(dl_device=(CPU, 0), copy=False)


def test_numpy_does_not_take_elements_of_a_gpu_for_its_own():
    if not gaia.is_available("cuda"):
        pytest.skip("no GPU")
    array = gaia.ones((3,)).to("cuda")
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(array)
    if NUMPY_SPEAKS_1:
        assert np.from_dlpack(array, device="cpu").tolist() == [1, 1, 1]
    assert np.asarray(array).tolist() == [1, 1, 1]  # a copy, asked for in so many words
    assert not hasattr(array, "__array_interface__")


def test_elements_of_a_gpu_are_shared_and_let_go():
    if not gaia.is_available("cuda"):
        pytest.skip("no GPU")
    mine = gaia.to_gpu(gaia.arange(6.0))
    said = told(mine)
    producer = Producer(np.zeros(6, np.float32), (CUDA, 0), said["data"])
    array = gaia.Array(producer)
    assert array.device == "cuda:0" and told(array)["data"] == said["data"] and told(array)["device"] == (CUDA, 0)
    assert array.tolist() == [0, 1, 2, 3, 4, 5]
    assert gaia.array(producer).device == "cuda:0" and told(gaia.array(producer))["data"] != said["data"]
    freed = producer.freed
    array[1:3] = 7.0
    assert mine.tolist() == [0, 7, 7, 3, 4, 5]
    view = array[2:]
    del array
    gc.collect()
    assert producer.freed == freed
    assert (view + 1).tolist() == [8, 4, 5, 6]
    del view
    gc.collect()
    assert producer.freed == freed + 1


def test_elements_that_gaia_cannot_reach_are_refused():
    with pytest.raises(gaia.DeviceError, match="expected memory of the CPU or of a CUDA device, got that of DLPack's "
                                               "device 10"):
        gaia.Array(Producer(np.zeros(3), (ROCM, 0)))
    with pytest.raises(gaia.DeviceError, match="cuda:9, where these numbers are, cannot be used here.*copy them to the"):
        gaia.Array(Producer(np.zeros(3), (CUDA, 9)))


@pytest.mark.parametrize("dtype", ["float16", "int8", "int16", "uint16", "uint32", "uint64", "complex64",
                                   "complex128"])
def test_dtypes_that_gaia_has_not_are_refused_by_name(dtype):
    refused(gaia.DTypeError, rf"got {dtype}; cast it first, as by x.astype", lambda: gaia.Array(np.zeros(3, dtype)))
    producer = Producer(np.zeros(3, dtype), (CPU, 0))
    refused(gaia.DTypeError, f"got {dtype}", lambda: gaia.Array(producer))
    gc.collect()
    assert producer.freed >= 1


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool"])
def test_numpy_shares_every_dtype_both_ways(dtype):
    x = np.ones((3, 4), dtype)
    for view in (x, x.T, x[::2, ::-1], x[1:, 1], x[:0]):
        ours = gaia.Array(view)
        assert ours.dtype == dtype and ours.shape == view.shape
        assert [s * x.itemsize for s in ours.strides] == list(view.strides) or view.size == 0
        back = np.from_dlpack(ours) if NUMPY_SPEAKS_1 else ours.numpy()
        assert back.dtype == dtype and back.shape == view.shape
        if view.size:
            assert told(ours)["data"] == view.ctypes.data == back.ctypes.data
            back[...] = 0
            assert not view.any() and not ours.numpy().any()
            view[...] = 1
            assert ours.numpy().all() and back.all()


def test_torch_shares_every_dtype_both_ways():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.float64, torch.int32, torch.int64, torch.bool, torch.bfloat16):
        x = torch.ones((3, 4), dtype=dtype)
        for view in (x, x.T, x[::2], x[1:, 1]):
            ours = gaia.Array(view)
            assert f"torch.{ours.dtype}" == str(dtype) and ours.shape == tuple(view.shape)
            assert ours.strides == tuple(view.stride())
            back = torch.from_dlpack(ours)
            assert back.dtype == dtype and back.stride() == view.stride()
            assert told(ours)["data"] == view.data_ptr() == back.data_ptr()
            back.zero_()
            assert not view.any()
            view.fill_(1)
            assert back.all()
    refused(gaia.DTypeError, "got float16", lambda: gaia.Array(torch.ones(3, dtype=torch.float16)))


def test_torch_learns_from_what_gaia_computes_and_the_other_way():
    torch = pytest.importorskip("torch")
    x = torch.arange(6.0).reshape(2, 3)
    y = torch.from_dlpack(gaia.tanh(gaia.Array(x)) @ gaia.Array(x).T)
    torch.testing.assert_close(y, torch.tanh(x) @ x.T)
    grown = torch.ones(3, requires_grad=True)
    assert told(gaia.Array(grown.detach()))["data"] == grown.data_ptr()


def test_what_is_read_only_stays_as_it_is():
    x = np.arange(4.0)
    x.flags.writeable = False
    ours = gaia.Array(x)
    assert told(ours)["data"] != x.ctypes.data
    ours[0] = 9.0
    assert x[0] == 0.0
    assert (gaia.tanh(x).numpy() == gaia.tanh(ours * 1).numpy())[1:].all()
    view = np.broadcast_to(np.float32(3), (2, 2))  # NumPy shows one element four times, and warns of writing
    assert gaia.Array(view).tolist() == [[3, 3], [3, 3]]


@pytest.mark.parametrize("make", [
    lambda: np.arange(4).astype(">f8"),
    lambda: np.zeros(4, np.dtype([("a", "<f4"), ("b", "<f8")]))["b"],
    lambda: np.frombuffer(b"\0" * 33, np.uint8)[1:].view(np.float64),
], ids=["other byte order", "a field", "off its border"])
def test_layouts_that_cannot_be_shared_are_copied(make):
    x = make()
    ours = gaia.Array(x)
    assert ours.dtype == "float64" and ours.tolist() == x.tolist()


def test_elements_live_as_long_as_anybody_has_them():
    producer = Producer(np.arange(5.0), (CPU, 0))
    ours = gaia.Array(producer)
    assert ours.tolist() == [0, 1, 2, 3, 4]
    views = [ours[1:], ours.numpy(), np.from_dlpack(ours)[::2]]
    del ours
    gc.collect()
    while views:
        assert producer.freed == 0 and views[-1].sum() is not None
        views.pop()
        gc.collect()
    assert producer.freed == 1

    made = gaia.arange(1000.0)
    theirs = np.from_dlpack(made)
    before = gaia.memory_stats()["arrays"]
    del made
    gc.collect()
    assert gaia.memory_stats()["arrays"] == before and theirs.sum() == 999 * 500
    del theirs
    gc.collect()
    assert gaia.memory_stats()["arrays"] == before - 1


def test_a_capsule_nobody_takes_is_let_go():
    array = gaia.ones((100,))
    gc.collect()
    before = gaia.memory_stats()["arrays"]
    capsule = array.__dlpack__()
    del array
    gc.collect()
    assert gaia.memory_stats()["arrays"] == before
    del capsule
    gc.collect()
    assert gaia.memory_stats()["arrays"] == before - 1


def test_an_owner_in_python_is_let_go_with_the_last_array():
    class Owner(np.ndarray):
        pass

    x = np.arange(10.0).view(Owner)
    alive = weakref.ref(x)
    ours = gaia.Array(x)
    del x
    gc.collect()
    assert alive() is not None
    product = ours * 2
    del ours
    gc.collect()
    assert alive() is None and product.tolist()[-1] == 18
