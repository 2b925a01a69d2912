# SPDX-License-Identifier: MIT
"""ngc-learn's synapses and its LIFCell run in float32, in which JAX computes by default.

A tick sets the compartments of a component and calls advance_state and evolve. Traces are VarTrace components.
"""
import logging

import numpy as np

logging.disable(logging.INFO)
import jax.numpy as jnp  # noqa: E402
from ngclearn import Context, MethodProcess  # noqa: E402
from ngclearn.components.neurons.graded.bernoulliErrorCell import BernoulliErrorCell  # noqa: E402
from ngclearn.components.neurons.graded.gaussianErrorCell import GaussianErrorCell  # noqa: E402
from ngclearn.components.neurons.spiking.LIFCell import LIFCell  # noqa: E402
from ngclearn.components.other.varTrace import VarTrace  # noqa: E402
from ngclearn.components.synapses.competitive.vectorQuantizeSynapse import VectorQuantizeSynapse  # noqa: E402
from ngclearn.components.synapses.denseSynapse import DenseSynapse  # noqa: E402
from ngclearn.components.synapses.hebbian.BCMSynapse import BCMSynapse  # noqa: E402
from ngclearn.components.synapses.hebbian.hebbianSynapse import HebbianSynapse  # noqa: E402
from ngclearn.components.synapses.hebbian.ojaTensorSynapse import OjaTensorSynapse  # noqa: E402
from ngclearn.components.synapses.hebbian.traceSTDPSynapse import TraceSTDPSynapse  # noqa: E402
from ngclearn.components.synapses.modulated.MSTDPETSynapse import MSTDPETSynapse  # noqa: E402

from peer import Deviation, Record, signal  # noqa: E402

LIBRARY = "ngc-learn"
PACKAGES = ("ngclearn", "jax")
DTYPE = "float32"
SMALL_CASES = 150
FAR = 1e6                          # a bound from which all weights are equally far, in float32
WAYS = {
    "hebbian": "HebbianSynapse with sign_value=-1 and w_bound=0",
    "anti_hebbian": "HebbianSynapse with w_bound=0, as it is by default",
    "oja": "OjaTensorSynapse of one block, with sign_value as the rate",
    "anti_oja": "OjaTensorSynapse of one block, with sign_value as the negative rate",
    "law_cooper": "BCMSynapse with tau_w=1/rate; it adds 1e-7 to the threshold that it divides by",
    "stdp_multiplicative": "TraceSTDPSynapse with mu=1 and a w_bound so far away (1e6, A_plus divided by it) that "
                           "potentiation does not depend on the weight",
    "stdp_soft_bounds": "TraceSTDPSynapse with mu=1 and w_bound=1",
    "lif": "LIFCell with tau_m = 1/(1 - leak), resist_m the same, v_rest=0, v_reset=0, refract_time=0, theta_plus=0",
    "delta": "HebbianSynapse of the input and of GaussianErrorCell's dmu, with sign_value=-1",
    "logistic": "HebbianSynapse of the input and of BernoulliErrorCell's dp (input_logits=True), with sign_value=-1"}


def row(values):
    return jnp.asarray(np.asarray(values, dtype=np.float32)[None])


def start(synapse, case):
    synapse.weights.set(jnp.asarray(case.weights_initial.T, dtype=jnp.float32).reshape(synapse.weights.get().shape))
    return synapse


def weights(synapse, case):
    n_out, n_in = case.weights_initial.shape
    return np.asarray(synapse.weights.get()).reshape(n_in, n_out).T


def shape(case):
    return case.weights_initial.shape[::-1]


def numbers(case, synapse, change, memory=None):
    """A synapse whose outputs are the answers; change(t, x, outputs) sets what it learns from."""
    record = Record(case)
    start(synapse, case)
    for t, x in enumerate(case.x):
        synapse.inputs.set(row(x))
        synapse.advance_state()
        y = change(t, row(x), synapse.outputs.get())
        record.tick(t, y, weights(synapse, case), **(memory() if memory else {}))
    return record.found()


def hebbian(case, sign=-1.0):
    synapse = HebbianSynapse("w", shape(case), eta=case.parameters["rate"], w_bound=0.0, sign_value=sign)

    def change(t, x, y):
        synapse.pre.set(x), synapse.post.set(y)
        synapse.evolve(dt=1.0)
        return y
    return numbers(case, synapse, change)


def oja(case, sign=1.0, eta=False):
    n_in, n_out = shape(case)
    rate = case.parameters["rate"]
    scale = {"eta": rate} if eta else {"sign_value": sign * rate}
    synapse = OjaTensorSynapse("w", n_in_streams=1, K_local=n_in, O_local=n_out, **scale)

    def change(t, x, y):
        synapse.pre.set(x), synapse.post.set(y)
        synapse.evolve(dt=1.0)
        return y
    return numbers(case, synapse, change)


def law_cooper(case):
    p = case.parameters
    synapse = BCMSynapse("w", shape(case), tau_w=1 / p["rate"], tau_theta=p["tau"], theta0=case.memory["theta"])

    def change(t, x, y):
        synapse.pre.set(x), synapse.post.set(y)
        synapse.evolve(t=float(t), dt=1.0)
        return y
    return numbers(case, synapse, change, lambda: {"memory_theta": synapse.theta.get()[0]})


def error(case, cell, told, answer):
    """`told` is the compartment of the error cell that gets the drive."""
    synapse = HebbianSynapse("w", shape(case), eta=case.parameters["rate"], w_bound=0.0, sign_value=-1.0)

    def change(t, x, z):
        getattr(cell, told).set(z)
        cell.target.set(row(signal(case, "target", t)))
        cell.advance_state(dt=1.0)
        synapse.pre.set(x), synapse.post.set(getattr(cell, "d" + told).get())
        synapse.evolve(dt=1.0)
        return answer(np.asarray(z, dtype=float))
    return numbers(case, synapse, change)


def spiking(case, synapse, evolve):
    p, record = case.parameters, Record(case)
    n_in, n_out = shape(case)
    start(synapse, case)
    pre, post = VarTrace("pre", n_in, p["tau"], 1.0), VarTrace("post", n_out, p["tau_post"], 1.0)
    for t, x in enumerate(case.x):
        y = signal(case, "spike", t)
        for trace, spikes in ((pre, x), (post, y)):
            trace.inputs.set(row(spikes))
            trace.advance_state(dt=1.0)
        synapse.preSpike.set(row(x)), synapse.postSpike.set(row(y))
        synapse.preTrace.set(pre.trace.get()), synapse.postTrace.set(post.trace.get())
        evolve(t)
        record.tick(t, y, weights(synapse, case))
    return record.found()


def stdp(case, mu=0.0, bound=FAR, scale=1.0):
    p = case.parameters
    synapse = TraceSTDPSynapse("w", shape(case), p["a_plus"] / scale, p["a_minus"], eta=p["rate"], mu=mu, w_bound=bound)
    return spiking(case, synapse, lambda t: synapse.evolve())


def reward_stdp(case):
    p = case.parameters
    tau_e = -1 / np.log(1 - 1 / p["tau_e"])
    synapse = MSTDPETSynapse("w", shape(case), p["a_plus"], p["a_minus"], eta=p["rate"] * tau_e, tau_elg=tau_e,
                             w_bound=FAR)
    synapse.outmask.set(synapse.outmask.get() + 1)           # as its reset() does

    def evolve(t):
        synapse.modulator.set(jnp.full((1, 1), case.signals["reward"][1][t], dtype=jnp.float32))
        synapse.evolve(dt=1.0, t=float(t))
    return spiking(case, synapse, evolve)


def lif(case):
    p = case.parameters
    tau = 1 / (1 - p["leak"])
    with Context("lif"):
        cell = LIFCell("cell", len(case.weights_initial), tau_m=tau, resist_m=tau, thr=p["threshold"], v_rest=0.0,
                       v_reset=0.0, refract_time=0.0, theta_plus=0.0)
        process = MethodProcess("advance") >> cell.advance_state

    def change(t, x, z):
        cell.j.set(z)
        process.run(dt=1.0, t=float(t))
        return cell.s.get()
    return numbers(case, DenseSynapse("w", shape(case)), change, lambda: {"memory_v": cell.v.get()[0]})


def quantise(case):
    synapse = VectorQuantizeSynapse("w", shape(case), eta=case.parameters["rate"], eta_decrement=0.0, syn_decay=1.0)

    def change(t, x, y):
        synapse.evolve(t=float(t), dt=1.0)
        return y
    return numbers(case, synapse, change)


RUN = {
    "hebbian": hebbian, "anti_hebbian": lambda case: hebbian(case, 1.0),
    "oja": oja, "anti_oja": lambda case: oja(case, -1.0),
    "bcm": law_cooper, "law_cooper": law_cooper, "competitive": quantise, "stdp": stdp,
    "stdp_multiplicative": lambda case: stdp(case, 1.0, FAR, FAR),
    "stdp_soft_bounds": lambda case: stdp(case, 1.0, 1.0), "reward_stdp": reward_stdp, "lif": lif,
    "delta": lambda case: error(case, GaussianErrorCell("e", len(case.weights_initial)), "mu", lambda z: z),
    "logistic": lambda case: error(case, BernoulliErrorCell("e", len(case.weights_initial), input_logits=True), "p",
                                   lambda z: 1 / (1 + np.exp(-z)))}


# ------------------------------------------------------------------------------------------ deviations

def fall(tau):
    return np.exp(-1 / tau)


def descends(k):
    return k.z, -k.p["rate"] * np.outer(k.z, k.x)


def at_a_rate_of_one(k):
    return k.z, np.outer(k.z, k.x) - (k.z**2)[:, None] * k.w


def divided_by_the_threshold(k):
    theta = k.memory["theta"]
    k.memory["theta"] = theta + (k.z**2 - theta) / k.p["tau"]
    return k.z, k.p["rate"] * np.outer(k.z * (k.z - theta) / theta, k.x)


def stops_at_zero(k):
    y, p = k.signal["spike"], k.p
    k.post = fall(p["tau_post"]) * getattr(k, "post", np.zeros_like(y)) + y
    w = k.w + p["rate"] * (p["a_plus"] * np.outer(y, k.trace["pre"]) - p["a_minus"] * np.outer(k.post, k.x))
    return y, np.maximum(w, 0) - k.w


def a_tick_late(k):
    """The eligibility gets the spikes of the tick before, and weights stop at 0."""
    y, p = k.signal["spike"], k.p
    k.post = fall(p["tau_post"]) * getattr(k, "post", np.zeros_like(y)) + y
    k.e = (1 - 1 / p["tau_e"]) * k.e + getattr(k, "before", np.zeros_like(k.e))
    k.before = p["a_plus"] * np.outer(y, k.trace["pre"]) - p["a_minus"] * np.outer(k.post, k.x)
    return y, np.maximum(k.w + p["rate"] * k.signal["reward"][..., None] * k.e, 0) - k.w


def nearest_and_all_decay(k):
    x = k.x / np.linalg.norm(k.x)
    y = np.eye(len(k.w))[((k.w - x)**2).sum(axis=1).argmin()]
    return y, k.p["rate"] * (np.outer(y, x) - k.w)


DEVIATIONS = {
    "hebbian": [Deviation(
        "sign", "With sign_value=1, its default, the optimiser subtracts the product from the weights, as gradient "
        "descent does; this is the anti-Hebbian rule. The documentation of sign_value says so.",
        run=lambda case: hebbian(case, 1.0),
        reading=descends)],
    "oja": [Deviation(
        "scale", "The parameter eta, which the documentation calls the learning rate, is stored and not used: whatever "
        "it is, the rate is sign_value, which is 1 by default.",
        run=lambda case: oja(case, eta=True), reading=at_a_rate_of_one)],
    "bcm": [Deviation(
        "scale", "The change is divided by the threshold, as BCMSynapse's documentation writes it. This is the rule of "
        "Law & Cooper; the paper that the documentation names, Bienenstock, Cooper & Munro 1982, does not divide.",
        variant="law_cooper", reading=divided_by_the_threshold)],
    "competitive": [Deviation(
        "winner, decay", "VectorQuantizeSynapse scales the input to length 1 and takes the nearest neuron. Its decay "
        "(syn_decay=1; by default it is 0, and weights grow without bound) acts on all neurons and not on the winner "
        "alone.",
        reading=nearest_and_all_decay)],
    "stdp": [Deviation(
        "bounds", "Weights stop at 0, as they do in the paper and not in this case, and no setting removes the "
                  "bound.",
        reading=stops_at_zero, allowed=True)],
    "stdp_multiplicative": [Deviation(
        "scale", "With w_bound=1 potentiation is in proportion to w_bound - w, whereas van Rossum, Bi & Turrigiano "
        "have it independent of w. This is the rule of Rubin, Lee & Sompolinsky.",
        run=lambda case: stdp(case, 1.0, 1.0), variant="stdp_soft_bounds")],
    "reward_stdp": [Deviation(
        "order, bounds", "MSTDPETSynapse takes the spikes of the tick before into its eligibility, so that the reward "
        "of a tick does not see the spikes of that tick. Weights stop at 0. Izhikevich's equations are in "
        "continuous time, and his weights stop at 0 too.", reading=a_tick_late, allowed=True)]}


def can(case):
    if case.name in RUN:
        return None
    return {"perceptron": "it has no error cell of a threshold"}.get(case.name, "no synapse learns in this way")


def run(case):
    return RUN[case.name](case)
