# SPDX-License-Identifier: MIT
"""Padding, differences, grids, windows, interpolation, convolution and distances."""
import itertools

import gaia
import numpy as np

from functions import Case, numbers


def cases(peers):
    return [*paddings(peers), *neighbours(peers), *windows(peers), *interpolations(peers), *convolutions(peers),
            *distances(peers), *closeness(peers)]


def paddings(peers):
    made = []
    for shape, width in (((64,), 3), ((1000000,), 1000), ((1000, 1000), 8), ((8, 16, 64, 64), ((0, 0), (0, 0), (1, 1), (1, 1)))):
        x = numbers(shape, "float32")
        ours = gaia.Array(x)
        for mode in ("constant", "edge", "reflect", "wrap"):
            case = Case(f"pad/{mode}/{'x'.join(map(str, shape))}/float32", gaia=lambda mode=mode, ours=ours, width=width:
                        gaia.pad(ours, width, mode), numpy=lambda mode=mode, x=x, width=width: np.pad(x, width, mode))
            if peers.torch and len(shape) == 4:
                names = {"edge": "replicate", "wrap": "circular"}
                theirs = peers.torch.from_numpy(x)
                case.ways["torch"] = lambda mode=names.get(mode, mode), theirs=theirs: peers.torch.nn.functional.pad(
                    theirs, (1, 1, 1, 1), mode)
            made.append(case)
    x = numbers((300, 1000), "float64")
    ours = gaia.Array(x)
    for mode in ("mean", "maximum", "linear_ramp"):
        made.append(Case(f"pad/{mode}/300x1000/float64", gaia=lambda mode=mode: gaia.pad(ours, 8, mode),
                         numpy=lambda mode=mode: np.pad(x, 8, mode)))
    return made


def neighbours(peers):
    made = []
    for shape, n, axis in (((1000000,), 1, 0), ((1000, 1000), 2, 0), ((1000, 1000), 1, 1)):
        x = numbers(shape)
        ours = gaia.Array(x)
        case = Case(f"diff/n={n}/axis={axis}/{'x'.join(map(str, shape))}/float64",
                    gaia=lambda ours=ours, n=n, axis=axis: gaia.diff(ours, n, axis),
                    numpy=lambda x=x, n=n, axis=axis: np.diff(x, n, axis))
        if peers.torch:
            theirs = peers.torch.from_numpy(x)
            case.ways["torch"] = lambda theirs=theirs, n=n, axis=axis: peers.torch.diff(theirs, n, axis)
        made.append(case)
    a, b = numbers(1000), numbers(1000, seed=1)
    ours = gaia.Array(a), gaia.Array(b)
    return [*made, Case("meshgrid/1000x1000/float64", gaia=lambda: gaia.meshgrid(*ours), numpy=lambda: np.meshgrid(a, b))]


def numpy_unfold(x, k):
    seen = np.lib.stride_tricks.sliding_window_view(x, (k, k), (2, 3))
    return seen.transpose(0, 1, 4, 5, 2, 3).reshape(x.shape[0], x.shape[1] * k * k, -1)


def numpy_fold(columns, size, k):
    places = size - k + 1
    parts = columns.reshape(len(columns), -1, k, k, places, places)
    sums = np.zeros((len(columns), parts.shape[1], size, size), columns.dtype)
    for a, b in itertools.product(range(k), range(k)):
        sums[:, :, a:a + places, b:b + places] += parts[:, :, a, b]
    return sums


def windows(peers):
    made = []
    for shape, k in (((8, 16, 64, 64), 3), ((4, 3, 128, 128), 7)):
        x = numbers(shape, "float32")
        columns = numpy_unfold(x, k)
        size, text = shape[-1], f"k={k}/{'x'.join(map(str, shape))}/float32"
        ours, folded = gaia.Array(x), gaia.Array(columns)
        made += [Case(f"unfold/{text}", gaia=lambda ours=ours, k=k: gaia.unfold(ours, k),
                      numpy=lambda x=x, k=k: numpy_unfold(x, k)),
                 Case(f"fold/{text}", gaia=lambda folded=folded, size=size, k=k: gaia.fold(folded, size, k),
                      numpy=lambda columns=columns, size=size, k=k: numpy_fold(columns, size, k))]
        if peers.torch:
            functional = peers.torch.nn.functional
            image, lanes = peers.torch.from_numpy(x), peers.torch.from_numpy(columns)
            made[-2].ways["torch"] = lambda image=image, k=k: functional.unfold(image, k)
            made[-1].ways["torch"] = lambda lanes=lanes, size=size, k=k: functional.fold(lanes, (size, size), k)
    return made


def numpy_resize(x, axis, n, mode):
    """Along one axis: element floor(i in / out), or straight lines between middles."""
    length = x.shape[axis]
    if mode == "nearest":
        return x.take(np.arange(n) * length // n, axis)
    at = np.clip((np.arange(n) + 0.5) * length / n - 0.5, 0, None)
    low = np.minimum(at.astype(int), length - 1)
    share = (at - low).astype(x.dtype).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    return x.take(low, axis) * (1 - share) + x.take(np.minimum(low + 1, length - 1), axis) * share


def interpolations(peers):
    made = []
    points = np.arange(1000.0)
    heights = np.sin(points)
    for kind, count in (("sorted", 100), ("sorted", 100000), ("random", 100000)):
        x = np.random.default_rng(2).uniform(-10, 1010, count)
        x = np.sort(x) if kind == "sorted" else x
        ours = [gaia.Array(one) for one in (x, points, heights)]
        made.append(Case(f"interp/{kind}/{count} in 1000/float64", tolerance=1e-12, gaia=lambda ours=ours: gaia.interp(*ours),
                         numpy=lambda x=x: np.interp(x, points, heights)))
    for shape, size, mode in (((8, 16, 4096), (8192,), "nearest"), ((8, 16, 4096), (8192,), "linear"), ((8, 16, 4096), (3000,), "linear"),
                              ((4, 8, 64, 64), (128, 128), "nearest"), ((4, 8, 64, 64), (128, 128), "bilinear"),
                              ((4, 8, 128, 128), (48, 48), "bilinear")):
        x = numbers(shape, "float32")
        ours = gaia.Array(x)

        def by_numpy(x=x, size=size, mode=mode):
            for axis, n in enumerate(size, 2):
                x = numpy_resize(x, axis, n, mode)
            return x
        case = Case(f"interpolate/{mode}/{'x'.join(map(str, shape))} to {'x'.join(map(str, size))}/float32",
                    gaia=lambda ours=ours, size=size, mode=mode: gaia.interpolate(ours, size, mode=mode), numpy=by_numpy)
        if peers.torch:
            theirs = peers.torch.from_numpy(x)
            case.ways["torch"] = lambda theirs=theirs, size=size, mode=mode: peers.torch.nn.functional.interpolate(
                theirs, size, mode=mode)
        made.append(case)
    return made


def numpy_causal(x, kernel):
    y = np.zeros_like(x)
    for j in range(len(kernel)):
        y[:, j:] += kernel[j] * x[:, :x.shape[1] - j]
    return y


def convolutions(peers):
    made = []
    for n, m in ((1000, 5), (100000, 32), (100000, 256)):
        x, kernel = numbers(n), numbers(m, seed=1)
        ours = gaia.Array(x), gaia.Array(kernel)
        made.append(Case(f"convolve/full/{n} with {m}/float64", tolerance=1e-12, gaia=lambda ours=ours: gaia.convolve(*ours),
                         numpy=lambda x=x, kernel=kernel: np.convolve(x, kernel)))
        case = Case(f"convolve/same/reflect/{n} with {m}/float64", tolerance=1e-12,
                    gaia=lambda ours=ours: gaia.convolve(*ours, "same", "reflect"),
                    numpy=lambda x=x, kernel=kernel, m=m: np.convolve(np.pad(x, (m // 2, (m - 1) // 2), "reflect"), kernel, "valid"))
        if peers.scipy:
            import scipy.ndimage
            case.ways["scipy"] = lambda x=x, kernel=kernel, m=m: scipy.ndimage.convolve1d(x, kernel, mode="mirror",
                                                                                         origin=0 if m % 2 else -1)
        made.append(case)
    for shape, m in (((8, 1000, 32), 16), ((1, 100000, 4), 8)):
        x, kernel = numbers(shape, "float32"), numbers((m, shape[-1]), "float32", seed=1)
        ours = gaia.Array(x), gaia.Array(kernel)
        case = Case(f"temporal_convolution/causal/{'x'.join(map(str, shape))} with {m}/float32",
                    gaia=lambda ours=ours: gaia.temporal_convolution(*ours),
                    numpy=lambda x=x, kernel=kernel: numpy_causal(x, kernel))
        if peers.torch:
            torch = peers.torch
            signal = torch.from_numpy(np.ascontiguousarray(x.swapaxes(1, 2)))
            taps = torch.from_numpy(np.ascontiguousarray(kernel[::-1].T[:, None]))
            case.ways["torch"] = lambda signal=signal, taps=taps, m=m: torch.nn.functional.conv1d(
                torch.nn.functional.pad(signal, (m - 1, 0)), taps, groups=len(taps)).swapaxes(1, 2)
        made.append(case)
    return made


def numpy_distances(a, b, p):
    sums = np.zeros((len(a), len(b)))
    for k in range(a.shape[1]):
        sums += np.abs(a[:, k, None] - b[:, k])**p
    return sums**(1 / p)


def distances(peers):
    made = []
    for p, m in itertools.product((2.0, 1.0), (2, 8, 64)):
        a, b = numbers((500, m)), numbers((1000, m), seed=1)
        ours = gaia.Array(a), gaia.Array(b)
        case = Case(f"cdist/p={p:g}/500x1000 of {m}/float64", tolerance=1e-10, gaia=lambda ours=ours, p=p: gaia.cdist(*ours, p),
                    numpy=lambda a=a, b=b, p=p: numpy_distances(a, b, p))
        if peers.scipy:
            import scipy.spatial.distance
            name = "euclidean" if p == 2 else "cityblock"
            case.ways["scipy"] = lambda a=a, b=b, name=name: scipy.spatial.distance.cdist(a, b, name)
        if peers.torch:
            theirs = peers.torch.from_numpy(a), peers.torch.from_numpy(b)
            case.ways["torch"] = lambda theirs=theirs, p=p: peers.torch.cdist(*theirs, p=p)
        made.append(case)
    return made


def closeness(peers):
    made = []
    for dtype in ("float32", "float64"):
        a = numbers(1000000, dtype)
        b = a + np.where(numbers(1000000, seed=1) > 0, 1e-3, 0).astype(dtype)
        ours = gaia.Array(a), gaia.Array(b)
        case = Case(f"isclose/1000000/{dtype}", gaia=lambda ours=ours: gaia.isclose(*ours), numpy=lambda a=a, b=b: np.isclose(a, b))
        if peers.torch:
            theirs = peers.torch.from_numpy(a), peers.torch.from_numpy(b)
            case.ways["torch"] = lambda theirs=theirs: peers.torch.isclose(*theirs)
        made.append(case)
    return made
