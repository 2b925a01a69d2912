# SPDX-License-Identifier: MIT
"""Hierarchies of bench_operations by the package `gaia` of Python; see peers_cpu_work.py."""

import copy

import gaia
import numpy as np

import peers_cpu_work as work
from peers_cpu_work import CHECKED_STEPS
from peers_harness import Way, relative_error, sizes_of


def make_hierarchy(rule, sizes, dtype, first_learns):
    """Level n ticks every 2^n steps; all learn, or all but the first, whose rows of length one keep
    every rule in its working range."""
    def layer(n):
        if n == 0 and not first_learns:
            return gaia.Reactive(sizes[1])
        return gaia.Hebbian(sizes[n + 1], rule, learning_rate=1e-3, normalization="l2")

    levels = [gaia.Level(layer(n), temporal_resolution=1 << n) for n in range(len(sizes) - 1)]
    return gaia.Hierarchy(*levels, inputs=sizes[0], dtype=dtype, seed=42)


def reference_answers(hierarchy, rule, x, first_learns):
    """What its levels answer at their ticks, by the equations in float64."""
    layers, answers = [], []
    for n in range(len(hierarchy)):
        weights = hierarchy.weights(n).astype("float64")
        if n == 0 and not first_learns:
            layers.append(work.FixedLayer(weights, True))
        else:
            layers.append(work.ReferenceLayer(weights, rule, 1e-3, "l2"))
        answers.append(np.zeros(((len(x) - 1) // (1 << n) + 1, len(weights))))
    work.run_levels(layers, x.astype("float64"), answers)
    return answers


class Gaia(work.Library):
    version = f"gaia {gaia.__version__} ({gaia._gaia._git_commit()}) in Python"

    def __init__(self, threads):
        super().__init__()
        gaia.set_num_threads(threads)

    def ways(self, name):
        operation, *rest = name.split("/")
        if operation in ("hierarchy", "plastic_levels", "steps"):
            return self.levels(operation, *rest)
        return []

    def levels(self, operation, rule, sizes, steps, dtype):
        if rule.startswith("forward"):
            return []
        first_learns = operation != "hierarchy"
        x = self.normal(int(steps), sizes_of(sizes)[0], dtype=dtype, deviation=0.3)
        rows = list(x)
        fresh, state = make_hierarchy(rule, sizes_of(sizes), dtype, first_learns), {}

        def reset():
            state["hierarchy"] = copy.deepcopy(fresh)

        def run():
            state["hierarchy"].process(x)

        def run_by_steps():
            step = state["hierarchy"].step
            for row in rows:
                step(row)

        def error():
            part = x[:CHECKED_STEPS]
            wanted = reference_answers(fresh, rule, part, first_learns)
            reset()
            if operation != "steps":
                found = state["hierarchy"].process(part)
            else:  # a level holds what it shows until its next tick
                shown = [state["hierarchy"].step(row) for row in part]
                found = [[row[n] for row in shown[::1 << n]] for n in range(len(wanted))]
            return max(map(relative_error, found, wanted))

        return [Way(run_by_steps if operation == "steps" else run, error,
                    1e-3 if dtype == "float32" else 1e-10, reset)]
