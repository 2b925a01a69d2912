# SPDX-License-Identifier: MIT
"""Rules in which the neurons of a layer compete."""
import math

from .case import case, drives


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


def distances(w, x):
    """|x - w|^2"""
    found = []
    for row in w:
        far = 0.0
        for j in range(len(x)):
            far += (x[j] - row[j]) * (x[j] - row[j])
        found.append(far)
    return found


def nearest(c, w, x, bias):
    """The neuron with the least |x - w|^2 - bias."""
    far = distances(w, x)
    return c.winner([bias[i] - far[i] for i in range(len(w))])


def move(row, x, rate):
    for j in range(len(x)):
        row[j] += rate * (x[j] - row[j])


@case("""
    y = winner(2*z - ww)
    p = p + b*(y - p)
    won = winner(2*z - ww + c*(1/n_out - p))
    dw = rate*won*(x - w)
    """, "DeSieno 1988, IEEE ICNN, 117", "competitive_conscience", {"rate": 0.1, "b": 0.1, "c": 6},
      memory_across_trials=True)
def competitive_conscience(c):
    """y_i = 1 for the nearest neuron; p_i <- p_i + B (y_i - p_i); bias b_i = C (1/N - p_i); z_i = 1 for the least
    |x - w|^2 - b_i, and that one moves.  So p counts who is nearest, not who learns: Haykin's book and Dekker's
    NeuQuant (1994) have it so, other programs let the winner with its bias count.  DeSieno's own numbers are
    B = 0.0001 and C = 10."""
    x, w = c.inputs(0, 1.5), c.weights(0, 0.5)
    rate, b_, c_ = (c.parameters[name] for name in ("rate", "b", "c"))
    p, none = [0.0] * c.n_out, [0.0] * c.n_out
    for t in range(c.ticks):
        near = nearest(c, w, x[t], none)
        y = [float(i == near) for i in range(c.n_out)]
        for i in range(c.n_out):
            p[i] += b_ * (y[i] - p[i])
        won = nearest(c, w, x[t], [c_ * (1 / c.n_out - p[i]) for i in range(c.n_out)])
        move(w[won], x[t], rate)
        c.tick(t, y, w, memory={"p": p, "won": [float(i == won) for i in range(c.n_out)]})


@case("""
    y = winner(2*z - ww)
    won = winner(2*z - ww - tired)
    tired = tired + fatigue*(won - 1/n_out)
    dw = rate*won*(x - w)
    """, "after DeSieno 1988, IEEE ICNN, 117", "nearest_with_fatigue", {"rate": 0.1, "fatigue": 0.3},
      memory_across_trials=True)
def nearest_with_fatigue(c):
    """Who wins often tires, from the next tick on; the sum of what tires has no bound, DeSieno's bias has one.
    The answer is the nearest neuron, tired or not."""
    x, w = c.inputs(0, 1.5), c.weights(0, 0.5)
    rate, fatigue = c.parameters["rate"], c.parameters["fatigue"]
    tired, none = [0.0] * c.n_out, [0.0] * c.n_out
    for t in range(c.ticks):
        near = nearest(c, w, x[t], none)
        won = nearest(c, w, x[t], [-a for a in tired])
        for i in range(c.n_out):
            tired[i] += fatigue * (float(i == won) - 1 / c.n_out)
        move(w[won], x[t], rate)
        c.tick(t, [float(i == near) for i in range(c.n_out)], w,
               memory={"won": [float(i == won) for i in range(c.n_out)], "tired": tired})


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
    y = winner(2*z - ww)
    dw = rate*y*(x - w)
    """, "MacQueen 1967, Berkeley Symp. 1, 281, with a rate that does not fall", "online_k_means", {"rate": 0.1})
def online_k_means(c):
    """The neuron nearest to the sample moves towards it, whatever the lengths of weights and samples:
    |x - w|^2 = |x|^2 - 2 w . x + |w|^2, and |x|^2 is the same for all."""
    x, w = c.inputs(), c.weights(-1, 1)
    for t in range(c.ticks):
        near = nearest(c, w, x[t], [0.0] * c.n_out)
        move(w[near], x[t], c.parameters["rate"])
        c.tick(t, [float(i == near) for i in range(c.n_out)], w)


def macqueen_loop(c, wins):
    x, w = c.inputs(), c.weights(-1, 1)
    for t in range(c.ticks):
        near = nearest(c, w, x[t], [0.0] * c.n_out)
        for j in range(c.n_in):        # (w_i x_i + z) / (w_i + 1) in MacQueen's letters
            w[near][j] = (wins[near] * w[near][j] + x[t][j]) / (wins[near] + 1)
        wins[near] += 1
        c.tick(t, [float(i == near) for i in range(c.n_out)], w, memory={"wins": wins})


MACQUEEN = """
    y = winner(2*z - ww)
    wins = wins + y
    dw = rate*y*(x - w)/max(wins, 1)
    """


@case(MACQUEEN, "MacQueen 1967, Berkeley Symp. 1, 281", "macqueen", {"rate": 1}, memory={"wins": 1},
      memory_across_trials=True)
def macqueen(c):
    """Each neuron is the mean of the samples that it has won; the weights that it begins with count as one."""
    macqueen_loop(c, [1.0] * c.n_out)


@case(MACQUEEN, "MacQueen 1967, Berkeley Symp. 1, 281", parameters={"rate": 1}, memory_across_trials=True)
def macqueen_forgets_its_start(c):
    """The first win replaces the weights."""
    macqueen_loop(c, [0.0] * c.n_out)


@case("""
    born = wins > 0
    near = 2*z - ww - xx
    near = where(born, near, 2*smallest(near) - 1)
    far = learning and smallest(born) == 0 and largest(near) < -radius^2
    y = where(far, winner(not born), winner(near))
    wins = wins + learning*y
    dw = rate*y*(x - w)/max(wins, 1)
    """, "Hartigan 1975, Clustering Algorithms; MacQueen 1967, Berkeley Symp. 1, 281; compare Carpenter & Grossberg"
         " 1987, Comput. Vis. Graph. Image Process. 37, 54", "nearest_with_birth", {"rate": 1, "radius": 1.25},
      memory_across_trials=True, n_out=6, ticks=60, kept_ticks=[1, 2, 10, 40, 41, 60])
def nearest_with_birth(c):
    """A sample that is farther than the radius from all neurons that ever won becomes the weights of the next one
    that never did, as in leader clustering, while there is one; else the nearest becomes the mean of what it has
    won.  From tick 40 on nothing learns, and nothing is born."""
    x, w, until = c.inputs(-1, 1), c.weights(), c.learns_until(40)
    wins = [0.0] * c.n_out
    for t in range(c.ticks):
        born = [float(n > 0) for n in wins]
        far = distances(w, x[t])
        near = [-far[i] if born[i] else -2 * max(far) - 1 for i in range(c.n_out)]
        old = [i for i in range(c.n_out) if born[i]]
        best = old[c.winner([near[i] for i in old])] if old else 0
        new = t < until and len(old) < c.n_out and (not old or c.above(far[best], 1.25 ** 2))
        if new:
            best = len(old)
        if t < until:
            wins[best] += 1
            move(w[best], x[t], 1 / wins[best])
        c.tick(t, [float(i == best) for i in range(c.n_out)], w,
               memory={"born": born, "near": near, "far": [float(new)] * c.n_out, "wins": wins})
