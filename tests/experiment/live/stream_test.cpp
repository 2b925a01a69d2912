// SPDX-License-Identifier: MIT
// Answers of a stream compared with runs, applications and plain loops; where it was cut; and what
// no stream can be made of.
#include "../../../src/experiment/live/stream.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "../../../src/core/error.h"
#include "../../../src/learning/online_regression.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "stream_experiments.h"

using namespace gaia;
using namespace gaia::test;

namespace {

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

TEST_CASE("a stream that learns has the bytes of a run that begins with the result, tick by tick") {
  for (const std::string dtype : {"float32", "float64"}) {
    INFO(dtype);
    const Streamed folder(experiment_of(dtype, kData + kLevels));
    const std::vector<StreamRow> all = stream_rows(400, 150);
    folder.write("new.csv", csv_of(all));
    folder.run("again", begun(experiment_of(dtype, kData + kLevels)), "again.h5");
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
  const Datasets applied = folder.apply_to(all);
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
