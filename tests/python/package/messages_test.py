# SPDX-License-Identifier: MIT
"""What levels send each other, weights that are set, and the methods of GAIA 4's manager."""
import copy
import pickle

import numpy as np
import pytest

import gaia
from refused import refused


def three_levels(**keys):
    return gaia.Hierarchy(gaia.Level(gaia.Hebbian(4, "oja", learning_rate=0.01)),
                          gaia.Level(gaia.Hebbian(3, "oja", learning_rate=0.01), temporal_resolution=2, pooling="mean"),
                          gaia.Level(gaia.Hebbian(2, "oja", learning_rate=0.01), temporal_resolution=6),
                          inputs=3, seed=5, dtype="float64", **keys)


def check_messages(hierarchy, shown, keep, every):
    """Compares messages with what the levels have shown since the beginning."""
    for n, resolution in enumerate((1, 2, 6)):
        ticks = np.arange(0, len(shown[n]), every[n])
        sent = hierarchy.messages(n)
        assert [message.level for message in sent] == [n] * min(keep, len(ticks))
        assert [message.step for message in sent] == (resolution * ticks)[-keep:].tolist()
        for message, tick in zip(sent, ticks[-keep:]):
            np.testing.assert_array_equal(message.representation, shown[n][tick][None])
            assert message.energy == pytest.approx((shown[n][tick] ** 2).mean(), rel=1e-10)
        costs = hierarchy.metrics()[n]
        beside = (n > 0) + (n < 2)
        assert costs[:4] == (n, len(shown[n]), len(ticks), beside * len(ticks))
        assert costs.message_bytes == beside * len(ticks) * shown[n].shape[1] * 8
        assert costs.memory_bytes >= hierarchy.weights(n).nbytes


@pytest.mark.parametrize("every", [[1, 1, 1], [5, 3, 2]])
def test_messages_are_the_ticks_that_were_shown(series, every):
    plain = three_levels().process(series)
    hierarchy = three_levels()
    hierarchy.keep_messages(7, every)
    shown = hierarchy.process(series)
    for one, other in zip(plain, shown):
        np.testing.assert_array_equal(one, other)
    check_messages(hierarchy, shown, 7, every)
    assert all(costs.seconds > 0 for costs in hierarchy.metrics())
    received = hierarchy.received(1)
    assert {message.level for message in received} == {0, 2} and len(received) == 14
    assert [message.step for message in received] == sorted(message.step for message in received)
    assert {message.level for message in hierarchy.received(-1)} == {1}


def test_samples_and_pieces_send_what_the_series_does(series):
    whole, pieces = three_levels(), three_levels()
    for one in (whole, pieces):
        one.keep_messages(4, 3, timed=False)
    whole.process(series[:50])
    for x in series[:20]:
        pieces.step(x)
    pieces.process(series[20:50])
    for level in range(3):
        for one, other in zip(whole.messages(level), pieces.messages(level), strict=True):
            assert (one.level, one.step) == (other.level, other.step)
            np.testing.assert_allclose(one.representation, other.representation, rtol=1e-10)
    assert [costs[:5] for costs in whole.metrics()] == [costs[:5] for costs in pieces.metrics()]
    assert all(costs.seconds == 0 for costs in whole.metrics())


def test_a_schedule_holds_from_where_it_is_set(series):
    hierarchy = three_levels()
    hierarchy.keep_messages(1000)
    hierarchy.process(series[:12])
    hierarchy.set_schedule(0, 6)
    hierarchy.process(series[12:24])
    assert [message.step for message in hierarchy.messages(0)] == [*range(12), 12, 18]


def test_a_call_that_fails_leaves_messages_as_they_were(series):
    hierarchy = three_levels()
    hierarchy.keep_messages(5)
    hierarchy.process(series[:40])
    before = [costs[:6] for costs in hierarchy.metrics()]
    steps = [message.step for message in hierarchy.messages(0)]
    wrong = series[40:].copy()
    wrong[-1, 0] = np.nan
    with pytest.raises(gaia.ArgumentError):
        hierarchy.process(wrong)
    assert [costs[:6] for costs in hierarchy.metrics()] == before
    assert [message.step for message in hierarchy.messages(0)] == steps


def test_copies_have_them_and_pickles_do_not(series):
    hierarchy = three_levels()
    hierarchy.keep_messages(5)
    hierarchy.process(series[:40])
    other = copy.deepcopy(hierarchy)
    hierarchy.process(series[40:])
    assert other.messages(0)[-1].step == 39
    other.process(series[40:])
    assert other.messages(0)[-1].step == hierarchy.messages(0)[-1].step == 399
    refused(gaia.ArgumentError, "call keep_messages", lambda: pickle.loads(pickle.dumps(hierarchy)).messages())
    hierarchy.keep_messages(0)
    refused(gaia.ArgumentError, "no messages are kept", lambda: hierarchy.metrics())


def test_errors_of_messages_say_what_came(series):
    hierarchy = three_levels()
    for keys, told in (((-1,), "keep must be at least 1, got -1"), ((4, [1, 2]), "each of the 3 levels, got 2"),
                       ((4, 0), "at least 1 tick, got 0")):
        refused(gaia.ArgumentError, told, lambda: hierarchy.keep_messages(*keys))
    refused(gaia.ArgumentError, "no messages are kept", lambda: hierarchy.set_schedule(0, 2))
    hierarchy.keep_messages(3)
    refused(gaia.ArgumentError, "expected a level from 0 to 2, got 3", lambda: hierarchy.messages(3))
    refused(gaia.ArgumentError, "inputs=N", lambda: gaia.Hierarchy(gaia.Hebbian(2, "oja")).keep_messages())


def test_weights_and_biases_are_set(series):
    hierarchy = gaia.Hierarchy(gaia.Level(gaia.Reactive(2, activation="linear"), gaia.Hebbian(2, "oja")), inputs=3,
                               dtype="float64")
    given = np.arange(6.0).reshape(2, 3)
    hierarchy.set_weights(given)
    hierarchy.set_bias([1, 2])
    hierarchy.set_weights([[1, 0], [0, 1]], layer=1)
    shown, = hierarchy.process(series, learn=False)
    np.testing.assert_allclose(shown, series @ given.T + [1, 2], rtol=1e-12)
    np.testing.assert_array_equal(hierarchy.weights(), given)
    refused(gaia.ShapeError, r"\[set_weights\] expected \[2, 3\], got \[3, 2\]", lambda: hierarchy.set_weights(given.T))
    with pytest.raises(gaia.ArgumentError, match=r"\[set_bias\] expected finite numbers, got nan at \[1\]"):
        hierarchy.set_bias([1, np.nan])
    refused(gaia.ArgumentError, r"\[set_bias\] level 0, layer 1 has no bias", lambda: hierarchy.set_bias([1, 2], layer=1))
    with pytest.raises(gaia.ArgumentError):
        hierarchy.set_weights(given, layer=2)


def manager(**keys):
    made = gaia.HierarchyManager(seed=4, **keys)
    for number, inputs, outputs, resolution in ((3, 3, 5, 1), (7, 5, 4, 2), (9, 4, 2, 4)):
        level = gaia.HierarchicalLevel(number, inputs, outputs, resolution)
        level.add_layer(gaia.HebbianCore(inputs, outputs, "oja"))
        made.add_level(level)
    return made


def test_the_manager_of_the_guide_has_its_methods(series):
    made = manager(messages=8)
    made.set_communication_schedule(3, 4)
    made.set_communication_schedule({7: 2})
    shown = made.process_hierarchy(series[:40])
    step = made.process_time_step(series[40])
    assert sorted(step) == [3, 7, 9] and step[3].shape == (5,)
    for number, now in made.get_all_representations().items():
        np.testing.assert_array_equal(now, step[number][None])
        np.testing.assert_array_equal(made.get_representation(number), now)
    received = made.get_communication_buffer(7)
    assert {message.level for message in received} == {3, 9}
    last = [message for message in received if message.level == 3][-2]
    assert last.step == 36
    np.testing.assert_array_equal(last.representation[0], shown[3][36])
    measured = made.get_performance_metrics()
    assert measured["messages"] == {3: 11, 7: 11, 9: 11} and measured["ticks"] == {3: 41, 7: 21, 9: 11}
    assert measured["communication_overhead"] == {3: 11 * 5 * 4, 7: 2 * 11 * 4 * 4, 9: 11 * 2 * 4}
    assert all(seconds > 0 for seconds in measured["processing_time"].values())
    assert all(bytes_ > 0 for bytes_ in measured["memory_usage"].values())
    made.set_communication_schedule(9, 5)
    made.process_hierarchy(series[41:])
    assert made.get_communication_buffer(7)[-1].level in (3, 9)
    assert made.get_config() == made.hierarchy.to_yaml()
    config = made.get_level(7).get_config()
    assert config["level_id"] == 7 and config["layers"][0]["rule"] == "oja" and config["temporal_resolution"] == 2


def test_levels_are_removed_before_data_are_read(series):
    made = manager()
    assert made.remove_level(9).level_id == 9
    assert sorted(made.process_hierarchy(series)) == [3, 7]
    refused(gaia.ArgumentError, "has read data", lambda: made.remove_level(3))
    refused(gaia.ArgumentError, r"\[remove_level\] there is no level 9; known: 3, 7", lambda: made.remove_level(9))
    for ask in (made.get_performance_metrics, lambda: made.get_communication_buffer(3),
                lambda: made.set_communication_schedule(3, 2)):
        refused(gaia.ArgumentError, r"make a HierarchyManager\(messages=16\)", lambda: ask())
    refused(gaia.ArgumentError, "at least 1 tick, got 0", lambda: manager(messages=2).set_communication_schedule(3, 0))
    with pytest.raises(gaia.ArgumentError, match="there is no level 4; known: 3, 7, 9"):
        manager(messages=2).set_communication_schedule(4, 1)


def test_results_have_the_messages_of_a_run(experiment, series):
    gaia_results = pytest.importorskip("gaia_results")
    experiment = copy.deepcopy(experiment)
    experiment["hierarchy"]["messages"] = {"keep": 5, "every": 2}
    result = gaia.run(experiment, series)
    for number in range(len(experiment["hierarchy"]["levels"])):
        level, messages = result.level(number), result.messages(number)
        rows = np.arange(0, len(level.step), 2)[-5:]
        np.testing.assert_array_equal(messages.step, level.step[rows])
        np.testing.assert_array_equal(messages.representation, level.representation[rows])
        np.testing.assert_allclose(messages.energy, (level.representation[rows].astype(float) ** 2).mean("neuron"))
        assert messages.attrs["sent"] == len(np.arange(0, len(level.step), 2))
    with gaia_results.open(result.path) as run:
        assert (run.metrics().seconds >= 0).all()
