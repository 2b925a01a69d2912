# SPDX-License-Identifier: MIT
"""What is created and dropped leaves nothing behind.  GAIA_LONG_TESTS=1 creates as many as a week of work does."""
import copy
import gc
import os
import sys

import numpy as np
import pytest

import gaia

IS_LONG = os.environ.get("GAIA_LONG_TESTS") == "1"


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def what_is_held():
    gc.collect()
    return resident_bytes(), sys.getallocatedblocks(), gaia.memory_stats()["arrays"], gaia.memory_stats()["used"]


def assert_flat(make, count, warm_up=1_000, rounds=4):
    """Makes and drops `count` things, after so many or more to warm up.  A leak grows in every round, whereas the caches of
    the interpreter and of the allocators fill up at some time: one round without growth is enough."""
    for _ in range(max(count // 10, warm_up)):
        make()
    growths = []
    for _ in range(rounds):
        before = what_is_held()
        for _ in range(count):
            make()
        growths.append([now - then for then, now in zip(before, what_is_held())])
        resident, blocks, arrays, used = growths[-1]
        assert arrays == 0 and used == 0
        # A block for one thing in ten, or sixteen bytes for each, would be a leak; what is on top belongs to the allocators.
        if blocks < count // 10 + 100 and resident < 16 * count + 2 ** 20:
            return resident
    raise AssertionError(f"resident bytes, blocks, arrays and bytes of arrays grew in every round: {growths}")


def make_hierarchy(x):
    hierarchy = gaia.Hierarchy(gaia.Level(gaia.Hebbian(2, "oja", learning_rate=0.01)),
                               gaia.Level(gaia.Hebbian(2, "sanger", learning_rate=0.01), temporal_resolution=2), inputs=3)
    weights = hierarchy.weights()
    shown = hierarchy.process(x)
    hierarchy.step(x[0])
    return hierarchy, weights, shown


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_hierarchies_made_and_dropped():
    x = np.ones((4, 3), np.float32)
    print(assert_flat(lambda: make_hierarchy(x), 100_000 if IS_LONG else 3_000))


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_arrays_exported_and_dropped():
    numbers = np.arange(1000.0)
    array = gaia.Array(numbers)

    def export():
        assert np.from_dlpack(array[1:])[0] == 1.0
        assert np.from_dlpack(gaia.Array(numbers) + 1)[0] == 1.0

    print(assert_flat(export, 1_000_000 if IS_LONG else 20_000))


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_capsules_that_nobody_takes():
    array = gaia.ones((1000,))
    print(assert_flat(array.__dlpack__, 1_000_000 if IS_LONG else 20_000))


def make_agent(tables):
    model = gaia.agents.GenerativeModel(*tables)
    agent = gaia.agents.DiscreteAgent(model, horizon=2, concentrations={"likelihoods": tables[0], "initial": tables[3]})
    world = gaia.agents.DiscreteWorld(model, steps=2)
    shown = gaia.agents.run(agent, world, episodes=2, record=lambda one: one.last_plan)
    gaia.agents.infer_window(model, [0, 1], [0])
    gaia.agents.search_tree(model, agent.beliefs)
    return copy.deepcopy(agent), agent.model.likelihoods, agent.concentrations, agent.policies, world.state, shown


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_agents_and_worlds_made_and_dropped():
    tables = [np.full((2, 2), 0.5)], [np.full((2, 2, 2), 0.5)], [[0.0, 1.0]], [[0.5, 0.5]]
    print(assert_flat(lambda: make_agent(tables), 100_000 if IS_LONG else 600, warm_up=300))


def make_continuous_agent():
    world = gaia.agents.point_mass(max_steps=3)
    agent = gaia.agents.ContinuousAgent(2, [-1], [1], target=[0, 0], precision=[1, 1], members=2, hidden=[3], horizon=2,
                                        population=3, elites=2, iterations=1, random_steps=2, batch=2, training_ratio=0.4)
    shown = gaia.agents.run(agent, world, episodes=1)
    return shown, agent.state(), agent.last_plan, copy.deepcopy(world)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_agents_and_worlds_of_real_numbers_made_and_dropped():
    print(assert_flat(make_continuous_agent, 10_000 if IS_LONG else 600, warm_up=400))


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_controllers_and_metrics_made_and_dropped():
    space = {"a": {"range": [0, 1]}}
    numbers = np.eye(3)

    def make():
        controller = gaia.PlasticityController(space, lambda values, seed: values["a"], seeds=[1])
        controller.adapt_plasticity()
        found = gaia.MetaOptimizer(space, validation_seeds=[1]).meta_train(1, [lambda values, seed: values["a"]])
        path = gaia.metrics.WeightPath()
        path.add(numbers)
        return controller.trials, found, path.result(), gaia.metrics.measure_forgetting(numbers), gaia.TaskSampler(2)

    print(assert_flat(make, 100_000 if IS_LONG else 600, warm_up=300))


def test_errors_leave_nothing():
    hierarchy = gaia.Hierarchy(gaia.Hebbian(2, "oja", learning_rate=0.01), inputs=3)

    def fail():
        with pytest.raises(gaia.ShapeError):
            hierarchy.process(np.ones((4, 2)))

    for _ in range(100):
        fail()
    before = what_is_held()
    for _ in range(1000):
        fail()
    after = what_is_held()
    assert after[2] == before[2] and after[1] - before[1] < 200
