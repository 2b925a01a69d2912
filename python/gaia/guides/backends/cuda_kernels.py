# SPDX-License-Identifier: MIT
"""neural_arch's `neural_arch.backends.cuda_kernels`: the fused kernels of CUDA devices, called directly."""
from gaia import _gaia
from gaia.backends import Backend

__all__ = ["KernelManager", "get_cuda_kernel_manager"]


def get_cuda_kernel_manager():
    """The fused kernels of CUDA devices: a KernelManager."""
    return KernelManager()


class KernelManager:
    """The fused kernels; they are compiled with gaia, none at run time."""

    def is_available(self):
        """Whether there is a CUDA device to run them on."""
        return _gaia.is_available("cuda")

    @property
    def compiled_kernels(self):
        """{name: how often it ran, how often plain operations did instead, and why}."""
        return _gaia.kernel_registry()

    def gelu_forward(self, x):
        """gelu(x) on the first CUDA device.  Raises DeviceError if there is none."""
        return Backend("cuda").gelu(x)

    def fused_linear_gelu(self, x, weights, bias=None):
        """gelu(x W^T + b) there: x [..., in], weights [out, in], bias [out].  Raises DeviceError if there is none."""
        return Backend("cuda").fused_linear_gelu(x, weights, bias)

    def layernorm_forward(self, x, weight=None, bias=None, eps=1e-5):
        """Mean 0 and variance 1 along the last axis, times weight plus bias.  Raises DeviceError if there is none."""
        return Backend("cuda").layernorm(x, weight, bias, eps)

    def flash_attention(self, q, k, v, scale=None, block_size=None, causal=False):
        """softmax(scale q k^T) v, as Backend.flash_attention.  Raises DeviceError if there is none."""
        return Backend("cuda").flash_attention(q, k, v, scale, block_size, causal)
