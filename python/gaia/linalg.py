# SPDX-License-Identifier: MIT
"""Linear algebra under NumPy's names: systems of equations, decompositions, eigenvalues.

    x = gaia.linalg.solve(a, b)
    u, s, vt = gaia.linalg.svd(a, full_matrices=False)

All functions work on the last two axes; those before are a batch.  They take arrays, and tensors whose gradients are
PyTorch's.  Decompositions are OpenBLAS's where it is installed, else Eigen's (`library()` tells which).

Raises ShapeError for shapes that do not fit, ArgumentError for a singular matrix, one that is not positive definite, and
numbers that are not finite.
"""
from __future__ import annotations

import math
from typing import Any, NamedTuple

from . import _gaia
from ._complex import Complex
from ._gaia import kron, matmul, outer, tensordot
from .errors import ArgumentError

__all__ = ["cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "expm", "inv", "kron", "library", "lstsq", "matmul",
           "matrix_rank", "norm", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace",
           "triangular_solve"]


class SlogdetResult(NamedTuple):
    """1, -1 or 0, and the logarithm of the determinant's size."""
    sign: Any
    logabsdet: Any


class QRResult(NamedTuple):
    """Orthonormal columns and an upper triangle."""
    Q: Any
    R: Any


class SVDResult(NamedTuple):
    """A = U diag(S) Vh."""
    U: Any
    S: Any
    Vh: Any


class EighResult(NamedTuple):
    """Ascending, and the vectors in columns."""
    eigenvalues: Any
    eigenvectors: Any


class EigResult(NamedTuple):
    """Complex both, the vectors in columns of length 1."""
    eigenvalues: Complex
    eigenvectors: Complex


def solve(a: Any, b: Any) -> Any:
    """X of A X = B: A [..., n, n]; B [..., n, k], or one vector [n]."""
    return _gaia._solve(a, b)


def triangular_solve(a: Any, b: Any, upper: bool = False, transposed: bool = False, unit_diagonal: bool = False) -> Any:
    """The same for a triangular A, of which one triangle is read; with `transposed` X of A^T X = B; with `unit_diagonal`
    the diagonal is 1, and not read."""
    return _gaia._triangular_solve(a, b, upper, transposed, unit_diagonal)


def inv(a: Any) -> Any:
    """The inverse of A [..., n, n]."""
    return _gaia._inv(a)


def pinv(a: Any, rcond: float | None = None) -> Any:
    """The pseudo-inverse of A [..., m, n]: singular values up to `rcond` times the largest count as 0 (1e-15)."""
    return _gaia._pinv(a, 1e-15 if rcond is None else rcond)


def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Any, Any, Any, Any]:
    """The shortest X of least |A X - B|, sums of squared residuals, the rank, and the singular values of A.

    The residuals are empty unless A has more rows than columns and full rank.  Singular values up to `rcond` times the
    largest count as 0: max(m, n) times the spacing of numbers at 1.
    """
    return _gaia._lstsq(a, b, rcond)


def det(a: Any) -> Any:
    """The determinant of A [..., n, n]."""
    return _gaia._det(a)


def slogdet(a: Any) -> SlogdetResult:
    """The determinant as sign and logarithm, which do not overflow."""
    return SlogdetResult(*_gaia._slogdet(a))


def cholesky(a: Any, *, upper: bool = False) -> Any:
    """L of A = L L^T, of which the lower triangle of A is read; with `upper` L^T."""
    return _gaia._cholesky(a, upper)


def qr(a: Any, mode: str = "reduced") -> Any:
    """A = Q R.  mode: "reduced", "complete", or "r" for R alone."""
    q, r = _gaia._qr(a, mode)
    return r if mode == "r" else QRResult(q, r)


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """A = U diag(S) Vh, S from the largest; without `compute_uv` S alone."""
    return SVDResult(*_gaia._svd(a, full_matrices)) if compute_uv else _gaia._svdvals(a)


def svdvals(a: Any) -> Any:
    """The singular values of A, from the largest."""
    return _gaia._svdvals(a)


def matrix_rank(a: Any, tol: float | None = None) -> Any:
    """Computes how many singular values are above `tol`: the largest times max(m, n) times the spacing of numbers at 1.

    Of a vector or a number: 1 unless all of it is 0.
    """
    return _gaia._matrix_rank(a, tol)


def eigh(a: Any, UPLO: str = "L") -> EighResult:
    """Eigenvalues, ascending, and eigenvectors of a symmetric A, of which the lower ("L") or upper ("U") triangle is
    read."""
    return EighResult(*_gaia._eigh(a, _is_upper(UPLO, "eigh")))


def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """The eigenvalues of a symmetric A, ascending."""
    return _gaia._eigvalsh(a, _is_upper(UPLO, "eigvalsh"))


def eig(a: Any) -> EigResult:
    """Eigenvalues, in no order, and eigenvectors of any A [..., n, n]."""
    values_real, values_imag, vectors_real, vectors_imag = _gaia._eig(a)
    return EigResult(Complex(values_real, values_imag), Complex(vectors_real, vectors_imag))


def eigvals(a: Any) -> Complex:
    """The eigenvalues of any A [..., n, n], in no order."""
    return Complex(*_gaia._eigvals(a))


def norm(x: Any, ord: float | str | None = None, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Any:
    """NumPy's norm.  Without `ord`, the root of the sum of squares, over all elements or the axes.

    Of vectors (one axis, or x of one axis) `ord` is 2, 1, 0, inf, -inf or any other power; of matrices (two axes, or x of
    two) it is "fro", "nuc", 2, -2, 1, -1, inf or -inf.
    """
    x = x if isinstance(x, (_gaia.Array, _gaia.Tensor)) else _gaia.Array(x)
    if ord is None:
        return _gaia.norm(x, axis, keepdims)
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ArgumentError(f"[norm] expected a number as ord of vectors, got {ord!r}")
        return _gaia.norm(x, axes, keepdims, ord)
    if len(axes) != 2:
        raise ArgumentError(f"[norm] expected one axis or two with ord {ord!r}, got {len(axes)}; name them by axis")
    row, column = (axis % x.ndim if -x.ndim <= axis < x.ndim else axis for axis in axes)
    if row == column:
        raise ArgumentError(f"[norm] expected two axes that differ, got {axes}")
    if ord == "fro":
        return _gaia.norm(x, axes, keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        summed, kept = (row, column) if abs(ord) == 1 else (column, row)
        found = _gaia.sum(_gaia.abs(x), summed, True)
        found = _gaia.max(found, kept, True) if ord > 0 else _gaia.min(found, kept, True)
    elif ord in (2, -2, "nuc"):
        others = [axis for axis in range(x.ndim) if axis not in (row, column)]
        s = svdvals(x.transpose((*others, row, column)))
        found = _gaia.sum(s, -1) if ord == "nuc" else _gaia.max(s, -1) if ord == 2 else _gaia.min(s, -1)
        found = found.reshape(tuple(1 if axis in (row, column) else x.shape[axis] for axis in range(x.ndim)))
    else:
        raise ArgumentError(f"[norm] expected ord 'fro', 'nuc', 2, -2, 1, -1, inf or -inf of matrices, got {ord!r}")
    return found if keepdims else found.squeeze((row, column))


def trace(x: Any, *, offset: int = 0) -> Any:
    """The sums along the diagonals of the last two axes, as numpy.linalg has it; gaia.trace takes the first two."""
    return _gaia.trace(x, offset, -2, -1)


def expm(a: Any) -> Any:
    """exp(A), by scaling and squaring (Higham 2005)."""
    return _gaia._expm(a)


def library() -> str:
    """The library that computes: OpenBLAS with its version, or Eigen."""
    return _gaia._linear_algebra_library()


def _is_upper(uplo: str, function: str) -> bool:
    if uplo not in ("L", "U", "l", "u"):
        raise ArgumentError(f"[{function}] expected UPLO 'L' or 'U', got {uplo!r}")
    return uplo in "Uu"
