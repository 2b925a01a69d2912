# SPDX-License-Identifier: MIT
"""The rules of cases_equations.cpp by NumPy: how one writes a plastic layer with everything in place.

Each rule stands here two times: `CHANGES` has it as its equations, dense and in float64, against
which the answers are checked; `IN_PLACE` has it in its fastest form, with one buffer as large as
the weights.
"""

import math

import numpy as np

from peers_harness import Way, relative_error, sizes_of

RATE = 1e-4
CHECKED_TICKS = 40


class State:
    """What a layer holds in addition to its weights: v and post of each neuron, pre of each input, e."""

    def __init__(self, start, dtype):
        self.w = start.astype(dtype)
        neurons, inputs = start.shape
        self.v, self.post = np.zeros((2, neurons), dtype)
        self.pre = np.zeros(inputs, dtype)
        self.e = np.zeros_like(self.w)
        self.update = np.empty_like(self.w)


# -------------------------------------------------------- y of a tick, by z; v, post, pre go on

def softmax(s, z, x):
    powers = np.exp(z - z.max())
    return powers / powers.sum()


def winner(s, z, x):
    y = np.zeros_like(z)
    y[z.argmax()] = 1
    return y


def kwta(s, z, x):
    y = np.zeros_like(z)
    first = np.argpartition(-z, 19)[:20]
    y[first] = z[first]
    return y


def fires(s, z, x):
    s.pre *= s.pre.dtype.type(math.exp(-1 / 20))
    s.pre += x
    s.v *= 0.9
    s.v += z
    y = (s.v > 1).astype(z.dtype)
    s.v *= 1 - y
    s.post *= 0.95
    s.post += y
    return y


ANSWERS = {"softhebb": softmax, "winner": winner, "kwta": kwta, "lif_stdp": fires,
           "lif_stdp_events": fires, "krotov_hopfield": lambda s, z, x: np.maximum(z, 0),
           "abcd": lambda s, z, x: np.tanh(z), "three_factors": lambda s, z, x: np.tanh(z)}


# ------------------------------------------------------------------------------- the equations

def three_factors_change(s, x, z, y):
    s.e += np.outer(y, x) - s.e / 20
    return RATE * (y - 0.1)[:, None] * s.e


def first_and_eighth(z):
    """1 for the largest drive, -0.4 for the eighth, else 0."""
    order = np.argpartition(-z, 7)
    g = np.zeros_like(z)
    g[order[:8][z[order[:8]].argmax()]], g[order[7]] = 1, -0.4
    return g


CHANGES = {
    "krotov_hopfield": lambda s, x, z, y:
        RATE * first_and_eighth(z)[:, None] * (x - z[:, None] * s.w),
    "oja": lambda s, x, z, y: RATE * (np.outer(y, x) - (y * y)[:, None] * s.w),
    "softhebb": lambda s, x, z, y: RATE * y[:, None] * (x - z[:, None] * s.w),
    "winner": lambda s, x, z, y: RATE * y[:, None] * (x - s.w),
    "kwta": lambda s, x, z, y: RATE * y[:, None] * (x - y[:, None] * s.w),
    "abcd": lambda s, x, z, y: RATE * (0.5 * np.outer(y, x) + 0.1 * x + 0.2 * y[:, None] + 0.3),
    "lif_stdp": lambda s, x, z, y: RATE * (np.outer(y, s.pre) - np.outer(s.post, x)),
    "lif_stdp_events": lambda s, x, z, y: RATE * (np.outer(y, s.pre) - np.outer(s.post, x)),
    "three_factors": three_factors_change,
    "oja_subspace": lambda s, x, z, y: RATE * np.outer(y, x - y @ s.w),
    "sanger": lambda s, x, z, y: RATE * (np.outer(y, x) - np.tril(np.outer(y, y)) @ s.w),
    "soft_bounds": lambda s, x, z, y: RATE * np.outer(y, x) * s.w * (1 - s.w),
}


# ------------------------------------------------------------------------ the same, in place

def pull(s, x, gain, loss):
    """w <- (1 - loss) w + gain x"""
    s.w *= (1 - loss)[:, None]
    s.w += np.multiply(gain[:, None], x, out=s.update)


def abcd_in_place(s, x, z, y):
    np.multiply((RATE * (0.5 * y + 0.1))[:, None], x, out=s.update)
    s.update += (RATE * (0.2 * y + 0.3))[:, None]
    s.w += s.update


def stdp_in_place(s, x, z, y):
    fired = np.flatnonzero(y)
    s.w[fired] += RATE * s.pre
    s.w -= np.multiply((RATE * s.post)[:, None], x, out=s.update)


def stdp_of_events(s, x, z, y):
    fired, came = np.flatnonzero(y), np.flatnonzero(x)
    s.w[fired] += RATE * s.pre
    s.w[:, came] -= (RATE * s.post)[:, None]


def krotov_hopfield_in_place(s, x, z, y):
    g = first_and_eighth(z)
    for i in np.flatnonzero(g):
        s.w[i] += (RATE * g[i]) * (x - z[i] * s.w[i])


def three_factors_in_place(s, x, z, y):
    s.e *= 1 - 1 / 20
    s.e += np.multiply(y[:, None], x, out=s.update)
    s.w += np.multiply((RATE * (y - 0.1))[:, None], s.e, out=s.update)


def subspace_in_place(s, x, z, y):
    s.w += np.multiply((RATE * y)[:, None], x - y @ s.w, out=s.update)


def sanger_in_place(s, x, z, y):
    np.multiply(y[:, None], s.w, out=s.update)
    np.cumsum(s.update, axis=0, out=s.update)
    np.subtract(x, s.update, out=s.update)
    s.update *= (RATE * y)[:, None]
    s.w += s.update


def soft_bounds_in_place(s, x, z, y):
    np.subtract(1, s.w, out=s.update)
    s.update *= s.w
    s.update *= (RATE * y)[:, None]
    s.update *= x
    s.w += s.update


IN_PLACE = {
    "oja": lambda s, x, z, y: pull(s, x, RATE * y, RATE * y * y),
    "softhebb": lambda s, x, z, y: pull(s, x, RATE * y, RATE * y * z),
    "winner": lambda s, x, z, y: pull(s, x, RATE * y, RATE * y),
    "kwta": lambda s, x, z, y: pull(s, x, RATE * y, RATE * y * y),
    "abcd": abcd_in_place,
    "krotov_hopfield": krotov_hopfield_in_place,
    "lif_stdp": stdp_in_place,
    "lif_stdp_events": stdp_of_events,
    "three_factors": three_factors_in_place,
    "oja_subspace": subspace_in_place,
    "sanger": sanger_in_place,
    "soft_bounds": soft_bounds_in_place,
}


def run(rule, s, samples, answers, learn):
    answer = ANSWERS.get(rule, lambda s, z, x: z)
    for t, x in enumerate(samples):
        z = s.w @ x
        y = answer(s, z, x)
        answers[t] = y
        learn(s, x, z, y)


def ways(library, rule, size, dtype):
    inputs, neurons, ticks = sizes_of(size)
    samples = library.normal(ticks, inputs, dtype=dtype, deviation=0.3)
    if rule == "lif_stdp_events":  # of a normal number, 2 % are above 2.0537 deviations
        samples = (samples > 2.0537 * 0.3).astype(dtype)
    start = library.normal(neurons, inputs, dtype=dtype, deviation=1 / math.sqrt(inputs))
    answers = np.zeros((ticks, neurons), dtype)
    held = {}

    def reset():
        held["state"] = State(start, dtype)

    def in_place(part=ticks):
        run(rule, held["state"], samples[:part], answers, IN_PLACE[rule])

    def error():
        def dense(s, x, z, y):
            s.w += CHANGES[rule](s, x, z, y)

        part = min(ticks, CHECKED_TICKS)
        wanted, reference = np.empty((part, neurons)), State(start, "float64")
        run(rule, reference, samples[:part].astype("float64"), wanted, dense)
        reset()
        in_place(part)
        return max(relative_error(answers[:part], wanted),
                   relative_error(held["state"].w, reference.w))

    return [Way(in_place, error, 1e-4, reset)]
