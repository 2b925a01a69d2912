# SPDX-License-Identifier: MIT
"""Sinabs's layer LIF runs in float32: its spikes are float32 whatever its input is."""
import numpy as np
import torch
from sinabs.activation import MembraneReset, SingleSpike
from sinabs.layers import LIF

from peer import Deviation, Record

LIBRARY = "Sinabs"
PACKAGES = ("sinabs", "torch")
DTYPE = "float32"
torch.set_num_threads(1)
WAYS = {"lif": "LIF(tau_mem=-1/log(leak), norm_input=False, spike_fn=SingleSpike, reset_fn=MembraneReset()); it spikes "
               "at the threshold too, which no vector meets"}


def lif(case, **settings):
    p, record, w = case.parameters, Record(case), torch.tensor(case.weights_initial, dtype=torch.float32)
    settings = {"norm_input": False, "spike_fn": SingleSpike, "reset_fn": MembraneReset()} | settings
    layer = LIF(tau_mem=float(-1 / np.log(p["leak"])), spike_threshold=torch.tensor(p["threshold"]), **settings)
    with torch.no_grad():
        for t, x in enumerate(torch.tensor(case.x, dtype=torch.float32)):
            y = layer((w @ x)[None, None])
            record.tick(t, y, w)
    return record.found()


def by_default(case):
    p, record, w = case.parameters, Record(case), torch.tensor(case.weights_initial, dtype=torch.float32)
    layer = LIF(tau_mem=float(-1 / np.log(p["leak"])), spike_threshold=torch.tensor(p["threshold"]))
    with torch.no_grad():
        for t, x in enumerate(torch.tensor(case.x, dtype=torch.float32)):
            record.tick(t, layer((w @ x)[None, None]), w)
    return record.found()


# ------------------------------------------------------------------------------------------ deviations

def several_spikes_a_tick(k):
    v = k.p["leak"] * k.memory["v"] + (1 - k.p["leak"]) * k.z
    y = np.maximum(np.trunc(v / k.p["threshold"]), 0)
    k.memory["v"] = v - y * k.p["threshold"]
    return y, np.zeros_like(k.w)


DEVIATIONS = {"lif": [Deviation(
    "scale, reset", "A neuron spikes as often within a tick as the threshold fits into its membrane "
    "(spike_fn=MultiSpike), as many thresholds are subtracted (reset_fn=MembraneSubtract()), and the input is "
    "multiplied by 1 - leak (norm_input=True). Lapicque has no reset.",
    run=by_default, reading=several_spikes_a_tick, allowed=True)]}


def can(case):
    return None if case.name == "lif" else "its layers learn by gradients of PyTorch alone"


def run(case):
    return lif(case)
