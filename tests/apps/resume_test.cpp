// SPDX-License-Identifier: MIT
/// \file
/// Runs that are cut by signals and kills, and go on through the command line.
#include <filesystem>

#include "../support/catch.h"
#include "../support/datasets.h"
#include "minimal_run.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// The minimal experiment, long enough for three signals where a million steps take 80 ms.
const std::vector<std::string> kRun = {"run",   "e.yaml",
                                       "--set", "data.steps=12000000",
                                       "--set", "output.representations={every: 1000}",
                                       "--set", "checkpoint.every=200000"};

const char* const kResult = "results/minimal.h5";

/// The run in a folder, once `ready` of that folder.
Running running(const TempDir& folder, const std::vector<std::string>& arguments,
                const std::function<bool()>& ready) {
  folder.write("e.yaml", kMinimal);
  Running run(folder, arguments);
  REQUIRE(Running::until(ready));
  return run;
}

Datasets uncut_datasets() {
  const TempDir folder;
  folder.write("e.yaml", kMinimal);
  REQUIRE(gaia_command(folder, kRun).code == 0);
  return datasets_of(folder.path(kResult));
}

}  // namespace

TEST_CASE("a run that is killed and killed again goes on to the bytes of one that was not") {
  const Datasets uncut = uncut_datasets();
  const TempDir folder;
  const std::string first = folder.path("results/minimal.h5.checkpoint.0");
  const std::string second = folder.path("results/minimal.h5.checkpoint.1");
  {
    const Running run = running(folder, kRun, [&] { return exists(first); });
    run.signal(SIGKILL);
    CHECK(run.wait().code == 128 + SIGKILL);
  }
  {
    const Running run =
        running(folder, {"resume", kResult, "--quiet"}, [&] { return exists(second); });
    run.signal(SIGKILL);
    CHECK(run.wait().code == 128 + SIGKILL);
  }
  const Finished last = gaia_command(folder, {"resume", std::string(kResult) + ".partial"});
  CHECK(last.code == 0);
  CHECK_SAYS(last.err, "resume   results/minimal.h5 from step ");
  check_same_datasets(uncut, datasets_of(folder.path(kResult)));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("results"))) {
    CHECK(entry.path().filename() == "minimal.h5");
  }
  const Finished again = gaia_command(folder, {"resume", kResult});
  CHECK(again.code == 0);
  CHECK_SAYS(again.err, "is complete");
}

TEST_CASE("each signal that stops a run tells how to resume it, and it can be") {
  const Datasets uncut = uncut_datasets();
  const TempDir folder;
  const std::string partial = folder.path("results/minimal.h5.partial");
  const auto committed = [&]() -> std::int64_t {
    try {
      if (!exists(partial)) return 0;
      return hdf5::File::open(partial)
          .open_dataset("/status/committed_steps")
          .read<std::int64_t>()
          .front();
    } catch (const std::exception&) {
      return 0;  // being laid out
    }
  };
  std::vector<std::string> arguments = kRun;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    INFO("signal " << signal);
    // One that goes on listens to signals before it has more than it was left with.
    const std::int64_t before = committed();
    const auto seen = [&] { return committed() > before; };
    const Running run = running(folder, arguments, seen);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    run.signal(signal);
    const Finished done = run.wait();
    CHECK(done.code == 75);
    CHECK_SAYS(done.err, "resume with: gaia resume results/minimal.h5.partial\n");
    arguments = {"resume", kResult};
  }
  CHECK(gaia_command(folder, {"resume", kResult, "--max-time", "0.05s", "-q"}).code == 75);
  CHECK(gaia_command(folder, {"resume", kResult, "--threads", "1", "-q"}).code == 0);
  check_same_datasets(uncut, datasets_of(folder.path(kResult)));
}

FOLDER_TEST_CASE("SIGUSR1 stores the state of a run that goes on") {
  const std::string checkpoint = folder.path("results/minimal.h5.checkpoint.0");
  const std::string partial = folder.path("results/minimal.h5.partial");
  const Running run =
      running(folder,
              {"run", "e.yaml", "--set", "data.steps=200000000", "--set",
               "output.representations={every: 1000}", "--progress", "lines"},
              [&] { return exists(partial) && std::filesystem::file_size(partial) > 100000; });
  CHECK_FALSE(exists(checkpoint));
  run.signal(SIGUSR1);
  CHECK(Running::until([&] { return exists(checkpoint); }));
  run.signal(SIGUSR1);
  CHECK(Running::until([&] { return exists(folder.path("results/minimal.h5.checkpoint.1")); }));
  // While it is alive nobody else may go on with it.
  const Finished refused = gaia_command(folder, {"resume", kResult});
  CHECK(refused.code == 7);
  run.signal(SIGTERM);
  CHECK(run.wait().code == 75);
}

FOLDER_TEST_CASE("a killed run's file is recovered and left as it is") {
  const std::string partial = folder.path("results/minimal.h5.partial");
  {
    const Running run = running(
        folder, kRun, [&] { return exists(folder.path("results/minimal.h5.checkpoint.1")); });
    run.signal(SIGKILL);
    run.wait();
  }
  const std::string before = file_text(partial);
  const Finished saved = gaia_command(folder, {"recover", "results/minimal.h5.partial"});
  CHECK(saved.code == 0);
  CHECK_SAYS(saved.err, "of 12 000 000 steps of results/minimal.h5.partial",
             "file     results/minimal.recovered.h5");
  CHECK(file_text(partial) == before);
  const hdf5::File file = hdf5::File::open(folder.path("results/minimal.recovered.h5"));
  CHECK(*file.integer_attribute("steps_done") >= 400000);
  CHECK(gaia_command(folder, {"recover", "results/minimal.h5.partial"}).code == 4);
  CHECK(gaia_command(folder, {"recover", "results/minimal.h5.partial", "--output", "clean.h5"})
            .code == 0);
  CHECK(gaia_command(folder, {"recover", "e.yaml"}).code == 3);
  CHECK(gaia_command(folder, {"recover", "none.h5.partial"}).code == 2);
}

FOLDER_TEST_CASE("refusals to resume have the documented codes") {
  CHECK(gaia_command(folder, {"resume", "none.h5"}).code == 2);
  CHECK(gaia_command(folder, {"resume"}).code == 2);
  folder.write("text.h5.partial", "no HDF5");
  CHECK(gaia_command(folder, {"resume", "text.h5"}).code == 3);
  folder.write("e.yaml", kMinimal);
  std::vector<std::string> arguments = kRun;
  arguments.insert(arguments.end(), {"--max-time", "0.1s"});
  CHECK(gaia_command(folder, arguments).code == 75);
  CHECK(gaia_command(folder, {"resume", kResult, "--max-time", "soon"}).code == 2);
  CHECK(gaia_command(folder, {"resume", kResult, "--device", "abacus"}).code == 2);

  std::string edited = kMinimal;
  edited.replace(edited.find("rule: oja"), 9, "rule: bcm");
  folder.write("e.yaml", edited);
  const Finished refused = gaia_command(folder, {"resume", kResult});
  CHECK(refused.code == 2);
  CHECK_SAYS(refused.err, "hierarchy.levels[0].layers[0].rule: oja in the result, bcm in ");
  folder.write("e.yaml", kMinimal);
  for (const char* const number : {"0", "1"}) {
    std::filesystem::remove(folder.path(std::string("results/minimal.h5.checkpoint.") + number));
  }
  const Finished nothing = gaia_command(folder, {"resume", kResult});
  CHECK(nothing.code == 4);
  CHECK_SAYS(nothing.err, "gaia recover");
  // A run that begins anew removes what is left.
  CHECK(gaia_command(folder, {"run", "e.yaml"}).code == 4);
  CHECK(gaia_command(folder, {"run", "e.yaml", "--overwrite"}).code == 0);
}
