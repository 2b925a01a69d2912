// SPDX-License-Identifier: MIT
/// \file
/// The registry of kernels: what it counts, and what strictness forbids.
#include <algorithm>
#include <thread>
#include <vector>

#include "../../src/array/apply.h"
#include "../../src/array/convolution.h"
#include "../../src/array/create.h"
#include "../../src/array/device.h"
#include "../../src/array/functions.h"
#include "../../src/array/fused.h"
#include "../../src/array/indexing.h"
#include "../../src/array/kernels.h"
#include "../../src/array/ops.h"
#include "../../src/array/pool2d.h"
#include "../../src/array/random_arrays.h"
#include "../../src/array/reductions.h"
#include "../../src/array/sorting.h"
#include "../../src/hierarchy/manager.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/layers/hierarchy/temporal.h"
#include "../../src/learning/optimiser_step.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/log_capture.h"

namespace gaia::test {
namespace {

KernelInfo info_of(const std::string& name) {
  const std::vector<KernelInfo> all = kernel_registry();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const KernelInfo& kernel) { return kernel.name == name; });
  REQUIRE(found != all.end());
  return *found;
}

std::int64_t fused() {
  const std::vector<KernelInfo> all = kernel_registry();
  return std::count_if(all.begin(), all.end(), [](const KernelInfo& one) { return one.is_fused; });
}

const Array& halves() {
  static const Array x = ones({3, 2}, DType::bfloat16);
  return x;
}

DEVICE_TEST_CASE("Every fused kernel is registered under its own name and counts its launches") {
  reset_kernel_registry();
  CHECK(fused() == 8);
  const Array x = ones({3, 2});
  gelu(x);
  gelu(ones({2}, DType::int32), GeluForm::exact);
  activate(Activation::gelu, halves());
  CHECK(info_of("gelu").launches == 3);
  unary_gradient(GeluTanh{}, x, x, x);
  CHECK(info_of("gelu_backward").launches == 1);
  unary_gradient(Sigmoid{}, sigmoid(x), x, x);
  CHECK(info_of("gelu").launches == 3);
  CHECK(info_of("gelu_backward").launches == 1);
  const Array weights = ones({2, 2});
  const auto z = linear_gelu_forward(x, weights).z;
  linear_gelu(x, weights);
  CHECK(info_of("linear_gelu").launches == 2);
  linear_gelu_backward(x, x, weights, z);
  CHECK(info_of("linear_gelu_backward").launches == 1);
  const auto normal = layer_norm_forward(x);
  CHECK(info_of("layer_norm").launches == 1);
  layer_norm_backward(x, x, {}, normal.mean, normal.rstd);
  CHECK(info_of("layer_norm_backward").launches == 1);
  const auto attended = attention_forward(x, x, x);
  CHECK(info_of("attention").launches == 1);
  attention_backward(x, x, x, x, attended);
  CHECK(info_of("attention_backward").launches == 1);
  for (const KernelInfo& kernel : kernel_registry()) {
    CHECK(kernel.fallbacks == 0);
    CHECK(kernel.last_fallback.empty());
  }
  reset_kernel_registry();
  CHECK(info_of("attention").launches == 0);
}

DEVICE_TEST_CASE("Every family of kernels counts what is asked of it, on each device") {
  const Array x = ones({3, 4});
  const Array image = ones({1, 1, 4, 4});
  const auto launches = [](const char* family, auto&& call) {
    reset_kernel_registry();
    call();
    CHECK_FALSE(info_of(family).is_fused);
    CHECK(info_of(family).fallbacks == 0);
    return info_of(family).launches;
  };
  CHECK(launches("elementwise", [&] { exp(x); }) == 1);
  CHECK(launches("elementwise", [&] { where(x > x, x + x, x); }) == 3);
  CHECK(launches("reduction", [&] { sum(x); }) == 1);
  CHECK(launches("scan", [&] { cumsum(x); }) == 1);
  CHECK(launches("sorting", [&] { sort(x); }) == 1);
  CHECK(launches("indexing", [&] { take(x, array({0, 2}), 0); }) == 1);
  CHECK(launches("random", [&] { random_normal({3}); }) == 1);
  CHECK(launches("softmax", [&] { softmax(x); }) == 1);
  CHECK(launches("matmul", [&] { matmul(x, x.transpose()); }) == 1);
  CHECK(launches("convolution", [&] { conv2d(image, ones({1, 1, 3, 3})); }) == 1);
  CHECK(launches("pooling", [&] { max_pool2d(image, {.kernel = {2, 2}}); }) == 1);
  reset_kernel_registry();
  CHECK(info_of("matmul").launches == 0);
}

TEST_CASE("Learning in time is counted by its families") {
  reset_kernel_registry();
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 3, 3, 2, {.pooling = Pooling::mean});
  level.add_layer(HebbianLayer(3, 3, {.rule = OjaRule{}}));
  level.add_layer(HebbianLayer(3, 3, {.rule = EquationRule("dw = 0.01 * y * x")}));
  level.add_layer(TemporalLayer(3, 3));
  hierarchy.add_level(std::move(level));
  hierarchy.process_hierarchy(ones({8, 3}), 8);
  CHECK(info_of("temporal_pooling").launches == 1);
  CHECK(info_of("plastic").launches == 1);
  CHECK(info_of("equations").launches == 1);
  CHECK(info_of("recurrent").launches == 1);
  Array w = ones({2});
  const std::vector<OptimisedArray> parameters = {{w, ones({2}), {}, {}}};
  optimiser_step(SgdRule{}, 1, parameters);
  CHECK(info_of("optimiser").launches == 1);
}

TEST_CASE("A fallback is counted each time, with its reason, and logged once per kernel") {
  reset_kernel_registry();
  const LogCapture log;
  layer_norm(halves());
  layer_norm(halves());
  layer_norm(ones({2}, DType::int32));
  CHECK(info_of("layer_norm").launches == 0);
  CHECK(info_of("layer_norm").fallbacks == 3);
  CHECK(info_of("layer_norm").last_fallback == "takes float32 and float64, got int32");
  CHECK(log.count(LogLevel::warning,
                  "[layer_norm] the fused kernel of cpu takes float32 and "
                  "float64, got bfloat16") == 1);
  CHECK(log.lines.size() == 1);
  attention(halves(), halves(), halves());
  CHECK(log.count(LogLevel::warning, "[attention]") == 1);
}

TEST_CASE("Under strict kernels a fallback is an error, and nothing is counted") {
  reset_kernel_registry();
  const LogCapture log;
  CHECK_FALSE(strict_kernels());
  {
    const StrictKernels strict;
    CHECK(strict_kernels());
    CHECK_THROWS_WITH_TEXT(attention(halves(), halves(), halves()), DeviceError,
                           "[attention] the fused kernel of cpu takes float32 and float64, got "
                           "bfloat16, and set_strict_kernels forbids the unfused composition");
    CHECK_NOTHROW(attention(ones({3, 2}), ones({3, 2}), ones({3, 2})));
    std::thread([] { CHECK_FALSE(strict_kernels()); }).join();
    { const StrictKernels again; }
    CHECK(strict_kernels());
  }
  CHECK_FALSE(strict_kernels());
  CHECK(info_of("attention").fallbacks == 0);
  CHECK(log.lines.empty());
  set_strict_kernels(true);
  CHECK_THROWS_AS(layer_norm(halves()), DeviceError);
  set_strict_kernels(false);
  CHECK_NOTHROW(layer_norm(halves()));
}

TEST_CASE("Threads count together") {
  reset_kernel_registry();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 250; ++i) layer_norm(ones({2}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(info_of("layer_norm").launches == 1000);
  CHECK(info_of("elementwise").launches == 0);
  std::thread([] { exp(ones({2})); }).join();
  CHECK(info_of("elementwise").launches == 1);  // of a thread that has ended
  reset_kernel_registry();
  CHECK(info_of("elementwise").launches == 0);
}

}  // namespace
}  // namespace gaia::test
