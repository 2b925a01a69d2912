# SPDX-License-Identifier: MIT
"""Samples of the guide to neural_arch, with CuPy's names for gaia's."""
import numpy as np
import pytest
from guides import close, EMULATED, few, gelu, printed, seeds  # noqa: F401

import gaia
import gaia as cp


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
