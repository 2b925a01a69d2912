// SPDX-License-Identifier: MIT
// Pictures as what a hierarchy reads: from YAML to the results, and through an application.
#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/datasets.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::string kDigits =
    "experiment: digits\ndtype: float64\nseed: 5\n"
    "data: {source: images, folder: .}\n"
    "hierarchy:\n  freeze_after: 300\n  levels:\n    - layers:\n"
    "        - {type: hebbian, size: 3, rule: oja_subspace, learning_rate: 0.002}\n";

Experiment load(const TempDir& folder, const std::vector<std::string>& set = {},
                const std::string& text = kDigits) {
  return load_experiment(folder.write("e.yaml", text),
                         {.set = set, .device = "cpu", .output = folder.path("r.h5")});
}

std::string refused(const TempDir& folder, const std::vector<std::string>& set,
                    const std::string& text = kDigits) {
  return complaint_of<ConfigError>([&] { load(folder, set, text); });
}

std::vector<double> row(Series& series, std::int64_t number) {
  std::vector<double> values(static_cast<std::size_t>(series.channels()));
  series.read(number, 1, values);
  return values;
}

}  // namespace

TEST_CASE("pictures that are filtered or thinned out keep their training part") {
  const ImageFolder folder;
  const Experiment filtered = load(folder, {"data.sample_rate=1", "data.filter.low=0.25"});
  CHECK(filtered.series->rows() == 400);
  CHECK(filtered.series->training_rows() == 300);
  const Experiment thinned = load(folder, {"data.resample.every=7"});
  CHECK(thinned.series->rows() == 58);           // the first of each 7 of 400
  CHECK(thinned.series->training_rows() == 43);  // of 300
}

TEST_CASE("a hierarchy reads training pictures, then test pictures") {
  const ImageFolder folder;
  Experiment experiment = load(folder);
  CHECK(experiment.warnings.empty());
  CHECK(experiment.steps == 400);
  CHECK(experiment.features() == 64);
  CHECK(experiment.series->training_rows() == 300);
  CHECK(experiment.picture_shape() == std::vector<std::int64_t>{8, 8});
  CHECK(experiment.inputs.size() == 4);
  CHECK(load(folder, {"data.train_samples=7", "data.test_samples=2"}).steps == 9);
  run_hierarchy(experiment);
  const auto all = datasets_of(folder.path("r.h5"));
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  CHECK(file.open_group("data").text_attribute("shape") == "[8, 8]");
  CHECK(file.open_group("data").texts_attribute("channel_names")->at(9) == "y1x1");
  // Nothing learns from the 300th picture on: outputs are products with the final weights.
  const std::vector<double>& weights = all.at("/levels/0/layers/0/weights");
  const std::vector<double>& outputs = all.at("/levels/0/representation");
  REQUIRE(outputs.size() == 1200);
  for (const std::int64_t number : {300, 399}) {
    const std::vector<double> x = row(*experiment.series, number);
    for (std::size_t i = 0; i < 3; ++i) {
      double expected = 0.0;
      for (std::size_t j = 0; j < 64; ++j) expected += weights[64 * i + j] * x[j];
      CHECK(std::abs(outputs[static_cast<std::size_t>(number) * 3 + i] - expected) < 1e-12);
    }
  }
  CHECK(all.count("/data/whitening/mean") == 0);
}

TEST_CASE("patches are steps without labels, of the seed") {
  const ImageFolder folder;
  Experiment experiment =
      load(folder, {"data.patch=3", "data.count=50", "hierarchy.freeze_after=9"});
  CHECK(experiment.steps == 50);
  CHECK(experiment.picture_shape() == std::vector<std::int64_t>{3, 3});
  CHECK(experiment.inputs.size() == 1);
  CHECK(experiment.series->classes().empty());
  CHECK(experiment.series->training_rows() == std::nullopt);
  const std::vector<double> here = row(*experiment.series, 7);
  const auto of_seed = [&](const char* seed) {
    return row(*load(folder, {"data.patch=[3, 3]", "data.count=50", seed}).series, 7);
  };
  CHECK(of_seed("seed=5") == here);
  CHECK(of_seed("seed=6") != here);
  CHECK(load(folder, {"data.patch=[2, 5]", "data.count=50"}).features() == 10);
}

TEST_CASE("what is written of pictures reads back as the same") {
  const ImageFolder folder;
  const std::vector<std::string> set = {"data.patch=[2, 5]", "data.count=50", "data.whiten=zca",
                                        "data.whiten_epsilon=0.5", "data.shape=[2, 5]"};
  const Experiment first = load(folder, set);
  const std::string text = to_yaml(first.config);
  CHECK_SAYS(text, "patch: [2, 5]\n");
  const Experiment again = load(folder, {}, text);
  CHECK(again.warnings.empty());
  CHECK(to_yaml(again.config) == text);
  CHECK_SAYS(to_yaml(load(folder, {"data.patch=4", "data.count=50"}).config), "patch: 4\n");
}

TEST_CASE("what cannot be read of pictures is told by its key") {
  const ImageFolder folder;
  CHECK_SAYS(refused(folder, {"data.patch=9", "data.count=5"}),
             "data.patch: ", "expected 1 x 1 to 8 x 8 pixels");
  CHECK_SAYS(refused(folder, {"data.patch=[1, 2, 3]", "data.count=5"}),
             "expected a height and a width, got 3 numbers");
  CHECK_SAYS(refused(folder, {"data.patch=3"}), "data.count: missing");
  CHECK_SAYS(refused(folder, {"data.patch=0", "data.count=5"}),
             "data.patch: expected an integer from 1 to 100000, got '0'");
  CHECK_SAYS(refused(folder, {"data.train_samples=301"}),
             "data.train_samples: ", "expected at most 300, got 301");
  CHECK_SAYS(refused(folder, {"data.test_samples=101"}), "data.test_samples: ");
  CHECK_SAYS(refused(folder, {"data.folder=nowhere"}),
             "no train-images-idx3-ubyte and no train-images-idx3-ubyte.gz");
  CHECK_SAYS(refused(folder, {"data.path=nowhere"}), "data.path: file 'nowhere' not found");
  CHECK_SAYS(refused(folder, {"data.path=."}), "is not a regular file");
  CHECK_SAYS(refused(folder, {"data.whiten=stored"}), "stored needs a run to take it from");
  CHECK_SAYS(refused(folder, {"data.whiten=zac"}), "did you mean 'zca'?");
}

TEST_CASE("data.shape says how a row is a picture, and has to fit") {
  const ImageFolder folder;
  CHECK(load(folder, {"data.shape=[8, 8]"}).picture_shape() == std::vector<std::int64_t>{8, 8});
  CHECK_SAYS(refused(folder, {"data.shape=[4, 16]"}), "data.shape: these pictures are of [8, 8]");
  folder.write("d.csv", "a,b,c,d,e,f\n1,2,3,4,5,6\n6,5,4,3,2,1\n1,1,2,2,3,3\n");
  const std::string text =
      "experiment: rows\n"
      "data: {source: file, path: d.csv}\n"
      "hierarchy: {levels: [{layers: [{type: reactive, size: 2}]}]}\n";
  CHECK(load(folder, {}, text).picture_shape().empty());
  CHECK(load(folder, {"data.shape=[2, 3]"}, text).picture_shape() ==
        std::vector<std::int64_t>{2, 3});
  CHECK(load(folder, {"data.shape=[1, 2, 3]"}, text).picture_shape().size() == 3);
  CHECK_SAYS(refused(folder, {"data.shape=[2, 2]"}, text),
             "a picture of [2, 2] has 4 numbers, a row of these data has 6");
  CHECK_SAYS(refused(folder, {"data.shape=[6]"}, text), "expected height and width");
}

TEST_CASE("whitening is found by the training pictures that are read") {
  const ImageFolder folder;
  Experiment experiment = load(folder, {"data.whiten=zca", "data.test_samples=50"});
  run_hierarchy(experiment);
  const auto all = datasets_of(folder.path("r.h5"));
  // The mean of the first 300 rows of the pictures themselves.
  const Experiment plain = load(folder);
  std::vector<double> mean(64);
  for (std::int64_t n = 0; n < 300; ++n) {
    const std::vector<double> x = row(*plain.series, n);
    for (std::size_t i = 0; i < 64; ++i) mean[i] += x[i] / 300.0;
  }
  for (std::size_t i = 0; i < 64; ++i) {
    CHECK(std::abs(all.at("/data/whitening/mean")[i] - mean[i]) < 1e-12);
  }
  CHECK(all.at("/data/whitening/matrix").size() == 64 * 64);
  // Other test pictures change nothing of it.
  Experiment more = load(folder, {"data.whiten=zca"});
  CHECK(row(*more.series, 3) == row(*experiment.series, 3));
}

TEST_CASE("what was learnt from pictures is applied to those of another file") {
  const ImageFolder folder;
  for (const std::string whiten : {"none", "zca"}) {
    Experiment experiment = load(folder, {"data.whiten=" + whiten, "data.normalize=minmax"});
    run_hierarchy(experiment, {.overwrite = true});
    Experiment applied =
        application_of(folder.path("r.h5"), {.data = folder.path("t10k-images-idx3-ubyte"),
                                             .output = folder.path("a.h5"),
                                             .labels = folder.path("t10k-labels-idx1-ubyte")});
    CHECK(applied.steps == 100);
    CHECK(applied.series->classes().size() == 4);
    run_hierarchy(applied, {.overwrite = true});
    const auto trained = datasets_of(folder.path("r.h5")).at("/levels/0/representation");
    const auto told = datasets_of(folder.path("a.h5")).at("/levels/0/representation");
    REQUIRE(told.size() == 300);
    for (std::size_t i = 0; i < 300; ++i) CHECK(std::abs(told[i] - trained[900 + i]) < 1e-9);
    // What it was built from is an experiment of its own.
    const Experiment again = load_experiment_text(to_yaml(applied.config), folder.path("a.yaml"));
    CHECK(again.steps == 100);
  }
  folder.write("small", idx(3, {2, 2, 2}, "abcdefgh"));
  CHECK_THROWS_WITH_TEXT(application_of(folder.path("r.h5"), {.data = folder.path("small")}),
                         ConfigError, "expected pictures of [8, 8]");
  CHECK_THROWS_WITH_TEXT(application_of(folder.path("r.h5"), {.data = folder.path("none")}),
                         ConfigError, "no such file");
}
