// SPDX-License-Identifier: MIT
/// \file
/// A rule that a program registers, in everything that goes by the rule's name: YAML, schema,
/// results, checkpoints, resume, hierarchy.from, the report.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../src/array/backend_cuda.h"
#include "../../src/core/error.h"
#include "../../src/experiment/config/config_writer.h"
#include "../../src/experiment/run/placement.h"
#include "../../src/learning/catalogue/catalogue.h"
#include "../../src/learning/plasticity.h"
#include "../../src/report/report.h"
#include "../experiment/cuts.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/datasets.h"
#include "../support/fake_device.h"
#include "../support/log_capture.h"
#include "rules.h"

namespace gaia::test {
namespace {

void register_once() {
  static const bool done = [] {
    register_rule<HabituatingRule>();
    register_rule<SharingRule>();
    return true;
  }();
  (void)done;
}

const std::string kLayer = "/levels/0/layers/0/";

std::string experiment(const std::string& layer, const std::string& more = "") {
  return "experiment: own\n"
         "seed: 3\n"
         "data: {source: generator, kind: gaussian, spectrum: [2, 1, 0.5, 0.3], steps: 300}\n"
         "hierarchy:\n" +
         more +
         "  levels:\n    - layers:\n"
         "        - {type: hebbian, size: 3, activation: tanh, " +
         layer +
         "}\n"
         "output: {inputs: all, weights: {every: 100}}\n";
}

class Folder : public TempDir {
 public:
  Folder() { register_once(); }

  Experiment load(const std::string& text, const std::string& name = "r",
                  std::vector<std::string> settings = {}) const {
    settings.emplace_back("device=cpu");
    return load_experiment(write("e.yaml", text), {.set = settings, .output = path(name + ".h5")});
  }
  Datasets run(const std::string& text, const std::string& name = "r",
               const std::vector<std::string>& settings = {}) const {
    Experiment experiment = load(text, name, settings);
    run_hierarchy(experiment, {.overwrite = true});
    return datasets_of(path(name + ".h5"));
  }
  std::string complaint(const std::string& text) const {
    return complaint_of<ConfigError>([&] { load(text); });
  }
};

std::vector<double> rows(const std::vector<double>& all, std::size_t first, std::size_t count) {
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {at, at + static_cast<std::ptrdiff_t>(count)};
}

struct BuiltIn : HabituatingRule {
  static constexpr const char* name = "oja";
};
struct Spaced : HabituatingRule {
  static constexpr const char* name = "my rule";
};
struct Weighty : HabituatingRule {
  static constexpr const char* name = "weighty";
  std::array<RuleMemory, 1> memories() const { return {{{"weights", "no"}}}; }
};
struct Bounded : HabituatingRule {
  static constexpr const char* name = "bounded";
  template <class Visitor>
  void keys(Visitor& v) {
    v.number({"bound", "as every plastic layer has"}, habit, {0.0, 1.0});
  }
};

void check_close(const std::vector<double>& found, const Reals& expected, double tolerance) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] ==
          Approx(static_cast<double>(expected[i])).epsilon(tolerance).margin(tolerance));
  }
}

}  // namespace

TEST_CASE("YAML knows a registered rule, its keys, and their ranges") {
  const Folder folder;
  const Experiment made = folder.load(experiment("rule: habituating, recovery: 5, habit: 0.5"));
  CHECK(made.warnings.empty());
  const std::string resolved = to_yaml(made.config);
  CHECK_SAYS(resolved, "rule: habituating\n", "recovery: 5", "habit: 0.5\n");
  CHECK_SAYS(to_yaml(folder.load(experiment("rule: sharing")).config), "span: 10\n");

  const auto complaint = [&](const std::string& layer) {
    return folder.complaint(experiment(layer));
  };
  CHECK_SAYS(complaint("rule: habituating, recovery: 0.5"),
             "recovery: expected a number in [1, 1000000], got '0.5'");
  CHECK_SAYS(complaint("rule: habituating, habit: -2"),
             "habit: expected a number in (-2, 2], got '-2'");
  CHECK_SAYS(complaint("rule: sharing, span: 2.5"),
             "span: expected an integer from 2 to 1000, got '2.5'");
  CHECK_SAYS(complaint("rule: habituating, recovry: 5"),
             "unknown key 'recovry' (did you mean 'recovery'?)");
  CHECK_SAYS(complaint("rule: habituatin"), "did you mean 'habituating'?");

  // Keys of other rules are taken with a warning, in both directions.
  const Experiment other = folder.load(experiment("rule: oja, recovery: 5"));
  REQUIRE(other.warnings.size() == 1);
  CHECK_SAYS(other.warnings[0], "recovery has no effect without rule: habituating");
  const Experiment own = folder.load(experiment("rule: habituating, tau: 5"));
  REQUIRE(own.warnings.size() == 1);
  CHECK_SAYS(own.warnings[0], "tau has no effect without rule: bcm");
}

TEST_CASE("the JSON Schema has a registered rule") {
  register_once();
  const nlohmann::json schema = nlohmann::json::parse(json_schema());
  const auto& layers = schema["properties"]["hierarchy"]["properties"]["levels"]["oneOf"][0]
                             ["items"]["properties"]["layers"]["items"]["oneOf"];
  for (const auto& layer : layers) {
    const auto& keys = layer["properties"];
    if (keys["type"]["const"] != "hebbian") continue;
    const auto& names = keys["rule"]["oneOf"][0]["enum"];
    CHECK(std::find(names.begin(), names.end(), "habituating") != names.end());
    CHECK(keys["recovery"]["minimum"] == 1.0);
    CHECK(keys["recovery"]["default"] == 20.0);
    CHECK(keys["habit"]["exclusiveMinimum"] == -2.0);
    CHECK(keys["span"]["type"] == "integer");
    return;
  }
  FAIL("the schema has no plastic layer");
}

TEST_CASE("the results of a registered rule are those of a plain loop, memory included") {
  const Folder folder;
  for (const char* const dtype : {"float32", "float64"}) {
    for (const char* const executor : {"stepwise", "chunkwise"}) {
      INFO(dtype << ", " << executor);
      const HabituatingRule rule{
          .learning_rate = 0.02, .decay = 0.001, .habit = 0.5, .recovery = 6.0};
      const std::string text = experiment(
          "rule: habituating, learning_rate: 0.02, decay: 0.001, habit: 0.5, recovery: 6",
          std::string("  executor: ") + executor + "\n");
      Datasets all;
      {
        const Threads one(1);
        all = folder.run(text, "one", {std::string("dtype=") + dtype});
      }
      {
        const Threads two(2);
        check_same_datasets(all, folder.run(text, "two", {std::string("dtype=") + dtype}));
      }
      const std::vector<double>& start = all.at(kLayer + "weights_initial");
      LayerByHand layer{3, 4, Reals(start.begin(), start.end()), Reals(3, 0.5L)};
      const std::vector<double>& samples = all.at("/data/samples");
      Reals answers;
      for (std::size_t t = 0; t < 300; ++t) {
        if (t == 200) check_close(rows(all.at(kLayer + "history/habit"), 6, 3), layer.memory, 1e-4);
        const std::vector<double> x = rows(samples, t * 4, 4);
        const Reals y = layer.tick(rule, Reals(x.begin(), x.end()), 1);
        answers.insert(answers.end(), y.begin(), y.end());
      }
      const double tolerance = std::string(dtype) == "float64" ? 1e-10 : 1e-4;
      check_close(all.at("/levels/0/representation"), answers, tolerance);
      check_close(all.at(kLayer + "weights"), layer.weights, tolerance);
      check_close(all.at(kLayer + "memory/habit"), layer.memory, tolerance);
      CHECK(all.count(kLayer + "habit") == 0);
      CHECK(rows(all.at(kLayer + "history/habit"), 0, 3) == std::vector<double>(3, 0.5));
    }
  }
}

TEST_CASE("results tell of a registered rule's parameters and memories") {
  const Folder folder;
  folder.run(experiment("rule: habituating, habit: 0.5"));
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  const hdf5::Group layer = file.open_group("levels/0/layers/0");
  CHECK(layer.text_attribute("rule") == "habituating");
  CHECK(layer.number_attribute("recovery") == 20.0);
  CHECK(layer.number_attribute("habit") == 0.5);
  CHECK_FALSE(layer.has_attribute("tau"));
  const hdf5::Dataset habit = file.open_dataset("levels/0/layers/0/memory/habit");
  CHECK(habit.shape() == std::vector<std::int64_t>{3});
  CHECK(habit.number_attribute("initial") == 0.5);
  CHECK(habit.text_attribute("meaning") == "mean drive");
  CHECK(habit.text_attribute("long_name") == "habit at the end");
  CHECK(habit.text_attribute("units") == "1");
  CHECK(habit.scales() == std::vector<std::string>{"neuron"});
  CHECK(file.open_dataset("levels/0/layers/0/history/habit").scales() ==
        std::vector<std::string>{"step", "neuron"});
}

TEST_CASE("a run under a registered rule goes on as if it had never been cut") {
  register_once();
  for (const char* const rule : {"habituating", "sharing"}) {
    INFO(rule);
    const Cuts cuts(everything(rule, "mean"));
    cuts.run_with_kills("uncut", {37, 296, 407});
    const Datasets uncut = datasets_of(cuts.result("uncut"));
    for (const std::string name : {"37", "296", "407"}) {
      INFO("killed after step " << name);
      CHECK(cuts.resume(name).status == RunStatus::complete);
      cuts.check_same(name, uncut);
    }
    const auto memories = memories_of(rule_from_name(rule));
    for (const RuleMemory& memory : memories) {
      INFO(memory.name);
      const std::string in_layer = "/levels/1/layers/1/memory/" + std::string(memory.name);
      const std::string in_state = "/levels/1/layers/1/" + std::string(memory.name);
      CHECK(uncut.at(in_layer) != std::vector<double>(4, memory.initial));
      // Of two slots one has the end.
      CHECK((uncut.at("/checkpoint/0" + in_state) == uncut.at(in_layer) ||
             uncut.at("/checkpoint/1" + in_state) == uncut.at(in_layer)));
    }
  }
}

TEST_CASE("with a registered rule device auto takes the CPU and makes no GPU") {
  const Folder folder;
  int made = 0;
  const OtherCudaDevices others({.count = 2, .why_none = {}, .make = [&](int) {
                                   ++made;
                                   return std::make_unique<fake::FakeBackend>();
                                 }});
  const std::string file = folder.write("auto.yaml", experiment("rule: habituating"));
  Experiment of_auto = load_experiment(file, {.device = "auto", .output = folder.path("auto.h5")});
  const LogCapture log;
  run_hierarchy(of_auto);
  CHECK(log.count(LogLevel::info, "device auto: cpu (rule habituating runs there alone)") == 1);
  CHECK_SAYS(explain_device(of_auto), "rule habituating runs there alone");
  CHECK(made == 0);
}

TEST_CASE("a run begins with the memories that another has left") {
  const Folder folder;
  const std::string text = experiment("rule: sharing");
  const Datasets first = folder.run(text, "first");
  const Datasets frozen =
      folder.run(text, "frozen", {"hierarchy.from=first.h5", "hierarchy.learn=false"});
  const Datasets second = folder.run(text, "second", {"hierarchy.from=first.h5"});
  for (const char* const name : {"memory/taken", "memory/taken_before"}) {
    INFO(name);
    const std::vector<double>& left = first.at(kLayer + name);
    CHECK(left != std::vector<double>(3, std::string(name) == "memory/taken" ? 0.5 : 0.0));
    CHECK(same_bits(frozen.at(kLayer + name), left));
    CHECK(same_bits(second.at(kLayer + name + std::string("_initial")), left));
    CHECK_FALSE(same_bits(second.at(kLayer + name), left));
  }
  CHECK(first.count(kLayer + "memory/taken_initial") == 0);
}

TEST_CASE("a report draws the memories of a registered rule") {
  const Folder folder;
  folder.run(experiment("rule: sharing"));
  const std::string page = report_page({folder.path("r.h5")});
  for (const char* const name : {"taken", "taken_before"}) {
    CHECK_SAYS(page, "level 0, layer 0: hebbian, sharing, " + std::string(name),
               "sharing, " + std::string(name) + ", by step");
  }
  CHECK_SAYS(page, "taken_before is the share taken before of rule sharing");
  folder.run(experiment("rule: habituating"));
  CHECK_SAYS(report_page({folder.path("r.h5")}), "A habit is near the mean drive.");
}

TEST_CASE("a name that is taken, or that files cannot have, is refused") {
  register_once();
  CHECK_THROWS_WITH_TEXT(register_rule<HabituatingRule>(), ArgumentError,
                         "[register_rule] habituating: name 'habituating' is taken");
  CHECK_THROWS_WITH_TEXT(register_rule<BuiltIn>(), ArgumentError, "name 'oja' is taken");
  CHECK_THROWS_WITH_TEXT(register_rule<Spaced>(), ArgumentError,
                         "name 'my rule' must be 1 to 64 of a-z, 0-9 and _");
  CHECK_THROWS_WITH_TEXT(register_rule<Weighty>(), ArgumentError, "memory 'weights' is taken");
  CHECK_THROWS_WITH_TEXT(register_rule<Bounded>(), ArgumentError, "key 'bound' is taken");
  CHECK(rule_names().size() == named_rules().size() + 2);
}

}  // namespace gaia::test
