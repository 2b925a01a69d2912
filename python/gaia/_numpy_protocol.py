# SPDX-License-Identifier: MIT
"""NumPy's functions of gaia's arrays: np.sum(a), np.stack([a, b]), np.exp(t).

What gaia has a function for is computed by it, on the array's device and with the gradient of a Tensor, and gives an Array
or a Tensor.  All else NumPy computes of the elements, and gives arrays of its own without gradients.
"""
import operator

import numpy as np

from . import _gaia
from .errors import DTypeError

_KINDS = (_gaia.Array, _gaia.Tensor)
_BINARY_OF_ARRAYS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or",
                     "logical_xor", "logical_not", "isnan", "isinf", "isfinite", "bitwise_and", "bitwise_or", "bitwise_xor",
                     "invert"}
_WITHOUT_NUMBERS = {"arctan2", "hypot", "logaddexp", "logical_and", "logical_or", "logical_xor"}  # whose operands are arrays, in gaia
_OTHER_NAMES = {"absolute": "abs", "fabs": "abs", "rint": "round"}


def _ufuncs():
    made = {np.positive: operator.pos, np.bitwise_and: operator.and_, np.bitwise_or: operator.or_,
            np.bitwise_xor: operator.xor, np.invert: operator.invert}
    for ufunc in list(vars(np).values()):  # but for what NumPy imports when it is asked for
        if isinstance(ufunc, np.ufunc) and ufunc not in made:
            ours = getattr(_gaia, _OTHER_NAMES.get(ufunc.__name__, ufunc.__name__), None)
            if ours is not None and ufunc.nin <= 2 and ufunc.nout == 1:
                made[ufunc] = ours
    return made


_UFUNCS = _ufuncs()
_FUNCTIONS = {}


def array_ufunc(self, ufunc, method, *inputs, **named):
    """NumPy's functions of elements, and its operators with arrays of its own on the left."""
    ours = _UFUNCS.get(ufunc)
    if ours is not None and method == "__call__" and not named:
        of_arrays = ufunc.__name__ in _BINARY_OF_ARRAYS
        given = [_operand(one, of_arrays) for one in inputs]
        if ufunc.__name__.startswith(("bitwise", "invert")) and any(getattr(one, "dtype", "") != "bool" for one in given):
            given = [NotImplemented]
        if all(one is not NotImplemented for one in given):
            if ufunc.__name__ in _WITHOUT_NUMBERS:
                beside, = [one for one in given if isinstance(one, _KINDS)][:1]
                given = [one if isinstance(one, _KINDS) else _gaia.full((), one, beside.dtype) for one in given]
            return ours(*given)
    if method == "reduce" and ufunc in _REDUCED and "out" not in named and "where" not in named and "initial" not in named:
        x, axis = inputs[0], named.pop("axis", 0 if len(inputs) < 2 else inputs[1])
        if len(inputs) <= 2:
            return _REDUCED[ufunc](x, axis, **{key: value for key, value in named.items() if value is not None})
    out = named.get("out")
    if out is not None:
        named["out"] = tuple(_plain(one) for one in out)
    found = getattr(ufunc, method)(*_plain(inputs), **{key: _plain(value) for key, value in named.items()})
    return out[0] if out is not None and len(out) == 1 else found


def array_function(self, function, types, args, named):
    """NumPy's functions of arrays."""
    ours = _FUNCTIONS.get(function)
    if ours is not None:
        try:
            found = ours(*args, **named)
        except TypeError as why:
            if isinstance(why, DTypeError) or "argument" not in str(why):
                raise
            found = NotImplemented  # a parameter of NumPy's that gaia's has not
        if found is not NotImplemented:
            return found
    return function(*_plain(args), **_plain(named))


def _operand(one, of_arrays):
    """An argument as gaia's functions take it; NotImplemented for what they do not."""
    if isinstance(one, _gaia.Tensor):
        return one.value if of_arrays else one
    if isinstance(one, (_gaia.Array, bool, int, float)):
        return one
    if isinstance(one, (np.bool_, np.integer, np.floating)):
        return one.item()
    if isinstance(one, np.ndarray) and one.dtype.name in ("float32", "float64", "int32", "int64", "bool"):
        return _gaia.Array(one)
    if isinstance(one, (list, tuple)):
        try:
            return _gaia.array(one)
        except DTypeError:
            return NotImplemented
    return NotImplemented


def _plain(given):
    """The same with NumPy's arrays in place of gaia's, in lists, tuples and dicts too."""
    if isinstance(given, _KINDS):
        return given.numpy()
    if type(given) in (list, tuple):
        return type(given)(_plain(one) for one in given)
    if type(given) is dict:
        return {key: _plain(value) for key, value in given.items()}
    return given


def _taken(one):
    """An Array or a Tensor of what stands beside one."""
    return one if isinstance(one, _KINDS) else _gaia.array(one)


def _instead_of(*names):
    """Stands for functions of NumPy's, of those names that this NumPy has."""
    def keep(ours):
        for name in names:
            if hasattr(np, name):
                _FUNCTIONS[getattr(np, name)] = ours
        return ours
    return keep


def _reduction(ours, dtypes=False):
    def of_numpy(a, axis=None, dtype=None, out=None, keepdims=False):
        if out is not None or (dtype is not None and not dtypes):
            return NotImplemented
        a = _taken(a)
        return ours(a if dtype is None else a.astype(dtype), axis, keepdims=bool(keepdims))
    return of_numpy


for _name in ("sum", "mean", "prod"):
    _instead_of(_name)(_reduction(getattr(_gaia, _name), dtypes=True))
_REDUCED = {np.add: _FUNCTIONS[np.sum], np.multiply: _FUNCTIONS[np.prod]}


def _extreme(ours):
    return lambda a, axis=None, out=None, keepdims=False: \
        NotImplemented if out is not None else ours(_taken(a), axis, keepdims=bool(keepdims))


def _question(ours):
    def of_numpy(a, axis=None, out=None, keepdims=False):
        if out is not None:
            return NotImplemented
        return ours(a.value if isinstance(a, _gaia.Tensor) else _taken(a), axis, keepdims=bool(keepdims))
    return of_numpy


for _names, _ours in ((("max", "amax"), _gaia.max), (("min", "amin"), _gaia.min)):
    _instead_of(*_names)(_extreme(_ours))
for _name in ("any", "all"):
    _instead_of(_name)(_question(getattr(_gaia, _name)))
_REDUCED |= {np.maximum: _FUNCTIONS[np.max], np.minimum: _FUNCTIONS[np.min], np.logical_or: _FUNCTIONS[np.any],
             np.logical_and: _FUNCTIONS[np.all]}


@_instead_of("median")
def _median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return NotImplemented if out is not None else _gaia.median(_taken(a), axis, keepdims=bool(keepdims))


@_instead_of("var")
def _var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return NotImplemented if out is not None or dtype is not None else _gaia.var(_taken(a), axis, ddof, bool(keepdims))


@_instead_of("std")
def _std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return NotImplemented if out is not None or dtype is not None else _gaia.std(_taken(a), axis, ddof, bool(keepdims))


@_instead_of("count_nonzero")
def _count_nonzero(a, axis=None, *, keepdims=False):
    return _gaia.count_nonzero(a.value if isinstance(a, _gaia.Tensor) else a, axis, keepdims)


@_instead_of("argmax")
def _argmax(a, axis=None):
    return _gaia.argmax(a.value if isinstance(a, _gaia.Tensor) else a, axis)


@_instead_of("argmin")
def _argmin(a, axis=None):
    return _gaia.argmin(a.value if isinstance(a, _gaia.Tensor) else a, axis)


@_instead_of("cumsum")
def _cumsum(a, axis=None, dtype=None):
    return _gaia.cumsum(a if dtype is None else a.astype(dtype), axis)


@_instead_of("cumprod")
def _cumprod(a, axis=None, dtype=None):
    return _gaia.cumprod(a if dtype is None else a.astype(dtype), axis)


@_instead_of("clip")
def _clip(a, a_min=None, a_max=None, *, min=None, max=None):
    low, high = (min if a_min is None else a_min), (max if a_max is None else a_max)
    if not all(one is None or isinstance(one, (bool, int, float)) for one in (low, high)):
        a = a if low is None else _gaia.maximum(a, _taken(low))
        return a if high is None else _gaia.minimum(a, _taken(high))
    return _gaia.clip(a, low, high)


@_instead_of("concatenate")
def _concatenate(arrays, axis=0):
    if axis is None:
        return _gaia.concatenate([_taken(one).reshape(-1) for one in arrays], 0)
    return _gaia.concatenate([_taken(one) for one in arrays], axis)


@_instead_of("stack")
def _stack(arrays, axis=0):
    return _gaia.stack([_taken(one) for one in arrays], axis)


@_instead_of("vstack")
def _vstack(tup):
    return _gaia.concatenate([one if one.ndim > 1 else one.reshape((1, -1)) for one in map(_taken, tup)], 0)


@_instead_of("hstack")
def _hstack(tup):
    given = [one if one.ndim else one.reshape(1) for one in map(_taken, tup)]
    return _gaia.concatenate(given, 0 if given[0].ndim == 1 else 1)


@_instead_of("column_stack")
def _column_stack(tup):
    return _gaia.concatenate([one if one.ndim > 1 else one.reshape((-1, 1)) for one in map(_taken, tup)], 1)


@_instead_of("split")
def _split(ary, indices_or_sections, axis=0):
    parts = indices_or_sections
    return _gaia.split(ary, parts if isinstance(parts, int) else [int(one) for one in parts], axis)


@_instead_of("where")
def _where(condition, x=None, y=None):
    if x is None or y is None:
        return NotImplemented
    condition = condition.value if isinstance(condition, _gaia.Tensor) else _taken(condition)
    x, y = (one if isinstance(one, (bool, int, float)) else _taken(one) for one in (x, y))
    return _gaia.where(condition, x, y)


@_instead_of("reshape")
def _reshape(a, shape):
    return a.reshape(shape)


@_instead_of("transpose")
def _transpose(a, axes=None):
    return _gaia.transpose(a, axes)


@_instead_of("swapaxes")
def _swapaxes(a, axis1, axis2):
    return _gaia.swapaxes(a, axis1, axis2)


@_instead_of("moveaxis")
def _moveaxis(a, source, destination):
    if not (isinstance(source, int) and isinstance(destination, int)):
        return NotImplemented
    order = list(range(a.ndim))
    order.insert(destination % a.ndim, order.pop(source % a.ndim))
    return _gaia.transpose(a, order)


@_instead_of("ravel")
def _ravel(a):
    return a.reshape(-1)


@_instead_of("squeeze")
def _squeeze(a, axis=None):
    return _gaia.squeeze(a, axis)


@_instead_of("expand_dims")
def _expand_dims(a, axis):
    return _gaia.expand_dims(a, axis) if isinstance(axis, int) else NotImplemented


@_instead_of("broadcast_to")
def _broadcast_to(array, shape):
    return _gaia.broadcast_to(array, shape)


@_instead_of("copy")
def _copy(a):
    return a.copy() if isinstance(a, _gaia.Array) else NotImplemented


@_instead_of("sort")
def _sort(a, axis=-1):
    return _gaia.sort(a.reshape(-1), 0) if axis is None else _gaia.sort(a, axis)


@_instead_of("argsort")
def _argsort(a, axis=-1):
    a = a.value if isinstance(a, _gaia.Tensor) else a
    return _gaia.argsort(a.reshape(-1), 0) if axis is None else _gaia.argsort(a, axis)


@_instead_of("take")
def _take(a, indices, axis=None):
    return _gaia.take(_taken(a), _taken(indices), axis)


@_instead_of("take_along_axis")
def _take_along_axis(arr, indices, axis=-1):
    return NotImplemented if axis is None else _gaia.take_along_axis(_taken(arr), _taken(indices), axis)


@_instead_of("repeat")
def _repeat(a, repeats, axis=None):
    return _gaia.repeat(a, repeats, axis) if isinstance(repeats, int) else NotImplemented


@_instead_of("tile")
def _tile(A, reps):
    return _gaia.tile(A, reps)


@_instead_of("roll")
def _roll(a, shift, axis=None):
    is_one = isinstance(shift, int) and (axis is None or isinstance(axis, int))
    return _gaia.roll(a, shift, axis) if is_one else NotImplemented


@_instead_of("flip")
def _flip(m, axis=None):
    return _gaia.flip(m, axis)


@_instead_of("dot")
def _dot(a, b):
    return _gaia.dot(_taken(a), _taken(b))


@_instead_of("outer")
def _outer(a, b):
    return _gaia.outer(_taken(a), _taken(b))


@_instead_of("trace")
def _trace(a, offset=0, axis1=0, axis2=1):
    return _gaia.trace(a, offset, axis1, axis2)


@_instead_of("diagonal")
def _diagonal(a, offset=0, axis1=0, axis2=1):
    return _gaia.diagonal(a, offset, axis1, axis2)


@_instead_of("diag")
def _diag(v, k=0):
    return _gaia.diag(v, k)


@_instead_of("tril")
def _tril(m, k=0):
    return _gaia.tril(m, k)


@_instead_of("triu")
def _triu(m, k=0):
    return _gaia.triu(m, k)


@_instead_of("einsum")
def _einsum(equation, *operands):
    return _gaia.einsum(equation, *operands) if isinstance(equation, str) else NotImplemented


@_instead_of("zeros_like")
def _zeros_like(a):
    return _gaia.zeros_like(a.value if isinstance(a, _gaia.Tensor) else a)


@_instead_of("ones_like")
def _ones_like(a):
    return _gaia.ones_like(a.value if isinstance(a, _gaia.Tensor) else a)


@_instead_of("round", "around")
def _round(a, decimals=0):
    return _gaia.round(a, decimals)


@_instead_of("nonzero")
def _nonzero(a):
    return _gaia.nonzero(a.value if isinstance(a, _gaia.Tensor) else a)


@_instead_of("shape")
def _shape(a):
    return a.shape


@_instead_of("ndim")
def _ndim(a):
    return a.ndim


@_instead_of("size")
def _size(a, axis=None):
    return a.size if axis is None else a.shape[axis] if isinstance(axis, int) else NotImplemented


for _kind in _KINDS:
    _kind.__array_ufunc__ = array_ufunc
    _kind.__array_function__ = array_function
