// SPDX-License-Identifier: MIT
#include "../../../src/experiment/setup/load.h"
#include "../../../src/experiment/config/config_writer.h"

#include <filesystem>

#include "../../../src/core/error.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/temp_dir.h"
#include "../minimal.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// What loading the text says is wrong; `E` is the error expected.
template <class E = ConfigError>
std::string refused(const TempDir& folder, const std::string& text,
                    const Overrides& overrides = {}) {
  const std::string file = folder.write("e.yaml", text);
  return complaint_of<E>([&] { load_experiment(file, overrides); });
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kMinimal;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string with_file(const std::string& data) {
  return changed("source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 300",
                 "source: file, " + data);
}

}  // namespace

FOLDER_TEST_CASE("an experiment is loaded with its series") {
  const Experiment experiment = load_experiment(folder.write("e.yaml", kMinimal));
  CHECK(experiment.steps == 300);
  CHECK(experiment.features() == 3);
  CHECK(experiment.config.output.path == "results/minimal.h5");
  CHECK(experiment.data_path.empty());
  CHECK(experiment.warnings.empty());
}

FOLDER_TEST_CASE("a file that is not there, empty or no map is an error") {
  CHECK_THROWS_WITH_TEXT(load_experiment(folder.path("none.yaml")), ConfigError, "no such file");
  CHECK_THROWS_WITH_TEXT(load_experiment(folder.path("")), ConfigError, "is not a regular file");
  CHECK_SAYS(refused(folder, ""), "is empty");
  CHECK_SAYS(refused(folder, "# nothing\n"), "is empty");
  CHECK_SAYS(refused(folder, "- 1\n"), "expected an experiment");
}

FOLDER_TEST_CASE("a file of data in place of an experiment is told as that, with what to do") {
  const auto told = [&](const std::string& name, const std::string& content) {
    const std::string path = folder.write(name, content);
    try {
      load_experiment(path);
    } catch (const ConfigError& error) {
      CHECK_SAYS(error.what(), "data: {source: file, path: " + path + "}");
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_SAYS(told("d.csv", "x,y\n1,2\n"), "d.csv: is a table of data, expected");
  CHECK_SAYS(told("d.csv", "x: 1\n"), "is a table of data");
  CHECK_SAYS(told("d.npy", "\x93NUMPY\x01"), "is a NumPy array, expected");
  const std::string hdf5 = told("d.yaml", "\x89HDF\r\n\x1a\n");
  CHECK_SAYS(hdf5, "is an HDF5 file, expected an experiment", "`gaia inspect`");
  CHECK_THROWS_WITH_TEXT(load_experiment(folder.path("")), ConfigError, "but a folder");
}

FOLDER_TEST_CASE("the command line is checked like the file") {
  const std::string file = folder.write("e.yaml", kMinimal);
  const Experiment experiment =
      load_experiment(file, {.set = {"data.steps=50", "hierarchy.levels[1].layers[1].rule=oja"},
                             .device = "cpu",
                             .seed = "7",
                             .output = "[odd] name.h5"});
  CHECK(experiment.steps == 50);
  CHECK(experiment.config.seed == 7);
  CHECK(experiment.config.device == "cpu");
  CHECK(experiment.config.output.path == "[odd] name.h5");
  const auto wrong = [&](const Overrides& overrides) {
    return refused(folder, kMinimal, overrides);
  };
  CHECK_SAYS(wrong({.set = {"data.steps=ten"}}),
             "--set data.steps=ten: data.steps: expected an integer >= 1, got 'ten'");
  CHECK_SAYS(wrong({.set = {"data.stps=10"}}), "unknown key 'stps'");
  CHECK_SAYS(wrong({.set = {"nonsense"}}), "expected KEY=VALUE");
  CHECK_SAYS(wrong({.set = {"hierarchy.levels[5].pooling=max"}}), "has no element 5");
  CHECK_SAYS(wrong({.seed = "x"}), "--seed x: seed: expected an integer");
  CHECK_SAYS(wrong({.device = "tpu"}), "unknown device 'tpu'");
  CHECK_SAYS(wrong({.output = "x.txt"}), "expected a name that ends in .h5");
}

FOLDER_TEST_CASE("a data file that is missing or of no known kind is told beside other errors") {
  folder.write("data.csv", "a,b\n1,2\n3,4\n5,6\n");
  CHECK_SAYS(refused(folder, with_file("path: date.csv")),
             "data.path: file 'date.csv' not found (did you mean 'data.csv'?); looked in " +
                 std::filesystem::path(folder.path("x")).parent_path().string());
  const std::string both = refused(folder, with_file("path: date.csv, windo: 2"));
  CHECK_SAYS(both, "not found", "unknown key 'windo'");
  folder.write("data.xls", "1");
  CHECK_SAYS(refused(folder, with_file("path: data.xls")), "known: .csv, .npy, .h5, .hdf5, .nc");
  CHECK_SAYS(refused(folder, with_file("path: data.csv, dataset: /x")),
             "only HDF5 and MATLAB files have datasets");
  CHECK_SAYS(refused(folder, with_file("path: data.csv, columns: [c]")), "data.columns: ");
  CHECK_SAYS(refused(folder, with_file("path: data.csv, steps: 4")),
             "data.steps: expected at most 3 (3 rows of data");
  CHECK_SAYS(refused(folder, with_file("path: data.csv, window: 4")),
             "a window of 4 rows does not fit into 3 rows");
}

FOLDER_TEST_CASE("netCDF-4 and other HDF5 is read whatever its name, and classic netCDF is told") {
  for (const char* name : {"data.nc", "data.mat", "data.csv"}) {
    const std::vector<double> values = {1.0, 2.0, 3.0};
    hdf5::File file = hdf5::File::create(folder.path(name));
    file.create_dataset("x", {.shape = {3}}).write(std::span<const double>(values));
    file.close();
    const std::string text = with_file(std::string("path: ") + name + ", dataset: /x");
    CHECK(load_experiment(folder.write("e.yaml", text)).steps == 3);
  }
  folder.write("classic.nc", "CDF\x01rest");
  CHECK_SAYS(refused<DataError>(folder, with_file("path: classic.nc")), "is a classic netCDF file");
}

FOLDER_TEST_CASE("content that cannot be used is an error of the data") {
  folder.write("data.csv", "a,b\n1,2\n3,x\n");
  CHECK_SAYS(refused<DataError>(folder, with_file("path: data.csv")), "data.csv:3:2");
  // But what is wrong with the configuration comes first.
  CHECK_SAYS(refused(folder, with_file("path: data.csv, columns: [a, a], windo: 1")),
             "unknown key 'windo'");
  folder.write("data.h5", "not HDF5");
  CHECK_SAYS(refused<DataError>(folder, with_file("path: data.h5")), "cannot open");
}

FOLDER_TEST_CASE("a generator needs steps, and complains of its own keys") {
  CHECK_SAYS(refused(folder, changed(", steps: 300", "")),
             "data.steps: missing; a generator does not end by itself");
  CHECK_SAYS(refused(folder, changed("kind: gaussian, spectrum: [2, 1, 0.5]",
                                     "kind: ornstein_uhlenbeck, tau: [4, 40], channels: 1")),
             "data.channels: [ornstein_uhlenbeck] channels: expected at least 2");
}

FOLDER_TEST_CASE("readouts must have targets, levels and enough ticks") {
  const auto readout = [&](const std::string& text) {
    return refused(folder, kMinimal + "readouts:\n  - " + text + "\n");
  };
  CHECK_SAYS(readout("{name: r, target: {channel: 3}, levels: [0]}"),
             "readouts[0].target.channel: there is no channel 3; known: 0 to 2");
  CHECK_SAYS(readout("{name: r, target: {latent: 5}, levels: [0]}"), "no latent 5");
  CHECK_SAYS(readout("{name: r, target: {channel: 0}, levels: [2]}"),
             "there is no level 2; known: 0 to 1");
  CHECK_SAYS(readout("{name: r, target: {channel: 0}, levels: [0, 0]}"), "level 0 twice");
  CHECK_SAYS(readout("{name: r, target: {channel: 0, horizon: 299}, levels: [0]}"),
             "at least 2 of each are needed");
  CHECK_SAYS(readout("{name: r, target: {channel: 0}, levels: [0]}\n"
                     "  - {name: r, target: {channel: 0}, levels: [0]}"),
             "there is another readout 'r'");
}

FOLDER_TEST_CASE("sizes that no memory holds are refused before anything runs") {
  std::string text = changed("temporal_resolution: 3\n      pooling: mean",
                             "temporal_resolution: 1000000000\n      pooling: concat");
  CHECK_SAYS(refused(folder, text), "it would read 2000000000 numbers");
}

FOLDER_TEST_CASE("homeostasis under l2 and more neurons than inputs are worth a warning") {
  std::string text = changed("normalization: l2", "normalization: l2, homeostasis: {target: 1}");
  text.replace(text.find("size: 2, rule: oja"), 18, "size: 5, rule: sanger");
  const Experiment experiment = load_experiment(folder.write("e.yaml", text));
  REQUIRE(experiment.warnings.size() == 2);
  CHECK_SAYS(experiment.warnings[0], "5 neurons under rule sanger read 3 numbers");
  CHECK_SAYS(experiment.warnings[1], "homeostasis has no effect under normalization l2");
}

FOLDER_TEST_CASE("a file with decimal commas is read where data.decimal says so") {
  folder.write("d.csv", "Zeit;Wert\n01.01.2001;1,5\n02.01.2001;2,5\n03.01.2001;3,5\n");
  const std::string text = with_file("path: d.csv, columns: [Wert]");
  CHECK_SAYS(refused<DataError>(folder, text), "set data.decimal: ','");
  const Experiment experiment =
      load_experiment(folder.write("e.yaml", text), {.set = {"data.decimal=','"}});
  std::vector<double> values(3);
  experiment.series->read(0, 3, values);
  CHECK(values == std::vector<double>{1.5, 2.5, 3.5});
  // The config can be read again as a result stores it.
  const Experiment stored =
      load_experiment(folder.write("stored.yaml", to_yaml(experiment.config)), {});
  CHECK(std::get<FileConfig>(stored.config.data.source).decimal == ',');
  CHECK_SAYS(refused(folder, text, {.set = {"data.decimal=;"}}), "data.decimal");
}

FOLDER_TEST_CASE("numbers that the dtype rounds to 0 or infinity are told where they stand") {
  const std::string expected = ": expected a number that float32 can hold";
  const auto check = [&](const std::string& from, const std::string& to, const std::string& key) {
    INFO(to);
    const std::string text = changed(from, to);
    const std::string said = refused(folder, text);
    CHECK_SAYS(said, key + expected, "e.yaml:");
    CHECK(refused(folder, "dtype: float64\n" + text).empty());
  };
  const std::string rate = "rule: oja, learning_rate: 0.01";
  const std::string layer = "hierarchy.levels[0].layers[0].";
  check(rate, "rule: oja, learning_rate: 1.0e-50", layer + "learning_rate");
  check(rate, rate + ", normalization: max_norm, bound: 1.0e-50", layer + "bound");
  check(rate, rate + ", normalization: max_norm, bound: 1.0e+39", layer + "bound");
  check(rate, rate + ", homeostasis: {target: 1.0e-50}", layer + "homeostasis.target");
  check("activation: tanh", "activation: tanh, bias: 1.0e+39",
        "hierarchy.levels[1].layers[0].bias");
  const std::string text = R"(rule: {equations: "dw = a*y*x - )";
  const std::string end = R"(*w", parameters: {a: 0.1}})";
  check(rate, text + "1e-50" + end, layer + "rule.equations");
  check(rate, text + "1e39" + end, layer + "rule.equations");
  CHECK(refused(folder, changed(rate, text + "1e-40" + end)).empty());
  CHECK_SAYS(refused(folder, kMinimal, {.set = {layer + "learning_rate=1e-50"}}),
             layer + "learning_rate" + expected);
  std::string network = gaia::test::kSeries;
  const std::string adam = "{type: adam, learning_rate: 0.01}";
  network.replace(network.find(adam), adam.size(), "{type: adam, epsilon: 1.0e-50}");
  CHECK_SAYS(refused(folder, network), "network.optimizer.epsilon" + expected);
}

FOLDER_TEST_CASE(
    "a readout of classes whose training part has no labels is told of when it is loaded") {
  // Rows from `first` on have labels.
  const auto loaded = [&](int first, const std::string& split) {
    std::string rows = "a,b,kind\n";
    for (int t = 0; t < 100; ++t) {
      rows += std::to_string(t % 7) + "," + std::to_string(t % 5) + ",";
      rows += (t < first ? "" : t % 2 == 0 ? "x" : "y") + std::string("\n");
    }
    folder.write("l.csv", rows);
    return refused(folder,
                   "experiment: e\n"
                   "data: {source: file, path: l.csv, columns: [a, b], labels: kind}\n"
                   "hierarchy: {levels: [{layers: [{type: reactive, size: 2}]}]}\n"
                   "readouts: [{name: r, type: logistic, target: {label: true}, levels: [0]" +
                       split + "}]\n");
  };
  const std::string expected = "readouts[0].target.label: none of the ";
  CHECK_SAYS(loaded(80, ""), expected);
  CHECK_SAYS(loaded(60, ", split: 0.5"), expected);
  CHECK(loaded(60, "").empty());
  CHECK(loaded(80, ", split: 0.9").empty());
}

FOLDER_TEST_CASE("an experiment has the keys of the files that it includes") {
  folder.write("base.yaml", kMinimal);
  const std::string file = folder.write("e.yaml", "include: base.yaml\nexperiment: mine\n");
  const Experiment experiment = load_experiment(file, {.set = {"data.steps=50"}});
  CHECK(experiment.config.experiment == "mine");
  CHECK(experiment.steps == 50);
  REQUIRE(experiment.included.size() == 1);
  CHECK(experiment.included.front().first == folder.path("base.yaml"));
  CHECK(experiment.included.front().second.size() == 64);
  CHECK(experiment.inputs.empty());
  // What it comes to says nothing of files.
  const Experiment whole = load_experiment(folder.write("w.yaml", kMinimal),
                                           {.set = {"data.steps=50", "experiment=mine"}});
  CHECK(to_yaml(experiment.config) == to_yaml(whole.config));

  // The command line may say which, too.
  folder.write("other.yaml", "seed: 99\n");
  const Experiment set =
      load_experiment(file, {.set = {"include=[base.yaml, other.yaml]", "dtype=float64"}});
  CHECK(set.config.seed == 99);
  CHECK(set.included.size() == 2);
  CHECK(set.settings ==
        std::vector<std::string>{"include=[base.yaml, other.yaml]", "dtype=float64"});

  // What is wrong is reported where it stands.
  folder.write("wrong.yaml", "\nseed: many\n");
  CHECK_SAYS(refused(folder, "include: [base.yaml, wrong.yaml]\n"),
             "wrong.yaml:2:7: seed: expected an integer");
  CHECK_SAYS(refused(folder, "include: gone.yaml\n"), "e.yaml:1:10: include: ");
  CHECK_SAYS(refused(folder, "include: .\n"), "not a regular file");
}
