# SPDX-License-Identifier: MIT
"""Inference and planning over discrete states, as functions of a model."""
import numpy as np

from . import _agent_values as values, _gaia
from ._discrete_model import ExpectedFreeEnergy, Inference, Plan, WindowInference, beliefs_of, core_of, counts_of


def infer_states(model, observation, prior=None, *, iterations=100, tolerance=1e-12, parallel=False) -> Inference:
    """Beliefs after an observation, from those before it (None: the model's beginning): the fixed point of the mean
    field.

    Raises ArgumentError for an observation or a prior that does not fit the model.
    """
    core = core_of(model, "infer_states")
    return Inference(*_gaia._infer_states(core, values.outcomes(observation, len(core.outcomes)), beliefs_of(prior, core),
                                          dict(iterations=iterations, tolerance=tolerance, parallel=parallel)))


def infer_window(model, observations, actions, prior=None, *, iterations=100, tolerance=1e-12,
                 parallel=False) -> WindowInference:
    """Beliefs over the steps of a window: messages forward and back along each factor's chain.

    observations   one for each step
    actions        one for each transition, one less
    prior          beliefs before the first observation; None: the model's beginning

    Raises ArgumentError for what does not fit the model or each other.
    """
    core = core_of(model, "infer_window")
    return WindowInference(*_gaia._infer_window(
        core, [values.outcomes(one, len(core.outcomes), f"observations[{t}]") for t, one in enumerate(observations)],
        [values.full_action(one, core.actions, f"actions[{t}]") for t, one in enumerate(actions)],
        beliefs_of(prior, core),
        dict(iterations=iterations, tolerance=tolerance, parallel=parallel)))


def predicted(model, beliefs, action) -> list[np.ndarray]:
    """Beliefs a step later, under an action.

    Raises ArgumentError for what does not fit the model.
    """
    core = core_of(model, "predicted")
    return _gaia._predicted(core, beliefs_of(beliefs, core), values.full_action(action, core.actions))


def expected_free_energy(model, beliefs, *, spm_constants=False) -> ExpectedFreeEnergy:
    """The expected free energy of being in these beliefs for a step.

    Raises ArgumentError for beliefs that do not fit the model.
    """
    core = core_of(model, "expected_free_energy")
    return ExpectedFreeEnergy(*_gaia._expected_free_energy(core, beliefs_of(beliefs, core),
                                                           dict(spm_constants=spm_constants)))


def all_policies(model, horizon) -> np.ndarray:
    """All combinations of the actions of all factors over so many steps, [policies, horizon, factors].

    Raises ArgumentError for a horizon below 1 and for more than 2^20 policies.
    """
    return np.array(_gaia._all_policies(core_of(model, "all_policies"),
                                        values.whole_number(horizon, "horizon")), np.int64)


def evaluate_policies(model, beliefs, policies, *, precision=16.0, use_pragmatic=True, use_epistemic=True,
                      parameter_gain="none", spm_constants=False, concentrations=None) -> Plan:
    """Judges policies, lists of actions, from these beliefs on; options are those of DiscreteAgent.

    Raises ArgumentError for what does not fit the model.
    """
    core = core_of(model, "evaluate_policies")
    return Plan(*_gaia._evaluate_policies(
        core, beliefs_of(beliefs, core), values.policies(policies, core.actions), locals(), counts_of(concentrations)))


def search_tree(model, beliefs, depth=2, *, action_threshold=0.0, outcome_threshold=0.0, precision=16.0,
                use_pragmatic=True, use_epistemic=True, parameter_gain="none", spm_constants=False, iterations=100,
                tolerance=1e-12, parallel=False, concentrations=None) -> Plan:
    """The plan over the actions of the next step, in the order of `all_policies(model, 1)`, that takes into account what
    will be believed after each outcome (sophisticated inference); options are those of DiscreteAgent.

    Raises ArgumentError for what does not fit the model, and options out of their range.
    """
    core = core_of(model, "search_tree")
    return Plan(*_gaia._search_tree(
        core, beliefs_of(beliefs, core), dict(locals(), tree=depth), counts_of(concentrations)))
