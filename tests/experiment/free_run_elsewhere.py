#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs small experiments whose readouts read what they have said, and does the same in float64 from the results file
alone, as docs/hierarchy.md says it: weights of a reservoir and of a level above, those of the readout, the samples.
The controls window and nvar are fitted and fed back anew.  Exits with 77 where h5py or NumPy is missing.

    free_run_elsewhere.py GAIA WORK_DIR
"""
import functools
import sys

import by_gaia

by_gaia.need("h5py", "numpy")
import h5py
import numpy as np

gaia, work = sys.argv[1], by_gaia.emptied(sys.argv[2])

EXPERIMENT = """
experiment: free
seed: {seed}
dtype: float64
data: {{source: file, path: samples.csv, window: {window}, normalize: zscore}}
hierarchy:
  learn: false
  levels:
    - layers: [{{type: temporal, size: 14, leak: 0.7, spectral_radius: 0.8, bias_scale: 0.3}}]
    - temporal_resolution: 3
      pooling: mean
      layers: [{{type: reactive, size: 4, activation: tanh, init: xavier}}]
readouts:
  - name: next
    target: {{channel: {channels}, horizon: 1, change: {change}}}
    levels: {levels}
    skip: 0.1
    split: 0.5
    ridge: 0.01
    free_run: {{from: {first}, steps: 25, repeat: {{every: 31, count: 6}}, at: 7, threshold: 0.5}}
controls: {controls}
output: {{path: result.h5, inputs: all}}
"""
CASES = [
    dict(seed=1, window=1, channels="[a, b]", change="false", levels="[0]", first=320, controls="[window, nvar]"),
    dict(seed=2, window=3, channels="[b, a]", change="false", levels="[1, 0]", first=321, controls="none"),
    dict(seed=3, window=2, channels="[a, b]", change="true", levels="[0, 1]", first=322, controls="[frozen]"),
]


class Hierarchy:
    """The two levels, as they stand before step 0."""

    def __init__(self, file):
        one, two = file["levels/0/layers/0"], file["levels/1/layers/0"]
        self.w, self.r, self.b, self.leak = one["weights"][()], one["recurrent"][()], one["bias"][()], one.attrs["leak"]
        self.above, self.above_b = two["weights"][()], two["bias"][()]
        self.h, self.pool, self.shown, self.t = np.zeros(len(self.b)), [], np.zeros(len(self.above_b)), 0

    def copy(self):
        other = Hierarchy.__new__(Hierarchy)
        other.__dict__.update(self.__dict__)
        other.pool = list(self.pool)
        return other

    def read(self, x):
        self.h = (1 - self.leak) * self.h + self.leak * np.tanh(self.w @ x + self.r @ self.h + self.b)
        self.pool = (self.pool + [self.h])[-3:]
        if self.t % 3 == 0:
            self.shown = np.tanh(self.above @ np.mean(self.pool, axis=0) + self.above_b)
        self.t += 1
        return [self.h, self.shown]


def free(read, say, x, shown, order, steps):
    """What `say` says of what is shown and of the newest row, and what it says of what that is read as."""
    channels, said = len(order), []
    for step in range(steps):
        row = say(shown, x[-channels:])  # in the order of the target
        said.append(row)
        newest = np.empty(channels)
        newest[order] = row
        x = np.concatenate([x[channels:], newest])
        if step + 1 < steps:
            shown = read(x)
    return np.array(said)


def scores(said, came, series, at, threshold):
    variance = series.var(axis=0).sum()
    square = ((said - came) ** 2).sum(axis=2)
    error = np.sqrt(square.mean(axis=0) / variance)
    bad = np.sqrt(square / variance) > threshold
    valid = np.where(bad.any(axis=1), bad.argmax(axis=1), said.shape[1])
    return error, valid, error[at - 1]


def fitted(features, targets, ridge):
    mean, level = features.mean(axis=0), targets.mean(axis=0)
    f, y = features - mean, targets - level
    covariance = f.T @ f / len(f)
    w = np.linalg.solve(covariance + ridge * np.diagonal(covariance).mean() * np.eye(len(mean)), f.T @ y / len(f))
    return w, level - mean @ w


def nvar(rows, lags, gap):
    v = rows[::-1][::gap][:lags][::-1].ravel()
    return np.concatenate([v] + [v[i] * v[i:] for i in range(len(v))])


def of_control(make, length, series, training, starts, order, steps):
    """A regression on the last rows, [length], of which `make` makes features."""
    padded = np.vstack([np.zeros((length - 1, series.shape[1])), series])
    features = np.array([make(padded[t:t + length]) for t in range(len(series))])
    w, c = fitted(features[training], series[training + 1][:, order], 0.01)
    all_said = []
    for start in starts:
        rows = padded[start - 1:start - 1 + length].copy()
        said = []
        for _ in range(steps):
            row = make(rows) @ w + c
            said.append(row)
            newest = np.empty(len(order))
            newest[order] = row
            rows = np.vstack([rows[1:], newest])
        all_said.append(said)
    return np.array(all_said)


def recompute(path):
    """The largest error relative to the largest value, and the name of what has it."""
    worst = {}

    def compare(name, ours, theirs):
        ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
        assert ours.shape == theirs.shape, (name, ours.shape, theirs.shape)
        worst[name] = np.abs(ours - theirs).max() / max(np.abs(ours).max(), 1e-300)

    with h5py.File(path) as file:
        assert file.attrs["status"] == "complete"
        samples = file["data/samples"][()]
        readout, free_run = file["readouts/next"], file["readouts/next/free_run"]
        channels = int(file["data"].attrs["channels"])
        series = samples[:, -channels:]
        names = list(file["data"].attrs["channel_names"])
        order = [names.index(name) for name in readout.attrs["target_channel"].strip("[]").split(", ")]
        levels = [int(i) for i in readout.attrs["levels"].strip("[]").split(", ")]
        w, c = readout["weights"][()], readout["intercept"][()]
        change = readout.attrs["target_change"] == "true"
        starts, steps = free_run["start"][()], len(free_run["ahead"])
        assert list(free_run["ahead"][()]) == list(range(1, steps + 1))

        def say(shown, newest):
            said = w @ np.concatenate([shown[i] for i in levels]) + c
            return said + newest[order] if change else said

        hierarchy, shown, said = Hierarchy(file), None, []
        for t, x in enumerate(samples):
            if t in starts:
                copy = hierarchy.copy()
                said.append(free(copy.read, say, samples[t - 1], shown, order, steps))
            shown = hierarchy.read(x)
        said = np.array(said)
        came = np.array([series[s:s + steps][:, order] for s in starts])
        compare("prediction", said, free_run["prediction"])
        compare("target", came, free_run["target"])
        at, threshold = int(readout.attrs["free_run_at"]), float(readout.attrs["free_run_threshold"])
        error, valid, nrmse_at = scores(said, came, series, at, threshold)
        compare("error", error, free_run["error"])
        compare("valid_steps", valid, free_run["valid_steps"])
        compare("nrmse_at", nrmse_at, readout.attrs["nrmse_at"])
        compare("mean of valid_steps", valid.mean(), readout.attrs["valid_steps"])
        controls = file.get("readouts/next/controls", {})
        ticks = len(series) - 1  # whose targets are known
        training = np.arange(int(0.1 * ticks), int(0.5 * ticks))
        for name in controls:
            if name == "frozen":
                continue
            beside = controls[name]
            make, length = np.ravel, 32
            if name == "nvar":
                lags, gap = int(beside.attrs["rows"]), int(beside.attrs["gap"])
                make, length = functools.partial(nvar, lags=lags, gap=gap), (lags - 1) * gap + 1
            trained = training[:int(readout.attrs["training_ticks"])]
            theirs = of_control(make, length, series, trained, starts, order, steps)
            compare(name, theirs, beside["free_run/prediction"])
            compare(name + " nrmse_at", scores(theirs, came, series, at, threshold)[2], beside.attrs["nrmse_at"])
    name = max(worst, key=worst.get)
    return worst[name], name, len(worst)


def fault_of(path, case):
    error, name, compared = recompute(path)
    print(f"{error:.1e}  {name}, of {compared}")
    return "" if error <= 1e-8 else f"{name} differs by {error:.1e}"


t = np.arange(640)
rng = np.random.default_rng(4)
by_gaia.write_rows(work / "samples.csv", 0.02 * rng.normal(size=(640, 2)) + np.c_[
    np.sin(0.21 * t) + 0.3 * np.sin(0.11 * t), np.cos(0.21 * t) * np.sin(0.017 * t)], "a,b")
sys.exit(1 if by_gaia.recompute(gaia, work, CASES, lambda case: EXPERIMENT.format(**case), fault_of) else 0)
