# SPDX-License-Identifier: MIT
"""snnTorch's Leaky neuron and its STDPLearner run in float32, which its spikes always are.

The spikes of the neurons that come from outside are those of a Leaky neuron that gets them as its input.
"""
import numpy as np
import snntorch
import torch
from snntorch.functional.stdp_learner import STDPLearner
from torch import nn

from peer import Deviation, Record, signal

LIBRARY = "snnTorch"
PACKAGES = ("snntorch", "torch")
DTYPE = "float32"
torch.set_num_threads(1)
WAYS = {
    "stdp": "STDPLearner with functions f_pre and f_post that return a number and not the weight; its traces fall by "
            "1/tau of themselves, and tau is such that they fall as in the case",
    "stdp_multiplicative": "STDPLearner with f_pre = a_minus w and f_post a number",
    "stdp_soft_bounds": "STDPLearner with f_pre = a_minus w and f_post = a_plus (1 - w)",
    "lif": "Leaky(beta=leak, reset_mechanism='zero', reset_delay=False)"}


def euler(tau):
    """The time constant with which 1 - 1/tau is what exp(-1/tau) is."""
    return 1 / (1 - np.exp(-1 / tau))


def linear(case):
    synapse = nn.Linear(case.x.shape[1], len(case.weights_initial), bias=False, dtype=torch.float32)
    synapse.weight.data[...] = torch.tensor(case.weights_initial)
    return synapse


def stdp(case, f_pre=None, f_post=None):
    p, record, synapse = case.parameters, Record(case), linear(case)
    cell = snntorch.Leaky(beta=0.0, threshold=0.5, reset_mechanism="zero", init_hidden=True)
    learner = STDPLearner(synapse, cell, euler(p["tau"]), euler(p["tau_post"]),
                          f_pre or (lambda w: torch.full_like(w, p["a_minus"])),
                          f_post or (lambda w: torch.full_like(w, p["a_plus"])))
    with torch.no_grad():
        for t, x in enumerate(torch.tensor(case.x, dtype=torch.float32)):
            synapse(x[None])
            y = cell(torch.tensor(signal(case, "spike", t), dtype=torch.float32)[None])
            synapse.weight += learner.step(on_grad=False, scale=p["rate"])
            record.tick(t, y[0], synapse.weight)
    return record.found()


def stdp_multiplicative(case):
    return stdp(case, f_pre=lambda w: case.parameters["a_minus"] * w)


def stdp_soft_bounds(case):
    p = case.parameters
    return stdp(case, lambda w: p["a_minus"] * w, lambda w: p["a_plus"] * (1 - w))


def by_the_weight(case):
    """f_pre and f_post as by default, times the amplitudes."""
    p = case.parameters
    return stdp(case, lambda w: p["a_minus"] * w, lambda w: p["a_plus"] * w)


def lif(case, **settings):
    p, record, synapse = case.parameters, Record(case), linear(case)
    settings = settings or {"reset_mechanism": "zero", "reset_delay": False}
    cell = snntorch.Leaky(beta=p["leak"], threshold=p["threshold"], **settings)
    v = torch.zeros(1, len(case.weights_initial), dtype=torch.float32)
    with torch.no_grad():
        for t, x in enumerate(torch.tensor(case.x, dtype=torch.float32)):
            y, v = cell(synapse(x[None]), v)
            record.tick(t, y[0], synapse.weight, memory_v=v[0])
    return record.found()


RUN = {"stdp": stdp, "stdp_multiplicative": stdp_multiplicative, "stdp_soft_bounds": stdp_soft_bounds,
       "lif": lif}


# ------------------------------------------------------------------------------------------ deviations

def fall(tau):
    return np.exp(-1 / tau)


def both_by_the_weight(k):
    y, p = k.signal["spike"], k.p
    k.post = fall(p["tau_post"]) * getattr(k, "post", np.zeros_like(y)) + y
    return y, p["rate"] * k.w * (p["a_plus"] * np.outer(y, k.trace["pre"]) - p["a_minus"] * np.outer(k.post, k.x))


def threshold_taken_off_a_tick_late(k):
    before = k.memory["v"]
    k.memory["v"] = k.p["leak"] * before + k.z - k.p["threshold"] * (before > k.p["threshold"])
    return (k.memory["v"] > k.p["threshold"]).astype(float), np.zeros_like(k.w)


DEVIATIONS = {
    "stdp": [Deviation(
        "scale", "f_pre and f_post return the weight, so that potentiation and depression are both in proportion to "
        "it; an additive rule has to be asked for.", run=by_the_weight, reading=both_by_the_weight)],
    "lif": [Deviation(
        "reset", "The threshold is subtracted (reset_mechanism='subtract') at the next tick, after the leak "
        "(reset_delay=True), so that what is subtracted does not leak. The case sets v to 0 at the spike. "
        "Lapicque has no reset.",
        run=lambda case: lif(case, reset_mechanism="subtract"), reading=threshold_taken_off_a_tick_late,
        allowed=True)]}


def can(case):
    if case.name in RUN:
        return None
    if case.name == "reward_stdp":
        return "it has functions that compute an eligibility of spikes, and no learner that keeps it or uses a reward"
    if case.name == "triplet_stdp":
        return "its learner has one trace on each side, and there is no rule of triplets"
    return ("its learner is for spikes; it has nothing for neurons that answer with numbers or for competition, and "
            "nothing for targets but gradients of PyTorch")


def run(case):
    return RUN[case.name](case)
