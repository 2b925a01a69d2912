// SPDX-License-Identifier: MIT
/// \file
/// Every allocation failing that comes by a way of its own.
#include "faults.h"

using namespace gaia::test;

namespace {

std::string fault_at(const std::vector<long>& ways, long i, const char* from_on) {
  return "alloc:" + std::to_string(ways[static_cast<std::size_t>(i - 1)]) + from_on + ":ENOMEM";
}

}  // namespace

TEST_CASE("an allocation that fails ends a run with code 5, nothing lost") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers have an allocator of their own");
  const int count = gaia::test::trials("ALLOCATIONS", 10);
  FaultyRuns runs = gaia::test::faulty_run();
  runs.spare("libhdf5");
  const std::vector<long> ways = runs.different_allocations();
  CHECK(ways.size() > 500);
  for (const char* from_on : {"", "+"}) {
    std::map<int, int> codes;
    const std::vector<long> chosen = gaia::test::spread(static_cast<long>(ways.size()),
                                                        *from_on == '+' ? (count + 1) / 2 : count);
    for (const long i : chosen) {
      const std::string fault = fault_at(ways, i, from_on);
      const Finished done = runs.run(fault);
      runs.check(fault, done);
      INFO(fault << " ended with " << done.code << ": " << done.err);
      // Some can be done without (0); a file that cannot be opened for want of memory is one that
      // cannot be read (2) or written (4).  glibc aborts where it cannot note that a thread has
      // something to tidy up at its end.
      const bool is_glibc = done.err.find("failed to register TLS destructor") != std::string::npos;
      const bool is_documented =
          done.code == 0 || done.code == 2 || done.code == 4 || done.code == 5;
      CHECK((is_documented || is_glibc));
      ++codes[done.code];
    }
    gaia::test::tell_row(std::string("an allocation fails, outside libhdf5") +
                             (*from_on == '+' ? ", and all after it" : ""),
                         chosen.size(), gaia::test::codes_text(codes));
  }
}

TEST_CASE("an allocation that fails within libhdf5 loses nothing") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers have an allocator of their own");
  const int count = gaia::test::trials("HDF5_ALLOCATIONS", 10);
  FaultyRuns runs = gaia::test::faulty_run();
  const std::vector<long> ways = runs.different_allocations();
  std::map<int, int> codes;
  const std::vector<long> chosen = gaia::test::spread(static_cast<long>(ways.size()), count);
  for (const long i : chosen) {
    // libhdf5 answers with an error, ends the program, which is told of (5), or crashes (139).
    const std::string fault = fault_at(ways, i, "");
    const Finished done = runs.run(fault);
    runs.check_files(fault, done);
    INFO(fault << " ended with " << done.code << ": " << done.err);
    CHECK(done.code != 128 + SIGKILL);
    CHECK(done.code != 255);
    ++codes[done.code];
  }
  gaia::test::tell_row("an allocation fails, within libhdf5 too", chosen.size(),
                       gaia::test::codes_text(codes));
}

TEST_CASE("too little address space ends a run with code 5, nothing lost") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers reserve more memory than any limit");
  const int count = gaia::test::trials("ADDRESS_SPACES", 8);
  FaultyRuns runs = gaia::test::faulty_run();
  // From where the program can just be loaded (with CUDA's kernels it is larger) to where it has
  // all that it needs.
  int least = 40;
  while (least < 1000 && !runs.is_loaded_within(least)) least += 2;
  std::map<int, int> codes;
  for (int i = 0; i < count; ++i) {
    const int mebibytes = least + i * 200 / count;
    const Finished done = runs.run_within(mebibytes);
    runs.check("ulimit -v " + std::to_string(mebibytes) + " MiB", done);
    INFO(mebibytes << " MiB: code " << done.code << " " << done.err);
    CHECK((done.code == 0 || done.code == 5));
    ++codes[done.code];
  }
  gaia::test::tell_row("an address space of " + std::to_string(least) + " to " +
                           std::to_string(least + 200) + " MiB",
                       static_cast<std::size_t>(count), gaia::test::codes_text(codes));
}
