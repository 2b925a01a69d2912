// SPDX-License-Identifier: MIT
/// \file
/// A search for several objectives: what its section refuses, which front it finds and leaves, and
/// that it goes on after a cut with the same candidates.
#include "../../../src/experiment/sweep/search_front.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/sweep/counted_weights.h"
#include "../../../src/experiment/sweep/search_results.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/temp_dir.h"
#include "../../support/text.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Neurons that find components of a series, more of them the more there are.
const std::string kNeurons =
    "experiment: neurons\nseed: 3\n"
    "data: {source: generator, kind: gaussian, spectrum: [3, 2, 1, 0.5], steps: 400}\n"
    "hierarchy:\n  levels:\n    - layers:\n"
    "        - {type: hebbian, size: 2, rule: sanger, learning_rate: 0.002, init: normal}\n"
    "readouts:\n"
    "  - {name: component, target: {latent: 2}, levels: [0],\n"
    "     split: {train: 0.4, validation: 0.3, test: 0.3}}\n"
    "  - {name: first, target: {latent: 0}, levels: [0],\n"
    "     split: {train: 0.4, validation: 0.3, test: 0.3}}\n";
const std::string kLayer = "hierarchy.levels[0].layers[0]";
const std::string kParameters = "  parameters:\n    " + kLayer +
                                ".learning_rate: {log_range: [1.0e-4, 0.01]}\n    " + kLayer +
                                ".size: {range: [1, 4], integer: true}\n";
const std::string kFront = kParameters +
                           "  objectives: [{readout: component, score: r2}, weights]\n"
                           "  reference: [0, 30]\n";

SearchMembers front_by(const TempDir& folder, const std::string& section, const char* output) {
  return {folder.write("e.yaml", kNeurons + "search:\n" + section),
          {.output = folder.path(output)}};
}

std::string refused_front(const std::string& section) {
  const TempDir folder;
  return complaint_of<ConfigError>([&] { front_by(folder, section, "out"); });
}

/// Runs every member in this process, the last first.
std::optional<std::vector<std::int64_t>> run_backwards(const SearchMembers& members,
                                                       std::int64_t first) {
  for (std::int64_t i = members.size() - 1; i >= first; --i) {
    if (std::filesystem::exists(members.result_path(i))) continue;
    Experiment experiment = members.load(i);
    run_hierarchy(experiment, {.overwrite = true});
  }
  return std::vector<std::int64_t>();
}

}  // namespace

TEST_CASE("objectives that are wrong are refused with place and reason") {
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  CHECK(refused_front(kFront) == "");
  const auto with = [&](const std::string& objectives) {
    return refused_front(kParameters + "  objectives: " + objectives + "\n");
  };
  CHECK(with("[{readout: first, score: r2}, {readout: component, score: nrmse}, time]") == "");
  CHECK(with("[{readout: first, score: r2, goal: minimise}, {measure: weights, goal: maximise}]") ==
        "");
  contains(with("[weights]"), "search.objectives: expected a list of 2 to 8 objectives");
  contains(with("[weights, {readout: first, score: r2}]"),
           "search.objectives[0]: the first objective must be a readout's score");
  contains(with("[{readout: first, score: r2}, wieghts]"),
           "search.objectives[1]: expected {readout: NAME, score: r2} or one of weights, time");
  contains(with("[{readout: first, score: r2}, wieghts]"), "did you mean 'weights'?");
  contains(with("[{readout: first, score: r2}, {readout: first, score: r2}]"),
           "search.objectives[1]: first_r2 comes twice");
  contains(with("[{readout: first, score: r2}, {readout: firts, score: r2}]"),
           "search.objectives[1].readout: there is no readout 'firts' (did you mean 'first'?)");
  contains(with("[{readout: first, score: r2}, {readout: component, score: auc}]"),
           "search.objectives[1].score: readout component has no score 'auc'");
  contains(with("[{readout: first, score: r2}, {measure: weights, goal: less}]"),
           "search.objectives[1].goal: expected one of minimise, maximise");
  contains(with("[{readout: first, score: r2}, {measure: weights, score: r2}]"),
           "search.objectives[1].score: unknown key");
  contains(refused_front(kFront + "  objective: {readout: first, score: r2}\n"),
           "objective says what candidates are chosen by; remove one of them");
  contains(refused_front(kFront + "  separable: true\n"),
           "has no effect on a search for several objectives");
  contains(refused_front(kParameters + "  objectives: [{readout: first, score: r2}, weights]\n"
                                       "  reference: [0]\n"),
           "search.reference: expected a finite number for each of 2 objectives");
  contains(
      refused_front(kParameters + "  objective: {readout: first, score: r2}\n  reference: [0]\n"),
      "search.reference: is for several objectives");
}

FOLDER_TEST_CASE(
    "a search for a front leaves the front, its volume and the best by each objective") {
  SearchMembers members =
      front_by(folder, kFront + "  population: 6\n  generations: 3\n  seeds: 2\n", "out");
  std::vector<SearchProgress> told;
  const SearchSummary summary = run_search(
      members, run_backwards, [&](const SearchProgress& progress) { told.push_back(progress); });
  REQUIRE(summary.candidates.size() == 1 + 18 + 18);
  REQUIRE(summary.best);

  // Every value stands in the file of its run, and weights are 4 for a neuron, one for it in each
  // readout, and two intercepts.
  std::vector<double> r2;
  std::vector<double> weights;
  for (std::size_t i = 0; i < summary.candidates.size(); ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 2; ++k) {
      const hdf5::File file =
          hdf5::File::open(members.result_path(static_cast<std::int64_t>(2 * i + k)));
      const double score = file.open_group("readouts")
                               .open_group("component")
                               .number_attribute("validation_r2")
                               .value();
      const std::int64_t size = file.open_dataset("levels/0/layers/0/weights").shape().front();
      CHECK(summary.candidates[i].values_of(0)[k] == score);
      CHECK(summary.candidates[i].values_of(1)[k] == static_cast<double>(6 * size + 2));
      CHECK(count_weights(file) == 6 * size + 2);
      sum += score;
    }
    r2.push_back(sum / 2);
    weights.push_back(summary.candidates[i].means()[1]);
  }
  // The front by plain comparison.
  const auto front_of = [&](std::size_t from, std::size_t to) {
    std::vector<std::size_t> front;
    for (std::size_t i = from; i < to; ++i) {
      bool is_free = true;
      for (std::size_t k = from; k < to; ++k) {
        is_free = is_free && !(r2[k] >= r2[i] && weights[k] <= weights[i] &&
                               (r2[k] > r2[i] || weights[k] < weights[i]));
      }
      if (is_free) front.push_back(i);
    }
    return front;
  };
  CHECK(summary.front == front_of(1, 19));
  CHECK(summary.front_at_random == front_of(19, 37));
  // Its volume: a sweep over weights up to the reference of 30 and an r2 of 0.
  const auto volume_up_to = [&](std::size_t from, std::size_t to) {
    double volume = 0.0;
    for (std::size_t size = 0; size < 30; ++size) {
      double best = 0.0;
      for (std::size_t i = from; i < to; ++i) {
        if (weights[i] <= static_cast<double>(size)) best = std::max(best, r2[i]);
      }
      volume += best;
    }
    return volume;
  };
  const std::vector<double> volumes = hypervolumes_so_far(members, summary);
  CHECK(std::isnan(volumes[0]));
  for (std::size_t i = 1; i < 37; ++i) {
    CHECK_THAT(volumes[i], Catch::Matchers::WithinAbs(volume_up_to(i < 19 ? 1 : 19, i + 1), 1e-10));
  }
  REQUIRE(told.size() == 4);
  CHECK(told[2].on_front == std::ssize(summary.front));
  CHECK_THAT(told[1].hypervolume, Catch::Matchers::WithinAbs(volume_up_to(1, 13), 1e-10));

  const CollectedSearch collected = collect_search(members, summary);
  REQUIRE(collected.best_by.size() == 1);
  CHECK(collected.best_by[0] == folder.path("out/best-weights.yaml"));
  const std::string least = file_text(collected.best_by[0]);
  INFO(least);
  CHECK(least.find("# Found by gaia search") == 0);
  CHECK(least.find(", weights\n") != std::string::npos);
  Experiment again = load_experiment(collected.best_by[0], {.output = folder.path("again.h5")});
  run_hierarchy(again);
  CHECK(static_cast<double>(count_weights(hdf5::File::open(folder.path("again.h5")))) ==
        *std::min_element(weights.begin() + 1, weights.begin() + 19));

  const hdf5::File index = hdf5::File::open(collected.members.index);
  const hdf5::Group front = index.open_group("search").open_group("front");
  CHECK(front.texts_attribute("objectives") == std::vector<std::string>{"component_r2", "weights"});
  CHECK(front.texts_attribute("goals") == std::vector<std::string>{"maximise", "minimise"});
  CHECK(front.open_dataset("reference").read<double>() == std::vector<double>{0.0, 30.0});
  CHECK(front.number_attribute("hypervolume") == volumes[18]);
  CHECK(front.number_attribute("hypervolume_at_random") == volumes[36]);
  CHECK(front.open_dataset("values").shape() == std::vector<std::int64_t>{37, 2, 2});
  const std::vector<double> means = front.open_dataset("mean").read<double>();
  const std::vector<std::int64_t> on = front.open_dataset("on_front").read<std::int64_t>();
  for (std::size_t i = 0; i < 37; ++i) {
    CHECK(means[2 * i] == summary.candidates[i].mean());
    CHECK(means[2 * i + 1] == weights[i]);
    const auto& of_kind = i < 19 ? summary.front : summary.front_at_random;
    CHECK((on[i] == 1) == (std::find(of_kind.begin(), of_kind.end(), i) != of_kind.end()));
  }
  const std::string history = file_text(collected.history);
  CHECK(history.find("first_member,objective component_r2,objective weights,on_front,"
                     "hypervolume_so_far\n") != std::string::npos);
  const std::string text = search_text(members, summary);
  INFO(text);
  CHECK(text.find("front    candidate  component_r2            weights ") != std::string::npos);
  CHECK(text.find("hypervolume ") != std::string::npos);
  CHECK(text.find(", of as many at random ") != std::string::npos);

  // A file of somebody else is not replaced.
  folder.write("out/best-weights.yaml", "mine\n");
  CHECK_THROWS_WITH_TEXT(collect_search(members, summary), OutputError, "move it away");
}

FOLDER_TEST_CASE("a search for a front that was cut goes on with the same candidates") {
  const std::string section =
      kFront + "  population: 4\n  generations: 3\n  seeds: 1\n  random_control: false\n";
  SearchMembers members = front_by(folder, section, "whole");
  const SearchSummary whole = run_search(members, run_backwards);
  CHECK(whole.front_at_random.empty());
  SearchMembers first = front_by(folder, section, "cut");
  int generations = 0;
  const SearchSummary cut = run_search(
      first,
      [&](const SearchMembers& all, std::int64_t from) -> std::optional<std::vector<std::int64_t>> {
        if (generations++ == 2) return std::nullopt;
        return run_backwards(all, from);
      });
  CHECK(cut.interrupted);
  SearchMembers second = front_by(folder, section, "cut");
  const SearchSummary on = run_search(second, run_backwards);
  CHECK(history_csv(second, on) == history_csv(members, whole));
  CHECK(on.front == whole.front);
}

FOLDER_TEST_CASE("time is an objective that no two runs share, so members are run one by one") {
  const std::string parameters =
      "  parameters:\n    " + kLayer + ".learning_rate: {range: [0, 0.01]}\n";
  const std::string rest = "  population: 4\n  evaluations: 4\n  seeds: 1\n  method: random\n";
  SearchMembers timed = front_by(
      folder, parameters + "  objectives: [{readout: first, score: r2}, time]\n" + rest, "timed");
  CHECK(timed.section().is_timed());
  CHECK_FALSE(timed.may_be_replicas());
  const SearchSummary summary = run_search(timed, run_backwards);
  for (const SearchCandidate& one : summary.candidates) CHECK(one.values_of(1)[0] > 0.0);
  // Without a reference nothing is measured.
  CHECK(history_csv(timed, summary).find("hypervolume") == std::string::npos);
  SearchMembers sized =
      front_by(folder, parameters + "  objectives: [{readout: first, score: r2}, weights]\n" + rest,
               "sized");
  CHECK(sized.may_be_replicas());
}
