#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs reservoirs that read what their readout says, and readouts of samples, squares and a 1; recomputes each in
float64 from its results file alone, as docs/hierarchy.md and docs/experiments.md say it; then what the first of them
says of other data, which nobody teaches it, and a control that hears its own readout.
Exits with 77 where h5py or NumPy is missing.

    recompute_feedback.py GAIA WORK_DIR
"""
import subprocess
import sys

from by_gaia import emptied, need, run, write_rows

need("h5py", "numpy")
import h5py
import numpy as np

gaia, work = sys.argv[1], emptied(sys.argv[2])

EXPERIMENT = """
experiment: feedback
dtype: float64
data: {{source: file, path: samples.csv, columns: [u], targets: [y], trials: {{length: {trial}}}, window: 2}}
hierarchy:
  levels:
    - layers: [{{type: temporal, size: 12, leak: 0.7, bias_scale: 0.2, feedback: told, feedback_scale: 0.4}}]
readouts:
  - {{name: told, target: {{column: y, horizon: {horizon}}}, levels: [0], features: {features}, ridge: {ridge}, split: 0.6}}
controls: none
output: {{path: result.h5, inputs: all}}
"""

random = np.random.default_rng(4)
u = random.uniform(-1, 1, 400)
y = np.zeros(400)
for t in range(2, 400):
    y[t] = 0.5 * y[t - 1] - 0.2 * y[t - 2] + u[t - 1] * u[t] + 0.3 * u[t - 2]
write_rows(work / "samples.csv", np.stack([u, y], 1), "u,y")


def row(h, x, features):
    shown = h.copy()
    if "squares" in features:
        shown[1::2] **= 2
    parts = [shown] + ([x] if "input" in features else []) + ([np.ones(1)] if "bias" in features else [])
    return np.concatenate(parts)


worst = 0.0
for trial, horizon, ridge, features in (
    (400, 1, 1e-3, "[level, squares, input, bias]"),
    (400, 0, 1e-2, "[level]"),
    (80, 2, 1e-3, "[level, input]"),
):
    wrong = run(gaia, work, EXPERIMENT.format(trial=trial, horizon=horizon, ridge=ridge, features=features))
    assert not wrong, wrong
    with h5py.File(work / "result.h5") as file:
        inputs = file["data/samples"][()]
        shown = file["levels/0/representation"][()]
        layer = {name: file[f"levels/0/layers/0/{name}"][()] for name in ("weights", "recurrent", "bias", "feedback")}
        starts = list(file["data/trial_start"][()]) if "trial_start" in file["data"] else [0]
        readout = file["readouts/told"]
        weights, intercept = readout["weights"][()], readout["intercept"][()]
        steps, said, targets = readout["step"][()], readout["prediction"][()], readout["target"][()]
        trained = int(readout.attrs["training_ticks"])
    assert len(weights) == len(row(np.zeros(12), inputs[0], features))
    first_rows = [start + (start // (trial - 1) + 1) * 1 for start in starts]  # newest row of a trial's first sample
    ends = starts[1:] + [len(inputs)]
    rows, wanted, number = [], [], 0
    predictions = {}
    for start, end, first_row in zip(starts, ends, first_rows):
        h, o = np.zeros(12), np.zeros(1)
        for step in range(start, end):
            z = layer["weights"] @ inputs[step] + layer["recurrent"] @ h + layer["bias"] + layer["feedback"] @ o
            h = 0.3 * h + 0.7 * np.tanh(z)
            worst = max(worst, np.abs(h - shown[step]).max())
            if step + horizon >= end:
                continue  # its target lies behind the trial: nothing is said, and nothing is taught
            target = y[first_row + step - start + horizon]
            read = row(h, inputs[step], features)
            if number < trained:
                rows.append(read)
                wanted.append(target)
                o = np.array([target])
            else:
                predictions[step] = weights @ read + intercept
                o = np.array([predictions[step]])
            number += 1
    for step, one, _ in zip(steps, said, targets):
        worst = max(worst, abs(predictions[step] - one))
    # The weights, by QR of the rows with those of the ridge below.
    x, t = np.array(rows), np.array(wanted)
    assert len(x) == trained
    mean, level = (0.0, 0.0) if "bias" in features else (x.mean(0), t.mean())
    x, t = x - mean, t - level
    s = np.mean(x**2)
    below = np.sqrt(ridge * s * len(x)) * np.eye(x.shape[1])
    found = np.linalg.lstsq(np.vstack([x, below]), np.concatenate([t, np.zeros(len(below))]), rcond=None)[0]
    worst = max(worst, np.abs(found - weights).max(), abs(level - np.dot(np.ones(len(found)) * mean, found) - intercept))
# Applied to other rows: what is heard is what was said, from the first tick on.
wrong = run(gaia, work, EXPERIMENT.format(trial=400, horizon=1, ridge=1e-3, features="[level, squares, input, bias]"))
assert not wrong, wrong
write_rows(work / "other.csv", np.stack([random.uniform(-1, 1, 90), random.uniform(-1, 1, 90)], 1), "u,y")
subprocess.run([gaia, "apply", "result.h5", "other.csv", "--output", "applied.h5", "--overwrite", "--quiet"], cwd=work,
               check=True)
with h5py.File(work / "applied.h5") as file:
    inputs, shown = file["data/samples"][()], file["levels/0/representation"][()]
    layer = {name: file[f"levels/0/layers/0/{name}"][()] for name in ("weights", "recurrent", "bias", "feedback")}
    readout = file["readouts/told"]
    weights, intercept = readout["weights"][()], readout["intercept"][()]
    steps, said = readout["step"][()], readout["prediction"][()]
assert list(steps) == list(range(len(inputs))) and not np.isnan(said).any()
h, o = np.zeros(12), np.zeros(1)
for step, x in enumerate(inputs):
    h = 0.3 * h + 0.7 * np.tanh(layer["weights"] @ x + layer["recurrent"] @ h + layer["bias"] + layer["feedback"] @ o)
    worst = max(worst, np.abs(h - shown[step]).max())
    o = np.array([weights @ row(h, x, "[level, squares, input, bias]") + intercept])
    worst = max(worst, abs(o[0] - said[step]))

# One that learns online is heard from the first tick on, errors and all, and stops with its training part: recursive
# least squares, here in textbook form, over (h, 1).
FORCE = EXPERIMENT.replace(
    "features: {features}, ridge: {ridge}, split: 0.6",
    "type: online, goes_on: {goes_on}, forgetting: 1, delta: 0.5, split: 0.6",
)
assert "goes_on" in FORCE
for horizon, goes_on in ((0, "false"), (2, "false"), (0, "true")):
    wrong = run(gaia, work, FORCE.format(trial=400, horizon=horizon, goes_on=goes_on))
    assert not wrong, wrong
    with h5py.File(work / "result.h5") as file:
        inputs, shown = file["data/samples"][()], file["levels/0/representation"][()]
        layer = {name: file[f"levels/0/layers/0/{name}"][()] for name in ("weights", "recurrent", "bias", "feedback")}
        readout = file["readouts/told"]
        steps, said = readout["step"][()], readout["prediction"][()]
        trained = int(readout.attrs["training_ticks"])
    known = len(inputs) - horizon
    assert trained == int(0.6 * known) and list(steps) == list(range(trained, known))
    h, o, w, inverse, read = np.zeros(12), np.zeros(1), np.zeros(13), np.eye(13) / 0.5, []
    for step, x in enumerate(inputs[:known]):
        z = layer["weights"] @ x + layer["recurrent"] @ h + layer["bias"] + layer["feedback"] @ o
        h = 0.3 * h + 0.7 * np.tanh(z)
        worst = max(worst, np.abs(h - shown[step]).max())
        # What has come true: of a horizon of 0 the row before, which was said before it was learnt.
        while read and read[0][0] + horizon <= step:
            made, row_then = read.pop(0)
            gain = inverse @ row_then / (1 + row_then @ inverse @ row_then)
            w = w + gain * (y[made + 1 + horizon] - w @ row_then)
            inverse = inverse - np.outer(gain, row_then @ inverse)
        now = np.append(h, 1.0)
        o = np.array([w @ now])
        if step >= trained:
            worst = max(worst, abs(o[0] - said[step - trained]))
        if goes_on == "true" or step < trained:
            read.append((step, now))

# A control whose layer above has not learnt hears its own readout, and another score comes of it.
LEARNT = EXPERIMENT.replace(
    "feedback_scale: 0.4}}]",
    "feedback_scale: 0.4}}, {{type: hebbian, size: 5, rule: oja_subspace, learning_rate: 0.01}}]",
).replace("controls: none", "controls: [frozen]")
assert "oja_subspace" in LEARNT
wrong = run(gaia, work, LEARNT.format(trial=400, horizon=1, ridge=1e-3, features="[level]"))
assert not wrong, wrong
with h5py.File(work / "result.h5") as file:
    inputs = file["data/samples"][()]
    layer = {name: file[f"levels/0/layers/0/{name}"][()] for name in ("weights", "recurrent", "bias", "feedback")}
    above = file["levels/0/layers/1/weights_initial"][()]
    readout = file["readouts/told"]
    told, own = readout["controls/frozen"].attrs["r2"], readout.attrs["r2"]
    steps, targets, trained = readout["step"][()], readout["target"][()], int(readout.attrs["training_ticks"])
h, o = np.zeros(12), np.zeros(1)
rows, said, w, c = [], [], None, None
for step, x in enumerate(inputs[:-1]):
    h = 0.3 * h + 0.7 * np.tanh(layer["weights"] @ x + layer["recurrent"] @ h + layer["bias"] + layer["feedback"] @ o)
    read = above @ h
    if step < trained:
        rows.append(read)
        o = np.array([y[step + 2]])
        continue
    if w is None:
        x_, t_ = np.array(rows), y[2:trained + 2]
        centred = x_ - x_.mean(0)
        covariance = centred.T @ centred / trained
        added = 1e-3 * np.diagonal(covariance).mean() * np.eye(len(covariance))
        w = np.linalg.solve(covariance + added, centred.T @ (t_ - t_.mean()) / trained)
        c = t_.mean() - x_.mean(0) @ w
    o = np.array([w @ read + c])
    said.append(o[0])
said = np.array(said)[steps - trained]
r2 = 1 - np.mean((said - targets) ** 2) / np.var(targets)
print(f"frozen: R2 {told:.12f}, recomputed {r2:.12f}; learnt {own:.6f}")
assert abs(told - own) > 1e-6
worst = max(worst, abs(r2 - told))
print(f"largest difference {worst:.1e}")
sys.exit(0 if worst < 1e-9 else 1)
