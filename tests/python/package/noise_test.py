# SPDX-License-Identifier: MIT
"""White noise through every task and control: how many verdicts say that something is better.

GAIA_NOISE_RUNS is how many runs there are; 12 unless it is set, in which 5 % would be few.
"""
import os
import random
import re

import numpy as np
import pytest

import gaia
from looks_ahead_test import CONTROLS, POOLINGS, READOUTS, words

RUNS = int(os.environ.get("GAIA_NOISE_RUNS", "12"))
ROWS = 700
BETTER = re.compile(r"learning gains|is better than all|does better than")


def noise(seed):
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(ROWS, 6))
    x[:, 4] = draw.integers(0, 2, ROWS)
    x[:, 5] = np.arange(ROWS) // 20
    return x


def tasks(draw):
    """One readout of every kind, with an option of each of its lists, and of every form of a target."""
    for kind, properties in READOUTS.items():
        if "of" in properties:
            continue  # it has the target of others
        options = {key: words(schema) for key, schema in properties.items()
                   if key not in ("type", "learn", "scored") and "enum" in schema}
        chosen = {key: draw.choice(values) for key, values in options.items()}
        if "target" not in properties:
            yield {"type": kind, **chosen}
            continue
        forms = [{"label": True}] if kind in ("logistic", "naming") else [
            {"channel": 0, "horizon": 1}, {"column": 3}, {"channel": [1, 2], "horizon": 2, "mean_over": 2},
            {"channel": 2, "horizon": 3, "change": True}]
        for form in forms:
            yield {"type": kind, "target": form, **chosen}


def experiment(seed):
    draw = random.Random(seed)
    readouts = [{"name": f"r{i}", "levels": draw.choice([[0], [0, 1]]), **task} for i, task in enumerate(tasks(draw))]
    for one in readouts:
        if one["type"] == "ridge" and draw.random() < 0.3:
            one["folds"] = 4
    forecast = {"type": "ridge", "target": {"channel": 0, "horizon": 1}}
    readouts += [{"name": "low", "levels": [0], **forecast}, {"name": "high", "levels": [1], **forecast},
                 {"name": "fused", "type": "consensus", "of": ["low", "high"],
                  "covariance": draw.choice(words(READOUTS["consensus"]["covariance"]))}]
    data = {"columns": [0, 1, 2], "targets": [3], "labels": 4, "normalize": draw.choice(["zscore", "minmax"]),
            "window": draw.choice([1, 3])}
    if seed % 3 == 0:
        data["trials"] = {"column": 5}
        readouts.append({"name": "trial", "type": "logistic", "levels": [0], "target": {"label": True, "per": "trial"}})
    return {
        "experiment": "noise", "seed": seed, "data": data, "readouts": readouts, "controls": CONTROLS,
        "output": {"representations": "all"},
        "hierarchy": {"levels": [
            {"layers": [{"type": "hebbian", "size": draw.choice([2, 8]), "rule": draw.choice(["oja", "sanger", "bcm"]),
                         "learning_rate": 0.003}]},
            {"temporal_resolution": draw.choice([1, 2]), "pooling": draw.choice([p for p in POOLINGS if p != "concat"]),
             "layers": [{"type": "hebbian", "size": 3, "rule": "oja_subspace", "learning_rate": 0.003}]}]}}


def network(seed):
    return {"experiment": "noise", "seed": seed, "data": {"columns": [0, 1, 2], "window": 4, "normalize": "zscore"},
            "network": {"target": {"channel": 0, "horizon": 1}, "epochs": 3,
                        "layers": [{"type": "flatten"}, {"type": "dense", "size": 8, "activation": "tanh"},
                                   {"type": "dense", "size": 1}]}}


def verdicts(run):
    """What each readout, or the network, of a run is reported to be worth."""
    if run % 4 == 3:
        text = gaia.run(network(run), noise(run), output="n.h5", overwrite=True, progress="none").text
        return [line for line in text.splitlines() if line.startswith(("warning", "verdict"))]
    result = gaia.run(experiment(run), noise(run), output="n.h5", overwrite=True, progress="none")
    return [one["verdict"] for one in result.scores]


@pytest.mark.filterwarnings("ignore")
def test_noise_is_not_called_better():
    said = [text for run in range(RUNS) for text in verdicts(run)]
    better = [text for text in said if BETTER.search(text)]
    share = 0.05
    bound = share * len(said) + 2.33 * np.sqrt(share * (1 - share) * len(said))
    print(f"{len(better)} of {len(said)} verdicts say better; the bound is {bound:.1f}")
    assert len(said) >= 8 * RUNS * 0.7
    assert len(better) <= bound, better
