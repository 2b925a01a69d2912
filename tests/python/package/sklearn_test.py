# SPDX-License-Identifier: MIT
"""Transformers by scikit-learn's conventions."""
import json
import os
import pathlib
import subprocess

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
    return ORDER if isinstance(estimator, HierarchyTransformer) and estimator.levels else {}


@parametrize_with_checks([HebbianTransformer(), HebbianTransformer(rule="bcm"), HierarchyTransformer(), HierarchyTransformer(
    [gaia.Hebbian(2, "oja", learning_rate="auto"), gaia.Level(gaia.Hebbian(1, "oja", learning_rate="auto"),
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
    whole = HebbianTransformer(2, learning_rate=0.001).fit(series)
    pieces = HebbianTransformer(2, learning_rate=0.001)
    for piece in np.array_split(series, 7):
        pieces.partial_fit(piece)
    np.testing.assert_allclose(pieces.components_, whole.components_, rtol=1e-9)


def test_a_rate_that_is_found_falls_over_the_rows_of_all_epochs(series):
    squares = (series ** 2).sum(axis=1)
    fitted = HebbianTransformer(2, epochs=3).fit(series)
    assert fitted.hierarchy_.arrays()["automatic_rate"][4] == pytest.approx(0.1 / squares.mean() / 101, rel=1e-9)
    pieces = HebbianTransformer(2)
    for piece in np.array_split(series, 7):
        pieces.partial_fit(piece)
    rate = pieces.hierarchy_.arrays()["automatic_rate"][4]
    assert rate == pytest.approx(0.1 / squares.mean() / (1 + len(series) / 300), rel=0.1)


def test_fits_of_what_is_long_do_not_diverge():
    x = np.random.default_rng(0).standard_cauchy(size=(2000, 6)) * 1e6
    for rule in ("oja", "oja_subspace", "sanger"):
        assert np.isfinite(HebbianTransformer(3, rule=rule).fit(x).components_).all(), rule


COMMAND = pathlib.Path(os.environ.get("GAIA_COMMAND") or pathlib.Path(gaia.__file__).parents[2] / "bin" / "gaia")
# Powers of weights, which have to lie in [0, 1]: those that the transformer begins with do not.
OF_BOUNDED_WEIGHTS = {"stdp_power_bounds"}


def test_every_rule_that_needs_no_signal_fits_by_its_name(series):
    if not COMMAND.exists():
        pytest.skip(f"{COMMAND}: no command line; name it by GAIA_COMMAND")
    catalogue = json.loads(subprocess.check_output([COMMAND, "rules", "--json"]))["rules"]
    names = {rule["name"] for rule in catalogue if not rule["signals"]} - OF_BOUNDED_WEIGHTS
    assert names >= {"competitive", "competitive_conscience", "online_k_means", "softhebb", "softhebb_signed"}
    for name in sorted(names):
        shown = HebbianTransformer(3, rule=name).fit_transform(series[:20])
        assert shown.shape == (20, 3) and np.isfinite(shown).all(), name


def test_an_activation_beside_a_rule_that_assigns_y_is_refused(series):
    with pytest.raises(gaia.ConfigError, match="the equations assign y"):
        HebbianTransformer(2, rule="softhebb", activation="tanh").fit(series)


def test_without_an_activation_answers_are_linear(series):
    ours = HebbianTransformer(2).fit_transform(series)
    np.testing.assert_array_equal(ours, HebbianTransformer(2, activation="linear").fit_transform(series))


@pytest.mark.parametrize("transformer", [HebbianTransformer(2), HierarchyTransformer()])
def test_generators_of_numpy_draw_the_seed(series, transformer):
    def weights(random_state):
        return clone(transformer).set_params(random_state=random_state).fit(series).hierarchy_.weights().copy()

    for make in (np.random.RandomState, np.random.default_rng):
        np.testing.assert_array_equal(weights(make(0)), weights(make(0)))
        assert not np.array_equal(weights(make(0)), weights(make(1)))
    np.testing.assert_array_equal(weights(np.int64(3)), weights(3))
    assert not np.array_equal(weights(None), weights(None))
    for wrong in ("0", 1.5, -1, True):
        with pytest.raises(gaia.ArgumentError, match="random_state: expected a whole number from 0 on"):
            weights(wrong)


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
