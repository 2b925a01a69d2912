# SPDX-License-Identifier: MIT
"""Agents of active inference, and worlds for them.

    world = gaia.agents.t_maze(steps=2, seed=1)
    agent = gaia.agents.DiscreteAgent(world.model, horizon=2, seed=2)
    shown = gaia.agents.run(agent, world, episodes=100)
    shown.returns

Worlds have Gymnasium's conventions, and `run` takes any environment that has them; Gymnasium itself is not needed.
docs/agents.md tells what is computed.
"""
from ._agent_runs import Episodes, run
from ._bandits import FixedShare, ThompsonSampling, UCB1
from ._continuous import (ChoiceTimes, ContinuousAgent, ContinuousPlan, ContinuousWorld, StochasticActionModel, Training,
                          mountain_car, pendulum, point_mass)
from ._discrete import DiscreteAgent
from ._discrete_functions import (all_policies, evaluate_policies, expected_free_energy, infer_states, infer_window,
                                  predicted, search_tree)
from ._discrete_model import (Concentrations, ExpectedFreeEnergy, GenerativeModel, Inference, Plan, WindowInference,
                              normalised)
from ._worlds import DiscreteWorld, bernoulli_bandit, grid_world, t_maze, two_armed_bandit

__all__ = ["ChoiceTimes", "Concentrations", "ContinuousAgent", "ContinuousPlan", "ContinuousWorld", "DiscreteAgent",
           "DiscreteWorld", "Episodes", "ExpectedFreeEnergy", "FixedShare", "GenerativeModel", "Inference", "Plan",
           "StochasticActionModel", "ThompsonSampling", "Training", "UCB1", "WindowInference", "all_policies",
           "bernoulli_bandit", "evaluate_policies", "expected_free_energy", "grid_world", "infer_states",
           "infer_window", "mountain_car", "normalised", "pendulum", "point_mass", "predicted", "run", "search_tree",
           "t_maze", "two_armed_bandit"]
