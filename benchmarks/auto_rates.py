#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests whether `learning_rate: auto` can be trusted.  Over the shipped series and every generator, it compares
hierarchies of one to three levels at several resolutions, several seeds each, learnt at rates that are found, with the
same with frozen weights.

    PYTHONPATH=build/release/python python3 benchmarks/auto_rates.py [--seeds 10] [--steps 4000] [--only ecg,lorenz]
                                                                     [--rules sanger,oja_subspace] [--output FILE.csv]

A case is a series, a rule, a number of levels and a resolution.  It counts as behind where the mean score of the learnt
hierarchies is below that of the frozen ones by more than the standard deviation of the frozen ones over the seeds.  The
last line tells how many cases are behind, how many runs diverged, and how many of the runs in which learning loses said
at their end that the rate is the likely cause.
"""
import argparse
import csv
import itertools
import pathlib
import sys
import tempfile

import gaia
import numpy as np

DATA = pathlib.Path(__file__).resolve().parents[1] / "experiments" / "data"

# Data that are read, and what is asked of them: keys of `data`, the readout's target.  Values of nothing are held by
# the reader.
SERIES = {
    "sunspots": ({"source": "file", "path": str(DATA / "sunspots_yearly.csv"), "columns": ["SUNACTIVITY"], "window": 12,
                  "normalize": "zscore"}, {"channel": 0, "horizon": 1}),
    "co2": ({"source": "file", "path": str(DATA / "co2_mauna_loa_weekly.csv"), "columns": ["co2"], "window": 26,
             "missing": "interpolate", "normalize": "zscore"}, {"channel": 0, "horizon": 4, "change": True}),
    "ecg": ({"source": "file", "path": str(DATA / "ecg.h5"), "dataset": "/ecg", "window": 32, "normalize": "zscore"},
            {"channel": 0, "horizon": 4}),
    "digits": ({"source": "file", "path": str(DATA / "digits.csv"), "labels": "label", "normalize": "zscore"},
               {"label": True}),
    "gaussian": ({"source": "generator", "kind": "gaussian", "spectrum": [4, 2, 1, 0.5, 0.25, 0.12]},
                 {"latent": 0}),
    "sines": ({"source": "generator", "kind": "sines", "frequencies": [0.01, 0.037], "channels": 3, "noise": 0.2,
               "window": 8}, {"channel": 0, "horizon": 4}),
    "ornstein_uhlenbeck": ({"source": "generator", "kind": "ornstein_uhlenbeck", "channels": 8, "tau": [20], "window": 25},
                           {"channel": 0, "horizon": 4}),
    "lorenz": ({"source": "generator", "kind": "lorenz", "window": 4, "normalize": "zscore"},
               {"channel": 0, "horizon": 4}),
    "mackey_glass": ({"source": "generator", "kind": "mackey_glass", "window": 16, "normalize": "zscore"},
                     {"channel": 0, "horizon": 6}),
    "narma10": ({"source": "generator", "kind": "narma10", "window": 10, "normalize": "zscore"},
                {"channel": 1, "horizon": 1}),
    "poisson": ({"source": "generator", "kind": "poisson", "rates": [0.1, 0.2, 0.3, 0.4],
                 "depths": [0.9, 0.9, 0.9, 0.9], "window": 8}, {"channel": 0, "horizon": 1}),
    "patterns": ({"source": "generator", "kind": "patterns", "count": 4, "channels": 8, "noise": 0.3, "window": 2},
                 {"channel": 0, "horizon": 1}),
    "associations": ({"source": "generator", "kind": "associations", "window": 2}, {"channel": 1, "horizon": 1}),
}


def experiment(name, rule, levels, resolution, steps):
    """The experiment of a case: levels of 4, 3 and 2 neurons at the resolutions 1, r and 2 r; a single one at r."""
    data, target = SERIES[name]
    data = dict(data)
    if data["source"] == "generator" or name == "ecg":
        data["steps"] = steps
    parts = []
    for level in range(levels):
        every = resolution * max(1, level) if levels == 1 or level > 0 else 1
        parts.append({"temporal_resolution": every, "pooling": "mean",
                      "layers": [{"type": "hebbian", "size": 4 - level, "rule": rule,
                                  "init": "orthogonal" if resolution == 25 else "he", "learning_rate": "auto"}]})
    kind = "logistic" if "label" in target else "ridge"
    return {"experiment": "auto", "data": data, "hierarchy": {"levels": parts}, "controls": ["frozen"],
            "readouts": [{"name": "r", "type": kind, "target": target, "levels": list(range(levels))}],
            "output": {"weights": "none", "representations": "none"}}


def scores_of(case, seed, folder):
    """Score of the learnt and of the frozen weights, and whether the run named the rate as the cause."""
    result = gaia.run(case, seed=seed, output=folder / "r.h5", overwrite=True, progress=None)
    one = result.scores[0]
    frozen = [other for other in one["others"] if other["name"].startswith("frozen")]
    return one["score"]["value"], frozen[0]["value"], result.verdict or ""


def survey(arguments):
    names = arguments.only.split(",") if arguments.only else list(SERIES)
    cases = [(name, rule, levels, resolution)
             for name, rule, levels, resolution in itertools.product(names, arguments.rules.split(","), (1, 2, 3),
                                                                     (1, 4, 25))]
    rows, diverged, lost, told = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, rule, levels, resolution in cases:
            learnt, frozen = [], []
            for seed in range(1, arguments.seeds + 1):
                try:
                    score, control, verdict = scores_of(experiment(name, rule, levels, resolution, arguments.steps), seed,
                                                        pathlib.Path(folder))
                except gaia.DivergedError as error:
                    diverged += 1
                    print(f"{name} {rule} {levels} @{resolution} seed {seed}: {error}", file=sys.stderr)
                    continue
                except gaia.ConfigError as error:  # too few ticks for a readout
                    print(f"{name} {rule} {levels} @{resolution}: left out: {error}", file=sys.stderr)
                    break
                learnt.append(score)
                frozen.append(control)
                lost += "learning loses" in verdict
                told += "the likely cause that learning loses is learning_rate: auto" in verdict
            pairs = np.array([learnt, frozen], dtype=float)
            pairs = pairs[:, np.isfinite(pairs).all(axis=0)]
            if pairs.shape[1] < 2:
                continue
            spread = pairs[1].std(ddof=1)
            behind = pairs[0].mean() < pairs[1].mean() - spread
            rows.append([name, rule, levels, resolution, *pairs.mean(axis=1).round(4), round(spread, 4), int(behind)])
            print(*rows[-1], sep="\t", flush=True)
    return rows, diverged, lost, told


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--only", default="")
    parser.add_argument("--rules", default="sanger,oja_subspace")
    parser.add_argument("--output", default="")
    arguments = parser.parse_args()
    header = ["series", "rule", "levels", "resolution", "learnt", "frozen", "spread", "behind"]
    print(*header, sep="\t")
    rows, diverged, lost, told = survey(arguments)
    if arguments.output:
        with open(arguments.output, "w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    behind = sum(row[-1] for row in rows)
    print(f"{behind} of {len(rows)} cases are behind; {diverged} runs diverged; of {lost} runs in which learning loses "
          f"{told} name the rate")
    return 0 if diverged == 0 and told == lost and behind <= 0.1 * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
