# SPDX-License-Identifier: MIT
"""Functions over the layer, and back to the input."""
import math

from .case import TooClose, case, dot, drives

SMALL = {"ticks": 12, "n_in": 3}
RATE = {"rate": 0.05}


@case("""
    total = sum(z)
    average = mean(z)
    top = largest(z)
    bottom = smallest(z)
    count = sum(1)
    of_layer = sum(xx) - mean(xx)
    nested = sum(abs(z - mean(z)))
    dw = rate*((z - average) + total/(1 + nested) + (top - bottom))*x
    """, parameters=RATE, **SMALL)
def sums_over_the_layer(c):
    """Of a number of the layer each neuron has one: sum(1) is the number of neurons."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        z, xx = drives(w, x[t]), dot(x[t], x[t])
        total = 0.0
        for a in z:
            total += a
        average = total / 4
        nested = 0.0
        for a in z:
            nested += abs(a - average)
        top, bottom = max(z), min(z)
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * ((z[i] - average) + total / (1 + nested) + (top - bottom)) * x[t][j]
        values = {"total": total, "average": average, "top": top, "bottom": bottom, "count": 4.0,
                  "of_layer": 3 * xx, "nested": nested}
        c.tick(t, z, w, memory={name: [value] * 4 for name, value in values.items()})


@case("""
    p = softmax(z)
    sharp = softmax(3000*z)
    even = softmax(m)
    m = 0*z
    dw = rate*(p + sharp + even)*x
    """, parameters=RATE, **SMALL)
def softmax_of_numbers(c):
    """Large numbers do not overflow: exp(a) / sum(exp(a)) is the same if all a are shifted."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        z = drives(w, x[t])
        p, sharp = [], []
        for factor, into in ((1, p), (3000, sharp)):
            top = max(factor * a for a in z)
            power = [math.exp(factor * a - top) for a in z]
            for each in power:
                into.append(each / math.fsum(power))
        # What differs by more than 700 is 0 or so; nothing hangs on the differences of large numbers.
        order = sorted(z)
        if order[-1] - order[-2] < 0.03:
            raise TooClose
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * (p[i] + sharp[i] + 0.25) * x[t][j]
        c.tick(t, z, w, memory={"p": p, "sharp": sharp, "even": [0.25] * 4, "m": [0.0] * 4})


@case("""
    place = rank(z)
    of_equals = rank(n)
    upside_down = rank(-z)
    dw = rate*(place - 1.5)*x
    """, parameters=RATE, **SMALL)
def ranks(c):
    """How many are larger; n is 0 or 1, and of equal ones the lower index is ahead."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    n = c.given_neuron_signal("n", [[float(c.random.random() < 0.5) for _ in range(4)] for _ in range(12)])
    for t in range(c.ticks):
        z = drives(w, x[t])
        place = c.rank(z)
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * (place[i] - 1.5) * x[t][j]
        c.tick(t, z, w, memory={"place": [float(p) for p in place], "of_equals": [float(p) for p in c.rank(n[t])],
                                "upside_down": [3.0 - p for p in place]})


@case("""
    two = kwta(z, 2)
    all = kwta(z, 9)
    none = kwta(z, 0)
    half = kwta(z, 1.5)
    of_layer = kwta(z, r)
    of_equals = kwta(n, 2)
    dw = rate*(two + of_layer)*x
    """, parameters=RATE, **SMALL)
def kwta_of_numbers(c):
    """where(rank(a) < k, a, 0): k may be any number."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    n = c.given_neuron_signal("n", [[1.0 + (c.random.random() < 0.5) for _ in range(4)] for _ in range(12)])
    r = c.given_signal("r", [float(int(c.random.random() * 5)) for _ in range(12)])
    for t in range(c.ticks):
        z = drives(w, x[t])
        place, place_n = c.rank(z), c.rank(n[t])
        two = [z[i] if place[i] < 2 else 0.0 for i in range(4)]
        of_layer = [z[i] if place[i] < r[t] else 0.0 for i in range(4)]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * (two[i] + of_layer[i]) * x[t][j]
        c.tick(t, z, w, memory={"two": two, "all": z, "none": [0.0] * 4,
                                "half": [z[i] if place[i] < 1.5 else 0.0 for i in range(4)], "of_layer": of_layer,
                                "of_equals": [n[t][i] if place_n[i] < 2 else 0.0 for i in range(4)]})


@case("""
    each = kwta(z, k)
    dw = rate*each*x
    """, parameters=RATE, **SMALL)
def kwta_with_k_of_neurons(c):
    """where(rank(a) < k, a, 0) with another k for each neuron."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    k = c.given_neuron_signal("k", [[float(int(c.random.random() * 5)) for _ in range(4)] for _ in range(12)])
    for t in range(c.ticks):
        z = drives(w, x[t])
        place = c.rank(z)
        each = [z[i] if place[i] < k[t][i] else 0.0 for i in range(4)]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * each[i] * x[t][j]
        c.tick(t, z, w, memory={"each": each})


@case("""
    first = winner(z)
    last = winner(-z)
    of_equals = winner(n)
    of_zeros = winner(0*z)
    dw = rate*(first - last)*(x - w)
    """, parameters=RATE, **SMALL)
def winners(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    n = c.given_neuron_signal("n", [[float(c.random.random() < 0.5) for _ in range(4)] for _ in range(12)])
    for t in range(c.ticks):
        z = drives(w, x[t])
        place = c.rank(z)
        first, last = [float(p == 0) for p in place], [float(p == 3) for p in place]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * (first[i] - last[i]) * (x[t][j] - w[i][j])
        c.tick(t, z, w, memory={"first": first, "last": last, "of_zeros": [1.0, 0.0, 0.0, 0.0],
                                "of_equals": [float(p == 0) for p in c.rank(n[t])]})


@case("""
    long = ww
    near = 2*z - ww - xx
    y = winner(near)
    dw = rate*y*(x - w) - rate*ww*w
    """, parameters={"rate": 0.1})
def squared_lengths(c):
    """ww is the sum of w^2 with the weights of before, so 2*z - ww - xx is -|x - w|^2."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        long = [dot(row, row) for row in w]
        near = []
        for row in w:
            far = 0.0
            for j in range(c.n_in):
                far += (x[t][j] - row[j]) * (x[t][j] - row[j])
            near.append(-far)
        best = c.winner(near)
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * ((x[t][j] - w[i][j] if i == best else 0.0) - long[i] * w[i][j])
        c.tick(t, [float(i == best) for i in range(c.n_out)], w, memory={"long": long, "near": near})


@case("dw = rate*(back(z)*0.5 - back(1) + x)", parameters=RATE, **SMALL)
def backs(c):
    """back(a) is W^T a, with the weights of before; back(1) the sum of all neurons' weights."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        z = drives(w, x[t])
        columns = [[row[j] for row in w] for j in range(c.n_in)]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * (dot(z, columns[j]) * 0.5 - dot([1.0] * 4, columns[j]) + x[t][j])
        c.tick(t, z, w)


@case("""
    h = tanh(z)
    dw = rate*(h*(x - back(h)) + winner(z)*back(h - z) - 0.1*w)
    """, parameters=RATE)
def back_of_memories(c):
    """The rule has two different sums back, one of them for the winner alone."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        z = drives(w, x[t])
        best = c.winner(z)
        h = [math.tanh(a) for a in z]
        columns = [[row[j] for row in w] for j in range(c.n_in)]
        for i in range(c.n_out):
            for j in range(c.n_in):
                to_best = dot([h[k] - z[k] for k in range(4)], columns[j]) if i == best else 0.0
                w[i][j] += rate * (h[i] * (x[t][j] - dot(h, columns[j])) + to_best - 0.1 * w[i][j])
        c.tick(t, z, w, memory={"h": h})


@case("dw = rate*(y*(x - back_upto(y)) - 0.2*back_upto(1) + 0.1*back(y))", parameters=RATE, **SMALL)
def backs_upto(c):
    """The sum over the neurons up to this one, itself included."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        old = [list(row) for row in w]
        for i in range(c.n_out):
            for j in range(c.n_in):
                upto = ones = every = 0.0
                for k in range(4):
                    every += y[k] * old[k][j]
                    if k <= i:
                        upto += y[k] * old[k][j]
                        ones += old[k][j]
                w[i][j] += rate * (y[i] * (x[t][j] - upto) - 0.2 * ones + 0.1 * every)
        c.tick(t, y, w)


@case("dw = rate*back(y)*w + rate*back_upto(y)*x", parameters=RATE, **SMALL)
def back_weight_by_weight(c):
    """Products of vectors change every weight by itself."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        old = [list(row) for row in w]
        for i in range(c.n_out):
            for j in range(c.n_in):
                every = upto = 0.0
                for k in range(4):
                    every += y[k] * old[k][j]
                    upto += y[k] * old[k][j] if k <= i else 0.0
                w[i][j] += rate * every * old[i][j] + rate * upto * x[t][j]
        c.tick(t, y, w)


@case("""
    de = y*(x - back(y)) - e/tau
    dw = rate*e
    """, parameters={"rate": 0.05, "tau": 4}, **SMALL)
def back_in_eligibility(c):
    x, w = c.inputs(), c.weights()
    rate, tau = c.parameters["rate"], c.parameters["tau"]
    e = [[0.0] * c.n_in for _ in range(c.n_out)]
    for t in range(c.ticks):
        y = drives(w, x[t])
        columns = [[row[j] for row in w] for j in range(c.n_in)]
        for i in range(c.n_out):
            for j in range(c.n_in):
                e[i][j] += y[i] * (x[t][j] - dot(y, columns[j])) - e[i][j] / tau
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * e[i][j]
        c.tick(t, y, w, e=e)


@case("""
    share = sum(s)/(1 + sum(abs(s)))
    known = sum(truth)
    dw = rate*(back(xx) + back_upto(1 + t) + share + known*x)/10
    """, parameters=RATE, kept_ticks=[5, 12], **SMALL)
def layer_of_signals(c):
    """The rule reads sums over signals of neurons and labels, and back of numbers of the layer."""
    x, w, s, rate = c.inputs(), c.weights(), c.neuron_signal("s"), c.parameters["rate"]
    truth = c.labels("truth", missing=0.3)
    for t in range(c.ticks):
        y = drives(w, x[t])
        total = s[t][0] + s[t][1] + s[t][2] + s[t][3]
        share = total / (1 + abs(s[t][0]) + abs(s[t][1]) + abs(s[t][2]) + abs(s[t][3]))
        known = 1.0 if truth[t] >= 0 else 0.0
        old = [list(row) for row in w]
        for i in range(c.n_out):
            for j in range(c.n_in):
                every = upto = 0.0
                for k in range(4):
                    every += old[k][j] * dot(x[t], x[t])
                    upto += old[k][j] * (1 + t) if k <= i else 0.0
                w[i][j] += rate * (every + upto + share + known * x[t][j]) / 10
        c.tick(t, y, w, memory={"share": [share] * 4, "known": [known] * 4})
