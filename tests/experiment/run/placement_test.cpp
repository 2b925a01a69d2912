// SPDX-License-Identifier: MIT
/// \file
/// Where `device: auto` runs experiments, by trials on devices that the tests make up.
#include "../../../src/experiment/run/placement.h"

#include <cstring>
#include <memory>
#include <vector>

#include "../../../src/array/backend_cuda.h"
#include "../../../src/core/random.h"
#include "../../../src/experiment/run/apply_network.h"
#include "../../../src/experiment/run/device_trial.h"
#include "../../../src/experiment/run/estimate.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/run/train.h"
#include "../../../src/io/hdf5.h"
#include "../../../src/training/communicator.h"
#include "../../support/catch.h"
#include "../../support/datasets.h"
#include "../../support/fake_device.h"
#include "../../support/log_capture.h"
#include "../../support/temp_dir.h"
#include "../applied_series.h"
#include "../minimal.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;
using gaia::test::fake::Behaviour;

namespace {

Experiment load(const TempDir& folder, const std::string& text,
                const std::vector<std::string>& settings = {}) {
  return load_experiment(folder.write("e.yaml", text),
                         {.set = settings, .output = folder.path("r.h5")});
}

const std::string kNetwork =
    "experiment: sines\n"
    "data: {source: generator, kind: sines, frequencies: [0.03, 0.011], steps: 605, window: 8}\n"
    "network:\n  layers:\n"
    "    - {type: flatten}\n"
    "    - {type: dense, size: 700, activation: tanh}\n"
    "    - {type: dense, size: 700, activation: tanh}\n"
    "    - {type: dense, size: 1}\n"
    "  target: {channel: 0, horizon: 5}\n"
    "  batch_size: 100\n"
    "  epochs: 2\n";

/// Makes the minimal hierarchy so large that learning is what takes time.
const std::vector<std::string> kLarge = {"data.steps=64", "data.window=64",
                                         "hierarchy.executor=stepwise",
                                         "hierarchy.levels[0].layers[0].size=400"};

const Behaviour kFast = {.answers_zeros = true};
const Behaviour kSlow = {.seconds = 0.02};

/// Two processes of which the other says and sends what this one does, but for its first answer.
class Contrary final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 2; }
  using Communicator::all_gather;
  void all_gather(const void* mine, void* all, std::size_t bytes) override {
    std::memcpy(all, mine, bytes);
    auto* const other = static_cast<unsigned char*>(all) + bytes;
    std::memcpy(other, mine, bytes);
    if (is_first_) *other ^= 1;
    is_first_ = false;
  }
  [[noreturn]] void abort(int code) override { std::_Exit(code); }

 private:
  bool is_first_ = true;
};

}  // namespace

TEST_CASE("a run on the CPU of a machine with GPUs makes nothing on any of them") {
  std::vector<int> made;
  const OtherCudaDevices others({.count = 2, .why_none = {}, .make = [&](int index) {
                                   made.push_back(index);
                                   return std::make_unique<gaia::test::fake::FakeBackend>();
                                 }});
  for (const std::string& text : {kMinimal, kNetwork}) {
    const TempDir folder;
    Experiment experiment = load(folder, text, {"device=cpu"});
    run_experiment(experiment);
    CHECK(made.empty());
  }
  // A run that asks for one device builds that one and no other.
  const TempDir folder;
  Experiment experiment = load(folder, kMinimal, {"device=cuda:1"});
  run_hierarchy(experiment);
  CHECK(made == std::vector<int>{1});
}

FOLDER_TEST_CASE("device auto runs where a trial is done soonest, and says so in one line") {
  for (const bool network : {false, true}) {
    for (const bool fast : {false, true}) {
      INFO((network ? "network, " : "hierarchy, ") << (fast ? "fast" : "slow"));
      const FakeDevice fake(fast ? kFast : kSlow);
      const LogCapture log;
      Experiment experiment = network ? load(folder, kNetwork) : load(folder, kMinimal, kLarge);
      std::string file;
      if (network) {
        file = train_network(experiment, {.overwrite = true}).file;
      } else {
        file = run_hierarchy(experiment, {.overwrite = true}).file;
      }
      const std::string device = fast ? "cuda:0" : "cpu";
      CHECK(hdf5::File::open(file).text_attribute("device") == device);
      CHECK(log.count(LogLevel::info, "device auto: " + device + " (about ") == 1);
      CHECK(log.lines.size() == 1);
    }
  }
}

FOLDER_TEST_CASE("A run after trials has the bytes of one on the CPU that it names") {
  folder.write("x.csv", test::csv(test::rows(test::kRows), {0, 1, 2}, {"a", "b", "c"}));
  const std::string data = "data: {source: file, path: x.csv, window: 2, normalize: zscore}\n";
  std::string hierarchy = kMinimal;
  hierarchy.replace(hierarchy.find("data:"), hierarchy.find("hierarchy:") - hierarchy.find("data:"),
                    data);
  hierarchy.replace(hierarchy.find("  levels:"), 0, "  epochs: 3\n  freeze_after: 500\n");
  hierarchy += "readouts:\n  - {name: one, levels: [0, 1], target: {channel: 0, horizon: 2}}\n";
  const FakeDevice fake(kSlow);
  for (const std::string& text : {hierarchy, kNetwork}) {
    std::vector<Datasets> found;
    for (const char* device : {"cpu", "auto"}) {
      const LogCapture log;
      Experiment experiment = load(folder, text, {std::string("device=") + device});
      const RandomStream before = next_stream();
      const std::string file = experiment.config.network()
                                   ? train_network(experiment, {.overwrite = true}).file
                                   : run_hierarchy(experiment, {.overwrite = true}).file;
      CHECK(next_stream().stream == before.stream + 1);
      found.push_back(datasets_of(file));
      CHECK(log.lines.size() == (std::string(device) == "auto" ? 1 : 0));
    }
    test::check_same_datasets(found[0], found[1]);
  }
}

FOLDER_TEST_CASE("A device that is named is taken, and nothing is tried") {
  const FakeDevice fake({.fails = "tried"});
  const LogCapture log;
  const Experiment experiment = load(folder, kMinimal, {"device=cpu"});
  CHECK(device_of_run(experiment) == Device::cpu());
  CHECK(choose_device(experiment).text == "cpu");
  CHECK(choose_device(experiment).seconds == 0.0);
  CHECK(device_of_run(load(folder, kMinimal, {"device=cuda"})) == Device::cuda(0));
  CHECK(log.lines.empty());
  const std::string text = explain_device(experiment);
  CHECK_SAYS(text, "device  cpu (", "the experiment asks for cpu");
}

FOLDER_TEST_CASE("A device that has no room or fails is told with the reason") {
  for (const std::string& text : {kMinimal, kNetwork}) {
    const Experiment experiment = load(folder, text);
    {
      const FakeDevice fake({.free_memory = 100, .answers_zeros = true});
      const DeviceChoice choice = choose_device(experiment);
      CHECK(choice.device == Device::cpu());
      CHECK_SAYS(choice.text, "not on cuda:0: too little memory: about ");
    }
    const FakeDevice fake({.fails = "no such kernel"});
    const DeviceChoice choice = choose_device(experiment);
    CHECK(choice.device == Device::cpu());
    CHECK(choice.seconds > 0.0);
    CHECK_SAYS(choice.text, ", not on cuda:0: ", "no such kernel");
  }
}

FOLDER_TEST_CASE("Data on another scale, on which the trial diverges, decide nothing") {
  std::string numbers = "x\n";
  for (int i = 0; i < 400; ++i) numbers += std::to_string(1e30 + 1e29 * (i % 7)) + "\n";
  folder.write("x.csv", numbers);
  std::string text = kMinimal;
  text.replace(text.find("data:"), text.find("hierarchy:") - text.find("data:"),
               "data: {source: file, path: x.csv, normalize: zscore}\n");
  text.replace(text.find("rule: oja, learning_rate: 0.01"), 30, "rule: oja, learning_rate: 0.1");
  const FakeDevice fake(kSlow);
  const DeviceChoice choice = choose_device(load(folder, text));
  CHECK_THAT(choice.text, ContainsSubstring("cpu (about ") && !ContainsSubstring("not on"));
}

FOLDER_TEST_CASE("A trial times blocks of the run's length, learning as the run does") {
  const Experiment some = load(folder, kMinimal);
  const DeviceTrial trial = trial_of(some);
  CHECK(trial.name == "minimal: a hierarchy over 300 steps in blocks of 256");
  CHECK(trial.memory_bytes ==
        estimate_run(load(folder, kMinimal, {"device=cpu"}), false).memory_bytes);
  const TrialTime learns = trial.run();
  REQUIRE(learns.parts.size() == 1);
  CHECK(learns.parts[0].name == "a block of 256 steps");
  CHECK(learns.seconds == Approx(learns.parts[0].seconds * 300.0 / 256.0));
  const Experiment frozen = load(folder, kMinimal, {"hierarchy.freeze_after=75"});
  const TrialTime both = trial_of(frozen).run();
  REQUIRE(both.parts.size() == 2);
  CHECK(both.parts[1].name == "a block of 256 steps that does not learn");
  CHECK(both.seconds ==
        Approx((both.parts[0].seconds * 75.0 + both.parts[1].seconds * 225.0) / 256.0));
  const Experiment fixed = load(folder, kMinimal, {"hierarchy.learn=false"});
  REQUIRE(trial_of(fixed).run().parts.size() == 1);
  CHECK(trial_of(fixed).run().parts[0].name == "a block of 256 steps");
  // A split of 600 samples trains on 420, but for the 13 whose windows of 8 or targets 5 ahead
  // reach the test part: 407 in 5 batches over 2 epochs.
  const Experiment network = load(folder, kNetwork);
  CHECK(trial_of(network).name == "sines: a network, 2 epochs of 407 samples in batches of 100");
  CHECK(trial_of(network).memory_bytes == network_memory(network));
  const TrialTime trained = trial_of(network).run();
  REQUIRE(trained.parts.size() == 1);
  CHECK_SAYS(trained.parts[0].name, "a batch (of ");
  CHECK(trained.seconds == Approx(trained.parts[0].seconds * 10.0));
}

FOLDER_TEST_CASE("check tells the device, and explain what was timed on each") {
  const FakeDevice fake(kSlow);
  const Experiment experiment = load(folder, kMinimal, {"device=Auto"});
  const Estimate estimate = estimate_run(experiment, true);
  CHECK_SAYS(estimate.device, "cpu (about ", ", on cuda:0 about ");
  CHECK(estimate.seconds > 0.0);
  const std::string text = explain_device(experiment);
  INFO(text);
  for (const char* part : {"trial   minimal: a hierarchy over 300 steps in blocks of 256\n",
                           "memory  about ", "cuda:0  fake device, ", "; a block of 256 steps in ",
                           "; in all about ", "device  cpu (about "}) {
    CHECK_SAYS(text, part);
  }
  CHECK_SAYS(explain_device(load(folder, kNetwork)), "; a batch (of ");
}

FOLDER_TEST_CASE("A network that is applied is tried as one that answers") {
  folder.write("x.csv", test::csv(test::rows(test::kRows), {0}, {"a"}));
  std::string text = kNetwork;
  text.replace(text.find("data:"), text.find("network:") - text.find("data:"),
               "data: {source: file, path: x.csv, window: 8}\n");
  Experiment experiment = load(folder, text, {"device=cpu"});
  train_network(experiment);
  for (const bool fast : {false, true}) {
    const FakeDevice fake(fast ? kFast : kSlow);
    const LogCapture log;
    const NetworkApplication made = apply_network(
        folder.path("r.h5"),
        {.data = folder.path("x.csv"), .output = folder.path("a.h5"), .device = "auto"},
        {.overwrite = true});
    const std::string device = fast ? "cuda:0" : "cpu";
    CHECK(hdf5::File::open(made.file).text_attribute("device") == device);
    CHECK(log.count(LogLevel::info, "device auto: " + device + " (about ") == 1);
  }
}

FOLDER_TEST_CASE(
    "Processes that train together take the CPU where a trial of one of them says so") {
  const FakeDevice fake(kFast);
  // On a busy machine the trial of this process may find the CPU faster by itself, and then says
  // nothing of another.
  int times_told = 0;
  for (int attempt = 0; attempt < 5 && times_told == 0; ++attempt) {
    const LogCapture log;
    Contrary communicator;
    Experiment experiment = load(folder, kNetwork, {"network.members=2"});
    const TrainingSummary summary =
        train_network(experiment, {.overwrite = true, .communicator = &communicator});
    CHECK(hdf5::File::open(summary.file).text_attribute("device") == "cpu");
    times_told = log.count(LogLevel::info, "device auto: cpu, since another process");
  }
  CHECK(times_told == 1);
}
