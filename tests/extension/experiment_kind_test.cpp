// SPDX-License-Identifier: MIT
// A kind of experiment that no file of src/ names: what it takes to add one.
#include "../../src/experiment/config/experiment_kind.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "../../src/core/error.h"
#include "../../src/experiment/config/config_writer.h"
#include "../../src/experiment/results/checkpoints.h"
#include "../../src/experiment/results/results_rows.h"
#include "../../src/experiment/run/apply.h"
#include "../../src/experiment/run/needs.h"
#include "../../src/experiment/run/progress.h"
#include "../../src/experiment/run/summary.h"
#include "../../src/experiment/setup/loader.h"
#include "../../src/experiment/sweep/member_survey.h"
#include "../../src/experiment/sweep/member_table.h"
#include "../../src/experiment/sweep/members_together.h"
#include "../../src/io/output_files.h"
#include "../../src/report/page.h"
#include "../../src/report/pages.h"
#include "../../src/report/report.h"
#include "../experiment/cuts.h"

namespace gaia::test {
namespace {

/// counter:
struct CounterConfig {
  static constexpr const char* name = "counter";
  std::int64_t steps = 10;
  double keep = 0.5;
};

struct CounterSummary final : RunSummary {
  double last = 0.0;

  std::string text() const override {
    return "counted  " + std::to_string(steps_done) + " of " + std::to_string(steps) +
           " steps, to " + std::to_string(last) + "\n" + file_lines(file);
  }
  Fields fields() const override { return {{"last", last}}; }
};

/// x <- keep x + 1, step by step, from 0.
class Counter final : public ExperimentKind::Of<CounterConfig> {
 public:
  std::unique_ptr<ExperimentKind> copy() const override { return std::make_unique<Counter>(*this); }

  const char* meaning() const override { return "what is counted"; }
  std::string title() const override { return "a counter"; }
  const char* source() const override { return name(); }  // it reads nothing

  void source_keys(ConfigVisitor& v, ExperimentConfig& /*config*/) override {
    v.forbid({"data", ""}, "a counter reads none");
  }
  void keys(ConfigVisitor& v, const ExperimentConfig& /*config*/) override {
    v.integer({"steps", "how far it counts", true}, options.steps, {1, 1000000});
    v.number({"keep", "share of the last number that is kept"}, options.keep, {0.0, 2.0});
  }
  bool has_dtype() const override { return false; }

  void load(Loader& loader) const override {
    loader.experiment.steps = options.steps;
    if (options.keep > 1.0 && options.steps > 100) {
      loader.add("counter.keep", "expected at most 1 over more than 100 steps");
    }
  }
  Needs needs(const Experiment& /*experiment*/, bool /*trial*/) const override {
    return {.memory_bytes = 8.0 * static_cast<double>(options.steps)};
  }
  CheckedExperiment check(Experiment& experiment, bool /*trial*/) const override {
    CheckedExperiment checked;
    checked.text = opening_lines(experiment);
    checked.fields = {{"steps", options.steps}};
    return checked;
  }
  std::string opening_lines(const Experiment& /*experiment*/) const override {
    return "counter  to " + std::to_string(options.steps) + "\n";
  }

  std::unique_ptr<RunSummary> run(Experiment& experiment, const RunOptions& how) const override {
    const ExperimentConfig& config = experiment.config;
    const std::string& result = config.output.path;
    CutRun* const cut = how.cut;
    const auto lock = cut != nullptr ? std::move(cut->lock) : claim_output(result, how.overwrite);
    const RunFacts facts = facts_of_run(experiment, cut == nullptr ? nullptr : &cut->facts,
                                        how.command_line, "cpu", options.steps);
    Checkpoints checkpoints(result, facts.run_id, config.checkpoint, how.checkpoint,
                            cut == nullptr ? 0 : 1 - cut->found.number);
    CounterSummary summary;
    summary.steps = options.steps;
    if (cut != nullptr) {
      summary.steps_done = cut->found.checkpoint.step;
      summary.last = numbers_of(cut->found.checkpoint.arrays, "x", 1).front();
    }

    const Recorded recorded{cut == nullptr ? nullptr : &cut->partial, summary.steps_done};
    hdf5::File file = create_partial(result, recorded);
    write_root(file, config, facts, "counter");
    hdf5::Dataset x = file.create_group("counter").create_dataset(
        "x", {.type = hdf5::Type::float64, .shape = {0}, .chunk = {64}, .can_grow = true});
    hdf5::Dataset committed = file.create_group("status").create_dataset(
        "committed_steps", {.type = hdf5::Type::int64, .shape = {}});
    open_to_readers(file, result, recorded,
                    [&] { take_rows(x, cut->partial.open_dataset("/counter/x"), recorded.steps); });

    while (summary.steps_done < options.steps && !how.must_stop(0.0)) {
      summary.last = options.keep * summary.last + 1.0;
      x.resize(summary.steps_done + 1);
      x.write_rows(summary.steps_done, 1, &summary.last);
      ++summary.steps_done;
      committed.write<std::int64_t>({&summary.steps_done, 1});
      if (summary.steps_done % 10 == 0) {
        ArrayMap state;
        put_numbers(state, "x", {summary.last});
        checkpoints.write(summary.steps_done, std::move(state));
      }
      if (how.on_progress) {
        how.on_progress(progress_in_steps(summary.steps_done, options.steps, 0.0));
      }
    }
    if (summary.steps_done < options.steps) summary.status = RunStatus::interrupted;
    x.flush();
    file.close();
    summary.file = finish_results(
        result, summary.status, summary.steps_done, 0.0,
        [&](hdf5::File& done) { done.open_group("counter").set_attribute("last", summary.last); });
    if (summary.status == RunStatus::complete) remove_leftovers(result);
    return std::make_unique<CounterSummary>(summary);
  }

  std::vector<MemberScore> scores(const hdf5::File& result) const override {
    std::vector<MemberScore> found;
    add_score(found, result.open_group("counter"), "last", "last", "last number", true, true);
    return found;
  }
  std::string report_page(const report::Result& result,
                          const std::vector<std::string>& /*left_out*/) const override {
    report::Sections sections;
    const std::string count = std::to_string(result.read("counter/x").size());
    sections.add("numbers", "Numbers", "<p>" + count + " numbers</p>");
    return report::page_markup("counter", "<h1>counter</h1>", sections.all());
  }
  void compare(const report::Result& result, bool /*is_found*/,
               report::ComparedRun& run) const override {
    run.scores.emplace_back("last number", result.number("counter", "last").value_or(0.0));
  }
};

/// Once for all tests.
void register_counter() {
  static const bool done = [] {
    ExperimentKind::list().add(Kind<ExperimentKind>(std::make_unique<Counter>()));
    return true;
  }();
  static_cast<void>(done);
}

const std::string kCounter = "experiment: count\ncounter: {steps: 40, keep: 0.25}\n";

}  // namespace

TEST_CASE(
    "keys of a kind of experiment from outside are read, checked, written and in the schema") {
  register_counter();
  const TempDir folder;
  const Experiment experiment = load_experiment(folder.write("e.yaml", kCounter));
  CHECK(experiment.steps == 40);
  CHECK(experiment.config.kind.get_if<CounterConfig>()->keep == 0.25);
  CHECK_SAYS(to_yaml(experiment.config), "counter:\n  steps: 40\n  keep: 0.25\n");
  const auto complaint = [&](const std::string& text) -> std::string {
    try {
      load_experiment(folder.write("wrong.yaml", text));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "nothing";
  };
  CHECK_SAYS(complaint("experiment: e\ncounter: {keep: 1}\n"),
             "counter.steps: missing (how far it counts)");
  CHECK_SAYS(complaint("experiment: e\ncounter: {steps: 101, keep: 1.5}\n"),
             "wrong.yaml:2:29: counter.keep: expected at most 1");
  CHECK_SAYS(complaint(kCounter + "data: {source: generator}\n"), "a counter reads none");
  CHECK_SAYS(complaint(kCounter + "agent: {type: discrete}\n"),
             "expected exactly one of the keys hierarchy, network, agent, counter");
  const auto schema = nlohmann::json::parse(json_schema());
  CHECK(schema["properties"]["counter"]["properties"]["keep"]["maximum"] == 2.0);
}

TEST_CASE(
    "an experiment of a kind from outside runs, is cut, resumed, applied to nothing, reported") {
  register_counter();
  const TempDir folder;
  const auto load = [&](const std::string& output) {
    return load_experiment(folder.write("e.yaml", kCounter), {.output = folder.path(output)});
  };
  Experiment whole = load("whole.h5");
  const std::unique_ptr<RunSummary> done = run_experiment(whole);
  CHECK(done->status == RunStatus::complete);
  CHECK_SAYS(done->text(), "counted  40 of 40 steps, to 1.3333");
  CHECK_SAYS(opening_text(whole), "counter  to 40\n");

  std::atomic<bool> stop{false};
  RunOptions options;
  options.stop = &stop;
  options.on_progress = [&](const Progress& progress) { stop = progress.steps_done == 25; };
  Experiment cut = load("cut.h5");
  CHECK(run_experiment(cut, options)->status == RunStatus::interrupted);
  auto resumption = open_cut_run(folder.path("cut.h5"));
  REQUIRE(resumption);
  CHECK(resumption->run.found.checkpoint.step == 20);
  CHECK(run_experiment(resumption->experiment, {.cut = &resumption->run})->status ==
        RunStatus::complete);
  check_same_datasets(datasets_of(folder.path("whole.h5")), datasets_of(folder.path("cut.h5")));

  CHECK(kind_of_result(folder.path("cut.h5")).title() == "a counter");
  CHECK_THROWS_WITH(kind_of_result(folder.path("cut.h5"))
                        .apply(folder.path("cut.h5"), {}, {}, [](const Experiment&) {}),
                    ContainsSubstring("is the result of a counter; only hierarchies and networks"));
  CHECK_SAYS(report_page({folder.path("whole.h5")}), "40 numbers");
  CHECK_SAYS(report_page({folder.path("whole.h5"), folder.path("cut.h5")}), "last number");
}

TEST_CASE("a sweep over a kind of experiment from outside is surveyed, run and compared") {
  register_counter();
  const TempDir folder;
  const Sweep sweep(folder.write("e.yaml", kCounter + "sweep: {counter.steps: [20, 30]}\n"),
                    {.output = folder.path("out")});
  const MemberSurvey survey = survey_members(sweep, true);
  CHECK(survey.memory_bytes == 240.0);
  CHECK(survey.seconds == 0.0);
  CHECK(run_members_together(sweep, {0, 1}, {}).empty());  // they do not run with others
  for (std::int64_t member = 0; member < 2; ++member) {
    Experiment experiment = sweep.load(member);
    run_experiment(experiment);
  }
  const MemberTable table = read_member_table(sweep);
  CHECK(table.complete() == 2);
  REQUIRE(table.scores.size() == 1);
  CHECK(table.scores.front().name == "last");
  CHECK(std::abs(table.scores.front().values[1] - 4.0 / 3.0) < 1e-9);
}

}  // namespace gaia::test
