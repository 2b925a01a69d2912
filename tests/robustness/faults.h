// SPDX-License-Identifier: MIT
/// \file
/// Runs in which the system or the memory fails at one call (faults.cpp), and what must hold then.
#pragma once

#include <map>
#include <sstream>
#include <string>

#include "results.h"
#include "trials.h"

namespace gaia::test {

/// An experiment that replaces an old result, again and again.
class FaultyRuns {
 public:
  FaultyRuns() {
    folder_.write("e.yaml", kMinimal);
    REQUIRE(gaia_command(folder_, with_output("new.h5", "11")).code == 0);
    REQUIRE(gaia_command(folder_, with_output("old.h5", "5")).code == 0);
    old_ = bytes_of(folder_.path("old.h5"));
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
    const Environment program("GAIA_FAULT_PROGRAM", "gaia");
    const Environment how("GAIA_FAULT", fault.empty() ? nullptr : fault.c_str());
    const Environment spare("GAIA_FAULT_SPARE", spared_);
    return attempt(folder_, overwriting());
  }

  /// One run in an address space of so many MiB.
  Finished run_within(int mebibytes) {
    put_old();
    std::string line =
        "ulimit -v " + std::to_string(mebibytes * 1024) + "; exec '" GAIA_COMMAND "'";
    for (const std::string& word : overwriting()) line += " '" + word + "'";
    return Running(folder_, {"-c", line}, "/bin/sh").wait();
  }

  /// That nothing was lost, whatever became of the run.
  void check_files(const std::string& fault, const Finished& done) {
    INFO("GAIA_FAULT=" << fault << " ended with " << done.code << ": " << done.err);
    CHECK((is_old() || same_results(folder_.path("r.h5"), folder_.path("new.h5"))));
  }

  /// And that it was told.
  void check(const std::string& fault, const Finished& done) {
    check_files(fault, done);
    INFO("GAIA_FAULT=" << fault << " ended with " << done.code << ": " << done.err);
    if (done.code == 0) {
      CHECK_FALSE(is_old());
    } else {
      CHECK_FALSE(done.err.empty());
    }
    CHECK_FALSE(std::filesystem::exists(folder_.path("r.h5.finishing")));
  }

 private:
  void put_old() const {
    folder_.write("r.h5", old_);
    for (const char* name : {"r.h5.partial", "r.h5.checkpoint.0", "r.h5.checkpoint.1"}) {
      std::filesystem::remove(folder_.path(name));
    }
  }

  bool is_old() const { return bytes_of(folder_.path("r.h5")) == old_; }

  static std::vector<std::string> with_output(const std::string& name, const std::string& seed) {
    return {
        "run", "e.yaml", "-q", "--seed", seed, "--output", name, "--set", "checkpoint.every=100"};
  }

  static std::vector<std::string> overwriting() {
    std::vector<std::string> arguments = with_output("r.h5", "11");
    arguments.insert(arguments.end(), {"--overwrite", "--threads", "1"});
    return arguments;
  }

  TempDir folder_;
  std::string old_;
  const char* spared_ = nullptr;
};

}  // namespace gaia::test
