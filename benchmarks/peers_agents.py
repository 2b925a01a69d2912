#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares 64 agents in a grid of 4 x 4 cells: gaia's, one after the other, and pymdp's as one batch compiled by JAX.

    pip install "inferactively-pymdp==1.0.4"
    python benchmarks/peers_agents.py --json benchmarks/results/DATE-agents.json

Both get the same tables, observations and actions, and take a step each time: they infer the cell and judge all
policies of the horizon (5 actions a step).  Before the clock starts, their posteriors over policies agree within 1e-4
(pymdp computes in float32).  A grid where every move happens is easy, as beliefs are sure of one cell; in the other
one a move fails one time in ten, and a neighbouring cell is seen one time in five.  Times are medians of interleaved
rounds; JAX has all processors, gaia one.
"""
import argparse
import importlib.metadata
import json
import platform
import statistics
import time
import warnings

import jax
import numpy as np
from pymdp.agent import Agent

import gaia

BATCH, STEPS = 64, 4
GRIDS = {"sure": {}, "unsure": {"slip": 0.1, "accuracy": 0.8}}


class Case:
    """Agents of both in one grid, and what they see and do."""

    def __init__(self, grid, horizon):
        worlds = [gaia.agents.grid_world(seed=b, start=b % 15, **GRIDS[grid]) for b in range(BATCH)]
        self.done = np.random.default_rng(7).integers(0, 5, (STEPS, BATCH))
        self.seen = np.empty((STEPS, BATCH), "int64")
        for b, world in enumerate(worlds):
            self.seen[0, b] = world.reset()[0]
            for t in range(1, STEPS):
                self.seen[t, b] = world.step([int(self.done[t - 1, b])])[0]
        anywhere = [np.full(16, 1 / 16)]  # no agent knows where it begins
        grid = gaia.agents.grid_world(seed=1, **GRIDS[grid]).model
        model = gaia.agents.GenerativeModel(grid.likelihoods, grid.transitions, grid.preferences, anywhere)
        self.agents = [gaia.agents.DiscreteAgent(model, horizon=horizon, seed=1) for _ in range(BATCH)]
        tables = (model.likelihoods, model.transitions, model.preferences, model.initial)
        a, b, c, d = ([jax.numpy.broadcast_to(np.asarray(one, "float32"), (BATCH, *one.shape)) for one in table]
                      for table in tables)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.peer = Agent(a, b, c, d, policy_len=horizon, gamma=16.0, batch_size=BATCH, num_iter=1)
        self.step = jax.jit(_pymdp_step)
        self.next = jax.jit(lambda agent, done, beliefs: agent.update_empirical_prior(done, beliefs))

    def gaia(self):
        """Posteriors over policies, [steps, agents, policies]."""
        posteriors = []
        for seen, done in zip(self.seen, self.done):
            posteriors.append([])
            for agent, outcome, action in zip(self.agents, seen, done):
                agent.infer([int(outcome)])
                posteriors[-1].append(agent.plan().posterior)
                agent.take([int(action)])
        for agent in self.agents:
            agent.reset()
        return posteriors

    def pymdp(self):
        posteriors, prior = [], self.peer.D
        for seen, done in zip(self.seen, self.done):
            beliefs, posterior = self.step(self.peer, [jax.numpy.asarray(seen)[:, None]], prior)
            posteriors.append(posterior)
            prior = self.next(self.peer, jax.numpy.asarray(done)[:, None], beliefs)
        jax.block_until_ready(prior)
        return posteriors


def _pymdp_step(agent, seen, prior):
    beliefs = agent.infer_states(seen, prior)
    return beliefs, agent.infer_policies(beliefs)[0]


def timed(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = []
    for grid in GRIDS:
        for horizon in (2, 3, 4):
            case = Case(grid, horizon)
            difference = float(np.abs(np.asarray(case.gaia()) - np.asarray(case.pymdp())).max())
            if not difference < 1e-4:
                raise SystemExit(f"{grid}, horizon {horizon}: posteriors differ by {difference:.2g}")
            times = [(timed(case.gaia), timed(case.pymdp)) for _ in range(options.rounds)]
            ours, theirs = (statistics.median(column) / STEPS for column in zip(*times))
            rows.append({"grid": grid, "horizon": horizon, "gaia_ms": 1e3 * ours, "pymdp_ms": 1e3 * theirs,
                         "ratio": theirs / ours, "difference": difference})
            print(f"{grid:7} horizon {horizon}: gaia {1e3 * ours:7.2f} ms a step of all, pymdp {1e3 * theirs:7.2f} ms, "
                  f"{theirs / ours:.2f} times as fast")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"pymdp": importlib.metadata.version("inferactively-pymdp"), "jax": jax.__version__,
                       "machine": platform.machine(), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
