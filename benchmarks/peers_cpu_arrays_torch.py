# SPDX-License-Identifier: MIT
"""What peers_cpu_arrays.py does by NumPy, by PyTorch."""

import torch
from torch.nn import functional

from peers_cpu_arrays_numpy import LARGEST, Out

aten = torch.ops.aten


def out_of(fresh, into):
    """A function that writes into `out` by an overload of its own."""
    return Out(lambda *operands, out=None: fresh(*operands) if out is None
               else into(*operands, out=out))


def median(x, axis):
    """The mean of the two in the middle."""
    n = x.shape[axis]
    low = torch.kthvalue(x, (n + 1) // 2, axis).values
    return (low + torch.kthvalue(x, n // 2 + 1, axis).values) / 2


def median_of_sorted(x, axis):
    n = x.shape[axis]
    y = torch.sort(x, axis).values
    return (y.select(axis, (n - 1) // 2) + y.select(axis, n // 2)) / 2


def index_assign(x, places, values):
    x[places] = values
    return x


def masked_fill(x, mask):
    x[mask] = 3
    return x


def along(function):
    """Function of a lane: the axis is PyTorch's second operand."""
    return Out(lambda x, axis, out=None: function(x, axis) if out is None
               else function(x, axis, out=out))


def pooled(function):
    return lambda x: function(x, 2)


UNARY = ("exp", "tanh", "sin", "cos", "tan", "exp2", "expm1", "log", "log2", "log10", "log1p",
         "sqrt", "arcsin",
         "arccos", "arctan", "sinh", "cosh", "arcsinh", "arccosh", "arctanh", "erf", "sigmoid",
         "floor", "abs")
BINARY = ("add", "outer", "multiply", "divide", "maximum", "remainder", "fmod", "floor_divide", "arctan2", "hypot",
          "logaddexp", "logical_and", "greater")

def copied(fresh, view=lambda x: x):
    """A fresh answer, or the view copied into `out`."""
    return Out(lambda x, out=None: fresh(x) if out is None else out.copy_(view(x)))


CALLS = {
    **{name: [Out(getattr(torch, name))] for name in UNARY + BINARY},
    "matmul": [Out(torch.mm)], "gemv": [Out(torch.mv)], "power": [Out(torch.pow)],
    "scale_shift": [Out(lambda a, b, out=None: torch.add(b, a, alpha=2, out=out)),
                    lambda a, b: a * 2 + b],
    "scale_shift_in_place": [lambda a, b: a.mul_(0.5).add_(b),
                             lambda a, b: torch.add(b, a, alpha=0.5, out=a)],
    "gelu": [lambda x: functional.gelu(x, approximate="tanh")],
    "relu": [Out(lambda x, out=None: torch.relu(x) if out is None
                 else torch.clamp_min(x, 0, out=out))],
    "softmax": [lambda x: torch.softmax(x, -1)],
    "layer_norm": [lambda x, w, b: functional.layer_norm(x, w.shape, w, b)],
    "transpose": [lambda x: x.t().contiguous(),
                  copied(lambda x: x.t().contiguous(), lambda x: x.t())],
    "softplus": [out_of(functional.softplus, aten.softplus.out)],
    "silu": [out_of(functional.silu, aten.silu.out)],
    "elu": [out_of(functional.elu, aten.elu.out)],
    "clip": [Out(lambda x, out=None: torch.clip(x, -1, 1, out=out))],
    "isnan": [torch.isnan, lambda x: x != x], "where": [Out(torch.where)],
    "sort": [lambda x, axis: torch.sort(x, axis).values,
             lambda x, axis: torch.sort(x, dim=axis, stable=True).values],
    "argsort": [torch.argsort], "median": [median, median_of_sorted,
                                           lambda x, axis: torch.quantile(x, 0.5, axis)],
    "top_k": [lambda x, axis: torch.topk(x, LARGEST, axis).values],
    "unique": [torch.unique],
    "searchsorted": [Out(torch.searchsorted)],
    "permutation": [lambda x: torch.randperm(len(x))],
    "sum": [along(torch.sum)], "mean": [along(torch.mean)], "prod": [along(torch.prod)],
    "max": [along(torch.amax), lambda x, axis: torch.max(x, axis).values,
            lambda x, axis: torch.max(x) if x.ndim == 1 else torch.amax(x, axis)],
    "argmax": [along(torch.argmax)], "any": [along(torch.any)], "all": [along(torch.all)],
    "std": [lambda x, axis: torch.std(x, axis, correction=0)],
    "norm": [lambda x, axis: torch.linalg.vector_norm(x, dim=axis)],
    "logsumexp": [along(torch.logsumexp)], "cumsum": [along(torch.cumsum)],
    "count_nonzero": [torch.count_nonzero, lambda x, axis: x.sum(axis) if x.dtype == torch.bool
                      else (x != 0).sum(axis)],
    "copy": [copied(torch.clone)],
    "fill": [lambda x: torch.full_like(x, 2), lambda x: x.fill_(2)],
    "copy_reversed": [lambda x: torch.flip(x, (0,))],
    "copy_every_second": [copied(lambda x: x[::2].contiguous(), lambda x: x[::2])],
    "roll": [lambda x: torch.roll(x, len(x) // 3)],
    "stack": [Out(lambda a, b, out=None: torch.stack((a, b), out=out))],
    "repeat": [lambda x: torch.repeat_interleave(x, 4),
               lambda x: x[:, None].expand(-1, 4).reshape(-1)],
    "tile": [lambda x: torch.tile(x, (4,))],
    "take": [Out(torch.take), lambda x, i: x[i], lambda x, i: torch.index_select(x, 0, i)],
    "masked_select": [Out(torch.masked_select), lambda x, mask: x[mask]],
    "masked_fill": [masked_fill, lambda x, mask: x.masked_fill_(mask, 3)],
    "nonzero": [lambda x: torch.nonzero(x)[:, 0]],
    "index_assign": [index_assign, lambda x, i, y: x.index_copy_(0, i, y),
                     lambda x, i, y: x.scatter_(0, i, y), lambda x, i, y: x.put_(i, y)],
    "concatenate_rows": [Out(lambda a, b, out=None: torch.cat((a, b), 0, out=out))],
    "concatenate_columns": [Out(lambda a, b, out=None: torch.cat((a, b), 1, out=out))],
    "stack_columns": [lambda a, b: torch.stack((a, b), 2).reshape(len(a), -1)],
    "take_rows": [lambda x, i: x[i], lambda x, i: torch.index_select(x, 0, i)],
    "take_columns": [lambda x, i: x[:, i], lambda x, i: torch.index_select(x, 1, i)],
    "take_along_rows": [Out(lambda x, i, out=None: torch.gather(x, 1, i, out=out))],
    "take_along_columns": [Out(lambda x, i, out=None: torch.gather(x, 0, i, out=out))],
    "add_row": [Out(torch.add)], "add_column": [Out(torch.add)],
    "add_transposed": [Out(lambda a, b, out=None: torch.add(a, b.t(), out=out))],
    "tril": [Out(torch.tril)],
    "index_add": [lambda x, i, y: x.index_add_(0, i, y)],
    "scatter_add": [lambda x, i, y: x.scatter_add_(1, i, y)],
    **{f"astype_{name}": [copied(lambda x, dtype=getattr(torch, name): x.to(dtype))]
       for name in ("float32", "float64", "int64")},
    "bmm": [Out(torch.bmm)], "einsum": [lambda a, b: torch.einsum("ij,kj->ik", a, b)],
    "conv1d": [lambda x, weights: functional.conv1d(x, weights, padding=weights.shape[-1] // 2)],
    "conv2d": [lambda x, weights: functional.conv2d(x, weights, padding=weights.shape[-1] // 2)],
    # gaia answers with the indices too.
    "max_pool2d": [pooled(functional.max_pool2d),
                   lambda x: functional.max_pool2d(x, 2, return_indices=True)[0]],
    "avg_pool2d": [pooled(functional.avg_pool2d)],
    "convolve": [lambda x, k: functional.conv1d(x[None, None], k.flip(0)[None, None])[0, 0]],
}
