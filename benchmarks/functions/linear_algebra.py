# SPDX-License-Identifier: MIT
"""Solutions, decompositions and eigenvalues: gaia.linalg."""

import gaia
import numpy as np

from functions import Case, numbers


def cases(peers):
    made = []
    for dtype, tolerance in (("float32", 1e-2), ("float64", 1e-8)):
        for shape in ((300, 300), (1000, 4, 4), (64, 32, 32)):
            made += decompositions(shape, dtype, tolerance)
    return made


def decompositions(shape, dtype, tolerance):
    """Each on the same matrices; what has signs of its own is compared by its values."""
    n = shape[-1]
    x = numbers(shape, dtype)
    a = (x + n * np.eye(n)).astype(dtype)
    symmetric = x + x.swapaxes(-1, -2)
    positive = (x @ x.swapaxes(-1, -2) + n * np.eye(n)).astype(dtype)
    b = numbers((*shape[:-1], 8), dtype, seed=1)
    ours = {"a": gaia.Array(a), "s": gaia.Array(symmetric), "p": gaia.Array(positive), "b": gaia.Array(b), "x": gaia.Array(x)}
    size = f"{'x'.join(map(str, shape))}/{dtype}"
    mine, theirs = gaia.linalg, np.linalg
    made = [
        Case(f"solve/{size}", gaia=lambda: mine.solve(ours["a"], ours["b"]), numpy=lambda: theirs.solve(a, b)),
        Case(f"inv/{size}", gaia=lambda: mine.inv(ours["a"]), numpy=lambda: theirs.inv(a)),
        Case(f"slogdet/{size}", gaia=lambda: mine.slogdet(ours["a"])[1], numpy=lambda: theirs.slogdet(a)[1]),
        Case(f"cholesky/{size}", gaia=lambda: mine.cholesky(ours["p"]), numpy=lambda: theirs.cholesky(positive)),
        Case(f"qr/{size}", gaia=lambda: gaia.abs(mine.qr(ours["x"])[1]), numpy=lambda: np.abs(theirs.qr(x)[1])),
        Case(f"svd/{size}", gaia=lambda: mine.svd(ours["x"])[1], numpy=lambda: theirs.svd(x)[1]),
        Case(f"eigh/{size}", gaia=lambda: mine.eigh(ours["s"])[0], numpy=lambda: theirs.eigh(symmetric)[0]),
        Case(f"eigvalsh/{size}", gaia=lambda: mine.eigvalsh(ours["s"]), numpy=lambda: theirs.eigvalsh(symmetric)),
        Case(f"eigvals/{size}", gaia=lambda: np.sort(abs(np.asarray(mine.eigvals(ours["x"]))), axis=-1),
             numpy=lambda: np.sort(abs(theirs.eigvals(x)), axis=-1)),
        Case(f"pinv/{size}", gaia=lambda: mine.pinv(ours["a"]), numpy=lambda: theirs.pinv(a)),
    ]
    for case in made:
        case.tolerance = tolerance
    return made
