// SPDX-License-Identifier: MIT
#include "../../src/report/findings.h"

#include <cmath>
#include <cstdint>

#include "../../src/report/report.h"
#include "../../src/report/sections.h"
#include "../support/catch.h"
#include "../support/experiment_text.h"

using namespace gaia;
using namespace gaia::report;
using gaia::test::result_of_text;
using gaia::test::TempDir;

namespace {

const std::string kDataAndLevel =
    "experiment: e\n"
    "data: {source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 400}\n"
    "output: {weights: {every: 100}}\n"
    "hierarchy:\n  levels:\n    - layers:\n";

LevelSurvey first_level(const std::string& path) {
  const Result result(path);
  return survey_level(result, 0, choose_close_up(result));
}

std::vector<Finding> findings_of(const std::string& path) {
  const Result result(path);
  std::vector<LevelSurvey> levels;
  for (std::int64_t i = 0; i < count_levels(result); ++i) {
    levels.push_back(survey_level(result, i, choose_close_up(result)));
  }
  const std::vector<ReadoutFacts> readouts = read_readouts(result);
  return find_all(result, levels, survey_layers(result), readouts);
}

bool any_says(const std::vector<Finding>& findings, Finding::Weight weight,
              const std::string& text) {
  for (const Finding& finding : findings) {
    if (finding.weight == weight && finding.text.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

FOLDER_TEST_CASE("neurons that never answer are dead") {
  const std::string result = result_of_text(
      folder,
      kDataAndLevel + "        - {type: reactive, size: 5, activation: relu, bias: -100}\n");
  CHECK(dead_neurons(first_level(result)) == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  CHECK(any_says(findings_of(result), Finding::Weight::warning, "5 of 5 neurons never answer"));
}

FOLDER_TEST_CASE("neurons at an end of their activation are saturated, not dead") {
  const std::string result = result_of_text(
      folder, kDataAndLevel + "        - {type: reactive, size: 3, activation: tanh, bias: 6}\n");
  const LevelSurvey level = first_level(result);
  CHECK(dead_neurons(level).empty());
  CHECK(saturated_neurons(level) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(any_says(findings_of(result), Finding::Weight::warning, "3 of 3 neurons are saturated"));
}

FOLDER_TEST_CASE("of a healthy run there is no warning") {
  const std::string result =
      result_of_text(folder, kDataAndLevel +
                                 "        - {type: hebbian, size: 2, rule: sanger, "
                                 "learning_rate: 0.01, init: orthogonal}\n");
  for (const Finding& finding : findings_of(result)) {
    INFO(finding.text);
    CHECK(finding.weight == Finding::Weight::note);
  }
}

FOLDER_TEST_CASE("weights that ran away and neurons that learnt the same are told") {
  const std::string result = result_of_text(
      folder,
      kDataAndLevel +
          "        - {type: hebbian, size: 3, rule: hebbian, learning_rate: 0.05, init: normal}\n");
  const std::vector<Finding> findings = findings_of(result);
  CHECK(any_says(findings, Finding::Weight::warning, "weights of 3 of 3 neurons have grown"));
  // All turn towards the first principal component.
  CHECK(any_says(findings, Finding::Weight::note, "3 pairs of neurons weigh their inputs alike"));
  CHECK(any_says(findings, Finding::Weight::note, "they have not settled"));
}

FOLDER_TEST_CASE("a survey agrees with the numbers in the file") {
  const std::string path = result_of_text(
      folder,
      kDataAndLevel + "        - {type: hebbian, size: 3, rule: oja, learning_rate: 0.01}\n");
  const Result result(path);
  const LevelSurvey level = survey_level(result, 0, {100, 160});
  REQUIRE(level.missing.empty());
  const std::vector<double> shown = result.read("levels/0/representation");
  REQUIRE(shown.size() == 1200);
  double sum = 0.0;
  double least = INFINITY;
  for (std::size_t t = 0; t < 400; ++t) {
    sum += shown[t * 3 + 1];
    least = std::min(least, shown[t * 3 + 1]);
  }
  CHECK(level.figures[1].mean == Approx(sum / 400.0));
  CHECK(level.figures[1].least == least);
  CHECK(level.ticks == 400);
  CHECK(level.traces.size() == 3);  // few enough to be lines
  CHECK(level.close_first == 100);
  CHECK(level.close.at(7, 2) == shown[107 * 3 + 2]);
  CHECK(level.map.at(399, 0) == shown[399 * 3]);
  const std::vector<LayerSurvey> layers = survey_layers(result);
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].history_steps == std::vector<double>{0, 100, 200, 300, 400});
  CHECK(layers[0].history_norms.at(4, 2) == Approx(layers[0].norms[2]));
  CHECK(layers[0].history_norms.at(0, 2) == Approx(layers[0].norms_initial[2]));
}

FOLDER_TEST_CASE("thresholds are followed over the run where the file has them") {
  const std::string path = result_of_text(
      folder,
      kDataAndLevel + "        - {type: hebbian, size: 3, rule: bcm, learning_rate: 0.01}\n");
  const Result result(path);
  const std::vector<LayerSurvey> layers = survey_layers(result);
  REQUIRE(layers.size() == 1);
  REQUIRE(layers[0].memories.size() == 1);
  const MemorySurvey& theta = layers[0].memories.front();
  CHECK((theta.name == "theta" && theta.initial == 1.0));
  REQUIRE((theta.history.rows == 5 && theta.history.columns == 3));
  CHECK(theta.history.at(0, 1) == 1.0);
  CHECK(theta.history.at(4, 2) == theta.values[2]);
  CHECK_SAYS(weights_section(result, layers), ", θ, by step");
}

TEST_CASE("neurons are told by number, as many as can be read") {
  CHECK(neurons_text({4}) == "neuron 4");
  CHECK(neurons_text({1, 4, 7}) == "neurons 1, 4 and 7");
  CHECK(neurons_text({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) ==
        "neurons 0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
}

namespace {

/// The report's readouts of one channel of CSV whose value(t) a level with tanh reads.
template <class F>
std::string run_on(const TempDir& folder, const F& value, int rows) {
  std::string csv = "load,noise\n";
  std::uint32_t state = 1;
  for (int t = 0; t < rows; ++t) {
    state = state * 1664525u + 1013904223u;
    const double noise = static_cast<double>(state >> 8) / 16777216.0 - 0.5;
    csv += std::to_string(value(t, noise)) + "," + std::to_string(noise) + "\n";
  }
  folder.write("d.csv", csv);
  return result_of_text(
      folder,
      "experiment: e\n"
      "data: {source: file, path: d.csv, normalize: zscore}\n"
      "hierarchy:\n  levels:\n"
      "    - layers: [{type: reactive, size: 2, activation: tanh}]\n"
      "readouts: [{name: next, target: {channel: 0, horizon: 1}, levels: [0]}]\n");
}

}  // namespace

FOLDER_TEST_CASE("a hierarchy that simple forecasts beat is warned of, and the verdict says so") {
  // What follows from itself in another way once training has ended.
  const auto turn = [](int t, double) { return std::sin((t < 1000 ? 0.9 : 2.3) * t); };
  const std::string turned = run_on(folder, turn, 1500);
  CHECK(any_says(findings_of(turned), Finding::Weight::warning, "as the verdict says: next."));
  const std::string page = report_page({turned});
  CHECK_SAYS(page, "<th class=\"n\">mean</th>");
  // At the top the score, and beside it all that it is compared with.
  CHECK_SAYS(page, "<span>R² of next</span><table class=\"beside\">",
             "<tr><td>mean</td><td class=\"n\">", "<tr><td>persistence</td><td class=\"n\">",
             "<li class=\"bad\"><b>next</b>: does worse than the mean of its target");

  // An index of time, which tanh bends.
  const std::string drift = run_on(folder, [](int t, double) { return t; }, 1500);
  const std::vector<Finding> found = findings_of(drift);
  CHECK(any_says(found, Finding::Weight::warning, "as the verdict says: next."));
  CHECK_FALSE(any_says(found, Finding::Weight::warning, "is beaten by "));
  CHECK_THAT(report_page({drift}), !ContainsSubstring("The run is complete; no neuron") &&
                                       ContainsSubstring("is beaten by "));

  // One that follows from itself: it knows more than the mean.
  const std::string wave = run_on(folder, [](int t, double) { return std::sin(0.9 * t); }, 1500);
  CHECK_THAT(report_page({wave}), !ContainsSubstring("does no better") &&
                                      !ContainsSubstring("does worse than the mean"));
}

FOLDER_TEST_CASE("a report says what learning is worth, and warns where it loses") {
  std::string csv = "a,b\n";
  for (int t = 0; t < 1500; ++t) {
    csv += std::to_string(std::sin(0.3 * t)) + "," + std::to_string(std::cos(1.1 * t)) + "\n";
  }
  folder.write("d.csv", csv);
  const auto page_of = [&](const std::string& rate) {
    const std::string result = result_of_text(
        folder,
        "experiment: e\n"
        "data: {source: file, path: d.csv, window: 8}\n"
        "hierarchy: {levels: [{layers: [{type: hebbian, size: 6, rule: oja, learning_rate: " +
            rate +
            "}]}]}\n"
            "readouts: [{name: next, target: {channel: 0, horizon: 3}, levels: [0]}]\n");
    return std::pair{report_page({result}), findings_of(result)};
  };
  // All neurons become one, and six numbers are worth less than before.
  const auto [lost, warned] = page_of("0.01");
  CHECK_SAYS(lost, "<th class=\"n\">frozen weights</th>",
             "<li class=\"bad\"><b>next</b>: learning loses: the same weights, frozen, reach R2 ",
             "<div class=\"tile warn score\">");
  CHECK(any_says(warned, Finding::Weight::warning, "as the verdict says: next."));
  const std::string same = page_of("0").first;
  CHECK_SAYS(same, "><b>next</b>: learning does not pay: R2 ");
  CHECK_THAT(same, !ContainsSubstring("learning loses"));
}

FOLDER_TEST_CASE("a score that is not defined is told with the reason, never as NaN") {
  const std::string page = report_page({run_on(folder, [](int, double) { return 0.1; }, 200)});
  CHECK_SAYS(page, "</b>: not defined: the target is constant ");
  CHECK_THAT(page, !ContainsSubstring(">NaN") && !ContainsSubstring("so far"));
}
