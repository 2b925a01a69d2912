# SPDX-License-Identifier: MIT
"""Episodes of an agent in an environment with Gymnasium's conventions."""
from typing import NamedTuple

import numpy as np

from . import _agent_values as values, _intake
from ._worlds import DiscreteWorld
from .errors import ArgumentError


class Episodes(NamedTuple):
    """What happened in the episodes of a run.  All n steps stand one after another:

    episode, step       [n]: in which episode, at which of its steps, both from 0
    observations        [n, ...]: what the agent saw before it acted
    actions             [n, ...]: what it did then
    rewards             [n]: what was earned by that
    beliefs             for each factor [n, states]: what the agent held its states to be when it acted; empty where the
                        agent has none
    free_energy         [n], in nats; NaN where the agent has none
    recorded            a list of n values of `record`, or empty

    And for each episode:

    last_observations   [episodes, ...]: what was seen after the last action
    returns, lengths    [episodes]: the sum of its rewards, and its steps
    terminated, truncated   [episodes]: whether it ended by what happened, or was cut
    """

    episode: np.ndarray
    step: np.ndarray
    observations: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    beliefs: list[np.ndarray]
    free_energy: np.ndarray
    recorded: list
    last_observations: np.ndarray
    returns: np.ndarray
    lengths: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray


def run(agent, env, *, episodes=1, steps=None, seed=None, encode=None, decode=None, record=None) -> Episodes:
    """Lets an agent act in an environment, and learn as it does.

        shown = gaia.agents.run(agent, gymnasium.make("FrozenLake-v1"), episodes=100, seed=1)
        shown.returns

    agent      has `step(observation)`, which returns an action; at the end of each episode its
               `end_episode(observation)` is called with what was seen last, or its `reset()` where it has only that,
               which is called before the first one too
    env        has `reset()`, which returns (observation, info), and `step(action)`, which returns (observation, reward,
               terminated, truncated, info): an environment of Gymnasium's, a world of this module, or one of your own
    episodes   number of episodes
    steps      steps of an episode at most; None: until the environment ends it
    seed       seed of the first `reset`, as Gymnasium wants it; None: the environment's own
    encode     a function of (observation, reward) that gives what the agent sees; the reward is 0.0 after `reset`
    decode     a function of the agent's action that gives the environment's; without, an array is converted to the
               shape and dtype of `env.action_space`, where there is one
    record     a function of the agent, called after each of its steps, whose values are kept

    What agent, environment and `record` pass is kept as copies, whatever they do with it later.

    Raises ArgumentError for what has not these conventions, and what agent and environment raise.
    """
    if not callable(getattr(agent, "step", None)):
        raise ArgumentError(f"[agents.run] agent: expected one with step(observation), got {agent!r}")
    if steps is not None and values.whole_number(steps, "steps") < 1:
        raise ArgumentError(f"[agents.run] steps: expected 1 or more, or None, got {steps!r}")
    if values.whole_number(episodes, "episodes") < 1:
        raise ArgumentError(f"[agents.run] episodes: expected 1 or more, got {episodes!r}")
    if steps is None and isinstance(env, DiscreteWorld) and env.steps is None:
        raise ArgumentError("[agents.run] steps: expected a number, here or where the world was made, since this world ends "
                            "no trial by itself, got None")
    decode = decode or _fitted_to(env)
    rows = _Rows()
    if hasattr(agent, "reset"):
        agent.reset()  # it may stand in the midst of a trial of its own
    for number in range(episodes):
        observation = _reset(env, seed if number == 0 else None)
        reward, terminated, truncated, step = 0.0, False, False, 0
        while not (terminated or truncated):
            action = agent.step(observation if encode is None else encode(observation, reward))
            rows.add_agent(agent, record)
            rows.add_step(number, step, observation, action)
            observation, reward, terminated, truncated = _step(env, decode(action))
            rows.rewards.append(reward)
            step += 1
            truncated = truncated or (step == steps and not terminated)
        rows.add_end(observation, terminated, truncated, step)
        if hasattr(agent, "end_episode"):
            agent.end_episode(observation if encode is None else encode(observation, reward))
        elif hasattr(agent, "reset"):
            agent.reset()
    return rows.episodes()


def _reset(env, seed):
    made = env.reset() if seed is None else env.reset(seed=seed)
    if isinstance(made, tuple) and len(made) == 2 and isinstance(made[1], dict):
        return made[0]
    raise ArgumentError("[agents.run] env: expected reset() to return (observation, info), as Gymnasium's do, got "
                        f"{made!r}")


def _step(env, action):
    made = env.step(action)
    if isinstance(made, tuple) and len(made) == 5:
        observation, reward, terminated, truncated, _ = made
        return observation, float(reward), bool(terminated), bool(truncated)
    raise ArgumentError("[agents.run] env: expected step() to return (observation, reward, terminated, truncated, info), "
                        f"as Gymnasium's do, got {made!r}")


def _fitted_to(env):
    space = getattr(env, "action_space", None)
    shape, dtype = getattr(space, "shape", None), getattr(space, "dtype", None)
    if not shape:
        return lambda action: action
    return lambda action: np.asarray(action, dtype).reshape(shape)


class _Rows:
    """What is kept while a run goes on."""

    def __init__(self):
        self.numbers, self.steps, self.observations, self.actions, self.rewards = [], [], [], [], []
        self.beliefs, self.free_energy, self.recorded = [], [], []
        self.last, self.lengths, self.terminated, self.truncated = [], [], [], []

    def add_agent(self, agent, record):
        # Agents and environments may pass the same object every time, with other numbers in it.
        self.beliefs.append(_intake.kept(getattr(agent, "beliefs", ())))
        self.free_energy.append(getattr(agent, "free_energy", np.nan))
        if record is not None:
            self.recorded.append(_intake.kept(record(agent)))

    def add_step(self, number, step, observation, action):
        self.numbers.append(number)
        self.steps.append(step)
        self.observations.append(_intake.kept(observation))
        self.actions.append(_intake.kept(action))

    def add_end(self, observation, terminated, truncated, length):
        self.last.append(_intake.kept(observation))
        self.terminated.append(terminated)
        self.truncated.append(truncated)
        self.lengths.append(length)

    def episodes(self):
        rewards = np.array(self.rewards)
        ends = np.cumsum(self.lengths)
        return Episodes(
            np.array(self.numbers), np.array(self.steps), _stacked(self.observations), _stacked(self.actions), rewards,
            [np.stack(factor) for factor in zip(*self.beliefs)], np.array(self.free_energy, np.float64), self.recorded,
            _stacked(self.last), np.array([part.sum() for part in np.split(rewards, ends[:-1])]), np.array(self.lengths),
            np.array(self.terminated), np.array(self.truncated))


def _stacked(rows):
    """One array; of objects where their shapes differ, or where they are no numbers."""
    try:
        made = np.array(rows)
    except ValueError:
        made = None
    if made is None or made.dtype.kind not in "biufc":
        made = np.empty(len(rows), object)
        for place, row in enumerate(rows):
            made[place] = row
    return made
