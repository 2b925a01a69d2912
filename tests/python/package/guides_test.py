# SPDX-License-Identifier: MIT
"""The samples of the five GPU guides, as the guides write them but for the module's name and the device.

Cortex's and GAIA 4's names are gaia's, CuPy's are gaia's too (`import gaia as cp`), VedaRT's are those of gaia.offload.
What a sample needs and does not say (data, losses) comes before it; docs/python.md lists where one reads otherwise now.
Numbers are checked by NumPy.
"""
import contextlib
import io
import time

import numpy as np
import pytest

import gaia
import gaia as cp
import gaia as cortex
from gaia import nn

EMULATED = gaia.is_available("cuda") and "emulated" in gaia.device_info("cuda")["name"]


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


# Cortex: backend summary


def test_cortex_example_1_simple_backend_switching(device):
    # Default: CPU
    x = cortex.Tensor([1, 2, 3])

    # Switch to GPU
    cortex.set_backend(device)
    y = cortex.Tensor([4, 5, 6])

    # Check backend
    with printed() as text:
        print(cortex.get_backend_name())
    assert text.getvalue() == device + "\n"
    assert x.device == "cpu" and x.data.tolist() == [1, 2, 3]
    assert y.device.startswith(device) and gaia.to_numpy(y.data).tolist() == [4, 5, 6]
    assert (x + y).data.tolist() == [5, 7, 9]


def test_cortex_example_2_neural_network_on_gpu(device):
    # Enable GPU
    cortex.set_backend(device)

    # Create model (all on GPU)
    W = cortex.Tensor(np.random.randn(10, 5))
    b = cortex.Tensor(np.zeros((1, 5)))

    # Forward pass (on GPU)
    x = cortex.Tensor(np.random.randn(32, 10))
    y = (x @ W + b).relu()

    # Backward pass (on GPU)
    loss = y.sum()
    loss.backward()

    assert W.grad.shape == (10, 5) and b.grad.shape == (1, 5)
    x, w = gaia.to_numpy(x), gaia.to_numpy(W)
    on = (x @ w > 0).astype(float)
    close(y.data, np.maximum(x @ w, 0))
    close(W.grad, x.T @ on)
    close(b.grad, on.sum(axis=0, keepdims=True))


def test_cortex_example_3_data_movement(device):
    # GPU computation
    cortex.set_backend(device)
    x_gpu = cortex.Tensor([1, 2, 3, 4, 5])

    # Move to CPU for saving
    x_cpu = cortex.to_numpy(x_gpu.data)
    np.save('data.npy', x_cpu)

    # Load and move back to GPU
    loaded = np.load('data.npy')
    x_back = cortex.to_backend(loaded)

    assert isinstance(x_cpu, np.ndarray) and x_cpu.tolist() == [1, 2, 3, 4, 5]
    assert x_back.device.startswith(device)
    assert cortex.to_numpy(x_back).tolist() == [1, 2, 3, 4, 5]


def test_cortex_graceful_degradation():
    if gaia.is_available("cuda"):
        pytest.skip("there is a GPU, which is what the sample does without")
    with printed() as text:
        try:
            cortex.set_backend('gpu')
        except gaia.DeviceError as e:  # the guide: ImportError, of CuPy
            print(e)
    assert "'cuda:0' cannot be used" in text.getvalue() and gaia.why_no_cuda() in text.getvalue()
    assert cortex.get_backend_name() == "cpu"


# Cortex: GPU support


def test_cortex_basic_usage(device):
    # Default: CPU (NumPy)
    x = cortex.Tensor([1.0, 2.0, 3.0])
    assert cortex.get_backend_name() == 'cpu'

    # Switch to GPU (CuPy)
    cortex.set_backend(device)
    y = cortex.Tensor([4.0, 5.0, 6.0])
    assert cortex.get_backend_name() == device

    # All operations work the same on GPU
    z = x @ y.transpose()
    z.backward()

    assert z.item() == 32.0
    assert gaia.to_numpy(x.grad).tolist() == [4, 5, 6] and gaia.to_numpy(y.grad).tolist() == [1, 2, 3]


def test_cortex_backend_switching(device):
    names = {"cpu": ("cpu", "numpy"), "cuda": ("gpu", "cupy")}[device]
    for name in names:
        cortex.set_backend(name)

        # Check current backend
        backend_name = cortex.get_backend_name()
        assert f"Current backend: {backend_name}" == f"Current backend: {device}"

        # Get backend module directly
        backend_module, name = cortex.get_backend()
        assert backend_module is gaia and name == device
    with pytest.raises(gaia.ArgumentError, match="tpu"):
        cortex.set_backend("tpu")


def test_cortex_moving_data(device):
    # Create tensor on GPU
    cortex.set_backend(device)
    x_gpu = cortex.Tensor([1, 2, 3, 4, 5])

    # Move to CPU for visualization/saving
    x_cpu = cortex.to_numpy(x_gpu.data)
    with printed() as text:
        print(type(x_cpu))
    assert text.getvalue() == "<class 'numpy.ndarray'>\n"

    # Move CPU data to current backend (GPU)
    x_np = np.array([6, 7, 8, 9, 10])
    x_backend = cortex.to_backend(x_np)
    assert x_backend.dtype == "int64" and x_backend.device.startswith(device)
    assert (cortex.to_numpy(x_backend) == x_np).all()


def test_cortex_neural_network_training(device):
    images, classes = spots(128)
    dataloader = [(images[i:i + 32], classes[i:i + 32]) for i in range(0, 128, 32)]
    num_epochs = 8

    # Set GPU backend at start of script
    cortex.set_backend(device)

    # Create model - all operations run on GPU
    model = cortex.NeuralNetwork()
    model.add(cortex.Dense(784, 128))
    model.add(cortex.ReLU())
    model.add(cortex.Dense(128, 10))
    # The guide goes on with Softmax, which cross_entropy has within.

    criterion = nn.cross_entropy
    optimizer = nn.Optimiser(model.parameters(), "adam", learning_rate=0.003)
    losses = []
    for epoch in range(num_epochs):
        for batch, labels in dataloader:
            # Forward pass on GPU
            output = model.forward(batch)

            # Backward pass on GPU
            loss = criterion(output, labels)
            loss.backward()

            # Optimizer updates on GPU
            optimizer.step()
            optimizer.zero_grad()  # the guide's gradients would add up
            losses.append(loss.item())
    assert output.device.startswith(device)
    assert losses[-1] < 0.7 * losses[0] and losses[0] == pytest.approx(np.log(10), rel=0.3)
    w1, b1, w2, b2 = (gaia.to_numpy(p) for p in model.parameters())
    close(model.forward(images[:8]), np.maximum(images[:8] @ w1.T + b1, 0) @ w2.T + b2)


def test_cortex_softmax_ends_a_network(device):
    cortex.set_backend(device)
    model = cortex.NeuralNetwork()
    model.add(cortex.Dense(784, 128))
    model.add(cortex.ReLU())
    model.add(cortex.Dense(128, 10))
    model.add(cortex.Softmax())
    shares = gaia.to_numpy(model.forward(spots(4)[0]))
    assert shares.shape == (4, 10) and (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-5)


def test_cortex_keep_data_on_gpu(device):
    cortex.set_backend(device)
    x = y = cortex.Tensor([1.0, -2.0])
    for i in range(10):
        x_cpu = cortex.to_numpy(x.data)
        x_gpu = cortex.to_backend(x_cpu)
    for i in range(10):
        x = x * 2  # Stays on GPU
    assert x_gpu.device.startswith(device) and gaia.to_numpy(x_gpu).tolist() == [1, -2]
    assert gaia.to_numpy(x).tolist() == [1024, -2048]
    x.sum().backward()
    assert gaia.to_numpy(y.grad).tolist() == [1024, 1024]


def test_cortex_simple_computation(device):
    # GPU computation
    cortex.set_backend(device)
    x = cortex.Tensor([[1, 2], [3, 4]])
    y = cortex.Tensor([[5, 6], [7, 8]])
    z = (x @ y).relu()
    with pytest.raises(gaia.ArgumentError, match="one element"):
        z.backward()  # as the guide has it: of four numbers there is no gradient
    z.sum().backward()
    assert gaia.to_numpy(z).tolist() == [[19, 22], [43, 50]]
    assert gaia.to_numpy(x.grad).tolist() == [[11, 15], [11, 15]]
    assert gaia.to_numpy(y.grad).tolist() == [[4, 4], [6, 6]]


def test_cortex_mnist_training(device):
    # Load MNIST data
    X_train, y_train = spots(96)
    epochs = 10

    # Set GPU backend
    cortex.set_backend(device)

    # Create model
    model = cortex.NeuralNetwork()
    model.add(cortex.Dense(784, 128))
    model.add(cortex.ReLU())
    model.add(cortex.Dense(128, 10))

    criterion = nn.cross_entropy
    optimizer = nn.Optimiser(model.parameters(), "sgd", learning_rate=0.2)
    # Train on GPU
    for epoch in range(epochs):
        for i in range(0, len(X_train), 32):
            batch_x = X_train[i:i+32]
            batch_y = y_train[i:i+32]

            # Forward and backward pass on GPU
            output = model.forward(batch_x)
            loss = criterion(output, batch_y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    scores = gaia.to_numpy(model.forward(batch_x))
    wrong = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(32), batch_y]
    assert wrong.mean() < loss.item() < np.log(10)


def test_cortex_inference_mode(device):
    X_train, y_train = spots(few(512))
    X_test, y_test = spots(32)
    model = cortex.NeuralNetwork().add(cortex.Dense(784, 32)).add(cortex.ReLU()).add(cortex.Dense(32, 10))

    # Training
    cortex.set_backend(device)
    history = model.train(X_train, y_train, epochs=1 if EMULATED else 15)

    # Inference with no_grad context (saves memory)
    with cortex.no_grad():
        predictions = model(X_test)

    # Move results to CPU for saving
    predictions_cpu = cortex.to_numpy(predictions.data)
    np.save('predictions.npy', predictions_cpu)

    assert history[-1]["loss"] <= history[0]["loss"]
    assert not predictions.requires_grad
    assert np.load("predictions.npy").shape == (32, 10)
    if not EMULATED:
        assert (predictions_cpu.argmax(axis=1) == y_test).mean() > 0.5


def test_cortex_out_of_memory_goes_to_the_cpu_and_back(device):
    # Or switch to CPU for this operation
    cortex.set_backend('cpu')
    large = cortex.Tensor(np.ones((100, 100))).sum()
    cortex.set_backend(device)
    assert large.device == "cpu" and large.item() == 10000
    assert cortex.get_backend_name() == device


# GAIA 4


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
    with pytest.raises(gaia.DeviceError if not gaia.is_available("cuda:7") else ()):
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


# neural_arch


def test_neural_arch_basic_usage(device):
    from gaia import get_backend

    # Initialize CUDA backend (requires CuPy)
    cuda_backend = get_backend(device)
    with printed() as text:
        print(f"CUDA backend available: {cuda_backend.is_available}")
        print(f"Custom kernels available: {cuda_backend.has_custom_kernels}")
    assert text.getvalue() == "CUDA backend available: True\nCustom kernels available: True\n"
    assert get_backend("gpu").is_available == gaia.is_available("cuda")
    with pytest.raises(gaia.ArgumentError, match="tpu"):
        get_backend("tpu")


def test_neural_arch_gelu(device):
    cuda_backend = gaia.get_backend(device)
    # Create test data
    x_gpu = cp.random.randn(few(1024), 512).astype(cp.float32)

    # Apply GELU (uses custom kernel if available, falls back to standard implementation)
    result = cuda_backend.gelu(x_gpu)

    assert result.shape == x_gpu.shape and result.device.startswith(device)
    close(result, gelu(gaia.to_numpy(x_gpu)))


def test_neural_arch_fused_linear_gelu(device):
    cuda_backend = gaia.get_backend(device)
    # Create test data for fused linear + GELU
    input_gpu = cp.random.randn(few(128), 512).astype(cp.float32)
    weight_gpu = cp.random.randn(few(768), 512).astype(cp.float32)
    bias_gpu = cp.random.randn(few(768)).astype(cp.float32)

    # Fused operation (if custom kernels available, otherwise falls back to standard)
    output = cuda_backend.fused_linear_gelu(input_gpu, weight_gpu, bias_gpu)

    x, w, b = (np.asarray(gaia.to_numpy(a), np.float64) for a in (input_gpu, weight_gpu, bias_gpu))
    assert output.shape == (few(128), few(768))
    close(output, gelu(x @ w.T + b), 1e-3)


def test_neural_arch_flash_attention(device):
    cuda_backend = gaia.get_backend(device)
    # Flash Attention example
    batch_size, num_heads, seq_len, head_dim = (1, 2, 32, 64) if EMULATED else (4, 8, 512, 64)

    q = cp.random.randn(batch_size, num_heads, seq_len, head_dim).astype(cp.float32)
    k = cp.random.randn(batch_size, num_heads, seq_len, head_dim).astype(cp.float32)
    v = cp.random.randn(batch_size, num_heads, seq_len, head_dim).astype(cp.float32)

    scale = 1.0 / cp.sqrt(head_dim)

    # Flash Attention (uses custom kernel if available)
    attention_output = cuda_backend.flash_attention(q, k, v, scale, block_size=64)

    assert attention_output.shape == q.shape and scale == 0.125
    q, k, v = (np.asarray(gaia.to_numpy(a), np.float64) for a in (q, k, v))
    scores = scale * q @ k.swapaxes(2, 3)
    weights = np.exp(scores - scores.max(axis=3, keepdims=True))
    close(attention_output, weights / weights.sum(axis=3, keepdims=True) @ v)


def test_neural_arch_layer_norm(device):
    cuda_backend = gaia.get_backend(device)
    # Layer normalization example
    batch_size, hidden_size = few(128), 768

    input_gpu = cp.random.randn(batch_size, hidden_size).astype(cp.float32)
    weight_gpu = cp.ones(hidden_size, dtype=cp.float32)
    bias_gpu = cp.zeros(hidden_size, dtype=cp.float32)

    # Apply layer normalization
    output = cuda_backend.layernorm(input_gpu, weight_gpu, bias_gpu, eps=1e-5)

    x = np.asarray(gaia.to_numpy(input_gpu), np.float64)
    assert output.shape == x.shape
    close(output, (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5))


def test_neural_arch_kernel_manager():
    from gaia import get_cuda_kernel_manager

    # Get kernel manager
    kernel_manager = get_cuda_kernel_manager()

    with printed() as text:
        print(f"CUDA available: {kernel_manager.is_available()}")
        print(f"Compiled kernels: {len(kernel_manager.compiled_kernels)}")
    assert text.getvalue().startswith(f"CUDA available: {gaia.is_available('cuda')}\n")
    assert {"attention", "layer_norm", "linear_gelu"} <= set(kernel_manager.compiled_kernels)

    # Direct kernel usage (advanced)
    if kernel_manager.is_available():
        with gaia.GPUContext("cuda"):
            x = cp.random.randn(few(1000), few(1000)).astype(cp.float32)
        result = kernel_manager.gelu_forward(x)
        close(result, gelu(gaia.to_numpy(x)))
    else:
        with pytest.raises(gaia.DeviceError):
            kernel_manager.gelu_forward(np.ones(3, np.float32))


def test_neural_arch_benchmarking(device):
    cuda_backend = gaia.get_backend(device)
    # Benchmark specific kernel (returns time in milliseconds)
    assert cuda_backend.has_custom_kernels
    test_tensor = cp.random.randn(few(1024), few(1024)).astype(cp.float32)
    gelu_time = cuda_backend.benchmark_kernel("gelu", test_tensor, num_runs=10)
    assert 0 < gelu_time < 60000
    with pytest.raises(gaia.ArgumentError, match="unknown kernel 'gelus'"):
        cuda_backend.benchmark_kernel("gelus", test_tensor)


def test_neural_arch_memory_monitoring(device):
    seen = []

    def monitor_gpu_memory():
        """Monitor GPU memory usage."""
        mempool = cp.get_default_memory_pool()
        used_mb = mempool.used_bytes() / (1024**2)
        total_mb = mempool.total_bytes() / (1024**2)
        seen.append((used_mb, total_mb))

    side = few(2048)
    gaia.set_device(device)
    cuda_backend = gaia.get_backend()
    # Monitor memory during operations
    monitor_gpu_memory()
    tensor = cp.random.randn(side, side).astype(cp.float32)
    result = cuda_backend.gelu(tensor)
    monitor_gpu_memory()

    # Clean up
    del tensor, result
    cp.get_default_memory_pool().free_all_blocks()
    monitor_gpu_memory()

    before, during, after = (used for used, _ in seen)
    assert during - before == pytest.approx(2 * side * side * 4 / 1024**2, rel=0.01)
    assert after == pytest.approx(before, abs=0.01)
    assert all(total >= used for used, total in seen)


def test_neural_arch_cuda_backend_not_available():
    from gaia import get_backend

    with printed() as text:
        try:
            cuda_backend = get_backend("cuda")
            if not cuda_backend.is_available:
                print("CUDA backend not available")
                print(gaia.why_no_cuda())  # the guide: what to look for
            else:
                print("CUDA backend available")
        except Exception as e:
            print(f"Error initializing CUDA backend: {e}")
    said = text.getvalue().splitlines()
    if gaia.is_available("cuda"):
        assert said == ["CUDA backend available"]
    else:
        assert said[0] == "CUDA backend not available" and len(said[1]) > 20
        with pytest.raises(gaia.DeviceError, match="cannot be used"):
            cuda_backend.gelu(np.ones(3, np.float32))


def test_neural_arch_out_of_memory(device):
    gaia.set_device(device)
    with printed() as text:
        try:
            # 10 000 x 10 000 fit nearly everywhere now; the guide's error comes with more.
            large_tensor = cp.random.randn(10_000_000, 10_000_000).astype(cp.float32)
            gaia.get_backend().gelu(large_tensor)
        except gaia.OutOfMemory as error:  # the guide: cp.cuda.memory.OutOfMemoryError
            print(error)
    assert isinstance(gaia.OutOfMemory(), MemoryError)
    assert "400000000000000 bytes are not to be had" in text.getvalue()


def test_neural_arch_kernel_correctness(device):
    gaia.set_device(device)
    cuda_backend = gaia.get_backend()
    # Test data
    x = cp.random.randn(100, few(512)).astype(cp.float32)

    # Reference implementation
    def reference_gelu(x):
        sqrt_2_over_pi = cp.sqrt(2.0 / cp.pi)
        inner = sqrt_2_over_pi * (x + 0.044715 * x**3)
        return 0.5 * x * (1.0 + cp.tanh(inner))

    # Compare results
    reference_result = reference_gelu(x)
    kernel_result = cuda_backend.gelu(x)

    # Check correctness
    max_diff = cp.max(cp.abs(reference_result - kernel_result))
    assert f"Maximum difference: {float(max_diff):.2e}".startswith("Maximum difference: ")
    assert max_diff < 1e-5
    assert reference_result.dtype == "float32"
    close(reference_result, gelu(gaia.to_numpy(x)))


# VedaRT


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
