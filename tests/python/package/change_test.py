# SPDX-License-Identifier: MIT
"""Detectors of changes, compared with their formulas in Python."""
import copy
import math
import pickle

import numpy as np
import pytest

import gaia
from refused import refused


def stream(seed=3):
    draw = np.random.default_rng(seed)
    return np.concatenate([draw.random(700) * 0.5, draw.random(700) * 0.5 + 0.4, draw.random(600) * 0.5])


def page_hinkley(series, min_instances, delta, threshold, alpha, mode):
    """All changes, by sums that are computed anew at every number."""
    changes, begin = [], 0
    for t in range(len(series)):
        x = series[begin:t + 1]
        means = np.cumsum(x) / np.arange(1, len(x) + 1)
        up = down = 0.0
        ups, downs = [], []
        for deviation in x - means:
            up, down = alpha * up + deviation - delta, alpha * down + deviation + delta
            ups.append(up)
            downs.append(down)
        tests = {"up": [up - min(ups)], "down": [max(downs) - down]}
        tests["both"] = tests["up"] + tests["down"]
        if len(x) >= min_instances and max(tests[mode]) > threshold:
            changes.append(t)
            begin = t + 1
    return changes


@pytest.mark.parametrize("mode", ["up", "down", "both"])
def test_page_hinkley_is_its_formula(mode):
    series = stream()[::4]
    settings = dict(min_instances=15, delta=0.01, threshold=4.0, alpha=0.999, mode=mode)
    detector = gaia.PageHinkley(**settings)
    told = [t for t, x in enumerate(series) if detector.update(x)]
    assert told == page_hinkley(series, **settings)
    assert len(told) >= 1
    assert gaia.PageHinkley(**settings).find(series) == told


def test_adwin_forgets_what_was_before_a_change():
    series = stream()
    detector = gaia.Adwin()
    changes = detector.find(series)
    assert len(changes) >= 2 and 700 < changes[0] < 800
    assert abs(detector.estimation - 0.25) < 0.05
    before = gaia.Adwin()
    for x in series[:100]:
        assert before.update(x) is False
    assert before.width == 100
    assert math.isclose(before.estimation, series[:100].mean(), rel_tol=1e-10)
    assert math.isclose(before.variance, series[:100].var(), rel_tol=1e-9)
    assert 0 < before.statistic < 1 and not before.detected


@pytest.mark.parametrize("make", [gaia.PageHinkley, gaia.Adwin])
def test_copies_and_pickles_go_on_alike(make):
    series = stream(5)
    detector = make(**({"threshold": 5.0} if make is gaia.PageHinkley else {}))
    detector.find(series[:650])
    twins = [detector.copy(), copy.deepcopy(detector), pickle.loads(pickle.dumps(detector))]
    expected = detector.find(series[650:])
    assert expected
    for twin in twins:
        assert twin.find(series[650:]) == expected
        assert twin.estimation == detector.estimation and twin.width == detector.width
    assert "numbers of mean" in repr(detector)


def test_what_cannot_be_used_is_refused():
    refused(gaia.ArgumentError, "finite", lambda: gaia.Adwin().update(float("nan")))
    refused(gaia.ArgumentError, "threshold", lambda: gaia.PageHinkley(threshold=0))
    refused(gaia.ArgumentError, "sideways", lambda: gaia.PageHinkley(mode="sideways"))
    refused(gaia.ShapeError, "series", lambda: gaia.Adwin().find(np.zeros((3, 2))))
