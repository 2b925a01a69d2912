// SPDX-License-Identifier: MIT
// Streams of results of all kinds of layers and rates compared with runs that begin with these.
#include <algorithm>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/rate_schedule.h"
#include "../../../src/experiment/run/run.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../networks.h"
#include "streamed.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// An experiment whose levels are these lines, over train.csv.
std::string kind_of(const std::string& levels, const std::string& hierarchy = "") {
  return "experiment: kinds\nseed: 5\ndtype: float64\n"
         "data:\n"
         "  {source: file, path: train.csv, columns: [a, b, c], targets: [gain], labels: state,\n"
         "   window: 2, normalize: zscore}\n"
         "hierarchy:\n" +
         hierarchy + "  levels:\n" + levels;
}

/// Checks that a stream which is cut after every few rows, once with nothing between two cuts,
/// gives these answers.
void check_cut(const Streamed& folder, StreamOptions options, const std::vector<StreamRow>& all,
               const std::vector<double>& answers) {
  options.state = folder.path("cut.h5");
  std::optional<LiveStream> stream(std::in_place, folder.result(), options);
  std::vector<double> cut;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<double> answer = stream->push(all[i]).values;
    cut.insert(cut.end(), answer.begin(), answer.end());
    for (std::size_t k = 0; k < (i == 40 ? 2U : i % 11 == 2 ? 1U : 0U); ++k) {
      stream->keep();
      stream.emplace(folder.result(), options);
    }
  }
  CHECK(same_bits(cut, answers));
}

/// The most by which a stream that learns differs from a run in any level or weights.
double apart(const std::string& trained, const std::string& again) {
  const Streamed folder(trained);
  const std::vector<StreamRow> all = stream_rows(400, 150);
  folder.write("new.csv", csv_of(all));
  folder.run("again", again, "again.h5");
  const Datasets run = datasets_of(folder.path("again.h5"));
  StreamOptions options{.learn = true};
  for (int n = 0; run.contains("/levels/" + std::to_string(n) + "/representation"); ++n) {
    options.outputs.push_back("level " + std::to_string(n));
  }
  LiveStream stream(folder.result(), options);
  const std::vector<double> answers = answers_to(stream, all);
  stream.keep();
  const Datasets kept = datasets_of(stream.state_path());
  check_cut(folder, options, all, answers);
  double most = 0.0;
  const auto compare = [&](double a, double b) {
    most = std::max(most, a == b || (std::isnan(a) && std::isnan(b)) ? 0.0 : std::abs(a - b));
  };
  std::size_t first = 0;
  double moved = 0.0;
  for (std::size_t n = 0; n < options.outputs.size(); ++n) {
    const std::string level = "/levels/" + std::to_string(n);
    const std::vector<double>& steps = run.at(level + "/step");
    const std::vector<double>& ticks = run.at(level + "/representation");
    const std::size_t width = ticks.size() / steps.size();
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const std::size_t row = static_cast<std::size_t>(steps[k]) + 1;
      for (std::size_t i = 0; i < width; ++i) {
        compare(answers[row * stream.fields().size() + first + i], ticks[k * width + i]);
      }
    }
    first += width;
    for (const std::string part : {"/layers/0/weights", "/layers/0/lateral/weights",
                                   "/layers/0/recurrent", "/top_down/weights"}) {
      const auto found = run.find(level + part);
      const auto here = kept.find("/state/hierarchy" + level + part);
      if (found == run.end()) continue;
      REQUIRE(here != kept.end());
      REQUIRE(here->second.size() == found->second.size());
      for (std::size_t i = 0; i < found->second.size(); ++i) {
        compare(here->second[i], found->second[i]);
      }
      const auto before = run.find(level + part + "_initial");
      if (before != run.end()) moved += same_bits(before->second, found->second) ? 0.0 : 1.0;
    }
  }
  CHECK(moved > 0.0);
  return most;
}

double apart(const std::string& levels, const char* hierarchy = "") {
  const std::string yaml = kind_of(levels, hierarchy);
  return apart(yaml, begun(yaml));
}

}  // namespace

TEST_CASE("connections from above and within a level learn in a stream as in a run") {
  CHECK(apart("    - layers:\n"
              "        - {type: hebbian, size: 4, rule: oja, learning_rate: 0.01,\n"
              "           lateral: {form: triangle, rule: apex}}\n"
              "    - temporal_resolution: 2\n      layers:\n"
              "        - {type: hebbian, size: 3, rule: oja, learning_rate: 0.01, top_down:\n"
              "           {from: 2, as: gain, target: gain, learning_rate: 0.01}}\n"
              "    - temporal_resolution: 5\n      pooling: mean\n"
              "      layers: [{type: hebbian, size: 2, rule: sanger, learning_rate: 0.01}]\n") ==
        0.0);
}

TEST_CASE("rules with noise, traces and synapses go on in a stream as in a run") {
  CHECK(apart("    - layers:\n"
              "        - {type: hebbian, size: 4, rule: oja, learning_rate: 0.01,\n"
              "           rewire: {density: 0.5, every: 20, share: 0.2}}\n"
              "    - temporal_resolution: 2\n      layers:\n        - type: hebbian\n"
              "          size: 2\n          rule:\n            equations: |\n"
              "              y = tanh(z + 0.1*normal())\n"
              "              de = -e/6 + y*pre\n"
              "              dw = 0.02*e*gain - 0.001*w\n"
              "            traces: {pre: 4}\n"
              "            signals: {gain: gain}\n") == 0.0);
}

TEST_CASE("layers that do not learn and temporal ones agree with a run within rounding") {
  CHECK(apart("    - layers:\n"
              "        - {type: temporal, size: 6, leak: 0.3}\n"
              "    - layers: [{type: reactive, size: 5}]\n"
              "    - temporal_resolution: 3\n"
              "      pooling: {legendre: 2}\n"
              "      layers: [{type: hebbian, size: 3, rule: oja, learning_rate: 0.01}]\n") <
        1e-12);
}

TEST_CASE("automatic rates are those that the run has come to") {
  CHECK(apart("    - layers: [{type: hebbian, size: 4, rule: oja, learning_rate: auto}]\n"
              "    - temporal_resolution: 2\n"
              "      layers: [{type: hebbian, size: 3, rule: oja, learning_rate: auto}]\n") == 0.0);
}

TEST_CASE("rates under a schedule are those of its end") {
  const auto levels = [](double rate) {
    return "    - layers: [{type: hebbian, size: 4, rule: oja, learning_rate: " +
           number_text(rate) + "}]\n";
  };
  RateSchedule schedule{.kind = RateSchedule::Kind::half_life, .steps = 1280};
  const double factor = rate_factor(schedule, 398);  // of 399 steps
  CHECK(factor < 0.9);
  const std::string trained = kind_of(levels(0.01), "  schedule: {half_life: 1280}\n");
  CHECK(apart(trained, begun(kind_of(levels(0.01 * factor)))) == 0.0);
  CHECK(apart(trained, begun(kind_of(levels(0.01)))) > 1e-6);
}

TEST_CASE("a filter goes on without the values that are missing") {
  const std::string yaml =
      "experiment: filters\nseed: 5\ndtype: float64\n"
      "data: {source: file, path: train.csv, columns: [a, b, c], targets: [gain], missing: keep,\n"
      "       normalize: zscore}\n"
      "hierarchy:\n  levels:\n"
      "    - layers: [{type: kalman, model: velocity, adapt: R}]\n"
      "    - layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.01}]\n";
  const Streamed folder(yaml);
  std::vector<StreamRow> all = stream_rows(400, 90);
  for (const std::size_t row : {0U, 20U, 21U, 22U, 50U}) all[row].values[row % 3] = kMissing;
  const Datasets applied = folder.apply_to(all);
  LiveStream stream(folder.result(), {.outputs = {"level 0"}});
  const std::vector<double> answers = answers_to(stream, all);
  const std::vector<double>& expected = applied.at("/levels/0/representation");
  REQUIRE(answers.size() == expected.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    CHECK(answers[i] == Approx(expected[i]).margin(1e-12));
  }
}

TEST_CASE("inputs that leave their moments are warned of once, whenever the stream was cut") {
  const Streamed folder(
      kind_of("    - layers: [{type: hebbian, size: 4, rule: oja, learning_rate: 0.001}]\n"));
  std::vector<StreamRow> all = stream_rows(400, 500);
  for (std::size_t i = 100; i < all.size(); ++i) all[i].values[0] += 100.0;
  std::optional<LiveStream> stream(std::in_place, folder.result(), StreamOptions{});
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const std::string& one : stream->push(all[i]).warnings) {
      CHECK(i > 100);
      CHECK(i < 300);
      warnings.push_back(one);
    }
    if (i % 90 != 89) continue;
    stream->keep();
    stream.emplace(folder.result(), StreamOptions{});
  }
  REQUIRE(warnings.size() == 1);
  CHECK_SAYS(warnings.front(), "channel a");
}

FOLDER_TEST_CASE("no stream is made of a network") {
  Experiment experiment = load_experiment(folder.write("n.yaml", kSeries),
                                          {.set = {"device=cpu"}, .output = folder.path("n.h5")});
  run_experiment(experiment, {});
  CHECK_SAYS(complaint_of<ConfigError>([&] { LiveStream(folder.path("n.h5")); }),
             "is the result of a network");
}
