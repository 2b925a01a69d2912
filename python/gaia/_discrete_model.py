# SPDX-License-Identifier: MIT
"""Models over discrete states, and what is reported of beliefs and plans."""
from typing import NamedTuple

import numpy as np

from . import _agent_values as values, _gaia
from .errors import ArgumentError


class GenerativeModel:
    """What an agent believes about its world: factors of hidden states, and modalities of outcomes.

        model = GenerativeModel(
            likelihoods=[np.array([[0.9, 0.1], [0.1, 0.9]])],              # P(outcome | state)
            transitions=[np.stack([np.eye(2), np.eye(2)[::-1]], axis=2)],  # action 0 stays, action 1 changes
            preferences=[[0.0, 2.0]])

    likelihoods   A: for each modality P(outcome | states), [outcomes, states of the first factor, ...]
    transitions   B: for each factor P(next state | state, action), [states, states, actions]; a factor with one action
                  is not controlled
    preferences   C: for each modality how much each outcome is preferred, in nats, up to a constant; None: not at all
    initial       D: for each factor the probabilities of its states at the beginning of a trial; None: all equal
    habits        E: the prior probability of each policy; None: all equal
    depends_on    for each modality the factors that it depends on, whose axes alone its table has; None: all

    An array in the place of a list is that of the only modality or factor.  `normalised` makes probabilities of counts.
    A model does not change; that of an agent which learns is another one after each step.

    Raises ArgumentError for tables that do not fit each other or are no probabilities.
    """

    def __init__(self, likelihoods, transitions, preferences=None, initial=None, habits=None, *, depends_on=None):
        self._core = _gaia._GenerativeModel(
            values.tables(likelihoods, "likelihoods"), values.tables(transitions, "transitions"),
            values.vectors(preferences, "preferences"), values.vectors(initial, "initial"),
            [] if habits is None else values.vector(habits, "habits"),
            [] if depends_on is None else [values.whole_numbers(factors, f"depends_on[{m}]")
                                           for m, factors in enumerate(depends_on)])

    @classmethod
    def _of(cls, core):
        made = cls.__new__(cls)
        made._core = core
        return made

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _model_of, (self.likelihoods, self.transitions, self.preferences, self.initial, self.habits,
                           self.depends_on)

    def __repr__(self):
        return (f"<gaia.agents.GenerativeModel states {self.states}, actions {self.actions}, "
                f"outcomes {self.outcomes}>")

    @property
    def states(self) -> tuple[int, ...]:
        """The number of states that each factor has."""
        return tuple(self._core.states)

    @property
    def actions(self) -> tuple[int, ...]:
        """The number of actions that each factor has; 1 where it is not controlled."""
        return tuple(self._core.actions)

    @property
    def outcomes(self) -> tuple[int, ...]:
        """The number of outcomes that each modality has."""
        return tuple(self._core.outcomes)

    @property
    def likelihoods(self) -> list[np.ndarray]:
        """A, copies: for each modality P(outcome | states)."""
        return self._core.likelihoods

    @property
    def transitions(self) -> list[np.ndarray]:
        """B, copies: for each factor P(next state | state, action)."""
        return self._core.transitions

    @property
    def preferences(self) -> list[np.ndarray]:
        """C as it was given: for each modality how much each outcome is preferred, in nats."""
        return self._core.preferences

    @property
    def log_preferences(self) -> list[np.ndarray]:
        """ln C with probabilities that sum to 1: for each modality, in nats."""
        return self._core.log_preferences

    @property
    def initial(self) -> list[np.ndarray]:
        """D, copies: for each factor the probabilities of its states at the beginning."""
        return self._core.initial

    @property
    def habits(self) -> np.ndarray:
        """E, [policies]; of length 0 where all are equal."""
        return self._core.habits

    @property
    def depends_on(self) -> list[list[int]]:
        """Factors that each modality depends on."""
        return self._core.depends_on


def _model_of(likelihoods, transitions, preferences, initial, habits, depends_on):
    return GenerativeModel(likelihoods, transitions, preferences, initial, habits if len(habits) else None,
                           depends_on=depends_on)


class Concentrations(NamedTuple):
    """Concentrations of the Dirichlet distributions over a model's tables, in the shapes of those tables.

    likelihoods, transitions, initial   lists of arrays; None or an empty list: known, and not learnt

    An entry of 0 stays 0: it is held to be impossible.
    """

    likelihoods: list | None = None
    transitions: list | None = None
    initial: list | None = None


class Inference(NamedTuple):
    """Beliefs after an observation.

    beliefs       for each factor the probabilities of its states
    free_energy   variational free energy, in nats; with one factor it is -ln P(observation)
    iterations    rounds over all factors
    """

    beliefs: list[np.ndarray]
    free_energy: float
    iterations: int


class WindowInference(NamedTuple):
    """Beliefs over a window of steps.

    beliefs       for each step those of every factor, given what was observed before and after it
    pairs         for each transition and factor q(state after, state before), [states, states]
    free_energy   free energy in nats; with one factor it is -ln P(all observations)
    iterations    rounds over all factors
    """

    beliefs: list[list[np.ndarray]]
    pairs: list[list[np.ndarray]]
    free_energy: float
    iterations: int


class ExpectedFreeEnergy(NamedTuple):
    """The parts of an expected free energy, in nats: risk + ambiguity = -(pragmatic + epistemic).

    risk        KL[Q(o) from C(o)]: outcomes expected, from those preferred
    ambiguity   E[H[P(o | s)]]: what outcomes leave open in known states
    pragmatic   E[ln C(o)]: how much the outcomes are preferred
    epistemic   I(s; o): what outcomes tell of states
    novelty     information that outcomes and transitions give of learnt parameters
    """

    risk: float
    ambiguity: float
    pragmatic: float
    epistemic: float
    novelty: float


class Plan(NamedTuple):
    """What planning has found; the parts of G are those of ExpectedFreeEnergy, summed over the steps of a policy.

    G           expected free energy of each policy, in nats, of what the options use: less is better
    posterior   Q(policy) = softmax(ln E - precision G)
    risk, ambiguity, pragmatic, epistemic, novelty   [policies]
    nodes       steps whose expected free energy was computed
    """

    G: np.ndarray
    posterior: np.ndarray
    risk: np.ndarray
    ambiguity: np.ndarray
    pragmatic: np.ndarray
    epistemic: np.ndarray
    novelty: np.ndarray
    nodes: int


def normalised(counts) -> np.ndarray:
    """A table whose columns, along the first axis, are divided by their sums: probabilities of counts.

    Raises ArgumentError for numbers below 0 or not finite, and for a column without one above 0.
    """
    return _gaia._normalised(values.table(counts, "counts"))


def core_of(model, what):
    """The module's object of a model; `what` stands in the error."""
    if not isinstance(model, GenerativeModel):
        raise ArgumentError(f"[agents] {what}: expected a GenerativeModel, got {model!r}")
    return model._core


def beliefs_of(given, core):
    """Beliefs as the module takes them; None: those of the beginning."""
    return [one.tolist() for one in core.initial] if given is None else values.vectors(given, "beliefs")


def counts_of(given):
    """Concentrations as the module takes them."""
    if given is None:
        given = Concentrations()
    elif isinstance(given, dict):
        unknown = set(given) - set(Concentrations._fields)
        if unknown:
            raise ArgumentError(f"[agents] concentrations: expected the names {', '.join(Concentrations._fields)}, got "
                                f"{', '.join(map(repr, sorted(map(str, unknown))))}")
        given = Concentrations(**given)
    elif not isinstance(given, Concentrations):
        raise ArgumentError(f"[agents] concentrations: expected Concentrations or a dict, got {given!r}")
    return (values.tables(given.likelihoods, "concentrations.likelihoods"),
            values.tables(given.transitions, "concentrations.transitions"),
            values.vectors(given.initial, "concentrations.initial"))
