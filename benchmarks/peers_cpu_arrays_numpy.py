# SPDX-License-Identifier: MIT
"""What peers_cpu_arrays.py asks for, by NumPy: `CALLS` of every operation."""

import dataclasses
import math
import typing

import numpy as np

LARGEST = 10  # of top_k


@dataclasses.dataclass
class Out:
    """A function that gives a new array, or writes into the one that it is given as `out`."""
    function: typing.Callable


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def layer_norm(x, weight, bias):
    centred = x - x.mean(axis=1, keepdims=True)
    variance = (centred * centred).mean(axis=1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * weight + bias


def scale_shift(a, b, out=None):
    return np.add(np.multiply(a, 2, out=out), b, out=out)


def scale_shift_in_place(a, b):
    return np.add(np.multiply(a, 0.5, out=a), b, out=a)


def sigmoid(x, out=None):
    y = np.negative(x, out=out)
    np.exp(y, out=y)
    y += 1
    return np.reciprocal(y, out=y)


def softplus(x, out=None):
    y = np.exp(x, out=out)
    return np.log1p(y, out=y)


def elu(x):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def top_k(x, axis):
    return -np.sort(-np.partition(x, len(x) - LARGEST)[len(x) - LARGEST:])


def logsumexp(x, axis):
    top = x.max(axis=axis, keepdims=True)
    return np.log(np.exp(x - top).sum(axis=axis)) + top.squeeze(axis)


def windows(x, kernel):
    """[..., L] to [..., L, kernel], with zeros around."""
    padding = [(0, 0)] * (x.ndim - 1) + [(kernel // 2, kernel // 2)]
    return np.lib.stride_tricks.sliding_window_view(np.pad(x, padding), kernel, axis=-1)


def conv1d(x, weights):
    return np.tensordot(weights, windows(x, weights.shape[-1]),
                        ([1, 2], [1, 3])).transpose(1, 0, 2)


def conv2d(x, weights):
    kernel = weights.shape[-1]
    pad = kernel // 2
    padded = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    view = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), axis=(2, 3))
    return np.tensordot(weights, view, ([1, 2, 3], [1, 4, 5])).transpose(1, 0, 2, 3)


def pooled(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2)


def max_pool2d(x):
    return np.maximum(np.maximum(x[..., ::2, ::2], x[..., ::2, 1::2]),
                      np.maximum(x[..., 1::2, ::2], x[..., 1::2, 1::2]))


def avg_pool2d(x):
    return (x[..., ::2, ::2] + x[..., ::2, 1::2] + x[..., 1::2, ::2] + x[..., 1::2, 1::2]) / 4


def masked_fill(x, mask):
    x[mask] = 3
    return x


def masked_copy(x, mask):
    np.copyto(x, 3, where=mask)
    return x


def take(x, places, out=None):
    # Checking the places would buffer `out`.
    return np.take(x, places, out=out, mode="raise" if out is None else "clip")


def index_assign(x, places, values):
    x[places] = values
    return x


def index_add(x, places, values):
    np.add.at(x, places, values)
    return x


def scatter_add(x, places, values):
    np.add.at(x, (np.arange(len(x))[:, None], places), values)
    return x


def filled(x):
    x.fill(2)
    return x


def copied(view, fresh=np.copy):
    """A fresh copy of a view, or one into `out`."""
    def call(x, out=None):
        if out is None:
            return fresh(view(x))
        np.copyto(out, view(x), casting="unsafe")
        return out
    return Out(call)


# Functions of one or two arrays, and of lanes, under the names that gaia has for them.
NAMES = """exp tanh add matmul outer sin cos tan exp2 expm1 log log2 log10 log1p sqrt arcsin arccos arctan sinh cosh arcsinh
    arccosh arctanh floor abs isnan multiply divide power maximum remainder fmod floor_divide
    arctan2 hypot logaddexp greater logical_and sum mean prod max argmax std cumsum any all""".split()

CALLS = {
    **{name: [Out(getattr(np, name))] for name in NAMES},
    "gelu": [gelu], "relu": [Out(lambda x, out=None: np.maximum(x, 0, out=out))],
    "scale_shift": [lambda a, b: a * 2 + b, Out(scale_shift)],
    "scale_shift_in_place": [scale_shift_in_place],
    "gemv": [Out(np.matmul)], "softmax": [softmax], "layer_norm": [layer_norm],
    "transpose": [lambda x: np.ascontiguousarray(x.T)],
    "sigmoid": [Out(sigmoid)], "silu": [lambda x: x * sigmoid(x)],
    "softplus": [Out(softplus)],
    "elu": [elu], "clip": [Out(lambda x, out=None: np.clip(x, -1, 1, out=out))],
    "where": [np.where], "sort": [np.sort], "argsort": [np.argsort], "median": [np.median],
    "top_k": [top_k], "unique": [np.unique],
    "searchsorted": [np.searchsorted],
    "permutation": [lambda x: np.random.default_rng(1).permutation(len(x))],
    "norm": [np.linalg.norm, lambda x, axis: np.sqrt((x * x).sum(axis=axis))],
    "logsumexp": [logsumexp], "count_nonzero": [np.count_nonzero],
    "copy": [copied(lambda x: x)],
    "fill": [lambda x: np.full(x.shape, 2, x.dtype), filled],
    "copy_reversed": [copied(lambda x: x[::-1])], "copy_every_second": [copied(lambda x: x[::2])],
    "roll": [lambda x: np.roll(x, len(x) // 3)],
    "stack": [Out(lambda a, b, out=None: np.stack((a, b), out=out))],
    "repeat": [lambda x: np.repeat(x, 4)], "tile": [lambda x: np.tile(x, 4)],
    "take": [Out(take), lambda x, i: x[i]],
    "masked_select": [lambda x, mask: x[mask]],
    "masked_fill": [masked_fill, masked_copy],
    "nonzero": [np.flatnonzero], "index_assign": [index_assign],
    "concatenate_rows": [Out(lambda a, b, out=None: np.concatenate((a, b), 0, out=out))],
    "concatenate_columns": [Out(lambda a, b, out=None: np.concatenate((a, b), 1, out=out))],
    "stack_columns": [lambda a, b: np.stack((a, b), 2).reshape(len(a), -1)],
    "take_rows": [lambda x, i: np.take(x, i, axis=0), lambda x, i: x[i]],
    "take_columns": [lambda x, i: np.take(x, i, axis=1), lambda x, i: x[:, i]],
    "take_along_rows": [lambda x, i: np.take_along_axis(x, i, 1)],
    "take_along_columns": [lambda x, i: np.take_along_axis(x, i, 0)],
    "add_row": [Out(np.add)], "add_column": [Out(np.add)],
    "add_transposed": [Out(lambda a, b, out=None: np.add(a, b.T, out=out))], "tril": [np.tril],
    "index_add": [index_add], "scatter_add": [scatter_add],
    **{f"astype_{name}": [copied(lambda x: x, lambda x, name=name: x.astype(name))]
       for name in ("float32", "float64", "int64")},
    "bmm": [Out(np.matmul)],
    "einsum": [lambda a, b: np.einsum("ij,kj->ik", a, b, optimize=True)],
    "conv1d": [conv1d], "conv2d": [conv2d],
    "max_pool2d": [max_pool2d, lambda x: pooled(x).max(axis=(3, 5))],
    "avg_pool2d": [avg_pool2d, lambda x: pooled(x).mean(axis=(3, 5))],
    "convolve": [lambda x, k: np.convolve(x, k, "valid")],
}
