// SPDX-License-Identifier: MIT
#include "init.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../array/create.h"
#include "../array/ops.h"
#include "../array/orthonormal.h"
#include "../core/message.h"
#include "../core/names.h"

namespace gaia {
namespace {

constexpr NameTable<Init, 12> kNames = {{{"he", Init::he},
                                         {"xavier", Init::xavier},
                                         {"normal", Init::normal},
                                         {"uniform", Init::uniform},
                                         {"orthogonal", Init::orthogonal},
                                         {"identity", Init::identity},
                                         {"he_uniform", Init::he_uniform},
                                         {"xavier_uniform", Init::xavier_uniform},
                                         {"pytorch", Init::pytorch},
                                         {"zeros", Init::zeros},
                                         {"positive", Init::positive},
                                         {"samples", Init::samples}}};

}  // namespace

std::string to_string(Init init) { return name_of(kNames, init); }
Init init_from_name(std::string_view name) { return from_name(kNames, name, "init"); }

Fan fan_of(const Shape& weights) {
  if (weights.rank() < 2) {
    fail<ShapeError>("[fan_of] expected weights [outputs, inputs, ...], got shape {}", weights);
  }
  std::int64_t kernel = 1;
  for (int axis = 2; axis < weights.rank(); ++axis) kernel *= weights[axis];
  return {weights[1] * kernel, weights[0] * kernel};
}

Array initial_weights(Init init, const Shape& shape, Fan fan, DType dtype, RandomStream stream) {
  if (fan.in < 1 || fan.out < 1) {
    fail<ArgumentError>(
        "[initial_weights] expected a fan-in and a fan-out of at least 1, got {} and {}", fan.in,
        fan.out);
  }
  const auto fan_in = static_cast<double>(fan.in);
  const auto fans = static_cast<double>(fan.in + fan.out);
  const auto normal = [&](double deviation) {
    return random_normal(shape, 0.0, deviation, DType::float64, stream).astype(dtype);
  };
  const auto uniform = [&](double bound) {
    return random_uniform(shape, -bound, bound, DType::float64, stream).astype(dtype);
  };
  switch (init) {
    case Init::he:
      return normal(std::sqrt(2.0 / fan_in));
    case Init::xavier:
      return normal(std::sqrt(2.0 / fans));
    case Init::normal:
      return normal(0.01);
    case Init::uniform:
      return uniform(0.01);
    case Init::he_uniform:
      return uniform(std::sqrt(6.0 / fan_in));
    case Init::xavier_uniform:
      return uniform(std::sqrt(6.0 / fans));
    case Init::pytorch:
      return uniform(1.0 / std::sqrt(fan_in));
    case Init::zeros:
      return zeros(shape, dtype);
    case Init::positive: {
      const std::int64_t rows = shape.empty() ? 1 : shape[0];
      const Array drawn =
          random_uniform(shape, 0.0, 1.0, DType::float64, stream)
              .reshape({rows, count_elements(shape) / std::max<std::int64_t>(rows, 1)});
      const Array lengths = sqrt(sum(multiply(drawn, drawn), {1}, true));
      return divide(drawn, lengths).reshape(shape).astype(dtype);
    }
    case Init::samples:
      throw ArgumentError(
          "[initial_weights] init samples takes rows of what a plastic layer reads in a run, and "
          "there are none here; take another init");
    case Init::orthogonal:
    case Init::identity:
      break;
  }
  const std::int64_t outputs = shape.empty() ? 1 : shape[0];
  const std::int64_t inputs = count_elements(shape) / std::max<std::int64_t>(outputs, 1);
  if (init == Init::identity) return eye(outputs, inputs, dtype).reshape(shape);
  const Array matrix = outputs <= inputs ? random_orthonormal(outputs, inputs, stream)
                                         : random_orthonormal(inputs, outputs, stream).transpose();
  return matrix.reshape(shape).astype(dtype).contiguous();
}

Array initial_weights(Init init, std::int64_t outputs, std::int64_t inputs, DType dtype,
                      RandomStream stream) {
  return initial_weights(init, {outputs, inputs}, {inputs, outputs}, dtype, stream);
}

Array recurrent_weights(std::int64_t size, double radius, DType dtype, RandomStream stream) {
  const Array drawn = random_normal({size, size}, 0.0, 1.0, DType::float64, stream);
  const double own = spectral_radius(drawn);
  return multiply(drawn, own > 0.0 ? radius / own : 0.0).astype(dtype);
}

Array sparse_recurrent_weights(std::int64_t size, double radius, double density, DType dtype,
                               RandomStream stream, RandomStream places) {
  if (!(density > 0.0 && density <= 1.0)) {
    fail<ArgumentError>("[recurrent_weights] density must be in (0, 1], got {}", density);
  }
  std::vector<double> entries =
      random_normal({size, size}, 0.0, 1.0, DType::float64, stream).to_vector<double>();
  const std::vector<double> draws =
      random_uniform({size, size}, 0.0, 1.0, DType::float64, places).to_vector<double>();
  // Those with the smallest draws stay: exactly as many as the density says.
  const auto kept =
      std::max<std::ptrdiff_t>(1, std::llround(density * static_cast<double>(entries.size())));
  std::vector<double> order = draws;
  std::nth_element(order.begin(), order.begin() + (kept - 1), order.end());
  const double last = order[static_cast<std::size_t>(kept - 1)];
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (draws[i] > last) entries[i] = 0.0;
  }
  const Array drawn = from_values(entries, {size, size});
  const double own = spectral_radius(drawn);
  if (!(own > 0.0) && radius > 0.0) {
    fail<ArgumentError>(
        "[recurrent_weights] of {} neurons, those with a weight that is not 0 at density {} close "
        "no loop, so that no factor gives them a spectral radius of {}; use a larger density or "
        "another seed",
        size, density, radius);
  }
  return multiply(drawn, own > 0.0 ? radius / own : 0.0).astype(dtype);
}

}  // namespace gaia
