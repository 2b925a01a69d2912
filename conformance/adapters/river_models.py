# SPDX-License-Identifier: MIT
"""There is one of river's linear models for each neuron.

It learns a sample at a time by learn_one, without an intercept.
"""
import numpy as np
from river import linear_model, optim

from peer import Deviation, Record, signal

LIBRARY = "river"
PACKAGES = ("river",)
DTYPE = "float64"
WAYS = {
    "delta": "LinearRegression(SGD(rate/2)): the slope of its squared loss has the factor 2",
    "perceptron": "LogisticRegression(SGD(rate), loss=Hinge(threshold=0)), which is what its Perceptron is with a "
                  "rate of 1. At w . x = 0, which no vector has, it learns class 0 too, where the paper's neuron is "
                  "silent and right",
    "logistic": "LogisticRegression(SGD(rate))"}


class Given(optim.initializers.Initializer):
    """The initial weights of one neuron, in the order of the inputs."""

    def __init__(self, weights):
        self.weights = list(weights)

    def __call__(self, shape=1):
        return self.weights.pop(0)


def model(case, w, factor):
    settings = {"intercept_lr": 0.0, "initializer": Given(w)}
    rate = case.parameters["rate"]
    if case.name == "delta":
        return linear_model.LinearRegression(optim.SGD(rate * factor), **settings)
    if case.name == "perceptron":
        return linear_model.LogisticRegression(optim.SGD(rate), optim.losses.Hinge(threshold=0.0), **settings)
    return linear_model.LogisticRegression(optim.SGD(rate), **settings)


def run(case, factor=0.5):
    models, record = [model(case, w, factor) for w in case.weights_initial], Record(case)
    names = range(case.x.shape[1])
    for each in models:
        each.learn_one(dict.fromkeys(names, 0.0), 0.0 if case.name == "delta" else False)    # makes its weights
    for t, x in enumerate(case.x):
        sample, y = dict(zip(names, map(float, x))), []
        for each, wanted in zip(models, signal(case, "target", t)):
            y.append(each.predict_proba_one(sample)[True] if case.name == "logistic" else
                     float(each.predict_one(sample)))
            each.learn_one(sample, float(wanted) if case.name == "delta" else bool(wanted))
        record.tick(t, y, np.array([[each.weights[name] for name in names] for each in models]))
    return record.found()


def twice_the_step(k):
    return k.z, 2 * k.p["rate"] * np.outer(k.signal["target"] - k.z, k.x)


DEVIATIONS = {"delta": [Deviation(
    "scale", "With SGD(rate) each step is twice as large, since the loss is the square of the error and not half of "
    "it, as the documentation says. Widrow & Stearns 1985 write the rule with this factor, too.",
    run=lambda case: run(case, 1.0),
    reading=twice_the_step, allowed=True)]}


def can(case):
    return None if case.name in WAYS else "no model learns by this rule"
