# SPDX-License-Identifier: MIT
"""The work of bench_operations by PyTorch; see peers_cpu_work.py."""

import math

import torch
from torch.nn import functional

import peers_cpu_arrays_torch
import peers_cpu_work as work
from peers_cpu_work import PLASTIC
from peers_harness import Way, relative_error, sizes_of


def forms_of_attention():
    """softmax(q k^T / sqrt(d)) v: the fused one, which PyTorch has from 2.0 on, and one by one."""
    def plain(q, k, v):
        scores = torch.matmul(q * (1 / math.sqrt(q.shape[-1])), k.transpose(-1, -2))
        return torch.matmul(torch.softmax(scores, -1), v)

    fused = getattr(functional, "scaled_dot_product_attention", None)
    return [fused, plain] if fused else [plain]


class TorchLayer:
    """A plastic layer sample by sample, in place and by PyTorch's fused steps."""

    def __init__(self, weights, rule, rate, normalization):
        self.weights = torch.from_numpy(weights.copy())
        self.rule, self.rate, self.normalization = rule, rate, normalization
        self.theta = torch.ones(len(weights), dtype=self.weights.dtype)

    def answer(self, x):
        return torch.mv(self.weights, x)

    def learn(self, x, y):
        gain = self.rate * y
        if self.rule == "oja":
            self.weights.mul_((1 - gain * y).unsqueeze(1))
        elif self.rule == "bcm":
            gain.mul_(y - self.theta)
            self.theta.lerp_(y * y, 1 / PLASTIC["tau"])
        self.weights.addr_(gain, x)
        if self.normalization != "none":
            length = torch.linalg.vector_norm(self.weights, dim=1, keepdim=True)
            factor = PLASTIC["bound"] / length
            self.weights.mul_(factor if self.normalization == "l2" else factor.clamp_(max=1))


class TorchFixedLayer:
    def __init__(self, weights, rectify):
        self.weights, self.rectify = weights, rectify

    def answer(self, x):
        z = self.weights @ x
        return z.relu_() if self.rectify else z

    def learn(self, x, y):
        pass


class Torch(work.Library):
    version = "PyTorch " + torch.__version__
    layer = TorchLayer
    fixed_layer = TorchFixedLayer
    calls = peers_cpu_arrays_torch.CALLS

    def __init__(self, threads):
        super().__init__()
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)

    def here(self, x):
        return torch.from_numpy(x.copy())

    def random(self, operation, n, dtype):
        into = torch.empty(n, dtype=getattr(torch, dtype))
        draw = torch.randn if operation == "random_normal" else torch.rand
        return [lambda: draw(n, dtype=into.dtype), lambda: draw(n, dtype=into.dtype, out=into)]

    def attention(self, size):
        arrays = [self.normal(*sizes_of(size)) for _ in range(3)]
        # One batch of heads: what the fused kernel takes.
        operands = [self.here(one).unsqueeze(0) for one in arrays]
        wanted = work.attention(*(one.astype("float64") for one in arrays))
        return [Way(lambda form=form: form(*operands),
                    lambda form=form: relative_error(form(*operands)[0], wanted))
                for form in forms_of_attention()]

    def attention_backward(self, size):
        arrays = [self.normal(*sizes_of(size)) for _ in range(4)]
        dy, *leaves = (self.here(one).unsqueeze(0) for one in arrays)
        precise = [one.astype("float64") for one in arrays]
        q, k = precise[1], precise[2]
        p = work.softmax(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]))
        wanted = work.attention_gradients(*precise, p)
        with torch.enable_grad():
            leaves = [one.requires_grad_() for one in leaves]
            answers = [form(*leaves) for form in forms_of_attention()]

        def call(answer):
            return torch.autograd.grad(answer, leaves, dy, retain_graph=True)

        def error(answer):
            return max(relative_error(got[0], one)
                       for got, one in zip(call(answer), wanted, strict=True))

        return [Way(lambda answer=answer: call(answer), lambda answer=answer: error(answer))
                for answer in answers]

    def training_step(self, sizes, batch):
        ways = []
        for how in ("foreach", "fused"):
            try:
                ways.append(self.training(sizes_of(sizes), int(batch), how))
            except RuntimeError:
                if how != "fused":  # which PyTorch before 2.4 has for GPUs alone
                    raise
        return ways

    def training(self, sizes, batch, how):
        net = torch.nn.Sequential(torch.nn.Linear(sizes[0], sizes[1]), torch.nn.ReLU(),
                                  torch.nn.Linear(sizes[1], sizes[2]))
        for parameter in net.parameters():
            parameter.requires_grad_()
        optimiser = torch.optim.Adam(net.parameters(), **{how: True})
        x = self.here(self.normal(batch, sizes[0]))
        classes = torch.from_numpy(self.generator.integers(sizes[-1], size=batch))

        def gradients():
            net.zero_grad()
            with torch.enable_grad():
                functional.cross_entropy(net(x), classes).backward()

        def step():
            gradients()
            optimiser.step()

        def error():
            gradients()
            precise = [one.numpy().astype("float64") for one in net.parameters()]
            wanted = work.network_gradients(*precise, x.numpy().astype("float64"), classes.numpy())
            return max(relative_error(parameter.grad, one)
                       for parameter, one in zip(net.parameters(), wanted))

        return Way(step, error)
