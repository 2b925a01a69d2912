# SPDX-License-Identifier: MIT
"""Transformers by scikit-learn's conventions."""
import numpy as np
import pytest

import gaia

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from gaia.sklearn import HebbianTransformer, HierarchyTransformer

# Rows are steps in time: an estimator that depends on their order says so here.
ORDER = {check: "rows are steps in time" for check in ("check_methods_sample_order_invariance",
                                                       "check_methods_subset_invariance")}


def expected(estimator):
    return ORDER if isinstance(estimator, HierarchyTransformer) else {}


@parametrize_with_checks([HebbianTransformer(learning_rate=1e-5), HierarchyTransformer(
    [gaia.Hebbian(2, "oja", learning_rate=1e-5), gaia.Level(gaia.Hebbian(1, "oja", learning_rate=1e-5),
                                                             temporal_resolution=2, pooling="mean")])],
    expected_failed_checks=expected)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_sanger_finds_principal_components():
    x = np.random.default_rng(0).normal(size=(20000, 4)) * [3.0, 2.0, 1.0, 0.5]
    ours = HebbianTransformer(2, rule="sanger", learning_rate=0.0005, epochs=3).fit(x).components_
    theirs = PCA(2).fit(x).components_
    assert (np.abs((ours * theirs).sum(axis=1)) > 0.99).all()


def test_partial_fit_is_fit_in_pieces(series):
    whole = HebbianTransformer(2).fit(series)
    pieces = HebbianTransformer(2)
    for piece in np.array_split(series, 7):
        pieces.partial_fit(piece)
    np.testing.assert_allclose(pieces.components_, whole.components_, rtol=1e-9)


def test_a_grid_search_takes_a_pipeline(series):
    pipeline = make_pipeline(StandardScaler(), HebbianTransformer(2, rule="sanger"), Ridge())
    search = GridSearchCV(pipeline, {"hebbiantransformer__learning_rate": [0.001, 0.01],
                                     "hebbiantransformer__n_components": [1, 2]}, cv=3)
    search.fit(series[:-1], series[1:, 0])
    assert np.isfinite(search.best_score_)


def test_a_hierarchy_shows_all_its_levels(series):
    made = HierarchyTransformer([gaia.Hebbian(3, "sanger", learning_rate=0.001),
                                 gaia.Level(gaia.Hebbian(2, "oja", learning_rate=0.001), temporal_resolution=4)])
    assert clone(made).fit_transform(series).shape == (400, 5)
    model = make_pipeline(made, LogisticRegression()).fit(series, series[:, 0] > 0)
    assert model.score(series, series[:, 0] > 0) > 0.8
    assert list(model[0].get_feature_names_out()) == [f"hierarchytransformer{i}" for i in range(5)]
