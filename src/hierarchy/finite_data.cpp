// SPDX-License-Identifier: MIT
#include "finite_data.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "../array/ops.h"
#include "../core/message.h"
#include "as_before.h"

namespace gaia {
namespace {

/// The earliest number of the data [streams, steps, features], whose first row is that of step
/// `first`, that is not finite up to `step`: "NaN at step 3, stream 0, feature 1", or nothing.
std::optional<std::string> first_bad_number(const Array& x, std::int64_t first, std::int64_t step) {
  if (x.size() == 0 || step < first) return std::nullopt;
  const Array by_step = x.slice(1, 0, std::min(x.shape(1), step - first + 1)).swapaxes(0, 1);
  const std::int64_t at = first_not_finite(by_step);
  if (at < 0) return std::nullopt;
  const std::int64_t features = x.shape(2);
  const std::int64_t row = at / features / x.shape(0);
  const std::int64_t stream = at / features % x.shape(0);
  const std::int64_t feature = at % features;
  const bool is_nan = std::isnan(by_step.item({row, stream, feature}));
  return message("{} at step {}, stream {}, feature {}", is_nan ? "NaN" : "Inf", first + row,
                 stream, feature);
}

}  // namespace

bool all_finite(const Array& x) {
  if (x.size() == 0) return true;
  const std::int64_t between = x.strides()[1];
  const bool rows_touch = x.device().is_cpu() && (x.shape(2) == 1 || x.strides()[2] == 1) &&
                          between >= 0 && between <= x.shape(2);
  if (x.is_contiguous() || !rows_touch) return first_not_finite(x.contiguous()) < 0;
  const std::int64_t streams = x.strides()[0] == 0 ? 1 : x.shape(0);
  const std::int64_t numbers = (x.shape(1) - 1) * between + x.shape(2);
  for (std::int64_t stream = 0; stream < streams; ++stream) {
    const Array row =
        Array::borrowed(x[stream].view().data, {numbers}, {1}, x.dtype(), x.device(), nullptr);
    if (first_not_finite(row) >= 0) return false;
  }
  return true;
}

void blame_data(const Array& x, std::int64_t first, std::int64_t step, DType dtype,
                bool is_undone) {
  if (const auto bad = first_bad_number(x, first, step)) {
    throw ArgumentError("[process] expected finite numbers in the data, got " + *bad +
                        "; replace such numbers or leave their rows out" +
                        (is_undone ? kAsBefore
                                   : ", and begin with a new hierarchy or an earlier state, "
                                     "since this one has read them"));
  }
  if (const auto bad = first_bad_number(x.astype(dtype), first, step)) {
    throw ArgumentError("[process] expected data that " + to_string(dtype) + " can hold, got " +
                        *bad + "; scale the data, or take layers of float64" +
                        (is_undone ? kAsBefore : ""));
  }
}

}  // namespace gaia
