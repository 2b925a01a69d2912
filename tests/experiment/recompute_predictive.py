#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs small experiments with predictive layers, and recomputes each from its results file alone, in float64, tick by
tick, as docs/hierarchy.md says.  Exits with 77 where h5py or NumPy is missing, with 1 where something differs.

    recompute_predictive.py GAIA WORK_DIR
"""
import subprocess
import sys

from by_gaia import emptied, need

need("h5py", "numpy")
import h5py
import numpy as np

STEPS, CHANNELS = 240, 4

EXPERIMENT = """
experiment: predictive
dtype: float64
data: {{source: file, path: data.csv, columns: [c0, c1, c2, c3], labels: label, targets: [force, angle],
        trials: {trials}}}
hierarchy:
  epochs: {epochs}
  schedule: {schedule}
  levels:
    - layers:
        - {{type: predictive, sizes: [6, 5, 3], activation: tanh, learning_rate: 0.05, iterations: 9, step: 0.2,
           variance: 1.5, batch: {batch}, learn_when: {when}}}
    - temporal_resolution: {resolution}
      layers:
        - {{type: predictive, sizes: [4, 2], activation: relu, top: target, target: [angle, force], batch: 3}}
output: {{path: result.h5, inputs: all, weights: {{every: {every}}}}}
"""

RUNS = [dict(trials="none", epochs=1, schedule="none", batch=1, when="settle", resolution=4, every=60),
        dict(trials="{length: 50}", epochs=1, schedule="{cosine_to: 200}", batch=7, when="settle", resolution=1, every=96),
        dict(trials="none", epochs=2, schedule="{half_life: 100}", batch=7, when="exact", resolution=2, every=240)]


def value(name, x):
    return np.tanh(x) if name == "tanh" else np.maximum(x, 0)


def slope(name, x):
    return 1 - np.tanh(x) ** 2 if name == "tanh" else (x > 0).astype(float)


class Stack:
    """One predictive layer, by its papers' equations."""

    def __init__(self, group):
        self.a = dict(group.attrs.items())
        self.w = [group[f"weights_initial/{l + 1}"][()] for l in range(len(group["weights_initial"]))]
        self.b = [np.zeros(len(w)) for w in self.w]
        self.waiting = []

    def errors(self, x, variance):
        f = self.a["activation"]
        eps = [None]
        for l in range(1, len(x)):
            below = x[0] if l == 1 else value(f, x[l - 1])
            eps.append(x[l] - self.w[l - 1] @ below - self.b[l - 1])
        eps[-1] = eps[-1] / variance
        return eps

    def pass_up(self, sample):
        x = [sample]
        for l, (w, b) in enumerate(zip(self.w, self.b)):
            x.append(w @ (x[0] if l == 0 else value(self.a["activation"], x[l])) + b)
        return x

    def relaxed(self, sample, target, iterations, step, variance):
        x = self.pass_up(sample)
        x[-1] = target
        for _ in range(iterations):
            eps = self.errors(x, variance)
            x = [x[0]] + [x[l] + step * (-eps[l] + slope(self.a["activation"], x[l]) * (self.w[l].T @ eps[l + 1]))
                          for l in range(1, len(x) - 1)] + [x[-1]]
        return x

    def tick(self, sample, target, factor):
        """target: None where there is none; factor: None where nothing learns."""
        answer = self.pass_up(sample)[-1]
        if factor is None:
            return answer
        self.waiting.append((sample, target))
        if len(self.waiting) < self.a["batch"]:
            return answer
        rows = [row for row in self.waiting if row[1] is not None]
        self.waiting = []
        top, f = len(self.w), self.a["activation"]
        settles = self.a["learn_when"] == "settle"
        dw, db = [np.zeros_like(w) for w in self.w], [np.zeros_like(b) for b in self.b]
        for sample, target in rows:
            for l in range(1, top + 1):
                variance = self.a["variance"] if settles else 1.0
                how = (int(self.a["iterations"]), self.a["step"]) if settles else (top - l, 1.0)
                x = self.relaxed(sample, target, *how, variance)
                eps = self.errors(x, variance)[l]
                dw[l - 1] += np.outer(eps, x[0] if l == 1 else value(f, x[l - 1]))
                db[l - 1] += eps
        for l in range(top if rows else 0):
            self.w[l] = self.w[l] + self.a["learning_rate"] * factor / len(rows) * dw[l]
            self.b[l] = self.b[l] + self.a["learning_rate"] * factor / len(rows) * db[l]
        return answer


def rate_factor(schedule, step):
    """docs/experiments.md, rates that fall; None where nothing learns any more."""
    if schedule == "none":
        return 1.0
    kind, steps = schedule.strip("{}").split(": ")
    steps = int(steps)
    stretch = (steps - 1) // 64 + 1
    share = step // stretch * stretch / steps
    if kind == "half_life":
        return 0.5 ** share
    return None if step >= steps else (1 + np.cos(np.pi * share)) / 2


def compare(what, expected, got):
    error = np.max(np.abs(np.asarray(expected) - got))
    if not error < 1e-10:
        sys.exit(f"{what}: differs by {error}")
    return error


def check(run, folder, labels, targets):
    with h5py.File(folder / "result.h5") as file:
        samples = file["data/samples"][()]
        starts = set(file["data/trial_start"][()].tolist())
        layers = [file[f"levels/{n}/layers/0"] for n in range(2)]
        stacks = [Stack(layer) for layer in layers]
        classes = [str(c) for c in layers[0].attrs["classes"]]
        worst, moved = 0.0, 0.0
        for epoch in range(run["epochs"]):
            answers = [[], []]
            for t in range(STEPS):
                step = epoch * STEPS + t
                if step % run["every"] == 0:
                    k = step // run["every"]
                    for stack, layer in zip(stacks, layers):
                        for l, w in enumerate(stack.w):
                            worst = max(worst, compare(f"history {k}", w, layer[f"history/weights/{l + 1}"][k]))
                since = t - max(start for start in starts if start <= t)
                factor = rate_factor(run["schedule"], step)
                target = None if labels[t] == "" else np.eye(3)[classes.index(labels[t])]
                shown = stacks[0].tick(samples[t], target, factor)
                answers[0].append(shown)
                if since % run["resolution"] == 0:
                    force, angle = targets[t]
                    pair = None if np.isnan(force + angle) else np.array([angle, force])
                    answers[1].append(stacks[1].tick(shown, pair, factor))
        for n in range(2):
            worst = max(worst, compare(f"level {n}", answers[n], file[f"levels/{n}/representation"][()]))
            for l in range(len(stacks[n].w)):
                worst = max(worst, compare("weights", stacks[n].w[l], layers[n][f"weights/{l + 1}"][()]),
                            compare("bias", stacks[n].b[l], layers[n][f"bias/{l + 1}"][()]))
                moved = max(moved, np.max(np.abs(stacks[n].w[l] - layers[n][f"weights_initial/{l + 1}"][()])))
        if not moved > 1e-3:
            sys.exit("nothing has learnt")
    print(f"{run}: largest difference {worst:.1e}")


def main(gaia, work):
    random = np.random.default_rng(5)
    x = random.normal(size=(STEPS, CHANNELS))
    labels = ["" if t % 9 == 4 else "abc"[int(np.argmax(x[t, :3]))] for t in range(STEPS)]
    targets = np.stack([x[:, 0] - x[:, 1], np.tanh(x[:, 2])], axis=1)
    targets[::11, 1] = np.nan
    rows = ["c0,c1,c2,c3,label,force,angle"]
    for t in range(STEPS):
        numbers = [repr(float(v)) for v in x[t]]
        pair = ["" if np.isnan(v) else repr(float(v)) for v in targets[t]]
        rows.append(",".join(numbers + [labels[t]] + pair))
    for k, run in enumerate(RUNS):
        folder = work / str(k)
        folder.mkdir()
        (folder / "data.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        (folder / "run.yaml").write_text(EXPERIMENT.format(**run), encoding="utf-8")
        subprocess.run([gaia, "run", "run.yaml"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        check(run, folder, labels, targets)
        told = subprocess.run([gaia, "inspect", "result.h5"], cwd=folder, check=True, capture_output=True, text=True)
        if "  /levels/0/layers/0: predictive, class matrix: " not in told.stdout:
            sys.exit("gaia inspect does not tell how the layer learns")


main(sys.argv[1], emptied(sys.argv[2]))
