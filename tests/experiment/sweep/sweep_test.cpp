// SPDX-License-Identifier: MIT
#include "../../../src/experiment/sweep/sweep.h"

#include <nlohmann/json.hpp>
#include <set>

#include "../../../src/core/error.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/sweep/member_state.h"
#include "../../../src/experiment/sweep/member_survey.h"
#include "../../../src/layers/hierarchy/hebbian.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/temp_dir.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;
using Catch::Matchers::Equals;

namespace {

const std::string kRate = "hierarchy.levels[0].layers[0].learning_rate";
const std::string kRule = "hierarchy.levels[0].layers[0].rule";

/// The sweep of the minimal experiment over what `text` says, each line two columns to the right.
Sweep sweep_over(const TempDir& folder, const std::string& text, const Overrides& overrides = {}) {
  return {folder.write("e.yaml", kMinimal + "sweep:\n" + text), overrides};
}

/// The values of one key, member by member.
std::vector<std::string> values_of(const Sweep& sweep, const std::string& key) {
  std::vector<std::string> values;
  for (std::int64_t member = 0; member < sweep.size(); ++member) {
    for (const MemberSetting& setting : sweep.settings(member)) {
      if (setting.key == key) values.push_back(flow_text(setting.value));
    }
  }
  return values;
}

/// The values that one key takes under `text`.
std::vector<std::string> values_of(const std::string& key, const std::string& text) {
  const TempDir folder;
  return values_of(sweep_over(folder, "  " + key + ": " + text + "\n"), key);
}

/// What reading or checking a sweep says is wrong.
std::string refused(const std::string& text, const Overrides& overrides = {}) {
  const TempDir folder;
  return complaint_of<ConfigError>(
      [&] { sweep_over(folder, text, overrides).check([](std::int64_t, Experiment&) {}); });
}

using Texts = std::vector<std::string>;

}  // namespace

FOLDER_TEST_CASE("members are numbered with the last key varying fastest, seeds after all others") {
  const Sweep sweep = sweep_over(
      folder, "  seeds: 2\n  " + kRule + ": [oja, hebbian]\n  " + kRate + ": [0.1, 0.2, 0.3]\n");
  REQUIRE(sweep.size() == 12);
  CHECK(sweep.name() == "minimal");
  CHECK(sweep.folder() == "results/minimal");
  CHECK(sweep.result_path(7) == "results/minimal/member-00007.h5");
  CHECK_THAT(values_of(sweep, kRule),
             Equals(Texts{"oja", "oja", "oja", "oja", "oja", "oja", "hebbian", "hebbian", "hebbian",
                          "hebbian", "hebbian", "hebbian"}));
  CHECK_THAT(values_of(sweep, kRate), Equals(Texts{"0.1", "0.1", "0.2", "0.2", "0.3", "0.3", "0.1",
                                                   "0.1", "0.2", "0.2", "0.3", "0.3"}));
  CHECK_THAT(values_of(sweep, "seed"),
             Equals(Texts{"0", "1", "0", "1", "0", "1", "0", "1", "0", "1", "0", "1"}));
  CHECK(sweep.label(7) == "rule hebbian, learning_rate 0.1, seed 1");
  CHECK_THROWS_AS(sweep.settings(12), ArgumentError);
  CHECK_THROWS_AS(sweep.load(-1), ArgumentError);
}

FOLDER_TEST_CASE("a member is the experiment with its values, and knows them") {
  const Sweep sweep =
      sweep_over(folder,
                 "  data.steps: [250, 100]\n"
                 "  hierarchy.levels[0].layers[0].homeostasis: [none, {target: 0.2}]\n"
                 "  seeds: [4, 9]\n",
                 {.set = {"seed=3"}, .output = folder.path("out")});
  REQUIRE(sweep.size() == 8);
  const Experiment experiment = sweep.load(7);
  CHECK(experiment.steps == 100);
  CHECK(experiment.config.seed == 9);
  CHECK(experiment.config.output.path == folder.path("out/member-00007.h5"));
  const auto& layer =
      *experiment.config.hierarchy().levels[0].layers[0].kind.get_if<HebbianOptions>();
  REQUIRE(layer.control.homeostasis);
  CHECK(layer.control.homeostasis->target == 0.2);
  REQUIRE(experiment.member);
  CHECK(experiment.member->number == 7);
  CHECK(experiment.member->settings ==
        Attributes{{"data.steps", std::int64_t{100}},
                   {"hierarchy.levels[0].layers[0].homeostasis", std::string("{target: 0.2}")},
                   {"seed", std::int64_t{9}}});
  CHECK_THAT(to_yaml(experiment.config), !ContainsSubstring("sweep"));
}

FOLDER_TEST_CASE("the folder of a sweep is output.path without its ending, or --output") {
  const std::string axis = "  data.window: [1, 2]\n";
  CHECK(sweep_over(folder, axis, {.set = {"output.path=a/b.h5"}}).folder() == "a/b");
  CHECK(sweep_over(folder, axis, {.set = {"output.path=a/b"}}).folder() == "a/b");
  CHECK(sweep_over(folder, axis, {.output = "c"}).folder() == "c");
}

TEST_CASE("ranges include both ends, at equal distances") {
  CHECK_THAT(values_of("data.window", "{range: [8, 32], steps: 4}"),
             Equals(Texts{"8", "16", "24", "32"}));
  CHECK_THAT(values_of("data.window", "{range: [8, 30], step: 8}"), Equals(Texts{"8", "16", "24"}));
  CHECK_THAT(values_of(kRate, "{range: [0, 1], steps: 6}"),
             Equals(Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  CHECK_THAT(values_of(kRate, "{range: [0.1, 0.7], step: 0.2}"),
             Equals(Texts{"0.1", "0.3", "0.5", "0.7"}));
  CHECK_THAT(values_of("data.window", "{range: [3, 1], steps: 3}"), Equals(Texts{"3", "2", "1"}));
  CHECK_THAT(values_of("data.window", "{range: [3, 1], step: -1}"), Equals(Texts{"3", "2", "1"}));
}

TEST_CASE("log ranges include both ends, at equal ratios") {
  CHECK_THAT(values_of(kRate, "{log_range: [1e-4, 0.1], steps: 4}"),
             Equals(Texts{"0.0001", "0.001", "0.01", "0.1"}));
  CHECK_THAT(values_of("data.window", "{log_range: [1, 64], steps: 4}"),
             Equals(Texts{"1", "4", "16", "64"}));
  const Texts values = values_of(kRate, "{log_range: [1, 2], steps: 3}");
  CHECK_THAT(values, Equals(Texts{"1", "1.41421", "2"}));
}

TEST_CASE("draws are a function of the seed and the key, within their range") {
  const std::string text =
      "  samples: 50\n"
      "  data.window: {random: integer, range: [1, 3]}\n"
      "  " +
      kRate +
      ": {random: log_uniform, range: [1e-5, 1e-2]}\n"
      "  hierarchy.levels[0].layers[0].decay: {random: uniform, range: [0.25, 0.5]}\n"
      "  " +
      kRule + ": [oja, hebbian]\n";
  const TempDir folder;
  const Sweep sweep = sweep_over(folder, text);
  REQUIRE(sweep.size() == 100);
  const Texts windows = values_of(sweep, "data.window");
  CHECK(std::set<std::string>(windows.begin(), windows.end()) ==
        std::set<std::string>{"1", "2", "3"});
  int low = 0;
  for (const std::string& text_of_rate : values_of(sweep, kRate)) {
    const double rate = std::stod(text_of_rate);
    CHECK((rate >= 1e-5 && rate <= 1e-2));
    low += rate < 3.2e-4 ? 1 : 0;  // the middle of the logarithms
  }
  CHECK((low > 30 && low < 70));
  for (const std::string& decay : values_of(sweep, "hierarchy.levels[0].layers[0].decay")) {
    CHECK((std::stod(decay) >= 0.25 && std::stod(decay) <= 0.5));
  }
  // The grid is over the draws, not anew drawn at every point of it.
  CHECK(windows[0] == windows[50]);
  CHECK(values_of(sweep, kRate)[17] == values_of(sweep, kRate)[67]);
  CHECK(values_of(sweep_over(folder, text), kRate) == values_of(sweep, kRate));
  CHECK(values_of(sweep_over(folder, text, {.seed = "1"}), kRate) != values_of(sweep, kRate));
  // A key that is added or a longer row of samples changes none of the others.
  const Sweep longer = sweep_over(
      folder, "  samples: 60\n  " + kRate + ": {random: log_uniform, range: [1e-5, 1e-2]}\n");
  CHECK(values_of(longer, kRate)[17] == values_of(sweep, kRate)[17]);
}

FOLDER_TEST_CASE("zipped keys advance together") {
  const Sweep sweep = sweep_over(folder,
                                 "  zip:\n"
                                 "    - data.window: [1, 2, 3]\n"
                                 "      " +
                                     kRate +
                                     ": {range: [0.1, 0.3], steps: 3}\n"
                                     "  seeds: 2\n");
  REQUIRE(sweep.size() == 6);
  CHECK_THAT(values_of(sweep, "data.window"), Equals(Texts{"1", "1", "2", "2", "3", "3"}));
  CHECK_THAT(values_of(sweep, kRate), Equals(Texts{"0.1", "0.1", "0.2", "0.2", "0.3", "0.3"}));
}

FOLDER_TEST_CASE("of zipped keys one may have a value twice, where the others differ") {
  const Sweep sweep = sweep_over(
      folder, "  zip:\n    - data.window: [1, 1, 2]\n      " + kRate + ": [0.1, 0.2, 0.1]\n");
  CHECK_THAT(values_of(sweep, "data.window"), Equals(Texts{"1", "1", "2"}));
  CHECK_THAT(values_of(sweep, kRate), Equals(Texts{"0.1", "0.2", "0.1"}));
  CHECK_SAYS(
      refused("  zip:\n    - data.window: [1, 1, 2]\n      " + kRate + ": [0.1, 1e-1, 0.1]\n"),
      "sweep.zip[0]: the value 1 with 1e-1 comes twice, first as 1 with 0.1");
}

FOLDER_TEST_CASE("short names of keys are as long as it takes to tell them apart") {
  const Sweep sweep =
      sweep_over(folder, "  " + kRule +
                             ": [oja]\n"
                             "  " +
                             kRate +
                             ": [0.1]\n"
                             "  hierarchy.levels[1].layers[1].learning_rate: [0.1]\n");
  CHECK_THAT(sweep.short_keys(),
             Equals(Texts{"rule", "layers[0].learning_rate", "layers[1].learning_rate"}));
}

TEST_CASE("what is wrong in a sweep is told with its place") {
  const std::string key = "  data.window: ";
  CHECK_SAYS(refused("  nothing\n"), ":13:3: sweep: expected a map of keys");
  CHECK_SAYS(refused("  {}\n"), "each with its values, got an empty map");
  CHECK_SAYS(refused(key + "5\n"), ":13:16: sweep.data.window: expected a list, ");
  CHECK_SAYS(refused(key + "[]\n"), "got an empty list");
  CHECK_SAYS(refused(key + "[1, 2, 1]\n"), ":13:23: sweep.data.window: the value 1 comes twice");
  CHECK_SAYS(refused("  hierarchy.levels[0].layers[0].learning_rate: [0.01, 0.02, 1e-2]\n"),
             "the value 1e-2 comes twice, first as 0.01");
  CHECK_SAYS(refused("  data.spectrum: [[2, 1, 0.5], [2.0, 1, 5e-1]]\n"),
             "the value [2.0, 1, 5e-1] comes twice, first as [2, 1, 0.5]");
  CHECK_SAYS(refused(key + "{range: [1, 2]}\n"), "expected either steps");
  CHECK_SAYS(refused(key + "{range: [1, 2], steps: 3, stepz: 1}\n"),
             ":13:42: sweep.data.window: unknown key 'stepz' (did you mean");
  CHECK_SAYS(refused(key + "{range: [1, x], steps: 3}\n"),
             ":13:28: sweep.data.window: expected a number, got 'x'");
  CHECK_SAYS(refused(key + "{range: 1, steps: 3}\n"), "expected range: [a, b]");
  CHECK_SAYS(refused(key + "{range: [1, 5], steps: 1}\n"), "steps: expected an integer from 2");
  CHECK_SAYS(refused(key + "{range: [1, 5], step: -1}\n"), "does not lead from 1 to 5");
  CHECK_SAYS(refused(key + "{range: [1, 5], step: 0}\n"), "does not lead from 1 to 5");
  CHECK_SAYS(refused(key + "{log_range: [0, 5], steps: 3}\n"), "expected numbers > 0");
  CHECK_SAYS(refused(key + "{random: normal, range: [0, 5]}\n  samples: 2\n"),
             "unknown random 'normal'");
  CHECK_SAYS(refused(key + "{random: integer, range: [0.5, 5]}\n  samples: 2\n"),
             "expected two integers");
  CHECK_SAYS(refused(key + "{random: uniform, range: [5, 1]}\n  samples: 2\n"),
             "expected [a, b] with a < b");
  CHECK_SAYS(refused(key + "{random: integer, range: [1, 5]}\n"),
             "sweep.samples: expected how often");
  CHECK_SAYS(refused(key + "[1]\n  samples: 2\n"), "has no effect without a key with");
  CHECK_SAYS(refused("  seeds: 0\n"), "sweep.seeds: expected how many seeds");
  CHECK_SAYS(refused("  seeds: 2\n  seed: [1]\n"), "seed is varied too");
  CHECK_SAYS(refused("  output.path: [a.h5, b.h5]\n"), "cannot be varied");
  CHECK_SAYS(refused("  experiment: [a, b]\n"), "cannot be varied");
  CHECK_SAYS(refused("  hierarchy.levels[0]: [{}]\n  " + kRule + ": [oja]\n"),
             "hierarchy.levels[0] is varied too (line 13)");
  CHECK_SAYS(refused("  zip: {data.window: [1]}\n"), "sweep.zip: expected a list of maps");
  CHECK_SAYS(refused("  zip:\n    - data.window: [1, 2]\n      data.steps: [100]\n"),
             "expected 2 values, as many as of data.window, got 1");
  CHECK_SAYS(refused("  seeds: 100000\n" + key + "[1, 2]\n"), "more than 100000 runs");
  CHECK_SAYS(refused("", {.set = {"sweep={data.window: [0]}"}}),
             "--set sweep={data.window: [0]}: data.window: expected an integer from 1");
}

TEST_CASE("all members are checked, and told of where their values stand") {
  // A value of its own place.
  std::string error = refused("  " + kRule + ": [oja, bmc]\n  seeds: 3\n");
  CHECK_SAYS(error, ":13:45: " + kRule + ": unknown rule 'bmc' (did you mean 'bcm'?)",
             "(in 3 of 6 members; the first, 3, has rule bmc, seed 0)", "1 error, nothing was run");
  // A value out of a range, and a key that is none.
  error = refused("  " + kRate + ": {range: [-1, 1], steps: 3}\n  data.windw: [1]\n");
  CHECK_SAYS(error, ":13:48: " + kRate + ": expected a number in [0, 1000000], or auto, got '-1'",
             ":14:3: data.windw: unknown key 'windw' (did you mean 'window'?)");
  CHECK_THAT(error, !ContainsSubstring("in 3 of 3"));
  // Values that do not go together.
  error = refused("  data.steps: [10, 300]\n  data.window: [1]\n",
                  {.set = {"readouts=[{name: a, target: {channel: 0, horizon: 8}, levels: [0]}]"}});
  // The tick before the last is trained on but for the purge: of 2 ticks one is scored.
  CHECK_SAYS(error,
             "10 steps, 8 ahead, give 0 ticks to train on and 1 to predict; at least 2 of each are "
             "needed; 1 ticks are left out (purge)",
             "(in 1 of 2 members; the first, 0, has steps 10, window 1)");
}

FOLDER_TEST_CASE("a file with a sweep is for gaia sweep, one without is not") {
  const std::string file = folder.write("e.yaml", kMinimal + "sweep: {seeds: 2}\n");
  CHECK(section_of_many(file, {}) == "sweep");
  CHECK_THROWS_WITH_TEXT(load_experiment(file), ConfigError, "many runs; `gaia sweep ");
  const std::string other = folder.write("o.yaml", kMinimal);
  CHECK(section_of_many(other, {}).empty());
  CHECK_THROWS_WITH_TEXT(Sweep(other, {}), ConfigError, "has no sweep; `gaia run ");
}

TEST_CASE("the JSON Schema knows the section sweep") {
  const nlohmann::json schema = nlohmann::json::parse(json_schema())["properties"]["sweep"];
  CHECK(schema["properties"].size() == 3);
  CHECK(schema["additionalProperties"]["oneOf"].size() == 5);
}

FOLDER_TEST_CASE("a survey of a sweep tells states, the largest member and the time of all") {
  const Sweep sweep =
      sweep_over(folder, "  hierarchy.levels[0].layers[0].size: [2, 900, 5]\n  seeds: 2\n",
                 {.output = folder.path("out")});
  const MemberSurvey survey = survey_members(sweep, true);
  CHECK(survey.count(MemberState::missing) == 6);
  CHECK(survey.largest == 2);
  CHECK(survey.memory_bytes > 900 * 3 * 4);
  CHECK(survey.disk_bytes > 6 * 24e3);
  CHECK(survey.seconds > 0.0);
  CHECK(survey.may_use_gpu);
  CHECK_FALSE(survey.names_gpu);
  CHECK_SAYS(survey_text(sweep, survey), "members  6, 0 complete");
}
