// SPDX-License-Identifier: MIT
/// \file
/// kill -9 while `gaia resume` takes over what a run has left, and goes on with it.
#include "../experiment/networks.h"
#include "results.h"
#include "trials.h"

using namespace gaia;
using namespace gaia::test;

namespace {

namespace fs = std::filesystem;

/// A run that was cut, of which every trial takes a copy, and the same run uncut.
class KilledRun {
 public:
  KilledRun(const std::string& experiment, std::vector<std::string> settings) {
    folder_.write("e.yaml", experiment);
    settings.insert(settings.begin(), {"run", "e.yaml", "-q", "--threads", "1", "--output"});
    const auto run = [&](const char* output, const std::vector<std::string>& more) {
      std::vector<std::string> arguments = settings;
      arguments.insert(arguments.begin() + 6, output);
      arguments.insert(arguments.end(), more.begin(), more.end());
      return gaia_command(folder_, arguments).code;
    };
    REQUIRE(run("whole.h5", {}) == 0);
    REQUIRE(run("cut.h5", {"--max-time", "0.05s"}) == 75);
    steps_ = committed_steps(folder_.path("cut.h5.partial"));
    has_readout_ = experiment.find("readouts:") != std::string::npos;
  }

  const TempDir& folder() const { return folder_; }
  std::string result() const { return folder_.path("r.h5"); }

  /// Puts r.h5.partial and its checkpoints back as they were left.
  void put_back() const {
    for (const char* end : {"", ".partial", ".checkpoint.0", ".checkpoint.1", ".resuming"}) {
      fs::remove(result() + end);
      const std::string left = folder_.path(std::string("cut.h5") + end);
      if (fs::exists(left)) fs::copy_file(left, result() + end);
    }
  }

  Finished resume() const {
    return gaia::test::attempt(folder_, {"resume", "-q", "--threads", "1", "r.h5"});
  }

  /// One that is killed by a fault (faults.cpp).
  Finished resume_with(const std::string& fault) const {
    const gaia::test::Environment preload("LD_PRELOAD", GAIA_FAULTS);
    const gaia::test::Environment program("GAIA_FAULT_PROGRAM", "gaia");
    const gaia::test::Environment how("GAIA_FAULT", fault);
    return resume();
  }

  /// Whether the file of a resume is in the place of the old one, or the run at its end.
  bool is_taken_over() const {
    try {
      return hdf5::File::open(result() + ".partial").has_attribute("resumed_at");
    } catch (const std::exception&) {
      return fs::exists(result());
    }
  }

  /// Whether the result is there and what it is without a cut.
  bool is_whole() const {
    return fs::exists(result()) && gaia::test::same_results(folder_.path("whole.h5"), result());
  }

  /// Checks that what was committed can be recovered, and that a resume comes to the same end as a
  /// run that was not cut.
  void check_goes_on() const {
    if (fs::exists(result())) {
      CHECK(is_whole());
      return;
    }
    fs::remove(folder_.path("saved.h5"));
    const Finished saved =
        gaia_command(folder_, {"recover", "r.h5.partial", "--output", "saved.h5"});
    INFO("recover: " << saved.err);
    REQUIRE(saved.code == 0);
    CHECK(committed_steps(folder_.path("saved.h5")) >= steps_);
    if (has_readout_) {
      const std::string weights = "/readouts/next/weights";
      const auto saved_weights = datasets_of(folder_.path("saved.h5")).at(weights);
      CHECK(saved_weights == datasets_of(folder_.path("whole.h5")).at(weights));
    }
    const Finished on = resume();
    INFO("resume: " << on.err);
    REQUIRE(on.code == 0);
    CHECK(is_whole());
  }

 private:
  TempDir folder_;
  std::int64_t steps_ = 0;
  bool has_readout_ = false;  // solved before the run is cut
};

KilledRun long_run() {
  return {gaia::test::kMinimal +
              "readouts:\n"
              "  - {name: next, target: {channel: 0, horizon: 1}, levels: [0], skip: 0.001, split: "
              "0.01}\n",
          {"--set", "data.steps=300000", "--set", "output.representations={every: 50}", "--set",
           "checkpoint.every=10000"}};
}

KilledRun training() {
  return {gaia::test::kSeries, {"--set", "network.epochs=400", "--set", "checkpoint.every=50"}};
}

}  // namespace

TEST_CASE("a resume that is killed behind a rename has left what can be resumed") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers stand between the program and the system");
  for (const auto& make : {&long_run, &training}) {
    const KilledRun cut = make();
    // The first is that of the new file over the old one; the last one gives the result its name.
    constexpr int most = 4;
    for (int k = 1; k <= most; ++k) {
      cut.put_back();
      const std::string fault = "rename:" + std::to_string(k) + ":torn";
      const Finished done = cut.resume_with(fault);
      INFO(fault << ": " << done.err);
      REQUIRE(done.code == 128 + SIGKILL);
      cut.check_goes_on();
    }
  }
}

TEST_CASE("kill -9 of a resume at any moment loses nothing") {
  const int count = gaia::test::trials("RESUMES", 4);
  const KilledRun cut = long_run();
  gaia::test::Moments moments(0, 150);
  int taken_over = 0;
  int finished = 0;
  for (int i = 0; i < count; ++i) {
    cut.put_back();
    // Every other one is killed twice, so that a resume meets what a killed resume has left.
    for (int kill = 0; kill <= i % 2; ++kill) {
      const Running running(cut.folder(), {"resume", "-q", "--threads", "1", "r.h5"});
      // Half of the kills come after the start, so that not all hit it.
      if (i % 4 >= 2) REQUIRE(Running::until([&] { return cut.is_taken_over(); }));
      std::this_thread::sleep_for(moments.next());
      running.signal(SIGKILL);
      running.wait();
    }
    if (fs::exists(cut.result())) {
      ++finished;
    } else if (cut.is_taken_over()) {
      ++taken_over;
    }
    INFO("trial " << i);
    cut.check_goes_on();
  }
  gaia::test::tell_row("kill -9 of a resume at a random moment, every other time of two in a row",
                       static_cast<std::size_t>(count),
                       "all recovered, all resumed to equal results; " +
                           std::to_string(taken_over) + " after a resume had taken over, " +
                           std::to_string(finished) + " after the end");
}
