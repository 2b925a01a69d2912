# SPDX-License-Identifier: MIT
"""Tensors, gradients, networks."""
import numpy as np
import pytest

import gaia
from gaia import nn


def test_gradients_agree_with_differences():
    x = np.random.default_rng(0).normal(size=(3, 4))
    w = np.random.default_rng(1).normal(size=(4, 2))

    def loss(values):
        return (gaia.tanh(gaia.Tensor(x) @ values) ** 2).mean() + gaia.softmax(values, axis=0)[0].sum()

    tensor = gaia.Tensor(w, requires_grad=True)
    loss(tensor).backward()
    step = 1e-6
    for i in range(4):
        for j in range(2):
            up, down = w.copy(), w.copy()
            up[i, j] += step
            down[i, j] -= step
            slope = (loss(gaia.Tensor(up)).item() - loss(gaia.Tensor(down)).item()) / (2 * step)
            assert np.asarray(tensor.grad)[i, j] == pytest.approx(slope, rel=1e-5, abs=1e-8)


def test_tensors_and_numbers_and_arrays_mix():
    t = gaia.Tensor([1.0, 2.0, 3.0], requires_grad=True)
    loss = ((2 * t + np.ones(3, np.float32) - gaia.ones((3,))) / 2).sum()
    assert isinstance(loss, gaia.Tensor)
    loss.backward()
    assert t.grad.tolist() == [1.0, 1.0, 1.0]
    t.zero_grad()
    assert t.grad is None
    with gaia.no_grad():
        assert not (t * 2).requires_grad
    assert (t * 2).requires_grad and not (t * 2).detach().requires_grad
    with pytest.raises(gaia.ArgumentError):
        (t * 2).backward()


def test_tensors_that_are_written_out_collect_gradients():
    for numbers in ([1.0, 2.0], [1, 2], np.ones(2), np.ones(2, np.float32), gaia.ones((2,))):
        assert gaia.Tensor(numbers).requires_grad
        assert not gaia.Tensor(numbers, requires_grad=False).requires_grad
    assert gaia.Tensor([1, 2]).dtype == "float32"
    whole = gaia.Tensor(np.arange(3))
    assert whole.dtype == "int64" and not whole.requires_grad
    with pytest.raises(gaia.DTypeError):
        gaia.Tensor(np.arange(3), requires_grad=True)


def test_arrays_among_tensors_are_constants():
    x = np.ones((4, 3), np.float32)
    for constant in (x, gaia.Array(x)):
        assert not gaia.linear_gelu(constant, gaia.Tensor(x, requires_grad=False)).requires_grad
        assert not nn.mse(constant, gaia.Tensor(x, requires_grad=False)).requires_grad
        w = gaia.Tensor(x)
        nn.mse(w * 2, constant).backward()
        np.testing.assert_allclose(w.grad, 4 * (2 * x - x) / 12, rtol=1e-6)
    # One that is refused leaves nothing behind.
    with pytest.raises(TypeError):
        nn.mse(gaia.Tensor(x), x.astype(np.int8))
    with pytest.raises(gaia.DTypeError):
        gaia.Tensor(x.astype(np.int8))
    assert gaia.Tensor([1.0]).requires_grad


def test_fused_operations_have_gradients():
    random = np.random.default_rng(2)
    q, k, v = (random.normal(size=(5, 4)) for _ in range(3))

    def loss(q):
        shown = gaia.layer_norm(gaia.attention(q, k, v, causal=True), np.ones(4), np.zeros(4))
        return (gaia.linear_gelu(shown, k) ** 2).mean()

    tensor = gaia.Tensor(q)
    loss(tensor).backward()
    for at in ((0, 0), (2, 1), (4, 3)):
        step = np.zeros_like(q)
        step[at] = 1e-6
        slope = (loss(gaia.Tensor(q + step)).item() - loss(gaia.Tensor(q - step)).item()) / 2e-6
        assert gaia.to_numpy(tensor.grad)[at] == pytest.approx(slope, rel=1e-5, abs=1e-8)


def test_a_network_of_the_guides_trains_itself():
    gaia.set_seed(3)
    x, y = spirals()
    model = gaia.NeuralNetwork().add(gaia.Dense(2, 8)).add(gaia.Tanh()).add(gaia.Dense(8, 1))
    assert model.train(False) is None and not model.is_training
    model.train()
    assert model.is_training
    history = model.train(x, y[:, None].astype(np.float32), epochs=3, batch_size=16)  # mse
    assert len(history) == 3 and history[-1]["loss"] < history[0]["loss"]
    assert isinstance(model, nn.Sequential)


def spirals(samples=300):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, samples)
    r = random.uniform(0.2, 1.0, samples)
    angle = 4 * r + np.pi * y
    x = np.stack([r * np.cos(angle), r * np.sin(angle)], axis=1) + 0.02 * random.normal(size=(samples, 2))
    return x.astype(np.float32), y


def test_what_a_loss_or_an_optimiser_cannot_be_is_told():
    x, y = spirals(32)
    net = nn.Sequential(nn.Dense(2, 1))
    for wrong, kind in ((1.0, "float"), (None, "NoneType"), (np.ones(1), "ndarray")):
        with pytest.raises(gaia.ArgumentError, match=rf"\[loss\] expected the function to return .*got {kind}"):
            nn.evaluate(net, x, y, lambda answer, target: wrong)
    with pytest.raises(gaia.ArgumentError, match=r"\[adam\] has no parameter 'lr'; it has learning_rate, weight_decay, "
                                                 "beta1, beta2, epsilon"):
        nn.Optimiser(net.parameters(), "adam", lr=0.1)


def test_a_network_learns():
    gaia.set_seed(1)
    x, y = spirals()
    net = nn.Sequential(nn.Dense(2, 32), nn.Tanh(), nn.Dense(32, 2))
    optimiser = nn.Optimiser(net.parameters(), "adam", learning_rate=0.02)
    history = nn.fit(net, x, y, "cross_entropy", optimiser, epochs=60, validation=(x, y))
    assert history[-1]["loss"] < history[0]["loss"]
    assert history[-1]["validation_accuracy"] > 0.95
    assert nn.evaluate(net, x, y, nn.cross_entropy)["accuracy"] > 0.95
    assert nn.predict(net, x).shape == (300, 2)


def test_a_network_stops_early_with_its_best_weights():
    rng = np.random.default_rng(3)
    x, other_x = rng.normal(size=(20, 4)).astype(np.float32), rng.normal(size=(200, 4)).astype(np.float32)
    teacher = rng.normal(size=(4, 1)).astype(np.float32)
    y, other_y = x @ teacher + rng.normal(size=(20, 1)).astype(np.float32), other_x @ teacher
    gaia.set_seed(1)
    net = nn.Sequential(nn.Dense(4, 64), nn.Tanh(), nn.Dense(64, 1))
    optimiser = nn.Optimiser(net.parameters(), "adam", learning_rate=0.03)
    history = nn.fit(net, x, y, "mse", optimiser, epochs=300, validation=(other_x, other_y), early_stop=4)
    losses = [epoch["validation_loss"] for epoch in history]
    best = int(np.argmin(losses))
    assert len(losses) == best + 1 + 5 < 300
    assert nn.evaluate(net, other_x, other_y, "mse")["loss"] == pytest.approx(losses[best], rel=1e-5)
    with pytest.raises(gaia.ArgumentError, match=r"\[early_stop\] patience: expected at least 0, got -1"):
        nn.fit(net, x, y, "mse", optimiser, early_stop=-1)


def test_classes_count_alike():
    rng = np.random.default_rng(4)
    y = (np.arange(400) % 20 == 0).astype(np.int64)
    x = (rng.normal(size=(400, 2)) + y[:, None]).astype(np.float32)
    found = {}
    for weight in ("none", "balanced"):
        gaia.set_seed(2)
        net = nn.Sequential(nn.Dense(2, 2))
        optimiser = nn.Optimiser(net.parameters(), "adam", learning_rate=0.05)
        history = nn.fit(net, x, y, "cross_entropy", optimiser, epochs=20, class_weight=weight)
        found[weight] = np.asarray(nn.predict(net, x)).argmax(1)
    recall = {weight: np.mean(told[y == 1]) for weight, told in found.items()}
    assert recall["balanced"] > 0.6 > 0.3 > recall["none"]
    # The loss of the last epoch is near the one by hand, since steps are small by then.
    logits = np.asarray(nn.predict(net, x)).astype(np.float64)
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    weights = np.where(y == 1, 400 / (2 * 20), 400 / (2 * 380))
    by_hand = -np.mean(weights * log_p[np.arange(400), y])
    assert history[-1]["loss"] == pytest.approx(by_hand, rel=0.05)
    with pytest.raises(gaia.ArgumentError, match="class_weight"):
        nn.fit(net, x, x, "mse", optimiser, class_weight="balanced")
    with pytest.raises(gaia.ArgumentError, match="class_weight: expected y of classes"):
        nn.fit(net, x, x, "cross_entropy", optimiser, class_weight="balanced")
    with pytest.raises(gaia.ArgumentError, match="none, balanced"):
        nn.fit(net, x, y, "cross_entropy", optimiser, class_weight="equal")


def test_a_network_learns_in_mixed_precision():
    gaia.set_seed(1)
    x, y = spirals()
    net = nn.Sequential(nn.Dense(2, 32), nn.Tanh(), nn.Dense(32, 2))
    full = np.asarray(nn.predict(net, x))
    assert not net.mixed_precision
    net.mixed_precision = True
    mixed = np.asarray(nn.predict(net, x))
    assert mixed.dtype == np.float32
    assert 0.0 < np.abs(mixed - full).max() < 0.05
    optimiser = nn.Optimiser(net.parameters(), "adam", learning_rate=0.02)
    nn.fit(net, x, y, "cross_entropy", optimiser, epochs=60)
    assert nn.evaluate(net, x, y, "cross_entropy")["accuracy"] > 0.95
    assert all(np.asarray(p).dtype == np.float32 for p in net.parameters())


def test_the_loop_of_the_guides():
    gaia.set_seed(1)
    x, y = spirals()
    model = gaia.NeuralNetwork()
    model.add(gaia.Dense(2, 16)).add(gaia.ReLU())
    model.add(gaia.Dense(16, 2))
    optimiser = nn.Optimiser(model.parameters(), "sgd", learning_rate=0.1, momentum=0.9)
    losses = []
    for _ in range(100):
        loss = nn.cross_entropy(model(gaia.Tensor(x)), y)
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_losses_may_be_functions_and_epochs_may_end_it():
    x = np.linspace(-1, 1, 64, dtype=np.float32)[:, None]
    net = nn.Dense(1, 1)
    seen = []
    nn.fit(net, x, 2 * x, lambda answer, target: (gaia.abs(answer - gaia.Tensor(target)) ** 2).mean(),
           nn.Optimiser(net.parameters()), epochs=10, on_epoch=lambda report: seen.append(report) or len(seen) < 3)
    assert len(seen) == 3

    def fail(report):
        raise LookupError("no more")

    with pytest.raises(LookupError):
        nn.fit(net, x, x, "mse", nn.Optimiser(net.parameters()), on_epoch=fail)


def test_networks_are_saved_and_their_parameters_shared():
    net = nn.Sequential(nn.Dense(2, 3), nn.LayerNorm(3), nn.Dropout(0.5), nn.Flatten())
    net.save("net.h5")
    other = nn.Sequential(nn.Dense(2, 3), nn.LayerNorm(3), nn.Dropout(0.5), nn.Flatten())
    other.load("net.h5")
    x = np.ones((4, 2), np.float32)
    np.testing.assert_array_equal(nn.predict(net, x).numpy(), nn.predict(other, x).numpy())
    net.state()["0.weights"].numpy()[:] = 0
    assert (net[0].weights.numpy() == 0).all()
    assert net.parameter_count() == 2 * 3 + 3 + 3 + 3
    assert "dense" in net.summary()


def test_errors_are_of_their_kinds():
    net = nn.Dense(2, 3)
    with pytest.raises(gaia.ShapeError):
        net(gaia.ones((4, 5)))
    with pytest.raises(gaia.ArgumentError, match="lr"):
        nn.Optimiser(net.parameters(), "adam", lr=0.1)
    with pytest.raises(gaia.ArgumentError):
        nn.Optimiser(net.parameters(), "adams")


def test_numpy_copies_a_tensor_where_it_is_asked_to():
    tensor = gaia.Tensor(np.ones((2, 3)))
    for copied in (np.array(tensor), np.array(tensor, dtype="float32"), np.asarray(tensor, dtype="float32")):
        copied[:] = 5
        assert (tensor.numpy() == 1).all()
    np.asarray(tensor)[0, 0] = 7
    assert tensor.numpy()[0, 0] == 7


def test_plastic_layers_write_their_traces_where_they_may():
    layer = nn.PlasticLinear(4, 3, bias=True, dtype="float64")
    x = np.random.default_rng(4).normal(size=(5, 4))
    w = np.asarray(layer.weights)
    scale = np.abs(w).mean(axis=1, keepdims=True)
    ternary = np.clip(np.round(w / scale), -1, 1) * scale
    y = np.asarray(layer(gaia.Tensor(x)))
    assert y == pytest.approx(x @ ternary.T, abs=1e-9)
    fast = 0.05 * np.maximum(y, 0).T @ x / 5
    assert np.asarray(layer.fast) == pytest.approx(fast, abs=1e-9)
    assert np.asarray(layer.slow) == pytest.approx(0.01 * fast, abs=1e-9)

    found = layer.diagnostics()
    assert set(found) == {"fast_norm", "slow_norm", "update_norm", "weight_norm", "sparsity", "gradient_norm"}
    assert found["fast_norm"] == pytest.approx(np.linalg.norm(fast))
    assert np.isnan(found["gradient_norm"])
    assert nn.health("fast_norm", found["fast_norm"]) == "too low" and nn.health("slow_norm", 3.0) == "too high"
    assert nn.health("fast_norm", 1.0) == "healthy" and nn.health("sparsity", 1.0) == ""

    before = np.asarray(layer.fast).copy()
    with nn.trace_guard():
        with nn.trace_guard():
            layer(gaia.Tensor(x))
        layer(gaia.Tensor(x))
    layer.plasticity_enabled = False
    layer(gaia.Tensor(x))
    assert not layer.plasticity_enabled and (np.asarray(layer.fast) == before).all()
    layer.plasticity_enabled = True
    layer.eval()
    y = np.asarray(layer(gaia.Tensor(x)))
    assert (np.asarray(layer.fast) == before).all()
    assert np.asarray(layer.pack()(gaia.Tensor(x))) == pytest.approx(y, abs=1e-12)
    layer.train()
    layer(gaia.Tensor(x))
    assert (np.asarray(layer.fast) != before).any()
    layer.reset_traces()
    assert not np.asarray(layer.fast).any()
    with pytest.raises(gaia.ArgumentError):
        nn.PlasticLinear(4, 3, fast_decay=1.0)
