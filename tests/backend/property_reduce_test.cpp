// SPDX-License-Identifier: MIT
/// \file
/// Thousands of reductions and scans of arrays of random shape, dtype and layout, over random axes,
/// on every device, against plain loops.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "../../src/array/ops.h"
#include "../../src/array/statistics.h"
#include "../reference/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/long_tests.h"
#include "../support/near.h"
#include "../support/trial.h"

namespace gaia::test {
namespace {

using Numbers = std::vector<long double>;

/// f of the elements that each output is computed from.
Values fold(const Values& x, const Axes& axes, bool keep,
            const std::function<long double(const Numbers&)>& f) {
  Shape kept = x.shape;
  for (const std::int64_t axis : axes) kept[static_cast<int>(axis)] = 1;
  Values y(kept);
  std::vector<Numbers> groups(y.numbers.size());
  for_each_index(x.shape, [&](const Dims& at) {
    Dims target = at;
    for (const std::int64_t axis : axes) target[static_cast<int>(axis)] = 0;
    groups[static_cast<std::size_t>(&y[target] - y.numbers.data())].push_back(x[at]);
  });
  for (std::size_t i = 0; i < groups.size(); ++i) y.numbers[i] = static_cast<double>(f(groups[i]));
  if (keep) return y;
  y.shape = {};
  for (int axis = 0; axis < kept.rank(); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) y.shape.push_back(kept[axis]);
  }
  return y;
}

void reduce_trial(Trial& trial) {
  const Operand x = trial.operand(trial.shape(), trial.dtype());
  const Axes axes = trial.axes(x.array.rank());
  const bool keep = trial.below(2) == 0;
  static const std::vector<ReductionOp> ops = [] {
    std::vector<ReductionOp> all = reduction_ops();
    std::erase_if(all, [](const ReductionOp& op) { return op.name == "prod"; });  // out of range
    return all;
  }();
  const ReductionOp& c = pick(trial, ops);
  const Axes all_axes = normalize_axes(axes, x.array.rank(), "test");
  const bool folds_nothing = std::any_of(all_axes.begin(), all_axes.end(), [&](std::int64_t axis) {
    return x.values.shape[static_cast<int>(axis)] == 0;
  });
  if (!c.of_nothing && folds_nothing) {
    CHECK_THROWS_AS(c.named.of_array(x.array, axes, keep), ShapeError);
    return;
  }
  const Array got = c.named.of_array(x.array, axes, keep);
  check_near(got, fold(x.values, all_axes, keep, c.exact), got.dtype() == DType::float64 ? 1000 : 4,
             1);
}

void along_trial(Trial& trial) {
  const Operand x = trial.operand(trial.shape(), trial.dtype());
  const Values& v = x.values;
  if (v.shape.rank() == 0) return;
  const int axis = static_cast<int>(trial.below(v.shape.rank()));
  const std::int64_t length = v.shape[axis];
  Values running = v;
  Values shares = v;
  for_each_index(v.shape, [&](const Dims& at) {
    Dims other = at;
    long double sum = 0;
    double largest = -std::numeric_limits<double>::infinity();
    for (other[axis] = 0; other[axis] < length; ++other[axis])
      largest = std::max(largest, v[other]);
    for (other[axis] = 0; other[axis] < length; ++other[axis]) sum += std::exp(v[other] - largest);
    shares[at] = static_cast<double>(v[at] - largest - std::log(sum));
    if (at[axis] == 0) return;
    other[axis] = at[axis] - 1;
    running[at] += running[other];
  });
  check_near(cumsum(x.array, axis), running, 4, 16);
  if (length == 0) {
    CHECK_THROWS_AS(log_softmax(x.array, axis), ShapeError);
    CHECK_THROWS_AS(argmax(x.array, axis), ShapeError);
    return;
  }
  check_near(log_softmax(x.array, axis), shares, 8, 4);
  check_near(softmax(x.array, axis), map(shares, [](double s) { return std::exp(s); }), 16, 1);
  const Array largest = max(x.array, {axis}, true);
  const Array where_largest = argmax(x.array, axis, true);
  const Array positions = arange(length).reshape([&] {
    Shape shape = Shape::filled(v.shape.rank(), 1);
    shape[axis] = length;
    return shape;
  }());
  // No element before it is as large, and it is the largest.
  CHECK(all(where(positions < where_largest, x.array < largest, true)).item() == 1.0);
  CHECK(all(where(positions == where_largest, x.array == largest, true)).item() == 1.0);
}

DEVICE_TEST_CASE("Thousands of random reductions agree with plain loops") {
  const std::uint64_t trials = only_real_gpus() ? 350 : few_or_many<std::uint64_t>(1500, 3500);
  for (std::uint64_t number = 1; number <= trials; ++number) {
    INFO("trial " << number);
    Trial trial(number);
    number % 4 == 0 ? along_trial(trial) : reduce_trial(trial);
  }
}

}  // namespace
}  // namespace gaia::test
