// SPDX-License-Identifier: MIT
#include "../../src/report/readouts.h"

#include <cmath>
#include <cstdint>

#include "../../src/io/hdf5.h"
#include "../../src/report/confusion.h"
#include "../../src/report/predictions_so_far.h"
#include "../../src/report/report.h"
#include "../support/catch.h"
#include "../support/experiment_text.h"

using namespace gaia;
using namespace gaia::report;
using gaia::test::result_of_text;

namespace {

/// A pump: dates with gaps, two channels, a column beside them, states of which one is rare.
std::string pump_table() {
  std::string text = "time,flow,pressure,quality,state\n";
  std::uint32_t seed = 1;
  for (int t = 0; t < 900; ++t) {
    seed = seed * 1664525u + 1013904223u;
    const double noise = static_cast<double>(seed >> 8) / 16777216.0 - 0.5;
    const bool is_idle = t % 200 >= 150;
    const bool is_fault = t % 200 >= 100 && t % 200 < 120;
    const double flow = (is_idle ? 0.5 : 3.0) + std::sin(0.3 * t) + 0.2 * noise;
    const double pressure = 2.0 * flow + (is_fault ? 5.0 * noise : noise);
    const int minute = t + t / 90 * 600;  // ten trials
    char date[32];
    std::snprintf(date, sizeof date, "2024-03-%02d %02d:%02d:00", 1 + minute / 1440,
                  minute / 60 % 24, minute % 60);
    text += std::string(date) + "," + std::to_string(flow) + "," + std::to_string(pressure) + "," +
            std::to_string(flow + pressure) + "," +
            (is_fault  ? "fault & <b>"
             : is_idle ? "idle"
                       : "run") +
            "\n";
  }
  return text;
}

const std::string kPump =
    "experiment: pump\n"
    "data: {source: file, path: d.csv, time: time, gaps: split, columns: [flow, pressure], "
    "targets: [quality], labels: state, normalize: zscore}\n"
    "hierarchy: {levels: [{layers: [{type: hebbian, size: 2, rule: oja_subspace, "
    "learning_rate: 0.001}]}]}\n"
    "readouts:\n"
    "  - {name: both, target: {channel: [flow, pressure], horizon: 2}, levels: [0], "
    "split: {train: 0.5, validation: 0.2, test: 0.3}}\n"
    "  - {name: quality, target: {column: quality}, levels: [0]}\n"
    "  - {name: copy, target: {channel: flow}, levels: [0]}\n"
    "  - {name: state, type: logistic, target: {label: true}, levels: [0]}\n"
    "  - {name: alarm, type: anomaly, score: mahalanobis, levels: [0], normal: run}\n";

const ReadoutFacts& named(const std::vector<ReadoutFacts>& readouts, const std::string& name) {
  for (const ReadoutFacts& readout : readouts) {
    if (readout.name == name) return readout;
  }
  FAIL("no readout " << name);
  return readouts.front();
}

}  // namespace

FOLDER_TEST_CASE("readouts of every task are read with their measures, baselines and controls") {
  folder.write("d.csv", pump_table());
  const Result result(result_of_text(folder, kPump));
  const std::vector<ReadoutFacts> readouts = read_readouts(result);
  REQUIRE(readouts.size() == 5);

  const ReadoutFacts& both = named(readouts, "both");
  CHECK(both.task == ReadoutTask::regression);
  CHECK(both.target == "channels flow, pressure, 2 steps ahead");
  CHECK(both.outputs == std::vector<std::string>{"flow", "pressure"});
  CHECK(both.output_name(1) == "pressure");
  CHECK(count_targets(result, both) == 2);
  CHECK(both.rows > 100);
  REQUIRE(both.validation);
  CHECK(both.validation->is_defined());
  CHECK(both.baselines.size() == 4);  // persistence, mean, frozen weights, the same past
  // From the predictions in the file.
  const ScoreSoFar again = score_so_far(result, both.path, ReadoutTask::regression, both.rows, 2);
  CHECK(again.score.value == Approx(both.score.value).epsilon(1e-9));
  CHECK(again.score.error == Approx(both.score.error).epsilon(1e-9));

  CHECK(named(readouts, "quality").title == "Readout quality of column quality");

  const ReadoutFacts& state = named(readouts, "state");
  CHECK(state.task == ReadoutTask::classes);
  CHECK(measure_text(state.score) == "accuracy");
  CHECK(state.class_name(0) == "fault & <b>");
  CHECK(state.class_name(7) == "7");
  CHECK(state.baselines.front().name == kMajorityBaseline);
  CHECK(score_so_far(result, state.path, state.task, state.rows, 1).score.value ==
        Approx(state.score.value).epsilon(1e-12));
  CHECK(state.more.front().first == "balanced accuracy");

  const ReadoutFacts& alarm = named(readouts, "alarm");
  CHECK(alarm.task == ReadoutTask::anomaly);
  CHECK(measure_text(alarm.score) == "AUC");
  CHECK(alarm.target == "anomalies, by mahalanobis");
  CHECK(alarm.baselines.front().name == kRunningMeanBaseline);
  CHECK(score_so_far(result, alarm.path, alarm.task, alarm.rows, 1).score.value ==
        Approx(alarm.score.value).epsilon(1e-12));
}

FOLDER_TEST_CASE("a readout that has only to copy is never told in green") {
  folder.write("d.csv", pump_table());
  const std::string path = result_of_text(folder, kPump);
  const std::vector<ReadoutFacts> readouts = read_readouts(Result(path));
  const ReadoutFacts& copy = named(readouts, "copy");
  CHECK(copy.doubts == std::vector<std::string>{kTargetIsInput});
  CHECK(copy.verdict().standing == Verdict::Standing::bad);
  const std::string page = report_page({path});
  CHECK_SAYS(page, "<li class=\"bad\"><b>copy</b>: ");
  CHECK_THAT(page, !ContainsSubstring("R² of copy"));  // nor is it what the run is told by
}

FOLDER_TEST_CASE("a page draws classes by name, anomalies over dates and curves of both") {
  folder.write("d.csv", pump_table());
  const std::string page = report_page({result_of_text(folder, kPump)});
  for (const char* part :
       {"id=\"fig-verdict\"", "id=\"fig-verdict-classes\"", "id=\"fig-verdict-anomalies\"",
        "id=\"fig-confusion\"", "id=\"fig-roc\"", "id=\"fig-anomalies\"", "true anomalies",
        "fault &amp; &lt;b&gt;", ">2024-03-0", "data-dates=\"0,1709251200", ">pressure<",
        "input (flow, pressure)", "Of 5 readouts "}) {
    INFO(part);
    CHECK(page.find(part) != std::string::npos);
  }
  CHECK(page.find("fault & <b>") == std::string::npos);
}

TEST_CASE("values of a score end at the thousandth, and 0 is 0") {
  CHECK(value_text(-3.91e-4) == "0");
  CHECK(value_text(-0.00139) == "−0.001");
  CHECK(value_text(0.34159) == "0.342");
  CHECK(value_text(1.0) == "1");
  CHECK(value_text(0.99983) == "0.99983");
  CHECK(value_text(-17.31) == "−17.3");
  CHECK(value_text(std::nan("")) == "NaN");
}

TEST_CASE("of many classes the pairs that are mistaken most are listed") {
  Matrix confusion{40, 40, std::vector<double>(1600, 0.0)};
  for (std::size_t i = 0; i < 40; ++i) confusion.values[i * 40 + i] = 10.0;
  confusion.values[3 * 40 + 7] = 6.0;
  confusion.values[8 * 40 + 2] = 2.0;
  const auto name = [](std::int64_t index) { return "kind " + std::to_string(index); };
  const std::string many = confusion_figure("fig-confusion", "Mistakes", confusion, name);
  CHECK_SAYS(many, "<td>kind 3</td><td>kind 7</td><td class=\"n\">6</td><td class=\"n\">38 %</td>");
  CHECK(many.find("kind 3<") < many.find("kind 8<"));
  CHECK(many.find("<svg") == std::string::npos);
  const std::string few =
      confusion_figure("fig-confusion", "Mistakes", {2, 2, {3.0, 1.0, 0.0, 1234.0}}, name);
  CHECK_SAYS(few, ">75 %<", ">1 234<", ">kind 1<");
}

FOLDER_TEST_CASE("a readout whose datasets do not fit together is told, not drawn") {
  {
    hdf5::File file = hdf5::File::create(folder.path("odd.h5"));
    file.set_attribute("schema_version", std::int64_t{1});
    file.set_attribute("experiment", "odd");
    file.set_attribute("status", "complete");
    file.set_attribute("steps", std::int64_t{8});
    const std::int64_t done = 8;
    hdf5::Dataset committed =
        file.create_group("status").create_dataset("committed_steps", {.type = hdf5::Type::int64});
    committed.write<std::int64_t>({&done, 1});
    hdf5::Group all = file.create_group("readouts");
    // This one is of classes, with a confusion matrix that is none and classes far out of range.
    hdf5::Group odd = all.create_group("odd");
    odd.set_attribute("accuracy", 7.5);
    odd.set_attribute("auc", INFINITY);
    const std::vector<std::int64_t> steps = {0, 1, 2, 3};
    const std::vector<std::int64_t> classes = {-5, INT64_MAX, 1, 0};
    odd.create_dataset("step", {.type = hdf5::Type::int64, .shape = {4}})
        .write<std::int64_t>(steps);
    odd.create_dataset("target", {.type = hdf5::Type::int64, .shape = {4}})
        .write<std::int64_t>(classes);
    odd.create_dataset("prediction", {.type = hdf5::Type::int64, .shape = {4}})
        .write<std::int64_t>(classes);
    odd.create_dataset("probability", {.type = hdf5::Type::float64, .shape = {2, 3}});
    odd.create_dataset("confusion", {.type = hdf5::Type::int64, .shape = {2, 3}});
    // This one is of anomalies, whose scores are fewer than their targets.
    hdf5::Group alarm = all.create_group("alarm");
    alarm.create_dataset("step", {.type = hdf5::Type::int64, .shape = {4}})
        .write<std::int64_t>(steps);
    alarm.create_dataset("target", {.type = hdf5::Type::int64, .shape = {4, 2}});
    alarm.create_dataset("score", {.type = hdf5::Type::float64, .shape = {1}});
    file.close();
  }
  const std::string page = report_page({folder.path("odd.h5")});
  CHECK_THAT(page, !ContainsSubstring("fig-confusion") && !ContainsSubstring("fig-anomalies"));
  CHECK_SAYS(page, "</b>: not defined: no labels");
}
