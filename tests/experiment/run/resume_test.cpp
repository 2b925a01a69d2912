// SPDX-License-Identifier: MIT
#include "../../../src/experiment/run/resume.h"

#include "../../../src/core/error.h"
#include "../../../src/core/random.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/devices.h"
#include "../../support/log_capture.h"
#include "../../support/long_tests.h"
#include "../cuts.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;

namespace fs = std::filesystem;

namespace {

/// Three steps (ten in long tests) at which a block of the experiment above ends: marks of
/// checkpoints, of the history of weights, where learning ends, of the grid.
std::set<std::int64_t> stop_steps(std::uint64_t seed) {
  std::vector<std::int64_t> ends = {256, 500, 512};
  for (std::int64_t step = 37; step < kSteps; step += 37) ends.push_back(step);
  for (std::int64_t step = 90; step < kSteps; step += 90) ends.push_back(step);
  std::set<std::int64_t> chosen;
  const RandomStream random = RandomStream::named(seed, "cuts");
  for (std::uint64_t i = 0; chosen.size() < few_or_many<std::size_t>(3, 10); ++i) {
    chosen.insert(
        ends[static_cast<std::size_t>(random.integer(i, static_cast<std::int64_t>(ends.size())))]);
  }
  return chosen;
}

/// An experiment that is killed at some steps, and goes on from each to what it would have come to.
void check_kills(const std::string& text, std::uint64_t seed, const std::string& device = "cpu") {
  const Cuts cuts(text, device);
  const std::set<std::int64_t> steps = stop_steps(seed);
  cuts.run_with_kills("uncut", steps);
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  REQUIRE(uncut.size() > 60);
  for (const std::int64_t step : steps) {
    INFO("killed after step " << step);
    CHECK(cuts.resume(std::to_string(step)).status == RunStatus::complete);
    cuts.check_same(std::to_string(step), uncut);
    check_same_datasets(scores_of(cuts.result("uncut")),
                        scores_of(cuts.result(std::to_string(step))));
  }
}

void damage(const std::string& path, std::size_t at) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(at));
  const char was = static_cast<char>(file.get());
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(was ^ 1));
}

}  // namespace

TEST_CASE("killed at any step a run goes on to the same bytes, under every rule") {
  std::uint64_t seed = 0;
  for (const char* const rule : {"hebbian", "oja", "bcm", "sanger", "oja_subspace"}) {
    INFO(rule);
    check_kills(everything(rule, "mean", seed % 2 == 0 ? "float32" : "float64"), seed);
    ++seed;
  }
}

TEST_CASE("killed at any step a run goes on to the same bytes, under every pooling") {
  std::uint64_t seed = 10;
  for (const char* const pooling : {"last", "max", "ema", "concat"}) {
    INFO(pooling);
    check_kills(everything("bcm", pooling), seed++);
  }
}

TEST_CASE("killed on a GPU a run goes on to the same bytes there") {
  const gaia::test::EmulatedDevice emulated;
  const Cuts cuts(everything("bcm", "ema"), "cuda");
  cuts.run_with_kills("uncut", {90, 407});
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  for (const char* const name : {"90", "407"}) {
    INFO(name);
    cuts.resume(name);
    cuts.check_same(name, uncut);
    CHECK(hdf5::File::open(cuts.result(name)).text_attribute("device") == "cuda:0");
  }
}

TEST_CASE("a run that is interrupted again and again comes to the same bytes") {
  const Cuts cuts(everything("sanger", "ema"));
  cuts.run("uncut");
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  const HierarchySummary first = cuts.run_until("often", 40);
  CHECK(first.status == RunStatus::interrupted);
  CHECK(first.file == cuts.result("often") + ".partial");
  std::int64_t done = first.steps_done;
  for (int i = 0; i < 3; ++i) {
    const HierarchySummary next = cuts.resume_until("often", done + 100);
    CHECK(next.status == RunStatus::interrupted);
    CHECK(next.steps_done > done);
    done = next.steps_done;
  }
  const HierarchySummary last = cuts.resume("often");
  CHECK(last.status == RunStatus::complete);
  cuts.check_same("often", uncut);

  const hdf5::File file = hdf5::File::open(cuts.result("often"));
  CHECK(file.text_attribute("status") == "complete");
  CHECK(file.integer_attribute("steps_done") == kSteps);
  REQUIRE(file.texts_attribute("resumed_at"));
  CHECK(file.texts_attribute("resumed_at")->size() == 4);
  CHECK_FALSE(hdf5::File::open(cuts.result("uncut")).has_attribute("resumed_at"));

  // What the summary tells is of all parts together.
  const HierarchySummary whole = cuts.run("again");
  for (std::size_t n = 0; n < whole.levels.size(); ++n) {
    CHECK(last.levels[n].ticks == whole.levels[n].ticks);
    CHECK(last.levels[n].mean_activity == whole.levels[n].mean_activity);
    CHECK(last.levels[n].weight_norm == whole.levels[n].weight_norm);
    CHECK(last.levels[n].weight_change == whole.levels[n].weight_change);
  }
  CHECK(last.readouts[1].score.nrmse == whole.readouts[1].score.nrmse);
  CHECK(last.seconds > 0.0);
}

TEST_CASE("checkpoints by the clock or on request cut no block that an uncut run does not cut") {
  const gaia::test::Threads one(1);  // which has stored what it was asked for when it tells of it
  const std::string text = kMinimal + "checkpoint: {every: 0, minutes: 0}\n";
  const Cuts often(text);
  often.run("uncut");
  const Datasets uncut = datasets_of(often.result("uncut"));
  CHECK_FALSE(fs::exists(checkpoint_path(often.result("uncut"), 0)));

  std::atomic<bool> request{true};
  RunOptions options;
  options.checkpoint = &request;
  int seen = 0;
  options.on_progress = [&](const Progress&) {
    CHECK_FALSE(request.load());
    seen += fs::exists(checkpoint_path(often.result("asked"), 0)) ? 1 : 0;
    request = true;
  };
  often.run("asked", options);
  CHECK(seen > 0);
  often.check_same("asked", uncut);

  // Checkpoints by the clock come nearly at every moment.
  Experiment clocked = often.load("clocked");
  clocked.config.checkpoint.minutes = 1e-9;
  int stored = 0;
  options.checkpoint = nullptr;
  options.on_progress = [&](const Progress&) {
    stored += fs::exists(checkpoint_path(often.result("clocked"), 0)) ? 1 : 0;
  };
  run_hierarchy(clocked, options);
  CHECK(stored > 0);
  often.check_same("clocked", uncut);
}

TEST_CASE("of a damaged checkpoint the one before is taken, with a warning") {
  const Cuts cuts(everything("oja", "mean"));
  cuts.run_with_kills("uncut", {407, 444});
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  for (const std::size_t at :
       {std::size_t{3}, std::size_t{16}, std::size_t{40}, std::size_t{90}, std::size_t{2000}}) {
    INFO("byte " << at);
    const std::string name = "damaged" + std::to_string(at);
    fs::copy(cuts.folder().path("407"), cuts.folder().path(name));
    // 407 is the 11th checkpoint.
    damage(checkpoint_path(cuts.result(name), 0), at);
    const LogCapture log;
    cuts.resume(name);
    CHECK(log.count(LogLevel::warning, "r.h5.checkpoint.0: ") == 1);
    CHECK(log.count(LogLevel::warning, "; going on from step 370") == 1);
    cuts.check_same(name, uncut);
  }
  // Cut short, in the midst of a write that was not renamed yet, or empty.
  for (const std::uintmax_t length : {std::uintmax_t{0}, std::uintmax_t{17}, std::uintmax_t{500}}) {
    const std::string name = "short" + std::to_string(length);
    fs::copy(cuts.folder().path("444"), cuts.folder().path(name));
    fs::resize_file(checkpoint_path(cuts.result(name), 1), length);
    const LogCapture log;
    cuts.resume(name);
    CHECK(log.count(LogLevel::warning, "; going on from step 407") == 1);
    cuts.check_same(name, uncut);
  }
}

TEST_CASE("without a whole checkpoint nothing is changed, and the way out is told") {
  const Cuts cuts(everything("oja", "mean"));
  cuts.run_with_kills("uncut", {407});
  for (const int number : {0, 1}) damage(checkpoint_path(cuts.result("407"), number), 100);
  const auto before = fs::file_size(cuts.result("407") + ".partial");
  CHECK_THROWS_WITH_TEXT(open_cut_run(cuts.result("407")), OutputError,
                         "there is no checkpoint to go on from");
  CHECK_THROWS_WITH_TEXT(open_cut_run(cuts.result("407")), OutputError, "gaia recover");
  for (const int number : {0, 1}) fs::remove(checkpoint_path(cuts.result("407"), number));
  CHECK_THROWS_AS(open_cut_run(cuts.result("407")), OutputError);
  CHECK(fs::file_size(cuts.result("407") + ".partial") == before);
  CHECK_FALSE(fs::exists(cuts.result("407") + ".lock"));
}

TEST_CASE("a complete result beside a run without a checkpoint is told apart from it") {
  const Cuts cuts(everything("oja", "mean"));
  cuts.run_with_kills("uncut", {407});
  // A run with --overwrite that diverges before its first checkpoint leaves this state.
  const std::string result = cuts.result("407");
  fs::copy_file(cuts.result("uncut"), result);
  for (const int number : {0, 1}) fs::remove(checkpoint_path(result, number));
  const Datasets before = datasets_of(result);
  for (const std::string& path : {result, result + ".partial"}) {
    CHECK_THROWS_WITH_TEXT(open_cut_run(path), OutputError,
                           result + ".partial: there is no checkpoint to go on from; " + result +
                               " is the result of an earlier run and stays as it is");
    CHECK_THROWS_WITH_TEXT(open_cut_run(path), OutputError, "`gaia recover` saves");
    CHECK_THROWS_WITH_TEXT(open_cut_run(path), OutputError, "delete " + result + ".partial");
  }
  check_same_datasets(before, datasets_of(result));
  fs::remove(result + ".partial");
  CHECK_FALSE(open_cut_run(result));
}

TEST_CASE("checkpoints of another run or beyond the results are not taken") {
  const Cuts cuts(everything("oja", "mean"));
  cuts.run_with_kills("uncut", {185, 407});
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  // This checkpoint is of a run that is 222 steps further; the results at hand end before.
  fs::copy_file(checkpoint_path(cuts.result("407"), 1), checkpoint_path(cuts.result("185"), 1),
                fs::copy_options::overwrite_existing);
  {
    const LogCapture log;
    CHECK(open_cut_run(cuts.result("185"))->run.found.checkpoint.step == 185);
    CHECK(log.count(LogLevel::warning, "is of step 370, but the results end at 185") == 1);
  }
  cuts.run_until("other", 100);
  fs::copy_file(checkpoint_path(cuts.result("other"), 0), checkpoint_path(cuts.result("407"), 0),
                fs::copy_options::overwrite_existing);
  const LogCapture log;
  cuts.resume("407");
  CHECK(log.count(LogLevel::warning, "is of another run") == 1);
  cuts.check_same("407", uncut);
}

TEST_CASE("an edited experiment is refused, key by key") {
  const Cuts cuts(everything("oja", "mean"));
  cuts.run_until("r", 100);
  const std::string file = cuts.folder().path("e.yaml");
  std::string edited = everything("oja", "mean");
  edited.replace(edited.find("learning_rate: 0.002"), 20, "learning_rate: 0.003");
  cuts.folder().write("e.yaml", edited);
  const auto refusal = [&](const ResumeOptions& options = {}) {
    return complaint_of<ConfigError>([&] { open_cut_run(cuts.result("r"), options); });
  };
  CHECK_SAYS(refusal(),
             "hierarchy.levels[0].layers[0].learning_rate: 0.002 in the result, 0.003 in " + file);
  CHECK_THAT(refusal(), !ContainsSubstring("levels[1]"));
  cuts.folder().write("e.yaml", everything("oja", "mean") + "no_such_key: 1\n");
  CHECK_SAYS(refusal(), "no_such_key", "was started from");

  // A file of another name that says the same will do, and comments are free.
  fs::remove(file);
  const std::string moved =
      cuts.folder().write("moved.yaml", "# A comment.\n" + everything("oja", "mean"));
  CHECK(refusal({.config = moved}).empty());
  CHECK_SAYS(refusal({.config = cuts.folder().write("edited.yaml", edited)}), "0.003 in ");
  CHECK_SAYS(refusal({.config = cuts.folder().path("missing.yaml")}), "no such file");
  // Without it, what is stored is what runs.
  CHECK(cuts.resume("r").status == RunStatus::complete);
}

FOLDER_TEST_CASE("what the command line changed is part of the experiment that goes on") {
  const std::string file = folder.write("e.yaml", kMinimal);
  const auto load = [&](const std::string& output) {
    return load_experiment(file, {.set = {"data.steps=2000", "checkpoint.every=100", "device=cpu"},
                                  .seed = "9",
                                  .output = folder.path(output)});
  };
  Experiment uncut = load("uncut.h5");
  run_hierarchy(uncut);
  Experiment cut = load("cut.h5");
  run_hierarchy(cut, {.max_seconds = 1e-9});
  auto again = open_cut_run(folder.path("cut.h5.partial"));
  REQUIRE(again);
  CHECK(again->run.found.checkpoint.step == 100);
  run_hierarchy(again->experiment, {.cut = &again->run});
  check_same_datasets(datasets_of(folder.path("uncut.h5")), datasets_of(folder.path("cut.h5")));
}

FOLDER_TEST_CASE("data that are no longer the same are refused") {
  std::string rows = "x\n";
  for (int i = 0; i < 400; ++i) rows += std::to_string(i * 37 % 101) + "\n";
  folder.write("x.csv", rows);
  const std::string text =
      "experiment: csv\ndata: {source: file, path: x.csv, window: 4}\n"
      "hierarchy: {levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: "
      "1e-5}]}]}\n"
      "checkpoint: {every: 50}\noutput: {path: " +
      folder.path("r.h5") + "}\n";
  Experiment experiment = load_experiment(folder.write("e.yaml", text));
  run_hierarchy(experiment, {.max_seconds = 1e-9});
  folder.write("x.csv", rows + "5\n");
  CHECK_THROWS_WITH_TEXT(open_cut_run(folder.path("r.h5")), DataError,
                         "is not the file that the run has read");
  folder.write("x.csv", rows);
  auto cut = open_cut_run(folder.path("r.h5"));
  REQUIRE(cut);
  CHECK(run_hierarchy(cut->experiment, {.cut = &cut->run}).status == RunStatus::complete);
  // The device that it was on is not what was asked for.
  CHECK_SAYS(*hdf5::File::open(folder.path("r.h5")).text_attribute("config"), "device: auto");
}

TEST_CASE("what cannot be gone on with is told from what is complete, alive or not ours") {
  const Cuts cuts(kMinimal);
  CHECK_THROWS_WITH_TEXT(open_cut_run(cuts.result("none")), ConfigError, "no such file");
  cuts.run("done");
  CHECK_FALSE(open_cut_run(cuts.result("done")));
  CHECK_FALSE(open_cut_run(cuts.result("done") + ".partial"));
  const OutputLock alive(cuts.folder().path("alive.h5"));
  cuts.folder().write("alive.h5.partial", "");
  CHECK_THROWS_WITH_TEXT(open_cut_run(cuts.folder().path("alive.h5")), LockedError,
                         "is being written by another run");
  cuts.folder().write("text.h5.partial", "no HDF5");
  CHECK_THROWS_WITH_TEXT(open_cut_run(cuts.folder().path("text.h5")), DataError,
                         "file signature not");
  hdf5::File::create(cuts.folder().path("other.h5.partial")).close();
  CHECK_THROWS_WITH_TEXT(open_cut_run(cuts.folder().path("other.h5")), DataError,
                         "is not a results file of gaia");
}

TEST_CASE("on another device a run goes on with a warning") {
  const gaia::test::EmulatedDevice emulated;
  const Cuts cuts(everything("oja", "mean"));
  cuts.run_until("r", 100);
  const LogCapture log;
  CHECK(cuts.resume("r", {}, {.device = "cuda"}).status == RunStatus::complete);
  CHECK(log.count(LogLevel::warning, "the run was on cpu and goes on on cuda") == 1);
  CHECK(hdf5::File::open(cuts.result("r")).text_attribute("device") == "cuda:0");
}
