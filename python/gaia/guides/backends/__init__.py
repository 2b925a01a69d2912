# SPDX-License-Identifier: MIT
"""neural_arch's `neural_arch.backends`: a device as an object with the fused operations on it."""
from gaia import GPUContext, _gaia

__all__ = ["Backend", "get_array_module", "get_backend"]


def get_array_module(*_):
    """gaia itself, whose functions compute on the current device."""
    import gaia

    return gaia


def get_backend(device=None):
    """What computes on a device, the current one where it is left out: a Backend.

        module, name = gaia.get_backend()      # gaia, "cpu"
        gaia.get_backend("cuda").is_available

    Raises ArgumentError for a name that is none of a device's.
    """
    return Backend(device)


class Backend:
    """A device and the fused operations that run on it.

    name                "cpu" or "cuda"
    device              "cpu", "cuda:0", ...
    is_available        whether it can be used here and now; DeviceError says why not as soon as it is asked to compute
    has_custom_kernels  whether the fused operations have kernels of their own there: all devices have
    """

    def __init__(self, device=None):
        self.device = _gaia.current_device() if device is None else _full_name(device)
        self.name = self.device.partition(":")[0]

    def __iter__(self):
        return iter((get_array_module(), self.name))

    def __getitem__(self, index):
        return tuple(self)[index]

    def __len__(self):
        return 2

    def __repr__(self):
        return f"<gaia.Backend {self.device}{'' if self.is_available else ', not available'}>"

    @property
    def is_available(self):
        """Whether the device can be used here and now."""
        return _gaia.is_available(self.device)

    @property
    def has_custom_kernels(self):
        """Whether the fused operations have kernels of their own there: wherever it is available."""
        return self.is_available

    def gelu(self, x):
        """x Phi(x) in its tanh form, of every element."""
        return self._there(_gaia.gelu, x)

    def fused_linear_gelu(self, x, weights, bias=None):
        """gelu(x W^T + b): x [..., in], weights [out, in], bias [out]."""
        return self._there(_gaia.linear_gelu, x, weights, bias)

    def layernorm(self, x, weight=None, bias=None, eps=1e-5):
        """Mean 0 and variance 1 along the last axis, times weight plus bias."""
        return self._there(_gaia.layer_norm, x, weight, bias, epsilon=float(eps))

    def flash_attention(self, q, k, v, scale=None, block_size=None, causal=False):
        """softmax(scale q k^T) v: q [..., T, d], k and v [..., S, d]; scale is 1 / sqrt(d) where it is left out.

        block_size   is taken and not needed: the kernel chooses its tiles
        """
        del block_size
        return self._there(_gaia.attention, q, k, v, scale=None if scale is None else float(scale), causal=causal)

    def benchmark_kernel(self, name, *tensors, num_runs=100):
        """The mean time of a fused kernel, in milliseconds; the names are those of `gaia.benchmark_names()`."""
        return 1000.0 * self._there(_gaia.benchmark_kernel, name, *tensors, repeats=num_runs).mean_time

    def _there(self, function, *args, **keys):
        with GPUContext(self.device):
            return function(*args, **keys)


def _full_name(device):
    """A device's name with its number: "gpu" is "cuda:0"."""
    with_alias = {"gpu": "cuda", "cupy": "cuda", "numpy": "cpu"}
    name = str(device).lower()
    name = with_alias.get(name, name)
    _gaia.is_available(name)  # raises ArgumentError for a name that is none
    if name == "auto":
        return "cuda:0" if _gaia.is_available("cuda") else "cpu"
    return "cuda:0" if name == "cuda" else name
