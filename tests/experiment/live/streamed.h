// SPDX-License-Identifier: MIT
// Rows for streams, and what comes of them.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../../../src/experiment/live/stream.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/setup/load.h"
#include "../../support/datasets.h"
#include "../../support/temp_dir.h"
#include "../applied_series.h"

namespace gaia::test {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// A second level whose neurons answer y = tanh(z) and learn by the equations that follow.
inline const std::string kLevelByEquations =
    "    - temporal_resolution: 2\n      pooling: mean\n      layers:\n        - type: hebbian\n"
    "          size: 2\n          rule:\n            equations: |\n"
    "              y = tanh(z)\n";

/// The same experiment over new.csv, beginning with r.h5.
inline std::string begun(std::string yaml) {
  yaml.replace(yaml.find("train.csv"), 9, "new.csv");
  yaml.replace(yaml.find("zscore"), 6, "stored");
  yaml.replace(yaml.find("  levels:"), 9, "  from: r.h5\n  executor: stepwise\n  levels:");
  return yaml;
}

/// Rows a, b, c with a target "gain" and a label, from row `first` of an endless series.
inline std::vector<StreamRow> stream_rows(std::int64_t first, std::int64_t count) {
  const std::vector<std::vector<double>> values = rows(first + count);
  std::vector<StreamRow> all;
  for (std::int64_t t = first; t < first + count; ++t) {
    const std::vector<double>& row = values[static_cast<std::size_t>(t)];
    all.push_back({.values = row,
                   .targets = {std::cos(0.3 * static_cast<double>(t)) + row[0] / 5.0},
                   .label = row[1] > 0.0 ? "up" : "down"});
  }
  return all;
}

inline std::string csv_of(const std::vector<StreamRow>& all) {
  std::string text = "a,b,c,gain,state\n";
  for (const StreamRow& row : all) {
    for (const double value : row.values) {
      text += (std::isnan(value) ? "" : number_text(value)) + ",";
    }
    text += number_text(row.targets.front()) + "," + *row.label + "\n";
  }
  return text;
}

/// A folder with a result r.h5 of an experiment over train.csv.
struct Streamed : TempDir {
  explicit Streamed(const std::string& text, std::int64_t count = 400) {
    write("train.csv", csv_of(stream_rows(0, count)));
    run("train", text, "r.h5");
  }
  std::string result() const { return path("r.h5"); }
  void run(const std::string& name, const std::string& text, const std::string& output) const {
    Experiment experiment = load_experiment(write(name + ".yaml", text),
                                            {.set = {"device=cpu"}, .output = path(output)});
    run_hierarchy(experiment);
  }
  /// What the result, applied to these rows, writes.
  Datasets apply_to(const std::vector<StreamRow>& all) const {
    Experiment application = application_of(
        result(), {.data = write("new.csv", csv_of(all)), .output = path("applied.h5")});
    run_hierarchy(application);
    return datasets_of(path("applied.h5"));
  }
};

/// What each of these rows is answered, row after row.
inline std::vector<double> answers_to(LiveStream& stream, const std::vector<StreamRow>& all) {
  std::vector<double> answers;
  for (const StreamRow& row : all) {
    const StreamAnswer& answer = stream.push(row);
    answers.insert(answers.end(), answer.values.begin(), answer.values.end());
  }
  return answers;
}

/// Number of the field of this name.
inline std::size_t field_of(const LiveStream& stream, const std::string& name) {
  for (std::size_t k = 0; k < stream.fields().size(); ++k) {
    if (stream.fields()[k].name == name) return k;
  }
  throw std::runtime_error("no field " + name);
}

}  // namespace gaia::test
