// SPDX-License-Identifier: MIT
/// \file
/// The devices and numbers of threads that a test runs on.
#pragma once

#include <cstdlib>
#include <string_view>

#include "../../src/array/device.h"
#include "../../src/core/parallel.h"
#include "catch.h"
#include "emulated_device.h"
#include "fake_device.h"

namespace gaia::test {

/// Whether GAIA_TEST_DEVICES asks for `devices` alone, for a sanitizer that is slow.
inline bool only(std::string_view devices) {
  const char* const wanted = std::getenv("GAIA_TEST_DEVICES");
  return wanted != nullptr && wanted == devices;
}
/// "cuda": one that watches nothing but real GPUs.
inline bool only_real_gpus() { return only("cuda"); }
/// "cpu": one under which the emulated GPU takes most of the time, and that watches threads.
inline bool without_emulated_gpu() { return only("cpu"); }

/// Runs test() with each device current: the CPU, a GPU where there is one, the emulated GPU, and
/// the fake device, which knows whether it was used.
template <class Test>
void on_each_device(const Test& test) {
  if (only_real_gpus()) REQUIRE(available_devices().size() > 1);
  for (const Device device : available_devices()) {
    if (only_real_gpus() && device.is_cpu()) continue;
    INFO("on " << to_string(device));
    const GPUContext scope(device);
    test();
  }
  if (only_real_gpus()) return;
  if (!without_emulated_gpu()) {
    INFO("on the emulated GPU");
    const OnEmulatedDevice emulated;
    test();
  }
  INFO("on the fake device");
  const FakeDevice fake;
  const GPUContext scope(fake.device());
  const std::int64_t before = fake.backend().calls();
  test();
  CHECK(fake.backend().calls() > before);
}

/// A TEST_CASE whose body runs on_each_device.
#define DEVICE_TEST_CASE(...) GAIA_TEST_ON_DEVICES(GAIA_UNIQUE(on_a_device_), __VA_ARGS__)
#define GAIA_TEST_ON_DEVICES(body, ...)                          \
  static void body();                                            \
  TEST_CASE(__VA_ARGS__) { ::gaia::test::on_each_device(body); } \
  static void body()

/// A number of threads for a scope.
class Threads {
 public:
  explicit Threads(int threads) : before_(num_threads()) { set_num_threads(threads); }
  ~Threads() { set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

}  // namespace gaia::test
