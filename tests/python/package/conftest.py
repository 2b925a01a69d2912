# SPDX-License-Identifier: MIT
"""What the tests of the Python package share."""
import ctypes
import os

import numpy as np
import pytest

import gaia

# Two emulated GPUs in place of what the machine has, for the whole process.
if os.environ.get("GAIA_EMULATED_GPUS"):
    if ctypes.CDLL(os.environ["GAIA_EMULATED_GPUS"]).gaia_emulate_gpus(2) != 0:
        raise RuntimeError("no emulated GPUs")


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    """Each device that there is: a GPU is that of the machine, or emulated (GAIA_EMULATED_GPUS)."""
    if not gaia.is_available(request.param):
        pytest.skip(f"no {request.param} here: {gaia.why_no_cuda()}")
    yield request.param
    gaia.set_device("cpu")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every test writes its results where nobody else does."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def series():
    """Two slow waves in noise, [400, 3] float64."""
    random = np.random.default_rng(7)
    t = np.arange(400)
    waves = np.stack([np.sin(0.1 * t), np.cos(0.03 * t), np.sin(0.1 * t) + np.cos(0.03 * t)], axis=1)
    return waves + 0.1 * random.normal(size=waves.shape)


@pytest.fixture
def experiment():
    """A small experiment without data."""
    return {
        "experiment": "small",
        "seed": 3,
        "device": "cpu",
        "data": {"window": 2, "normalize": "zscore"},
        "hierarchy": {"levels": [
            {"layers": [{"type": "hebbian", "size": 2, "rule": "sanger", "learning_rate": 0.005}]},
            {"temporal_resolution": 4, "pooling": "mean",
             "layers": [{"type": "hebbian", "size": 2, "rule": "oja_subspace", "learning_rate": 0.01}]},
        ]},
        "readouts": [{"name": "next", "target": {"channel": 0, "horizon": 1}, "levels": [0, 1]}],
    }


@pytest.fixture
def hierarchy():
    """Two levels, of which the second has a resolution of four steps."""
    return gaia.Hierarchy(gaia.Level(gaia.Hebbian(2, "sanger", learning_rate=0.005)),
                          gaia.Level(gaia.Reactive(4, activation="tanh"), gaia.Hebbian(2, "oja", learning_rate=0.01),
                                     temporal_resolution=4, pooling="mean"), seed=1)
