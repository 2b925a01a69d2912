# SPDX-License-Identifier: MIT
"""The five models that peers_rules.py measures: their numbers, and loops of NumPy that say what is right.

A loop has the equations of a model as they stand in docs/catalogue.md, tick by tick, dense, in
float64.  It shares nothing with gaia and nothing with the programs that are measured.  Some
libraries have spikes meet at a synapse in another order; `ORDERS` has these orders, and such a
library is checked against its own.
"""

import dataclasses
import math

import numpy as np

INPUTS, NEURONS, ROWS = 784, 400, 2048
CHECKED_TICKS = 200
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}  # of the largest weight
SPIKES = {"leak": 0.9, "threshold": 1.0, "a_plus": 1.0, "a_minus": 1.05, "tau": 20.0,
          "tau_post": 20.0}


@dataclasses.dataclass(frozen=True)
class Model:
    """`rate` is that of the check, in which weights move by a tenth and more; the clock runs with
    `clock_rate`, at which they, and with them the number of spikes, stay about where they are
    however long it runs."""
    name: str
    title: str
    equations: str
    parameters: dict
    rate: float
    clock_rate: float
    spikes: bool = False


MODELS = {model.name: model for model in (
    Model("stdp", "LIF, pair STDP",
          "post = exp(-1/tau_post)*post + y\ndw = rate*(a_plus*y*pre - a_minus*post*x)",
          SPIKES, 2e-4, 1e-6, True),
    Model("softhebb", "SoftHebb", "y = softmax(z/temperature)\ndw = rate*y*(x - z*w)",
          {"temperature": 0.02}, 0.2, 0.01),
    Model("oja", "Oja", "dw = rate*y*(x - y*w)", {}, 0.2, 0.01),
    Model("oja_subspace", "Oja's subspace", "dw = rate*y*(x - back(y))", {}, 0.2, 0.01),
    Model("reward_stdp", "LIF, three factors",
          "post = exp(-1/tau_post)*post + y\nde = -e/tau_e + a_plus*y*pre - a_minus*post*x\n"
          "dw = rate*reward*e",
          SPIKES | {"tau_e": 50.0}, 2e-5, 1e-7, True))}


@dataclasses.dataclass
class Work:
    """Rows x of a series, a reward for each, and the weights [neurons, inputs] at first."""
    model: Model
    x: np.ndarray
    reward: np.ndarray
    w: np.ndarray


def work_of(name, inputs=INPUTS, neurons=NEURONS, rows=ROWS):
    """All numbers are float32 ones, so that they are the same in both precisions."""
    model = MODELS[name]
    draw = np.random.default_rng(20)
    if model.spikes:
        x = (draw.random((rows, inputs)) < 0.02).astype(float)
        w = draw.uniform(3.5, 7.5, (neurons, inputs)) / inputs
    else:
        # One of ten patterns of length 1 in noise of length 1/2.
        patterns = draw.normal(size=(10, inputs))
        patterns /= np.linalg.norm(patterns, axis=1)[:, None]
        x = patterns[draw.integers(10, size=rows)]
        x = x + draw.normal(scale=0.5 / math.sqrt(inputs), size=x.shape)
        w = draw.normal(scale=1 / math.sqrt(inputs), size=(neurons, inputs))
    reward = draw.integers(-32, 64, size=rows) / 64
    return Work(model, *(values.astype("float32").astype(float) for values in (x, reward, w)))


# ------------------------------------------------------------------------------------ the loops

class Loop:
    """A layer in float64.  `order` is a function of ORDERS, for models with spikes."""

    def __init__(self, model, w, rate=None, order="paper"):
        self.p = model.parameters | {"rate": model.rate if rate is None else rate}
        self.w = np.array(w, dtype=float)
        neurons, inputs = self.w.shape
        self.v, self.post, self.pre = np.zeros(neurons), np.zeros(neurons), np.zeros(inputs)
        self.e, self.late = np.zeros_like(self.w), [np.zeros(neurons), np.zeros(neurons)]
        self.change = np.zeros_like(self.w)
        self.learn = ORDERS[model.name][order] if model.spikes else RATES[model.name]

    def tick(self, x, reward=0.0):
        return self.learn(self, np.asarray(x, dtype=float), reward)

    def spikes(self, x):
        self.v = self.p["leak"] * self.v + self.w @ x
        y = (self.v > self.p["threshold"]).astype(float)
        self.v = np.where(y == 1, 0.0, self.v)
        return y

    def fall(self):
        self.pre = math.exp(-1 / self.p["tau"]) * self.pre
        self.post = math.exp(-1 / self.p["tau_post"]) * self.post

    def pairs(self, x, y):
        self.fall()
        self.pre = self.pre + x
        self.post = self.post + y
        return self.p["a_plus"] * np.outer(y, self.pre) - self.p["a_minus"] * np.outer(self.post, x)


def softhebb(s, x, reward):
    z = s.w @ x
    powers = np.exp((z - z.max()) / s.p["temperature"])
    y = powers / powers.sum()
    s.w = s.w + s.p["rate"] * y[:, None] * (x[None, :] - z[:, None] * s.w)
    return y


def oja(s, x, reward):
    y = s.w @ x
    s.w = s.w + s.p["rate"] * y[:, None] * (x[None, :] - y[:, None] * s.w)
    return y


def oja_subspace(s, x, reward):
    y = s.w @ x
    s.w = s.w + s.p["rate"] * y[:, None] * (x - s.w.T @ y)[None, :]
    return y


def stdp(s, x, reward):
    y = s.spikes(x)
    s.w = s.w + s.p["rate"] * s.pairs(x, y)
    return y


def stdp_two_ticks_late(s, x, reward):
    """A neuron's spike reaches the synapse two ticks after the input that caused it; what meets there
    in one tick is no pair; weights change before they pass a spike on."""
    came_back = s.late.pop(0)
    s.fall()
    s.w = s.w + s.p["rate"] * (s.p["a_plus"] * np.outer(came_back, s.pre)
                               - s.p["a_minus"] * np.outer(s.post, x))
    s.pre = s.pre + x
    s.post = s.post + came_back
    y = s.spikes(x)
    s.late.append(y)
    return y


def reward_stdp(s, x, reward):
    y = s.spikes(x)
    s.e = s.e - s.e / s.p["tau_e"] + s.pairs(x, y)
    s.w = s.w + s.p["rate"] * reward * s.e
    return y


def reward_stdp_a_tick_late(s, x, reward):
    """The eligibility gets the pairs of the tick before."""
    y = s.spikes(x)
    s.e = s.e - s.e / s.p["tau_e"] + s.change
    s.change = s.pairs(x, y)
    s.w = s.w + s.p["rate"] * reward * s.e
    return y


RATES = {"softhebb": softhebb, "oja": oja, "oja_subspace": oja_subspace}
ORDERS = {"stdp": {"paper": stdp, "two ticks late": stdp_two_ticks_late},
          "reward_stdp": {"paper": reward_stdp, "a tick late": reward_stdp_a_tick_late}}


def reference(work, ticks=CHECKED_TICKS, order="paper"):
    """The weights after so many ticks, and the share of neurons that spiked or the mean answer."""
    loop = Loop(work.model, work.w, order=order)
    answers = [loop.tick(x, reward).mean() for x, reward in zip(work.x[:ticks], work.reward)]
    return loop.w, float(np.mean(answers))


def deviation(found, wanted):
    """The largest difference, relative to the largest weight."""
    found = np.asarray(found, dtype=float)
    if found.shape != wanted.shape or not np.isfinite(found).all():
        return math.inf
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())
