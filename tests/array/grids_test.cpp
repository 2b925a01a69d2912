// SPDX-License-Identifier: MIT
/// \file
/// Grids of coordinates: NumPy's numbers, copies and views, and refusals.
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/grids.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

TEST_CASE("meshgrid is numpy.meshgrid") {
  on_each_device([] {
    const Array x = array({1, 2, 3});
    const Array y = array({10, 20}, i4);
    const std::vector<Array> drawn = meshgrid({x, y});
    check_equal(drawn[0], f4, {2, 3}, {1, 2, 3, 1, 2, 3});
    check_equal(drawn[1], i4, {2, 3}, {10, 10, 10, 20, 20, 20});
    const std::vector<Array> indexed = meshgrid({x, y}, {.indexing = GridIndexing::ij});
    check_equal(indexed[0], f4, {3, 2}, {1, 1, 2, 2, 3, 3});
    check_equal(indexed[1], i4, {3, 2}, {10, 20, 10, 20, 10, 20});
    const std::vector<Array> sparse = meshgrid({x, y, full({}, 5.0)}, {.sparse = true});
    CHECK(sparse[0].shape() == Shape{1, 3, 1});
    CHECK(sparse[1].shape() == Shape{2, 1, 1});
    CHECK(sparse[2].shape() == Shape{1, 1, 1});
    CHECK(meshgrid(std::vector<Array>{}).empty());
    CHECK(meshgrid({x, zeros({0})})[0].shape() == Shape{0, 3});
  });
  const Array x = array({1, 2, 3});
  meshgrid({x})[0].fill(7);
  check_equal(x, f4, {3}, {1, 2, 3});
  const std::vector<Array> views = meshgrid({x, x}, {.copy = false});
  CHECK(views[0].strides() == Strides{0, 1});
  CHECK_THROWS_WITH_TEXT(meshgrid({ones({2, 2})}), ShapeError, "[meshgrid] expected coordinates");
  CHECK_THROWS_WITH_TEXT(meshgrid(std::vector<Array>(9, x)), ShapeError, "at most 8");
}

}  // namespace
}  // namespace gaia::test
