// SPDX-License-Identifier: MIT
/// \file
/// Elements by their indices: what is read, what is written, and what is refused.
#include <cmath>
#include <limits>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/indexing.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("take reads along an axis, in the shape of its indices") {
  const Array x = array({{1, 2, 3}, {4, 5, 6}});
  check_equal(take(x, array({2, 0}, i8), 1), f4, {2, 2}, {3, 1, 6, 4});
  check_equal(take(x, array({-1, 0, 0}, i4), 0), f4, {3, 3}, {4, 5, 6, 1, 2, 3, 1, 2, 3});
  check_equal(take(x, array({{0, 1}, {-1, -3}}, i8), -1), f4, {2, 2, 2}, {1, 2, 3, 1, 4, 5, 6, 4});
  check_equal(take(x, full({}, 1, i8), 1), f4, {2}, {2, 5});
  check_equal(take(x.transpose(), array({2}, i8), 0), f4, {1, 2}, {3, 6});
  check_equal(take(x.slice(1, {}, {}, -2), array({0}, i8), 1), f4, {2, 1}, {3, 6});
  check_equal(take(x[0].broadcast_to({3, 3}), array({1}, i8), 1), f4, {3, 1}, {2, 2, 2});
}

DEVICE_TEST_CASE("take without an axis reads in row-major order") {
  const Array x = array({{1, 2, 3}, {4, 5, 6}});
  check_equal(take(x, array({{5, 0}, {-1, -6}}, i8)), f4, {2, 2}, {6, 1, 6, 1});
  check_equal(take(x.transpose(), array({1}, i8)), f4, {1}, {4});
  check_equal(take(full({}, 7.0), array({0, -1}, i8)), f4, {2}, {7, 7});
}

TEST_CASE("take keeps every dtype") {
  for (const DType dtype : {b1, i4, i8, bf, f4, f8}) {
    check_equal(take(array({0, 1, 1}, dtype), array({2, 0}, i8), 0), dtype, {2}, {1, 0});
  }
  const Array big = from_values(std::vector<std::int64_t>{(std::int64_t(1) << 60) + 1}, {1});
  CHECK(take(big, zeros({1}, i8)).to_vector<std::int64_t>()[0] == (std::int64_t(1) << 60) + 1);
}

DEVICE_TEST_CASE("Indices of nothing read and write nothing") {
  const Array x = array({{1, 2}, {3, 4}});
  const Array none = zeros({0}, i8);
  CHECK(take(x, none, 0).shape() == Shape{0, 2});
  CHECK(take(x, none).shape() == Shape{0});
  CHECK(take(zeros({0, 3}), none, 0).shape() == Shape{0, 3});
  CHECK(take(zeros({0, 3}), array({1, 2}, i8), 1).shape() == Shape{0, 2});
  index_add(x, none, ones({0, 2}));
  check_equal(x, f4, {2, 2}, {1, 2, 3, 4});
  CHECK(take_along_axis(zeros({2, 0}), zeros({2, 0}, i8), 1).shape() == Shape{2, 0});
  CHECK(one_hot(none, 3).shape() == Shape{0, 3});
  CHECK(one_hot(none, 0).shape() == Shape{0, 0});
}

TEST_CASE("An index out of range is refused by name") {
  on_each_device([] {
    const Array x = array({{1, 2, 3}, {4, 5, 6}});
    CHECK_THROWS_WITH(take(x, array({0, 2}, i8), 0),
                      "[take] index 2 is out of range for axis 0 of length 2");
    CHECK_THROWS_WITH(take(x, array({0, -4}, i4), 1),
                      "[take] index -4 is out of range for axis 1 of length 3");
    CHECK_THROWS_WITH(take(x, array({6}, i8)), "[take] index 6 is out of range for 6 elements");
    CHECK_THROWS_AS(take(x, array({7}, i8)), ArgumentError);
    CHECK_THROWS_WITH(take_along_axis(x, array({{3}, {0}}, i8), 1),
                      "[take_along_axis] index 3 is out of range for axis 1 of length 3");
    CHECK_THROWS_WITH(gather(x, array({{0, 1, -3}}, i8), 0),
                      "[gather] index -3 is out of range for axis 0 of length 2");
    CHECK_THROWS_WITH(index_add(x, array({5}, i8), ones({1, 3})),
                      "[index_add] index 5 is out of range for axis 0 of length 2");
    CHECK_THROWS_WITH(one_hot(array({0, 3}, i8), 3),
                      "[one_hot] index 3 is out of range for 3 classes");
    CHECK_THROWS_WITH(one_hot(array({-1}, i8), 3),
                      "[one_hot] index -1 is out of range for 3 classes");
    check_equal(x, f4, {2, 3}, {1, 2, 3, 4, 5, 6});  // nothing was written
  });
  // The first of many, wherever it stands.
  const Array many = zeros({100000}, i8);
  many.slice(0, 70000, 70001).fill(9);
  many.slice(0, 99999).fill(11);
  CHECK_THROWS_WITH(take(ones({9}), many), "[take] index 9 is out of range for 9 elements");
}

TEST_CASE("Indices are integers, or whole numbers as array makes of integers") {
  const Array x = array({1, 2});
  CHECK(take(x, array({1, 0, -1})).to_vector<float>() == std::vector<float>{2, 1, 2});
  CHECK(take(array({{1, 2, 3}, {4, 5, 6}}), array({0, 2}), 1).to_vector<float>() ==
        std::vector<float>{1, 3, 4, 6});
  const Array sums = zeros({3});
  index_add(sums, array({2.0, 2.0}, DType::float64), ones({2}));
  CHECK(sums.to_vector<float>() == std::vector<float>{0, 0, 2});
  CHECK(one_hot(array({1}), 2).to_vector<float>() == std::vector<float>{0, 1});
  CHECK_THROWS_WITH(take(x, array({2})), "[take] index 2 is out of range for 2 elements");
  CHECK_THROWS_WITH(take(x, array({0.0, 0.5})),
                    "[take] expected indices of int32 or int64, or whole numbers, got float32 "
                    "with 0.5");
  for (const double odd : {std::nan(""), std::numeric_limits<double>::infinity(), 0x1p25}) {
    CHECK_THROWS_AS(take(x, full({1}, odd)), DTypeError);
  }
  CHECK_THROWS_WITH(
      take(x, array({0, 1}, b1)),
      "[take] expected indices of int32 or int64, got bool; for masks there is masked_select");
  CHECK_THROWS_AS(index_add(x, array({0.5}), ones({1})), DTypeError);
}

DEVICE_TEST_CASE("take_along_axis reads for each position its own index") {
  const Array x = array({{1, 2, 3}, {4, 5, 6}});
  check_equal(take_along_axis(x, array({{2, 0}, {1, -1}}, i8), 1), f4, {2, 2}, {3, 1, 5, 6});
  check_equal(take_along_axis(x, array({{1, 0, 1}}, i8), 0), f4, {1, 3}, {4, 2, 6});
  // The other axes broadcast, on both sides.
  check_equal(take_along_axis(x, array({{2}}, i8), 1), f4, {2, 1}, {3, 6});
  check_equal(take_along_axis(x.slice(0, 0, 1), array({{2}, {0}}, i8), 1), f4, {2, 1}, {3, 1});
  check_equal(take_along_axis(x.transpose(), array({{2, 1}}, i4), 0), f4, {1, 2}, {3, 5});
  CHECK_THROWS_WITH_TEXT(take_along_axis(zeros({2, 3}), zeros({3}, i8), 1), ShapeError,
                         "same number of axes");
  CHECK_THROWS_AS(take_along_axis(zeros({2, 3}), zeros({4, 1}, i8), 1), ShapeError);
}

DEVICE_TEST_CASE("gather reads the first positions along the other axes") {
  const Array x = array({{1, 2, 3}, {4, 5, 6}});
  check_equal(gather(x, array({{2, 0}, {1, 1}}, i8), 1), f4, {2, 2}, {3, 1, 5, 5});
  check_equal(gather(x, array({{2}}, i8), 1), f4, {1, 1}, {3});
  check_equal(gather(x, array({{1, 0}, {0, 0}, {1, 1}}, i8), 0), f4, {3, 2}, {4, 2, 1, 2, 4, 5});
  CHECK_THROWS_WITH_TEXT(gather(zeros({2, 3}), zeros({3, 1}, i8), 1), ShapeError, "no longer");
}

DEVICE_TEST_CASE("index_add adds as often as an index comes") {
  const Array x = zeros({3, 2});
  index_add(x, array({0, 2, 0, -1}, i8), array({{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
  check_equal(x, f4, {3, 2}, {6, 8, 0, 0, 10, 12});
  const Array y = zeros({2, 3}, i8);
  index_add(y, array({1, 1}, i4), array({{1, 10}, {2, 20}}), 1);
  check_equal(y, i8, {2, 3}, {0, 11, 0, 0, 22, 0});
  const Array z = zeros({4});
  index_add(z, array({{0, 1}, {1, 3}}, i8), ones({1}));  // values broadcast
  check_equal(z, f4, {4}, {1, 2, 0, 1});
  index_add(z, full({}, -1, i8), full({}, 5.0));
  check_equal(z, f4, {4}, {1, 2, 0, 6});
}

DEVICE_TEST_CASE("What is written by index lands in views of every layout") {
  const Array x = zeros({3, 4});
  index_add(x.transpose(), array({3, 3}, i8), ones({2, 3}));
  check_equal(x, f4, {3, 4}, {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2});
  index_assign(x.slice(1, {}, {}, -2), array({0}, i8), full({}, 7.0), 1);
  check_equal(x, f4, {3, 4}, {0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 7});
  const Array line = array({1, 2, 3, 4});
  index_add(line, array({1, 2, 3}, i8), line.slice(0, 0, 3));  // values overlap the target
  check_equal(line, f4, {4}, {1, 3, 5, 7});
  const Array places = array({0, 2, 1}, i8);
  index_assign(places, places, array({5, 6, 7}, i8));  // and so do indices
  check_equal(places, i8, {3}, {5, 7, 6});
  CHECK_THROWS_WITH_TEXT(index_add(zeros({1}).broadcast_to({3}), zeros({1}, i8), ones({1})),
                         ArgumentError, "broadcast view");
  CHECK_THROWS_WITH_TEXT(index_add(x, array({0}, i8), ones({2, 4})), ShapeError, "[index_add]");
}

DEVICE_TEST_CASE("put_along_axis and scatter_add write for each position at its own index") {
  const Array x = zeros({2, 3});
  put_along_axis(x, array({{2}, {0}}, i8), full({}, 9.0), 1);
  check_equal(x, f4, {2, 3}, {0, 0, 9, 9, 0, 0});
  put_along_axis(x, array({{1}}, i8), array({{1}, {2}}), 1);
  check_equal(x, f4, {2, 3}, {0, 1, 9, 9, 2, 0});
  scatter_add(x, array({{1, 1}, {-1, 0}}, i8), array({{1, 2}, {3, 4}}), 1);
  check_equal(x, f4, {2, 3}, {0, 4, 9, 13, 2, 3});
  scatter_add(x, array({{1, 1}}, i8), array({{10, 20}}), 0);
  check_equal(x, f4, {2, 3}, {0, 4, 9, 23, 22, 3});
  CHECK_THROWS_AS(put_along_axis(zeros({2, 3}), zeros({3, 1}, i8), zeros({1}), 1), ShapeError);
  CHECK_THROWS_AS(scatter_add(zeros({2, 3}), zeros({2, 1}, i8), zeros({2, 2}), 1), ShapeError);
}

TEST_CASE("What is written by position counts as a change") {
  const Array x = zeros({2, 2});
  const auto changes = [&](const auto& write) {
    const std::int64_t before = x.version();
    write();
    return x.version() - before;
  };
  CHECK(changes([&] { index_add(x, array({0}, i8), ones({2})); }) > 0);
  CHECK(changes([&] { index_assign(x.transpose(), array({0}, i8), ones({2})); }) > 0);
  CHECK(changes([&] { put_along_axis(x, zeros({2, 1}, i8), ones({1}), 1); }) > 0);
  CHECK(changes([&] { scatter_add(x, zeros({2, 1}, i8), ones({1}), 1); }) > 0);
  CHECK(changes([&] { masked_fill(x, equal(x, x), 3.0); }) > 0);
  CHECK(changes([&] { masked_assign(x.transpose(), equal(x, x), ones({1})); }) > 0);
  CHECK(changes([&] { take(x, array({0}, i8), 0); }) == 0);
}

DEVICE_TEST_CASE("one_hot adds an axis of classes") {
  check_equal(one_hot(array({2, 0}, i8), 3), f4, {2, 3}, {0, 0, 1, 1, 0, 0});
  check_equal(one_hot(array({{1}, {0}}, i4), 2, b1), b1, {2, 1, 2}, {0, 1, 1, 0});
  check_equal(one_hot(full({}, 1, i8), 2, i8), i8, {2}, {0, 1});
  CHECK_THROWS_AS(one_hot(array({0}, i8), -1), ArgumentError);
  CHECK_THROWS_AS(one_hot(zeros({0}, i8), -1), ShapeError);
}

}  // namespace
}  // namespace gaia::test
