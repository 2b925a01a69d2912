# SPDX-License-Identifier: MIT
"""Models, beliefs, plans and agents over discrete states."""
import copy
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
        return _model_of, (self.likelihoods, self.transitions, self.preferences, self.initial, self.habits, self.depends_on)

    def __repr__(self):
        return (f"<gaia.agents.GenerativeModel states {self.states}, actions {self.actions}, "
                f"outcomes {self.outcomes}>")

    @property
    def states(self) -> tuple[int, ...]:
        """How many states each factor has."""
        return tuple(self._core.states)

    @property
    def actions(self) -> tuple[int, ...]:
        """How many actions each factor has; 1 where it is not controlled."""
        return tuple(self._core.actions)

    @property
    def outcomes(self) -> tuple[int, ...]:
        """How many outcomes each modality has."""
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
        """For each modality the factors that it depends on."""
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
    free_energy   in nats; with one factor it is -ln P(all observations)
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
    novelty     what outcomes and transitions tell of learnt parameters
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


class DiscreteAgent:
    """An agent of active inference over discrete states.

        agent = DiscreteAgent(world.model, horizon=2, seed=1)
        action = agent.step(observation)

    An observation is a whole number where the model has one modality, else one number for each; None stands for what
    was not observed.  An action is a whole number where one factor is controlled, else an array with one for each
    that is.  So an agent and an environment with Gymnasium's conventions fit together; `run` has the loop.

    model             a GenerativeModel
    horizon           steps of each policy
    policies          the policies that are judged: lists of actions; None: all combinations over the horizon
    tree              depth of a tree in the place of policies (sophisticated inference), or None
    action_threshold, outcome_threshold   of a tree: what is less probable is followed no further
    precision         gamma: how sharply better policies are preferred
    use_pragmatic, use_epistemic   which parts of G count
    parameter_gain    "none", "exact" or "inverse_counts": what is expected to be learnt of A and B counts too
    spm_constants     the constants of SPM and pymdp, to compare with those
    iterations, tolerance   of the fixed point of beliefs: at most so many rounds, until the free energy changes by less
    parallel          all factors of a round at once, as pymdp does
    window            steps whose states are inferred together
    concentrations    Concentrations, or a dict with its names: the model's tables are their means, and are learnt
    likelihood_rate, transition_rate, initial_rate   how many counts something seen is worth
    forgetting        share of the counts that is forgotten at every step
    by_whole_policy   actions are chosen by whole policies, not by each factor's marginal
    is_sampled        actions are drawn from the posterior to the power `action_precision`; else the most probable
    seed              of what is drawn; None: another one for every agent

    docs/agents.md tells more.

    Raises ArgumentError for options that are out of their range or do not fit the model.
    """

    def __init__(self, model, *, horizon=1, policies=None, tree=None, action_threshold=0.0, outcome_threshold=0.0,
                 precision=16.0, use_pragmatic=True, use_epistemic=True, parameter_gain="none", spm_constants=False,
                 iterations=100, tolerance=1e-12, parallel=False, window=1, concentrations=None, likelihood_rate=1.0,
                 transition_rate=1.0, initial_rate=1.0, forgetting=0.0, by_whole_policy=False, is_sampled=False,
                 action_precision=16.0, seed=None):
        core = _core_of(model, "DiscreteAgent")
        options = dict(
            horizon=horizon, policies=values.policies(policies, core.actions), tree=tree,
            action_threshold=action_threshold, outcome_threshold=outcome_threshold, precision=precision,
            use_pragmatic=use_pragmatic, use_epistemic=use_epistemic, parameter_gain=parameter_gain,
            spm_constants=spm_constants, iterations=iterations, tolerance=tolerance, parallel=parallel, window=window,
            likelihood_rate=likelihood_rate, transition_rate=transition_rate, initial_rate=initial_rate,
            forgetting=forgetting, by_whole_policy=by_whole_policy, is_sampled=is_sampled,
            action_precision=action_precision)
        self._actions = core.actions
        self._modalities = len(core.outcomes)
        self._core = _gaia._DiscreteAgent(core, options, _counts_of(concentrations), values.seed(seed))

    def __repr__(self):
        return f"<gaia.agents.DiscreteAgent of {len(self._core.policies)} policies, {self.model!r}>"

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update({name: copy.deepcopy(value, memo) for name, value in vars(self).items() if name != "_core"})
        made._core = self._core.clone()
        return made

    __copy__ = copy.deepcopy

    # What it does

    def step(self, observation):
        """Infers states, learns, plans and chooses an action: `infer`, `learn`, `plan`, `act`.

        Raises ArgumentError for outcomes that the model does not have.
        """
        return values.shown_action(self._core.step(values.outcomes(observation, self._modalities)), self._actions)

    def infer(self, observation) -> list[np.ndarray]:
        """The beliefs about the states now, after an observation.

        Raises ArgumentError for outcomes that the model does not have, and where no action was chosen since the last
        observation.
        """
        return self._core.infer(values.outcomes(observation, self._modalities))

    def learn(self):
        """Counts the last observation and the transition to it; does nothing without concentrations."""
        self._core.learn()

    def plan(self) -> Plan:
        """Judges policies from the beliefs of now."""
        return Plan(*self._core.plan())

    def act(self):
        """Chooses an action by the last plan.

        Raises ArgumentError without a plan.
        """
        return values.shown_action(self._core.act(), self._actions)

    def take(self, action):
        """Tells that this action was taken, whoever chose it; of controlled factors, or of all.

        Raises ArgumentError for an action that the model does not have.
        """
        self._core.take(values.full_action(action, self._actions))

    def reset(self):
        """Ends a trial: the next observation is the first of another one.  What was learnt stays."""
        self._core.reset()

    def end_episode(self, last_observation):
        """Ends a trial with what was seen after its last action: `infer`, `learn`, `reset`.

        Raises ArgumentError as `infer` does.
        """
        self.infer(last_observation)
        self.learn()
        self.reset()

    # What it believes

    @property
    def model(self) -> GenerativeModel:
        """The model as it is now, with what was learnt."""
        return GenerativeModel._of(self._core.model)

    @property
    def concentrations(self) -> Concentrations:
        """Copies of the counts as they are now; empty lists for what is not learnt."""
        return Concentrations(*self._core.concentrations)

    @property
    def policies(self) -> list[np.ndarray]:
        """The policies that are judged, each [steps, factors]."""
        return [np.array(policy, np.int64) for policy in self._core.policies]

    @property
    def beliefs(self) -> list[np.ndarray]:
        """For each factor the probabilities of its states now."""
        return self._core.beliefs

    @property
    def window_beliefs(self) -> list[list[np.ndarray]]:
        """Beliefs about each step of the window, of now the last."""
        return self._core.window_beliefs

    @property
    def last_plan(self) -> Plan:
        """What the last planning has found; arrays of length 0 before."""
        return Plan(*self._core.last_plan)

    @property
    def posterior(self) -> np.ndarray:
        """The posterior over policies of the last plan."""
        return self.last_plan.posterior

    @property
    def action_posterior(self) -> list[np.ndarray]:
        """For each factor the posterior of its next action, summed over policies."""
        return self._core.action_posterior

    @property
    def free_energy(self) -> float:
        """Variational free energy of the last inference, in nats."""
        return self._core.free_energy

    @property
    def iterations(self) -> int:
        """Rounds of the last inference."""
        return self._core.iterations


def normalised(counts) -> np.ndarray:
    """A table whose columns, along the first axis, are divided by their sums: probabilities of counts.

    Raises ArgumentError for numbers below 0 or not finite, and for a column without one above 0.
    """
    return _gaia._normalised(values.table(counts, "counts"))


def infer_states(model, observation, prior=None, *, iterations=100, tolerance=1e-12, parallel=False) -> Inference:
    """Beliefs after an observation, from those before it (None: the model's beginning): the fixed point of the mean field.

    Raises ArgumentError for an observation or a prior that does not fit the model.
    """
    core = _core_of(model, "infer_states")
    return Inference(*_gaia._infer_states(core, values.outcomes(observation, len(core.outcomes)), _beliefs_of(prior, core),
                                          dict(iterations=iterations, tolerance=tolerance, parallel=parallel)))


def infer_window(model, observations, actions, prior=None, *, iterations=100, tolerance=1e-12,
                 parallel=False) -> WindowInference:
    """Beliefs over the steps of a window: messages forward and back along each factor's chain.

    observations   one for each step
    actions        one for each transition, one less
    prior          beliefs before the first observation; None: the model's beginning

    Raises ArgumentError for what does not fit the model or each other.
    """
    core = _core_of(model, "infer_window")
    return WindowInference(*_gaia._infer_window(
        core, [values.outcomes(one, len(core.outcomes), f"observations[{t}]") for t, one in enumerate(observations)],
        [values.full_action(one, core.actions, f"actions[{t}]") for t, one in enumerate(actions)], _beliefs_of(prior, core),
        dict(iterations=iterations, tolerance=tolerance, parallel=parallel)))


def predicted(model, beliefs, action) -> list[np.ndarray]:
    """Beliefs a step later, under an action.

    Raises ArgumentError for what does not fit the model.
    """
    core = _core_of(model, "predicted")
    return _gaia._predicted(core, _beliefs_of(beliefs, core), values.full_action(action, core.actions))


def expected_free_energy(model, beliefs, *, spm_constants=False) -> ExpectedFreeEnergy:
    """The expected free energy of being in these beliefs for a step.

    Raises ArgumentError for beliefs that do not fit the model.
    """
    core = _core_of(model, "expected_free_energy")
    return ExpectedFreeEnergy(*_gaia._expected_free_energy(core, _beliefs_of(beliefs, core),
                                                           dict(spm_constants=spm_constants)))


def all_policies(model, horizon) -> np.ndarray:
    """All combinations of the actions of all factors over so many steps, [policies, horizon, factors].

    Raises ArgumentError for a horizon below 1 and for more than 2^20 policies.
    """
    return np.array(_gaia._all_policies(_core_of(model, "all_policies"),
                                        values.whole_number(horizon, "horizon")), np.int64)


def evaluate_policies(model, beliefs, policies, *, precision=16.0, use_pragmatic=True, use_epistemic=True,
                      parameter_gain="none", spm_constants=False, concentrations=None) -> Plan:
    """Judges policies, lists of actions, from these beliefs on; options are those of DiscreteAgent.

    Raises ArgumentError for what does not fit the model.
    """
    core = _core_of(model, "evaluate_policies")
    return Plan(*_gaia._evaluate_policies(
        core, _beliefs_of(beliefs, core), values.policies(policies, core.actions),
        dict(precision=precision, use_pragmatic=use_pragmatic, use_epistemic=use_epistemic, parameter_gain=parameter_gain,
             spm_constants=spm_constants), _counts_of(concentrations)))


def search_tree(model, beliefs, depth=2, *, action_threshold=0.0, outcome_threshold=0.0, precision=16.0,
                use_pragmatic=True, use_epistemic=True, parameter_gain="none", spm_constants=False, iterations=100,
                tolerance=1e-12, parallel=False, concentrations=None) -> Plan:
    """The plan over the actions of the next step, in the order of `all_policies(model, 1)`, that takes into account what
    will be believed after each outcome (sophisticated inference); options are those of DiscreteAgent.

    Raises ArgumentError for what does not fit the model, and options out of their range.
    """
    core = _core_of(model, "search_tree")
    return Plan(*_gaia._search_tree(
        core, _beliefs_of(beliefs, core),
        dict(tree=depth, action_threshold=action_threshold, outcome_threshold=outcome_threshold, precision=precision,
             use_pragmatic=use_pragmatic, use_epistemic=use_epistemic, parameter_gain=parameter_gain,
             spm_constants=spm_constants, iterations=iterations, tolerance=tolerance, parallel=parallel),
        _counts_of(concentrations)))


def _core_of(model, what):
    if not isinstance(model, GenerativeModel):
        raise ArgumentError(f"[agents] {what}: expected a GenerativeModel, got {model!r}")
    return model._core


def _beliefs_of(given, core):
    return [one.tolist() for one in core.initial] if given is None else values.vectors(given, "beliefs")


def _counts_of(given):
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
