// SPDX-License-Identifier: MIT
/// \file
/// What an Array is, its elements and its copies.  Views have a file of their own.
#include "../../src/array/array.h"

#include <type_traits>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

/// [[0, 1, ... columns - 1], [columns, ...], ...]
Array numbered(std::int64_t rows, std::int64_t columns, DType dtype = f4) {
  return arange(rows * columns).astype(dtype).reshape({rows, columns});
}

TEST_CASE("An Array without an argument is empty") {
  const Array x;
  CHECK(x.shape() == Shape{0});
  CHECK(x.size() == 0);
  CHECK(x.bytes() == 0);
  CHECK(x.dtype() == f4);
  CHECK(x.device() == Device::cpu());
  CHECK(x.is_contiguous());
  CHECK(x.to_vector<float>().empty());
  CHECK(x.elements<float>().empty());
  CHECK(x.copy().size() == 0);
  CHECK(x.reshape({3, 0}).shape() == Shape{3, 0});
  x.fill(1.0);
  x.assign(x);
  CHECK_THROWS_AS(x.item(), ShapeError);
}

DEVICE_TEST_CASE("An Array knows its shape, strides, dtype and device") {
  const Array x = zeros({2, 3, 4}, f8);
  CHECK(x.shape() == Shape{2, 3, 4});
  CHECK(x.shape(0) == 2);
  CHECK(x.shape(-1) == 4);
  CHECK(x.strides() == Strides{12, 4, 1});
  CHECK(x.rank() == 3);
  CHECK(x.size() == 24);
  CHECK(x.bytes() == 192);
  CHECK(x.dtype() == f8);
  CHECK(x.device() == current_device());
  CHECK_THROWS_WITH(x.shape(3), "[shape] axis 3 does not exist in 3 dimensions");
  CHECK_THROWS_AS(x.shape(-4), ShapeError);
}

TEST_CASE("Shapes that no memory could hold are refused") {
  const std::int64_t huge = std::int64_t(1) << 61;
  CHECK_THROWS_AS(Array::uninitialized({-1}, f4), ShapeError);
  CHECK_THROWS_AS(Array::uninitialized({huge, huge}, f4), ShapeError);
  CHECK_THROWS_WITH(Array::uninitialized({huge}, f8),
                    "[array] [2305843009213693952] of float64 has more than 2^63 bytes");
  CHECK_THROWS_AS(ones({1}, f8).broadcast_to({huge}), ShapeError);
  CHECK(Array::uninitialized({huge, 0, huge}, f8).size() == 0);
}

DEVICE_TEST_CASE("item gives the only element, or the one at an index") {
  const Array x = numbered(2, 3);
  CHECK(x.item({1, 2}) == 5.0);
  CHECK(x.item({-1, -3}) == 3.0);
  CHECK(x.transpose().item({2, 0}) == 2.0);
  CHECK(full({}, 7.5, f8).item() == 7.5);
  CHECK(full({}, 7.5, f8).item(Dims{}) == 7.5);
  CHECK(full({1, 1, 1}, -2.0).item() == -2.0);
  CHECK(full({2}, 1.0, DType::boolean).item({1}) == 1.0);
  CHECK_THROWS_WITH(x.item(), "[item] expected one element, got shape [2, 3]");
  CHECK_THROWS_WITH(x.item({1}), "[item] expected 2 indices, got [1]");
  CHECK_THROWS_WITH(x.item({0, 3}), "[select] index 3 is out of range for axis 0 of length 3");
  CHECK_THROWS_AS(x.item({-3, 0}), ShapeError);
}

DEVICE_TEST_CASE("to_vector reads in row-major order whatever the strides, and casts") {
  const Array x = numbered(2, 3);
  CHECK(x.to_vector<float>() == std::vector<float>{0, 1, 2, 3, 4, 5});
  CHECK(x.transpose().to_vector<double>() == std::vector<double>{0, 3, 1, 4, 2, 5});
  CHECK(x.slice(1, {}, {}, -2).to_vector<std::int32_t>() == std::vector<std::int32_t>{2, 0, 5, 3});
  CHECK(x.to_vector<bool>() == std::vector<bool>{false, true, true, true, true, true});
  CHECK(x[0].broadcast_to({2, 3}).to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{0, 1, 2, 0, 1, 2});
  CHECK(static_cast<float>(x.to_vector<bfloat16>()[5]) == 5.0f);
  CHECK(zeros({3, 0}).to_vector<double>().empty());
  CHECK(full({}, 4.0).to_vector<double>() == std::vector<double>{4.0});
}

TEST_CASE("elements are the elements in place") {
  const Array x = numbered(2, 3);
  x.elements<float>()[4] = 40.0f;
  CHECK(x.item({1, 1}) == 40.0);
  CHECK(x[1].elements<float>().size() == 3);
  CHECK(x[1].elements<float>().data() == x.elements<float>().data() + 3);
}

TEST_CASE("elements refuses other dtypes, strides and devices, and says what to do") {
  const Array x = numbered(2, 3);
  CHECK_THROWS_AS(x.elements<double>(), DTypeError);
  CHECK_THROWS_WITH(x.elements<double>(),
                    "[elements] expected float64, got float32; use astype first");
  CHECK_THROWS_AS(x.transpose().elements<float>(), ShapeError);
  CHECK_THROWS_WITH(x.transpose().elements<float>(),
                    "[elements] expected a contiguous array; use contiguous() first");
  const FakeDevice fake;
  const Array there = x.to(fake.device());
  CHECK_THROWS_AS(there.elements<float>(), DeviceError);
  CHECK_THROWS_WITH(there.elements<float>(),
                    "[elements] expected an array on the CPU, got one on cuda:0; use to_cpu first");
}

DEVICE_TEST_CASE("Copies of a handle share elements, copy() makes new ones") {
  const Array x = numbered(2, 2);
  const Array handle = x;
  const Array own = x.copy();
  x.fill(9.0);
  check_equal(handle, f4, {2, 2}, {9, 9, 9, 9});
  check_equal(own, f4, {2, 2}, {0, 1, 2, 3});
  CHECK(numbered(2, 3).transpose().copy().strides() == Strides{2, 1});
  CHECK(numbered(2, 3).copy().device() == current_device());
}

DEVICE_TEST_CASE("contiguous and astype copy only where they must") {
  const Array x = numbered(2, 3);
  CHECK(x.contiguous().view().data == x.view().data);
  CHECK(x.astype(f4).view().data == x.view().data);
  CHECK(x.transpose().contiguous().is_contiguous());
  check_equal(x.transpose().contiguous(), f4, {3, 2}, {0, 3, 1, 4, 2, 5});
  check_equal(x.transpose().astype(i4), i4, {3, 2}, {0, 3, 1, 4, 2, 5});
  CHECK(x.astype(f8).device() == current_device());
  CHECK(zeros({0, 3}).astype(i8).dtype() == i8);
}

TEST_CASE("copy, astype and assign run where the array lives, not where the thread computes") {
  const FakeDevice fake;
  const Array there = numbered(2, 3).to(fake.device());
  reset_transfer_stats();
  CHECK(there.copy().device() == fake.device());
  CHECK(there.transpose().contiguous().device() == fake.device());
  CHECK(there.astype(f8).device() == fake.device());
  CHECK(there.transpose().reshape({6}).device() == fake.device());
  there.fill(2.0);
  there.assign(there.slice(1, {}, {}, -1));
  CHECK(transfer_stats().implicit_copies == 0);
  CHECK(transfer_stats().explicit_copies == 0);
  CHECK(current_device() == Device::cpu());
}

DEVICE_TEST_CASE("assign broadcasts and casts") {
  const Array x = zeros({2, 3});
  x.assign(array({1, 2, 3}, i8));
  check_equal(x, f4, {2, 3}, {1, 2, 3, 1, 2, 3});
  x.slice(1, 0, 2).assign(array({{7}, {8}}, f8));
  check_equal(x, f4, {2, 3}, {7, 7, 3, 8, 8, 3});
  x[1].assign(full({}, 4.0));
  check_equal(x, f4, {2, 3}, {7, 7, 3, 4, 4, 4});
  const Array integers = zeros({2}, i4);
  integers.assign(array({1.9, -1.9}, f8));
  check_equal(integers, i4, {2}, {1, -1});
  zeros({0, 3}).assign(zeros({3}));
}

DEVICE_TEST_CASE("assign within one array is right where source and target overlap") {
  const Array x = arange(6).astype(f4);
  x.slice(0, 1).assign(x.slice(0, 0, -1));  // shift by one
  check_equal(x, f4, {6}, {0, 0, 1, 2, 3, 4});
  const Array y = arange(5).astype(f4);
  y.assign(y.slice(0, {}, {}, -1));  // reverse
  check_equal(y, f4, {5}, {4, 3, 2, 1, 0});
  const Array square = numbered(3, 3);
  square.assign(square.transpose());
  check_equal(square, f4, {3, 3}, {0, 3, 6, 1, 4, 7, 2, 5, 8});
  const Array rows = numbered(3, 2);
  rows.assign(rows[2]);  // broadcast of itself
  check_equal(rows, f4, {3, 2}, {4, 5, 4, 5, 4, 5});
  rows.assign(rows);
  check_equal(rows, f4, {3, 2}, {4, 5, 4, 5, 4, 5});
  // Large enough for several tasks.
  const Array large = arange(200001);
  large.slice(0, 1).assign(large.slice(0, 0, -1));
  CHECK(large.item({200000}) == 199999);
  CHECK(large.item({100000}) == 99999);
}

TEST_CASE("assign refuses shapes that do not fit, before it copies anything") {
  const Array x = zeros({2, 3});
  CHECK_THROWS_WITH(x.assign(zeros({2})), "[assign] shape [2] does not broadcast to [2, 3]");
  CHECK_THROWS_AS(x.assign(zeros({1, 2, 3})), ShapeError);
  CHECK_THROWS_AS(x.assign(zeros({0})), ShapeError);
  const FakeDevice fake;
  const Array there = zeros({4}).to(fake.device());
  reset_transfer_stats();
  CHECK_THROWS_AS(x.assign(there), ShapeError);
  CHECK(transfer_stats().implicit_copies == 0);
}

TEST_CASE("A broadcast view is not written to") {
  const Array x = ones({3});
  const Array spread = x.broadcast_to({2, 3});
  CHECK_THROWS_AS(spread.fill(2.0), ArgumentError);
  CHECK_THROWS_WITH(spread.fill(2.0),
                    "[fill] the array of shape [2, 3] is a broadcast view that repeats elements "
                    "along axis 0; use copy() first");
  CHECK_THROWS_WITH(spread.assign(zeros({2, 3})), Catch::Matchers::ContainsSubstring("[assign]"));
  check_equal(x, f4, {3}, {1, 1, 1});
  spread.copy().fill(2.0);
  x.broadcast_to({1, 3}).fill(5.0);  // repeats nothing
  check_equal(x, f4, {3}, {5, 5, 5});
}

DEVICE_TEST_CASE("fill sets every element of a view and no other") {
  const Array x = zeros({3, 4});
  x.slice(0, 1, 2).slice(1, {}, {}, -2).fill(7.0);
  check_equal(x, f4, {3, 4}, {0, 0, 0, 0, 0, 7, 0, 7, 0, 0, 0, 0});
  const Array integers = zeros({2}, i8);
  integers.fill(-3.7);
  check_equal(integers, i8, {2}, {-3, -3});
  const Array flags = zeros({3}, DType::boolean);
  flags.transpose().fill(0.5);
  check_equal(flags, DType::boolean, {3}, {1, 1, 1});
  full({}, 1.0).fill(2.0);
  zeros({0, 3}).fill(1.0);
  const Array large = zeros({300, 1001}).transpose();
  large.fill(1.0);
  CHECK(large.to_vector<double>() == std::vector<double>(300300, 1.0));
}

TEST_CASE("The version counts changes of the elements, which views share") {
  on_each_device([] {
    const Array x = zeros({3, 4});
    const std::int64_t made = x.version();
    const Array view = x.transpose().slice(0, 1, 3);
    const Array apart = x.copy();
    CHECK(view.version() == made);
    view.fill(2.0);
    CHECK(x.version() == made + 1);
    x.assign(apart);
    CHECK(view.version() == made + 2);
    view.count_change();
    CHECK(x.version() == made + 3);
    CHECK(x.reshape({12}).version() == made + 3);
    x.slice(0, 0, 0).fill(1.0);  // nothing
    CHECK(x.version() == made + 3);
    CHECK(apart.version() < made + 3);
  });
  CHECK(Array().version() == 0);
}

TEST_CASE("An array may have eight axes and no ninth") {
  const Array x = arange(256).reshape({2, 2, 2, 2, 2, 2, 2, 2});
  CHECK(x.item({1, 0, 1, 0, 1, 0, 1, 0}) == 170);
  CHECK(x.transpose().item({1, 0, 1, 0, 1, 0, 1, 0}) == 85);
  CHECK(x.transpose().copy().item({1, 0, 1, 0, 1, 0, 1, 0}) == 85);
  CHECK_THROWS_AS(x.expand_dims(0), ShapeError);
  CHECK_THROWS_AS(x.reshape({2, 2, 2, 2, 2, 2, 2, 2, 1}), ShapeError);
}

}  // namespace
}  // namespace gaia::test
