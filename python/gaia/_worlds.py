# SPDX-License-Identifier: MIT
"""Worlds of discrete states, with Gymnasium's conventions."""
import copy
import typing

from . import _agent_values as values, _gaia
from ._discrete_model import GenerativeModel, core_of
from .errors import ArgumentError


class DiscreteWorld:
    """A world whose states change and whose outcomes are drawn as a model's tables say.

        world = DiscreteWorld(model, steps=10, seed=1)
        observation, info = world.reset()
        observation, reward, terminated, truncated, info = world.step(action)

    model   a GenerativeModel
    steps   steps of a trial, after which it is truncated; None: it goes on
    seed    seed of what is drawn; None: another one for every world

    The reward of a step is how much the outcomes are preferred, the sum over modalities of the model's `preferences`.
    `info["state"]` has the true state of each factor, which an agent does not see.
    """

    def __init__(self, model, *, steps=None, seed=None) -> None:
        self._begin(_gaia._DiscreteWorld(core_of(model, "DiscreteWorld"), values.seed(seed)), steps)

    @classmethod
    def _of(cls, core, steps):
        made = cls.__new__(cls)
        made._begin(core, steps)
        return made

    def _begin(self, core, steps):
        if steps is not None and values.whole_number(steps, "steps") < 1:
            raise ArgumentError(f"[DiscreteWorld] steps: expected 1 or more, or None, got {steps!r}")
        self._core = core
        self._model = GenerativeModel._of(core.model)
        self._actions = self._model._core.actions
        self._preferences = [one.tolist() for one in self._model.preferences]
        self._steps = steps
        self._step = 0

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update({name: copy.deepcopy(value, memo) for name, value in vars(self).items() if name != "_core"})
        made._core = self._core.clone()
        return made

    __copy__ = copy.deepcopy

    def __repr__(self):
        return f"<gaia.agents.DiscreteWorld {self._model!r}, steps {self._steps}>"

    @property
    def model(self) -> GenerativeModel:
        """The tables that it draws from, which an agent may be given as its model."""
        return self._model

    @property
    def steps(self) -> "typing.Any":
        """Steps of a trial, after which it is truncated; None where it goes on."""
        return self._steps

    @property
    def state(self) -> tuple[int, ...]:
        """The true state of each factor; empty before the first `reset`."""
        return tuple(self._core.state)

    def reset(self, *, seed=None, options=None) -> "typing.Any":
        """Draws the states of another trial, and outcomes there: returns (observation, info).

        seed      begins again with the numbers of a seed; None: goes on with those there are
        options   for Gymnasium's sake; a world has none
        """
        self._step = 0
        observation = self._core.reset() if seed is None else self._core.reset(values.seed(seed))
        return values.shown_outcomes(observation), {"state": self.state}

    def step(self, action) -> "typing.Any":
        """Draws the next states under an action, and outcomes there.

        action   action of controlled factors, or of all: a number where there is one, else one for each

        Returns (observation, reward, terminated, truncated, info).

        Raises ArgumentError for an action that does not fit, and before the first `reset`.
        """
        observation = self._core.step(values.full_action(action, self._actions))
        self._step += 1
        reward = float(sum(of[outcome] for of, outcome in zip(self._preferences, observation)))
        is_cut = self._steps is not None and self._step >= self._steps
        return values.shown_outcomes(observation), reward, False, is_cut, {"state": self.state}


def t_maze(*, win_probability=0.98, cue_probability=1.0, win=3.0, loss=-3.0, arms_are_final=True, steps=None,
           seed=None) -> DiscreteWorld:
    """A maze of four places: centre 0, left arm 1, right arm 2, and a cue 3.  One of the arms has a reward, in the other
    something bad happens; the cue tells which.

    Factors are the place (4; the action is where to go) and the side of the reward (left 0, right 1); modalities the
    place (4), the reward (nothing 0, win 1, loss 2) and the cue (none 0, left 1, right 2).

    win_probability   probability of a win in the right arm, and of a loss in the other
    cue_probability   probability that the cue tells the truth
    win, loss         preferences for them over nothing, in nats
    arms_are_final    nobody leaves an arm
    steps, seed       as DiscreteWorld has them

    Raises ArgumentError for a probability that is none.
    """
    return DiscreteWorld._of(_gaia._t_maze(locals(), values.seed(seed)), steps)


def two_armed_bandit(*, better=0.8, worse=0.2, change=0.0, win=2.0, loss=-2.0, steps=None, seed=None) -> DiscreteWorld:
    """Two arms, one of which pays more often.

    Factors are what is done (nothing 0, left arm 1, right arm 2; the action) and the better arm (left 0, right 1);
    modalities the pay (nothing 0, win 1, loss 2) and what is done (3).

    better, worse   probabilities of a win
    change          probability that the arms change places, at every step
    win, loss       preferences for them over nothing, in nats
    steps, seed     as DiscreteWorld has them

    Raises ArgumentError for a probability that is none.
    """
    return DiscreteWorld._of(_gaia._two_armed_bandit(locals(), values.seed(seed)), steps)


def bernoulli_bandit(probabilities=(0.7, 0.5, 0.4), *, win=1.0, loss=0.0, steps=None, seed=None) -> DiscreteWorld:
    """Arms each of which wins with a probability of its own, that never changes.

    The factor is the arm (none yet 0, then each arm from 1 on; the action is the arm to play, from 0), the modality the
    pay (nothing 0, win 1, loss 2).

    probabilities   probability of a win for each arm
    win, loss       preferences for them over nothing, in nats
    steps, seed     as DiscreteWorld has them

    Raises ArgumentError for a probability that is none, and without an arm; DTypeError for what are no numbers.
    """
    probabilities = values.vector(probabilities, "probabilities")
    return DiscreteWorld._of(_gaia._bernoulli_bandit(locals(), values.seed(seed)), steps)


def grid_world(*, rows=4, columns=4, walls=(), start=0, goal=None, preference=4.0, is_graded=True, slip=0.0, accuracy=1.0,
               steps=None, seed=None) -> DiscreteWorld:
    """A grid with walls, of at most 1024 cells.  The state is the cell, row * columns + column, the outcome the cell that
    is seen; actions are up 0, right 1, down 2, left 3, stay 4.

    walls         cells that cannot be entered
    start, goal   cells; goal None: the last one
    preference    preference for the goal over the cell furthest off, in nats
    is_graded     preferences fall evenly with the steps to the goal; else all cells but it are equal
    slip          probability that a move does not happen
    accuracy      probability that the cell is seen, and not one of its neighbours
    steps, seed   as DiscreteWorld has them

    Raises ArgumentError for an option out of its range.
    """
    walls, goal = list(walls), -1 if goal is None else goal
    return DiscreteWorld._of(_gaia._grid_world(locals(), values.seed(seed)), steps)
