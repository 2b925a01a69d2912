// SPDX-License-Identifier: MIT
#include "../../../src/experiment/run/apply.h"

#include <cmath>
#include <filesystem>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/run/resume.h"
#include "../../../src/report/report.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/datasets.h"
#include "../../support/experiment_text.h"
#include "../../support/log_capture.h"
#include "../applied_series.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::string kTrained =
    "experiment: trained\ndtype: float64\n"
    "data: {source: file, path: train.csv, window: 2, normalize: zscore, sample_rate: 10}\n"
    "hierarchy:\n  freeze_after: 200\n  levels:\n    - layers:\n"
    "        - {type: hebbian, size: 4, rule: oja, learning_rate: 0.01}\n"
    "    - temporal_resolution: 4\n      pooling: mean\n      layers:\n"
    "        - {type: hebbian, size: 3, rule: bcm, learning_rate: 0.001, normalization: max_norm}\n"
    "readouts:\n"
    "  - {name: wave, target: {channel: 1, horizon: 5}, levels: [0, 1], skip: 0.55, split: 0.8}\n"
    "  - {name: now, target: {channel: 0}, levels: [1], skip: 0.55, split: 0.8}\n";

/// With a trained result r.h5.
struct Trained : TempDir {
  explicit Trained(const std::string& text = kTrained) {
    write("train.csv", csv(rows(kRows), {0, 1, 2}, {"a", "b", "c"}));
    run_text(*this, text, {"device=cpu"});
  }
  std::string result() const { return path("r.h5"); }

  HierarchySummary apply(ApplyOptions options, const std::string& output,
                         RunOptions how = {}) const {
    options.output = path(output);
    Experiment experiment = application_of(result(), options);
    return run_hierarchy(experiment, how);
  }
  std::string complaint(const ApplyOptions& options) const {
    return complaint_of<ConfigError>([&] { application_of(result(), options); });
  }
};

double worst(const std::vector<double>& a, const std::vector<double>& b, std::size_t from) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  for (std::size_t i = from; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace

TEST_CASE(
    "applied to its own training data a result tells the same where nothing learnt any more") {
  const Trained trained;
  const HierarchySummary summary = trained.apply({.data = trained.path("train.csv")}, "applied.h5");
  CHECK(summary.status == RunStatus::complete);
  CHECK(summary.steps_done == kRows - 1);
  const Datasets before = datasets_of(trained.result());
  const Datasets after = datasets_of(trained.path("applied.h5"));
  CHECK(same_bits(after.at("/levels/0/layers/0/weights"), before.at("/levels/0/layers/0/weights")));
  CHECK(same_bits(after.at("/levels/0/layers/0/weights_initial"),
                  before.at("/levels/0/layers/0/weights")));
  CHECK(same_bits(after.at("/levels/1/layers/0/theta"), before.at("/levels/1/layers/0/theta")));
  CHECK(same_bits(after.at("/data/mean"), before.at("/data/mean")));
  CHECK(same_bits(after.at("/data/scale"), before.at("/data/scale")));
  // Level 1 ticks at 204, which pools 201 to 204.
  CHECK(worst(after.at("/levels/0/representation"), before.at("/levels/0/representation"),
              4 * 200) < 1e-12);
  CHECK(worst(after.at("/levels/1/representation"), before.at("/levels/1/representation"), 3 * 51) <
        1e-12);
  CHECK(worst(after.at("/levels/0/representation"), before.at("/levels/0/representation"), 0) >
        1e-6);
  for (const char* const name : {"wave", "now"}) {
    INFO(name);
    const std::string path = std::string("/readouts/") + name;
    const std::vector<double>& steps = before.at(path + "/step");
    REQUIRE(steps.size() >= 15);
    const double spacing = std::string(name) == "now" ? 4.0 : 1.0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto row = static_cast<std::size_t>(steps[i] / spacing);
      REQUIRE(after.at(path + "/step")[row] == steps[i]);
      CHECK(after.at(path + "/prediction")[row] ==
            Approx(before.at(path + "/prediction")[i]).margin(1e-10));
      CHECK(after.at(path + "/target")[row] == before.at(path + "/target")[i]);
    }
  }
  // The end of the series is predicted too.
  CHECK(after.at("/readouts/wave/step").back() == 398.0);
  CHECK(std::isfinite(after.at("/readouts/wave/prediction").back()));
  CHECK(std::isnan(after.at("/readouts/wave/target").back()));
  CHECK(std::isfinite(summary.readouts[0].score.nrmse));
}

TEST_CASE("an application has every row of every level, whatever the training recorded") {
  std::vector<Datasets> applied;
  for (const char* recorded : {"all", "none", "{every: 7}"}) {
    const Trained trained(kTrained + "output: {representations: " + recorded + "}\n");
    trained.write("new.csv", csv(rows(90), {0, 1, 2}, {"a", "b", "c"}));
    trained.apply({.data = trained.path("new.csv")}, "a.h5");
    applied.push_back(datasets_of(trained.path("a.h5")));
    for (const std::string level : {"/levels/0/", "/levels/1/"}) {
      REQUIRE(applied.back().contains(level + "representation"));
      CHECK(applied.back().at(level + "step") == applied.front().at(level + "step"));
      // What is recorded decides how long the blocks of the training are, whose sums round.
      CHECK(worst(applied.back().at(level + "representation"),
                  applied.front().at(level + "representation"), 0) < 1e-9);
    }
    CHECK(applied.back().at("/levels/0/step").size() == 89);
  }
}

TEST_CASE("an application is laid out as any run, and can be applied, reported and read again") {
  const Trained trained;
  trained.apply({.data = trained.path("train.csv")}, "applied.h5");
  const Datasets before = datasets_of(trained.result());
  const Datasets after = datasets_of(trained.path("applied.h5"));
  // All but the chance of controls, which it does not run.
  const auto is_of_run = [](const auto& one) {
    return one.first.find("/controls/") == std::string::npos;
  };
  for (const auto& [path, values] : before) {
    INFO(path);
    CHECK((after.contains(path) || path.find("/controls/") != std::string::npos));
  }
  // And the threshold that it took over, under both of its names.
  CHECK(std::count_if(after.begin(), after.end(), is_of_run) ==
        std::count_if(before.begin(), before.end(), is_of_run) + 2);
  CHECK(after.contains("/levels/1/layers/0/memory/theta_initial"));
  CHECK(after.contains("/levels/1/layers/0/theta_initial"));
  const std::string page = report_page({trained.path("applied.h5")});
  CHECK_SAYS(page, "wave", "fig-series");
  CHECK_THAT(page, !ContainsSubstring("cannot be had again"));

  // An application of the application is the same again.
  Experiment again = application_of(trained.path("applied.h5"), {.data = trained.path("train.csv"),
                                                                 .output = trained.path("b.h5")});
  run_hierarchy(again);
  const Datasets twice = datasets_of(trained.path("b.h5"));
  for (const auto& [path, values] : after) {
    INFO(path);
    if (!gaia::test::is_speed(path)) CHECK(same_bits(values, twice.at(path)));
  }
}

TEST_CASE("channels are found by name, by the training's columns, and by number where names lack") {
  const Trained trained;
  const auto all = rows(kRows);
  trained.apply({.data = trained.path("train.csv")}, "applied.h5");
  const Datasets expected = datasets_of(trained.path("applied.h5"));
  const auto check = [&](const std::string& name, const std::string& text, ApplyOptions options) {
    INFO(name);
    options.data = trained.write(name + ".csv", text);
    trained.apply(options, name + ".h5");
    CHECK(gaia::test::difference(expected, datasets_of(trained.path(name + ".h5"))).empty());
  };
  check("other_order", csv(all, {2, 0, 1}, {"c", "a", "b"}), {});
  check("more", csv(all, {2, 0, 1, 1}, {"c", "a", "b", "d"}), {});
  check("no_names", csv(all, {0, 1, 2}, {}), {});
  check("other_names", csv(all, {1, 0, 2}, {"wave", "x", "y"}), {.columns = {"x", "wave", "y"}});
  check("by_number", csv(all, {1, 0, 2}, {"wave", "x", "y"}), {.columns = {"1", "0", "2"}});
  // What cannot be found.
  const auto complaint = [&](const std::string& text, ApplyOptions options) {
    options.data = trained.write("wrong.csv", text);
    return trained.complaint(options);
  };
  CHECK_SAYS(complaint(csv(all, {0, 1, 2}, {"a", "b", "x"}), {}), "expected the 3 channels that",
             "was trained on (a, b, c), got a, b, x; --columns tells");
  CHECK_SAYS(complaint(csv(all, {0, 1}, {}), {}), "got 2 (0, 1)");
  CHECK_SAYS(complaint(csv(all, {0, 1, 2}, {"a", "b", "c"}), {.columns = {"a", "b"}}),
             "got 2 (a, b)");
  CHECK_SAYS(complaint(csv(all, {0, 1, 2}, {"a", "b", "c"}), {.columns = {"a", "b", "z"}}), "z");
  CHECK_SAYS(trained.complaint({.data = trained.path("none.csv")}), "no such file");
  CHECK_SAYS(trained.complaint({.data = trained.write("x.txt", "1,2,3\n")}), "is of no known kind");
  CHECK_SAYS(trained.complaint({.data = trained.path("train.csv"), .steps = 4000}),
             "--steps: expected at most 399");
  CHECK_SAYS(trained.complaint({.data = trained.path("train.csv"), .output = trained.result()}),
             "is the run that this one begins with");
  CHECK_SAYS(trained.complaint({.data = trained.path("train.csv"), .labels = "l"}),
             "has no labels");
  CHECK_SAYS(trained.complaint({.data = trained.path("train.csv"), .dataset = "x"}),
             "--dataset: only HDF5 and MATLAB files have datasets; '");
}

TEST_CASE("channels that the training named by index are found by the names that they had") {
  std::string text = kTrained;
  text.replace(text.find("path: train.csv"), 15, "path: train.csv, columns: [0, 1]");
  const Trained trained(text);
  const auto all = rows(kRows);
  trained.apply({.data = trained.path("train.csv")}, "applied.h5");
  const Datasets expected = datasets_of(trained.path("applied.h5"));
  const auto check = [&](const std::string& name, const std::string& content) {
    INFO(name);
    trained.apply({.data = trained.write(name + ".csv", content)}, name + ".h5");
    CHECK(gaia::test::difference(expected, datasets_of(trained.path(name + ".h5"))).empty());
  };
  check("other_order", csv(all, {2, 1, 0}, {"c", "b", "a"}));
  check("no_names", csv(all, {0, 1, 2}, {}));
  check("as_many", csv(all, {0, 1}, {}));
  CHECK_SAYS(
      trained.complaint({.data = trained.write("w.csv", csv(all, {0, 1, 2}, {"x", "y", "z"}))}),
      "(a, b), got x, y, z; --columns tells");

  // Names that are there twice find nothing, the training's indices do.
  trained.write("train.csv", csv(all, {0, 1, 2, 0}, {"a", "b", "c", "a"}));
  Experiment experiment = load_experiment(
      trained.path("e.yaml"), {.set = {"device=cpu"}, .output = trained.path("twice.h5")});
  run_hierarchy(experiment);
  Experiment applied = application_of(
      trained.path("twice.h5"),
      {.data = trained.path("train.csv"), .output = trained.path("twice_applied.h5")});
  CHECK(applied.series->channel_names() == std::vector<std::string>{"a", "b"});
}

TEST_CASE(
    "where the training named channels by name and by index, a file without names is refused") {
  std::string text = kTrained;
  text.replace(text.find("path: train.csv"), 15, "path: train.csv, columns: [2, b, 0]");
  const Trained trained(text);
  const std::string data = trained.write("no_names.csv", csv(rows(kRows), {0, 1, 2}, {}));
  CHECK_SAYS(trained.complaint({.data = data}), "(c, b, a), got 0, 1, 2; --columns tells");
  trained.apply({.data = data, .columns = {"2", "1", "0"}}, "applied.h5");
}

TEST_CASE("an application never overwrites, and goes on where it was cut") {
  const Trained trained;
  const ApplyOptions options{.data = trained.path("train.csv")};
  trained.apply(options, "uncut.h5");
  CHECK_THROWS_AS(trained.apply(options, "uncut.h5"), OutputError);
  CHECK(default_application_path("results/ecg.h5", "new/data.csv") == "results/ecg.data.h5");

  std::filesystem::create_directory(trained.path("cut"));
  std::atomic<bool> stop{true};
  const HierarchySummary cut = trained.apply(options, "cut/r.h5", {.stop = &stop});
  CHECK(cut.status == RunStatus::interrupted);
  CHECK(cut.steps_done < kRows - 1);
  auto found = open_cut_run(trained.path("cut/r.h5"));
  REQUIRE(found);
  CHECK(run_hierarchy(found->experiment, {.cut = &found->run}).status == RunStatus::complete);
  CHECK(gaia::test::difference(datasets_of(trained.path("uncut.h5")),
                               datasets_of(trained.path("cut/r.h5")))
            .empty());
}

TEST_CASE("only results that are complete and have weights are applied") {
  const Trained trained(kTrained + "output: {weights: none}\n");
  CHECK_SAYS(trained.complaint({.data = trained.path("train.csv")}), "has no weights");
  const TempDir folder;
  CHECK_THROWS_AS(application_of(folder.path("none.h5"), {.data = "x.csv"}), ConfigError);
  CHECK_THROWS_AS(application_of(folder.write("text.h5", "text"), {.data = "x.csv"}), DataError);
}

FOLDER_TEST_CASE("readouts of latents predict where nobody knows them") {
  const std::string text =
      "experiment: latent\n"
      "data: {source: generator, kind: ornstein_uhlenbeck, tau: [5, 40], channels: 3, steps: 300}\n"
      "hierarchy:\n  levels:\n"
      "    - layers: [{type: hebbian, size: 2, rule: sanger}]\n"
      "readouts:\n"
      "  - {name: slow, target: {latent: 1}, levels: [0]}\n";
  run_text(folder, text, {"device=cpu"});
  folder.write("new.csv", csv(rows(50), {0, 1, 2}, {"x", "y", "z"}));
  Experiment applied = application_of(
      folder.path("r.h5"), {.data = folder.path("new.csv"), .output = folder.path("a.h5")});
  const HierarchySummary summary = run_hierarchy(applied);
  CHECK(std::isnan(summary.readouts[0].score.nrmse));
  const Datasets made = datasets_of(folder.path("a.h5"));
  REQUIRE(made.at("/readouts/slow/prediction").size() == 50);
  for (const double value : made.at("/readouts/slow/prediction")) CHECK(std::isfinite(value));
  for (const double value : made.at("/readouts/slow/target")) CHECK(std::isnan(value));
  CHECK_FALSE(report_page({folder.path("a.h5")}).empty());
}

TEST_CASE("Readouts that learn from what they are applied to do so by their own keys") {
  const std::string own =
      "  - {name: live, type: online, method: nlms, target: {channel: 0, horizon: 1}, levels: "
      "[0]}\n"
      "  - {name: odd, type: anomaly, score: mahalanobis, train: 0.4, levels: [0]}\n";
  const Trained trained(kTrained + own);
  trained.write("new.csv", csv(rows(kRows), {0, 1, 2}, {"a", "b", "c"}));
  trained.apply({.data = trained.path("new.csv")}, "applied.h5");
  const hdf5::File file = hdf5::File::open(trained.path("applied.h5"));
  CHECK(file.open_group("readouts/live").text_attribute("method") == "nlms");
  CHECK(file.open_group("readouts/odd").text_attribute("score") == "mahalanobis");
  CHECK(file.open_group("readouts/odd").number_attribute("train") == 0.4);
}
