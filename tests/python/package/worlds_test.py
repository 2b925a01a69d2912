# SPDX-License-Identifier: MIT
"""Worlds with Gymnasium's conventions, and episodes of agents in environments of all kinds."""
import copy
import inspect

import numpy as np
import pytest

import gaia
from gaia import agents


class Corridor:
    """A world of one's own: five places, the prize at the right end, in which Gymnasium is not needed."""

    def __init__(self, action_space=None):
        self.asked = []
        if action_space is not None:
            self.action_space = action_space

    def reset(self, *, seed=None, options=None):
        self.asked.append(("reset", seed))
        self.place = 0
        return self.place, {}

    def step(self, action):
        self.asked.append(("step", action))
        self.place = min(4, max(0, self.place + (1 if action == 1 else -1)))
        return self.place, 1.0 if self.place == 4 else 0.0, self.place == 4, False, {"place": self.place}


def corridor_model():
    left, right = np.eye(5, k=1), np.eye(5, k=-1)
    left[0, 0] = right[4, 4] = 1
    return agents.GenerativeModel([np.eye(5)], [np.stack([left, right], axis=2)], [[0, 0, 0, 0, 3.0]], [[1, 0, 0, 0, 0]])


class Control:
    """Acts as a list says, and is given nothing."""

    def __init__(self, actions):
        self.actions = iter(actions)

    def step(self, observation):
        return next(self.actions)


def test_a_t_maze_does_what_its_tables_say():
    world = agents.t_maze(win_probability=1.0, steps=2, seed=1)
    sides = []
    for _ in range(200):
        observation, info = world.reset()
        assert observation.tolist() == [0, 0, 0] and info["state"] == world.state
        assert world.state[0] == 0
        sides.append(world.state[1])
        observation, reward, terminated, truncated, info = world.step(3)
        assert observation.tolist() == [3, 0, 1 + sides[-1]] and reward == 0.0 and not terminated and not truncated
        arm = 1 + (len(sides) % 2)
        observation, reward, terminated, truncated, info = world.step([arm, 0])
        is_good = arm == sides[-1] + 1
        assert observation.tolist() == [arm, 1 if is_good else 2, 0] and reward == (3.0 if is_good else -3.0)
        assert truncated and not terminated and info["state"] == (arm, sides[-1])
    assert 70 < sum(sides) < 130  # 5 deviations of 200 even draws are 35
    assert world.steps == 2 and agents.t_maze().steps is None


def test_a_seed_begins_the_same_world_again():
    def outcomes(world, **options):
        shown = [world.reset(**options)[0].tolist()]
        return shown + [world.step(1 + t % 2)[0].tolist() for t in range(30)]

    one, two = agents.two_armed_bandit(seed=5), agents.two_armed_bandit(seed=5)
    first = outcomes(one)
    assert first == outcomes(two)
    twin = copy.deepcopy(one)
    later = outcomes(one)
    assert later != first and outcomes(twin) == later  # it goes on with other numbers, and so does its copy
    assert outcomes(one, seed=5) == first and outcomes(agents.two_armed_bandit(seed=6), seed=5) == first
    assert outcomes(agents.two_armed_bandit(seed=6)) != first


def test_a_bandit_pays_as_often_as_it_says():
    world = agents.two_armed_bandit(better=0.9, worse=0.3, win=1.0, loss=-0.5, seed=2)
    world.reset()
    better = world.state[1]
    pays = np.array([[world.step(arm)[1] for _ in range(2000)] for arm in (1, 2)])
    assert set(pays.ravel()) == {1.0, -0.5} and world.step(0)[1] == 0.0
    shares = (pays == 1.0).mean(axis=1)
    assert abs(shares[better] - 0.9) < 0.04 and abs(shares[1 - better] - 0.3) < 0.05
    changing = agents.two_armed_bandit(change=1.0, seed=2)
    changing.reset()
    sides = [changing.state[1]] + [changing.step(0)[4]["state"][1] for _ in range(4)]
    assert sides in ([0, 1, 0, 1, 0], [1, 0, 1, 0, 1])


def test_a_grid_has_walls_and_an_end():
    world = agents.grid_world(rows=2, columns=3, walls=[1], goal=2, preference=3.0, steps=9, seed=0)
    assert world.reset()[0] == 0 and isinstance(world.reset()[0], int)
    cells = [world.step(action)[0] for action in (1, 0, 2, 1, 1, 1, 0, 4)]  # against the wall, and around it
    assert cells == [0, 0, 3, 4, 5, 5, 2, 2]
    observation, reward, terminated, truncated, _ = world.step(3)
    assert observation == 2 and reward == 3.0 and truncated and not terminated
    assert agents.grid_world(is_graded=False).model.preferences[0].tolist() == [0.0] * 15 + [4.0]
    slippery = agents.grid_world(slip=0.25, accuracy=0.75, start=5).model
    assert slippery.transitions[0][5, 5, 0] == 0.25 and slippery.transitions[0][1, 5, 0] == 0.75
    assert slippery.likelihoods[0][5, 5] == 0.75 and slippery.initial[0][5] == 1.0


def test_a_world_of_any_model():
    draw = np.random.default_rng(3)
    model = agents.GenerativeModel([agents.normalised(draw.random((3, 2, 2)) + 0.1), np.eye(2)],
                                   [agents.normalised(draw.random((2, 2, 2))), agents.normalised(draw.random((2, 2, 3)))],
                                   [[1.0, 2.0, 4.0], [10.0, 20.0]], [[1.0, 0.0], [0.0, 1.0]], depends_on=[[0, 1], [1]])
    world = agents.DiscreteWorld(model, seed=1)
    counts = np.zeros((2, 2))
    before = None
    seen = np.zeros(3)
    observation, info = world.reset()
    assert info["state"] == (0, 1)
    for _ in range(4000):
        before = world.state
        observation, reward, _, truncated, info = world.step([1, 2])
        assert not truncated and observation[1] == info["state"][1]
        assert reward == [1.0, 2.0, 4.0][observation[0]] + [10.0, 20.0][observation[1]]
        counts[info["state"][1], before[1]] += 1
        if info["state"] == (0, 1):
            seen[observation[0]] += 1
    np.testing.assert_allclose(counts / counts.sum(axis=0), model.transitions[1][:, :, 2], atol=0.06)
    np.testing.assert_allclose(seen / seen.sum(), model.likelihoods[0][:, 0, 1], atol=0.08)


def test_options_of_worlds_that_are_left_out_are_those_of_the_library():
    for name, defaults in gaia._gaia._world_defaults().items():
        said = {key: one.default for key, one in inspect.signature(getattr(agents, name)).parameters.items()}
        assert {key: said[key] for key in defaults} == defaults, name
        assert set(said) - set(defaults) <= {"steps", "seed", "walls", "goal", "probabilities"}


@pytest.mark.parametrize("call, message", [
    (lambda: agents.t_maze(win_probability=2), "win_probability"),
    (lambda: agents.t_maze(win="much"), r"\[win\] expected a number, got 'much'"),
    (lambda: agents.t_maze(steps=0), "steps: expected 1 or more"),
    (lambda: agents.t_maze(steps="all"), r"\[steps\] expected whole numbers"),
    (lambda: agents.run(Control([0]), Corridor(), episodes="all"), r"\[episodes\] expected whole numbers"),
    (lambda: agents.t_maze(seed=-3), r"\[seed\]"),
    (lambda: agents.two_armed_bandit(better=-1), "better"),
    (lambda: agents.bernoulli_bandit([0.5, 2]), "probabilities"),
    (lambda: agents.bernoulli_bandit([]), "probabilities"),
    (lambda: agents.grid_world(rows=0), "rows"),
    (lambda: agents.grid_world(walls=[0]), "start"),
    (lambda: agents.grid_world(walls=[99]), "walls"),
    (lambda: agents.t_maze().step(0), r"reset\(\) before"),
    (lambda: _begun(agents.t_maze()).step(4), "4"),
    (lambda: _begun(agents.t_maze()).step([1, 0, 0]), "each of 1 controlled"),
    (lambda: _begun(agents.t_maze()).step(0.5), r"\[action\] expected whole numbers"),
    (lambda: agents.DiscreteWorld("maze"), "expected a GenerativeModel"),
    (lambda: agents.run(3, Corridor()), "agent: expected one with step"),
    (lambda: agents.run(Control([0]), Corridor(), episodes=0), "episodes: expected 1 or more"),
    (lambda: agents.run(Control([0]), Corridor(), steps=0), "steps: expected 1 or more"),
    (lambda: agents.run(Control([0]), agents.t_maze()), "ends no trial by itself"),
    (lambda: agents.run(Control([0]), _Old()), r"expected reset\(\) to return \(observation, info\)"),
    (lambda: agents.run(Control([0]), _Old(modern=True)), r"expected step\(\) to return"),
])
def test_errors_say_what_came(call, message):
    with pytest.raises(gaia.ArgumentError, match=message):
        call()


def test_probabilities_that_are_no_numbers_are_told():
    with pytest.raises(gaia.DTypeError, match=r"\[agents\] probabilities: expected an array of numbers, got <U4"):
        agents.bernoulli_bandit("many")


def _begun(world):
    world.reset()
    return world


class _Old:
    """An environment of the conventions before Gymnasium's."""

    def __init__(self, modern=False):
        self.modern = modern

    def reset(self, seed=None):
        return (0, {}) if self.modern else 0

    def step(self, action):
        return 0, 0.0, True, {}


def test_an_agent_reads_the_cue_and_without_epistemic_value_it_does_not():
    for seed in range(5):
        for is_curious in (True, False):
            world = agents.t_maze(steps=2, seed=seed)
            agent = agents.DiscreteAgent(world.model, horizon=2, use_epistemic=is_curious, seed=seed)
            shown = agents.run(agent, world, episodes=100)
            assert (shown.actions.reshape(100, 2)[:, 0] == 3).all() == is_curious
            right = np.array([row[1] for row in shown.last_observations]) == 1
            assert right.sum() >= 90 if is_curious else right.sum() == 0
            assert (shown.returns.mean() > 2.5) == is_curious


def test_run_keeps_what_happened():
    env = Corridor()
    agent = agents.DiscreteAgent(corridor_model(), horizon=4)
    shown = agents.run(agent, env, episodes=2, seed=7, record=lambda one: one.posterior.copy())
    assert env.asked == [("reset", 7), *[("step", 1)] * 4, ("reset", None), *[("step", 1)] * 4]
    np.testing.assert_array_equal(shown.episode, [0] * 4 + [1] * 4)
    np.testing.assert_array_equal(shown.step, [0, 1, 2, 3] * 2)
    np.testing.assert_array_equal(shown.observations, [0, 1, 2, 3] * 2)
    np.testing.assert_array_equal(shown.actions, [1] * 8)
    np.testing.assert_array_equal(shown.rewards, [0, 0, 0, 1] * 2)
    np.testing.assert_allclose(shown.beliefs[0], np.tile(np.eye(5)[:4], (2, 1)), atol=1e-12)
    np.testing.assert_allclose(shown.free_energy, 0.0, atol=1e-9)
    assert len(shown.recorded) == 8 and shown.recorded[0].shape == (16,)
    np.testing.assert_array_equal(shown.last_observations, [4, 4])
    np.testing.assert_array_equal(shown.returns, [1.0, 1.0])
    np.testing.assert_array_equal(shown.lengths, [4, 4])
    assert shown.terminated.all() and not shown.truncated.any()


def test_run_cuts_episodes_and_needs_nothing_of_agents_but_a_step():
    shown = agents.run(Control([1, 1, 0, 1, 1, 1, 1, 1]), Corridor(), episodes=2, steps=4)
    np.testing.assert_array_equal(shown.lengths, [4, 4])
    np.testing.assert_array_equal(shown.last_observations, [2, 4])
    np.testing.assert_array_equal(shown.terminated, [False, True])  # the second ended by itself, at the same step
    np.testing.assert_array_equal(shown.truncated, [True, False])
    np.testing.assert_array_equal(shown.returns, [0.0, 1.0])
    assert shown.beliefs == [] and shown.recorded == [] and np.isnan(shown.free_energy).all()


def test_observations_and_actions_may_be_translated():
    env = Corridor()
    told = []

    def encode(observation, reward):
        told.append((observation, reward))
        return None if observation == 2 else observation

    agent = agents.DiscreteAgent(corridor_model(), horizon=4)
    shown = agents.run(agent, env, encode=encode, decode=lambda action: action * 1)
    assert told == [(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.0), (4, 1.0)]  # the last one at the end of the episode
    np.testing.assert_array_equal(shown.observations, [0, 1, 2, 3])  # as the environment gave them
    np.testing.assert_allclose(shown.beliefs[0][2], np.eye(5)[2], atol=1e-12)  # it was not seen, but known
    turned = Corridor()
    agents.run(Control([1, 1, 1]), turned, steps=3, decode=lambda action: 1 - action)
    assert [what for name, what in turned.asked if name == "step"] == [0, 0, 0]


def test_arrays_of_an_environment_may_change_afterwards():
    class Same:
        def __init__(self):
            self.place = np.zeros(2)

        def reset(self):
            self.place[:] = 0
            return self.place, {}

        def step(self, action):
            self.place += action
            return self.place, 0.0, False, False, {}

    shown = agents.run(Control([np.array([1.0, 2.0])] * 3), Same(), steps=3)
    np.testing.assert_array_equal(shown.observations, [[0, 0], [1, 2], [2, 4]])
    np.testing.assert_array_equal(shown.last_observations, [[3, 6]])
    assert shown.actions.shape == (3, 2)


def test_observations_of_any_kind_are_kept():
    class Odd:
        seen = [("a", None), {"b": 1}, ("c", None), [1, 2, 3]]

        def reset(self):
            self.at = 0
            return self.seen[0], {}

        def step(self, action):
            self.at += 1
            return self.seen[self.at], 0.5, self.at == 3, False, {}

    shown = agents.run(Control(["x", "y", "z"]), Odd())
    assert shown.observations.tolist() == Odd.seen[:3] and shown.last_observations.tolist() == [[1, 2, 3]]
    assert shown.actions.tolist() == ["x", "y", "z"] and shown.returns.tolist() == [1.5]
    Odd.seen = [("a", None)] * 4
    assert agents.run(Control("xyz"), Odd()).observations.tolist() == [("a", None)] * 3


def test_actions_have_the_shape_that_an_environment_says():
    class Box:
        shape, dtype = (1,), np.float32

    env = Corridor(Box())
    agents.run(Control([1, 0.25]), env, steps=2)
    given = [what for name, what in env.asked if name == "step"]
    assert all(one.shape == (1,) and one.dtype == np.float32 for one in given) and given[1][0] == 0.25


def learner(seed, rate):
    """Sees where it is, and has to find out what its actions do."""
    known = corridor_model()
    return agents.DiscreteAgent(known, horizon=4, concentrations={"transitions": [np.full((5, 5, 2), 0.1)]},
                                transition_rate=rate, parameter_gain="exact", is_sampled=True, seed=seed)


def test_an_agent_learns_in_an_environment_of_ones_own():
    lengths = {rate: np.array([agents.run(learner(seed, rate), Corridor(), episodes=12, steps=40).lengths
                               for seed in range(8)]) for rate in (1.0, 0.0)}
    learnt, frozen = (lengths[rate][:, 6:].mean(axis=1) for rate in (1.0, 0.0))
    assert (learnt == 4).all(), learnt  # the shortest way in each of the last six episodes, at 8 of 8 seeds
    assert frozen.min() > 8, frozen  # with learning off none finds it


def test_the_last_observation_of_an_episode_is_learnt_from():
    agent = learner(0, 1.0)
    shown = agents.run(agent, Corridor(), episodes=1, steps=1)
    counts = agent.concentrations.transitions[0] - 0.1
    action, at = shown.actions[0], shown.last_observations[0]
    assert counts[at, 0, action] == pytest.approx(1.0) and counts.sum() == pytest.approx(1.0)


# What follows needs Gymnasium, which the package itself does not.


def test_it_is_imported_without_gymnasium():
    import subprocess
    import sys

    program = "import sys; sys.modules['gymnasium'] = None; import gaia; gaia.agents.t_maze().reset(); print('well')"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "well\n"


def test_a_frozen_lake_of_gymnasium():
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    table = np.zeros((16, 16, 4))
    for state, actions in env.unwrapped.P.items():
        for action, outcomes in actions.items():
            for p, after, _, _ in outcomes:
                table[after, state, action] += p
    holes = [5, 7, 11, 12]
    preferences = np.zeros(16)
    preferences[holes], preferences[15] = -5.0, 5.0
    model = agents.GenerativeModel([np.eye(16)], [table], [preferences], [np.eye(16)[0]])
    shown = agents.run(agents.DiscreteAgent(model, horizon=6, seed=1), env, episodes=3, seed=1)
    np.testing.assert_array_equal(shown.lengths, [6, 6, 6])
    np.testing.assert_array_equal(shown.returns, [1.0, 1.0, 1.0])
    assert shown.terminated.all() and set(shown.last_observations) == {15}
    chance = agents.run(Control(np.random.default_rng(0).integers(4, size=10_000).tolist()), env, episodes=100, seed=1)
    assert chance.returns.mean() < 0.2


def test_actions_of_several_factors_in_gymnasium():
    gymnasium = pytest.importorskip("gymnasium")

    class Lamps(gymnasium.Env):
        """Two lamps, each with a switch of its own that sets it."""

        observation_space = gymnasium.spaces.MultiDiscrete([2, 3])
        action_space = gymnasium.spaces.MultiDiscrete([2, 3])

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return np.zeros(2, np.int64), {}

        def step(self, action):
            assert self.action_space.contains(action)
            return action.copy(), float(action.sum()), False, False, {}

    def setting(count):
        return np.stack([np.repeat(np.eye(count)[:, [action]], count, axis=1) for action in range(count)], axis=2)

    model = agents.GenerativeModel([np.eye(2), np.eye(3)], [setting(2), setting(3)], [[0, 1.0], [0, 0, 2.0]],
                                   [[1, 0], [1, 0, 0]], depends_on=[[0], [1]])
    env = gymnasium.wrappers.TimeLimit(Lamps(), 3)
    shown = agents.run(agents.DiscreteAgent(model), env, episodes=2)
    np.testing.assert_array_equal(shown.actions, [[1, 2]] * 6)
    np.testing.assert_array_equal(shown.truncated, [True, True])
    np.testing.assert_array_equal(shown.returns, [9.0, 9.0])
