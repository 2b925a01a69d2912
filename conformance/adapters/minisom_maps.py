# SPDX-License-Identifier: MIT
"""MiniSom runs in float64; its map without a neighbourhood is online competition."""
import numpy as np
from minisom import MiniSom

from peer import Deviation, Record

LIBRARY = "MiniSom"
PACKAGES = ("minisom", "numpy")
DTYPE = "float64"
ALONE = "neighborhood_function='bubble' with a sigma of 0.5, which reaches the winner alone, and a rate that stays"
WAYS = {"online_k_means": ALONE,
        "competitive": f"{ALONE}; activation_distance is a function that returns -w . x"}


def stays(number, *_):
    return number


def som(case, distance="euclidean", samples=40, **settings):
    n_out, n_in = case.weights_initial.shape
    settings = settings or {"sigma": 0.5, "neighborhood_function": "bubble", "decay_function": stays,
                            "sigma_decay_function": "asymptotic_decay"}
    learner, record = MiniSom(n_out, 1, n_in, learning_rate=case.parameters["rate"], activation_distance=distance,
                              **settings), Record(case)
    learner._weights = case.weights_initial[:, None].copy()      # as its documentation says of weights of one's own
    for t, x in enumerate(case.x):
        winner = learner.winner(x)
        learner.update(x, winner, t, samples)
        record.tick(t, np.eye(n_out)[winner[0]], learner.get_weights()[:, 0])
    return record.found()


def by_default(case):
    return som(case, sigma=1.0)


def neighbours_and_a_rate_that_falls(k):
    k.t = getattr(k, "t", -1) + 1
    fall = 1 + k.t / 20
    best = int((2 * k.z - (k.w**2).sum(axis=1)).argmax())
    near = np.exp(-(np.arange(len(k.w)) - best)**2 / (2 * (1 / fall)**2))
    return np.eye(len(k.w))[best], k.p["rate"] / fall * near[:, None] * (k.x - k.w)


DEVIATIONS = {"online_k_means": [Deviation(
    "winner, scale", "MiniSom is Kohonen's map of 1982: the winner's neighbours move too, by a Gaussian with a sigma of "
    "1, and the rate and sigma fall as 1/(1 + 2 t/T) over T samples, here 40.", run=by_default,
    reading=neighbours_and_a_rate_that_falls, allowed=True)]}


def can(case):
    if case.name in WAYS:
        return None
    if case.name == "macqueen":
        return "its rate falls with the samples that all neurons have seen, not with those that each has won"
    return "it is a self-organising map, which has one rule"


def run(case):
    return som(case, "euclidean" if case.name == "online_k_means" else lambda x, w: -(w * x).sum(axis=-1))
