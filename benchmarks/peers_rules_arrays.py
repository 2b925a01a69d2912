# SPDX-License-Identifier: MIT
"""The models of peers_rules.py as people write them with NumPy and with PyTorch.

Weights lie [inputs, neurons] where spikes are few, so that those of an input that spikes lie side by
side, else [neurons, inputs].  Of spikes there are two ways: `events` touches the weights of what
spikes, `dense` all of them; both are checked, and the faster one counts.
"""

import math

import numpy as np

from peers_cpu_equations import pull, softmax


class Arrays:
    """What both have in common: a layer with its rows of input, and the ways to learn."""
    check_dtype, clock_dtype = "float64", "float32"
    orders = {}

    def __init__(self, work, dtype, rate, way):
        self.p = work.model.parameters | {"rate": rate}
        self.dtype, self.row, self.rows = dtype, 0, len(work.x)
        self.inputs_first = way.endswith("events")
        self.x = self.array(work.x)
        self.reward = [float(reward) for reward in work.reward]
        self.w = self.array(np.ascontiguousarray(work.w.T if self.inputs_first else work.w))
        neurons, inputs = work.w.shape
        self.v, self.post, self.pre = (self.array(np.zeros(n)) for n in (neurons, neurons, inputs))
        self.e, self.update = (self.array(np.zeros(tuple(self.w.shape))) for _ in range(2))
        if work.model.spikes:
            self.keep_pre = math.exp(-1 / self.p["tau"])
            self.keep_post = math.exp(-1 / self.p["tau_post"])
        self.learn = getattr(self, way)

    @classmethod
    def ways(cls, work):
        name = work.model.name
        return [f"{name}_events", f"{name}_dense"] if work.model.spikes else [name]

    def prepare(self, ticks):
        """What is not timed before `ticks` ticks are run."""

    def run(self, ticks):
        for _ in range(ticks):
            self.learn(self.x[self.row])
            self.row = (self.row + 1) % self.rows

    def weights(self):
        w = np.asarray(self.w, dtype=float)
        return w.T if self.inputs_first else w

    def stdp_events(self, x):
        self.pairs_of_events(self.w, *self.events(x), self.p["rate"])

    def stdp_dense(self, x):
        y = self.as_numbers(self.spikes(self.w @ x, x))
        self.pairs_dense(self.w, x, y, self.p["rate"])

    def reward_stdp_events(self, x):
        came, fired = self.events(x)
        self.e *= 1 - 1 / self.p["tau_e"]
        self.pairs_of_events(self.e, came, fired, 1.0)
        self.follow()

    def reward_stdp_dense(self, x):
        y = self.as_numbers(self.spikes(self.w @ x, x))
        self.e *= 1 - 1 / self.p["tau_e"]
        self.pairs_dense(self.e, x, y, 1.0)
        self.follow()


class NumPy(Arrays):
    title = "NumPy by hand"
    packages = ("numpy",)

    def array(self, values):
        return np.asarray(values).astype(self.dtype)

    def oja(self, x):
        y = self.w @ x
        pull(self, x, self.p["rate"] * y, self.p["rate"] * y * y)

    def softhebb(self, x):
        z = self.w @ x
        y = softmax(self, z / self.p["temperature"], x)
        pull(self, x, self.p["rate"] * y, self.p["rate"] * y * z)

    def oja_subspace(self, x):
        y = self.w @ x
        self.w += np.multiply((self.p["rate"] * y)[:, None], x - y @ self.w, out=self.update)

    def spikes(self, z, x):
        """y; the traces count the spikes of this tick."""
        self.v *= self.p["leak"]
        self.v += z
        y = self.v > self.p["threshold"]
        self.v[y] = 0
        self.pre *= self.keep_pre
        self.pre += x
        self.post *= self.keep_post
        self.post += y
        return y

    def events(self, x):
        came = np.flatnonzero(x)
        return came, np.flatnonzero(self.spikes(self.w[came].sum(axis=0), x))

    def pairs_of_events(self, w, came, fired, scale):
        w[:, fired] += (scale * self.p["a_plus"] * self.pre)[:, None]
        w[came] -= scale * self.p["a_minus"] * self.post

    def pairs_dense(self, w, x, y, scale):
        w += np.multiply((scale * self.p["a_plus"] * y)[:, None], self.pre, out=self.update)
        w -= np.multiply((scale * self.p["a_minus"] * self.post)[:, None], x, out=self.update)

    def as_numbers(self, spikes):
        return spikes.astype(self.dtype)

    def follow(self):
        self.w += np.multiply(self.e, self.p["rate"] * self.reward[self.row], out=self.update)


try:
    import torch
except ImportError:
    torch = None


class PyTorch(Arrays):
    title = "PyTorch by hand"
    packages = ("torch",)

    def __init__(self, *arguments):
        torch.set_num_threads(1)
        super().__init__(*arguments)

    def array(self, values):
        return torch.tensor(np.asarray(values), dtype=getattr(torch, self.dtype))

    def run(self, ticks):
        with torch.inference_mode():
            super().run(ticks)

    def pull(self, x, gain, loss):
        """w <- (1 - loss) w + rate gain x"""
        self.w.mul_((1 - self.p["rate"] * loss)[:, None]).addr_(gain, x, alpha=self.p["rate"])

    def oja(self, x):
        y = torch.mv(self.w, x)
        self.pull(x, y, y * y)

    def softhebb(self, x):
        z = torch.mv(self.w, x)
        y = torch.softmax(z / self.p["temperature"], 0)
        self.pull(x, y, y * z)

    def oja_subspace(self, x):
        y = torch.mv(self.w, x)
        self.w.addr_(y, x - torch.mv(self.w.T, y), alpha=self.p["rate"])

    def spikes(self, z, x):
        self.v.mul_(self.p["leak"]).add_(z)
        fired = self.v > self.p["threshold"]
        self.v.masked_fill_(fired, 0)
        self.pre.mul_(self.keep_pre).add_(x)
        self.post.mul_(self.keep_post).add_(fired)
        return fired

    def events(self, x):
        came = x.nonzero().squeeze(1)
        fired = self.spikes(self.w.index_select(0, came).sum(0), x)
        return came, fired.nonzero().squeeze(1)

    def pairs_of_events(self, w, came, fired, scale):
        w.index_add_(1, fired, self.pre[:, None].expand(-1, len(fired)),
                     alpha=scale * self.p["a_plus"])
        w.index_add_(0, came, self.post.expand(len(came), -1), alpha=-scale * self.p["a_minus"])

    def pairs_dense(self, w, x, y, scale):
        w.addr_(y, self.pre, alpha=scale * self.p["a_plus"])
        w.addr_(self.post, x, alpha=-scale * self.p["a_minus"])

    def as_numbers(self, spikes):
        return spikes.to(self.w.dtype)

    def follow(self):
        self.w.add_(self.e, alpha=self.p["rate"] * self.reward[self.row])
