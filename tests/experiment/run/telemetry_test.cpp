// SPDX-License-Identifier: MIT
/// \file
/// What runs tell while they run, in lines of JSON and in Prometheus's format.
#include "../../../src/experiment/run/telemetry.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../../../src/array/create.h"
#include "../../../src/array/placement.h"
#include "../../../src/core/error.h"
#include "../../../src/core/parallel.h"
#include "../../support/catch.h"
#include "../../support/emulated_device.h"
#include "../../support/log_capture.h"
#include "../../support/temp_dir.h"
#include "../../support/text.h"

namespace gaia::test {
namespace {

using Json = nlohmann::json;

std::vector<Json> lines_of(const std::string& path) {
  std::istringstream text(file_text(path));
  std::vector<Json> lines;
  for (std::string line; std::getline(text, line);) {
    if (!line.empty()) lines.push_back(Json::parse(line));
  }
  return lines;
}

/// The value of a metric in a text that is read line by line; NaN if it is not there.
double metric(const std::string& text, const std::string& name, std::string* labels = nullptr) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("gaia_" + name, 0) != 0) continue;
    const std::size_t space = line.find_last_of(' ');
    const std::size_t brace = line.find('{');
    if (line.substr(0, std::min(brace, space)) != "gaia_" + name) continue;
    if (labels != nullptr) *labels = line.substr(brace, space - brace);
    return std::stod(line.substr(space + 1));
  }
  return std::nan("");
}

TelemetryLine some_line() {
  return {.event = "progress",
          .words = {{"experiment", "a \"b\"\\\n"}, {"file", "r.h5"}},
          .numbers = {{"", "step", "steps_total", "Steps that are done.", 12.0},
                      {"load", "busy", "device_busy_ratio", "Share.", 0.25},
                      {"load", "power", "device_power_watts", "Power.",
                       std::numeric_limits<double>::quiet_NaN()},
                      {"", "code", "", "", 7.0},
                      {"", "", "run_is_alive", "Alive.", 1.0}}};
}

TEST_CASE("A line of JSON has what is known, and whole numbers as such") {
  const std::string text = json_line(some_line());
  CHECK(text.find('\n') == text.size() - 1);
  const Json line = Json::parse(text);
  CHECK(line["event"] == "progress");
  CHECK(line["experiment"] == "a \"b\"\\\n");
  CHECK(line["step"].is_number_integer());
  CHECK(line["step"] == 12);
  CHECK(line["load"] == Json{{"busy", 0.25}});
  CHECK(line["code"] == 7);
  CHECK(line.size() == 7);  // and the time
  const std::string time = line["time"];
  CHECK(time.size() == 24);
  CHECK(time[10] == 'T');
  CHECK(time.back() == 'Z');
}

TEST_CASE("Metrics are in Prometheus's format") {
  CHECK(metrics_text(some_line()) ==
        "# HELP gaia_steps_total Steps that are done.\n"
        "# TYPE gaia_steps_total counter\n"
        "gaia_steps_total{experiment=\"a \\\"b\\\"\\\\\\n\",file=\"r.h5\"} 12.0\n"
        "# HELP gaia_device_busy_ratio Share.\n"
        "# TYPE gaia_device_busy_ratio gauge\n"
        "gaia_device_busy_ratio{experiment=\"a \\\"b\\\"\\\\\\n\",file=\"r.h5\"} 0.25\n"
        "# HELP gaia_run_is_alive Alive.\n"
        "# TYPE gaia_run_is_alive gauge\n"
        "gaia_run_is_alive{experiment=\"a \\\"b\\\"\\\\\\n\",file=\"r.h5\"} 1.0\n");
}

FOLDER_TEST_CASE("Lines are added to what is there, and a cut one is left behind") {
  const std::string path = folder.path("deep/told.jsonl");
  { TelemetryFiles({.file = path}).write(some_line()); }
  const std::string first = file_text(path);
  { TelemetryFiles({.file = path}).write(some_line()); }
  CHECK(file_text(path).substr(0, first.size()) == first);
  CHECK(lines_of(path).size() == 2);
  std::filesystem::resize_file(path, first.size() - 5);
  { TelemetryFiles({.file = path}).write(some_line()); }
  const std::string mended = file_text(path);
  CHECK(mended.substr(0, first.size() - 5) == first.substr(0, first.size() - 5));
  CHECK(mended[first.size() - 5] == '\n');
  CHECK(Json::parse(mended.substr(first.size() - 4))["step"] == 12);
}

FOLDER_TEST_CASE("Metrics are replaced as a whole, and nothing else is left in the folder") {
  const std::string path = folder.path("gaia.prom");
  TelemetryFiles files({.metrics = path});
  files.write(some_line());
  TelemetryLine next = some_line();
  next.numbers[0].value = 13.0;
  files.write(next);
  CHECK(file_text(path) == metrics_text(next));
  { const TelemetryFiles again({.metrics = path}); }
  const auto count = std::distance(std::filesystem::directory_iterator(folder.path("")),
                                   std::filesystem::directory_iterator());
  CHECK(count == 1);
}

FOLDER_TEST_CASE("A file that holds something else is not touched") {
  const std::string other = folder.write("e.yaml", "experiment: mine\n");
  CHECK_THROWS_WITH_TEXT(TelemetryFiles({.file = other}), OutputError,
                         "e.yaml is there and holds no lines of JSON, so nothing is added to it");
  CHECK_THROWS_WITH_TEXT(TelemetryFiles({.metrics = other}), OutputError,
                         "e.yaml is there and holds no metrics of gaia, so it is not replaced");
  CHECK(file_text(other) == "experiment: mine\n");
  CHECK_THROWS_WITH_TEXT(TelemetryFiles({.file = folder.path("")}), OutputError, "is a folder");
  CHECK_THROWS_WITH_TEXT(TelemetryFiles({.file = "x", .metrics = "x"}), OutputError,
                         "x cannot have both");
  CHECK_THROWS_AS(TelemetryFiles({.file = "/proc/nowhere/told.jsonl"}), OutputError);
}

TEST_CASE("A full disk is told once, and stops nothing") {
  const LogCapture log;
  TelemetryFiles files({.file = "/dev/full"});
  files.write(some_line());
  files.write(some_line());
  CHECK(log.count(LogLevel::warning, "[telemetry] /dev/full cannot be written: No space left") ==
        1);
  CHECK(log.lines.size() == 1);
}

FOLDER_TEST_CASE("Lines come as far apart as they are to") {
  TelemetryFiles seldom({.file = folder.path("a"), .seconds = 1000.0});
  CHECK(seldom.is_due());
  seldom.write(some_line());
  CHECK_FALSE(seldom.is_due());
  TelemetryFiles always({.file = folder.path("b"), .seconds = 0.0});
  always.write(some_line());
  CHECK(always.is_due());
}

TEST_CASE("A device tells of its memory, its pool and the copies of this thread") {
  const EmulatedDevice emulated;
  const TransferStats before = transfer_stats();
  const Array x = ones({1000}).to(emulated.device());
  const auto numbers = device_numbers(emulated.device(), before);
  const Json line = Json::parse(json_line({.event = "progress", .words = {}, .numbers = numbers}));
  CHECK(line["memory"]["used"] == 4000);
  CHECK(line["memory"]["peak"] >= 4000);
  CHECK(line["pool"]["allocations"] >= 1);
  CHECK(line["transfers"]["explicit"] == 1);
  CHECK(line["transfers"]["bytes"] == 4000);
  CHECK(line["transfers"]["implicit"] == 0);
}

/// waits:
struct WaitsConfig {
  static constexpr const char* name = "waits";
};

/// Tells of two parts of four steps each, in which it looks at the settings.
class Waits final : public ExperimentKind::Of<WaitsConfig> {
 public:
  std::unique_ptr<ExperimentKind> copy() const override { return std::make_unique<Waits>(*this); }
  const char* meaning() const override { return "nothing"; }
  std::string title() const override { return "a wait"; }
  void keys(ConfigVisitor&, const ExperimentConfig&) override {}
  void load(Loader&) const override {}
  std::string opening_lines(const Experiment&) const override { return {}; }
  std::string report_page(const report::Result&, const std::vector<std::string>&) const override {
    return {};
  }
  std::unique_ptr<RunSummary> run(Experiment& experiment,
                                  const RunOptions& run_options) const override {
    threads = num_threads();
    limit = memory_stats(Device::cpu()).limit;
    threshold = offload_threshold();
    for (int part = 0; part < 2; ++part) {
      for (int step = 1; step <= 4; ++step) {
        if (fails && part == 1) throw DataError("no more");
        if (run_options.on_progress) {
          run_options.on_progress({.steps_done = step,
                                   .steps = 4,
                                   .share = (4 * part + step) / 8.0,
                                   .has_parts = true});
        }
      }
    }
    struct Summary final : RunSummary {
      std::string text() const override { return {}; }
    };
    auto summary = std::make_unique<Summary>();
    summary->file = experiment.config.output.path;
    return summary;
  }

  bool fails = false;
  inline static int threads = 0;
  inline static std::int64_t limit = 0;
  inline static std::int64_t threshold = 0;
};

Experiment experiment_that_waits(bool fails = false) {
  Experiment experiment;
  auto kind = std::make_unique<Waits>();
  kind->fails = fails;
  experiment.config.kind = Kind<ExperimentKind>(std::move(kind));
  experiment.config.experiment = "wait";
  experiment.config.device = "cpu";
  experiment.config.output.path = "results/wait.h5";
  return experiment;
}

FOLDER_TEST_CASE("A run tells of its beginning, its steps and its end") {
  Experiment experiment = experiment_that_waits();
  experiment.config.runtime.telemetry =
      TelemetryConfig{.file = folder.path("t.jsonl"), .seconds = 0.0};
  int heard = 0;
  RunOptions options{.on_progress = [&](const Progress&) { ++heard; }};
  options.runtime.telemetry = TelemetryConfig{.metrics = folder.path("m.prom")};
  run_experiment(experiment, options);
  CHECK(heard == 8);
  const std::vector<Json> lines = lines_of(folder.path("t.jsonl"));
  REQUIRE(lines.size() == 10);
  for (const Json& line : lines) {
    CHECK(line["experiment"] == "wait");
    CHECK(line["kind"] == "waits");
    CHECK(line["file"] == "results/wait.h5");
    CHECK(line["errors"] == 0);
  }
  CHECK(lines.front()["event"] == "begin");
  CHECK(lines[1]["event"] == "progress");
  CHECK(lines[1]["step"] == 1);
  CHECK(lines[1]["steps"] == 4);
  CHECK(lines[1]["device"] == "cpu");
  CHECK(lines[1]["memory"].contains("used"));
  CHECK(lines[8]["step"] == 8);  // through both parts
  CHECK(lines[8]["share"] == 1);
  CHECK(lines.back()["event"] == "end");
  CHECK(lines.back()["status"] == "complete");
  CHECK(lines.back()["step"] == 8);
  CHECK(lines.back()["steps_per_second"] > 0.0);
  const std::string metrics = file_text(folder.path("m.prom"));
  std::string labels;
  CHECK(metric(metrics, "steps_total", &labels) == 8.0);
  CHECK(labels == "{experiment=\"wait\",kind=\"waits\",file=\"results/wait.h5\",device=\"cpu\"}");
  CHECK(metric(metrics, "run_share") == 1.0);
  CHECK(metric(metrics, "run_is_alive") == 0.0);
  CHECK(metric(metrics, "errors_total") == 0.0);
}

FOLDER_TEST_CASE("A run that fails says so, and why") {
  Experiment experiment = experiment_that_waits(true);
  RunOptions options;
  options.runtime.telemetry =
      TelemetryConfig{.file = folder.path("t.jsonl"), .metrics = folder.path("m.prom")};
  CHECK_THROWS_AS(run_experiment(experiment, options), DataError);
  const Json last = lines_of(folder.path("t.jsonl")).back();
  CHECK(last["event"] == "end");
  CHECK(last["status"] == "failed");
  CHECK(last["error"] == "no more");
  CHECK(last["errors"] == 1);
  CHECK(last["step"] == 4);
  CHECK(metric(file_text(folder.path("m.prom")), "errors_total") == 1.0);
}

FOLDER_TEST_CASE("A member leaves the metrics to the program that starts it") {
  Experiment experiment = experiment_that_waits();
  experiment.member = SweepMember{.number = 3, .settings = {}};
  RunOptions options;
  options.runtime.telemetry =
      TelemetryConfig{.file = folder.path("t.jsonl"), .metrics = folder.path("m.prom")};
  run_experiment(experiment, options);
  CHECK_FALSE(std::filesystem::exists(folder.path("m.prom")));
  CHECK(lines_of(folder.path("t.jsonl")).back()["member"] == "3");
}

TEST_CASE("Settings of an experiment hold for its run, and those of the command line go before") {
  const RuntimeConfig before = runtime_config();
  Experiment experiment = experiment_that_waits();
  experiment.config.runtime = {.threads = before.threads.value() + 1,
                               .memory_limit = std::int64_t{1} << 41,
                               .offload_threshold = 777};
  run_experiment(experiment);
  CHECK(Waits::threads == before.threads.value() + 1);
  CHECK(Waits::limit == std::int64_t{1} << 41);
  CHECK(Waits::threshold == 777);
  CHECK(runtime_config() == before);
  RunOptions options;
  options.runtime.threads = before.threads.value() + 2;
  run_experiment(experiment, options);
  CHECK(Waits::threads == before.threads.value() + 2);
  CHECK(Waits::threshold == 777);
  CHECK(runtime_config() == before);
  experiment.config.runtime = {};
  run_experiment(experiment);
  CHECK(Waits::threads == before.threads.value());
  CHECK(Waits::limit == 0);
}

TEST_CASE("Without files nothing is told, and the run has the options that it was given") {
  const Experiment experiment = experiment_that_waits();
  const ToldRun told(experiment, {});
  CHECK_FALSE(told.options().on_progress);
}

FOLDER_TEST_CASE("The process's own telemetry is that of runs which set none") {
  const RuntimeScope scope({.telemetry = TelemetryConfig{.file = folder.path("t.jsonl")}});
  Experiment experiment = experiment_that_waits();
  run_experiment(experiment);
  CHECK(lines_of(folder.path("t.jsonl")).size() == 2);  // it takes less than a second
}

}  // namespace
}  // namespace gaia::test
