# SPDX-License-Identifier: MIT
"""Rules that are given what the answer should have been."""
import math

from .case import case, dot, drives, size


@case("dw = rate*(target - y)*x", "Widrow & Hoff 1960, IRE WESCON Conv. Rec. 4, 96", "delta", {"rate": 0.1})
def delta(c):
    """This is least mean squares, a step of size rate along the error times the input.  Programs that take the
    slope of the square itself, not of its half, have twice this step."""
    x, w, d = c.inputs(), c.weights(), c.neuron_signal("target")
    mu = c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            error = d[t][i] - y[i]
            for j in range(c.n_in):
                w[i][j] += mu * error * x[t][j]
        c.tick(t, y, w)


@case("dw = rate*(target - y)*x", "Widrow & Hoff 1960, IRE WESCON Conv. Rec. 4, 96", "delta", {"rate": 0.1},
      kept_ticks=[10, 40])
def delta_labels(c):
    """The same with classes: the target is 1 for the neuron of the class, 0 for the others, and 0 for all
    where the class is not known."""
    x, w, number = c.inputs(), c.weights(), c.labels("target", missing=0.2)
    mu = c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            error = (1.0 if number[t] == i else 0.0) - y[i]
            for j in range(c.n_in):
                w[i][j] += mu * error * x[t][j]
        c.tick(t, y, w)


@case("dw = rate*(target - y)*x", "Widrow & Hoff 1960, IRE WESCON Conv. Rec. 4, 96", parameters={"rate": 0.1})
def delta_one_target(c):
    """The whole layer has one target."""
    x, w, d = c.inputs(), c.weights(), c.signal("target")
    mu = c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += mu * (d[t] - y[i]) * x[t][j]
        c.tick(t, y, w)


@case("""
    y = z > 0
    dw = rate*(target - y)*x
    """, "Rosenblatt 1958, Psychol. Rev. 65, 386; Rosenblatt 1962, Principles of Neurodynamics", "perceptron",
      {"rate": 0.125})
def perceptron(c):
    """It learns where the answer, 0 or 1, is wrong, by the error times the input.  Answers and targets of -1
    and 1 in place of 0 and 1 make each step twice as large."""
    x, w = c.inputs(), c.weights()
    target = c.given_neuron_signal("target", [[float(c.random.random() < 0.5) for _ in range(c.n_out)]
                                              for _ in range(c.ticks)])
    rate = c.parameters["rate"]
    for t in range(c.ticks):
        y = [float(c.above(dot(w[i], x[t]), 0.0, size(w[i], x[t]))) for i in range(c.n_out)]
        for i in range(c.n_out):
            if y[i] != target[t][i]:
                for j in range(c.n_in):
                    w[i][j] += rate * (target[t][i] - y[i]) * x[t][j]
        c.tick(t, y, w)


@case("""
    y = sigmoid(z)
    dw = rate*(target - y)*x
    """, "Cox 1958, J. R. Stat. Soc. B 20, 215, one sample at a time", "logistic", {"rate": 0.2})
def logistic(c):
    """The slope of the log-likelihood: no f' stands beside the error.  With f' = y (1 - y) it is the delta
    rule of Rumelhart, Hinton & Williams 1986 for the square error."""
    x, w = c.inputs(), c.weights()
    target = c.given_neuron_signal("target", [[float(c.random.random() < 0.5) for _ in range(c.n_out)]
                                              for _ in range(c.ticks)])
    rate = c.parameters["rate"]
    for t in range(c.ticks):
        y = [1 / (1 + math.exp(-z)) for z in drives(w, x[t])]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * (target[t][i] - y[i]) * x[t][j]
        c.tick(t, y, w)


@case("""
    y = softmax(z)
    dw = rate*(target - y)*x
    """, "Bridle 1990, in Neurocomputing, NATO ASI 68, 227", "softmax_regression", {"rate": 0.2}, kept_ticks=[10, 40])
def softmax_regression(c):
    """This is logistic regression of several classes; a tick without a class still pushes all answers down."""
    x, w, number = c.inputs(), c.weights(), c.labels("target", missing=0.1)
    rate = c.parameters["rate"]
    for t in range(c.ticks):
        power = [math.exp(z) for z in drives(w, x[t])]
        total = 0.0
        for each in power:
            total += each
        y = [each / total for each in power]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * ((1.0 if number[t] == i else 0.0) - y[i]) * x[t][j]
        c.tick(t, y, w)


@case("""
    dw = rate*(target - y)*y*(1 - y)*x
    """, "Rumelhart, Hinton & Williams 1986, Nature 323, 533, one layer", parameters={"rate": 0.5}, activation="sigmoid")
def delta_sigmoid(c):
    """The delta rule of a neuron with a sigmoid: the slope of half the square error has y (1 - y)."""
    x, w, d = c.inputs(), c.weights(), c.neuron_signal("target", 0, 1)
    epsilon = c.parameters["rate"]
    for t in range(c.ticks):
        y = [1 / (1 + math.exp(-z)) for z in drives(w, x[t])]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += epsilon * (d[t][i] - y[i]) * y[i] * (1 - y[i]) * x[t][j]
        c.tick(t, y, w)


@case("dw = rate*(target - y)*x/(epsilon + xx)", "Nagumo & Noda 1967, IEEE Trans. Autom. Control 12, 282", "nlms",
      {"rate": 0.5, "epsilon": 0.01})
def nlms(c):
    """This is least mean squares whose step is divided by |x|^2: with a rate of 1 the error at this sample would
    be gone.  Nagumo & Noda have no epsilon; it keeps silence from dividing by 0."""
    x, w, d = c.inputs(), c.weights(), c.neuron_signal("target")
    alpha, epsilon = c.parameters["rate"], c.parameters["epsilon"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        power = 0.0
        for j in range(c.n_in):
            power += x[t][j] * x[t][j]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += alpha * (d[t][i] - y[i]) * x[t][j] / (epsilon + power)
        c.tick(t, y, w)
