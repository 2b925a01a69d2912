# SPDX-License-Identifier: MIT
"""Runs with lateral connections, recomputed from their results files by NumPy alone, tick by tick."""

import gaia
import h5py
import numpy as np
import pytest

STEPS = 300
TEXT = {"equations": "dw = rate*y*(x - w)", "parameters": {"rate": 0.02}}


def config(lateral, schedule="none", **layer):
    data = {"source": "generator", "kind": "bars", "size": 3, "probability": 0.25, "steps": STEPS, "normalize": "none"}
    layer = {"type": "hebbian", "size": 4, "init": "positive", "lateral": lateral, **layer}
    return {
        "experiment": "lateral",
        "seed": 3,
        "dtype": "float64",
        "data": data,
        "hierarchy": {"schedule": schedule, "levels": [{"layers": [layer]}]},
        "output": {"path": "lateral.h5", "inputs": "all"},
    }


def settled(z, theta, u, keys):
    y = np.zeros_like(z)
    for _ in range(keys.get("iterations", 40)):
        y = y + keys.get("step", 0.2) * (1 / (1 + np.exp(-keys.get("gain", 10) * (z - theta + u @ y))) - y)
    return (y > 0.5).astype(float)


def recomputed(file, lateral, rule, rate):
    """Answers, W, U and theta of a run under these keys, from its samples and its first weights."""
    group = file["levels/0/layers/0"]
    w, u = group["weights_initial"][()], group["lateral/weights_initial"][()]
    n = len(w)
    theta = np.full(n, float(lateral.get("threshold", 1)))
    settles = lateral["form"] == "settle"
    p = lateral.get("target", 0.125)
    answers = []
    for t, x in enumerate(file["data/samples"][()]):
        z = w @ x
        if settles:
            y = settled(z, theta, u, lateral)
        elif lateral["form"] == "solve":
            y = np.linalg.solve(np.eye(n) - u, z)
        else:
            y = np.zeros(n)
            for i in range(n):
                y[i] = z[i] + u[i, :i] @ y[:i]
        answers.append(y)
        if settles and t < lateral.get("settle_first", 100):
            theta = theta + 0.1 * (y - p)
            continue
        q = 1.0 if t < STEPS // 2 else 0.1
        if settles:
            u = np.minimum(0, u - q * lateral.get("rate_lateral", 0.1) * (np.outer(y, y) - p * p))
            np.fill_diagonal(u, 0)
            theta = theta + q * lateral.get("rate_threshold", 0.02) * (y - p)
        elif lateral["form"] == "triangle":
            square = (y * y)[:, None] * u if lateral.get("rule") == "apex" else 0
            u = u - q * lateral.get("rate_lateral", 2 * rate) * np.tril(np.outer(y, y) + square, -1)
        pull = y[:, None] * w if rule == "oja" else w
        w = w + q * rate * y[:, None] * (x - pull)
    return np.array(answers), w, u, theta


@pytest.mark.parametrize(
    ("lateral", "rule"),
    [
        ({"form": "triangle"}, "oja"),
        ({"form": "triangle", "rule": "apex", "rate_lateral": 0.01}, "text"),
        ({"form": "settle", "settle_first": 20}, "text"),
        ({"form": "solve", "weights": (0.2 - 0.3 * np.eye(4) - 0.1 * np.eye(4, k=2)).tolist()}, "oja"),
        ({"form": "settle", "iterations": 11, "gain": 5, "target": 0.2, "settle_first": 0}, "oja"),
    ],
)
def test_a_run_follows_from_its_file(tmp_path, lateral, rule):
    layer = {"rule": TEXT} if rule == "text" else {"rule": "oja", "learning_rate": 0.02}
    path = tmp_path / "lateral.h5"
    gaia.run(config(lateral, {"tenth_after": STEPS // 2}, **layer), output=str(path))
    with h5py.File(path) as file:
        answers, w, u, theta = recomputed(file, lateral, rule, 0.02)
        group = file["levels/0/layers/0"]
        np.testing.assert_allclose(file["levels/0/representation"][()], answers, rtol=0, atol=1e-10)
        np.testing.assert_allclose(group["weights"][()], w, rtol=0, atol=1e-10)
        np.testing.assert_allclose(group["lateral/weights"][()], u, rtol=0, atol=1e-10)
        assert np.abs(u).max() > 0
        if lateral["form"] == "settle":
            np.testing.assert_allclose(group["lateral/threshold"][()], theta, rtol=0, atol=1e-10)


@pytest.mark.parametrize("lateral", [{"form": "triangle"}, {"form": "settle", "settle_first": 130, "target": 0.3}])
def test_connections_go_on_over_trials(tmp_path, lateral):
    """They are as over one series of all rows; the first ticks of thresholds alone end within the second trial."""
    random = np.random.default_rng(5)
    trials = (random.random((3, STEPS // 3, 9)) < 0.4).astype(float)
    run = config(lateral, {"tenth_after": STEPS // 2}, rule="oja", learning_rate=0.02)
    run["data"] = {"normalize": "none"}
    path = tmp_path / "trials.h5"
    gaia.run(run, trials, output=str(path))
    with h5py.File(path) as file:
        answers, w, u, theta = recomputed(file, lateral, "oja", 0.02)
        assert np.array_equal(file["data/samples"][()], trials.reshape(STEPS, 9))
        assert np.unique(file["data/trial"][()]).size == 3
        group = file["levels/0/layers/0"]
        np.testing.assert_allclose(file["levels/0/representation"][()], answers, rtol=0, atol=1e-10)
        np.testing.assert_allclose(group["weights"][()], w, rtol=0, atol=1e-10)
        np.testing.assert_allclose(group["lateral/weights"][()], u, rtol=0, atol=1e-10)
        assert np.abs(u).max() > 0
