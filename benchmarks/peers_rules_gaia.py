# SPDX-License-Identifier: MIT
"""gaia's program on the models of peers_rules.py, from a YAML file, an .npy and an .h5 of weights.

A time is the difference of a long run and a short one, which differ in how often they read the
series (`epochs`): the start, the first look through the file and the results, which both have,
cancel.  Reading the rows and what is reported of each block of ticks stay in.
"""

import pathlib
import resource
import subprocess
import time

import h5py
import numpy as np

from peers_rules_models import CHECKED_TICKS, deviation, reference

MOST_EPOCHS = 4000


def time_of_children():
    """Processor time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Gaia:
    """`folder` gets its files.  At the default executor, which computes chunks of ticks and is exact."""

    def __init__(self, program, work, folder, clock="wall"):
        self.program, self.work, self.folder = str(pathlib.Path(program).resolve()), work, folder
        self.epochs, self.now = 2, time.perf_counter if clock == "wall" else time_of_children
        np.save(folder / "series.npy",
                np.column_stack([work.x, work.reward]).astype("float32"))
        self.result = folder / "result.h5"

    def call(self, *arguments):
        done = subprocess.run([self.program, *arguments], cwd=self.folder, text=True,
                              capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"gaia: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def version(self):
        return self.call("--version").split("\n")[0].strip()

    def begin(self, dtype, rate):
        """Writes the experiment and the weights that it begins with."""
        neurons, inputs = self.work.w.shape
        model = self.work.model
        keys = dict(model.parameters)
        if model.spikes:
            keys |= {"neuron": "lif", "init": "uniform"}
        if model.name == "reward_stdp":
            keys["signals"] = f"{{reward: {inputs}}}"
        layer = "".join(f"          {key}: {value}\n" for key, value in keys.items())
        text = f"""experiment: peers_rules
device: cpu
dtype: {dtype}
data:
  source: file
  path: series.npy
  columns: [{', '.join(map(str, range(inputs)))}]
  targets: [{inputs}]
hierarchy:
  levels:
    - layers:
        - type: hebbian
          size: {neurons}
          rule: {model.name}
          learning_rate: {rate!r}
{layer}controls: none
output: {{path: result.h5, representations: none}}
"""
        (self.folder / "blank.yaml").write_text(text)
        self.run("blank.yaml", "hierarchy.learn=false", "data.steps=1", "output.path=initial.h5")
        with h5py.File(self.folder / "initial.h5", "r+") as file:
            file["levels/0/layers/0/weights"][...] = self.work.w
        (self.folder / "experiment.yaml").write_text(
            text.replace("hierarchy:\n", "hierarchy:\n  from: initial.h5\n"))

    def run(self, file, *settings):
        options = [word for setting in settings for word in ("--set", setting)]
        self.call("run", file, "--quiet", "--overwrite", "--threads", "1", *options)

    def check(self):
        """How far the weights are from the loop's, by dtype."""
        wanted, _ = reference(self.work)
        found = {}
        for dtype in ("float64", "float32"):
            self.begin(dtype, self.work.model.rate)
            self.run("experiment.yaml", f"data.steps={CHECKED_TICKS}")
            with h5py.File(self.result) as file:
                found[dtype] = deviation(file["levels/0/layers/0/weights"][...], wanted)
        self.begin("float32", self.work.model.clock_rate)
        return found

    def seconds(self, epochs):
        begin = self.now()
        self.run("experiment.yaml", f"hierarchy.epochs={epochs}")
        return self.now() - begin

    def time(self, least):
        """Ticks per second, over `least` seconds or more."""
        while True:
            short, long = self.seconds(1), self.seconds(1 + self.epochs)
            if long - short >= least or self.epochs >= MOST_EPOCHS:
                return self.epochs * len(self.work.x) / (long - short)
            self.epochs *= 2
