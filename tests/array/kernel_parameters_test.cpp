// SPDX-License-Identifier: MIT
#include <string>
#include <vector>

#include "../../src/array/cuda_kernel.h"
#include "../support/catch.h"

namespace gaia::test {
namespace {

/// "float* r" and so on, a line for each parameter: pointer, read-only, kind and bytes.
std::string shown(const std::vector<KernelParameter>& parameters) {
  std::string all;
  for (const KernelParameter& p : parameters) {
    all += p.text + ": " + "?bif"[static_cast<int>(p.kind)] + std::to_string(p.bytes) +
           (p.is_pointer ? "*" : "") + (p.is_read_only ? "r" : "") + "\n";
  }
  return all;
}

}  // namespace

TEST_CASE("The parameters of a kernel are read from its text") {
  CHECK(shown(kernel_parameters(R"(
// void f(double wrong);
__device__ int helper(int a) { return a; }
extern "C" __global__ void f(const float* __restrict__ x /* [n] */, double const *y,
                             std::int64_t* counts, bool flag, unsigned long long n,
                             const int steps, float, __nv_bfloat16* half) {})",
                                "f")) ==
        "const float* __restrict__ x: f4*r\n"
        "double const *y: f8*r\n"
        "std::int64_t* counts: i8*\n"
        "bool flag: b1\n"
        "unsigned long long n: i8\n"
        "const int steps: i4\n"
        "float: f4\n"
        "__nv_bfloat16* half: f2*\n");
}

TEST_CASE("What a parameter's text does not say plainly is unknown") {
  CHECK(shown(kernel_parameters(
            "void g(float4 a, float** rows, Pair<int, 2> pair, T* x, char c[3], const Settings s)",
            "g")) ==
        "float4 a: ?0\n"
        "float** rows: ?0*\n"
        "Pair<int, 2> pair: ?0\n"
        "T* x: ?0*\n"
        "char c[3]: ?0*\n"
        "const Settings s: ?0\n");
  CHECK(kernel_parameters("void f(float x) {}", "g").empty());
  CHECK(kernel_parameters("void f() {}", "f").empty());
  CHECK(kernel_parameters("template <class T> void f(T* x) {}", "f<float>").empty());
}

}  // namespace gaia::test
