// SPDX-License-Identifier: MIT
/// \file
/// Runs that are cut: by a signal, a time limit, a kill, a full disk.

#include "../../src/io/hdf5.h"
#include "../support/catch.h"
#include "minimal_run.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Settings that make the minimal experiment take minutes.
const std::vector<std::string> kLong = {"--set", "data.steps=200000000", "--set",
                                        "output.representations={every: 1000}"};

std::int64_t committed(const std::string& file) {
  return hdf5::File::open(file)
      .open_dataset("/status/committed_steps")
      .read<std::int64_t>()
      .front();
}

/// A series that gaia looks through for a while before a run, or a sweep, begins; its file.
std::string write_long_data(const TempDir& folder) {
  std::string rows = "a,b\n";
  for (int i = 0; i < 2000000; ++i) rows += std::to_string(i % 17) + ",0.25\n";
  std::string text = kMinimal;
  const std::string generator =
      "{source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 300}";
  text.replace(text.find(generator), generator.size(), "{source: file, path: x.csv, steps: 300}");
  folder.write("e.yaml", text);
  folder.write("sweep.yaml", text + "sweep: {seeds: 2}\n");
  return folder.write("x.csv", rows);
}

}  // namespace

TEST_CASE("SIGINT and SIGTERM let a run finish its block and end with code 75") {
  for (const int number : {SIGINT, SIGTERM}) {
    const TempDir folder;
    folder.write("e.yaml", kMinimal);
    std::vector<std::string> arguments = {"run", "e.yaml"};
    arguments.insert(arguments.end(), kLong.begin(), kLong.end());
    const Running running(folder, arguments);
    const std::string partial = folder.path("results/minimal.h5.partial");
    REQUIRE(Running::until([&] {
      try {
        return exists(partial) && committed(partial) > 0;
      } catch (const std::exception&) {
        return false;  // being laid out
      }
    }));
    // Meanwhile nobody else may write there.
    const TempDir other;
    other.write("e.yaml", kMinimal);
    const Finished refused = gaia_command(
        other, {"run", "e.yaml", "--overwrite", "--output", folder.path("results/minimal.h5")});
    CHECK(refused.code == 7);
    CHECK_SAYS(refused.err, "is being written by another run (process ");
    running.signal(number);
    const Finished done = running.wait();
    CHECK(done.code == 75);
    CHECK_SAYS(done.err, "stopped  ");
    const hdf5::File file = hdf5::File::open(partial);
    CHECK(file.text_attribute("status") == "interrupted");
    CHECK(*file.integer_attribute("steps_done") == committed(partial));
    CHECK_FALSE(exists(folder.path("results/minimal.h5")));
    CHECK_FALSE(exists(folder.path("results/minimal.h5.lock")));
  }
}

TEST_CASE("a signal that was ignored when the program began, as by nohup, stops nothing") {
  for (const int number : {SIGHUP, SIGINT, SIGTERM}) {
    INFO(number);
    const TempDir folder;
    folder.write("e.yaml", kMinimal);
    folder.write("ignoring.sh", std::string("trap '' ") + std::to_string(number) +
                                    "\nexec " GAIA_COMMAND
                                    " run e.yaml --set data.steps=3000000 --set "
                                    "'output.representations={every: 1000}'\n");
    const Running running(folder, {folder.path("ignoring.sh")}, "/bin/bash");
    REQUIRE(Running::until([&] { return exists(folder.path("results/minimal.h5.partial")); }));
    running.signal(number);
    const Finished done = running.wait();
    INFO(done.err);
    CHECK(done.code == 0);
    CHECK(exists(folder.path("results/minimal.h5")));
  }
}

FOLDER_TEST_CASE("SIGUSR1 before a run has begun stops nothing") {
  const std::string data = write_long_data(folder);
  const Running running(folder, {"run", "e.yaml"});
  REQUIRE(Running::until([&] { return running.has_open(data); }));
  running.signal(SIGUSR1);
  const Finished done = running.wait();
  INFO(done.err);
  CHECK(done.code == 0);
}

FOLDER_TEST_CASE(
    "SIGINT and SIGTERM before a run has begun end it with code 75 and leave nothing") {
  const std::string data = write_long_data(folder);
  for (const char* const verb : {"run", "sweep"}) {
    for (const int number : {SIGINT, SIGTERM}) {
      const Running running(folder,
                            {verb, std::string(verb) == "run" ? "e.yaml" : "sweep.yaml", "-q"});
      REQUIRE(Running::until([&] { return running.has_open(data); }));
      running.signal(number);
      const Finished done = running.wait();
      INFO(verb << " " << number);
      CHECK(done.code == 75);
      CHECK(done.err == "interrupted; nothing was stored\n");
      CHECK_FALSE(exists(folder.path("results")));
    }
  }
}

FOLDER_TEST_CASE("a time limit ends a run with code 75") {
  std::vector<std::string> arguments = kLong;
  arguments.insert(arguments.end(), {"--max-time", "0.2s"});
  CHECK(run(folder, arguments).code == 75);
  CHECK(exists(folder.path("results/minimal.h5.partial")));
}

FOLDER_TEST_CASE("a killed run loses nothing that was committed") {
  folder.write("e.yaml", kMinimal);
  std::vector<std::string> arguments = {"run", "e.yaml"};
  arguments.insert(arguments.end(), kLong.begin(), kLong.end());
  const std::string partial = folder.path("results/minimal.h5.partial");
  std::int64_t seen = 0;
  {
    const Running running(folder, arguments);
    REQUIRE(Running::until([&] {
      try {
        seen = exists(partial) ? committed(partial) : 0;
      } catch (const std::exception&) {
        return false;
      }
      return seen > 100000;
    }));
    running.signal(SIGKILL);
    CHECK(running.wait().code == 128 + SIGKILL);
  }
  const std::int64_t safe = committed(partial);
  CHECK(safe >= seen);
  const hdf5::File file = hdf5::File::open(partial);
  CHECK(file.text_attribute("status") == "running");
  const hdf5::Dataset step = file.open_dataset("/levels/0/step");
  const std::int64_t rows = safe / 1000;
  REQUIRE(step.shape().front() >= rows);
  std::vector<std::int64_t> steps(static_cast<std::size_t>(rows));
  step.read_rows(0, rows, steps.data());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    REQUIRE(steps[i] == 1000 * static_cast<std::int64_t>(i));
  }
  std::vector<float> representation(static_cast<std::size_t>(rows * 2));
  file.open_dataset("/levels/0/representation").read_rows(0, rows, representation.data());
  for (const float y : representation) REQUIRE(std::isfinite(y));
  // What it left is refused, then dropped on request; its lock died with it.
  CHECK(run(folder).code == 4);
  CHECK(run(folder, {"--overwrite"}).code == 0);
}

FOLDER_TEST_CASE("a disk that fills up ends a run with code 4, what was committed readable") {
  folder.write("e.yaml", kMinimal);
  // A limit on the size of files is met as a full disk is: by a write that fails.
  for (const int kilobytes : {8, 40, 100, 300, 600}) {
    const std::string name = "r" + std::to_string(kilobytes) + ".h5";
    INFO(name);
    CHECK(shell(folder,
                "run e.yaml -q --set data.steps=40000 --set output.compression=0 --output " + name +
                    " 2>err.txt",
                "ulimit -f " + std::to_string(kilobytes)) == 4);
    CHECK_SAYS(file_text(folder.path("err.txt")), name);
    CHECK_FALSE(exists(folder.path(name)));
  }
  CHECK(committed(folder.path("r600.h5.partial")) > 0);
}
