# SPDX-License-Identifier: MIT
"""adaptfilt's filters, one for each neuron, called once for each sample with the coefficients of before.

They read a signal by a window that moves on by one number a step; a window of a sample of its own is a signal as long
as the filter, backwards.
"""
import adaptfilt
import numpy as np

from peer import Deviation, Record, signal

LIBRARY = "adaptfilt"
PACKAGES = ("adaptfilt",)
DTYPE = "float64"
WAYS = {"delta": "lms(step=rate), and as the answer d - e, the one before the step",
        "nlms": "nlms(step=rate, eps=epsilon), and as the answer d - e, the one before the step"}


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
        "less the answer. ")
DEVIATIONS = {
    "delta": [Deviation("order", LATE, run=lambda case: run(case, True), reading=answer_after_the_step(lambda k: 1))],
    "nlms": [Deviation("order", LATE, run=lambda case: run(case, True),
                       reading=answer_after_the_step(lambda k: k.p["epsilon"] + k.x @ k.x))]}


def can(case):
    return None if case.name in WAYS else "has filters that are told a target, and no other neurons"
