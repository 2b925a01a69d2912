# SPDX-License-Identifier: MIT
"""What the tests of the GPU guides' samples share: data, a look at what is printed, and numbers to compare with.

The samples are as the guides write them but for the module's name and the device.  What a sample needs and does not say
(data, losses) comes before it; docs/python.md lists where one reads otherwise now.  Numbers are checked by NumPy.
"""
import contextlib
import io

import numpy as np
import pytest

import gaia

EMULATED = gaia.is_available("cuda") and "emulated" in gaia.device_info("cuda")["name"]


@pytest.fixture(autouse=True)
def seeds():
    """The same random numbers in every run, in each file that imports this."""
    np.random.seed(0)
    gaia.set_seed(0)


def few(count):
    """As many as the guide says; less where every thread of a GPU is emulated."""
    return max(8, count // 16) if EMULATED else count


def gelu(x):
    x = np.asarray(x, np.float64)
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def close(ours, theirs, tolerance=1e-4):
    np.testing.assert_allclose(gaia.to_numpy(ours), theirs, rtol=tolerance, atol=tolerance)


@contextlib.contextmanager
def printed():
    """What a sample prints, which is part of what it shows."""
    with contextlib.redirect_stdout(io.StringIO()) as text:
        yield text


def spots(count, size=784, classes=10):
    """Pictures of so many classes, one bright spot each, and their classes."""
    random = np.random.default_rng(0)
    labels = random.integers(0, classes, count)
    pictures = 0.3 * random.random((count, size)).astype(np.float32)
    pictures[np.arange(count), labels * (size // classes)] = 1.0
    return pictures, labels
