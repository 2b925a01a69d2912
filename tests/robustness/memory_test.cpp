// SPDX-License-Identifier: MIT
/// \file
/// A long series needs no more memory than a short one.
#include <sys/resource.h>

#include <algorithm>

#include "results.h"
#include "trials.h"

using namespace gaia;
using gaia::test::TempDir;

namespace {

/// Most memory, in KiB, that a run over so many steps has at one time.
long peak_memory(const TempDir& folder, std::int64_t steps) {
  const pid_t process = fork();
  if (process == 0) {
    const std::string set = "data.steps=" + std::to_string(steps);
    if (chdir(folder.path("").c_str()) == 0) {
      execl(GAIA_COMMAND, "gaia", "run", "e.yaml", "-q", "--overwrite", "--set", set.c_str(),
            "--set", "output.representations={every: 100}", static_cast<char*>(nullptr));
    }
    _exit(127);
  }
  int status = 0;
  rusage used{};
  REQUIRE(wait4(process, &status, 0, &used) == process);
  REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  return used.ru_maxrss;
}

}  // namespace

TEST_CASE("memory is flat over a long stream") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers keep what was freed");
  const int most = gaia::test::trials("STEPS", 2000000);
  const TempDir folder;
  folder.write("e.yaml", gaia::test::kMinimal);
  // By then all buffers have the length that they keep.
  const int warm = std::min(1000000, most / 2);
  const long usual = peak_memory(folder, warm);
  const long longer = peak_memory(folder, most);
  INFO(usual << " KiB, then " << longer << " KiB");
  // What HDF5 keeps of the file's index comes on top.
  CHECK(longer < usual + 6 * 1024);
  gaia::test::tell_row("steps in one stream", static_cast<std::size_t>(most),
                       "at most " + std::to_string(longer) + " KiB of memory; " +
                           std::to_string(usual) + " KiB for " + std::to_string(warm) + " steps");
}
