# SPDX-License-Identifier: MIT
"""Rules of correlation: every neuron by itself, from its answer and its input."""
import math

from .case import case, decayed, dot, drives


@case("dw = rate*y*x", "Hebb 1949, The Organization of Behavior", "hebbian", {"rate": 0.02})
def hebbian(c):
    """The product of what comes in and what goes out.  Hebb has no equation; this is the form that bears
    his name."""
    x, w, eta = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += eta * y[i] * x[t][j]
        c.tick(t, y, w)


@case("dw = rate*y*x - decay*w", "Hebb 1949, with weights that fade", parameters={"rate": 0.02, "decay": 0.03})
def hebbian_decay(c):
    x, w = c.inputs(), c.weights()
    eta, decay = c.parameters["rate"], c.parameters["decay"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += eta * y[i] * x[t][j] - decay * w[i][j]
        c.tick(t, y, w)


@case("dw = -rate*y*x", "Foldiak 1990, Biol. Cybern. 64, 165", "anti_hebbian", {"rate": 0.02})
def anti_hebbian(c):
    """Hebb's rule with the other sign.  Foldiak's rule is of connections between outputs, -alpha (y_i y_j
    - p^2), zero on the diagonal and cut at 0 from above; this is its product alone, on any input."""
    x, w, alpha = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] -= alpha * y[i] * x[t][j]
        c.tick(t, y, w)


@case("dw = rate*y*(x - y*w)", "Oja 1982, J. Math. Biol. 15, 267", "oja", {"rate": 0.05})
def oja(c):
    """With Oja's letters: inputs xi, output eta, weights mu, rate gamma: mu_j <- mu_j + gamma eta (xi_j -
    eta mu_j), the first order in gamma of Hebb's rule whose weights are kept at length 1."""
    xi, mu, gamma = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        eta = drives(mu, xi[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                mu[i][j] += gamma * eta[i] * (xi[t][j] - eta[i] * mu[i][j])
        c.tick(t, eta, mu)


@case("dw = -rate*y*(x - y*w)", "Babinec & Pospichal 2007, ICANN, LNCS 4668, 19", "anti_oja", {"rate": 0.01})
def anti_oja(c):
    """Oja's rule with the other sign, as for the weights of a reservoir.  Nothing holds the weights: it is
    for a few passes at a small rate."""
    x, w, eta = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] -= eta * y[i] * (x[t][j] - y[i] * w[i][j])
        c.tick(t, y, w)


@case("""
    dw = rate*y*(y - theta)*x
    theta = theta + (y^2 - theta)/tau
    """, "Intrator & Cooper 1992, Neural Networks 5, 3; after Bienenstock, Cooper & Munro 1982, J. Neurosci. 2, 32",
      "bcm", {"rate": 0.02, "tau": 8}, {"theta": 1}, memory_across_trials=True)
def bcm(c):
    """dm = eta phi(c, theta) d with phi = c (c - theta); theta is the mean of c^2, here a sliding one.
    Bienenstock, Cooper & Munro have (mean of c / c_0)^p in place of it; a threshold that follows c and not
    c^2, as some programs have it, is not stable.  The threshold is that of before this tick."""
    d, m = c.inputs(), c.weights()
    eta, tau = c.parameters["rate"], c.parameters["tau"]
    theta = [1.0] * c.n_out
    for t in range(c.ticks):
        answer = drives(m, d[t])
        for i in range(c.n_out):
            phi = answer[i] * (answer[i] - theta[i])
            for j in range(c.n_in):
                m[i][j] += eta * phi * d[t][j]
            theta[i] += (answer[i] * answer[i] - theta[i]) / tau
        c.tick(t, answer, m, memory={"theta": theta})


@case("""
    dw = rate*y*(y - theta)*x/theta
    theta = theta + (y^2 - theta)/tau
    """, "Law & Cooper 1994, PNAS 91, 7797", "law_cooper", {"rate": 0.02, "tau": 8}, {"theta": 1},
      memory_across_trials=True)
def law_cooper(c):
    """BCM whose rate falls where the threshold is high: dm = eta phi(c, theta) d / theta."""
    d, m = c.inputs(), c.weights()
    eta, tau = c.parameters["rate"], c.parameters["tau"]
    theta = [1.0] * c.n_out
    for t in range(c.ticks):
        answer = drives(m, d[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                m[i][j] += eta * answer[i] * (answer[i] - theta[i]) * d[t][j] / theta[i]
            theta[i] += (answer[i] * answer[i] - theta[i]) / tau
        c.tick(t, answer, m, memory={"theta": theta})


@case("""
    y_mean = y_mean + (y - y_mean)/tau
    dw = rate*(y - y_mean)*(x - (1 - exp(-1/tau_x))*x_sum)
    """, "Sejnowski 1977, J. Math. Biol. 4, 303", "covariance", {"rate": 0.02, "tau": 6, "tau_x": 9},
      traces={"x_sum": "tau_x"})
def covariance(c):
    """It learns where answer and input are away from their means to the same side.  The means are sliding
    ones that count this tick: of x a trace times 1 - exp(-1/tau), which makes its weights sum to 1."""
    x, w = c.inputs(-0.5, 1.5), c.weights()
    eta, tau, tau_x = c.parameters["rate"], c.parameters["tau"], c.parameters["tau_x"]
    y_mean, x_sum = [0.0] * c.n_out, [0.0] * c.n_in
    for t in range(c.ticks):
        x_sum = decayed(x_sum, tau_x, x[t])
        y = drives(w, x[t])
        for i in range(c.n_out):
            y_mean[i] += (y[i] - y_mean[i]) / tau
            for j in range(c.n_in):
                x_mean = (1 - math.exp(-1 / tau_x)) * x_sum[j]
                w[i][j] += eta * (y[i] - y_mean[i]) * (x[t][j] - x_mean)
        c.tick(t, y, w, memory={"y_mean": y_mean}, traces={"x_sum": x_sum})


@case("dw = rate*(ltp*max(y*x, 0) + ltd*min(y*x, 0))", "Hebb 1949, with factors of GAIA 4's HebbianCore",
      "hebbian_ltp_ltd", {"rate": 0.02, "ltp": 1.25, "ltd": 0.75})
def hebbian_ltp_ltd(c):
    """Potentiation where the signs of answer and input agree, depression where they do not, each by a factor of
    its own."""
    x, w, eta = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                if (y[i] < 0) == (x[t][j] < 0):
                    w[i][j] += eta * c.parameters["ltp"] * y[i] * x[t][j]
                else:
                    w[i][j] += eta * c.parameters["ltd"] * y[i] * x[t][j]
        c.tick(t, y, w)


@case("dw = rate*(a*x*y + b*x + c*y + d)", "Najarro & Risi 2020, NeurIPS", "abcd",
      {"rate": 0.02, "a": 0.8, "b": -0.3, "c": 0.2, "d": 0.05}, activation="tanh")
def abcd(c):
    """Delta w = eta (A o_i o_j + B o_i + C o_j + D), o_i what comes in, o_j what goes out.  The paper has
    five numbers of its own for every connection; here they are numbers of the layer.  Programs that
    divide the weights by the largest one after each update do more than the equation says."""
    o_in, w = c.inputs(), c.weights()
    eta, big_a, big_b, big_c, big_d = (c.parameters[name] for name in ("rate", "a", "b", "c", "d"))
    for t in range(c.ticks):
        o_out = [math.tanh(z) for z in drives(w, o_in[t])]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += eta * (big_a * o_in[t][j] * o_out[i] + big_b * o_in[t][j] + big_c * o_out[i] + big_d)
        c.tick(t, o_out, w)


@case("""
    dw = rate*(k + k_y*y + (degree >= 2)*k_yy*y^2
      + x*(k_x + (degree >= 2)*k_xy*y + (degree >= 3)*k_xyy*y^2)
      + w*(k_w + (degree >= 2)*k_yw*y + (degree >= 3)*k_yyw*y^2)
      + x*w*((degree >= 2)*k_xw + (degree >= 3)*k_xyw*y + (degree >= 4)*k_xyyw*y^2))
    """, "in the manner of Confavreux et al. 2020, NeurIPS 33, 16398", "polynomial",
      {"rate": 0.01, "degree": 4.0, "k": 0.1, "k_x": -0.3, "k_y": 0.2, "k_w": -0.6, "k_xy": 1.1, "k_yy": -0.2,
       "k_xw": 0.5, "k_yw": 0.4, "k_xyy": 0.15, "k_yyw": -0.9, "k_xyw": -0.35, "k_xyyw": 0.25})
def polynomial(c):
    """Delta w = eta sum over a, b, c of theta_abc x^a y^b w^c, x what comes in, y what goes out: an expansion in
    what a synapse sees, as the paper searches rules.  Here x and w have the powers 0 and 1, y 0 to 2."""
    x, w, eta = c.inputs(), c.weights(), c.parameters["rate"]
    theta = {(0, 0, 0): "k", (1, 0, 0): "k_x", (0, 1, 0): "k_y", (0, 0, 1): "k_w", (1, 1, 0): "k_xy",
             (0, 2, 0): "k_yy", (1, 0, 1): "k_xw", (0, 1, 1): "k_yw", (1, 2, 0): "k_xyy", (0, 2, 1): "k_yyw",
             (1, 1, 1): "k_xyw", (1, 2, 1): "k_xyyw"}
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += eta * sum(c.parameters[name] * x[t][j] ** of_x * y[i] ** of_y * w[i][j] ** of_w
                                     for (of_x, of_y, of_w), name in theta.items())
        c.tick(t, y, w)


@case("""
    ybar = (1 - delta)*ybar + delta*y
    dw = rate*ybar*(x - w)
    """, "Foldiak 1991, Neural Computation 3, 194", "foldiak_trace", {"rate": 0.1, "delta": 0.2})
def foldiak_trace(c):
    """A neuron that was active of late learns what comes now: dw = alpha ybar (x - w), ybar a sliding mean
    of its answers that counts this one."""
    x, w = c.inputs(0, 1.5), c.weights(0, 0.5)
    alpha, delta = c.parameters["rate"], c.parameters["delta"]
    ybar = [0.0] * c.n_out
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            ybar[i] = (1 - delta) * ybar[i] + delta * y[i]
            for j in range(c.n_in):
                w[i][j] += alpha * ybar[i] * (x[t][j] - w[i][j])
        c.tick(t, y, w, memory={"ybar": ybar})


@case("""
    y = winner(z)
    ybar = (1 - delta)*ybar + delta*y
    dw = rate*ybar*(x - w)
    """, "Foldiak 1991, Neural Computation 3, 194", "foldiak_trace", {"rate": 0.1, "delta": 0.2}, neuron="winner")
def foldiak_trace_winner(c):
    """The same with the answers of the paper's network: 1 for the neuron with the largest drive, else 0."""
    x, w = c.inputs(0, 1.5), c.weights(0, 0.5)
    alpha, delta = c.parameters["rate"], c.parameters["delta"]
    ybar = [0.0] * c.n_out
    for t in range(c.ticks):
        best = c.winner(drives(w, x[t]))
        y = [float(i == best) for i in range(c.n_out)]
        for i in range(c.n_out):
            ybar[i] = (1 - delta) * ybar[i] + delta * y[i]
            for j in range(c.n_in):
                w[i][j] += alpha * ybar[i] * (x[t][j] - w[i][j])
        c.tick(t, y, w, memory={"ybar": ybar})


@case("dw = rate*y*(x - back(y))", "Oja 1989, Int. J. Neural Systems 1, 61", "oja_subspace", {"rate": 0.03})
def oja_subspace(c):
    """Every neuron learns what the whole layer leaves unexplained: W <- W + gamma (y x^T - y y^T W), the
    sum over all neurons, with the weights of before."""
    x, w, gamma = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        explained = [dot(y, [row[j] for row in w]) for j in range(c.n_in)]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += gamma * y[i] * (x[t][j] - explained[j])
        c.tick(t, y, w)


@case("dw = rate*y*(x - back_upto(y))", "Sanger 1989, Neural Networks 2, 459", "sanger", {"rate": 0.03})
def sanger(c):
    """Delta C = gamma (y x^T - LT[y y^T] C), LT the lower triangle with its diagonal: neuron i learns what
    the neurons up to itself leave unexplained, with the weights of before."""
    x, matrix_c, gamma = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(matrix_c, x[t])
        change = []
        for i in range(c.n_out):
            row = []
            for j in range(c.n_in):
                upto = 0.0
                for k in range(i + 1):
                    upto += y[k] * matrix_c[k][j]
                row.append(gamma * y[i] * (x[t][j] - upto))
            change.append(row)
        for i in range(c.n_out):
            for j in range(c.n_in):
                matrix_c[i][j] += change[i][j]
        c.tick(t, y, matrix_c)
