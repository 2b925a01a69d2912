// SPDX-License-Identifier: MIT
/// \file
/// Views of an Array: which elements they show, and that they share them.
#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "../../src/array/array.h"
#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

using Position = std::optional<std::int64_t>;

Array counted(const Shape& shape) { return arange(count_elements(shape)).reshape(shape); }

bool share(const Array& view, const Array& x) {
  x.fill(1.0);
  return view.size() == 0 || view.to_vector<double>() ==
                                 std::vector<double>(static_cast<std::size_t>(view.size()), 1.0);
}

DEVICE_TEST_CASE("transpose reverses axes, or puts them in the order given") {
  const Array x = counted({2, 3});
  check_equal(x.transpose(), i8, {3, 2}, {0, 3, 1, 4, 2, 5});
  const Array cube = counted({2, 3, 4});
  CHECK(cube.transpose().shape() == Shape{4, 3, 2});
  CHECK(cube.transpose({1, -1, 0}).shape() == Shape{3, 4, 2});
  CHECK(cube.transpose({1, -1, 0}).item({2, 3, 1}) == cube.item({1, 2, 3}));
  CHECK(full({}, 3.0).transpose().item() == 3.0);
  CHECK(share(cube.transpose({2, 0, 1}), cube));
  CHECK_THROWS_WITH(x.transpose({0}), "[transpose] expected 2 axes, got [0]");
  CHECK_THROWS_WITH(x.transpose({0, 0}), "[transpose] axis 0 given twice in [0, 0]");
  CHECK_THROWS_AS(x.transpose({0, 2}), ShapeError);
}

TEST_CASE("swapaxes exchanges two axes") {
  const Array x = counted({2, 3, 4});
  CHECK(x.swapaxes(0, -1).shape() == Shape{4, 3, 2});
  CHECK(x.swapaxes(0, -1).item({3, 1, 0}) == x.item({0, 1, 3}));
  CHECK(x.swapaxes(1, 1).strides() == x.strides());
  CHECK_THROWS_WITH(x.swapaxes(0, 3), "[swapaxes] axis 3 does not exist in 3 dimensions");
}

DEVICE_TEST_CASE("slice is Python's start:stop:step") {
  struct Case {
    Position start, stop;
    std::int64_t step;
    std::vector<double> expected;  // of NumPy
  };
  const std::vector<Case> cases = {
      {{}, {}, -1, {6, 5, 4, 3, 2, 1, 0}},
      {{}, {}, -2, {6, 4, 2, 0}},
      {5, 1, -2, {5, 3}},
      {-2, {}, -3, {5, 2}},
      {{}, -4, -1, {6, 5, 4}},
      {10, -10, -3, {6, 3, 0}},
      {-10, 10, 3, {0, 3, 6}},
      {2, 2, 1, {}},
      {4, 2, 1, {}},
      {1, 5, -1, {}},
      {{}, 2, 1, {0, 1}},
      {-3, -1, 1, {4, 5}},
      {6, {}, -7, {6}},
      {100, {}, 1, {}},
      {-100, 3, 1, {0, 1, 2}},
  };
  const Array x = arange(7);
  for (const Case& c : cases) {
    const Array y = x.slice(0, c.start, c.stop, c.step);
    check_equal(y, i8, {static_cast<std::int64_t>(c.expected.size())}, c.expected);
  }
}

/// Python's definition: i, i + step, ... while before (for negative steps: after) stop.
std::vector<double> python_slice(std::int64_t n, Position start, Position stop, std::int64_t step) {
  const auto bound = [&](Position given, std::int64_t otherwise) {
    if (!given) return otherwise;
    const std::int64_t p = *given < 0 ? *given + n : *given;
    return step > 0 ? std::min(std::max(p, std::int64_t(0)), n)
                    : std::min(std::max(p, std::int64_t(-1)), n - 1);
  };
  std::vector<double> taken;
  const std::int64_t last = bound(stop, step > 0 ? n : -1);
  for (std::int64_t i = bound(start, step > 0 ? 0 : n - 1); step > 0 ? i < last : i > last;
       i += step) {
    taken.push_back(static_cast<double>(i));
  }
  return taken;
}

TEST_CASE("slice agrees with Python's definition for every start, stop and step") {
  const std::vector<Position> positions = {{}, -9, -5, -4, -3, -1, 0, 1, 2, 3, 4, 5, 9};
  int wrong = 0;
  for (const std::int64_t n : {0, 1, 2, 4}) {
    const Array x = arange(n);
    for (const Position start : positions) {
      for (const Position stop : positions) {
        for (const std::int64_t step : {1, 2, 3, 7, -1, -2, -3, -7}) {
          const Array y = x.slice(0, start, stop, step);
          if (y.to_vector<double>() != python_slice(n, start, stop, step)) ++wrong;
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("slice copes with the largest numbers there are") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const Array x = arange(5);
  check_equal(x.slice(0, least, most, most), i8, {1}, {0});
  check_equal(x.slice(0, most, least, least), i8, {1}, {4});
  check_equal(x.slice(0, most, least, -1), i8, {5}, {4, 3, 2, 1, 0});
}

TEST_CASE("Slices of slices, along several axes, share elements") {
  const Array x = counted({4, 5});
  const Array y = x.slice(0, {}, {}, -2).slice(1, 1, {}, 2);  // rows 3, 1; columns 1, 3
  check_equal(y, i8, {2, 2}, {16, 18, 6, 8});
  check_equal(y.slice(0, {}, {}, -1), i8, {2, 2}, {6, 8, 16, 18});
  check_equal(y.transpose(), i8, {2, 2}, {16, 6, 18, 8});
  CHECK(share(y, x));
  CHECK_THROWS_WITH(x.slice(0, 0, 1, 0), "[slice] step must not be 0");
  CHECK_THROWS_WITH(x.slice(2, 0), "[slice] axis 2 does not exist in 2 dimensions");
}

TEST_CASE("select and indexing take one position and drop the axis") {
  on_each_device([] {
    const Array x = counted({2, 3});
    check_equal(x[1], i8, {3}, {3, 4, 5});
    check_equal(x[-2], i8, {3}, {0, 1, 2});
    check_equal(x.select(1, -1), i8, {2}, {2, 5});
    CHECK(x[1][2].shape() == Shape{});
    CHECK(x[1][2].item() == 5);
    CHECK(share(x.select(1, 0), x));
  });
  const Array x = counted({2, 3});
  for (const std::int64_t index :
       {std::int64_t(2), std::int64_t(-3), std::numeric_limits<std::int64_t>::min()}) {
    CHECK_THROWS_AS(x[index], ShapeError);
  }
  CHECK_THROWS_WITH(x.select(1, 5), "[select] index 5 is out of range for axis 1 of length 3");
  CHECK_THROWS_AS(full({}, 1.0)[0], ShapeError);
}

DEVICE_TEST_CASE("reshape keeps the order of elements, and is a view where strides allow") {
  const Array x = counted({2, 3, 4});
  check_equal(x.reshape({4, 6})[1], i8, {6}, {6, 7, 8, 9, 10, 11});
  CHECK(x.reshape({-1}).shape() == Shape{24});
  CHECK(x.reshape({2, -1, 2}).shape() == Shape{2, 6, 2});
  CHECK(x.reshape({1, 24, 1}).reshape({2, 12}).item({1, 0}) == 12);
  CHECK(full({1, 1}, 3.0).reshape({}).item() == 3.0);
  CHECK(full({}, 3.0).reshape({1, 1, 1}).item() == 3.0);
  CHECK(share(x.reshape({6, 4}), x));
}

TEST_CASE("reshape of a view joins and splits axes without a copy where it can") {
  const Array x = counted({4, 6});
  const auto is_view = [&](const Array& from, const Shape& to) {
    const Array reshaped = from.reshape(to);
    CHECK(reshaped.to_vector<double>() == from.to_vector<double>());
    return reshaped.view().data == from.view().data;
  };
  CHECK(is_view(x.transpose(), {2, 3, 4}));                           // splits an axis of stride 1
  CHECK(is_view(x.transpose(), {6, 2, 2}));                           // splits the other
  CHECK(is_view(x.slice(0, {}, {}, 2), {2, 3, 2}));                   // splits the inner axis
  CHECK(is_view(x.slice(1, {}, {}, -1), {2, 2, 6}));                  // splits the outer axis
  CHECK(is_view(x.slice(1, 0, 1), {4}));                              // drops an axis of length 1
  CHECK(is_view(x.slice(0, {}, {}, -1).slice(1, {}, {}, -1), {24}));  // all backwards is one run
  CHECK(is_view(x[0].broadcast_to({5, 6}), {5, 2, 3}));
  CHECK(is_view(ones({1}).broadcast_to({5, 6}), {30}));
  CHECK_FALSE(is_view(x.transpose(), {24}));
  CHECK_FALSE(is_view(x.transpose(), {4, 6}));
  CHECK_FALSE(is_view(x.slice(1, {}, {}, 4), {8}));
  CHECK_FALSE(is_view(x[0].broadcast_to({5, 6}), {30}));
}

TEST_CASE("reshape of any view agrees with reshape of its copy") {
  std::mt19937_64 engine(5);
  const std::vector<Shape> shapes = {{24},       {2, 12},    {12, 2},      {4, 6},
                                     {2, 3, 4},  {4, 3, 2},  {2, 2, 2, 3}, {3, 2, 2, 2},
                                     {1, 24, 1}, {2, 1, 12}, {6, 1, 2, 2}, {1, 1, 4, 1, 6}};
  for (const Shape& from : shapes) {
    for (const Layout layout : all_layouts()) {
      const auto x = random_operand(engine, from, DType::float64, layout);
      for (const Shape& to : shapes) {
        const Array y = x.array.reshape(to);
        REQUIRE(y.shape() == to);
        if (y.to_vector<double>() != x.values.numbers) {
          FAIL(to_string(layout) << " " << to_string(from) << " to " << to_string(to));
        }
      }
    }
  }
}

TEST_CASE("reshape of nothing, and reshapes that do not fit") {
  CHECK(zeros({0, 3}).reshape({-1, 3}).shape() == Shape{0, 3});
  CHECK(zeros({0, 3}).reshape({5, 0, 2}).shape() == Shape{5, 0, 2});
  CHECK(zeros({0}).reshape({3, -1}).shape() == Shape{3, 0});
  CHECK_THROWS_AS(zeros({0}).reshape({0, -1}), ShapeError);  // -1 could be anything
  CHECK_THROWS_AS(zeros({0}).reshape({}), ShapeError);
  const Array x = counted({2, 3});
  CHECK_THROWS_WITH(x.reshape({4}), "[reshape] 6 elements of shape [2, 3] do not fit into [4]");
  CHECK_THROWS_WITH(x.reshape({4, -1}),
                    "[reshape] 6 elements of shape [2, 3] do not fit into [4, -1]");
  const std::int64_t huge = std::int64_t(1) << 62;
  for (const Shape& bad :
       {Shape{-1, -1}, Shape{-1, -1, -1}, Shape{-2, -3}, Shape{-6}, Shape{0, -1},
        Shape{huge, 4, -1}, Shape{huge, huge}, Shape{huge, 8, 0, -1}, Shape{0}}) {
    CHECK_THROWS_AS(x.reshape(bad), ShapeError);
  }
}

TEST_CASE("broadcast_to repeats without copying") {
  on_each_device([] {
    const Array x = arange(3);
    check_equal(x.broadcast_to({2, 3}), i8, {2, 3}, {0, 1, 2, 0, 1, 2});
    check_equal(x.reshape({3, 1}).broadcast_to({3, 2}), i8, {3, 2}, {0, 0, 1, 1, 2, 2});
    CHECK(x.broadcast_to({2, 3}).view().data == x.view().data);
    CHECK(x.slice(0, 0, 1).broadcast_to({0}).size() == 0);
    CHECK(full({}, 2.0).broadcast_to({2, 2}).to_vector<double>() == std::vector<double>(4, 2.0));
    check_equal(x.slice(0, {}, {}, -1).broadcast_to({2, 3}), i8, {2, 3}, {2, 1, 0, 2, 1, 0});
  });
  CHECK_THROWS_WITH(arange(3).broadcast_to({2}),
                    "[broadcast_to] shape [3] does not broadcast to [2]");
  CHECK_THROWS_AS(arange(3).broadcast_to({3, 1}), ShapeError);
  CHECK_THROWS_AS(arange(1).broadcast_to({-1}), ShapeError);
  const std::int64_t huge = std::int64_t(1) << 62;
  CHECK_THROWS_AS(arange(1).broadcast_to({huge, huge}), ShapeError);
}

TEST_CASE("expand_dims and squeeze put in and take out axes of length 1") {
  const Array x = counted({2, 3});
  CHECK(x.expand_dims(0).shape() == Shape{1, 2, 3});
  CHECK(x.expand_dims(-1).shape() == Shape{2, 3, 1});
  CHECK(x.expand_dims(1).squeeze().strides() == x.strides());
  CHECK(full({}, 1.0).expand_dims(0).shape() == Shape{1});
  const Array y = zeros({1, 2, 1, 3});
  CHECK(y.squeeze().shape() == Shape{2, 3});
  CHECK(y.squeeze({0}).shape() == Shape{2, 1, 3});
  CHECK(y.squeeze({-2, 0}).shape() == Shape{2, 3});
  CHECK(zeros({1, 1}).squeeze().shape() == Shape{});
  CHECK_THROWS_WITH(y.squeeze({1}), "[squeeze] axis 1 of shape [1, 2, 1, 3] is not of length 1");
  CHECK_THROWS_WITH(x.expand_dims(3), "[expand_dims] axis 3 does not exist in 3 dimensions");
  CHECK_THROWS_AS(x.squeeze({0, 0}), ShapeError);
}

DEVICE_TEST_CASE("windows are rows that may overlap") {
  const Array x = arange(6);
  check_equal(x.windows(4, 3, 1), i8, {4, 3}, {0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5});
  check_equal(x.windows(2, 2, 4), i8, {2, 2}, {0, 1, 4, 5});
  check_equal(x.slice(0, 2).windows(2, 3, 1), i8, {2, 3}, {2, 3, 4, 3, 4, 5});
  CHECK(x.windows(1, 6, 100).shape() == Shape{1, 6});
  CHECK(x.windows(0, 3, 1).shape() == Shape{0, 3});
  CHECK(x.windows(4, 3, 1).view().data == x.view().data);
  check_equal(x.windows(4, 3, 1).transpose().copy()[2], i8, {4}, {2, 3, 4, 5});
}

TEST_CASE("windows stay within the array") {
  const Array x = arange(6);
  CHECK_THROWS_WITH(
      x.windows(5, 3, 1),
      "[windows] 5 rows of 3 at distance 1 do not fit into a contiguous 1-d array; got "
      "shape [6]");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_AS(x.windows(1, 7, 1), ShapeError);
  CHECK_THROWS_AS(x.windows(2, 3, 4), ShapeError);
  CHECK_THROWS_AS(x.windows(-1, 3, 1), ShapeError);
  CHECK_THROWS_AS(x.windows(2, 0, 1), ShapeError);
  CHECK_THROWS_AS(x.windows(2, 2, 0), ShapeError);
  CHECK_THROWS_AS(x.windows(most, 2, most), ShapeError);
  CHECK_THROWS_AS(x.slice(0, {}, {}, -1).windows(2, 2, 1), ShapeError);
  CHECK_THROWS_AS(x.reshape({2, 3}).windows(2, 2, 1), ShapeError);
}

TEST_CASE("A view keeps its elements alive") {
  Array view;
  {
    const Array x = counted({100, 100});
    view = x.slice(0, 50, 52).transpose();
  }
  CHECK(view.item({3, 1}) == 5103);
}

}  // namespace
}  // namespace gaia::test
