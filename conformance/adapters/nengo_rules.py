# SPDX-License-Identifier: MIT
"""Nengo's learning rules Oja, BCM, PES and Voja and its LIF neuron run in float64.

One step of the simulator is one tick, and no synapse filters unless an entry below says so. `Linear` and `Winner` are
neuron types of a few lines, as Nengo's documentation has them: neurons of the first answer with their input, and those
of the second show which input is the largest.
"""
import nengo
import numpy as np

from peer import Deviation, Record, signal

LIBRARY = "Nengo"
PACKAGES = ("nengo", "numpy")
DTYPE = "float64"
WAYS = {
    "hebbian": "Oja(beta=0)",
    "anti_hebbian": "PES with the answer in place of the error; no rule takes a negative rate",
    "oja": "Oja between neurons",
    "foldiak_trace": "Voja with post_synapse=Lowpass, whose constant is such that it keeps 1 - delta",
    "competitive": "Voja without a filter, and Winner as the neurons",
    "delta": "PES, which divides the rate by the number of inputs; the rate here compensates for that",
    "perceptron": "PES with the error of the thresholded answer",
    "logistic": "PES with the error of the sigmoid of the answer",
    "lif": "LIF with tau_ref=0 (by default 2 ms), min_voltage=-inf (by default 0), a voltage of 0 at first (by default "
           "anything between 0 and 1), exp(-1/tau_rc) = leak and the input divided by 1 - leak, since the membrane "
           "relaxes to its input"}


class Linear(nengo.neurons.NeuronType):
    """Answers with its input."""
    probeable = ("output",)
    negative = True

    def gain_bias(self, max_rates, intercepts):
        return np.ones_like(max_rates), np.zeros_like(max_rates)

    def max_rates_intercepts(self, gain, bias):
        return np.ones_like(gain), np.zeros_like(gain)

    def step(self, dt, J, output):
        output[...] = J


class Winner(Linear):
    """1 for the neuron with the largest input, else 0."""

    def step(self, dt, J, output):
        output[...] = np.arange(len(J)) == np.argmax(J)


def ensemble(many, dimensions=1, neuron_type=None, **more):
    return nengo.Ensemble(many, dimensions, neuron_type=neuron_type or Linear(), gain=np.ones(many),
                          bias=np.zeros(many), **more)


def simulate(case, model, weights, answer, memory=None):
    """One tick after the other; the change of a tick is added at the start of the next, so both are summed."""
    record = Record(case)
    with nengo.Simulator(model, dt=1.0, progress_bar=False, optimize=False) as simulator:
        for t in range(len(case.x)):
            simulator.step()
            w, change = weights(simulator)
            record.tick(t, answer(simulator), w + change, **(memory(simulator) if memory else {}))
    return record.found()


def parts(case):
    x, n_in, n_out = case.x, case.x.shape[1], len(case.weights_initial)
    source = nengo.Node(lambda t: x[min(len(x), max(1, round(t))) - 1], size_out=n_in)
    return source, n_in, n_out


def between_neurons(case, rule, neuron_type=None, scale=1.0):
    """Weights from neurons to neurons: (model, what reads the weights and their change, what reads the answer)."""
    with nengo.Network(seed=1) as model:
        source, n_in, n_out = parts(case)
        pre, post = ensemble(n_in), ensemble(n_out, neuron_type=neuron_type)
        nengo.Connection(source, pre.neurons, synapse=None)
        connection = nengo.Connection(pre.neurons, post.neurons, transform=scale * case.weights_initial, synapse=None,
                                      learning_rule_type=rule)

    def weights(simulator):
        change = 0.0 if rule is None else simulator.signals[simulator.model.sig[connection.learning_rule]["delta"]]
        return simulator.signals[simulator.model.sig[connection]["weights"]] / scale, change

    def memory(simulator):
        v = simulator.signals[simulator.model.sig[post.neurons]["voltage"]]
        return {"memory_v": v * case.parameters["threshold"]}
    return simulate(case, model, weights, lambda simulator: simulator.signals[simulator.model.sig[post.neurons]["out"]],
                    memory if rule is None else None)


def pes(case, error):
    """error(t, y): what the rule gets, of the answers y; t is the tick, from 0."""
    answers = {}
    with nengo.Network(seed=1) as model:
        source, n_in, n_out = parts(case)
        pre, post = ensemble(n_in), nengo.Node(size_in=n_out)
        nengo.Connection(source, pre.neurons, synapse=None)
        rule = nengo.PES(learning_rate=n_in * case.parameters["rate"], pre_synapse=None)
        connection = nengo.Connection(pre.neurons, post, transform=case.weights_initial, synapse=None,
                                      learning_rule_type=rule)

        def told(t, z):
            answers["y"], wrong = error(max(0, round(t) - 1), z)
            return wrong
        teacher = nengo.Node(told, size_in=n_out, size_out=n_out)
        nengo.Connection(post, teacher, synapse=None)
        nengo.Connection(teacher, connection.learning_rule, synapse=None)

    def weights(simulator):
        return (simulator.signals[simulator.model.sig[connection]["weights"]],
                simulator.signals[simulator.model.sig[connection.learning_rule]["delta"]])
    return simulate(case, model, weights, lambda simulator: answers["y"])


def voja(case, post_synapse, neuron_type):
    with nengo.Network(seed=1) as model:
        source, n_in, n_out = parts(case)
        post = ensemble(n_out, n_in, neuron_type, encoders=case.weights_initial, normalize_encoders=False)
        connection = nengo.Connection(source, post, synapse=None, learning_rule_type=nengo.Voja(
            learning_rate=case.parameters["rate"], post_synapse=post_synapse))

    def weights(simulator):
        return (simulator.signals[simulator.model.sig[post]["encoders"]],
                simulator.signals[simulator.model.sig[connection.learning_rule]["delta"]])
    return simulate(case, model, weights, lambda simulator: simulator.signals[simulator.model.sig[post.neurons]["out"]])


def wrong(case, answer):
    def error(t, z):
        y = answer(z)
        return y, y - signal(case, "target", t)
    return pes(case, error)


def keeps(share):
    """A low-pass filter that keeps this share of its value in a tick."""
    return nengo.Lowpass(-1 / np.log(share))


def bcm(case):
    p = case.parameters
    return between_neurons(case, nengo.BCM(p["rate"], pre_synapse=None, post_synapse=None,
                                           theta_synapse=keeps(1 - 1 / p["tau"])))


def lif(case):
    p = case.parameters
    neurons = nengo.LIF(tau_rc=-1 / np.log(p["leak"]), tau_ref=0, min_voltage=-np.inf,
                        initial_state={"voltage": nengo.dists.Choice([0])})
    return between_neurons(case, None, neurons, 1 / (1 - p["leak"]) / p["threshold"])


RUN = {
    "hebbian": lambda case: between_neurons(case, nengo.Oja(case.parameters["rate"], None, None, beta=0)),
    "anti_hebbian": lambda case: pes(case, lambda t, z: (z.copy(), z)),
    "oja": lambda case: between_neurons(case, nengo.Oja(case.parameters["rate"], None, None)),
    "bcm": bcm,
    "foldiak_trace": lambda case: voja(case, keeps(1 - case.parameters["delta"]), Linear()),
    "competitive": lambda case: voja(case, None, Winner()),
    "delta": lambda case: wrong(case, lambda z: z.copy()),
    "perceptron": lambda case: wrong(case, lambda z: (z > 0).astype(float)),
    "logistic": lambda case: wrong(case, lambda z: 1 / (1 + np.exp(-z))),
    "lif": lif}


# ------------------------------------------------------------------------------------------ deviations

def threshold_follows_the_answer(k):
    k.mean = getattr(k, "mean", np.zeros_like(k.z))
    k.mean = k.mean + (k.z - k.mean) / k.p["tau"]
    return k.z, k.p["rate"] * np.outer(k.z * (k.z - k.mean), k.x)


def default_filter(case):
    """Oja with its default filter of 5 ms, a tick being 1 ms."""
    low = nengo.Lowpass(5.0)
    return between_neurons(case, nengo.Oja(case.parameters["rate"], low, low))


def filtered(k):
    keep = np.exp(-1 / 5)
    k.xm = keep * getattr(k, "xm", np.zeros_like(k.x)) + (1 - keep) * k.x
    k.ym = keep * getattr(k, "ym", np.zeros_like(k.z)) + (1 - keep) * k.z
    return k.z, k.p["rate"] * (np.outer(k.ym, k.xm) - (k.ym**2)[:, None] * k.w)


DEVIATIONS = {
    "oja": [Deviation(
        "trace", "Both activities go through a low-pass filter of 5 ms before they are multiplied; here a tick is 1 "
        "ms. The filter is meant for spikes, and Oja's rule has none.", run=default_filter, reading=filtered)],
    "bcm": [Deviation(
        "threshold", "The threshold is a low-pass filter of the answer y, where Intrator & Cooper have the mean of "
        "y^2; Bienenstock, Cooper & Munro want it to grow faster than y, since otherwise nothing bounds the weights. "
        "The filter also counts this tick, and begins at 0.", reading=threshold_follows_the_answer)]}
REASONS = {
    "anti_oja": "learning_rate and beta of Oja may not be negative",
    "law_cooper": "BCM does not divide by its threshold",
    "nlms": "PES does not divide by |x|^2; RLS is another rule"}


def can(case):
    if case.name in RUN:
        return None
    return REASONS.get(case.name, "it has no such rule")


def run(case):
    return RUN[case.name](case)
