#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes evaluations.h: how many evaluations CMA-ES of PyPI's `cma` takes.

    make.py > evaluations.h

Needs cma (pip install cma).  A minute.
"""
import sys

import cma
import numpy

FUNCTIONS = {
    # name: (function, coordinates of the start, first step)
    "sphere": (lambda x: (x**2).sum(), 1.0, 0.5),
    "ellipsoid": (lambda x: (10 ** (6 * numpy.arange(len(x)) / (len(x) - 1)) * x * x).sum(), 1.0, 0.5),
    "rosenbrock": (lambda x: (100 * (x[:-1] ** 2 - x[1:]) ** 2 + (x[:-1] - 1) ** 2).sum(), 0.1, 0.1),
}
TARGET = 1e-9


def evaluations(function, size, start, step, seed):
    strategy = cma.CMAEvolutionStrategy(
        [start] * size, step, {"verbose": -9, "seed": seed, "ftarget": TARGET, "maxfevals": 200000})
    strategy.optimize(function)
    if not strategy.best.f < TARGET:
        sys.exit(f"seed {seed} ended at {strategy.best.f}")
    return strategy.countevals


def rastrigin_successes(size, population):
    solved = 0
    for seed in range(1, 301):
        strategy = cma.CMAEvolutionStrategy(
            [3.0] * size, 2.0, {"verbose": -9, "seed": seed, "popsize": population, "ftarget": TARGET,
                                "maxfevals": 200000})
        strategy.optimize(lambda x: 10 * len(x) + (x * x - 10 * numpy.cos(2 * numpy.pi * x)).sum())
        solved += strategy.best.f < TARGET
    return solved


def bounded_successes(step):
    """The same of two numbers from -5.12 to 5.12, with 3000 evaluations: where the strategy ends, one of twice the
    population begins elsewhere."""
    low, high = -5.12, 5.12
    solved = 0
    for seed in range(1, 301):
        random = numpy.random.default_rng(seed)
        start, population, left, best = numpy.full(2, 3.0), 6, 3000, numpy.inf
        while left > 0 and not best < TARGET:
            strategy = cma.CMAEvolutionStrategy(
                start, step * (high - low), {"verbose": -9, "seed": int(random.integers(1, 2**31)), "bounds": [low, high],
                                             "popsize": population, "ftarget": TARGET, "maxfevals": left})
            strategy.optimize(lambda x: 10 * len(x) + (x * x - 10 * numpy.cos(2 * numpy.pi * x)).sum())
            best = min(best, strategy.best.f)
            left -= strategy.countevals
            start, population = low + (high - low) * random.random(2), 2 * population
        solved += best < TARGET
    return solved


def main():
    print(f"""// SPDX-License-Identifier: MIT
/// \\file
/// How many evaluations CMA-ES takes to get below 1e-9: the median over seeds 1 to `seeds`; and of how
/// many of 300 seeds it gets there on Rastrigin's function.
/// Made by make.py with cma {cma.__version__}.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// clang-format off
namespace gaia::test::pycma {{

struct Median {{
  std::string function;
  std::int64_t parameters;
  std::int64_t seeds;
  double evaluations;
}};

inline const std::vector<Median> medians = {{""")
    for name, (function, start, step) in FUNCTIONS.items():
        for size in (2, 5, 10, 20, 40):
            seeds = 101 if size < 10 else 15
            counts = [evaluations(function, size, start, step, seed) for seed in range(1, seeds + 1)]
            print(f'  {{"{name}", {size}, {seeds}, {numpy.median(counts):g}}},', flush=True)
    print("""};

struct Successes {
  std::int64_t parameters;
  std::int64_t population;
  int of_300;
};

inline const std::vector<Successes> rastrigin = {""")
    for size, population in ((2, 20), (5, 50), (5, 100)):
        print(f"  {{{size}, {population}, {rastrigin_successes(size, population)}}},", flush=True)
    print(f"""}};

/// Runs over two numbers in bounds, with a first step of half the range.
inline constexpr int bounded_of_300 = {bounded_successes(0.5)};

}}  // namespace gaia::test::pycma""")


if __name__ == "__main__":
    main()
