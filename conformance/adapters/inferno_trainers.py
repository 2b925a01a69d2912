# SPDX-License-Identifier: MIT
"""Inferno's trainers STDP, TripletSTDP and MSTDPET and its LIF neuron run in float64.

The layer is a Serial of a LinearDense connection and LIF neurons. The layer's transform gives the neurons the spikes
that come from outside, and their membrane forgets within a tick. The neurons are refractory for half a tick, which
holds no spike back: with refrac_t=0, which LIF allows, the `spike` from which trainers learn is always true.
"""
import numpy as np
import torch
from inferno.functional import bound_lower_multiplicative, bound_upper_multiplicative
from inferno.learn import MSTDPET, STDP, TripletSTDP
from inferno.neural import LIF, DeltaCurrent, LinearDense, Serial

from peer import Deviation, Record, signal

LIBRARY = "Inferno"
PACKAGES = ("inferno-ai", "torch")
DTYPE = "float64"
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
WAYS = {
    "stdp": "STDP with lr_post = rate A+ and lr_pre = -rate A-",
    "stdp_multiplicative": "STDP, and lowerbound(bound_lower_multiplicative, 0) of the weight's updater",
    "stdp_soft_bounds": "the same, and upperbound(bound_upper_multiplicative, 1)",
    "triplet_stdp": "TripletSTDP with the amplitudes of triplets times exp(-1/tau_x) and exp(-1/tau_y)",
    "reward_stdp": "MSTDPET; its eligibility falls by exp(-1/tau_z) and counts 1/tau_z of a pair; tau_z is such that "
                   "it falls as in the case, and the scale is rate tau_z",
    "lif": "LIF with time_constant=-1/log(leak), resistance=1/(1 - leak), rest_v=0, reset_v=0 and refrac_t=0.5; it "
           "spikes at the threshold too, which no vector meets"}


def layer_of(case, given, **neuron):
    n_out, n_in = case.weights_initial.shape
    settings = {"rest_v": 0.0, "reset_v": 0.0, "thresh_v": 0.5, "refrac_t": 0.5, "time_constant": 1e-3} | neuron
    connection = LinearDense(n_in, n_out, 1.0, synapse=DeltaCurrent.partialconstructor(1.0),
                             weight_init=lambda w: torch.tensor(case.weights_initial))
    return Serial(connection, LIF(n_out, 1.0, **settings), transform=given)


def learn(case, trainer, bounds=(), more=lambda t: ()):
    told, record = {}, Record(case)
    layer = layer_of(case, lambda current, **_: told["spike"])
    layer.connection.updater = layer.connection.defaultupdater()
    trainer.register_cell("cell", layer.cell)
    for name, bound, limit in bounds:
        getattr(layer.updater.weight, name)(bound, limit)
    with torch.no_grad():
        for t, x in enumerate(torch.tensor(case.x)):
            told["spike"] = torch.tensor(signal(case, "spike", t))[None]
            y = layer(x[None])
            trainer(*more(t))
            layer.connection.update()
            record.tick(t, y[0], layer.connection.weight)
    return record.found()


def stdp(case, bounds=()):
    p = case.parameters
    return learn(case, STDP(p["rate"] * p["a_plus"], -p["rate"] * p["a_minus"], p["tau_post"], p["tau"]), bounds)


LOWER = ("lowerbound", bound_lower_multiplicative, 0.0)
UPPER = ("upperbound", bound_upper_multiplicative, 1.0)


def triplet_stdp(case, as_documented=False):
    p = case.parameters
    fall_x, fall_y = (1, 1) if as_documented else (np.exp(-1 / p["tau_x"]), np.exp(-1 / p["tau_y"]))
    return learn(case, TripletSTDP(
        lr_post_pair=p["a2_plus"], lr_post_triplet=p["a3_plus"] * fall_y,
        lr_pre_pair=-p["a2_minus"], lr_pre_triplet=p["a3_minus"] * fall_x,
        tc_post_fast=p["tau_minus"], tc_post_slow=p["tau_y"], tc_pre_fast=p["tau_plus"], tc_pre_slow=p["tau_x"]))


def reward_stdp(case, as_documented=False):
    p = case.parameters
    tau = p["tau_e"] if as_documented else -1 / np.log(1 - 1 / p["tau_e"])
    reward = case.signals["reward"][1]
    return learn(case, MSTDPET(p["a_plus"], -p["a_minus"], p["tau_post"], p["tau"], tau),
                 more=lambda t: (float(reward[t]), p["rate"] * (1 if as_documented else tau)))


def lif(case, resistance=None):
    p, record = case.parameters, Record(case)
    layer = layer_of(case, None, thresh_v=p["threshold"], time_constant=-1 / np.log(p["leak"]),
                     resistance=resistance or 1 / (1 - p["leak"]))
    with torch.no_grad():
        for t, x in enumerate(torch.tensor(case.x)):
            y = layer(x[None])
            record.tick(t, y[0], layer.connection.weight)
    return record.found()


RUN = {"stdp": stdp, "stdp_multiplicative": lambda case: stdp(case, [LOWER]),
       "stdp_soft_bounds": lambda case: stdp(case, [LOWER, UPPER]), "triplet_stdp": triplet_stdp,
       "reward_stdp": reward_stdp, "lif": lif}


# ------------------------------------------------------------------------------------------ deviations

def fall(tau):
    return np.exp(-1 / tau)


def slow_traces_a_tick_old(k):
    y, p = k.signal["spike"], k.p
    o1 = fall(p["tau_minus"]) * k.memory["o1"] + y
    o2, r2 = k.memory["o2"], getattr(k, "r2", np.zeros_like(k.x))
    dw = (np.outer(y * (p["a2_plus"] + p["a3_plus"] * o2), k.trace["r1"])
          - np.outer(o1, k.x * (p["a2_minus"] + p["a3_minus"] * r2)))
    k.memory["o1"], k.memory["o2"], k.r2 = o1, fall(p["tau_y"]) * o2 + y, k.trace["r2"].copy()
    return y, dw


def share_of_a_pair(k):
    y, p = k.signal["spike"], k.p
    k.post = fall(p["tau_post"]) * getattr(k, "post", np.zeros_like(y)) + y
    pairs = p["a_plus"] * np.outer(y, k.trace["pre"]) - p["a_minus"] * np.outer(k.post, k.x)
    k.elig = fall(p["tau_e"]) * getattr(k, "elig", np.zeros_like(k.w)) + pairs / p["tau_e"]
    return y, p["rate"] * k.signal["reward"] * k.elig


def membrane_goes_to_its_input(k):
    v = k.p["leak"] * k.memory["v"] + (1 - k.p["leak"]) * k.z
    y = (v > k.p["threshold"]).astype(float)
    k.memory["v"] = v * (1 - y)
    return y, np.zeros_like(k.w)


DEVIATIONS = {
    "triplet_stdp": [Deviation(
        "trace", "A triplet sees the slow trace as it was after the tick before, as the documentation writes it. That "
                 "trace has not fallen in this tick, so that triplets count exp(1/tau_x) and exp(1/tau_y) times as "
                 "much.",
        run=lambda case: triplet_stdp(case, True), reading=slow_traces_a_tick_old, allowed=True)],
    "reward_stdp": [Deviation(
        "scale", "The eligibility counts 1/tau_z of a pair, and falls by exp(-1/tau_z), not by 1/tau_z of itself.",
        run=lambda case: reward_stdp(case, True), reading=share_of_a_pair, allowed=True)],
    "lif": [Deviation(
        "scale", "The membrane relaxes to its input, so that with a resistance of 1, the default, an input adds (1 - "
                 "leak) z. The case adds z as it is. The difference is one of units.", run=lambda case: lif(case, 1.0),
        reading=membrane_goes_to_its_input, allowed=True)]}


def can(case):
    if case.name in RUN:
        return None
    return ("its trainers are for spikes; it has nothing for neurons that answer with numbers or for competition, and "
            "nothing for targets but gradients of PyTorch")


def run(case):
    return RUN[case.name](case)
