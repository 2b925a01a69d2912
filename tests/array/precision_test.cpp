// SPDX-License-Identifier: MIT
/// \file
/// What products of float32 may be rounded to: nothing unless it is asked for, per thread and
/// scope.
#include "../../src/array/precision.h"

#include <stdexcept>
#include <thread>

#include "../../src/array/convolution.h"
#include "../../src/array/create.h"
#include "../../src/array/fused.h"
#include "../../src/array/linear.h"
#include "../../src/array/ops.h"
#include "../../src/array/random_arrays.h"
#include "../../src/core/error.h"
#include "../../src/core/random.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

TEST_CASE("Precisions have names") {
  for (const auto& [precision, name] :
       {std::pair{MatmulPrecision::full, "full"}, std::pair{MatmulPrecision::tf32, "tf32"},
        std::pair{MatmulPrecision::bfloat16, "bfloat16"}}) {
    CHECK(to_string(precision) == name);
    CHECK(matmul_precision_from_name(name) == precision);
  }
  CHECK_THROWS_WITH(matmul_precision_from_name("half"),
                    "[matmul_precision] unknown precision 'half'; known: full, tf32, bfloat16");
}

TEST_CASE("A precision holds for its scope and thread") {
  CHECK(matmul_precision() == MatmulPrecision::full);
  {
    const MatmulPrecisionScope outer(MatmulPrecision::tf32);
    CHECK(matmul_precision() == MatmulPrecision::tf32);
    try {
      const MatmulPrecisionScope inner(MatmulPrecision::bfloat16);
      CHECK(matmul_precision() == MatmulPrecision::bfloat16);
      throw std::runtime_error("left early");
    } catch (const std::runtime_error&) {
      CHECK(matmul_precision() == MatmulPrecision::tf32);
    }
    MatmulPrecision elsewhere = MatmulPrecision::tf32;
    std::thread([&] { elsewhere = matmul_precision(); }).join();
    CHECK(elsewhere == MatmulPrecision::full);
  }
  CHECK(matmul_precision() == MatmulPrecision::full);
  set_matmul_precision(MatmulPrecision::tf32);
  CHECK(matmul_precision() == MatmulPrecision::tf32);
  set_matmul_precision(MatmulPrecision::full);
}

/// Everything that the setting speaks of.
std::vector<Array> products() {
  const Array a = random_normal({1, 1, 9, 8});
  const Array w = random_normal({8, 8});
  const Array z = linear_gelu_forward(a, w).z;
  return {matmul(a, w),
          dot(a, w),
          einsum("ij,jk->ki", w, w),
          linear_gelu(a, w),
          linear_gelu_backward(a, a, w, z).weights,
          conv2d(a, random_normal({2, 1, 3, 3})),
          attention(a, a, a)};
}

TEST_CASE("On the CPU products are computed in full, whatever is allowed") {
  std::vector<std::vector<double>> numbers;
  for (const MatmulPrecision precision :
       {MatmulPrecision::full, MatmulPrecision::tf32, MatmulPrecision::bfloat16}) {
    const MatmulPrecisionScope scope(precision);
    set_seed(1);
    std::size_t i = 0;
    for (const Array& y : products()) {
      if (precision == MatmulPrecision::full) {
        numbers.push_back(y.to_vector<double>());
      } else {
        CHECK((y.to_vector<double>() == numbers.at(i++)));
      }
    }
  }
}

DEVICE_TEST_CASE("Products of bfloat16 arrays are exact sums of float32") {
  // 1 + 2^-7 has all bits that there are; its square has 15.
  const Array a = full({2, 3}, 1.0078125, bf);
  check_equal(matmul(a, a.transpose()), f4, {2, 2}, std::vector<double>(4, 3 * 1.01568603515625));
  check_equal(dot(a.slice(0, 0, 1).reshape({3}), ones({3}, bf)), f4, {}, {3.0234375});
  // They are float32 beside float32.
  check_equal(matmul(a, ones({3, 1}) * 0.1), f4, {2, 1},
              std::vector<double>(2, matmul(a.astype(f4), ones({3, 1}) * 0.1).item({0, 0})));
  CHECK(matmul(a, ones({3, 1}, f8)).dtype() == f8);
}

}  // namespace
}  // namespace gaia::test
