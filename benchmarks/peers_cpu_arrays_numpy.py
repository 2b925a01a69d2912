# SPDX-License-Identifier: MIT
"""What peers_cpu_arrays.py asks for, by NumPy: `CALLS` of every operation."""

import numpy as np

from peers_cpu_ways import LARGEST, Out


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
NAMES = """sin cos tan exp2 expm1 log log2 log10 log1p sqrt arcsin arccos arctan sinh cosh arcsinh
    arccosh arctanh floor abs isnan multiply divide power maximum remainder fmod floor_divide
    arctan2 hypot logaddexp greater logical_and sum mean prod max argmax std cumsum any all""".split()

CALLS = {
    **{name: [Out(getattr(np, name))] for name in NAMES},
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
