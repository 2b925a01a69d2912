// SPDX-License-Identifier: MIT
/// \file
/// The command line as its users meet it: what it prints, where, and its exit codes.
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../../src/array/device.h"
#include "../../src/io/hdf5.h"
#include "../experiment/minimal.h"
#include "../support/catch.h"
#include "../support/environment.h"
#include "command.h"

using namespace gaia;
using Catch::Matchers::ContainsSubstring;
using gaia::test::Finished;
using gaia::test::gaia_command;
using gaia::test::kMinimal;
using gaia::test::Running;
using gaia::test::TempDir;

namespace {

bool exists(const std::string& path) { return std::filesystem::exists(path); }

/// Runs the minimal experiment with further arguments.
Finished run(const TempDir& folder, std::vector<std::string> arguments = {}) {
  folder.write("e.yaml", kMinimal);
  arguments.insert(arguments.begin(), {"run", "e.yaml"});
  return gaia_command(folder, arguments);
}

/// Exit code of the command within a shell, whose redirections and limits it meets.
int shell(const TempDir& folder, const std::string& arguments, const std::string& before = "true") {
  const std::string line =
      "cd '" + folder.path("") + "' && " + before + " && exec " GAIA_COMMAND " " + arguments;
  const int status = std::system(("bash -c \"" + line + "\"").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Settings that make the minimal experiment take minutes.
const std::vector<std::string> kLong = {"--set", "data.steps=200000000", "--set",
                                        "output.representations={every: 1000}"};

std::int64_t committed(const std::string& file) {
  return hdf5::File::open(file)
      .open_dataset("/status/committed_steps")
      .read<std::int64_t>()
      .front();
}

}  // namespace

TEST_CASE("a run tells what it does on stderr, and nothing on stdout") {
  const TempDir folder;
  const Finished done = run(folder);
  CHECK(done.code == 0);
  CHECK(done.out.empty());
  for (const char* text :
       {"gaia 0.", "config   e.yaml  minimal, seed 0, float32",
        "data     gaussian  300 rows x 3 channels",
        "model    hebbian oja 2 @1 | reactive tanh 4 > hebbian bcm 2 @3", "100 %  300/300 steps",
        "level  resolution", "done     300 of 300 steps", "file     results/minimal.h5",
        "next     gaia inspect results/minimal.h5"}) {
    CHECK_THAT(done.err, ContainsSubstring(text));
  }
  CHECK(done.err.find('\r') == std::string::npos);
  CHECK(exists(folder.path("results/minimal.h5")));
}

TEST_CASE("a quiet run says nothing") {
  const TempDir folder;
  const Finished done = run(folder, {"--quiet"});
  CHECK(done.code == 0);
  CHECK(done.err.empty());
}

TEST_CASE("a bar is drawn when it is asked for") {
  const TempDir folder;
  CHECK_THAT(run(folder, {"--progress", "bar"}).err, ContainsSubstring("\r[####"));
}

TEST_CASE("wrong usage ends with code 2 and says what is wrong") {
  const TempDir folder;
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
      {"run", "e.yaml", "--quiet", "-v"},
      {"run", "none.yaml"},
      {"run", "e.yaml", "--set", "data.steps"},
      {"run", "e.yaml", "--set", "data.steps=0"},
      {"run", "e.yaml", "--device", "abacus"},
      {"resume", "r.h5"},
      {"inspect", "none.h5"},
      {"info", "--explain", "none.yaml"},
      {"info", "--explain", "e.yaml", "--json"},
      {"info", "--calibrate", "--json"},
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

TEST_CASE("errors of a file are printed with place, line and suggestion") {
  const TempDir folder;
  std::string text = kMinimal;
  text.replace(text.find("rule: bcm"), 9, "rule: bmc");
  folder.write("e.yaml", text);
  const Finished done = gaia_command(folder, {"run", "e.yaml"});
  CHECK(done.code == 2);
  CHECK(
      done.err ==
      "e.yaml:11:42: hierarchy.levels[1].layers[1].rule: unknown rule 'bmc' (did you mean 'bcm'?); "
      "known: hebbian, oja, bcm, sanger, oja_subspace\n"
      "   11 |         - {type: hebbian, size: 2, rule: bmc, learning_rate: 0.001, normalization: "
      "l2}\n"
      "      |                                          ^\n"
      "1 error, nothing was run\n");
}

TEST_CASE("data that cannot be used ends with code 3") {
  const TempDir folder;
  std::string text = kMinimal;
  text.replace(text.find("source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 300"),
               68, "source: file, path: d.csv");
  folder.write("e.yaml", text);
  folder.write("d.csv", "x\n1\n2\n\n4\n5\n");
  const Finished done = gaia_command(folder, {"run", "e.yaml"});
  CHECK(done.code == 3);
  CHECK_THAT(done.err, ContainsSubstring("d.csv"));
  folder.write("not.h5", "text");
  CHECK(gaia_command(folder, {"inspect", "not.h5"}).code == 3);
}

TEST_CASE("an output that exists or cannot be written ends with code 4 and loses nothing") {
  const TempDir folder;
  CHECK(run(folder).code == 0);
  const std::string before = Running::content(folder.path("results/minimal.h5"));
  const Finished second = run(folder);
  CHECK(second.code == 4);
  CHECK_THAT(second.err, ContainsSubstring("results/minimal.h5 exists; use --overwrite"));
  CHECK(Running::content(folder.path("results/minimal.h5")) == before);
  CHECK(run(folder, {"--overwrite", "--seed", "3"}).code == 0);
  CHECK(Running::content(folder.path("results/minimal.h5")) != before);
  folder.write("file", "");
  CHECK(run(folder, {"--output", "file/r.h5"}).code == 4);
  if (exists("/proc/self")) CHECK(run(folder, {"--output", "/proc/self/r.h5"}).code == 4);
}

TEST_CASE("a device that is not there ends with code 6 and the reason") {
  const TempDir folder;
  const Finished done = run(folder, {"--device", "cuda:7"});
  CHECK(done.code == 6);
  CHECK_THAT(done.err, ContainsSubstring("'cuda:7' cannot be used"));
  CHECK_FALSE(exists(folder.path("results/minimal.h5.partial")));
}

TEST_CASE("weights that grow without bound end with code 8") {
  const TempDir folder;
  const Finished done =
      run(folder, {"--set", "hierarchy.levels[0].layers[0].rule=hebbian", "--set",
                   "hierarchy.levels[0].layers[0].learning_rate=10", "--set", "data.steps=3000"});
  CHECK(done.code == 8);
  CHECK_THAT(done.err, ContainsSubstring("level 0, layer 0 (hebbian [2, 3]) at step"));
}

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
    CHECK_THAT(refused.err, ContainsSubstring("is being written by another run (process "));
    running.signal(number);
    const Finished done = running.wait();
    CHECK(done.code == 75);
    CHECK_THAT(done.err, ContainsSubstring("stopped  "));
    const hdf5::File file = hdf5::File::open(partial);
    CHECK(file.text_attribute("status") == "interrupted");
    CHECK(*file.integer_attribute("steps_done") == committed(partial));
    CHECK_FALSE(exists(folder.path("results/minimal.h5")));
    CHECK_FALSE(exists(folder.path("results/minimal.h5.lock")));
  }
}

TEST_CASE("a time limit ends a run with code 75") {
  const TempDir folder;
  std::vector<std::string> arguments = kLong;
  arguments.insert(arguments.end(), {"--max-time", "0.2s"});
  CHECK(run(folder, arguments).code == 75);
  CHECK(exists(folder.path("results/minimal.h5.partial")));
}

TEST_CASE("a killed run loses nothing that was committed") {
  const TempDir folder;
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

TEST_CASE("check tells the resolved configuration, sizes and needs, and runs nothing") {
  const TempDir folder;
  folder.write("e.yaml", kMinimal);
  const Finished done = gaia_command(folder, {"check", "e.yaml", "--set", "data.steps=1000"});
  CHECK(done.code == 0);
  for (const char* text :
       {"# e.yaml: can be run", "steps: 1000", "learning_rate: 0.01", "tau: 50.0", "memory   about",
        "disk     at most about", "time     about"}) {
    CHECK_THAT(done.out, ContainsSubstring(text));
  }
  CHECK_FALSE(exists(folder.path("results")));
  // What check prints can be run.
  folder.write("resolved.yaml", done.out.substr(0, done.out.find("\ndata     ")));
  CHECK(gaia_command(folder, {"run", "resolved.yaml"}).code == 0);

  const Finished json = gaia_command(folder, {"check", "e.yaml", "--json"});
  const auto parsed = nlohmann::json::parse(json.out);
  CHECK(parsed[0]["steps"] == 300);
  CHECK(parsed[0]["levels"][1]["input_size"] == 2);
}

TEST_CASE("check goes through all files and ends with the worst") {
  const TempDir folder;
  folder.write("good.yaml", kMinimal);
  folder.write("bad.yaml", "experiment: x\n");
  const Finished done = gaia_command(folder, {"check", "bad.yaml", "good.yaml"});
  CHECK(done.code == 2);
  CHECK_THAT(done.err, ContainsSubstring("bad.yaml:1:1: data: missing"));
  CHECK_THAT(done.out, ContainsSubstring("# good.yaml: can be run"));
}

TEST_CASE("inspect shows what is inside, as a table or as JSON") {
  const TempDir folder;
  run(folder);
  const Finished table = gaia_command(folder, {"inspect", "results/minimal.h5"});
  CHECK(table.code == 0);
  CHECK_THAT(table.out, ContainsSubstring("status           complete"));
  CHECK_THAT(table.out, ContainsSubstring("/levels/1/representation"));
  CHECK_THAT(table.out, ContainsSubstring("[step 100, neuron 2]"));
  const Finished json = gaia_command(folder, {"inspect", "results/minimal.h5", "--json"});
  const auto parsed = nlohmann::json::parse(json.out);
  CHECK(parsed["attributes"]["steps"] == 300);
  CHECK(parsed["committed_steps"] == 300);
  CHECK(parsed["datasets"].size() > 20);
}

TEST_CASE(
    "streams that cannot be written harm no run, and answers that cannot be given end with 4") {
  const TempDir folder;
  folder.write("e.yaml", kMinimal);
  CHECK(shell(folder, "run e.yaml --output full.h5 2>/dev/full") == 0);
  CHECK(exists(folder.path("full.h5")));
  CHECK(shell(folder, "run e.yaml --output closed.h5 2>&- >&- <&-") == 0);
  CHECK(hdf5::File::open(folder.path("closed.h5")).text_attribute("status") == "complete");
  CHECK(shell(folder, "run missing.yaml 2>/dev/full") == 2);
  CHECK(shell(folder, "schema >/dev/full 2>/dev/null") == 4);
  CHECK(shell(folder, "info >&- 2>/dev/null") == 0);
}

TEST_CASE("a disk that fills up ends a run with code 4, what was committed readable") {
  const TempDir folder;
  folder.write("e.yaml", kMinimal);
  // A limit on the size of files is met as a full disk is: by a write that fails.
  for (const int kilobytes : {8, 40, 100, 300, 600}) {
    const std::string name = "r" + std::to_string(kilobytes) + ".h5";
    INFO(name);
    CHECK(shell(folder,
                "run e.yaml -q --set data.steps=40000 --set output.compression=0 --output " + name +
                    " 2>err.txt",
                "ulimit -f " + std::to_string(kilobytes)) == 4);
    CHECK_THAT(Running::content(folder.path("err.txt")), ContainsSubstring(name));
    CHECK_FALSE(exists(folder.path(name)));
  }
  CHECK(committed(folder.path("r600.h5.partial")) > 0);
}

TEST_CASE("results never replace the data that are read") {
  const TempDir folder;
  REQUIRE(run(folder, {"--output", "data.h5", "--set", "output.inputs=all"}).code == 0);
  folder.write("f.yaml",
               "experiment: f\n"
               "data: {source: file, path: data.h5, dataset: /data/samples}\n"
               "hierarchy: {levels: [{layers: [{type: hebbian, size: 2, rule: oja}]}]}\n");
  const std::string before = Running::content(folder.path("data.h5"));
  std::filesystem::create_symlink("data.h5", folder.path("link.h5"));
  for (const char* output : {"data.h5", "./data.h5", "link.h5"}) {
    const Finished done =
        gaia_command(folder, {"run", "f.yaml", "--overwrite", "--output", output});
    CHECK(done.code == 2);
    CHECK_THAT(done.err, ContainsSubstring("is the data that is read"));
  }
  CHECK(Running::content(folder.path("data.h5")) == before);
}

TEST_CASE("info, version and schema answer on stdout") {
  const TempDir folder;
  const Finished version = gaia_command(folder, {"version"});
  CHECK(version.code == 0);
  CHECK_THAT(version.out, ContainsSubstring("gaia 0."));
  const Finished info = gaia_command(folder, {"info"});
  CHECK_THAT(info.out, ContainsSubstring("device     cpu: "));
  CHECK_THAT(info.out, ContainsSubstring("library    HDF5 1."));
  CHECK_THAT(info.out, ContainsSubstring("library    yaml-cpp 0."));
  CHECK(nlohmann::json::parse(
            gaia_command(folder, {"info", "--json"}).out)["devices"][0]["device"] == "cpu");
  CHECK(nlohmann::json::parse(gaia_command(folder, {"schema"}).out)["title"] == "gaia experiment");
  const Finished help = gaia_command(folder, {"--help"});
  CHECK(help.code == 0);
  for (const char* verb : {"run", "check", "inspect", "info", "schema", "version"}) {
    CHECK_THAT(help.out, ContainsSubstring(verb));
  }
}

TEST_CASE("info --explain shows what an experiment takes here, and measures at most once") {
  const TempDir folder;
  const gaia::test::Environment cache("XDG_CACHE_HOME", folder.path("cache"));
  folder.write("e.yaml", kMinimal);
  const Finished first = gaia_command(folder, {"info", "--explain", "e.yaml"});
  INFO(first.err);
  CHECK(first.code == 0);
  for (const char* text : {"work  minimal: a hierarchy over 300 steps", "level 0 layer 0: plastic",
                           "in all", "rates of cpu (", "passes", "device  "}) {
    CHECK_THAT(first.out, ContainsSubstring(text));
  }
  CHECK_THAT(first.err, ContainsSubstring("measuring how fast cpu"));
  CHECK(exists(folder.path("cache/gaia/rates.json")));
  const Finished second =
      gaia_command(folder, {"info", "--explain", "e.yaml", "--set", "data.steps=1000"});
  CHECK(second.code == 0);
  CHECK_THAT(second.out, ContainsSubstring("over 1 000 steps"));
  CHECK(second.err.empty());

  const Finished anew = gaia_command(folder, {"info", "--calibrate"});
  CHECK(anew.code == 0);
  CHECK_THAT(anew.out,
             ContainsSubstring("rates of cpu (") && ContainsSubstring("float64/stepwise"));
  CHECK_THAT(anew.err, ContainsSubstring("measuring how fast cpu"));
  CHECK_FALSE(exists(folder.path("results")));
}

TEST_CASE("without a GPU nothing is measured to run, and explain says why there is none") {
  if (is_available(Device::cuda(0))) GAIA_SKIP("there is a CUDA device");
  const TempDir folder;
  const gaia::test::Environment cache("XDG_CACHE_HOME", folder.path("cache"));
  const Finished done = run(folder);
  CHECK(done.code == 0);
  CHECK_THAT(done.err, ContainsSubstring("device auto: CPU (" + why_no_cuda() + ")"));
  CHECK_THAT(gaia_command(folder, {"check", "e.yaml"}).out,
             ContainsSubstring("device   cpu (" + why_no_cuda() + ")"));
  CHECK_FALSE(exists(folder.path("cache")));
  CHECK_THAT(gaia_command(folder, {"info", "--explain", "e.yaml"}).out,
             ContainsSubstring("device  cpu (" + why_no_cuda() + ")"));
}

TEST_CASE("the working directory is never changed and paths are relative to what they belong to") {
  const TempDir folder;
  std::filesystem::create_directories(folder.path("deep/er"));
  folder.write("deep/d.csv", "x\n1\n2\n3\n5\n8\n");
  std::string text = kMinimal;
  text.replace(text.find("source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 300"),
               68, "source: file, path: ../d.csv");
  folder.write("deep/er/e.yaml", text);
  CHECK(gaia_command(folder, {"run", "deep/er/e.yaml"}).code == 0);
  CHECK(exists(folder.path("results/minimal.h5")));
}
