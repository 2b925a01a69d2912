// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers of the CUDA backend around the sizes at which their kernels change, and under
/// every order of threads.
#include "../emulator/schedules.h"
#include "../learning/plastic_case.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/long_tests.h"

namespace gaia::test {
namespace {

double near_enough(DType dtype) { return dtype == DType::float64 ? 1e-11 : 1e-4; }

Outcome run_on_emulated(const PlasticCase& c) {
  const OnEmulatedDevice emulated;
  return run_executor(c, Executor::stepwise);
}

/// A case of this size, with a control, activation and layout that take turns.
PlasticCase case_of(const PlasticityRule& rule, std::int64_t outputs, std::int64_t inputs,
                    std::int64_t streams, DType dtype, std::uint64_t seed) {
  constexpr SampleLayout layouts[] = {SampleLayout::contiguous, SampleLayout::every_other_tick,
                                      SampleLayout::overlapping_windows};
  return {.plasticity = {.rule = rule,
                         .control = all_controls()[seed % 8],
                         .activation = kActivations[seed % kActivations.size()]},
          .outputs = outputs,
          .inputs = inputs,
          .streams = streams,
          .ticks = 40,
          .dtype = dtype,
          .layout = layouts[seed % 3],
          .seed = seed};
}

void check_on_device(const PlasticCase& c) {
  INFO(c);
  CHECK(distance(run_on_emulated(c), run_reference(c)) <= near_enough(c.dtype));
}

}  // namespace

TEST_CASE("Kernels of plastic layers follow the definition at every size of a lane") {
  std::uint64_t seed = 50'000;
  EveryNth fifth(5);
  for (const PlasticityRule& rule : lively_rules()) {
    for (const std::int64_t inputs : {1, 4, 7, 8, 9, 31, 33, 63, 64, 65, 100, 129, 513}) {
      for (const std::int64_t streams : {1, 3}) {
        for (const DType dtype : {DType::float64, DType::float32}) {
          const std::int64_t outputs = 1 + static_cast<std::int64_t>(++seed * 7 % 37);
          if (!fifth.takes_next()) continue;
          check_on_device(case_of(rule, outputs, inputs, streams, dtype, seed));
        }
      }
    }
  }
}

TEST_CASE("What the last tick of a block owes to normalisation is done with any number of lanes") {
  std::uint64_t seed = 63'000;
  EveryNth fifth(5);
  for (const Normalization normalization : {Normalization::l2, Normalization::max_norm}) {
    for (const std::int64_t inputs : {5, 16, 24, 65, 130, 300, 513}) {
      for (const std::int64_t ticks : {1, 2, 33}) {
        for (const std::int64_t streams : {1, 4}) {
          PlasticCase c = case_of(OjaRule{.learning_rate = 0.05}, 9, inputs, streams,
                                  streams == 1 ? DType::float32 : DType::float64, ++seed);
          if (!fifth.takes_next()) continue;
          c.plasticity.control = {.homeostasis = Homeostasis{.target = 0.3, .strength = 0.2},
                                  .normalization = normalization,
                                  .bound = 0.5};
          c.ticks = ticks;
          check_on_device(c);
        }
      }
    }
  }
}

TEST_CASE("Weights that decay fast or wholly follow the definition") {
  std::uint64_t seed = 65'000;
  EveryNth fifth(5);
  for (const double decay : {0.3, 0.9, 0.9999999, 1.0}) {
    for (const std::int64_t inputs : {9, 70}) {
      for (const DType dtype : {DType::float64, DType::float32}) {
        for (int control = 0; control < 8; ++control) {
          PlasticCase c = case_of(HebbRule{.learning_rate = 0.01, .decay = decay}, 6, inputs,
                                  control % 2 == 0 ? 1 : 3, dtype, ++seed);
          if (!fifth.takes_next()) continue;
          c.plasticity.control = all_controls()[static_cast<std::size_t>(control)];
          c.plasticity.activation = Activation::tanh;
          check_on_device(c);
        }
      }
    }
  }
}

TEST_CASE("Kernels of plastic layers follow the definition for neurons of many inputs") {
  std::uint64_t seed = 60'000;
  for (const PlasticityRule& rule : lively_rules()) {
    for (const std::int64_t inputs : {1024, 1025, 2048, 2049}) {
      for (const DType dtype : {DType::float64, DType::float32}) {
        PlasticCase c = case_of(rule, 5, inputs, seed % 2 == 0 ? 1 : 3, dtype, seed);
        c.ticks = 9;
        ++seed;
        check_on_device(c);
      }
    }
  }
}

TEST_CASE("Layers whose neurons see each other take a launch per phase where they are large") {
  std::uint64_t seed = 70'000;
  for (const PlasticityRule& rule : lively_rules()) {
    for (const DType dtype : {DType::float64, DType::float32}) {
      PlasticCase c = case_of(rule, 67, 1100, seed % 2 == 0 ? 1 : 3, dtype, seed);
      ++seed;
      c.plasticity.activation = Activation::softmax;
      c.ticks = 5;
      check_on_device(c);
    }
  }
}

TEST_CASE("The order in which threads run changes no bit of what a layer learns") {
  std::uint64_t seed = 80'000;
  for (const PlasticityRule& rule : lively_rules()) {
    for (const std::int64_t inputs : {3, 37, 70}) {
      for (const std::int64_t streams : {1, 3}) {
        ++seed;
        const PlasticCase c = case_of(rule, 19, inputs, streams, DType::float32, seed);
        const Outcome first = run_on_emulated(c);
        for_each_schedule([&](const char* schedule) {
          INFO(c << ", " << schedule);
          const Outcome now = run_on_emulated(c);
          CHECK(now.answers == first.answers);
          CHECK(now.weights == first.weights);
          CHECK(now.memory == first.memory);
        });
      }
    }
  }
}

}  // namespace gaia::test
