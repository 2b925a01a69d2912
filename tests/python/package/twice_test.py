# SPDX-License-Identifier: MIT
"""Gradients of gradients: gaia.grad and backward with create_graph, and second_order."""
import numpy as np
import pytest

import gaia
from gaia import nn


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def test_derivatives_of_a_power():
    x0 = numbers(5)
    x = gaia.Tensor(x0)
    slope, = gaia.grad([gaia.sum(x ** 3)], [x], create_graph=True)
    curvature, = gaia.grad([slope.sum()], [x], create_graph=True)
    third, = gaia.grad([curvature.sum()], [x])
    np.testing.assert_allclose(slope, 3 * x0 ** 2, rtol=1e-13)
    np.testing.assert_allclose(curvature, 6 * x0, rtol=1e-13)
    np.testing.assert_allclose(third, np.full(5, 6.0), rtol=1e-13)
    assert isinstance(slope, gaia.Tensor) and isinstance(third, gaia.Array) and x.grad is None


def test_backward_leaves_gradients_that_can_be_differentiated():
    x0 = numbers(4)
    x = gaia.Tensor(x0)
    (x ** 3).sum().backward(create_graph=True)
    assert isinstance(x.grad, gaia.Tensor) and x.grad.requires_grad
    first = x.grad
    x.zero_grad()
    first.sum().backward()
    assert isinstance(x.grad, gaia.Array)
    np.testing.assert_allclose(x.grad, 6 * x0, rtol=1e-13)


def test_seeds_weigh_outputs_and_unused_inputs_are_named():
    x, y = gaia.Tensor([1.0, 2.0]), gaia.Tensor([3.0])
    weights = gaia.Tensor([2.0, -1.0])
    slope, = gaia.grad([x * x], [x], seeds=[weights], create_graph=True)
    by_x, by_weights = gaia.grad([slope.sum()], [x, weights])
    assert slope.tolist() == [4.0, -4.0]
    assert by_x.tolist() == [4.0, -2.0] and by_weights.tolist() == [2.0, 4.0]
    with pytest.raises(gaia.ArgumentError, match=r"\[grad\]"):
        gaia.grad([gaia.sum(x)], [y], create_graph=True)
    assert [one.tolist() for one in gaia.grad([gaia.sum(x)], [x, y], create_graph=True, allow_unused=True)] == [[1, 1], [0]]


def penalty(network, x):
    """How far the gradient by each row is from length 1."""
    slope, = gaia.grad([gaia.sum(network(x))], [x], create_graph=True)
    return gaia.mean((gaia.norm(slope, 1) - 1.0) ** 2)


def test_a_penalty_of_the_gradient_is_differentiated():
    network = nn.Sequential(nn.Dense(3, 5, dtype="float64"), nn.Tanh(), nn.Dense(5, 1, dtype="float64"))
    x = gaia.Tensor(numbers(7, 3))
    penalty(network, x).backward()
    weights = network.parameters()[0]
    found = np.asarray(weights.grad)
    elements, step = weights.numpy(), 1e-6
    for at in ((0, 0), (2, 1), (4, 2)):
        kept, of = elements[at], []
        for sign in (1, -1):
            elements[at] = kept + sign * step
            of.append(penalty(network, x).item())
        elements[at] = kept
        assert found[at] == pytest.approx((of[0] - of[1]) / (2 * step), rel=1e-6, abs=1e-9)


def test_penalty_and_second_derivatives_beside_pytorch():
    torch = pytest.importorskip("torch")
    w0, v0, x0 = numbers(5, 3, seed=1), numbers(1, 5, seed=2), numbers(7, 3, seed=3)
    w, v, x = gaia.Tensor(w0), gaia.Tensor(v0), gaia.Tensor(x0)
    slope, = gaia.grad([gaia.sum(gaia.tanh(x @ w.T) @ v.T)], [x], create_graph=True)
    gaia.mean((gaia.norm(slope, 1) - 1.0) ** 2).backward()
    tw, tv, tx = (torch.tensor(one, requires_grad=True) for one in (w0, v0, x0))
    of_torch, = torch.autograd.grad((torch.tanh(tx @ tw.T) @ tv.T).sum(), tx, create_graph=True)
    ((of_torch.norm(dim=1) - 1.0) ** 2).mean().backward()
    for one, other in ((w, tw), (v, tv), (x, tx)):
        np.testing.assert_allclose(one.grad, other.grad.numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("function", [gaia.sort, lambda x: gaia.checkpoint(gaia.exp, x)], ids=["sort", "checkpoint"])
def test_functions_without_a_second_gradient_are_named(function):
    x = gaia.Tensor(numbers(4))
    with pytest.raises(gaia.ArgumentError, match="sort|checkpoint"):
        gaia.grad([gaia.sum(function(x) ** 2)], [x], create_graph=True)
    gaia.sum(function(x) ** 2).backward()  # once is no question
    assert np.isfinite(x.grad).all()


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
def test_recurrent_layers_within_second_order(kind):
    layer = kind(3, 4, dtype="float64")
    x = gaia.Tensor(numbers(2, 5, 3))
    with pytest.raises(gaia.ArgumentError, match=f"gradient of {kind.__name__.lower()} cannot be differentiated again"):
        gaia.grad([gaia.sum(layer(x))], [x], create_graph=True)
    plain = np.asarray(layer(x))
    with gaia.second_order():
        y = layer(x)
    np.testing.assert_allclose(y, plain, rtol=1e-12)
    slope, = gaia.grad([gaia.sum(y)], [x], create_graph=True)
    direction = numbers(2, 5, 3, seed=4)
    curved, = gaia.grad([gaia.sum(slope * gaia.Array(direction))], [x])
    # The slope along the direction, by central differences.
    of = []
    for sign in (1, -1):
        moved = gaia.Tensor(np.asarray(x) + sign * 1e-5 * direction)
        of.append(np.asarray(gaia.grad([gaia.sum(layer(moved))], [moved])[0]))
    np.testing.assert_allclose(curved, (of[0] - of[1]) / 2e-5, rtol=1e-5, atol=1e-8)
