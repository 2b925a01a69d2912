// SPDX-License-Identifier: MIT
/// \file
/// Every experiment in experiments/ runs, and shows what its first lines say, where that is quick.
#include <cmath>
#include <filesystem>
#include <span>
#include <tuple>

#include "../../src/experiment/run/agent_run.h"
#include "../../src/experiment/run/hierarchy_run.h"
#include "../../src/experiment/run/train.h"
#include "../../src/io/hdf5.h"
#include "../support/catch.h"
#include "../support/datasets.h"
#include "../support/long_tests.h"
#include "../support/text.h"
#include "command.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Runs an experiment of the repository and opens its result.
hdf5::File result_of(const TempDir& folder, const std::string& name,
                     const std::vector<std::string>& settings = {}) {
  std::vector<std::string> arguments = {"run", GAIA_SOURCE_DIR "/experiments/" + name + ".yaml",
                                        "--output", "r.h5", "--quiet"};
  for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
  const Finished done = gaia_command(folder, arguments);
  INFO(done.err);
  REQUIRE(done.code == 0);
  return hdf5::File::open(folder.path("r.h5"));
}

/// Searches for an experiment of the repository, into the folder "found".
void search_for(const TempDir& folder, const std::string& name, const char* evaluations,
                const char* seeds) {
  const Finished done = gaia_command(
      folder, {"search", GAIA_SOURCE_DIR "/experiments/" + name + ".yaml", "--output", "found",
               "--quiet", "--set", std::string("search.evaluations=") + evaluations, "--set",
               std::string("search.seeds=") + seeds, "--set", "search.random_control=false",
               "--set", "search.held_out_seeds=0"});
  INFO(done.err);
  REQUIRE(done.code == 0);
}

/// How far a readout's score on the test part is above that of frozen weights, in a run with a seed
/// that no search has seen.
double gain_of(const TempDir& folder, const std::vector<std::string>& experiment, const char* seed,
               const std::string& readout, const char* score) {
  std::vector<std::string> words = {"run",  "--seed",      seed,     "--output",
                                    "r.h5", "--overwrite", "--quiet"};
  words.insert(words.end(), experiment.begin(), experiment.end());
  const Finished ran = gaia_command(folder, words);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const hdf5::File result = hdf5::File::open(folder.path("r.h5"));
  const hdf5::Group group = result.open_group("readouts/" + readout);
  return *group.number_attribute(score) -
         *group.open_group("controls/frozen").number_attribute(score);
}

double r2_of(const hdf5::File& file, const std::string& readout, const char* which = "r2") {
  return *file.open_group("readouts/" + readout).number_attribute(which);
}

}  // namespace

FOLDER_TEST_CASE("every experiment can be run") {
  std::vector<std::string> arguments = {"check"};
  for (const auto& entry : std::filesystem::directory_iterator(GAIA_SOURCE_DIR "/experiments")) {
    if (entry.path().extension() != ".yaml") continue;
    const bool needs_images = file_text(entry.path()).find("source: images") != std::string::npos;
    if (!needs_images) {
      arguments.push_back(entry.path().string());
      continue;
    }
    // Its data are a package of their own, which need not be there.
    const Finished done = gaia_command(folder, {"check", entry.path().string()});
    INFO(done.err);
    if (done.code != 0) CHECK_SAYS(done.err, "dataset-fashion-mnist");
    CHECK((done.code == 0 || done.code == 2));
  }
  CHECK(arguments.size() >= 8);
  const Finished done = gaia_command(folder, arguments);
  INFO(done.err);
  CHECK(done.code == 0);
}

TEST_CASE("a program of one's own writes the bytes that the command line writes") {
  // tests/python/package/same_bytes_test.py compares Python with the command line.
  const std::vector<std::string> digits = {"data.steps=500", "hierarchy.freeze_after=350",
                                           "hierarchy.schedule.cosine_to=350"};
  const std::vector<std::pair<std::string, std::vector<std::string>>> shorter = {
      // One of each kind, for every day.
      {"ecg", {"data.steps=5000"}},
      {"grid_learning", {"environment.episodes=6"}},
      {"intrinsic_plasticity", {"data.steps=2000", "hierarchy.freeze_after=800"}},
      {"mackey_glass_gru", {"data.steps=600", "network.epochs=2"}},
      {"mountain_car", {"environment.episodes=2", "environment.steps=40", "agent.random_steps=40"}},
      {"bandit", {"environment.steps=60"}},
      {"bcm_selectivity", {"data.steps=6000"}},
      {"competition_digits", digits},
      {"context_gain", {"data.steps=4000", "hierarchy.schedule.cosine_to=2000"}},
      {"context_prior", {"data.steps=4000", "hierarchy.freeze_after=2000"}},
      {"digits", digits},
      {"hebbian_growth", {"data.steps=2000"}},
      {"mackey_glass_free_run",
       {"data.steps=3000", "readouts[0].free_run.from=1500", "readouts[0].free_run.repeat.count=3",
        "hierarchy.levels[0].layers[0].size=60"}},
      {"narma10_reservoir", {"data.steps=2000"}},
      {"oja_principal_component", {"data.steps=4000"}},
      {"own_rule", {"data.steps=6000", "hierarchy.freeze_after=4200"}},
      {"pendulum", {"environment.episodes=2", "environment.steps=40", "agent.random_steps=40"}},
      {"pendulum_policy",
       {"environment.episodes=3", "environment.steps=30", "agent.random_steps=20",
        "agent.policy.teaching_episodes=1"}},
      {"reward_learning", digits},
      {"stdp_window", {"data.steps=20000"}},
      {"sunspots", {}},
      {"t_maze", {"environment.episodes=12"}},
      {"three_timescales", {"data.steps=8192", "hierarchy.freeze_after=2048"}},
      {"turning_subspace", {"data.steps=12000"}}};
  for (const auto& [name, settings] :
       std::span(shorter).first(few_or_many(std::size_t{4}, shorter.size()))) {
    INFO(name);
    const TempDir folder;
    result_of(folder, name, settings);
    Experiment experiment = load_experiment(GAIA_SOURCE_DIR "/experiments/" + name + ".yaml",
                                            {.set = settings, .output = folder.path("own.h5")});
    run_experiment(experiment);
    CHECK(gaia::test::difference(gaia::test::datasets_of(folder.path("r.h5")),
                                 gaia::test::datasets_of(folder.path("own.h5"))) == "");
  }
}

FOLDER_TEST_CASE("turning_subspace.yaml follows the subspace, and what has stopped loses it") {
  const hdf5::File file = result_of(folder, "turning_subspace");
  const auto last_of = [&](const std::string& group) {
    return file.open_dataset("readouts/hidden" + group + "/windows/r2").read<double>().back();
  };
  CHECK(last_of("") > 0.99);
  CHECK(last_of("/controls/stopped") < 0.1);
  CHECK(last_of("/controls/pca") < 0.1);
  CHECK(last_of("/controls/same_past") < 0.1);
}

TEST_CASE("context_gain.yaml: a slow level that talks is worth more than a readout of both") {
  const TempDir folder;
  const hdf5::File file = result_of(folder, "context_gain");
  const double talks = r2_of(file, "wanted");
  CHECK(talks > 0.64);  // over seeds .706 +- .030
  for (const std::string readout : {"wanted", "both"}) {
    CHECK(r2_of(file, readout + "/controls/silent") < 0.51);
    CHECK(r2_of(file, readout + "/controls/random_map") < talks - 0.1);
  }
  CHECK_SAYS(file.open_group("readouts/wanted").text_attribute("verdict").value_or(""),
             "learning gains");
  const TempDir other;
  const hdf5::File unrelated = result_of(other, "context_gain", {"data.unrelated=true"});
  CHECK(r2_of(unrelated, "wanted") < 0.52);
}

FOLDER_TEST_CASE("context_prior.yaml: context tells apart what looks alike") {
  const hdf5::File file = result_of(folder, "context_prior");
  const auto accuracy_of = [&](const std::string& group) {
    return file.open_group("readouts/" + group).number_attribute("accuracy").value();
  };
  CHECK(accuracy_of("pattern") > 0.93);  // over seeds .961 +- .005
  CHECK(accuracy_of("pattern/controls/silent") < 0.82);
  CHECK(accuracy_of("pattern/controls/silent") > 0.75);
}

FOLDER_TEST_CASE("ecg.yaml forecasts better than persistence") {
  const hdf5::File file = result_of(folder, "ecg");
  CHECK(r2_of(file, "ahead_28ms") > r2_of(file, "ahead_28ms", "baseline_r2"));
  CHECK(r2_of(file, "ahead_100ms") > 0.3);
  CHECK(r2_of(file, "ahead_100ms") > r2_of(file, "ahead_100ms_level0"));
  CHECK(r2_of(file, "ahead_100ms", "baseline_r2") < 0.0);
  CHECK(file.open_dataset("levels/2/time").text_attribute("units") == "s");
}

TEST_CASE("sweep_one_shot_memory.yaml remembers what it saw once, and without plasticity nothing") {
  const auto error_of = [](const std::string& plasticity) {
    const TempDir folder;
    const Finished done = gaia_command(
        folder, {"sweep", GAIA_SOURCE_DIR "/experiments/sweep_one_shot_memory.yaml", "--output",
                 "s", "--quiet", "--member", plasticity == "true" ? "0" : "10"});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const hdf5::File file = hdf5::File::open(
        folder.path(plasticity == "true" ? "s/member-00000.h5" : "s/member-00010.h5"));
    CHECK(file.open_group("network/layers/0").text_attribute("plasticity") == plasticity);
    return *file.open_group("test").number_attribute("nrmse");
  };
  CHECK(error_of("true") < 0.4);
  CHECK(error_of("false") > 0.95);
}

FOLDER_TEST_CASE("sunspots.yaml forecasts the next year better than persistence") {
  const hdf5::File file = result_of(folder, "sunspots");
  CHECK(r2_of(file, "next_year") > 0.8);
  CHECK(r2_of(file, "next_year", "baseline_r2") < 0.7);
}

FOLDER_TEST_CASE("digits.yaml tells digits better from what was learnt than from random weights") {
  const hdf5::File file = result_of(folder, "digits");
  const hdf5::Group digit = file.open_group("readouts/digit");
  const double learnt = *digit.number_attribute("accuracy");
  const double frozen = *digit.open_group("controls/frozen").number_attribute("accuracy");
  CHECK(learnt > 0.87);
  CHECK(learnt > frozen + 0.03);
  CHECK(file.open_group("data").text_attribute("shape") == "[8, 8]");
}

TEST_CASE("competition_digits.yaml and reward_learning.yaml gain by learning") {
  // Over ten seeds learning gains at least 0.046 and 0.54.
  for (const auto& [name, least, gain] :
       {std::tuple("competition_digits", 0.88, 0.03), std::tuple("reward_learning", 0.8, 0.4)}) {
    INFO(name);
    const TempDir folder;
    const hdf5::File file = result_of(folder, name);
    const hdf5::Group digit = file.open_group("readouts/digit");
    const double learnt = *digit.number_attribute("accuracy");
    CHECK(learnt > least);
    CHECK(learnt > *digit.open_group("controls/frozen").number_attribute("accuracy") + gain);
    CHECK(*digit.open_group("controls/same_past").number_attribute("accuracy") ==
          Approx(0.924).margin(0.01));
  }
}

FOLDER_TEST_CASE("search_digits.yaml finds values with which learning pays, where its own do not") {
  if (!long_tests()) GAIA_SKIP("a long test; search_rule.yaml is searched every day");
  search_for(folder, "search_digits", "12", "2");
  const std::string own = GAIA_SOURCE_DIR "/experiments/search_digits.yaml";
  CHECK(gain_of(folder, {"found/best.yaml"}, "50", "digit", "accuracy") > 0.04);
  CHECK(gain_of(folder, {own, "--set", "search=null"}, "50", "digit", "accuracy") < 0.03);
}

FOLDER_TEST_CASE("search_rule.yaml finds a rule by which a neuron finds the first component") {
  search_for(folder, "search_rule", "80", "1");
  double gain = 0.0;
  for (const char* seed : {"50", "51", "52"}) {
    gain += gain_of(folder, {"found/best.yaml"}, seed, "component", "r2") / 3;
    CHECK(r2_of(hdf5::File::open(folder.path("r.h5")), "component") > 0.8);
  }
  CHECK(gain > 0.3);
}

TEST_CASE("own_rule.yaml finds a drive that Oja's rule does not") {
  const TempDir folder;
  const hdf5::File file = result_of(folder, "own_rule");
  CHECK(r2_of(file, "drive") == Approx(0.82).margin(0.02));
  CHECK(r2_of(file, "drive") >
        *file.open_group("readouts/drive/controls/frozen").number_attribute("r2") + 0.2);
  const TempDir other;
  const std::string layer = "hierarchy.levels[0].layers[0].";
  CHECK(r2_of(result_of(other, "own_rule", {layer + "rule=oja", layer + "learning_rate=0.002"}),
              "drive") < 0.05);
}

FOLDER_TEST_CASE("stdp_window.yaml draws the window of STDP") {
  const hdf5::File file = result_of(folder, "stdp_window");
  const std::vector<double> w = file.open_dataset("levels/0/layers/0/weights").read<double>();
  REQUIRE(w.size() == 81);
  double pairs = 0.0;
  for (const double y : file.open_dataset("levels/0/representation").read<double>()) pairs += y;
  CHECK(pairs == Approx(400.0 * std::exp(-40 * 0.002)).margin(60.0));
  // Initial weights and other pairs of spikes are what is left: at most 0.06 of the largest
  // weight in ten seeds.
  const double largest = 0.0025 * pairs;
  for (int j = 0; j < 81; ++j) {
    INFO(j);
    const double lag = j - 40;
    const double window = lag > 0   ? std::exp(-lag / 20.0)
                          : lag < 0 ? -1.05 * std::exp(lag / 20.0)
                                    : -0.05;
    CHECK(w[static_cast<std::size_t>(j)] == Approx(largest * window).margin(0.12 * largest));
  }
}

FOLDER_TEST_CASE("oja_principal_component.yaml finds the first component, with length 1") {
  const hdf5::File file = result_of(folder, "oja_principal_component");
  CHECK(r2_of(file, "first_component") > 0.98);
  double square = 0.0;
  for (const double w : file.open_dataset("levels/0/layers/0/weights").read<double>())
    square += w * w;
  CHECK(std::sqrt(square) == Approx(1.0).margin(0.02));
}

FOLDER_TEST_CASE("bcm_selectivity.yaml makes neurons selective") {
  const hdf5::File file = result_of(folder, "bcm_selectivity");
  // Orthonormal patterns span the input: w . p_k are w's coordinates in a rotated basis, so |w| is
  // the winner's answer where all others are 0.
  const std::vector<double> theta = file.open_dataset("levels/0/layers/0/theta").read<double>();
  double mean = 0.0;
  for (const double t : theta) mean += t / static_cast<double>(theta.size());
  CHECK(mean == Approx(5.0).margin(0.75));
}

TEST_CASE("hebbian_growth.yaml grows by e^4 every 1000 steps, and not under l2") {
  const TempDir folder;
  const auto lengths = [](const hdf5::File& file) {
    const std::vector<double> w =
        file.open_dataset("levels/0/layers/0/history/weights").read<double>();
    std::vector<double> mean(w.size() / 12);
    for (std::size_t k = 0; k < mean.size(); ++k) {
      for (std::size_t i = 0; i < 3; ++i) {
        double square = 0.0;
        for (std::size_t j = 0; j < 4; ++j) square += std::pow(w[12 * k + 4 * i + j], 2);
        mean[k] += std::sqrt(square) / 3.0;
      }
    }
    return mean;
  };
  const std::vector<double> free = lengths(result_of(folder, "hebbian_growth"));
  REQUIRE(free.size() == 61);
  const double per_thousand = std::log(free[60] / free[20]) / 4.0;
  CHECK(per_thousand == Approx(4.0).margin(0.4));
  const TempDir other;
  const std::vector<double> held = lengths(
      result_of(other, "hebbian_growth", {"hierarchy.levels[0].layers[0].normalization=l2"}));
  for (std::size_t k = 1; k < held.size(); ++k) CHECK(held[k] == Approx(1.0).epsilon(1e-12));
}

FOLDER_TEST_CASE("three_timescales.yaml separates three time scales") {
  const hdf5::File file = result_of(folder, "three_timescales");
  CHECK(r2_of(file, "tau_4") == Approx(0.30).margin(0.03));
  CHECK(r2_of(file, "tau_40") == Approx(0.77).margin(0.03));
  CHECK(r2_of(file, "tau_400") == Approx(0.94).margin(0.03));
}

TEST_CASE("narma10_reservoir.yaml predicts y from u alone, the better the larger it is") {
  const auto nrmse = [&](const std::vector<std::string>& settings) {
    const TempDir own;
    return *result_of(own, "narma10_reservoir", settings)
                .open_group("readouts/next_y")
                .number_attribute("nrmse");
  };
  CHECK(nrmse({}) < 0.2);
  CHECK(nrmse({"hierarchy.levels[0].layers[0].size=20"}) > 0.25);
}

TEST_CASE("intrinsic_plasticity.yaml mends a reservoir that is scaled badly, and no other") {
  const auto gain = [](const std::string& radius) {
    double sum = 0.0;
    for (const char* const seed : {"1", "2", "3"}) {
      const TempDir own;
      sum += gain_of(own,
                     {GAIA_SOURCE_DIR "/experiments/intrinsic_plasticity.yaml", "--set",
                      "hierarchy.levels[0].layers[0].spectral_radius=" + radius},
                     seed, "next_y", "r2");
    }
    return sum / 3;
  };
  CHECK(gain("1.5") > 0.2);
  CHECK(gain("0.95") < -0.02);
}

FOLDER_TEST_CASE("mackey_glass_free_run.yaml forecasts 84 steps within a thousandth") {
  const hdf5::File file = result_of(folder, "mackey_glass_free_run");
  const hdf5::Group next = file.open_group("readouts/next");
  CHECK(*next.number_attribute("nrmse_at") < 1e-3);
  CHECK(*next.number_attribute("valid_steps") == 84.0);
  for (const char* const control : {"reservoir", "window", "nvar"}) {
    INFO(control);
    const hdf5::Group beside = next.open_group(std::string("controls/") + control);
    CHECK(*beside.number_attribute("nrmse_at") > *next.number_attribute("nrmse_at"));
  }
}

FOLDER_TEST_CASE("lorenz_free_run.yaml is valid for five and a half Lyapunov times") {
  constexpr double kLyapunov = 0.02 * 0.906;  // times a step
  const hdf5::File file = result_of(folder, "lorenz_free_run");
  const hdf5::Group next = file.open_group("readouts/next");
  const double own = *next.number_attribute("valid_steps") * kLyapunov;
  CHECK(own > 5.5);
  // The control nvar is the method of Gauthier et al. (2021).
  const double nvar = *next.open_group("controls/nvar").number_attribute("valid_steps") * kLyapunov;
  CHECK(nvar > 3.0);
  CHECK(*next.open_group("controls/window").number_attribute("valid_steps") * kLyapunov < nvar);
  CHECK(file.open_dataset("readouts/next/free_run/prediction").shape() ==
        std::vector<std::int64_t>{20, 900, 3});
}

FOLDER_TEST_CASE("mackey_glass_gru.yaml forecasts within .06") {
  const hdf5::File file = result_of(folder, "mackey_glass_gru");
  const hdf5::Group test = file.open_group("test");
  CHECK(*test.number_attribute("nrmse") < 0.06);
  CHECK(*test.number_attribute("baseline_nrmse") > 1.0);
}
