# SPDX-License-Identifier: MIT
"""Brian2 runs in float64.

Equations say what its neurons and synapses do, and lines of code say what happens at spikes. Rules of spikes are
Synapses with on_pre and on_post, as Brian2's documentation writes STDP. Rules of numbers are sums over synapses
(`summed`) and lines of code that run at each tick (`run_regularly`).
"""
import brian2 as b2
import numpy as np

from peer import Deviation

LIBRARY = "Brian2"
PACKAGES = ("brian2", "numpy")
DTYPE = "float64"
SMALL_CASES = 80
b2.prefs.codegen.target = "numpy"
b2.prefs.logging.console_log_level = "ERROR"
TICK = 1 * b2.ms


def timed(values):
    return b2.TimedArray(np.asarray(values, dtype=float), dt=TICK)


def recorded(group, variables):
    return b2.StateMonitor(group, variables, record=True, when="after_end")


def simulate(objects, ticks):
    b2.start_scope()
    network = b2.Network(*objects)
    network.run(ticks * TICK)


def found(case, y, weights, **more):
    at = np.array(case.ticks) - 1
    return {"y": y, "weights": weights[at]} | {name.replace("_", "/", 1): values[at] for name, values in more.items()}


def as_matrix(synapses, values):
    """[synapses, ticks] as [ticks, out, in]."""
    matrix = np.empty((values.shape[1], synapses.target.N, synapses.source.N))
    matrix[:, synapses.j[:], synapses.i[:]] = values.T
    return matrix


# ------------------------------------------------------------------------------------- rules of numbers

class Numbers:
    """A rule of numbers.

    answer   lines for every neuron, once z, the weighted sum of its inputs, is there
    change   lines for every synapse;  after: lines for every neuron, once the weights have changed
    layer    sums over the layer, by name;  over: over the inputs of a neuron;  back: over the neurons of an input
    """

    def __init__(self, answer, change, after="", layer=None, over=None, back=None, upto=False, trace=""):
        self.answer, self.change, self.after, self.trace = answer, change, after, trace
        self.layer, self.over, self.back, self.upto = layer or {}, over or {}, back or {}, upto

    def run(self, case):
        p = dict(case.parameters) | {"xs": timed(case.x)}
        names = [name.split("/")[1] for name in case.expected if name.startswith("memory/")]
        inner = sorted({line.split()[0] for line in (self.answer + "\n" + self.after).splitlines() if "=" in line}
                       | set(names))
        inputs = b2.NeuronGroup(case.x.shape[1], "x = xs(t, i) : 1\n" + "\n".join(
            f"{name} : 1" for name in [*self.back, *self.steps(case), *(["x_sum"] if self.trace else [])]), namespace=p,
            dt=TICK)
        told = "target = targets(t, i) : 1\n" if "target" in case.signals else ""
        if told:
            p["targets"] = timed(case.signals["target"][1])
        neurons = b2.NeuronGroup(len(case.weights_initial), told + "\n".join(
            f"{name} : 1" for name in ["z", *self.over, *self.layer, *inner]), namespace=p, dt=TICK)
        sums = {"z_post": "w*x_pre"} | {f"{name}_post": text for name, text in self.over.items()}
        backs = {f"{name}_pre": text for name, text in self.back.items()}
        backs |= {f"{name}_pre": f"w*y_post*int(j <= {number})" for number, name in enumerate(self.steps(case))}
        synapses = b2.Synapses(inputs, neurons, "w : 1\n" + "\n".join(
            f"{name} = {text} : 1 (summed)" for name, text in (sums | backs).items()), namespace=p, dt=TICK)
        synapses.connect()
        synapses.w[:] = case.weights_initial[synapses.j[:], synapses.i[:]]
        for name in backs:
            synapses.summed_updaters[name].when = "before_synapses"
        for name, value in case.memory.items():
            getattr(neurons, name)[:] = value
        objects = [inputs, neurons, synapses]
        if self.layer:
            across = b2.Synapses(neurons, neurons, "\n".join(
                f"{name}_post = {text} : 1 (summed)" for name, text in self.layer.items()), namespace=p, dt=TICK)
            across.connect()
            for name in self.layer:
                across.summed_updaters[f"{name}_post"].when = "thresholds"
            objects.append(across)
        first, _, second = self.answer.partition("\n---\n")
        if not second:
            first, second = "", self.answer
        if first:
            neurons.run_regularly(first, when="before_thresholds", dt=TICK)
        neurons.run_regularly(second, when="after_thresholds", dt=TICK)
        if self.change:
            change = self.change
            if self.upto:
                change = "upto = " + " + ".join(f"int(j == {number})*{name}_pre" for number, name in
                                                enumerate(self.steps(case))) + "\n" + change
            synapses.run_regularly(change, when="synapses", dt=TICK)
        if self.after:
            neurons.run_regularly(self.after, when="resets", dt=TICK)
        if self.trace:
            inputs.run_regularly(self.trace, when="before_groups", dt=TICK)
        monitor, weights = recorded(neurons, ["y", *names]), recorded(synapses, "w")
        traces = [recorded(inputs, "x_sum")] if self.trace else []
        simulate([*objects, monitor, weights, *traces], len(case.x))
        more = {f"memory_{name}": getattr(monitor, name).T for name in names}
        if traces:
            more["trace_x_sum"] = traces[0].x_sum.T
        return found(case, monitor.y.T, as_matrix(synapses, weights.w), **more)

    def steps(self, case):
        """Names of the sums up to each neuron."""
        return [f"upto_{number}" for number in range(len(case.weights_initial))] if self.upto else []


PLACE = {"place": "int(z_pre > z_post)"}
NEAREST, NEARER = "near = 2*z - ww\n---\ny = int(place == 0)", {"place": "int(near_pre > near_post)"}
NUMBERS = {
    "hebbian": Numbers("y = z", "w += rate*y_post*x_pre"),
    "anti_hebbian": Numbers("y = z", "w -= rate*y_post*x_pre"),
    "oja": Numbers("y = z", "w += rate*y_post*(x_pre - y_post*w)"),
    "anti_oja": Numbers("y = z", "w -= rate*y_post*(x_pre - y_post*w)"),
    "oja_subspace": Numbers("y = z", "w += rate*y_post*(x_pre - back_pre)", back={"back": "w*y_post"}),
    "sanger": Numbers("y = z", "w += rate*y_post*(x_pre - upto)", upto=True),
    "bcm": Numbers("y = z", "w += rate*y_post*(y_post - theta_post)*x_pre", "theta += (y**2 - theta)/tau"),
    "law_cooper": Numbers("y = z", "w += rate*y_post*(y_post - theta_post)*x_pre/theta_post",
                          "theta += (y**2 - theta)/tau"),
    "covariance": Numbers("y = z\ny_mean += (y - y_mean)/tau",
                          "w += rate*(y_post - y_mean_post)*(x_pre - (1 - exp(-1/tau_x))*x_sum_pre)",
                          trace="x_sum = exp(-1/tau_x)*x_sum + x"),
    "abcd": Numbers("y = tanh(z)", "w += rate*(a*x_pre*y_post + b*x_pre + c*y_post + d)"),
    "foldiak_trace": Numbers("y = z\nybar = (1 - delta)*ybar + delta*y", "w += rate*ybar_post*(x_pre - w)"),
    "competitive": Numbers("y = int(place == 0)", "w += rate*y_post*(x_pre - w)", layer=PLACE),
    "online_k_means": Numbers(NEAREST, "w += rate*y_post*(x_pre - w)", layer=NEARER, over={"ww": "w**2"}),
    "macqueen": Numbers(NEAREST + "\nwins += y", "w += rate*y_post*(x_pre - w)/wins_post", layer=NEARER,
                        over={"ww": "w**2"}),
    "intrinsic_plasticity": Numbers(
        "y = tanh(gain*z + shift)", "",
        "step = rate*(mu - y*(2*sigma**2 + 1 - y**2 + mu*y))/sigma**2\nshift += step\n"
        "gain = clip(gain + rate/gain + step*z, 0.001, inf)"),
    "softhebb": Numbers("power = exp(z/temperature)\n---\ny = power/total", "w += rate*y_post*(x_pre - z_post*w)",
                        layer={"total": "power_pre"}),
    "krotov_hopfield": Numbers("y = z\ng = int(place == 0) - delta*int(place == k - 1)",
                               "w += rate*g_post*(x_pre - z_post*w)", layer=PLACE),
    "delta": Numbers("y = z", "w += rate*(target_post - y_post)*x_pre"),
    "perceptron": Numbers("y = int(z > 0)", "w += rate*(target_post - y_post)*x_pre"),
    "logistic": Numbers("y = 1/(1 + exp(-z))", "w += rate*(target_post - y_post)*x_pre"),
    "nlms": Numbers("y = z", "w += rate*(target_post - y_post)*x_pre/(epsilon + xx_post)", over={"xx": "x_pre**2"})}


# -------------------------------------------------------------------------------------- rules of spikes

def spikes(values):
    ticks, neurons = np.nonzero(values)
    return b2.SpikeGeneratorGroup(values.shape[1], neurons, ticks * TICK, dt=TICK)


def of_spikes(case, model, on_pre, on_post, order=(), each_tick="", **kept):
    """Synapses between neurons whose spikes are all given; `order` names the pathways in the order in which they act.
    kept: which variable of the synapses is which memory, trace or eligibility."""
    y = np.broadcast_to(case.signals["spike"][1], (len(case.x), len(case.weights_initial))).astype(float)
    p = {name: value * (b2.ms if name.startswith("tau") else 1) for name, value in case.parameters.items()}
    if "reward" in case.signals:
        p["reward"] = timed(case.signals["reward"][1])
    inputs, neurons = spikes(case.x), spikes(y)
    synapses = b2.Synapses(inputs, neurons, model, on_pre=on_pre, on_post=on_post, namespace=p, dt=TICK, method="euler")
    synapses.connect()
    synapses.w[:] = case.weights_initial[synapses.j[:], synapses.i[:]]
    for number, name in enumerate(order):
        getattr(synapses, name).order = number
    if each_tick:
        synapses.run_regularly(each_tick, when="end", dt=TICK)
    monitor = recorded(synapses, ["w", *kept.values()])
    simulate([inputs, neurons, synapses, monitor], len(case.x))
    more = {name: as_matrix(synapses, getattr(monitor, variable)) for name, variable in kept.items()}
    return found(case, y, as_matrix(synapses, monitor.w), **more)


PAIR = """w : 1
          dapre/dt = -apre/tau : 1 (event-driven)
          dapost/dt = -apost/tau_post : 1 (event-driven)"""
ORDER = ("count_pre", "count_post", "change_pre", "change_post")


def pairs(case, down="a_minus*apost"):
    """Traces count the spikes of a tick before the weights change."""
    return of_spikes(case, PAIR, {"count_pre": "apre += 1", "change_pre": f"w -= rate*{down}"},
                     {"count_post": "apost += 1", "change_post": "w += rate*a_plus*apre"}, ORDER)


def pairs_as_documented(case, down="a_minus*apost"):
    return of_spikes(case, PAIR, f"apre += 1\nw -= rate*{down}", "apost += 1\nw += rate*a_plus*apre")


def soft_bounds(case):
    """Both changes are computed from the weight before this tick, and added at its end."""
    return of_spikes(case, PAIR + "\nchange : 1",
                     {"count_pre": "apre += 1", "change_pre": "change -= rate*a_minus*apost*w"},
                     {"count_post": "apost += 1", "change_post": "change += rate*a_plus*apre*(1 - w)"}, ORDER,
                     "w += change\nchange = 0")


def soft_bounds_as_documented(case):
    return of_spikes(case, PAIR, "apre += 1\nw -= rate*a_minus*apost*w", "apost += 1\nw += rate*a_plus*apre*(1 - w)")


def triplets(case):
    return of_spikes(case, """w : 1
        dr1/dt = -r1/tau_plus : 1 (event-driven)
        dr2/dt = -r2/tau_x : 1 (event-driven)
        do1/dt = -o1/tau_minus : 1 (event-driven)
        do2/dt = -o2/tau_y : 1 (event-driven)""",
                     {"count_pre": "r1 += 1", "change_pre": "w -= o1*(a2_minus + a3_minus*r2)", "late_pre": "r2 += 1"},
                     {"count_post": "o1 += 1", "change_post": "w += r1*(a2_plus + a3_plus*o2)", "late_post": "o2 += 1"},
                     (*ORDER, "late_pre", "late_post"))


def triplets_in_one(case):
    """The same lines with one pathway on each side, which counts its fast trace, learns and counts its slow one."""
    return of_spikes(case, """w : 1
        dr1/dt = -r1/tau_plus : 1 (event-driven)
        dr2/dt = -r2/tau_x : 1 (event-driven)
        do1/dt = -o1/tau_minus : 1 (event-driven)
        do2/dt = -o2/tau_y : 1 (event-driven)""",
                     "r1 += 1\nw -= o1*(a2_minus + a3_minus*r2)\nr2 += 1",
                     "o1 += 1\nw += r1*(a2_plus + a3_plus*o2)\no2 += 1")


REWARDED = PAIR + "\ndc/dt = -c/tau_e : 1 (clock-driven)"


def rewarded(case):
    return of_spikes(case, REWARDED, {"count_pre": "apre += 1", "change_pre": "c -= a_minus*apost"},
                     {"count_post": "apost += 1", "change_post": "c += a_plus*apre"}, ORDER, "w += rate*reward(t)*c",
                     eligibility="c")


def rewarded_in_one(case):
    return of_spikes(case, REWARDED, "apre += 1\nc -= a_minus*apost", "apost += 1\nc += a_plus*apre",
                     each_tick="w += rate*reward(t)*c")


def lif(case, at_once=True):
    """Input spikes reach the membrane before the threshold is tested (`at_once`), or after it, as by default."""
    p = dict(case.parameters) | {"tau": -TICK / np.log(case.parameters["leak"])}
    inputs = spikes(case.x)
    neurons = b2.NeuronGroup(len(case.weights_initial), "dv/dt = -v/tau : 1", threshold="v > threshold", reset="v = 0",
                             method="exact", namespace=p, dt=TICK)
    synapses = b2.Synapses(inputs, neurons, "w : 1", on_pre="v_post += w", dt=TICK)
    synapses.connect()
    synapses.w[:] = case.weights_initial[synapses.j[:], synapses.i[:]]
    if at_once:
        inputs.when, synapses.pre.when = "start", "after_groups"
    fired, monitor = b2.SpikeMonitor(neurons), recorded(neurons, "v")
    simulate([inputs, neurons, synapses, fired, monitor], len(case.x))
    y = np.zeros((len(case.x), len(case.weights_initial)))
    y[np.round(fired.t / TICK).astype(int), fired.i[:]] = 1
    return found(case, y, np.repeat(case.weights_initial[None], len(case.x), axis=0), memory_v=monitor.v.T)


RUN = {name: each.run for name, each in NUMBERS.items()} | {
    "stdp": pairs, "stdp_multiplicative": lambda case: pairs(case, "a_minus*apost*w"), "stdp_soft_bounds": soft_bounds,
    "triplet_stdp": triplets, "reward_stdp": rewarded, "lif": lif}
FIRST = "each side has two pathways; all that count spikes act before those that change the weights"
WAYS = {
    "stdp": FIRST, "stdp_multiplicative": FIRST, "reward_stdp": FIRST + "; the eligibility is clock-driven, by "
                                                                        "Euler's method",
    "stdp_soft_bounds": FIRST + "; the latter add to the change of the tick, which is added to the weight at its end",
    "triplet_stdp": "each side has three pathways: fast traces count first, then weights change, then slow "
                    "traces count",
    "sanger": "each neuron has a sum of its own, over the neurons up to it",
    "competitive": "the place of a neuron is the number of neurons with a larger drive, which is a sum over synapses "
                   "in the layer",
    "lif": "the input spikes are made at the start of a tick, and their pathway acts after the membrane has leaked "
           "and before the threshold"}


# ------------------------------------------------------------------------------------------ deviations

def fall(tau):
    return np.exp(-1 / tau)


def depression_first(k, by_weight=False):
    """At a coincidence depression has not counted the neuron's spike of this tick."""
    y, p = k.signal["spike"], k.p
    before = fall(p["tau_post"]) * getattr(k, "post", np.zeros_like(y))
    k.post = before + y
    down = np.outer(before, k.x)
    return y, p["rate"] * (p["a_plus"] * np.outer(y, k.trace["pre"]) - p["a_minus"] * down * (k.w if by_weight else 1))


def soft_depression_first(k):
    y, p = k.signal["spike"], k.p
    before = fall(p["tau_post"]) * getattr(k, "post", np.zeros_like(y))
    k.post = before + y
    w = k.w - p["rate"] * p["a_minus"] * np.outer(before, k.x) * k.w
    return y, w + p["rate"] * p["a_plus"] * np.outer(y, k.trace["pre"]) * (1 - w) - k.w


def triplet_depression_first(k):
    y, p = k.signal["spike"], k.p
    o1, o2 = (fall(p[tau]) * getattr(k, name, np.zeros_like(y)) for name, tau in (("o1", "tau_minus"), ("o2", "tau_y")))
    k.o1, k.o2 = o1 + y, o2 + y
    return y, (np.outer(y * (p["a2_plus"] + p["a3_plus"] * o2), k.trace["r1"])
               - np.outer(o1, k.x * (p["a2_minus"] + p["a3_minus"] * (k.trace["r2"] - k.x))))


def rewarded_depression_first(k):
    y, p = k.signal["spike"], k.p
    before = fall(p["tau_post"]) * getattr(k, "post", np.zeros_like(y))
    k.post = before + y
    k.e = (1 - 1 / p["tau_e"]) * k.e + p["a_plus"] * np.outer(y, k.trace["pre"]) - p["a_minus"] * np.outer(before, k.x)
    return y, p["rate"] * k.signal["reward"][..., None] * k.e


def input_after_the_threshold(k):
    v = k.p["leak"] * k.memory["v"]
    y = (v > k.p["threshold"]).astype(float)
    k.memory["v"] = np.where(y == 1, 0.0, v + k.z)
    return y, np.zeros_like(k.w)


COINCIDENCE = ("With one pathway on each side, as the documentation writes STDP, the pathway of the input acts first. "
               "Of two spikes in one tick, depression does not see that of the neuron, so that they change the weight "
               "by A+ alone and not by A+ - A-. At all other lags the change is the same. The paper has no ticks.")
DEVIATIONS = {
    "stdp": [Deviation("order", COINCIDENCE, run=pairs_as_documented, reading=depression_first, allowed=True)],
    "stdp_multiplicative": [Deviation("order", COINCIDENCE,
                                      run=lambda case: pairs_as_documented(case, "a_minus*apost*w"),
                                      reading=lambda k: depression_first(k, True), allowed=True)],
    "stdp_soft_bounds": [Deviation(
        "order", COINCIDENCE + " In such a tick, potentiation is in proportion to what depression has left.",
        run=soft_bounds_as_documented, reading=soft_depression_first, allowed=True)],
    "triplet_stdp": [Deviation("order", COINCIDENCE, run=triplets_in_one, reading=triplet_depression_first,
                               allowed=True)],
    "reward_stdp": [Deviation("order", COINCIDENCE, run=rewarded_in_one, reading=rewarded_depression_first,
                              allowed=True)],
    "lif": [Deviation(
        "order", "In a tick the leak comes first, then the threshold, then the spikes that arrive, then the reset. "
        "What arrives is compared with the threshold a tick later, after it has leaked, and what arrives at a tick of "
        "a spike is lost in the reset.",
        run=lambda case: lif(case, False), reading=input_after_the_threshold, allowed=True)]}


def can(case):
    return None if case.name in RUN else "not written with Brian2 here"


def run(case):
    return RUN[case.name](case)
