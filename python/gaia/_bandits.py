# SPDX-License-Identifier: MIT
"""Choices between arms that pay, and between forecasts whose losses are all seen."""
import copy
import numbers
import typing

import numpy as np

from . import _agent_values as values, _gaia
from .errors import ArgumentError


def _number(given, what):
    if not isinstance(given, (numbers.Real, np.bool_)):
        raise ArgumentError(f"[{what}] expected a number, got {given!r}")
    return float(given)


class _Choice:
    """What all of them have: copies, pickles, and their state."""

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update({name: value for name, value in vars(self).items() if name != "_core"})
        made._core = self._core.clone()
        return made

    __copy__ = copy.deepcopy

    def __getstate__(self):
        return {**{name: value for name, value in vars(self).items() if name != "_core"}, "state": self.state()}

    def __setstate__(self, saved):
        state = saved.pop("state")
        self.__dict__.update(saved)
        self._core = self._make()
        self.set_state(state)

    def state(self) -> dict:
        """All that it goes on from, as arrays by name."""
        return self._core.state()

    def set_state(self, state):
        """Takes back what `state` gave, in one that was built alike.

        Raises ArgumentError for what is not the state of such a one.
        """
        if not isinstance(state, dict):
            raise ArgumentError(f"[set_state] expected a dict as state() gives it, got {state!r}")
        self._core.set_state({str(name): values.table(one, name) for name, one in state.items()})


class _Bandit(_Choice):
    @property
    def arms(self) -> int:
        """The number of arms."""
        return self._core.arms

    def choose(self) -> int:
        """The arm to play now, from 0."""
        return self._core.choose()

    def learn(self, arm, reward):
        """Takes in what an arm has paid.

        arm      number of the arm, from 0; it need not be the one that was chosen
        reward   number in [0, 1]

        Raises ArgumentError for an arm that there is not, and a reward outside [0, 1].
        """
        self._core.learn(values.whole_number(arm, "arm"), _number(reward, "reward"))


class UCB1(_Bandit):
    """Plays every arm once, then the one whose mean reward could be highest: mean_i + sqrt(2 ln n / n_i), with n_i plays
    of arm i and n of all (Auer, Cesa-Bianchi & Fischer 2002, Machine Learning 47).

        bandit = gaia.agents.UCB1(arms=3)
        arm = bandit.choose()
        bandit.learn(arm, reward)

    After n plays its expected regret is at most the sum over the worse arms of 8 ln n / gap + (1 + pi^2/3) gap, where gap
    is how much less an arm pays on average than the best.

    arms   number of arms

    Raises ArgumentError for less than one arm.
    """

    def __init__(self, arms) -> None:
        self._arms = values.whole_number(arms, "arms")
        self._core = self._make()

    def _make(self):
        return _gaia._UCB1(self._arms)

    def __repr__(self):
        return f"<gaia.agents.UCB1 of {self.arms} arms>"


class ThompsonSampling(_Bandit):
    """Draws a probability of a win for each arm from Beta(prior_wins + wins, prior_losses + losses), and plays the arm
    whose is highest (Thompson 1933, Biometrika 25).  A reward in [0, 1] is a win with that probability, else a loss
    (Agrawal & Goyal 2012, COLT).

        bandit = gaia.agents.ThompsonSampling(arms=3, seed=1)
        arm = bandit.choose()
        bandit.learn(arm, reward)

    arms                       number of arms
    prior_wins, prior_losses   wins and losses of each arm that are believed in before anything is seen, above 0
    seed                       seed of what is drawn; None: another one for every bandit

    Raises ArgumentError for less than one arm, and priors that are not above 0.
    """

    def __init__(self, arms, *, prior_wins=1.0, prior_losses=1.0, seed=None) -> None:
        self._options = (values.whole_number(arms, "arms"), _number(prior_wins, "prior_wins"),
                         _number(prior_losses, "prior_losses"))
        self._core = _gaia._ThompsonSampling(*self._options, values.seed(seed), None)
        self._stream = self._core.stream

    def _make(self):
        return _gaia._ThompsonSampling(*self._options, None, self._stream)

    def __repr__(self):
        return f"<gaia.agents.ThompsonSampling of {self.arms} arms>"


class FixedShare(_Choice):
    """Weights of experts whose losses are all seen, that follow the best one where that changes (Herbster & Warmuth 1998,
    Machine Learning 32).  They are 1/n each at the start, and each loss moves them twice:

        v_i = w_i exp(-rate loss_i) / sum over j of w_j exp(-rate loss_j)
        w_i = (1 - share) v_i + share/(n - 1) * sum over j other than i of v_j

        shares = gaia.agents.FixedShare(3, rate=2, share=0.001)
        forecast = shares.weights @ forecasts
        shares.learn((forecasts - target) ** 2)

    experts   n, the number of experts
    rate      rate at which weights fall with losses, above 0
    share     share of its weight that an expert gives to the others after each loss, from 0 to 1: at best how often the
              best one changes per step; 0: never

    Raises ArgumentError for less than one expert, and options out of their range.
    """

    def __init__(self, experts, *, rate=0.5, share=0.001) -> None:
        self._options = (values.whole_number(experts, "experts"), _number(rate, "rate"), _number(share, "share"))
        self._core = self._make()

    def _make(self):
        return _gaia._FixedShare(*self._options)

    def __repr__(self):
        return f"<gaia.agents.FixedShare of {self.experts} experts, rate {self._options[1]}, share {self._options[2]}>"

    @property
    def experts(self) -> int:
        """The number of experts."""
        return self._core.experts

    @property
    def weights(self) -> "typing.Any":
        """[experts], summing to 1: how much to believe in each at the next step."""
        return self._core.weights

    def learn(self, losses) -> None:
        """Takes in what this step has cost each expert.

        losses   [experts], finite

        Raises ArgumentError unless there is a finite loss for each.
        """
        self._core.learn(values.vector(losses, "losses"))
