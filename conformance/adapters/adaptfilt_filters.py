# SPDX-License-Identifier: MIT
"""There is one of adaptfilt's filters for each neuron.

It is called once for each sample, with the coefficients that it had before. A filter reads a signal by a window that
moves on by one number a step; here each sample is a window of its own, in a signal that is as long as the filter and
runs backwards.
"""
import adaptfilt
import numpy as np

from peer import Deviation, Record, signal

LIBRARY = "adaptfilt"
PACKAGES = ("adaptfilt",)
DTYPE = "float64"
WAYS = {"delta": "lms(step=rate); the answer is d - e, the one before the step",
        "nlms": "nlms(step=rate, eps=epsilon); the answer is d - e, the one before the step"}


def run(case, after=False):
    p, record, w = case.parameters, Record(case), case.weights_initial.copy()
    for t, x in enumerate(case.x):
        y = np.zeros(len(w))
        for i, wanted in enumerate(signal(case, "target", t)):
            told = np.zeros(len(x))
            told[-1] = wanted
            more = {"eps": p["epsilon"]} if case.name == "nlms" else {}
            filtered = adaptfilt.lms if case.name == "delta" else adaptfilt.nlms
            answer, error, w[i] = filtered(x[::-1], told, len(x), p["rate"], N=1, initCoeffs=w[i].copy(), **more)
            y[i] = answer[0] if after else wanted - error[0]
        record.tick(t, y, w)
    return record.found()


def answer_after_the_step(scale):
    def reading(k):
        dw = k.p["rate"] * np.outer(k.signal["target"] - k.z, k.x) / scale(k)
        return (k.w + dw) @ k.x, dw
    return reading


LATE = ("The answers that are returned are those of the weights after the step, so that the error is not the target "
        "minus the answer. ")
DEVIATIONS = {
    "delta": [Deviation("order", LATE, run=lambda case: run(case, True), reading=answer_after_the_step(lambda k: 1))],
    "nlms": [Deviation("order", LATE, run=lambda case: run(case, True),
                       reading=answer_after_the_step(lambda k: k.p["epsilon"] + k.x @ k.x))]}


def can(case):
    return None if case.name in WAYS else "it has filters that are given a target, and no other neurons"
