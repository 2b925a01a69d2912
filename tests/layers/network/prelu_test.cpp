// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/prelu.h"

#include "../../../src/array/create.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("PReluLayer has one slope below 0, or one for each channel") {
  on_each_device([] {
    const Array x = array({{-2.0, 3.0}, {4.0, -1.0}}, DType::float64);
    PReluLayer one({.dtype = DType::float64});
    CHECK(one(Tensor(x)).value().to_vector<double>() == std::vector<double>{-0.5, 3, 4, -0.25});
    PReluLayer each({.channels = 2, .dtype = DType::float64});
    each.set_state({{"weight", array({0.5, 2.0})}});
    CHECK(each(Tensor(x)).value().to_vector<double>() == std::vector<double>{-1, 3, 4, -2});
  });
  const Array x = random_normal({3, 2, 4}, 0.0, 1.0, DType::float64, {43, 1});
  PReluLayer each({.channels = 2, .dtype = DType::float64});
  PReluLayer one({.dtype = DType::float64});
  CHECK(gradient_complaint(each, x).empty());
  CHECK(gradient_complaint(one, x).empty());
  CHECK_THROWS_WITH_TEXT(prelu(ones({2, 3}), ones({2})), ShapeError,
                         "[prelu] expected a weight of [1] or [3], got [2]");
  CHECK_THROWS_AS(PReluLayer({.channels = 0}), ArgumentError);
}
