// SPDX-License-Identifier: MIT
#include "../../../src/experiment/run/replay.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "../../../src/array/create.h"
#include "../../../src/core/error.h"
#include "../../../src/experiment/run/apply_network.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/run/train.h"
#include "../../../src/experiment/sweep/sweep.h"
#include "../../../src/io/output_files.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/temp_dir.h"
#include "../minimal.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace fs = std::filesystem;

namespace {

const std::string kOfFile =
    "experiment: of_file\n"
    "data: {source: file, path: d.csv, window: 2, normalize: zscore}\n"
    "hierarchy:\n  levels:\n"
    "    - layers: [{type: hebbian, size: 2, rule: oja, learning_rate: auto}]\n"
    "readouts:\n"
    "  - {name: next, levels: [0], target: {channel: 0, horizon: 1}}\n";

std::string table(double first) {
  std::string text = "a,b\n" + std::to_string(first) + ",0\n";
  for (int i = 0; i < 200; ++i) {
    text += std::to_string((i * 37) % 11) + "," + std::to_string((i * 5) % 7) + "\n";
  }
  return text;
}

/// The result of a run whose files lie in `folder`.
std::string result_of(const TempDir& folder, const std::string& text,
                      const Overrides& overrides = {}) {
  Overrides all = overrides;
  all.output = folder.path("r.h5");
  Experiment experiment = load_experiment(folder.write("e.yaml", text), all);
  run_experiment(experiment);
  return folder.path("r.h5");
}

std::vector<std::string> files_of(const TempDir& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path(""))) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void check_equal(const std::string& result, const ReplayOptions& options = {}) {
  const Replayed replayed = replay_result(result, options);
  INFO(replayed.text());
  CHECK(replayed.is_equal());
  CHECK(replayed.comparison.datasets > 10);
  CHECK(replayed.comparison.attributes > 50);
  CHECK_SAYS(replayed.text(), "equal    " + result);
}

}  // namespace

FOLDER_TEST_CASE("a result is run again from what it says, and leaves nothing beside it") {
  const std::string result =
      result_of(folder, kMinimal, {.set = {"hierarchy.levels[0].layers[0].size=3"}, .seed = "9"});
  // Neither the file nor what it says now has a part in it.
  fs::remove(folder.path("e.yaml"));
  check_equal(result);
  CHECK(files_of(folder) == std::vector<std::string>{"r.h5"});
  check_equal(result, {.output = folder.path("kept.h5")});
  check_equal(result, {.against = folder.path("kept.h5")});
}

FOLDER_TEST_CASE("a replay says where one number, and where an attribute, was changed") {
  const std::string result = result_of(folder, kMinimal);
  double before = 0.0;
  {
    hdf5::File file = hdf5::File::modify(result);
    file.set_attribute("seed", std::int64_t{77});
    hdf5::Dataset weights = file.open_dataset("/levels/0/layers/0/weights");
    std::vector<float> values = weights.read<float>();
    before = values[4];
    values[4] += 0.5F;
    weights.write_rows<float>(0, 2, values.data());
    file.close();
  }
  const Replayed replayed = replay_result(result, {});
  CHECK_FALSE(replayed.is_equal());
  REQUIRE(replayed.comparison.differences.size() == 2);
  const ResultDifference& seed = replayed.comparison.differences[0];
  CHECK(seed.path == "/");
  CHECK(seed.attribute == "seed");
  const ResultDifference& found = replayed.comparison.differences[1];
  CHECK(found.path == "/levels/0/layers/0/weights");
  CHECK(found.first == std::vector<std::int64_t>{1, 1});
  CHECK(found.count == 1);
  CHECK(found.got == before);
  CHECK(found.largest == 0.5);
  CHECK_SAYS(replayed.text(),
             "differs  /levels/0/layers/0/weights [1, 1]: ", "differs  /@seed 77 here, ");
}

FOLDER_TEST_CASE("data that are gone or changed are told of before anything runs") {
  folder.write("d.csv", table(1.0));
  const std::string result = result_of(folder, kOfFile);
  check_equal(result);

  folder.write("d.csv", table(2.0));
  CHECK_SAYS(complaint_of<DataError>([&] { replay_result(result, {}); }),
             "d.csv: is not the file that the run has read (SHA-256 ");
  fs::create_directory(folder.path("moved"));
  folder.write("moved/d.csv", table(1.0));
  fs::remove(folder.path("d.csv"));
  CHECK_SAYS(complaint_of<DataError>([&] { replay_result(result, {}); }),
             "r.h5: the run has read " + folder.path("d.csv") +
                 ", which is not there; put it back, name the folder");
  check_equal(result, {.folder = folder.path("moved")});
  CHECK(files_of(folder) == std::vector<std::string>{"e.yaml", "moved", "r.h5"});
}

FOLDER_TEST_CASE("rows in memory are handed over again") {
  const auto rows = [](double first) {
    std::vector<double> numbers(600);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = std::sin(0.1 * static_cast<double>(i * i));
    numbers[0] = first;
    return std::make_shared<const MemoryRows>(MemoryRows{.table = from_values(numbers, {300, 2})});
  };
  std::string text = kOfFile;
  text.replace(text.find("source: file, path: d.csv, "), 27, "");
  const std::string result = result_of(folder, text, {.rows = rows(0.0)});
  check_equal(result, {.rows = rows(0.0)});
  CHECK_SAYS(complaint_of<DataError>([&] { replay_result(result, {.rows = rows(0.5)}); }),
             "is not the file that the run has read");
  CHECK_SAYS(complaint_of<Error>([&] { replay_result(result, {}); }), "hand over its rows");
}

FOLDER_TEST_CASE("a replay adds nothing to the telemetry of the run that it repeats") {
  const std::string told = folder.path("told.jsonl");
  const std::string result =
      result_of(folder, kMinimal + "runtime: {telemetry: {file: " + told + "}}\n");
  const auto size = fs::file_size(told);
  CHECK(size > 0);
  check_equal(result);
  CHECK(fs::file_size(told) == size);
}

FOLDER_TEST_CASE("a member of a sweep is replayed alone") {
  const std::string file =
      folder.write("s.yaml", kMinimal + "sweep: {seed: [1, 2]}\noutput: {path: m}\n");
  Experiment member = Sweep(file, {.output = folder.path("m")}).load(1);
  run_experiment(member);
  check_equal(member.config.output.path);
}

FOLDER_TEST_CASE("a trained network, and what was made by applying it, are replayed") {
  test::write_images(folder, "train", 100);
  test::write_images(folder, "t10k", 40);
  const std::string result = result_of(folder, kImages, {.set = {"network.epochs=1"}});
  check_equal(result);
  const std::string images = folder.path("t10k-images-idx3-ubyte");
  const std::string applied = folder.path("a.h5");
  apply_network(result, {.data = images,
                         .steps = 30,
                         .output = applied,
                         .labels = folder.path("t10k-labels-idx1-ubyte")});
  check_equal(applied);
  test::write_images(folder, "t10k", 41);
  CHECK_SAYS(complaint_of<DataError>([&] { replay_result(applied, {}); }),
             images + ": is not the file that ");
  fs::remove(result);
  CHECK_SAYS(complaint_of<DataError>([&] { replay_result(applied, {}); }),
             "r.h5, which is not there; put it back");
}

FOLDER_TEST_CASE("what is no complete run, or would be overwritten, is refused") {
  const std::string result = result_of(folder, kMinimal);
  CHECK_SAYS(complaint_of<ConfigError>([&] { replay_result(folder.path("x.h5"), {}); }),
             "no such file");
  CHECK_SAYS(complaint_of<DataError>([&] { replay_result(folder.write("x.h5", "x"), {}); }),
             "x.h5");
  CHECK_SAYS(complaint_of<OutputError>([&] { replay_result(result, {.output = result}); }),
             "is the result that is run again; choose another --output");
  folder.write("r.replay.h5", "somebody's");
  CHECK_SAYS(complaint_of<OutputError>([&] { replay_result(result, {}); }),
             "r.replay.h5 exists and would be in the way");
  CHECK(fs::file_size(folder.path("r.replay.h5")) == 10);
  fs::remove(folder.path("r.replay.h5"));
  // Another is at it, and then it was killed.
  folder.write("r.replay.h5.partial", "another's");
  {
    const OutputLock alive(folder.path("r.replay.h5"));
    CHECK_FALSE(complaint_of<LockedError>([&] { replay_result(result, {}); }).empty());
    CHECK(fs::file_size(folder.path("r.replay.h5.partial")) == 9);
  }
  check_equal(result);

  const std::atomic<bool> stop = true;
  const Replayed cut = replay_result(result, {}, {.stop = &stop});
  CHECK(cut.status == RunStatus::interrupted);
  CHECK_FALSE(cut.is_equal());
  CHECK_SAYS(cut.text(), "interrupted after ", "of 300");
  CHECK(files_of(folder) == std::vector<std::string>{"e.yaml", "r.h5", "x.h5"});

  Experiment experiment = load_experiment(folder.path("e.yaml"), {.output = folder.path("c.h5")});
  run_experiment(experiment, {.stop = &stop});
  CHECK_SAYS(complaint_of<OutputError>([&] { replay_result(folder.path("c.h5.partial"), {}); }),
             "got one that is interrupted; `gaia resume` goes on");
}
