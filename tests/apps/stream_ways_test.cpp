// SPDX-License-Identifier: MIT
// The same rows through `gaia stream` and through the class that programs use.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "../../src/core/text.h"
#include "../../src/experiment/live/row_writer.h"
#include "../../src/experiment/live/stream.h"
#include "../support/catch.h"
#include "../support/datasets.h"
#include "../support/text.h"
#include "command.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::string kStreamedWays =
    "experiment: ways\nseed: 2\n"
    "data: {source: file, path: train.csv, columns: [a, b], targets: [y], labels: state,\n"
    "       trials: {column: run}, window: 2, sample_rate: 30, filter: {low: 9, order: 2}}\n"
    "hierarchy:\n  levels:\n"
    "    - layers: [{type: hebbian, size: 3, rule: oja, learning_rate: 0.01}]\n"
    "    - {temporal_resolution: 2, layers: [{type: temporal, size: 4}]}\n"
    "readouts:\n"
    "  - {name: forecast, target: {channel: a, horizon: 1}, levels: [0, 1], split: 0.6}\n"
    "  - {name: quality, type: online, target: {column: y}, levels: [0]}\n"
    "  - {name: alarm, type: anomaly, score: reconstruction, levels: [0], train: 0.5}\n"
    "  - {name: state, type: logistic, target: {label: true}, levels: [0], split: 0.6}\n"
    "output: {path: r.h5}\n";

std::vector<StreamRow> rows_of_ways(std::size_t count, double phase) {
  std::vector<StreamRow> all;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i);
    const double a = std::sin(0.37 * t + phase) + 0.2 * std::cos(2.1 * t * t);
    const double b = std::cos(0.21 * t) - 0.5 * a;
    all.push_back({.values = {a, b},
                   .targets = {a * b},
                   .label = a > b ? "high" : "low",
                   .trial = "t" + std::to_string(i / 53)});
  }
  return all;
}

std::string text_of_ways(const std::vector<StreamRow>& all) {
  std::string text = "a,b,y,state,run\n";
  for (const StreamRow& row : all) {
    text += number_text(row.values[0]) + "," + number_text(row.values[1]) + "," +
            number_text(row.targets[0]) + "," + *row.label + "," + *row.trial + "\n";
  }
  return text;
}

/// Runs the command with a file as its input.
int stream_file(const TempDir& folder, const std::string& options) {
  const std::string line =
      "cd '" + folder.path("") + "' && '" GAIA_COMMAND "' stream r.h5 " + options + " 2> err.txt";
  return std::system(line.c_str());
}

}  // namespace

FOLDER_TEST_CASE("the command and the class answer with the same bytes, and keep the same state") {
  folder.write("train.csv", text_of_ways(rows_of_ways(400, 0.0)));
  folder.write("r.yaml", kStreamedWays);
  REQUIRE(gaia_command(folder, {"run", "r.yaml", "--quiet"}).code == 0);
  const std::vector<StreamRow> all = rows_of_ways(300, 0.4);
  folder.write("rows.csv", text_of_ways(all));
  for (const bool learn : {true, false}) {
    INFO(learn);
    const std::string flag = learn ? "--learn " : "";
    const std::string outputs = "--outputs 'forecast,quality,alarm,state,level 0,level 1' ";
    REQUIRE(stream_file(folder, "--anew --state whole.h5 " + flag + outputs +
                                    "< rows.csv > whole.csv") == 0);
    StreamOptions options{
        .learn = learn,
        .outputs = {"forecast", "quality", "alarm", "state", "level 0", "level 1"},
        .state = folder.path("class.h5"),
        .begin_anew = true};
    LiveStream stream(folder.path("r.h5"), options);
    const RowWriter writer(RowFormat::csv, stream.fields());
    std::string text;
    writer.begin(text);
    for (const StreamRow& row : all) writer.row(stream.push(row), text);
    stream.keep();
    const std::string whole = file_text(folder.path("whole.csv"));
    CHECK(std::count(whole.begin(), whole.end(), '\n') == 301);
    CHECK(whole == text);
    check_same_datasets(datasets_of(folder.path("whole.h5")), datasets_of(folder.path("class.h5")));
  }
}
