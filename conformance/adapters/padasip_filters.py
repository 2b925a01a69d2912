# SPDX-License-Identifier: MIT
"""There is one of padasip's adaptive filters for each neuron."""
import numpy as np
import padasip

from peer import Record, signal

LIBRARY = "padasip"
PACKAGES = ("padasip",)
DTYPE = "float64"
WAYS = {"delta": "FilterLMS(mu=rate)", "nlms": "FilterNLMS(mu=rate, eps=epsilon)"}


def can(case):
    return None if case.name in WAYS else "it has filters that are given a target, and no other neurons"


def run(case):
    p, record = case.parameters, Record(case)
    filters = [padasip.filters.FilterLMS(n=len(w), mu=p["rate"], w=w.copy()) if case.name == "delta" else
               padasip.filters.FilterNLMS(n=len(w), mu=p["rate"], eps=p["epsilon"], w=w.copy())
               for w in case.weights_initial]
    for t, x in enumerate(case.x):
        y = [each.predict(x) for each in filters]
        for each, wanted in zip(filters, signal(case, "target", t)):
            each.adapt(wanted, x)
        record.tick(t, y, np.array([each.w for each in filters]))
    return record.found()
