#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what people wait for around the computing: whole runs of `gaia run` compared with the library on the same
rows in memory, a run over a CSV compared with polars, and starts.

    runs.py [--program GAIA] [--package FOLDER] [--rounds N] [--threads N] [--results FOLDER]

- oja, events: 40 000 rows of 784 numbers from an .npy through a layer of 400 neurons that learns at every row, Oja's
  rule on Gaussian numbers and spiking neurons with traces on rows of which 2 % are spikes. The library gets the same
  rows as an array. The weights of both must be the same before a time counts.
- csv: a layer of one neuron over 2 000 000 rows of eight columns, compared with polars.read_csv on as many threads,
  which parses and keeps the numbers alone. Both must read the numbers that were written.
- start: `gaia --version`, and a run of ten rows through 1000 -> 2000 neurons.

The programs take turns; a figure is the median of the rounds, with the middle half beside it. The table goes to the
standard output as Markdown, with --results also to DATE-runs-THREADS.md and .json.
"""

import argparse
import datetime
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
from peers_harness import middle, processor, write_results

ROWS, INPUTS = 40_000, 784
LAYERS = {
    "oja": "{type: hebbian, size: 400, rule: oja, learning_rate: 0.0001}",
    "events": "{type: hebbian, size: 400, rule: stdp, neuron: lif, learning_rate: 0.0001}",
}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path("build/release/bin/gaia"))
    parser.add_argument("--package", type=pathlib.Path, default=pathlib.Path("build/release/python"),
                        help="folder in which the package `gaia` lies")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--results", type=pathlib.Path, help="folder of DATE-runs-THREADS.md and .json")
    return parser.parse_args()


def experiment(path, layer):
    return (f"experiment: runs\ndevice: cpu\ndata: {{source: file, path: {path}}}\n"
            f"hierarchy: {{levels: [{{layers: [{layer}]}}]}}\n"
            "controls: none\noutput: {path: result.h5, representations: none}\n")


class Timer:
    """Seconds of what is called, by name; the first round only warms files and caches."""

    def __init__(self, rounds):
        self.rounds, self.times = rounds, {}

    def turns(self, calls):
        for round_number in range(self.rounds + 1):
            for name, call in calls.items():
                start = time.perf_counter()
                call()
                if round_number > 0:
                    self.times.setdefault(name, []).append(time.perf_counter() - start)


def main():
    settings = parse_arguments()
    os.environ.update({"GAIA_NUM_THREADS": str(settings.threads), "POLARS_MAX_THREADS": str(settings.threads)})
    sys.path.insert(0, str(settings.package.resolve()))
    import gaia
    import polars
    import yaml
    gaia_program = str(settings.program.resolve())
    timer, load = Timer(settings.rounds), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        def run(file):
            done = subprocess.run([gaia_program, "run", "--overwrite", "-q", file], cwd=folder, text=True,
                                  capture_output=True)
            if done.returncode != 0:
                sys.exit(f"{file}: {done.stderr}")

        def write(name, text):
            (pathlib.Path(folder) / name).write_text(text)

        random = np.random.default_rng(1)
        rows = {"oja": random.standard_normal((ROWS, INPUTS), dtype="float32"),
                "events": (random.random((ROWS, INPUTS), dtype="float32") < 0.02).astype("float32")}
        def process(name, layer):
            hierarchy = gaia.Hierarchy.from_experiment(yaml.safe_load(experiment(name, layer)), rows[name].shape[1])
            hierarchy.process(rows[name])
            return hierarchy.weights(0, 0)

        def check(name, layer):
            """Ends the program unless a run over the file comes to the weights of the library."""
            run(f"{name}.yaml")
            with h5py.File(f"{folder}/result.h5") as file:
                if not np.array_equal(file["levels/0/layers/0/weights"][...], process(name, layer)):
                    sys.exit(f"{name}: the weights of the run are not those of the library; nothing measured")

        for name, layer in LAYERS.items():
            np.save(f"{folder}/{name}.npy", rows[name])
            write(f"{name}.yaml", experiment(f"{name}.npy", layer))
            check(name, layer)
            timer.turns({f"{name}, gaia run": lambda name=name: run(f"{name}.yaml"),
                         f"{name}, library": lambda name=name, layer=layer: process(name, layer)})

        table = np.round(random.standard_normal((2_000_000, 8)), 4)
        polars.DataFrame(table, schema=[f"c{i}" for i in range(8)]).write_csv(f"{folder}/table.csv")
        one = "{type: hebbian, size: 1, rule: oja, learning_rate: 0.0001}"
        write("csv.yaml", experiment("table.csv", one))
        rows["csv"] = table.astype("float32")
        check("csv", one)
        if not np.array_equal(polars.read_csv(f"{folder}/table.csv").to_numpy(), table):
            sys.exit("csv: polars reads other numbers; nothing measured")
        timer.turns({"csv, gaia run": lambda: run("csv.yaml"),
                     "csv, polars": lambda: polars.read_csv(f"{folder}/table.csv")})

        np.save(f"{folder}/start.npy", random.standard_normal((10, 1000), dtype="float32"))
        write("start.yaml", experiment("start.npy", "{type: hebbian, size: 2000, rule: oja, learning_rate: 0.0001}"))
        timer.turns({"start, 1000 → 2000": lambda: run("start.yaml"),
                     "start, gaia --version": lambda: subprocess.run([gaia_program, "--version"], check=True,
                                                                     capture_output=True)})
        size = os.path.getsize(f"{folder}/table.csv") / 1e6

    found = {name: middle(times) for name, times in timer.times.items()}
    lines = [f"# Whole runs, {datetime.date.today().isoformat()}", "",
             f"{processor()}, {settings.threads} thread(s); gaia {gaia.__version__}, polars {polars.__version__}. Made "
             f"by `benchmarks/runs.py`, which says what is measured. Medians of {settings.rounds} rounds in turns; the "
             f"CSV has {size:.0f} MB. Load of the machine when it began and ended: {load:.1f} and "
             f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} processors.", "",
             "| what | ms | middle half |", "|---|---|---|"]
    lines += [f"| {name} | {1e3 * median:.1f} | {100 * spread:.0f} % |" for name, (median, spread) in found.items()]
    ratios = {f"{name}: a run takes so many times as long as the library":
              statistics.median(timer.times[f"{name}, gaia run"]) / statistics.median(timer.times[f"{name}, library"])
              for name in LAYERS}
    ratios["csv: a run takes so many times as long as polars"] = found["csv, gaia run"][0] / found["csv, polars"][0]
    lines += ["", *(f"- {text}: {ratio:.2f}" for text, ratio in ratios.items())]
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if settings.results:
        context = {"date": datetime.date.today().isoformat(), "cpu": processor(), "threads": settings.threads}
        write_results(settings.results, f"runs-{settings.threads}", text,
                      {"context": context, "times": timer.times, "ratios": ratios})


if __name__ == "__main__":
    main()
