// SPDX-License-Identifier: MIT
/// \file
/// Which neuron stands for which class, where a rule reads labels: in later runs as in the first.
#include "../../../src/core/error.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/run/resume.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/datasets.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// One channel beside labels, round after round.
std::string csv(const std::vector<std::string>& labels, int rows = 30) {
  std::string text = "a,state\n";
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(0.1 * (i % 7)) + "," +
            labels[static_cast<std::size_t>(i) % labels.size()] + "\n";
  }
  return text;
}

/// Every neuron answers whether the row is of its class, learning or not.
std::string experiment(int size, const std::string& path, const std::string& from = "") {
  return "experiment: named\ndata: {source: file, path: " + path +
         ", columns: [a], labels: state}\nhierarchy:\n" + from +
         "  levels:\n    - layers:\n        - type: hebbian\n          size: " +
         std::to_string(size) +
         "\n          rule:\n            equations: |\n              y = truth\n"
         "              dw = 0.1*y*(x - w)\n            signals: {truth: labels}\n";
}

void run(const TempDir& folder, const std::string& yaml, const std::string& name) {
  Experiment one =
      load_experiment(folder.write(name + ".yaml", yaml), {.output = folder.path(name + ".h5")});
  run_hierarchy(one);
}

std::vector<std::string> classes_in(const std::string& path) {
  const hdf5::File file = hdf5::File::open(path);
  const hdf5::Group layer = file.open_group("levels/0/layers/0");
  return layer.texts_attribute("classes").value_or(std::vector<std::string>());
}

/// Which neuron answered 1, row by row.
std::vector<int> neurons_in(const std::string& path, int size) {
  std::vector<int> found;
  const auto numbers = datasets_of(path).at("/levels/0/representation");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == 1.0) found.push_back(static_cast<int>(i % static_cast<std::size_t>(size)));
  }
  return found;
}

std::string complaint(const TempDir& folder, const std::string& yaml) {
  return complaint_of<ConfigError>([&] { load_experiment(folder.write("wrong.yaml", yaml)); });
}

}  // namespace

FOLDER_TEST_CASE(
    "classes keep their neurons in a run that begins from another, and where it is applied") {
  folder.write("first.csv", csv({"cat", "ant", "bee"}));
  folder.write("later.csv", csv({"cat", "bee"}));
  run(folder, experiment(3, "first.csv"), "first");
  CHECK(classes_in(folder.path("first.h5")) == std::vector<std::string>{"ant", "bee", "cat"});
  const std::vector<int> first = neurons_in(folder.path("first.h5"), 3);
  REQUIRE(first.size() == 30);
  CHECK(std::vector<int>(first.begin(), first.begin() + 3) == std::vector<int>{2, 0, 1});

  // By its own classes the later series would number bee 0 and cat 1.
  run(folder, experiment(3, "later.csv", "  from: first.h5\n"), "later");
  const std::vector<int> later = neurons_in(folder.path("later.h5"), 3);
  REQUIRE(later.size() == 30);
  CHECK(std::vector<int>(later.begin(), later.begin() + 2) == std::vector<int>{2, 1});
  CHECK(classes_in(folder.path("later.h5")) == std::vector<std::string>{"ant", "bee", "cat"});

  Experiment applied = application_of(
      folder.path("first.h5"), {.data = folder.path("later.csv"), .output = folder.path("to.h5")});
  run_hierarchy(applied);
  CHECK(neurons_in(folder.path("to.h5"), 3) == later);
}

FOLDER_TEST_CASE("integers stand in order of their values, and keep their neurons too") {
  folder.write("first.csv", csv({"10", "9", "2"}));
  folder.write("later.csv", csv({"10", "9"}));
  run(folder, experiment(3, "first.csv"), "first");
  CHECK(classes_in(folder.path("first.h5")) == std::vector<std::string>{"2", "9", "10"});
  run(folder, experiment(3, "later.csv", "  from: first.h5\n"), "later");
  const std::vector<int> later = neurons_in(folder.path("later.h5"), 3);
  CHECK(std::vector<int>(later.begin(), later.begin() + 2) == std::vector<int>{2, 1});
}

FOLDER_TEST_CASE(
    "a class that an earlier run did not have gets a neuron that is free, or is told") {
  folder.write("first.csv", csv({"bee", "cat"}));
  folder.write("later.csv", csv({"ant", "cat"}));
  run(folder, experiment(3, "first.csv"), "roomy");
  run(folder, experiment(3, "later.csv", "  from: roomy.h5\n"), "later");
  CHECK(classes_in(folder.path("later.h5")) == std::vector<std::string>{"bee", "cat", "ant"});
  const std::vector<int> later = neurons_in(folder.path("later.h5"), 3);
  CHECK(std::vector<int>(later.begin(), later.begin() + 2) == std::vector<int>{2, 1});

  run(folder, experiment(2, "first.csv"), "full");
  CHECK_SAYS(complaint(folder, experiment(2, "later.csv", "  from: full.h5\n")),
             "rule.signals.truth: these data have the class 'ant', which ",
             "full.h5 (hierarchy.from) did not have, and the 2 neurons of the layer are those of "
             "its classes");
}

FOLDER_TEST_CASE("classes are those of the rows that a run reads") {
  folder.write("d.csv", csv({"bee", "cat"}, 20) + "0.5,ant\n0.5,dog\n");
  std::string yaml = experiment(2, "d.csv");
  yaml.replace(yaml.find("labels: state"), 13, "labels: state, steps: 20");
  run(folder, yaml, "some");
  CHECK(classes_in(folder.path("some.h5")) == std::vector<std::string>{"bee", "cat"});
  const std::vector<int> some = neurons_in(folder.path("some.h5"), 2);
  CHECK(std::vector<int>(some.begin(), some.begin() + 2) == std::vector<int>{0, 1});
  CHECK_SAYS(complaint(folder, experiment(2, "d.csv")),
             "these data have 4 classes, one for each neuron, and the layer 2; write size: 4");
}
