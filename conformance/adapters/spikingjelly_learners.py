# SPDX-License-Identifier: MIT
"""SpikingJelly's learners and its LIFNode run in float64.

The spikes of the neurons that come from outside are the output of an IFNode that gets them as its input.
"""
import numpy as np
import torch
from spikingjelly.activation_based import learning, neuron
from torch import nn

from peer import Deviation, Record, signal

LIBRARY = "SpikingJelly"
PACKAGES = ("spikingjelly", "torch")
DTYPE = "float64"
torch.set_num_threads(1)
WAYS = {
    "stdp": "STDPLearner with functions f_pre and f_post that return a number and not the weight; its traces fall by "
            "1/tau of themselves, and tau is such that they fall as in the case",
    "stdp_multiplicative": "STDPLearner with f_pre = a_minus w and f_post a number",
    "stdp_soft_bounds": "STDPLearner with f_pre = a_minus w and f_post = a_plus (1 - w)",
    "lif": "LIFNode(tau=1/(1 - leak), decay_input=False, v_reset=0); it spikes at the threshold too, which no vector "
           "meets"}


def euler(tau):
    """The time constant with which 1 - 1/tau is what exp(-1/tau) is."""
    return 1 / (1 - np.exp(-1 / tau))


def linear(case):
    synapse = nn.Linear(case.x.shape[1], len(case.weights_initial), bias=False, dtype=torch.float64)
    synapse.weight.data[...] = torch.tensor(case.weights_initial)
    return synapse


def learn(case, learner_of, step, batch=True):
    synapse, cell, record = linear(case), neuron.IFNode(v_threshold=0.5, v_reset=0.0), Record(case)
    learner = learner_of(synapse, cell)
    with torch.no_grad():
        for t, x in enumerate(torch.tensor(case.x)):
            spikes = torch.tensor(signal(case, "spike", t))
            synapse(x[None] if batch else x)
            y = cell(spikes[None] if batch else spikes)
            synapse.weight += step(learner, t)
            record.tick(t, y, synapse.weight)
    return record.found()


def stdp(case, f_pre=None, f_post=None):
    p = case.parameters
    f_pre = f_pre or (lambda w: torch.full_like(w, p["a_minus"]))
    f_post = f_post or (lambda w: torch.full_like(w, p["a_plus"]))
    return learn(case, lambda synapse, cell: learning.STDPLearner(
        "s", synapse, cell, euler(p["tau"]), euler(p["tau_post"]), f_pre, f_post),
        lambda learner, t: learner.step(on_grad=False, scale=p["rate"]))


def stdp_multiplicative(case):
    return stdp(case, f_pre=lambda w: case.parameters["a_minus"] * w)


def stdp_soft_bounds(case):
    p = case.parameters
    return stdp(case, lambda w: p["a_minus"] * w, lambda w: p["a_plus"] * (1 - w))


def by_the_weight(case):
    """f_pre and f_post as by default, times the amplitudes."""
    p = case.parameters
    return stdp(case, lambda w: p["a_minus"] * w, lambda w: p["a_plus"] * w)


def reward_stdp(case):
    p = case.parameters
    tau_e = -1 / np.log(1 - 1 / p["tau_e"])
    return learn(case, lambda synapse, cell: learning.MSTDPETLearner(
        "s", synapse, cell, p["tau"], p["tau_post"], tau_e, lambda w: torch.full_like(w, p["a_minus"]),
        lambda w: torch.full_like(w, p["a_plus"])),
        lambda learner, t: learner.step(float(case.signals["reward"][1][t]), on_grad=False, scale=p["rate"] * tau_e),
        batch=False)


def lif(case, decay_input=False):
    p, record, synapse = case.parameters, Record(case), linear(case)
    cell = neuron.LIFNode(tau=1 / (1 - p["leak"]), decay_input=decay_input, v_threshold=p["threshold"], v_reset=0.0)
    with torch.no_grad():
        for t, x in enumerate(torch.tensor(case.x)):
            y = cell(synapse(x[None]))
            record.tick(t, y[0], synapse.weight, memory_v=cell.v[0])
    return record.found()


RUN = {"stdp": stdp, "stdp_multiplicative": stdp_multiplicative, "stdp_soft_bounds": stdp_soft_bounds,
       "reward_stdp": reward_stdp, "lif": lif}


# ------------------------------------------------------------------------------------------ deviations

def fall(tau):
    return np.exp(-1 / tau)


def both_by_the_weight(k):
    y, p = k.signal["spike"], k.p
    k.post = fall(p["tau_post"]) * getattr(k, "post", np.zeros_like(y)) + y
    return y, p["rate"] * k.w * (p["a_plus"] * np.outer(y, k.trace["pre"]) - p["a_minus"] * np.outer(k.post, k.x))


def a_tick_late(k):
    """The eligibility gets the spikes of the tick before."""
    y, p = k.signal["spike"], k.p
    k.post = fall(p["tau_post"]) * getattr(k, "post", np.zeros_like(y)) + y
    k.e = (1 - 1 / p["tau_e"]) * k.e + getattr(k, "before", np.zeros_like(k.e))
    k.before = p["a_plus"] * np.outer(y, k.trace["pre"]) - p["a_minus"] * np.outer(k.post, k.x)
    return y, p["rate"] * k.signal["reward"][..., None] * k.e


def input_leaks_too(k):
    v = k.p["leak"] * k.memory["v"] + (1 - k.p["leak"]) * k.z
    y = (v >= k.p["threshold"]).astype(float)
    k.memory["v"] = v * (1 - y)
    return y, np.zeros_like(k.w)


DEVIATIONS = {
    "stdp": [Deviation(
        "scale", "f_pre and f_post return the weight, so that potentiation and depression are both in proportion to "
        "it; an additive rule has to be asked for.", run=by_the_weight, reading=both_by_the_weight)],
    "reward_stdp": [Deviation(
        "order", "MSTDPETLearner takes the spikes of the tick before into its eligibility, so that the reward of a "
        "tick does not see the spikes of that tick; Florian 2007, whose rule it is, has it so. Izhikevich's equations "
        "are in continuous time. MSTDPETLearner also divides what it takes in by tau_trace; the rate here compensates "
        "for that.",
        reading=a_tick_late, allowed=True)],
    "lif": [Deviation(
        "scale", "The input is divided by tau (decay_input=True), as in dv/dt = (-v + z)/tau; the case adds z as it "
        "is. The difference is one of units.",
        run=lambda case: lif(case, True), reading=input_leaks_too, allowed=True)]}


def can(case):
    if case.name in RUN:
        return None
    if case.name == "triplet_stdp":
        return "its learners have one trace on each side, and there is no rule of triplets"
    return ("its learners are for spikes; it has nothing for neurons that answer with numbers or for competition, and "
            "nothing for targets but gradients of PyTorch")


def run(case):
    return RUN[case.name](case)
