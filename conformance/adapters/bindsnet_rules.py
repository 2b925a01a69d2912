# SPDX-License-Identifier: MIT
"""BindsNET's learning rules act on a Connection between two layers, which runs tick by tick with one_step=True.

Spikes of the neurons that come from outside are clamped. Where a case has numbers and no spikes, both layers are
Input layers, whose `s` may be any number, with traces that forget at once. BindsNET computes in float32.
"""
import numpy as np
import torch
from bindsnet.learning import Hebbian, MSTDPET, NoOp, PostPre, WeightDependentPostPre
from bindsnet.network import Network
from bindsnet.network.nodes import Input, LIFNodes, McCullochPitts
from bindsnet.network.topology import Connection

from peer import Deviation, Record, signal

LIBRARY = "BindsNET"
PACKAGES = ("bindsnet", "torch")
DTYPE = "float32"
torch.set_num_threads(1)
FORGETS = {"traces": True, "traces_additive": True, "tc_trace": 1e-9}
FAR = 1e6                          # a largest weight from which all weights are equally far, in float32
WAYS = {
    "hebbian": "Hebbian between two Input layers with nu=(rate, 0), which leaves one of its two terms",
    "anti_hebbian": "PostPre between two Input layers with nu=(rate, 0), which leaves the one of its "
                    "two terms that subtracts",
    "stdp": "PostPre with traces_additive=True in both layers",
    "stdp_multiplicative": "WeightDependentPostPre with wmin=0 and a wmax so far away (1e6, nu[1] divided by it) that "
                           "potentiation does not depend on the weight",
    "stdp_soft_bounds": "WeightDependentPostPre with wmin=0 and wmax=1",
    "reward_stdp": "MSTDPET with zero_lag=True; nu is multiplied by tc_e_trace, since MSTDPET divides by it; "
                   "eligibility falls by exp(-1/tc_e_trace), and tc_e_trace is such that it falls as in the case",
    "lif": "LIFNodes with rest=0, reset=0, refrac=0 and exp(-1/tc_decay) = leak; it spikes at the threshold too, "
           "which no vector meets"}


def traces(tau, additive=True):
    return {"traces": True, "traces_additive": additive, "tc_trace": tau}


def network(case, source, target, rule, **more):
    net = Network(dt=1.0)
    net.add_layer(source, "X")
    net.add_layer(target, "Y")
    w = torch.tensor(case.weights_initial.T, dtype=torch.float32)
    net.add_connection(Connection(source, target, w=w, update_rule=rule, **more), "X", "Y")
    return net


def loop(case, net, forced=True, more=lambda t: {}, memory=None):
    record = Record(case)
    layer, connection = net.layers["Y"], net.connections["X", "Y"]
    for t, x in enumerate(torch.tensor(case.x, dtype=torch.float32)):
        clamp = {}
        if forced:
            spikes = torch.tensor(signal(case, "spike", t) > 0)
            clamp = {"clamp": {"Y": spikes}, "unclamp": {"Y": ~spikes}}
        net.run({"X": x[None]}, time=1, one_step=True, **clamp, **more(t))
        record.tick(t, layer.s[0].float(), connection.w.detach().T, **(memory(layer) if memory else {}))
    return record.found()


def silent(case, tau, additive=True):
    """Neurons that spike where they are clamped."""
    return McCullochPitts(len(case.weights_initial), thresh=1e9, **traces(tau, additive))


def numbers(case, rule):
    n_out, n_in = case.weights_initial.shape
    nu = (case.parameters["rate"], 0.0)
    return loop(case, network(case, Input(n_in, **FORGETS), Input(n_out, **FORGETS), rule, nu=nu), forced=False)


def stdp(case, additive=True):
    p = case.parameters
    nu = (p["rate"] * p["a_minus"], p["rate"] * p["a_plus"])
    source = Input(case.x.shape[1], **traces(p["tau"], additive))
    return loop(case, network(case, source, silent(case, p["tau_post"], additive), PostPre, nu=nu))


def weight_dependent(case, wmax=FAR):
    p = case.parameters
    nu = (p["rate"] * p["a_minus"], p["rate"] * p["a_plus"] / wmax)
    source = Input(case.x.shape[1], **traces(p["tau"]))
    return loop(case, network(case, source, silent(case, p["tau_post"]), WeightDependentPostPre, nu=nu, wmin=0.0,
                              wmax=wmax))


def reward_stdp(case, zero_lag=True):
    p = case.parameters
    tau_e = -1 / np.log(1 - 1 / p["tau_e"])
    net = network(case, Input(case.x.shape[1]), silent(case, 20.0), MSTDPET, nu=p["rate"] * tau_e, tc_plus=p["tau"],
                  tc_minus=p["tau_post"], tc_e_trace=tau_e, zero_lag=zero_lag)
    return loop(case, net, more=lambda t: {"reward": float(case.signals["reward"][1][t]), "a_plus": p["a_plus"],
                                           "a_minus": -p["a_minus"]})


def lif(case):
    p = case.parameters
    target = LIFNodes(len(case.weights_initial), thresh=p["threshold"], rest=0.0, reset=0.0, refrac=0,
                      tc_decay=-1 / np.log(p["leak"]))
    return loop(case, network(case, Input(case.x.shape[1]), target, NoOp), forced=False,
                memory=lambda layer: {"memory_v": layer.v[0]})


RUN = {"hebbian": lambda case: numbers(case, Hebbian), "anti_hebbian": lambda case: numbers(case, PostPre),
       "stdp": stdp, "stdp_multiplicative": weight_dependent,
       "stdp_soft_bounds": lambda case: weight_dependent(case, 1.0), "reward_stdp": reward_stdp, "lif": lif}


# ------------------------------------------------------------------------------------------ deviations

def fall(tau):
    return np.exp(-1 / tau)


def last_spike_only(k):
    """Traces that are set to 1."""
    y, p = k.signal["spike"], k.p
    k.pre = np.where(k.x == 1, 1.0, fall(p["tau"]) * getattr(k, "pre", np.zeros_like(k.x)))
    k.post = np.where(y == 1, 1.0, fall(p["tau_post"]) * getattr(k, "post", np.zeros_like(y)))
    return y, p["rate"] * (p["a_plus"] * np.outer(y, k.pre) - p["a_minus"] * np.outer(k.post, k.x))


def a_tick_late(k):
    """The eligibility gets the spikes of the tick before."""
    y, p = k.signal["spike"], k.p
    k.post = fall(p["tau_post"]) * getattr(k, "post", np.zeros_like(y)) + y
    k.e = (1 - 1 / p["tau_e"]) * k.e + getattr(k, "before", np.zeros_like(k.e))
    k.before = p["a_plus"] * np.outer(y, k.trace["pre"]) - p["a_minus"] * np.outer(k.post, k.x)
    return y, p["rate"] * k.signal["reward"][..., None] * k.e


DEVIATIONS = {
    "stdp": [Deviation(
        "trace", "A spike sets its trace to 1 (traces_additive=False), so that only the last spike counts, whereas the "
        "paper's P and M add up over all spikes.",
        run=lambda case: stdp(case, False), reading=last_spike_only)],
    "stdp_multiplicative": [Deviation(
        "scale", "With wmin=0 and wmax=1 potentiation is in proportion to wmax - w, whereas van Rossum, Bi & "
        "Turrigiano have it independent of w. This is the rule of Rubin, Lee & Sompolinsky.",
        run=lambda case: weight_dependent(case, 1.0),
        variant="stdp_soft_bounds")],
    "reward_stdp": [Deviation(
        "order", "The eligibility takes in the spikes of the tick before, so that the reward of a tick does not see "
        "the spikes of that tick; BindsNET names Florian 2007 for this. Izhikevich's equations are in continuous time.",
        run=lambda case: reward_stdp(case, False), reading=a_tick_late, allowed=True)]}
REASONS = {
    "oja": "of rules of rates it has Hebbian alone", "anti_oja": "of rules of rates it has Hebbian alone",
    "covariance": "of rules of rates it has Hebbian alone", "bcm": "of rules of rates it has Hebbian alone",
    "law_cooper": "of rules of rates it has Hebbian alone", "abcd": "of rules of rates it has Hebbian alone",
    "foldiak_trace": "of rules of rates it has Hebbian alone", "oja_subspace": "of rules of rates it has Hebbian alone",
    "sanger": "of rules of rates it has Hebbian alone",
    "triplet_stdp": "a layer has one trace, and there is no rule of triplets"}


def can(case):
    if case.name in RUN:
        return None
    return REASONS.get(case.name, "it has no such rule, and no layer that answers in this way")


def run(case):
    return RUN[case.name](case)
