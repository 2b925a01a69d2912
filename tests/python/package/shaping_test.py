# SPDX-License-Identifier: MIT
"""Padding, differences, grids, windows, interpolation, convolution and distances against NumPy, SciPy and PyTorch.

Every test draws shapes, dtypes and strides by a seed and says how many cases it compared; what NumPy refuses gaia
refuses too.
"""
import itertools

import numpy as np
import pytest

import gaia
from refused import refused

FLOATS = ("float32", "float64")
WHOLE = ("int32", "int64")
PAD_MODES = ("constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def rng():
    return np.random.default_rng(52)


def draw(rng, shape, dtype, ties=False):
    """Numbers of a dtype in some layout: as they come, turned, cut, reversed or repeated."""
    wide = tuple(2 * length + 1 for length in shape)
    numbers = rng.integers(-3, 4, wide) if ties or dtype in WHOLE else rng.normal(size=wide)
    x = (rng.random(wide) < 0.5) if dtype == "bool" else numbers.astype(dtype)
    start = tuple(slice(0, length) for length in shape)
    kind = rng.integers(5)
    if kind == 0:
        return x[start].copy()
    if kind == 1:
        return x[tuple(slice(1, None, 2) for _ in shape)]
    if kind == 2:
        return x[start][tuple(slice(None, None, -1) for _ in shape)]
    if kind == 3:
        return np.asfortranarray(x[start])
    return np.broadcast_to(x[start][:1], shape) if shape and shape[0] else x[start]


def check(ours, theirs, rtol=0.0, atol=0.0, dtype=None):
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape
    if dtype is not None:
        assert ours.dtype == str(np.dtype(dtype)), f"expected {np.dtype(dtype)}, got {ours.dtype}"
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=rtol, atol=atol)


def alike(ours, theirs, **how):
    """Compares both, or sees that both refuse; whether there was anything to compare."""
    try:
        expected = theirs()
    except (ValueError, TypeError, IndexError):
        with pytest.raises((gaia.Error, ValueError, TypeError)):
            ours()
        return False
    check(ours(), expected, **how)
    return True


def tolerance(*arrays, rtol=1e-10):
    single = any(x.dtype == np.float32 for x in arrays)
    return {"rtol": 2e-5, "atol": 2e-5} if single else {"rtol": rtol, "atol": 1e-12}


# Ends


def pad_options(rng, mode, rank):
    options = {}
    if mode == "constant" and rng.random() < 0.7:
        options["constant_values"] = [5, (1, 2), ((3, 4),)][rng.integers(3)] if rank else 5
    if mode == "linear_ramp" and rng.random() < 0.7:
        options["end_values"] = [5, (-1, 2), ((3, -4),)][rng.integers(3)] if rank else 5
    if mode in ("maximum", "minimum", "mean", "median") and rng.random() < 0.7:
        options["stat_length"] = [1, 2, (1, 3), 9][rng.integers(4)]
    if mode in ("reflect", "symmetric"):
        options["reflect_type"] = ["even", "odd"][rng.integers(2)]
    return options


@pytest.mark.parametrize("mode", PAD_MODES)
def test_pad(mode, rng):
    compared = neither = 0
    for _ in range(150):
        rank = int(rng.integers(1, 4))
        shape = tuple(int(n) for n in rng.integers(0 if rng.random() < 0.2 else 1, 5, rank))
        dtype = str(rng.choice(FLOATS + WHOLE))
        x = draw(rng, shape, dtype, ties=rng.random() < 0.3)
        kind = rng.integers(4)
        widths = [int(rng.integers(0, 9)), tuple(int(n) for n in rng.integers(0, 9, 2)),
                  [tuple(int(n) for n in rng.integers(0, 9, 2)) for _ in shape],
                  [(int(n),) for n in rng.integers(0, 9, rank)]][kind]
        options = pad_options(rng, mode, rank)
        # NumPy's means of float32 are carried in float32, its ramps and repeated mirrors rounded alike.
        how = {"rtol": 1e-5, "atol": 1e-5} if dtype == "float32" else {"rtol": 1e-12, "atol": 1e-12}
        seen = alike(lambda: gaia.pad(gaia.Array(x), widths, mode, **options), lambda: np.pad(x, widths, mode, **options),
                     dtype=dtype, **(how if dtype in FLOATS else {}))
        compared, neither = compared + seen, neither + (not seen)
    print(f"{compared} paddings by {mode} compared, {neither} refused by both")
    assert compared >= 100


def test_pad_of_bool_and_of_axes_that_a_dict_names(rng):
    x = rng.random((3, 4)) < 0.5
    for mode in ("constant", "edge", "maximum", "minimum", "reflect", "symmetric", "wrap"):
        check(gaia.pad(gaia.Array(x), 5, mode), np.pad(x, 5, mode), dtype="bool")
    ours = gaia.pad(gaia.Array(x), {1: (1, 2), -2: 3})
    check(ours, np.pad(x, ((3, 3), (1, 2))))
    assert gaia.pad(gaia.Array(x), 2, "empty").shape == (7, 8)
    check(gaia.pad(gaia.Array(np.array(3.0)), 2), np.array(3.0))


def test_pad_says_what_does_not_fit():
    x = gaia.Array(np.ones((2, 3)))
    for call, text in [(lambda: gaia.pad(x, 1, "mirror"), "expected mode to be constant"),
                       (lambda: gaia.pad(x, -1), "widths of at least 0"),
                       (lambda: gaia.pad(x, 1.5), "expected pad_width"),
                       (lambda: gaia.pad(x, [(1, 2)] * 3), "each of 2"),
                       (lambda: gaia.pad(x, 1, "edge", constant_values=1), "does not read constant_values"),
                       (lambda: gaia.pad(x, 1, "constant", stat_length=1), "does not read stat_length"),
                       (lambda: gaia.pad(x, 1, "maximum", stat_length=0), "stat_lengths of at least 1"),
                       (lambda: gaia.pad(x, 1, "reflect", reflect_type="strange"), "even or odd"),
                       (lambda: gaia.pad(gaia.Array(np.ones((0, 2))), 1, "wrap"), "axis 0 has no elements"),
                       (lambda: gaia.pad(gaia.Array(np.ones(3, bool)), 1, "reflect", reflect_type="odd"), "got bool")]:
        refused(gaia.Error, text, call)


def test_diff(rng):
    compared = neither = 0
    for _ in range(300):
        rank = int(rng.integers(1, 4))
        shape = tuple(int(n) for n in rng.integers(0, 5, rank))
        dtype = str(rng.choice(FLOATS + WHOLE + ("bool",)))
        x = draw(rng, shape, dtype)
        n, axis = int(rng.integers(0, 4)), int(rng.integers(-rank, rank))
        ends = {}
        for name in ("prepend", "append"):
            if rng.random() < 0.3:
                beside = list(shape)
                beside[axis] = int(rng.integers(0, 3))
                ends[name] = rng.choice([0, 1]) == 0 and x.dtype.type(1) or draw(rng, tuple(beside), dtype)
        ours = {name: gaia.Array(end) if isinstance(end, np.ndarray) else end.item() for name, end in ends.items()}
        seen = alike(lambda: gaia.diff(gaia.Array(x), n, axis, **ours), lambda: np.diff(x, n, axis, **ends), dtype=dtype,
                     **(tolerance(x) if dtype in FLOATS else {}))
        compared, neither = compared + seen, neither + (not seen)
    print(f"{compared} differences compared, {neither} refused by both")
    assert compared >= 250
    refused(gaia.Error, "n of at least 0", lambda: gaia.diff(gaia.Array(np.ones(3)), -1))
    refused(gaia.Error, "at least 1 dimension", lambda: gaia.diff(gaia.Array(np.array(1.0))))


# Grids


def test_meshgrid(rng):
    count = 0
    for rank, copy, sparse, indexing in itertools.product(range(6), (True, False), (True, False), ("xy", "ij")):
        xi = [draw(rng, () if rng.random() < 0.2 else (int(rng.integers(0, 4)),), str(rng.choice(FLOATS + WHOLE)))
              for _ in range(rank)]
        ours = gaia.meshgrid(*map(gaia.Array, xi), copy=copy, sparse=sparse, indexing=indexing)
        theirs = np.meshgrid(*xi, copy=copy, sparse=sparse, indexing=indexing)
        assert len(ours) == len(theirs) == rank
        for mine, his in zip(ours, theirs):
            check(mine, his, dtype=his.dtype)
            count += 1
    print(f"{count} coordinates of grids compared")
    first, = gaia.meshgrid(gaia.Array(np.arange(3.0)))
    first += 1  # a copy, which may be written to
    refused(gaia.Error, "1 dimension", lambda: gaia.meshgrid(gaia.Array(np.ones((2, 2)))))
    refused(gaia.Error, "xy or ij", lambda: gaia.meshgrid(gaia.Array(np.ones(2)), indexing="yx"))
    refused(gaia.Error, "at most 8", lambda: gaia.meshgrid(*[gaia.Array(np.ones(1))] * 9))


# Closeness


def test_isclose(rng):
    count = 0
    special = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, 1.0 + 1e-6, 1.0 + 1e-4, 1e10, 1.00001e10, 1e-9, 2e-8, 3.0])
    for first, second, equal_nan in itertools.product(FLOATS + WHOLE + ("bool",), FLOATS + WHOLE + ("bool",), (False, True)):
        for rtol, atol in [(1e-5, 1e-8), (0.0, 0.0), (0.3, 0.5)]:
            a = special.astype(first) if first in FLOATS else rng.integers(0, 4, 13).astype(first)
            b = special.astype(second) if second in FLOATS else rng.integers(0, 4, 13).astype(second)
            ours = gaia.isclose(gaia.Array(a[:, None]), gaia.Array(b), rtol, atol, equal_nan)
            theirs = np.isclose(a[:, None], b, rtol, atol, equal_nan)
            check(ours, theirs, dtype="bool")
            assert gaia.allclose(gaia.Array(a), gaia.Array(b), rtol, atol, equal_nan) == np.allclose(a, b, rtol, atol, equal_nan)
            assert gaia.allclose(gaia.Array(a), gaia.Array(a), rtol, atol, equal_nan) == np.allclose(a, a, rtol, atol, equal_nan)
            count += theirs.size
    print(f"{count} pairs of numbers compared")
    assert gaia.allclose(gaia.Array(np.ones((0, 3))), gaia.Array(np.ones(3)))
    check(gaia.isclose(gaia.Array(special), 1.0), np.isclose(special, 1.0))
    assert gaia.allclose(gaia.Array(np.zeros(3)), 0) and not gaia.allclose(gaia.Array(np.zeros(3)), 1e-3)
    x = np.asfortranarray(rng.normal(size=(50, 40)))
    y = x + rng.choice([0.0, 1e-9, 1e-4], x.shape)
    check(gaia.isclose(gaia.Array(x), gaia.Array(y)), np.isclose(x, y))


# Windows


def plain_unfold(x, kernel, dilation, padding, stride):
    x = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    places = [(x.shape[2 + i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in (0, 1)]
    if min(places) < 1:
        raise ValueError
    made = np.zeros((*x.shape[:2], *kernel, *places), x.dtype)
    for a, b, i, j in itertools.product(*map(range, (*kernel, *places))):
        made[:, :, a, b, i, j] = x[:, :, i * stride[0] + a * dilation[0], j * stride[1] + b * dilation[1]]
    return made.reshape(x.shape[0], x.shape[1] * kernel[0] * kernel[1], places[0] * places[1])


def plain_fold(columns, size, kernel, dilation, padding, stride):
    count = columns.shape[0]
    channels = columns.shape[1] // (kernel[0] * kernel[1])
    sums = np.zeros((count, channels, size[0] + 2 * padding[0], size[1] + 2 * padding[1]))
    places = [(sums.shape[2 + i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in (0, 1)]
    parts = columns.reshape(count, channels, *kernel, *places)
    for a, b, i, j in itertools.product(*map(range, (*kernel, *places))):
        sums[:, :, i * stride[0] + a * dilation[0], j * stride[1] + b * dilation[1]] += parts[:, :, a, b, i, j]
    return sums[:, :, padding[0]:padding[0] + size[0], padding[1]:padding[1] + size[1]]


def test_unfold_and_fold(rng):
    compared = neither = 0
    for _ in range(120):
        shape = (int(rng.integers(0, 3)), int(rng.integers(1, 3)), *(int(n) for n in rng.integers(1, 8, 2)))
        dtype = str(rng.choice(FLOATS + WHOLE))
        x = draw(rng, shape, dtype)
        kernel, dilation, stride = (tuple(int(n) for n in rng.integers(1, 4, 2)) for _ in range(3))
        padding = tuple(int(n) for n in rng.integers(0, 3, 2))
        options = {"dilation": dilation, "padding": padding, "stride": stride}
        seen = alike(lambda: gaia.unfold(gaia.Array(x), kernel, **options),
                     lambda: plain_unfold(x, kernel, dilation, padding, stride), dtype=dtype)
        compared, neither = compared + seen, neither + (not seen)
        if not seen:
            continue
        columns = draw(rng, plain_unfold(x, kernel, dilation, padding, stride).shape, dtype)
        check(gaia.fold(gaia.Array(columns), shape[2:], kernel, **options),
              plain_fold(columns, shape[2:], kernel, dilation, padding, stride), dtype=dtype, **tolerance(columns))
    print(f"{compared} unfoldings and foldings compared, {neither} refused")
    assert compared >= 70
    one = gaia.Array(rng.normal(size=(2, 5, 5)))
    assert gaia.unfold(one, 3).shape == (18, 9) and gaia.fold(gaia.unfold(one, 3), 5, 3).shape == (2, 5, 5)
    for call, text in [(lambda: gaia.unfold(gaia.Array(np.ones((5, 5))), 3), r"\[N, C, H, W\]"),
                       (lambda: gaia.unfold(one, 6), "does not fit"), (lambda: gaia.unfold(one, (1, 1, 1)), "kernel_size"),
                       (lambda: gaia.fold(gaia.Array(np.ones((1, 9, 8))), 5, 3), "expected columns"),
                       (lambda: gaia.unfold(one, 3, stride=0), "stride")]:
        refused(gaia.Error, text, call)


def test_unfold_fold_and_interpolate_as_torch(rng):
    torch = pytest.importorskip("torch")
    count = 0
    for _ in range(100):
        x = rng.normal(size=(2, 2, *rng.integers(4, 9, 2)))
        options = {"kernel_size": tuple(rng.integers(1, 4, 2).tolist()), "stride": int(rng.integers(1, 3)),
                   "padding": int(rng.integers(0, 2))}
        theirs = torch.nn.functional.unfold(torch.from_numpy(x), **options)
        check(gaia.unfold(gaia.Array(x), **options), theirs.numpy())
        check(gaia.fold(gaia.Array(theirs.numpy()), x.shape[2:], **options),
              torch.nn.functional.fold(theirs, x.shape[2:], **options).numpy(), rtol=1e-12)
        count += 1
    kinds = {3: ("nearest", "nearest-exact", "linear"), 4: ("nearest", "nearest-exact", "bilinear"),
             5: ("nearest", "nearest-exact", "trilinear")}
    for rank, modes in kinds.items():
        for mode, dtype, _ in itertools.product(modes, FLOATS, range(30)):
            x = rng.normal(size=(2, 2, *rng.integers(1, 7, rank - 2))).astype(dtype)
            to = {"size": rng.integers(1, 12, rank - 2).tolist()}
            if rng.random() < 0.5:
                to = {"scale_factor": rng.choice([0.5, 1.0, 1.3, 2.0, 2.7], rank - 2).tolist()}
            corners = bool(rng.random() < 0.5) and "linear" in mode
            options = {"mode": mode, **to}
            tensor = torch.from_numpy(x)
            try:
                theirs = torch.nn.functional.interpolate(tensor, align_corners=corners if "linear" in mode else None, **options)
            except RuntimeError:
                with pytest.raises(gaia.Error):
                    gaia.interpolate(gaia.Array(x), align_corners=corners, **options)
                continue
            check(gaia.interpolate(gaia.Array(x), align_corners=corners, **options), theirs.numpy(),
                  rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-5 if dtype == "float32" else 1e-12, dtype=dtype)
            count += 1
    print(f"{count} cases of PyTorch's compared")


# Between numbers


def test_interp(rng):
    count = 0
    for _ in range(300):
        n = int(rng.integers(1, 8))
        xp = np.sort(rng.choice(np.arange(-10, 11), n, replace=rng.random() < 0.3)) * 0.5
        fp = rng.normal(size=n)
        if rng.random() < 0.3:
            fp[rng.integers(n)] = rng.choice([np.inf, -np.inf, np.nan])
        shape = tuple(int(k) for k in rng.integers(0, 5, rng.integers(0, 3)))
        x = np.where(rng.random(shape) < 0.5, rng.choice(np.append(xp, [np.nan, np.inf, -np.inf]), shape), rng.uniform(-7, 7, shape))
        options = {}
        for name in ("left", "right"):
            if rng.random() < 0.3:
                options[name] = float(rng.normal())
        if rng.random() < 0.2:
            options["period"] = float(rng.choice([3.0, -5.0, 0.7]))
        theirs = np.interp(x, xp, fp, **options)
        if n == 1 and "period" not in options:
            theirs = np.where(np.isnan(x), x, theirs)  # of one point NumPy forgets that NaN stays NaN
        check(gaia.interp(gaia.Array(x), gaia.Array(xp), gaia.Array(fp), **options), theirs,
              rtol=1e-12, atol=1e-12, dtype="float64")
        count += 1
    print(f"{count} interpolations compared")
    single = [rng.random(5).astype("float32"), np.arange(3, dtype="float32"), np.arange(3, dtype="float32")]
    check(gaia.interp(*map(gaia.Array, single)), np.interp(*single), rtol=1e-6, dtype="float32")
    points = gaia.Array(np.arange(3.0))
    assert gaia.interp(1.25, points, points) == 1.25 and isinstance(gaia.interp(7, points, points), float)
    for call, text in [(lambda: gaia.interp(points, points, gaia.Array(np.ones(2))), "of one length"),
                       (lambda: gaia.interp(points, gaia.Array(np.ones(0)), gaia.Array(np.ones(0))), "at least one"),
                       (lambda: gaia.interp(points, points, points, period=0), "period other than 0")]:
        refused(gaia.Error, text, call)


def plain_linear(x, size, align_corners):
    """The axis that comes last, by np.interp of middles of elements."""
    n = x.shape[-1]
    i = np.arange(size)
    at = i * (n - 1) / max(size - 1, 1) if align_corners else np.clip((i + 0.5) * n / size - 0.5, 0, n - 1)
    return np.apply_along_axis(lambda lane: np.interp(at, np.arange(n), lane), -1, x)


def test_interpolate(rng):
    count = 0
    for _ in range(150):
        rank = int(rng.integers(3, 6))
        shape = (int(rng.integers(0, 3)), int(rng.integers(1, 3)), *(int(n) for n in rng.integers(1, 6, rank - 2)))
        size = tuple(int(n) for n in rng.integers(1, 11, rank - 2))
        x = draw(rng, shape, str(rng.choice(FLOATS + WHOLE)))
        corners = bool(rng.random() < 0.5)
        theirs = x.astype(float)
        if x.size:
            for axis in range(2, rank):
                theirs = np.moveaxis(plain_linear(np.moveaxis(theirs, axis, -1), size[axis - 2], corners), -1, axis)
        else:
            theirs = np.zeros((*shape[:2], *size))
        check(gaia.interpolate(gaia.Array(x), size, mode="linear", align_corners=corners), theirs, **tolerance(x, rtol=1e-12),
              dtype=x.dtype if x.dtype in FLOATS else "float64")
        nearest = x
        for axis in range(2, rank):
            nearest = nearest.take(np.arange(size[axis - 2]) * shape[axis] // size[axis - 2], axis)
        if all(a % b == 0 or b % a == 0 for a, b in zip(size, shape[2:])):  # where no rounding of ratios tells
            check(gaia.interpolate(gaia.Array(x), size), nearest, dtype=x.dtype)
            count += 1
        count += 1
    print(f"{count} interpolations of grids compared")
    x = gaia.Array(rng.normal(size=(1, 1, 4)))
    assert gaia.interpolate(x, scale_factor=1.5).shape == (1, 1, 6)
    for call, text in [(lambda: gaia.interpolate(x), "either a size or a scale"),
                       (lambda: gaia.interpolate(x, 3, 2.0), "either a size or a scale"),
                       (lambda: gaia.interpolate(x, 3, mode="bilinear"), "4 dimensions"),
                       (lambda: gaia.interpolate(x, 3, align_corners=True), "mode linear"),
                       (lambda: gaia.interpolate(x, 0), "at least 1 element"),
                       (lambda: gaia.interpolate(x, scale_factor=-1.0), "scale above 0"),
                       (lambda: gaia.interpolate(x, (3, 3)), "for 1 axis or for each of 1"),
                       (lambda: gaia.interpolate(gaia.Array(np.ones((2, 2))), 3), "expected x"),
                       (lambda: gaia.interpolate(gaia.Array(np.ones((1, 1, 0))), 3), "no elements"),
                       (lambda: gaia.interpolate(x, 3, mode="cubic"), "nearest-exact")]:
        refused(gaia.Error, text, call)


# Convolution

PADDED = {"zero": "constant", "edge": "edge", "reflect": "reflect", "symmetric": "symmetric", "wrap": "wrap"}


def plain_convolve(x, kernel, mode, boundary):
    n, m = len(x), len(kernel)
    if mode == "valid" or (boundary == "zero" and mode != "causal"):
        return np.convolve(x, kernel, mode)
    longer = np.pad(x, m - 1 + n + m, PADDED[boundary])  # sum t of all n + m - 1 begins at t - (m - 1)
    everything = np.array([longer[n + m + t:n + m + t + m] @ kernel[::-1] for t in range(n + m - 1)])
    if mode == "full":
        return everything
    if mode == "causal":
        return everything[:n]
    start = (min(n, m) - 1) // 2
    return everything[start:start + max(n, m)]


def test_convolve(rng):
    count = 0
    for mode, boundary in itertools.product(("full", "same", "valid", "causal"), PADDED):
        for _ in range(20):
            x, kernel = (draw(rng, (int(rng.integers(1, 9)),), str(rng.choice(FLOATS + WHOLE))) for _ in range(2))
            theirs = plain_convolve(x.astype(float), kernel.astype(float), mode, boundary)
            how = {"rtol": 1e-5, "atol": 1e-5} if "float32" in (x.dtype, kernel.dtype) else {"rtol": 1e-12, "atol": 1e-12}
            check(gaia.convolve(gaia.Array(x), gaia.Array(kernel), mode, boundary), theirs, **how)
            columns = draw(rng, (int(rng.integers(0, 3)), 2, len(x), 3), "float64")
            for kernels in (kernel.astype(float), rng.normal(size=(len(kernel), 3))):
                ours = gaia.temporal_convolution(gaia.Array(columns), gaia.Array(kernels), mode, boundary)
                theirs = [plain_convolve(lane, np.broadcast_to(kernels.T, (3, len(kernel)))[i % 3], mode, boundary)
                          for i, lane in enumerate(columns.swapaxes(2, 3).reshape(-1, len(x)))]
                length = ours.shape[-2]
                theirs = np.array(theirs).reshape(*columns.shape[:2], 3, length).swapaxes(2, 3)
                check(ours, theirs, rtol=1e-12, atol=1e-12)
            count += 3
    print(f"{count} convolutions compared")
    assert gaia.convolve1d is not None
    for call, text in [(lambda: gaia.convolve(gaia.Array(np.ones(0)), gaia.Array(np.ones(2))), "with elements"),
                       (lambda: gaia.convolve(gaia.Array(np.ones(3)), gaia.Array(np.ones(2)), "all"), "full, same, valid or causal"),
                       (lambda: gaia.convolve(gaia.Array(np.ones(3)), gaia.Array(np.ones(2)), boundary="mirror"), "symmetric or wrap"),
                       (lambda: gaia.temporal_convolution(gaia.Array(np.ones(3)), gaia.Array(np.ones(2))), r"\[..., T, F\]")]:
        refused(gaia.Error, text, call)


def test_convolve_as_scipy(rng):
    ndimage = pytest.importorskip("scipy.ndimage")
    names = {"edge": "nearest", "reflect": "mirror", "symmetric": "reflect", "wrap": "wrap", "zero": "constant"}
    for boundary, mode in names.items():
        for m in (1, 3, 5):
            x, kernel = rng.normal(size=9), rng.normal(size=m)
            check(gaia.convolve(gaia.Array(x), gaia.Array(kernel), "same", boundary), ndimage.convolve1d(x, kernel, mode=mode),
                  rtol=1e-12, atol=1e-12)


# Distances

ORDERS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, np.inf)


def plain_distances(a, b, p):
    difference = np.abs(a[..., :, None, :].astype(float) - b[..., None, :, :].astype(float))
    if difference.shape[-1] == 0:
        return np.zeros(difference.shape[:-1])
    if p == 0:
        return (difference != 0).sum(-1).astype(float)
    return difference.max(-1) if p == np.inf else (difference**p).sum(-1)**(1 / p)


def test_cdist(rng):
    count = 0
    for _ in range(200):
        p, m = float(rng.choice(ORDERS)), int(rng.choice([0, 1, 2, 3, 5, 7, 17, 40]))
        batch = [((), ()), ((2,), (2,)), ((2, 1), (3,)), ((0,), (1,))][rng.integers(4)]
        a, b = (draw(rng, (*lead, int(rng.integers(0, 6)), m), str(rng.choice(FLOATS + WHOLE)), ties=rng.random() < 0.4)
                for lead in batch)
        if rng.random() < 0.2 and a.size and a.dtype in FLOATS:
            a = a + a.dtype.type(1000.0)  # points far away from the others
        how = {"rtol": 1e-5, "atol": 1e-6} if "float32" in (a.dtype, b.dtype) else {"rtol": 1e-10, "atol": 1e-12}
        check(gaia.cdist(gaia.Array(a), gaia.Array(b), p), plain_distances(a, b, p), **how)
        count += 1
    for m, far in itertools.product((2, 8, 50), (0.0, 1e6)):  # points close together lose no digits
        a = rng.normal(size=(40, m)) + far
        b = np.concatenate([a[:20], a[:20] + 2.0**-20 * rng.integers(-3, 4, (20, m))])
        check(gaia.cdist(gaia.Array(a), gaia.Array(b)), plain_distances(a, b, 2.0), rtol=1e-10)
        count += 1
    infinite = np.array([[np.inf, 1, 2, 3, 4, 5], [np.nan, 1, 2, 3, 4, 5], [1e200, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]])
    check(gaia.cdist(gaia.Array(infinite), gaia.Array(infinite)), plain_distances(infinite, infinite, 2.0))
    print(f"{count} sets of distances compared")
    for call, text in [(lambda: gaia.cdist(gaia.Array(np.ones((2, 3))), gaia.Array(np.ones((2, 2)))), "points in rows"),
                       (lambda: gaia.cdist(gaia.Array(np.ones(3)), gaia.Array(np.ones((2, 3)))), "points in rows"),
                       (lambda: gaia.cdist(gaia.Array(np.ones((2, 3))), gaia.Array(np.ones((2, 3))), -1), "p of at least 0")]:
        refused(gaia.Error, text, call)


def test_cdist_as_scipy(rng):
    distance = pytest.importorskip("scipy.spatial.distance")
    names = {1.0: "cityblock", 2.0: "euclidean", np.inf: "chebyshev"}
    for (p, name), m in itertools.product(names.items(), (1, 4, 5, 16, 17, 100)):
        a, b = rng.normal(size=(30, m)), rng.normal(size=(20, m))
        check(gaia.cdist(gaia.Array(a), gaia.Array(b), p), distance.cdist(a, b, name), rtol=1e-11)


# Gradients, which tests of C++ hold against differences; here, that Python has them, and PyTorch's where it is installed


def tensors(*arrays):
    return [gaia.Tensor(gaia.Array(np.asarray(x)), requires_grad=True) for x in arrays]


def test_tensors_have_the_values_of_arrays_and_gradients(rng):
    x, k, image = rng.normal(size=(4, 3)), rng.normal(size=2), rng.normal(size=(1, 2, 5, 5))
    line = np.arange(4.0)
    cases = [(lambda m, x: m.pad(x, 2, "reflect"), [x]), (lambda m, x: m.pad(x, 1, "median"), [x]),
             (lambda m, x: m.diff(x, 2, 0), [x]), (lambda m, x: m.unfold(x, 3, padding=1), [image]),
             (lambda m, x: m.fold(x, 4, 2), [rng.normal(size=(1, 8, 9))]),
             (lambda m, f: m.interp(gaia.Array(np.array([0.5, 2.2])), gaia.Array(line), f), [line]),
             (lambda m, x: m.interpolate(x, scale_factor=2, mode="bilinear"), [image]),
             (lambda m, x, k: m.convolve(x, k, "same", "wrap"), [x[:, 0].copy(), k]),
             (lambda m, x, k: m.temporal_convolution(x, k), [rng.normal(size=(2, 4, 3)), k]),
             (lambda m, a, b: m.cdist(a, b), [x, rng.normal(size=(5, 3))]),
             (lambda m, a, b: m.meshgrid(a, b)[1], [line, k])]
    for f, numbers in cases:
        inputs = tensors(*numbers)
        y = f(gaia, *inputs)
        np.testing.assert_array_equal(y.numpy(), f(gaia, *map(gaia.Array, numbers)).numpy())
        gaia.sum(y * y).backward()
        for which, (leaf, number) in enumerate(zip(inputs, numbers)):
            moved = number.copy()
            at = tuple(n // 2 for n in number.shape)

            def loss(step):
                moved[at] = number[at] + step
                with gaia.no_grad():
                    values = [moved if i == which else one for i, one in enumerate(numbers)]
                    return float((f(gaia, *map(gaia.Array, values)).numpy()**2).sum())
            slope = (loss(1e-5) - loss(-1e-5)) / 2e-5
            if leaf.grad is None:
                assert slope == 0.0
            else:
                assert leaf.grad.numpy()[at] == pytest.approx(slope, rel=1e-5, abs=1e-6)
    print(f"{len(cases)} functions of tensors compared")
