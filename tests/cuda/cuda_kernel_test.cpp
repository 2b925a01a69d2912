// SPDX-License-Identifier: MIT
/// \file
/// Kernels that a program brings, on the emulator.
#include "../../src/array/cuda_kernel.h"

#include <string>
#include <vector>

#include "../../cuda/run_time_compiler.h"
#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/scratch_cache.h"

namespace gaia::test {
namespace {

const std::string kScale = R"(
extern "C" __global__ void scale(const float* x, float* y, float factor, long long n) {
  __shared__ float held[64];
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  held[threadIdx.x] = i < n ? factor * x[i] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = held[threadIdx.x];
}
)";

}  // namespace

TEST_CASE(
    "A kernel of the user's computes on the arrays' device, in order with what else is done") {
  if (!cuda::can_compile()) GAIA_SKIP(cuda::why_not_compile());
  const ScratchCache cache;
  const OnEmulatedDevice device;
  const CudaKernel scale(kScale, "scale");
  CHECK(scale.name() == "scale");
  CHECK(scale.parameters().size() == 4);
  const std::int64_t n = 100;
  const Array x = arange(0.0, 100.0, 1.0, DType::float32) + 1.0;
  const Array y = zeros({n}, DType::float32);
  const std::int64_t x_before = x.version();
  const std::int64_t y_before = y.version();
  scale({.grid = {2}, .block = {64}}, x, y, 3.0f, n);
  scale({.grid = {2}, .block = {64}}, y, y, 2.0f, n);
  CHECK(x.version() == x_before);
  CHECK(y.version() == y_before + 2);
  const std::vector<float> got = (y + 1.0).to_vector<float>();
  for (int i = 0; i < n; ++i)
    CHECK(got[static_cast<std::size_t>(i)] == 6.0f * static_cast<float>(i + 1) + 1.0f);
  {  // On another stream it waits for what the arrays' stream was given before.
    const GPUContext other(device.device(), Stream{1});
    scale({.grid = {2}, .block = {64}}, y, y, 0.5f, n);
  }
  CHECK(y.to_vector<float>()[99] == 300.0f);
}

TEST_CASE("A kernel of the user's runs on the device of its arrays, whichever is current") {
  if (!cuda::can_compile()) GAIA_SKIP(cuda::why_not_compile());
  const ScratchCache cache;
  const EmulatedDevices devices(2);
  const CudaKernel scale(kScale, "scale");  // the CPU is current
  const Array x = full({3}, 5.0, DType::float32).to(Device::cuda(1));
  scale({.block = {32}}, x, x, 2.0f, std::int64_t{3});
  CHECK(current_device().is_cpu());
  CHECK(x.to(Device::cpu()).to_vector<float>() == std::vector<float>{10, 10, 10});
  const Array there = x.to(Device::cuda(0));
  CHECK_THROWS_WITH_TEXT(scale({.block = {32}}, x, there, 2.0f, std::int64_t{3}), DeviceError,
                         "[scale] argument 1: expected an array on cuda:1, got one on cuda:0");
}

TEST_CASE("Arguments of a kernel that do not fit its parameters are refused before it starts") {
  if (!cuda::can_compile()) GAIA_SKIP(cuda::why_not_compile());
  const ScratchCache cache;
  const OnEmulatedDevice device;
  const CudaKernel scale(kScale, "scale");
  const std::int64_t n = 4;
  const Array x = zeros({n, n}, DType::float32);
  const KernelLaunch one{.block = {32}};
  CHECK_THROWS_WITH_TEXT(scale(one, x, x, 2.0f), ArgumentError, "expected 4 arguments, got 3");
  CHECK_THROWS_WITH_TEXT(scale(one, x, x, 2.0, n), ArgumentError,
                         "argument 2: a floating number of 8 bytes does not fit 'float factor'");
  CHECK_THROWS_WITH_TEXT(scale(one, x, x, 2, n), ArgumentError, "argument 2: a whole number of 4");
  CHECK_THROWS_WITH_TEXT(scale(one, x, x, 2.0f, 4), ArgumentError, "'long long n'");
  CHECK_THROWS_WITH_TEXT(scale(one, x, n, 2.0f, n), ArgumentError,
                         "argument 1: expected an array for 'float* y', got a number");
  CHECK_THROWS_WITH_TEXT(scale(one, x, x, x, n), ArgumentError, "argument 2: expected a number");
  CHECK_THROWS_WITH_TEXT(scale(one, x, x.astype(DType::float64), 2.0f, n), DTypeError,
                         "argument 1: an array of float64 does not fit 'float* y'");
  CHECK_THROWS_WITH_TEXT(scale(one, x.transpose(), x, 2.0f, n), ShapeError,
                         "argument 0: expected a contiguous array");
  CHECK_THROWS_WITH_TEXT(scale(one, x.to(Device::cpu()), x, 2.0f, n), DeviceError,
                         "argument 0: expected an array on a CUDA device, got one on cpu");
  CHECK_THROWS_WITH_TEXT(scale({.block = {2048}}, x, x, 2.0f, n), ArgumentError,
                         "threads of a block along x: expected 1 to 1024, got 2048");
  CHECK_THROWS_WITH_TEXT(scale({.block = {64, 32}}, x, x, 2.0f, n), ArgumentError,
                         "expected at most 1024, got 2048");
  CHECK_THROWS_WITH_TEXT(scale({.grid = {0}}, x, x, 2.0f, n), ArgumentError, "grid");
  CHECK_THROWS_WITH_TEXT(scale({.grid = {1, 70000}}, x, x, 2.0f, n), ArgumentError, "along y");
  CHECK_THROWS_WITH_TEXT(scale({.shared_bytes = -1}, x, x, 2.0f, n), ArgumentError, "shared");
  // The text does not tell the types of a template; sizes are known all the same.
  const CudaKernel set("template <class T> __global__ void set(T* x, T to) { *x = to; }\n",
                       "set<double>");
  CHECK(set.parameters().empty());
  const Array number = zeros({1}, DType::float64);
  set({}, number, 7.5);
  CHECK(number.item() == 7.5);
  CHECK_THROWS_WITH_TEXT(set({}, number, 7.5f), ArgumentError,
                         "argument 1: its parameter has 8 bytes, got a value of 4");
}

TEST_CASE("A kernel's errors say where, and that it needs a device") {
  CHECK_THROWS_WITH_TEXT(CudaKernel(kScale, ""), ArgumentError, "name of a kernel");
  if (cuda_device_count() == 0) {
    CHECK_THROWS_WITH_TEXT(CudaKernel(kScale, "scale"), DeviceError, "cuda");
  }
  if (!cuda::can_compile()) GAIA_SKIP(cuda::why_not_compile());
  const ScratchCache cache;
  const EmulatedDevice device;
  CHECK_THROWS_WITH(CudaKernel("extern \"C\" __global__ void f(float* x) {\n  *x = y;\n}\n", "f"),
                    ContainsSubstring("kernel.cu:2") && ContainsSubstring("^"));
  CHECK_THROWS_AS(CudaKernel(kScale, "other"), CompileError);
}

}  // namespace gaia::test
