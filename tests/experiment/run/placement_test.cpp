// SPDX-License-Identifier: MIT
/// \file
/// What experiments ask of a device, and where `device: auto` runs them.
#include "../../../src/experiment/run/placement.h"

#include <cmath>

#include "../../../src/experiment/run/estimate.h"
#include "../../../src/experiment/run/run.h"
#include "../../../src/experiment/run/train.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/emulated_device.h"
#include "../../support/log_capture.h"
#include "../../support/rates.h"
#include "../../support/temp_dir.h"
#include "../minimal.h"

using namespace gaia;
using Catch::Matchers::ContainsSubstring;
using gaia::test::EmulatedDevice;
using gaia::test::kMinimal;
using gaia::test::LogCapture;
using gaia::test::TempDir;

namespace {

Experiment load(const TempDir& folder, const std::string& text,
                const std::vector<std::string>& settings = {}) {
  return load_experiment(folder.write("e.yaml", text),
                         {.set = settings, .output = folder.path("r.h5")});
}

const std::string kNetwork =
    "experiment: sines\n"
    "data: {source: generator, kind: sines, frequencies: [0.03, 0.011], steps: 605, window: 8}\n"
    "network:\n"
    "  layers:\n"
    "    - {type: gru, size: 5}\n"
    "    - {type: hebbian, size: 7, rule: oja, learning_rate: 0.01}\n"
    "    - {type: dense, size: 1}\n"
    "  target: {channel: 0, horizon: 5}\n"
    "  batch_size: 100\n"
    "  epochs: 2\n";

/// The parts of a kind whose names begin with `name`.
template <class Part>
std::vector<Part> parts_of(const Work& work, const std::string& name) {
  std::vector<Part> parts;
  for (const WorkPart& part : work.parts) {
    const Part* found = std::get_if<Part>(&part.what);
    if (found != nullptr && part.name.rfind(name, 0) == 0) parts.push_back(*found);
  }
  return parts;
}

/// Rates of both devices for a test.
struct KnownRates : gaia::test::NoRates {
  explicit KnownRates(const Rates& gpu) {
    set_rates(Device::cpu(), gaia::test::cpu_rates());
    set_rates(Device::cuda(0), gpu);
  }
};

/// A GPU on which everything takes so long that no small work goes there.
Rates slow_gpu() {
  Rates rates = gaia::test::gpu_rates();
  for_each_curve(rates, [](const char*, CostCurve& curve) {
    for (CostCurve::Point& point : curve.points) point.seconds *= 1e3;
  });
  return rates;
}

/// A GPU on which nothing takes any time.
Rates fast_gpu() {
  Rates rates = gaia::test::gpu_rates();
  for_each_curve(rates, [](const char*, CostCurve& curve) {
    for (CostCurve::Point& point : curve.points) point.seconds *= 1e-9;
  });
  return rates;
}

}  // namespace

TEST_CASE("The work of a hierarchy is that of its layers over all ticks") {
  const TempDir folder;
  const Experiment experiment = load(folder, kMinimal, {"data.steps=2000", "dtype=float64"});
  const Work work = work_of(experiment);
  const auto first = parts_of<Ticks>(work, "level 0 layer 0");
  REQUIRE(first.size() == 1);
  CHECK(first[0].kind == TickKind::chunkwise);
  CHECK(first[0].outputs == 2);
  CHECK(first[0].inputs == 3);
  CHECK(first[0].ticks == 2000);
  CHECK(first[0].dtype == DType::float64);
  const auto second = parts_of<Ticks>(work, "level 1 layer 1");
  REQUIRE(second.size() == 1);
  CHECK(second[0].outputs == 2);
  CHECK(second[0].inputs == 4);
  CHECK(second[0].ticks == 667);
  const auto product = parts_of<Products>(work, "level 1 layer 0");
  REQUIRE(product.size() == 1);
  CHECK(product[0].n == 4);
  CHECK(product[0].k == 2);
  CHECK(std::abs(static_cast<double>(product[0].m) * product[0].calls - 667.0) < product[0].calls);
  CHECK(parts_of<Ticks>(work, "level 1 layer 0").empty());
  const auto samples = parts_of<HostTraffic>(work, "samples");
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].up * samples[0].calls == Approx(2000.0 * 3 * 8));
  const auto answers = parts_of<HostTraffic>(work, "level 1 answers");
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].down * answers[0].calls == Approx(667.0 * 2 * 8));
  Experiment again = load(folder, kMinimal, {"data.steps=2000", "dtype=float64", "device=cpu"});
  CHECK(work.memory_bytes == estimate_run(again, false).memory_bytes);
}

TEST_CASE("Layers that do not learn, or no longer, are products, and rules have their executors") {
  const TempDir folder;
  const auto layer = [&](const std::vector<std::string>& settings) {
    return work_of(load(folder, kMinimal, settings));
  };
  const Work fixed = layer({"hierarchy.learn=false"});
  CHECK(parts_of<Ticks>(fixed, "").empty());
  CHECK(parts_of<Products>(fixed, "level 0 layer 0").size() == 1);
  const Work frozen = layer({"hierarchy.freeze_after=75"});
  REQUIRE(parts_of<Ticks>(frozen, "level 0").size() == 1);
  CHECK(parts_of<Ticks>(frozen, "level 0")[0].ticks == Approx(75));
  CHECK(parts_of<Products>(frozen, "level 0 layer 0").size() == 1);
  const Work stepwise = layer({"hierarchy.executor=stepwise"});
  CHECK(parts_of<Ticks>(stepwise, "level 0")[0].kind == TickKind::stepwise);
  const Work coupled = layer({"hierarchy.levels[0].layers[0].rule=sanger"});
  CHECK(parts_of<Ticks>(coupled, "level 0")[0].kind == TickKind::coupled);
  const Work temporal = layer({"hierarchy.levels[1].layers[0]={type: temporal, size: 4}"});
  REQUIRE(parts_of<Ticks>(temporal, "level 1 layer 0").size() == 1);
  CHECK(parts_of<Ticks>(temporal, "level 1 layer 0")[0].kind == TickKind::recurrent);
  CHECK(parts_of<Ticks>(temporal, "level 1 layer 0")[0].inputs == 4);
  const Work silent = layer({"output.representations=none"});
  CHECK(parts_of<HostTraffic>(silent, "level 0 answers").empty());
}

TEST_CASE("The work of a network is that of its layers over all batches") {
  const TempDir folder;
  // 600 samples, of which 420 train in 5 batches and 180 test in one, over 2 epochs.
  const Work work = work_of(load(folder, kNetwork));
  const auto gru = parts_of<Products>(work, "training layer 0 gru");
  REQUIRE(gru.size() == 2);
  CHECK(gru[0].m == 100);
  CHECK(gru[0].n == 15);
  CHECK(gru[0].k == 1);
  CHECK(gru[1].k == 5);
  CHECK(gru[1].calls == 3.0 * 8 * 5 * 2);
  const auto plastic = parts_of<Ticks>(work, "training layer 1 hebbian");
  REQUIRE(plastic.size() == 1);
  CHECK(plastic[0].outputs == 7);
  CHECK(plastic[0].inputs == 5);
  CHECK(plastic[0].ticks == 1000);
  const auto dense = parts_of<Products>(work, "training layer 2 dense");
  REQUIRE(dense.size() == 1);
  CHECK(dense[0].n == 1);
  CHECK(dense[0].k == 7);
  CHECK(dense[0].calls == 3.0 * 5 * 2);
  const auto tested = parts_of<Products>(work, "testing layer 2 dense");
  REQUIRE(tested.size() == 1);
  CHECK(tested[0].m == 180);
  CHECK(tested[0].calls == 4.0);
  REQUIRE(work.operands.size() == 1);
  CHECK(work.operands[0].bytes == 600.0 * 8 * 4);
  CHECK(work.memory_bytes > work.operands[0].bytes);
}

TEST_CASE("device auto runs where it is expected to be done soonest, and says so in one line") {
  const TempDir folder;
  const EmulatedDevice emulated;
  for (const bool network : {false, true}) {
    for (const bool fast : {false, true}) {
      const KnownRates known(fast ? fast_gpu() : slow_gpu());
      const LogCapture log;
      Experiment experiment = load(folder, network ? kNetwork : kMinimal,
                                   {network ? "data.steps=100" : "data.steps=64"});
      std::string file;
      if (network) {
        file = train_experiment(experiment, {.overwrite = true}).file;
      } else {
        file = run_experiment(experiment, {.overwrite = true}).file;
      }
      const std::string device = fast ? "cuda:0" : "cpu";
      CHECK(hdf5::File::open(file).text_attribute("device") == device);
      CHECK(log.count(LogLevel::info, "device auto: " + device + " (") == 1);
      CHECK(log.lines.size() == 1);
    }
  }
}

TEST_CASE("A device that is named is taken, whatever the rates say") {
  const TempDir folder;
  const EmulatedDevice emulated;
  const KnownRates known(fast_gpu());
  const LogCapture log;
  const Experiment experiment = load(folder, kMinimal, {"device=cpu"});
  CHECK(device_of_run(experiment) == Device::cpu());
  CHECK(choose_device(experiment).text == "cpu");
  CHECK(log.lines.empty());
  const std::string text = explain_device(experiment);
  CHECK_THAT(text, ContainsSubstring("device  cuda:0 ("));
  CHECK_THAT(text, ContainsSubstring("the experiment asks for cpu"));
}

TEST_CASE("check tells the device, and explain the whole table") {
  const TempDir folder;
  const EmulatedDevice emulated;
  const KnownRates known(slow_gpu());
  Experiment experiment = load(folder, kMinimal, {"device=Auto"});
  CHECK_THAT(estimate_run(experiment, false).device,
             ContainsSubstring("cpu (") && ContainsSubstring(" estimated, on cuda:0 "));
  const std::string text = explain_device(experiment);
  INFO(text);
  for (const char* part : {"work  minimal: a hierarchy over 300 steps in blocks of 256", "cuda:0",
                           "samples: ", "level 0 layer 0: plastic 2 x 3 float32, 300 ticks in",
                           "level 1 layer 0: product ", "level 1 answers", "in all", "rates of cpu",
                           "rates of cuda:0", "device  cpu ("}) {
    CHECK_THAT(text, ContainsSubstring(part));
  }
  CHECK_THAT(explain_device(load(folder, kNetwork)),
             ContainsSubstring("a network, 2 epochs of 420 samples in batches of 100") &&
                 ContainsSubstring("operands: 19.2 kB on cpu"));
}
