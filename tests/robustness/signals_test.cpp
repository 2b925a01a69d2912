// SPDX-License-Identifier: MIT
/// \file
/// SIGINT, SIGTERM and SIGHUP at random moments.
#include <array>

#include "results.h"
#include "trials.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("a signal at any moment ends a run as documented") {
  const int count = gaia::test::trials("SIGNALS", 8);
  gaia::test::Moments moments(0, 400);
  int interrupted = 0;
  int early = 0;
  int finished = 0;
  for (int i = 0; i < count; ++i) {
    const TempDir folder;
    folder.write("e.yaml", gaia::test::kMinimal);
    const int number = std::array{SIGINT, SIGTERM, SIGHUP}[static_cast<std::size_t>(i % 3)];
    const Running running(folder, {"run", "e.yaml", "-q", "--output", "r.h5", "--set",
                                   "data.steps=20000000", "--set", "output.representations=none"});
    std::this_thread::sleep_for(moments.next());
    running.signal(number);
    const Finished done = running.wait();
    INFO("signal " << i << ": " << done.code << " " << done.err);
    const std::string partial = folder.path("r.h5.partial");
    CHECK_FALSE(std::filesystem::exists(folder.path("r.h5.finishing")));
    const bool has_begun = std::filesystem::exists(partial);
    if (done.code == 75 && has_begun) {
      ++interrupted;
      const hdf5::File file = hdf5::File::open(partial);
      CHECK(file.text_attribute("status") == "interrupted");
      CHECK(file.integer_attribute("steps_done") == committed_steps(partial));
      CHECK_FALSE(std::filesystem::exists(folder.path("r.h5.lock")));
    } else if (done.code == 0) {
      ++finished;
      CHECK(std::filesystem::exists(folder.path("r.h5")));
    } else {
      // Before the run began, or the program was ready to be asked.
      ++early;
      CHECK((done.code == 75 || done.code == 128 + number));
      CHECK_FALSE(has_begun);
    }
  }
  gaia::test::tell_row(
      "SIGINT, SIGTERM or SIGHUP at a random moment", static_cast<std::size_t>(count),
      std::to_string(interrupted) + " ended with 75 and a readable file, " + std::to_string(early) +
          " before the run began, " + std::to_string(finished) + " after its end");
}
