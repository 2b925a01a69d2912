// SPDX-License-Identifier: MIT
#include "random_arrays.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

#include "../core/message.h"
#include "backend.h"
#include "indexing.h"
#include "kernel_families.h"
#include "operands.h"
#include "ops.h"
#include "sorting.h"

namespace gaia {
namespace {

Array random(Distribution distribution, const Shape& shape, double a, double b, DType dtype,
             RandomStream stream, const char* function) {
  if (dtype != DType::float32 && dtype != DType::float64) {
    fail<DTypeError>("[{}] expected float32 or float64, got {}", function, dtype);
  }
  Array result = Array::uninitialized(shape, dtype);
  const RandomFill fill{.stream = stream, .first = 0, .distribution = distribution, .a = a, .b = b};
  if (result.size() > 0) backend_for(KernelFamily::random).random(fill, result.view());
  return result;
}

}  // namespace

Array random_uniform(const Shape& shape, double low, double high, DType dtype,
                     RandomStream stream) {
  const double width = dtype == DType::float32 ? static_cast<float>(high - low) : high - low;
  if (!std::isfinite(low) || !std::isfinite(width)) {
    throw ArgumentError(fmt::format(
        "[random_uniform] expected a range of finite width in {}, got low = {} and high = {}",
        to_string(dtype), low, high));
  }
  return random(Distribution::uniform, shape, low, high, dtype, stream, "random_uniform");
}

Array random_normal(const Shape& shape, double mean, double deviation, DType dtype,
                    RandomStream stream) {
  if (!std::isfinite(mean) || !std::isfinite(deviation) || deviation < 0.0) {
    throw ArgumentError(
        fmt::format("[random_normal] expected a finite mean and a finite deviation of at least 0, "
                    "got mean = {} "
                    "and deviation = {}",
                    mean, deviation));
  }
  return random(Distribution::normal, shape, mean, deviation, dtype, stream, "random_normal");
}

void fill_normals(const RandomStream& stream, std::uint64_t first, std::span<double> out) {
  if (out.size() < 8) return stream.normals(first, out);
  const RandomFill fill{.stream = stream, .first = first, .distribution = Distribution::normal};
  const Shape shape{std::ssize(out)};
  backend(Device::cpu())
      .random(fill, {out.data(), DType::float64, shape, row_major_strides(shape)});
}

Array randint(std::int64_t low, std::int64_t high, const Shape& shape, DType dtype,
              RandomStream stream) {
  if (!is_integer(dtype)) fail<DTypeError>("[randint] expected int32 or int64, got {}", dtype);
  using Limits = std::numeric_limits<std::int32_t>;
  const bool fits =
      dtype == DType::int64 || (low >= Limits::min() && high <= std::int64_t(Limits::max()) + 1);
  if (low >= high || !fits) {
    throw ArgumentError(fmt::format("[randint] expected low < high within {}, got {} and {}",
                                    to_string(dtype), low, high));
  }
  const Array result = Array::uninitialized(shape, DType::int64);
  const RandomFill fill{
      .stream = stream,
      .distribution = Distribution::integers,
      .low = low,
      .count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low)};
  if (result.size() > 0) backend_for(KernelFamily::random).random(fill, result.view());
  return result.astype(dtype);
}

Array bernoulli(const Shape& shape, double p, DType dtype, RandomStream stream) {
  if (!(p >= 0.0 && p <= 1.0)) {
    throw ArgumentError(fmt::format("[bernoulli] expected a probability in [0, 1], got {}", p));
  }
  return less(random_uniform(shape, 0.0, 1.0, DType::float64, stream), p).astype(dtype);
}

Array permutation(std::int64_t n, RandomStream stream) {
  return argsort(random_uniform({n}, 0.0, 1.0, DType::float64, stream));
}

Array shuffle(const Array& x, std::int64_t axis, RandomStream stream) {
  const int which = normalize_axis(axis, x.rank(), "shuffle");
  return take(x, permutation(x.shape(which), stream), which);
}

}  // namespace gaia
