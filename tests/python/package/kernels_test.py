# SPDX-License-Identifier: MIT
"""Kernels of the user's: RawKernel, RawModule and gpu_kernel; where there are emulated GPUs they run."""
import numpy as np
import pytest

import gaia
from gaia import offload
from refused import refused

SCALE = r"""
extern "C" __global__ void scale(const float* x, float* y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
extern "C" __global__ void count(long long* total, unsigned char step, bool twice) {
  total[0] += step * (twice ? 2 : 1);
}
"""


@pytest.fixture
def cuda(tmp_path, monkeypatch):
    """A GPU, with an empty cache of kernels."""
    if not gaia.is_available("cuda"):
        pytest.skip(f"no GPU here: {gaia.why_no_cuda()}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    try:
        gaia.RawKernel('extern "C" __global__ void nothing() {}', "nothing")
    except gaia.DeviceError as error:
        pytest.skip(str(error))
    with gaia.GPUContext("cuda"):
        yield


def test_a_kernel_without_a_device_is_refused():
    if gaia.is_available("cuda"):
        pytest.skip("there is a GPU")
    refused(gaia.DeviceError, "cuda", lambda: gaia.RawKernel(SCALE, "scale"))

    class Kernel:
        def __getitem__(self, sizes):
            raise AssertionError("it was started")

    refused(gaia.DeviceError, "needs a GPU", lambda: offload.gpu_kernel(Kernel())(np.ones(3)))


def test_a_kernel_computes_and_checks_its_arguments(cuda):
    scale = gaia.RawKernel(SCALE, "scale")
    assert (scale.name, scale.code) == ("scale", SCALE)
    x = gaia.array(np.arange(1000), dtype="float32")
    y = gaia.zeros(1000, dtype="float32")
    scale((4,), (256,), (x, y, 2.5, 1000))
    assert np.array_equal(y.numpy(), np.float32(2.5) * np.arange(1000, dtype=np.float32))
    scale((8, 1), (128, 1, 1), [x, y, np.float32(3), np.int64(1000)], shared_mem=64)
    assert np.array_equal((y + 1).numpy(), 3 * np.arange(1000, dtype=np.float32) + 1)
    scale((4,), (256,), (x, y, -1, True))  # whole numbers as floating ones; only one element
    assert y.numpy()[:2].tolist() == [0.0, 3.0]

    for args, error, words in [
            ((x, y, 2.5), gaia.ArgumentError, "expected 4 arguments, got 3"),
            ((x, y, 2.5, 10.5), gaia.ArgumentError, "argument 3: 10.5 does not fit 'int n'"),
            ((x, y, 2.5, 1 << 32), gaia.ArgumentError, "does not fit a whole number of 4 bytes"),
            ((x, y, x, 10), gaia.ArgumentError, "argument 2: expected a number"),
            ((x, 3, 2.5, 10), gaia.ArgumentError, "argument 1: expected an array"),
            ((x, y, "2", 10), gaia.ArgumentError, "argument 2: expected an array on a CUDA device or a number"),
            ((x, y.astype("float64"), 2.5, 10), gaia.DTypeError, "float64"),
            ((x, y.reshape((500, 2)).T, 2.5, 10), gaia.ShapeError, "contiguous"),
            ((x.numpy(), y, 2.5, 10), gaia.DeviceError, "got one on cpu")]:
        with pytest.raises(error, match="argument") as caught:
            scale((4,), (256,), args)
        assert words in str(caught.value)
    for grid, block in [((), (1,)), ((1,), 256), ((1,), (2000,)), ((0,), (1,)), ((1, 1, 1, 1), (1,))]:
        with pytest.raises(gaia.ArgumentError):
            scale(grid, block, (x, y, 2.5, 10))


def test_a_module_has_several_kernels_with_options(cuda):
    module = gaia.RawModule(SCALE + 'extern "C" __global__ void which(int* x) { *x = N; }', options=("-DN=7",))
    total = gaia.zeros(1, dtype="int64")
    count = module.get_function("count")
    count((1,), (1,), (total, 255, False))
    count((1,), (1,), (total, 3, True))
    assert total.numpy().tolist() == [261]
    which = gaia.zeros(1, dtype="int32")
    module.get_function("which")((1,), (1,), (which,))
    assert which.numpy().tolist() == [7]


def test_the_compiler_s_words_come_with_line_and_caret(cuda):
    with pytest.raises(gaia.errors.CompileError, match="does not compile") as caught:
        gaia.RawKernel('extern "C" __global__ void f(float* x) {\n  x[0] = nothing;\n}\n', "f")
    text = str(caught.value)
    assert "kernel.cu" in text and "2" in text and "nothing" in text and "^" in text


def test_a_decorated_kernel_counts_its_threads_and_brings_arrays_back(cuda):
    scale = offload.gpu_kernel(gaia.RawKernel(SCALE, "scale"))
    x, y = np.arange(300, dtype=np.float32), np.zeros(300, np.float32)
    scale(x, y, 2.0, 300)
    assert np.array_equal(y, 2 * x) and np.array_equal(x, np.arange(300))
    there = gaia.zeros(300, dtype="float32")
    scale[3, (100,)](x, there, 3.0, 300)
    assert np.array_equal(there.numpy(), 3 * x)
    refused(gaia.ArgumentError, "count threads", lambda: scale(2.0, 300))


def test_a_kernel_of_numba_s_is_started_with_sizes(monkeypatch):
    # What Numba's simulator and its GPUs take alike.
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    started = []

    class Kernel:
        __name__ = "add_kernel"

        def __getitem__(self, sizes):
            return lambda *args: started.append((sizes, args))

    add = offload.gpu_kernel(threads=128)(Kernel())
    a = np.ones(300)
    add(a, 2)
    add[5, 7](a)
    assert [sizes for sizes, _ in started] == [(3, 128), (5, 7)]
    assert started[0][1][0] is a
    refused(gaia.ArgumentError, "cuda.jit", lambda: offload.gpu_kernel(lambda a: a))
