// SPDX-License-Identifier: MIT
/// \file
/// Every call to the system that can fail, failing.
#include "faults.h"

using gaia::test::FaultyRuns;
using gaia::test::Finished;

namespace {

struct Fault {
  const char* call;
  const char* how;
  std::vector<int> codes;  ///< That a run may end with.
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

}  // namespace

TEST_CASE("a call to the system that fails ends a run as documented, nothing lost") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers stand between the program and the system");
  const int count = gaia::test::trials("FAULTS", 2);
  FaultyRuns runs;
  std::map<std::string, long> counts = runs.counts();
  CHECK(counts["write"] > 20);
  CHECK(counts["sync"] > 1);
  CHECK(counts["rename"] >= 1);
  for (const char* from_on : {"", "+"}) {
    for (const Fault& fault : kFaults) {
      // Signals do not interrupt every call for ever.
      if (*from_on == '+' && std::string(fault.how) == "EINTR") continue;
      std::map<int, int> codes;
      const std::vector<long> numbers =
          gaia::test::spread(counts[fault.call], *from_on == '+' ? (count + 1) / 2 : count);
      for (const long k : numbers) {
        const std::string text =
            std::string(fault.call) + ":" + std::to_string(k) + from_on + ":" + fault.how;
        const Finished done = runs.run(text);
        runs.check(text, done);
        INFO(text << " ended with " << done.code << ": " << done.err);
        CHECK(std::count(fault.codes.begin(), fault.codes.end(), done.code) == 1);
        ++codes[done.code];
      }
      gaia::test::tell_row(std::string(fault.call) + " fails with " + fault.how +
                               (*from_on == '+' ? ", and all after it" : ""),
                           numbers.size(), gaia::test::codes_text(codes));
    }
  }
}
