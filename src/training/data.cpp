// SPDX-License-Identifier: MIT
#include "data.h"

#include <cmath>
#include <string>

#include "../array/create.h"
#include "../array/indexing.h"
#include "../array/ops.h"
#include "../array/random_arrays.h"
#include "../core/message.h"
#include "../core/random.h"

namespace gaia {
namespace {

void check_pairs(const char* function, const Array& x, const Array& y) {
  if (x.rank() == 0 || y.rank() == 0 || x.shape(0) != y.shape(0)) {
    fail<ShapeError>("[{}] expected x [n, ...] and y [n, ...], got shapes {} and {}", function,
                     x.shape(), y.shape());
  }
}

/// A random order of `count` samples, on the current device.
Array order_of(std::int64_t count, std::uint64_t seed, const std::string& purpose) {
  return permutation(count, RandomStream::named(seed, purpose));
}

/// Rows of x, put together where it lies.
Array rows_of(const Array& x, const Array& rows) {
  const GPUContext there(x.device());
  return take(x, rows.to(x.device()), 0);
}

Array to_current_device(const Array& x) { return x.to(current_device()); }

}  // namespace

DataLoader::DataLoader(Array x, Array y, const LoaderOptions& options)
    : x_(std::move(x)), y_(std::move(y)), options_(options) {
  check_pairs("data_loader", x_, y_);
  if (options_.batch_size < 1) {
    fail<ArgumentError>("[data_loader] batch_size: expected at least 1, got {}",
                        options_.batch_size);
  }
}

std::int64_t DataLoader::batches() const {
  const std::int64_t full = samples() / options_.batch_size;
  const bool has_rest = samples() % options_.batch_size != 0;
  return full + (has_rest && !options_.drop_last ? 1 : 0);
}

DataLoader::Epoch DataLoader::epoch(std::int64_t number) const {
  if (!options_.shuffle) return {*this, {}};
  const GPUContext there(x_.device());
  return {*this, order_of(samples(), options_.seed, "epoch/" + std::to_string(number))};
}

bool DataLoader::Epoch::is_prefetched() const {
  const bool is_on_host = loader_.x_.device().is_cpu() && loader_.y_.device().is_cpu();
  return is_on_host && loader_.options_.prefetch.value_or(!current_device().is_cpu());
}

Batch DataLoader::Epoch::batch(std::int64_t index) const {
  const Batch found = gathered(index);
  return {to_current_device(found.x), to_current_device(found.y)};
}

Batch DataLoader::Epoch::gathered(std::int64_t index) const {
  if (index < 0 || index >= loader_.batches()) {
    fail<ArgumentError>("[data_loader] expected a batch below {}, got {}", loader_.batches(),
                        index);
  }
  const std::int64_t size = loader_.options_.batch_size;
  const std::int64_t first = index * size;
  const std::int64_t last = std::min(first + size, loader_.samples());
  if (!loader_.options_.shuffle) {
    return {loader_.x_.slice(0, first, last), loader_.y_.slice(0, first, last)};
  }
  const Array rows = order_.slice(0, first, last);
  return {rows_of(loader_.x_, rows), rows_of(loader_.y_, rows)};
}

Split train_test_split(const Array& x, const Array& y, double share, std::uint64_t seed) {
  check_pairs("train_test_split", x, y);
  if (!(share >= 0.0 && share <= 1.0)) {
    fail<ArgumentError>("[train_test_split] share: expected 0 to 1, got {}", share);
  }
  const std::int64_t count = x.shape(0);
  const std::int64_t tests = std::llround(share * static_cast<double>(count));
  const Array order = order_of(count, seed, "split");
  const Array train = order.slice(0, tests, count);
  const Array test = order.slice(0, 0, tests);
  const auto part = [](const Array& all, const Array& rows) {
    return to_current_device(rows_of(all, rows));
  };
  return {part(x, train), part(y, train), part(x, test), part(y, test)};
}

Array Normalizer::apply(const Array& x) const { return (x - mean) / scale; }
Array Normalizer::restore(const Array& x) const { return x * scale + mean; }

Normalizer normalizer_of(const Array& x) {
  if (x.rank() == 0 || x.shape(0) == 0) {
    fail<ShapeError>("[normalizer_of] expected samples [n, ...], got shape {}", x.shape());
  }
  const Array deviation = gaia::std(x, {0});
  const Array constant = equal(deviation, 0.0);
  return {mean(x, {0}), where(constant, ones_like(deviation), deviation)};
}

}  // namespace gaia
