# SPDX-License-Identifier: MIT
"""What comes after the rule and changes weights alone: homeostasis, then normalisation, then bounds."""
import math

from .case import case, decayed, dot, drives

RATE = {"rate": 0.05}


def length(row):
    return math.sqrt(dot(row, row))


@case("dw = rate*y*x", parameters={"rate": 0.1}, bounds=(-0.4, 0.25))
def bounds(c):
    """Each weight is held between low and high after each update; weights_initial is not cut before."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                w[i][j] = min(0.25, max(-0.4, w[i][j] + rate * y[i] * x[t][j]))
        c.tick(t, y, w)


@case("dw = rate*y*x - decay*w", parameters={"rate": 0.05, "decay": 0.1}, normalization="l2")
def l2(c):
    """w <- w / |w|, from the first update on; decay is then without effect, but for rounding."""
    x, w = c.inputs(), c.weights()
    rate, decay = c.parameters["rate"], c.parameters["decay"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                w[i][j] += rate * y[i] * x[t][j] - decay * w[i][j]
            norm = length(w[i])
            for j in range(5):
                w[i][j] /= norm
        c.tick(t, y, w)


@case("dw = rate*y*x", parameters=RATE, normalization="l2")
def l2_zero_row(c):
    """A row of zeros stays one."""
    x, rate = c.inputs(), c.parameters["rate"]
    w = c.weights()
    w = c.given_weights([[0.0] * 5 if i == 1 else w[i] for i in range(4)])
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                w[i][j] += rate * y[i] * x[t][j]
            norm = length(w[i])
            if norm > 0:
                for j in range(5):
                    w[i][j] /= norm
        c.tick(t, y, w)


@case("dw = rate*y*x", parameters={"rate": 0.1}, normalization="max_norm", bound=0.75)
def max_norm(c):
    """w <- w min(1, bound / |w|)"""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                w[i][j] += rate * y[i] * x[t][j]
            factor = min(1.0, 0.75 / length(w[i]))
            for j in range(5):
                w[i][j] *= factor
        c.tick(t, y, w)


@case("dw = rate*y*(x - y*w)", parameters=RATE, homeostasis=(0.25, 0.1))
def homeostasis(c):
    """w <- w exp(strength (target - y)), after the change of the rule."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            factor = math.exp(0.1 * (0.25 - y[i]))
            for j in range(5):
                w[i][j] = (w[i][j] + rate * y[i] * (x[t][j] - y[i] * w[i][j])) * factor
        c.tick(t, y, w)


@case("""
    dw = rate*y*(x - y*w)
    y = y^2
    """, parameters=RATE, homeostasis=(0.25, 0.1))
def homeostasis_final_answer(c):
    """Homeostasis goes by the final y, also where dw stands above it."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        z = drives(w, x[t])
        for i in range(4):
            factor = math.exp(0.1 * (0.25 - z[i] * z[i]))
            for j in range(5):
                w[i][j] = (w[i][j] + rate * z[i] * (x[t][j] - z[i] * w[i][j])) * factor
        c.tick(t, [a * a for a in z], w)


@case("dw = rate*y*x", parameters={"rate": 0.1}, homeostasis=(0.5, 0.2), normalization="max_norm", bound=0.75,
      bounds=(-0.4, 0.5))
def all_limits(c):
    """Homeostasis comes first, then max_norm, then bounds."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            factor = math.exp(0.2 * (0.5 - y[i]))
            for j in range(5):
                w[i][j] = (w[i][j] + rate * y[i] * x[t][j]) * factor
            factor = min(1.0, 0.75 / length(w[i]))
            for j in range(5):
                w[i][j] = min(0.5, max(-0.4, w[i][j] * factor))
        c.tick(t, y, w)


@case("dw = rate*y*(x - back(y))", parameters=RATE, normalization="l2")
def l2_with_back(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        explained = [dot(y, [row[j] for row in w]) for j in range(5)]
        for i in range(4):
            for j in range(5):
                w[i][j] += rate * y[i] * (x[t][j] - explained[j])
            norm = length(w[i])
            for j in range(5):
                w[i][j] /= norm
        c.tick(t, y, w)


@case("dw = rate*y*pre + 0.01", parameters=RATE, traces={"pre": 4}, normalization="max_norm", bound=1.0,
      homeostasis=(0.5, 0.02))
def max_norm_with_trace(c):
    """A trace and a term without a vector stand beside a norm."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    pre = [0.0] * 5
    for t in range(c.ticks):
        pre = decayed(pre, 4, x[t])
        y = drives(w, x[t])
        for i in range(4):
            factor = math.exp(0.02 * (0.5 - y[i]))
            for j in range(5):
                w[i][j] = (w[i][j] + rate * y[i] * pre[j] + 0.01) * factor
            factor = min(1.0, 1.0 / length(w[i]))
            for j in range(5):
                w[i][j] *= factor
        c.tick(t, y, w, traces={"pre": pre})


@case("""
    de = y*x - e/5
    dw = rate*reward*e
    """, parameters=RATE, normalization="l2", homeostasis=(0.5, 0.02))
def l2_with_eligibility(c):
    """Normalisation and homeostasis change w, never e."""
    x, w, rate, reward = c.inputs(), c.weights(), c.parameters["rate"], c.signal("reward")
    e = [[0.0] * 5 for _ in range(4)]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                e[i][j] += y[i] * x[t][j] - e[i][j] / 5
                w[i][j] += rate * reward[t] * e[i][j]
            norm = length(w[i])        # what homeostasis multiplies by cancels
            for j in range(5):
                w[i][j] /= norm
        c.tick(t, y, w, e=e)


@case("""
    w_long = xx
    dw = rate*y*x*w*(1 - w)
    """, parameters={"rate": 0.1}, normalization="l2")
def l2_weight_by_weight(c):
    x, w, rate = c.inputs(), c.weights(0.125, 0.875), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                w[i][j] += rate * y[i] * x[t][j] * w[i][j] * (1 - w[i][j])
            norm = length(w[i])
            for j in range(5):
                w[i][j] /= norm
        c.tick(t, y, w, memory={"w_long": [dot(x[t], x[t])] * 4})


@case("dw = rate*(y*x - back_upto(y)*y)", parameters=RATE, bounds=(-0.6, 0.6), normalization="max_norm", bound=0.9)
def bounds_with_back_upto(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        old = [list(row) for row in w]
        for i in range(4):
            for j in range(5):
                upto = 0.0
                for k in range(i + 1):
                    upto += y[k] * old[k][j]
                w[i][j] += rate * (y[i] * x[t][j] - upto * y[i])
            factor = min(1.0, 0.9 / length(w[i]))
            for j in range(5):
                w[i][j] = min(0.6, max(-0.6, w[i][j] * factor))
        c.tick(t, y, w)


@case("""
    long = ww
    dw = rate*(y*x - ww*w)
    """, parameters={"rate": 0.2}, normalization="max_norm", bound=0.75, homeostasis=(0.25, 0.1))
def max_norm_with_length(c):
    """ww is that of the weights as they really are, after homeostasis and normalisation."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        long = [dot(row, row) for row in w]
        for i in range(4):
            factor = math.exp(0.1 * (0.25 - y[i]))
            for j in range(5):
                w[i][j] = (w[i][j] + rate * (y[i] * x[t][j] - long[i] * w[i][j])) * factor
            factor = min(1.0, 0.75 / length(w[i]))
            for j in range(5):
                w[i][j] *= factor
        c.tick(t, y, w, memory={"long": long})


@case("""
    long = ww
    dw = rate*(y*x - ww*w)
    """, parameters={"rate": 0.2}, bounds=(-0.3, 0.25))
def bounds_with_length(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        long = [dot(row, row) for row in w]
        for i in range(4):
            for j in range(5):
                w[i][j] = min(0.25, max(-0.3, w[i][j] + rate * (y[i] * x[t][j] - long[i] * w[i][j])))
        c.tick(t, y, w, memory={"long": long})


@case("dw = rate*y*x", parameters=RATE, normalization="l2", homeostasis=(0.25, 0.1), kept_ticks=[1, 20, 21, 40])
def l2_not_learning(c):
    """Nothing touches weights that do not learn."""
    x, w, rate, until = c.inputs(), c.weights(), c.parameters["rate"], c.learns_until(20)
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            if t < until:
                for j in range(5):
                    w[i][j] += rate * y[i] * x[t][j]
                norm = length(w[i])
                for j in range(5):
                    w[i][j] /= norm
        c.tick(t, y, w)
