# SPDX-License-Identifier: MIT
"""One estimate of several that are of the same numbers."""
from typing import NamedTuple

import numpy as np

from . import _gaia
from .errors import ShapeError


class Fused(NamedTuple):
    """The estimate that others were fused to; of several rows of them each array has an axis of rows before.

    mean        [d] float64: the fused estimate, NaN where one of the estimates is not finite
    covariance  [d, d] float64: covariance of its error
    outlier     [L] bool: which estimates were left out
    """
    mean: np.ndarray
    covariance: np.ndarray
    outlier: np.ndarray


class Consensus:
    """Fuses L estimates of the same d numbers without those that do not fit the others.

        errors = estimates_before - truth[:, None]              # [rows, L, d]
        consensus = gaia.Consensus(gaia.Consensus.covariance_of(errors), estimates=5)
        fused = consensus.fuse(estimates)                       # [5, d], or rows of them
        fused.mean, fused.covariance, fused.outlier

    errors      S [L d, L d]: covariance of the errors of all estimates together, estimate by estimate
    estimates   L, at least 2
    covariance  "joint": m = P J^T S^-1 M with P = (J^T S^-1 J)^-1 and J = [I, I, ...]^T, the best linear estimate, in
                which what errors have in common is not counted twice; "intersection": m = P sum_i w_i S_ii^-1 M_i with
                P = (sum_i w_i S_ii^-1)^-1 and w_i = 1 / number of estimates, whose P is never too small, whatever the
                errors have in common (Julier & Uhlmann 1997)

    Left out is what has a squared distance above `limit` from the fusion of the others, by the covariance that this
    difference has (docs/experiments.md#consensus says in which order).  Of two estimates both are fused.

    Raises ShapeError for an S of another shape, ArgumentError for one that is not finite, not symmetric or singular,
    for fewer than 2 estimates, and for another word.
    """

    def __init__(self, errors, estimates, *, covariance="joint") -> None:
        errors = np.ascontiguousarray(errors, dtype=np.float64)
        width = errors.shape[0] if errors.ndim == 2 else 0
        if errors.ndim != 2 or errors.shape[1] != width or estimates < 1 or width % estimates or width == 0:
            raise ShapeError(f"[Consensus] {estimates} estimates have a covariance of errors "
                             f"[{estimates} d, {estimates} d], got {list(errors.shape)}")
        self._estimates, self._numbers = int(estimates), width // int(estimates)
        self._covariance = covariance
        self._core = _gaia._Consensus(errors, self._estimates, self._numbers, covariance)

    def __repr__(self):
        return f"<gaia.Consensus of {self._estimates} estimates of {self._numbers} numbers, {self._covariance}>"

    @staticmethod
    def covariance_of(errors) -> np.ndarray:
        """S [L d, L d] of errors [rows, L, d], or [rows, L] of single numbers: their second moment about 0, sum of
        e e^T / rows.  Five rows and more for each row of S keep false outliers at one in a thousand.

        Raises ShapeError for errors of another shape, and for none.
        """
        errors = np.ascontiguousarray(errors, dtype=np.float64)
        if errors.ndim not in (2, 3) or errors.size == 0:
            raise ShapeError(f"[Consensus.covariance_of] expected errors [rows, estimates, numbers], got "
                             f"{list(errors.shape)}")
        return _gaia._second_moment(errors, errors[0].size)

    def fuse(self, estimates) -> Fused:
        """Fuses estimates [L, d], or [L] of single numbers; or rows of them, [rows, L, d].

        Raises ShapeError for another shape.
        """
        estimates = np.ascontiguousarray(estimates, dtype=np.float64)
        of_one = (self._estimates, self._numbers)
        if self._numbers == 1 and estimates.shape == (self._estimates,):
            estimates = estimates[:, None]
        if estimates.shape[-2:] != of_one or estimates.ndim > 3:
            raise ShapeError(f"[Consensus.fuse] expected estimates {list(of_one)} or rows of them, got "
                             f"{list(estimates.shape)}")
        mean, covariance, outlier = self._core.fuse(estimates, self._estimates, self._numbers)
        rows = Fused(mean, covariance, outlier != 0)
        return rows if estimates.ndim == 3 else Fused(*(one[0] for one in rows))

    @property
    def limit(self) -> float:
        """The squared distance above which an estimate is left out: the quantile .999 of chi squared of d degrees."""
        return self._core.limit()

    @property
    def errors(self) -> np.ndarray:
        """S [L d, L d], symmetrised."""
        return self._core.errors()

    @property
    def covariance_of_all(self) -> np.ndarray:
        """Covariance [d, d] of the fusion of all estimates."""
        return self._core.covariance_of_all()
