#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares fronts of several objectives: gaia's MO-CMA-ES and pymoo's NSGA2, by hypervolume after as many evaluations.

    pip install pymoo
    python benchmarks/peers_fronts.py --seeds 10 --json benchmarks/results/DATE-fronts.json

Both get the same functions of [candidates, parameters] and a box of [0, 1] for each parameter, and what is measured is
the last population of each: 50 of MO-CMA-ES, 50 and 100 (its default) of NSGA2.  The reference points belong to the
problems: beyond the ends of their fronts by a tenth of [0, 1].

zdt1, zdt2, zdt3   Zitzler, Deb & Thiele 2000, 30 parameters: a = x_1, g = 1 + 9 mean(x_2 ..), f = (a, g h(a/g, a))
bowls              two long quadratic bowls, turned: |D Q (x - c)|^2 around two centres, D from 1 to 10^1.5, 10 parameters
dtlz2              Deb, Thiele, Laumanns & Zitzler 2005, 3 objectives, 12 parameters: an eighth of a sphere
turned zdt1        10 parameters, y = Q (2 x - 1), a = |y_1| / (the largest for which the front is in the box),
                   g = 1 + 9 mean(|y_2|, ..), f = (a, g (1 - sqrt(min(a, 1)/g))): the front is zdt1's
"""
import argparse
import json
import platform
import sys

import numpy as np


def zdt(which):
    def values(x):
        a, g = x[:, 0], 1 + 9 * x[:, 1:].mean(1)
        share = a / g
        height = {1: 1 - np.sqrt(share), 2: 1 - share**2,
                  3: 1 - np.sqrt(share) - share * np.sin(10 * np.pi * a)}[which]
        return np.column_stack([a, g * height])
    return values


def turn(n):
    return np.linalg.qr(np.random.default_rng(0).normal(size=(n, n)))[0]


def bowls(n):
    q, stretch = turn(n), 10 ** (1.5 * np.arange(n) / (n - 1))
    centres = [0.5 * np.ones(n), 0.5 + 0.4 * q[0]]
    return lambda x: np.column_stack([((((x - c) @ q.T) * stretch) ** 2).sum(1) for c in centres])


def dtlz2(x):
    g = ((x[:, 2:] - 0.5) ** 2).sum(1)
    c, s = np.cos(x[:, :2] * np.pi / 2), np.sin(x[:, :2] * np.pi / 2)
    return (1 + g)[:, None] * np.column_stack([c[:, 0] * c[:, 1], c[:, 0] * s[:, 1], s[:, 0]])


def turned_zdt1(n):
    q = turn(n)

    def values(x):
        y = (2 * x - 1) @ q.T
        a = np.abs(y[:, 0]) * np.abs(q[0]).max()
        g = 1 + 9 * np.abs(y[:, 1:]).mean(1)
        return np.column_stack([a, g * (1 - np.sqrt(np.minimum(a, 1) / g))])
    return values


PROBLEMS = {  # the function, its parameters, evaluations, the reference
    "zdt1": (zdt(1), 30, 10000, [1.1, 1.1]),
    "zdt2": (zdt(2), 30, 10000, [1.1, 1.1]),
    "zdt3": (zdt(3), 30, 10000, [1.1, 1.1]),
    "bowls": (bowls(10), 10, 20000, [1.0, 1.0]),
    "dtlz2": (dtlz2, 12, 10000, [1.1, 1.1, 1.1]),
    "turned zdt1": (turned_zdt1(10), 10, 10000, [1.1, 1.1]),
}


def by_gaia(gaia, function, n, evaluations, objectives, seed, population, step):
    first = np.random.default_rng(seed).random((population, n))
    strategy = gaia.MoCmaEs(first, step, objectives=objectives, low=np.zeros(n), high=np.ones(n), seed=seed)
    for _ in range(evaluations // population):
        strategy.tell(function(np.asarray(strategy.ask())))
    return function(np.clip(np.asarray(strategy.points), 0, 1))


def by_pymoo(function, n, evaluations, objectives, seed, population):
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.problem import Problem
    from pymoo.optimize import minimize

    class Given(Problem):
        def __init__(self):
            super().__init__(n_var=n, n_obj=objectives, xl=0.0, xu=1.0)

        def _evaluate(self, x, out, *args, **kwargs):
            out["F"] = function(x)

    return minimize(Given(), NSGA2(pop_size=population), ("n_eval", evaluations), seed=seed, verbose=False).F


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--population", type=int, default=50)
    parser.add_argument("--peer-populations", type=int, nargs="+", default=[50, 100])
    parser.add_argument("--step", type=float, default=0.1, help="first step of MO-CMA-ES, as a share of the box")
    parser.add_argument("--evaluations", type=int, help="in place of each problem's own")
    parser.add_argument("--without-peers", action="store_true")
    parser.add_argument("--json", help="write all numbers there")
    arguments = parser.parse_args()
    import gaia
    rows = []
    for name in arguments.problems:
        function, n, evaluations, reference = PROBLEMS[name]
        given = (function, n, arguments.evaluations or evaluations, len(reference))
        volumes = {}
        for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
            fronts = {"gaia": by_gaia(gaia, *given, seed, arguments.population, arguments.step)}
            for population in [] if arguments.without_peers else arguments.peer_populations:
                fronts[f"pymoo {population}"] = by_pymoo(*given, seed, population)
            for who, values in fronts.items():
                volumes.setdefault(who, []).append(gaia.hypervolume(values, reference))
        rows.append({"problem": name, "parameters": n, "evaluations": given[2], "reference": reference,
                     "hypervolume": volumes})
        told = ", ".join(f"{who} {np.mean(of):.4f} +- {np.std(of, ddof=1) if len(of) > 1 else np.nan:.4f}"
                         for who, of in volumes.items())
        print(f"{name:12s} {given[2]} evaluations, {len(volumes['gaia'])} seeds: {told}", flush=True)
    if arguments.json:
        versions = {"numpy": np.__version__, "python": platform.python_version()}
        if not arguments.without_peers:
            import pymoo
            versions["pymoo"] = pymoo.__version__
        with open(arguments.json, "w") as file:
            json.dump({"population": arguments.population, "step": arguments.step, "first_seed": arguments.first_seed,
                       "versions": versions, "rows": rows}, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
