# SPDX-License-Identifier: MIT
"""Indices of every kind, and NumPy's functions of gaia's arrays, against NumPy."""
import numpy as np
import pytest

import gaia

DTYPES = ("float32", "float64", "int32", "int64", "bool")


def some_index(random, shape):
    """An index of random parts, and whether a list, an array or a mask is among them."""
    parts, axis, advanced, shared = [], 0, False, random.integers(1, 4)
    while axis < len(shape) and random.random() < 0.85:
        length = shape[axis]
        kind = random.choice(["whole", "slice", "none", "list", "array", "mask", "pair"])
        if kind == "whole" and length:
            parts.append(int(random.integers(-length, length)))
        elif kind == "slice":
            begin, end = sorted(random.integers(-length - 1, length + 2, 2).tolist())
            parts.append(slice(begin, end, int(random.integers(1, 3))))
        elif kind == "none":
            parts.append(None)
            continue
        elif kind in ("list", "array") and length:
            positions = random.integers(-length, length, shared if kind == "list" else (2, shared))
            parts.append(positions.tolist() if kind == "list" else positions.astype(random.choice(["int32", "int64"])))
            advanced = True
        elif kind == "mask":
            mask = np.zeros(length, bool)
            mask[random.permutation(length)[:shared]] = True
            if mask.sum() != shared:
                continue
            parts.append(mask)
            advanced = True
        elif kind == "pair" and axis + 2 <= len(shape):
            mask = np.zeros(shape[axis:axis + 2], bool)
            mask.flat[random.permutation(mask.size)[:shared]] = True
            if mask.sum() != shared:
                continue
            parts.append(mask)
            axis += 1
            advanced = True
        else:
            continue
        axis += 1
    if random.random() < 0.3:
        at = int(random.integers(0, len(parts) + 1))
        behind = sum(one is not None for one in parts[at:])
        if behind == 0:
            parts.insert(at, Ellipsis)
    return tuple(parts), advanced


def test_indices_are_numpys():
    random = np.random.default_rng(5)
    tried = read = 0
    while tried < 400:
        shape = tuple(int(n) for n in random.integers(0 if random.random() < 0.1 else 1, 5, random.integers(1, 5)))
        x = random.integers(-9, 10, shape).astype(random.choice(DTYPES))
        if random.random() < 0.5:
            x = x.T
        index, advanced = some_index(random, x.shape)
        if not advanced:
            continue
        tried += 1
        expected = x[index]
        found = gaia.Array(x)[index]
        assert found.shape == expected.shape and found.dtype == x.dtype, (x.shape, index)
        np.testing.assert_array_equal(found.numpy(), expected)
        if x.dtype.kind == "f":
            t = gaia.Tensor(x)
            (t[index] * 2).sum().backward()
            slopes = np.zeros_like(x)
            np.add.at(slopes, index, 2)
            np.testing.assert_array_equal(t.grad.numpy(), slopes)
            read += 1
        theirs, ours = x.copy(), gaia.array(x)
        values = random.integers(-9, 10, expected.shape).astype(x.dtype)
        theirs[index] = values
        ours[index] = values
        np.testing.assert_array_equal(ours.numpy(), theirs)
        ours[index] = 1
        theirs[index] = 1
        np.testing.assert_array_equal(ours.numpy(), theirs)
    print(f"{tried} indices, {read} with gradients")
    assert read > 50


def test_lists_masks_and_truth_values():
    x = np.arange(12.0).reshape(3, 4)
    ours = gaia.Array(x)
    for index in ([0, 2], [[0, 1], [2, 0]], ([0, 1], [1, 2]), (slice(None), [1, -1]), (Ellipsis, [0]), [], [True, False, True],
                  x > 5, (x > 5).any(1), True, False, np.int64(1), (np.array([0, 1])[:, None], np.array([2, 3]))):
        np.testing.assert_array_equal(ours[index].numpy(), x[index])
    np.testing.assert_array_equal(ours[ours > 5].numpy(), x[x > 5])
    ours[ours > 5] = 0
    assert ours.numpy().max() == 5 and x.max() == 5  # which it shares
    ours[0] = [9, 8, 7, 6]
    assert x[0].tolist() == [9, 8, 7, 6]


@pytest.mark.parametrize("index, kind, told", [
    ([0, 3], gaia.PositionError, "expected positions from -3 to 2 along axis 0, whose length is 3, got 3"),
    ((0, 0, [0]), gaia.PositionError, r"expected at most 2 position\(s\)"),
    ([True, False], gaia.ShapeError, r"expected a mask of the shape \(3,\)"),
    ([0.5], gaia.DTypeError, "got list of float64"),
    ("a", gaia.DTypeError, "got str"),
    (([0, 1], [0, 1, 2]), gaia.PositionError, "broadcast to one shape"),
])
def test_indices_that_do_not_fit_are_told(index, kind, told):
    x = gaia.zeros((3, 4))
    with pytest.raises(kind, match=told):
        x[index]
    with pytest.raises(kind, match=told):
        x[index] = 1.0


def test_bytes_are_taken_in_as_whole_numbers():
    x = np.random.default_rng(0).integers(0, 256, (4, 5, 3)).astype(np.uint8)
    for view in (x, x.T, x[::2, ::-1], x[:0], x[1, 2, 0]):
        for ours in (gaia.Array(view), gaia.array(view), gaia.asarray(view)):
            assert ours.dtype == "int32" and ours.shape == view.shape
            np.testing.assert_array_equal(ours.numpy(), view)
    np.testing.assert_allclose(gaia.mean(x).item(), x.mean())


def test_arrays_change_in_place():
    x = gaia.array([1.0, 2.0, 3.0])
    view, same = x[1:], x
    x += 1
    x *= gaia.array([2.0, 2.0, 2.0])
    x -= np.ones(3, np.float32)
    x /= 3.0
    assert x is same and x.tolist() == pytest.approx([1, 5 / 3, 7 / 3]) and view.tolist() == pytest.approx([5 / 3, 7 / 3])
    assert x.version >= 4
    whole = gaia.array([1, 2])
    with pytest.raises(gaia.DTypeError):
        whole /= 2


UNARY = ("abs absolute negative positive sign square sqrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin "
         "arccos arctan sinh cosh tanh arcsinh arctanh floor ceil trunc rint isnan isinf isfinite logical_not cbrt").split()
BINARY = ("add subtract multiply divide power floor_divide remainder fmod maximum minimum arctan2 hypot logaddexp equal "
          "not_equal less less_equal greater greater_equal logical_and logical_or logical_xor fmax copysign").split()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numpys_functions_of_elements(dtype):
    random = np.random.default_rng(1)
    x, y = random.uniform(0.1, 0.9, (2, 3, 4)).astype(dtype)
    tolerance = 1e-6 if dtype == "float32" else 1e-14
    ours = 0
    for name in UNARY:
        found = getattr(np, name)(gaia.Array(x))
        ours += isinstance(found, gaia.Array)
        np.testing.assert_allclose(np.asarray(found), getattr(np, name)(x), tolerance, err_msg=name)
    for name in BINARY:
        function = getattr(np, name)
        for a, b in ((gaia.Array(x), gaia.Array(y)), (x, gaia.Array(y)), (gaia.Array(x), y)):
            found = function(a, b)
            ours += isinstance(found, gaia.Array)
            np.testing.assert_allclose(np.asarray(found), function(x, y), tolerance, err_msg=name)
        np.testing.assert_allclose(np.asarray(function(gaia.Array(x), 0.5)), function(x, x.dtype.type(0.5)), tolerance)
    print(f"{ours} results of gaia's")
    assert ours == len(UNARY) - 1 + 3 * (len(BINARY) - 2)  # all but cbrt, fmax and copysign
    for found in (x + gaia.Array(y), x * gaia.Array(y), 2 - gaia.Array(x), np.float64(2) * gaia.Array(x)):
        assert isinstance(found, gaia.Array) and found.dtype == dtype
    changed = x.copy()
    changed += gaia.Array(y)
    np.testing.assert_array_equal(changed, x + y)
    np.testing.assert_allclose(np.add.reduce(gaia.Array(x), axis=1).numpy(), x.sum(1), tolerance)
    np.testing.assert_allclose(np.add.accumulate(gaia.Array(x)), np.add.accumulate(x), tolerance)


CALLS = [lambda np_, x, y, i: np_.sum(x), lambda np_, x, y, i: np_.sum(x, axis=1, keepdims=True),
         lambda np_, x, y, i: np_.sum(x, 0, dtype="float64"), lambda np_, x, y, i: np_.mean(x, axis=(0, 1)),
         lambda np_, x, y, i: np_.prod(x, -1), lambda np_, x, y, i: np_.max(x, 0), lambda np_, x, y, i: np_.min(x),
         lambda np_, x, y, i: np_.var(x, 0, ddof=1), lambda np_, x, y, i: np_.std(x), lambda np_, x, y, i: np_.median(x, 0),
         lambda np_, x, y, i: np_.any(x > 0.5, axis=0), lambda np_, x, y, i: np_.all(x),
         lambda np_, x, y, i: np_.argmax(x, 1), lambda np_, x, y, i: np_.argmin(x), lambda np_, x, y, i: np_.cumsum(x, 1),
         lambda np_, x, y, i: np_.cumprod(x), lambda np_, x, y, i: np_.clip(x, 0.3, 0.6),
         lambda np_, x, y, i: np_.clip(x, y, None), lambda np_, x, y, i: np_.concatenate([x, y], axis=1),
         lambda np_, x, y, i: np_.concatenate([x, y], axis=None), lambda np_, x, y, i: np_.stack([x, y], -1),
         lambda np_, x, y, i: np_.vstack([x, y[0]]), lambda np_, x, y, i: np_.hstack([x, y]),
         lambda np_, x, y, i: np_.column_stack([x[:, 0], y]), lambda np_, x, y, i: np_.split(x, [1, 3], 1)[1],
         lambda np_, x, y, i: np_.where(x > y, x, 0.0), lambda np_, x, y, i: np_.reshape(x, (-1, 2)),
         lambda np_, x, y, i: np_.transpose(x), lambda np_, x, y, i: np_.swapaxes(x, 0, 1),
         lambda np_, x, y, i: np_.moveaxis(x[None], 0, -1), lambda np_, x, y, i: np_.ravel(x),
         lambda np_, x, y, i: np_.squeeze(x[None]), lambda np_, x, y, i: np_.expand_dims(x, 1),
         lambda np_, x, y, i: np_.broadcast_to(x, (2, 3, 4)), lambda np_, x, y, i: np_.sort(x, 0),
         lambda np_, x, y, i: np_.sort(x, None), lambda np_, x, y, i: np_.argsort(x), lambda np_, x, y, i: np_.take(x, i, 1),
         lambda np_, x, y, i: np_.take_along_axis(x, i[None], 1), lambda np_, x, y, i: np_.repeat(x, 2, 0),
         lambda np_, x, y, i: np_.tile(x, (2, 1)), lambda np_, x, y, i: np_.roll(x, 1), lambda np_, x, y, i: np_.flip(x, 0),
         lambda np_, x, y, i: np_.dot(x, y.T), lambda np_, x, y, i: np_.outer(x[0], y[0]), lambda np_, x, y, i: np_.trace(x),
         lambda np_, x, y, i: np_.diagonal(x), lambda np_, x, y, i: np_.diag(x), lambda np_, x, y, i: np_.tril(x),
         lambda np_, x, y, i: np_.triu(x, 1), lambda np_, x, y, i: np_.einsum("ij,kj->ik", x, y),
         lambda np_, x, y, i: np_.zeros_like(x), lambda np_, x, y, i: np_.ones_like(x), lambda np_, x, y, i: np_.round(x, 1),
         lambda np_, x, y, i: np_.nonzero(x > 0.5)[1], lambda np_, x, y, i: np_.count_nonzero(x > 0.5, axis=1),
         lambda np_, x, y, i: np_.matmul(x, y.T), lambda np_, x, y, i: np_.copy(x)]


def test_numpys_functions_of_arrays():
    x, y = np.random.default_rng(2).uniform(0.1, 0.9, (2, 3, 4))
    i = np.array([2, 0])
    for number, call in enumerate(CALLS):
        found = call(np, gaia.Array(x), gaia.Array(y), gaia.Array(i))
        expected = call(np, x, y, i)
        assert isinstance(found, gaia.Array), number
        assert found.shape == expected.shape and found.dtype == expected.dtype, number
        np.testing.assert_allclose(found.numpy(), expected, 1e-12)
    print(f"{len(CALLS)} calls")
    # What gaia has no function for NumPy computes.
    assert isinstance(np.ptp(gaia.Array(x), axis=0), np.ndarray)
    np.testing.assert_allclose(np.linalg.norm(gaia.Array(x)), np.linalg.norm(x))
    np.testing.assert_allclose(np.sum(gaia.Array(x), where=x > 0.5), np.sum(x, where=x > 0.5))
    assert np.shape(gaia.Array(x)) == (3, 4) and np.ndim(gaia.Array(x)) == 2 and np.size(gaia.Array(x)) == 12


def test_numpys_functions_of_tensors_have_gradients():
    x = np.random.default_rng(3).uniform(0.1, 0.9, (3, 4))
    t = gaia.Tensor(x)
    loss = np.sum(np.exp(t) * x + np.concatenate([t[:1], x[1:]]) + np.where(x > 0.5, t, 0.0)) + np.mean(np.stack([t, t]))
    assert isinstance(loss, gaia.Tensor)
    loss.backward()
    slopes = np.exp(x) * x + (np.arange(3) == 0)[:, None] + (x > 0.5) + 1 / 12
    np.testing.assert_allclose(t.grad.numpy(), slopes, 1e-12)
    assert isinstance(np.greater(t, 0.5), gaia.Array) and isinstance(t > 0.5, gaia.Array)


def test_methods_are_numpys():
    x = np.random.default_rng(4).uniform(-2, 2, (3, 4))
    calls = [lambda a: a.any(), lambda a: a.all(axis=1), lambda a: a.clip(-1, 1), lambda a: a.clip(max=0.5),
             lambda a: a.round(1), lambda a: a.cumsum(1), lambda a: a.cumprod(), lambda a: a.take(np.array([1, 0]), 0),
             lambda a: a.repeat(2), lambda a: a.diagonal(1), lambda a: a.trace(), lambda a: a.ravel(), lambda a: a.flatten(),
             lambda a: a.dot(a.T), lambda a: a.argsort(0), lambda a: a.nonzero()[0]]
    for number, call in enumerate(calls):
        np.testing.assert_allclose(call(gaia.Array(x)).numpy(), call(x), 1e-12, err_msg=str(number))
    ours = gaia.Array(x)
    assert ours.nbytes == x.nbytes and ours.itemsize == 8 and ours.is_contiguous and not ours.T.is_contiguous
    assert gaia.Tensor(x).nbytes == x.nbytes and gaia.Tensor(x).tolist() == x.tolist()


def test_tensors_are_joined_and_taken_apart():
    a, b = (np.random.default_rng(seed).normal(size=(2, 3)) for seed in (0, 1))
    s, t = gaia.Tensor(a), gaia.Tensor(b)
    for together in (gaia.concatenate([s, t]), gaia.concatenate([s, b]), gaia.concatenate([a, t]),
                     gaia.concatenate([s, b.tolist()])):
        assert isinstance(together, gaia.Tensor)
        np.testing.assert_allclose(together.numpy(), np.concatenate([a, b]), 1e-6)
    one, two = gaia.split(gaia.stack([s, t], axis=1), 2, axis=1)
    (one.sum() + 2 * two.sum()).backward()
    assert (s.grad.numpy() == 1).all() and (t.grad.numpy() == 2).all()
    parts = gaia.split(s, [1, 2], axis=1)
    assert [part.shape for part in parts] == [(2, 1)] * 3 and all(isinstance(part, gaia.Tensor) for part in parts)
    with pytest.raises(gaia.ShapeError):
        gaia.concatenate([s, gaia.zeros((2, 4))])
    with pytest.raises(gaia.ArgumentError):
        gaia.stack([])
