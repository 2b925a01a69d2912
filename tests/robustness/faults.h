// SPDX-License-Identifier: MIT
/// \file
/// Runs in which the system or the memory fails at one call (faults.cpp), and what must hold then.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "results.h"
#include "trials.h"

namespace gaia::test {

/// What replaces an old file, again and again.
struct Deed {
  std::string output;                  ///< The file.
  std::vector<std::string> arguments;  ///< What does it.
  std::string program = GAIA_COMMAND;
};

class FaultyRuns {
 public:
  /// `prepare` leaves in the folder what the deed reads, old.h5, and what it makes of it as new.h5.
  FaultyRuns(Deed deed, const std::function<void(const TempDir&)>& prepare)
      : deed_(std::move(deed)) {
    prepare(folder_);
    old_ = bytes_of(folder_.path("old.h5"));
    REQUIRE_FALSE(old_.empty());
    new_ = datasets_of(folder_.path("new.h5"));
    // They must differ for the tests to mean something.
    REQUIRE_FALSE(difference(datasets_of(folder_.path("old.h5")), new_).empty());
  }

  /// Allocations on behalf of this library do not fail; nullptr: all may.
  void spare(const char* library) { spared_ = library; }

  /// How many calls of each kind a run makes.
  std::map<std::string, long> counts() {
    const std::string file = folder_.path("counts.txt");
    const Environment path("GAIA_FAULT_COUNTS", file);
    run({});
    std::map<std::string, long> counts;
    std::istringstream text(bytes_of(file));
    long number = 0;
    for (std::string name; text >> name >> number;) counts[name] = number;
    REQUIRE(counts.size() == 8);
    return counts;
  }

  /// The allocations that come by different ways.
  std::vector<long> different_allocations() {
    const std::string file = folder_.path("list.txt");
    const Environment path("GAIA_FAULT_LIST", file);
    run({});
    std::vector<long> numbers;
    std::istringstream text(bytes_of(file));
    for (long number = 0; text >> number;) numbers.push_back(number);
    return numbers;
  }

  /// One run with a fault.  The result is the new one, whole, or the old one, untouched.
  Finished run(const std::string& fault) {
    put_old();
    const Environment preload("LD_PRELOAD", GAIA_FAULTS);
    const Environment program("GAIA_FAULT_PROGRAM",
                              std::filesystem::path(deed_.program).filename().string());
    const Environment how("GAIA_FAULT", fault.empty() ? nullptr : fault.c_str());
    const Environment spare("GAIA_FAULT_SPARE", spared_);
    return attempt(folder_, deed_.arguments, deed_.program);
  }

  /// One run in an address space of so many MiB.
  Finished run_within(int mebibytes) {
    put_old();
    return start_within(mebibytes, deed_.arguments);
  }
  /// Whether the program and its libraries can be loaded there.
  bool is_loaded_within(int mebibytes) { return start_within(mebibytes, {"version"}).code == 0; }

  /// Checks that nothing was lost, whatever became of the run.
  void check_files(const std::string& fault, const Finished& done) {
    INFO("GAIA_FAULT=" << fault << " ended with " << done.code << ": " << done.err);
    CHECK((is_old() || difference(datasets_of(folder_.path(deed_.output)), new_).empty()));
  }

  /// And that it was reported.
  void check(const std::string& fault, const Finished& done) {
    check_files(fault, done);
    INFO("GAIA_FAULT=" << fault << " ended with " << done.code << ": " << done.err);
    if (done.code == 0) {
      CHECK_FALSE(is_old());
    } else {
      CHECK_FALSE(done.err.empty());
    }
    CHECK_FALSE(std::filesystem::exists(folder_.path(deed_.output + ".finishing")));
  }

 private:
  Finished start_within(int mebibytes, const std::vector<std::string>& arguments) {
    std::string line = "ulimit -v " + std::to_string(mebibytes * 1024) + "; exec";
    line += " '" + deed_.program + "'";
    for (const std::string& word : arguments) line += " '" + word + "'";
    return Running(folder_, {"-c", line}, "/bin/sh").wait();
  }

  void put_old() const {
    folder_.write(deed_.output, old_);
    for (const char* end : {".partial", ".checkpoint.0", ".checkpoint.1"}) {
      std::filesystem::remove(folder_.path(deed_.output + end));
    }
  }

  bool is_old() const { return bytes_of(folder_.path(deed_.output)) == old_; }

  TempDir folder_;
  Deed deed_;
  std::string old_;
  Datasets new_;
  const char* spared_ = nullptr;
};

/// `gaia run` of an experiment, with these settings.
inline FaultyRuns faulty_run(const std::string& experiment, const std::string& setting) {
  const auto arguments = [&](const char* output, const char* seed) {
    return std::vector<std::string>{"run",   "e.yaml",      "-q",        "--seed",
                                    seed,    "--output",    output,      "--set",
                                    setting, "--overwrite", "--threads", "1"};
  };
  return {{.output = "r.h5", .arguments = arguments("r.h5", "11")}, [&](const TempDir& folder) {
            folder.write("e.yaml", experiment);
            REQUIRE(gaia_command(folder, arguments("old.h5", "5")).code == 0);
            REQUIRE(gaia_command(folder, arguments("new.h5", "11")).code == 0);
          }};
}

/// Faulty run of the hierarchy that most tests take.
inline FaultyRuns faulty_run() { return faulty_run(kMinimal, "checkpoint.every=100"); }

/// `gaia recover` of what is left of a run.
inline FaultyRuns faulty_recovery() {
  const auto recover = [](const char* output) {
    return std::vector<std::string>{"recover", "cut.h5.partial", "--output", output, "--overwrite"};
  };
  return {{.output = "r.h5", .arguments = recover("r.h5")}, [&](const TempDir& folder) {
            folder.write("e.yaml", kMinimal);
            const std::vector<std::string> run = {"run", "e.yaml", "-q", "--output"};
            const auto with = [&](std::vector<std::string> more) {
              more.insert(more.begin(), run.begin(), run.end());
              return gaia_command(folder, more).code;
            };
            REQUIRE(with({"old.h5"}) == 0);
            REQUIRE(with({"cut.h5", "--set", "data.steps=100000000", "--max-time", "0.2s", "--set",
                          "output.representations={every: 1000}"}) == 75);
            REQUIRE(gaia_command(folder, recover("new.h5")).code == 0);
          }};
}

/// `gaia sweep --collect`, which writes an index.
inline FaultyRuns faulty_collection() {
  const std::string index = "results/minimal/index.h5";
  const std::vector<std::string> collect = {"sweep", "e.yaml", "-q", "--collect"};
  return {{.output = index, .arguments = collect}, [&](const TempDir& folder) {
            folder.write("e.yaml", kMinimal + "sweep: {seeds: 3}\n");
            REQUIRE(gaia_command(folder, {"sweep", "e.yaml", "-q", "--shard", "0/2"}).code == 0);
            REQUIRE(gaia_command(folder, collect).code == 0);
            std::filesystem::rename(folder.path(index), folder.path("old.h5"));
            REQUIRE(gaia_command(folder, {"sweep", "e.yaml", "-q"}).code == 0);
            // Beside its members, which it shows.
            std::filesystem::create_symlink(index, folder.path("new.h5"));
          }};
}

/// io::save of arrays, by a program of its own.
inline FaultyRuns faulty_saving() {
  return {{.output = "r.h5", .arguments = {"r.h5", "11"}, .program = GAIA_SAVE_ARRAYS},
          [](const TempDir& folder) {
            REQUIRE(Running(folder, {"old.h5", "5"}, GAIA_SAVE_ARRAYS).wait().code == 0);
            REQUIRE(Running(folder, {"new.h5", "11"}, GAIA_SAVE_ARRAYS).wait().code == 0);
          }};
}

}  // namespace gaia::test
