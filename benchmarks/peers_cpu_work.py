# SPDX-License-Identifier: MIT
"""The work of bench_operations by NumPy and by PyTorch, written from the equations.

`ways(case)` of a library are the ways to do what a case's name says, or none.
"""

import math

import numpy as np

import peers_cpu_arrays
import peers_cpu_arrays_numpy
import peers_cpu_equations
from peers_cpu_arrays_numpy import softmax
from peers_harness import Way, relative_error, sizes_of

CHECKED_TICKS = 64
CHECKED_STEPS = 200
COLUMNS = 1000
PLASTIC = {"tau": 50.0, "bound": 1.0, "decay": 1e-3, "target": 0.5, "strength": 0.1}


# ------------------------------------------------------------------ the equations, in float64

class ReferenceLayer:
    """y = W x; then W <- (1 - loss) W + gain x^T, then the normalisation.  A sample at a time."""

    def __init__(self, weights, rule, rate, normalization, decay=0.0):
        self.weights = np.array(weights, dtype="float64")
        self.rule, self.rate, self.normalization = rule, rate, normalization
        self.decay = decay
        self.theta = np.ones(len(weights))

    def answer(self, x):
        return self.weights @ x

    def change(self, x, y):
        if self.rule == "hebbian":
            return np.outer(y, x)
        if self.rule == "oja":
            return np.outer(y, x) - (y * y)[:, None] * self.weights
        change = np.outer(y * (y - self.theta), x)
        self.theta += (y * y - self.theta) / PLASTIC["tau"]
        return change

    def learn(self, x, y):
        self.weights += self.rate * self.change(x, y) - self.decay * self.weights
        length = np.sqrt((self.weights ** 2).sum(axis=1))[:, None]
        if self.normalization == "l2":
            self.weights /= length
        elif self.normalization == "max_norm":
            self.weights *= np.minimum(1.0, PLASTIC["bound"] / length)


class PlainLayer(ReferenceLayer):
    """The same with homeostasis before the normalisation (which takes it back), as one writes it
    first: in float64, an outer product a sample, a statement for each formula."""

    def learn(self, x, y):
        change = self.rate * self.change(x, y)
        self.weights *= 1 - self.decay
        self.weights += change
        self.weights *= np.exp(PLASTIC["strength"] * (PLASTIC["target"] - y))[:, None]
        self.weights /= np.linalg.norm(self.weights, axis=1, keepdims=True)


class FixedLayer:
    """y = max(W x, 0), or W x."""

    def __init__(self, weights, rectify):
        self.weights, self.rectify = weights, rectify

    def answer(self, x):
        z = self.weights @ x
        return z * (z > 0) if self.rectify else z

    def learn(self, x, y):
        pass


def run_layer(layer, x, answers):
    for t in range(len(x)):
        y = layer.answer(x[t])
        answers[t] = y
        layer.learn(x[t], y)


def run_levels(layers, x, answers):
    """Level n ticks at the multiples of 2^n and keeps what it answered."""
    for t in range(len(x)):
        sample = x[t]
        for n, layer in enumerate(layers):
            if t % (1 << n):
                break
            y = layer.answer(sample)
            answers[n][t >> n] = y
            layer.learn(sample, y)
            sample = y


def attention(q, k, v):
    return softmax(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])) @ v


def attention_gradients(dy, q, k, v, p):
    """p being the softmax of the scores."""
    scale = 1 / math.sqrt(q.shape[-1])
    dp = dy @ v.swapaxes(-1, -2)
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) * scale
    return ds @ k, ds.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ dy


def network_gradients(w1, b1, w2, b2, x, classes):
    """Gradients of the mean cross entropy of logits W2 max(W1 x + b1, 0) + b2, by W1, b1, W2, b2."""
    hidden = np.maximum(x @ w1.T + b1, 0)
    dlogits = softmax(hidden @ w2.T + b2)
    dlogits[np.arange(len(x)), classes] -= 1
    dlogits /= len(x)
    dhidden = (dlogits @ w2) * (hidden > 0)
    return dhidden.T @ x, dhidden.sum(axis=0), dlogits.T @ hidden, dlogits.sum(axis=0)


def moments_error(operation, x):
    """How far mean and variance are from those of the distribution, 6 / sqrt(n) at the very most."""
    x = np.asarray(x, dtype="float64")
    mean, variance = (0, 1) if operation == "random_normal" else (1 / 2, 1 / 12)
    return max(abs(x.mean() - mean), abs(x.var() - variance))


# ------------------------------------------------------------------------- what libraries share

class Library:
    """Names of cases taken apart.  A library gives `here` (an array of its own), `layer` and
    `fixed_layer`, and for every operation its ways as functions."""

    plain_layer = None

    def __init__(self):
        self.generator = np.random.default_rng(1)

    def normal(self, *shape, dtype="float32", deviation=1.0):
        return (deviation * self.generator.standard_normal(shape)).astype(dtype)

    def ways(self, name):
        operation, *rest = name.split("/")
        problem = peers_cpu_arrays.problem_of(operation, *rest) if len(rest) < 3 else None
        if problem:
            return peers_cpu_arrays.ways(self, problem)
        if operation == "plasticity":
            return self.plasticity(*rest)
        if operation == "equations":
            return self.equations(*rest)
        if operation in ("hierarchy", "hierarchy_plain", "plastic_levels"):
            return self.levels(operation, *rest)
        if operation in ("attention", "attention_backward", "training_step"):
            return getattr(self, operation)(*rest)
        if operation in ("random_normal", "random_uniform"):
            n = int(rest[0])
            return [Way(call, lambda call=call: moments_error(operation, call()),
                        6 / math.sqrt(n)) for call in self.random(operation, n, rest[1])]
        return []

    def equations(self, rule, size, dtype):
        return []

    def plasticity(self, rule, size, dtype, normalization="none"):
        inputs, outputs, ticks = sizes_of(size)
        if normalization != "none" and ticks * inputs * outputs > 10 ** 9:
            return []  # takes minutes
        x = self.normal(ticks, inputs, dtype=dtype, deviation=0.3)
        start = self.normal(outputs, inputs, dtype=dtype, deviation=1 / math.sqrt(inputs))
        rate = 1e-4 if rule == "bcm" else 1e-3
        samples, state = self.here(x), {}
        answers = self.here(np.zeros((ticks, outputs), dtype))

        def reset():
            state["layer"] = self.layer(start, rule, rate, normalization)

        def error():
            reference = ReferenceLayer(start, rule, rate, normalization)
            part = min(ticks, CHECKED_TICKS)
            wanted = np.empty((part, outputs))
            run_layer(reference, x[:part].astype("float64"), wanted)
            reset()
            run_layer(state["layer"], samples[:part], answers)
            return max(relative_error(answers[:part], wanted),
                       relative_error(state["layer"].weights, reference.weights))

        return [Way(lambda: run_layer(state["layer"], samples, answers), error,
                    1e-4 if dtype == "float32" else 1e-11, reset)]

    def levels(self, operation, rule, sizes, steps, dtype):
        sizes, steps = sizes_of(sizes), int(steps)
        first_learns, is_plain = operation == "plastic_levels", operation == "hierarchy_plain"
        if is_plain:
            if self.plain_layer is None:
                return []
            dtype = "float64"
        decay = {"decay": PLASTIC["decay"]} if is_plain else {}
        x = self.normal(steps, sizes[0], dtype=dtype, deviation=0.3)
        starts = [self.normal(sizes[n + 1], sizes[n], dtype=dtype,
                              deviation=math.sqrt(2 / sizes[n])) for n in range(len(sizes) - 1)]
        learns = not rule.startswith("forward")
        samples, state = self.here(x), {}

        def make(plastic, fixed, here):
            return [plastic(start, rule, 1e-3, "l2", **decay) if learns and (n or first_learns)
                    else fixed(here(start), n == 0) for n, start in enumerate(starts)]

        def room(here, steps, dtype):
            return [here(np.zeros(((steps - 1) // (1 << n) + 1, size), dtype))
                    for n, size in enumerate(sizes[1:])]

        answers = room(self.here, steps, dtype)

        def reset():
            state["layers"] = make(self.plain_layer if is_plain else self.layer, self.fixed_layer,
                                   self.here)

        def by_steps(steps=steps):
            run_levels(state["layers"], samples[:steps], answers)

        def by_products(steps=steps):
            y = samples[:steps]
            for n, layer in enumerate(state["layers"]):
                y = layer.answer((y[::2] if n else y).T).T
                answers[n][:len(y)] = y

        run = by_products if rule == "forward_products" else by_steps

        def error():
            part = min(steps, CHECKED_STEPS)
            wanted = room(np.asarray, part, "float64")
            run_levels(make(ReferenceLayer, FixedLayer, lambda w: w.astype("float64")),
                       x[:part].astype("float64"), wanted)
            reset()
            run(part)
            return max(relative_error(answers[n][:len(wanted[n])], wanted[n])
                       for n in range(len(wanted)))

        return [Way(run, error, 1e-3 if dtype == "float32" else 1e-10, reset)]


# ---------------------------------------------------------------------------------------- NumPy

class NumPyLayer(ReferenceLayer):
    """The same with one buffer for the update, everything in place."""

    def __init__(self, weights, rule, rate, normalization):
        self.weights = weights.copy()
        self.rule, self.rate, self.normalization = rule, rate, normalization
        self.theta = np.ones(len(weights), dtype=weights.dtype)
        self.update = np.empty_like(weights)

    def learn(self, x, y):
        gain = self.rate * y
        if self.rule == "oja":
            self.weights *= (1 - gain * y)[:, None]
        elif self.rule == "bcm":
            gain *= y - self.theta
            self.theta += (y * y - self.theta) / PLASTIC["tau"]
        np.multiply(gain[:, None], x, out=self.update)
        self.weights += self.update
        if self.normalization != "none":
            length = np.sqrt(np.einsum("ij,ij->i", self.weights, self.weights))[:, None]
            factor = PLASTIC["bound"] / length
            self.weights *= factor if self.normalization == "l2" else np.minimum(1, factor)


class NumPy(Library):
    version = "NumPy " + np.__version__
    layer = NumPyLayer
    plain_layer = PlainLayer
    fixed_layer = FixedLayer
    calls = peers_cpu_arrays_numpy.CALLS

    def here(self, x):
        return x

    def equations(self, rule, size, dtype):
        return peers_cpu_equations.ways(self, rule, size, dtype)

    def random(self, operation, n, dtype):
        draw = (self.generator.standard_normal if operation == "random_normal"
                else self.generator.random)
        into = np.empty(n, dtype)
        return [lambda: draw(n, dtype=dtype), lambda: draw(dtype=dtype, out=into)]

    def attention(self, size):
        q, k, v = (self.normal(*sizes_of(size)) for _ in range(3))
        return [Way(lambda: attention(q, k, v), lambda: relative_error(
            attention(q, k, v), attention(*(one.astype("float64") for one in (q, k, v)))))]

    def attention_backward(self, size):
        operands = [self.normal(*sizes_of(size)) for _ in range(4)]

        def call(dy, q, k, v):
            p = softmax(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]))
            return lambda: attention_gradients(dy, q, k, v, p)

        run = call(*operands)
        precise = call(*(one.astype("float64") for one in operands))
        return [Way(run, lambda: max(map(relative_error, run(), precise())))]

    def training_step(self, sizes, batch):
        return [self.training(sizes_of(sizes), int(batch))]

    def training(self, sizes, batch):
        parameters = []
        for inputs, outputs in zip(sizes, sizes[1:]):
            parameters += [self.normal(outputs, inputs, deviation=1 / math.sqrt(3 * inputs)),
                           np.zeros(outputs, "float32")]
        first = [np.zeros_like(one) for one in parameters]
        second = [np.zeros_like(one) for one in parameters]
        x = self.normal(batch, sizes[0])
        classes = self.generator.integers(sizes[-1], size=batch)
        count = [0]

        def step():  # Adam; Kingma & Ba (2015)
            count[0] += 1
            correction = math.sqrt(1 - 0.999 ** count[0])
            rate = 1e-3 / (1 - 0.9 ** count[0])
            gradients = network_gradients(*parameters, x, classes)
            for w, g, m, s in zip(parameters, gradients, first, second):
                m *= 0.9
                m += 0.1 * g
                s *= 0.999
                s += 0.001 * g * g
                w -= rate * m / (np.sqrt(s) / correction + 1e-8)

        def error():
            wanted = network_gradients(*(one.astype("float64") for one in parameters),
                                       x.astype("float64"), classes)
            return max(map(relative_error, network_gradients(*parameters, x, classes), wanted))

        return Way(step, error)
