# SPDX-License-Identifier: MIT
"""NEST's synapses and its neuron iaf_psc_delta run in float64, and one tick is 1 ms.

All spikes that are given go through parrot neurons. A connection has a delay of at least 1 ms, which is on the side of
the receiving neuron. Spikes of the inputs therefore come 1 ms later, so that the lag at the synapse is that of the
case. Weights change at spikes of the input only. Each weight that is compared is therefore read after a run of its
own, which ends with one more spike of each input, ten seconds later.
"""
import contextlib
import os

import numpy as np

with contextlib.redirect_stdout(open(os.devnull, "w")):
    import nest

from peer import Deviation

LIBRARY = "NEST"
PACKAGES = ("nest-simulator",)
DTYPE = "float64"
SMALL_CASES = 100
WMAX = 16.0                        # no weight comes near it
LATER = 1e4
nest.set_verbosity("M_ERROR")
WAYS = {"lif": "iaf_psc_delta with E_L=0, V_reset=0, t_ref=0 and exp(-1/tau_m) = leak; it spikes at the threshold "
               "too, which no vector meets"}


def begin():
    nest.ResetKernel()
    nest.resolution = 1.0
    nest.local_num_threads = 1


def parrots(times_of_each, **settings):
    """Parrot neurons that spike at the given times, each at least 2 ms."""
    sources = nest.Create("spike_generator", len(times_of_each),
                          params=[{"spike_times": [time - 1.0 for time in times]} for times in times_of_each])
    cells = nest.Create("parrot_neuron", len(times_of_each), params=settings or None)
    nest.Connect(sources, cells, "one_to_one", {"delay": 1.0})
    return cells


def weights_after(case, ticks, model, settings, of_neuron):
    begin()
    y = np.broadcast_to(case.signals["spike"][1], (len(case.x), len(case.weights_initial)))
    pre = parrots([[t + 3.0 for t in np.nonzero(column[:ticks])[0]] + [ticks + LATER] for column in case.x.T])
    post = parrots([[t + 2.0 for t in np.nonzero(y[:ticks, i])[0]] for i in range(y.shape[1])], **of_neuron)
    nest.Connect(pre, post, "all_to_all", {"synapse_model": model, "weight": case.weights_initial, "delay": 1.0,
                                           "receptor_type": 1} | settings)
    nest.Simulate(ticks + LATER + 10)
    found = nest.GetConnections(pre, post, model).get(["source", "target", "weight"])
    w = np.empty_like(case.weights_initial)
    i, j = np.atleast_1d(found["target"]) - post[0].global_id, np.atleast_1d(found["source"]) - pre[0].global_id
    w[i, j] = found["weight"]
    return w


def spikes(case, model, settings, of_neuron):
    y = np.broadcast_to(case.signals["spike"][1], (len(case.x), len(case.weights_initial))).astype(float)
    return {"y": y,
            "weights": np.array([weights_after(case, ticks, model, settings, of_neuron) for ticks in case.ticks])}


def stdp(case, mu_minus=0.0, mu_plus=0.0, wmax=WMAX):
    p = case.parameters
    alpha = p["a_minus"] / p["a_plus"] * wmax**(mu_minus - mu_plus)
    return spikes(case, "stdp_synapse", {
        "lambda": p["rate"] * p["a_plus"] / wmax**(1 - mu_plus), "alpha": alpha, "mu_plus": mu_plus,
        "mu_minus": mu_minus, "Wmax": wmax, "tau_plus": p["tau"]}, {"tau_minus": p["tau_post"]})


def triplets(case):
    p = case.parameters
    return spikes(case, "stdp_triplet_synapse", {
        "Aplus": p["a2_plus"], "Aplus_triplet": p["a3_plus"], "Aminus": p["a2_minus"], "Aminus_triplet": p["a3_minus"],
        "tau_plus": p["tau_plus"], "tau_plus_triplet": p["tau_x"], "Wmax": WMAX},
        {"tau_minus": p["tau_minus"], "tau_minus_triplet": p["tau_y"]})


def lif(case):
    p, ticks = case.parameters, len(case.x)
    begin()
    cells = nest.Create("iaf_psc_delta", len(case.weights_initial), params={
        "E_L": 0.0, "V_m": 0.0, "V_reset": 0.0, "V_th": p["threshold"], "t_ref": 0.0, "tau_m": -1 / np.log(p["leak"])})
    sources = nest.Create("spike_generator", case.x.shape[1], params=[
        {"spike_times": [t + 1.0 for t in np.nonzero(column)[0]]} for column in case.x.T])
    nest.Connect(sources, cells, "all_to_all", {"weight": case.weights_initial, "delay": 1.0})
    recorder = nest.Create("spike_recorder")
    meter = nest.Create("multimeter", {"record_from": ["V_m"], "interval": 1.0})
    nest.Connect(cells, recorder)
    nest.Connect(meter, cells)
    nest.Simulate(ticks + 3.0)
    y, v = np.zeros((ticks, len(cells))), np.zeros((ticks, len(cells)))
    for times, senders, into, values in ((recorder.events["times"], recorder.events["senders"], y, None),
                                         (meter.events["times"], meter.events["senders"], v, meter.events["V_m"])):
        for number, (time, sender) in enumerate(zip(times, senders)):
            if 0 <= round(time) - 2 < ticks:
                into[round(time) - 2, sender - cells[0].global_id] = 1 if values is None else values[number]
    return {"y": y, "weights": np.repeat(case.weights_initial[None], len(case.ticks), axis=0),
            "memory/v": v[np.array(case.ticks) - 1]}


RUN = {"stdp": stdp, "stdp_multiplicative": lambda case: stdp(case, mu_minus=1.0),
       "stdp_soft_bounds": lambda case: stdp(case, 1.0, 1.0, 1.0), "triplet_stdp": triplets, "lif": lif}


# ------------------------------------------------------------------------------------------ deviations

def fall(tau):
    return np.exp(-1 / tau)


def no_coincidence(k, by_weight=False, by_rest=False):
    y, p = k.signal["spike"], k.p
    before = fall(p["tau_post"]) * getattr(k, "post", np.zeros_like(y))
    k.post = before + y
    w = k.w + p["rate"] * p["a_plus"] * np.outer(y, k.trace["pre"] - k.x) * (1 - k.w if by_rest else 1)
    w = w - p["rate"] * p["a_minus"] * np.outer(before, k.x) * (w if by_weight else 1)
    return y, np.maximum(w, 0) - k.w


def triplet_no_coincidence(k):
    y, p = k.signal["spike"], k.p
    o1, o2 = (fall(p[tau]) * getattr(k, name, np.zeros_like(y)) for name, tau in (("o1", "tau_minus"), ("o2", "tau_y")))
    k.o1, k.o2 = o1 + y, o2 + y
    w = k.w + np.outer(y * (p["a2_plus"] + p["a3_plus"] * o2), k.trace["r1"] - k.x)
    w = w - np.outer(o1, k.x * (p["a2_minus"] + p["a3_minus"] * (k.trace["r2"] - k.x)))
    return y, np.maximum(w, 0) - k.w


COINCIDENCE = ("Two spikes that meet at the synapse in one tick change nothing, neither by A+ nor by A-; pairs at all "
               "other lags make the same change. The paper has no ticks. ")
DEVIATIONS = {
    "stdp": [Deviation(
        "order, bounds", COINCIDENCE + "Weights also stop at 0, as they do in the paper and not in this case.",
        reading=no_coincidence, allowed=True)],
    "stdp_multiplicative": [Deviation(
        "order", COINCIDENCE + "Where both change the weight in one tick, depression is in proportion to the weight "
        "after potentiation.", reading=lambda k: no_coincidence(k, True), allowed=True)],
    "stdp_soft_bounds": [Deviation(
        "order", COINCIDENCE + "Where both change the weight in one tick, depression is in proportion to the weight "
        "after potentiation.", reading=lambda k: no_coincidence(k, True, True), allowed=True)],
    "triplet_stdp": [Deviation(
        "order", COINCIDENCE + "The slow traces are read just before the spike, as the paper wants.",
        reading=triplet_no_coincidence, allowed=True)]}


def can(case):
    if case.name in RUN:
        return None
    if case.name == "reward_stdp":
        return ("the reward of stdp_dopamine_synapse is a concentration that spikes of other neurons produce, and no "
                "number of either sign that comes from outside")
    return "no synapse learns in this way; weights change by spikes"


def run(case):
    return RUN[case.name](case)
