# SPDX-License-Identifier: MIT
"""ReservoirPy's nodes LocalPlasticityReservoir, IPReservoir, LMS and LIF run in float64.

Its rules learn the weights W within a reservoir. A layer is a reservoir of inputs and neurons whose weights lead from
the inputs to the neurons. The inputs get each sample through Win, and the neurons answer a tick later, with
activation='identity'.
"""
import numpy as np
from reservoirpy.nodes import LIF, LMS, IPReservoir, LocalPlasticityReservoir

from peer import Deviation, Record, signal

LIBRARY = "ReservoirPy"
PACKAGES = ("reservoirpy", "numpy")
DTYPE = "float64"
AFTER = "fit gets one sample at a time, and run gets the same sample after it, which moves the state on"
WAYS = {
    "hebbian": f"LocalPlasticityReservoir(local_rule='hebbian'); {AFTER}",
    "anti_hebbian": f"LocalPlasticityReservoir(local_rule='anti-hebbian'); {AFTER}",
    "oja": f"LocalPlasticityReservoir(local_rule='oja'); {AFTER}",
    "anti_oja": f"LocalPlasticityReservoir(local_rule='anti-oja'); {AFTER}",
    "intrinsic_plasticity": "IPReservoir with W=0; it does not hold a gain that falls to 0, which no vector asks for",
    "lif": "LIF with W=0, lr = 1 - leak, the threshold times leak, and the answer read a tick later",
    "delta": "LMS(fit_bias=False)"}
NAMES = {"hebbian": "hebbian", "anti_hebbian": "anti-hebbian", "oja": "oja", "anti_oja": "anti-oja", "bcm": "bcm"}


def reservoir(case):
    n_out, n_in = case.weights_initial.shape
    w = np.zeros((n_in + n_out, n_in + n_out))
    w[n_in:, :n_in] = case.weights_initial
    node = LocalPlasticityReservoir(
        local_rule=NAMES[case.name], eta=case.parameters["rate"], bcm_theta=case.memory.get("theta", 0.0), W=w,
        Win=np.eye(n_in + n_out, n_in), bias=np.zeros(n_in + n_out), activation="identity", input_dim=n_in)
    node.initialize(case.x[:1])
    return node, n_in


def local(case):
    node, n_in = reservoir(case)
    record = Record(case)
    node.run(case.x[:1])
    following = np.vstack([case.x[1:], np.zeros((1, n_in))])
    for t, x in enumerate(following):
        before = node.W.copy()
        node.fit(x[None])
        after, node.W = node.W, before
        y = node.run(x[None])[0, n_in:]                 # with the weights that fit has seen
        node.W = after
        record.tick(t, y, node.W[n_in:, :n_in])
    return record.found()


def as_documented(case):
    """fit of a whole series: here of all samples up to a tick, each time from the beginning."""
    record, w = Record(case), case.weights_initial
    for t in range(len(case.x)):
        node, n_in = reservoir(case)
        node.run(case.x[:1])
        node.fit(np.vstack([case.x[1:t + 1], np.zeros((1, n_in))]))
        y, w = w @ case.x[t], node.W[n_in:, :n_in]
        record.tick(t, y, w)
    return record.found()


def intrinsic_plasticity(case):
    p, record = case.parameters, Record(case)
    n_out = len(case.weights_initial)
    node = IPReservoir(mu=p["mu"], sigma=p["sigma"], learning_rate=p["rate"], W=np.zeros((n_out, n_out)),
                       Win=case.weights_initial, bias=np.zeros(n_out), activation="tanh")
    node.initialize(case.x[:1])
    for t, x in enumerate(case.x):
        node.partial_fit(x[None])
        record.tick(t, node.state["out"], case.weights_initial, memory_gain=node.a, memory_shift=node.b)
    return record.found()


def delta(case):
    record = Record(case)
    node = LMS(learning_rate=case.parameters["rate"], Wout=case.weights_initial.T.copy(), fit_bias=False,
               bias=np.zeros(len(case.weights_initial)))
    target = np.array([signal(case, "target", t) for t in range(len(case.x))])
    node.initialize(case.x[:1], target[:1])
    for t, x in enumerate(case.x):
        y = node.run(x[None])[0]
        node.partial_fit(x[None], target[t][None])
        record.tick(t, y, node.Wout.T)
    return record.found()


def lif(case, shift=1):
    p, record, n_out = case.parameters, Record(case), len(case.weights_initial)
    node = LIF(W=np.zeros((n_out, n_out)), Win=case.weights_initial, lr=1 - p["leak"],
               threshold=p["threshold"] * p["leak"]**shift)
    node.initialize(case.x[:1])
    spikes = [node.step(x) for x in (*case.x, np.zeros(case.x.shape[1]))]
    for t, y in enumerate(spikes[shift:len(case.x) + shift]):
        record.tick(t, y, case.weights_initial)
    return record.found()


# ------------------------------------------------------------------------------------------ deviations

def state_stays(rule):
    """Every sample of a series meets the inputs and the neurons as they were before it."""
    def reading(k):
        k.first = getattr(k, "first", k.x)
        return k.z, k.p["rate"] * rule(k, k.w @ k.first)
    return reading


def fixed_threshold(k):
    return k.z, k.p["rate"] * np.outer(k.z * (k.z - 1.0), k.x)


def input_after_the_spike(k):
    v = k.p["leak"] * k.memory["v"]
    y = (v > k.p["threshold"]).astype(float)
    k.memory["v"] = v * (1 - y) + k.z
    return y, np.zeros_like(k.w)


STAYS = ("A fit of a whole series, as the documentation has it, computes each step from the state before the series and "
         "never moves that state on, so that every sample is learnt with the input that came first. ")
DEVIATIONS = {
    "hebbian": [Deviation("order", STAYS, run=as_documented,
                          reading=state_stays(lambda k, y: np.outer(y, k.first)))],
    "anti_hebbian": [Deviation("order", STAYS, run=as_documented,
                               reading=state_stays(lambda k, y: -np.outer(y, k.first)))],
    "oja": [Deviation("order", STAYS, run=as_documented,
                      reading=state_stays(lambda k, y: np.outer(y, k.first) - (y**2)[:, None] * k.w))],
    "anti_oja": [Deviation("order", STAYS, run=as_documented,
                           reading=state_stays(lambda k, y: (y**2)[:, None] * k.w - np.outer(y, k.first)))],
    "bcm": [Deviation(
        "threshold", "The threshold is the constant bcm_theta (0 by default) and does not follow the mean of y^2.",
        reading=fixed_threshold)],
    "lif": [Deviation(
        "order", "A step leaks, spikes and then adds its input, so that an input takes effect a tick later and a leak "
        "smaller. Lapicque has neither ticks nor a reset.",
        run=lambda case: lif(case, 0), reading=input_after_the_spike, allowed=True)]}
RUN = dict.fromkeys(NAMES, local) | {"intrinsic_plasticity": intrinsic_plasticity, "delta": delta, "lif": lif}


def can(case):
    if case.name in RUN:
        return None
    return "its nodes learn by five local rules, intrinsic plasticity and readouts with a target, and by no other"


def run(case):
    return RUN[case.name](case)
