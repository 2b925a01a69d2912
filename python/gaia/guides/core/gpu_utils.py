# SPDX-License-Identifier: MIT
"""GAIA 4's `gaia.core.gpu_utils`: devices, arrays on them, and functions that gaia calls otherwise."""
from gaia import (GPUContext, ShapeError, abs, benchmark_device, clip, convolve, corrcoef, device_info, dot, exp, eye,
                  get_device, get_device_info, initial_weights, matmul, maximum, mean, norm, normalize, ones, outer, relu,
                  set_device, sigmoid, sqrt, square, std, sum, tanh, temporal_convolution, to_cpu, to_gpu, zeros)
from gaia.backends import get_array_module
from gaia.random import randn, uniform

__all__ = ["GPUContext", "abs", "apply_activation", "apply_activation_derivative", "benchmark_device", "clip", "convolve",
           "corrcoef", "correlation_matrix", "device_info", "dot", "exp", "eye", "get_array_module", "get_device",
           "get_device_info", "initialize_weights", "matmul", "maximum", "mean", "norm", "normalize_tensor", "ones",
           "outer", "randn", "relu", "set_device", "sigmoid", "sqrt", "square", "std", "sum", "tanh",
           "temporal_convolution", "to_cpu", "to_gpu", "uniform", "zeros"]

correlation_matrix = corrcoef
