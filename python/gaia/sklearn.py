# SPDX-License-Identifier: MIT
"""Hierarchies as transformers of scikit-learn (needs scikit-learn).

    from gaia.sklearn import HebbianTransformer
    pipeline = make_pipeline(StandardScaler(), HebbianTransformer(8, rule="sanger"), LogisticRegression())
"""
import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._hierarchy import Hebbian, Hierarchy

__all__ = ["HebbianTransformer", "HierarchyTransformer"]


class _Transformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What both have in common: rows are steps of one series, in their order."""

    def fit(self, X, y=None):
        """Learns from the rows of X [rows, inputs], `epochs` times, from new weights on.  Returns self."""
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        self.hierarchy_ = self._made(X.shape[1])
        for _ in range(self.epochs):
            self.hierarchy_.reset()
            self.hierarchy_.process(X)
        self._keep()
        return self

    def partial_fit(self, X, y=None):
        """Learns from the next rows of a series.  Returns self."""
        is_first = not hasattr(self, "hierarchy_")
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=is_first)
        if is_first:
            self.hierarchy_ = self._made(X.shape[1])
        self.hierarchy_.process(X)
        self._keep()
        return self

    def transform(self, X):
        """What the levels show of the rows of X, read as a series of its own, with nothing learning: [rows, neurons]."""
        check_is_fitted(self, "hierarchy_")
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        reader = self.hierarchy_.__deepcopy__({})
        reader.reset()
        shown = reader.process(X, learn=False, expand=True)
        return np.concatenate(shown, axis=1)

    def _keep(self):
        sizes = [level["layers"][-1]["size"] for level in self.hierarchy_._spec["hierarchy"]["levels"]]
        self._n_features_out = sum(sizes)


class HebbianTransformer(_Transformer):
    """One layer whose weights follow a plasticity rule.

    n_components    neurons
    rule            name of the catalogue, or gaia.Rule
    learning_rate   of a rule by its name
    activation      of the answers
    epochs          how often `fit` reads the rows
    random_state    seed of the initial weights
    dtype           "float32" or "float64", of weights and answers

    After fitting: components_ [n_components, inputs], hierarchy_.
    """

    def __init__(self, n_components=2, *, rule="oja_subspace", learning_rate=0.001, activation="linear", epochs=1,
                 random_state=0, dtype="float64"):
        self.n_components = n_components
        self.rule = rule
        self.learning_rate = learning_rate
        self.activation = activation
        self.epochs = epochs
        self.random_state = random_state
        self.dtype = dtype

    def _made(self, inputs):
        rate = self.learning_rate if isinstance(self.rule, str) else None
        return Hierarchy(Hebbian(self.n_components, self.rule, learning_rate=rate, activation=self.activation),
                         inputs=inputs, seed=self.random_state or 0, dtype=self.dtype)

    @property
    def components_(self):
        """The weights, copied."""
        check_is_fitted(self, "hierarchy_")
        return self.hierarchy_.weights().copy()


class HierarchyTransformer(_Transformer):
    """A hierarchy of levels; rows of X are steps in time.

    levels          list of gaia.Level or layers, as gaia.Hierarchy takes them; None: one of two neurons
    epochs, random_state, dtype   as HebbianTransformer has them

    `transform` gives what all levels show, side by side, each tick held until the next.
    """

    def __init__(self, levels=None, *, epochs=1, random_state=0, dtype="float64"):
        self.levels = levels
        self.epochs = epochs
        self.random_state = random_state
        self.dtype = dtype

    def _made(self, inputs):
        levels = self.levels or [Hebbian(2, "oja_subspace", learning_rate=0.001)]
        return Hierarchy(list(levels), inputs=inputs, seed=self.random_state or 0, dtype=self.dtype)
