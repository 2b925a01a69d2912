# SPDX-License-Identifier: MIT
"""Functions of NumPy arrays that run on a GPU where that may pay, under the names of VedaRT's guide.

    from gaia import offload

    @offload.gpu
    def gram(x):
        return x.T @ x

    gram(np.ones((5000, 5000)))     # on the GPU, if there is one, and a NumPy array again

What is passed to such a function as NumPy arrays it sees as gaia.Array on the device, and what it returns as gaia.Array
comes back as NumPy arrays.  Where it does not pay, it is called with what it was given.  `should_offload` says which.
"""
import functools
import math
import operator
import os
import typing

import numpy as np

from . import _gaia, _par_iter, _scope
from ._kernels import gpu_kernel
from .errors import ArgumentError

__all__ = ["Config", "get_runtime", "gpu", "gpu_kernel", "init", "par_iter", "scope", "should_offload", "shutdown"]

MIN_BYTES = 1_000_000  # below, copies and launches cost more than there is to gain


class Config:
    """How this process computes: Config(gpu=True, threads=4), or step by step:
    Config.builder().gpu(True).threads(4).build().  What is None stays as it is.

    gpu              whether decorated functions may run on a GPU
    min_bytes        bytes of arrays from which on a call goes there; the offload threshold of device "auto" too, if
                     it is given
    threads          number of threads that compute within an operation, and how many items `offload.par_iter`, or tasks
                     `offload.scope`, works on at a time
    processes        number of processes that these two share items between, where they are asked to
    memory_limit     bytes that arrays may have on the current device; 0: any
    transfer_policy  "allow", "warn_once" or "forbid": what happens where an operand lies on another device
    retries          number of times that a member of a sweep or a search is tried again that died by a signal or for
                     want of memory
    seed             seed of all random numbers for which none is said
    telemetry        a file to which runs add lines of JSON
    metrics          a text file for Prometheus, which runs keep

    Raises ArgumentError for a value that cannot be.
    """

    def __init__(self, gpu=True, min_bytes=None, *, threads=None, processes=None, memory_limit=None,
                 transfer_policy=None, retries=None, seed=None, telemetry=None, metrics=None) -> None:
        self.enable_gpu = bool(gpu)
        self.min_bytes = MIN_BYTES if min_bytes is None else _count("min_bytes", min_bytes, 0)
        self.threads = _count("threads", threads, 1)
        self.processes = _count("processes", processes, 1)
        self.memory_limit = _count("memory_limit", memory_limit, 0)
        self.transfer_policy = _policy(transfer_policy)
        self.retries = _count("retries", retries, 0)
        self.seed = _count("seed", seed, 0)
        self.telemetry = None if telemetry is None else os.fspath(telemetry)
        self.metrics = None if metrics is None else os.fspath(metrics)
        self._offload_threshold = None if min_bytes is None else self.min_bytes

    @classmethod
    def builder(cls) -> "typing.Any":
        """Something to make one step by step with: a method for each argument of Config, by its name or by those of
        VedaRT (gpu_threshold, policy, max_retries, deterministic), then `build`."""
        return _Builder()

    def _settings(self):
        """What gaia.set_runtime takes."""
        return {"threads": self.threads, "memory_limit": self.memory_limit, "transfer_policy": self.transfer_policy,
                "offload_threshold": self._offload_threshold, "retries": self.retries, "telemetry": self.telemetry,
                "metrics": self.metrics}


def _count(name, value, least):
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < least:
        raise ArgumentError(f"[offload.Config] {name}: expected a whole number from {least} on, got {value!r}")
    return number


def _policy(name):
    known = ("allow", "warn_once", "forbid")
    if name is None or name in known:
        return name
    raise ArgumentError(f"[offload.Config] transfer_policy: expected one of {', '.join(known)}, got {name!r}")


class _Builder:
    """Every method sets an argument of Config and returns the builder."""

    def __init__(self):
        self._keys = {}

    def _set(self, **keys):
        self._keys.update(keys)
        return self

    def gpu(self, enabled=True):
        return self._set(gpu=enabled)

    def min_bytes(self, count):
        return self._set(min_bytes=count)

    gpu_threshold = min_bytes

    def threads(self, count):
        return self._set(threads=count)

    def processes(self, count):
        return self._set(processes=count)

    def memory_limit(self, count):
        return self._set(memory_limit=count)

    def transfer_policy(self, name):
        return self._set(transfer_policy=name)

    policy = transfer_policy

    def retries(self, count):
        return self._set(retries=count)

    max_retries = retries

    def deterministic(self, seed):
        return self._set(seed=seed)

    seed = deterministic

    def telemetry(self, file):
        return self._set(telemetry=file)

    def metrics(self, file):
        return self._set(metrics=file)

    def build(self):
        return Config(**self._keys)


_config = Config()
_before = None  # settings of the process before the first `init`


def init(config=None) -> None:
    """Sets the Config of this process; without one, the defaults.  Transfer policy and memory limit are those of this
    thread and its device.  What an earlier Config has set and this one does not is as it was before.

    Raises ArgumentError for what is no Config, or for a value that cannot be.
    """
    global _config, _before
    if config is not None and not isinstance(config, Config):
        raise ArgumentError(f"[offload.init] expected a Config, got {type(config).__name__}; "
                            "Config.builder().gpu(True).build() makes one")
    config = config or Config()
    settings = {name: value for name, value in config._settings().items() if value is not None}
    earlier = _before or {}
    now = _gaia.runtime_settings()
    _gaia.set_runtime(**{**earlier, **settings})
    # Only of what some Config has set is it to be known how it was.
    _before = {**{name: now[name] for name in settings}, **earlier}
    if config.seed is not None:
        _gaia.set_seed(config.seed)
    _config = config


def shutdown() -> None:
    """Forgets the Config that `init` has set, and puts back what was before; random numbers go on."""
    global _before
    init(None)
    _before = None


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


def par_iter(items, *, workers=None, processes=False) -> "typing.Any":
    """`gaia.par_iter` with as many workers as the Config has threads or processes, where it names their number."""
    return _par_iter.par_iter(items, workers=_workers(workers, processes), processes=processes)


def scope(*, workers=None, processes=False) -> "typing.Any":
    """`gaia.scope` with as many workers as the Config has threads or processes, where it names their number."""
    return _scope.scope(workers=_workers(workers, processes), processes=processes)


def _workers(workers, processes):
    if workers is not None:
        return workers
    return _config.processes if processes else _config.threads


class _Gpu:
    """The GPU that decorated functions run on."""

    backend = "cuda"

    @property
    def device_count(self):
        return _gaia.get_device_info()["device_count"]

    def is_available(self):
        return _gaia.is_available("cuda")

    def get_memory_stats(self):
        """{"used_mb", "free_mb", "total_mb"} of the whole device, for anyone who uses it, in MB of 10^6 bytes."""
        stats = _gaia.memory_stats("cuda")
        free, total = stats["free"] / 1e6, stats["total"] / 1e6
        return {"used_mb": total - free, "free_mb": free, "total_mb": total}

    def get_utilization(self):
        """Percent of the last sample period in which a kernel ran on the GPU, as its driver (NVML) measures it; NaN
        where it does not say, and `gaia.device_usage` says why.

        Raises DeviceError where no device answers.
        """
        busy = _gaia.device_usage("cuda")["busy"]
        return math.nan if busy is None else 100.0 * busy

    def get_temperature(self):
        """Degrees Celsius of the chip; NaN where the driver does not say.

        Raises DeviceError where no device answers.
        """
        temperature = _gaia.device_usage("cuda")["temperature"]
        return math.nan if temperature is None else temperature


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
