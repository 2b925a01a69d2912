// SPDX-License-Identifier: MIT
#include "init.h"

#include <cmath>

#include "../array/create.h"
#include "../array/ops.h"
#include "../array/orthonormal.h"
#include "../core/names.h"

namespace gaia {
namespace {

constexpr NameTable<Init, 5> kNames = {{{"he", Init::he},
                                        {"xavier", Init::xavier},
                                        {"normal", Init::normal},
                                        {"uniform", Init::uniform},
                                        {"orthogonal", Init::orthogonal}}};

}  // namespace

std::string to_string(Init init) { return name_of(kNames, init); }
Init init_from_name(std::string_view name) { return from_name(kNames, name, "init"); }

Array initial_weights(Init init, std::int64_t outputs, std::int64_t inputs, DType dtype,
                      RandomStream stream) {
  const Shape shape = {outputs, inputs};
  const auto normal = [&](double deviation) {
    return random_normal(shape, 0.0, deviation, DType::float64, stream).astype(dtype);
  };
  switch (init) {
    case Init::he:
      return normal(std::sqrt(2.0 / static_cast<double>(inputs)));
    case Init::xavier:
      return normal(std::sqrt(2.0 / static_cast<double>(inputs + outputs)));
    case Init::normal:
      return normal(0.01);
    case Init::uniform:
      return random_uniform(shape, -0.01, 0.01, DType::float64, stream).astype(dtype);
    case Init::orthogonal:
      break;
  }
  if (outputs <= inputs) return random_orthonormal(outputs, inputs, stream).astype(dtype);
  return random_orthonormal(inputs, outputs, stream).transpose().astype(dtype).contiguous();
}

double spectral_radius(const Array& matrix) {
  if (matrix.rank() != 2 || matrix.shape(0) != matrix.shape(1)) {
    throw ShapeError("[spectral_radius] expected a square matrix, got shape " +
                     to_string(matrix.shape()));
  }
  Array power = matrix.astype(DType::float64);
  double logarithm = 0.0;
  for (double weight = 1.0; weight > 0x1p-40; weight /= 2.0) {
    const double size = norm(power).item();
    if (size == 0.0) return 0.0;
    logarithm += weight * std::log(size);
    power = divide(power, size);
    power = matmul(power, power);
  }
  return std::exp(logarithm);
}

Array recurrent_weights(std::int64_t size, double radius, DType dtype, RandomStream stream) {
  const Array drawn = random_normal({size, size}, 0.0, 1.0, DType::float64, stream);
  const double own = spectral_radius(drawn);
  return multiply(drawn, own > 0.0 ? radius / own : 0.0).astype(dtype);
}

}  // namespace gaia
