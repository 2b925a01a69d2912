#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs small experiments with temporal layers that learn, pooling legendre and phases, recomputes each in
float64 from its results file alone, as docs/hierarchy.md says it.
Exits with 77 where h5py or NumPy is missing.

    recompute_temporal.py GAIA WORK_DIR
"""
import subprocess
import sys

import by_gaia

by_gaia.need("h5py", "numpy")
import h5py
import numpy as np

gaia, work = sys.argv[1], by_gaia.emptied(sys.argv[2])

EXPERIMENT = """
experiment: temporal
dtype: float64
data:
  source: file
  path: samples.csv
  normalize: zscore
  trials: {{length: {trial}}}
hierarchy:
  executor: {executor}
  freeze_after: {freeze}
  levels:
    - layers:
        - type: temporal
          size: 6
          leak: {leak}
          bias_scale: 0.2
          {input}
          {recurrent}
    - temporal_resolution: {resolution}
      phase: {phase}
      pooling: {pooling}
      layers: [{{type: reactive, size: 4, activation: tanh, init: xavier}}]
    - temporal_resolution: {above}
      phase: {phase_above}
      pooling: {{legendre: 2}}
      layers: [{{type: temporal, size: 3, leak: 0.5}}]
output: {{path: result.h5, inputs: all, weights: {{every: 60}}}}
checkpoint: {{every: 60}}
"""

OJA = "input: {rule: oja, learning_rate: 0.02}"
IP = "input: {rule: intrinsic_plasticity, learning_rate: 0.01, mu: 0.1, sigma: 0.3}"
HEBB = "recurrent: {rule: hebbian, learning_rate: 0.005, decay: 0.002, hold_spectral_radius: 25}"
TEXT = """recurrent:
            rule:
              equations: |
                m = m + (y - m)/tau      # the mean answer
                dw = rate*(z - m)*pre
              parameters: {rate: 0.004, tau: 6}
              traces: {pre: 3}"""
FIXED = "activation: tanh"

CASES = [
    dict(input=OJA, recurrent=HEBB, leak=1.0, trial=240, freeze=240, executor="chunkwise", resolution=4,
         phase=1, pooling="mean", above=8, phase_above=5),
    dict(input=OJA, recurrent=TEXT, leak=0.4, trial=60, freeze=150, executor="stepwise", resolution=4,
         phase=3, pooling="{legendre: 3}", above=16, phase_above=0),
    dict(input=IP, recurrent=HEBB, leak=0.6, trial=60, freeze=200, executor="chunkwise", resolution=1,
         phase=0, pooling="last", above=2, phase_above=1),
    dict(input=FIXED, recurrent=TEXT, leak=0.7, trial=80, freeze=240, executor="chunkwise", resolution=3,
         phase=2, pooling="concat", above=6, phase_above=4),
    dict(input=IP, recurrent=FIXED.replace("activation", "init").replace("tanh", "xavier"), leak=1.0, trial=240,
         freeze=240, executor="chunkwise", resolution=2, phase=1, pooling="max", above=4, phase_above=3),
]


def polynomials(d, r):
    """Polynomials by QR of the powers of u, signs so that the highest coefficient is positive."""
    u = np.linspace(-1, 1, r) if r > 1 else np.zeros(1)
    q, triangle = np.linalg.qr(np.vander(u, d, increasing=True))
    return (q * np.sign(np.diagonal(triangle))).T


class Temporal:
    def __init__(self, group):
        a = self.a = dict(group.attrs)
        self.learns = any(f"{name}_rule" in a for name in ("input", "recurrent"))
        self.w = group["weights_initial"][()]
        self.r = group["recurrent_initial" if self.learns else "recurrent"][()]
        self.bias = group["bias"][()]
        n = len(self.w)
        self.gain, self.shift = np.ones(n), np.zeros(n)
        self.learnt = 0
        self.begin()

    def begin(self):
        n = len(self.w)
        self.h, self.m, self.pre = np.zeros(n), np.zeros(n), np.zeros(n)

    def tick(self, x, learn):
        a = self.a
        z = self.w @ x + self.r @ self.h + self.bias
        y = np.tanh(z)
        if a.get("input_rule") == "intrinsic_plasticity":
            y = np.tanh(self.gain * z + self.shift)
            rate, mu, variance = a["input_learning_rate"], a["input_mu"], a["input_sigma"] ** 2
            step = -rate * (-mu / variance + y / variance * (2 * variance + 1 - y**2 + mu * y))
            if learn:
                self.shift = self.shift + step
                self.gain = np.maximum(self.gain + rate / self.gain + step * z, 1e-3)
        before = self.h
        after = (1 - a["leak"]) * before + a["leak"] * y
        rule = a.get("recurrent_rule")
        if rule == "equations":
            self.pre = np.exp(-1 / a["recurrent_trace_pre_tau"]) * self.pre + before
        if learn and a.get("input_rule") == "oja":
            self.w = self.w + a["input_learning_rate"] * (np.outer(after, x) - (after**2)[:, None] * self.w)
        if learn and rule == "hebbian":
            self.r = self.r + a["recurrent_learning_rate"] * np.outer(after, before) - a["recurrent_decay"] * self.r
        if learn and rule == "equations":
            self.m = self.m + (after - self.m) / a["recurrent_parameter_tau"]
            self.r = self.r + a["recurrent_parameter_rate"] * np.outer(z - self.m, self.pre)
        if learn and rule:
            self.learnt += 1
            hold = a.get("recurrent_hold_spectral_radius", 0)
            if hold and self.learnt % hold == 0:
                self.r = self.r * (a["spectral_radius"] / np.abs(np.linalg.eigvals(self.r)).max())
        self.h = after
        return after


class Reactive:
    def __init__(self, group):
        self.w, self.bias = group["weights"][()], group["bias"][()]

    def begin(self):
        pass

    def tick(self, x, _learn):
        return np.tanh(self.w @ x + self.bias)


class Level:
    def __init__(self, group):
        self.resolution = int(group.attrs["temporal_resolution"])
        self.phase = int(group.attrs["phase"])
        self.pooling = group.attrs["pooling"]
        self.d = int(group.attrs.get("pooling_legendre", 0))
        of_layer = group["layers/0"]
        self.layer = (Temporal if of_layer.attrs["type"] == "temporal" else Reactive)(of_layer)
        self.size = int(group.attrs["output_size"])
        self.ticks, self.steps = [], []
        self.begin()

    def begin(self):
        self.window, self.shown = [], np.zeros(self.size)
        self.layer.begin()

    def step(self, t, x, learn, step):
        r = self.resolution
        self.window = (self.window + [x])[-r:]
        if t < self.phase or (t - self.phase) % r != 0:
            return self.shown
        seen = np.array(self.window)
        padded = np.vstack([np.zeros((r - len(seen), len(x))), seen])
        read = {"last": lambda: seen[-1], "mean": lambda: seen.mean(axis=0), "max": lambda: seen.max(axis=0),
                "concat": lambda: padded.ravel(),
                "legendre": lambda: (polynomials(self.d, r) @ padded).ravel()}[self.pooling]()
        self.shown = self.layer.tick(read, learn)
        self.ticks.append(self.shown)
        self.steps.append(step)
        return self.shown


def recompute(path, trial, freeze):
    """The largest error relative to the largest value, and the name of what has it."""
    worst = {}

    def compare(name, ours, theirs):
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        assert ours.shape == theirs.shape, (name, ours.shape, theirs.shape)
        worst[name] = np.abs(ours - theirs).max() / max(np.abs(ours).max(), 1e-300)

    with h5py.File(path) as file:
        assert file.attrs["status"] == "complete"
        samples = file["data/samples"][()]
        levels = [Level(file[f"levels/{n}"]) for n in range(len(file["levels"]))]
        for step, x in enumerate(samples):
            if step % trial == 0:
                for level in levels:
                    level.begin()
            for level in levels:
                x = level.step(step % trial, x, step < freeze, step)
        for n, level in enumerate(levels):
            group = file[f"levels/{n}"]
            assert list(group["step"][()]) == level.steps, n
            compare(f"representation {n}", level.ticks, group["representation"])
        first, stored = levels[0].layer, file["levels/0/layers/0"]
        assert stored.attrs["executor"] == "stepwise"
        compare("weights", first.w, stored["weights"])
        compare("recurrent", first.r, stored["recurrent"])
        compare("history of recurrent", first.r, stored["history/recurrent"][-1])
        moved = np.abs(stored["recurrent"][()] - stored["recurrent_initial"][()]).max()
        assert (moved > 1e-3) == ("recurrent_rule" in stored.attrs), moved
        if stored.attrs.get("input_rule") == "intrinsic_plasticity":
            compare("gain", first.gain, stored["memory/gain"])
            compare("shift", first.shift, stored["memory/shift"])
        if stored.attrs.get("recurrent_rule") == "equations":
            compare("m", first.m, stored["memory/recurrent_m"])
            compare("trace", first.pre, stored["trace/recurrent_pre"])
    name = max(worst, key=worst.get)
    return worst[name], name


def fault_of(path, case):
    error, name = recompute(path, case["trial"], case["freeze"])
    print(f"{error:.1e}  {name}")
    return "" if error <= 1e-10 else f"{name} differs by {error:.1e}"


by_gaia.write_rows(work / "samples.csv", np.random.default_rng(5).normal(size=(240, 3)) * (1.0, 0.8, 0.5), "a,b,c")
failed = by_gaia.recompute(gaia, work, CASES, lambda case: EXPERIMENT.format(**case), fault_of)
checked = subprocess.run([gaia, "check", "experiment.yaml"], cwd=work, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT).stdout
if "layers[0].input: intrinsic_plasticity" not in checked or "stepwise" not in checked:
    print("FAILED: gaia check does not say how the rules run:", checked)
    failed += 1
sys.exit(1 if failed else 0)
