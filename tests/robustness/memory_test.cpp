// SPDX-License-Identifier: MIT
/// \file
/// A long series needs no more memory than a short one, a long time no more than a short one.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "results.h"
#include "trials.h"

using namespace gaia;
using namespace gaia::test;

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

/// Most memory so far, in KiB, of the process that holds this result.
long peak_memory_of_holder(const std::string& result) {
  int process = 0;
  const std::string holder = file_text(result + ".lock");
  REQUIRE(std::sscanf(holder.c_str(), "process %d", &process) == 1);
  const std::string status = file_text("/proc/" + std::to_string(process) + "/status");
  const std::size_t at = status.find("VmHWM:");
  REQUIRE(at != std::string::npos);
  return std::stol(status.substr(at + 6));
}

/// Steps committed so far; 0 while the file is being laid out or replaced.
std::int64_t steps_so_far(const std::string& partial) {
  try {
    return std::filesystem::exists(partial) ? committed_steps(partial) : 0;
  } catch (const std::exception&) {
    return 0;
  }
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

TEST_CASE("memory is flat over a long time") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers keep what was freed");
  const int seconds = gaia::test::trials("SECONDS", 2);
  const TempDir folder;
  folder.write("e.yaml", gaia::test::kMinimal);
  const std::string partial = folder.path("r.h5.partial");
  const Running running(
      folder, {"run", "e.yaml", "-q", "--output", "r.h5", "--set", "data.steps=100000000000",
               "--set", "output.representations={every: 10000}"});
  // By then all buffers have the length that they keep.
  REQUIRE(Running::until([&] { return steps_so_far(partial) >= 1000000; }));
  const auto half = std::chrono::milliseconds(500 * seconds);
  std::this_thread::sleep_for(half);
  const long earlier = peak_memory_of_holder(folder.path("r.h5"));
  std::this_thread::sleep_for(half);
  const long later = peak_memory_of_holder(folder.path("r.h5"));
  running.signal(SIGTERM);
  const Finished done = running.wait();
  INFO(earlier << " KiB, then " << later << " KiB; " << done.err);
  CHECK(done.code == 75);
  // What HDF5 keeps of the file's index comes on top.
  CHECK(later < earlier + 6 * 1024);
  const std::int64_t steps = committed_steps(partial);
  CHECK(gaia_command(folder, {"resume", "r.h5", "-q", "--max-time", "1s"}).code == 75);
  CHECK(committed_steps(partial) > steps);
  gaia::test::tell_row("seconds of one run", static_cast<std::size_t>(seconds),
                       std::to_string(steps) + " steps, at most " + std::to_string(later) +
                           " KiB of memory, " + std::to_string(earlier) +
                           " KiB by the middle; then stopped and resumed");
}
