# SPDX-License-Identifier: MIT
"""What the guides to gaia's predecessors call otherwise, beyond their samples: import paths, and what is refused."""
import subprocess
import sys

import numpy as np
import pytest

import gaia
from gaia import offload
from refused import refused


@pytest.fixture
def veda():
    yield offload
    offload.shutdown()


def test_nothing_of_the_guides_is_read_before_it_is_asked_for():
    program = ("import sys, gaia\n"
               "def read(): return sorted(n for n in sys.modules if n.startswith('gaia.') "
               "and 'guides/' in (sys.modules[n].__file__ or '')\n"
               "                          and n != 'gaia.guides')\n"
               "print(read())\n"
               "gaia.KernelManager\n"
               "print(read())\n")
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.splitlines()
    assert said == ["[]", "['gaia.backends', 'gaia.backends.cuda_kernels']"]


def test_the_import_paths_of_the_guides_lead_to_one_thing_each():
    import gaia.core
    from gaia.backend import np as module
    from gaia.backends import get_backend
    from gaia.backends.cuda_kernels import get_cuda_kernel_manager
    from gaia.core import gpu_utils
    from gaia.hierarchy.level import HierarchicalLevel
    from gaia.hierarchy.manager import HierarchyManager
    from gaia.layers.hebbian import HebbianCore

    assert module is gaia and gpu_utils.matmul is gaia.matmul and gaia.core.np is np
    assert gpu_utils.randn is gaia.random.randn is gaia.randn
    for ours, theirs in ((gaia.HierarchyManager, HierarchyManager), (gaia.HierarchicalLevel, HierarchicalLevel),
                         (gaia.HebbianCore, HebbianCore), (gaia.get_backend, get_backend),
                         (gaia.get_cuda_kernel_manager, get_cuda_kernel_manager)):
        assert ours is theirs
    assert {"HierarchyManager", "get_backend"} <= set(dir(gaia))
    names = {}
    exec("from gaia import *", names)
    assert names["HebbianCore"] is HebbianCore
    with pytest.raises(AttributeError, match="module 'gaia' has no attribute 'HierachyManager'"):
        gaia.HierachyManager
    with pytest.raises(ImportError):
        import gaia.kernel  # noqa: F401


def test_functions_of_gpu_utils_compute_what_gaia_4_says():
    from gaia.core import gpu_utils as utils

    x = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    np.testing.assert_allclose(utils.correlation_matrix(x.T), np.corrcoef(x.T), rtol=1e-5)
    np.testing.assert_allclose(utils.normalize_tensor(x, axis=1),
                               x / (np.linalg.norm(x, axis=1, keepdims=True) + 1e-8), rtol=1e-5)
    numbers = np.array([-2.0, 0.0, 0.5, 3.0])
    slopes = {"relu": [0, 0, 1, 1], "sigmoid": [s * (1 - s) for s in 1 / (1 + np.exp(-numbers))],
              "tanh": 1 - np.tanh(numbers)**2, "linear": [1, 1, 1, 1]}
    for name, expected in slopes.items():
        np.testing.assert_allclose(utils.apply_activation_derivative(numbers, name), expected, rtol=1e-12)
        shown = {"relu": np.maximum(numbers, 0), "sigmoid": 1 / (1 + np.exp(-numbers)), "tanh": np.tanh(numbers),
                 "linear": numbers}[name]
        np.testing.assert_allclose(utils.apply_activation(numbers, name), shown, rtol=1e-12)
    refused(gaia.ArgumentError, "rleu", lambda: utils.apply_activation(numbers, "rleu"))
    made = gaia.to_numpy(utils.initialize_weights((400, 100), "he"))
    assert made.shape == (400, 100) and made.std() == pytest.approx(np.sqrt(2 / 100), rel=0.02)


def test_the_core_takes_parameters_as_gaia_4_does():
    core = gaia.HebbianCore(5, 3, "bcm", params={"learning_rate": 0.02, "decay_rate": 0.0, "bcm_theta": 0.5,
                                                 "homeostatic_strength": 0.1})
    assert core.input_size == 5
    assert core.keys["theta"] == 0.5 and core.keys["learning_rate"] == 0.02 and core.keys["decay"] == 0
    assert core.keys["homeostasis"] == {"target": 0.5, "strength": 0.1}
    assert gaia.HebbianCore(5, 3, "oja", params={"bcm_theta": 2}).keys == gaia.HebbianCore(5, 3, "oja").keys
    assert gaia.HebbianCore(5, 3, params={"ltp": 1.0, "ltd": 0.8}).keys["rule"] == "hebbian_ltp_ltd"
    with pytest.raises(gaia.ArgumentError, match="expected params among learning_rate, .*, got 'theta'"):
        gaia.HebbianCore(5, 3, params={"theta": 1})
    refused(gaia.ArgumentError, "they are factors of hebbian", lambda: gaia.HebbianCore(5, 3, "oja", ltd=0.8))


def test_levels_that_do_not_fit_are_refused():
    level = gaia.HierarchicalLevel(0, 100, 200)
    with pytest.raises(gaia.ArgumentError, match="expected a layer of 100 inputs, got one of 50"):
        level.add_layer(gaia.ReactiveLayer(50, 200))
    manager = gaia.HierarchyManager()
    with pytest.raises(gaia.ArgumentError, match="has 200 outputs: expected a last layer of that size, got none"):
        manager.add_level(level)
    level.add_layer(gaia.ReactiveLayer(100, 200))
    manager.add_level(level)
    refused(gaia.ArgumentError, "there is a level 0 already", lambda: manager.add_level(level))
    manager.add_level(gaia.HierarchicalLevel(1, 7, 2).add_layer(gaia.HebbianCore(7, 2)))
    with pytest.raises(gaia.ArgumentError, match="level 1 has 7 inputs: expected the 200"):
        manager.process_hierarchy(np.ones((3, 100)))


def test_backends_without_a_device_say_why():
    refused(gaia.ArgumentError, "tpu", lambda: gaia.get_backend("tpu"))
    refused(gaia.ArgumentError, "tpu", lambda: gaia.set_backend("tpu"))
    with pytest.raises(gaia.ArgumentError, match="unknown kernel 'gelus'"):
        gaia.get_backend("cpu").benchmark_kernel("gelus", np.ones(3, np.float32))
    if gaia.is_available("cuda"):
        pytest.skip("there is a GPU, which is what the rest does without")
    manager = gaia.get_cuda_kernel_manager()
    x = np.ones((3, 4), np.float32)
    for call in (lambda: gaia.set_backend("gpu"), lambda: gaia.get_backend("cuda").gelu(x), lambda: manager.gelu_forward(x),
                 lambda: manager.layernorm_forward(x), lambda: manager.fused_linear_gelu(x, x),
                 lambda: manager.flash_attention(x, x, x), lambda: gaia.cuda.Device(0),
                 gaia.cuda.runtime.runtimeGetVersion):
        refused(gaia.DeviceError, "cannot be used", call)
    gaia.cuda.Stream.null.synchronize()
    assert gaia.get_backend_name() == "cpu" and gaia.cuda.runtime.getDeviceCount() == 0


def test_kernels_are_called_on_a_device_directly(device):
    if device == "cpu":
        pytest.skip("the kernel manager is that of CUDA devices")
    gaia.set_device(device)
    manager, backend = gaia.get_cuda_kernel_manager(), gaia.get_backend(device)
    x, w = gaia.randn(4, 8), gaia.randn(6, 8)
    for ours, theirs in ((manager.gelu_forward(x), backend.gelu(x)), (manager.layernorm_forward(x), backend.layernorm(x)),
                         (manager.fused_linear_gelu(x, w), backend.fused_linear_gelu(x, w)),
                         (manager.flash_attention(x, x, x), backend.flash_attention(x, x, x))):
        assert gaia.to_numpy(ours).tolist() == gaia.to_numpy(theirs).tolist()
    assert gaia.cuda.Device(0).name and gaia.cuda.runtime.runtimeGetVersion() >= 12000


def test_memory_that_is_not_to_be_had(device):
    gaia.set_device(device)
    with pytest.raises(gaia.cuda.memory.OutOfMemoryError, match="400000000000000 bytes are not to be had"):
        gaia.random.randn(10_000_000, 10_000_000)
    assert gaia.cuda.memory.OutOfMemoryError is gaia.OutOfMemory and issubclass(gaia.OutOfMemory, MemoryError)


def test_offload_decides_by_size(veda):
    small, large = np.ones(1000), np.ones(200_000)
    assert not veda.should_offload(None, [small])
    assert veda.should_offload(None, [large]) == gaia.is_available("cuda")
    assert not veda.should_offload(None, [1_000_000_000])
    veda.init(veda.Config.builder().gpu(False).build())
    assert not veda.should_offload(None, [large])
    assert veda.get_runtime().gpu is None
    refused(gaia.ArgumentError, "expected a Config, got dict", lambda: veda.init({"gpu": True}))


def test_offload_takes_a_function_to_a_device_and_brings_numpy_back(veda, device):
    seen = []

    def scaled_products(rows, factor):
        seen.append(type(rows))
        return {"products": rows @ rows.T * factor, "rows": [rows[0], factor]}

    rows = np.random.default_rng(0).normal(size=(6, 4))
    made = veda.gpu(scaled_products, device=device, always=True)(rows, 3)
    assert seen == [gaia.Array] and isinstance(made["products"], np.ndarray) and made["rows"][1] == 3
    np.testing.assert_allclose(made["products"], 3 * rows @ rows.T, rtol=1e-9)
    np.testing.assert_allclose(made["rows"][0], rows[0])
    assert veda.gpu(scaled_products).__name__ == "scaled_products"
    assert veda.par_iter([1, 2]).map(lambda n: n + 1).map(lambda n: n * 10).collect() == [20, 30]

    def pi_of(count):  # with gaia's numbers the points are drawn where they are counted
        x, y = gaia.random.random(count), gaia.random.random(count)
        return 4.0 * ((x**2 + y**2) <= 1.0).sum() / count

    assert veda.gpu(pi_of, device=device, always=True)(4000) == pytest.approx(np.pi, abs=0.15)
