// SPDX-License-Identifier: MIT
/// \file
/// kill -9 at random moments.
#include "results.h"
#include "trials.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::int64_t kEvery = 50;

const std::vector<std::string> kLong = {"run",
                                        "e.yaml",
                                        "-q",
                                        "--set",
                                        "data.steps=1000000",
                                        "--set",
                                        "output.representations={every: 50}",
                                        "--set",
                                        "checkpoint.every=20000"};

std::vector<std::string> writing_to(const std::string& name) {
  std::vector<std::string> arguments = kLong;
  arguments.insert(arguments.end(), {"--output", name});
  return arguments;
}

/// Whether what `partial` has committed is what the whole run has there.
bool is_beginning_of(const std::string& whole, const std::string& partial, std::int64_t steps) {
  const hdf5::File all = hdf5::File::open(whole);
  const hdf5::File part = hdf5::File::open(partial);
  for (const char* level : {"/levels/0/", "/levels/1/"}) {
    const std::int64_t spacing = kEvery * (level[8] == '0' ? 1 : 3);
    const std::int64_t rows = (steps + spacing - 1) / spacing;
    const hdf5::Dataset a = all.open_dataset(level + std::string("representation"));
    const hdf5::Dataset b = part.open_dataset(level + std::string("representation"));
    if (b.shape().front() < rows) return false;
    std::vector<double> x(static_cast<std::size_t>(2 * rows));
    std::vector<double> y(x.size());
    a.read_rows(0, rows, x.data());
    b.read_rows(0, rows, y.data());
    if (!gaia::test::same_bits(x, y)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("kill -9 at any moment loses nothing that was committed") {
  const int count = gaia::test::trials("KILLS", 4);
  const TempDir folder;
  folder.write("e.yaml", gaia::test::kMinimal);
  REQUIRE(gaia_command(folder, writing_to("whole.h5")).code == 0);
  const std::string partial = folder.path("r.h5.partial");
  gaia::test::Moments moments(0, 400);
  int before = 0;
  int readable = 0;
  int finished = 0;
  int resumed = 0;
  for (int i = 0; i < count; ++i) {
    for (const char* name : {"r.h5", "r.h5.partial", "r.h5.checkpoint.0", "r.h5.checkpoint.1"}) {
      std::filesystem::remove(folder.path(name));
    }
    std::int64_t seen = 0;
    Finished done;
    {
      const Running running(folder, writing_to("r.h5"));
      // Half of the kills come after a commit was seen, so that they do not all hit the start.
      if (i % 2 == 0) {
        std::string unread;
        const bool came = Running::until([&] {
          if (running.has_ended()) return true;
          try {
            seen = std::filesystem::exists(partial) ? committed_steps(partial) : 0;
          } catch (const std::exception& error) {
            unread = error.what();  // being laid out
          }
          return seen > 0;
        });
        INFO("at kill " << i << " the last error of the reader was: " << unread);
        REQUIRE(came);
      }
      std::this_thread::sleep_for(moments.next());
      running.signal(SIGKILL);
      done = running.wait();
    }
    INFO("kill " << i << ", code " << done.code << ", seen " << seen << " " << done.err);
    CHECK((done.code == 0 || done.code == 128 + SIGKILL));
    if (done.code == 0) {
      ++finished;
      CHECK(gaia::test::same_results(folder.path("whole.h5"), folder.path("r.h5")));
    } else if (std::filesystem::exists(folder.path("r.h5"))) {
      // Killed between the last rename and the end.
      ++finished;
      CHECK(gaia::test::same_results(folder.path("whole.h5"), folder.path("r.h5")));
    } else if (!std::filesystem::exists(partial) || !has_begun(partial)) {
      ++before;
      CHECK(seen == 0);
    } else {
      ++readable;
      const std::int64_t steps = committed_steps(partial);
      CHECK(steps >= seen);
      CHECK(is_beginning_of(folder.path("whole.h5"), partial, steps));
      if (std::filesystem::exists(folder.path("r.h5.checkpoint.0"))) {
        const Finished on = gaia_command(folder, {"resume", "-q", "r.h5"});
        INFO(on.err);
        CHECK(on.code == 0);
        CHECK(gaia::test::same_results(folder.path("whole.h5"), folder.path("r.h5")));
        ++resumed;
      }
    }
  }
  // The lock of a process that was killed is no lock.
  std::vector<std::string> again = writing_to("r.h5");
  again.push_back("--overwrite");
  CHECK(gaia_command(folder, again).code == 0);
  CHECK(gaia::test::same_results(folder.path("whole.h5"), folder.path("r.h5")));
  gaia::test::tell_row("kill -9 at a random moment of a run", static_cast<std::size_t>(count),
                       std::to_string(readable) + " partial files, all committed rows equal; " +
                           std::to_string(resumed) + " of them resumed to equal results; " +
                           std::to_string(before) + " before the layout was done, " +
                           std::to_string(finished) + " after the end");
}

TEST_CASE("kill -9 in the middle of a write loses nothing that was committed") {
  if (gaia::test::kSanitized) GAIA_SKIP("sanitizers stand between the program and the system");
  const int count = gaia::test::trials("TORN", 3);
  constexpr long all = 900;  // Writes of the first second or two.
  const TempDir folder;
  folder.write("e.yaml", gaia::test::kMinimal);
  REQUIRE(gaia_command(folder, writing_to("whole.h5")).code == 0);
  const std::string partial = folder.path("r.h5.partial");
  int before = 0;
  int readable = 0;
  for (const long k : gaia::test::spread(all, count)) {
    for (const char* name : {"r.h5", "r.h5.partial", "r.h5.checkpoint.0", "r.h5.checkpoint.1"}) {
      std::filesystem::remove(folder.path(name));
    }
    const std::string fault = "write:" + std::to_string(k) + ":torn";
    {
      const gaia::test::Environment preload("LD_PRELOAD", GAIA_FAULTS);
      const gaia::test::Environment program("GAIA_FAULT_PROGRAM", "gaia");
      const gaia::test::Environment how("GAIA_FAULT", fault);
      const Finished done = gaia::test::attempt(folder, writing_to("r.h5"));
      INFO(fault << ": " << done.err);
      REQUIRE(done.code == 128 + SIGKILL);
    }
    if (!has_begun(partial)) {
      ++before;
      continue;
    }
    ++readable;
    std::filesystem::remove(folder.path("saved.h5"));
    const Finished done = gaia_command(folder, {"recover", "r.h5.partial", "--output", "saved.h5"});
    INFO(fault << ", recover: " << done.err);
    REQUIRE(done.code == 0);
    const std::int64_t steps = committed_steps(folder.path("saved.h5"));
    CHECK(is_beginning_of(folder.path("whole.h5"), folder.path("saved.h5"), steps));
  }
  gaia::test::tell_row("kill -9 in the middle of a write",
                       static_cast<std::size_t>(before + readable),
                       std::to_string(readable) + " partial files, all committed rows equal; " +
                           std::to_string(before) + " before the layout was done");
}
