// SPDX-License-Identifier: MIT
/// \file
/// Settings as one object: what is set is applied, and restored; what is not set stays.
#include "../../src/array/runtime_config.h"

#include <cmath>
#include <stdexcept>

#include "../../src/array/create.h"
#include "../../src/array/placement.h"
#include "../../src/core/parallel.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/fake_device.h"

namespace gaia::test {
namespace {

TEST_CASE("What is set holds for the scope, and what was before holds again behind it") {
  const RuntimeConfig before = runtime_config();
  CHECK(before.device == "cpu");
  CHECK(before.transfer_policy == TransferPolicy::allow);
  CHECK(before.offload_threshold == 0);
  CHECK(before.memory_limit == 0);
  CHECK(before.retries == 0);
  CHECK(before.telemetry == TelemetryConfig{});
  const RuntimeConfig config{.threads = before.threads.value() + 1,
                             .memory_limit = std::int64_t{1} << 40,
                             .transfer_policy = TransferPolicy::warn_once,
                             .offload_threshold = 1000,
                             .retries = 2,
                             .telemetry = TelemetryConfig{.file = "told.jsonl", .seconds = 0.5}};
  {
    const RuntimeScope scope(config);
    CHECK(num_threads() == config.threads);
    CHECK(memory_stats().limit == std::int64_t{1} << 40);
    CHECK(transfer_policy() == TransferPolicy::warn_once);
    CHECK(offload_threshold() == 1000);
    CHECK(runtime_config() == merged(config, before));
    {
      const RuntimeScope inner({.retries = 5});
      CHECK(runtime_config().retries == 5);
      CHECK(runtime_config().threads == config.threads);
    }
    CHECK(runtime_config().retries == 2);
  }
  CHECK(runtime_config() == before);
  try {
    const RuntimeScope scope(config);
    throw std::runtime_error("on the way");
  } catch (const std::runtime_error&) {
  }
  CHECK(runtime_config() == before);
}

TEST_CASE("Settings of nothing change nothing") {
  set_transfer_policy(TransferPolicy::forbid);
  const RuntimeConfig before = runtime_config();
  apply({});
  CHECK(runtime_config() == before);
  {
    const RuntimeScope scope({});
    set_transfer_policy(TransferPolicy::allow);  // not the scope's to restore
  }
  CHECK(transfer_policy() == TransferPolicy::allow);
}

TEST_CASE("A device is made current, and the limit is that device's") {
  const EmulatedDevice emulated;
  const std::string name = to_string(emulated.device());
  {
    const RuntimeScope scope({.device = name, .memory_limit = 4096});
    CHECK(current_device() == emulated.device());
    CHECK(memory_stats().limit == 4096);
    CHECK(memory_stats(Device::cpu()).limit == 0);
    CHECK_THROWS_AS(zeros({2000}), OutOfMemory);
  }
  CHECK(current_device() == Device::cpu());
  CHECK(memory_stats(emulated.device()).limit == 0);
}

TEST_CASE("What cannot be is refused by its field, and nothing has changed then") {
  const RuntimeConfig before = runtime_config();
  const auto refused = [&](const RuntimeConfig& config, const std::string& text) {
    CHECK_THROWS_WITH_TEXT(apply(config), ArgumentError, text);
    CHECK(runtime_config() == before);
  };
  refused({.threads = 0}, "[RuntimeConfig] threads: expected 1 to 1024 threads, got 0");
  refused({.threads = 1025}, "threads");
  refused({.memory_limit = -1},
          "memory_limit: expected a number of bytes, or 0 for no limit, got -1");
  refused({.transfer_policy = TransferPolicy::forbid, .offload_threshold = -1},
          "offload_threshold: expected a number of bytes, got -1");
  refused({.retries = 1001}, "retries: expected 0 to 1000 retries, got 1001");
  refused({.telemetry = TelemetryConfig{.seconds = std::nan("")}}, "telemetry.seconds");
  refused({.device = "tpu"}, "unknown device 'tpu'");
  CHECK_THROWS_AS(apply({.threads = 2, .device = "cuda:63"}), DeviceError);
  CHECK(runtime_config() == before);
  if (num_threads() > 1) {
    const std::int64_t other = num_threads() + 1;
    CHECK_THROWS_AS(parallel_for(2, [&](std::int64_t) { apply({.threads = other}); }),
                    ArgumentError);
    CHECK(runtime_config() == before);
  }
}

TEST_CASE("Settings over others: what the upper one sets goes first") {
  const RuntimeConfig under{.threads = 1, .device = "cuda", .retries = 3};
  const RuntimeConfig over{.threads = 2, .memory_limit = 5};
  const RuntimeConfig both = merged(over, under);
  CHECK(both == RuntimeConfig{.threads = 2, .device = "cuda", .memory_limit = 5, .retries = 3});
  CHECK(merged({}, under) == under);
  CHECK(merged(under, {}) == under);
}

TEST_CASE("Policies have names") {
  for (const char* const name : {"allow", "warn_once", "forbid"}) {
    CHECK(to_string(transfer_policy_from_name(name)) == name);
  }
  CHECK_THROWS_WITH_TEXT(transfer_policy_from_name("maybe"), ArgumentError,
                         "known: allow, warn_once, forbid");
}

TEST_CASE("Work below the offload threshold stays on the CPU untried") {
  const FakeDevice fake;
  int trials = 0;
  DeviceTrial trial{.name = "work", .memory_bytes = 1000.0, .run = [&] {
                      ++trials;
                      return TrialTime{.parts = {{"it", 1.0}},
                                       .seconds = current_device().is_cpu() ? 2.0 : 1.0};
                    }};
  CHECK(place(trial).device == fake.device());
  CHECK(trials == 2);
  trial.least_bytes = 1001;
  const Placement placement = place(trial);
  CHECK(placement.device.is_cpu());
  CHECK(trials == 2);
  CHECK(placement.summary() == "cpu (needs about 1.0 kB, below the offload threshold of 1.0 kB)");
  trial.least_bytes = 1000;
  CHECK(place(trial).device == fake.device());
  trial.memory_bytes = 0.0;  // nobody knows
  trial.least_bytes = 1 << 30;
  CHECK(place(trial).device == fake.device());
  {
    const RuntimeScope scope({.offload_threshold = 5000});
    CHECK(DeviceTrial{}.least_bytes == 5000);
    CHECK(fastest_device([] {}, {.memory_bytes = 4999.0, .seconds = 1e-3}).device.is_cpu());
  }
  CHECK(DeviceTrial{}.least_bytes == 0);
  CHECK_THROWS_AS(set_offload_threshold(-1), ArgumentError);
}

}  // namespace
}  // namespace gaia::test
