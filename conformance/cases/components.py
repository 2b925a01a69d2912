# SPDX-License-Identifier: MIT
"""Rules that find principal components, other than those of cases/correlation.py."""
from .case import case, dot, drives


def solved(a, b):
    """X of a X = b, by elimination with pivots."""
    n = len(a)
    rows = [list(a[i]) + list(b[i]) for i in range(n)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [value - rows[i][k] * pivot for value, pivot in zip(rows[i], rows[k])]
    return [row[n:] for row in rows]


@case("""
    s = sum(z^2)
    dw = rate/(1 + (rate/2)^2*s*(xx - s))*z*(x - (1 + rate/2*(xx - s))*back(z))
    """, "Wen & Yin 2013, Math. Program. 142, 397; Oja 1989, Int. J. Neural Systems 1, 61", "cayley_subspace",
      {"rate": 0.25}, n_out=3)
def cayley_subspace(c):
    """With the letters of the paper: X has the weights as columns, F(X) = -|X^T x|^2 / 2 with the gradient
    G = -x (X^T x)^T, A = G X^T - X G^T and Y(tau) = (I + tau/2 A)^-1 (I - tau/2 A) X, here by elimination.  The
    weights begin orthonormal, in numbers that are exact."""
    x, tau = c.inputs(), c.parameters["rate"]
    w = c.given_weights([[0.5, 0.5, 0.5, 0.5, 0], [0.5, -0.5, 0.5, -0.5, 0], [0.5, 0.5, -0.5, -0.5, 0]])
    n = range(c.n_in)
    for t in range(c.ticks):
        y = drives(w, x[t])
        g = [[-x[t][j] * y[i] for i in range(c.n_out)] for j in n]
        gx = [[dot(g[j], [w[i][k] for i in range(c.n_out)]) for k in n] for j in n]
        a = [[gx[j][k] - gx[k][j] for k in n] for j in n]
        left = [[float(j == k) + tau / 2 * a[j][k] for k in n] for j in n]
        right = [[float(j == k) - tau / 2 * a[j][k] for k in n] for j in n]
        moved = [[dot(right[j], w[i]) for i in range(c.n_out)] for j in n]
        found = solved(left, moved)
        for i in range(c.n_out):
            w[i] = [found[j][i] for j in n]
        c.tick(t, y, w, memory={"s": [dot(y, y)] * c.n_out})


@case("""
    energy = beta*where(energy > 0, energy, xx) + y^2
    dw = rate*where(energy > 0, y/energy, 0)*(x - y*w)
    """, "Yang 1995, IEEE Trans. Signal Process. 43, 95", "oja_own_rate", {"rate": 1, "beta": 0.96875},
      memory_across_trials=True)
def oja_own_rate(c):
    """PAST of one component, in every neuron by itself, with the letters of the paper: h = P y, g = h / (beta + y h),
    P <- (P - g h) / beta, e = x - w y, w <- w + e g.  1 / P is the energy, and begins as |x|^2 of the first sample.
    The first samples are silence, of which nothing is learnt."""
    x = c.given_inputs([[0.0] * c.n_in] * 2 + c.inputs()[2:])
    w, beta = c.weights(), c.parameters["beta"]
    big_p = [None] * c.n_out
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(c.n_out):
            if big_p[i] is None and dot(x[t], x[t]) > 0:
                big_p[i] = 1 / dot(x[t], x[t])
            if big_p[i] is None:
                continue
            h = big_p[i] * y[i]
            g = h / (beta + y[i] * h)
            big_p[i] = (big_p[i] - g * h) / beta
            for j in range(c.n_in):
                w[i][j] += (x[t][j] - w[i][j] * y[i]) * g
        c.tick(t, y, w, memory={"energy": [0.0 if p is None else 1 / p for p in big_p]})


@case("""
    energy = beta*where(energy > 0, energy, xx) + y^2
    dw = rate*where(energy > 0, y/energy, 0)*(x - back_upto(y))
    """, "Sanger 1989, Neural Networks 2, 459; Yang 1995, IEEE Trans. Signal Process. 43, 95", "sanger_own_rate",
      {"rate": 0.5, "beta": 0.96875}, memory_across_trials=True)
def sanger_own_rate(c):
    """Sanger's rule, gamma of neuron i being rate / energy_i."""
    x, matrix_c = c.inputs(), c.weights()
    energy = [0.0] * c.n_out
    for t in range(c.ticks):
        y = drives(matrix_c, x[t])
        change = []
        for i in range(c.n_out):
            if energy[i] == 0.0:
                energy[i] = dot(x[t], x[t])
            energy[i] = c.parameters["beta"] * energy[i] + y[i] * y[i]
            gamma = c.parameters["rate"] / energy[i]
            change.append([gamma * y[i] * (x[t][j] - sum(y[k] * matrix_c[k][j] for k in range(i + 1)))
                           for j in range(c.n_in)])
        for i in range(c.n_out):
            for j in range(c.n_in):
                matrix_c[i][j] += change[i][j]
        c.tick(t, y, matrix_c, memory={"energy": energy})
