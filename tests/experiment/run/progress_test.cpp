// SPDX-License-Identifier: MIT
#include "../../../src/experiment/run/progress.h"

#include <cstdio>

#include "../../../src/experiment/run/agent_run.h"
#include "../../../src/experiment/run/train.h"
#include "../../support/catch.h"

using namespace gaia;

namespace {

/// What a display writes while `run` shows it something.
template <class Run>
std::string written(ProgressMode mode, const Run& run) {
  std::FILE* stream = std::tmpfile();
  REQUIRE(stream != nullptr);
  {
    ProgressDisplay display(mode, stream);
    run(display);
  }
  std::string text(static_cast<std::size_t>(std::ftell(stream)), ' ');
  std::rewind(stream);
  REQUIRE(std::fread(text.data(), 1, text.size(), stream) == text.size());
  std::fclose(stream);
  return text;
}

/// For a run of 1000 steps in blocks of `block`.
std::string shown(ProgressMode mode, std::int64_t block) {
  return written(mode, [&](ProgressDisplay& display) {
    for (std::int64_t done = block; done <= 1000; done += block) {
      display.show(progress_in_steps(done, 1000, static_cast<double>(done) / 100.0));
    }
  });
}

BatchReport batch_report(std::int64_t batch, const std::function<double()>& loss) {
  return {.batch = batch,
          .batches = 40,
          .samples = 10 * (batch + 1),
          .seconds = 0.5 * static_cast<double>(batch + 1),
          .loss = loss};
}

/// For a training of two epochs of 40 batches; how often a loss was asked for is in `asked`.
std::string shown_training(ProgressMode mode, int& asked) {
  asked = 0;
  return written(mode, [&](ProgressDisplay& display) {
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      for (std::int64_t batch = 0; batch < 40; ++batch) {
        const BatchReport report = batch_report(batch, [&] { return ++asked, 0.25; });
        display.show(batch_progress(2, epoch, report));
      }
      const EpochReport report = {.epoch = epoch, .loss = 0.5};
      display.show(epoch_progress(2, report));
    }
  });
}

}  // namespace

TEST_CASE("progress tells share, steps, speed and time left") {
  CHECK(progress_in_steps(500, 1000, 5.0).text() ==
        " 50 %  500/1 000 steps  100.0 steps/s  ETA 5.0 s");
  CHECK(progress_in_steps(1, 2000000, 0.001).text() ==
        "  0 %  1/2 000 000 steps  1.0 k steps/s  ETA 33 min 20 s");
  CHECK(rate_text(2.5e6) == "2.50 M");
}

TEST_CASE("elsewhere than on a terminal a line comes each tenth") {
  const std::string lines = shown(ProgressMode::lines, 10);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 10);
  CHECK(lines.find('\r') == std::string::npos);
  CHECK_SAYS(lines, " 10 %  100/1 000 steps", "100 %");
}

TEST_CASE("large blocks do not repeat a tenth") {
  const std::string lines = shown(ProgressMode::lines, 400);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 2);
}

TEST_CASE("a bar is drawn over itself and ends its line once") {
  const std::string bar = shown(ProgressMode::bar, 10);
  CHECK(std::count(bar.begin(), bar.end(), '\n') == 1);
  CHECK(bar.back() == '\n');
  CHECK_SAYS(bar, "[########################] 100 %");
  // Drawn at most five times a second, and at the end.
  CHECK(std::count(bar.begin(), bar.end(), '\r') < 5);
}

TEST_CASE("no progress is no output") {
  CHECK(shown(ProgressMode::none, 10).empty());
  int asked = 0;
  CHECK(shown_training(ProgressMode::none, asked).empty());
  CHECK(asked == 0);
}

TEST_CASE("progress of a training tells batches, loss, speed and time left of the epoch") {
  const BatchReport batch = batch_report(9, [] { return 0.34117; });
  CHECK(batch_progress(5, 1, batch).text() ==
        "epoch   2/5   25 %  10/40 batches  loss 0.3412  20.0 samples/s  ETA 15.0 s");
  const EpochReport epoch = {.epoch = 1,
                             .loss = 0.5,
                             .accuracy = 0.75,
                             .validation_loss = 0.25,
                             .validation_accuracy = 0.875,
                             .samples_per_second = 12345.0};
  CHECK(epoch_progress(5, epoch).text() ==
        "epoch   2/5  loss 0.5000  accuracy 0.7500  test loss 0.2500  test accuracy 0.8750  12.3 k "
        "samples/s");
}

TEST_CASE("an epoch of a training is a bar on a terminal, and a line in its place at the end") {
  int asked = 0;
  const std::string bar = shown_training(ProgressMode::bar, asked);
  CHECK(std::count(bar.begin(), bar.end(), '\n') == 2);
  CHECK_SAYS(bar, "[########################] epoch   1/2  100 %",
             "\r\033[Kepoch   2/2  loss 0.5000");
  // The first batch and the last of each epoch, and few between: the device is not kept waiting.
  CHECK(asked >= 4);
  CHECK(asked < 9);

  const std::string lines = shown_training(ProgressMode::lines, asked);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 2);
  CHECK(lines.find('\r') == std::string::npos);
  CHECK(lines.find("batches") == std::string::npos);
  CHECK(asked == 0);
}

TEST_CASE("the progress of an agent tells who acts, in which episode, and its last return") {
  const AgentProgress first = {.steps_done = 50,
                               .steps = 200,
                               .episode = 5,
                               .episodes = 10,
                               .last_return = 2.5,
                               .seconds = 0.5};
  CHECK(first.progress().text() ==
        " 25 %  episode 5/10 of the agent  return 2.5  100.0 steps/s  ETA 1.5 s");
  const AgentProgress second = {.steps_done = 150,
                                .steps = 200,
                                .episode = 0,
                                .episodes = 10,
                                .control = "random",
                                .last_return = std::nan(""),
                                .seconds = 1.5};
  CHECK(second.progress().text() ==
        " 75 %  episode 0/10 of control random  100.0 steps/s  ETA 500 ms");
}
