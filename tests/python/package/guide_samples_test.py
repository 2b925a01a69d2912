# SPDX-License-Identifier: MIT
"""All Python samples of the five guides to gaia's predecessors, run in the order of each guide.

guide_samples/ has them word for word.  What is changed before they run is said here and nowhere else: the module's name
(MODULES), the name of the device where there is no GPU (DEVICES), and sizes (SMALLER; GAIA_GUIDES_WHOLE=1 leaves them).
What a sample needs and does not say, data and losses, stands in `given`.  Samples that end with an error are listed in
ENDS, and in docs/python.md with the reason.  CHECKS looks at what samples have left, by NumPy.
"""
import contextlib
import io
import os
import re
from pathlib import Path

import numpy as np
import pytest

import gaia
from gaia import nn, offload

SAMPLES = Path(__file__).parent / "guide_samples"
EMULATED = gaia.is_available("cuda") and "emulated" in gaia.device_info("cuda")["name"]
CORTEX, CORTEX_2, GAIA4, NEURAL_ARCH, VEDART = ("cortex-backend-summary", "cortex-gpu-support", "gaia-gpu-guide",
                                                "neural-arch-cuda-guide", "vedart-gpu-guide")

MODULES = [("import cortex", "import gaia as cortex"), ("from .backend ", "from gaia.backend "),
           ("import cupy as cp", "import gaia as cp"), ("from neural_arch.", "from gaia."),
           ("import vedart as veda", "from gaia import offload as veda")]
DEVICES = [("'gpu'", "'cpu'"), ("'cuda'", "'cpu'"), ('"cuda"', '"cpu"'), ("'cupy'", "'numpy'"), ("to_gpu", "to_cpu")]
ALWAYS = [("1_000_000_000", "1_000_000")]  # which would take 32 GB
SMALLER = [("np.random.rand(1000, 1000) for _ in range(100)", "np.random.rand(20, 20) for _ in range(5)"),
           ("5000, 5000", "300, 300"), ("10000, 10000", "1000, 1000"), (" randn(1000, 1000)", " randn(200, 200)"),
           ("range(1000):\n    x_cpu", "range(10):\n    x_cpu"), ("range(1000):\n    x = x", "range(10):\n    x = x")]
# A GPU of which every thread is emulated.
SMALLEST = SMALLER + [("300, 300", "16, 16"), ("200, 200", "32, 32"), ("1000, 1000", "32, 32"), ("2048, 2048", "128, 128"),
                      ("1024, 1024", "64, 64"), ("1024, 512", "64, 512"), ("768, 512", "48, 512"),
                      ("randn(768)", "randn(48)"), ("100, 512", "100, 32"), ("randn(128, 512)", "randn(8, 512)"),
                      ("= 4, 8, 512, 64", "= 1, 2, 32, 64"), ("= 128, 768", "= 8, 768"), ("10000", "64"),
                      ("randn(1000, 10)", "randn(64, 10)"), ("data, 1000)", "data, 64)"), ("range(10):", "range(2):")]

# The samples that end with an error, as docs/python.md has them: number in the guide, error, words of its message.
ENDS = {
    (CORTEX_2, 9): (gaia.ArgumentError, "one element"),
    (GAIA4, 2): (gaia.ArgumentError, "expected at least one level, got none"),
    (GAIA4, 4): (gaia.ArgumentError, "expected at least one level, got none"),
    (CORTEX_2, 12): (SyntaxError, ""),  # a command of the shell
    (VEDART, 5): (ImportError, "numba"),
}


@pytest.fixture(autouse=True)
def seeds():
    np.random.seed(0)
    gaia.set_seed(0)
    yield
    offload.shutdown()


def spots(count, size=784, classes=10):
    """Pictures of so many classes, one bright spot each, and their classes."""
    random = np.random.default_rng(0)
    labels = random.integers(0, classes, count)
    pictures = 0.3 * random.random((count, size)).astype(np.float32)
    pictures[np.arange(count), labels * (size // classes)] = 1.0
    return pictures, labels


class Batches:
    """Data that are asked for in batches."""

    def __init__(self, rows):
        self.rows = rows

    def batches(self, size):
        return [self.rows[at:at + size] for at in range(0, len(self.rows), size)]


class StepOf:
    """An optimiser of the model that the sample makes, which it has not yet when it begins."""

    def __init__(self, names):
        self.names = names
        self.made = {}

    def step(self):
        model = self.names["model"]
        if model not in self.made:
            self.made = {model: nn.Optimiser(model.parameters(), "sgd", learning_rate=0.05)}
        self.made[model].step()


def manager_of(inputs, outputs):
    level = gaia.HierarchicalLevel(0, input_size=inputs, output_size=outputs)
    level.add_layer(gaia.HebbianCore(inputs, outputs, "oja"))
    manager = gaia.HierarchyManager(seed=4)
    manager.add_level(level)
    return manager


def given(guide, number, names):
    """What sample `number` of a guide needs, and the guide does not say."""
    pictures, classes = spots(64)
    if guide in (CORTEX, CORTEX_2):
        names.setdefault("cortex", gaia)
        names.update(criterion=nn.cross_entropy, optimizer=StepOf(names), load_mnist=lambda: spots(96), num_epochs=2,
                     dataloader=[pictures[:32], pictures[32:]], labels=classes[:32], large_operation=lambda: None)
        if guide == CORTEX:
            names.setdefault("np", np)
            names.update(gpu_tensor=gaia.Tensor([1.0, 2.0]))
        if (guide, number) == (CORTEX_2, 6):
            names.update(x=gaia.Tensor([1.0, -2.0]))
        if (guide, number) == (CORTEX_2, 7):
            names.update(data=Batches(pictures))
        if (guide, number) == (CORTEX_2, 11):
            train, targets = spots(256)
            names.update(X_train=train, y_train=targets, X_test=pictures,
                         model=gaia.NeuralNetwork().add(gaia.Dense(784, 32)).add(gaia.ReLU()).add(gaia.Dense(32, 10)))
    if guide == GAIA4:
        # From here on there is a manager with a level, where the guide's has none.
        if number in (3, 5, 6):
            names.update(manager=manager_of(10, 4), data=np.random.randn(64 if EMULATED else 1000, 10))
        names.update(samples=[1, 2], process=lambda sample: sample, process_batch=lambda batch: batch,
                     heavy_computation=lambda data: None, light_operation=lambda: None, batch_size=64)
    if guide == NEURAL_ARCH:
        names.setdefault("cp", gaia)
    if guide == VEDART:
        names.setdefault("np", np)
        names.update(get_gpu_memory_free=lambda: 0, load_many_images=lambda: [np.random.rand(16, 16) for _ in range(3)],
                     gaussian_kernel=np.outer([1, 2, 1], [1, 2, 1]) / 16,
                     data=np.arange(5.0), num_epochs=100,
                     learning_rate=0.1)
        if number == 17:
            rows = np.random.default_rng(0).normal(size=(200, 3))
            names.update(X_train=rows, y_train=rows @ [1.0, -2.0, 0.5], weights=np.zeros(3))


def gelu(x):
    x = np.asarray(gaia.to_numpy(x), np.float64)
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def close(ours, theirs, tolerance=1e-4):
    np.testing.assert_allclose(gaia.to_numpy(ours), theirs, rtol=tolerance, atol=tolerance)


def doubles(*arrays):
    return [np.asarray(gaia.to_numpy(x), np.float64) for x in arrays]


# What samples have left and printed: functions of their names and their words.


def model_by_hand(n, said):
    x, w, b = doubles(n["x"], n["W"], n["b"])
    on = (x @ w + b > 0).astype(float)
    close(n["y"], np.maximum(x @ w + b, 0))
    close(n["W"].grad, x.T @ on)
    close(n["b"].grad, on.sum(axis=0, keepdims=True))


def moved_and_saved(n, said):
    assert n["x_cpu"].tolist() == gaia.to_numpy(n["x_back"]).tolist() == [1, 2, 3, 4, 5]
    assert n["x_back"].device.startswith(gaia.get_device())


def product_of_vectors(n, said):
    assert said == ["cpu", gaia.get_device()]
    assert n["z"].item() == 32 and gaia.to_numpy(n["x"].grad).tolist() == [4, 5, 6]
    assert gaia.to_numpy(n["y"].grad).tolist() == [1, 2, 3]


def backend_is_gaia(n, said):
    assert n["backend_module"] is gaia and n["name"] == gaia.get_device()


def shares_of_classes(n, said):
    shares = gaia.to_numpy(n["output"])
    assert shares.shape == (32, 10) and (shares >= 0).all()
    close(shares.sum(axis=1), np.ones(32))


def gradients_of_two(n, said):
    assert gaia.to_numpy(n["z"]).tolist() == [[19, 22], [43, 50]]
    n["z"].sum().backward()
    assert gaia.to_numpy(n["x"].grad).tolist() == [[11, 15], [11, 15]]


def learnt_pictures(n, said):
    scores = gaia.to_numpy(n["model"].forward(n["batch_x"]))
    wrong = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(32), n["batch_y"]]
    assert wrong.mean() < n["loss"].item() < np.log(10)


def answers_are_saved(n, said):
    assert np.load("predictions.npy").shape == (64, 10) and not n["predictions"].requires_grad


def device_is_told(n, said):
    assert said[0] == f"CUDA Available: {gaia.is_available('cuda')}" and said[1].startswith("Device: ")
    assert re.fullmatch(r"Memory: [\d.]+ [MGT]B", said[2])


def rows_of_length_1(n, said):
    assert n["representations"][0].shape == (len(n["data"]), 4)
    close(np.linalg.norm(n["manager"].hierarchy.weights(), axis=1), 1)


def shown_before_it_learns(n, said):
    fresh = manager_of(10, 4)
    close(n["result"][0][0], fresh.hierarchy.weights() @ gaia.to_numpy(n["data"])[0], 1e-3)


def operations(n, said):
    a, b = doubles(n["a"], n["b"])
    assert n["xp"] is gaia and n["result"].device == "cpu"
    close(n["c"], a @ b, 1e-3)
    close(n["d"], a @ b, 1e-3)
    close(n["e"], (a @ b).mean(axis=0), 1e-3)
    assert float(n["result"]) == pytest.approx(np.linalg.norm(a @ b), rel=1e-4)


def times(n, said):
    result = n["gpu_result"]
    assert len(said) == 3 and n["cpu_result"].device == "cpu" and result.device.startswith(gaia.get_device())
    assert result["mean_time"] == pytest.approx(np.mean(result["times"]))


def three_levels(n, said):
    shown, x = n["representations"], gaia.to_numpy(n["data"])
    assert [shown[level].shape for level in range(3)] == [(len(x), size) for size in (200, 400, 800)]
    close(shown[0], np.maximum(x @ n["manager"].hierarchy.weights(0).T, 0), 1e-3)
    assert (shown[1][2] == shown[1][3]).all() and (shown[2][4] == shown[2][7]).all()  # held
    assert (shown[2][4] != shown[2][8]).any()
    for level in (1, 2):
        close(np.linalg.norm(n["manager"].hierarchy.weights(level), axis=1), 1)


def linear_gelu(n, said):
    x, w, b = doubles(n["input_gpu"], n["weight_gpu"], n["bias_gpu"])
    close(n["output"], gelu(x @ w.T + b), 1e-3)


def attention(n, said):
    q, k, v = doubles(n["q"], n["k"], n["v"])
    scores = 0.125 * q @ k.swapaxes(2, 3)
    weights = np.exp(scores - scores.max(axis=3, keepdims=True))
    close(n["attention_output"], weights / weights.sum(axis=3, keepdims=True) @ v)


def layer_norm(n, said):
    x, = doubles(n["input_gpu"])
    close(n["output"], (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5))


def kernels_by_name(n, said):
    assert said[0] == f"CUDA available: {gaia.is_available('cuda')}"
    assert {"attention", "layer_norm", "linear_gelu"} <= set(n["kernel_manager"].compiled_kernels)
    if gaia.is_available("cuda"):
        close(n["result"], gelu(n["x"]))


def memory(n, said):
    used, total = np.array([[float(number) for number in re.findall(r"([\d.]+) MB", line)] for line in said]).T
    assert used[1] >= used[0] >= used[2] - 0.1 and (EMULATED or used[1] > used[0]) and (total >= used).all()


def large_and_small(n, said):
    assert isinstance(n["C_small"], np.ndarray) and (n["C_small"] == 10).all()
    np.testing.assert_allclose(n["C_large"], n["A_large"] @ n["B_large"])


def spectra(n, said):
    for found, matrix in zip(n["eigenvalues"], n["matrices"]):
        assert found.sum().real == pytest.approx(np.trace(matrix))


def two_devices(n, said):
    data = np.arange(1000.0)
    assert (n["process_on_gpu_0"](data) == 2 * data).all() and (n["process_on_gpu_1"](data) == data**2).all()


def products_of_normal_rows(n, said):
    x = np.random.randn(30, 8)
    scaled = (x - x.mean(axis=0)) / x.std(axis=0)
    np.testing.assert_allclose(n["efficient_operation"](x), scaled @ scaled.T, rtol=1e-9, atol=1e-9)


def runtime_of_the_machine(n, said):
    assert said == ([] if n["runtime"].gpu is None else said) and (len(said) == 4) == gaia.is_available("cuda")


def filtered(n, said):
    convolve = pytest.importorskip("scipy.ndimage").convolve
    for image, made in zip(n["images"], n["filtered"]):
        np.testing.assert_allclose(made, convolve(image, n["gaussian_kernel"]))


CHECKS = {
    (CORTEX, 5): lambda n, said: said == [gaia.get_device()] or pytest.fail(said), (CORTEX, 6): model_by_hand,
    (CORTEX, 7): moved_and_saved,
    (CORTEX_2, 1): product_of_vectors, (CORTEX_2, 2): backend_is_gaia, (CORTEX_2, 4): shares_of_classes,
    (CORTEX_2, 9): gradients_of_two, (CORTEX_2, 10): learnt_pictures, (CORTEX_2, 11): answers_are_saved,
    (GAIA4, 1): device_is_told, (GAIA4, 3): rows_of_length_1, (GAIA4, 6): shown_before_it_learns,
    (GAIA4, 10): operations, (GAIA4, 11): times, (GAIA4, 14): three_levels,
    (NEURAL_ARCH, 3): lambda n, said: close(n["result"], gelu(n["x_gpu"])), (NEURAL_ARCH, 4): linear_gelu,
    (NEURAL_ARCH, 5): attention, (NEURAL_ARCH, 6): layer_norm, (NEURAL_ARCH, 7): kernels_by_name,
    (NEURAL_ARCH, 9): memory,
    (NEURAL_ARCH, 14): lambda n, said: said[-1].endswith("Kernel correctness validated") or pytest.fail(said),
    (VEDART, 1): large_and_small,
    (VEDART, 4): lambda n, said: n["result"].tolist() == [5, 7, 9] or pytest.fail(n["result"]),
    (VEDART, 6): spectra, (VEDART, 7): two_devices,
    (VEDART, 8): lambda n, said: n["results"] == [m**2 for m in range(10_000)] or pytest.fail("squares"),
    (VEDART, 10): products_of_normal_rows, (VEDART, 11): runtime_of_the_machine,
    (VEDART, 15): lambda n, said: np.testing.assert_allclose(n["result"], n["result_cpu"]), (VEDART, 16): filtered,
    (VEDART, 17): lambda n, said: np.testing.assert_allclose(n["weights"], [1, -2, 0.5], atol=1e-6),
    (VEDART, 18): lambda n, said: n["pi"] == pytest.approx(np.pi, abs=0.05) or pytest.fail(n["pi"]),
}


def samples_of(guide):
    """The samples of a guide with the heading above each."""
    text = (SAMPLES / f"{guide}.md").read_text(encoding="utf-8")
    return re.findall(r"^## (.*?)\n\n```python\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)


def here(sample, device):
    """A sample as it runs here: with gaia's name, on the device that there is, of a size that a test may have."""
    changes = MODULES + ALWAYS
    if device == "cpu":
        changes += DEVICES
    if not os.environ.get("GAIA_GUIDES_WHOLE"):
        changes += SMALLEST if device == "cuda" and EMULATED else SMALLER
    for old, new in changes:
        sample = sample.replace(old, new)
    return sample


@pytest.mark.parametrize("guide", [CORTEX, CORTEX_2, GAIA4, NEURAL_ARCH, VEDART])
def test_all_samples_of_a_guide_run(guide, device):
    names = {"__name__": "guide"}
    ran = 0
    for number, (heading, sample) in enumerate(samples_of(guide), 1):
        given(guide, number, names)
        if (guide, number) == (VEDART, 16) and not has("scipy"):
            continue
        ends = ENDS.get((guide, number))
        with contextlib.redirect_stdout(io.StringIO()) as text:
            try:
                exec(compile(here(sample, device), f"{guide}, sample {number}: {heading}", "exec"), names)
            except BaseException as error:
                assert ends and isinstance(error, ends[0]) and ends[1] in str(error), (guide, number, heading, error)
            else:
                assert not ends or (guide == VEDART and has("numba")), (guide, number, heading, "was to end with", ends)
        check = CHECKS.get((guide, number))
        if check:
            check(names, text.getvalue().splitlines())
        ran += 1
    print(f"{guide}: {ran} samples on {device}, {sum(key[0] == guide for key in ENDS)} of which end with the error listed")


def has(module):
    try:
        __import__(module)
    except ImportError:
        return False
    return True
