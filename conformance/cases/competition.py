# SPDX-License-Identifier: MIT
"""Rules in which the neurons of a layer compete."""
import math

from .case import case, dot, drives


@case("""
    y = winner(z)
    dw = rate*y*(x - w)
    """, "Grossberg 1976, Biol. Cybern. 23, 121; Rumelhart & Zipser 1985, Cogn. Sci. 9, 75", "competitive",
      {"rate": 0.1})
def competitive(c):
    """The neuron with the largest drive moves towards the sample (Grossberg's instar), all others stay.
    Rumelhart & Zipser move it towards c_j / n, the sample whose active lines sum to 1: their inputs are
    0 or 1 and are scaled before.  For samples of one length and weights of one length it is online
    k-means; else the nearest neuron is the one with the largest w . x - |w|^2 / 2."""
    x, w, g = c.inputs(0, 1.5), c.weights(0, 0.5), c.parameters["rate"]
    for t in range(c.ticks):
        best = c.winner(drives(w, x[t]))
        for j in range(c.n_in):
            w[best][j] += g * (x[t][j] - w[best][j])
        c.tick(t, [float(i == best) for i in range(c.n_out)], w)


@case("dw = rate*y*(x - w)", "Grossberg 1976, Biol. Cybern. 23, 121", "instar", {"rate": 0.1}, activation="relu")
def instar(c):
    """A neuron moves towards the sample as far as it is active."""
    x, w, g = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = [z if c.above(z, 0.0, 0.1) else 0.0 for z in drives(w, x[t])]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += g * y[i] * (x[t][j] - w[i][j])
        c.tick(t, y, w)


@case("""
    tired = tired + (won - 1/n_out)*fatigue
    won = winner(z - tired)
    y = won
    dw = rate*y*(x - w)
    """, "DeSieno 1988, IEEE ICNN, 117", "competitive_conscience", {"rate": 0.1, "fatigue": 0.3})
def competitive_conscience(c):
    """Who wins often tires.  DeSieno compares distances and takes the bias off them; here drives are
    compared.  `won` is read above its line, so that a win tires from the next tick on."""
    x, w = c.inputs(0, 1.5), c.weights(0, 0.5)
    rate, fatigue = c.parameters["rate"], c.parameters["fatigue"]
    tired, won = [0.0] * c.n_out, [0.0] * c.n_out
    for t in range(c.ticks):
        z = drives(w, x[t])
        for i in range(c.n_out):
            tired[i] += (won[i] - 1 / c.n_out) * fatigue
        best = c.winner([z[i] - tired[i] for i in range(c.n_out)])
        won = [float(i == best) for i in range(c.n_out)]
        for j in range(c.n_in):
            w[best][j] += rate * (x[t][j] - w[best][j])
        c.tick(t, won, w, memory={"tired": tired, "won": won})


@case("""
    y = softmax(z/temperature)
    dw = rate*y*(x - z*w)
    """, "Moraitis, Toichkin, Journe, Chua & Guo 2022, Neuromorph. Comput. Eng. 2, 044017", "softhebb",
      {"rate": 0.1, "temperature": 0.5})
def softhebb(c):
    """Delta w_ik = eta y_k (x_i - u_k w_ik): u_k is the drive, y_k the softmax of the drives.  The decay
    has u, not y: it is u w that keeps the length of the weights at 1."""
    x, w = c.inputs(), c.weights()
    eta, temperature = c.parameters["rate"], c.parameters["temperature"]
    for t in range(c.ticks):
        u = drives(w, x[t])
        power = [math.exp(u[k] / temperature) for k in range(c.n_out)]
        total = 0.0
        for k in range(c.n_out):
            total += power[k]
        y = [power[k] / total for k in range(c.n_out)]
        for k in range(c.n_out):
            for i in range(c.n_in):
                w[k][i] += eta * y[k] * (x[t][i] - u[k] * w[k][i])
        c.tick(t, y, w)


@case("""
    y = softmax(z/temperature)
    g = where(winner(z), y, -y)
    dw = rate*g*(x - z*w)
    """, "Journe, Rodriguez, Guo & Moraitis 2023, ICLR", "softhebb_signed", {"rate": 0.1, "temperature": 0.5})
def softhebb_signed(c):
    """The convolutional SoftHebb: as their program has it, the neuron with the largest drive learns with
    +y and all others with -y, in both terms; the paper of 2022 has +y for all."""
    x, w = c.inputs(), c.weights()
    eta, temperature = c.parameters["rate"], c.parameters["temperature"]
    for t in range(c.ticks):
        u = drives(w, x[t])
        power = [math.exp(u[k] / temperature) for k in range(c.n_out)]
        total = 0.0
        for k in range(c.n_out):
            total += power[k]
        y = [power[k] / total for k in range(c.n_out)]
        best = c.winner(u)
        g = [y[k] if k == best else -y[k] for k in range(c.n_out)]
        for k in range(c.n_out):
            for i in range(c.n_in):
                w[k][i] += eta * g[k] * (x[t][i] - u[k] * w[k][i])
        c.tick(t, y, w, memory={"g": g})


def krotov_hopfield_loop(c, k):
    v, w = c.inputs(), c.weights()
    rate, delta = c.parameters["rate"], c.parameters["delta"]
    for t in range(c.ticks):
        current = drives(w, v[t])           # <W, v> with p = 2
        place = c.rank(current)
        g = []
        for mu in range(c.n_out):
            g.append(1.0 if place[mu] == 0 else -delta if place[mu] == k - 1 else 0.0)
            for i in range(c.n_in):
                w[mu][i] += rate * g[mu] * (v[t][i] - current[mu] * w[mu][i])
        c.tick(t, current, w, memory={"g": g})


@case("""
    g = (rank(z) == 0) - delta*(rank(z) == k - 1)
    dw = rate*g*(x - z*w)
    """, "Krotov & Hopfield 2019, PNAS 116, 7723", "krotov_hopfield", {"rate": 0.1, "delta": 0.4, "k": 2})
def krotov_hopfield(c):
    """tau dW_mu,i/dt = g(Q_mu) (R^p v_i - <W_mu, v> W_mu,i) with p = 2 and R = 1: g is 1 for the largest
    current, -delta for the k-th, else 0, and both have the same decay.  Their program sums over a
    batch, divides the sum by its largest absolute entry and then takes a step of the rate: no equation
    of the paper says so, and the vectors here do not."""
    krotov_hopfield_loop(c, 2)


@case("""
    g = (rank(z) == 0) - delta*(rank(z) == k - 1)
    dw = rate*g*(x - z*w)
    """, "Krotov & Hopfield 2019, PNAS 116, 7723", parameters={"rate": 0.1, "delta": 0.4, "k": 4}, n_out=6)
def krotov_hopfield_fourth(c):
    """The same with the fourth of six."""
    krotov_hopfield_loop(c, 4)


@case("""
    y = kwta(relu(z), winners)
    dw = rate*y*(x - y*w)
    """, "Oja 1982, J. Math. Biol. 15, 267, for the k most active neurons", "oja", {"rate": 0.1, "winners": 3},
      neuron="kwta", n_out=6)
def kwta_oja(c):
    """The k neurons with the largest drives answer and learn.  Rectified drives may tie at 0; then the
    lower index is ahead, and nothing follows from it, since 0 is what either answers."""
    x, w = c.inputs(), c.weights()
    rate, k = c.parameters["rate"], c.parameters["winners"]
    for t in range(c.ticks):
        z = drives(w, x[t])
        rectified = [z[i] if c.above(z[i], 0.0, 0.1) else 0.0 for i in range(c.n_out)]
        place = c.rank(rectified)
        y = [rectified[i] if place[i] < k else 0.0 for i in range(c.n_out)]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * y[i] * (x[t][j] - y[i] * w[i][j])
        c.tick(t, y, w)


@case("""
    near = z - 0.5*length
    y = winner(near)
    length = length + y*(rate^2*xx + 2*rate*(1 - rate)*z + ((1 - rate)^2 - 1)*length)
    dw = rate*y*(x - w)
    """, "MacQueen 1967, Berkeley Symp. 1, 281", "online_k_means", {"rate": 0.1}, memory={"length": 1.25},
      memory_across_trials=True)
def online_k_means(c):
    """The neuron nearest to the sample moves towards it: that with the largest w . x - |w|^2 / 2.  The
    square of its length is a memory, |(1 - r) w + r x|^2 = (1 - r)^2 |w|^2 + 2 r (1 - r) w . x + r^2 |x|^2.
    All weights begin at one length."""
    x = c.inputs()
    rate = c.parameters["rate"]
    w = c.given_weights([[1.0, 0.5, 0.0, 0.0, 0.0], [0.0, -1.0, 0.5, 0.0, 0.0],
                         [0.0, 0.0, -0.5, 1.0, 0.0], [0.5, 0.0, 0.0, 0.0, -1.0]])
    for t in range(c.ticks):
        z = drives(w, x[t])
        near = [z[i] - 0.5 * dot(w[i], w[i]) for i in range(c.n_out)]
        best = c.winner(near)
        for j in range(c.n_in):
            w[best][j] += rate * (x[t][j] - w[best][j])
        c.tick(t, [float(i == best) for i in range(c.n_out)], w,
               memory={"near": near, "length": [dot(w[i], w[i]) for i in range(c.n_out)]})
