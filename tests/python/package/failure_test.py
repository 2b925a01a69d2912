# SPDX-License-Identifier: MIT
"""A call that fails leaves what was there: every number, and what follows."""
import numpy as np
import pytest

import gaia


@pytest.fixture
def series():
    return np.random.default_rng(5).normal(size=(200, 3))


def levels():
    return (gaia.Level(gaia.Hebbian(4, "oja", learning_rate=0.01)),
            gaia.Level(gaia.Temporal(3), gaia.Hebbian(2, "bcm", learning_rate=0.001), temporal_resolution=3,
                       pooling="ema"))


def same(one, other):
    assert one.time_step == other.time_step
    mine, theirs = one.state(), other.state()
    assert mine.keys() == theirs.keys()
    for name, values in mine.items():
        np.testing.assert_array_equal(values, theirs[name], err_msg=name)


def spoilt(x, value):
    x = x.copy()
    x[-1, 1] = value
    return x


@pytest.mark.parametrize("executor", ["chunkwise", "stepwise"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200])
@pytest.mark.parametrize("learn", [True, False])
def test_process_leaves_the_hierarchy_as_it_was(series, value, executor, learn):
    hierarchy = gaia.Hierarchy(*levels(), inputs=3, executor=executor)
    hierarchy.process(series[:50])
    twin = hierarchy.__deepcopy__({})
    view = hierarchy.weights(0)
    before = view.copy()
    for bad in (spoilt(series[50:90], value), np.stack([spoilt(series[50:90], value)])):
        with pytest.raises(gaia.Error, match="as it was before"):
            hierarchy.process(bad, learn=learn)
        same(hierarchy, twin)
        np.testing.assert_array_equal(view, before)
    for one, other in zip(hierarchy.process(series[50:]), twin.process(series[50:])):
        np.testing.assert_array_equal(one, other)
    same(hierarchy, twin)


def test_what_is_wrong_with_the_data_is_named(series):
    hierarchy = gaia.Hierarchy(*levels())
    with pytest.raises(gaia.ArgumentError, match="got NaN at step 39, stream 0, feature 1"):
        hierarchy.process(spoilt(series[:40], np.nan))
    with pytest.raises(gaia.ArgumentError, match="data that float32 can hold, got Inf at step 39"):
        hierarchy.process(spoilt(series[:40], 1e200))
    assert hierarchy.inputs is None  # as before
    hierarchy.process(series[:, :2])
    assert hierarchy.inputs == 2


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_step_leaves_the_hierarchy_as_it_was(series, value):
    hierarchy = gaia.Hierarchy(*levels(), inputs=3)
    twin = gaia.Hierarchy(*levels(), inputs=3)
    for row in series[:20]:
        with pytest.raises(gaia.Error):
            hierarchy.step(np.where(np.arange(3) == 1, value, row))
        same(hierarchy, twin)
        for one, other in zip(hierarchy.step(row), twin.step(row)):
            np.testing.assert_array_equal(one, other)
        same(hierarchy, twin)


def test_learning_that_runs_away_step_by_step_leaves_finite_weights(series):
    for rule in ("hebbian", "oja", "bcm", "sanger", "oja_subspace"):
        hierarchy = gaia.Hierarchy(gaia.Hebbian(3, rule, learning_rate=1.0), inputs=3)
        with pytest.raises(gaia.DivergedError, match="the hierarchy is as it was before"):
            for row in np.tile(series * 10, (50, 1)):
                last = hierarchy.state()
                hierarchy.step(row)
        for name, values in hierarchy.state().items():
            np.testing.assert_array_equal(values, last[name], err_msg=name)
            assert np.isfinite(values).all()


def test_signals_that_are_missing_leave_the_hierarchy_as_it_was(series):
    rule = gaia.Rule("dw = rate * reward * y * x", rate=0.001, signals={"reward": "gain"})
    made = [gaia.Hierarchy(gaia.Hebbian(4, "oja", learning_rate=0.01), gaia.Hebbian(2, rule), inputs=3)
            for _ in range(2)]
    for one in made:
        one.process(series[:50], signals={"gain": np.ones(50)})
    gap = np.ones(50)
    gap[49] = np.nan
    infinite = np.where(np.isnan(gap), np.inf, gap)
    for signals in (None, {"gain": gap}, {"gain": infinite}, {"gain": np.ones(49)}):
        with pytest.raises(gaia.Error):
            made[0].process(series[50:100], signals=signals)
        same(*made)


def test_a_state_that_does_not_fit_leaves_the_hierarchy_as_it_was(series):
    hierarchy = gaia.Hierarchy(*levels(), inputs=3)
    hierarchy.process(series[:50])
    twin = hierarchy.__deepcopy__({})
    state = gaia.Hierarchy(*levels(), inputs=3, seed=1).state()
    name = "levels/1/layers/1/weights"
    for values in (np.full_like(state[name], np.nan), np.zeros((1, 1), np.float32), None):
        other = {**state, name: values} if values is not None else {k: v for k, v in state.items() if k != name}
        with pytest.raises(gaia.Error):
            hierarchy.set_state(other, 0)
        same(hierarchy, twin)


def test_estimators_keep_what_they_had(series):
    sklearn = pytest.importorskip("gaia.sklearn")
    for make in (lambda: sklearn.HebbianTransformer(2, rule="oja", learning_rate=0.01),
                 lambda: sklearn.HierarchyTransformer(list(levels()))):
        fitted = make().fit(series)
        shown = fitted.transform(series)
        state = fitted.hierarchy_.state()
        wide = np.full((30, 2), 1e160)
        for method in ("fit", "partial_fit"):
            for bad in (spoilt(series, np.nan), spoilt(series, 1e300), wide):
                with pytest.raises(ValueError if np.isnan(bad).any() else Exception):
                    getattr(fitted, method)(bad)
                for name, values in fitted.hierarchy_.state().items():
                    np.testing.assert_array_equal(values, state[name], err_msg=name)
                np.testing.assert_array_equal(fitted.transform(series), shown)
        fresh = make()
        with pytest.raises(Exception):
            fresh.partial_fit(np.full((30, 3), 1e300))
        assert not hasattr(fresh, "hierarchy_") and not hasattr(fresh, "n_features_in_")
        np.testing.assert_array_equal(fresh.partial_fit(series).transform(series), shown)


def test_training_refuses_samples_that_are_not_finite_before_it_learns(series):
    from gaia import nn
    for spoil_targets in (False, True):
        net = nn.Sequential(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))
        optimiser = nn.Optimiser(net.parameters(), "adam", learning_rate=0.01)
        x, y = series.astype(np.float32), series[:, :1].astype(np.float32)
        (y if spoil_targets else x)[77, 0] = np.nan
        before = [np.array(parameter.numpy()) for parameter in net.parameters()]
        with pytest.raises(gaia.ArgumentError, match="got NaN or Inf in sample 77"):
            nn.fit(net, x, y, "mse", optimiser, epochs=1)
        for parameter, values in zip(net.parameters(), before):
            np.testing.assert_array_equal(parameter.numpy(), values)


def test_layers_of_networks_keep_their_statistics(series):
    from gaia import nn
    bad = series.astype(np.float32).copy()
    bad[3, 1] = np.nan
    for layer in (nn.BatchNorm1d(3), nn.PlasticLinear(3, 4)):
        layer.train()
        layer(gaia.Array(series.astype(np.float32)))
        before = {name: np.array(values.numpy()) for name, values in layer.state().items()}
        layer(gaia.Array(bad))
        for name, values in layer.state().items():
            assert np.isfinite(values.numpy()).all(), name
            if "fast" in name or "slow" in name:
                np.testing.assert_array_equal(values.numpy(), before[name])


def test_agents_refuse_observations_that_are_not_finite():
    agent = gaia.agents.ContinuousAgent(3, [-2.0], [2.0], target=[1, 0, 0], precision=[10, 0, 0.1], hidden=(4,), seed=1)
    agent.step([1.0, 0.0, 0.0])
    before = agent.__getstate__()["state"]
    for value in (np.nan, np.inf):
        with pytest.raises(gaia.ArgumentError):
            agent.step([1.0, value, 0.0])
    after = agent.__getstate__()["state"]
    assert before.keys() == after.keys()
    for name, values in before.items():
        np.testing.assert_array_equal(np.asarray(values), np.asarray(after[name]), err_msg=name)
