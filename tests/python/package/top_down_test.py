# SPDX-License-Identifier: MIT
"""Levels that hear a level above, held against loops in NumPy."""
import copy

import numpy as np
import pytest

import gaia
from refused import refused

STEPS, RATE, RATE_OF_MAP = 90, 0.02, 0.03


def hierarchy(**top_down):
    fast = gaia.Hebbian(3, "oja", learning_rate=RATE, top_down={"from": 1, "learning_rate": RATE_OF_MAP, **top_down})
    slow = gaia.Level(gaia.Hebbian(2, "oja", learning_rate=RATE), temporal_resolution=4, pooling="mean")
    return gaia.Hierarchy(gaia.Level(fast), slow, inputs=4, dtype="float64", seed=3)


def loops(made, x, wanted, kind, delay):
    """What both levels show, and V: level 1 pools the plain answers of level 0."""
    w, above = made.weights(0).copy(), made.weights(1).copy()
    v, m, largest = np.zeros((3, 3)), np.ones(3), np.ones(3)
    heard, window, fast, slow = [np.zeros(2)] * delay, [], [], []
    for t in range(len(x)):
        s = np.append(heard[0], 1.0)
        p, td = w @ x[t], v @ s
        fast.append(p * (1 + td) if kind == "gain" else p + td)
        w = w + RATE * (np.outer(p, x[t]) - (p * p)[:, None] * w)
        if kind == "gain":
            error = wanted[t] * p / np.maximum(m, largest / 1000) - 1 - td
            m = m + (p * p - m) / 1000
            largest = np.maximum(largest, m)
        else:
            error = p - td
        v = v + RATE_OF_MAP * np.outer(error, s)
        window = (window + [p])[-4:]
        if t % 4 == 0:
            z = np.mean(window, axis=0)
            q = above @ z
            above = above + RATE * (np.outer(q, z) - (q * q)[:, None] * above)
            slow.append(q)
            heard = heard[1:] + [q]
    return np.array(fast), np.array(slow), v


@pytest.fixture(name="data")
def drawn():
    random = np.random.default_rng(5)
    return random.normal(0.3, 1.0, (STEPS, 4)), random.normal(0.5, 1.0, STEPS)


@pytest.mark.parametrize("kind", ["gain", "bias"])
@pytest.mark.parametrize("delay", [1, 3])
def test_a_level_hears_what_loops_hear(data, kind, delay):
    x, wanted = data
    keys = {"as": kind, "delay": delay, **({"target": "wanted"} if kind == "gain" else {})}
    made = hierarchy(**keys)
    fast, slow, v = loops(made, x, wanted, kind, delay)
    shown = [[], []]
    for first, end in ((0, 37), (37, STEPS)):
        for level, rows in enumerate(made.process(x[first:end], signals={"wanted": wanted[first:end]})):
            shown[level].append(rows)
        made = copy.deepcopy(made)  # which goes on as it does
    np.testing.assert_allclose(np.concatenate(shown[0]), fast, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(np.concatenate(shown[1]), slow, rtol=1e-10, atol=1e-10)
    arrays = made.top_down()
    np.testing.assert_allclose(arrays["weights"], v, rtol=1e-10, atol=1e-10)
    assert arrays["heard"].shape == (1, delay, 2)
    assert np.abs(v).max() > 1e-3
    assert ("m" in arrays) == (kind == "gain")


def test_what_cannot_hear_says_why(data):
    refused(gaia.ArgumentError, "level 1 has no connection from above", lambda: hierarchy(**{"as": "bias"}).top_down(1))
    refused(gaia.ConfigError, "a gain learns what its neurons are worth", lambda: hierarchy())
    with pytest.raises(gaia.ConfigError, match="expected a level above level 0, 1 to 1, got 7"):
        hierarchy(**{"as": "bias", "from": 7})
    refused(gaia.ArgumentError, "reads the column 'wanted'", lambda: hierarchy(target="wanted").process(data[0]))
