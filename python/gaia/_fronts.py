# SPDX-License-Identifier: MIT
"""Several objectives at once, all of them to be small: which candidates are on the front, and a strategy that finds it."""
import typing
import numpy as np

from . import _gaia
from .errors import ArgumentError


def _table(values, name):
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2:
        raise ArgumentError(f"[{name}] expected values of shape [candidates, objectives], got {list(values.shape)}")
    return values.tolist()


def hypervolume(values, reference) -> float:
    """The volume of all that is dominated by a row of `values` [candidates, objectives] and dominates `reference`.

    All objectives are to be small.  It is exact for any number of objectives, in O(n^(m-1) log n) time for n rows of m
    (Zitzler & Thiele 1998); rows that are not below the reference everywhere add nothing.  The reference decides which
    of two fronts is larger, so it has to come from the problem and not from the results.

    Raises ArgumentError for values that are no table, and a reference that is not finite or of another length.
    """
    return _gaia._hypervolume(_table(values, "hypervolume"), np.asarray(reference, dtype=np.float64).ravel().tolist())


def hypervolume_contributions(values, reference) -> "typing.Any":
    """Computes how much the hypervolume shrinks without each row of `values` [candidates, objectives]: an array
    [candidates].

    Raises ArgumentError as hypervolume does.
    """
    return np.array(_gaia._hypervolume_contributions(_table(values, "hypervolume"),
                                                     np.asarray(reference, dtype=np.float64).ravel().tolist()))


def non_dominated_ranks(values) -> "typing.Any":
    """The rank of each row of `values` [candidates, objectives], as integers [candidates]: 0 where no other dominates it.

    Rank 1 have those that none dominates once those of rank 0 are taken away, and so on (Deb et al. 2002).  A row
    dominates another if it is nowhere larger and somewhere smaller; rows that are not finite are dominated by all
    others.

    Raises ArgumentError for values that are no table.
    """
    return np.array(_gaia._non_dominated_ranks(_table(values, "non_dominated_ranks")), dtype=np.int64)


def crowding_distances(values) -> "typing.Any":
    """Computes how far apart the neighbours of each row of `values` [candidates, objectives] are: an array
    [candidates].

    It is the sum over the objectives of the distance between both neighbours as a share of the range, infinite at both
    ends of an objective (Deb et al. 2002).

    Raises ArgumentError for values that are no table or not finite.
    """
    return np.array(_gaia._crowding_distances(_table(values, "crowding_distances")))


class MoCmaEs:
    """MO-CMA-ES: looks for the front of several objectives, all of them to be small, by turns.

        strategy = gaia.MoCmaEs(numpy.random.default_rng(1).random((50, 5)), 0.1, low=[0] * 5, high=[1] * 5, seed=1)
        for _ in range(100):
            strategy.tell([objectives_of(x) for x in strategy.ask()])
        front = strategy.values[gaia.non_dominated_ranks(strategy.values) == 0]

    Each of the strategies has a step and a covariance of its own (Igel, Hansen & Roth 2007, Evol. Comput. 15, 1).  The
    same arguments and values lead to the same candidates, so that one that was cut goes on by being given its values
    again.

    first       the points that it begins with [population, parameters], which are its first candidates
    step        the first standard deviation in every direction
    objectives  number of objectives (2)
    low, high   bounds of the parameters, or None: a candidate outside is the nearest point inside, and `penalty` times
                its squared distance is added to every value
    seed        seed of the steps; None: another one at every call

    Raises ArgumentError for what is out of its range.
    """

    def __init__(self, first, step, *, objectives=2, low=None, high=None, penalty=1e-6, seed=None) -> None:
        bounds = [[] if bound is None else np.asarray(bound, dtype=np.float64).ravel().tolist() for bound in (low, high)]
        self._strategy = _gaia._MoCmaEs(_table(first, "mo_cma_es"), float(step), objectives, *bounds, float(penalty), seed)

    @property
    def generation(self) -> "typing.Any":
        """The number of generations so far."""
        return self._strategy.generation

    @property
    def why_stopped(self) -> str:
        """An empty text, or why going on has no use."""
        return self._strategy.why_stopped

    def ask(self) -> "typing.Any":
        """The candidates of this generation, an array [population, parameters]; the same at every call."""
        return np.array(self._strategy.ask())

    def tell(self, values) -> None:
        """Takes the values of these candidates, in their order, [population, objectives].

        Those that are not finite are worse than any others.  Raises ArgumentError unless there are as many as
        candidates and objectives.
        """
        self._strategy.tell(_table(values, "mo_cma_es"))

    @property
    def points(self) -> "typing.Any":
        """The points of the strategies as they are, the best first, [population, parameters]; some may lie outside the
        bounds."""
        return np.array([point for point, _, _ in self._strategy.parents()])

    @property
    def values(self) -> "typing.Any":
        """Their values, with the penalty, [population, objectives]."""
        return np.array([values for _, values, _ in self._strategy.parents()])

    @property
    def steps(self) -> "typing.Any":
        """Their steps, [population]."""
        return np.array([step for _, _, step in self._strategy.parents()])

    def __repr__(self):
        return f"<gaia.MoCmaEs after {self.generation} generations>"
