// SPDX-License-Identifier: MIT
#include "../../../src/experiment/results/results_writer.h"

#include <atomic>

#include "../../../src/io/hdf5.h"
#include "../cuts.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("what is written while the next block is computed is what is written in turn") {
  const char* const dtype = GENERATE("float32", "float64");
  const Cuts cuts(everything("bcm", "concat", dtype));
  {
    const Threads one(1);
    cuts.run("in_turn");
  }
  const Threads several(3);
  cuts.run("overlapping");
  cuts.check_same("overlapping", datasets_of(cuts.result("in_turn")));
}

TEST_CASE("an interrupted run has written everything that it tells of, and can go on from there") {
  const Threads several(3);
  const Cuts cuts(everything("oja", "mean"));
  cuts.run("uncut");
  const HierarchySummary cut = cuts.run_until("cut", 407);
  CHECK(cut.status == RunStatus::interrupted);
  {
    const hdf5::File file = hdf5::File::open(cut.file);
    CHECK(file.open_dataset("/status/committed_steps").read<std::int64_t>().front() ==
          cut.steps_done);
    CHECK(file.open_dataset("levels/0/step").shape().front() == cut.steps_done);
    CHECK(file.open_dataset("metrics/step").read<std::int64_t>().back() == cut.steps_done);
  }
  CHECK(cuts.resume("cut").status == RunStatus::complete);
  cuts.check_same("cut", datasets_of(cuts.result("uncut")));
}

TEST_CASE("a checkpoint that was asked for is of the block in which it was") {
  const Threads several(3);
  std::string text = kMinimal;
  text.replace(text.find("steps: 300"), 10, "steps: 5000");
  const Cuts cuts(text + "checkpoint: {every: 0, minutes: 0}\n");
  std::atomic<bool> request{true};
  std::atomic<bool> stop{false};
  RunOptions options;
  options.checkpoint = &request;
  options.stop = &stop;
  options.on_progress = [&](const Progress& progress) { stop = progress.steps_done >= 768; };
  const HierarchySummary cut = cuts.run("r", options);
  CHECK_FALSE(request);
  CHECK(cut.steps_done == 1024);
  CHECK(read_checkpoint(checkpoint_path(cuts.result("r"), 0)).step == 256);
  CHECK(read_checkpoint(checkpoint_path(cuts.result("r"), 1)).step == 1024);
}

TEST_CASE("a run that fails has written what was computed before") {
  const Threads several(3);
  std::string text = kMinimal;
  text.replace(text.find("rule: oja, learning_rate: 0.01"), 30,
               "rule: hebbian, learning_rate: 1.0");
  const Cuts cuts(text + "checkpoint: {every: 10}\n");
  std::int64_t computed = 0;
  RunOptions options;
  options.on_progress = [&](const Progress& progress) { computed = progress.steps_done; };
  CHECK_THROWS_AS(cuts.run("r", options), DivergedError);
  REQUIRE(computed > 0);
  const hdf5::File file = hdf5::File::open(cuts.result("r") + ".partial");
  CHECK(file.text_attribute("status") == "failed");
  CHECK(file.integer_attribute("steps_done") == computed);
  CHECK(file.open_dataset("levels/0/step").shape().front() == computed);
  CHECK(file.open_dataset("/status/committed_steps").read<std::int64_t>().front() == computed);
}

TEST_CASE("an error of writing ends the run, and is told") {
  const Threads several(3);
  const Cuts cuts(kMinimal + "checkpoint: {every: 10}\n");
  RunOptions options;
  std::int64_t computed = 0;
  options.on_progress = [&](const Progress& progress) {
    computed = progress.steps_done;
    // In whose place no checkpoint can be put.
    if (computed == 10)
      std::filesystem::create_directories(checkpoint_path(cuts.result("r"), 1) + "/x");
  };
  CHECK_THROWS_AS(cuts.run("r", options), OutputError);
  CHECK(computed <= 30);  // 20 failed, 30 waited, 40 was refused
  CHECK(std::filesystem::exists(cuts.result("r") + ".partial"));
  CHECK_FALSE(std::filesystem::exists(cuts.result("r")));
}
