// SPDX-License-Identifier: MIT
/// \file
/// Which device work goes to, from rates that the tests make up.
#include "../../src/array/placement.h"

#include "../../src/array/create.h"
#include "../../src/array/linear.h"
#include "../../src/array/placement_text.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/environment.h"
#include "../support/log_capture.h"
#include "../support/rates.h"
#include "../support/temp_dir.h"

namespace gaia::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const Device kCpu = Device::cpu();
const Device kCuda = Device::cuda(0);

std::vector<PlacementCandidate> cpu_and_gpu(double free_bytes = 1e10) {
  return {{.device = kCpu, .name = "processor", .free_bytes = 1e9, .rates = cpu_rates()},
          {.device = kCuda, .name = "card", .free_bytes = free_bytes, .rates = gpu_rates()}};
}

Work product(std::int64_t n, Device where = kCpu, DType dtype = DType::float32) {
  const double bytes = static_cast<double>(n * n * size_of(dtype));
  return {.name = "a product",
          .operands = {{bytes, where}, {bytes, where}},
          .parts = {{"a b", Products{.m = n, .n = n, .k = n, .dtype = dtype}}},
          .memory_bytes = 3.0 * bytes};
}

TEST_CASE("Small work stays on the CPU, large work goes to the GPU") {
  for (const std::int64_t n : {1, 10, 50, 100}) {
    CHECK(place(product(n), cpu_and_gpu()).device == kCpu);
  }
  for (const std::int64_t n : {1000, 3000, 10000}) {
    CHECK(place(product(n), cpu_and_gpu()).device == kCuda);
  }
}

TEST_CASE("Where the operands lie tilts the decision") {
  // 2 x 160 kB: 160 us on the CPU; 10 us on the GPU, and 2 x 20 us to bring them to it.
  const Work near = product(200, kCuda);
  const Placement there = place(near, cpu_and_gpu());
  CHECK(there.device == kCuda);
  CHECK(there.estimates[1].operand_seconds == 0.0);
  CHECK(there.estimates[0].operand_seconds == Approx(2 * 2e-5));
  // 40 us of transfers decide about a product of 32 us on the CPU.
  const std::int64_t n = 117;
  CHECK(place(product(n, kCpu), cpu_and_gpu()).device == kCpu);
  CHECK(place(product(n, kCuda), cpu_and_gpu()).device == kCuda);
  // From one GPU to another by way of the host.
  auto candidates = cpu_and_gpu();
  candidates.push_back(candidates[1]);
  candidates[2].device = Device::cuda(1);
  const Placement second = place(product(1000, Device::cuda(1)), candidates);
  CHECK(second.device == Device::cuda(1));
  CHECK(second.estimates[1].operand_seconds == Approx(2 * (4e-4 + 4e-4)));
}

TEST_CASE("Estimates are those of the model") {
  const Work work{
      .parts = {{"passes", Passes{.bytes = 1e9, .calls = 3}},
                {"small", Passes{.bytes = 8, .calls = 1000}},
                {"product", Products{.m = 1000, .n = 2000, .k = 3000, .calls = 2}},
                {"thin", Products{.m = 1, .n = 10000, .k = 10000}},
                {"double", Products{.m = 1000, .n = 1000, .k = 1000, .dtype = DType::float64}},
                {"plastic", Ticks{.outputs = 1000, .inputs = 2000, .ticks = 500, .calls = 10}},
                {"coupled",
                 Ticks{.kind = TickKind::coupled, .outputs = 100, .inputs = 100, .ticks = 500}},
                {"recurrent", Ticks{.kind = TickKind::recurrent,
                                    .outputs = 10,
                                    .inputs = 10,
                                    .dtype = DType::float64,
                                    .ticks = 7}},
                {"stepwise",
                 Ticks{.kind = TickKind::stepwise, .outputs = 1000, .inputs = 1000, .ticks = 2}},
                {"host", HostTraffic{.up = 1e6, .down = 8, .calls = 4}}}};
  const Placement placement = place(work, cpu_and_gpu());
  const std::vector<double> cpu = {0.3,
                                   1e-3,
                                   0.24,
                                   0.0400080,
                                   0.02,
                                   10e-6 + 500 * 2e-3,
                                   1e-6 + 500 * 2e-5,
                                   1e-6 + 7e-7,
                                   1e-6 + 2 * 2e-3,
                                   0.0};
  const std::vector<double> gpu = {3e-3,
                                   1e-2,
                                   4.8e-4,
                                   4.00080e-4,
                                   4e-4,
                                   100e-6 + 500 * 2e-6,
                                   1e-5 + 500 * 1e-5,
                                   1e-5 + 7 * 5e-6,
                                   1e-5 + 2 * 1e-6,
                                   4 * (1e-4 + 2e-5)};
  double sum = 0.0;
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    INFO(work.parts[i].name);
    CHECK(placement.estimates[0].part_seconds[i] == Approx(cpu[i]).epsilon(1e-3));
    CHECK(placement.estimates[1].part_seconds[i] == Approx(gpu[i]).epsilon(1e-3));
    sum += placement.estimates[1].part_seconds[i];
  }
  CHECK(placement.estimates[1].seconds == Approx(sum));
  CHECK(placement.device == kCuda);
}

TEST_CASE("Equal estimates leave work on the CPU") {
  auto candidates = cpu_and_gpu();
  candidates[1].rates = candidates[0].rates;
  CHECK(place({.parts = {{"p", Passes{.bytes = 1e9}}}}, candidates).device == kCpu);
}

TEST_CASE("Twice the need must be free on a GPU, without what is there already") {
  const Work work = product(5000);  // 300 MB in all
  CHECK(place(work, cpu_and_gpu(600e6)).device == kCuda);
  const Placement too_little = place(work, cpu_and_gpu(600e6 - 1));
  CHECK(too_little.device == kCpu);
  CHECK_FALSE(too_little.estimates[1].fits);
  CHECK_THAT(too_little.reason, ContainsSubstring("on cuda:0 too little memory"));
  // 200 MB of it lie there.
  CHECK(place(product(5000, kCuda), cpu_and_gpu(200e6)).device == kCuda);
  CHECK(place(product(5000, kCuda), cpu_and_gpu(200e6 - 1)).device == kCpu);
}

TEST_CASE("Without rates, or without parts, the rule decides: 1 MB, and twice that is free") {
  const auto by_rule = [](double bytes, double free_bytes) {
    auto candidates = cpu_and_gpu(free_bytes);
    Work work{.operands = {{bytes, kCpu}}};
    const Device unknown_work = place(work, candidates).device;
    work.parts = {{"p", Passes{.bytes = 1e12}}};
    candidates[1].rates.reset();
    const Placement unknown_rates = place(work, candidates);
    CHECK(unknown_rates.device == unknown_work);
    CHECK_THAT(unknown_rates.reason,
               ContainsSubstring("by the rule, since cuda:0 was not measured"));
    return unknown_work;
  };
  CHECK(by_rule(999999, 1e10) == kCpu);
  CHECK(by_rule(1000000, 1e10) == kCuda);
  CHECK(by_rule(1e9, 2e9) == kCuda);
  CHECK(by_rule(1e9, 2e9 - 1) == kCpu);
  CHECK(by_rule(0, 1e10) == kCpu);
  CHECK_THAT(place({.memory_bytes = 1e6}, cpu_and_gpu()).reason,
             ContainsSubstring("what is to be done is not known: 1.0 MB"));
  CHECK_THROWS_AS(place({}, std::vector<PlacementCandidate>()), ArgumentError);
}

TEST_CASE("explain shows every number that the decision came from") {
  Work work = product(1000);
  work.parts.push_back({"learning", Ticks{.outputs = 100, .inputs = 50, .ticks = 10000}});
  work.parts.push_back({"answers", HostTraffic{.down = 4e6, .calls = 2}});
  const std::string text = place(work, cpu_and_gpu()).explain();
  INFO(text);
  for (const char* part :
       {"work  a product", "operands: 8.0 MB on cpu", "a b: product 1 000 x 1 000 x 1 000 float32",
        "learning: plastic 100 x 50 float32, 10 000 ticks in 1 call",
        "answers: 4.0 MB down, 2 times", "in all", "memory: 12.0 MB needed, free", "1.0 GB",
        "10.0 GB", "yes", "rates of cpu (processor)", "rates of cuda:0 (card)", "float32/products",
        "upload", "float32/chunkwise", "5e+04 GFLOP/s", "device  cuda:0 (",
        " estimated, on cpu "}) {
    CHECK_THAT(text, ContainsSubstring(part));
  }
  // Rates that played no part are left out.
  CHECK_THAT(text, !ContainsSubstring("float64"));
  CHECK_THAT(text, !ContainsSubstring("stepwise"));
  auto candidates = cpu_and_gpu();
  candidates[1].rates.reset();
  candidates[1].why_no_rates = "it is busy";
  const std::string unknown = place(work, candidates).explain();
  CHECK_THAT(unknown, ContainsSubstring("not measured: it is busy"));
  CHECK_THAT(unknown, ContainsSubstring("?"));
}

TEST_CASE("Times are told in units that suit them") {
  CHECK(time_text(0.0) == "0 us");
  CHECK(time_text(1.234e-6) == "1.23 us");
  CHECK(time_text(0.0123) == "12.3 ms");
  CHECK(time_text(2.0) == "2.0 s");
}

TEST_CASE("Without a GPU the CPU is taken and nothing is measured") {
  if (is_available(kCuda)) GAIA_SKIP("there is a CUDA device");
  const NoRates nothing_known;
  const LogCapture log;
  CHECK(Device::automatic(product(10000)) == kCpu);
  const Placement placement = place(product(10000));
  CHECK(placement.device == kCpu);
  CHECK(placement.reason == why_no_cuda());
  CHECK_FALSE(placement.candidates[0].rates);
  CHECK(log.lines.size() == 1);
  CHECK(log.count(LogLevel::info, "device auto: CPU") == 1);
}

TEST_CASE("Device::automatic goes by the rates of the devices that are there") {
  const NoRates nothing_known;
  set_rates(kCpu, cpu_rates());
  set_rates(kCuda, gpu_rates());
  {
    const EmulatedDevice emulated;
    CHECK(Device::automatic(product(2000)) == kCuda);
    CHECK(Device::automatic(product(20)) == kCpu);
    const Array a = ones({60, 60});
    const GPUContext scope(Device::automatic({.operands = operands_of({a, a})}));
    CHECK(scope.device() == kCpu);  // what is done is not known, and it is little
    const Array large = ones({600, 600});
    CHECK(Device::automatic({.operands = operands_of({large})}) == kCuda);
    // More than the emulated GPU has.
    Work work = product(2000);
    work.memory_bytes = 3e9;
    CHECK(Device::automatic(work) == kCpu);
  }
  // The fake device says that it has no memory free.
  const FakeDevice fake;
  CHECK(Device::automatic(product(2000)) == kCpu);
  CHECK(place(product(2000)).candidates[1].name == "fake device");
}

TEST_CASE("A device that cannot be measured leaves the decision to the rule, and one warning") {
  const NoRates nothing_known;
  const TempDir folder;
  const Environment cache("XDG_CACHE_HOME", folder.path("cache"));
  const LogCapture log;
  const EmulatedDevice emulated;
  // Nothing is measured from inside a task.
  const Threads threads(2);
  std::vector<Device> chosen(2);
  parallel_for(2, [&](std::int64_t i) {
    chosen[static_cast<std::size_t>(i)] = Device::automatic(product(i == 0 ? 2000 : 20));
  });
  CHECK(chosen == std::vector<Device>{kCuda, kCpu});
  CHECK(log.count(LogLevel::warning, "cuda:0 cannot be measured") == 1);
  CHECK(log.count(LogLevel::warning, "cpu cannot be measured") == 1);
  CHECK(log.count(LogLevel::info, "measuring") == 0);
}

}  // namespace
}  // namespace gaia::test
