# SPDX-License-Identifier: MIT
"""Hierarchies in Python's hands: pieces, views, copies, files."""
import copy
import gc
import pathlib
import os
import pickle
import signal
import threading

import numpy as np
import pytest

import gaia
from refused import refused


def test_process_gives_the_ticks_of_every_level(hierarchy, series):
    fast, slow = hierarchy.process(series)
    assert fast.shape == (400, 2) and slow.shape == (100, 2)
    assert fast.dtype == slow.dtype == np.float32
    assert hierarchy.inputs == 3 and hierarchy.time_step == 400


def test_a_series_in_pieces_is_one(hierarchy, series):
    whole = copy.deepcopy(hierarchy).process(series)
    pieces = [hierarchy.process(piece) for piece in np.split(series, [1, 7, 150, 151, 390])]
    for level in range(2):
        np.testing.assert_allclose(np.concatenate([piece[level] for piece in pieces]), whole[level], rtol=1e-5, atol=1e-6)


def test_steps_are_a_series(hierarchy, series):
    whole = copy.deepcopy(hierarchy).process(series, expand=True)
    steps = [hierarchy.step(x) for x in series]
    for level in range(2):
        np.testing.assert_allclose(np.stack([step[level] for step in steps]), whole[level], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("pooling", ["last", "mean", "max", "ema", "concat"])
def test_samples_may_be_changed_after_they_were_read(series, pooling):
    made = gaia.Hierarchy(gaia.Level(gaia.Hebbian(2, "oja", learning_rate=0.01), temporal_resolution=4, pooling=pooling),
                          dtype="float64", inputs=3)
    other = copy.deepcopy(made)
    x = series.copy()
    for first in range(0, 30, 3):
        piece = x[first:first + 3]
        made.process(piece)
        other.process(series[first:first + 3])
        piece[:] = np.nan
    np.testing.assert_array_equal(made.weights(), other.weights())


def test_learning_can_be_off(hierarchy, series):
    hierarchy.process(series[:10])
    before = hierarchy.weights().copy()
    hierarchy.process(series, learn=False)
    hierarchy.step(series[0], learn=False)
    np.testing.assert_array_equal(hierarchy.weights(), before)


def test_weights_are_a_view_that_outlives_the_hierarchy(hierarchy, series):
    hierarchy.process(series[:10])
    weights = hierarchy.weights()
    before = weights.copy()
    hierarchy.process(series[10:])
    assert not np.array_equal(weights, before)
    assert np.shares_memory(weights, hierarchy.weights())
    weights[:] = 0.5
    assert (hierarchy.weights() == 0.5).all()
    expected = weights.copy()
    del hierarchy
    gc.collect()
    np.testing.assert_array_equal(weights, expected)


@pytest.mark.parametrize("how", ["pickle", "deepcopy", "copy", "file", "state"])
@pytest.mark.parametrize("steps", [0, 1, 6, 100])
def test_copies_go_on_bit_for_bit(hierarchy, series, how, steps):
    if steps:
        hierarchy.process(series[:steps])
    if how == "pickle":
        other = pickle.loads(pickle.dumps(hierarchy))
    elif how == "file":
        hierarchy.save("h.npz")
        other = gaia.Hierarchy.load("h.npz")
    elif how == "state":
        if not steps:
            return
        other = pickle.loads(pickle.dumps(hierarchy))
        other.process(series)
        other.set_state(hierarchy.state(), hierarchy.time_step)
    else:
        other = getattr(copy, how)(hierarchy)
    assert other.time_step == hierarchy.time_step
    for one, same in zip(hierarchy.process(series[steps:]), other.process(series[steps:])):
        np.testing.assert_array_equal(one, same)
    np.testing.assert_array_equal(hierarchy.weights(1, 1), other.weights(1, 1))


def test_complex_numbers_are_refused(hierarchy, series):
    refused(gaia.DTypeError, "expected real numbers, got complex128", lambda: hierarchy.process(series + 1j))


def test_a_batch_of_streams_shares_the_weights(hierarchy, series):
    batch = np.stack([series, series])
    fast, slow = hierarchy.process(batch)
    assert fast.shape == (2, 400, 2) and slow.shape == (2, 100, 2)
    np.testing.assert_array_equal(fast[0], fast[1])


def test_a_rule_is_its_equations(series):
    options = {"dtype": "float64", "inputs": 3}
    ours = gaia.Hierarchy(gaia.Hebbian(2, gaia.Rule("dw = rate * y * (x - y * w)", rate=0.01)), **options)
    named = gaia.Hierarchy(gaia.Hebbian(2, "oja", learning_rate=0.01), **options)
    np.testing.assert_allclose(ours.process(series)[0], named.process(series)[0], rtol=1e-9, atol=1e-12)


def test_oja_by_plain_numpy(series):
    made = gaia.Hierarchy(gaia.Hebbian(1, "oja", learning_rate=0.01), dtype="float64", inputs=3)
    w = made.weights()[0].copy()
    for x in series:
        y = w @ x
        w += 0.01 * y * (x - y * w)
    made.process(series)
    np.testing.assert_allclose(made.weights()[0], w, rtol=1e-9)


def test_rules_read_signals(series):
    rule = gaia.Rule("dw = rate * reward * y * x", signals={"reward": "gain"}, rate=0.001)
    made = gaia.Hierarchy(gaia.Hebbian(2, rule), dtype="float64", inputs=3)
    before = made.weights().copy()
    made.process(series, signals={"gain": np.zeros(400)})
    np.testing.assert_array_equal(made.weights(), before)
    made.process(series, signals={"gain": np.ones(400)})
    assert not np.array_equal(made.weights(), before)


def test_it_writes_itself_as_yaml(hierarchy, series):
    yaml = pytest.importorskip("yaml")
    text = hierarchy.to_yaml()
    assert text.startswith("hierarchy:\n")
    again = gaia.Hierarchy.from_experiment({**yaml.safe_load(text), "seed": 1})
    np.testing.assert_array_equal(again.process(series)[1], hierarchy.process(series)[1])


def test_a_path_in_place_of_an_experiment_is_refused_with_the_way_out():
    for path in ("waves.yaml", pathlib.Path("waves.yaml")):
        with pytest.raises(gaia.ArgumentError, match=r"expected an experiment as a dict, got .*waves.yaml.*yaml.safe_load"):
            gaia.Hierarchy.from_experiment(path)
    with pytest.raises(gaia.ArgumentError, match="expected an experiment with hierarchy.levels, got one with network"):
        gaia.Hierarchy.from_experiment({"network": {}})


def test_numbers_that_the_dtype_does_not_hold_are_refused():
    for rule, named in ((gaia.Rule("dw = 1e-50*y*x"), "a number in the equations|rule.equations"),
                        (gaia.Rule("dw = 1e39*y*x"), "a number in the equations|rule.equations"),
                        (gaia.Rule("dw = a*y*x", a=1e-50), "a: expected")):
        with pytest.raises(gaia.errors.Error, match=f"(?s)({named}).*a number that float32 can hold"):
            gaia.Hierarchy(gaia.Hebbian(2, rule), inputs=3)
        gaia.Hierarchy(gaia.Hebbian(2, rule), dtype="float64", inputs=3)


def test_a_run_begins_with_the_same_weights(experiment, series):
    pytest.importorskip("h5py")
    made = gaia.Hierarchy.from_experiment(experiment, inputs=6)
    result = gaia.run(experiment, series, set={"hierarchy.learn": False})
    np.testing.assert_array_equal(result.weights(0, 0), made.weights(0))


def rate_by_hand(squares, course):
    """The rate at the end of a series with these |x|², as docs/plasticity.md has it, under a rule with the limit 1."""
    if course:
        return 0.1 / np.mean(squares[:course]) / 101
    stretch = 1
    while 32 * stretch <= len(squares) - 1:
        stretch *= 2
    begin = (len(squares) - 1) // stretch * stretch
    return 0.1 / np.mean(squares[:begin + 1]) / (1 + begin / 300)


@pytest.mark.parametrize("course", [0, 300])
def test_a_rate_that_is_found_follows_its_formula_and_goes_on_in_copies(series, course):
    squares = (series ** 2).sum(axis=1)
    made = gaia.Hierarchy(gaia.Hebbian(2, "oja", learning_rate="auto"), inputs=series.shape[1], dtype="float64")
    if course:
        made.fall_over(course)
    made.process(series[:170])
    copies = [made, copy.deepcopy(made), pickle.loads(pickle.dumps(made))]
    for one in copies:
        one.process(series[170:])
        measured = one.arrays()["automatic_rate"]
        assert measured[0] == len(series)
        assert measured[4] == pytest.approx(rate_by_hand(squares, course), rel=1e-9)
        np.testing.assert_array_equal(one.weights(), made.weights())
    refused(gaia.ArgumentError, "fall_over", lambda: made.fall_over(0))


def test_errors_say_what_came(series):
    refused(gaia.ConfigError, "ojja", lambda: gaia.Hierarchy(gaia.Hebbian(2, "ojja")))
    refused(gaia.ConfigError, "sizze", lambda: gaia.Hierarchy(gaia.Hebbian(2, "oja", sizze=3)))
    with pytest.raises(gaia.ConfigError, match="auto needs a rule with a known limit"):
        gaia.Hierarchy(gaia.Hebbian(2, "hebbian", learning_rate="auto"))
    with pytest.raises(gaia.ConfigError, match=r"levels\[0\].layers\[0\].init.*: samples are rows of the data of a run"):
        gaia.Hierarchy(gaia.Hebbian(2, "macqueen", init="samples"), inputs=3)
    refused(gaia.ArgumentError, "at least one level", lambda: gaia.Hierarchy())
    made = gaia.Hierarchy(gaia.Hebbian(2, "oja", learning_rate=0.01))
    refused(gaia.ArgumentError, "inputs=N", lambda: made.weights())
    made.process(series)
    refused(gaia.ShapeError, "3", lambda: made.process(series[:, :2]))
    with pytest.raises(gaia.ShapeError):
        made.process(series[0])
    with pytest.raises(gaia.ArgumentError):
        made.weights(1)
    with pytest.raises(gaia.ArgumentError):
        made.weights(0, 1)
    np.savez("other.npz", a=np.zeros(1))
    with pytest.raises(gaia.DataError):
        gaia.Hierarchy.load("other.npz")


def test_divergence_names_the_place(series):
    made = gaia.Hierarchy(gaia.Hebbian(2, "hebbian", learning_rate=1e6), inputs=3)
    with pytest.raises(gaia.DivergedError) as caught:
        made.process(np.tile(series, (10, 1)))
    assert caught.value.level == 0 and caught.value.layer == 0 and caught.value.step > 0


def test_threads_take_turns(hierarchy, series):
    hierarchy.process(series[:1])
    threads = [threading.Thread(target=lambda: [hierarchy.process(series) or hierarchy.state() for _ in range(20)])
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hierarchy.time_step == 1 + 4 * 20 * 400
    assert np.isfinite(hierarchy.weights()).all()


def test_reset_forgets_all_but_the_weights(hierarchy, series):
    hierarchy.process(series)
    weights = hierarchy.weights().copy()
    hierarchy.reset()
    assert hierarchy.time_step == 0
    np.testing.assert_array_equal(hierarchy.weights(), weights)


def test_parts_tell_what_they_are():
    layer = gaia.Hebbian(2, "oja", learning_rate=0.01)
    assert repr(layer) == "Hebbian(size=2, rule='oja', learning_rate=0.01)"
    assert layer == gaia.Hebbian(2, "oja", learning_rate=0.01) != gaia.Hebbian(3, "oja", learning_rate=0.01)
    assert "hebbian 2 @1" in repr(gaia.Hierarchy(layer))
    assert "temporal 8" in repr(gaia.Hierarchy(gaia.Level(gaia.Temporal(8, leak=0.5))))


def test_an_interrupt_ends_a_long_call_and_leaves_the_hierarchy_as_it_was():
    hierarchy = gaia.Hierarchy(gaia.Level(gaia.Hebbian(400, "sanger", learning_rate=1e-5)), inputs=400)
    series = np.random.default_rng(0).standard_normal((60_000, 400), np.float32)
    hierarchy.process(series[:10])
    before = hierarchy.state()
    sender = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        hierarchy.process(series)
    sender.join()
    assert hierarchy.time_step == 10
    for name, value in hierarchy.state().items():
        np.testing.assert_array_equal(value, before[name])
    assert hierarchy.process(series[:10])[0].shape == (10, 400)
