# SPDX-License-Identifier: MIT
"""Parts of a computation that the backward sweep computes again."""
import gc
import threading
import weakref

import numpy as np
import pytest

import gaia
from gaia import nn
from refused import refused


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def test_gradients_are_those_without():
    w = gaia.Tensor(numbers(4, 3, seed=1))
    x0 = numbers(5, 4, seed=2)

    def block(x, scale, offset=None):
        return gaia.tanh(x @ w) * scale + offset

    def gradients(again):
        w.zero_grad()
        x = gaia.Tensor(x0)
        inputs = x * x, 2.0, np.ones(3)
        y = gaia.checkpoint(block, *inputs) if again else block(*inputs)
        (y ** 2).sum().backward()
        return [np.asarray(one) for one in (y, x.grad, w.grad)]

    for plain, again in zip(gradients(False), gradients(True), strict=True):
        assert np.array_equal(plain, again)


def test_several_results_come_as_a_tuple():
    x = gaia.Tensor([1.0, 2.0])
    for kind in (tuple, list):
        y = gaia.checkpoint(lambda h, kind=kind: kind([h * 2, h * h]), x)
        assert isinstance(y, tuple) and len(y) == 2
    y[1].sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    with gaia.no_grad():
        assert not gaia.checkpoint(gaia.exp, x).requires_grad


def test_dropout_drops_the_same_and_streams_go_on():
    calls = []

    def block(h):
        calls.append(len(calls))
        return drop(h) * gaia.random.normal(size=(50,))

    drop = nn.Dropout(0.5)
    x = gaia.Tensor(numbers(50), requires_grad=True)
    gaia.set_seed(4)
    y = gaia.checkpoint(block, x)
    after = gaia.random.normal(size=(2,))
    y.sum().backward()
    assert len(calls) == 2
    # y is x times what the first run drew, and so the slope is y / x.
    assert np.allclose(np.asarray(x.grad), np.asarray(y) / np.asarray(x), rtol=1e-12)
    assert (np.asarray(x.grad) == 0).any() and (np.asarray(x.grad) != 0).any()
    gaia.set_seed(4)
    gaia.random.normal(size=(50,))
    assert np.array_equal(np.asarray(after), np.asarray(gaia.random.normal(size=(2,))))


def test_batch_norm_moves_once():
    means = []
    for again in (False, True):
        norm = nn.BatchNorm1d(3)
        x = gaia.Tensor(numbers(6, 3).astype(np.float32))
        y = gaia.checkpoint(norm, x) if again else norm(x)
        (y ** 3).sum().backward()
        means.append(np.asarray(norm.state()["running_mean"]).copy())
    assert np.array_equal(*means)


def test_another_thread_may_sweep_and_nothing_is_kept_alive():
    class Block:
        def __call__(self, h):
            return gaia.exp(h)

    block = Block()
    gone = weakref.ref(block)
    x = gaia.Tensor([0.0, 1.0])
    y = gaia.checkpoint(block, x).sum()
    del block
    assert gone() is not None
    thread = threading.Thread(target=y.backward)
    thread.start()
    thread.join()
    assert np.allclose(np.asarray(x.grad), np.exp([0.0, 1.0]))
    gc.collect()
    assert gone() is None


def test_what_cannot_be_is_refused():
    x = gaia.Tensor([1.0, 2.0])
    before = gaia.exp(x)
    refused(gaia.ArgumentError, "computed before, by exp", lambda: gaia.checkpoint(lambda h: h * before, x))
    refused(gaia.ArgumentError, r"\[checkpoint\] f: expected a function, got int", lambda: gaia.checkpoint(3, x))
    refused(gaia.ArgumentError, "returns a gaia.Tensor.*got float", lambda: gaia.checkpoint(lambda h: 1.0, x))
    with pytest.raises(ZeroDivisionError):
        gaia.checkpoint(lambda h: 1 // 0, x)
    answers = [gaia.exp, lambda h: 1 // 0]
    y = gaia.checkpoint(lambda h: answers.pop(0)(h), x)
    with pytest.raises(ZeroDivisionError):
        y.sum().backward()
    assert x.grad is None
