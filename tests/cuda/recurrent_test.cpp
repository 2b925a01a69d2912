// SPDX-License-Identifier: MIT
/// \file
/// Recurrent layers of the CUDA backend in both of their ways, and under every order of threads.
#include <cmath>
#include <string>
#include <vector>

#include "../../src/array/backend.h"
#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../emulator/schedules.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/long_tests.h"

namespace gaia::test {
namespace {

/// Outputs, then the state after two blocks, of a layer on the current device.
std::vector<double> run(Activation activation, std::int64_t n, std::int64_t streams, DType dtype) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(n));
  const Array weights = random_normal({n, n}, 0.0, scale, dtype, {1, 1});
  const Array state = random_normal({streams, n}, 0.0, 1.0, dtype, {1, 2});
  const Array drive = random_normal({streams, 26, n}, 0.0, 1.0, dtype, {1, 3}).slice(1, 0, {}, 2);
  const Array outputs = Array::uninitialized({streams, 13, n}, dtype);
  for (const auto& [first, last] : {std::pair{0, 5}, std::pair{5, 5}, std::pair{5, 13}}) {
    backend(current_device())
        .recurrent({.activation = activation,
                    .leak = 0.3,
                    .drive = drive.slice(1, first, last).view(),
                    .recurrent = weights.view(),
                    .state = state.view(),
                    .outputs = outputs.slice(1, first, last).view()});
  }
  std::vector<double> made = outputs.to_vector<double>();
  for (const double x : state.to_vector<double>()) made.push_back(x);
  return made;
}

std::vector<double> run_on_emulated(Activation activation, std::int64_t n, std::int64_t streams,
                                    DType dtype) {
  const OnEmulatedDevice emulated;
  return run(activation, n, streams, dtype);
}

}  // namespace

TEST_CASE("Kernels of recurrent layers answer as the CPU does at every size") {
  EveryNth third(3);
  for (const Activation activation : {Activation::tanh, Activation::softmax, Activation::coates,
                                      Activation::relu, Activation::linear}) {
    for (const std::int64_t n : {1, 31, 33, 110, 256, 257, 300}) {
      for (const std::int64_t streams : {1, 3}) {
        for (const DType dtype : {DType::float64, DType::float32}) {
          if (!third.takes_next()) continue;
          INFO(gaia::to_string(activation) << ", n " << n << ", " << streams << " streams");
          const std::vector<double> expected = run(activation, n, streams, dtype);
          const std::vector<double> made = run_on_emulated(activation, n, streams, dtype);
          REQUIRE(made.size() == expected.size());
          double largest = 0.0;
          for (std::size_t i = 0; i < made.size(); ++i) {
            const double difference = std::abs(made[i] - expected[i]);
            if (!(difference <= largest)) largest = difference;
          }
          CHECK(largest <= (dtype == DType::float64 ? 1e-13 : 1e-5));
        }
      }
    }
  }
}

TEST_CASE("The order in which threads run changes no bit of what a recurrent layer answers") {
  for (const Activation activation : {Activation::tanh, Activation::softmax}) {
    for (const std::int64_t n : {37, 270}) {
      const std::vector<double> first = run_on_emulated(activation, n, 2, DType::float32);
      for_each_schedule([&](const char* schedule) {
        INFO(gaia::to_string(activation) << ", n " << n << ", " << schedule);
        CHECK(run_on_emulated(activation, n, 2, DType::float32) == first);
      });
    }
  }
}

}  // namespace gaia::test
