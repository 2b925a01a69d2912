// SPDX-License-Identifier: MIT
/// \file
/// A search over the keys of an experiment: what it refuses, which candidates there are, what it
/// finds and leaves.
#include "../../../src/experiment/sweep/search_run.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/sweep/search_results.h"
#include "../../../src/experiment/sweep/sweep.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/temp_dir.h"
#include "../../support/text.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// A neuron that is to find the component of most variance, at a rate at which it does not move.
const std::string kNeuron =
    "experiment: neuron\nseed: 3\n"
    "data: {source: generator, kind: gaussian, spectrum: [3, 1, 0.5], steps: 400}\n"
    "hierarchy:\n  levels:\n    - layers:\n"
    "        - {type: hebbian, size: 1, rule: oja, learning_rate: 1.0e-6, init: normal}\n"
    "readouts:\n"
    "  - {name: component, target: {latent: 0}, levels: [0],\n"
    "     split: {train: 0.4, validation: 0.3, test: 0.3}}\n";
const std::string kRate = "hierarchy.levels[0].layers[0].learning_rate";
const std::string kRule = "hierarchy.levels[0].layers[0].rule";
const std::string kGood = "  parameters:\n    " + kRate +
                          ": {log_range: [1.0e-5, 0.1]}\n"
                          "  objective: {readout: component, score: r2}\n";

SearchMembers search_by(const TempDir& folder, const std::string& section,
                        const Overrides& overrides = {}) {
  return {folder.write("e.yaml", kNeuron + "search:\n" + section), overrides};
}

/// What is said to be wrong with a section.
std::string refused(const std::string& section) {
  const TempDir folder;
  return complaint_of<ConfigError>([&] {
    SearchMembers members = search_by(folder, section);
    members.set_ends();
    members.check([](std::int64_t, Experiment&) {});
  });
}

/// Runs every member in this process.
std::optional<std::vector<std::int64_t>> run_here(const SearchMembers& members,
                                                  std::int64_t first) {
  std::vector<std::int64_t> diverged;
  for (std::int64_t i = first; i < members.size(); ++i) {
    if (std::filesystem::exists(members.result_path(i))) continue;
    Experiment experiment = members.load(i);
    try {
      run_hierarchy(experiment, {.overwrite = true});
    } catch (const DivergedError&) {
      diverged.push_back(i);
    }
  }
  return diverged;
}

double validation_r2(const std::string& result) {
  const hdf5::File file = hdf5::File::open(result);
  return file.open_group("readouts")
      .open_group("component")
      .number_attribute("validation_r2")
      .value();
}

}  // namespace

TEST_CASE("a section `search` that is wrong is refused with place and reason") {
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  CHECK(refused(kGood) == "");
  const std::string objective = "  objective: {readout: component, score: r2}\n";
  const auto with = [&](const std::string& parameter) {
    return refused("  parameters:\n    " + parameter + "\n" + objective);
  };
  contains(refused(objective), "search.parameters: is missing");
  contains(refused("  parameters:\n    " + kRate + ": {range: [0, 1]}\n"),
           "search.objective: is missing: {readout: NAME, score: r2}");
  contains(with("seed: {range: [0, 5], integer: true}"),
           "search.parameters.seed: cannot be searched; `seeds` says how many");
  contains(with("output.path: [a, b]"), "cannot be varied: the runs of a search");
  contains(with(kRate + ": 0.1"), "expected {range: [a, b]}, {log_range: [a, b]}");
  contains(with(kRate + ": {range: [1, 0]}"), "expected [a, b] with a < b");
  contains(with(kRate + ": {log_range: [0, 1]}"), "expected numbers > 0");
  contains(with(kRate + ": {range: [0.5, 2], integer: true}"), "expected two integers");
  contains(with(kRate + ": {range: [0, 1], steps: 3}"), "steps");
  contains(with(kRule + ": [oja, oja]"), "comes twice");
  contains(with(kRate + ": {range: [0, 1]}\n    hierarchy.levels[0].layers[0]: [a, b]"),
           "is varied too (line 13), and one holds the other");
  // A range beyond what a key may be is found before anything runs.
  contains(with(kRate + ": {range: [-1, 1]}"), kRate + ": expected a number");
  contains(with(kRule + ": [oja, ojaa, sanger]"), "unknown rule 'ojaa' (did you mean 'oja'?)");
  contains(with("hierarchy.levels[0].layers[0].lerning_rate: {range: [0, 1]}"),
           "lerning_rate: unknown key 'lerning_rate' (did you mean 'learning_rate'?)");

  const std::string parameters = "  parameters:\n    " + kRate + ": {range: [0, 1]}\n";
  const auto judged = [&](const std::string& text) {
    return refused(parameters + "  objective: " + text + "\n");
  };
  contains(judged("{readout: componen, score: r2}"),
           "search.objective.readout: there is no readout 'componen' (did you mean 'component'?)");
  contains(judged("{readout: component, score: mse}"), "expected one of nrmse, r2");
  contains(judged("{readout: component, score: accuracy}"),
           "search.objective.score: readout component has no score 'accuracy'; it has nrmse, r2");
  contains(judged("{readout: component}"), "search.objective.score: is missing");
  contains(judged("{readout: component, score: r2, split: test}"),
           "search.objective.split: unknown key");
  contains(refused(kGood + "  generations: 3\n"), "needs population");
  contains(refused(kGood + "  generations: 3\n  population: 8\n  evaluations: 20\n"),
           "evaluations says how long it searches");
  contains(refused(kGood + "  population: 3\n"), "expected an integer from 4 to");
  contains(refused(kGood + "  seeds: 0\n"), "expected an integer from 1 to 1000, got");
  contains(refused(kGood + "  method: random\n  separable: true\n"), "has no effect on a random");
  contains(refused(kGood + "  method: cmaes\n"), "expected one of cma_es, random, got");
  contains(refused(kGood + "  evaluations: 100000\n  seeds: 1000\n"), "are more than");
  contains(refused(kGood + "  budget: 10\n"), "search.budget: unknown key");
  contains(refused(kGood + "sweep: {seeds: 2}\n"), "a file has either sweep or search");
}

FOLDER_TEST_CASE("candidates are judged by a readout that has a validation part") {
  const std::string file = folder.write("e.yaml", kNeuron + "search:\n" + kGood);
  CHECK_THROWS_WITH_TEXT(
      SearchMembers(file, {.set = {"readouts[0].split={train: 0.7, test: 0.3}"}}), ConfigError,
      "has no validation part by which candidates could be chosen");
  CHECK_THROWS_WITH_TEXT(SearchMembers(file, {.set = {"search=null"}}), ConfigError,
                         "has no search; `gaia run ");
  CHECK_THROWS_WITH_TEXT(load_experiment(file), ConfigError, "`gaia search ");
  CHECK_THROWS_WITH_TEXT(Sweep(file, {}), ConfigError, "has no sweep; `gaia search ");
}

FOLDER_TEST_CASE("a search makes errors small and other scores large") {
  const auto is_minimised = [&](const std::string& kind, const std::string& objective) {
    const Overrides overrides{.set = {"readouts[0]={name: component, levels: [0], " + kind +
                                      ", split: {train: 0.4, validation: 0.3, test: 0.3}}"}};
    const std::string section = "  parameters:\n    " + kRate +
                                ": {log_range: [1.0e-5, 0.1]}\n"
                                "  objective: {readout: component, " +
                                objective + "}\n";
    return search_by(folder, section, overrides).section().is_minimised();
  };
  const std::string latent = "target: {latent: 0}";
  CHECK(is_minimised(latent, "score: nrmse"));
  CHECK_FALSE(is_minimised(latent, "score: r2"));
  CHECK(is_minimised("type: statistic, of: quantisation", "score: quantisation_error"));
  CHECK_FALSE(is_minimised("type: statistic, of: kurtosis", "score: kurtosis"));
}

FOLDER_TEST_CASE("a search finds a rate at which a neuron learns, and says what it is worth") {
  SearchMembers members =
      search_by(folder, kGood + "  evaluations: 24\n  seeds: 2\n", {.output = folder.path("out")});
  REQUIRE(members.own_values());
  const SearchSummary summary = run_search(members, run_here);
  REQUIRE_FALSE(summary.interrupted);
  REQUIRE(summary.own == 0u);
  REQUIRE(summary.best);
  REQUIRE(summary.at_random);
  // The file's own, then CMA-ES and as many at random.
  const auto count = [&](CandidateKind kind) {
    return std::count_if(summary.candidates.begin(), summary.candidates.end(),
                         [&](const SearchCandidate& one) { return one.kind == kind; });
  };
  CHECK(count(CandidateKind::own) == 1);
  CHECK(count(CandidateKind::searched) >= 24);
  CHECK(count(CandidateKind::at_random) == count(CandidateKind::searched));
  // Every score stands in the file of its run.
  for (std::size_t i = 0; i < summary.candidates.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      const auto member = static_cast<std::int64_t>(2 * i + k);
      CHECK(summary.candidates[i].scores[k] == validation_r2(members.result_path(member)));
    }
  }
  const SearchCandidate& best = summary.candidates[*summary.best];
  CHECK(best.mean() > summary.candidates[0].mean() + 0.1);
  for (const SearchCandidate& one : summary.candidates) {
    if (one.kind == CandidateKind::searched) CHECK(one.mean() <= best.mean());
  }

  const CollectedSearch collected = collect_search(members, summary);
  // best.yaml runs, and is the best's first member.
  Experiment again = load_experiment(collected.best, {.output = folder.path("again.h5")});
  run_hierarchy(again);
  CHECK(validation_r2(folder.path("again.h5")) ==
        validation_r2(
            members.result_path(members.member_of(static_cast<std::int64_t>(*summary.best)))));
  const std::string history = file_text(collected.history);
  CHECK(std::count(history.begin(), history.end(), '\n') == 1 + std::ssize(summary.candidates));
  INFO(history);
  CHECK(history.rfind("candidate,kind,generation,learning_rate,mean,deviation,best_so_far,"
                      "first_member\n0,own,0,1.0e-06,",
                      0) == 0);
  const hdf5::File index = hdf5::File::open(collected.members.index);
  const hdf5::Group group = index.open_group("search");
  CHECK(group.integer_attribute("best_candidate") == static_cast<std::int64_t>(*summary.best));
  CHECK(group.text_attribute("score") == "r2");
  CHECK(group.open_dataset("scores").shape() ==
        std::vector<std::int64_t>{std::ssize(summary.candidates), 2});
  const std::vector<double> means = group.open_dataset("mean").read<double>();
  const std::vector<double> so_far = group.open_dataset("best_so_far").read<double>();
  double most = -INFINITY;
  for (std::size_t i = 1; i < means.size(); ++i) {
    if (summary.candidates[i].kind != CandidateKind::searched) break;
    most = std::max(most, means[i]);
    CHECK(so_far[i] == most);
  }
  // The chosen are judged by the test part with ten other seeds, which chose none of them.
  const std::string text = search_text(members, summary);
  INFO(text);
  REQUIRE(summary.judged.size() == 3);
  const hdf5::Group held_out = group.open_group("held_out");
  CHECK(held_out.open_dataset("seed").read<std::int64_t>() ==
        std::vector<std::int64_t>{5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
  const std::vector<double> judged = held_out.open_dataset("score").read<double>();
  const std::int64_t first = std::ssize(summary.candidates) * 2;
  for (std::int64_t i = 0; i < 30; ++i) {
    const hdf5::File run = hdf5::File::open(members.result_path(first + i));
    CHECK(run.integer_attribute("seed") == 5 + i % 10);
    CHECK(run.open_group("readouts").open_group("component").number_attribute("r2") ==
          judged[static_cast<std::size_t>(i)]);
  }
  CHECK(text.find("test, 10 other seeds") != std::string::npos);
  CHECK(text.find("What was found is better than the file's own values (test r2 ") !=
        std::string::npos);
  CHECK(text.find(" with 10 seeds that chose neither, ahead at 10, sign test p 0.002).") !=
        std::string::npos);
  CHECK(text.find("the best of as many at random (test r2 ") != std::string::npos);

  // A file of somebody else is not replaced.
  folder.write("out/history.csv", "mine\n");
  CHECK_THROWS_WITH_TEXT(collect_search(members, summary), OutputError,
                         "was not written by a search; move it away");
  CHECK(file_text(folder.path("out/history.csv")) == "mine\n");
}

FOLDER_TEST_CASE("a search that was cut goes on with the same candidates") {
  const std::string section =
      kGood + "  evaluations: 12\n  population: 4\n  seeds: 1\n  random_control: false\n";
  SearchMembers members = search_by(folder, section, {.output = folder.path("whole")});
  const SearchSummary whole = run_search(members, run_here);
  CHECK_FALSE(whole.at_random);

  SearchMembers first(folder.path("e.yaml"), {.output = folder.path("cut")});
  std::int64_t generations = 0;
  const SearchSummary cut = run_search(
      first,
      [&](const SearchMembers& all, std::int64_t from) -> std::optional<std::vector<std::int64_t>> {
        if (generations++ == 2) return std::nullopt;
        return run_here(all, from);
      });
  CHECK(cut.interrupted);
  CHECK(cut.candidates.size() == 1 + 4);
  SearchMembers second(folder.path("e.yaml"), {.output = folder.path("cut")});
  CHECK(history_csv(second, run_search(second, run_here)) == history_csv(members, whole));
}

FOLDER_TEST_CASE("a candidate whose run diverges is the worst, and has no score") {
  SearchMembers members =
      search_by(folder,
                "  parameters:\n    " + kRate + ": {log_range: [0.001, 1.0e+6]}\n" +
                    "  objective: {readout: component, score: nrmse}\n"
                    "  evaluations: 12\n  population: 6\n  seeds: 1\n  random_control: false\n",
                {.output = folder.path("out")});
  const SearchSummary summary = run_search(members, run_here);
  const auto diverged =
      std::count_if(summary.candidates.begin(), summary.candidates.end(),
                    [](const SearchCandidate& one) { return std::isnan(one.mean()); });
  CHECK(diverged > 0);
  REQUIRE(summary.best);
  // nrmse is minimised.
  for (const SearchCandidate& one : summary.candidates) {
    if (one.kind == CandidateKind::searched && !std::isnan(one.mean())) {
      CHECK(one.mean() >= summary.candidates[*summary.best].mean());
    }
  }
  const std::string history = history_csv(members, summary);
  CHECK(history.find(",,,") != std::string::npos);
  for (const SearchCandidate& one : summary.candidates) {
    CHECK(one.reason.empty() != std::isnan(one.mean()));
    if (one.reason.empty()) continue;
    CHECK(one.reason.find("its run diverged: ") == 0);
    CHECK(one.reason.find("at step ") != std::string::npos);
  }
}

FOLDER_TEST_CASE(
    "choices and whole numbers are searched, beside nothing where the file leaves one out") {
  SearchMembers members =
      search_by(folder,
                "  parameters:\n    " + kRule + ": [oja, hebbian, sanger]\n" +
                    "    hierarchy.levels[0].layers[0].size: {range: [1, 3], integer: true}\n"
                    "    data.sample_rate: {range: [10, 20]}\n"
                    "  objective: {readout: component, score: r2}\n"
                    "  method: random\n  evaluations: 9\n  seeds: 1\n",
                {.output = folder.path("out")});
  CHECK_FALSE(members.own_values());
  const SearchSummary summary = run_search(members, run_here);
  CHECK_FALSE(summary.own);
  REQUIRE(summary.candidates.size() == 9);
  std::vector<std::string> rules;
  for (std::int64_t i = 0; i < 9; ++i) {
    const std::vector<MemberSetting> settings = members.settings(i);
    rules.push_back(settings[0].value.text);
    const double size = std::stod(settings[1].value.text);
    CHECK((size == 1.0 || size == 2.0 || size == 3.0));
    CHECK(settings[1].value.text.find('.') == std::string::npos);
  }
  for (const char* rule : {"oja", "hebbian", "sanger"}) {
    CHECK(std::find(rules.begin(), rules.end(), rule) != rules.end());
  }
}

FOLDER_TEST_CASE("a candidate without a validation score is told apart from one that diverged") {
  // The target does not vary in the validation part.
  std::string rows = "a,b\n";
  for (int t = 0; t < 200; ++t) {
    rows += std::to_string(std::sin(0.3 * t)) + "," + (t < 80 || t > 160 ? "1" : "0") +
            (t < 80 ? std::to_string(t % 7) : "") + "\n";
  }
  folder.write("d.csv", rows);
  const std::string text =
      "experiment: flat\ndevice: cpu\ndata: {source: file, path: d.csv}\nhierarchy:\n"
      "  levels: [{layers: [{type: hebbian, size: 1, rule: oja, learning_rate: 0.001}]}]\n"
      "readouts:\n  - {name: component, target: {channel: 1, horizon: 1}, levels: [0],\n"
      "     split: {train: 0.45, validation: 0.3, test: 0.25}}\nsearch:\n" +
      kGood + "  evaluations: 4\n  seeds: 1\n  random_control: false\n";
  SearchMembers members(folder.write("e.yaml", text), {.output = folder.path("out")});
  const SearchSummary summary = run_search(members, run_here);
  CHECK_FALSE(summary.best);
  CHECK(summary.judged.empty());
  const std::string told = search_text(members, summary);
  INFO(told);
  CHECK(told.find("own              0  no score: its validation r2 is not defined") !=
        std::string::npos);
  CHECK(told.find("found    nothing: no candidate has a score; of the first its validation r2 is "
                  "not defined\n") != std::string::npos);
  CHECK(told.find("diverged") == std::string::npos);
}

FOLDER_TEST_CASE("halving judges candidates by short runs first, and few of them by whole ones") {
  const std::string section =
      kGood +
      "  method: random\n  evaluations: 9\n  seeds: 2\n  held_out_seeds: 4\n"
      "  halving: {factor: 3, rungs: 3, shortens: [data.steps]}\n";
  SearchMembers members = search_by(folder, section, {.output = folder.path("out")});
  CHECK(members.section().searched_runs() == 2 * (9 + 3 + 1));
  CHECK(members.section().whole_runs() == Approx(2 * 3.0));
  const SearchSummary summary = run_search(members, run_here);
  REQUIRE(summary.candidates.size() == 1 + 9 + 3 + 1);
  CHECK(summary.why_stopped == "all rungs are done");
  // Its rungs have 400/9, 400/3 and 400 steps of data.
  const std::vector<std::size_t> begin = {1, 10, 13, 14};
  const std::vector<std::int64_t> steps = {44, 133, 400};
  for (std::size_t rung = 0; rung < 3; ++rung) {
    std::vector<std::size_t> stay;  // by an order of its own
    for (std::size_t i = begin[rung]; i < begin[rung + 1]; ++i) {
      const SearchCandidate& one = summary.candidates[i];
      CHECK(one.generation == static_cast<std::int64_t>(rung));
      CHECK(one.steps == 2 * steps[rung]);
      CHECK(one.values == summary.candidates[one.begun_as].values);
      if (rung == 0) CHECK(one.begun_as == i);
      for (std::int64_t k = 0; k < 2; ++k) {
        const auto member = members.member_of(static_cast<std::int64_t>(i)) + k;
        CHECK(one.scores[static_cast<std::size_t>(k)] ==
              validation_r2(members.result_path(member)));
        CHECK(members.load(member).steps == steps[rung]);
      }
      std::size_t better = 0;
      for (std::size_t j = begin[rung]; j < begin[rung + 1]; ++j) {
        const double other = summary.candidates[j].mean();
        better += other > one.mean() || (other == one.mean() && j < i);
      }
      if (better < (begin[rung + 1] - begin[rung]) / 3) stay.push_back(one.begun_as);
    }
    if (rung == 2) break;
    std::vector<std::size_t> next;
    for (std::size_t i = begin[rung + 1]; i < begin[rung + 2]; ++i) {
      next.push_back(summary.candidates[i].begun_as);
    }
    CHECK(next == stay);
  }
  CHECK(summary.best == 13u);
  CHECK(halving_steps(summary).done == 2 * (9 * 44 + 3 * 133 + 400));
  CHECK(halving_steps(summary).without == 2 * 9 * 400);
  // Chosen and own are judged by whole runs.
  REQUIRE(summary.judged.size() == 2);
  CHECK(members.load(members.size() - 1).steps == 400);

  const CollectedSearch collected = collect_search(members, summary);
  CHECK(load_experiment(collected.best).steps == 400);
  const std::string history = file_text(collected.history);
  CHECK(history.find("best_so_far,first_member,begun_as,steps\n0,own,0,") != std::string::npos);
  const hdf5::File index = hdf5::File::open(collected.members.index);
  const hdf5::Group group = index.open_group("search");
  CHECK(group.integer_attribute("halving_factor") == 3);
  CHECK(group.integer_attribute("halving_steps") == 2 * (9 * 44 + 3 * 133 + 400));
  CHECK(group.integer_attribute("steps_without_halving") == 7200);
  const auto of_steps = group.open_dataset("steps").read<std::int64_t>();
  CHECK(of_steps[1] == 88);
  CHECK(of_steps[13] == 800);
  CHECK(group.open_dataset("begun_as").read<std::int64_t>()[9] == 9);
  CHECK(search_text(members, summary)
            .find("halving  9, 3, 1 candidates, 2 390 steps; all of them to the end: 7 200") !=
        std::string::npos);

  // One that was cut within a rung goes on to the same.
  SearchMembers first(folder.path("e.yaml"), {.output = folder.path("cut")});
  int calls = 0;
  const SearchSummary cut = run_search(
      first,
      [&](const SearchMembers& all, std::int64_t from) -> std::optional<std::vector<std::int64_t>> {
        if (++calls < 3) return run_here(all, from);
        Experiment half = all.load(from);
        run_hierarchy(half);
        return std::nullopt;
      });
  CHECK(cut.interrupted);
  SearchMembers second(folder.path("e.yaml"), {.output = folder.path("cut")});
  CHECK(history_csv(second, run_search(second, run_here)) == history);
}

TEST_CASE("a section `halving` that is wrong is refused with place and reason") {
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  const std::string at_random = kGood + "  method: random\n";
  CHECK(refused(at_random + "  halving: {rungs: 2}\n") == "");
  contains(refused(kGood + "  halving: {factor: 3}\n"), "add method: random");
  contains(refused(at_random + "  halving: {factor: 1}\n"),
           "search.halving.factor: expected an integer from 2");
  contains(refused(at_random + "  halving: {rungs: 1}\n"),
           "search.halving.rungs: expected an integer from 2");
  contains(refused(at_random + "  halving: {from: 3}\n"), "search.halving.from: unknown key");
  contains(refused(at_random + "  halving: {shortens: data.steps}\n"),
           "search.halving.shortens: expected a list");
  contains(refused(at_random + "  halving: {shortens: [seed]}\n"), "expected dotted keys");
  contains(refused(at_random + "  halving: {shortens: [data.spectrum]}\n"),
           "expected data.spectrum to be a whole number of at least 9 in the file");
  contains(refused(at_random + "  halving: {factor: 10, rungs: 4}\n"),
           "expected data.steps to be a whole number of at least 1000 in the file, for 4 rungs of "
           "factor 10, got '400'");
  contains(refused(at_random + "  population: 8\n  halving: {rungs: 2}\n"),
           "search.population: has no effect with halving");
  contains(refused("  parameters:\n    data.steps: {range: [100, 400], integer: true}\n"
                   "  objective: {readout: component, score: r2}\n  method: random\n"
                   "  halving: {rungs: 2}\n"),
           "data.steps is searched too");
}
