# SPDX-License-Identifier: MIT
"""Layers and losses of gaia.nn against PyTorch, where it is installed, and against NumPy."""
import numpy as np
import pytest

import gaia
from gaia import nn

SEEDS = range(8)


def near(got, expected):
    np.testing.assert_allclose(np.asarray(got.value), expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_norms_are_numpys(seed):
    rng = np.random.default_rng(seed)
    groups = int(rng.integers(1, 4))
    x = rng.normal(size=(int(rng.integers(1, 4)), groups * int(rng.integers(1, 4)), int(rng.integers(2, 6))))
    rows = x.reshape(x.shape[0], groups, -1)
    wanted = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)
    near(nn.group_norm(gaia.Tensor(x), groups), wanted.reshape(x.shape))
    wanted = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    near(nn.instance_norm(gaia.Tensor(x)), wanted)
    near(nn.rms_norm(gaia.Tensor(x), epsilon=0.1), x / np.sqrt((x**2).mean(-1, keepdims=True) + 0.1))


@pytest.mark.parametrize("seed", SEEDS)
def test_masked_attention_and_losses_are_pytorchs(seed):
    torch = pytest.importorskip("torch")
    F = torch.nn.functional
    rng = np.random.default_rng(seed)
    b, t, s, d = (int(n) for n in rng.integers(1, 6, size=4))
    q, k, v = rng.normal(size=(b, t, d)), rng.normal(size=(b, s, d)), rng.normal(size=(b, s, 2))
    seen = rng.random((t, s)) < 0.6
    seen[:, 0] = True
    bias = rng.normal(size=(t, s))
    mine = [gaia.Tensor(a) for a in (q, k, v)]
    theirs = [torch.from_numpy(a) for a in (q, k, v)]
    for kind, mask in (("boolean", seen), ("additive", bias)):
        wanted = F.scaled_dot_product_attention(*theirs, attn_mask=torch.from_numpy(mask))
        near(nn.masked_attention(*mine, kind=kind, mask=gaia.Array(mask)), wanted.numpy())
    x = rng.normal(size=(5, 4))
    logs = x - np.log(np.exp(x).sum(1, keepdims=True))
    classes = rng.integers(0, 4, size=5)
    share = np.exp(logs[::-1]).copy()
    one, other = torch.from_numpy(logs), torch.from_numpy(share)
    for reduction in ("mean", "sum", "none"):
        near(nn.nll(gaia.Tensor(logs), gaia.Array(classes), reduction=reduction),
             F.nll_loss(one, torch.from_numpy(classes), reduction=reduction).numpy())
        near(nn.kl_div(gaia.Tensor(logs), gaia.Tensor(share), reduction=reduction),
             F.kl_div(one, other, reduction=reduction).numpy())
    near(nn.cosine_similarity(gaia.Tensor(x), gaia.Tensor(share)),
         F.cosine_similarity(torch.from_numpy(x), other).numpy())


@pytest.mark.parametrize("seed", SEEDS)
def test_adaptive_pools_are_pytorchs(seed):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    h, w, m, n = (int(i) for i in rng.integers(1, 9, size=4))
    x = rng.normal(size=(2, 3, h, w))
    for name in ("AdaptiveAvgPool2d", "AdaptiveMaxPool2d"):
        near(getattr(nn, name)((m, n))(gaia.Tensor(x)), getattr(torch.nn, name)((m, n))(torch.from_numpy(x)).numpy())


def test_every_layer_answers_and_trains():
    x = np.random.default_rng(1).normal(size=(2, 4, 6)).astype(np.float32)
    layers = {nn.GroupNorm(2, 4): (2, 4, 6), nn.InstanceNorm(4): (2, 4, 6), nn.RMSNorm([6]): (2, 4, 6),
              nn.PReLU(4): (2, 4, 6), nn.Mish(): (2, 4, 6), nn.Hardswish(): (2, 4, 6), nn.LogSoftmax(): (2, 4, 6),
              nn.Conv1d(4, 3, 3): (2, 3, 4), nn.MaxPool1d(): (2, 4, 3), nn.AvgPool1d(3): (2, 4, 2),
              nn.AdaptiveAvgPool1d(4): (2, 4, 4), nn.AdaptiveMaxPool1d(4): (2, 4, 4), nn.ZeroPad([1], [2]): (2, 4, 9),
              nn.RNN(6, 3): (2, 4, 3), nn.GRU(6, 3, answer="last"): (2, 3), nn.LSTM(6, 3): (2, 4, 3),
              nn.GRU(6, 3, reset="before"): (2, 4, 3), nn.BidirectionalGRU(6, 3): (2, 4, 6),
              nn.BidirectionalRNN(6, 3): (2, 4, 6), nn.BidirectionalLSTM(6, 3, answer="last"): (2, 6),
              nn.MultiHeadAttention(6, 2): (2, 4, 6), nn.TransformerEncoderLayer(6, 2, hidden=5): (2, 4, 6),
              nn.BitLinear(6, 3): (2, 4, 3), nn.DifferentiablePlasticity(6, 3, rule="oja", answer="last"): (2, 3),
              nn.PlasticModule(6, 3, rule="oja"): (2, 4, 3), nn.PlasticModule(6, 3, "dw = 0.01*y*x"): (2, 4, 3),
              nn.Function("twice", lambda t: t + t): (2, 4, 6)}
    for layer, shape in layers.items():
        y = layer(gaia.Tensor(x))
        assert tuple(y.shape) == shape, layer.type
        for parameter in layer.parameters():
            assert parameter.requires_grad
    with pytest.raises(gaia.Error, match="divisor"):
        nn.GroupNorm(3, 4)
    with pytest.raises(gaia.Error, match="answer"):
        nn.GRU(2, 2, answer="all")
