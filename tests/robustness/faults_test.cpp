// SPDX-License-Identifier: MIT
/// \file
/// Every call to the system that can fail, failing.
#include "faults.h"
#include "../experiment/networks.h"

using namespace gaia::test;

namespace {

struct Fault {
  const char* call;
  const char* how;
  std::vector<int> codes;  ///< Exit codes that a run may end with.
};

// An open that fails may be that of the configuration (2) or of something that is only nice to
// have. Removing is the last thing that is done.
const std::vector<Fault> kFaults = {
    {"open", "EACCES", {0, 2, 4}}, {"open", "EIO", {0, 2, 4}},  {"write", "ENOSPC", {0, 4}},
    {"write", "EIO", {0, 4}},      {"write", "short", {0, 4}},  {"write", "EINTR", {0, 4}},
    {"sync", "EIO", {4}},          {"sync", "ENOSPC", {4}},     {"rename", "EIO", {4}},
    {"rename", "ENOSPC", {4}},     {"truncate", "EIO", {0, 4}}, {"truncate", "ENOSPC", {0, 4}},
    {"copy", "ENOSPC", {0, 4}},    {"copy", "EIO", {0, 4}},     {"copy", "short", {0, 4}},
    {"remove", "EACCES", {0, 4}}};

/// Each fault at `count` calls of a kind, spread over all of them (0: every one), and again with
/// all calls after it failing.
void try_faults(const std::string& who, FaultyRuns& runs, const std::vector<Fault>& faults,
                int count) {
  const std::map<std::string, long> counts = runs.counts();
  for (const char* from_on : {"", "+"}) {
    for (const Fault& fault : faults) {
      // Signals do not interrupt every call for ever.
      if (*from_on == '+' && std::string(fault.how) == "EINTR") continue;
      std::map<int, int> codes;
      const std::vector<long> numbers =
          gaia::test::spread(counts.at(fault.call), *from_on == '+' ? (count + 1) / 2 : count);
      for (const long k : numbers) {
        const std::string text =
            std::string(fault.call) + ":" + std::to_string(k) + from_on + ":" + fault.how;
        const Finished done = runs.run(text);
        runs.check(text, done);
        INFO(who << ", " << text << " ended with " << done.code << ": " << done.err);
        CHECK(std::count(fault.codes.begin(), fault.codes.end(), done.code) == 1);
        ++codes[done.code];
      }
      gaia::test::tell_row(who + ": " + fault.call + " fails with " + fault.how +
                               (*from_on == '+' ? ", and all after it" : ""),
                           numbers.size(), gaia::test::codes_text(codes));
    }
  }
}

/// How often, for what writes little of its own.
int few_trials() { return gaia::test::trials("FAULTS", 3); }

// Faults of writing as above, where nothing is removed and no small file is opened or written.
const std::vector<Fault> kOfWriting = {{"write", "EIO", {0, 4}},
                                       {"write", "ENOSPC", {0, 4}},
                                       {"truncate", "ENOSPC", {0, 4}},
                                       {"sync", "EIO", {4}},
                                       {"rename", "EIO", {4}}};

}  // namespace

TEST_CASE("a call to the system that fails ends a run as documented, nothing lost") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers stand between the program and the system");
  FaultyRuns runs = gaia::test::faulty_run();
  const std::map<std::string, long> counts = runs.counts();
  CHECK(counts.at("write") > 20);
  CHECK(counts.at("sync") > 1);
  CHECK(counts.at("rename") >= 1);
  try_faults("a run", runs, kFaults, gaia::test::trials("FAULTS", 2));
}

TEST_CASE("a call to the system that fails loses nothing of a training") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers stand between the program and the system");
  FaultyRuns runs = gaia::test::faulty_run(gaia::test::kSeries, "network.epochs=3");
  try_faults("training", runs, kOfWriting, few_trials());
}

TEST_CASE("a call to the system that fails loses nothing of what is recovered") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers stand between the program and the system");
  FaultyRuns runs = gaia::test::faulty_recovery();
  try_faults("recovery", runs, kOfWriting, few_trials());
}

TEST_CASE("a call to the system that fails loses nothing of an index") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers stand between the program and the system");
  FaultyRuns runs = gaia::test::faulty_collection();
  try_faults("the index of a sweep", runs, kOfWriting, few_trials());
}

TEST_CASE("a call to the system that fails loses nothing of arrays") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers stand between the program and the system");
  FaultyRuns runs = gaia::test::faulty_saving();
  try_faults("arrays", runs, kOfWriting, few_trials());
}

TEST_CASE("a sweep whose members meet faults of the system is completed by the next") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers stand between the program and the system");
  const int count = gaia::test::trials("FAULTY_SWEEPS", 2);
  const TempDir folder;
  folder.write("e.yaml", gaia::test::kMinimal + "sweep: {seeds: 2}\n");
  const auto sweep = [&](const std::string& output) {
    return gaia::test::attempt(folder,
                               {"sweep", "e.yaml", "-q", "--jobs", "2", "--output", output});
  };
  REQUIRE(sweep("whole").code == 0);
  std::map<int, int> codes;
  for (const long k : gaia::test::spread(260, count)) {
    std::filesystem::remove_all(folder.path("s"));
    const std::string fault = "write:" + std::to_string(k) + ":ENOSPC";
    Finished done;
    {
      const gaia::test::Environment preload("LD_PRELOAD", GAIA_FAULTS);
      const gaia::test::Environment program("GAIA_FAULT_PROGRAM", "gaia");
      const gaia::test::Environment how("GAIA_FAULT", fault);
      done = sweep("s");
    }
    INFO(fault << " ended with " << done.code << ": " << done.err);
    CHECK((done.code == 0 || done.code == 1 || done.code == 4));
    ++codes[done.code];
    const Finished again = sweep("s");
    INFO(again.err);
    CHECK(again.code == 0);
    for (const char* name : {"member-00000.h5", "member-00001.h5"}) {
      CHECK(gaia::test::same_results(folder.path(std::string("whole/") + name),
                                     folder.path(std::string("s/") + name)));
    }
    CHECK(std::filesystem::exists(folder.path("s/index.h5")));
  }
  gaia::test::tell_row("a sweep of 2 members in which a write fails, and once more without",
                       static_cast<std::size_t>(count == 0 ? 260 : count),
                       gaia::test::codes_text(codes) + "; then all members whole");
}
