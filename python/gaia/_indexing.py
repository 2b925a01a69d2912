# SPDX-License-Identifier: MIT
"""x[index] and x[index] = values where lists, arrays or masks stand in the index, by NumPy's rules."""
import numpy as np

from . import _gaia
from ._intake import plain
from .errors import DTypeError, PositionError, ShapeError


def get(x, index):
    """x[index], of an Array or a Tensor: elements of its own."""
    plan = _Plan(x, index)
    if len(plan.axes) == 1:
        return _gaia.take(plan.view, _on(plan.view, plan.positions[0]), plan.axes[0])
    taken = _gaia.take(plan.merged(), _on(plan.view, plan.flat()), 0)
    return taken.transpose(plan.order_of_result())


def put(x, index, values):
    """x[index] = values, of an Array; of a position that comes twice the last counts."""
    plan = _Plan(x, index)
    values = values if isinstance(values, _gaia.Array) else _gaia.array(values)
    rest = [plan.view.shape[axis] for axis in plan.rest]
    shape = plan.shape_of_result(rest)
    try:
        values = _gaia.broadcast_to(values, shape)
    except ShapeError:
        raise ShapeError(f"[index] expected values that broadcast to the shape {shape}, got {values.shape}") from None
    order = plan.order_of_result()
    values = values.transpose([order.index(i) for i in range(len(order))]).reshape((plan.count(), *rest))
    if not values.size:
        return
    turned = plan.view.transpose(plan.axes + plan.rest)
    merged = turned.reshape((-1, *rest)).copy()
    _gaia.index_assign(merged, _on(x, plan.flat().reshape(-1)), values, 0)
    turned.assign(merged.reshape(turned.shape))


class _Plan:
    """An index in two steps: the view that slices and None make, and positions along some of its axes."""

    def __init__(self, x, index):
        parts = list(index) if isinstance(index, tuple) else [index]
        parts = [part if part is None or part is Ellipsis or isinstance(part, slice) else _positions(part)
                 for part in parts]
        named = sum(1 if isinstance(part, slice) else part.ndim if _is_mask(part) else isinstance(part, np.ndarray)
                    for part in parts)
        if named > x.ndim:
            raise PositionError(f"[index] expected at most {x.ndim} position(s), one for each axis, got {named}")
        if sum(part is Ellipsis for part in parts) > 1:
            raise PositionError("[index] expected at most one ..., got more")
        if not any(part is Ellipsis for part in parts):
            parts.append(Ellipsis)
        basic, found, axis = [], [], 0  # axis: of x
        for part in parts:
            if part is Ellipsis:
                free = x.ndim - named
                basic += [slice(None)] * free
                axis += free
            elif part is None:
                basic.append(None)
            elif isinstance(part, slice):
                basic.append(part)
                axis += 1
            elif _is_mask(part) and part.ndim == 0:
                found.append((len(basic), np.zeros(int(part), np.int64), 1, axis))
                basic.append(None)
            elif _is_mask(part):
                expected = x.shape[axis:axis + part.ndim]
                if part.shape != tuple(expected):
                    raise ShapeError(f"[index] expected a mask of the shape {tuple(expected)} of the axes that it stands "
                                     f"for, got {part.shape}")
                for one in part.nonzero():
                    found.append((len(basic), one, x.shape[axis], axis))
                    basic.append(slice(None))
                    axis += 1
            else:
                found.append((len(basic), part, x.shape[axis], axis))
                basic.append(slice(None))
                axis += 1
        self.axes = [at for at, _, _, _ in found]
        self.is_together = all(b - a == 1 for a, b in zip(self.axes, self.axes[1:]))
        self.view = x[tuple(basic)] if basic else x
        self.rest = [axis for axis in range(self.view.ndim) if axis not in self.axes]
        checked = [_checked(positions, length, axis) for _, positions, length, axis in found]
        try:
            self.positions = np.broadcast_arrays(*checked)
        except ValueError:
            shapes = ", ".join(str(one.shape) for one in checked)
            raise PositionError(f"[index] expected arrays of positions that broadcast to one shape, got the shapes {shapes}"
                                ) from None

    def flat(self):
        """The positions along the axes together, which stand in front."""
        made = np.zeros(self.positions[0].shape, np.int64)
        for axis, positions in zip(self.axes, self.positions):
            made = made * self.view.shape[axis] + positions
        return made

    def merged(self):
        rest = [self.view.shape[axis] for axis in self.rest]
        together = int(np.prod([self.view.shape[axis] for axis in self.axes]))
        return self.view.transpose(self.axes + self.rest).reshape((together, *rest))

    def count(self):
        return self.positions[0].size

    def order_of_result(self):
        """Where the axes of the result lie among those of the positions, followed by the rest."""
        many = self.positions[0].ndim
        before = self.axes[0] if self.is_together else 0
        rest = [many + i for i in range(len(self.rest))]
        return rest[:before] + list(range(many)) + rest[before:]

    def shape_of_result(self, rest):
        lengths = [*self.positions[0].shape, *rest]
        return tuple(lengths[axis] for axis in self.order_of_result())


def _positions(part):
    """Positions, or a mask, as an array of NumPy's."""
    if isinstance(part, (_gaia.Array, _gaia.Tensor)):
        part = _gaia.to_numpy(part)
    try:
        made = np.asarray(plain(part))
    except ValueError:
        raise PositionError("[index] expected lists of one shape as positions") from None
    if made.size == 0 and not hasattr(part, "dtype"):
        made = made.astype(np.int64)
    if made.dtype.kind == "f" and made.ndim and (made == np.floor(made)).all():
        made = made.astype(np.int64)  # gaia's functions take whole numbers in floating arrays
    if made.dtype.kind not in "iub":
        raise DTypeError(f"[index] expected whole numbers, slices, None, ..., or arrays of positions or truth values, got "
                         f"{type(part).__name__} of {made.dtype}")
    return made


def _is_mask(part):
    return isinstance(part, np.ndarray) and part.dtype == bool


def _checked(positions, length, axis):
    """Positions from 0 on along an axis."""
    positions = positions.astype(np.int64, copy=False)
    if positions.size:
        wrong = (positions < -length) | (positions >= length)
        if wrong.any():
            at = int(positions[wrong].flat[0])
            raise PositionError(f"[index] expected positions from {-length} to {length - 1} along axis {axis}, whose length is "
                                f"{length}, got {at}")
        positions = np.where(positions < 0, positions + length, positions)
    return positions


def _on(x, positions):
    made = _gaia.Array(np.ascontiguousarray(positions).reshape(positions.shape))
    return made if x.device == "cpu" else made.to(x.device)
