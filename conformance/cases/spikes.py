# SPDX-License-Identifier: MIT
"""Spikes: rules of their times, and neurons that make them.

An input is 1 at the ticks of its spikes, else 0.  Where the text begins with `y = spike` the neuron's own spikes
come from outside, which keeps a case to the rule.  A trace falls by exp(-1/tau) a tick and then counts
the spike of this tick.
"""
import math

from .case import case, decayed, drives

PAIR = {"rate": 0.05, "a_plus": 1.0, "a_minus": 1.05, "tau": 20, "tau_post": 10}


def own_spikes(c, share=0.3):
    return c.given_neuron_signal("spike", [[float(c.random.random() < share) for _ in range(c.n_out)]
                                           for _ in range(c.ticks)])


@case("""
    y = spike
    post = exp(-1/tau_post)*post + y
    dw = rate*(a_plus*y*pre - a_minus*post*x)
    """, "Song, Miller & Abbott 2000, Nat. Neurosci. 3, 919", "stdp", PAIR, traces={"pre": "tau"},
      neuron="driven")
def stdp(c):
    """All pairs of spikes count, and add up. F(dt) = A+ exp(dt/tau+) where the input's spike comes first (dt < 0),
    -A- exp(-dt/tau-) where it comes after.  P_a, here pre, counts the input's spikes and is added where the neuron
    spikes; M, here -post, counts the neuron's and is added where the input spikes.  Both count this tick: a
    spike d ticks later sees exp(-d/tau), and two in one tick change the weight by A+ - A-.  The paper
    has no ticks and says nothing of that.  A program that updates `post` after the weights is off
    by exp(1/tau) at every lag."""
    x, w, spike = c.spikes(), c.weights(0, 1), own_spikes(c)
    rate, a_plus, a_minus, tau, tau_post = (c.parameters[name] for name in PAIR)
    big_p, big_m = [0.0] * c.n_in, [0.0] * c.n_out
    for t in range(c.ticks):
        for j in range(c.n_in):
            big_p[j] = math.exp(-1 / tau) * big_p[j] + x[t][j]
        for i in range(c.n_out):
            big_m[i] = math.exp(-1 / tau_post) * big_m[i] + spike[t][i]
        for i in range(c.n_out):
            for j in range(c.n_in):
                if spike[t][i] == 1:
                    w[i][j] += rate * a_plus * big_p[j]
                if x[t][j] == 1:
                    w[i][j] -= rate * a_minus * big_m[i]
        c.tick(t, spike[t], w, memory={"post": big_m}, traces={"pre": big_p})


@case("""
    y = spike
    dw = rate*(a_plus*y*pre - a_minus*post*x)
    post = exp(-1/tau_post)*post + y
    """, "Song, Miller & Abbott 2000, Nat. Neurosci. 3, 919, with the neuron's trace a tick late",
      parameters=PAIR, traces={"pre": "tau"})
def stdp_post_late(c):
    """The other order, which many programs have: the weights see last tick's post, which has neither
    fallen nor counted this tick's spike."""
    x, w, spike = c.spikes(), c.weights(0, 1), own_spikes(c)
    rate, a_plus, a_minus, tau, tau_post = (c.parameters[name] for name in PAIR)
    pre, post = [0.0] * c.n_in, [0.0] * c.n_out
    for t in range(c.ticks):
        pre = decayed(pre, tau, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * (a_plus * spike[t][i] * pre[j] - a_minus * post[i] * x[t][j])
            post[i] = math.exp(-1 / tau_post) * post[i] + spike[t][i]
        c.tick(t, spike[t], w, memory={"post": post}, traces={"pre": pre})


@case("""
    y = z > threshold
    post = exp(-1/tau_post)*post + y
    dw = rate*(a_plus*y*pre - a_minus*post*x)
    """, "Song, Miller & Abbott 2000, Nat. Neurosci. 3, 919", "stdp", PAIR | {"threshold": 1.0, "rate": 0.1},
      traces={"pre": "tau"}, bounds=(0.0, 1.0), neuron="step")
def stdp_bounds(c):
    """Pairs of spikes add up, with the paper's hard bounds 0 and g_max = 1; the neuron spikes by itself."""
    x, w = c.spikes(0.5), c.weights(0, 1)
    rate, a_plus, a_minus, tau, tau_post, threshold = (
        c.parameters[name] for name in (*PAIR, "threshold"))
    pre, post = [0.0] * c.n_in, [0.0] * c.n_out
    for t in range(c.ticks):
        pre = decayed(pre, tau, x[t])
        y = [float(c.above(z, threshold)) for z in drives(w, x[t])]
        for i in range(c.n_out):
            post[i] = math.exp(-1 / tau_post) * post[i] + y[i]
            for j in range(c.n_in):
                w[i][j] += rate * (a_plus * y[i] * pre[j] - a_minus * post[i] * x[t][j])
                w[i][j] = min(1.0, max(0.0, w[i][j]))
        c.tick(t, y, w, memory={"post": post}, traces={"pre": pre})


@case("""
    y = spike
    post = exp(-1/tau_post)*post + y
    dw = rate*(a_plus*y*pre - a_minus*post*x*w)
    """, "van Rossum, Bi & Turrigiano 2000, J. Neurosci. 20, 8812", "stdp_multiplicative", PAIR,
      traces={"pre": "tau"}, neuron="driven")
def stdp_multiplicative(c):
    """Potentiation by c_p exp(-dt/tau) whatever the weight, depression by -c_d w exp(-dt/tau), in proportion to it; the
    paper's noise is left out.  Programs that call a rule multiplicative often have (1 - w) in the
    potentiation too, which is another rule: see stdp_soft_bounds."""
    x, w, spike = c.spikes(), c.weights(0, 1), own_spikes(c)
    rate, c_p, c_d, tau, tau_post = (c.parameters[name] for name in PAIR)
    pre, post = [0.0] * c.n_in, [0.0] * c.n_out
    for t in range(c.ticks):
        pre = decayed(pre, tau, x[t])
        for i in range(c.n_out):
            post[i] = math.exp(-1 / tau_post) * post[i] + spike[t][i]
            for j in range(c.n_in):
                potentiation = c_p * pre[j] * spike[t][i]
                depression = -c_d * w[i][j] * post[i] * x[t][j]
                w[i][j] += rate * (potentiation + depression)
        c.tick(t, spike[t], w, memory={"post": post}, traces={"pre": pre})


@case("""
    y = spike
    post = exp(-1/tau_post)*post + y
    dw = rate*(a_plus*y*pre*(1 - w) - a_minus*post*x*w)
    """, "Rubin, Lee & Sompolinsky 2001, Phys. Rev. Lett. 86, 364; Gutig et al. 2003, J. Neurosci. 23, 3697, mu = 1",
      "stdp_soft_bounds", PAIR, traces={"pre": "tau"}, neuron="driven")
def stdp_soft_bounds(c):
    """Both changes in proportion to what is left: f+ = (1 - w)^mu, f- = alpha w^mu with mu = 1."""
    x, w, spike = c.spikes(), c.weights(0, 1), own_spikes(c)
    rate, a_plus, a_minus, tau, tau_post = (c.parameters[name] for name in PAIR)
    pre, post = [0.0] * c.n_in, [0.0] * c.n_out
    for t in range(c.ticks):
        pre = decayed(pre, tau, x[t])
        for i in range(c.n_out):
            post[i] = math.exp(-1 / tau_post) * post[i] + spike[t][i]
            for j in range(c.n_in):
                up = a_plus * (1 - w[i][j]) * pre[j] * spike[t][i]
                down = a_minus * w[i][j] * post[i] * x[t][j]
                w[i][j] += rate * (up - down)
        c.tick(t, spike[t], w, memory={"post": post}, traces={"pre": pre})


@case("""
    y = spike
    post = exp(-1/tau_post)*post + y
    dw = rate*(a_plus*y*pre*(1 - w)^mu - a_minus*post*x*w^mu)
    """, "Gutig, Aharonov, Rotter & Sompolinsky 2003, J. Neurosci. 23, 3697",
      "stdp_power_bounds", PAIR | {"rate": 0.02, "mu": 0.4}, traces={"pre": "tau"}, bounds=(0.0, 1.0),
      neuron="driven")
def stdp_power_bounds(c):
    """The rule lies between additive (mu = 0) and multiplicative (mu = 1). Weights are held in [0, 1], where the
    powers are numbers."""
    x, w, spike = c.spikes(), c.weights(0.125, 0.875), own_spikes(c)
    rate, a_plus, a_minus, tau, tau_post, mu = (c.parameters[name] for name in (*PAIR, "mu"))
    pre, post = [0.0] * c.n_in, [0.0] * c.n_out
    for t in range(c.ticks):
        pre = decayed(pre, tau, x[t])
        for i in range(c.n_out):
            post[i] = math.exp(-1 / tau_post) * post[i] + spike[t][i]
            for j in range(c.n_in):
                up = a_plus * (1 - w[i][j]) ** mu * pre[j] * spike[t][i]
                down = a_minus * w[i][j] ** mu * post[i] * x[t][j]
                w[i][j] = min(1.0, max(0.0, w[i][j] + rate * (up - down)))
                c.above(0.9999, w[i][j]), c.above(w[i][j], 1e-4)     # never near the bounds, where powers are steep
        c.tick(t, spike[t], w, memory={"post": post}, traces={"pre": pre})


TRIPLET = {"a2_plus": 0.005, "a3_plus": 0.0062, "a2_minus": 0.007, "a3_minus": 0.0023,
           "tau_plus": 8.4, "tau_x": 50.5, "tau_minus": 16.9, "tau_y": 62.5}


@case("""
    y = spike
    o1 = exp(-1/tau_minus)*o1 + y
    o2 = exp(-1/tau_y)*o2
    dw = y*r1*(a2_plus + a3_plus*o2) - x*o1*(a2_minus + a3_minus*(r2 - x))
    o2 = o2 + y
    """, "Pfister & Gerstner 2006, J. Neurosci. 26, 9673", "triplet_stdp", TRIPLET,
      traces={"r1": "tau_plus", "r2": "tau_x"}, neuron="driven")
def triplet_stdp(c):
    """This is the full model, in which all pairs and triplets count.  w -> w - o1 (A2- + A3- r2(t - eps)) at a spike
    of the input, w -> w + r1 (A2+ + A3+ o2(t - eps)) at one of the neuron: the slow traces r2 and o2 are those of
    just before the spike, so they have fallen up to this tick and do not count it.  Programs that take last tick's
    value without its fall, or count this tick's spike, are wrong by that much.  The fast ones r1 and o1 count this
    tick, as in stdp.  Since r2 - x times x is a product of numbers of the input, the full model is of class weights;
    the minimal ones are not.  The amplitudes are such that every term counts, not the paper's fits."""
    x, w, spike = c.spikes(), c.weights(0, 1), own_spikes(c)
    a2p, a3p, a2m, a3m, tau_plus, tau_x, tau_minus, tau_y = (c.parameters[name] for name in TRIPLET)
    r1, r2, o1, o2 = [0.0] * c.n_in, [0.0] * c.n_in, [0.0] * c.n_out, [0.0] * c.n_out
    for t in range(c.ticks):
        # all fall ...
        for j in range(c.n_in):
            r1[j] *= math.exp(-1 / tau_plus)
            r2[j] *= math.exp(-1 / tau_x)
        for i in range(c.n_out):
            o1[i] *= math.exp(-1 / tau_minus)
            o2[i] *= math.exp(-1 / tau_y)
        # ... the fast ones count the spikes of this tick, the weights change, and the slow ones count them.
        for j in range(c.n_in):
            r1[j] += x[t][j]
        for i in range(c.n_out):
            o1[i] += spike[t][i]
        for i in range(c.n_out):
            for j in range(c.n_in):
                change = 0.0
                if x[t][j] == 1:
                    change -= o1[i] * (a2m + a3m * r2[j])
                if spike[t][i] == 1:
                    change += r1[j] * (a2p + a3p * o2[i])
                w[i][j] += change
        for j in range(c.n_in):
            r2[j] += x[t][j]
        for i in range(c.n_out):
            o2[i] += spike[t][i]
        c.tick(t, spike[t], w, memory={"o1": o1, "o2": o2}, traces={"r1": r1, "r2": r2})


VISUAL = {"a3_plus": 0.0065, "a2_minus": 0.0071, "tau_plus": 16.8, "tau_minus": 33.7, "tau_y": 114}


@case("""
    y = spike
    o1 = exp(-1/tau_minus)*o1 + y
    o2 = exp(-1/tau_y)*o2
    dw = a3_plus*y*o2*r1 - a2_minus*o1*x
    o2 = o2 + y
    """, "Pfister & Gerstner 2006, J. Neurosci. 26, 9673", parameters=VISUAL, traces={"r1": "tau_plus"})
def triplet_stdp_minimal_visual(c):
    """The minimal model of the visual cortex, A2+ = A3- = 0: depression by pairs, potentiation by triplets."""
    x, w, spike = c.spikes(), c.weights(0, 1), own_spikes(c)
    a3p, a2m, tau_plus, tau_minus, tau_y = (c.parameters[name] for name in VISUAL)
    r1, o1, o2 = [0.0] * c.n_in, [0.0] * c.n_out, [0.0] * c.n_out
    for t in range(c.ticks):
        r1 = decayed(r1, tau_plus, x[t])
        o1 = decayed(o1, tau_minus, spike[t])
        for i in range(c.n_out):
            before = math.exp(-1 / tau_y) * o2[i]
            for j in range(c.n_in):
                w[i][j] += spike[t][i] * r1[j] * a3p * before - x[t][j] * o1[i] * a2m
            o2[i] = before + spike[t][i]
        c.tick(t, spike[t], w, memory={"o1": o1, "o2": o2}, traces={"r1": r1})


HIPPOCAMPAL = {"a2_plus": 0.0053, "a3_plus": 0.008, "a2_minus": 0.0035, "tau_plus": 16.8,
               "tau_minus": 33.7, "tau_y": 40}


@case("""
    y = spike
    o1 = exp(-1/tau_minus)*o1 + y
    o2 = exp(-1/tau_y)*o2
    dw = y*(a2_plus + a3_plus*o2)*r1 - a2_minus*o1*x
    o2 = o2 + y
    """, "Pfister & Gerstner 2006, J. Neurosci. 26, 9673", "triplet_stdp_minimal", HIPPOCAMPAL,
      traces={"r1": "tau_plus"}, neuron="driven")
def triplet_stdp_minimal_hippocampal(c):
    """The minimal model of hippocampal cultures, A3- = 0."""
    x, w, spike = c.spikes(), c.weights(0, 1), own_spikes(c)
    a2p, a3p, a2m, tau_plus, tau_minus, tau_y = (c.parameters[name] for name in HIPPOCAMPAL)
    r1, o1, o2 = [0.0] * c.n_in, [0.0] * c.n_out, [0.0] * c.n_out
    for t in range(c.ticks):
        r1 = decayed(r1, tau_plus, x[t])
        o1 = decayed(o1, tau_minus, spike[t])
        for i in range(c.n_out):
            before = math.exp(-1 / tau_y) * o2[i]
            for j in range(c.n_in):
                w[i][j] += spike[t][i] * r1[j] * (a2p + a3p * before) - x[t][j] * o1[i] * a2m
            o2[i] = before + spike[t][i]
        c.tick(t, spike[t], w, memory={"o1": o1, "o2": o2}, traces={"r1": r1})


REWARD = {"rate": 0.05, "a_plus": 1.0, "a_minus": 1.5, "tau": 20, "tau_post": 20, "tau_e": 12}


@case("""
    y = spike
    post = exp(-1/tau_post)*post + y
    de = -e/tau_e + a_plus*y*pre - a_minus*post*x
    dw = rate*reward*e
    """, "Izhikevich 2007, Cereb. Cortex 17, 2443; Fremaux & Gerstner 2016, Front. Neural Circuits 9, 85",
      "reward_stdp", REWARD, traces={"pre": "tau"}, neuron="driven")
def reward_stdp(c):
    """dc/dt = -c/tau_c + STDP(tau) at the spikes, ds/dt = c d: STDP goes into an eligibility c that fades, and weights
    follow it as the reward d says.  Time is in ticks, and c falls by 1/tau_c of itself (Euler's step; a
    program with exp(-1/tau_c) differs).  The reward sees what this tick has added."""
    x, s, spike = c.spikes(), c.weights(0, 1), own_spikes(c)
    d = c.signal("reward")
    rate, a_plus, a_minus, tau, tau_post, tau_c = (c.parameters[name] for name in REWARD)
    pre, post = [0.0] * c.n_in, [0.0] * c.n_out
    eligibility = [[0.0] * c.n_in for _ in range(c.n_out)]
    for t in range(c.ticks):
        pre = decayed(pre, tau, x[t])
        post = decayed(post, tau_post, spike[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                eligibility[i][j] += (-eligibility[i][j] / tau_c + a_plus * spike[t][i] * pre[j]
                                      - a_minus * post[i] * x[t][j])
                s[i][j] += rate * d[t] * eligibility[i][j]
        c.tick(t, spike[t], s, memory={"post": post}, traces={"pre": pre}, e=eligibility)


@case("""
    y = spike
    post = exp(-1/tau_post)*post + y
    de = -e/tau_e + a_plus*y*pre - a_minus*post*x
    dw = rate*(reward - expected)*e
    expected = expected + (reward - expected)/tau_r
    """, "Fremaux, Sprekeler & Gerstner 2010, J. Neurosci. 30, 13326", "reward_stdp_expected", REWARD | {"tau_r": 5},
      traces={"pre": "tau"}, neuron="driven")
def reward_stdp_expected(c):
    """The same where only the reward beyond what was expected counts; expected is of before this tick."""
    x, w, spike = c.spikes(), c.weights(0, 1), own_spikes(c)
    reward = c.signal("reward")
    rate, a_plus, a_minus, tau, tau_post, tau_e, tau_r = (c.parameters[name] for name in (*REWARD, "tau_r"))
    pre, post = [0.0] * c.n_in, [0.0] * c.n_out
    e = [[0.0] * c.n_in for _ in range(c.n_out)]
    expected = 0.0
    for t in range(c.ticks):
        pre = decayed(pre, tau, x[t])
        post = decayed(post, tau_post, spike[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                e[i][j] += -e[i][j] / tau_e + a_plus * spike[t][i] * pre[j] - a_minus * post[i] * x[t][j]
                w[i][j] += rate * (reward[t] - expected) * e[i][j]
        expected += (reward[t] - expected) / tau_r
        c.tick(t, spike[t], w, memory={"post": post, "expected": [expected] * c.n_out}, traces={"pre": pre}, e=e)


@case("""
    v = leak*v + z
    y = v > threshold
    v = v*(1 - y)
    """, "Lapicque 1907, J. Physiol. Pathol. Gen. 9, 620", "", {"leak": 0.8, "threshold": 1.0}, neuron="lif")
def lif(c):
    """v leaks, adds up what comes in, spikes above the threshold and is 0 after it.  Nothing learns.
    Lapicque has the leaking membrane; the reset is of later papers."""
    x, w = c.spikes(0.5), c.weights(-0.25, 1)
    leak, threshold = c.parameters["leak"], c.parameters["threshold"]
    v = [0.0] * c.n_out
    for t in range(c.ticks):
        y = []
        for i, z in enumerate(drives(w, x[t])):
            v[i] = leak * v[i] + z
            spiked = c.above(v[i], threshold)
            if spiked:
                v[i] = 0.0
            y.append(float(spiked))
        c.tick(t, y, w, memory={"v": v})


@case("""
    v = leak*v + z
    y = v > threshold
    v = v*(1 - y)
    dw = rate*y*(x - w)
    """, "Lapicque 1907; Grossberg 1976", "instar", {"leak": 0.8, "threshold": 1.0, "rate": 0.1}, neuron="lif")
def lif_learning(c):
    """The same neuron; where it spikes its weights move towards the input."""
    x, w = c.spikes(0.5), c.weights(-0.25, 1)
    leak, threshold, rate = (c.parameters[name] for name in ("leak", "threshold", "rate"))
    v = [0.0] * c.n_out
    for t in range(c.ticks):
        y = []
        for i, z in enumerate(drives(w, x[t])):
            v[i] = leak * v[i] + z
            spiked = c.above(v[i], threshold)
            if spiked:
                v[i] = 0.0
                for j in range(c.n_in):
                    w[i][j] += rate * (x[t][j] - w[i][j])
            y.append(float(spiked))
        c.tick(t, y, w, memory={"v": v})


@case("""
    v = where(rest > 0, 0, leak*v + z)
    y = v > threshold
    v = v*(1 - y)
    rest = where(y, refractory, max(rest - 1, 0))
    dw = rate*y*(x - w)
    """, "Lapicque 1907, with a time of rest", "instar",
      {"leak": 0.8, "threshold": 0.5, "refractory": 3, "rate": 0.1}, neuron="lif_refractory")
def lif_refractory(c):
    """For three ticks after a spike the membrane stays at 0."""
    x, w = c.spikes(0.5), c.weights(-0.25, 1)
    leak, threshold, refractory, rate = (c.parameters[name] for name in ("leak", "threshold", "refractory", "rate"))
    v, rest = [0.0] * c.n_out, [0.0] * c.n_out
    for t in range(c.ticks):
        y = []
        for i, z in enumerate(drives(w, x[t])):
            if rest[i] > 0:
                v[i] = 0.0
            else:
                v[i] = leak * v[i] + z
            spiked = c.above(v[i], threshold)
            if spiked:
                v[i] = 0.0
                rest[i] = float(refractory)
                for j in range(c.n_in):
                    w[i][j] += rate * (x[t][j] - w[i][j])
            elif rest[i] > 0:
                rest[i] -= 1
            y.append(float(spiked))
        c.tick(t, y, w, memory={"v": v, "rest": rest})


@case("""
    v = leak*v + z
    y = v > threshold + raised
    v = v*(1 - y)
    raised = exp(-1/tau_raised)*raised + raise*y
    dw = rate*y*(pre - offset)
    """, "Diehl & Cook 2015, Front. Comput. Neurosci. 9, 99", "diehl_cook",
      {"leak": 0.8, "threshold": 0.5, "raise": 0.2, "tau_raised": 15, "rate": 0.1, "offset": 0.4, "tau": 5},
      traces={"pre": "tau"}, neuron="lif_adaptive")
def lif_adaptive(c):
    """Each spike raises the threshold by theta+, and theta fades: who spikes often has it harder.  At a spike weights
    grow by eta (x_pre - x_tar).  Diehl & Cook have a factor (w_max - w)^mu beside it, here mu = 0,
    and a trace that is set to 1 by a spike in their program; here it counts up."""
    x, w = c.spikes(0.5), c.weights(-0.25, 1)
    leak, threshold, theta_plus, tau_theta, eta, x_tar, tau = (
        c.parameters[name] for name in ("leak", "threshold", "raise", "tau_raised", "rate", "offset", "tau"))
    v, theta, x_pre = [0.0] * c.n_out, [0.0] * c.n_out, [0.0] * c.n_in
    for t in range(c.ticks):
        x_pre = decayed(x_pre, tau, x[t])
        y = []
        for i, z in enumerate(drives(w, x[t])):
            v[i] = leak * v[i] + z
            spiked = c.above(v[i], threshold + theta[i])
            theta[i] *= math.exp(-1 / tau_theta)
            if spiked:
                v[i] = 0.0
                theta[i] += theta_plus
                for j in range(c.n_in):
                    w[i][j] += eta * (x_pre[j] - x_tar)
            y.append(float(spiked))
        c.tick(t, y, w, memory={"v": v, "raised": theta}, traces={"pre": x_pre})


@case("""
    v = leak*v + z
    u = v*(v > threshold)
    y = winner(u) and u > 0
    v = where(sum(y) > 0, 0, v)
    post = exp(-1/tau_post)*post + y
    dw = rate*(a_plus*y*pre - a_minus*post*x)
    """, "Song, Miller & Abbott 2000, for neurons that inhibit each other",
      parameters=PAIR | {"leak": 0.8, "threshold": 1.0}, traces={"pre": "tau"})
def lif_inhibition(c):
    """Of the neurons above the threshold the one that is highest spikes, and a spike sets all of them back."""
    x, w = c.spikes(0.5), c.weights(0, 1)
    rate, a_plus, a_minus, tau, tau_post, leak, threshold = (c.parameters[name] for name in (*PAIR, "leak", "threshold"))
    v, u, post, pre = [0.0] * c.n_out, [0.0] * c.n_out, [0.0] * c.n_out, [0.0] * c.n_in
    for t in range(c.ticks):
        pre = decayed(pre, tau, x[t])
        z = drives(w, x[t])
        for i in range(c.n_out):
            v[i] = leak * v[i] + z[i]
            u[i] = v[i] if c.above(v[i], threshold) else 0.0
        best = c.winner(u)
        y = [float(i == best and u[i] > 0) for i in range(c.n_out)]
        if u[best] > 0:
            v = [0.0] * c.n_out
        for i in range(c.n_out):
            post[i] = math.exp(-1 / tau_post) * post[i] + y[i]
            for j in range(c.n_in):
                w[i][j] += rate * (a_plus * y[i] * pre[j] - a_minus * post[i] * x[t][j])
        c.tick(t, y, w, memory={"v": v, "u": u, "post": post}, traces={"pre": pre})
