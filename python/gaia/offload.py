# SPDX-License-Identifier: MIT
"""Functions of NumPy arrays that run on a GPU where that may pay, under the names of VedaRT's guide.

    from gaia import offload

    @offload.gpu
    def gram(x):
        return x.T @ x

    gram(np.ones((5000, 5000)))     # on the GPU, if there is one, and a NumPy array again

What is handed to such a function as NumPy arrays it sees as gaia.Array on the device, and what it returns as gaia.Array
comes back as NumPy arrays.  Where it does not pay, it is called with what it was given.  `should_offload` says which.
"""
import functools
import typing

import numpy as np

from . import _gaia
from ._parallel import par_iter, scope
from .errors import ArgumentError

__all__ = ["Config", "get_runtime", "gpu", "init", "par_iter", "scope", "should_offload", "shutdown"]

MIN_BYTES = 1_000_000  # below, copies and launches cost more than there is to gain


class Config:
    """Where decorated functions may run: Config(gpu=True, min_bytes=1_000_000), or step by step:
    Config.builder().gpu(True).build()."""

    def __init__(self, gpu=True, min_bytes=MIN_BYTES) -> None:
        self.enable_gpu = bool(gpu)
        self.min_bytes = int(min_bytes)

    @classmethod
    def builder(cls) -> "typing.Any":
        """Something to make one step by step with: `gpu`, `min_bytes`, then `build`."""
        return _Builder()


class _Builder:
    def __init__(self):
        self._keys = {}

    def gpu(self, enabled=True):
        self._keys["gpu"] = enabled
        return self

    def min_bytes(self, count):
        self._keys["min_bytes"] = count
        return self

    def build(self):
        return Config(**self._keys)


_config = Config()


def init(config=None) -> None:
    """Sets the Config of this process; without one, the defaults."""
    global _config
    if config is not None and not isinstance(config, Config):
        raise ArgumentError(f"[offload.init] expected a Config, got {type(config).__name__}; "
                            "Config.builder().gpu(True).build() makes one")
    _config = config or Config()


def shutdown() -> None:
    """Forgets the Config that `init` has set."""
    init(None)


def should_offload(function, args, device=None) -> bool:
    """Whether a call goes to the GPU: there is one, it is not switched off, the arrays among `args` have at least the
    Config's `min_bytes` together, and twice as much is free there."""
    del function  # what it costs is not known before it has run
    device = _device_name(device)
    if not _config.enable_gpu or not _gaia.is_available(device):
        return False
    size = sum(arg.nbytes for arg in args if _can_move(arg))
    return size >= _config.min_bytes and 2 * size <= _gaia.memory_stats(device)["free"]


def gpu(function=None, *, device=None, always=False) -> "typing.Any":
    """Decorates a function of NumPy arrays, which then runs on a GPU where `should_offload` says so.

    device   "cuda" where left out, "cuda:1" or its number; "cpu" is gaia's own arithmetic on the CPU
    always   whether it runs there whatever its arguments are

    Raises DeviceError with `always` if the device cannot be used, and what the function raises.
    """
    if function is None:
        return functools.partial(gpu, device=device, always=always)

    @functools.wraps(function)
    def run(*args, **keys):
        name = _device_name(device)
        given = [*args, *keys.values()]
        if not always and not should_offload(function, given, name):
            return function(*args, **keys)
        with _gaia.GPUContext(name):
            args = [_to_device(arg, name) for arg in args]
            keys = {key: _to_device(arg, name) for key, arg in keys.items()}
            return _to_numpy(function(*args, **keys))

    return run


class _Gpu:
    """The GPU that decorated functions run on."""

    backend = "cuda"

    @property
    def device_count(self):
        return _gaia.get_device_info()["device_count"]

    def is_available(self):
        return _gaia.is_available("cuda")

    def get_memory_stats(self):
        """{"used_mb", "free_mb", "total_mb"} of the whole device, whoever uses it, in MB of 10^6 bytes."""
        stats = _gaia.memory_stats("cuda")
        free, total = stats["free"] / 1e6, stats["total"] / 1e6
        return {"used_mb": total - free, "free_mb": free, "total_mb": total}

    def get_utilization(self):
        """Percent of the device's memory that is in use."""
        stats = self.get_memory_stats()
        return 100.0 * stats["used_mb"] / stats["total_mb"]


class Runtime:
    """What decorated functions run with: `config`, and `gpu`, None where there is none or it is switched off."""

    @property
    def config(self) -> "typing.Any":
        return _config

    @property
    def gpu(self) -> "typing.Any":
        return _Gpu() if _config.enable_gpu and _gaia.is_available("cuda") else None


def get_runtime() -> "typing.Any":
    """The Runtime of this process."""
    return Runtime()


def _device_name(device):
    if device is None:
        return "cuda"
    return f"cuda:{device}" if isinstance(device, int) else device


def _can_move(value):
    """Whether it is an array whose elements are all that there is to it: masks stay where they are."""
    return isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)


def _to_device(value, name):
    return _gaia.Array(value).to(name) if _can_move(value) else value


def _to_numpy(value):
    if isinstance(value, (_gaia.Array, _gaia.Tensor)):
        value = _gaia.to_numpy(value)
        return value[()] if value.ndim == 0 else value
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_to_numpy(item) for item in value)
    if isinstance(value, dict):
        return {key: _to_numpy(item) for key, item in value.items()}
    return value
