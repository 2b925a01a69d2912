// SPDX-License-Identifier: MIT
/// \file
/// Data as a YAML file describes it: several files, times, targets, labels, trials.
#include <algorithm>
#include <filesystem>

#include "../../../src/core/error.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/setup/load.h"
#include "../../../src/io/hdf5.h"
#include "../../../src/io/sha256.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/experiment_text.h"
#include "../../support/log_capture.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Names = std::vector<std::string>;
using Codes = std::vector<std::int64_t>;
using Role = SideColumn::Role;

std::string with_data(const std::string& data) {
  std::string text = kMinimal;
  const std::string before =
      "{source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 300}";
  return text.replace(text.find(before), before.size(), "{" + data + "}");
}

template <class E = ConfigError>
std::string refused(const TempDir& folder, const std::string& data) {
  return complaint_about_text<E>(folder, with_data(data));
}

/// Rows of a pump: when, flow, pressure, quality, state, run.
std::string pump(int first, int rows) {
  std::string text = "when,flow,pressure,quality,state,run\n";
  for (int i = first; i < first + rows; ++i) {
    text += "2020-01-01 00:00:" + std::string(i < 10 ? "0" : "") + std::to_string(i) + "," +
            std::to_string(i % 7) + "," + std::to_string(i % 5) + "," + std::to_string(0.5 * i) +
            "," + (i % 3 == 0 ? "bad" : "good") + "," + (i < first + rows / 2 ? "a" : "b") + "\n";
  }
  return text;
}

/// Three files of 20 rows, of which two are runs/*.csv.
struct Pump : TempDir {
  Pump() {
    std::filesystem::create_directory(path("runs"));
    write("runs/b.csv", pump(20, 20));
    write("runs/a.csv", pump(0, 20));
    write("runs/notes.txt", "none");
    write("c.csv", pump(40, 20));
  }
};

constexpr const char* kAll =
    ", time: when, columns: [flow, pressure], targets: [quality], labels: state, "
    "trials: {column: run}";

}  // namespace

TEST_CASE("a pattern, or a list of files, is one series with trials and side columns") {
  const Pump folder;
  const Experiment globbed =
      load_text(folder, with_data("source: file, path: 'runs/*.csv'" + std::string(kAll)));
  const Series& series = *globbed.series;
  CHECK(series.rows() == 40);
  CHECK(series.channel_names() == Names{"flow", "pressure"});
  CHECK(series.side_columns() == std::vector<SideColumn>{{Role::time, "when"},
                                                         {Role::target, "quality"},
                                                         {Role::label, "state"}});
  CHECK(series.classes() == Names{"bad", "good"});
  CHECK(series.trial_starts() == Codes{0, 10, 20, 30});
  const Names files = {folder.path("runs/a.csv"), folder.path("runs/b.csv")};
  CHECK(globbed.inputs == files);
  CHECK(globbed.data_path == files.front());
  CHECK(hashes_of_inputs(globbed) == Names{sha256_of_file(files[0]), sha256_of_file(files[1])});

  const Experiment listed =
      load_text(folder, with_data("source: file, files: [c.csv, runs/a.csv], columns: [flow]"));
  CHECK(listed.inputs == Names{folder.path("c.csv"), folder.path("runs/a.csv")});
  CHECK(listed.series->trial_starts() == Codes{0, 20});
}

TEST_CASE("files that are missing, and columns that are, are told with their keys") {
  const Pump folder;
  const gaia::test::LogCapture log;  // of columns of text that are left out
  CHECK_SAYS(refused(folder, "source: file, path: 'runs/*.npy'"),
             "data.path: no file fits 'runs/*.npy'; looked from ");
  CHECK_SAYS(refused(folder, "source: file, files: [c.csv, d.csv]"),
             "data.files[1]: file 'd.csv' not found (did you mean 'c.csv'?)");
  CHECK_SAYS(refused(folder, "source: file, path: c.csv, files: [c.csv]"),
             "exactly one of the keys path, files, got 2");
  CHECK_SAYS(refused(folder, "source: file"), "exactly one of the keys path, files, got 0");
  CHECK_SAYS(refused(folder, "source: file, path: c.csv, time: whn"),
             "data.time: ", "did you mean 'when'?");
  CHECK_SAYS(refused(folder, "source: file, path: c.csv, targets: [flw]"), "data.targets: ");
  CHECK_SAYS(refused(folder, "source: file, path: c.csv, labels: stat"), "data.labels: ");
  CHECK_SAYS(refused(folder, "source: file, path: c.csv, trials: {column: rn}"), "data.trials: ");
  CHECK_SAYS(refused(folder, "source: file, path: c.csv, columns: [flow], targets: [flow]"),
             "data.columns: ", "column 'flow' (data.targets) is also one that the levels read");
  CHECK_SAYS(refused(folder, "source: file, path: c.csv, trials: {axes: [trial, time, channel]}"),
             "data.trials.axes: ", "rows and columns only");
  CHECK_SAYS(refused(folder, "source: file, path: c.csv, trials: {axes: [trial, time, time]}"),
             "data.trials.axes: expected trial, time and channel, each once");
  CHECK_SAYS(refused(folder, "source: file, path: c.csv, trials: {length: 0}"),
             "data.trials.length: expected an integer >= 1, got '0'");
  CHECK_SAYS(refused(folder, "source: file, path: c.csv, trials: {length: 5, column: run}"),
             "exactly one of the keys column, length, axes, got 2");
  CHECK_SAYS(refused(folder, "source: file, path: c.csv, transpose: true"),
             "data.transpose: ", "save it as .npy");
  CHECK_SAYS(refused(folder, "source: file, path: c.csv, gaps: ignore"),
             "data.gaps: ", "error, warn, split");
  folder.write("other.csv", "when,flow\n1,2\n");
  CHECK_SAYS(refused<DataError>(
                 folder, "source: file, files: [c.csv, other.csv], columns: [flow, pressure]"),
             "other.csv: unknown column 'pressure'",
             "c.csv has it, and files of one series have the same columns");
}

TEST_CASE("all keys of data read back as they were written") {
  const Pump folder;
  const std::string all = std::string(kAll) + ", gaps: split, transpose: false";
  for (const std::string& data :
       {"source: file, path: 'runs/*.csv'" + all,
        std::string("source: file, files: [c.csv, 'runs/a.csv'], columns: [flow], trials: {length: "
                    "7}, gaps: error"),
        std::string("source: file, path: c.csv, columns: [flow], trials: none"),
        std::string("source: generator, kind: narma10, steps: 50, columns: [u], targets: [y]")}) {
    INFO(data);
    const Experiment first = load_experiment(folder.write("e.yaml", with_data(data)));
    const std::string stored = to_yaml(first.config);
    INFO(stored);
    const Experiment second = load_experiment(folder.write("s.yaml", stored));
    CHECK(to_yaml(second.config) == stored);
    CHECK(second.warnings.empty());
    CHECK(second.series->side_columns() == first.series->side_columns());
    CHECK(second.series->trial_starts() == first.series->trial_starts());
    const auto* file = std::get_if<FileConfig>(&first.config.data.source);
    if (file != nullptr) CHECK(*file == std::get<FileConfig>(second.config.data.source));
  }
  CHECK(json_schema().find("\"transpose\"") != std::string::npos);
}

FOLDER_TEST_CASE("a generator's channels are chosen, and others of them are targets") {
  const auto load = [&](const std::string& more) {
    return load_text(folder, with_data("source: generator, kind: narma10, steps: 50" + more));
  };
  CHECK(load(", columns: [u], targets: [y]").series->channel_names() == Names{"u"});
  CHECK(load(", targets: [u]").series->channel_names() == Names{"y"});
  CHECK(load("").series->side_columns().empty());
  CHECK_SAYS(refused(folder, "source: generator, kind: narma10, steps: 50, targets: [z]"),
             "data.targets: narma10: unknown column 'z'; known: 'u', 'y'");
}

TEST_CASE("labels of an NPY file may be in another file, relative to the YAML file") {
  const Pump folder;
  const auto npy = [](const char* descr, const char* shape, const std::string& bytes) {
    std::string header =
        std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize(117, ' ');
    return std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n" + bytes;
  };
  folder.write("runs/x.npy", npy("|u1", "(6, 1)", {1, 2, 3, 4, 5, 6}));
  folder.write("runs/y.npy", npy("|S1", "(6,)", "aabbcc"));
  const Experiment experiment =
      load_text(folder, with_data("source: file, path: runs/x.npy, labels: runs/y.npy"));
  CHECK(experiment.series->classes() == Names{"a", "b", "c"});
  CHECK(experiment.inputs == Names{folder.path("runs/x.npy"), folder.path("runs/y.npy")});
  CHECK(hashes_of_inputs(experiment)[1] == sha256_of_file(folder.path("runs/y.npy")));
  CHECK_SAYS(refused(folder, "source: file, files: [runs/x.npy, runs/x.npy], labels: runs/y.npy"),
             "data.labels: expected a file of labels for each of the 2");
  CHECK_SAYS(refused<DataError>(folder, "source: file, path: runs/x.npy, labels: runs/z.npy"),
             "z.npy: cannot be opened");
}

TEST_CASE("several files are run, applied to one, and hashed") {
  const Pump folder;
  const std::string data = "source: file, path: 'runs/*.csv', window: 2" + std::string(kAll);
  run_text(folder, with_data(data), {"device=cpu"});
  {
    const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
    CHECK(file.texts_attribute("input_files") ==
          Names{folder.path("runs/a.csv"), folder.path("runs/b.csv")});
  }
  // A file without quality, states, times and runs is applied to all the same.
  folder.write("new.csv", "pressure,flow\n1,2\n3,4\n5,6\n");
  const gaia::test::LogCapture log;
  const Experiment applied = application_of(
      folder.path("r.h5"), {.data = folder.path("new.csv"), .output = folder.path("n.h5")});
  CHECK(applied.series->channel_names() == Names{"flow", "pressure"});
  CHECK(applied.series->side_columns().empty());
  for (const char* key : {"data.time", "data.targets", "data.labels", "data.trials"}) {
    CHECK(log.count(LogLevel::info, "goes on without it (" + std::string(key) + ")") == 1);
  }
}

FOLDER_TEST_CASE("the results replace none of the files that are read") {
  for (const char* name : {"a.h5", "b.h5"}) {
    hdf5::File file = hdf5::File::create(folder.path(name));
    file.create_dataset("x", {.type = hdf5::Type::float64, .shape = {3}})
        .write<double>(std::vector<double>{1, 2, 3});
    file.close();
  }
  const ConfigError error = thrown_by<ConfigError>(
      [&] { load_text(folder, with_data("source: file, files: [a.h5, b.h5]"), {}, "b.h5"); });
  CHECK_SAYS(error.what(), "is one of the files that are read");
}
