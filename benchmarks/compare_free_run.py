#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares how far reservoirs go that read what they have said, in gaia and in ReservoirPy.

    compare_free_run.py GAIA [--seeds N] [--first SEED] [--work FOLDER]

experiments/mackey_glass_free_run.yaml and experiments/lorenz_free_run.yaml are run by GAIA, the program, without
controls, for N seeds (ten, from 101 on).  ReservoirPy's Reservoir (as many neurons, the same leak, spectral radius,
density, and ranges of input weights and biases, weights drawn by its own generator from the same seed) and its Ridge
read the same rows, from the results file, and are trained on as many.  Both then go on by themselves from the same
steps, and are scored by the same formulas, those of docs/experiments.md, in NumPy.  Its Ridge solves normal equations:
of the experiment's regularisation and 100 and 1e4 times as much it gets the one that is best over all seeds, by the very
scores that are reported, which gaia does not.  What gaia's file says its scores are has to be what comes of its
forecasts here: the exit code is 1 otherwise.

For Mackey-Glass the median over seeds of NRMSE84 is reported, for Lorenz the mean over seeds of the Lyapunov times for
which forecasts are valid (steps times 0.02 times 0.906); and the seconds that a seed takes, of gaia with reading,
writing and starting the program, of ReservoirPy with one
regularisation.  The table goes to the standard output as Markdown.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import h5py
import numpy as np

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[1] / "experiments"
LYAPUNOV = 0.906  # of the Lorenz system
RIDGES = (1.0, 1e2, 1e4)  # of the experiment's, for ReservoirPy


def scores(said, came, series, at, threshold):
    """nrmse_at and the mean of valid_steps: said and came are [starts, steps, channels]."""
    variance = series.var(axis=0).sum()
    square = ((said - came) ** 2).sum(axis=2)
    bad = ~(np.sqrt(square / variance) <= threshold)
    valid = np.where(bad.any(axis=1), bad.argmax(axis=1), said.shape[1])
    return np.sqrt(square[:, at - 1].mean() / variance), valid.mean()


def of_gaia(program, name, seed, folder):
    """The scores, the results file, and how long it took."""
    path = folder / f"{name}-{seed}.h5"
    start = time.perf_counter()
    subprocess.run([program, "run", str(EXPERIMENTS / f"{name}.yaml"), "--set", f"seed={seed}", "--set", "controls=none",
                    "--set", "output.inputs=all", "--output", str(path), "--overwrite", "--quiet"], check=True)
    seconds = time.perf_counter() - start
    with h5py.File(path) as file:
        readout, run = file["readouts/next"], file["readouts/next/free_run"]
        series = file["data/samples"][()]
        said, came = run["prediction"][()], run["target"][()]
        if said.ndim == 2:
            said, came = said[..., None], came[..., None]
        attributes = dict(readout.attrs)
        at = int(attributes.get("free_run_at", attributes["free_run_steps"]))
        found = scores(said, came, series, at, attributes["free_run_threshold"])
        told = (attributes["nrmse_at"], attributes["valid_steps"])
        if not np.allclose(found, told, rtol=1e-8):
            sys.exit(f"{path}: its scores are {told}, its forecasts come to {found}")
        layer = dict(file["levels/0/layers/0"].attrs)
        facts = {"series": series, "start": run["start"][()], "steps": said.shape[1], "at": at,
                 "threshold": attributes["free_run_threshold"], "ridge": attributes["ridge"],
                 "skip": int(attributes["skip"] * (len(series) - 1)), "ticks": int(attributes["training_ticks"]),
                 "neurons": file["levels/0/layers/0/weights"].shape[0], "layer": layer}
    return found, facts, seconds


def of_reservoirpy(facts, seed):
    """The scores of ReservoirPy on the same rows by regularisation, and how long it takes with one of them."""
    from reservoirpy.mat_gen import uniform
    from reservoirpy.nodes import Reservoir, Ridge
    begin = time.perf_counter()
    layer, series = facts["layer"], facts["series"]
    width = 0.01 * layer["input_scale"]  # init: uniform
    reservoir = Reservoir(facts["neurons"], lr=layer["leak"], sr=layer["spectral_radius"], input_scaling=1.0,
                          input_connectivity=1.0, rc_connectivity=layer["density"], Win=uniform(low=-width, high=width),
                          bias=uniform(low=-layer["bias_scale"], high=layer["bias_scale"]), seed=seed)
    states = reservoir.run(series)
    trained = slice(facts["skip"], facts["skip"] + facts["ticks"])
    features, targets = states[trained], series[1:][trained]
    came = np.array([series[s:s + facts["steps"]] for s in facts["start"]])
    shared = time.perf_counter() - begin
    found, seconds = {}, []
    for relative in (facts["ridge"] * factor for factor in RIDGES):
        begin = time.perf_counter()
        # gaia's ridge is relative to the mean variance of the features, and added to a mean square error.
        ridge = Ridge(ridge=relative * features.var(axis=0).mean() * len(features))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the matrix is ill conditioned
            ridge.fit(features, targets)
        said = []
        for first in facts["start"]:
            reservoir.state = {"out": states[first - 1]}
            forecasts = [np.ravel(ridge.run(states[first - 1:first])[0])]
            while len(forecasts) < facts["steps"]:
                shown = np.ravel(reservoir.step(forecasts[-1]))
                forecasts.append(np.ravel(ridge.run(shown[None])[0]))
            said.append(forecasts)
        found[relative] = scores(np.array(said), came, series, facts["at"], facts["threshold"])
        seconds.append(time.perf_counter() - begin)
    return found, shared + statistics.median(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gaia", help="the program")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=101)
    parser.add_argument("--work", type=pathlib.Path, help="folder for results; one that is removed if it is not given")
    arguments = parser.parse_args()
    import reservoirpy
    if hasattr(reservoirpy, "verbosity"):
        reservoirpy.verbosity(0)
    removed = tempfile.TemporaryDirectory()
    folder = arguments.work or pathlib.Path(removed.name)
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{arguments.seeds} seeds from {arguments.first}; ReservoirPy {reservoirpy.__version__}, NumPy {np.__version__}\n")
    print("| experiment | measure | gaia | ReservoirPy | s, gaia | s, ReservoirPy |")
    print("|---|---|---|---|---|---|")
    for name, measure in (("mackey_glass_free_run", "NRMSE84, median (least to largest)"),
                          ("lorenz_free_run", "Lyapunov times, mean (least to largest)")):
        is_error = name.startswith("mackey")
        which, factor = (0, 1.0) if is_error else (1, 0.02 * LYAPUNOV)
        middle = statistics.median if is_error else statistics.mean
        ours, theirs, seconds = [], {}, ([], [])
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            own, facts, took = of_gaia(arguments.gaia, name, seed, folder)
            other, took_other = of_reservoirpy(facts, seed)
            ours.append(own[which] * factor)
            for relative, reached in other.items():
                theirs.setdefault(relative, []).append(reached[which] * factor)
            seconds[0].append(took)
            seconds[1].append(took_other)
        best = (min if is_error else max)(theirs, key=lambda relative: middle(theirs[relative]))
        text = [f"{middle(all_of):.3g} ({min(all_of):.3g} to {max(all_of):.3g})" for all_of in (ours, theirs[best])]
        text[1] += f", ridge {best:.0e}"
        print(f"| `{name}` | {measure} | {text[0]} | {text[1]} | {statistics.median(seconds[0]):.1f} | "
              f"{statistics.median(seconds[1]):.1f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
