# SPDX-License-Identifier: MIT
"""Agents and worlds of real numbers."""
import copy
import math
import typing
from typing import NamedTuple

import numpy as np

from . import _agent_values as values, _gaia, _intake
from .errors import ArgumentError


class ChoiceTimes(NamedTuple):
    """Times that choosing took on the clock, by planning and by the policy.

    planning_seconds, policy_seconds   seconds in all
    planned_steps, policy_steps        steps that took them
    """
    planning_seconds: float
    planned_steps: int
    policy_seconds: float
    policy_steps: int


class ContinuousPlan(NamedTuple):
    """Free energy that a plan is expected to have, in nats, summed over the steps of the horizon:
    expected_free_energy = risk + ambiguity = cross_entropy - information_gain.

    actions             [horizon, actions]
    observations        [steps, observations]: expected after each step
    risk                KL[Q(o) from P(o)]: outcomes expected, from those preferred
    ambiguity           the mean over members of the noise that they expect
    cross_entropy       -E[ln P(o)]
    information_gain    information that outcomes give about the members
    expected_free_energy   G
    objective           number that planning minimised: G, without what the options leave out
    """

    actions: np.ndarray
    observations: np.ndarray
    risk: float
    ambiguity: float
    cross_entropy: float
    information_gain: float
    expected_free_energy: float
    objective: float


class Training(NamedTuple):
    """The figures of the last training.

    steps           steps of gradient descent
    loss            its mean over the last tenth of the steps, in nats
    gradient_norm   the largest before clipping
    """

    steps: int
    loss: float
    gradient_norm: float


class _Learner:
    """What an agent and a policy have in common: a core, and how it was built, by which it is copied and pickled."""

    def _build(self, given, **changed):
        """Builds the core of the arguments of a constructor, as its locals() are, some of them changed."""
        sizes = dict(observations=values.whole_number(given["observation_size"], "observation_size"),
                     low=values.vector(given["action_low"], "action_low"),
                     high=values.vector(given["action_high"], "action_high"))
        options = {name: value for name, value in given.items()
                   if name not in ("self", "observation_size", "action_low", "action_high", "seed")}
        options |= dict(hidden=values.whole_numbers(given["hidden"], "hidden"),
                        unread=values.whole_numbers(given["unread"], "unread"), dtype=str(np.dtype(given["dtype"])), **changed)
        self._made_with = sizes, options
        self._core = self._Core(**sizes, options=options, seed=values.seed(given["seed"]), stream=None)

    def __getstate__(self):
        attributes = {name: value for name, value in vars(self).items() if name not in ("_made_with", "_core")}
        return {"made_with": self._made_with, "stream": self._core.stream, "state": self._core.state(),
                "attributes": attributes}  # what a subclass, or anyone who has the agent, has added

    def __setstate__(self, kept):
        self._made_with = kept["made_with"]
        sizes, options = self._made_with
        self._core = self._Core(**sizes, options=options, seed=None, stream=kept["stream"])
        self._core.set_state(kept["state"])
        vars(self).update(kept.get("attributes", {}))

    def _array(self, given, what):
        return _gaia.Array(values.table(given, what).astype(self._made_with[1]["dtype"]))

    def state(self) -> dict[str, np.ndarray]:
        """All from which it goes on bit for bit, in one built alike: copies of arrays by their names."""
        return self._core.state()

    def set_state(self, state) -> None:
        """Goes on from what `state` was.

        Raises ArgumentError for an array that is missing, ShapeError for one of another shape; nothing has changed then.
        """
        self._core.set_state({name: np.asarray(_intake.plain(value)) for name, value in state.items()})


class ContinuousAgent(_Learner):
    """An agent of active inference in a world of real numbers: it learns a model of the world, an ensemble of Gaussian
    networks, from what it sees, and takes the actions whose expected free energy under that model is least.

        world = gaia.agents.pendulum(seed=1)
        agent = gaia.agents.ContinuousAgent(3, [-2.0], [2.0], target=[1, 0, 0], precision=[10, 0, 0.1], seed=1)
        gaia.agents.run(agent, world, episodes=10).returns

    observation_size        number of numbers that an observation has
    action_low, action_high   bounds of each number of an action
    target, precision       the normal distribution of observations that is preferred: its mean, and one over the variance
                            of each number, 0 where it does not matter
    members, hidden         networks of the ensemble, and units of each hidden layer
    mask_probability        probability that a member learns from a transition
    batch, learning_rate, weight_decay, max_gradient_norm   settings of its training by AdamW
    unread                  places of observations that the model does not read, such as the reward of the last step
    dtype                   "float32" or "float64"
    horizon, hold           actions of a plan, and steps for which each is held
    population, elites, iterations, first_deviation, least_deviation, smoothing   settings of the planning by the
                            cross-entropy method
    actions_per_plan        actions of a plan that are done before there is another
    use_preference, use_information_gain   parts of G that count
    is_learning             without, the model stays as it began
    random_steps            steps at the beginning whose actions are drawn evenly
    training_interval       trains every so many transitions too; 0: only where an episode ends
    training_ratio          steps of training for each transition that has come
    replay_capacity         transitions that are kept
    policy                  None, or who acts once a policy was taught what planning chooses: "planning", the "policy"
                            alone, which then plans and learns no more, or both by turns, "mixed"
    teaching_episodes       episodes in which the policy does not act
    plan_every              mixed: planning chooses each such action
    policy_is_sampled       the policy's actions are drawn; else the middle of its distribution is taken
    policy_starts_search    a search begins with what the policy would do
    policy_hidden, policy_batch, policy_lr, policy_training_ratio, policy_capacity   settings of its network and its
                            training
    seed                    seed of all that is drawn; None: another one for every agent

    docs/agents_continuous.md tells more.  Agents are copied and pickled with all that they have learnt.

    Raises ArgumentError for options that are out of their range or do not fit the sizes.
    """

    _Core = _gaia._ContinuousAgent

    def __init__(self, observation_size, action_low, action_high, *, target, precision, members=5, hidden=(64, 64),
                 mask_probability=0.8, batch=128, learning_rate=1e-3, weight_decay=1e-4, max_gradient_norm=1.0, unread=(),
                 dtype="float32", horizon=15, hold=1, population=150, elites=15, iterations=4, first_deviation=1.0,
                 least_deviation=0.05, smoothing=0.1, actions_per_plan=1, use_preference=True, use_information_gain=True,
                 is_learning=True, random_steps=200, training_interval=0, training_ratio=2.0, replay_capacity=100_000,
                 policy=None, teaching_episodes=10, plan_every=5, policy_is_sampled=False, policy_starts_search=False,
                 policy_training_ratio=20.0, policy_hidden=(64, 64), policy_batch=128, policy_lr=1e-3,
                 policy_capacity=100_000, seed=None) -> None:
        self._build(locals(), target=values.vector(target, "target"), precision=values.vector(precision, "precision"),
                    policy="none" if policy is None else policy,
                    policy_hidden=values.whole_numbers(policy_hidden, "policy_hidden"))

    @classmethod
    def for_environment(cls, env, **options) -> "ContinuousAgent":
        """An agent with the sizes and bounds of an environment, a world of this module or one with Gymnasium's spaces.

        Raises ArgumentError for an environment whose actions have no bounds.
        """
        if isinstance(env, ContinuousWorld):
            return cls(env.observation_size, env.action_low, env.action_high, **options)
        actions, seen = getattr(env, "action_space", None), getattr(env, "observation_space", None)
        if not hasattr(actions, "low") or not getattr(seen, "shape", None):
            raise ArgumentError("[for_environment] env: expected one whose action_space and observation_space are boxes, "
                                f"got {actions!r} and {seen!r}")
        return cls(math.prod(seen.shape), np.ravel(actions.low), np.ravel(actions.high), **options)

    def __repr__(self):
        sizes, options = self._made_with
        return (f"<gaia.agents.ContinuousAgent observations {sizes['observations']}, actions {len(sizes['low'])}, "
                f"members {options['members']}, {self.steps} steps>")

    # What it does

    def step(self, observation) -> np.ndarray:
        """Keeps the transition, learns where it is time, plans, and returns an action within the bounds, [actions].

        Raises ArgumentError for an observation of another size or that is not finite.
        """
        return self._core.step(values.vector(observation, "observation"))

    def observe(self, observation) -> None:
        """Keeps the transition from the last observation by the action since.

        Raises ArgumentError for an observation of another size or that is not finite, and where no action was chosen
        since the last one.
        """
        self._core.observe(values.vector(observation, "observation"))

    def learn(self) -> Training:
        """Trains the model by what has come since the last training."""
        return Training(*self._core.learn())

    def plan(self) -> ContinuousPlan:
        """Searches for the best plan from the last observation on; changes nothing but the plan.

        Raises ArgumentError without an observation.
        """
        return ContinuousPlan(*self._core.plan())

    def act(self) -> np.ndarray:
        """The next action: of the plan, or drawn evenly in the first `random_steps`.

        Raises ArgumentError without a plan that goes on.
        """
        return self._core.act()

    def take(self, action) -> None:
        """Reports that this action was taken, by anyone who chose it.

        Raises ArgumentError for an action of another size or that is not finite.
        """
        self._core.take(values.vector(action, "action"))

    def end_episode(self, last_observation) -> None:
        """Ends an episode with what was seen last: keeps its last transition, and trains.

        Raises ArgumentError as `observe` does.
        """
        self._core.end_episode(values.vector(last_observation, "observation"))

    def reset(self) -> None:
        """Ends an episode without another observation or training: the next one follows nothing."""
        self._core.reset()

    # What it has learnt

    def predict(self, observations, actions) -> tuple[np.ndarray, np.ndarray]:
        """What each member expects to be observed next, from observations [n, observations] and actions [n, actions]:
        means and logarithms of variances, [members, n, observations].

        Raises ShapeError for other shapes.
        """
        return self._core.predict(self._array(observations, "observations"), self._array(actions, "actions"))

    @property
    def last_plan(self) -> ContinuousPlan:
        """What the last planning has found; arrays of length 0 before."""
        return ContinuousPlan(*self._core.last_plan)

    @property
    def last_training(self) -> Training:
        """The figures of the last training."""
        return Training(*self._core.last_training)

    @property
    def last_chooser(self) -> str:
        """Who chose the last action: "chance", "planning", the "policy", or "other" where `take` reported it."""
        return ("chance", "planning", "policy", "other")[self._core.last_chooser]

    @property
    def times(self) -> ChoiceTimes:
        """What choosing took since the agent was built."""
        return ChoiceTimes(*self._core.times)

    @property
    def steps(self) -> int:
        """Actions taken so far."""
        return self._core.steps

    @property
    def episodes(self) -> int:
        """Episodes that have ended."""
        return self._core.episodes

    @property
    def transitions(self) -> int:
        """Transitions that are kept."""
        return self._core.transitions


class StochasticActionModel(_Learner):
    """A policy that learns which actions another chose: a network that gives a normal distribution, squashed to the bounds.

        a = c + h tanh(u),  u ~ N(m(s), sigma(s)^2), with c the middle of the bounds and h half their width
        ln pi(a | s) = sum over dimensions of [-1/2 ((u - m) / sigma)^2 - ln sigma - 1/2 ln 2 pi - ln h - ln(1 - tanh(u)^2)]

    `train` makes the mean of -ln pi small over batches of what was taught.  Actions beyond 0.99 of half the width are taken
    to be there, since u is infinite at a bound.

        policy = gaia.agents.StochasticActionModel(2, [-1], [1], seed=1)
        for state in np.random.default_rng(1).normal(size=(200, 2)):
            policy.teach(state, [np.tanh(state[0])])
        policy.train(500)
        policy.get_action([0.5, 0.0])

    observation_size          number of numbers that an observation has
    action_low, action_high   bounds of each number of an action
    hidden                    units of each hidden layer
    batch, policy_lr, weight_decay, max_gradient_norm   settings of its training by AdamW
    capacity                  choices that are kept to learn from; beyond, the oldest go
    unread                    places of observations that it does not read
    dtype                     "float32" or "float64"
    seed                      seed of all that is drawn; None: another one for every policy

    Haarnoja et al. 2018, "Soft actor-critic", ICML, appendix C.  Policies are copied and pickled with all that they have
    learnt.

    Raises ArgumentError for options that are out of their range.
    """

    _Core = _gaia._StochasticActionModel

    def __init__(self, observation_size, action_low, action_high, *, hidden=(64, 64), batch=128, policy_lr=1e-3,
                 weight_decay=1e-4, max_gradient_norm=1.0, capacity=100_000, unread=(), dtype="float32", seed=None) -> None:
        self._build(locals())

    def __repr__(self):
        sizes = self._made_with[0]
        return (f"<gaia.agents.StochasticActionModel observations {sizes['observations']}, actions {len(sizes['low'])}, "
                f"{self.taught} choices taught>")

    def teach(self, observation, action) -> None:
        """Keeps what was chosen after an observation.

        Raises ArgumentError for other sizes and for numbers that are not finite.
        """
        self._core.teach(values.vector(observation, "observation"), values.vector(action, "action"))

    def train(self, steps) -> np.ndarray:
        """So many steps of gradient descent; returns the loss of each, [steps], in nats up to a constant.

        Raises ArgumentError where nothing was taught.
        """
        return self._core.train(values.whole_number(steps, "steps"))[0]

    def get_action(self, observation, deterministic=True) -> np.ndarray:
        """The action in the middle of the distribution, [actions]; with `deterministic=False` one that is drawn.

        Raises ArgumentError for an observation of another size or that is not finite.
        """
        return (self._core.get_action if deterministic else self._core.sample)(values.vector(observation, "observation"))

    def sample(self, observation, count=None) -> np.ndarray:
        """An action that is drawn, [actions], or `count` of them, [count, actions].

        Raises ArgumentError as `get_action` does.
        """
        if count is None:
            return self.get_action(observation, deterministic=False)
        drawn = [self.get_action(observation, deterministic=False) for _ in range(values.whole_number(count, "count"))]
        return np.array(drawn).reshape(len(drawn), len(self._made_with[0]["low"]))

    def predict(self, observations) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of u after observations [n, observations]: [n, actions] each.

        Raises ShapeError for another shape.
        """
        return self._core.predict(self._array(observations, "observations"))

    def log_prob(self, observations, actions) -> np.ndarray:
        """ln pi of actions [n, actions] after observations [n, observations], in nats: [n].

        Raises ShapeError for other shapes.
        """
        return self._core.log_prob(self._array(observations, "observations"),
                                   _gaia.Array(values.table(actions, "actions").astype("float64")))

    @property
    def taught(self) -> int:
        """Choices that ever came."""
        return self._core.taught

    @property
    def trained(self) -> int:
        """Steps of gradient descent that it has taken."""
        return self._core.trained


class ContinuousWorld:
    """A world whose observations and actions are real numbers, with Gymnasium's conventions; `pendulum`, `point_mass` and
    `mountain_car` make some.

        world = gaia.agents.pendulum(seed=1)
        observation, info = world.reset()
        observation, reward, terminated, truncated, info = world.step([0.5])
    """

    def __init__(self) -> None:
        raise ArgumentError("[ContinuousWorld] expected pendulum(), point_mass() or mountain_car(), which make worlds")

    @classmethod
    def _of(cls, core):
        made = cls.__new__(cls)
        made._core = core
        made._told = core.describe()
        return made

    def __deepcopy__(self, memo):
        return self._of(self._core.clone())

    __copy__ = copy.deepcopy

    def __repr__(self):
        return f"<gaia.agents.ContinuousWorld {self._told['name']}>"

    @property
    def observation_size(self) -> int:
        """The number of numbers that an observation has."""
        return len(self.observation_names)

    @property
    def action_size(self) -> int:
        """The number of numbers that an action has."""
        return len(self.action_names)

    @property
    def observation_names(self) -> tuple[str, ...]:
        """The name of each number of an observation."""
        return self._told["observation_names"]

    @property
    def action_names(self) -> tuple[str, ...]:
        """The name of each number of an action."""
        return self._told["action_names"]

    @property
    def action_low(self) -> np.ndarray:
        """The least that each number of an action may be."""
        return self._told["action_low"].copy()

    @property
    def action_high(self) -> np.ndarray:
        """The most that each number of an action may be."""
        return self._told["action_high"].copy()

    @property
    def max_steps(self) -> int:
        """Steps of an episode, after which it is truncated."""
        return self._told["max_steps"]

    @property
    def variables(self) -> np.ndarray:
        """What it remembers from one step to the next; of length 0 before the first `reset`."""
        return self._core.variables

    def reset(self, *, seed=None, options=None) -> "typing.Any":
        """Draws another beginning: returns (observation, info).

        seed      begins again with the numbers of a seed; None: goes on with those there are
        options   for Gymnasium's sake; a world has none
        """
        return (self._core.reset() if seed is None else self._core.reset(values.seed(seed))), {}

    def step(self, action) -> "typing.Any":
        """Returns (observation, reward, terminated, truncated, info) of an action, [actions].

        Raises ArgumentError for an action of another size or that is not finite, before the first `reset`, and when the
        episode is over.
        """
        return (*self._core.step(values.vector(action, "action")), {})


def pendulum(*, gravity=10.0, mass=1.0, length=1.0, time_step=0.05, max_speed=8.0, max_torque=2.0, start_angle=math.pi,
             start_speed=1.0, max_steps=200, seed=None) -> ContinuousWorld:
    """A pendulum that has to be swung up, with a motor too weak to lift it: that of Gymnasium's Pendulum-v1, in float64.

    Observations are the cosine and the sine of the angle from the upright and its speed, in radians per second; the
    action is a torque.

    start_angle, start_speed   the beginning is drawn evenly from angles and speeds up to these, of either sign
    max_steps                  steps of an episode at most
    seed                       seed of what is drawn; None: another one for every world

    Raises ArgumentError for an option out of its range.
    """
    return ContinuousWorld._of(_gaia._pendulum(locals(), values.seed(seed)))


def point_mass(*, dimensions=1, mass=1.0, damping=0.1, time_step=0.1, max_force=1.0, start=1.0, max_steps=100,
               seed=None) -> ContinuousWorld:
    """A mass on a line, or in a plane (dimensions 2), that a force moves and friction slows down.

    Observations are the positions, then the speeds; actions a force for each axis; the reward is minus the sum of
    x^2 + 0.1 u^2.

    start       positions are drawn evenly from [-start, start], at rest
    max_steps   steps of an episode at most
    seed        seed of what is drawn; None: another one for every world

    Raises ArgumentError for an option out of its range.
    """
    return ContinuousWorld._of(_gaia._point_mass(locals(), values.seed(seed)))


def mountain_car(*, power=0.0015, goal=0.45, goal_speed=0.0, start_low=-0.6, start_high=-0.4, max_steps=999,
                 seed=None) -> ContinuousWorld:
    """A car in a valley whose motor is too weak to climb the hill to the right at once: that of Gymnasium's
    MountainCarContinuous-v0, in float64.

    Observations are its place and its speed; the action is a force in [-1, 1].  It ends at the goal.

    start_low, start_high   bounds of the place at the beginning, which is drawn between them, at rest
    max_steps               steps of an episode at most
    seed                    seed of what is drawn; None: another one for every world

    Raises ArgumentError for an option out of its range.
    """
    return ContinuousWorld._of(_gaia._mountain_car(locals(), values.seed(seed)))
