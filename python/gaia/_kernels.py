# SPDX-License-Identifier: MIT
"""Kernels of the user's: RawModule and RawKernel, as CuPy has them, and VedaRT's gpu_kernel."""
import os
import typing

import numpy as np

from . import _gaia
from .errors import ArgumentError, DeviceError

THREADS = 256  # of a block, where nothing else is said


class RawModule:
    """A text in CUDA C++ with several kernels: RawModule(code=text).get_function("name") is a RawKernel of it."""

    def __init__(self, code, options=()) -> None:
        self.code = str(code)
        self.options = tuple(options)

    def get_function(self, name) -> "typing.Any":
        """The RawKernel of this name.  Raises what RawKernel does."""
        return _gaia.RawKernel(self.code, name, list(self.options))


class _Launched:
    """A kernel with its sizes: `kernel(*args)` takes a thread for each element of the largest array."""

    def __init__(self, kernel, threads):
        self._kernel = kernel
        self._threads = threads
        self.__doc__ = getattr(kernel, "__doc__", None)
        self.__name__ = getattr(kernel, "__name__", getattr(kernel, "name", "kernel"))

    def __getitem__(self, sizes):
        if not (isinstance(sizes, tuple) and len(sizes) >= 2):
            raise ArgumentError(f"[gpu_kernel] expected kernel[blocks, threads](...), got [{sizes!r}]")
        return lambda *args: self._launch(sizes[0], sizes[1], args)

    def __call__(self, *args):
        elements = max((np.size(arg) if isinstance(arg, np.ndarray) else arg.size
                        for arg in args if _is_array(arg)), default=0)
        if elements == 0:
            raise ArgumentError(f"[gpu_kernel] {self.__name__}: expected an array with elements among the arguments, by "
                                "which to count threads; kernel[blocks, threads](...) names them")
        self._launch(-(-elements // self._threads), self._threads, args)

    def _launch(self, blocks, threads, args):
        if isinstance(self._kernel, _gaia.RawKernel):
            return _launch_raw(self._kernel, _extent(blocks), _extent(threads), args)
        if not _gaia.is_available("cuda") and os.environ.get("NUMBA_ENABLE_CUDASIM") != "1":
            raise DeviceError(f"[gpu_kernel] {self.__name__} needs a GPU: {_gaia.why_no_cuda()}")
        self._kernel[blocks, threads](*args)  # Numba sends NumPy arrays there and brings them back


def gpu_kernel(kernel=None, *, threads=THREADS) -> "typing.Any":
    """Decorates a kernel, so that it is called with its arguments alone: kernel(a, b, result) takes a thread for each
    element of the largest array, in blocks of `threads`; kernel[blocks, threads](a, b, result) names both.

    kernel   kernel of Numba (@cuda.jit), or a RawKernel; NumPy arrays are sent to the GPU, and those that the kernel
             may write to are copied back

    Raises DeviceError where there is no GPU, ArgumentError for what is no kernel.
    """
    if kernel is None:
        return lambda given: gpu_kernel(given, threads=threads)
    if not isinstance(kernel, _gaia.RawKernel) and not hasattr(kernel, "__getitem__"):
        raise ArgumentError("[gpu_kernel] expected a kernel of Numba's, which @cuda.jit makes, or a RawKernel, got "
                            f"{kernel!r}")
    return _Launched(kernel, threads)


def _extent(sizes):
    return tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,)


def _is_array(value):
    return isinstance(value, (np.ndarray, _gaia.Array))


def _launch_raw(kernel, blocks, threads, args):
    moved = [_gaia.Array(arg).to("cuda") if isinstance(arg, np.ndarray) else arg for arg in args]
    kernel(blocks, threads, moved)
    writes = kernel._writes
    for i, (arg, there) in enumerate(zip(args, moved)):
        if isinstance(arg, np.ndarray) and (len(writes) != len(args) or writes[i]):
            arg[...] = _gaia.to_numpy(there)
