#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Recomputes a run from its results file alone, in float64, step by step.

Reads the samples (output.inputs: all), the initial weights and the attributes, follows the definition
in docs/hierarchy.md literally, and compares every representation, the final weights and thresholds with
what the file holds.  Prints the largest error relative to the largest value; exits with 1 if it is
above 1e-10 for float64 or 1e-4 for float32.

    recompute.py RESULT.h5
"""
import re
import sys

import h5py
import numpy as np


def activate(name, z):
    if name == "linear":
        return z
    if name == "relu":
        return np.maximum(z, 0)
    if name == "leaky_relu":
        return np.where(z < 0, 0.01 * z, z)
    if name == "tanh":
        return np.tanh(z)
    if name == "sigmoid":
        return 1 / (1 + np.exp(-z))
    if name == "softmax":
        e = np.exp(z - z.max())
        return e / e.sum()
    if name == "gelu":
        return 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
    if name == "mish":
        return z * np.tanh(np.log1p(np.exp(z)))
    if name == "hardswish":
        return z * np.clip(z + 3, 0, 6) / 6
    if name == "coates":
        return np.maximum(z - z.mean(), 0)
    raise ValueError(name)


class Layer:
    def __init__(self, group):
        self.a = {k: v for k, v in group.attrs.items()}
        self.w = group["weights_initial"][()].astype(np.float64)
        self.bias = group["bias"][()].astype(np.float64) if "bias" in group else 0.0
        self.recurrent = group["recurrent"][()].astype(np.float64) if "recurrent" in group else None
        self.h = np.zeros(self.w.shape[0])
        self.theta = np.full(self.w.shape[0], self.a.get("theta", 0.0))
        if "theta_initial" in group:  # of an earlier run
            self.theta = group["theta_initial"][()].astype(np.float64)

    def tick(self, x, learn):
        f = self.a["activation"]
        if self.a["type"] == "temporal":
            drive = self.w @ x + self.recurrent @ self.h + self.bias
            self.h = (1 - self.a["leak"]) * self.h + self.a["leak"] * activate(f, drive)
            return self.h
        y = activate(f, self.w @ x + self.bias)
        if self.a["type"] == "hebbian" and learn and self.a["learn"] == "true":
            self.learn(x, y)
        return y

    def learn(self, x, y):
        a, w = self.a, self.w
        eta, decay = a["learning_rate"], a["decay"]
        hebb = np.outer(y, x)
        if a["rule"] == "hebbian":
            dw = eta * hebb
        elif a["rule"] == "oja":
            dw = eta * (hebb - (y**2)[:, None] * w)
        elif a["rule"] == "bcm":
            dw = eta * (y * (y - self.theta))[:, None] * x[None, :]
            self.theta = self.theta + (y**2 - self.theta) / a["tau"]
        elif a["rule"] == "sanger":
            dw = eta * (hebb - np.tril(np.outer(y, y)) @ w)
        elif a["rule"] == "oja_subspace":
            dw = eta * (hebb - np.outer(y, y) @ w)
        w = w + dw - decay * w
        if "homeostasis_target" in a:
            w = w * np.exp(a["homeostasis_strength"] * (a["homeostasis_target"] - y))[:, None]
        norm = np.linalg.norm(w, axis=1, keepdims=True)
        if a["normalization"] == "l2":
            w = np.where(norm > 0, w / np.where(norm > 0, norm, 1), w)
        elif a["normalization"] == "max_norm":
            w = w * np.minimum(1, a["bound"] / np.where(norm > 0, norm, 1))
        self.w = w


class Level:
    def __init__(self, group):
        self.r = int(group.attrs["temporal_resolution"])
        self.pooling = group.attrs["pooling"]
        names = sorted(group["layers"], key=int)
        self.layers = [Layer(group["layers"][m]) for m in names]
        self.learns = group.attrs["learn"] == "true"
        self.begin()

    def begin(self):
        """An epoch: what is carried from step to step is forgotten."""
        self.window, self.ema, self.ticks = [], None, []
        self.shown = None
        for layer in self.layers:
            layer.h = np.zeros_like(layer.h)

    def step(self, t, x, learn):
        self.window = (self.window + [x])[-self.r:]
        self.ema = x if self.ema is None else self.ema + (x - self.ema) / self.r
        if t % self.r == 0:
            steps = [s for s in range(t - self.r + 1, t + 1) if s >= 0]
            seen = np.array(self.window[-len(steps):])
            if self.pooling == "last":
                z = seen[-1]
            elif self.pooling == "mean":
                z = seen.mean(axis=0)
            elif self.pooling == "max":
                z = seen.max(axis=0)
            elif self.pooling == "ema":
                z = self.ema
            else:
                missing = np.zeros((self.r - len(steps)) * len(x))
                z = np.concatenate([missing, seen.ravel()])
            for layer in self.layers:
                z = layer.tick(z, learn and self.learns)
            self.shown = z
            self.ticks.append(z)
        return self.shown


def main(path):
    worst = {}

    def compare(name, ours, theirs):
        theirs = np.asarray(theirs, dtype=np.float64)
        scale = max(np.abs(ours).max(), 1e-300)
        worst[name] = np.abs(ours - theirs).max() / scale

    with h5py.File(path, "r") as f:
        assert f.attrs["status"] == "complete", f.attrs["status"]
        config = f.attrs["config"]
        learn = re.search(r"^  learn: true$", config, re.M)
        frozen = re.search(r"^  freeze_after: (\d+)$", config, re.M)
        learned = 0 if not learn else int(frozen.group(1)) if frozen else 1 << 62
        samples = f["data/samples"][()].astype(np.float64)
        levels = [Level(f["levels"][n]) for n in sorted(f["levels"], key=int)]
        for epoch in range(f["levels"].attrs["epochs"]):
            for level in levels:
                level.begin()
            for t, x in enumerate(samples):
                for level in levels:
                    x = level.step(t, x, epoch * len(samples) + t < learned)
        for n, level in enumerate(levels):
            group = f[f"levels/{n}"]
            ticks = np.array(level.ticks)
            assert ticks.shape == group["representation"].shape, (ticks.shape, group["representation"])
            assert (group["step"][()] == np.arange(len(ticks)) * level.r).all()
            compare(f"representation of level {n}", ticks, group["representation"])
            for m, layer in enumerate(level.layers):
                compare(f"weights of level {n}, layer {m}", layer.w, group[f"layers/{m}/weights"])
                if "theta" in group[f"layers/{m}"]:
                    compare(f"theta of level {n}, layer {m}", layer.theta,
                            group[f"layers/{m}/theta"])
        tolerance = 1e-10 if f.attrs["dtype"] == "float64" else 1e-4
    name = max(worst, key=worst.get)
    print(f"{worst[name]:.1e}  {name}")
    return 0 if worst[name] <= tolerance else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
