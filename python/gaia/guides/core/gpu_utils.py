# SPDX-License-Identifier: MIT
"""GAIA 4's `gaia.core.gpu_utils`: devices, arrays on them, and functions that gaia calls otherwise."""
import math

from gaia import (ArgumentError, GPUContext, ShapeError, Tensor, abs, activate, benchmark_device, clip, convolve, corrcoef,
                  device_info, dot, exp, eye, get_device, get_device_info, linalg, matmul, maximum, mean, norm, normalize,
                  ones, outer, relu, set_device, sigmoid, sqrt, square, std, sum, tanh, temporal_convolution, to_cpu, to_gpu,
                  zeros)
from gaia.backends import get_array_module
from gaia.random import randn, uniform

__all__ = ["GPUContext", "abs", "apply_activation", "apply_activation_derivative", "benchmark_device", "clip", "convolve",
           "corrcoef", "correlation_matrix", "device_info", "dot", "exp", "eye", "get_array_module", "get_device",
           "get_device_info", "initialize_weights", "matmul", "maximum", "mean", "norm", "normalize_tensor", "ones",
           "outer", "randn", "relu", "set_device", "sigmoid", "sqrt", "square", "std", "sum", "tanh",
           "temporal_convolution", "to_cpu", "to_gpu", "uniform", "zeros"]

correlation_matrix = corrcoef


def apply_activation(x, activation):
    """f(x) of every element; f is named as the `activation` of a layer: "relu", "sigmoid", "tanh", "linear", ..."""
    return activate(activation, x)


def apply_activation_derivative(x, activation):
    """f'(x) of every element."""
    point = Tensor(x, True)
    activate(activation, point).sum().backward()
    return point.grad


def normalize_tensor(x, axis=-1, eps=1e-8):
    """x / (norm + eps) along an axis."""
    return normalize(x, axis, eps)


def initialize_weights(shape, method="he"):
    """Weights [outputs, inputs] on the current device: "he" and "xavier" with the deviations sqrt(2 / inputs) (He et al.
    2015) and sqrt(2 / (inputs + outputs)) (Glorot & Bengio 2010), "normal" with 0.01, "uniform" in [-0.01, 0.01),
    "orthogonal" with rows, or columns where there are fewer, of length 1 at right angles.

    Raises ArgumentError for another method, ShapeError unless there are two axes.
    """
    if len(shape) != 2:
        raise ShapeError(f"[initialize_weights] expected a shape [outputs, inputs], got {list(shape)}")
    outputs, inputs = shape
    if method == "uniform":
        return uniform(-0.01, 0.01, shape)
    if method == "orthogonal":
        long = linalg.qr(randn(max(shape), min(shape))).Q
        return long if outputs >= inputs else long.T
    deviations = {"he": math.sqrt(2 / max(1, inputs)), "xavier": math.sqrt(2 / max(1, inputs + outputs)), "normal": 0.01}
    if method not in deviations:
        raise ArgumentError("[initialize_weights] expected \"he\", \"xavier\", \"normal\", \"uniform\" or "
                            f"\"orthogonal\", got {method!r}")
    return randn(*shape) * deviations[method]
