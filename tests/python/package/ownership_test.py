# SPDX-License-Identifier: MIT
"""Whose an object is: what a user goes on changing, and what was returned, changes nothing inside; views that the docs
tell of stay views."""
import copy
import pickle

import numpy as np
import pytest

import gaia


class Dictated:
    """An environment that returns the same dict, list and array every time, with other numbers in them."""

    def __init__(self, kind):
        self.kind = kind
        self.array = np.zeros(2)
        self.seen = {"dict": {"x": self.array, "n": [0]}, "list": [0, [0]], "tuple": ([0], self.array)}[kind]

    def change(self, step):
        self.array[:] = step
        if self.kind == "dict":
            self.seen["n"][0] = step
        elif self.kind == "list":
            self.seen[0] = self.seen[1][0] = step
        else:
            self.seen[0][0] = step

    def reset(self, seed=None):
        self.step_number = 0
        self.change(0)
        return self.seen, {}

    def step(self, action):
        self.step_number += 1
        self.change(self.step_number)
        action["go"][0] = -1  # it plays with what it was given, too
        return self.seen, 0.0, self.step_number == 4, False, {}

    def number(self, seen):
        return {"dict": lambda: (seen["n"][0], seen["x"][0]), "list": lambda: (seen[0], seen[1][0]),
                "tuple": lambda: (seen[0][0], seen[1][0])}[self.kind]()


class Player:
    def __init__(self):
        self.beliefs = [np.zeros(2)]
        self.action = {"go": [0]}
        self.notes = [0]

    def step(self, observation):
        self.action["go"][0] = self.beliefs[0][0] + 1
        self.beliefs[0] += 1
        self.notes[0] += 1
        return self.action


@pytest.mark.parametrize("kind", ["dict", "list", "tuple"])
def test_a_run_keeps_what_was_seen_when_it_was_seen(kind):
    env = Dictated(kind)
    shown = gaia.agents.run(Player(), env, record=lambda agent: agent.notes)
    assert [env.number(seen) for seen in shown.observations] == [(i, i) for i in range(4)]
    assert [env.number(seen) for seen in shown.last_observations] == [(4, 4)]
    assert [action["go"][0] for action in shown.actions] == [1, 2, 3, 4]
    assert shown.beliefs[0][:, 0].tolist() == [1, 2, 3, 4]
    assert shown.recorded == [[1], [2], [3], [4]]


def test_an_objective_may_change_the_values_that_it_is_given():
    def spoiling(values):
        x = values["x"]
        values["x"] = 700
        values["sizes"].append(99)
        return (x - 3) ** 2 + len(values["sizes"])

    sizes = [[1], [1, 2]]
    found = gaia.search(spoiling, {"x": {"range": [1, 10], "integer": True}, "sizes": sizes}, evaluations=60, seed=1)
    assert found.best == {"x": 3, "sizes": [1]} and found.objective == 2 + 0
    assert all(1 <= trial["values"]["x"] <= 10 and trial["values"]["sizes"] in ([1], [1, 2]) for trial in found.history)
    assert sizes == [[1], [1, 2]]
    sizes[0].append(5)
    found.best["x"] = -1
    assert all(trial["values"]["x"] > 0 for trial in found.history)


def test_controllers_and_optimizers_hand_out_copies():
    def spoiling(values, seed):
        score = -abs(values["x"] - 4) - values["c"][0]
        values["x"] = 700
        values["c"][0] = 99
        return score

    space = {"x": {"range": [1, 10]}, "c": [[0], [1]]}
    controller = gaia.PlasticityController(space, spoiling, seed=1, seeds=(1,))
    for _ in range(3):
        controller.adapt_plasticity()
    space["c"][0][0] = 50
    controller.current_params()["c"][0] = 77
    for values in [controller.current_params(), *controller.param_history, *(one["values"] for one in controller.trials)]:
        assert 1 <= values["x"] <= 10 and values["c"] in ([0], [1])
    controller.performance_history[:] = 5
    assert not (controller.performance_history == 5).any()
    found = gaia.MetaOptimizer({"x": {"range": [1, 10]}, "c": [[0], [1]]}, seed=1).meta_train(2, [spoiling])
    assert 1 <= found.meta_parameters["x"] <= 10 and found.meta_parameters["c"] in ([0], [1])


def test_a_hierarchy_keeps_no_part_of_a_user():
    parameters = {"rate": 0.01}
    rule = gaia.Rule("dw = rate * y * (x - y * w)", **parameters)
    layer = gaia.Hebbian(2, rule)
    layers = [layer]
    level = gaia.Level(*layers, temporal_resolution=2)
    experiment = {"hierarchy": {"levels": [{"layers": [{"type": "reactive", "size": 3}]}]}}
    of_parts, of_dict = gaia.Hierarchy(level, inputs=2), gaia.Hierarchy.from_experiment(experiment, inputs=2)
    shown = repr(of_parts), repr(of_dict), pickle.dumps(of_dict)
    rule.keys["parameters"]["rate"] = 5.0
    layer.keys["size"] = 7
    level.keys["layers"].append(gaia.Reactive(3))
    level.to_dict()["layers"].clear()
    experiment["hierarchy"]["levels"][0]["layers"][0]["size"] = 9
    experiment["hierarchy"]["levels"].append({})
    assert (repr(of_parts), repr(of_dict), pickle.dumps(of_dict)) == shown
    assert copy.deepcopy(of_dict).weights().shape == (3, 2)
    assert len(level.keys["layers"]) == 2 and level.keys["layers"][0].keys["size"] == 2


@pytest.mark.parametrize("pooling", ["last", "mean", "max", "ema", "concat"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_a_hierarchy_was_given_and_has_shown_may_be_changed(pooling, dtype):
    def made():
        return gaia.Hierarchy(gaia.Level(gaia.Temporal(4), gaia.Hebbian(3, "sanger", learning_rate=0.01)),
                              gaia.Level(gaia.Hebbian(2, "oja", learning_rate=0.01), temporal_resolution=4,
                                         pooling=pooling), inputs=2, seed=1, dtype=dtype)

    random = np.random.default_rng(3)
    pieces = [random.normal(size=(n, 2)).astype(dtype) for n in (6, 1, 5, 7, 1, 1)]
    spoilt, whole = made(), made()
    for piece in pieces:
        expected = whole.process(piece.copy(), expand=True)
        x = piece.copy()
        got = spoilt.process(x, expand=True) if len(x) > 1 else [one[None] for one in spoilt.step(x[0])]
        for one, other in zip(got, expected):
            np.testing.assert_array_equal(one, other)
        x[:] = 1e6
        for one in got:
            one[:] = 1e6
    state = whole.state()
    kept = {name: value.copy() for name, value in state.items()}
    for value in state.values():
        value[...] = 0
    other = made()
    other.set_state(kept, whole.time_step)
    for value in kept.values():
        value[...] = 0
    x = random.normal(size=(9, 2)).astype(dtype)
    for one, two, three in zip(whole.process(x), spoilt.process(x), other.process(x)):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, three)


def test_agents_keep_no_table_of_a_user():
    likelihood, counts = np.array([[0.9, 0.2], [0.1, 0.8]]), np.array([[9.0, 2.0], [1.0, 8.0]])
    transition, policies = np.stack([np.eye(2), np.eye(2)[::-1]], axis=2), [[0], [1]]
    model = gaia.agents.GenerativeModel([likelihood], [transition], preferences=[[0.0, 1.0]])
    agent = gaia.agents.DiscreteAgent(model, policies=policies, concentrations={"likelihoods": [counts]}, seed=1)
    before = pickle.dumps(agent)
    likelihood[:] = 0.5
    counts[:] = 1.0
    transition[:] = 0.5
    policies.append([1])
    assert pickle.dumps(agent) == before
    for shown in (model.likelihoods, model.transitions, agent.beliefs, agent.concentrations.likelihoods,
                  agent.policies, [*agent.state().values()]):
        for one in shown:
            one[...] = 0
    assert pickle.dumps(agent) == before
    low, target = np.array([-1.0]), np.array([0.0, 0.0])
    moving = gaia.agents.ContinuousAgent(2, low, [1.0], target=target, precision=[1, 1], seed=1)
    before = pickle.dumps(moving)
    low[:], target[:] = -7, 7
    for one in moving.state().values():
        one[...] = 0
    assert pickle.dumps(moving) == before
    world = gaia.agents.pendulum(seed=1)
    world.reset()
    world.action_low[:] = 0
    world.variables[:] = 0
    assert world.action_low[0] == -2.0 and world.variables.any()


def test_views_stay_views_and_copies_copies():
    a = np.zeros((2, 2), np.float32)
    assert np.shares_memory(a, gaia.Array(a).numpy())
    assert not np.shares_memory(a, gaia.array(a).numpy())
    gaia.Array(np.ma.array(a)).fill(1.0)  # masked arrays are copied, whether or not something is masked
    assert not a.any()
    hierarchy = gaia.Hierarchy(gaia.Hebbian(2, "oja", learning_rate=0.1), inputs=2)
    weights, before = hierarchy.weights(), hierarchy.weights().copy()
    hierarchy.process(np.ones((5, 2)))
    assert (weights != before).any()  # a view that follows the learning
    gradient = np.ones(2, np.float32)
    x = gaia.Tensor(np.zeros(2, np.float32))
    x.grad = gradient
    gradient[:] = 9
    assert x.grad.numpy().tolist() == [1, 1]
    (x * 2.0).sum().backward()
    assert x.grad.numpy().tolist() == [3, 3] and gradient.tolist() == [9, 9]
