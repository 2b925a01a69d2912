# SPDX-License-Identifier: MIT
"""Operators and functions of the language, of numbers and of vectors, and how text is read."""
import math

from .case import case, dot, drives, size

SMALL = {"ticks": 12, "n_in": 3}
RATE = {"rate": 0.05}


def sign(a):
    return float(a > 0) - float(a < 0)


def sigmoid(a):
    return 1 / (1 + math.exp(-a)) if a >= 0 else math.exp(a) / (1 + math.exp(a))


def learn(w, i, x, factor):
    """w_i <- w_i + factor x"""
    for j in range(len(x)):
        w[i][j] += factor * x[j]


# ---------------------------------------------------------------------- numbers

@case("""
    sum_ = z + 0.75
    difference = z - sum_ - xx
    product = z*xx*0.5
    quotient = z/(1 + xx)/3
    negative = -z
    dw = rate*(sum_ + difference + product + quotient + negative)*x
    """, parameters=RATE, **SMALL)
def number_arithmetic(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        z, xx = drives(w, x[t]), dot(x[t], x[t])
        m = {name: [] for name in ("sum_", "difference", "product", "quotient", "negative")}
        for i in range(c.n_out):
            m["sum_"].append(z[i] + 0.75)
            m["difference"].append((z[i] - (z[i] + 0.75)) - xx)
            m["product"].append(z[i] * xx * 0.5)
            m["quotient"].append((z[i] / (1 + xx)) / 3)
            m["negative"].append(-z[i])
            learn(w, i, x[t], rate * sum(m[name][i] for name in m))
        c.tick(t, z, w, memory=m)


@case("""
    square = z^2
    cube = z^3
    root = abs(z)^0.5
    inverse = (1 + abs(z))^-1
    of_numbers = (2 + tanh(z))^z
    whole = z^0 + 0^0
    dw = rate*(square - cube + root - inverse + of_numbers)*x
    """, parameters=RATE, **SMALL)
def number_power(c):
    """A negative number to a whole power is a number; anything to the power 0 is 1, 0 too."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        z = drives(w, x[t])
        for i in range(c.n_out):
            c.above(abs(z[i]), 0.01, 0.1)
        square = [a * a for a in z]
        cube = [a * a * a for a in z]
        root = [math.sqrt(abs(a)) for a in z]
        inverse = [1 / (1 + abs(a)) for a in z]
        of_numbers = [math.exp(a * math.log(2 + math.tanh(a))) for a in z]
        for i in range(c.n_out):
            learn(w, i, x[t], rate * (square[i] - cube[i] + root[i] - inverse[i] + of_numbers[i]))
        c.tick(t, z, w, memory={"square": square, "cube": cube, "root": root, "inverse": inverse,
                                "of_numbers": of_numbers, "whole": [2.0] * c.n_out})


@case("""
    less = s < z
    less_equal = n <= 0
    greater = s > z
    greater_equal = n >= 0
    equal = n == 0
    unequal = n != 0
    dw = rate*(less + 2*less_equal + 4*greater + 8*greater_equal + 16*equal + 32*unequal)*x
    """, parameters={"rate": 0.001}, **SMALL)
def number_comparisons(c):
    """1 or 0; n is -0.5, 0 or 0.5, so that equal numbers come up."""
    x, w, s = c.inputs(), c.weights(), c.neuron_signal("s")
    n = c.given_neuron_signal("n", [[int(c.random.random() * 3) / 2 - 0.5 for _ in range(4)] for _ in range(12)])
    rate = c.parameters["rate"]
    for t in range(c.ticks):
        z = drives(w, x[t])
        m = {name: [] for name in ("less", "less_equal", "greater", "greater_equal", "equal", "unequal")}
        for i in range(c.n_out):
            larger = c.above(z[i], s[t][i], size(w[i], x[t]))
            m["less"].append(1.0 if larger else 0.0)
            m["less_equal"].append(1.0 if n[t][i] < 0.25 else 0.0)
            m["greater"].append(0.0 if larger else 1.0)
            m["greater_equal"].append(1.0 if n[t][i] > -0.25 else 0.0)
            m["equal"].append(1.0 if -0.25 < n[t][i] < 0.25 else 0.0)
            m["unequal"].append(0.0 if -0.25 < n[t][i] < 0.25 else 1.0)
            learn(w, i, x[t], rate * (m["less"][i] + 2 * m["less_equal"][i] + 4 * m["greater"][i]
                                      + 8 * m["greater_equal"][i] + 16 * m["equal"][i] + 32 * m["unequal"][i]))
        c.tick(t, z, w, memory=m)


@case("""
    both = a and b
    one = a or b
    none = not a
    mixed = not a and b or a and not b
    compared = not a == b
    dw = rate*(both + 2*one + 4*none + 8*mixed)*x
    """, parameters={"rate": 0.01}, **SMALL)
def number_logic(c):
    """Whatever is not 0 counts as true, negative numbers too; the result is 1 or 0, never the operand.
    `not` binds less than a comparison, `and` more than `or`."""
    x, w = c.inputs(), c.weights()
    a = c.given_neuron_signal("a", [[int(c.random.random() * 3) / 2 - 0.5 for _ in range(4)] for _ in range(12)])
    b = c.given_neuron_signal("b", [[int(c.random.random() * 3) - 1.0 for _ in range(4)] for _ in range(12)])
    rate = c.parameters["rate"]
    for t in range(c.ticks):
        z = drives(w, x[t])
        m = {name: [] for name in ("both", "one", "none", "mixed", "compared")}
        for i in range(c.n_out):
            p, q = a[t][i] != 0, b[t][i] != 0
            m["both"].append(float(p and q))
            m["one"].append(float(p or q))
            m["none"].append(float(not p))
            m["mixed"].append(float(p != q))
            m["compared"].append(float(a[t][i] != b[t][i]))
            learn(w, i, x[t], rate * (m["both"][i] + 2 * m["one"][i] + 4 * m["none"][i] + 8 * m["mixed"][i]))
        c.tick(t, z, w, memory=m)


@case("""
    e1 = exp(0.5*z)
    l1 = log(2 + z)
    s1 = sqrt(xx + z)
    th = tanh(z)
    sg = sigmoid(3*z)
    dw = rate*(1 + s1 - e1 - l1 - th - sg)*x
    """, parameters=RATE, **SMALL)
def number_functions(c):
    x, w, rate = c.inputs(0.5, 1.5), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        z, xx = drives(w, x[t]), dot(x[t], x[t])
        m = {"e1": [math.exp(0.5 * a) for a in z], "l1": [math.log(2 + a) for a in z],
             "s1": [math.sqrt(xx + a) for a in z], "th": [math.tanh(a) for a in z],
             "sg": [1 / (1 + math.exp(-3 * a)) for a in z]}
        for i in range(c.n_out):
            learn(w, i, x[t], rate * (1 + m["s1"][i] - m["e1"][i] - m["l1"][i] - m["th"][i] - m["sg"][i]))
        c.tick(t, z, w, memory=m)


@case("""
    si = sin(3*z)
    co = cos(z - 2)
    far = sin(40 + z)
    ring = sin(z)^2 + cos(z)^2
    dw = rate*(si - co + 0.5*far + ring)*x
    """, parameters=RATE, **SMALL)
def number_sin_cos(c):
    """In radians, of negative numbers and of several turns too."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        z = drives(w, x[t])
        m = {"si": [math.sin(3 * a) for a in z], "co": [math.cos(a - 2) for a in z],
             "far": [math.sin(40 + a) for a in z], "ring": [1.0 for _ in z]}
        for i in range(c.n_out):
            learn(w, i, x[t], rate * (m["si"][i] - m["co"][i] + 0.5 * m["far"][i] + m["ring"][i]))
        c.tick(t, z, w, memory=m)


@case("""
    ab = abs(z)
    si = sign(z)
    re = relu(z)
    fl = floor(3*z)
    mi = min(z, 0.25)
    ma = max(z, -n)
    si0 = sign(n)
    re0 = relu(n)
    fl0 = floor(n)
    dw = rate*(ab + si + re + 0.1*fl + mi + ma)*x
    """, parameters=RATE, **SMALL)
def number_choices(c):
    """sign(0) is 0, and floor goes down, of negative numbers too."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    n = c.given_neuron_signal("n", [[int(c.random.random() * 9) / 4 - 1.0 for _ in range(4)] for _ in range(12)])
    for t in range(c.ticks):
        z = drives(w, x[t])
        m = {name: [] for name in ("ab", "si", "re", "fl", "mi", "ma", "si0", "re0", "fl0")}
        for i in range(c.n_out):
            positive = c.above(z[i], 0.0, size(w[i], x[t]))
            down = int(3 * z[i] + 1000) - 1000
            c.above(3 * z[i], down, 1.0), c.above(down + 1.0, 3 * z[i], 1.0)
            m["ab"].append(z[i] if positive else -z[i])
            m["si"].append(1.0 if positive else -1.0)
            m["re"].append(z[i] if positive else 0.0)
            m["fl"].append(float(down))
            m["mi"].append(0.25 if z[i] > 0.25 else z[i])
            m["ma"].append(z[i] if z[i] > -n[t][i] else -n[t][i])
            m["si0"].append(sign(n[t][i]))
            m["re0"].append(n[t][i] if n[t][i] > 0 else 0.0)
            m["fl0"].append(-1.0 if n[t][i] < 0 else 1.0 if n[t][i] >= 1 else 0.0)
            learn(w, i, x[t], rate * (m["ab"][i] + m["si"][i] + m["re"][i] + 0.1 * m["fl"][i] + m["mi"][i]
                                      + m["ma"][i]))
        c.tick(t, z, w, memory=m)


@case("""
    chosen = where(s > 0, z, -2*z)
    of_layer = where(r > 0, z, 1)
    any_number = where(-r, 1, 2)
    safe = where(z > 0, log(0.1 + z), 0)
    kept = where(z > 0, where(z > 0, sqrt(z), 1/(z - z)), 0)
    dw = rate*(chosen + of_layer + safe + kept)*x
    """, parameters=RATE, **SMALL)
def number_where(c):
    """It selects: NaN or infinity in the branch that is not taken does no harm."""
    x, w, s, rate = c.inputs(), c.weights(), c.neuron_signal("s"), c.parameters["rate"]
    r = c.given_signal("r", [float(t % 3 == 1) for t in range(c.ticks)])
    for t in range(c.ticks):
        z = drives(w, x[t])
        m = {name: [] for name in ("chosen", "of_layer", "any_number", "safe", "kept")}
        for i in range(c.n_out):
            positive = c.above(z[i], 0.0, size(w[i], x[t]))
            m["chosen"].append(z[i] if s[t][i] > 0 else -2 * z[i])
            m["of_layer"].append(z[i] if r[t] > 0 else 1.0)
            m["any_number"].append(1.0 if r[t] != 0 else 2.0)
            m["safe"].append(math.log(0.1 + z[i]) if positive else 0.0)
            m["kept"].append(math.sqrt(z[i]) if positive else 0.0)
            learn(w, i, x[t], rate * (m["chosen"][i] + m["of_layer"][i] + m["safe"][i] + m["kept"][i]))
        c.tick(t, z, w, memory=m)


@case("""
    far = sigmoid(-800 + 100*z)
    near = sigmoid(800 + 100*z)
    flat_ = tanh(1000 + z)
    nothing = exp(-2000 + z)
    dw = rate*(near - far + flat_ + nothing)*x
    """, parameters=RATE, **SMALL)
def number_saturated(c):
    """Far from 0 nothing overflows on the way: 0, 1, 1 and 0 (10^-300 and less count as 0)."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        z = drives(w, x[t])
        for i in range(c.n_out):
            learn(w, i, x[t], 2 * rate)
        c.tick(t, z, w, memory={"far": [0.0] * 4, "near": [1.0] * 4, "flat_": [1.0] * 4, "nothing": [0.0] * 4})


@case("""
    a = -2^2 + 0*z          # -4
    b = 2^3^2               # 512
    c = 2^-1                # 0.5
    d = 7 - 3 - 2           # 2
    f = 24/4/3              # 2
    g = 1 + 2*3^2           # 19
    h = -2*-3               # 6
    i = 1 + 1 < 3           # 1
    j = 1 < 2 and 2 < 1 or 1  # 1
    k = not 1 == 2          # 1
    l = .5 + 5. + 1e-3 + 2.5E+2 + (1
      + 2) * 3              # 264.501
    Y_1 = 1 - (not 0)       # 0
    dw = rate*(a + b)*x/512
    """, parameters=RATE, **SMALL)
def text_precedence(c):
    """Precedence and the ways of writing numbers are those of Python.  A line goes on while a parenthesis is
    open; a comment ends nothing but its line."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    values = {"a": -4.0, "b": 512.0, "c": 0.5, "d": 2.0, "f": 2.0, "g": 19.0, "h": 6.0, "i": 1.0, "j": 1.0,
              "k": 1.0, "l": 264.501, "Y_1": 0.0}
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            learn(w, i, x[t], rate * 508 / 512)
        c.tick(t, y, w, memory={name: [value] * c.n_out for name, value in values.items()})


# ---------------------------------------------------------------------- vectors

@case("dw = rate*(x + w)*(x - 2*w) - rate*x*w*0.5", parameters=RATE, **SMALL)
def vector_products(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                a, b = x[t][j], w[i][j]
                w[i][j] += rate * (a + b) * (a - 2 * b) - rate * a * b * 0.5
        c.tick(t, y, w)


@case("dw = rate*(y/(2 + x) - x/(3 + w))", parameters=RATE, **SMALL)
def vector_quotients(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * (y[i] / (2 + x[t][j]) - x[t][j] / (3 + w[i][j]))
        c.tick(t, y, w)


@case("dw = rate*(x^2 - w^3 + 2^w - abs(x)^0.5 + (2 + w)^y)", parameters=RATE, **SMALL)
def vector_powers(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                a, b = x[t][j], w[i][j]
                w[i][j] += rate * (a * a - b * b * b + math.exp(b * math.log(2)) - math.sqrt(abs(a))
                                   + math.exp(y[i] * math.log(2 + b)))
        c.tick(t, y, w)


@case("dw = rate*((x < w) + 2*(x <= 0) + 4*(x > y) + 8*(x >= 0) + 16*(x == 0) + 32*(x != 0))",
      parameters={"rate": 0.001}, **SMALL)
def vector_comparisons(c):
    """Inputs are -1, 0 or 1, so that equal ones come up."""
    x = c.given_inputs([[float(int(c.random.random() * 3) - 1) for _ in range(3)] for _ in range(12)])
    w, rate = c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                a = x[t][j]
                total = 1 if c.above(w[i][j], a, 0.5) else 0
                total += 2 if a < 0.5 else 0
                total += 4 if c.above(a, y[i], size(w[i], x[t])) else 0
                total += 8 if a > -0.5 else 0
                total += 16 if a == 0 else 32
                w[i][j] += rate * total
        c.tick(t, y, w)


@case("dw = rate*((x > 0 and w > 0) + 2*(x > 0 or w > 0) + 4*(not x))", parameters={"rate": 0.003}, **SMALL)
def vector_logic(c):
    x = c.given_inputs([[float(int(c.random.random() * 3) - 1) for _ in range(3)] for _ in range(12)])
    w, rate = c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                p, q = x[t][j] > 0, c.above(w[i][j], 0.0, 0.5)
                w[i][j] += rate * ((1 if p and q else 0) + (2 if p or q else 0) + (4 if x[t][j] == 0 else 0))
        c.tick(t, y, w)


@case("dw = rate*y*exp(x - w)", parameters=RATE, **SMALL)
def vector_exp(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * y[i] * math.exp(x[t][j] - w[i][j])
        c.tick(t, y, w)


@case("dw = rate*(log(2 + w + x) - sqrt(3 - x))", parameters=RATE, **SMALL)
def vector_log_sqrt(c):
    x, w, rate = c.inputs(-0.5, 1.5), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * (math.log(2 + w[i][j] + x[t][j]) - math.sqrt(3 - x[t][j]))
        c.tick(t, y, w)


@case("dw = rate*(tanh(x - w) - sigmoid(w*y))", parameters=RATE, **SMALL)
def vector_tanh_sigmoid(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * (math.tanh(x[t][j] - w[i][j]) - 1 / (1 + math.exp(-w[i][j] * y[i])))
        c.tick(t, y, w)


@case("dw = rate*(sin(2*x - w) - w*cos(x) + cos(3*y)*sin(w))", parameters=RATE, **SMALL)
def vector_sin_cos(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                a, b = x[t][j], w[i][j]
                w[i][j] += rate * (math.sin(2 * a - b) - b * math.cos(a) + math.cos(3 * y[i]) * math.sin(b))
        c.tick(t, y, w)


@case("dw = rate*(abs(x - w) - 0.5*sign(x) + relu(-x) - relu(w) + 0.25*sign(w - x))", parameters=RATE, **SMALL)
def vector_abs_sign_relu(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    x = c.given_inputs([[0.0 if c.random.random() < 0.2 else a for a in row] for row in x])
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                a, b = x[t][j], w[i][j]
                larger = c.above(b, a, 0.5)
                w[i][j] += rate * ((b - a if larger else a - b) - 0.5 * sign(a) + (-a if a < 0 else 0)
                                   - (b if b > 0 else 0) + 0.25 * (1 if larger else 0 if a == b else -1))
        c.tick(t, y, w)


@case("dw = rate*(floor(2*x) + min(x, w) - max(w, y) + min(2*x, 1) - w*max(x, 0))", parameters=RATE, **SMALL)
def vector_floor_min_max(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                a, b = x[t][j], w[i][j]
                w[i][j] += rate * ((int(2 * a + 100) - 100) + (a if a < b else b) - (b if b > y[i] else y[i])
                                   + (2 * a if 2 * a < 1 else 1) - b * (a if a > 0 else 0))
        c.tick(t, y, w)


@case("dw = rate*(where(x > 0, log(x), w) + where(y > 0, x*w, 0.5) + where(w - x, 1, 2))", parameters=RATE, **SMALL)
def vector_where(c):
    """The condition may be a vector or a number; log of what is not above 0 is not selected."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            positive = c.above(y[i], 0.0, size(w[i], x[t]))
            for j in range(c.n_in):
                a, b = x[t][j], w[i][j]
                w[i][j] += rate * ((math.log(a) if a > 0 else b) + (a * b if positive else 0.5) + (2 if a == b else 1))
        c.tick(t, y, w)


@case("dw = rate*y*(where(y > 0, x - w, 0.5*w) + 0.1)", parameters=RATE, **SMALL)
def where_with_a_number(c):
    """A number as condition chooses between vectors, and the rule stays a sum of vectors times numbers."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            positive = c.above(y[i], 0.0, size(w[i], x[t]))
            for j in range(c.n_in):
                w[i][j] += rate * y[i] * ((x[t][j] - w[i][j] if positive else 0.5 * w[i][j]) + 0.1)
        c.tick(t, y, w)


@case("dw = rate*(y - 0.25)", parameters=RATE, **SMALL)
def number_for_a_vector(c):
    """A number where a vector is expected stands for itself at every input."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * (y[i] - 0.25)
        c.tick(t, y, w)


@case("dw = rate*(y*(x - w)*2 - (x + y*(w - x))/(1 + xx) - -w*0.1)", parameters=RATE, **SMALL)
def vector_sums(c):
    """These sums have to be multiplied out: what x, w and 1 are multiplied by are numbers."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y, xx = drives(w, x[t]), dot(x[t], x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                a, b = x[t][j], w[i][j]
                w[i][j] += rate * (y[i] * (a - b) * 2 - (a + y[i] * (b - a)) / (1 + xx) + b * 0.1)
        c.tick(t, y, w)


# ---------------------------------------------------------------------- what the layer's own numbers are

@case("""
    seen = xx + 10*n_in + 100*n_out
    dw = rate*x*seen/(n_in*n_out*100)
    """, parameters=RATE, ticks=12)
def layer_numbers(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        seen = dot(x[t], x[t]) + 50 + 400
        for i in range(c.n_out):
            learn(w, i, x[t], rate * seen / 2000)
        c.tick(t, y, w, memory={"seen": [seen] * c.n_out})


# ---------------------------------------------------------------------- answers by the activation

def oja(c, answers, scale=1.0):
    """Ticks of dw = rate y (scale x - y w) with the answers that a function gives of the drives."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = answers(drives(w, x[t]))
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * y[i] * (scale * x[t][j] - y[i] * w[i][j])
        c.tick(t, y, w)


@case("dw = rate*y*(x - y*w)", parameters={"rate": 0.1}, activation="relu", **SMALL)
def activation_relu(c):
    oja(c, lambda drive: [z if z > 0 else 0.0 for z in drive])


@case("dw = rate*y*(x - y*w)", parameters={"rate": 0.1}, activation="leaky_relu", **SMALL)
def activation_leaky_relu(c):
    """Slope 0.01 below 0."""
    oja(c, lambda drive: [z if z > 0 else 0.01 * z for z in drive])


@case("dw = rate*y*(x - y*w)", parameters={"rate": 0.1}, activation="tanh", **SMALL)
def activation_tanh(c):
    oja(c, lambda drive: [math.tanh(z) for z in drive])


@case("dw = rate*y*(x - y*w)", parameters={"rate": 0.1}, activation="sigmoid", **SMALL)
def activation_sigmoid(c):
    oja(c, lambda drive: [sigmoid(z) for z in drive])


@case("dw = rate*y*(x - y*w)", parameters={"rate": 0.1}, activation="gelu", **SMALL)
def activation_gelu(c):
    """The form with tanh."""
    oja(c, lambda drive: [0.5 * z * (1 + math.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z * z * z)))
                          for z in drive])


@case("dw = rate*y*(x - y*w)", parameters={"rate": 0.1}, activation="mish", **SMALL)
def activation_mish(c):
    """z tanh(log(1 + exp(z)))."""
    oja(c, lambda drive: [z * math.tanh(math.log1p(math.exp(z))) for z in drive])


@case("dw = rate*y*(4*x - y*w)", parameters={"rate": 0.1}, activation="hardswish", **SMALL)
def activation_hardswish(c):
    """0 up to -3, z from 3 on, between them z (z + 3) / 6."""
    oja(c, lambda drive: [z * min(max(z + 3.0, 0.0), 6.0) / 6.0 for z in drive], scale=4.0)


@case("dw = rate*y*(x - y*w)", parameters={"rate": 0.1}, activation="softmax", **SMALL)
def activation_softmax(c):
    """Over the layer."""
    def softmax(drive):
        power = [math.exp(z) for z in drive]
        total = 0.0
        for each in power:
            total += each
        return [each / total for each in power]
    oja(c, softmax)
