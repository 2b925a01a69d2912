# SPDX-License-Identifier: MIT
"""Samples of the guide to GAIA 4, whose names are gaia's."""
import time

import numpy as np
import pytest
from guides import close, EMULATED, printed, seeds  # noqa: F401

import gaia


def test_gaia_verify_installation():
    from gaia import get_device_info

    info = get_device_info()
    with printed() as text:
        print(f"CUDA Available: {info['cuda_available']}")
        print(f"Device: {info['device_name']}")
        print(f"Memory: {info['device_memory']}")
    assert text.getvalue().startswith(f"CUDA Available: {gaia.is_available('cuda')}\nDevice: ")
    assert info["device_memory"].split()[1] in ("GB", "MB", "TB") and float(info["device_memory"].split()[0]) > 0
    assert gaia.device_info()["device"] == "cpu"
    assert gaia.device_info()["total_memory"] >= gaia.device_info()["free_memory"] > 0


def test_gaia_automatic_device_selection():
    from gaia import HierarchyManager

    # The guide's manager has no levels, and gives nothing.
    manager = HierarchyManager()
    data = np.random.randn(1000, 10)
    with pytest.raises(gaia.ArgumentError, match="expected at least one level, got none"):
        manager.process_hierarchy(data, 1000)


def manager_of(inputs, outputs):
    level = gaia.HierarchicalLevel(0, input_size=inputs, output_size=outputs)
    level.add_layer(gaia.HebbianCore(inputs, outputs, "oja"))
    manager = gaia.HierarchyManager(seed=4)
    manager.add_level(level)
    return manager


def test_gaia_manual_device_control(device):
    from gaia import get_device, set_device

    manager, data = manager_of(10, 4), np.random.randn(1000, 10)

    # Force CPU
    set_device('cpu')

    # Force GPU
    set_device(device)

    # Check current device
    assert f"Current device: {get_device()}" == f"Current device: {device}"

    # Process
    representations = manager.process_hierarchy(data, 1000)
    assert representations[0].shape == (1000, 4)
    np.testing.assert_allclose(np.linalg.norm(manager.hierarchy.weights(), axis=1), 1, rtol=1e-5)
    if not gaia.is_available("cuda:7"):
        with pytest.raises(gaia.DeviceError, match="'cuda:7' cannot be used: .*; use device 'cpu'|has \\d+ CUDA device"):
            set_device("cuda:7")
    assert get_device() == device


def test_gaia_context_manager(device):
    from gaia import GPUContext

    data = np.random.randn(1000, 10)

    # All operations inside use GPU
    with GPUContext(device):
        assert gaia.get_device() == device
        manager = manager_of(10, 4)
        representations = manager.process_hierarchy(data, 1000)

    # Automatically back to CPU
    assert gaia.get_device() == "cpu"
    on_cpu = manager_of(10, 4).process_hierarchy(data, 1000)
    np.testing.assert_allclose(representations[0], on_cpu[0], rtol=1e-3, atol=1e-3)
    with GPUContext():  # GPU if there is one
        assert gaia.get_device() == ("cuda" if gaia.is_available("cuda") else "cpu")


def test_gaia_minimise_transfers(device):
    from gaia import to_gpu

    gaia.set_device(device)
    manager = manager_of(10, 4)
    if gaia.is_available("cuda"):
        data = to_gpu(np.random.randn(1000, 10))  # GPU once
        assert data.device == "cuda:0"
    else:
        with pytest.raises(gaia.DeviceError, match="cannot be used"):
            to_gpu(np.random.randn(1000, 10))
        data = gaia.to_backend(np.random.randn(1000, 10))
    result = manager.process_hierarchy(data, 1000)  # All on GPU
    first = gaia.to_numpy(data)[0]
    assert result[0].shape == (1000, 4) and np.isfinite(result[0]).all()
    fresh = manager_of(10, 4)
    shown = fresh.hierarchy.weights() @ first
    np.testing.assert_allclose(result[0][0], shown, rtol=1e-3, atol=1e-4)  # shown before it learns


def test_gaia_custom_operations(device):
    from gaia import (dot, exp, get_array_module, get_device, matmul, mean, norm, ones, outer, randn, relu, set_device,
                      sigmoid, std, sum, tanh, to_cpu, uniform, zeros)

    set_device(device)
    # Get appropriate array module (CuPy or NumPy)
    xp = get_array_module()

    # Create arrays on current device
    a = randn(100, 100)  # GPU if available
    b = randn(100, 100)

    # Perform operations (GPU if available)
    c = dot(a, b)  # Matrix multiplication
    d = matmul(a, b)  # Matrix multiply
    e = mean(c, axis=0)  # Mean reduction
    f = norm(d)  # L2 norm

    # Move back to CPU if needed
    result = to_cpu(f)

    A, B = gaia.to_numpy(a), gaia.to_numpy(b)
    assert xp is gaia and get_device() == device and a.device.startswith(device) and result.device == "cpu"
    close(c, A @ B, 1e-3)
    close(d, A @ B, 1e-3)
    close(e, (A @ B).mean(axis=0), 1e-3)
    assert float(result) == pytest.approx(np.linalg.norm(A @ B), rel=1e-4)
    # The guide imports more than it uses.
    close(outer(a[0], b[0]), np.outer(A[0], B[0]))
    close(std(a, axis=1), A.std(axis=1))
    close(sum(a), A.sum(), 1e-2)
    close(sigmoid(a), 1 / (1 + np.exp(-A)))
    close(relu(tanh(a)) + exp(-a), np.maximum(np.tanh(A), 0) + np.exp(-A))
    assert float(sum(ones((2, 3)) + zeros((2, 3)))) == 6
    drawn = gaia.to_numpy(uniform(2.0, 3.0, (50, 20)))
    assert drawn.shape == (50, 20) and 2 <= drawn.min() < 2.1 < 2.9 < drawn.max() < 3


def test_gaia_benchmarking_your_code(device):
    from gaia import benchmark_device, matmul, mean, randn, set_device

    size = 64 if EMULATED else 300

    def my_operation():
        a = randn(size, size)
        b = matmul(a, randn(size, size))
        return mean(b)

    # Benchmark on CPU
    set_device('cpu')
    cpu_result = benchmark_device(my_operation, warmup=1, repeats=4)

    # Benchmark on GPU
    set_device(device)
    gpu_result = benchmark_device(my_operation, warmup=1, repeats=4)

    # Compare
    with printed() as text:
        print(f"CPU: {cpu_result['mean_time']*1000:.2f}ms")
        print(f"GPU: {gpu_result['mean_time']*1000:.2f}ms")
        print(f"Speedup: {cpu_result['mean_time']/gpu_result['mean_time']:.1f}x")
    assert text.getvalue().count("\n") == 3
    assert cpu_result.device == "cpu" and gpu_result.device.startswith(device)
    times = np.array(gpu_result["times"])
    assert len(times) == 4 and (times > 0).all()
    for field, value in (("mean_time", times.mean()), ("std_time", times.std()), ("min_time", times.min()),
                         ("max_time", times.max()), ("total_time", times.sum()), ("median_time", np.median(times))):
        assert gpu_result[field] == pytest.approx(value, rel=1e-9)
    with pytest.raises(AttributeError):
        gpu_result["best_time"]


def test_gaia_small_data_on_the_cpu(device):
    data = np.ones((100, 3))
    # GPU has overhead, use for large operations only
    if data.shape[0] < 1000:
        gaia.set_device('cpu')
    else:
        gaia.set_device(device)
    assert gaia.get_device() == "cpu"


def test_gaia_complete_training(device):
    from gaia import HebbianCore, HierarchicalLevel, HierarchyManager, ReactiveLayer, set_device

    steps = 64 if EMULATED else 10000
    # Enable GPU
    set_device(device)

    # Create hierarchy
    manager = HierarchyManager()

    # Level 0
    level0 = HierarchicalLevel(0, input_size=100, output_size=200,
                                   temporal_resolution=1)
    level0.add_layer(ReactiveLayer(100, 200))
    manager.add_level(level0)

    # Level 1
    level1 = HierarchicalLevel(1, input_size=200, output_size=400,
                                   temporal_resolution=2)
    level1.add_layer(HebbianCore(200, 400))
    manager.add_level(level1)

    # Level 2
    level2 = HierarchicalLevel(2, input_size=400, output_size=800,
                                   temporal_resolution=4)
    level2.add_layer(HebbianCore(400, 800))
    manager.add_level(level2)

    # Generate large dataset (10000 steps)
    data = gaia.to_backend(np.random.randn(steps, 100))

    # Process with GPU
    start = time.time()
    representations = manager.process_hierarchy(data, steps)
    elapsed = time.time() - start

    assert f"Steps per second: {steps/elapsed:.0f}" != "Steps per second: 0"
    assert [representations[i].shape for i in range(3)] == [(steps, 200), (steps, 400), (steps, 800)]
    x = gaia.to_numpy(data)
    w = manager.hierarchy.weights(0)
    close(representations[0], np.maximum(x @ w.T, 0), 1e-3)
    assert (representations[1][2] == representations[1][3]).all()  # held for two steps
    assert (representations[2][4] == representations[2][7]).all()  # and for four
    assert (representations[2][4] != representations[2][8]).any()
    for level in (1, 2):
        np.testing.assert_allclose(np.linalg.norm(manager.hierarchy.weights(level), axis=1), 1, rtol=1e-4)


def test_gaia_levels_that_do_not_fit_are_refused():
    level = gaia.HierarchicalLevel(0, 100, 200)
    with pytest.raises(gaia.ArgumentError, match="expected a layer of 100 inputs, got one of 50"):
        level.add_layer(gaia.ReactiveLayer(50, 200))
    manager = gaia.HierarchyManager()
    with pytest.raises(gaia.ArgumentError, match="has 200 outputs: expected a last layer of that size, got none"):
        manager.add_level(level)
    level.add_layer(gaia.ReactiveLayer(100, 200))
    manager.add_level(level)
    with pytest.raises(gaia.ArgumentError, match="there is a level 0 already"):
        manager.add_level(level)
    manager.add_level(gaia.HierarchicalLevel(1, 7, 2).add_layer(gaia.HebbianCore(7, 2)))
    with pytest.raises(gaia.ArgumentError, match="level 1 has 7 inputs: expected the 200"):
        manager.process_hierarchy(np.ones((3, 100)))
