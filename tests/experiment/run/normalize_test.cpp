// SPDX-License-Identifier: MIT
/// \file
/// Which rows the moments of `data.normalize` are of, computed here by plain loops.
#include <cmath>
#include <string>

#include "../../../src/core/random.h"
#include "../../../src/experiment/setup/training_part.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"
#include "../cuts.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr int kTableRows = 400;

/// Channel a or b of a row: noise, which jumps by 50 for the last third of the rows.
double value(int row, int channel) {
  const RandomStream noise{4, 2};
  const double u =
      static_cast<double>(noise.integer(static_cast<std::uint64_t>(2 * row + channel), 2001)) /
      1000.0;
  return u + channel + (row >= 2 * kTableRows / 3 ? 50.0 : 0.0);
}

/// With a trial of 40 rows each, and a gap in channel a.
std::string table_text(bool has_gap = false) {
  std::string text = "a,b,trial\n";
  for (int row = 0; row < kTableRows; ++row) {
    const bool is_missing = has_gap && row >= 100 && row < 110;
    text += (is_missing ? "" : std::to_string(value(row, 0))) + "," +
            std::to_string(value(row, 1)) + "," + std::to_string(row / 40) + "\n";
  }
  return text;
}

std::string yaml(const std::string& data, const std::string& readouts) {
  return "experiment: e\n"
         "data: {source: file, path: d.csv, columns: [a, b], window: 3, " +
         data +
         "}\n"
         "hierarchy:\n"
         "  learn: false\n"
         "  levels:\n"
         "    - {temporal_resolution: 2, layers: [{type: hebbian, size: 2, rule: oja}]}\n" +
         readouts;
}

std::string readout(const std::string& keys) {
  return "readouts:\n  - {name: next, target: {channel: a, horizon: 5}, levels: [0]" +
         (keys.empty() ? "" : ", " + keys) + "}\n";
}

struct Moments2 {
  std::vector<double> offset;
  std::vector<double> scale;
};

/// Over these rows of `a` and `b` as they are in the table, or interpolated.
Moments2 moments_of(const std::vector<RowRange>& rows, bool is_minmax, bool has_gap = false) {
  Moments2 moments;
  for (int channel = 0; channel < 2; ++channel) {
    std::vector<double> values;
    for (const RowRange& range : rows) {
      for (auto row = static_cast<int>(range.begin); row < range.end; ++row) {
        double x = std::stod(std::to_string(value(row, channel)));
        if (has_gap && channel == 0 && row >= 100 && row < 110) {
          const double before = std::stod(std::to_string(value(99, 0)));
          const double after = std::stod(std::to_string(value(110, 0)));
          x = before + (after - before) * (row - 99) / 11.0;
        }
        values.push_back(x);
      }
    }
    double mean = 0.0;
    for (const double x : values) mean += x / static_cast<double>(values.size());
    double square = 0.0;
    for (const double x : values) square += (x - mean) * (x - mean);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    moments.offset.push_back(is_minmax ? *least : mean);
    moments.scale.push_back(is_minmax ? *most - *least
                                      : std::sqrt(square / static_cast<double>(values.size())));
  }
  return moments;
}

struct Measured {
  Moments2 moments;
  std::string from;
  std::vector<RowRange> training;
};

Measured measured(const TempDir& folder, const std::string& text) {
  Experiment experiment = load_text(folder, text);
  Measured found;
  const TrainingPart part = training_part(experiment);
  for (const Stretch& rows : part.rows()) {
    found.training.push_back({rows.begin, rows.end});
  }
  run_experiment(experiment);
  std::filesystem::rename(folder.path("r.h5"), folder.path("last.h5"));
  const Datasets datasets = datasets_of(folder.path("last.h5"));
  found.moments = {datasets.at("/data/mean"), datasets.at("/data/scale")};
  found.from = hdf5::File::open(folder.path("last.h5"))
                   .open_group("data")
                   .text_attribute("normalized_from")
                   .value_or("");
  return found;
}

void check_close(const Moments2& found, const Moments2& expected) {
  for (std::size_t c = 0; c < 2; ++c) {
    CHECK(std::abs(found.offset[c] - expected.offset[c]) < 1e-12 * std::abs(expected.offset[c]));
    CHECK(std::abs(found.scale[c] - expected.scale[c]) < 1e-12 * expected.scale[c]);
  }
}

}  // namespace

FOLDER_TEST_CASE("moments are of the rows of the training part, whatever comes after it") {
  folder.write("d.csv", table_text());
  for (const std::string normalize : {"zscore", "minmax"}) {
    for (const std::string steps : {"", ", steps: 350"}) {
      for (const std::string keys :
           {"", "split: 0.5", "split: {train: 0.4, validation: 0.3, test: 0.3}",
            "split: 0.5, skip: 0.2", "type: online, split: 0.3", "type: online, skip: 0.2"}) {
        INFO(normalize << steps << " " << keys);
        const Measured found =
            measured(folder, yaml("normalize: " + normalize + steps, readout(keys)));
        REQUIRE(found.training.size() == 1);
        CHECK(found.training.front().begin == 0);
        CHECK(found.training.front().end < kTableRows);
        CHECK(found.from == "train");
        check_close(found.moments, moments_of(found.training, normalize == "minmax"));
      }
    }
  }
}

FOLDER_TEST_CASE(
    "moments of several readouts, of trials and of filled gaps are of the training part") {
  folder.write("d.csv", table_text(true));
  const std::string fill = "normalize: zscore, missing: interpolate";
  Measured found = measured(
      folder, yaml(fill, readout("split: 0.5") +
                             "  - {name: more, target: {channel: b, horizon: 1}, levels: [0],\n"
                             "     split: 0.8}\n"
                             "  - {name: alarm, type: anomaly, levels: [0], train: 0.4}\n"));
  REQUIRE(found.training.size() == 1);
  CHECK(found.training.front().end > 110);
  CHECK(found.training.front().end <= kTableRows * 4 / 10 + 3);
  check_close(found.moments, moments_of(found.training, false, true));

  found = measured(folder, yaml(fill + ", trials: {column: trial}", readout("split: 0.6")));
  CHECK(found.from == "train");
  CHECK(found.training.back().end == 240);
  check_close(found.moments, moments_of(found.training, false, true));
}

FOLDER_TEST_CASE(
    "moments are of all rows where nothing is trained, of folds, and where that is asked for") {
  folder.write("d.csv", table_text());
  const Moments2 all = moments_of({{0, kTableRows}}, false);
  const std::pair<std::string, std::string> cases[] = {
      {"", ""}, {"", readout("folds: 4")}, {", normalize_from: all", readout("split: 0.5")}};
  for (const auto& [data, readouts] : cases) {
    INFO(data << readouts);
    const Measured found = measured(folder, yaml("normalize: zscore" + data, readouts));
    CHECK(found.from == "all");
    check_close(found.moments, all);
  }
}

FOLDER_TEST_CASE("a network on a series has the moments of its training samples") {
  folder.write("d.csv", table_text());
  const auto network = [](const std::string& data) {
    return "experiment: n\n"
           "data: {source: file, path: d.csv, columns: [a, b], window: 4, normalize: zscore" +
           data +
           "}\n"
           "network:\n"
           "  target: {channel: 0, horizon: 2}\n"
           "  split: 0.5\n"
           "  epochs: 1\n"
           "  layers: [{type: flatten}, {type: dense, size: 1}]\n";
  };
  Measured found = measured(folder, network(""));
  CHECK(found.from == "train");
  CHECK(found.training.front().end <= kTableRows / 2 + 4);
  check_close(found.moments, moments_of(found.training, false));
  found = measured(folder, network(", normalize_from: all"));
  CHECK(found.from == "all");
  check_close(found.moments, moments_of({{0, kTableRows}}, false));
}

FOLDER_TEST_CASE("values far outside of the training part are scaled as they are, and scored") {
  folder.write("d.csv", table_text());
  const std::string text = yaml("normalize: minmax", readout("split: 0.5"));
  Experiment experiment = load_text(folder, text);
  CHECK(std::isfinite(run_hierarchy(experiment).readouts.front().score.r2));
  const Datasets datasets = datasets_of(folder.path("r.h5"));
  const std::vector<double>& shown = datasets.at("/levels/0/representation");
  CHECK(std::all_of(shown.begin(), shown.end(), [](double y) { return std::isfinite(y); }));
}

FOLDER_TEST_CASE("data that are taken over have the moments of the member that reads them") {
  folder.write("d.csv", table_text());
  const auto load = [&](const std::string& split, Experiment* before) {
    const std::string text = yaml("normalize: zscore", readout("split: " + split));
    ExperimentFile file = read_experiment_text(text, folder.path("e.yaml"), {});
    Experiment made = make_experiment(file.path, file.root, file.problems, before);
    file.problems.throw_if_any();
    return made;
  };
  const auto scaling = [](Experiment& experiment) {
    const SampleReader reader(*experiment.series, experiment.config.data, experiment.trials,
                              experiment.config.dtype, {}, false);
    return Moments2{reader.offset(), reader.scale()};
  };
  Experiment first = load("0.5", nullptr);
  scaling(first);
  Experiment second = load("0.3", &first);
  REQUIRE(first.series == nullptr);
  check_close(scaling(second), moments_of(second.config.data.measured, false));
  CHECK(second.config.data.measured.front().end < kTableRows * 3 / 10 + 3);
  Experiment third = load("0.5", &second);
  check_close(scaling(third), moments_of(third.config.data.measured, false));
}

FOLDER_TEST_CASE("what is scored from its first tick has no rows to measure moments by") {
  folder.write("d.csv", table_text());
  const auto load = [&](const std::string& data, const std::string& keys) {
    return load_text(folder, yaml(data, readout(keys)));
  };
  CHECK_THROWS_WITH(load("normalize: zscore", "type: online, skip: 0"),
                    ContainsSubstring("data.normalize: finds no rows to measure by: nothing comes "
                                      "before what is scored"));
  CHECK_NOTHROW(load("normalize: zscore, normalize_from: all", "type: online, skip: 0"));
  CHECK_NOTHROW(load("normalize: none", "type: online, skip: 0"));
  const Experiment none = load("normalize: none, normalize_from: all", "");
  REQUIRE(none.warnings.size() == 1);
  CHECK_SAYS(none.warnings.front(), "data.normalize_from");
}
