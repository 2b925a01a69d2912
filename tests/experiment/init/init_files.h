// SPDX-License-Identifier: MIT
/// \file
/// Files of the usual kinds, and what gaia init has to make of them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "../../../src/core/error.h"
#include "../../../src/core/random.h"
#include "../../../src/core/text.h"
#include "../../../src/experiment/init/initial_experiment.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/report/report.h"
#include "../../io/write_npy.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/temp_dir.h"

namespace gaia::test {

using Column = std::vector<double>;

/// y(t) = share y(t - 1) + noise.
inline Column remembering(std::size_t rows, double share, std::uint64_t stream) {
  Column x(rows);
  RandomStream{4, stream}.normals(0, x);
  for (std::size_t t = 1; t < rows; ++t) x[t] += share * x[t - 1];
  return x;
}

inline Column wave(std::size_t rows, double period, std::uint64_t stream) {
  Column x(rows);
  RandomStream{4, stream}.normals(0, x);
  for (std::size_t t = 0; t < rows; ++t) {
    x[t] = 20.0 + 3.0 * std::sin(2.0 * M_PI * static_cast<double>(t) / period) + 0.3 * x[t];
  }
  return x;
}

/// Rows of columns.
inline std::string csv(const std::vector<Column>& columns, const std::string& header = "",
                       char separator = ',') {
  std::string text = header;
  for (std::size_t t = 0; t < columns[0].size(); ++t) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) text += separator;
      text += number_text(columns[c][t]);
    }
    text += "\n";
  }
  return text;
}

inline std::string npy(const std::string& shape, const Column& values) {
  return npy<double>("<f8", shape, values);
}

/// Row after row of columns.
inline Column rows_of(const std::vector<Column>& columns) {
  Column all;
  for (std::size_t t = 0; t < columns[0].size(); ++t) {
    for (const Column& column : columns) all.push_back(column[t]);
  }
  return all;
}

/// Makes the experiment of a file, runs it to its report and compares the R2 of its forecast with
/// that of persistence.  `gains` takes the difference.
inline std::string check_runs(const TempDir& folder, const std::string& data, double behind = 0.02,
                              std::vector<double>* gains = nullptr) {
  INFO(data);
  const std::string yaml = initial_experiment({data}, folder.path("made.yaml"));
  INFO(yaml);
  Experiment experiment = load_experiment(folder.write("made.yaml", yaml),
                                          {.device = "cpu", .output = folder.path("made.h5")});
  CHECK(experiment.warnings.empty());
  const HierarchySummary summary = run_hierarchy(experiment, {.overwrite = true});
  REQUIRE(summary.status == RunStatus::complete);
  REQUIRE_FALSE(summary.readouts.empty());
  for (const ReadoutSummary& readout : summary.readouts) {
    CHECK(readout.score.undefined.empty());
    CHECK(std::isfinite(readout.score.own().value));
  }
  for (const ReadoutSummary& readout : summary.readouts) {
    const ReadoutScore& score = readout.score;
    if (readout.config.name != "forecast") continue;
    CHECK(std::isfinite(score.r2));
    CHECK(score.r2 >= score.baseline_r2 - behind);
    if (gains != nullptr) gains->push_back(score.r2 - score.baseline_r2);
  }
  for (const LevelSummary& level : summary.levels) CHECK(std::isfinite(level.weight_norm));
  write_report({summary.file}, folder.path("made.html"), true);
  return yaml;
}

inline std::string refusal_of(const std::string& data) {
  return complaint_of([&] { initial_experiment({data}, "made.yaml"); });
}

}  // namespace gaia::test
