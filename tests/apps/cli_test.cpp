// SPDX-License-Identifier: MIT
/// \file
/// The command line as its users meet it: what a run prints, where, and its exit codes.
#include <filesystem>

#include "../../src/io/hdf5.h"
#include "../support/catch.h"
#include "minimal_run.h"

using namespace gaia;
using namespace gaia::test;
using Catch::Matchers::StartsWith;

FOLDER_TEST_CASE("a run tells what it does on stderr, and nothing on stdout") {
  const Finished done = run(folder);
  CHECK(done.code == 0);
  CHECK(done.out.empty());
  for (const char* text :
       {"gaia 0.", "config   e.yaml  minimal, seed 0, float32",
        "data     gaussian  300 rows x 3 channels",
        "model    hebbian oja 2 @1 | reactive tanh 4 > hebbian bcm 2 @3", "100 %  300/300 steps",
        "level  resolution", "done     300 of 300 steps", "file     results/minimal.h5",
        "next     gaia report results/minimal.h5"}) {
    CHECK_SAYS(done.err, text);
  }
  CHECK(done.err.find('\r') == std::string::npos);
  CHECK(exists(folder.path("results/minimal.h5")));
}

FOLDER_TEST_CASE("a quiet run says nothing") {
  const Finished done = run(folder, {"--quiet"});
  CHECK(done.code == 0);
  CHECK(done.err.empty());
}

FOLDER_TEST_CASE("a bar is drawn when it is asked for") {
  CHECK_SAYS(run(folder, {"--progress", "bar"}).err, "\r[####");
}

FOLDER_TEST_CASE("wrong usage ends with code 2 and says what is wrong") {
  folder.write("e.yaml", kMinimal);
  const std::vector<std::vector<std::string>> usages = {
      {},
      {"rum", "e.yaml"},
      {"run"},
      {"run", "e.yaml", "--no-such-option"},
      {"run", "e.yaml", "--threads", "-1"},
      {"run", "e.yaml", "--progress", "dots"},
      {"run", "e.yaml", "--max-time", "soon"},
      {"run", "e.yaml", "--max-time", "0"},
      {"run", "e.yaml", "--max-time", ""},
      {"run", "e.yaml", "--quiet", "-v"},
      {"run", "none.yaml"},
      {"run", "e.yaml", "--set", "data.steps"},
      {"run", "e.yaml", "--set", "data.steps=0"},
      {"run", "e.yaml", "--device", "abacus"},
      {"reproduce"},
      {"reproduce", "no_such_row"},
      {"reproduce", "e.yaml"},
      {"reproduce", "oja_component", "--seeds", "1"},
      {"replay", "r.h5"},
      {"replay", "r.h5", "--against", "s.h5", "--device", "cpu"},
      {"resume", "r.h5"},
      {"inspect", "none.h5"},
      {"check", "none.yaml", "--explain"},
      {"check", "e.yaml", "--explain", "--json"},
      {"info", "--seed", "3"},
      {"check", "e.yaml", "none.yaml"},
  };
  for (const auto& arguments : usages) {
    INFO(Catch::StringMaker<std::vector<std::string>>::convert(arguments));
    const Finished done = gaia_command(folder, arguments);
    CHECK(done.code == 2);
    CHECK_FALSE(done.err.empty());
  }
  CHECK_FALSE(exists(folder.path("results")));
}

FOLDER_TEST_CASE("numbers out of range are told with their bound") {
  folder.write("e.yaml", kMinimal);
  for (const auto& [arguments, expected] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"apply", "r.h5", "d.csv", "--steps", "0"},
            "--steps: expected an integer >= 1, got '0'\n"},
           {{"sweep", "e.yaml", "--member", "-1"},
            "--member: expected an integer >= 0, got '-1'\n"},
           {{"sweep", "e.yaml", "--member", "x"}, "--member: expected an integer >= 0, got 'x'\n"},
           {{"run", "e.yaml", "--seed", "-1"}, "seed: expected an integer >= 0, got '-1'\n"},
           {{"run", "e.yaml", "--seed", "18446744073709551616"},
            "seed: expected an integer from 0 to 9223372036854775807, got "
            "'18446744073709551616'\n"},
           {{"run", "e.yaml", "--seed", "1e3"}, "got '1e3'; write 1000\n"},
           {{"sweep", "e.yaml", "--member", "18446744073709551616"},
            "--member: expected an integer from 0 to 9223372036854775807, got"}}) {
    const Finished done = gaia_command(folder, arguments);
    CHECK(done.code == 2);
    CHECK_SAYS(done.err, expected);
  }
}

FOLDER_TEST_CASE("a mistyped command is told with the one that was meant") {
  const Finished done = gaia_command(folder, {"rnu", "e.yaml"});
  CHECK(done.code == 2);
  CHECK_SAYS(done.err, "no command 'rnu' (did you mean 'run'?); known: run, ");
  CHECK_SAYS(gaia_command(folder, {"insepct", "r.h5"}).err, "(did you mean 'inspect'?)");
}

FOLDER_TEST_CASE("errors of a file are printed with place, line and suggestion") {
  std::string text = kMinimal;
  text.replace(text.find("rule: bcm"), 9, "rule: bmc");
  folder.write("e.yaml", text);
  const Finished done = gaia_command(folder, {"run", "e.yaml"});
  CHECK(done.code == 2);
  CHECK_THAT(done.err,
             StartsWith("e.yaml:11:42: hierarchy.levels[1].layers[1].rule: unknown rule 'bmc' "
                        "(did you mean 'bcm'?); known: hebbian, oja, bcm, sanger, oja_subspace, "));
  const std::string below =
      "\n"
      "   11 |         - {type: hebbian, size: 2, rule: bmc, learning_rate: 0.001, normalization: "
      "l2}\n"
      "      |                                          ^\n"
      "1 error, nothing was run\n";
  CHECK(done.err.substr(done.err.find('\n')) == below);
}

FOLDER_TEST_CASE("data that cannot be used ends with code 3") {
  std::string text = kMinimal;
  text.replace(text.find("source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 300"),
               68, "source: file, path: d.csv");
  folder.write("e.yaml", text);
  folder.write("d.csv", "x\n1\n2\n\n4\n5\n");
  const Finished done = gaia_command(folder, {"run", "e.yaml"});
  CHECK(done.code == 3);
  CHECK_SAYS(done.err, "d.csv");
  folder.write("not.h5", "text");
  CHECK(gaia_command(folder, {"inspect", "not.h5"}).code == 3);
}

FOLDER_TEST_CASE("an experiment in place of a result is told as that") {
  folder.write("e.yaml", kMinimal);
  folder.write("d.csv", "x\n1\n");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"inspect", "e.yaml"},
                                             {"report", "e.yaml"},
                                             {"replay", "e.yaml"},
                                             {"resume", "e.yaml"},
                                             {"recover", "e.yaml"},
                                             {"apply", "e.yaml", "d.csv"}}) {
    const Finished done = gaia_command(folder, arguments);
    INFO(arguments.front());
    CHECK(done.code == 3);
    CHECK_SAYS(done.err, "e.yaml: cannot open (HDF5: ",
               "expected a result, which is an HDF5 file, got the name of an experiment, which "
               "`gaia run`");
  }
}

FOLDER_TEST_CASE("an output that exists or cannot be written ends with code 4 and loses nothing") {
  CHECK(run(folder).code == 0);
  const std::string before = file_text(folder.path("results/minimal.h5"));
  const Finished second = run(folder);
  CHECK(second.code == 4);
  CHECK_SAYS(second.err, "results/minimal.h5 exists; use --overwrite");
  CHECK(file_text(folder.path("results/minimal.h5")) == before);
  CHECK(run(folder, {"--overwrite", "--seed", "3"}).code == 0);
  CHECK(file_text(folder.path("results/minimal.h5")) != before);
  folder.write("file", "");
  CHECK(run(folder, {"--output", "file/r.h5"}).code == 4);
  if (exists("/proc/self")) CHECK(run(folder, {"--output", "/proc/self/r.h5"}).code == 4);
}

FOLDER_TEST_CASE("a device that is not there ends with code 6 and the reason") {
  const Finished done = run(folder, {"--device", "cuda:7"});
  CHECK(done.code == 6);
  CHECK_SAYS(done.err, "'cuda:7' cannot be used");
  CHECK_FALSE(exists(folder.path("results/minimal.h5.partial")));
}

FOLDER_TEST_CASE("weights that grow without bound end with code 8") {
  const Finished done =
      run(folder, {"--set", "hierarchy.levels[0].layers[0].rule=hebbian", "--set",
                   "hierarchy.levels[0].layers[0].learning_rate=10", "--set", "data.steps=3000"});
  CHECK(done.code == 8);
  CHECK_SAYS(done.err, "level 0, layer 0 (hebbian [2, 3]) at step");
}

FOLDER_TEST_CASE(
    "streams that cannot be written harm no run, and answers that cannot be given end with 4") {
  folder.write("e.yaml", kMinimal);
  CHECK(shell(folder, "run e.yaml --output full.h5 2>/dev/full") == 0);
  CHECK(exists(folder.path("full.h5")));
  CHECK(shell(folder, "run e.yaml --output closed.h5 2>&- >&- <&-") == 0);
  CHECK(hdf5::File::open(folder.path("closed.h5")).text_attribute("status") == "complete");
  CHECK(shell(folder, "run missing.yaml 2>/dev/full") == 2);
  CHECK(shell(folder, "schema >/dev/full 2>/dev/null") == 4);
  CHECK(shell(folder, "info >&- 2>/dev/null") == 0);
}

FOLDER_TEST_CASE("a reader that has had enough ends no command with an error") {
  run(folder);
  const auto code = [&](const std::string& arguments) {
    return shell(folder, arguments + " 2>err.txt; } | true", "set -o pipefail && { sleep 0.2");
  };
  for (const char* verb : {"schema", "info", "version", "check e.yaml", "check e.yaml --json",
                           "inspect results/minimal.h5", "inspect results/minimal.h5 --json"}) {
    INFO(verb);
    CHECK(code(verb) == 0);
    CHECK(file_text(folder.path("err.txt")).find("written") == std::string::npos);
  }
  // What is wrong is reported all the same.
  folder.write("bad.yaml", "experiment: x\n");
  CHECK(code("check e.yaml bad.yaml") == 2);
  CHECK_SAYS(file_text(folder.path("err.txt")), "bad.yaml");
}

FOLDER_TEST_CASE("results never replace the data that are read") {
  REQUIRE(run(folder, {"--output", "data.h5", "--set", "output.inputs=all"}).code == 0);
  folder.write("f.yaml",
               "experiment: f\n"
               "data: {source: file, path: data.h5, dataset: /data/samples}\n"
               "hierarchy: {levels: [{layers: [{type: hebbian, size: 2, rule: oja}]}]}\n");
  const std::string before = file_text(folder.path("data.h5"));
  std::filesystem::create_symlink("data.h5", folder.path("link.h5"));
  for (const char* output : {"data.h5", "./data.h5", "link.h5", "none/../data.h5"}) {
    const Finished done =
        gaia_command(folder, {"run", "f.yaml", "--overwrite", "--output", output});
    CHECK(done.code == 2);
    CHECK_SAYS(done.err, "is the data that is read");
  }
  CHECK(file_text(folder.path("data.h5")) == before);
}

FOLDER_TEST_CASE(
    "the working directory is never changed and paths are relative to what they belong to") {
  std::filesystem::create_directories(folder.path("deep/er"));
  folder.write("deep/d.csv", "x\n1\n2\n3\n5\n8\n");
  std::string text = kMinimal;
  text.replace(text.find("source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 300"),
               68, "source: file, path: ../d.csv");
  folder.write("deep/er/e.yaml", text);
  CHECK(gaia_command(folder, {"run", "deep/er/e.yaml"}).code == 0);
  CHECK(exists(folder.path("results/minimal.h5")));
}

FOLDER_TEST_CASE(
    "a pattern that no file fits names the folder, also of an experiment that lies here") {
  folder.write("e.yaml",
               "experiment: e\n"
               "data: {source: file, path: 'nope*.csv'}\n"
               "hierarchy: {levels: [{layers: [{type: hebbian, size: 1}]}]}\n");
  const Finished done = gaia_command(folder, {"check", "e.yaml"});
  CHECK(done.code == 2);
  const std::string here = std::filesystem::weakly_canonical(folder.path("")).string();
  CHECK_SAYS(done.err, "no file fits 'nope*.csv'; looked from " + here);
}
