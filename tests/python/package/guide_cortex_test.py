# SPDX-License-Identifier: MIT
"""Samples of the two guides to Cortex, whose names are gaia's."""
import numpy as np
import pytest
from guides import close, EMULATED, few, printed, seeds, spots  # noqa: F401

import gaia
import gaia as cortex
from gaia import nn


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
    history = model.train(X_train, y_train, epochs=1 if EMULATED else 25)

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
