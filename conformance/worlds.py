#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares gaia's pendulum and mountain car with Gymnasium's.

    python3 conformance/worlds.py PROGRAM [--vectors FILE]

PROGRAM is `worlds`, which is built of benchmarks/worlds.cpp.  Needed: pip install
"gymnasium==1.4.0", in an environment of its own.

Both get the same states and random actions, some of them beyond the bounds: 200 trajectories each.
Gymnasium rounds what it stores or shows to float32; here its float32 is replaced by float64, so
that the equations are compared.  Observations, states, rewards and whether the episode ends have to
agree within 1e-12 after every step, with gaia in the state that Gymnasium had before it.  How far
whole trajectories are apart is printed too: there rounding grows as the pendulum's motion makes it
grow.  Ends with 1 if something differs by more.

--vectors writes some trajectories with what Gymnasium computes, which tests/agents/continuous reads.
"""

import argparse
import importlib.metadata
import json
import subprocess
import sys
import types

import numpy as np
from gymnasium.envs.classic_control import continuous_mountain_car, pendulum

LIMIT = 1e-12
TRAJECTORIES, STEPS = 200, 200
KEPT, KEPT_STEPS = 3, 25  # of each world, for the vectors

for module in (pendulum, continuous_mountain_car):
    module.np = types.SimpleNamespace(**{**vars(np), "float32": np.float64})


def world(name):
    if name == "pendulum":
        return pendulum.PendulumEnv()
    return continuous_mountain_car.Continuous_MountainCarEnv()


def trajectory(name, number):
    """Random actions from a random state, and what Gymnasium does."""
    draw = np.random.default_rng([number, len(name)])
    env = world(name)
    env.reset(seed=number)
    if name == "pendulum":
        env.state = draw.uniform([-7, -8], [7, 8])
        bound = 2.0
    else:  # also close to the goal and to the left end
        env.state = draw.uniform([-1.2, -0.07], [0.44, 0.07])
        bound = 1.0
    start = [float(v) for v in env.state]
    states, actions, found = [], [], {"observations": [], "states": [], "rewards": [], "terminal": []}
    force = 0.0
    for t in range(STEPS):
        if t % 10 == 0:  # held, so that all speeds and both ends come about
            force = draw.uniform(-1.3 * bound, 1.3 * bound)
        action = np.array([force])
        states.append([float(v) for v in env.state])
        actions.append([float(action[0])])
        observation, reward, terminated, _, _ = env.step(action)
        assert observation.dtype == np.float64
        found["observations"].append([float(v) for v in observation])
        found["states"].append([float(v) for v in env.state])
        found["rewards"].append(float(reward))
        found["terminal"].append(bool(terminated))
        if terminated:
            break
    return {"world": name, "state": start, "states": states, "actions": actions}, found


def difference(one, other):
    return max(float(np.max(np.abs(np.array(one[key], dtype=float) - np.array(other[key], dtype=float))))
               for key in ("observations", "states", "rewards", "terminal"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--vectors")
    options = parser.parse_args()
    cases, expected = [], []
    for name in ("pendulum", "mountain_car"):
        for number in range(TRAJECTORIES):
            case, found = trajectory(name, number)
            cases.append(case)
            expected.append(found)
    whole = [{key: case[key] for key in ("world", "state", "actions")} for case in cases]
    results = json.loads(subprocess.run([options.program], input=json.dumps(cases + whole), check=True,
                                        capture_output=True, text=True).stdout)
    worst = 0.0
    for name in ("pendulum", "mountain_car"):
        chosen = [i for i, case in enumerate(cases) if case["world"] == name]
        step = max(difference(results[i], expected[i]) for i in chosen)
        along = max(difference(results[len(cases) + i], expected[i]) for i in chosen)
        ends = sum(expected[i]["terminal"][-1] for i in chosen)
        print(f"{name}: {sum(len(cases[i]['actions']) for i in chosen)} steps in {len(chosen)} "
              f"trajectories, {ends} to the goal; a step differs by {step:.1e} at most, "
              f"whole trajectories by {along:.1e}")
        worst = max(worst, step)
    if options.vectors:
        kept = []
        for name in ("pendulum", "mountain_car"):
            chosen = [i for i, case in enumerate(cases) if case["world"] == name]
            chosen.sort(key=lambda i: (not expected[i]["terminal"][-1], i))
            for i in chosen[:KEPT]:
                last = slice(-KEPT_STEPS, None)
                kept.append({"case": {"world": name, "states": cases[i]["states"][last],
                                      "actions": cases[i]["actions"][last]},
                             "expected": {key: values[last] for key, values in expected[i].items()}})
        with open(options.vectors, "w") as file:
            json.dump({"computed_by": f"gymnasium {importlib.metadata.version('gymnasium')}, MIT licence",
                       "cases": kept}, file, separators=(",", ":"))
            file.write("\n")
    if worst > LIMIT:
        sys.exit(f"expected {LIMIT:.0e} at most")


if __name__ == "__main__":
    main()
