// SPDX-License-Identifier: MIT
#include "../../src/report/report.h"

#include <fmt/format.h>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "../../src/core/error.h"
#include "../../src/experiment/run/hierarchy_run.h"
#include "../../src/io/diverged.h"
#include "../../src/io/hdf5.h"
#include "../../src/report/readouts.h"
#include "../../src/report/survey_inputs.h"
#include "../../src/report/weights.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/experiment_text.h"
#include "../support/log_capture.h"
#include "../support/text.h"

using namespace gaia;
using namespace gaia::test;
using namespace gaia::report;

namespace {

const std::string kExperiment =
    "experiment: e\nhierarchy:\n  levels:\n    - layers:\n"
    "        - {type: hebbian, size: 3, rule: oja_subspace, learning_rate: 0.002}\n"
    "    - temporal_resolution: 4\n      pooling: mean\n      layers:\n"
    "        - {type: hebbian, size: 2, rule: sanger, learning_rate: 0.01}\n"
    "readouts:\n"
    "  - {name: both, target: {channel: 1, horizon: 3, mean_over: 2}, levels: [0, 1]}\n"
    "  - {name: fast, target: {channel: 1, horizon: 3, mean_over: 2}, levels: [0]}\n"
    "  - {name: slow, target: {channel: 1, horizon: 3}, levels: [1], skip: 0.1}\n";

const std::string kGenerated =
    "data: {source: generator, kind: sines, frequencies: [0.02, 0.11], channels: 2, noise: 0.2, "
    "window: 4, steps: 3000, normalize: zscore}\n";

std::vector<ReadoutFacts> scored(const std::string& path, InputSurvey* inputs = nullptr) {
  const Result result(path);
  std::vector<ReadoutFacts> readouts = read_readouts(result);
  const InputSurvey survey = survey_inputs(result, choose_close_up(result));
  if (inputs != nullptr) *inputs = survey;
  return readouts;
}

const Score& baseline(const ReadoutFacts& readout, const std::string& name) {
  for (const Score& score : readout.baselines) {
    if (score.name == name) return score;
  }
  FAIL("no baseline " << name);
  return readout.score;
}

/// A CSV file of two channels.
std::string table(double change) {
  std::string text = "a,b\n";
  for (int t = 0; t < 800; ++t) {
    text += std::to_string(std::sin(0.1 * t) + change) + "," + std::to_string(std::cos(0.07 * t)) +
            "\n";
  }
  return text;
}

const std::string kFromFile = "data: {source: file, path: d.csv, window: 2}\n";

}  // namespace

FOLDER_TEST_CASE("a folder of results that are no sweep is told, with what can be named") {
  const auto told = [&] {
    return complaint_of<DataError>([&] { report_page({folder.path("")}); });
  };
  CHECK_SAYS(told(),
             "expected the folder of a sweep or a search, with member-*.h5; got one without any; "
             "it has no results at all");
  folder.write("b.h5", "");
  folder.write("a.h5", "");
  folder.write("a.html", "");
  CHECK_SAYS(told(), "its results can be named, one for a page of it, several to compare them: " +
                         folder.path("a.h5") + ", " + folder.path("b.h5"));
  std::filesystem::create_directory(folder.path("rates"));
  folder.write("rates/member-00000.h5", "");
  CHECK_SAYS(told(), "; folders of sweeps in it: " + folder.path("rates"));
}

FOLDER_TEST_CASE("of several epochs the last is shown, beside the samples that it read") {
  std::string yaml = kExperiment + kGenerated + "output: {inputs: all}\n";
  yaml.replace(yaml.find("  levels:"), 0, "  epochs: 3\n");
  const std::string path = result_of_text(folder, yaml);
  InputSurvey inputs;
  const std::vector<ReadoutFacts> readouts = scored(path, &inputs);
  CHECK(inputs.origin == "generated again from the seed");
  const Result result(path);
  CHECK(result.epochs() == 3);
  CHECK(result.done() == 9000);
  CHECK(result.series_done() == 3000);
  const std::vector<double> samples = result.read("data/samples");
  for (const Point& point : inputs.close[1]) {
    CHECK(point.y == Approx(samples[static_cast<std::size_t>(point.x) * 8 + 7]).margin(1e-6));
  }
  const std::string page = report_page({path});
  CHECK_SAYS(page, "3 000 steps of sines, 2 channels, read 3 times");
}

FOLDER_TEST_CASE("a run that began with another is reported where that is gone") {
  result_of_text(folder, kExperiment + kGenerated, {}, "first.h5");
  std::string yaml = kExperiment + kGenerated;
  yaml.replace(yaml.find("  levels:"), 0, "  from: first.h5\n");
  yaml.replace(yaml.find("zscore"), 6, "stored");
  const std::string path = result_of_text(folder, yaml);
  std::filesystem::remove(folder.path("first.h5"));
  InputSurvey inputs;
  const std::vector<ReadoutFacts> readouts = scored(path, &inputs);
  CHECK(inputs.missing.empty());
  CHECK(inputs.unit == "scaled as before");
  CHECK(std::isfinite(baseline(readouts[1], "ridge on the same past").error));
}

FOLDER_TEST_CASE("the close-up and the lines are the samples that level 0 received") {
  const std::string path =
      result_of_text(folder, kExperiment + kGenerated + "output: {inputs: all}\n");
  InputSurvey inputs;
  scored(path, &inputs);
  CHECK(inputs.origin == "generated again from the seed");
  REQUIRE(inputs.close.size() == 2);
  const Result result(path);
  const std::vector<double> samples = result.read("data/samples");
  for (const Point& point : inputs.close[1]) {
    const auto step = static_cast<std::size_t>(point.x);
    CHECK(point.y == Approx(samples[step * 8 + 7]).margin(1e-6));  // of the newest row
  }
  CHECK(inputs.close[1].size() == 600);
}

FOLDER_TEST_CASE("data are read again only where they are still the same") {
  folder.write("d.csv", table(0.0));
  const std::string path = result_of_text(folder, kExperiment + kFromFile);
  InputSurvey inputs;
  CHECK(scored(path, &inputs)[0].baselines.size() == 4);
  CHECK_SAYS(inputs.origin, "still has the SHA-256");
  folder.write("d.csv", table(1.0));
  // Persistence, the mean, frozen weights and the same past, which the file has.
  CHECK(scored(path, &inputs)[0].baselines.size() == 4);
  CHECK_SAYS(inputs.missing, "its SHA-256 is another", "were not recorded");
  std::filesystem::remove(folder.path("d.csv"));
  scored(path, &inputs);
  CHECK_SAYS(inputs.missing, "is not there");
  CHECK_SAYS(report_page({path}), "is not there");
}

FOLDER_TEST_CASE("recorded samples do where the data are gone") {
  folder.write("d.csv", table(0.0));
  const std::string path =
      result_of_text(folder, kExperiment + kFromFile + "output: {inputs: all}\n");
  std::filesystem::remove(folder.path("d.csv"));
  InputSurvey inputs;
  scored(path, &inputs);
  CHECK(inputs.origin == "as recorded in the result");
  CHECK(inputs.traces.size() == 2);
}

FOLDER_TEST_CASE("a partial file is reported as such, with the scores so far") {
  const std::string path = folder.path("r.h5");
  Experiment experiment =
      load_experiment(folder.write("e.yaml", kExperiment + kGenerated), {.output = path});
  std::atomic<bool> stop = false;
  RunOptions options{.stop = &stop};
  options.on_progress = [&](const Progress& progress) { stop = progress.steps_done > 2400; };
  run_hierarchy(experiment, options);
  const std::string partial = path + ".partial";
  const Result result(partial);
  CHECK(result.done() < 3000);
  CHECK(result.done() > 2400);
  CHECK(result.name() == "r");
  const std::string page = report_page({partial});
  CHECK_SAYS(page, "badge interrupted", "The run was interrupted: ");
  const std::vector<ReadoutFacts> readouts = scored(partial);
  CHECK(std::isfinite(readouts[0].score.error));
  CHECK(default_report_path({partial}) == folder.path("r.html"));
}

FOLDER_TEST_CASE("pages go beside the result and replace nothing unasked") {
  const std::string path = result_of_text(folder, kExperiment + kGenerated);
  CHECK(default_report_path({path}) == folder.path("r.html"));
  CHECK(default_report_path({path, "b.h5"}) == folder.path("comparison.html"));
  CHECK(default_report_path({"r.h5"}) == "r.html");
  const std::string page = folder.path("r.html");
  write_report({path}, page, false);
  CHECK_THROWS_AS(write_report({path}, page, false), OutputError);
  folder.write("r.html", "mine");
  CHECK_THROWS_WITH(write_report({path}, page, false), ContainsSubstring("--overwrite"));
  CHECK(file_text(page) == "mine");
  write_report({path}, page, true);
  CHECK(std::filesystem::file_size(page) > 10000);
  for (const char* rest : {"r.html.partial", "r.html.writing", "r.html.lock"}) {
    CHECK_FALSE(std::filesystem::exists(folder.path(rest)));
  }
}

FOLDER_TEST_CASE("the folder and the index of a sweep stand for its members") {
  const std::string path = result_of_text(folder, kExperiment + kGenerated);
  const std::string sweep = folder.path("sweep");
  std::filesystem::create_directory(sweep);
  CHECK_THROWS_WITH(report_page({sweep}),
                    ContainsSubstring("expected the folder of a sweep or a search"));
  // An index without members is a file like any other.
  CHECK_THROWS_AS(report_page({sweep + "/index.h5"}), ConfigError);
  for (const char* member : {"member-00001.h5", "member-00000.h5"}) {
    std::filesystem::copy(path, sweep + "/" + member);
  }
  for (const char* other : {"members.csv", "member-00002.h5.lock"}) {
    std::ofstream(sweep + "/" + other) << "no result";
  }
  hdf5::File::create(sweep + "/index.h5").close();
  const std::vector<std::string> members = {sweep + "/member-00000.h5", sweep + "/member-00001.h5"};
  CHECK(report_page({sweep}) == report_page(members));
  CHECK(report_page({sweep + "/index.h5"}) == report_page(members));
  CHECK(default_report_path({sweep}) == sweep + "/comparison.html");

  // An index that cannot be read, or whose search cannot, costs the page that section alone.
  const test::LogCapture log;
  std::ofstream(sweep + "/index.h5") << "no result";
  CHECK_SAYS(report_page({sweep}), "2 runs", "index.h5");
  std::filesystem::remove(sweep + "/index.h5");
  hdf5::File index = hdf5::File::create(sweep + "/index.h5");
  hdf5::Group search = index.create_group("search");
  search.create_texts("kind", {"own", "searched"});
  search.create_dataset("mean", {.type = hdf5::Type::float64, .shape = {3}});
  search.create_dataset("deviation", {.type = hdf5::Type::float64, .shape = {3}});
  search.create_dataset("best_so_far", {.type = hdf5::Type::float64, .shape = {3}});
  index.close();
  CHECK_SAYS(report_page({sweep}), "the lists of /search are not of one length");
}

FOLDER_TEST_CASE(
    "members that are not complete are left out of the page of a folder, which says so") {
  const std::string path = result_of_text(folder, kExperiment + kGenerated);
  const std::string sweep = folder.path("sweep");
  std::filesystem::create_directory(sweep);
  std::ofstream(sweep + "/member-00001.h5.partial") << "being laid out";
  CHECK_THROWS_WITH(
      report_page({sweep}),
      ContainsSubstring("got one without any; it has member-00001.h5.partial, which can be named"));
  const std::string left_out =
      sweep + ": 1 member is begun and not complete, and left out: member-00001.h5.partial; ";
  const test::LogCapture log;
  std::filesystem::copy(path, sweep + "/member-00000.h5");
  CHECK_SAYS(report_page({sweep}), "<h2>Left out</h2>", left_out);
  std::filesystem::copy(path, sweep + "/member-00002.h5");
  // Beside its result it is of no interest, nor is what else a run has.
  std::ofstream(sweep + "/member-00002.h5.partial") << "to replace the old one";
  std::ofstream(sweep + "/member-00002.h5.checkpoint.0") << "state";
  write_report({sweep}, folder.path("c.html"), false);
  const std::string text = file_text(folder.path("c.html"));
  CHECK_SAYS(text, "<h2>Left out</h2>", left_out);
  CHECK(log.count(LogLevel::warning, left_out) == 2);
  CHECK_THAT(report_page({sweep + "/member-00000.h5"}), !ContainsSubstring("Left out"));
}

FOLDER_TEST_CASE("the page of a folder says why members failed") {
  const std::string path = result_of_text(folder, kExperiment + kGenerated);
  const std::string sweep = folder.path("sweep");
  std::filesystem::create_directory(sweep);
  const auto fail = [&](int number, const std::string& why, bool has_diverged) {
    const std::string partial = sweep + "/member-0000" + std::to_string(number) + ".h5.partial";
    hdf5::File::create(partial).close();
    has_diverged ? mark_as_diverged(partial, why) : mark_as_failed(partial, why);
  };
  fail(1, "NaN at level 0, layer 0, step 7; a smaller rate", true);
  const test::LogCapture log;
  CHECK_THROWS_WITH(report_page({sweep}),
                    ContainsSubstring("1 of its members failed, the first of them "
                                      "member-00001.h5.partial: NaN at level 0, layer 0, step 7"));
  fail(2, "d.csv: row 3: no number", false);
  for (int number = 3; number < 9; ++number) fail(number, "NaN", true);
  std::filesystem::copy(path, sweep + "/member-00000.h5");
  const std::string page = report_page({sweep});
  CHECK_THAT(page, ContainsSubstring("a member failed, and is left out: member-00001.h5.partial: "
                                     "NaN at level 0, layer 0, step 7; a smaller rate") &&
                       ContainsSubstring("member-00002.h5.partial: d.csv: row 3: no number") &&
                       ContainsSubstring("3 more members failed, and are left out") &&
                       !ContainsSubstring("begun and not complete"));
}

FOLDER_TEST_CASE(
    "members that cannot be read are left out of the page of a folder, which says so") {
  const std::string path = result_of_text(folder, kExperiment + kGenerated);
  const std::string sweep = folder.path("sweep");
  std::filesystem::create_directory(sweep);
  std::ofstream(sweep + "/member-00001.h5") << "no result";
  const test::LogCapture log;
  CHECK_THROWS_AS(report_page({sweep}), DataError);
  std::ofstream(sweep + "/member-00003.h5") << "nor this";
  CHECK_THROWS_WITH(report_page({sweep}),
                    ContainsSubstring("expected a member that can be read; 2 members cannot be") &&
                        ContainsSubstring("member-00001.h5") &&
                        ContainsSubstring("member-00003.h5"));
  CHECK(log.lines.empty());
  // Beside one that can be read, and beside two.
  const std::string left_out =
      "2 members cannot be read, and left out: " + sweep + "/member-00001.h5";
  for (const char* member : {"member-00000.h5", "member-00002.h5"}) {
    std::filesystem::copy(path, sweep + "/" + member);
    const std::string page = report_page({sweep});
    CHECK_SAYS(page, "<h2>Left out</h2>", left_out, sweep + "/member-00003.h5");
  }
  CHECK(log.count(LogLevel::warning, left_out) == 2);
  // One that was named is missed.
  CHECK_THROWS_AS(report_page({sweep + "/member-00000.h5", sweep + "/member-00001.h5"}), DataError);
}

FOLDER_TEST_CASE("a result is never overwritten by its report") {
  const std::string path = result_of_text(folder, kExperiment + kGenerated);
  const auto size = std::filesystem::file_size(path);
  CHECK_THROWS_AS(write_report({path}, path, true), ArgumentError);
  std::filesystem::create_hard_link(path, folder.path("same.html"));
  CHECK_THROWS_AS(write_report({path}, folder.path("same.html"), true), OutputError);
  CHECK(std::filesystem::file_size(path) == size);
}

FOLDER_TEST_CASE("files that are no results are refused") {
  CHECK_THROWS_AS(report_page({folder.path("none.h5")}), ConfigError);
  CHECK_THROWS_AS(report_page({folder.write("text.h5", "text")}), DataError);
  {
    hdf5::File other = hdf5::File::create(folder.path("other.h5"));
    other.close();
  }
  CHECK_THROWS_WITH(report_page({folder.path("other.h5")}), ContainsSubstring("no schema_version"));
  {
    hdf5::File later = hdf5::File::create(folder.path("later.h5"));
    later.set_attribute("schema_version", std::int64_t{2});
    later.close();
  }
  CHECK_THROWS_WITH(report_page({folder.path("later.h5")}),
                    ContainsSubstring("expected schema_version 1, got 2; another gaia wrote it"));
  CHECK_THROWS_AS(report_page({}), ArgumentError);
}

FOLDER_TEST_CASE("a file with names and shapes that make no sense gives a page, and no markup") {
  const std::string path = folder.path("hostile.h5");
  const std::string hostile = "</title><script>alert(1)</script>\" onload=\"x ]]> \xff\x1b";
  {
    hdf5::File file = hdf5::File::create(path);
    file.set_attribute("schema_version", std::int64_t{1});
    for (const char* name :
         {"experiment", "status", "config", "command_line", "config_file", "device", "dtype",
          "precision", "hostname", "gaia_version", "git_commit", "created_utc"}) {
      file.set_attribute(name, hostile);
    }
    file.set_attribute("steps", std::int64_t{1} << 60);
    file.set_attribute("seed", hostile);
    const std::int64_t claimed = std::int64_t{1} << 59;
    hdf5::Dataset committed =
        file.create_group("status").create_dataset("committed_steps", {.type = hdf5::Type::int64});
    committed.write<std::int64_t>({&claimed, 1});
    hdf5::Group data = file.create_group("data");
    data.set_attribute("path", hostile);
    data.set_attribute("source", hostile);
    data.set_attribute("channels", std::int64_t{-5});
    hdf5::Group level = file.create_group("levels").create_group("0");
    level.set_attribute("temporal_resolution", std::int64_t{-7});
    level.set_attribute("pooling", hostile);
    // Rows that are claimed but not there.
    hdf5::Dataset shown = level.create_dataset(
        "representation",
        {.type = hdf5::Type::float32, .shape = {0, 3}, .chunk = {1024, 3}, .can_grow = true});
    shown.resize(std::int64_t{1} << 50);
    hdf5::Group layer = level.create_group("layers").create_group("0");
    layer.set_attribute("type", hostile);
    layer.set_attribute("rule", hostile);
    layer.create_dataset("weights", {.type = hdf5::Type::float64, .shape = {7}});
    layer.create_dataset("theta", {.type = hdf5::Type::float64, .shape = {2, 2}});
    hdf5::Group readout = file.create_group("readouts").create_group("<u>\" onload=\"x ]]>");
    readout.set_attribute("levels", hostile);
    readout.set_attribute("baseline", hostile);
    readout.set_attribute("nrmse", 0.5);
    readout.set_attribute("baseline_nrmse", INFINITY);
    readout.set_attribute("target_horizon", std::int64_t{1} << 62);
    hdf5::Dataset steps = readout.create_dataset(
        "step", {.type = hdf5::Type::int64, .shape = {0}, .chunk = {1024}, .can_grow = true});
    steps.resize(std::int64_t{1} << 50);
    hdf5::Group metrics = file.create_group("metrics");
    metrics.create_dataset("step", {.type = hdf5::Type::int64, .shape = {5}});
    metrics.create_dataset("weight_norm", {.type = hdf5::Type::float64, .shape = {5, 2}});
    metrics.create_dataset("weight_change", {.type = hdf5::Type::uint8, .shape = {3}});
    file.close();
  }
  const std::string page = report_page({path});
  for (const char* raw : {"<script>alert", "</title><script>", "onload=\"x", "<u>", "\x1b"}) {
    INFO(raw);
    CHECK(page.find(raw) == std::string::npos);
  }
  CHECK_SAYS(page, "&lt;script&gt;");
  const std::string beside = report_page({path, path});
  CHECK(beside.find("<script>alert") == std::string::npos);
}

FOLDER_TEST_CASE("a level that answers 0 or 1 is a raster of all its ones, any other is not") {
  const std::string path =
      result_of_text(folder,
                     "experiment: e\nhierarchy:\n  levels:\n    - layers:\n"
                     "        - type: hebbian\n          size: 5\n          rule:\n"
                     "            equations: |\n"
                     "              y = winner(z)\n"
                     "              de = y*x - e/20\n"
                     "              dw = 0.001*e\n"
                     "    - layers:\n"
                     "        - {type: hebbian, size: 2, rule: oja}\n" +
                         kGenerated);
  const Result result(path);
  const StepRange close_up{1000, 1600};
  const LevelSurvey choices = survey_level(result, 0, close_up);
  REQUIRE(choices.is_binary);
  CHECK(choices.mean_rate == Approx(0.2));
  const std::vector<double> answers = result.read("levels/0/representation");
  const auto check = [&](const Raster& raster, std::int64_t first, std::int64_t end) {
    CHECK(raster.count == end - first);
    REQUIRE(std::ssize(raster.spikes) == end - first);
    for (const Spike& spike : raster.spikes) {
      CHECK(answers[static_cast<std::size_t>(spike.tick * 5 + spike.neuron)] == 1.0);
    }
    CHECK(raster.spikes.front().tick == first);
    CHECK(raster.spikes.back().tick == end - 1);
  };
  check(choices.raster, 0, 3000);
  check(choices.close_raster, 1000, 1601);
  CHECK_FALSE(survey_level(result, 1, close_up).is_binary);
  const LayerSurvey layer = survey_layer(result, "levels/0/layers/0", "first");
  CHECK(layer.execution.executor == "chunkwise");
  CHECK(layer.eligibility.rows == 5);
  double sum = 0.0;
  for (const double e : result.read("levels/0/layers/0/eligibility")) sum += std::abs(e);
  CHECK(layer.mean_eligibility == Approx(sum / 40.0));
  const std::string page = report_page({path});
  CHECK_SAYS(page, "Level 0: a neuron answers 1 in 20 % of its ticks", "id=\"fig-eligibility\"",
             "id=\"rules-table\"", "y = winner(z)");
}
