# SPDX-License-Identifier: MIT
"""Norse's functions stdp_step_linear and lif_box_feed_forward_step run in float64 with a dt of 1."""
import numpy as np
import torch
from norse.torch.functional import lif_box, stdp as norse_stdp

from peer import Deviation, Record, signal

LIBRARY = "Norse"
PACKAGES = ("norse", "torch")
DTYPE = "float64"
FAR = 1e13                         # a bound from which all weights are equally far
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
WAYS = {
    "stdp": "stdp_step_linear with stdp_algorithm='additive', hardbound=False, and a_pre and a_post as large as the "
            "time constants, so that a spike adds 1 to a trace; traces fall by dt/tau of themselves, and tau is such "
            "that they fall as in the case",
    "stdp_multiplicative": "stdp_algorithm='multiplicative_relu' with a w_max so far away (1e13, eta_plus divided by "
                           "it) that potentiation does not depend on the weight",
    "stdp_soft_bounds": "stdp_algorithm='multiplicative_relu' with w_min=0 and w_max=1",
    "lif": "lif_box_feed_forward_step with dt tau_mem_inv = 1 - leak and the input divided by that, since the membrane "
           "relaxes to its input"}


def tensor(value):
    return torch.as_tensor(value, dtype=torch.float64)


def share(tau):
    """What of a trace is gone after a tick."""
    return 1 - np.exp(-1 / tau)


def stdp(case, count=None, **settings):
    p, record, w = case.parameters, Record(case), tensor(case.weights_initial)
    gone, gone_post = share(p["tau"]), share(p["tau_post"])
    settings = {"eta_plus": p["rate"] * p["a_plus"], "eta_minus": p["rate"] * p["a_minus"], "hardbound": False,
                "a_pre": count or 1 / gone, "a_post": count or 1 / gone_post} | settings
    settings = {name: value if isinstance(value, (bool, str)) else tensor(value) for name, value in settings.items()}
    parameters = norse_stdp.STDPParameters(tau_pre_inv=tensor(gone), tau_post_inv=tensor(gone_post), **settings)
    state = norse_stdp.STDPState(torch.zeros(1, w.shape[1]), torch.zeros(1, w.shape[0]))
    for t, x in enumerate(case.x):
        y = signal(case, "spike", t)
        w, state = norse_stdp.stdp_step_linear(tensor(x)[None], tensor(y)[None], w, state, parameters, dt=1.0)
        record.tick(t, y, w)
    return record.found()


def stdp_multiplicative(case, far=FAR):
    p = case.parameters
    return stdp(case, stdp_algorithm="multiplicative_relu", w_max=far, eta_plus=p["rate"] * p["a_plus"] / far)


def stdp_soft_bounds(case):
    return stdp_multiplicative(case, 1.0)


def lif(case):
    p, record, w = case.parameters, Record(case), tensor(case.weights_initial)
    gone = tensor(1 - p["leak"])
    parameters = lif_box.LIFBoxParameters(tau_mem_inv=gone, v_th=tensor(p["threshold"]))
    state = lif_box.LIFBoxFeedForwardState(torch.zeros(len(w)))
    for t, x in enumerate(case.x):
        y, state = lif_box.lif_box_feed_forward_step(w @ tensor(x) / gone, state, parameters, dt=1.0)
        record.tick(t, y, w, memory_v=state.v)
    return record.found()


def lif_of_units(case):
    """The input as it is, neither divided nor as long as dt."""
    small = lif_box.LIFBoxParameters(tau_mem_inv=tensor(1 - case.parameters["leak"]),
                                     v_th=tensor(case.parameters["threshold"]))
    record, w = Record(case), tensor(case.weights_initial)
    state = lif_box.LIFBoxFeedForwardState(torch.zeros(len(w)))
    for t, x in enumerate(case.x):
        y, state = lif_box.lif_box_feed_forward_step(w @ tensor(x), state, small, dt=1.0)
        record.tick(t, y, w)
    return record.found()


RUN = {"stdp": stdp, "stdp_multiplicative": stdp_multiplicative, "stdp_soft_bounds": stdp_soft_bounds, "lif": lif}


# ------------------------------------------------------------------------------------------ deviations

def spikes_count_their_share(k):
    y, p = k.signal["spike"], k.p
    k.post = (1 - share(p["tau_post"])) * getattr(k, "post", np.zeros_like(y)) + share(p["tau_post"]) * y
    pre = share(p["tau"]) * k.trace["pre"]
    return y, p["rate"] * (p["a_plus"] * np.outer(y, pre) - p["a_minus"] * np.outer(k.post, k.x))


def input_as_it_is(k):
    v = k.p["leak"] * k.memory["v"] + (1 - k.p["leak"]) * k.z
    y = (v > k.p["threshold"]).astype(float)
    k.memory["v"] = v * (1 - y)
    return y, np.zeros_like(k.w)


DEVIATIONS = {
    "stdp": [Deviation(
        "scale", "With a_pre and a_post of 1, their default, a spike adds dt/tau to its trace and not 1, so that a "
                 "pair changes the weight by A dt/tau: the longer the trace lasts, the smaller the change is. "
                 "In addition, hardbound=True, the default, holds weights within w_min and w_max.",
        run=lambda case: stdp(case, 1.0), reading=spikes_count_their_share, allowed=True)],
    "stdp_multiplicative": [Deviation(
        "scale", "With w_max=1, the default, potentiation is in proportion to w_max - w. This is the rule of Rubin, "
                 "Lee & Sompolinsky.", run=stdp_soft_bounds, variant="stdp_soft_bounds")],
    "lif": [Deviation(
        "scale", "The membrane relaxes to its input with its time constant, as in dv/dt = (-v + z)/tau, so that an "
        "input adds (1 - leak) z. The case adds z as it is. The difference is one of units.",
        run=lif_of_units, reading=input_as_it_is, allowed=True)]}


def can(case):
    if case.name in RUN:
        return None
    if case.name == "triplet_stdp":
        return "its rule has one trace on each side, and there are no triplets"
    if case.name == "reward_stdp":
        return "no rule takes a reward or keeps an eligibility"
    return ("its rules are for spikes; it has nothing for neurons that answer with numbers or for competition, and "
            "nothing for targets but gradients of PyTorch")


def run(case):
    return RUN[case.name](case)
