// SPDX-License-Identifier: MIT
/// \file
/// Kernels that are compiled while the program runs, on the emulator.
#include "../../cuda/run_time_compiler.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "../../src/core/kept_files.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/long_tests.h"
#include "../support/scratch_cache.h"
#include "device_numbers.h"
#include "hardware.h"
#include "queues.h"

namespace gaia::test {
namespace {

using namespace gaia::cuda;

/// y[i] = a x[i] + b, with gaia's own headers.
KernelSource scaled_sum() {
  return {.name = "scaled_sum.cu",
          .source = R"(#include "cuda/rows.cuh"
#include "scale.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
template <class T>
__global__ void scaled_sum(const T* x, T* y, int count, T a, double b) {
  GAIA_SHARED(T, held, [kThreads]);
  const std::int64_t i = first_of_grid();
  held[threadIdx.x] = i < count ? scaled(a, x[i]) : T(0);
  __syncthreads();
  const int last = (int)blockDim.x - 1 - (int)threadIdx.x;
  const std::int64_t from = std::int64_t{blockIdx.x} * blockDim.x + last;
  if (from < count) y[from] = held[last] + T(b) * T(FACTOR);
}
}
)",
          .headers =
              [] {
                std::vector<SourceText> headers = carried_headers({"cuda/rows.cuh"});
                headers.push_back({"scale.h",
                                   "#pragma once\ntemplate <class T>\n__host__ __device__ T "
                                   "scaled(T a, T x) { return a * x; }\n"});
                return headers;
              }(),
          .options = {"-DFACTOR=2"},
          .kernels = {"gaia::cuda::scaled_sum<float>", "gaia::cuda::scaled_sum<double>"}};
}

template <class T>
void check_scaled_sum(const char* kernel) {
  const std::shared_ptr<const CompiledKernels> made = compiled_kernels(scaled_sum());
  constexpr int count = 300;
  const DeviceNumbers<T> x(count, [](int i) { return i; });
  const DeviceNumbers<T> y(count);
  cuda::launch(made->kernel(kernel), {dim3(2), dim3(256)}, nullptr, static_cast<const T*>(x.data()),
               y.data(), count, T(3), 0.25);
  REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
  for (int i = 0; i < count; ++i) CHECK(y[i] == T(3 * i) + T(0.5));
}

}  // namespace

TEST_CASE("A kernel that is compiled at run time computes what its text says") {
  if (!can_compile()) GAIA_SKIP(why_not_compile());
  const ScratchCache cache;
  check_scaled_sum<float>("gaia::cuda::scaled_sum<float>");
  check_scaled_sum<double>("gaia::cuda::scaled_sum<double>");
  CHECK(compiled_kernels(scaled_sum()) == compiled_kernels(scaled_sum()));
  CHECK(cache.files().size() == 1);
  CHECK_THROWS_AS(compiled_kernels(scaled_sum())->kernel("scaled_sum"), ArgumentError);
}

TEST_CASE("Threads that ask for the same kernels at once get the same") {
  if (!can_compile()) GAIA_SKIP(why_not_compile());
  const ScratchCache cache;
  KernelSource source{.name = "threads.cu",
                      .source = "extern \"C\" __global__ void nothing() {}\n",
                      .headers = {},
                      .options = {},
                      .kernels = {"nothing"}};
  std::vector<std::shared_ptr<const CompiledKernels>> made(4);
  std::vector<std::thread> threads;
  for (auto& one : made) threads.emplace_back([&] { one = compiled_kernels(source); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& one : made) CHECK(one == made[0]);
  cuda::launch(made[0]->kernel("nothing"), {dim3(1), dim3(32)}, nullptr);
  // Another text is another kernel.
  source.options = {"-DN=1"};
  CHECK(compiled_kernels(source) != made[0]);
  CHECK(cache.files().size() == 2);
}

TEST_CASE("Dynamic shared memory is asked for, and what runs late has its arguments") {
  if (!can_compile()) GAIA_SKIP(why_not_compile());
  const ScratchCache cache;
  const KernelSource source{.name = "reverse.cu",
                            .source = R"(#include "cuda/portable.cuh"
extern "C" __global__ void reverse(const float* x, float* y, int count) {
  GAIA_SHARED_DYNAMIC(float, held);
  for (int i = threadIdx.x; i < count; i += blockDim.x) held[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) y[i] = held[count - 1 - i];
}
)",
                            .headers = carried_headers({"cuda/portable.cuh"}),
                            .options = {},
                            .kernels = {"reverse"}};
  const LaunchableKernel kernel = compiled_kernels(source)->kernel("reverse");
  constexpr int count = 20000;
  const DeviceNumbers<float> x(count, [](int i) { return i; });
  const DeviceNumbers<float> y(count);
  const emulator::LateStreams late;
  {
    const float* from = x.data();
    float* to = y.data();
    int many = count;
    void* arguments[] = {&from, &to, &many};
    kernel.launch({dim3(1), dim3(128), count * sizeof(float)}, nullptr, arguments);
    many = 0;
    to = nullptr;
  }
  REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
  for (int i = 0; i < count; i += 997) CHECK(y[i] == static_cast<float>(count - 1 - i));
}

TEST_CASE("The compiler's complaint comes with its line, and a launch's with the kernel's name") {
  if (!can_compile()) GAIA_SKIP(why_not_compile());
  const ScratchCache cache;
  const KernelSource wrong{
      .name = "wrong.cu",
      .source = "extern \"C\" __global__ void f(float* x) {\n  x[0] = nothing;\n}\n",
      .headers = {},
      .options = {},
      .kernels = {"f"}};
  const CompileError error = thrown_by<CompileError>([&] { compiled_kernels(wrong); });
  CHECK_SAYS(error.what(), "[cuda] wrong.cu does not compile", "wrong.cu:2", "nothing", "^");
  CHECK(cache.files().empty());
  // A launch whose work is done later has nothing to complain of yet.
  if (emulator::timing() == emulator::Timing::late) return;
  const KernelSource hangs{
      .name = "hangs.cu",
      .source =
          "extern \"C\" __global__ void hangs() {\n  if (threadIdx.x == 0) __syncthreads();\n}\n",
      .headers = {},
      .options = {},
      .kernels = {"hangs"}};
  CHECK_THROWS_WITH(
      cuda::launch(compiled_kernels(hangs)->kernel("hangs"), {dim3(1), dim3(64)}, nullptr),
      ContainsSubstring("[hangs]") && ContainsSubstring("hangs.cu:2"));
}

TEST_CASE("Kernels that an earlier process has kept are loaded, and damaged ones compiled anew") {
  if (!can_compile()) GAIA_SKIP(why_not_compile());
  const ScratchCache cache;
  const auto source = [](const std::string& name, int result) {
    return KernelSource{.name = name + ".cu",
                        .source = "extern \"C\" __global__ void set(int* x) { *x = N; }\n",
                        .headers = {},
                        .options = {"-DN=" + std::to_string(result)},
                        .kernels = {"set"}};
  };
  const auto in_another_process = [](const KernelSource& given) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) _exit(compiled_kernels(given) != nullptr ? 0 : 1);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
  };
  const auto run = [](const KernelSource& given) {
    const DeviceNumbers<int> x(1);
    cuda::launch(compiled_kernels(given)->kernel("set"), {dim3(1), dim3(1)}, nullptr, x.data());
    REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
    return x[0];
  };
  in_another_process(source("kept", 1));
  const std::filesystem::path kept = cache.files().at(0);
  // What is kept, not what the text says, is run: it shows by another kernel in its place.
  const KeptFiles files(kept.parent_path(), 1 << 30);
  files.keep(kept.filename().string(), compile_to_bytes(source("kept", 2)));
  CHECK(run(source("kept", 1)) == 2);

  for (int damage = 0; damage < few_or_many(1, 2); ++damage) {
    const bool is_whole = damage == 1;
    std::filesystem::remove_all(cache.folder() / "gaia");
    const KernelSource damaged = source(is_whole ? "foreign" : "truncated", 3);
    in_another_process(damaged);
    const std::filesystem::path file = cache.files().at(0);
    const auto size = std::filesystem::file_size(file);
    if (is_whole) {
      files.keep(file.filename().string(), "no library");
    } else {
      std::filesystem::resize_file(file, size / 2);
    }
    CHECK(run(damaged) == 3);
    CHECK(std::filesystem::file_size(cache.files().at(0)) >= size / 2 + 100);  // kept anew
  }
}

}  // namespace gaia::test
