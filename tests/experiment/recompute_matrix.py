#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs small experiments over rules, normalisations, homeostasis, poolings, activations and dtypes, and
lets recompute.py check every one.  Exits with 77 where h5py or NumPy is missing.

    recompute_matrix.py GAIA WORK_DIR [all]
"""
import itertools
import sys

import by_gaia

by_gaia.need("h5py", "numpy")
import recompute

gaia, work = sys.argv[1], by_gaia.emptied(sys.argv[2])

EXPERIMENT = """
experiment: recompute
dtype: {dtype}
data:
  source: generator
  kind: gaussian
  spectrum: [3.0, 2.0, 1.0, 0.7, 0.5, 0.2]
  steps: 400
  window: 2
  normalize: zscore
hierarchy:
  executor: {executor}
  freeze_after: {freeze_after}
  epochs: {epochs}
  levels:
    - layers:
        - {{type: reactive, size: 9, activation: tanh, init: xavier, bias: 0.1}}
        - {{type: hebbian, size: 7, rule: {rule}, learning_rate: {rate}, decay: 0.001,
           normalization: {normalization}, bound: 0.8, homeostasis: {homeostasis}}}
    - temporal_resolution: 2
      pooling: {pooling}
      layers:
        - {{type: hebbian, size: 5, rule: {rule}, learning_rate: {rate}, activation: {activation},
           normalization: {normalization}}}
    - temporal_resolution: 3
      pooling: {pooling}
      learn: {learn}
      layers:
        - {{type: temporal, size: 6, leak: 0.3, activation: {activation}}}
        - {{type: hebbian, size: 4, rule: {rule}, learning_rate: {rate}, init: orthogonal}}
output: {{path: result.h5, inputs: all}}
"""

AXES = {
    "rule": ["hebbian", "oja", "bcm", "sanger", "oja_subspace"],
    "normalization": ["none", "l2", "max_norm"],
    "homeostasis": ["none", "{target: 0.2, strength: 0.01}"],
    "pooling": ["last", "mean", "max", "ema", "concat"],
    "activation": ["linear", "relu", "leaky_relu", "tanh", "sigmoid", "softmax", "gelu", "mish", "hardswish",
                   "coates"],
    "dtype": ["float64", "float32"],
    "executor": ["chunkwise", "stepwise"],
    "freeze_after": [800, 251],
    "epochs": [1, 2],
    "learn": ["true", "false"],
}

cases = [dict(zip(AXES, values)) for values in itertools.product(*AXES.values())]
if len(sys.argv) < 4:
    # A stride that is prime to every axis meets each value, and most pairs, many times.
    cases = cases[::569]
# Nothing holds a plain Hebbian rule, so it must go slowly to stay in range.
failed = by_gaia.recompute(
    gaia, work, cases, lambda case: EXPERIMENT.format(rate=0.0003 if case["rule"] == "hebbian" else 0.004, **case),
    lambda path, case: recompute.main(path))
sys.exit(1 if failed or not cases else 0)
