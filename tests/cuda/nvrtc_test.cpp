// SPDX-License-Identifier: MIT
/// \file
/// NVRTC itself, where it is installed; it needs no device.
#include "../../cuda/nvrtc_library.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/complaint.h"

namespace gaia::test {
namespace {

using cuda::NvrtcLibrary;
using cuda::NvrtcResult;

/// The library, or why there is none.
struct Found {
  std::optional<NvrtcLibrary> library;
  std::string why;

  Found() {
    why = complaint_of<DeviceError>([&] { library = cuda::open_nvrtc(0); });
  }
};

/// All headers that the library carries, and a kernel that calls what they have.
KernelSource every_header(const std::string& type) {
  KernelSource source{
      .name = "every_header.cu", .source = {}, .headers = {}, .options = {}, .kernels = {}};
  for (const CarriedText& header : all_carried_headers()) {
    source.headers.push_back({std::string(header.path), std::string(header.text)});
    source.source += "#include \"" + std::string(header.path) + "\"\n";
  }
  source.source += R"(
namespace gaia::cuda::inline GAIA_CUDA_BUILD {
template <class T>
__global__ void everything(T* x, ControlFactors<T> control, ChainPulls<T> pulls, RandomStream stream,
                           Activation activation, int op, std::uint64_t count) {
  GAIA_SHARED(T, held, [kThreads]);
  std::uint32_t words[4];
  random_block(stream, static_cast<std::uint64_t>(first_of_grid()), words);
  T sum = drawn_number<T>(EquationDraw::normal, words, true) +
          drawn_number<T>(EquationDraw::uniform, words, false);
  for (auto one = 0; one < pulls.length; ++one) sum += pulls.before[one] * x[one];
  copy_async(&held[threadIdx.x], x + first_of_grid());
  wait_for_copies();
  __syncthreads();
  sum += held[blockDim.x - 1 - threadIdx.x] * control.homeostatic_factor(sum);
  sum = activate(activation, control.normalizing(sum));
  with_function_of_one(static_cast<EquationOp>(op), [&](const auto& f) { sum = f(sum); });
  with_function_of_two(static_cast<EquationOp>(op), [&](const auto& f) { sum = f(sum, T(2)); });
  sum += T(random_formulas::below(words[0], words[1], count)) + warp_reduce(sum, Plus{});
  x[first_of_grid()] = sum < T(std::numeric_limits<T>::max()) ? sum : T(0);
}
}
)";
  source.kernels = {"gaia::cuda::everything<" + type + ">"};
  return source;
}

}  // namespace

TEST_CASE("NVRTC compiles every header that the library carries, without a warning") {
  const Found found;
  if (!found.library) GAIA_SKIP(found.why);
  for (const auto& [capability, type] : {std::pair{80, "double"}, {90, "float"}}) {
    INFO(capability);
    const NvrtcResult made = compile_by_nvrtc(*found.library, every_header(type), capability);
    CHECK(made.log == "");
    CHECK(made.image.substr(1, 3) == "ELF");
    REQUIRE(made.lowered.size() == 1);
    CHECK_SAYS(made.lowered[0], "everything");
    CHECK_SAYS(made.image, made.lowered[0]);
  }
}

TEST_CASE("NVRTC's complaints come with line and caret") {
  const Found found;
  if (!found.library) GAIA_SKIP(found.why);
  KernelSource source{
      .name = "wrong.cu",
      .source = "extern \"C\" __global__ void f(float* x) {\n  x[0] = nothing;\n}\n",
      .headers = {},
      .options = {},
      .kernels = {"f"}};
  const CompileError error =
      thrown_by<CompileError>([&] { compile_by_nvrtc(*found.library, source, 80); });
  CHECK_SAYS(error.what(), "[cuda] wrong.cu does not compile:\nwrong.cu(2): error",
             "\"nothing\" is undefined", "    x[0] = nothing;\n           ^");
  source.source = "extern \"C\" __global__ void f(float* x) { int unused = 0; x[0] = 1; }\n";
  CHECK_SAYS(compile_by_nvrtc(*found.library, source, 80).log, "\"unused\"");
  source.options = {"--no-such-option"};
  CHECK_THROWS_AS(compile_by_nvrtc(*found.library, source, 80), CompileError);
}

TEST_CASE("For a chip that it does not know NVRTC makes PTX of the newest one before it") {
  const Found found;
  if (!found.library) GAIA_SKIP(found.why);
  const KernelSource source{.name = "one.cu",
                            .source = "extern \"C\" __global__ void one(int* x) { *x = N; }\n",
                            .headers = {},
                            .options = {"-DN=41"},
                            .kernels = {"one"}};
  const NvrtcResult made = compile_by_nvrtc(*found.library, source, 999);
  const int newest = std::ranges::max(found.library->known);
  CHECK_SAYS(made.image, ".target sm_" + std::to_string(newest), ".entry one(", ", 41;");
  CHECK(made.lowered == std::vector<std::string>{"one"});
}

}  // namespace gaia::test
