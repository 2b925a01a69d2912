# SPDX-License-Identifier: MIT
"""CuPy's `cupy.cuda`, as far as the guides use it: memory, the device, the version of CUDA, and waiting for it.

    import gaia as cp
    cp.cuda.Stream.null.synchronize()
    cp.get_default_memory_pool().used_bytes()
"""
import re
from types import SimpleNamespace

from gaia import OutOfMemory, _gaia

__all__ = ["Device", "MemoryPool", "Stream", "get_default_memory_pool", "memory", "runtime"]

memory = SimpleNamespace(OutOfMemoryError=OutOfMemory)


class Device:
    """A CUDA device by its number.  Raises DeviceError where there is none."""

    def __init__(self, device=0):
        self.id = int(device)
        self.name = _gaia.device_info(f"cuda:{self.id}")["name"]

    def synchronize(self):
        """Waits until all that was begun there is done."""
        _gaia.synchronize(f"cuda:{self.id}")


class Stream:
    """The stream of the calling thread, under CuPy's name for the first one: Stream.null."""

    def synchronize(self):
        """Waits until all that this thread has begun on the current device is done."""
        _gaia.synchronize()


Stream.null = Stream()


class _Runtime:
    def getDeviceCount(self):
        """The number of CUDA devices."""
        return _gaia.get_device_info()["device_count"]

    def runtimeGetVersion(self):
        """The version of CUDA as one number, 12040 for 12.4.  Raises DeviceError where there is no CUDA device."""
        _gaia.device_info("cuda")
        major, minor = re.search(r"(\d+)\.(\d+)", _gaia.get_device_info()["cuda_version"]).groups()
        return 1000 * int(major) + 10 * int(minor)


runtime = _Runtime()


def get_default_memory_pool():
    """The memory of the current device: a MemoryPool."""
    return MemoryPool()


class MemoryPool:
    """The memory that gaia's arrays hold on a device, by CuPy's names."""

    def __init__(self, device=None):
        self.device = device

    def used_bytes(self):
        """Held by arrays."""
        return _gaia.memory_stats(self.device)["used"]

    def total_bytes(self):
        """Taken from the system, for arrays or for later ones."""
        stats = _gaia.memory_stats(self.device)
        return max(stats["reserved"], stats["used"])

    def free_all_blocks(self):
        """Gives what no array holds back to the system."""
        _gaia.trim_memory(self.device)
