// SPDX-License-Identifier: MIT
// Streams of results whose rows are filtered and thinned out, and what changes in them.
#include <algorithm>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/learning/detection_readout.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "streamed.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::size_t kTrialRows = 60;                                      // rows that come
constexpr std::size_t kEveryRow = 3;                                        // of which one stays
constexpr std::size_t kSampleRows = 2;                                      // of those that stay
constexpr std::size_t kSamples = kTrialRows / kEveryRow - kSampleRows + 1;  // of a trial

/// An experiment over trials of 60 rows with gaps, of each of which every third stays.
std::string filtered_experiment(const std::string& dtype, const std::string& readouts = "") {
  return "experiment: filtered\nseed: 6\ndtype: " + dtype +
         "\ndata:\n"
         "  {source: file, path: train.csv, columns: [a, b, c], targets: [gain], labels: state,\n"
         "   trials: {length: 60}, missing: hold, window: 2, normalize: zscore, sample_rate: 30,\n"
         "   filter: {band: [0.5, 4], order: 2}, resample: {every: 3}}\n"
         "hierarchy:\n  levels:\n"
         "    - layers: [{type: hebbian, size: 4, rule: oja, learning_rate: 0.01}]\n" +
         kLevelByEquations +
         "              dw = 0.02*gain*y*x - 0.01*w\n"
         "            signals: {gain: gain}\n" +
         readouts;
}

/// Three trials with gaps, among them some before the first value of a trial, on rows that stay and
/// on others.
std::vector<StreamRow> rows_with_gaps() {
  std::vector<StreamRow> all = stream_rows(400, 3 * kTrialRows);
  for (const std::size_t row : {0U, 1U, 2U, 3U, 4U, 33U, 34U, 61U, 62U}) {
    all[row].values[1] = kMissing;
  }
  for (const std::size_t row : {60U, 120U, 121U, 122U, 123U, 124U, 125U, 126U, 127U, 128U, 150U}) {
    all[row].values[0] = kMissing;
  }
  return all;
}

/// Number of the row at which a sample is there, by its step.
std::size_t row_at(double step) {
  const auto sample = static_cast<std::size_t>(step);
  return sample / kSamples * kTrialRows + (sample % kSamples + kSampleRows - 1) * kEveryRow;
}

/// Values of the fields [first, first + width) at the rows of these steps.
std::vector<double> at_rows(const std::vector<double>& answers, std::size_t fields,
                            std::size_t first, std::size_t width,
                            const std::vector<double>& steps) {
  std::vector<double> found;
  for (const double step : steps) {
    const auto from = answers.begin() + static_cast<std::ptrdiff_t>(row_at(step) * fields + first);
    found.insert(found.end(), from, from + static_cast<std::ptrdiff_t>(width));
  }
  return found;
}

}  // namespace

TEST_CASE("rows that are filtered and thinned out are learnt in a stream as in a run") {
  for (const std::string dtype : {"float32", "float64"}) {
    INFO(dtype);
    const Streamed folder(filtered_experiment(dtype), 600);
    const std::vector<StreamRow> all = rows_with_gaps();
    folder.write("new.csv", csv_of(all));
    folder.run("again", begun(filtered_experiment(dtype)), "again.h5");
    StreamOptions options{.learn = true, .outputs = {"level 0", "level 1"}};
    LiveStream stream(folder.result(), options);
    constexpr std::size_t kFields = 6;
    REQUIRE(stream.fields().size() == kFields);
    const std::vector<double> answers = answers_to(stream, all);
    stream.keep();
    const Datasets run = datasets_of(folder.path("again.h5"));
    const Datasets kept = datasets_of(stream.state_path());
    std::size_t first = 0;
    for (const auto& [level, width] : {std::pair("0", 4U), std::pair("1", 2U)}) {
      INFO(level);
      const std::string path = std::string("/levels/") + level;
      const std::vector<double>& steps = run.at(path + "/step");
      REQUIRE(steps.size() >= 3 * (kSamples / 2));
      CHECK(same_bits(at_rows(answers, kFields, first, width, steps),
                      run.at(path + "/representation")));
      CHECK(same_bits(kept.at("/state/hierarchy" + path + "/layers/0/weights"),
                      run.at(path + "/layers/0/weights")));
      CHECK_FALSE(same_bits(run.at(path + "/layers/0/weights_initial"),
                            run.at(path + "/layers/0/weights")));
      first += width;
    }
    // Nothing before the window is full, and what is there is held where no sample is.
    for (std::size_t row = 0; row < all.size(); ++row) {
      const std::size_t in_trial = row % kTrialRows;
      for (std::size_t k = 0; k < kFields; ++k) {
        const double value = answers[row * kFields + k];
        REQUIRE(std::isnan(value) == (in_trial < (kSampleRows - 1) * kEveryRow));
        if (in_trial % kEveryRow == 0 || std::isnan(value)) continue;
        REQUIRE(value == answers[(row - in_trial % kEveryRow) * kFields + k]);
      }
    }
    // What is kept behind any row goes on to the same bits.
    options.state = folder.path("cut.h5");
    std::optional<LiveStream> again(std::in_place, folder.result(), options);
    std::vector<double> cut;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::vector<double> answer = again->push(all[i]).values;
      cut.insert(cut.end(), answer.begin(), answer.end());
      if (i % 7 != 3 && i % kTrialRows > 5) continue;
      again->keep();
      again.emplace(folder.result(), options);
    }
    CHECK(same_bits(cut, answers));
    again->keep();
    check_same_datasets(datasets_of(folder.path("cut.h5")), kept);
  }
}

TEST_CASE("readouts of rows that are filtered say in a stream what an application says") {
  const std::string readouts =
      "readouts:\n"
      "  - {name: wave, target: {channel: b, horizon: 2}, levels: [0, 1], split: 0.8,\n"
      "     features: [level, squares, input, bias]}\n"
      "  - {name: gains, target: {column: gain}, levels: [0], split: 0.8}\n"
      "  - {name: state, type: logistic, target: {label: true}, levels: [0], split: 0.8}\n";
  const Streamed folder(filtered_experiment("float64", readouts), 900);
  const std::vector<StreamRow> all = rows_with_gaps();
  const Datasets applied = folder.apply_to(all);
  LiveStream stream(folder.result());
  const std::vector<double> answers = answers_to(stream, all);
  for (const std::string name : {"wave", "gains", "state"}) {
    INFO(name);
    const std::vector<double>& steps = applied.at("/readouts/" + name + "/step");
    const std::vector<double>& said = applied.at("/readouts/" + name + "/prediction");
    REQUIRE(steps.size() > 40);
    const std::vector<double> here =
        at_rows(answers, stream.fields().size(), field_of(stream, name), 1, steps);
    REQUIRE(here.size() == said.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      CHECK(here[i] == Approx(said[i]).margin(1e-9));
    }
  }
}

TEST_CASE("a row that cannot be used leaves filters as they were") {
  const Streamed folder(filtered_experiment("float64"), 600);
  const std::vector<StreamRow> all = rows_with_gaps();
  LiveStream good(folder.result(), {.learn = true});
  LiveStream stream(folder.result(), {.learn = true});
  StreamRow bad = all[7];
  bad.values[2] = std::numeric_limits<double>::infinity();
  StreamRow unknown = all[7];
  unknown.targets = {};  // which a level learns from, at every other sample
  std::size_t refused = 0;
  for (std::size_t i = 0; i < 120; ++i) {
    CHECK_SAYS(complaint_of<DataError>([&] { stream.push(bad); }), "column c");
    const bool is_tick = i % kTrialRows % kEveryRow == 0 && i % kTrialRows / kEveryRow % 2 == 1;
    if (is_tick) {
      CHECK_SAYS(complaint_of([&] { stream.push(unknown); }), "no value in column 'gain'");
      ++refused;
    }
    const std::vector<double> expected = good.push(all[i]).values;
    CHECK(same_bits(stream.push(all[i]).values, expected));
  }
  CHECK(refused > 10);
}

TEST_CASE("truth that comes late is learnt for the rows that stay, and for no others") {
  const std::string readouts =
      "readouts:\n"
      "  - {name: gains, type: online, target: {column: gain}, levels: [0]}\n";
  const Streamed folder(filtered_experiment("float64", readouts), 600);
  const std::vector<StreamRow> all = rows_with_gaps();
  const auto with_signal = [&](std::size_t i) { return i % kTrialRows / kEveryRow % 2 == 1; };
  LiveStream in_time(folder.result(), {.learn = true});
  LiveStream late(folder.result(), {.learn = true});
  LiveStream frozen(folder.result());
  double moved = 0.0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double expected = in_time.push(all[i]).values[0];
    StreamRow row = all[i];
    if (!with_signal(i)) row.targets = {};  // others are read by a level at its ticks
    const double got = late.push(row).values[0];
    // The target of a row is learnt at the sample behind it, whenever it has come by then.
    CHECK(same_bits({got}, {expected}));
    const double still = frozen.push(all[i]).values[0];
    if (!std::isnan(got)) moved = std::max(moved, std::abs(got - still));
    if (i % kEveryRow != 2) continue;
    late.teach(static_cast<std::int64_t>(i) - 2, all[i - 2].targets);
    late.teach(static_cast<std::int64_t>(i) - 1, {1e6});  // of a row that no sample is of
  }
  CHECK(moved > 1e-3);
}

TEST_CASE("missing values that are kept stay missing behind a filter, in streams as in a run") {
  const auto yaml = [] {
    return std::string(
        "experiment: kept\nseed: 5\ndtype: float64\n"
        "data: {source: file, path: train.csv, columns: [a, b, c], targets: [gain],\n"
        "       trials: {length: 60}, missing: keep, normalize: zscore, sample_rate: 30,\n"
        "       filter: {low: 4, order: 2}, resample: {every: 3}}\n"
        "hierarchy:\n  levels:\n"
        "    - layers: [{type: kalman, model: velocity, adapt: R}]\n"
        "    - layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.01}]\n");
  };
  const Streamed folder(yaml(), 600);
  const std::vector<StreamRow> all = rows_with_gaps();
  folder.write("new.csv", csv_of(all));
  folder.run("again", begun(yaml()), "again.h5");
  LiveStream stream(folder.result(), {.learn = true, .outputs = {"level 0", "level 1"}});
  const std::vector<double> answers = answers_to(stream, all);
  const Datasets run = datasets_of(folder.path("again.h5"));
  const std::size_t fields = stream.fields().size();
  const std::vector<double>& filters = run.at("/levels/0/representation");
  const std::vector<double>& neurons = run.at("/levels/1/representation");
  const std::size_t samples = neurons.size() / 2;
  REQUIRE(samples == all.size() / kEveryRow);
  const std::size_t width = filters.size() / samples;
  for (std::size_t s = 0; s < samples; ++s) {
    const double* const at = answers.data() + s * kEveryRow * fields;
    for (std::size_t k = 0; k < width; ++k) CHECK(same_bits({at[k]}, {filters[s * width + k]}));
    for (std::size_t k = 0; k < 2; ++k) CHECK(same_bits({at[width + k]}, {neurons[2 * s + k]}));
  }
}

TEST_CASE("a readout of changes goes on in a stream as its detectors do") {
  const std::string readouts =
      "readouts:\n"
      "  - {name: sensors, type: change, of: input, method: page_hinkley, threshold: 12,\n"
      "     delta: 0.05}\n"
      "  - {name: answers, type: change, of: levels, levels: [0, 1], watch: mean, delta: 0.05,\n"
      "     clock: 4}\n"
      "  - {name: wave, target: {channel: b, horizon: 2}, levels: [0], split: 0.8}\n"
      "  - {name: misses, type: change, readout: wave}\n";
  const std::string data =
      "experiment: changes\nseed: 5\ndtype: float64\n"
      "data: {source: file, path: train.csv, columns: [a, b, c], targets: [gain], labels: state,\n"
      "       normalize: zscore}\n"
      "hierarchy:\n  levels:\n"
      "    - layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.001}]\n"
      "    - temporal_resolution: 3\n"
      "      layers: [{type: reactive, size: 2}]\n";
  const Streamed folder(data + readouts);
  std::vector<StreamRow> all = stream_rows(400, 400);
  for (std::size_t i = 150; i < all.size(); ++i) all[i].values[2] += 4.0;
  const Datasets trained = datasets_of(folder.result());
  const std::vector<double>& mean = trained.at("/data/mean");
  const std::vector<double>& scale = trained.at("/data/scale");
  DetectionOptions inputs{.watched = WatchedSeries::input, .method = ChangeMethod::page_hinkley};
  inputs.page_hinkley.threshold = 12.0;
  inputs.page_hinkley.delta = 0.05;
  DetectionOptions levels{.watched = WatchedSeries::levels, .as_mean = true};
  levels.adwin.delta = 0.05;
  levels.adwin.clock = 4;
  for (const bool learn : {false, true}) {
    INFO(learn);
    StreamOptions options{.learn = learn,
                          .outputs = {"sensors", "answers", "level 0", "level 1"},
                          .begin_anew = true};
    const auto sensors = inputs.make({.features = 3, .targets = 3});
    const auto answers = levels.make({.features = 4, .targets = 1});
    sensors->set_state(trained.at("/readouts/sensors/model"));
    answers->set_state(trained.at("/readouts/answers/model"));
    std::optional<LiveStream> stream(std::in_place, folder.result(), options);
    const std::vector<std::string> names = {"sensors", "sensors.0", "sensors.1", "sensors.2",
                                            "answers"};
    for (std::size_t k = 0; k < names.size(); ++k) CHECK(stream->fields()[k].name == names[k]);
    double told = 0.0;
    std::vector<double> said(1, 0.0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::vector<double> here = stream->push(all[i]).values;
      std::vector<double> scaled;
      for (std::size_t c = 0; c < 3; ++c) {
        scaled.push_back((all[i].values[c] - mean[c]) / scale[c]);
      }
      const std::vector<double> detected = sensors->predict(scaled);
      for (std::size_t c = 0; c < 3; ++c) CHECK(here[1 + c] == detected[c]);
      CHECK(here[0] == std::max({detected[0], detected[1], detected[2]}));
      told += detected[2];
      said = answers->predict(std::vector<double>(here.begin() + 5, here.end()));
      CHECK(here[4] == said[0]);
      if (i % 37 != 36) continue;
      stream->keep();
      options.begin_anew = false;
      stream.emplace(folder.result(), options);
    }
    CHECK(told > 0.0);
  }
  // The errors of another readout are known only later.
  CHECK_SAYS(
      complaint_of<ConfigError>([&] { LiveStream(folder.result(), {.outputs = {"misses"}}); }),
      "watches the errors of another, which a stream does not keep; gaia::PageHinkley and "
      "gaia::Adwin watch them in a program");
  LiveStream all_there(folder.result(), {.begin_anew = true});
  for (const StreamField& field : all_there.fields()) CHECK(field.name != "misses");
}
