// SPDX-License-Identifier: MIT
/// \file
/// What gpu_benchmark measures, and that it believes no answer before it has compared it.
#include <cmath>
#include <limits>
#include <set>

#include "../../apps/gpu_benchmark/measure.h"
#include "../../src/array/create.h"
#include "../../src/array/fused.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/fake_device.h"
#include "../support/log_capture.h"

namespace gaia::test {
namespace {

using namespace gaia::bench;

constexpr Effort kOnce{.warmup = 0, .repeats = 2, .max_seconds = 10.0, .quick = true};

/// x + 1, where `spoil` changes what the GPU answers.
template <class Spoil>
Case spoiled_case(Spoil spoil) {
  return {.name = "spoiled",
          .what = "x + 1",
          .inputs = [] { return std::vector<Array>{normal_input({100}, 1)}; },
          .prepare = [spoil](const Arrays& x) -> Task {
            return {.run = [spoil, x] {
              const Array y = x[0] + 1.0;
              return current_device().is_cpu() ? y : spoil(y);
            }};
          },
          .bytes = 800.0};
}

/// A row of a sweep that took these seconds.
Row sweep_row(std::int64_t size, double cpu, double gpu, double transfer = 0.0) {
  Row row;
  row.what.sweep = "matmul";
  row.what.size = size;
  row.cpu.compute = summarize_times({cpu});
  row.gpu.emplace();
  row.gpu->compute = summarize_times({gpu});
  row.gpu->upload = summarize_times({transfer});
  return row;
}

TEST_CASE("A right answer is timed, on both devices and between them") {
  const FakeDevice fake;
  const Row row = measure(spoiled_case([](const Array& y) { return y; }), fake.device(), kOnce);
  REQUIRE(row.gpu);
  for (const Measurement* one : {&row.cpu, &*row.gpu}) {
    CHECK(one->status == Status::measured);
    CHECK(one->compute.repeats() == 2);
    CHECK(one->message.empty());
  }
  CHECK(row.cpu.device.is_cpu());
  CHECK(row.gpu->device == fake.device());
  CHECK(row.gpu->compute.device == fake.device());
  CHECK(row.gpu->error == 0.0);
  REQUIRE(row.gpu->upload);
  REQUIRE(row.gpu->download);
  CHECK(row.gpu->with_transfers() == row.gpu->compute.median_time + row.gpu->upload->median_time +
                                         row.gpu->download->median_time);
  REQUIRE(row.speedup());
  CHECK(*row.speedup() == row.cpu.compute.median_time / row.gpu->compute.median_time);
  CHECK(*row.speedup_with_transfers() <= *row.speedup());
  CHECK_FALSE(row.is_bad());
  CHECK(current_device().is_cpu());
}

TEST_CASE("A wrong answer is reported and not timed") {
  const FakeDevice fake;
  const auto check_wrong = [&](const auto& spoil) {
    const Row row = measure(spoiled_case(spoil), fake.device(), kOnce);
    CHECK(row.cpu.status == Status::measured);
    REQUIRE(row.gpu);
    CHECK(row.gpu->status == Status::wrong);
    CHECK(row.gpu->compute.times.empty());
    CHECK_FALSE(row.gpu->upload);
    CHECK_FALSE(row.speedup());
    CHECK_SAYS(row.gpu->message, "differs from the CPU");
    CHECK(row.is_bad());
  };
  check_wrong([](const Array& y) { return y * 1.0001; });
  check_wrong([](const Array& y) {
    const Array z = y.copy();
    z[57].fill(std::numeric_limits<double>::quiet_NaN());
    return z;
  });
  check_wrong([](const Array& y) { return y.slice(0, 0, 99); });
}

TEST_CASE("An error of a device is reported, memory that a device does not have is no error") {
  const FakeDevice fake;
  const Row failed =
      measure(spoiled_case([](const Array&) -> Array { throw DeviceError("no such kernel"); }),
              fake.device(), kOnce);
  CHECK(failed.gpu->status == Status::failed);
  CHECK(failed.gpu->message == "no such kernel");
  CHECK(failed.is_bad());
  const Row skipped =
      measure(spoiled_case([](const Array&) -> Array { throw OutOfMemory("too large"); }),
              fake.device(), kOnce);
  CHECK(skipped.gpu->status == Status::skipped);
  CHECK_FALSE(skipped.is_bad());
}

TEST_CASE("An answer of the CPU that is not finite verifies nothing") {
  Case one = spoiled_case([](const Array& y) { return y; });
  one.inputs = [] { return std::vector<Array>{full({3}, std::nan(""))}; };
  const FakeDevice fake;
  const Row row = measure(one, fake.device(), kOnce);
  CHECK(row.cpu.status == Status::wrong);
  CHECK(row.gpu->status == Status::skipped);
  CHECK(row.is_bad());
}

TEST_CASE("A fused operation that was answered by plain ones is noted") {
  const FakeDevice fake;
  const LogCapture log;
  Case one = spoiled_case([](const Array& y) {
    layer_norm(ones({2, 2}, DType::bfloat16));
    return y;
  });
  const Row row = measure(one, fake.device(), kOnce);
  CHECK_SAYS(row.gpu->note, "unfused: layer_norm takes");
}

TEST_CASE("What takes long is timed once") {
  Effort impatient = kOnce;
  impatient.max_seconds = 1e-9;
  const Row row = measure(device_add_case("add", 1000), std::nullopt, impatient);
  CHECK(row.cpu.compute.repeats() == 1);
  CHECK_FALSE(row.gpu);
  CHECK_FALSE(row.speedup());
}

TEST_CASE("Differences are relative to the largest element") {
  const Array reference = array({1.0, -4.0});
  CHECK(relative_error(array({1.0, -4.0}), reference) == 0.0);
  CHECK(relative_error(array({2.0, -4.0}), reference) == 0.25);
  CHECK(relative_error(zeros({2}), zeros({2})) == 0.0);
  CHECK(std::isinf(relative_error(ones({2}), zeros({2}))));
  CHECK(std::isinf(relative_error(ones({3}), reference)));
  CHECK(std::isinf(relative_error(array({std::nan(""), 0.0}), reference)));
}

TEST_CASE("The share of a limit is that of whichever limit binds") {
  const Limits limits{.device = {}, .copy_rate = 100.0, .matmul_rate = 1000.0, .problem = {}};
  Case one;
  one.bytes = 50.0;  // half a second
  CHECK(*share_of_limit(one, 1.0, limits) == 0.5);
  CHECK_FALSE(is_compute_bound(one, limits));
  one.flops = 800.0;  // 0.8 seconds
  CHECK(*share_of_limit(one, 1.0, limits) == 0.8);
  CHECK(is_compute_bound(one, limits));
  CHECK_FALSE(share_of_limit(one, 1.0, {}));
  CHECK_FALSE(share_of_limit({}, 1.0, limits));
}

TEST_CASE("A crossover is the size from which the GPU always wins") {
  const auto crossover = [](const std::vector<Row>& rows) { return find_crossovers(rows).at(0); };
  const Crossover usual = crossover({sweep_row(10, 1, 2), sweep_row(20, 2, 1), sweep_row(40, 2, 3),
                                     sweep_row(80, 8, 4, 5), sweep_row(160, 16, 4, 5)});
  CHECK(usual.sweep == "matmul");
  CHECK(usual.smallest == 10);
  CHECK(usual.largest == 160);
  CHECK(usual.from == 80);
  CHECK(usual.from_with_transfers == 160);
  CHECK(crossover({sweep_row(10, 2, 1), sweep_row(20, 2, 1)}).from == 10);
  CHECK_FALSE(crossover({sweep_row(10, 2, 1), sweep_row(20, 1, 1)}).from);
  Row wrong = sweep_row(10, 1, 2);
  wrong.gpu->status = Status::wrong;
  CHECK(find_crossovers({wrong}).empty());
}

TEST_CASE("Every case is verified on a device whose memory is apart") {
  const FakeDevice fake;
  for (const Case& one : device_cases(true)) {
    INFO(one.name);
    const Row row = measure(one, fake.device(), {.warmup = 0, .repeats = 1, .max_seconds = 1e-3});
    INFO(row.gpu->message);
    CHECK(row.gpu->status == Status::measured);
    CHECK(row.gpu->error == 0.0);
  }
}

TEST_CASE("Cases on the emulated GPU are verified") {
  const EmulatedDevice emulated;
  for (const char* filter : {"scaling/", "layer_norm/", "dot/"}) {
    for (const Case& one : device_cases(true, filter)) {
      const Row row = measure(one, emulated.device(), {.warmup = 0, .repeats = 1});
      INFO(one.name << ": " << row.gpu->message);
      CHECK(row.gpu->status == Status::measured);
      CHECK(row.gpu->note.empty());
    }
  }
}

TEST_CASE("The cases have names of their own, and the guides' sizes are among them") {
  for (const bool quick : {false, true}) {
    std::set<std::string> names;
    for (const Case& one : device_cases(quick)) {
      INFO(one.name);
      CHECK(names.insert(one.name).second);
      CHECK((one.bytes > 0.0 || one.flops > 0.0));
      CHECK((one.tolerance >= 0.0 && one.tolerance < 0.1));
      CHECK_FALSE(one.what.empty());
      // By so much two right executors come to differ over ten thousand steps, all of which are
      // compared but for replicas.
      if (one.name.find("/learning/") != std::string::npos &&
          one.name.find("steps:10000") != std::string::npos && !one.compared) {
        CHECK(one.tolerance > 2 * 1.6e-3);
      }
    }
    for (const char* name :
         {"zeros/1000x1000", "matmul/1000x1000", "dot/1000", "outer/1000", "add/1000x1000",
          "relu/1000x1000", "norm/1000x1000", "hierarchy/10-20-40/steps:1000", "gelu/1024x512",
          "linear_gelu/128x512x768", "layer_norm/128x768", "attention/4x8x512x64",
          "scaling/hierarchy/10", "scaling/hierarchy/100"}) {
      INFO(name);
      CHECK(names.contains(name));
    }
    CHECK(names.contains("hierarchy/100-200-400-800/steps:10000") == !quick);
    CHECK(names.contains("hierarchy/learning/100-200-400-800/steps:10000/replicas:64") == !quick);
    CHECK(names.contains("hierarchy/learning/10-20-40-80/steps:100/replicas:4") == quick);
  }
  CHECK(device_cases(true, "gelu").size() == 2);
  CHECK(device_cases(true, "nothing like it").empty());
}

TEST_CASE("The limits of a device are measured where there is a device to measure") {
  const FakeDevice fake;
  for (const Device device : {Device::cpu(), fake.device()}) {
    const Limits limits = measure_limits(device, kOnce);
    CHECK(limits.device == device);
    CHECK(limits.problem.empty());
    CHECK(limits.copy_rate > 0.0);
    CHECK(limits.matmul_rate > 0.0);
    CHECK(limits.call_seconds > 0.0);
    CHECK((limits.upload_rate > 0.0) == !device.is_cpu());
    CHECK((limits.download_rate > 0.0) == !device.is_cpu());
  }
}

}  // namespace
}  // namespace gaia::test
