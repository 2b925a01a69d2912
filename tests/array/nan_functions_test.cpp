// SPDX-License-Identifier: MIT
#include "../../src/array/nan_functions.h"

#include <cmath>
#include <limits>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

const double kNothing = std::numeric_limits<double>::quiet_NaN();

DEVICE_TEST_CASE("Reductions leave out NaN") {
  const double nan = kNothing;
  const Array x = array({{1, nan, 4}, {nan, nan, nan}, {2, 6, nan}}, f8);
  check_equal(nansum(x), f8, {}, {13});
  check_equal(nansum(x, {1}), f8, {3}, {5, 0, 8});
  check_equal(nansum(x, {0}, true), f8, {1, 3}, {3, 6, 4});
  check_equal(nanprod(x, {1}), f8, {3}, {4, 1, 12});
  check_equal(nanmean(x, {1}), f8, {3}, {2.5, nan, 4});
  check_equal(nanmax(x, {1}), f8, {3}, {4, nan, 6});
  check_equal(nanmin(x, {0}), f8, {3}, {1, 6, 4});
  check_equal(nanvar(x, {1}), f8, {3}, {2.25, nan, 4});
  check_equal(nanstd(x, {1}), f8, {3}, {1.5, nan, 2});
  check_equal(nanvar(x, {1}, 2), f8, {3}, {nan, nan, nan});
  check_equal(nanmedian(x, {1}), f8, {3}, {2.5, nan, 4});
  check_equal(nanquantile(x, {0.0, 1.0}, {1}), f8, {2, 3}, {1, nan, 2, 4, nan, 6});
  check_equal(nancumsum(x, 1), f8, {3, 3}, {1, 1, 5, 0, 0, 0, 2, 8, 8});
  check_equal(nancumprod(x, 0), f8, {3, 3}, {1, 1, 4, 1, 1, 4, 2, 6, 4});
  check_equal(nanargmax(x), DType::int64, {}, {7});
  check_equal(nanargmin(x, 0), DType::int64, {3}, {0, 2, 0});
  check_equal(nansum(x.astype(f4), {1}), f4, {3}, {5, 0, 8});
}

DEVICE_TEST_CASE("Integers hold no NaN, and nothing gives what it gives elsewhere") {
  const Array x = array({3, 1, 2}, DType::int32);
  check_equal(nansum(x), DType::int64, {}, {6});
  check_equal(nanmean(x), f8, {}, {2});
  check_equal(nanmax(x), DType::int32, {}, {3});
  check_equal(nanmedian(x), f8, {}, {2});
  check_equal(nansum(zeros({0}, f8)), f8, {}, {0});
  check_equal(nanmedian(zeros({2, 0}, f8), {1}), f8, {2}, {kNothing, kNothing});
  CHECK_THROWS_AS(nanmax(zeros({0})), ShapeError);
  CHECK_THROWS_WITH_TEXT(nanargmax(array({{1, 2}, {kNothing, kNothing}}), 1), ArgumentError,
                         "[nanargmax] expected a number in each lane, got nothing but NaN");
}

}  // namespace
}  // namespace gaia::test
