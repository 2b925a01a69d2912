// SPDX-License-Identifier: MIT
// Networks with precision: bfloat16.
#include <cmath>
#include <filesystem>
#include <set>

#include "../../../src/experiment/run/apply_network.h"
#include "../../../src/experiment/run/train.h"
#include "../../support/catch.h"
#include "../../support/datasets.h"
#include "../../support/devices.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace fs = std::filesystem;

namespace {

TrainingSummary train(const TempDir& folder, const std::string& text, const std::string& name,
                      std::vector<std::string> settings, RunOptions options = {}) {
  settings.push_back("device=cpu");
  options.overwrite = true;
  Experiment experiment = load_experiment(folder.write("e.yaml", text),
                                          {.set = settings, .output = folder.path(name + "/r.h5")});
  return train_network(experiment, options);
}

std::vector<float> floats(const TempDir& folder, const std::string& name, const std::string& path) {
  return hdf5::File::open(folder.path(name + "/r.h5")).open_dataset(path).read<float>();
}

}  // namespace

FOLDER_TEST_CASE("a network is trained in mixed precision nearly as well as in full") {
  const TrainingSummary full = train(folder, kSeries, "full", {});
  const TrainingSummary mixed = train(folder, kSeries, "mixed", {"precision=bfloat16"});
  CHECK(mixed.score.nrmse < 0.3);
  CHECK(std::abs(mixed.score.nrmse - full.score.nrmse) < 0.05);
  CHECK(hdf5::File::open(folder.path("mixed/r.h5")).text_attribute("precision") == "bfloat16");
  const std::string weights = "network/layers/1/weights";
  CHECK(floats(folder, "mixed", weights) != floats(folder, "full", weights));
  // What the results have is not rounded.
  bool is_any_finer = false;
  for (const float w : floats(folder, "mixed", weights)) {
    is_any_finer |= static_cast<float>(bfloat16(w)) != w;
  }
  CHECK(is_any_finer);
  // tf32 is a permission, which a CPU does not use.
  train(folder, kSeries, "tf32", {"precision=tf32"});
  CHECK(floats(folder, "tf32", weights) == floats(folder, "full", weights));
  // There is nothing to round float64 to.
  train(folder, kSeries, "double", {"dtype=float64"});
  train(folder, kSeries, "double16", {"dtype=float64", "precision=bfloat16"});
  CHECK(hdf5::File::open(folder.path("double/r.h5")).open_dataset(weights).read<double>() ==
        hdf5::File::open(folder.path("double16/r.h5")).open_dataset(weights).read<double>());
}

TEST_CASE("pictures are told apart in mixed precision, and again by gaia apply") {
  const ImageFolder folder;
  const TrainingSummary mixed = train(folder, kImages, "mixed", {"precision=bfloat16"});
  CHECK(mixed.score.accuracy > 0.95);
  const NetworkApplication again = apply_network(folder.path("mixed/r.h5"),
                                                 {.data = folder.path("t10k-images-idx3-ubyte"),
                                                  .output = folder.path("applied.h5"),
                                                  .labels = folder.path("t10k-labels-idx1-ubyte")},
                                                 {.overwrite = true});
  CHECK(again.score.loss == mixed.score.loss);
  CHECK(again.score.accuracy == mixed.score.accuracy);
}

FOLDER_TEST_CASE("mixed precision gives the same bytes on any number of threads and after a kill") {
  const std::string text = kSeries + "  batch_size: 16\ncheckpoint: {every: 7}\n";
  const std::vector<std::string> settings = {"precision=bfloat16", "network.epochs=3"};
  RunOptions options;
  std::int64_t step = 0;
  const std::set<std::int64_t> kills = {11, 40, 66};
  options.on_progress = [&](const Progress& progress) {
    if (progress.ends_part || !kills.contains(++step)) return;
    fs::copy(folder.path("uncut"), folder.path(std::to_string(step)));
  };
  train(folder, text, "uncut", settings, options);
  const gaia::test::Datasets uncut = datasets_of(folder.path("uncut/r.h5"));
  for (const std::int64_t kill : kills) {
    INFO("killed after step " << kill);
    auto cut = open_cut_run(folder.path(std::to_string(kill) + "/r.h5"));
    REQUIRE(cut);
    RunOptions rest;
    rest.cut = &cut->run;
    train_network(cut->experiment, rest);
    check_same_datasets(uncut, datasets_of(folder.path(std::to_string(kill) + "/r.h5")));
  }
  for (const int threads : {1, 3}) {
    const Threads these(threads);
    train(folder, text, "threads", settings);
    check_same_datasets(uncut, datasets_of(folder.path("threads/r.h5")));
  }
}
