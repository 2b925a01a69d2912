# SPDX-License-Identifier: MIT
"""These are the rules as people write them with PyTorch, in float64.

Rules with a target are a loss, its gradient by autograd, and torch.optim.SGD; all others are a few lines of tensors.
"""
import numpy as np
import torch
from torch.nn import functional

from peer import Record

LIBRARY = "PyTorch by hand"
PACKAGES = ("torch",)
DTYPE = "float64"
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


class State:
    """w, x, z, numbers p, signals, and what a rule keeps in `m`; traces are in `trace`, eligibility in `e`."""

    def __init__(self, case):
        self.w = torch.tensor(case.weights_initial)
        self.p = case.parameters
        self.m = {name[7:]: torch.full((len(self.w),), case.memory.get(name[7:], 0.0))
                  for name in case.expected if name.startswith("memory/")}
        self.tau = {name: self.p[tau] if isinstance(tau, str) else tau for name, tau in case.traces.items()}
        self.trace = {name: torch.zeros(self.w.shape[1]) for name in self.tau}
        self.e = torch.zeros_like(self.w)

    def fall(self, name):
        return np.exp(-1 / self.p[name])


# ------------------------------------------------------------------------------------ without a target

def hebbian(s):
    s.w += s.p["rate"] * torch.outer(s.z, s.x)
    return s.z


def anti_hebbian(s):
    s.w -= s.p["rate"] * torch.outer(s.z, s.x)
    return s.z


def oja(s, sign=1):
    s.w += sign * s.p["rate"] * s.z[:, None] * (s.x - s.z[:, None] * s.w)
    return s.z


def anti_oja(s):
    return oja(s, -1)


def bcm(s, law_cooper=False):
    theta = s.m["theta"]
    change = s.p["rate"] * torch.outer(s.z * (s.z - theta), s.x)
    s.w += change / theta[:, None] if law_cooper else change
    s.m["theta"] = theta + (s.z**2 - theta) / s.p["tau"]
    return s.z


def law_cooper(s):
    return bcm(s, True)


def covariance(s):
    s.m["y_mean"] = torch.lerp(s.m["y_mean"], s.z, 1 / s.p["tau"])
    x_mean = (1 - s.fall("tau_x")) * s.trace["x_sum"]
    s.w += s.p["rate"] * torch.outer(s.z - s.m["y_mean"], s.x - x_mean)
    return s.z


def abcd(s):
    y, p = torch.tanh(s.z), s.p
    s.w += p["rate"] * (p["a"] * torch.outer(y, s.x) + p["b"] * s.x + p["c"] * y[:, None] + p["d"])
    return y


def foldiak_trace(s):
    s.m["ybar"] = torch.lerp(s.m["ybar"], s.z, s.p["delta"])
    s.w += s.p["rate"] * s.m["ybar"][:, None] * (s.x - s.w)
    return s.z


def oja_subspace(s):
    s.w += s.p["rate"] * torch.outer(s.z, s.x - s.z @ s.w)
    return s.z


def sanger(s):
    s.w += s.p["rate"] * (torch.outer(s.z, s.x) - torch.tril(torch.outer(s.z, s.z)) @ s.w)
    return s.z


def competitive(s):
    y = functional.one_hot(s.z.argmax(), len(s.z)).double()
    s.w += s.p["rate"] * y[:, None] * (s.x - s.w)
    return y


def nearest(s):
    return functional.one_hot((2 * s.z - (s.w**2).sum(1)).argmax(), len(s.z)).double()


def online_k_means(s):
    y = nearest(s)
    s.w += s.p["rate"] * y[:, None] * (s.x - s.w)
    return y


def macqueen(s):
    y = nearest(s)
    s.m["wins"] = s.m["wins"] + y
    s.w += s.p["rate"] * (y / s.m["wins"])[:, None] * (s.x - s.w)
    return y


def softhebb(s):
    y = torch.softmax(s.z / s.p["temperature"], 0)
    s.w += s.p["rate"] * y[:, None] * (s.x - s.z[:, None] * s.w)
    return y


def krotov_hopfield(s):
    order = s.z.argsort(descending=True)
    g = torch.zeros_like(s.z)
    g[order[0]] = 1
    g[order[int(s.p["k"]) - 1]] = -s.p["delta"]
    s.m["g"] = g
    s.w += s.p["rate"] * g[:, None] * (s.x - s.z[:, None] * s.w)
    return s.z


def pair(s):
    y = s.signal["spike"]
    s.m["post"] = s.fall("tau_post") * s.m["post"] + y
    return y, s.p["a_plus"] * torch.outer(y, s.trace["pre"]), s.p["a_minus"] * torch.outer(s.m["post"], s.x)


def stdp(s):
    y, up, down = pair(s)
    s.w += s.p["rate"] * (up - down)
    return y


def stdp_multiplicative(s):
    y, up, down = pair(s)
    s.w += s.p["rate"] * (up - down * s.w)
    return y


def stdp_soft_bounds(s):
    y, up, down = pair(s)
    s.w += s.p["rate"] * (up * (1 - s.w) - down * s.w)
    return y


def triplet_stdp(s):
    y, p = s.signal["spike"], s.p
    s.m["o1"] = s.fall("tau_minus") * s.m["o1"] + y
    o2, r2 = s.fall("tau_y") * s.m["o2"], s.trace["r2"] - s.x
    s.w += torch.outer(y * (p["a2_plus"] + p["a3_plus"] * o2), s.trace["r1"])
    s.w -= torch.outer(s.m["o1"], s.x * (p["a2_minus"] + p["a3_minus"] * r2))
    s.m["o2"] = o2 + y
    return y


def reward_stdp(s):
    y, up, down = pair(s)
    s.e += up - down - s.e / s.p["tau_e"]
    s.w += s.p["rate"] * s.signal["reward"][:, None] * s.e
    return y


def intrinsic_plasticity(s):
    """A step down the divergence of tanh's answers from a Gaussian, by autograd of what each answer says of it."""
    p, a, b = s.p, s.m["gain"].clone().requires_grad_(), s.m["shift"].clone().requires_grad_()
    y = torch.tanh(a * s.z + b)
    loss = (y - p["mu"])**2 / (2 * p["sigma"]**2) - torch.log(a * (1 - y**2))
    loss.sum().backward()
    s.m["gain"] = torch.clamp(s.m["gain"] - p["rate"] * a.grad, min=0.001)
    s.m["shift"] = s.m["shift"] - p["rate"] * b.grad
    return y.detach()


def lif(s):
    v = s.p["leak"] * s.m["v"] + s.z
    y = (v > s.p["threshold"]).double()
    s.m["v"] = v * (1 - y)
    return y


# --------------------------------------------------------------------------------------- with a target

def descend(s, loss, answer):
    """One step of stochastic gradient descent on loss(z, target), and the answer before it."""
    w = s.w.clone().requires_grad_()
    optimiser = torch.optim.SGD([w], lr=s.p["rate"])
    z = w @ s.x
    loss(z, s.signal["target"]).backward()
    optimiser.step()
    s.w = w.detach()
    return answer(z.detach())


def delta(s):
    return descend(s, lambda z, target: 0.5 * functional.mse_loss(z, target, reduction="sum"), lambda z: z)


def logistic(s):
    return descend(s, lambda z, target: functional.binary_cross_entropy_with_logits(z, target, reduction="sum"),
                   torch.sigmoid)


def perceptron(s):
    return descend(s, lambda z, target: torch.relu((1 - 2 * target) * z).sum(), lambda z: (z > 0).double())


def nlms(s):
    s.w += s.p["rate"] * torch.outer(s.signal["target"] - s.z, s.x) / (s.p["epsilon"] + s.x @ s.x)
    return s.z


RULES = {function.__name__: function for function in (
    hebbian, anti_hebbian, oja, anti_oja, bcm, law_cooper, covariance, abcd, foldiak_trace, oja_subspace, sanger,
    competitive, online_k_means, macqueen, softhebb, krotov_hopfield, stdp, stdp_multiplicative, stdp_soft_bounds,
    triplet_stdp, reward_stdp, intrinsic_plasticity, lif, delta, logistic, perceptron, nlms)}


def can(case):
    return None if case.name in RULES else "not written with PyTorch here"


def run(case):
    s, record = State(case), Record(case)
    for t, x in enumerate(torch.tensor(case.x)):
        s.x, s.z = x, s.w @ x
        for name, tau in s.tau.items():
            s.trace[name] = np.exp(-1 / tau) * s.trace[name] + x
        s.signal = {name: torch.tensor(np.broadcast_to(values[t], len(s.w)).astype(float))
                    for name, (_, values) in case.signals.items()}
        y = RULES[case.name](s)
        more = {"memory_" + name: values for name, values in s.m.items()}
        more |= {"trace_" + name: values for name, values in s.trace.items()}
        if "eligibility" in case.expected:
            more["eligibility"] = s.e
        record.tick(t, y, s.w, **more)
    return record.found()
