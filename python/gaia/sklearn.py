# SPDX-License-Identifier: MIT
"""Hierarchies as transformers of scikit-learn (needs scikit-learn).

    from gaia.sklearn import HebbianTransformer
    pipeline = make_pipeline(StandardScaler(), HebbianTransformer(8, rule="sanger"), LogisticRegression())
"""
import functools
import numbers
import typing

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _gaia, _intake
from ._hierarchy import Hierarchy
from ._levels import Hebbian
from .errors import ArgumentError

__all__ = ["HebbianTransformer", "HierarchyTransformer"]


def _seed_of(random_state):
    """The seed of a hierarchy.  A number is the seed; generators of NumPy draw one, as does None of NumPy's own.

    Raises ArgumentError for what is neither, and for numbers below 0.
    """
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    if random_state is None or random_state is np.random or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31 - 1))
    raise ArgumentError("random_state: expected a whole number from 0 on, a numpy.random.RandomState, a "
                        f"numpy.random.Generator or None, got {random_state!r}")


def _all_or_nothing(method):
    """A method that leaves the estimator, if it fails, as it was before."""
    @functools.wraps(method)
    def done(self, *args, **kwargs):
        before = dict(vars(self))
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise
    return done


class _Transformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What both have in common: rows are steps of one series, in their order."""

    @_all_or_nothing
    def fit(self, X, y=None):
        """Learns from the rows of X [rows, inputs], `epochs` times, from new weights on.  Returns self."""
        X = self._rows(X)
        self.hierarchy_ = self._made(X.shape[1])
        if self.epochs > 0:
            self.hierarchy_.fall_over(len(X), self.epochs)
        for _ in range(self.epochs):
            self.hierarchy_.reset()
            self.hierarchy_.process(X)
        self._keep()
        return self

    @_all_or_nothing
    def partial_fit(self, X, y=None):
        """Learns from the next rows of a series.  Returns self."""
        is_first = not hasattr(self, "hierarchy_")
        X = self._rows(X, reset=is_first)
        if is_first:
            self.hierarchy_ = self._made(X.shape[1])
        self.hierarchy_.process(X)
        self._keep()
        return self

    def transform(self, X):
        """Returns what the levels show of the rows of X, read as a series of its own, with nothing learning: [rows,
        neurons]."""
        check_is_fitted(self, "hierarchy_")
        X = self._rows(X, reset=False)
        reader = self.hierarchy_.__deepcopy__({})
        reader.reset()
        shown = reader.process(X, learn=False, expand=True)
        return np.concatenate(shown, axis=1)

    def _rows(self, X, reset=True):
        if isinstance(X, (np.ma.MaskedArray, list, tuple)):
            X = _intake.plain(X)  # scikit-learn would read what is under a mask
        return validate_data(self, X, dtype=[np.float64, np.float32], reset=reset)

    def _keep(self):
        tops = [level["layers"][-1] for level in self.hierarchy_._spec["hierarchy"]["levels"]]
        self._n_features_out = sum(top["size"] if "size" in top else top["sizes"][-1] for top in tops)


class HebbianTransformer(_Transformer):
    """One layer whose weights follow a plasticity rule.

    n_components    neurons
    rule            name of the catalogue, or gaia.Rule
    learning_rate   rate of a rule by its name; "auto": found from the rows, over which it falls (docs/plasticity.md),
                    and 0.001 of rules without a known limit; None: the rule's own
    activation      activation of the answers; None: what the rule has, which is linear unless its equations assign y.
                    Rules that do (softhebb, competitive, logistic, ...) take no activation
    epochs          number of times that `fit` reads the rows
    random_state    seed of the initial weights: a whole number, a RandomState or a Generator of NumPy that draws it;
                    None: another one at each fit
    dtype           "float32" or "float64", of weights and answers

    After fitting: components_ [n_components, inputs], hierarchy_.
    """

    def __init__(self, n_components=2, *, rule="oja_subspace", learning_rate="auto", activation=None, epochs=1,
                 random_state=0, dtype="float64") -> None:
        self.n_components = n_components
        self.rule = rule
        self.learning_rate = learning_rate
        self.activation = activation
        self.epochs = epochs
        self.random_state = random_state
        self.dtype = dtype

    def _made(self, inputs):
        rate = self.learning_rate if isinstance(self.rule, str) else None
        if rate == "auto" and not _gaia._has_known_limit(self.rule):
            rate = 0.001
        return Hierarchy(Hebbian(self.n_components, self.rule, learning_rate=rate, activation=self.activation),
                         inputs=inputs, seed=_seed_of(self.random_state), dtype=self.dtype)

    @property
    def components_(self) -> "typing.Any":
        """The weights, copied."""
        check_is_fitted(self, "hierarchy_")
        return self.hierarchy_.weights().copy()


class HierarchyTransformer(_Transformer):
    """A hierarchy of levels; rows of X are steps in time.

    levels          list of gaia.Level or layers, as gaia.Hierarchy takes them; None: one of two neurons under
                    oja_subspace, at the rate "auto"
    epochs, random_state, dtype   as HebbianTransformer has them

    `transform` gives what all levels show, side by side, each tick held until the next.
    """

    def __init__(self, levels=None, *, epochs=1, random_state=0, dtype="float64") -> None:
        self.levels = levels
        self.epochs = epochs
        self.random_state = random_state
        self.dtype = dtype

    def _made(self, inputs):
        levels = self.levels or [Hebbian(2, "oja_subspace", learning_rate="auto")]
        return Hierarchy(list(levels), inputs=inputs, seed=_seed_of(self.random_state), dtype=self.dtype)
