#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares gaia's agents of active inference with pymdp.

    python3 conformance/agents.py PROGRAM [--vectors FILE]

PROGRAM is `agents`, which is built of benchmarks/agents.cpp.  Needed: pip install
"inferactively-pymdp==0.0.7.1" "numpy<2" "pandas<3", in an environment of its own.

Both get the same tables, observations and actions: a T-maze, a two-armed bandit and a 4 x 4 grid of
gaia's, pymdp's own T-maze, and 20 random models with 1 to 3 factors and modalities; each without
learning, and with learning of A, B and D and information gain about A and B.  Beliefs, expected
free energies, posteriors over policies and what was learnt have to agree within 1e-6 at every step,
with pymdp's constants in gaia (PlanningOptions::spm_constants).  How far gaia's exact values are
from pymdp's is printed too, and the time of both.  Ends with 1 if something differs by more.

--vectors writes some of the cases with what pymdp 0.0.7.1 computes, which tests/agents/discrete reads.
"""

import argparse
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")
from pymdp import utils  # noqa: E402
from pymdp.agent import Agent  # noqa: E402
from pymdp.envs import TMazeEnv  # noqa: E402

STEPS = 6
LIMIT = 1e-6
# What is small enough to be committed.
KEPT = ["T-maze", "T-maze, learning", "bandit", "bandit, learning", "grid 4 x 4",
        "random 1", "random 2, learning", "random 4, learning", "random 5"]


def table(array):
    return {"shape": list(array.shape), "values": [float(v) for v in np.ravel(array)]}


def array(one):
    return np.array(one["values"], dtype=float).reshape(one["shape"])


def objects(arrays):
    result = utils.obj_array(len(arrays))
    for k, one in enumerate(arrays):
        result[k] = np.array(one, dtype=float)
    return result


def pymdps_maze():
    world = TMazeEnv(reward_probs=[0.98, 0.02])
    return {"name": "pymdp's T-maze", "horizon": 2,
            "likelihoods": [table(a) for a in world.get_likelihood_dist()],
            "transitions": [table(b) for b in world.get_transition_dist()],
            "preferences": [[0, 0, 0, 0], [0, 3, -3], [0, 0]],
            "initial": [[1, 0, 0, 0], [0.5, 0.5]]}


def random_model(number):
    """1 to 3 factors and modalities of 2 to 4 states and outcomes; tables are small whole numbers."""
    draw = np.random.default_rng(number)
    factors, modalities = draw.integers(1, 4, size=2)
    states = draw.integers(2, 5, size=factors)
    outcomes = draw.integers(2, 5, size=modalities)
    actions = draw.integers(1, 4, size=factors)
    actions[draw.integers(factors)] = draw.integers(2, 4)

    def counts(shape):
        some = draw.integers(1, 10, size=shape)
        return np.where(draw.random(shape) < 0.5, some, some * 0 + 1)  # some columns are sharper
    case = {"name": f"random {number}", "horizon": int(draw.integers(1, 3)),
            "likelihoods": [table(counts([o, *states])) for o in outcomes],
            "transitions": [table(counts([s, s, a])) for s, a in zip(states, actions)],
            "preferences": [[round(float(v), 3) for v in draw.normal(0, 2, size=o)] for o in outcomes],
            "initial": [[float(v) for v in counts([s])] for s in states]}
    if number % 2:
        policies = int(np.prod(actions)) ** case["horizon"]
        habits = draw.integers(1, 6, size=policies)
        case["habits"] = [float(v) for v in habits / habits.sum()]
    return case


def with_learning(case):
    """The same with concentrations: possible entries of a world get ten counts, and some get one more."""
    case = json.loads(json.dumps(case))
    case["name"] += ", learning"
    case["learn"] = case["parameter_gain"] = True
    if not case["name"].startswith("random"):
        for key in ("likelihoods", "transitions"):
            for one in case[key]:
                one["values"] = [10 * v for v in one["values"]]
        one = case["likelihoods"][0]
        one["values"] = [v + 0.5 for v in one["values"]]
    return case


def run_pymdp(case, is_random):
    """Fills in observations and actions, and returns what pymdp computes, and its seconds."""
    counts_a = objects([array(a) for a in case["likelihoods"]])
    counts_b = objects([array(b) for b in case["transitions"]])
    counts_d = objects(case["initial"])
    a, b, d = (utils.norm_dist_obj_arr(c) for c in (counts_a, counts_b, counts_d))
    learns = case.get("learn", False)
    draw = np.random.default_rng(len(case["name"]) + sum(case["name"].encode()))
    agent = Agent(A=a, B=b, C=objects(case["preferences"]), D=d,
                  E=np.array(case["habits"]) if "habits" in case else None,
                  pA=counts_a if learns else None, pB=counts_b if learns else None,
                  pD=counts_d if learns else None, policy_len=case["horizon"],
                  use_param_info_gain=case.get("parameter_gain", False))
    state = [int(draw.choice(len(p), p=p)) for p in d]  # the world is the model that it began with
    case["observations"], case["actions"], steps = [], [], []
    first, seconds = None, 0.0
    for t in range(STEPS):
        observation = [int(draw.choice(m.shape[0], p=m[(slice(None), *state)])) for m in a]
        before = agent.qs
        start = time.perf_counter()
        beliefs = agent.infer_states(observation)
        if learns:
            agent.update_A(observation)
            if t > 0:
                agent.update_B(before)
        posterior, negative_g = agent.infer_policies()
        action = agent.sample_action()
        seconds += time.perf_counter() - start
        first = beliefs if t == 0 else first
        steps.append({"beliefs": [q.tolist() for q in beliefs], "G": (-negative_g).tolist(),
                      "posterior": posterior.tolist(), "action": [int(u) for u in action]})
        if is_random:
            action = np.array([draw.integers(m.shape[2]) for m in b], dtype=float)
            agent.action = action
        case["observations"].append(observation)
        case["actions"].append([int(u) for u in action])
        state = [int(draw.choice(m.shape[0], p=m[:, s, int(u)])) for m, s, u in zip(b, state, action)]
    result = {"name": case["name"], "steps": steps}
    if learns:
        result["initial"] = [c.tolist() for c in agent.update_D(first)]
        result["likelihoods"] = [table(c) for c in agent.pA]
        result["transitions"] = [table(c) for c in agent.pB]
    return result, seconds


def flat(value):
    """All numbers of lists and of tables."""
    if isinstance(value, dict):
        return flat(value["values"])
    if isinstance(value, list):
        return [number for one in value for number in flat(one)]
    return [value]


def difference(one, other):
    one, other = np.array(flat(one)), np.array(flat(other))
    return float(np.max(np.abs(one - other))) if one.shape == other.shape else float("inf")


def differences(gaia, pymdp):
    found = {key: max(difference(g[key], p[key]) for g, p in zip(gaia["steps"], pymdp["steps"]))
             for key in ("beliefs", "G", "posterior")}
    learnt = [difference(gaia[key], pymdp[key]) for key in ("likelihoods", "transitions", "initial")
              if key in pymdp]
    found["learnt"] = max(learnt) if learnt else 0.0
    return found


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    if isinstance(value, float):
        return int(value) if value == int(value) else float(f"{value:.12g}")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--vectors")
    options = parser.parse_args()
    version = importlib.metadata.version("inferactively-pymdp")
    worlds = json.loads(subprocess.run([options.program, "--worlds"], check=True, capture_output=True,
                                       text=True).stdout)
    models = [(case, False) for case in [*worlds, pymdps_maze()]]
    models += [(random_model(number), True) for number in range(1, 21)]
    cases, references, seconds = [], [], []
    for case, is_random in models:
        for one in (case, with_learning(case)):
            reference, took = run_pymdp(one, is_random)
            cases.append(one)
            references.append(reference)
            seconds.append(took)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "cases.json"
        path.write_text(json.dumps(cases))
        same, exact = (json.loads(subprocess.run([options.program, str(path), *words], check=True,
                                                 capture_output=True, text=True).stdout)
                       for words in ([], ["--exact"]))
    print(f"gaia beside pymdp {version}, largest difference over {STEPS} steps; then that of exact G")
    print(f"{'':26}{'beliefs':>10}{'G':>10}{'posterior':>10}{'learnt':>10}{'exact G':>10}"
          f"{'actions':>9}{'pymdp ms':>10}{'gaia ms':>9}")
    worst = dict.fromkeys(("beliefs", "G", "posterior", "learnt"), 0.0)
    exact_worst, faster = 0.0, []
    for gaia, other, pymdp, took in zip(same, exact, references, seconds):
        found = differences(gaia, pymdp)
        exact_g = differences(other, pymdp)["G"]
        agree = sum(g["action"] == p["action"] for g, p in zip(gaia["steps"], pymdp["steps"]))
        print(f"{gaia['name']:26}" + "".join(f"{found[key]:10.1e}" for key in worst)
              + f"{exact_g:10.1e}{agree:5} of {STEPS}{1e3 * took:9.2f}{1e3 * gaia['seconds']:9.2f}")
        worst = {key: max(worst[key], found[key]) for key in worst}
        exact_worst = max(exact_worst, exact_g)
        faster.append(took / gaia["seconds"])
    print(f"{'worst':26}" + "".join(f"{worst[key]:10.1e}" for key in worst) + f"{exact_worst:10.1e}")
    print(f"pymdp's time by gaia's: median {np.median(faster):.0f}, {min(faster):.0f} to {max(faster):.0f}")
    if options.vectors:
        kept = [{"case": case, "expected": reference} for case, reference in zip(cases, references)
                if case["name"] in KEPT]
        text = json.dumps(rounded({"computed_by": f"inferactively-pymdp {version}, MIT licence",
                                   "cases": kept}), separators=(",", ":"))
        pathlib.Path(options.vectors).write_text(text.replace('{"case"', '\n{"case"') + "\n")
    sys.exit(0 if max(worst.values()) <= LIMIT else 1)


if __name__ == "__main__":
    main()
