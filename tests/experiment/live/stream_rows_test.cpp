// SPDX-License-Identifier: MIT
// Rows of a stream that lack something: a target that comes late or never, a value, or sense.
#include <cmath>
#include <limits>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "stream_experiments.h"

using namespace gaia;
using namespace gaia::test;

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

TEST_CASE("missing values are what the result says") {
  const auto yaml = [](const std::string& missing) {
    return experiment_of(
        "float64", "data: {source: file, path: train.csv, columns: [a, b, c], missing: " + missing +
                       ", normalize: zscore}\n" + kPlain);
  };
  std::vector<StreamRow> all = stream_rows(400, 60);
  for (const std::size_t row : {0U, 1U, 20U, 21U, 50U}) all[row].values[row % 3] = kMissing;
  const Streamed held(yaml("hold"));
  const Datasets applied = held.apply_to(all);
  for (StreamRow& row : all) row.targets = {};
  LiveStream stream(held.result(), {.outputs = {"level 0"}});
  CHECK(worst(answers_to(stream, all), applied.at("/levels/0/representation")) < 1e-12);
  const Streamed ahead(yaml("interpolate"));
  LiveStream strict(ahead.result());
  CHECK_SAYS(complaint_of<DataError>([&] { strict.push(all[0]); }),
             "interpolate, which looks ahead");
  CHECK(std::isfinite(strict.push(all[5]).values[0]));
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
