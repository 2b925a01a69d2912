// SPDX-License-Identifier: MIT
#include "../../src/formulas/shape.h"

#include <limits>

#include "../../src/core/error.h"
#include "../../src/formulas/view.h"
#include "../support/catch.h"

namespace gaia {
namespace {

constexpr std::int64_t kHuge = std::int64_t(1) << 62;

TEST_CASE("Dims hold up to eight integers") {
  Dims dims = {1, 2, 3};
  CHECK(dims.rank() == 3);
  CHECK(dims[1] == 2);
  CHECK(dims.back() == 3);
  dims.push_back(4);
  dims.insert(0, 9);
  CHECK(dims == Dims{9, 1, 2, 3, 4});
  dims.insert(5, 8);
  CHECK(dims == Dims{9, 1, 2, 3, 4, 8});
  dims.erase(0);
  dims.erase(4);
  dims.erase(1);
  CHECK(dims == Dims{1, 3, 4});
  CHECK(Dims().empty());
  CHECK(Dims::filled(3, 7) == Dims{7, 7, 7});
  CHECK_FALSE(Dims{1, 2} == Dims{1, 2, 0});
  CHECK(to_string(Dims{2, -3}) == "[2, -3]");
  CHECK(to_string(Dims{}) == "[]");
}

TEST_CASE("Dims have no room for a ninth integer") {
  const char* const message = "[shape] expected at most 8 axes, got 9";
  Dims full = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK_THROWS_AS(full.push_back(9), ShapeError);
  CHECK_THROWS_WITH(full.insert(0, 9), message);
  CHECK(full == Dims{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK_THROWS_WITH((Dims{1, 2, 3, 4, 5, 6, 7, 8, 9}), message);
  CHECK_THROWS_WITH(Dims::filled(9, 1), message);
}

TEST_CASE("Elements are counted, and shapes that overflow refused") {
  CHECK(count_elements({}) == 1);
  CHECK(count_elements({0}) == 0);
  CHECK(count_elements({2, 3, 4}) == 24);
  CHECK(count_elements({kHuge, 0, kHuge}) == 0);
  CHECK(count_elements({kHuge, 1}) == kHuge);
  CHECK_THROWS_AS(count_elements({kHuge, 2}), ShapeError);
  CHECK_THROWS_WITH(count_elements({4294967296, 4294967296}),
                    "[shape] [4294967296, 4294967296] has more than 2^63 elements");
  CHECK_THROWS_WITH(count_elements({2, -1}), "[shape] negative length in [2, -1]");
  CHECK_THROWS_AS(count_elements({0, -1}), ShapeError);
}

TEST_CASE("Row-major strides make the last axis vary fastest") {
  CHECK(row_major_strides({2, 3, 4}) == Strides{12, 4, 1});
  CHECK(row_major_strides({5}) == Strides{1});
  CHECK(row_major_strides({}) == Strides{});
  CHECK(row_major_strides({0, kHuge, kHuge}).rank() == 3);  // no overflow
}

TEST_CASE("Negative axes count from the end") {
  CHECK(normalize_axis(0, 3, "f") == 0);
  CHECK(normalize_axis(-1, 3, "f") == 2);
  CHECK(normalize_axis(-3, 3, "f") == 0);
  for (const std::int64_t axis : {3, -4, 1000}) {
    CHECK_THROWS_AS(normalize_axis(axis, 3, "f"), ShapeError);
  }
  CHECK_THROWS_WITH(normalize_axis(-4, 3, "sum"), "[sum] axis -4 does not exist in 3 dimensions");
  CHECK_THROWS_AS(normalize_axis(0, 0, "f"), ShapeError);
  CHECK_THROWS_AS(normalize_axis(std::numeric_limits<std::int64_t>::min(), 3, "f"), ShapeError);
}

TEST_CASE("Lists of axes are complete if empty and hold no axis twice") {
  CHECK(normalize_axes({}, 3, "f") == Axes{0, 1, 2});
  CHECK(normalize_axes({}, 0, "f") == Axes{});
  CHECK(normalize_axes({-1, 0}, 3, "f") == Axes{2, 0});
  CHECK_THROWS_AS(normalize_axes({1, 1}, 3, "f"), ShapeError);
  CHECK_THROWS_WITH(normalize_axes({1, -2}, 3, "mean"), "[mean] axis 1 given twice in [1, -2]");
}

TEST_CASE("Shapes broadcast as in NumPy") {
  CHECK(broadcast_shapes({2, 3}, {3}, "f") == Shape{2, 3});
  CHECK(broadcast_shapes({3}, {2, 3}, "f") == Shape{2, 3});
  CHECK(broadcast_shapes({2, 1}, {1, 3}, "f") == Shape{2, 3});
  CHECK(broadcast_shapes({}, {4, 5}, "f") == Shape{4, 5});
  CHECK(broadcast_shapes({}, {}, "f") == Shape{});
  CHECK(broadcast_shapes({8, 1, 6, 1}, {7, 1, 5}, "f") == Shape{8, 7, 6, 5});
  CHECK(broadcast_shapes({0}, {1}, "f") == Shape{0});
  CHECK(broadcast_shapes({1, 3}, {0, 1}, "f") == Shape{0, 3});
}

TEST_CASE("Shapes that do not broadcast are named with the axis") {
  CHECK_THROWS_WITH(broadcast_shapes({2, 3}, {4}, "add"),
                    "[add] shapes [2, 3] and [4] do not broadcast: axis 1 has 3 and 4");
  CHECK_THROWS_WITH(broadcast_shapes({4}, {2, 3}, "add"),
                    "[add] shapes [4] and [2, 3] do not broadcast: axis 1 has 3 and 4");
  CHECK_THROWS_AS(broadcast_shapes({2, 3}, {2}, "f"), ShapeError);
  CHECK_THROWS_AS(broadcast_shapes({2}, {0}, "f"), ShapeError);
}

TEST_CASE("Broadcast strides are 0 along axes that repeat") {
  CHECK(broadcast_strides({2, 3}, {3, 1}, {2, 3}, "f") == Strides{3, 1});
  CHECK(broadcast_strides({3}, {1}, {5, 3}, "f") == Strides{0, 1});
  CHECK(broadcast_strides({2, 1}, {7, 1}, {4, 2, 9}, "f") == Strides{0, 7, 0});
  CHECK(broadcast_strides({}, {}, {2, 2}, "f") == Strides{0, 0});
  CHECK(broadcast_strides({1}, {1}, {0}, "f") == Strides{0});
  for (const Shape& target : {Shape{3}, Shape{}, Shape{2, 2}, Shape{1, 3}}) {
    CHECK_THROWS_AS(broadcast_strides({2, 3}, {3, 1}, target, "f"), ShapeError);
  }
  CHECK_THROWS_WITH(broadcast_strides({2, 3}, {3, 1}, {3}, "assign"),
                    "[assign] shape [2, 3] does not broadcast to [3]");
}

TEST_CASE("A view knows whether its elements lie one behind the other") {
  const auto contiguous = [](const Shape& shape, const Strides& strides) {
    return View{nullptr, DType::float32, shape, strides}.is_contiguous();
  };
  CHECK(contiguous({2, 3}, {3, 1}));
  CHECK(contiguous({}, {}));
  CHECK(contiguous({1, 3, 1}, {99, 1, -5}));  // an axis of length 1 is never walked
  CHECK(contiguous({4, 0}, {7, 7}));
  CHECK(contiguous({0, kHuge, kHuge}, {7, kHuge, 1}));
  CHECK_FALSE(contiguous({2, 3}, {1, 2}));
  CHECK_FALSE(contiguous({2, 3}, {6, 2}));
  CHECK_FALSE(contiguous({2, 3}, {3, -1}));
  CHECK_FALSE(contiguous({2, 3}, {0, 1}));
  CHECK_FALSE(contiguous({2, 2}, {3, 1}));
}

}  // namespace
}  // namespace gaia
