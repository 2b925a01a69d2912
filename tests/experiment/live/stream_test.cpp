// SPDX-License-Identifier: MIT
#include "../../../src/experiment/live/stream.h"

#include <algorithm>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/learning/online_regression.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "streamed.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::string kData =
    "data:\n"
    "  {source: file, path: train.csv, columns: [a, b, c], targets: [gain], labels: state,\n"
    "   window: 2, normalize: zscore}\n";

/// Levels that learn by names, by equations that read a target and labels, and from above.
const std::string kLevels =
    "hierarchy:\n  levels:\n    - layers:\n"
    "        - {type: hebbian, size: 4, rule: oja, learning_rate: 0.01}\n" +
    kLevelByEquations +
    "              seen = seen + 1\n"
    "              dw = rate*(truth - y)*x*(1 + gain^2)/(1 + 0.001*seen)\n"
    "            parameters: {rate: 0.05}\n"
    "            signals: {truth: labels, gain: gain}\n"
    "    - temporal_resolution: 3\n      layers:\n"
    "        - {type: hebbian, size: 3, rule: bcm, learning_rate: 0.001, normalization: "
    "max_norm}\n";

std::string experiment_of(const std::string& dtype, const std::string& rest) {
  return "experiment: streamed\nseed: 4\ndtype: " + dtype + "\n" + rest;
}

const std::string kPlain =
    "hierarchy:\n  levels:\n"
    "    - layers: [{type: hebbian, size: 4, rule: oja, learning_rate: 0.01}]\n"
    "    - temporal_resolution: 3\n      pooling: mean\n"
    "      layers: [{type: hebbian, size: 3, rule: sanger, learning_rate: 0.002}]\n";

double worst(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

/// Values of the fields [first, first + width) at the rows of these steps, of samples of `window`.
std::vector<double> at_steps(const std::vector<double>& answers, std::size_t fields,
                             std::size_t first, std::size_t width, const std::vector<double>& steps,
                             std::size_t window) {
  std::vector<double> found;
  for (const double step : steps) {
    const std::size_t row = static_cast<std::size_t>(step) + window - 1;
    const auto from = answers.begin() + static_cast<std::ptrdiff_t>(row * fields + first);
    found.insert(found.end(), from, from + static_cast<std::ptrdiff_t>(width));
  }
  return found;
}

}  // namespace

TEST_CASE("a stream that learns has the bytes of a run that begins with the result, tick by tick") {
  for (const std::string dtype : {"float32", "float64"}) {
    INFO(dtype);
    const Streamed folder(experiment_of(dtype, kData + kLevels));
    const std::vector<StreamRow> all = stream_rows(400, 150);
    folder.write("new.csv", csv_of(all));
    std::string yaml = experiment_of(dtype, kData + kLevels);
    yaml.replace(yaml.find("train.csv"), 9, "new.csv");
    yaml.replace(yaml.find("zscore"), 6, "stored");
    yaml.replace(yaml.find("  levels:"), 9, "  from: r.h5\n  executor: stepwise\n  levels:");
    folder.run("again", yaml, "again.h5");
    LiveStream stream(folder.result(),
                      {.learn = true, .outputs = {"level 0", "level 1", "level 2"}});
    CHECK(stream.columns() == std::vector<std::string>{"a", "b", "c"});
    CHECK(stream.targets() == std::vector<std::string>{"gain"});
    CHECK(stream.label() == "state");
    REQUIRE(stream.fields().size() == 9);
    CHECK(stream.fields()[4].name == "level 1.0");
    const std::vector<double> answers = answers_to(stream, all);
    stream.keep();
    const Datasets run = datasets_of(folder.path("again.h5"));
    const Datasets kept = datasets_of(stream.state_path());
    std::size_t first = 0;
    for (const auto& [level, width] :
         {std::pair("0", 4U), std::pair("1", 2U), std::pair("2", 3U)}) {
      INFO(level);
      const std::string path = std::string("/levels/") + level;
      const std::vector<double>& steps = run.at(path + "/step");
      REQUIRE(steps.size() > 40);
      CHECK(same_bits(at_steps(answers, 9, first, width, steps, 2),
                      run.at(path + "/representation")));
      CHECK(same_bits(kept.at("/state/hierarchy" + path + "/layers/0/weights"),
                      run.at(path + "/layers/0/weights")));
      CHECK_FALSE(same_bits(run.at(path + "/layers/0/weights_initial"),
                            run.at(path + "/layers/0/weights")));
      first += width;
    }
    CHECK(same_bits(kept.at("/state/hierarchy/levels/2/layers/0/theta"),
                    run.at("/levels/2/layers/0/theta")));
    // Nothing before the window is full; held between ticks.
    CHECK(std::isnan(answers[0]));
    CHECK(answers[9 + 4] == answers[18 + 4]);
  }
}

TEST_CASE("a stream that does not learn answers as an application does, and changes nothing") {
  const std::string readouts =
      "readouts:\n"
      "  - {name: wave, target: {channel: b, horizon: 5}, levels: [0, 1], split: 0.8}\n"
      "  - {name: change, target: {channel: [a, b], horizon: 2, change: true, mean_over: 3},\n"
      "     levels: [0], split: 0.8}\n"
      "  - {name: gains, target: {column: gain}, levels: [1], split: 0.8}\n"
      "  - {name: state, type: logistic, target: {label: true}, levels: [0, 1], split: 0.8}\n"
      "  - {name: named, type: naming, target: {label: true}, levels: [1], split: 0.8}\n"
      "  - {name: folded, target: {channel: b, horizon: 5}, levels: [1], folds: 4}\n"
      "  - {name: other, target: {channel: b, horizon: 5}, levels: [1], split: 0.8}\n"
      "  - {name: wide, target: {channel: b, horizon: 5}, levels: [0, 1], split: 0.8,\n"
      "     features: [level, input, squares, bias]}\n"
      "  - {name: fused, type: consensus, of: [wave, other]}\n";
  std::string levels = kPlain;
  levels.replace(levels.find("{type: hebbian, size: 4"), 23,
                 "{type: temporal, size: 4}, {type: hebbian, size: 4");
  const Streamed folder(experiment_of("float64", kData + levels + readouts));
  const std::vector<StreamRow> all = stream_rows(400, 120);
  folder.write("new.csv", csv_of(all));
  Experiment application = application_of(
      folder.result(), {.data = folder.path("new.csv"), .output = folder.path("applied.h5")});
  run_hierarchy(application);
  const Datasets applied = datasets_of(folder.path("applied.h5"));
  LiveStream stream(folder.result());
  const std::vector<double> answers = answers_to(stream, all);
  const std::size_t fields = stream.fields().size();
  const auto compare = [&](const std::string& field, std::size_t width, const std::string& series) {
    INFO(field);
    const std::string path = "/readouts/" + series.substr(0, series.find('/'));
    const std::vector<double>& steps = applied.at(path + "/step");
    REQUIRE(steps.size() >= 30);
    CHECK(worst(at_steps(answers, fields, field_of(stream, field), width, steps, 2),
                applied.at("/readouts/" + series)) < 1e-9);
  };
  compare("wave", 1, "wave/prediction");
  compare("change.a", 2, "change/prediction");
  compare("gains", 1, "gains/prediction");
  compare("state", 1, "state/prediction");
  const std::size_t state = field_of(stream, "state");
  CHECK(stream.fields()[state].classes.size() == 2);
  compare(stream.fields()[state + 1].name, 2, "state/probability");
  compare("named", 1, "named/prediction");
  compare("folded", 1, "folded/prediction");
  compare("wide", 1, "wide/prediction");
  compare("fused", 1, "fused/prediction");
  compare("fused.outlier.wave", 2, "fused/outlier");
  compare("fused.variance", 1, "fused/variance");
  stream.keep();
  const Datasets kept = datasets_of(stream.state_path());
  CHECK(same_bits(kept.at("/state/hierarchy/levels/0/layers/1/weights"),
                  datasets_of(folder.result()).at("/levels/0/layers/1/weights")));
}

namespace {

const std::string kOnline =
    "readouts:\n"
    "  - {name: live, type: online, target: {channel: [a, b], horizon: 3, mean_over: 2},\n"
    "     levels: [0, 1], skip: 0.1}\n"
    "  - {name: gains, type: online, method: nlms, target: {column: gain, horizon: 2, change: "
    "true},\n"
    "     levels: [0]}\n"
    "  - {name: alarm, type: anomaly, score: reconstruction, levels: [0, 1], train: 0.5}\n"
    "  - {name: far, type: anomaly, score: mahalanobis, levels: [0], train: 0.5}\n"
    "  - {name: next, type: anomaly, score: forecast, levels: [0], train: 0.5}\n";

}  // namespace

TEST_CASE("a readout that learns online goes on in a stream as a plain loop does") {
  const Streamed folder(experiment_of("float64", kData + kPlain + kOnline));
  const std::vector<StreamRow> all = stream_rows(400, 140);
  for (const bool learn : {true, false}) {
    INFO(learn);
    LiveStream stream(folder.result(), {.learn = learn, .outputs = {"live", "level 0", "level 1"}});
    const std::vector<double> answers = answers_to(stream, all);
    const std::size_t fields = 2 + 4 + 3;
    const Datasets trained = datasets_of(folder.result());
    OnlineRegression model(7, 2, {});
    const std::vector<double>& state = trained.at("/readouts/live/model");
    model.set_state(std::span(state).subspan(2));
    const std::vector<double>& mean = trained.at("/data/mean");
    const std::vector<double>& scale = trained.at("/data/scale");
    const auto scaled = [&](std::size_t row, std::size_t c) {
      return (all[row].values[c] - mean[c]) / scale[c];
    };
    std::vector<std::vector<double>> read(all.size());
    for (std::size_t row = 1; row < all.size(); ++row) {  // whose window is full
      const auto at = answers.begin() + static_cast<std::ptrdiff_t>(row * fields);
      read[row].assign(at + 2, at + 9);
      if (learn && row >= 1 + 3) {
        std::vector<double> target;
        for (const std::size_t c : {0U, 1U}) {
          target.push_back((scaled(row - 1, c) + scaled(row, c)) / 2.0);
        }
        model.learn(read[row - 3], target);
      }
      const std::vector<double> expected = model.predict(read[row]);
      CHECK(std::abs(at[0] - expected[0]) < 1e-10);
      CHECK(std::abs(at[1] - expected[1]) < 1e-10);
    }
  }
}

TEST_CASE("anomalies of a stream are scored by what the run found usual") {
  const Streamed folder(experiment_of("float64", kData + kPlain + kOnline));
  std::vector<StreamRow> all = stream_rows(400, 120);
  for (std::size_t c = 0; c < 3; ++c) all[80].values[c] += 100.0;
  LiveStream stream(folder.result(), {.outputs = {"alarm", "far", "next"}});
  REQUIRE(stream.fields().size() == 3);
  const std::vector<double> answers = answers_to(stream, all);
  for (std::size_t k = 0; k < 3; ++k) {
    INFO(k);
    double usual = 0.0;
    for (std::size_t row = 2; row < 80; ++row) {
      usual = std::max(usual, std::abs(answers[3 * row + k]));
    }
    CHECK(usual < 15.0);
    CHECK(answers[3 * 80 + k] > 10.0 * usual);
  }
}

namespace {

StreamOptions learning_options() { return {.learn = true, .moments = StreamMoments::running}; }

/// Pushes row `i` of a story with trials and late targets.
std::vector<double> tell(LiveStream& stream, const std::vector<StreamRow>& all, std::size_t i) {
  if (i == 37 || i == 90) stream.begin_trial();
  StreamRow row = all[i];
  const bool is_late = i % 5 == 2;
  if (is_late) row.targets = {};
  std::vector<double> answer = stream.push(row).values;
  if (i >= 4 && (i - 4) % 5 == 2) {
    stream.teach(static_cast<std::int64_t>(i) - 4, all[i - 4].targets);
  }
  return answer;
}

}  // namespace

TEST_CASE("bits do not depend on where a stream was cut and opened again") {
  const Streamed folder(experiment_of("float32", kData + kPlain + kOnline));
  const std::vector<StreamRow> all = stream_rows(400, 130);
  std::vector<double> whole;
  StreamOptions options = learning_options();
  options.state = folder.path("whole.h5");
  LiveStream uncut(folder.result(), options);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<double> answer = tell(uncut, all, i);
    whole.insert(whole.end(), answer.begin(), answer.end());
  }
  uncut.keep();
  options.state = folder.path("cut.h5");
  std::vector<double> cut;
  std::optional<LiveStream> stream(std::in_place, folder.result(), options);
  std::size_t cuts = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_cut = i % 13 == 5 || i == 1 || i == 36 || i == 37 || i == 38 || i == 89 ||
                        i == 90 || i == 91 || i == 3 || i == 4 || i == 129;
    if (is_cut) {
      stream->keep();
      if (i > 0) stream->push(all[0]);
      stream.emplace(folder.result(), options);  // what came after the state is gone
      if (i == 90) {
        stream->keep();  // as it was opened
        stream.emplace(folder.result(), options);
      }
      CHECK(stream->step() == static_cast<std::int64_t>(i));
      ++cuts;
    }
    const std::vector<double> answer = tell(*stream, all, i);
    cut.insert(cut.end(), answer.begin(), answer.end());
  }
  CHECK(cuts >= 20);
  CHECK(same_bits(cut, whole));
  stream->keep();
  check_same_datasets(datasets_of(folder.path("whole.h5")), datasets_of(folder.path("cut.h5")));
}

TEST_CASE("a row that cannot be used changes nothing") {
  const Streamed folder(experiment_of("float32", kData + kLevels + kOnline));
  const std::vector<StreamRow> all = stream_rows(400, 60);
  StreamOptions options = learning_options();
  options.state = folder.path("good.h5");
  LiveStream good(folder.result(), options);
  options.state = folder.path("bad.h5");
  LiveStream stream(folder.result(), options);
  const auto changed = [&](const auto& change) {
    StreamRow row = all[7];
    change(row);
    return row;
  };
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<StreamRow, std::string>> bad = {
      {changed([](StreamRow& row) { row.values[1] = kMissing; }), "column b: the value is missing"},
      {changed([&](StreamRow& row) { row.values[2] = infinite; }), "column c: expected a finite"},
      {changed([](StreamRow& row) { row.values[0] = 1e300; }),
       "column a: the value 1e+300 is too large"},
      {changed([](StreamRow& row) { row.values.pop_back(); }),
       "expected 3 values (a, b, c), got 2"},
      {changed([](StreamRow& row) { row.targets.push_back(1.0); }), "expected 1 targets (gain)"},
      {changed([&](StreamRow& row) { row.targets[0] = infinite; }),
       "column gain: expected a finite"},
      {changed([](StreamRow& row) { row.label = "upp"; }), "did you mean 'up'?"},
      {changed([](StreamRow& row) { row.targets[0] = kMissing; }), "no value in column 'gain'"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [row, told] = bad[i % bad.size()];
    // The level that reads gain ticks at every other step, from the second row on.
    const bool is_read = i % bad.size() != 7 || i % 2 == 1;
    if (is_read) CHECK_SAYS(complaint_of([&] { stream.push(row); }), told);
    const std::vector<double> expected = good.push(all[i]).values;
    CHECK(same_bits(stream.push(all[i]).values, expected));
  }
  good.keep();
  stream.keep();
  check_same_datasets(datasets_of(folder.path("good.h5")), datasets_of(folder.path("bad.h5")));
}

TEST_CASE("targets that do not come are waited for over so many rows") {
  const Streamed folder(experiment_of("float64", kData + kPlain + kOnline));
  const std::vector<StreamRow> all = stream_rows(400, 80);
  LiveStream stream(folder.result(), {.learn = true, .outputs = {"gains"}, .late = 10});
  LiveStream without(folder.result(), {.learn = true, .outputs = {"gains"}, .late = 10});
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(std::isfinite(stream.push(all[i]).values[0]) == (i > 0));
    StreamRow row = all[i];
    row.targets = {};
    // The change from now needs what there is now.
    CHECK(std::isnan(without.push(row).values[0]));
  }
  const auto complaint = [&](std::int64_t step, const std::vector<double>& targets) {
    return complaint_of([&] { stream.teach(step, targets); });
  };
  CHECK(complaint(70, {1.0}).empty());
  CHECK_SAYS(complaint(80, {1.0}), "step 80 has not come yet: the next row is 80");
  CHECK_SAYS(complaint(-1, {1.0}), "step -1 has not come");
  CHECK_SAYS(complaint(60, {1.0}), "step 60 is 20 rows back, and targets are waited for over 10");
  CHECK_SAYS(complaint(79, {1.0, 2.0}), "expected 1 targets");
}

TEST_CASE("targets taught before the tick that learns them make no difference") {
  const std::string readouts =
      "readouts:\n"
      "  - {name: gains, type: online, target: {column: gain, horizon: 1}, levels: [0]}\n";
  const Streamed folder(experiment_of("float64", kData + kPlain + readouts));
  const std::vector<StreamRow> all = stream_rows(400, 80);
  const StreamOptions options{.learn = true, .late = 10};
  LiveStream in_time(folder.result(), options);
  LiveStream late(folder.result(), options);
  LiveStream later(folder.result(), options);
  LiveStream frozen(folder.result());
  std::vector<double> expected;
  std::vector<double> got;
  std::vector<double> behind;
  std::vector<double> still;
  for (std::size_t i = 0; i < all.size(); ++i) {
    StreamRow row = all[i];
    still.push_back(frozen.push(row).values[0]);
    expected.push_back(in_time.push(row).values[0]);
    row.targets = {};
    // The tick of row i - 1 is learnt at the tick of row i from the target of row i.
    got.push_back(late.push(row).values[0]);
    behind.push_back(later.push(row).values[0]);
    late.teach(static_cast<std::int64_t>(i), all[i].targets);
    if (i >= 6) later.teach(static_cast<std::int64_t>(i) - 6, all[i - 6].targets);
  }
  // What was taught behind a row is learnt one tick later.
  for (std::size_t i = 10; i < all.size(); ++i) {
    CHECK(got[i] != expected[i]);
    CHECK(std::isfinite(behind[i]));
    CHECK(behind[i] != still[i]);
  }
  for (LiveStream* const one : {&in_time, &late, &later}) {
    for (std::int64_t step = 74; step < 80; ++step) {
      one->teach(step, all[static_cast<std::size_t>(step)].targets);
    }
  }
  const StreamRow last = stream_rows(480, 1).front();
  const double in = in_time.push(last).values[0];
  CHECK(late.push(last).values[0] == Approx(in).margin(1e-12));
  CHECK(later.push(last).values[0] == Approx(in).margin(1e-12));
}

TEST_CASE("a trial begins as a stream does where nothing learns") {
  const Streamed folder(experiment_of("float64", kData + kPlain + kOnline));
  const std::vector<StreamRow> all = stream_rows(400, 40);
  LiveStream fresh(folder.result());
  const std::vector<double> expected = answers_to(fresh, all);
  LiveStream stream(folder.result());
  answers_to(stream, stream_rows(600, 33));
  stream.begin_trial();
  stream.begin_trial();
  CHECK(same_bits(answers_to(stream, all), expected));
  CHECK(stream.step() == 73);
}

TEST_CASE("trials of a length that the result names begin by themselves") {
  std::string data = kData;
  data.insert(data.find("window"), "trials: {length: 25}, ");
  const Streamed folder(experiment_of("float64", data + kPlain));
  LiveStream stream(folder.result());
  LiveStream told(folder.result());
  const std::vector<StreamRow> all = stream_rows(400, 80);
  CHECK(stream.trials().empty());
  std::vector<double> expected;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % 25 == 0) told.begin_trial();
    const std::vector<double> answer = told.push(all[i]).values;
    expected.insert(expected.end(), answer.begin(), answer.end());
  }
  const std::vector<double> answers = answers_to(stream, all);
  CHECK(same_bits(answers, expected));
  CHECK(std::isnan(answers[25 * 3]));  // the window is empty again
  CHECK(std::isfinite(answers[24 * 3]));
}

TEST_CASE("another name than that of the trial that goes on begins one") {
  const Streamed folder(experiment_of("float64", kData + kPlain));
  const std::vector<StreamRow> all = stream_rows(400, 30);
  LiveStream named(folder.result());
  LiveStream told(folder.result());
  const std::vector<std::string> names = {"", "first", "first", "second", "first"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = names[i / 7];
    StreamRow row = all[i];
    if (!name.empty() && i % 7 != 3) row.trial = name;  // where it is not given, the trial goes on
    if (i == 21 || i == 28) told.begin_trial();
    const std::vector<double> expected = told.push(all[i]).values;
    CHECK(same_bits(named.push(row).values, expected));
    CHECK(named.trial() == name);
  }
}

TEST_CASE("a row that cannot be used does not begin the trial that it names") {
  std::string data = kData;
  data.replace(data.find("window: 2"), 9, "window: 3, missing: hold");
  const std::string reservoir =
      "    - temporal_resolution: 2\n"
      "      layers: [{type: temporal, size: 5, leak: 0.3}]\n";
  for (const std::string dtype : {"float32", "float64"}) {
    const Streamed folder(experiment_of(dtype, data + kLevels + reservoir + kOnline));
    const std::vector<StreamRow> all = stream_rows(400, 90);
    StreamOptions options = learning_options();
    options.state = folder.path("good.h5");
    LiveStream good(folder.result(), options);
    options.state = folder.path("bad.h5");
    LiveStream stream(folder.result(), options);
    std::size_t begun = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      StreamRow row = all[i];
      row.trial = "trial " + std::to_string(i / 20);
      for (const int fault : {0, 1, 2}) {
        StreamRow bad = row;
        bad.trial = "no trial";
        if (fault == 0) bad.values[1] = std::numeric_limits<double>::infinity();
        if (fault == 1) bad.values[1] = 1e300;  // seen when it is put into the sample, or before
        if (fault == 2) bad.label = "upp";
        CHECK_FALSE(complaint_of([&] { stream.push(bad); }).empty());
        CHECK(stream.trial() == good.trial());
      }
      begun += i > 0 && stream.trial() != *row.trial ? 1 : 0;
      const std::vector<double> expected = good.push(row).values;
      CHECK(same_bits(stream.push(row).values, expected));
    }
    CHECK(begun == 4);
    good.keep();
    stream.keep();
    check_same_datasets(datasets_of(folder.path("good.h5")), datasets_of(folder.path("bad.h5")));
  }
}

TEST_CASE("targets are waited for over so many rows however short trials are") {
  // The level ticks at every fifth row, and once in each trial of two.
  const std::string slow =
      "hierarchy:\n  levels:\n    - temporal_resolution: 5\n"
      "      layers: [{type: reactive, size: 4}]\n"
      "readouts:\n"
      "  - {name: gains, type: online, target: {column: gain}, levels: [0]}\n";
  std::string data = kData;
  data.replace(data.find("window: 2"), 9, "window: 1");
  const Streamed folder(experiment_of("float64", data + slow));
  const std::vector<StreamRow> all = stream_rows(400, 60);
  const StreamOptions options = {.learn = true, .late = 50};
  LiveStream at_once(folder.result(), options);
  LiveStream late(folder.result(), options);
  for (std::size_t i = 0; i < 48; ++i) {
    if (i % 2 == 0) {
      at_once.begin_trial();
      late.begin_trial();
    }
    at_once.push(all[i]);
    StreamRow row = all[i];
    row.targets = {};
    late.push(row);
  }
  for (std::size_t i = 0; i < 48; ++i) late.teach(static_cast<std::int64_t>(i), all[i].targets);
  at_once.begin_trial();
  late.begin_trial();
  const double expected = at_once.push(all[48]).values[0];
  CHECK(late.push(all[48]).values[0] == Approx(expected).margin(1e-12));
}

TEST_CASE("running moments are those of a plain loop over all values") {
  for (const std::string normalize : {"zscore", "minmax"}) {
    INFO(normalize);
    const Streamed folder(experiment_of(
        "float64",
        "data: {source: file, path: train.csv, columns: [a, b, c], missing: hold, normalize: " +
            normalize +
            "}\nhierarchy:\n  levels:\n"
            "    - layers: [{type: hebbian, size: 3, rule: oja, learning_rate: 0}]\n"));
    const Datasets trained = datasets_of(folder.result());
    const std::vector<double>& weights = trained.at("/levels/0/layers/0/weights");
    std::vector<StreamRow> all = stream_rows(400, 300);
    for (StreamRow& row : all) row.values[0] = 3.0 * row.values[0] + 40.0;
    all[17].values[1] = kMissing;
    for (StreamRow& row : all) row.targets = {};
    LiveStream stream(folder.result(), learning_options());
    std::vector<std::vector<double>> seen(3);
    for (const StreamRow& row : stream_rows(0, 400)) {
      for (std::size_t c = 0; c < 3; ++c) seen[c].push_back(row.values[c]);
    }
    std::vector<double> last(3);
    for (StreamRow& row : all) {
      row.label = {};
      const std::vector<double> answer = stream.push(row).values;
      std::vector<double> scaled(3);
      for (std::size_t c = 0; c < 3; ++c) {
        if (!std::isnan(row.values[c])) seen[c].push_back(last[c] = row.values[c]);
        double mean = 0.0;
        for (const double x : seen[c]) mean += x / static_cast<double>(seen[c].size());
        double variance = 0.0;
        for (const double x : seen[c]) {
          variance += (x - mean) * (x - mean) / static_cast<double>(seen[c].size());
        }
        const auto [least, most] = std::minmax_element(seen[c].begin(), seen[c].end());
        scaled[c] = normalize == "zscore" ? (last[c] - mean) / std::sqrt(variance)
                                          : (last[c] - *least) / (*most - *least);
      }
      for (std::size_t n = 0; n < 3; ++n) {
        double y = 0.0;
        for (std::size_t c = 0; c < 3; ++c) y += weights[3 * n + c] * scaled[c];
        CHECK(answer[n] == Approx(y).margin(1e-10));
      }
    }
  }
}

TEST_CASE("missing values are what the result says") {
  const auto yaml = [](const std::string& missing) {
    return experiment_of(
        "float64", "data: {source: file, path: train.csv, columns: [a, b, c], missing: " + missing +
                       ", normalize: zscore}\n" + kPlain);
  };
  std::vector<StreamRow> all = stream_rows(400, 60);
  for (const std::size_t row : {0U, 1U, 20U, 21U, 50U}) all[row].values[row % 3] = kMissing;
  const Streamed held(yaml("hold"));
  held.write("new.csv", csv_of(all));
  Experiment application = application_of(
      held.result(), {.data = held.path("new.csv"), .output = held.path("applied.h5")});
  run_hierarchy(application);
  for (StreamRow& row : all) row.targets = {};
  LiveStream stream(held.result(), {.outputs = {"level 0"}});
  CHECK(worst(answers_to(stream, all),
              datasets_of(held.path("applied.h5")).at("/levels/0/representation")) < 1e-12);
  const Streamed ahead(yaml("interpolate"));
  LiveStream strict(ahead.result());
  CHECK_SAYS(complaint_of<DataError>([&] { strict.push(all[0]); }),
             "interpolate, which looks ahead");
  CHECK(std::isfinite(strict.push(all[5]).values[0]));
}

TEST_CASE("what no stream can be made of is an error that says why") {
  const std::string readouts =
      "readouts:\n"
      "  - {name: wave, target: {channel: b, horizon: 5}, levels: [0], split: 0.8}\n"
      "  - {name: pairs, type: matching, target: {channel: [a, b]}, levels: [0], split: 0.5}\n";
  const Streamed folder(experiment_of("float64", kData + kPlain + readouts));
  const auto complaint = [&](const StreamOptions& options) {
    return complaint_of<ConfigError>([&] { LiveStream(folder.result(), options); });
  };
  CHECK_SAYS(complaint({.outputs = {"wavy"}}), "did you mean 'wave'?");
  CHECK_SAYS(complaint({.outputs = {"level 2"}}), "level 0, level 1");
  CHECK_SAYS(complaint({.outputs = {"pairs"}}), "is of type matching");
  CHECK_SAYS(complaint({.outputs = {"wave", "wave"}}), "stands there twice");
  CHECK_SAYS(complaint({.moments = StreamMoments::running}), "nothing changes without learn");
  CHECK_SAYS(complaint({.keep_every = -1}), "at least 0 rows");
  CHECK_SAYS(complaint({.late = -1}), "expected 0 to 100000000 rows");
  CHECK_SAYS(complaint({.late = std::numeric_limits<std::int64_t>::max()}),
             "expected 0 to 100000000 rows");
  CHECK(LiveStream(folder.result()).fields().size() == 1);
  CHECK_SAYS(complaint_of<ConfigError>([&] { LiveStream(folder.path("none.h5")); }),
             "no such file");
  CHECK_SAYS(complaint_of<DataError>([&] { LiveStream(folder.path("train.csv")); }), "train.csv");
}

TEST_CASE("levels that had stopped to learn do not learn in a stream, which says so once") {
  std::string levels = kPlain;
  levels.insert(levels.find("  levels:"), "  freeze_after: 200\n");
  const Streamed folder(experiment_of("float64", kData + levels));
  LiveStream stream(folder.result(), {.learn = true});
  const std::vector<StreamRow> all = stream_rows(400, 20);
  REQUIRE(stream.push(all[0]).warnings.size() == 1);
  CHECK(stream.push(all[1]).warnings.empty());
  answers_to(stream, all);
  stream.keep();
  CHECK(same_bits(datasets_of(stream.state_path()).at("/state/hierarchy/levels/0/layers/0/weights"),
                  datasets_of(folder.result()).at("/levels/0/layers/0/weights")));
}
