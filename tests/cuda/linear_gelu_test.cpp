// SPDX-License-Identifier: MIT
/// \file
/// linear_gelu by one call of cuBLASLt and by a product with a kernel behind it: the same bits.
#include "../../src/array/fused.h"

#include <cmath>
#include <limits>

#include "../../cuda/gemm.h"
#include "../../src/array/create.h"
#include "../../src/array/precision.h"
#include "as_on_cpu.h"
#include "hardware.h"

namespace gaia::test {
namespace {

struct Answer {
  std::vector<double> y;
  std::vector<double> z;
  std::int64_t kernels;  ///< Launched beside cuBLASLt, for y and for both.
};

Answer answer(bool has_epilogue, const Shape& rows_in_out, bool has_bias, DType dtype,
              GeluForm form, std::int64_t from = 0) {
  const WithHardware hardware({.has_gelu_epilogue = has_epilogue});
  std::mt19937_64 engine(7);
  const std::int64_t in = rows_in_out[1];
  const std::int64_t out = rows_in_out[2];
  const Array x = some(engine, {rows_in_out[0] + from, in}, dtype).slice(0, from, {});
  const Array weights = some(engine, {out, in}, dtype);
  std::optional<Array> bias;
  if (has_bias) bias = some(engine, {out}, dtype);
  const std::int64_t before = emulator::launches();
  const Array y = linear_gelu(x, weights, bias, form);
  const LinearGeluResult both = linear_gelu_forward(x, weights, bias, form);
  const std::int64_t kernels = emulator::launches() - before;
  CHECK((y.to_vector<double>() == both.y.to_vector<double>()));
  return {y.to_vector<double>(), both.z.to_vector<double>(), kernels};
}

}  // namespace

TEST_CASE("linear_gelu has the same bits by one call and by two") {
  const OnEmulatedDevice emulated;
  for (const Shape& sizes : {Shape{1, 4, 8}, Shape{5, 12, 16}, Shape{33, 8, 24}}) {
    for (const bool has_bias : {false, true}) {
      INFO(to_string(sizes) << " " << has_bias);
      const Answer one = answer(true, sizes, has_bias, DType::float32, GeluForm::tanh);
      const Answer two = answer(false, sizes, has_bias, DType::float32, GeluForm::tanh);
      CHECK(one.kernels == 0);
      CHECK(two.kernels == 2);
      CHECK((one.y == two.y));
      CHECK((one.z == two.z));
    }
  }
}

TEST_CASE("linear_gelu takes two calls where cuBLASLt has no kernel for one") {
  const OnEmulatedDevice emulated;
  const auto kernels = [](const Shape& sizes, DType dtype, GeluForm form, std::int64_t from = 0) {
    return answer(true, sizes, true, dtype, form, from).kernels;
  };
  CHECK(kernels({3, 8, 8}, DType::float32, GeluForm::tanh) == 0);
  CHECK(kernels({3, 8, 8}, DType::float32, GeluForm::exact) == 2);
  CHECK(kernels({3, 8, 8}, DType::float64, GeluForm::tanh) == 2);
  CHECK(kernels({3, 8, 12}, DType::float32, GeluForm::tanh) == 1);    // rows of z
  CHECK(kernels({3, 5, 8}, DType::float32, GeluForm::tanh, 1) == 2);  // x off its border
}

TEST_CASE("linear_gelu in full takes a pass of its own where cuBLASLt's gelu is not exact enough") {
  const auto kernels_at = [](float error, MatmulPrecision precision) {
    const WithHardware hardware({.gelu_epilogue_error = error});
    const EmulatedDevice emulated;  // which has not measured yet
    const GPUContext scope(EmulatedDevice::device());
    const MatmulPrecisionScope allowed(precision);
    const Array x = full({4, 8}, 0.5);
    const Array weights = full({8, 8}, 0.25);
    const std::int64_t before = emulator::launches();
    const Array y = linear_gelu(x, weights);
    const std::int64_t kernels = emulator::launches() - before;
    // z = 1, and gelu(1) in the tanh form is 0.8411919906082768.
    const double allowed_error = kernels == 0 ? static_cast<double>(error) + 1e-6 : 1e-6;
    for (const double number : y.to_vector<double>()) {
      CHECK(std::abs(number - 0.8411919906082768) < allowed_error);
    }
    return kernels;
  };
  const std::int64_t before = cuda::emulated::gemm_fallbacks().epilogues;
  CHECK(kernels_at(0.0f, MatmulPrecision::full) == 0);
  CHECK(kernels_at(5.5e-6f, MatmulPrecision::full) == 0);  // within what full precision allows
  CHECK(cuda::emulated::gemm_fallbacks().epilogues == before);
  CHECK(kernels_at(2e-5f, MatmulPrecision::full) == 1);
  CHECK(kernels_at(-2e-5f, MatmulPrecision::full) == 1);
  CHECK(kernels_at(std::numeric_limits<float>::quiet_NaN(), MatmulPrecision::full) == 1);
  CHECK(cuda::emulated::gemm_fallbacks().epilogues == before + 3);
  CHECK(kernels_at(2e-5f, MatmulPrecision::tf32) == 0);  // which rounds far more itself
}

}  // namespace gaia::test
