# SPDX-License-Identifier: MIT
"""gaia.agents: agents and worlds of real numbers."""
import copy
import inspect
import math
import pickle

import numpy as np
import pytest

import gaia
from gaia import agents
from refused import refused

SMALL = dict(members=2, hidden=[16], horizon=6, population=30, elites=5, iterations=2, batch=64, random_steps=50)


def small_agent(world, **options):
    return agents.ContinuousAgent.for_environment(world, **{"target": [0, 0], "precision": [100, 0.1], **SMALL, **options})


class Evenly:
    """The control: draws actions between the bounds, whatever it sees."""

    def __init__(self, seed):
        self.draw = np.random.default_rng(seed)

    def step(self, observation):
        return self.draw.uniform(-1, 1, size=1)


def swing(angle, speed, torque, g=10.0, m=1.0, l=1.0, dt=0.05):
    """Gymnasium's Pendulum-v1 in plain numbers."""
    turned = (angle + math.pi) % (2 * math.pi) - math.pi
    reward = -(turned ** 2 + 0.1 * speed ** 2 + 0.001 * torque ** 2)
    speed = min(max(speed + (3 * g / (2 * l) * math.sin(angle) + 3 / (m * l ** 2) * torque) * dt, -8), 8)
    return angle + speed * dt, speed, reward


def test_a_pendulum_swings_as_its_equations_say():
    for options in ({}, dict(gravity=3.7, mass=2.0, length=0.5, time_step=0.02)):
        world = agents.pendulum(**options, seed=1)
        observation, info = world.reset()
        assert info == {} and world.observation_size == 3 and world.action_size == 1 and world.max_steps == 200
        angle, speed = math.atan2(observation[1], observation[0]), observation[2]
        for action in np.random.default_rng(0).uniform(-2, 2, size=199):
            angle, speed, expected = swing(angle, speed, action, options.get("gravity", 10.0), options.get("mass", 1.0),
                                           options.get("length", 1.0), options.get("time_step", 0.05))
            observation, reward, terminated, truncated, _ = world.step([action])
            np.testing.assert_allclose(observation, [math.cos(angle), math.sin(angle), speed], atol=1e-9)
            assert reward == pytest.approx(expected, abs=1e-9) and not terminated and not truncated
        assert world.step([0.0])[2:4] == (False, True)
        refused(gaia.ArgumentError, "over", lambda: world.step([0.0]))
    assert np.abs(agents.pendulum(start_angle=0.1, start_speed=0.0, seed=3).reset()[0][1:]).max() < 0.1


def test_a_mass_is_pushed():
    world = agents.point_mass(dimensions=2, mass=2.0, damping=0.3, time_step=0.05, max_force=3.0, start=4.0, max_steps=30,
                              seed=2)
    state = world.reset()[0]
    assert world.action_high.tolist() == [3.0, 3.0] and world.action_low.tolist() == [-3.0, -3.0]
    assert len(world.observation_names) == 4 and len(world.action_names) == 2 and np.abs(state[:2]).max() > 0
    x, v = state[:2].copy(), np.zeros(2)
    for action in np.random.default_rng(0).uniform(-3, 3, size=(30, 2)):
        v = v + (action / 2.0 - 0.3 * v) * 0.05
        x = x + v * 0.05
        observation, reward, terminated, truncated, _ = world.step(action)
        np.testing.assert_allclose(observation, [*x, *v], atol=1e-12)
        assert reward == pytest.approx(-(x ** 2 + 0.1 * action ** 2).sum())
    assert truncated and not terminated


def test_a_car_gets_up_the_hill_by_swinging():
    world = agents.mountain_car(seed=4)
    x, v = world.reset()[0]
    assert -0.6 <= x <= -0.4 and v == 0
    total = 0.0
    for step in range(999):  # noqa: B007 (it is read afterwards)
        force = 1.0 if v >= 0 else -1.0  # with the speed: gains energy at every step
        v = min(max(v + 0.0015 * force - 0.0025 * math.cos(3 * x), -0.07), 0.07)
        x = min(max(x + v, -1.2), 0.6)
        if x == -1.2 and v < 0:
            v = 0.0
        observation, reward, terminated, truncated, _ = world.step([force])
        np.testing.assert_allclose(observation, [x, v], atol=1e-9)
        total += reward
        if terminated:
            break
    assert terminated and not truncated and step < 200 and x >= 0.45
    assert total == pytest.approx(100 - 0.1 * (step + 1))


def test_a_seed_begins_the_same_world_again():
    one, two = agents.pendulum(seed=5), agents.pendulum(seed=6)
    first = one.reset()[0]
    twin = copy.deepcopy(one)
    second = one.reset()[0]
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(twin.reset()[0], second)
    np.testing.assert_array_equal(two.reset(seed=5)[0], first)
    np.testing.assert_array_equal(two.reset()[0], second)
    assert not np.array_equal(agents.pendulum(seed=7).reset()[0], first)
    assert copy.copy(one).variables.tolist() == one.variables.tolist()


def test_an_agent_learns_to_bring_a_mass_home():
    """It is compared with the same agent with learning off, and actions that are drawn evenly, at three seeds."""
    returns = {"learning": [], "off": [], "evenly": []}
    for seed in range(3):
        for name, options in (("learning", {}), ("off", {"is_learning": False})):
            world = agents.point_mass(start=2.0, max_steps=40, seed=seed)
            agent = small_agent(world, horizon=10, training_ratio=4.0, seed=seed, **options)
            shown = agents.run(agent, world, episodes=6)
            returns[name].append(shown.returns[3:].mean())
            assert shown.observations.shape == (240, 2) and shown.actions.shape == (240, 1)
            assert np.abs(shown.actions).max() <= 1.0 and shown.beliefs == [] and shown.truncated.all()
            assert agent.episodes == 6 and agent.steps == agent.transitions == 240
            assert (agent.last_training.steps > 0) == (name == "learning")
        world = agents.point_mass(start=2.0, max_steps=40, seed=seed)
        returns["evenly"].append(agents.run(Evenly(seed), world, episodes=6).returns[3:].mean())
    for name in ("off", "evenly"):  # of a seed all three have the same beginnings
        assert all(mine > other + 1.0 for mine, other in zip(returns["learning"], returns[name])), returns


def test_the_same_seed_gives_the_same_bytes_and_copies_go_on_alike():
    world = agents.point_mass(max_steps=30, seed=1)
    options = dict(random_steps=10, training_interval=20, seed=2)
    agent, other, different = (small_agent(world, **{**options, "seed": seed}) for seed in (2, 2, 3))
    shown = [agents.run(one, agents.point_mass(max_steps=30, seed=1), episodes=1).actions
             for one in (agent, other, different)]
    np.testing.assert_array_equal(shown[0], shown[1])
    assert not np.array_equal(shown[0], shown[2])
    state = agent.state()
    assert {name: value.tobytes() for name, value in state.items()} == {
        name: value.tobytes() for name, value in other.state().items()}
    observation = np.array([0.4, -0.1])
    agent.step(observation)
    observation = np.array([0.38, -0.2])
    twins = [pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)]
    made_alike = small_agent(world, **options)
    made_alike.set_state(agent.state())
    expected = [agent.step(observation + 0.01 * t) for t in range(25)]
    for twin in (*twins, made_alike):
        np.testing.assert_array_equal([twin.step(observation + 0.01 * t) for t in range(25)], expected)


def test_planning_changes_nothing_but_the_plan():
    world = agents.point_mass(max_steps=30, seed=1)
    agent = small_agent(world, random_steps=5, seed=2)
    agents.run(agent, world, episodes=2)
    agent.observe([0.5, 0.0])
    before = agent.state()
    plan = agent.plan()
    after = agent.state()
    changed = {name for name in before if before[name].tobytes() != after[name].tobytes()}
    assert changed <= {"plan.actions", "plan.observations", "plan.terms", "search_mean", "counts"}, changed
    assert plan.actions.shape == (6, 1) and plan.observations.shape == (6, 2)
    assert plan.risk + plan.ambiguity == pytest.approx(plan.cross_entropy - plan.information_gain, rel=1e-9)
    assert plan.objective == pytest.approx(plan.expected_free_energy)
    assert plan.actions.tobytes() == agent.last_plan.actions.tobytes() and plan.information_gain > 0
    np.testing.assert_array_equal(agent.act(), plan.actions[0])
    means, log_variances = agent.predict([[0.5, 0.0], [0.2, 0.1]], [plan.actions[0], [0.0]])
    assert means.shape == log_variances.shape == (2, 2, 2)
    np.testing.assert_allclose(means[:, 0].mean(axis=0), plan.observations[0], atol=1e-5)
    agent.take([0.25])
    agent.observe([0.6, 0.1])
    agent.learn()


def test_options_that_are_left_out_are_those_of_the_library():
    for name, defaults in gaia._gaia._continuous_defaults().items():
        said = {key: one.default for key, one in inspect.signature(getattr(agents, name)).parameters.items()}
        assert {key: said[key] for key in defaults} == defaults, name
        assert set(said) - set(defaults) <= {"observation_size", "action_low", "action_high", "target", "precision", "seed"}


def test_a_policy_is_taught_and_acts():
    """A policy learns what planning chose, tells so, and is copied with it."""
    def agent(**options):
        return agents.ContinuousAgent(2, [-1], [1], target=[0, 0], precision=[10, 0], members=2, hidden=[8], horizon=3,
                                      population=12, elites=3, iterations=2, random_steps=5, seed=1, **options)

    world = agents.point_mass(max_steps=12, seed=1)
    acting = agent(policy="policy", teaching_episodes=2, policy_hidden=[8], policy_batch=8)
    agents.run(acting, world, episodes=2)
    assert acting.last_chooser == "planning" and acting.times.policy_steps == 0
    again = copy.deepcopy(acting)
    shown = agents.run(acting, copy.deepcopy(world), episodes=1)
    np.testing.assert_array_equal(agents.run(again, copy.deepcopy(world), episodes=1).actions, shown.actions)
    assert acting.last_chooser == "policy" and acting.times.policy_steps == 12
    assert 0 < acting.times.policy_seconds and 19 == acting.times.planned_steps
    refused(gaia.ArgumentError, "planning, policy or mixed", lambda: agent(policy="habit"))


def test_a_policy_by_itself_has_the_likelihood_of_its_equation():
    policy = agents.StochasticActionModel(2, [-1, 0], [3, 1], hidden=[8], batch=16, dtype="float64", seed=2)
    random = np.random.default_rng(1)
    for state in random.normal(size=(40, 2)):
        policy.teach(state, [1 + np.tanh(state[0]), 0.5])
    losses = policy.train(200)
    assert losses.shape == (200,) and losses[-1] < losses[0]
    assert (policy.taught, policy.trained) == (40, 200)
    states = random.normal(size=(5, 2))
    actions = np.array([policy.sample(state) for state in states])
    mean, deviation = policy.predict(states)
    middle, half = np.array([1, 0.5]), np.array([2, 0.5])
    squashed = np.clip((actions - middle) / half, -0.99, 0.99)
    u = np.arctanh(squashed)
    expected = (-0.5 * ((u - mean) / deviation) ** 2 - np.log(deviation * half * (1 - squashed ** 2))
                - 0.5 * np.log(2 * np.pi)).sum(1)
    np.testing.assert_allclose(policy.log_prob(states, actions), expected, rtol=1e-10)
    np.testing.assert_allclose(policy.get_action(states[0]), middle + half * np.tanh(mean[0]), rtol=1e-10)
    assert policy.sample(states[0], 7).shape == (7, 2)
    again = pickle.loads(pickle.dumps(policy))
    np.testing.assert_array_equal(again.sample(states[1]), policy.sample(states[1]))
    assert not np.array_equal(policy.get_action(states[1], deterministic=False), policy.get_action(states[1]))


def test_options_arrive():
    """Each option changes what an agent does."""
    def shown(**options):
        world = agents.point_mass(max_steps=15, seed=1)
        agent = small_agent(world, **{"random_steps": 4, "training_interval": 6, "seed": 1, **options})
        made = agents.run(agent, world, episodes=1)
        return np.concatenate([made.actions.ravel(), [agent.last_training.loss, agent.last_plan.objective, agent.transitions]])

    usual = shown()
    np.testing.assert_array_equal(shown(), usual)
    for options in (dict(target=[0.5, 0]), dict(precision=[1, 1]), dict(members=3), dict(hidden=[8, 8]),
                    dict(mask_probability=0.5), dict(batch=16), dict(learning_rate=1e-2), dict(weight_decay=0.5),
                    dict(max_gradient_norm=0.1), dict(unread=[1]), dict(dtype="float64"), dict(horizon=4), dict(hold=2),
                    dict(population=20), dict(elites=3), dict(iterations=1), dict(first_deviation=0.5),
                    dict(least_deviation=0.5), dict(smoothing=0.5), dict(actions_per_plan=3), dict(use_preference=False),
                    dict(use_information_gain=False), dict(is_learning=False), dict(random_steps=8),
                    dict(training_interval=0), dict(training_ratio=1.0), dict(replay_capacity=5)):
        assert not np.array_equal(shown(**options), usual), options


@pytest.mark.parametrize("call, message", [
    (lambda: agents.ContinuousAgent(2, [-1], [1], target=[0], precision=[1, 1]), "target"),
    (lambda: agents.ContinuousAgent(2, [1], [-1], target=[0, 0], precision=[1, 1]), "bounds: expected"),
    (lambda: agents.ContinuousAgent([2, 3], [-1], [1], target=[0, 0], precision=[1, 1]), r"\[observation_size\]"),
    (lambda: agents.ContinuousAgent(2, [-1], [1], target=[0, 0], precision=[1, 1], members="five"), r"\[members\] expected"),
    (lambda: agents.ContinuousAgent(2, [-1], [1], target=[0, 0], precision=[1, 1], horizon=0), "horizon"),
    (lambda: agents.ContinuousAgent(2, [-1], [1], target=[0, 0], precision=[1, 1], seed=-1), r"\[seed\]"),
    (lambda: agents.ContinuousAgent.for_environment(3, target=[0], precision=[1]), "expected one whose action_space"),
    (lambda: small_agent(agents.point_mass()).step([1.0]), "observ"),
    (lambda: small_agent(agents.point_mass()).step([1.0, np.nan]), "observ"),
    (lambda: small_agent(agents.point_mass()).step([[1.0, 2.0]]), "along one axis"),
    (lambda: small_agent(agents.point_mass()).plan(), "observation"),
    (lambda: small_agent(agents.point_mass()).act(), "observation"),
    (lambda: small_agent(agents.point_mass()).set_state({}), "expected an array"),
    (lambda: agents.ContinuousWorld(), "which make worlds"),
    (lambda: agents.pendulum().step([0.0]), r"reset\(\) first"),
    (lambda: agents.pendulum(mass=0), "mass"),
    (lambda: agents.point_mass(dimensions=3), "dimensions"),
    (lambda: agents.mountain_car(max_steps="all"), r"\[max_steps\] expected a whole number"),
])
def test_errors_say_what_came(call, message):
    refused(gaia.ArgumentError, message, call)


def test_an_ensemble_is_networks_side_by_side():
    gaia.set_seed(3)
    net = gaia.nn.GaussianEnsemble(2, 3, members=4, hidden=[5, 6], least_log_variance=-4.0, most_log_variance=1.0,
                                   dtype="float64")
    p = {name: np.array(value.numpy()) for name, value in net.named_parameters()}
    x = np.random.default_rng(0).normal(size=(7, 2))
    mean, log_variance = (one.numpy() for one in net.predict(gaia.Tensor(x)))
    assert net.members == 4 and mean.shape == log_variance.shape == (4, 7, 3)

    def softplus(v):
        return np.log1p(np.exp(v))

    for member in range(4):
        h = x
        for layer in range(3):
            h = h @ p[f"weights.{layer}"][member].T + p[f"bias.{layer}"][member]
            h = h / (1 + np.exp(-h)) if layer < 2 else h
        a, b = p["least"][member], p["most"][member]
        s = b - softplus(b - h[:, 3:])
        np.testing.assert_allclose(mean[member], h[:, :3], atol=1e-12)
        np.testing.assert_allclose(log_variance[member], a + softplus(s - a), atol=1e-12)
    y, weights = np.random.default_rng(1).normal(size=(4, 7, 3)), np.array([[1, 1, 0, 1, 0, 1, 1.0]] * 3 + [[0.0] * 7])
    nats = 0.5 * ((y - mean) ** 2 / np.exp(log_variance) + log_variance).sum(axis=2)
    expected = (weights[:3] * nats[:3]).sum(axis=1) / weights[:3].sum(axis=1)  # the last member has no data
    width = 0.01 * (p["most"] - p["least"]).reshape(4, -1).sum(axis=1).mean()
    batch = gaia.Array(np.broadcast_to(x, (4, 7, 2)).copy()), gaia.Array(y), gaia.Array(weights)
    assert net.loss(*batch).item() == pytest.approx(expected.sum() / 4 + width, abs=1e-10)
    optimiser = gaia.nn.Optimiser(net.parameters(), "adam", learning_rate=0.01)
    losses = []
    for _ in range(200):
        loss = net.loss(*batch)
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < losses[0] - 1.0


# What follows needs Gymnasium, which the package itself does not.


@pytest.mark.parametrize("name, made, before", [("Pendulum-v1", agents.pendulum, "state"),
                                                ("MountainCarContinuous-v0", agents.mountain_car, "state")])
def test_worlds_are_those_of_gymnasium(name, made, before):
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make(name)
    env.reset(seed=1)
    world = made(seed=1)
    world.reset()
    env.unwrapped.state = world.variables.copy()
    draw = np.random.default_rng(1)
    for _ in range(100):
        action = draw.uniform(world.action_low, world.action_high)
        mine, theirs = world.step(action), env.step(action.astype(np.float64))
        # Gymnasium passes float32, and its car rounds the state too.
        np.testing.assert_allclose(mine[0], theirs[0], atol=2e-4)
        assert mine[1] == pytest.approx(theirs[1], abs=1e-3) and mine[2:4] == theirs[2:4]


def test_an_agent_acts_in_an_environment_of_gymnasium():
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("Pendulum-v1", max_episode_steps=20)
    agent = agents.ContinuousAgent.for_environment(env, target=[1, 0, 0], precision=[10, 0, 0.1], seed=1,
                                                   **{**SMALL, "random_steps": 10})
    shown = agents.run(agent, env, episodes=2, seed=3)
    assert shown.observations.shape == (40, 3) and shown.actions.shape == (40, 1) and agent.transitions == 40
    assert shown.truncated.all() and (np.abs(shown.actions) <= 2).all()
