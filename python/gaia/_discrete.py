# SPDX-License-Identifier: MIT
"""Agents over discrete states."""
import copy
import typing

import numpy as np

from . import _agent_values as values, _gaia
from ._discrete_model import Concentrations, GenerativeModel, Plan, core_of, counts_of


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
    action_threshold, outcome_threshold   probabilities below which a tree follows actions and outcomes no further
    precision         gamma, the sharpness with which better policies are preferred
    use_pragmatic, use_epistemic   parts of G that count
    parameter_gain    "none", "exact" or "inverse_counts": what is expected to be learnt of A and B counts too
    spm_constants     the constants of SPM and pymdp, to compare with those
    iterations, tolerance   rounds at most to the fixed point of beliefs, and change of the free energy that ends them
    parallel          all factors of a round at once, as pymdp does
    window            steps whose states are inferred together
    concentrations    Concentrations, or a dict with its names: the model's tables are their means, and are learnt
    likelihood_rate, transition_rate, initial_rate   counts that something seen is worth
    forgetting        share of the counts that is forgotten at every step
    by_whole_policy   actions are chosen by whole policies, not by each factor's marginal
    is_sampled        actions are drawn from the posterior to the power `action_precision`; else the most probable
    seed              seed of what is drawn; None: another one for every agent

    docs/agents.md tells more.  Agents are copied and pickled with all that they have learnt.

    Raises ArgumentError for options that are out of their range or do not fit the model.
    """

    def __init__(self, model, *, horizon=1, policies=None, tree=None, action_threshold=0.0, outcome_threshold=0.0,
                 precision=16.0, use_pragmatic=True, use_epistemic=True, parameter_gain="none", spm_constants=False,
                 iterations=100, tolerance=1e-12, parallel=False, window=1, concentrations=None, likelihood_rate=1.0,
                 transition_rate=1.0, initial_rate=1.0, forgetting=0.0, by_whole_policy=False, is_sampled=False,
                 action_precision=16.0, seed=None) -> None:
        options = {name: value for name, value in locals().items()
                   if name not in ("self", "model", "concentrations", "seed")}
        core = core_of(model, "DiscreteAgent")
        options["policies"] = values.policies(policies, core.actions)
        self._make((core, options, counts_of(concentrations)), values.seed(seed), None)

    def _make(self, made_with, seed, stream):
        core, options, counts = self._made_with = made_with
        self._actions = core.actions
        self._modalities = len(core.outcomes)
        self._core = _gaia._DiscreteAgent(core, options, counts, seed=seed, stream=stream)

    def __repr__(self):
        return f"<gaia.agents.DiscreteAgent of {len(self._core.policies)} policies, {self.model!r}>"

    def __getstate__(self):
        model, options, counts = self._made_with
        return {"made_with": (GenerativeModel._of(model), options, counts), "stream": self._core.stream,
                "state": self._core.state(), "plan": self._core.last_plan, "attributes": self._attributes()}

    def __setstate__(self, kept):
        model, options, counts = kept["made_with"]
        self._make((core_of(model, "DiscreteAgent"), options, counts), None, kept["stream"])
        self._core.set_state(kept["state"], kept["plan"])
        vars(self).update(kept["attributes"])

    def _attributes(self):
        """What a subclass, or anyone who has the agent, has added."""
        return {name: value for name, value in vars(self).items()
                if name not in ("_made_with", "_core", "_actions", "_modalities")}

    def __deepcopy__(self, memo):
        made = copy.copy(self)
        memo[id(self)] = made
        vars(made).update(copy.deepcopy(self._attributes(), memo))
        return made

    def __copy__(self):
        made = type(self).__new__(type(self))
        vars(made).update(vars(self))
        made._core = self._core.clone()
        return made

    # What it does

    def step(self, observation) -> "typing.Any":
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

    def learn(self) -> None:
        """Counts the last observation and the transition to it; does nothing without concentrations."""
        self._core.learn()

    def plan(self) -> Plan:
        """Judges policies from the beliefs of now."""
        return Plan(*self._core.plan())

    def act(self) -> "typing.Any":
        """Chooses an action by the last plan.

        Raises ArgumentError without a plan.
        """
        return values.shown_action(self._core.act(), self._actions)

    def take(self, action) -> None:
        """Reports that this action was taken, by anyone who chose it; of controlled factors, or of all.

        Raises ArgumentError for an action that the model does not have.
        """
        self._core.take(values.full_action(action, self._actions))

    def reset(self) -> None:
        """Ends a trial: the next observation is the first of another one.  What was learnt stays."""
        self._core.reset()

    def end_episode(self, last_observation) -> None:
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
        """Probabilities of the states now, for each factor."""
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
        """Posterior of the next action, for each factor, summed over policies."""
        return self._core.action_posterior

    @property
    def free_energy(self) -> float:
        """Variational free energy of the last inference, in nats."""
        return self._core.free_energy

    @property
    def iterations(self) -> int:
        """Rounds of the last inference."""
        return self._core.iterations

    def state(self) -> dict[str, np.ndarray]:
        """All from which it goes on bit for bit, in an agent built alike: copies of arrays by their names.  The last
        plan is not among them."""
        return self._core.state()

    def set_state(self, state) -> None:
        """Goes on from what `state` was.

        Raises ArgumentError for an array that is missing or of another size; nothing has changed then.
        """
        self._core.set_state({name: values.table(value, name) for name, value in state.items()},
                             ([], [], [], [], [], [], [], 0))
