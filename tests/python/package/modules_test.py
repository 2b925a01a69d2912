# SPDX-License-Identifier: MIT
"""Modules of one's own, copies and pickles of modules, data in batches and parts."""
import copy
import pickle

import numpy as np
import pytest

import gaia
from gaia import nn
from refused import refused


class Scaled(nn.Module):
    """A module with parts of every kind."""

    def __init__(self, n, name="scaled"):
        super().__init__()
        self.inner = nn.Sequential(nn.Dense(n, n), nn.Tanh())
        self.factor = gaia.Tensor(np.full(n, 2.0, np.float32))
        self.seen = gaia.zeros(1)
        self.name = name

    def forward(self, x, times=1):
        if self.is_training:
            self.seen += 1
        for _ in range(times):
            x = self.factor * self.inner(x)
        return x


class NoForward(nn.Module):
    pass


# Function that builds each kind of module, and what it reads.
KINDS = {
    "BatchNorm1d": (lambda: nn.BatchNorm1d(3), (4, 3)), "BatchNorm2d": (lambda: nn.BatchNorm2d(3), (2, 3, 4, 4)),
    "Conv2d": (lambda: nn.Conv2d(3, 2, 3, padding=1), (2, 3, 5, 5)), "Dense": (lambda: nn.Dense(3, 2, "tanh"), (4, 3)),
    "Dropout": (lambda: nn.Dropout(0.5), (40, 3)), "ELU": (lambda: nn.ELU(0.5), (4, 3)),
    "Embedding": (lambda: nn.Embedding(5, 2), None), "Flatten": (nn.Flatten, (4, 3, 2)), "GELU": (nn.GELU, (4, 3)),
    "GaussianEnsemble": (lambda: nn.GaussianEnsemble(3, 2, members=2, hidden=[4]), (4, 3)),
    "LayerNorm": (lambda: nn.LayerNorm(3), (4, 3)), "LeakyReLU": (nn.LeakyReLU, (4, 3)),
    "MaxPool2d": (nn.MaxPool2d, (2, 3, 4, 4)), "PlasticLinear": (lambda: nn.PlasticLinear(3, 2, bias=True), (4, 3)),
    "ReLU": (nn.ReLU, (4, 3)), "Reshape": (lambda: nn.Reshape((3, 2)), (4, 6)),
    "RewiredDense": (lambda: nn.RewiredDense(3, 4, 0.5, 10), (4, 3)),
    "Sequential": (lambda: nn.Sequential(nn.Dense(3, 2), nn.ReLU()), (4, 3)), "SiLU": (nn.SiLU, (4, 3)),
    "NeuralNetwork": (lambda: nn.NeuralNetwork().add(nn.Dense(3, 2)), (4, 3)),
    "Sigmoid": (nn.Sigmoid, (4, 3)), "Softmax": (nn.Softmax, (4, 3)), "Softplus": (nn.Softplus, (4, 3)),
    "Tanh": (nn.Tanh, (4, 3)), "Scaled": (lambda: Scaled(3), (4, 3)),
}
COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda net: pickle.loads(pickle.dumps(net)), "copy": copy.copy}


def read(shape):
    return gaia.array(np.random.default_rng(0).normal(size=shape)) if shape else gaia.array([0, 3, 4])


def arrays(net):
    return {name: value.numpy().copy() for name, value in net.state().items()}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("kind", KINDS)
def test_modules_are_copied_with_all_that_they_hold(kind, how):
    make, shape = KINDS[kind]
    net, x = make(), read(shape)
    net(x) if kind != "Embedding" else None  # batch norm, traces and dropout go on from there
    net.eval()
    twin = COPIES[how](net)
    assert type(twin) is type(net) and not twin.is_training
    before = arrays(net)
    assert before.keys() == arrays(twin).keys()
    for name, value in arrays(twin).items():
        np.testing.assert_array_equal(value, before[name])
    np.testing.assert_array_equal(twin(x).numpy(), net(x).numpy())
    assert twin._counts() == net._counts()
    # They share nothing, unless `copy` has shared the parts.
    if how != "copy":
        for value in twin.state().values():
            value.fill(3)
        for name, value in arrays(net).items():
            np.testing.assert_array_equal(value, before[name])
    net.train()
    assert net.is_training and (how == "copy" or not twin.is_training)


def test_every_kind_of_module_is_tried():
    kinds = {name for name in nn.__all__ if isinstance(getattr(nn, name), type) and issubclass(getattr(nn, name), nn.Module)}
    made_by_others = {"Module", "PackedPlasticLinear"}
    tried = [name for name in kinds - made_by_others if name in KINDS]
    print(f"{len(tried)} of {len(kinds)} kinds")
    # What has no example here is at least built by a constructor that keeps what it was given.
    for name in kinds - made_by_others:
        assert hasattr(getattr(nn, name), "__init__")
    assert len(tried) >= 23


def test_switches_frozen_parameters_and_modes_are_kept():
    net = nn.Sequential(nn.PlasticLinear(3, 2), nn.Dense(2, 2), nn.Dropout(0.5))
    net[0].plasticity_enabled = False
    net[1].weights.requires_grad = False
    net[2].eval()
    twin = pickle.loads(pickle.dumps(net))
    assert not twin[0].plasticity_enabled and not twin[1].weights.requires_grad and twin[1].bias.requires_grad
    assert twin.is_training and twin[1].is_training and not twin[2].is_training
    assert twin[-1].type == "dropout"
    refused(gaia.PositionError, r"\[Sequential\] expected a position from -3 to 2, got 3", lambda: net[3])


def test_a_module_of_ones_own_is_trained_and_saved():
    gaia.set_seed(4)
    net = Scaled(3)
    assert [name for name, _ in net.named_parameters()] == ["factor", "inner.0.weights", "inner.0.bias"]
    assert set(net.state()) == {"factor", "seen", "inner.0.weights", "inner.0.bias"} and net.type == "Scaled"
    x = np.random.default_rng(0).normal(size=(64, 3)).astype(np.float32)
    y = np.tanh(x @ np.eye(3, k=1, dtype=np.float32))
    history = nn.fit(net, x, y, "mse", nn.Optimiser(net.parameters(), learning_rate=0.02), epochs=30)
    assert history[-1]["loss"] < 0.3 * history[0]["loss"] and net.seen.item() == 60
    assert net.factor.tolist() != [2, 2, 2]
    np.testing.assert_allclose(net(gaia.Tensor(x), times=2).numpy(), net(net(gaia.Tensor(x))).numpy(), 1e-5)
    net.save("own.h5")
    other = Scaled(3)
    other.load("own.h5")
    inside = nn.Sequential(net, nn.Dense(3, 1))
    np.testing.assert_array_equal(nn.predict(other, x).numpy(), nn.predict(inside[0], x).numpy())
    assert len(inside.parameters()) == 5 and isinstance(inside[0], Scaled) and inside[0].name == "scaled"
    # A part is replaced in its place; the parameters of the first one are gone.
    net.inner = nn.Dense(3, 3, bias=False)
    net.factor = gaia.Tensor([1.0, 1.0, 1.0])
    assert [name for name, _ in net.named_parameters()] == ["factor", "inner.weights"] and net.factor.tolist() == [1, 1, 1]


def test_errors_of_forward_reach_the_caller():
    class Failing(nn.Module):
        def forward(self, x):
            raise LookupError("no more")

    class Wrong(nn.Module):
        def forward(self, x):
            return 3

    x = np.ones((2, 3), np.float32)
    refused(LookupError, "no more", lambda: nn.predict(nn.Sequential(Failing()), x))
    with pytest.raises(gaia.ArgumentError, match=r"\[forward\] expected forward of Wrong to return a Tensor, got int"):
        nn.predict(Wrong(), x)
    with pytest.raises(gaia.ArgumentError, match=r"\[forward\] expected the class NoForward to have a forward"):
        NoForward()(gaia.Tensor(x))


def test_what_a_module_of_ones_own_cannot_be_is_told():
    class Early(nn.Module):
        def __init__(self):
            self.inner = nn.Dense(2, 2)

    refused(gaia.ArgumentError, r"\[Early\] call super\(\).__init__\(\) before inner is set", lambda: Early())
    with pytest.raises(gaia.ArgumentError, match="derive from nn.Module, got Dense"):
        class Doubled(nn.Dense):
            def forward(self, x):
                return x
    net = Scaled(2)
    with pytest.raises(gaia.ArgumentError, match=r"layers: a list of modules"):
        net.layers = [nn.Dense(2, 2)]
    with pytest.raises(gaia.ArgumentError, match="factor is a parameter or a buffer"):
        net.factor = 3.0
    with pytest.raises(gaia.ArgumentError, match="inner is a part of the module"):
        net.inner = None
    with pytest.raises(gaia.ArgumentError, match="stays"):
        del net.inner
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        net.other
    with pytest.raises(gaia.ArgumentError, match="got a dense"):
        nn.Dense(2, 2).part = nn.Dense(2, 2)
    refused(gaia.ArgumentError, r"\[Sequential\] expected modules, got int", lambda: nn.Sequential(nn.Dense(2, 2), 3))


def test_tensors_and_arrays_are_pickled():
    t = pickle.loads(pickle.dumps(gaia.Tensor([1.0, 2.0])))
    assert t.requires_grad and t.tolist() == [1, 2]
    assert not copy.deepcopy(gaia.Tensor([1.0], requires_grad=False)).requires_grad


def test_data_come_in_batches():
    x, y = np.arange(20.0).reshape(10, 2), np.arange(10)
    data = nn.DataLoader(x, y, batch_size=4)
    assert len(data) == data.batches == 3 and data.samples == 10 and data.batch_size == 4
    seen = list(data)
    assert [one.shape for one, _ in seen] == [(4, 2), (4, 2), (2, 2)]
    np.testing.assert_array_equal(np.concatenate([of.numpy() for _, of in seen]), y)
    shuffled = nn.DataLoader(x, y, batch_size=4, shuffle=True, seed=3, drop_last=True)
    first, second = ([of.tolist() for _, of in shuffled] for _ in range(2))
    assert first != second and [len(one) for one in first] == [4, 4]
    assert first == [of.tolist() for _, of in shuffled.epoch(0)] and second == [of.tolist() for _, of in shuffled.epoch(1)]
    for batch, of in shuffled:
        np.testing.assert_array_equal(batch.numpy()[:, 0], 2 * of.numpy())
    with pytest.raises(gaia.ShapeError):
        nn.DataLoader(x, y[:3])
    with pytest.raises(gaia.ArgumentError):
        nn.DataLoader(x, y, batch_size=0)


def test_data_fall_into_parts_and_come_to_one_scale():
    x, y = np.random.default_rng(1).normal(3, 2, (40, 3)), np.arange(40)
    parts = nn.split(x, y, 0.25, seed=7)
    assert parts.train_x.shape == (30, 3) and parts.test_y.shape == (10,)
    assert sorted(parts.train_y.tolist() + parts.test_y.tolist()) == list(range(40))
    np.testing.assert_array_equal(parts.test_x.numpy(), x[parts.test_y.numpy()])
    again = nn.train_test_split(x, y, 0.25, seed=7)
    assert again.test_y.tolist() == parts.test_y.tolist() != nn.split(x, y, 0.25, seed=8).test_y.tolist()
    scale = nn.normalizer_of(parts.train_x)
    np.testing.assert_allclose(scale.apply(parts.train_x).numpy().std(0), 1, 1e-12)
    np.testing.assert_allclose(scale.restore(scale.apply(x)).numpy(), x, 1e-12)
    with pytest.raises(gaia.ArgumentError):
        nn.split(x, y, 1.5)
