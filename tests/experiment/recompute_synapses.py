#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs small experiments whose layers have chains behind their weights and synapses that come and go, and computes
them anew from their results files with NumPy, as docs/hierarchy.md says, in float64 to 1e-10.  Exits with 77 where
h5py or NumPy is missing.

    recompute_synapses.py GAIA WORK_DIR
"""
import itertools
import sys

from by_gaia import emptied, need, run

need("h5py", "numpy")
import h5py
import numpy as np

gaia, work = sys.argv[1], emptied(sys.argv[2])

HEAD = """
experiment: synapses
dtype: float64
data:
  source: generator
  kind: ornstein_uhlenbeck
  tau: [5, 40]
  channels: 6
  steps: 360
  normalize: zscore
hierarchy:
  executor: {executor}
  freeze_after: {freeze_after}
  epochs: {epochs}
  levels:
"""
LEVEL = """
    - temporal_resolution: {resolution}
      pooling: last
      layers:
        - {{type: hebbian, size: {size}, {layer}}}
"""
OJA = 'rule: {equations: "dw = rate*y*(x - y*w)", parameters: {rate: 0.02}}'
NEAREST = 'rule: {equations: "y = winner(2*z - ww)\\ndw = rate*y*(x - w)", parameters: {rate: 0.1}}'
CHAIN = "chain: {length: 5, ratio: 1.8, rate: 0.3}"
REWIRE = "rewire: {density: 0.5, every: 30, by: products, share: 0.3}"
# Levels that tick more rarely learn by the chain alone: they would hardly be rewired. What is above reads as many
# equal numbers as there are neurons below, by which Oja's rule runs away unless its answers are bounded.
ABOVE = (OJA, CHAIN, "activation: tanh")
LAYERS = {
    "chain": (OJA, CHAIN),
    "masked": (OJA, REWIRE),
    "nearest, masked": (NEAREST, REWIRE),
    "both": (OJA, CHAIN, REWIRE),
    "both, of unit length": (OJA, CHAIN, REWIRE, "normalization: l2"),
    "until": (NEAREST, CHAIN, REWIRE.replace("}", ", until: 70}")),
}


def rounded(share, of):
    """At least one; halves go up."""
    return max(1, int(np.floor(share * of + 0.5)))


class Layer:
    def __init__(self, group, words):
        self.w = group["weights_initial"][:]
        self.mask = group["mask_initial"][:] if "mask_initial" in group else np.ones_like(self.w)
        self.rewires = "rewire" in words
        self.until = 70 if "until" in words else np.inf
        self.nearest = "winner" in words
        self.activate = np.tanh if "tanh" in words else np.asarray
        self.unit = "l2" in words
        self.chain = np.zeros((4,) + self.w.shape) if "chain" in words else np.zeros((0,) + self.w.shape)
        self.products = np.zeros_like(self.w)
        self.learnt = 0

    def tick(self, x, learns):
        z = self.w @ x
        y = self.activate(z)
        if self.nearest:
            y = np.zeros_like(z)
            y[np.argmax(2 * z - (self.w**2).sum(1))] = 1
        if learns:
            self.learn(x, y)
        return y

    def learn(self, x, y):
        y_ = y[:, None]
        dw = 0.1 * y_ * (x - self.w) if self.nearest else 0.02 * y_ * (x - y_ * self.w)
        # u_1 is w; u_k <- u_k + rate ratio^(2 - 2k) (u_(k-1) - u_k) + rate ratio^(1 - 2k) (u_(k+1) - u_k)
        u = np.concatenate([self.w[None], self.chain])
        moved = u.copy()
        for k in range(1, len(u) + 1):
            if k > 1:
                moved[k - 1] += 0.3 * 1.8 ** (2 - 2 * k) * (u[k - 2] - u[k - 1])
            behind = u[k] if k < len(u) else 0
            if len(u) > 1:
                moved[k - 1] += 0.3 * 1.8 ** (1 - 2 * k) * (behind - u[k - 1])
        self.w = (moved[0] + dw) * self.mask
        self.chain = moved[1:] * self.mask
        if self.unit:
            self.w /= np.sqrt((self.w**2).sum(1, keepdims=True))
        self.learnt += 1
        if not self.rewires or self.learnt > self.until:
            return
        self.products += np.outer(y, x)
        if self.learnt % 30 == 0:
            self.turn_over()

    def turn_over(self):
        for w, mask, products in zip(self.w, self.mask, self.products):
            there, absent = np.flatnonzero(mask == 1), np.flatnonzero(mask == 0)
            count = min(rounded(0.3, len(there)), len(absent))
            gone = there[np.argsort(np.abs(w[there]), kind="stable")[:count]]
            come = absent[np.argsort(-np.abs(products[absent]), kind="stable")[:count]]
            mask[gone], mask[come] = 0, 1
        self.w *= self.mask
        self.chain *= self.mask
        self.products[:] = 0


def compare(name, found, expected):
    scale = max(np.abs(expected).max(), 1e-30)
    distance = np.abs(found - expected).max() / scale
    if not distance < 1e-10:
        raise SystemExit(f"{name}: off by {distance}")


def recompute(path, levels, resolutions, epochs):
    with h5py.File(path) as file:
        samples = file["data/samples"][:]
        layers = [Layer(file[f"levels/{n}/layers/0"], words) for n, words in enumerate(levels)]
        for epoch in range(epochs):  # what is shown begins anew, what is learnt goes on
            shown = [None for _ in layers]
            answers = [[] for _ in layers]
            for t, x in enumerate(samples):
                learns = epoch * len(samples) + t < 300 * epochs
                for n, (layer, resolution) in enumerate(zip(layers, resolutions)):
                    if t % resolution == 0:
                        shown[n] = layer.tick(x if n == 0 else shown[n - 1], learns)
                        answers[n].append(shown[n])
        for n, layer in enumerate(layers):
            group = file[f"levels/{n}/layers/0"]
            compare(f"representation {n}", file[f"levels/{n}/representation"][:], np.array(answers[n]))
            compare(f"weights {n}", group["weights"][:], layer.w)
            for k, rows in enumerate(layer.chain):
                compare(f"u{k + 2} {n}", group[f"chain/u{k + 2}"][:], rows)
            if layer.rewires:
                assert (group["mask"][:] == layer.mask).all(), f"mask {n}"
                assert (group["mask"][:] != group["mask_initial"][:]).any()


cases = 0
for (name, words), depth, executor in itertools.product(LAYERS.items(), (1, 2, 4), ("chunkwise", "stepwise")):
    resolutions = [1, 4, 16, 16][:depth]
    epochs = 2 if depth == 2 else 1
    levels = [", ".join(words if resolution == 1 else ABOVE) for resolution in resolutions]
    text = HEAD.format(executor=executor, epochs=epochs, freeze_after=300 * epochs)
    for layer, resolution, size in zip(levels, resolutions, (7, 5, 4, 3)):
        text += LEVEL.format(resolution=resolution, size=size, layer=layer)
    trouble = run(gaia, work, text + "output: {path: r.h5, inputs: all}\n")
    if trouble:
        sys.exit(f"{name}, {depth} levels: {trouble}")
    print(name, depth, executor)
    recompute(work / "r.h5", levels, resolutions, epochs)
    cases += 1
print(f"{cases} runs recomputed")
