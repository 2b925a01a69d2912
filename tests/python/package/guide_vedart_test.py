# SPDX-License-Identifier: MIT
"""Samples of the guide to VedaRT, whose names are those of gaia.offload."""
import time

import numpy as np
import pytest
from guides import few, printed, seeds  # noqa: F401

import gaia


@pytest.fixture
def veda():
    from gaia import offload
    yield offload
    offload.shutdown()


def on(veda, device, function):
    """The decorator as the guide has it, and on a device that the sample alone would not go to."""
    return [veda.gpu(function), veda.gpu(function, device=device, always=True)]


def test_vedart_automatic_offload(veda, device):
    # Initialize with GPU enabled
    config = veda.Config.builder().gpu(True).build()
    veda.init(config)
    seen = []

    def matrix_multiply(A, B):
        """Automatically uses GPU if beneficial."""
        seen.append(type(A))
        return A @ B

    for decorated in on(veda, device, matrix_multiply):
        assert decorated.__name__ == "matrix_multiply"
        # Small matrices - runs on CPU
        A_small = np.ones((10, 10))
        B_small = np.ones((10, 10))
        C_small = decorated(A_small, B_small)
        assert isinstance(C_small, np.ndarray) and (C_small == 10).all()
    assert seen == [np.ndarray, gaia.Array]

    # Large matrices - runs on GPU
    large = few(512)
    A_large, B_large = np.random.rand(large, large), np.random.rand(large, large)
    for decorated in on(veda, device, matrix_multiply):
        np.testing.assert_allclose(decorated(A_large, B_large), A_large @ B_large, rtol=1e-9)


def test_vedart_cost_based_decision(veda):
    small, large = np.ones(1000), np.ones(200_000)
    assert not veda.should_offload(None, [small])
    assert veda.should_offload(None, [large]) == gaia.is_available("cuda")
    assert not veda.should_offload(None, [1_000_000_000])
    veda.init(veda.Config.builder().gpu(False).build())
    assert not veda.should_offload(None, [large])
    with pytest.raises(gaia.ArgumentError, match="expected a Config, got dict"):
        veda.init({"gpu": True})


def test_vedart_vector_add(veda, device):
    def vector_add(a, b):
        # Works with NumPy or CuPy arrays
        return a + b

    for decorated in on(veda, device, vector_add):
        # Automatic conversion
        result = decorated(np.array([1, 2, 3]), np.array([4, 5, 6]))
        assert isinstance(result, np.ndarray) and result.tolist() == [5, 7, 9]


def test_vedart_parallel_iterators(veda, device):
    # Process many matrices on GPU
    matrices = [np.random.rand(20, 20) for _ in range(10)]

    def process_matrix(M):
        # Eigenvalue decomposition: NumPy's, on the CPU, wherever M lies
        return np.linalg.eigvals(M)

    for decorated in on(veda, device, process_matrix):
        # Each matrix processed on GPU, distributed across iterations
        eigenvalues = veda.par_iter(matrices)\
            .gpu_map(decorated)\
            .collect()
        for found, matrix in zip(eigenvalues, matrices):
            assert found.sum().real == pytest.approx(np.trace(matrix))
    assert veda.par_iter([1, 2]).map(lambda n: n + 1).map(lambda n: n * 10).collect() == [20, 30]


def test_vedart_device_by_number(veda):
    @veda.gpu(device=0)
    def process_on_gpu_0(data):
        return data * 2

    @veda.gpu(device=1)
    def process_on_gpu_1(data):
        return data ** 2

    data = np.arange(200_000.0)
    assert (process_on_gpu_0(data) == 2 * data).all() and (process_on_gpu_1(data) == data ** 2).all()


def test_vedart_batch_small_operations(veda, device):
    def add_small(a, b):
        return a + b

    def process_batch(batch):
        return [item ** 2 for item in batch]

    large_batch = np.arange(few(100))
    for decorated in on(veda, device, add_small):
        assert decorated(5, 3) == 8
    for decorated in on(veda, device, process_batch):
        assert decorated(large_batch) == [n ** 2 for n in range(few(100))]


def test_vedart_minimise_transfers(veda, device):
    def step1(data):
        return data * 2

    def step2(data):
        return data + 1

    def fused(data):
        return (data * 2) + 1

    data = np.arange(5.0)
    for one, two, both in zip(on(veda, device, step1), on(veda, device, step2), on(veda, device, fused)):
        assert two(one(data)).tolist() == both(data).tolist() == [1, 3, 5, 7, 9]
    assert data.tolist() == [0, 1, 2, 3, 4]


def test_vedart_numpy_compatible_code(veda, device):
    def efficient_operation(X):
        # All NumPy operations work on GPU
        mean = X.mean(axis=0)
        std = X.std(axis=0)
        normalized = (X - mean) / std
        return normalized @ normalized.T

    X = np.random.randn(30, 8)
    expected = efficient_operation(X)
    for decorated in on(veda, device, efficient_operation):
        np.testing.assert_allclose(decorated(X), expected, rtol=1e-9, atol=1e-9)


def test_vedart_monitor_gpu_memory(veda):
    runtime = veda.get_runtime()

    with printed() as text:
        if runtime.gpu:
            stats = runtime.gpu.get_memory_stats()
            print(f"Used: {stats['used_mb']:.1f} MB")
            print(f"Free: {stats['free_mb']:.1f} MB")
            print(f"Total: {stats['total_mb']:.1f} MB")

            utilization = runtime.gpu.get_utilization()
            print(f"GPU Utilization: {utilization:.1f}%")
    assert (text.getvalue() != "") == gaia.is_available("cuda")
    if runtime.gpu:
        assert stats["used_mb"] + stats["free_mb"] == pytest.approx(stats["total_mb"]) and 0 <= utilization <= 100


def test_vedart_check_backend_and_force_cpu(veda):
    runtime = veda.get_runtime()
    with printed() as text:
        if runtime.gpu:
            print(f"Backend: {runtime.gpu.backend}")
            print(f"Devices: {runtime.gpu.device_count}")
            print(f"Available: {runtime.gpu.is_available()}")
        else:
            print("GPU not available")
    count = gaia.get_device_info()["device_count"]
    assert text.getvalue() == (f"Backend: cuda\nDevices: {count}\nAvailable: True\n" if count else "GPU not available\n")

    config = veda.Config.builder().gpu(False).build()
    veda.init(config)
    # All @gpu functions run on CPU
    assert veda.get_runtime().gpu is None
    assert type(veda.gpu(lambda x: x)(np.ones(200_000))) is np.ndarray


def test_vedart_profile(veda, device):
    def gpu_operation(data):
        return data @ data.T

    data = np.random.rand(few(400), few(400))
    for decorated in on(veda, device, gpu_operation):
        start = time.perf_counter()
        result = decorated(data)
        gpu_time = time.perf_counter() - start

        # Compare with CPU
        start = time.perf_counter()
        result_cpu = data @ data.T
        cpu_time = time.perf_counter() - start
        assert f"Speedup: {cpu_time / gpu_time:.2f}x".endswith("x")
        np.testing.assert_allclose(result, result_cpu, rtol=1e-9)


def test_vedart_image_processing(veda, device):
    convolve = pytest.importorskip("scipy.ndimage").convolve

    def apply_filter(image, kernel):
        return convolve(image, kernel)

    gaussian_kernel = np.outer([1, 2, 1], [1, 2, 1]) / 16
    images = [np.random.rand(16, 16) for _ in range(3)]
    for decorated in on(veda, device, apply_filter):
        filtered = veda.par_iter(images)\
            .gpu_map(lambda img: decorated(img, gaussian_kernel))\
            .collect()
        for image, made in zip(images, filtered):
            np.testing.assert_allclose(made, convolve(image, gaussian_kernel))


def test_vedart_machine_learning(veda, device):
    def train_step(X, y, weights):
        # Forward pass
        predictions = X @ weights

        # Loss
        loss = ((predictions - y) ** 2).mean()

        # Gradient
        grad = 2 * X.T @ (predictions - y) / len(y)

        return loss, grad

    X_train = np.random.default_rng(0).normal(size=(200, 3))
    truth = np.array([1.0, -2.0, 0.5])
    y_train = X_train @ truth
    for decorated in on(veda, device, train_step):
        weights, learning_rate, losses = np.zeros(3), 0.1, []
        # Training loop
        for epoch in range(100):
            loss, grad = decorated(X_train, y_train, weights)
            weights -= learning_rate * grad
            losses.append(loss)
        assert losses[0] == pytest.approx((y_train ** 2).mean())
        np.testing.assert_allclose(weights, truth, atol=1e-6)


def test_vedart_scientific_computing(veda, device):
    def monte_carlo_pi(n_samples):
        import numpy as np

        # Generate random points
        x = np.random.random(n_samples)
        y = np.random.random(n_samples)

        # Check if inside circle
        inside = (x**2 + y**2) <= 1.0

        # Estimate pi
        pi_estimate = 4.0 * inside.sum() / n_samples
        return pi_estimate

    for decorated in on(veda, device, monte_carlo_pi):
        assert decorated(100_000) == pytest.approx(np.pi, abs=0.05)

    def on_the_device(n_samples):  # with gaia's numbers the points are drawn where they are counted
        x = gaia.random.random(n_samples)
        y = gaia.random.random(n_samples)
        return 4.0 * ((x**2 + y**2) <= 1.0).sum() / n_samples

    assert veda.gpu(on_the_device, device=device, always=True)(few(100_000)) == pytest.approx(np.pi, abs=0.15)
