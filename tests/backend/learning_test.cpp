// SPDX-License-Identifier: MIT
/// \file
/// plastic, equations and recurrent of every backend, by way of the layers that call them: what is
/// built on a device stays there, and is what the CPU makes.  Whether that is right, tests/learning
/// tells.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/layers/hierarchy/reactive.h"
#include "../../src/layers/hierarchy/temporal.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

/// Everything a layer makes of two blocks, learning if it can: answers, weights and memory.
std::vector<Array> run(Layer& layer, DType dtype) {
  std::vector<Array> made;
  for (const std::uint64_t block : {1u, 2u}) {
    const Array x = random_normal({2, 37, layer.input_size()}, 0.0, 1.0, dtype, {7, block});
    made.push_back(layer.process(x, true));
  }
  for (const NamedArray& array : layer.arrays()) made.push_back(array.value);
  return made;
}

/// Checks that a layer built and run on any device, under TransferPolicy::forbid, is that of the
/// CPU.
void check_everywhere(DType dtype, const std::function<std::unique_ptr<Layer>()>& make) {
  std::vector<std::vector<double>> expected;
  for (const Array& array : run(*make(), dtype)) expected.push_back(array.to_vector<double>());
  on_each_device([&] {
    set_transfer_policy(TransferPolicy::forbid);
    const std::unique_ptr<Layer> layer = make();
    const std::vector<Array> made = run(*layer, dtype);
    set_transfer_policy(TransferPolicy::allow);
    REQUIRE(made.size() == expected.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      CHECK(made[i].device() == current_device());
      Values values(made[i].shape());
      values.numbers = expected[i];
      check_near(made[i], values, 256, 1.0);
    }
  });
}

TEST_CASE("Plastic layers learn under every rule where they are") {
  // tests/learning has the others of the catalogue.
  for (const std::string rule : {"hebbian", "oja", "bcm", "sanger", "oja_subspace"}) {
    for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
      for (const DType dtype : {DType::float32, DType::float64}) {
        INFO(rule << " " << to_string(executor) << " " << gaia::to_string(dtype));
        check_everywhere(dtype, [&]() -> std::unique_ptr<Layer> {
          return std::make_unique<HebbianLayer>(
              9, 5,
              HebbianOptions{.rule = rule_from_name(rule),
                             .control = {.normalization = Normalization::max_norm, .bound = 2.0},
                             .executor = executor,
                             .chunk = 8,
                             .dtype = dtype,
                             .random = {1, 2}});
        });
      }
    }
  }
}

TEST_CASE("Temporal and reactive layers answer where they are") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const Activation f :
         {Activation::tanh, Activation::softmax, Activation::coates, Activation::linear}) {
      check_everywhere(dtype, [&]() -> std::unique_ptr<Layer> {
        return std::make_unique<TemporalLayer>(
            9, 5, TemporalOptions{.activation = f, .leak = 0.5, .dtype = dtype, .random = {1, 2}});
      });
      check_everywhere(dtype, [&]() -> std::unique_ptr<Layer> {
        return std::make_unique<ReactiveLayer>(
            9, 5, ReactiveOptions{.activation = f, .bias = 0.1, .dtype = dtype, .random = {1, 2}});
      });
    }
  }
}

}  // namespace
}  // namespace gaia::test
