// SPDX-License-Identifier: MIT
#include "create.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/message.h"
#include "backend.h"
#include "operands.h"
#include "ops.h"

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

/// start + step i, for i < count.  step i alone may be too large, and then wraps around and back.
Array integers(std::int64_t start, std::int64_t step, std::int64_t count, DType dtype) {
  return generate<std::int64_t>(
      count, dtype, [&](std::int64_t i) { return Add{}.value(start, Multiply{}.value(step, i)); });
}

/// How many of start, start + step, ... come before stop; more than 2^63 - 1 give a negative
/// number.
std::int64_t steps_between(std::int64_t start, std::int64_t stop, std::int64_t step) {
  const auto bits = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  if (step > 0 ? start >= stop : start <= stop) return 0;
  const std::uint64_t distance = step > 0 ? bits(stop) - bits(start) : bits(start) - bits(stop);
  const std::uint64_t stride = step > 0 ? bits(step) : 0 - bits(step);
  return static_cast<std::int64_t>((distance - 1) / stride + 1);
}

Array triangle(const Array& x, std::int64_t k, bool lower, const char* function) {
  if (x.rank() < 2) {
    fail<ShapeError>("[{}] expected at least 2 dimensions, got shape {}", function, x.shape());
  }
  if (x.size() == 0) return Array::uninitialized(x.shape(), x.dtype());
  // What stays depends on column - row alone: a row of the mask is the one above it, one further.
  const std::int64_t rows = x.shape(-2);
  const std::int64_t columns = x.shape(-1);
  const Array distance = arange(1 - rows, columns);
  const Array line = lower ? distance <= k : distance >= k;
  const Array stays = line.windows(rows, columns, 1).slice(0, {}, {}, -1);
  return where(stays, x, 0).astype(x.dtype());
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
Array empty(const Shape& shape, DType dtype) { return Array::uninitialized(shape, dtype); }
Array full_like(const Array& x, double value) { return full(x.shape(), value, x.dtype()); }
Array empty_like(const Array& x) { return empty(x.shape(), x.dtype()); }

Array eye(std::int64_t rows, std::int64_t columns, DType dtype) {
  if (columns == 0) columns = rows;
  Array result = zeros({rows, columns}, dtype);
  result.diagonal().fill(1.0);
  return result;
}

Array arange(Scalar stop) { return arange(0, stop); }

Array arange(Scalar start, Scalar stop, Scalar step) {
  const bool floating = start.floating || stop.floating || step.floating;
  return arange(start, stop, step, floating ? DType::float32 : DType::int64);
}

Array arange(Scalar start, Scalar stop, Scalar step, DType dtype) {
  if (step.value == 0.0 || !std::isfinite(start.value) || !std::isfinite(stop.value) ||
      !std::isfinite(step.value)) {
    throw ArgumentError(fmt::format(
        "[arange] expected finite numbers and a step other than 0, got {} to {} in steps of {}",
        start.value, stop.value, step.value));
  }
  const auto too_many = [&] {
    return ShapeError(fmt::format("[arange] {} to {} in steps of {} has too many elements",
                                  start.value, stop.value, step.value));
  };
  if (!start.floating && !stop.floating && !step.floating) {
    const std::int64_t count = steps_between(start.integer, stop.integer, step.integer);
    if (count < 0) throw too_many();
    return integers(start.integer, step.integer, count, dtype);
  }
  const double count = std::max(0.0, std::ceil((stop.value - start.value) / step.value));
  if (count > 0x1p53) throw too_many();
  return generate<double>(static_cast<std::int64_t>(count), dtype, [&](std::int64_t i) {
    return start.value + step.value * static_cast<double>(i);
  });
}

Array linspace(double start, double stop, std::int64_t count, DType dtype, bool endpoint) {
  if (count < 0) fail<ArgumentError>("[linspace] count must be at least 0, got {}", count);
  const std::int64_t steps = endpoint ? count - 1 : count;
  const double step = steps > 0 ? (stop - start) / static_cast<double>(steps) : 0.0;
  return generate<double>(count, dtype, [&](std::int64_t i) {
    const double x = i > 0 && i == steps ? stop : start + step * static_cast<double>(i);
    return is_integer(dtype) ? std::floor(x) : x;
  });
}

Array logspace(double start, double stop, std::int64_t count, double base, DType dtype) {
  return power(base, linspace(start, stop, count, DType::float64)).astype(dtype);
}

template <class T>
Array from_values(std::span<const T> values, const Shape& shape) {
  if (static_cast<std::int64_t>(values.size()) != count_elements(shape)) {
    fail<ShapeError>("[from_values] {} values do not fill shape {}", values.size(), shape);
  }
  return upload(values.data(), shape, dtype_of<T>());
}

template Array from_values(std::span<const std::int32_t>, const Shape&);
template Array from_values(std::span<const std::int64_t>, const Shape&);
template Array from_values(std::span<const float>, const Shape&);
template Array from_values(std::span<const double>, const Shape&);
template Array from_values(std::span<const bool>, const Shape&);
template Array from_values(std::span<const bfloat16>, const Shape&);

NestedList::NestedList(std::initializer_list<NestedList> items) {
  if (items.size() > 0) shape_ = items.begin()->shape_;
  for (const NestedList& item : items) {
    if (!(item.shape_ == shape_)) {
      fail<ShapeError>("[array] expected items of one shape in a list, got {} and {}", shape_,
                       item.shape_);
    }
    values_.insert(values_.end(), item.values_.begin(), item.values_.end());
  }
  shape_.insert(0, static_cast<std::int64_t>(items.size()));
}

Array array(const NestedList& values, DType dtype) {
  const std::vector<Scalar>& numbers = values.values();
  for (const Scalar number : numbers) {
    if (dtype != DType::int32 || number.floating) continue;
    if (static_cast<std::int32_t>(number.integer) == number.integer) continue;
    throw ArgumentError(fmt::format(
        "[array] expected numbers that fit into int32, got {}; ask for DType::int64 instead",
        number.integer));
  }
  const bool exact = is_integer(dtype) && std::none_of(numbers.begin(), numbers.end(),
                                                       [](Scalar x) { return x.floating; });
  const auto collect = [&]<class T>(T Scalar::*member) {
    std::vector<T> result;
    for (const Scalar& number : numbers) result.push_back(number.*member);
    return from_values(result, values.shape()).astype(dtype);
  };
  return exact ? collect(&Scalar::integer) : collect(&Scalar::value);
}

Array tril(const Array& x, std::int64_t k) { return triangle(x, k, true, "tril"); }
Array triu(const Array& x, std::int64_t k) { return triangle(x, k, false, "triu"); }

Array diag(const Array& x, std::int64_t k) {
  if (x.rank() == 2) return on_current_device(x, "diag").diagonal(k).copy();
  if (x.rank() != 1) fail<ShapeError>("[diag] expected 1 or 2 dimensions, got shape {}", x.shape());
  const std::int64_t n = x.size() + std::abs(k);
  const Array result = zeros({n, n}, x.dtype());
  result.diagonal(k).assign(on_current_device(x, "diag"));
  return result;
}

}  // namespace gaia
