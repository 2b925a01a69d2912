// SPDX-License-Identifier: MIT
/// \file
/// Which device work goes to, by trials on devices that the tests make up.
#include "../../src/array/placement.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../../src/core/random.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/log_capture.h"

namespace gaia::test {
namespace {

using fake::Behaviour;

const Device kCpu = Device::cpu();
const Device kCuda = Device::cuda(0);

/// Work that takes so long on the CPU and on anything else.
DeviceTrial taking(double on_cpu, double elsewhere) {
  return {.name = "some work", .memory_bytes = 1000, .run = [=]() -> TrialTime {
            const double seconds = current_device().is_cpu() ? on_cpu : elsewhere;
            return {.parts = {{"a tenth", seconds / 10.0}}, .seconds = seconds};
          }};
}

void sleep(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

TEST_CASE("Work goes to the device where its trial takes the least time") {
  const FakeDevice fake;
  const Placement fast = place(taking(1.0, 0.25));
  CHECK(fast.device == kCuda);
  CHECK(fast.seconds() == 0.25);
  CHECK(fast.summary() == "cuda:0 (about 250 ms, on cpu about 1.0 s)");
  const Placement slow = place(taking(0.002, 1.5));
  CHECK(slow.device == kCpu);
  CHECK(slow.seconds() == 0.002);
  CHECK(slow.summary() == "cpu (about 2 ms, on cuda:0 about 1.5 s)");
  CHECK(place(taking(1.0, 1.0)).device == kCpu);
  CHECK(current_device() == kCpu);
}

TEST_CASE("What is lost by a decision is no more than what its trials were wrong by") {
  const FakeDevice fake;
  std::vector<double> random(800);
  RandomStream::named(3, "regret").uniforms(0, random);
  const auto seconds_of = [](double exponent) { return std::pow(10.0, 4.0 * exponent - 3.0); };
  for (const double error : {0.0, 0.2}) {
    double lost = 0.0;
    double best = 0.0;
    int taken = 0;
    for (std::size_t i = 0; i < random.size(); i += 4) {
      const double cpu = seconds_of(random[i]);
      const double cuda = seconds_of(random[i + 1]);
      const auto told = [&](double seconds, double chance) {
        return seconds * (1.0 + error * (2.0 * chance - 1.0));
      };
      const Placement placement =
          place(taking(told(cpu, random[i + 2]), told(cuda, random[i + 3])));
      const double chosen = placement.device == kCuda ? cuda : cpu;
      taken += placement.device == kCuda ? 1 : 0;
      // If both times are wrong, in opposite directions, (1 + error) / (1 - error) of the best.
      CHECK(chosen <= std::min(cpu, cuda) * (1.0 + error) / (1.0 - error));
      lost += chosen - std::min(cpu, cuda);
      best += std::min(cpu, cuda);
    }
    CHECK(taken > 60);
    CHECK(taken < 140);
    CHECK(lost <= (error == 0.0 ? 0.0 : 0.02 * best));
  }
}

TEST_CASE("An operation is timed on each device, and called nowhere where there is one") {
  const auto on_cpu = [](double seconds) {
    return [seconds] {
      if (current_device().is_cpu()) sleep(seconds);
      matmul(ones({2, 2}), ones({2, 2}));
    };
  };
  {
    const FakeDevice fake({.name = "quick", .seconds = 0.001});
    const Placement placement = fastest_device(on_cpu(0.05), {.calls = 100, .seconds = 0.1});
    CHECK(placement.device == kCuda);
    REQUIRE(placement.tried.size() == 2);
    CHECK(placement.tried[0].time.seconds >= 5.0);
    CHECK(placement.tried[1].name == "quick");
    CHECK(placement.tried[1].time.seconds >= 0.1);
    CHECK(placement.tried[1].time.seconds < placement.tried[0].time.seconds);
  }
  {
    const FakeDevice fake({.seconds = 0.05});
    CHECK(fastest_device(on_cpu(0.0), {.seconds = 0.1}).device == kCpu);
  }
  if (is_available(kCuda)) GAIA_SKIP("there is a CUDA device");
  const LogCapture log;
  int calls = 0;
  const Placement alone = fastest_device([&] { ++calls; });
  CHECK(calls == 0);
  CHECK(alone.device == kCpu);
  CHECK(alone.summary() == "cpu (" + why_no_cuda() + ")");
  CHECK(alone.seconds() == 0.0);
  CHECK(log.lines.empty());
  CHECK(place(taking(1.0, 1.0), true).seconds() == 1.0);
}

TEST_CASE("A device whose trial throws is not taken, and the reason is told") {
  const auto only_on = [](Device device) {
    return [device] {
      if (!(current_device() == device)) throw DataError("it is broken");
    };
  };
  const FakeDevice fake;
  const Placement here = fastest_device(only_on(kCpu));
  CHECK(here.device == kCpu);
  CHECK(here.tried[1].why_not == "it is broken");
  CHECK_SAYS(here.reason, "not on cuda:0: it is broken");
  const Placement there = fastest_device(only_on(kCuda));
  CHECK(there.device == kCuda);
  CHECK_SAYS(there.reason, "not on cpu: it is broken");

  CHECK_THROWS_WITH_TEXT(fastest_device([] { throw DataError(to_string(current_device())); }),
                         DataError, "cpu");
  DeviceTrial broken = taking(1.0, 1.0);
  broken.run = []() -> TrialTime { throw Error("no"); };
  const Placement nowhere = place(broken);
  CHECK(nowhere.device == kCpu);
  CHECK(nowhere.summary() == "cpu (not on cpu: no, not on cuda:0: no)");
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(place(taking(1.0, -infinity)).device == kCpu);
}

TEST_CASE("A device without room for the work is not tried") {
  const FakeDevice fake({.free_memory = 999});
  const Placement placement = place(taking(1.0, 0.1));
  CHECK(placement.device == kCpu);
  CHECK(placement.tried[1].time.parts.empty());
  CHECK_SAYS(placement.reason, "not on cuda:0: too little memory: about 1.0 kB needed, 999");
  DeviceTrial small = taking(1.0, 0.1);
  small.memory_bytes = 999;
  CHECK(place(small).device == kCuda);
  set_memory_limit(998, kCuda);
  CHECK(place(small).device == kCpu);
  // Where the need is not known, the trial finds out.
  const auto large = [] {
    zeros({1000});
    if (current_device().is_cpu()) sleep(0.01);
  };
  const Placement tried = fastest_device(large, {.seconds = 0.05});
  CHECK(tried.device == kCpu);
  CHECK_SAYS(tried.reason, "not on cuda:0: ");
  set_memory_limit(0, kCuda);
  CHECK(fastest_device(large, {.seconds = 0.05}).device == kCuda);
}

TEST_CASE("What a trial copies is part of its time, but is not counted or told") {
  const FakeDevice fake;
  const LogCapture log;
  const Array a = ones({4, 4});
  to_gpu(a);
  const TransferStats before = transfer_stats();
  const auto product = [&] { matmul(a, a); };
  set_transfer_policy(TransferPolicy::warn_once);
  CHECK(fastest_device(product, {.seconds = 0.01}).tried[1].why_not.empty());
  CHECK(log.lines.empty());
  CHECK(transfer_policy() == TransferPolicy::warn_once);
  set_transfer_policy(TransferPolicy::forbid);
  const Placement forbidden = fastest_device(product, {.seconds = 0.01});
  set_transfer_policy(TransferPolicy::allow);
  CHECK(forbidden.device == kCpu);
  CHECK_SAYS(forbidden.reason, "set_transfer_policy forbids the copy");
  CHECK(transfer_stats().implicit_copies == before.implicit_copies);
  CHECK(transfer_stats().explicit_copies == before.explicit_copies);
  CHECK(transfer_stats().bytes == before.bytes);
}

TEST_CASE("Of several GPUs of one name the first that can do the work is tried") {
  const EmulatedDevices two(2);
  std::vector<Device> tried;
  DeviceTrial trial = taking(1.0, 0.1);
  const auto run = trial.run;
  trial.run = [&] {
    tried.push_back(current_device());
    return run();
  };
  const Placement placement = place(trial);
  CHECK(placement.device == kCuda);
  CHECK(tried == std::vector<Device>{kCpu, kCuda});
  CHECK(placement.tried[2].why_not == "like cuda:0");
  trial.run = [&] {
    if (current_device() == kCuda) throw Error("no");
    return run();
  };
  CHECK(place(trial).device == Device::cuda(1));
}

TEST_CASE("explain shows every number that the decision came from") {
  const FakeDevice fake({.name = "card", .free_memory = 2000000000});
  const std::string text = place(taking(1.0, 0.25)).explain();
  INFO(text);
  for (const char* part : {"trial   some work\n", "memory  about 1.0 kB needed\n", "cpu     ",
                           "; a tenth in 100 ms; in all about 1.0 s\n",
                           "cuda:0  card, 2.0 GB free; a tenth in 25 ms; in all about 250 ms\n",
                           "device  cuda:0 (about 250 ms, on cpu about 1.0 s)\n"}) {
    CHECK_SAYS(text, part);
  }
  DeviceTrial large = taking(1.0, 0.25);
  large.memory_bytes = 3e9;
  CHECK_SAYS(place(large).explain(),
             "2.0 GB free; not taken: too little memory: about 3.0 GB needed");
}

TEST_CASE("Options of fastest_device that make no sense are refused") {
  for (const FastestDeviceOptions& options :
       {FastestDeviceOptions{.calls = 0.0}, FastestDeviceOptions{.seconds = 0.0},
        FastestDeviceOptions{.seconds = -1.0}}) {
    CHECK_THROWS_WITH_TEXT(fastest_device([] {}, options), ArgumentError,
                           "[fastest_device] expected calls and seconds above 0, got calls");
  }
}

TEST_CASE("Times are told in units that suit them") {
  CHECK(time_text(0.0) == "0 us");
  CHECK(time_text(1.234e-6) == "1.23 us");
  CHECK(time_text(0.0123) == "12.3 ms");
  CHECK(time_text(2.0) == "2.0 s");
}

}  // namespace
}  // namespace gaia::test
