// SPDX-License-Identifier: MIT
/// \file
/// The command and files that somebody else created: data and results that are damaged or mean
/// harm.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "../../src/io/hdf5.h"
#include "../support/catch.h"
#include "../support/environment.h"
#include "minimal_run.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::string kOfFile =
    "experiment: of_file\n"
    "data: {source: file, path: x.h5}\n"
    "hierarchy: {levels: [{layers: [{type: hebbian, size: 2}]}]}\n";

void write_series(const TempDir& folder) {
  hdf5::File file = hdf5::File::create(folder.path("x.h5"));
  std::vector<double> values(300);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 7);
  file.create_dataset("x", {.shape = {100, 3}}).write(std::span<const double>(values));
  file.close();
  folder.write("e.yaml", kOfFile);
}

/// The name of a program that stands in for gaia-hdf5-reader.
std::string fake_reader(const TempDir& folder, const std::string& script) {
  const std::string program = folder.write("reader", "#!/bin/sh\n" + script + "\n");
  chmod(program.c_str(), 0755);
  return program;
}

bool steers_terminal(const std::string& text) {
  return text.find_first_of("\x1b\x07\x7f") != std::string::npos ||
         text.find("\xc2\x9b") != std::string::npos;
}

}  // namespace

FOLDER_TEST_CASE("data that crash their reader end a run with code 3 and leave nothing behind") {
  write_series(folder);
  const Environment fake("GAIA_HDF5_READER", fake_reader(folder, "kill -SEGV $$"));
  for (const char* verb : {"run", "check"}) {
    const Finished refused = gaia_command(folder, {verb, "e.yaml"});
    CHECK(refused.code == 3);
    CHECK_SAYS(refused.err, "x.h5: damaged or hostile (reader crashed: signal 11)");
  }
  CHECK_FALSE(std::filesystem::exists(folder.path("results")));
  // Data that are trusted need no reader.
  CHECK(gaia_command(folder, {"run", "e.yaml", "-q", "--set", "data.trusted=true"}).code == 0);
}

FOLDER_TEST_CASE("data give the same results whether they are trusted or not") {
  write_series(folder);
  CHECK(gaia_command(folder, {"run", "e.yaml", "-q", "--output", "a.h5"}).code == 0);
  CHECK(gaia_command(folder,
                     {"run", "e.yaml", "-q", "--output", "b.h5", "--set", "data.trusted=true"})
            .code == 0);
  const auto weights = [&](const char* name) {
    return hdf5::File::open(folder.path(name))
        .open_dataset("/levels/0/layers/0/weights")
        .read<float>();
  };
  CHECK(weights("a.h5") == weights("b.h5"));
}

FOLDER_TEST_CASE("a result of others is inspected by a process of its own") {
  REQUIRE(run(folder, {"-q"}).code == 0);
  const std::string result = "results/minimal.h5";
  CHECK(gaia_command(folder, {"inspect", result}).code == 0);
  const Environment fake("GAIA_HDF5_READER", fake_reader(folder, "kill -BUS $$"));
  const Finished refused = gaia_command(folder, {"inspect", result});
  CHECK(refused.code == 3);
  CHECK_SAYS(refused.err, "damaged or hostile (reader crashed: signal 7)");
}

FOLDER_TEST_CASE("what a result says of itself cannot steer a terminal or break JSON") {
  REQUIRE(run(folder, {"-q"}).code == 0);
  const std::string result = folder.path("results/minimal.h5");
  {
    hdf5::File file = hdf5::File::modify(result);
    file.set_attribute("hostname", "a\x1b[2J\x07\nstatus  forged\xc2\x9b[2J");
    file.set_attribute("not_utf8", "\xff\xfe");
    file.set_attribute("evil\x1b]0;name", "b");
    // A readout without its scores, and datasets with names of the same kind.
    file.create_group("readouts").create_group("half\x1b[31m");
    file.create_dataset("c\x1b[1m\n", {.shape = {2}}).set_attribute("long_name", "\x1b[0m\xff");
    file.close();
  }
  const Finished shown = gaia_command(folder, {"inspect", result});
  CHECK(shown.code == 0);
  CHECK_FALSE(steers_terminal(shown.out));
  CHECK_SAYS(shown.out, "a?[2J? status  forged?[2J",
             "readout half?[31m: not defined: it has no score");
  const Finished json = gaia_command(folder, {"inspect", "--json", result});
  CHECK(json.code == 0);
  CHECK_FALSE(steers_terminal(json.out));
  CHECK(nlohmann::json::parse(json.out)["attributes"]["hostname"] ==
        "a\x1b[2J\x07\nstatus  forged\xc2\x9b[2J");
}

FOLDER_TEST_CASE("results without what every result has are refused") {
  {
    hdf5::File file = hdf5::File::create(folder.path("a.h5"));
    file.set_attribute("schema_version", std::int64_t{1});
    file.close();
  }
  const Finished refused = gaia_command(folder, {"inspect", "a.h5"});
  CHECK(refused.code == 3);
  CHECK_SAYS(refused.err, "expected a number /status/committed_steps");
}

FOLDER_TEST_CASE("results of another layout are refused by all that read results") {
  REQUIRE(gaia::test::run(folder, {"-q", "--output", "a.h5"}).code == 0);
  {
    hdf5::File file = hdf5::File::modify(folder.path("a.h5"));
    file.set_attribute("schema_version", std::int64_t{2});
    file.close();
  }
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"inspect", "a.h5"},
                                             {"report", "a.h5"},
                                             {"replay", "a.h5"},
                                             {"resume", "a.h5"},
                                             {"apply", "a.h5", "d.csv"}}) {
    const Finished refused = gaia_command(folder, arguments);
    CHECK(refused.code == 3);
    CHECK_SAYS(refused.err, "a.h5: expected schema_version 1, got 2");
  }
}

FOLDER_TEST_CASE("file names cannot steer a terminal") {
  const std::string name = "e\x1b[31m\xff.yaml";
  folder.write(name, gaia::test::kMinimal);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"check", name},
                                             {"check", "--json", name},
                                             {"run", name},
                                             {"run", "none" + name},
                                             {"inspect", name},
                                             {"check", "--explain", name},
                                             {"info", name}}) {
    const Finished done = gaia_command(folder, arguments);
    INFO(done.out << done.err);
    CHECK(done.code != 70);
    CHECK_FALSE(steers_terminal(done.out));
    CHECK_FALSE(steers_terminal(done.err));
  }
}
