// SPDX-License-Identifier: MIT
#include <random>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/datasets.h"
#include "../../support/experiment_text.h"
#include "../../support/log_capture.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::string kRest =
    "dtype: float64\n"
    "hierarchy:\n  levels:\n    - layers: [{type: hebbian, size: 2, rule: oja, learning_rate: "
    "0.01}]\n"
    "readouts:\n  - {name: word, type: logistic, target: {label: true}, levels: [0], split: 0.6}\n";

/// Events of some trials with channels 0 to 4, and the table of how many fall into bins of 0.5.
struct Events {
  std::string list = "time,channel,trial,word\n";
  std::string table = "time,c0,c1,c2,c3,c4,trial,word\n";

  explicit Events(unsigned seed, int trials) {
    std::mt19937 random(seed);
    for (int trial = 0; trial < trials; ++trial) {
      const std::string ending = text_of(trial) + (trial % 2 == 0 ? ",even\n" : ",odd\n");
      int counts[12][5] = {};
      for (int i = 0; i < 40; ++i) {
        const int channel = static_cast<int>(random() % (trial % 2 == 0 ? 5 : 3));
        const int tick = i == 0 ? 119 : static_cast<int>(random() % 120);  // of 0.05
        ++counts[tick / 10][channel];
        list += text_of(0.05 * tick + 0.01) + "," + text_of(channel) + "," + ending;
      }
      for (int bin = 0; bin < 12; ++bin) {
        table += text_of(0.5 * bin);
        for (const int count : counts[bin]) table += "," + text_of(count);
        table += "," + ending;
      }
    }
  }

  template <class T>
  static std::string text_of(T value) {
    return std::to_string(value);
  }
};

Experiment load_spikes(const TempDir& folder, const std::string& data, const std::string& output) {
  return load_text(folder, "experiment: spikes\n" + data + kRest, {"device=cpu"}, output);
}

constexpr const char* kEvents =
    "data: {source: events, path: list.csv, dt: 0.5, trial: trial, labels: word, normalize: "
    "zscore}\n";

FOLDER_TEST_CASE("a run over events is that over the table of their counts") {
  const Events events(1, 30);
  folder.write("list.csv", events.list);
  folder.write("table.csv", events.table);
  Experiment listed = load_spikes(folder, kEvents, "listed.h5");
  CHECK(listed.series->channel_names() == std::vector<std::string>{"0", "1", "2", "3", "4"});
  run_hierarchy(listed);
  Experiment counted =
      load_spikes(folder,
                  "data: {source: file, path: table.csv, time: time, labels: word, "
                  "trials: {column: trial}, normalize: zscore}\n",
                  "counted.h5");
  run_hierarchy(counted);
  const Datasets a = datasets_of(folder.path("listed.h5")),
                 b = datasets_of(folder.path("counted.h5"));
  for (const char* name : {"/levels/0/representation", "/levels/0/layers/0/weights",
                           "/data/trial_start", "/readouts/word/prediction", "/levels/0/time"}) {
    INFO(name);
    REQUIRE(a.contains(name));
    REQUIRE(b.contains(name));
    CHECK(same_bits(a.at(name), b.at(name)));
  }
}

FOLDER_TEST_CASE("channels of events can be targets, as the spikes of the neurons are") {
  // Trial 0: input, then neuron; trial 1: neuron, then input.
  folder.write("list.csv",
               "time,channel,trial\n0.2,in,0\n2.1,first,0\n0.3,second,1\n1.4,in,1\n3.2,first,1\n");
  const auto load_driven = [&](const std::string& data) {
    return load_text(
        folder,
        "experiment: driven\ndtype: float64\ndata: {source: events, path: list.csv, dt: "
        "1, trial: trial, " +
            data +
            "}\n"
            "hierarchy:\n  levels:\n    - layers:\n"
            "        - {type: hebbian, size: 2, neuron: driven, rule: hebbian, "
            "learning_rate: 1, init: identity, signals: {spike: [first, second]}}\n",
        {"device=cpu"});
  };
  for (const char* const data :
       {"targets: [first, second]", "columns: [in], targets: [first, second]"}) {
    Experiment experiment = load_driven(data);
    CHECK(experiment.series->channel_names() == std::vector<std::string>{"in"});
    run_hierarchy(experiment, {.overwrite = true});
    const auto answers = datasets_of(folder.path("r.h5")).at("/levels/0/representation");
    CHECK(answers == std::vector<double>{0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0});
  }
  CHECK_SAYS(complaint_of([&] { load_driven("targets: [first, third]"); }), "data.targets");
  CHECK_SAYS(complaint_of([&] { load_driven("targets: [in, first, second]"); }),
             "expected a channel for the levels");
}

FOLDER_TEST_CASE("what was learnt of events is applied to another list in the same bins") {
  folder.write("list.csv", Events(1, 30).list);
  Experiment trained = load_spikes(folder, kEvents, "r.h5");
  run_hierarchy(trained);
  // Channel 4 has no event here, and one is new.
  const std::string other =
      folder.write("new.csv", "time,channel,trial\n0.2,1,a\n3.0,7,a\n1.4,0,a\n");
  const test::LogCapture log;
  Experiment experiment =
      application_of(folder.path("r.h5"), {.data = other, .output = folder.path("new.h5")});
  CHECK(experiment.series->channel_names() == trained.series->channel_names());
  CHECK(experiment.steps == 3);
  run_hierarchy(experiment);
  CHECK(datasets_of(folder.path("new.h5")).at("/levels/0/representation").size() == 3 * 2);
  CHECK_SAYS(
      complaint_of([&] { application_of(folder.path("r.h5"), {.data = other, .columns = {"0"}}); }),
      "have no --columns");
}

FOLDER_TEST_CASE("keys of events are refused with what is wrong with them") {
  folder.write("list.csv", Events(1, 4).list);
  const auto complaint = [&](const std::string& keys) {
    return complaint_of(
        [&] { load_spikes(folder, "data: {source: events, " + keys + "}\n", "r.h5"); });
  };
  CHECK_SAYS(complaint("path: list.csv"), "data.dt: missing");
  CHECK_SAYS(complaint("path: none.csv, dt: 1"), "data.path");
  CHECK_SAYS(complaint("path: list.csv, dt: 0"), "data.dt");
  CHECK_SAYS(complaint("path: list.csv, dt: 1, channel: neuron"), "data.channel");
  CHECK_SAYS(complaint("path: list.csv, dt: 1, channel: word, channels: 3"), "data.channels");
  CHECK_SAYS(complaint("path: list.csv, dt: 1, end: -1"), "data.end");
  CHECK_SAYS(complaint("path: list.csv, dt: 1, trial: run"), "data.trial");
}

FOLDER_TEST_CASE("a run tells how many events it does not count") {
  folder.write("list.csv", Events(1, 4).list);
  const Experiment experiment = load_spikes(
      folder,
      "data: {source: events, path: list.csv, dt: 0.5, trial: trial, labels: word, end: 3}\n",
      "r.h5");
  REQUIRE(experiment.warnings.size() >= 1);
  CHECK_SAYS(experiment.warnings.front(), "of 160 events are not counted");
}

}  // namespace
