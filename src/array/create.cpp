// SPDX-License-Identifier: MIT
#include "create.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "backend.h"

namespace gaia {
namespace {

/// A host array's elements on the current device.
Array upload(const void* host, const Shape& shape, DType dtype) {
  Array result = Array::uninitialized(shape, dtype);
  if (result.size() > 0) {
    backend(current_device()).upload(host, result.view().data, result.bytes());
  }
  return result;
}

/// f(0), f(1), ... f(count - 1), computed in T on the host and cast.
template <class T, class F>
Array generate(std::int64_t count, DType dtype, const F& f) {
  Array host;
  {
    const GPUContext scope(Device::cpu());
    const Array numbers = Array::uninitialized({count}, dtype_of<T>());
    const std::span<T> elements = numbers.elements<T>();
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = f(static_cast<std::int64_t>(i));
    host = numbers.astype(dtype);
  }
  return current_device().is_cpu() ? host : upload(host.view().data, {count}, dtype);
}

Array random(Distribution distribution, const Shape& shape, double a, double b, DType dtype,
             RandomStream stream, const char* function) {
  if (dtype != DType::float32 && dtype != DType::float64) {
    throw DTypeError("[" + std::string(function) + "] expected float32 or float64, got " +
                     to_string(dtype));
  }
  Array result = Array::uninitialized(shape, dtype);
  const RandomFill fill{.stream = stream, .first = 0, .distribution = distribution, .a = a, .b = b};
  if (result.size() > 0) backend(current_device()).random(fill, result.view());
  return result;
}

}  // namespace

Array full(const Shape& shape, double value, DType dtype) {
  Array result = Array::uninitialized(shape, dtype);
  result.fill(value);
  return result;
}

Array zeros(const Shape& shape, DType dtype) { return full(shape, 0.0, dtype); }
Array ones(const Shape& shape, DType dtype) { return full(shape, 1.0, dtype); }
Array zeros_like(const Array& x) { return zeros(x.shape(), x.dtype()); }
Array ones_like(const Array& x) { return ones(x.shape(), x.dtype()); }

Array eye(std::int64_t rows, std::int64_t columns, DType dtype) {
  if (columns == 0) columns = rows;
  Array result = zeros({rows, columns}, dtype);
  const std::int64_t diagonal = std::min(rows, columns);
  if (diagonal > 0) {
    result.reshape({-1}).windows(diagonal, 1, columns + 1).fill(1.0);
  }
  return result;
}

Array arange(double start, double stop, double step, DType dtype) {
  if (step == 0.0 || !std::isfinite(start) || !std::isfinite(stop) || !std::isfinite(step)) {
    throw ArgumentError(fmt::format(
        "[arange] expected finite numbers and a step other than 0, got {} to {} in steps of {}",
        start, stop, step));
  }
  const double count = std::max(0.0, std::ceil((stop - start) / step));
  if (count > 0x1p53) {
    throw ShapeError(fmt::format("[arange] {} to {} in steps of {} has more than 2^53 elements",
                                 start, stop, step));
  }
  return generate<double>(static_cast<std::int64_t>(count), dtype,
                          [&](std::int64_t i) { return start + step * static_cast<double>(i); });
}

Array arange(std::int64_t stop) {
  return generate<std::int64_t>(std::max<std::int64_t>(stop, 0), DType::int64,
                                [](std::int64_t i) { return i; });
}

Array linspace(double start, double stop, std::int64_t count, DType dtype) {
  if (count < 0) {
    throw ArgumentError("[linspace] count must be at least 0, got " + std::to_string(count));
  }
  const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0.0;
  return generate<double>(count, dtype, [&](std::int64_t i) {
    return i > 0 && i == count - 1 ? stop : start + step * static_cast<double>(i);
  });
}

template <class T>
Array from_values(std::span<const T> values, const Shape& shape) {
  if (static_cast<std::int64_t>(values.size()) != count_elements(shape)) {
    throw ShapeError("[from_values] " + std::to_string(values.size()) +
                     " values do not fill shape " + to_string(shape));
  }
  return upload(values.data(), shape, dtype_of<T>());
}

template Array from_values(std::span<const std::int32_t>, const Shape&);
template Array from_values(std::span<const std::int64_t>, const Shape&);
template Array from_values(std::span<const float>, const Shape&);
template Array from_values(std::span<const double>, const Shape&);
template Array from_values(std::span<const bool>, const Shape&);
template Array from_values(std::span<const bfloat16>, const Shape&);

Array array(std::initializer_list<Number> numbers, DType dtype) {
  std::vector<double> values;
  for (const Number& number : numbers) values.push_back(number.value);
  return from_values(values, {static_cast<std::int64_t>(values.size())}).astype(dtype);
}

Array array(std::initializer_list<std::initializer_list<double>> rows, DType dtype) {
  std::vector<double> values;
  const std::size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  for (const auto& row : rows) {
    if (row.size() != columns) {
      throw ShapeError("[array] rows of " + std::to_string(columns) + " and " +
                       std::to_string(row.size()) + " numbers");
    }
    values.insert(values.end(), row.begin(), row.end());
  }
  return from_values(values,
                     {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns)})
      .astype(dtype);
}

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

}  // namespace gaia
