// SPDX-License-Identifier: MIT
/// \file
/// gaia sweep: dealing, dying, going on, collecting.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../support/catch.h"
#include "../support/datasets.h"
#include "minimal_run.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::string kRate = "hierarchy.levels[0].layers[0].learning_rate";

/// Six members, and a readout that scores them.
const std::string kSix = kMinimal +
                         "readouts:\n"
                         "  - {name: now, target: {channel: 0, horizon: 1}, levels: [0, 1]}\n"
                         "sweep:\n"
                         "  " +
                         kRate +
                         ": [0.001, 0.01, 0.02]\n"
                         "  seeds: 2\n";

/// The same under settings that let a member run for minutes.
const std::string kEndless = kMinimal +
                             "output: {representations: {every: 1000}}\n"
                             "sweep:\n"
                             "  data.steps: [300, 200000000]\n"
                             "  seeds: 2\n";

std::string member(const std::string& folder, int number) {
  return folder + "/member-0000" + std::to_string(number) + ".h5";
}

/// The members of a folder that differ from those of another.
std::string differences(const TempDir& folder, const std::string& a, const std::string& b,
                        int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string found =
        difference(datasets_of(folder.path(member(a, i))), datasets_of(folder.path(member(b, i))));
    if (!found.empty()) text += "member " + std::to_string(i) + ": " + found + "\n";
  }
  return text;
}

/// The process that holds a member, once there is one.
int process_of(const TempDir& folder, const std::string& result) {
  int process = 0;
  Running::until([&] {
    const std::string text = file_text(folder.path(result + ".lock"));
    return std::sscanf(text.c_str(), "process %d", &process) == 1 &&
           exists(folder.path(result + ".partial"));
  });
  return process;
}

}  // namespace

FOLDER_TEST_CASE("a sweep leaves one file for each member, an index and a table") {
  folder.write("e.yaml", kSix);
  const Finished done = sweep(folder, {});
  INFO(done.err);
  REQUIRE(done.code == 0);
  CHECK_SAYS(done.out, "members  6 of 6 complete\nbest     now_nrmse ");
  CHECK_SAYS(done.err, "6 members over " + kRate + ", seed\n",
             "  6/6  done  learning_rate 0.02, seed 1  now_nrmse ", "done     6 members run\n");
  for (const char* name : {"index.h5", "members.csv"}) {
    CHECK(exists(folder.path(std::string("results/minimal/") + name)));
  }
  const hdf5::File file = hdf5::File::open(folder.path(member("results/minimal", 3)));
  CHECK(file.integer_attribute("seed") == 1);
  const hdf5::Group settings = file.open_group("sweep");
  CHECK(settings.integer_attribute("member") == 3);
  CHECK(settings.number_attribute(kRate) == 0.01);
  CHECK(settings.integer_attribute("seed") == 1);
  CHECK_SAYS(*file.text_attribute("config"), "learning_rate: 0.01");
  CHECK_SAYS(*file.text_attribute("command_line"), "--member 3");

  // A member is what `gaia run` makes of the same values.
  folder.write("one.yaml", kSix.substr(0, kSix.find("sweep:")));
  REQUIRE(gaia_command(folder, {"run", "one.yaml", "-q", "--set", kRate + "=0.01", "--seed", "1",
                                "--output", "one.h5"})
              .code == 0);
  CHECK(difference(datasets_of(folder.path("one.h5")),
                   datasets_of(folder.path(member("results/minimal", 3)))) == "");

  // Once more: nothing is run again.
  const auto written = std::filesystem::last_write_time(folder.path(member("results/minimal", 3)));
  const Finished again = sweep(folder, {"-q"});
  CHECK(again.code == 0);
  CHECK(again.out.empty());
  CHECK(again.err.empty());
  CHECK(std::filesystem::last_write_time(folder.path(member("results/minimal", 3))) == written);
  std::filesystem::remove(folder.path(member("results/minimal", 3)));
  CHECK_SAYS(sweep(folder, {}).err, "to run   1 (5 complete already), 1 at a time");
}

FOLDER_TEST_CASE("members are the same however they are dealt") {
  folder.write("e.yaml", kSix);
  REQUIRE(sweep(folder, {"--output", "one", "-q"}).code == 0);
  for (const char* jobs : {"2", "4"}) {
    REQUIRE(sweep(folder, {"--output", std::string("jobs") + jobs, "-q", "--jobs", jobs}).code ==
            0);
    CHECK(differences(folder, "one", std::string("jobs") + jobs, 6) == "");
  }
  for (const int shards : {2, 4}) {
    const std::string output = "shards" + std::to_string(shards);
    for (int i = 0; i < shards; ++i) {
      const Finished done = sweep(folder, {"--output", output, "--shard",
                                           std::to_string(i) + "/" + std::to_string(shards)});
      REQUIRE(done.code == 0);
      CHECK_SAYS(done.err, "share    " + std::to_string(i) + " of ");
      CHECK(done.out.empty());
    }
    CHECK(differences(folder, "one", output, 6) == "");
    CHECK_FALSE(exists(folder.path(output + "/index.h5")));
    const Finished collected = sweep(folder, {"--output", output, "--collect"});
    CHECK(collected.code == 0);
    CHECK_SAYS(collected.out, "members  6 of 6 complete");
    CHECK(exists(folder.path(output + "/index.h5")));
  }
}

FOLDER_TEST_CASE("mpirun deals members by --shard auto") {
  if (std::system("command -v mpirun >/dev/null") != 0) GAIA_SKIP("there is no mpirun");
  folder.write("e.yaml", kSix);
  REQUIRE(sweep(folder, {"--output", "one", "-q"}).code == 0);
  for (const char* ranks : {"2", "4"}) {
    const std::string output = std::string("ranks") + ranks;
    const std::string line =
        "cd '" + folder.path("") +
        "' && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun "
        "--oversubscribe -n " +
        ranks + " " GAIA_COMMAND " sweep e.yaml --shard auto -q --output " + output +
        " >out.txt 2>&1";
    INFO(file_text(folder.path("out.txt")));
    REQUIRE(std::system(line.c_str()) == 0);
    CHECK(differences(folder, "one", output, 6) == "");
  }
}

FOLDER_TEST_CASE("a member that is killed harms no other, and is run again") {
  folder.write("e.yaml", kEndless);
  const Running running(folder, {"sweep", "e.yaml", "--jobs", "4", "--max-time", "300s"});
  for (const int number : {2, 3}) {
    const int process = process_of(folder, member("results/minimal", number));
    REQUIRE(process > 0);
    kill(process, SIGKILL);
  }
  const Finished done = running.wait();
  INFO(done.err);
  CHECK(done.code == 1);
  CHECK(exists(folder.path(member("results/minimal", 0))));
  CHECK(exists(folder.path(member("results/minimal", 1))));
  CHECK_SAYS(done.err, "     2   137  steps 200000000, seed 0: killed by signal 9",
             "done     2 members run, 2 failed\n");
  CHECK_SAYS(done.out, "members  2 of 4 complete");
  CHECK_SAYS(file_text(folder.path("results/minimal/members.csv")), "\n2,unfinished,200000000,0,");
}

FOLDER_TEST_CASE("a member that diverges or has no data is told of with its reason") {
  folder.write("e.yaml", kMinimal + "sweep:\n  " + kRate + ": [0.01, 900000.0]\n");
  const Finished done = sweep(folder, {"--jobs", "2"});
  CHECK(done.code == 1);
  CHECK_SAYS(done.err, "     1     8  learning_rate 900000.0: ");
  CHECK_SAYS(file_text(folder.path("results/minimal/members.csv")), "\n1,failed,900000.0,");
  // The reason, with level, layer, step and way out, stands in every place where people look.
  const std::string reason = "NaN or Inf in the ";
  CHECK_SAYS(done.out, "failed   member 1 (", reason, "level 0, layer 0",
             "learning_rate 900000.0: ");
  CHECK_SAYS(file_text(folder.path("results/minimal/members.csv")), reason);
  REQUIRE(gaia_command(folder, {"report", "results/minimal", "--output", "why.html"}).code == 0);
  CHECK_SAYS(file_text(folder.path("why.html")),
             "a member failed, and is left out: member-00001.h5.partial: ", reason);
  // It is tried again by the same command, and the other is not.
  const Finished again = sweep(folder, {});
  CHECK(again.code == 1);
  CHECK_SAYS(again.err, "to run   1 (1 complete already)");
}

TEST_CASE("SIGTERM and SIGINT stop the members, and the same command goes on") {
  for (const int number : {SIGTERM, SIGINT}) {
    const TempDir folder;
    folder.write("e.yaml", kEndless);
    const Running running(folder, {"sweep", "e.yaml", "--jobs", "2"});
    REQUIRE(process_of(folder, member("results/minimal", 2)) > 0);
    REQUIRE(process_of(folder, member("results/minimal", 3)) > 0);
    running.signal(number);
    const Finished done = running.wait();
    INFO(done.err);
    CHECK(done.code == 75);
    CHECK_SAYS(done.err, "stopped  2 members run, 2 left: the same command goes on");
    for (const int cut : {2, 3}) {
      const hdf5::File file =
          hdf5::File::open(folder.path(member("results/minimal", cut) + ".partial"));
      CHECK(file.text_attribute("status") == "interrupted");
    }
    CHECK_FALSE(exists(folder.path("results/minimal/index.h5")));
    // The clock does the same; on a busy machine the members take most of the first times to start.
    const std::string partial = folder.path(member("results/minimal", 2) + ".partial");
    for (const char* time : {"1.5s", "5s", "20s"}) {
      const Finished again = sweep(folder, {"--jobs", "2", "--max-time", time});
      CHECK(again.code == 75);
      CHECK_SAYS(again.err, "to run   2 (2 complete already)");
      if (hdf5::File::open(partial).has_attribute("resumed_at")) break;
    }
    const hdf5::File file = hdf5::File::open(partial);
    CHECK(file.has_attribute("resumed_at"));
    CHECK(file.open_group("sweep").integer_attribute("data.steps") == 200000000);
    CHECK(file.open_group("sweep").integer_attribute("member") == 2);
  }
}

FOLDER_TEST_CASE("members that were cut come to the same numbers, and can be resumed by hand") {
  folder.write("e.yaml", kSix);
  const std::vector<std::string> settings = {
      "--set", "data.steps=400000", "--set", "output.representations={every: 100}", "--jobs", "2",
      "-q"};
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), settings.begin(), settings.end());
    return sweep(folder, arguments).code;
  };
  REQUIRE(with({"--output", "whole"}) == 0);
  int cuts = 0;
  // Longer each time: on a busy machine a member may take all of the first ones to start.
  const auto time = [&] { return std::to_string(0.2 * std::pow(1.03, cuts)) + "s"; };
  while (with({"--output", "cut", "--max-time", time()}) == 75 && cuts < 200) {
    ++cuts;
    if (cuts > 1) continue;
    for (int i = 0; i < 6; ++i) {
      const std::string partial = member("cut", i) + ".partial";
      if (!exists(folder.path(partial))) continue;
      CHECK(gaia_command(folder, {"resume", partial, "-q"}).code == 0);
      CHECK(
          hdf5::File::open(folder.path(member("cut", i))).open_group("sweep").has_attribute(kRate));
      break;
    }
  }
  CHECK(cuts > 0);
  CHECK(cuts < 200);
  CHECK(differences(folder, "whole", "cut", 6) == "");
}

FOLDER_TEST_CASE("when a sweep is killed its members stop by themselves") {
  folder.write("e.yaml", kEndless);
  const Running running(folder, {"sweep", "e.yaml", "--jobs", "2"});
  const int process = process_of(folder, member("results/minimal", 2));
  REQUIRE(process > 0);
  running.signal(SIGKILL);
  CHECK(running.wait().code == 128 + SIGKILL);
  CHECK(Running::until([&] { return kill(process, 0) != 0; }));
}

TEST_CASE("two sweeps at once share the work") {
  const TempDir folder;
  const TempDir other;
  std::string text = kSix;
  text.replace(text.find("seeds: 2"), 8, "seeds: 10");
  for (const TempDir* where : {&folder, &other}) where->write("e.yaml", text);
  const std::vector<std::string> arguments = {
      "sweep", "e.yaml", "--output", folder.path("out"), "--progress", "lines"};
  const Running one(folder, arguments);
  const Running two(other, arguments);
  const Finished first = one.wait();
  const Finished second = two.wait();
  INFO(first.err + second.err);
  CHECK(first.code == 0);
  CHECK(second.code == 0);
  CHECK_SAYS(second.err, "  done");
  REQUIRE(sweep(folder, {"--output", "alone", "--jobs", "2", "-q"}).code == 0);
  std::filesystem::rename(folder.path("out"), folder.path("both"));
  CHECK(differences(folder, "alone", "both", 10) == "");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("both"))) {
    CHECK((entry.path().extension() == ".h5" || entry.path().filename() == "members.csv"));
  }
}

FOLDER_TEST_CASE("results of another configuration are refused, or replaced on request") {
  folder.write("e.yaml", kSix);
  REQUIRE(sweep(folder, {"-q"}).code == 0);
  const Finished refused = sweep(folder, {"--set", "data.steps=200"});
  CHECK(refused.code == 4);
  CHECK_SAYS(refused.err, "results/minimal holds 6 results of another configuration",
             "--overwrite");
  const Finished one = sweep(folder, {"--set", "data.steps=200", "--member", "2"});
  CHECK(one.code == 4);
  CHECK_SAYS(sweep(folder, {"--set", "data.steps=200", "--dry-run"}).out, "\n5,other,0.02,1,");
  CHECK(sweep(folder, {"--set", "data.steps=200", "--overwrite", "-q"}).code == 0);
  CHECK_SAYS(sweep(folder, {"--set", "data.steps=200", "--dry-run"}).out, "\n5,complete,0.02,1,");
}

FOLDER_TEST_CASE("a sweep that is wrong is refused before anything runs") {
  folder.write("e.yaml", kSix);
  const Finished done = sweep(folder, {"--set", "sweep={data.window: [1, 2000000]}"});
  CHECK(done.code == 2);
  CHECK_SAYS(done.err, "in 1 of 2 members");
  CHECK_FALSE(exists(folder.path("results")));
  CHECK(sweep(folder, {"--shard", "2/2"}).code == 2);
  CHECK(sweep(folder, {"--jobs", "0"}).code == 2);
  CHECK(sweep(folder, {"--member", "6"}).code == 2);
  CHECK(sweep(folder, {"--max-time", "soon"}).code == 2);
  const Finished run = gaia_command(folder, {"run", "e.yaml"});
  CHECK(run.code == 2);
  CHECK_SAYS(run.err, "sweep: this file describes many runs; `gaia sweep e.yaml`");
}

FOLDER_TEST_CASE("gaia check tells the members of a sweep and what they need") {
  folder.write("e.yaml", kSix);
  const Finished text = gaia_command(folder, {"check", "e.yaml"});
  CHECK(text.code == 0);
  CHECK_SAYS(text.out, "can be run; 6 members", "varied   " + kRate + ": 3 values\n");
  const Finished json = gaia_command(folder, {"check", "e.yaml", "--json"});
  const auto result = nlohmann::json::parse(json.out).front();
  CHECK(result["members"] == 6);
  CHECK(result["complete"] == 0);
  CHECK(result["memory_bytes"] > 0);
  CHECK(result["seconds"] > 0);
  CHECK_FALSE(exists(folder.path("results")));
}

FOLDER_TEST_CASE(
    "the script for Slurm is one that bash reads, and that goes on after an interruption") {
  folder.write("e.yaml", kSix);
  const Finished script = sweep(folder, {"--slurm", "--jobs", "2", "--set", "data.steps=250"});
  REQUIRE(script.code == 0);
  CHECK_SAYS(script.out, "#SBATCH --array=0-5\n", "#SBATCH --signal=B:USR1@120\n");
  folder.write("s.sh", script.out);
  CHECK(std::system(("bash -n '" + folder.path("s.sh") + "'").c_str()) == 0);

  // A task of an array of two would run it so, once to its end ...
  folder.write("task.sh",
               "cd '" + folder.path("") +
                   "'; export SLURM_ARRAY_JOB_ID=9 SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 "
                   "SLURM_ARRAY_TASK_COUNT=2 SLURM_CPUS_PER_TASK=2 PATH=\"$PWD:$PATH\"\n"
                   "exec bash s.sh 2>log.txt\n");
  const std::string task = "bash '" + folder.path("task.sh") + "'";
  CHECK(std::system(task.c_str()) == 0);
  CHECK_FALSE(exists(folder.path(member("results/minimal", 0))));
  CHECK(exists(folder.path(member("results/minimal", 5))));
  // ... and once told that its time is over: it asks to be queued again.
  folder.write("scontrol", "#!/bin/sh\necho \"$@\" >asked.txt\n");
  std::filesystem::permissions(folder.path("scontrol"), std::filesystem::perms::owner_all);
  folder.write("e.yaml", kEndless);
  folder.write("s.sh", sweep(folder, {"--slurm", "--jobs", "2", "--output", "endless"}).out);
  const Running running(folder, {folder.path("task.sh")}, "/bin/bash");
  REQUIRE(process_of(folder, member("endless", 3)) > 0);
  running.signal(SIGUSR1);
  CHECK(running.wait().code == 0);
  CHECK(file_text(folder.path("asked.txt")) == "requeue 9_1\n");
}
