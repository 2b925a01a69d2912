// SPDX-License-Identifier: MIT
#include "../../../src/experiment/setup/learnt.h"

#include <cmath>
#include <filesystem>

#include "../../../src/core/error.h"
#include "../../../src/io/sha256.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/experiment_text.h"
#include "../../support/log_capture.h"
#include "../cuts.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Results of experiments that are changed from run to run, in one folder.
class Folder : public TempDir {
 public:
  explicit Folder(std::string text) : text_(std::move(text)) {}

  Experiment load(const std::string& name, std::vector<std::string> settings = {}) const {
    settings.push_back("device=cpu");
    return load_text(*this, text_, settings, name + ".h5");
  }
  HierarchySummary run(const std::string& name,
                       const std::vector<std::string>& settings = {}) const {
    Experiment experiment = load(name, settings);
    return run_hierarchy(experiment, {.overwrite = true});
  }
  Datasets results(const std::string& name) const { return datasets_of(path(name + ".h5")); }

 private:
  std::string text_;
};

/// What `load` complains of.
std::string complaint(const Folder& folder, const std::vector<std::string>& settings) {
  return complaint_of<ConfigError>([&] { folder.load("complaint", settings); });
}

const std::string kFirst = "/levels/0/layers/0/";
const std::string kSlow = "/levels/1/layers/1/";

}  // namespace

TEST_CASE("a run begins with everything that another has learnt") {
  const Folder folder(everything("bcm", "mean"));
  folder.run("a");
  folder.run("b", {"hierarchy.from=a.h5", "hierarchy.learn=false", "seed=8"});
  const Datasets a = folder.results("a");
  const Datasets b = folder.results("b");
  int compared = 0;
  for (const auto& [path, values] : a) {
    for (const char* name : {"/weights", "/bias", "/recurrent", "/theta"}) {
      if (path.find("/layers/") == std::string::npos || path.rfind("/levels/", 0) != 0) continue;
      if (path.find("/history") != std::string::npos || !path.ends_with(name)) continue;
      INFO(path);
      CHECK(same_bits(values, b.at(path)));
      if (path.ends_with("/weights")) CHECK(same_bits(values, b.at(path + "_initial")));
      ++compared;
    }
  }
  CHECK(compared == 5 + 2 + 1 + 3 + 3);  // thresholds have two names

  // The file says where it came from.
  const hdf5::File file = hdf5::File::open(folder.path("b.h5"));
  const hdf5::Group levels = file.open_group("levels");
  CHECK(levels.text_attribute("from") == folder.path("a.h5"));
  CHECK(levels.text_attribute("from_sha256") == sha256_of_file(folder.path("a.h5")));
  CHECK(levels.text_attribute("from_run_id") ==
        hdf5::File::open(folder.path("a.h5")).text_attribute("run_id"));
  CHECK(file.texts_attribute("input_files") == std::vector{folder.path("a.h5")});
  CHECK_FALSE(hdf5::File::open(folder.path("a.h5")).open_group("levels").has_attribute("from"));
}

TEST_CASE("two epochs are a run and one that begins with what it has learnt") {
  for (const char* const rule : {"hebbian", "oja", "bcm", "sanger", "oja_subspace"}) {
    INFO(rule);
    const Folder folder(everything(rule, "ema"));
    // Checkpoints and histories cut blocks at the same steps of every epoch.
    const std::vector<std::string> all = {"hierarchy.freeze_after=100000", "checkpoint.every=50",
                                          "output.weights={every: 120}"};
    const auto with = [&](const std::string& setting) {
      std::vector<std::string> settings = all;
      settings.push_back(setting);
      return settings;
    };
    // Before the last epoch nothing is learnt behind the training part of the earliest readout,
    // two: of its 200 ticks the first 60 come before what is scored, 3 of these, 9 steps that its
    // targets are means of, are purged, and the last of the others is step 3 * 56.
    folder.run("first", with("hierarchy.freeze_after=169"));
    folder.run("second", with("hierarchy.from=first.h5"));
    folder.run("both", with("hierarchy.epochs=2"));
    const Datasets second = folder.results("second");
    const Datasets both = folder.results("both");
    int compared = 0;
    for (const auto& [path, values] : second) {
      const bool is_of_series = path.rfind("/levels", 0) == 0 || path.rfind("/readouts", 0) == 0 ||
                                path.rfind("/data", 0) == 0;
      // The weights at the very start, which the frozen control has, and on the way are those of
      // the first epoch.
      const bool is_of_start = path.ends_with("_initial") ||
                               path.find("/history") != std::string::npos ||
                               path.find("/controls/frozen") != std::string::npos;
      if (!is_of_series || is_of_start) continue;
      INFO(path);
      CHECK(same_bits(values, both.at(path)));
      ++compared;
    }
    CHECK(compared > 40);
    CHECK(same_bits(both.at(kFirst + "weights_initial"),
                    folder.results("first").at(kFirst + "weights_initial")));
  }
}

TEST_CASE("what was learnt answers as its equations say") {
  const Folder folder(kMinimal + "dtype: float64\n");
  folder.run("a");
  folder.run("b", {"hierarchy.from=a.h5", "hierarchy.learn=false", "seed=3", "output.inputs=all"});
  const Datasets learnt = folder.results("a");
  const Datasets made = folder.results("b");
  const auto answer = [](const std::vector<double>& weights, const std::vector<double>& x,
                         std::size_t outputs, bool tanh) {
    std::vector<double> y(outputs);
    for (std::size_t i = 0; i < outputs; ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) y[i] += weights[i * x.size() + j] * x[j];
      if (tanh) y[i] = std::tanh(y[i]);
    }
    return y;
  };
  const std::vector<double>& samples = made.at("/data/samples");
  std::vector<std::vector<double>> fast;
  double worst = 0.0;
  for (std::size_t t = 0; t < 300; ++t) {
    const double* const row = samples.data() + 3 * t;
    const std::vector<double> x(row, row + 3);
    fast.push_back(answer(learnt.at(kFirst + "weights"), x, 2, false));
    for (std::size_t i = 0; i < 2; ++i) {
      worst =
          std::max(worst, std::abs(fast[t][i] - made.at("/levels/0/representation")[2 * t + i]));
    }
    if (t % 3 != 0) continue;
    std::vector<double> mean(2);
    const std::size_t first = t < 2 ? 0 : t - 2;
    for (std::size_t s = first; s <= t; ++s) {
      for (std::size_t i = 0; i < 2; ++i)
        mean[i] += fast[s][i] / static_cast<double>(t + 1 - first);
    }
    const std::vector<double> hidden =
        answer(learnt.at("/levels/1/layers/0/weights"), mean, 4, true);
    const std::vector<double> slow = answer(learnt.at(kSlow + "weights"), hidden, 2, false);
    for (std::size_t i = 0; i < 2; ++i) {
      worst =
          std::max(worst, std::abs(slow[i] - made.at("/levels/1/representation")[2 * (t / 3) + i]));
    }
  }
  CHECK(worst < 1e-12);
}

TEST_CASE("levels that the earlier run did not have begin as usual") {
  const std::string third =
      "    - temporal_resolution: 5\n      layers:\n"
      "        - {type: hebbian, size: 3, rule: oja}\n";
  const Folder two(kMinimal);
  two.run("a");
  const Folder three(kMinimal + third);
  std::filesystem::copy_file(two.path("a.h5"), three.path("a.h5"));
  three.run("new");
  three.run("grown", {"hierarchy.from=a.h5"});
  const Datasets fresh = three.results("new");
  const Datasets grown = three.results("grown");
  const std::string added = "/levels/2/layers/0/weights_initial";
  CHECK(same_bits(grown.at(added), fresh.at(added)));
  CHECK(same_bits(grown.at(kFirst + "weights_initial"), two.results("a").at(kFirst + "weights")));
  // Levels that are no longer there are not missed, and another rule begins its memory as usual.
  two.run("other_rule", {"hierarchy.from=a.h5", "hierarchy.levels[0].layers[0].rule=bcm",
                         "hierarchy.levels[0].layers[0].theta=0.25", "hierarchy.learn=false"});
  CHECK(two.results("other_rule").at(kFirst + "theta") == std::vector<double>{0.25, 0.25});
  CHECK(same_bits(two.results("other_rule").at(kSlow + "theta"),
                  two.results("a").at(kSlow + "theta")));
}

TEST_CASE("what cannot be begun with is told with its place") {
  const Folder folder(kMinimal +
                      "readouts:\n"
                      "  - {name: one, target: {channel: 0, horizon: 2}, levels: [0, 1]}\n");
  folder.run("a", {"data.normalize=zscore"});
  folder.run("plain", {"output.weights=none"});
  struct Wrong {
    std::vector<std::string> settings;
    std::string message;
  };
  const std::vector<Wrong> all = {
      {{"hierarchy.from=b.h5"}, "hierarchy.from: file 'b.h5' not found (did you mean 'a.h5'?)"},
      {{"hierarchy.from=plain.h5"}, "has no weights: its run was told to store none"},
      {{"hierarchy.from=a.h5", "dtype=float64"}, "are float32, those of this run float64"},
      {{"hierarchy.from=a.h5", "hierarchy.levels[0].layers[0].size=3"},
       "hierarchy.levels[0].layers[0]: its weights are [3, 3], those of"},
      {{"hierarchy.from=a.h5", "data.window=2"}, "its weights are [2, 6]"},
      {{"hierarchy.from=a.h5", "hierarchy.levels[1].pooling=concat"},
       "hierarchy.levels[1].layers[0]: its weights are [4, 6]"},
      {{"hierarchy.from=a.h5", "hierarchy.levels[1].layers[0]={type: temporal, size: 4}"},
       "hierarchy.levels[1].layers[0].type: expected reactive, as that of"},
      {{"hierarchy.from=a.h5", "hierarchy.levels[1].layers=[{type: reactive, size: 4}]"},
       "hierarchy.levels[1].layers: expected 2 layers, as this level of"},
      {{"hierarchy.from=plain.h5", "data.normalize=stored"}, "use none"},
      {{"hierarchy.from=a.h5", "data.normalize=stored", "data.spectrum=[2, 1]"},
       "has scaled 3 channels, these data have 2"},
      {{"data.normalize=stored"}, "data.normalize: stored needs a run"},
      {{"readouts[0].learn=false"}, "readouts[0].learn: a readout that does not learn needs a run"},
      {{"hierarchy.from=a.h5", "readouts[0].learn=false", "readouts[0].name=two"},
       "has no readout 'two'"},
      {{"hierarchy.from=a.h5", "readouts[0].learn=false", "readouts[0].levels=[1]"},
       "levels is [1], that of the readout in"},
      {{"hierarchy.from=a.h5", "readouts[0].learn=false", "readouts[0].target.horizon=3"},
       "target_horizon is 3, that of the readout in"},
      {{"hierarchy.from=a.h5", "readouts[0].learn=false", "readouts[0].target={latent: 0}"},
       "target_latent is 0, that of the readout in"},
      {{"hierarchy.from=a.h5", "hierarchy.epochs=0"},
       "hierarchy.epochs: expected an integer from 1"},
      {{"hierarchy.epochs=1000000000", "data.steps=20000000"},
       "hierarchy.epochs: expected at most"},
  };
  for (const Wrong& wrong : all) {
    INFO(wrong.settings.back());
    CHECK_SAYS(complaint(folder, wrong.settings), wrong.message);
  }
  // Not even --overwrite may replace what is begun with.
  CHECK_THROWS_WITH_TEXT(load_text(folder, kMinimal, {"hierarchy.from=a.h5"}, "a.h5"), ConfigError,
                         "is the run that this one begins with (hierarchy.from)");
}

TEST_CASE("a run that is not complete, or a file that is none, is not begun with") {
  const Cuts cuts(everything("oja", "mean"));
  cuts.run_until("cut", 100);
  const std::string partial = cuts.result("cut") + ".partial";
  CHECK_THROWS_WITH_TEXT(
      load_experiment(cuts.folder().write("e2.yaml", everything("oja", "mean")),
                      {.set = {"hierarchy.from=" + partial}, .output = cuts.folder().path("o.h5")}),
      ConfigError, "is interrupted, not complete; `gaia resume` goes on");
  const Folder folder(kMinimal);
  folder.run("a");
  folder.write("text.h5", "no results at all");
  CHECK_THROWS_WITH_TEXT(folder.load("b", {"hierarchy.from=text.h5"}), DataError, "text.h5");
  // One that is cut short, and one whose weights are not finite.
  std::filesystem::copy_file(folder.path("a.h5"), folder.path("short.h5"));
  std::filesystem::resize_file(folder.path("short.h5"), 3000);
  CHECK_THROWS_AS(folder.load("b", {"hierarchy.from=short.h5"}), DataError);
  {
    hdf5::File file = hdf5::File::modify(folder.path("a.h5"));
    file.open_dataset("levels/0/layers/0/weights")
        .write<float>(std::vector<float>{1, 2, 3, 4, 5, NAN});
    file.close();
  }
  CHECK_THROWS_WITH_TEXT(folder.run("b", {"hierarchy.from=a.h5"}), DataError,
                         "/levels/0/layers/0/weights is not finite");
}

TEST_CASE("a run with weights of another is resumed to the same bytes, if that is still there") {
  const Folder folder(everything("bcm", "ema"));
  folder.run("a");
  const std::string text = everything("bcm", "ema");
  const std::string from = "  from: " + folder.path("a.h5") + "\n";
  const std::size_t at = text.find("hierarchy:\n") + 11;
  const Cuts cuts(text.substr(0, at) + from + text.substr(at));
  cuts.run("uncut");
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  cuts.run_until("cut", 300);
  cuts.resume("cut");
  cuts.check_same("cut", uncut);
  cuts.run_until("lost", 300);
  folder.run("a", {"seed=9"});
  CHECK_THROWS_WITH_TEXT(open_cut_run(cuts.result("lost")), DataError,
                         "is not the file that the run has read");
}

TEST_CASE("a level or a layer does not learn where it is told so") {
  const Folder folder(everything("oja", "mean"));
  const auto changed = [&](const std::vector<std::string>& settings) {
    folder.run("r", settings);
    const Datasets made = folder.results("r");
    std::string text;
    for (const char* layer : {"0/layers/0", "1/layers/1", "2/layers/1"}) {
      const std::string path = std::string("/levels/") + layer;
      const bool has = !same_bits(made.at(path + "/weights"), made.at(path + "/weights_initial"));
      text += has ? "x" : "-";
      CHECK(made.contains(path + "/history/weights") == has);
    }
    return text;
  };
  const std::string level = "hierarchy.levels[1].learn=false";
  const std::string layer = "hierarchy.levels[2].layers[1].learn=false";
  CHECK(changed({}) == "xxx");
  CHECK(changed({level}) == "x-x");
  CHECK(changed({layer}) == "xx-");
  CHECK(changed({level, layer}) == "x--");
  CHECK(hdf5::File::open(folder.path("r.h5")).open_group("levels/1").text_attribute("learn") ==
        "false");
  CHECK(hdf5::File::open(folder.path("r.h5"))
            .open_group("levels/2/layers/1")
            .text_attribute("learn") == "false");

  // What learns does so as if the others, which are above it, were not there.
  folder.run("all");
  CHECK(same_bits(folder.results("all").at(kFirst + "weights"),
                  folder.results("r").at(kFirst + "weights")));
  // Layers that never learn take the key with a warning.
  const Experiment experiment = folder.load("w", {"hierarchy.levels[1].layers[0].learn=false"});
  REQUIRE(experiment.warnings.size() == 1);
  CHECK_SAYS(experiment.warnings.front(),
             "hierarchy.levels[1].layers[0].learn has no effect without type: hebbian");
}

TEST_CASE("after freeze_after steps nothing learns any more, whatever came before") {
  const Folder folder(everything("bcm", "mean"));
  folder.run("all", {"hierarchy.freeze_after=180"});
  folder.run("short", {"hierarchy.freeze_after=100000", "data.steps=180", "data.normalize=none"});
  folder.run("frozen", {"hierarchy.freeze_after=180", "data.normalize=none"});
  const Datasets frozen = folder.results("frozen");
  const Datasets until = folder.results("short");
  for (const std::string& name : {kFirst + "weights", kSlow + "weights", kSlow + "theta"}) {
    INFO(name);
    CHECK(same_bits(frozen.at(name), until.at(name)));
  }
  const std::vector<double>& changes = frozen.at("/metrics/weight_change");
  const std::vector<double>& steps = frozen.at("/metrics/step");
  for (std::size_t i = 0; i < steps.size(); ++i)
    CHECK((changes[3 * i] > 0.0) == (steps[i] <= 180.0));
}

TEST_CASE("readouts are stored, and predict what they have predicted") {
  const Folder folder("dtype: float64\n" + [] {
    std::string text = everything("oja", "mean");
    return text.substr(0, text.find("dtype")) + text.substr(text.find("data:"));
  }());
  folder.run("a");
  const Datasets a = folder.results("a");
  const std::vector<double>& weights = a.at("/readouts/one/weights");
  REQUIRE(weights.size() == 5 + 4 + 3);
  CHECK(a.at("/readouts/one/level") == std::vector<double>{0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2});
  CHECK(a.at("/readouts/one/neuron") == std::vector<double>{0, 1, 2, 3, 4, 0, 1, 2, 3, 0, 1, 2});
  const std::vector<double>& steps = a.at("/readouts/one/step");
  const std::vector<double>& predictions = a.at("/readouts/one/prediction");
  REQUIRE(steps.size() > 100);
  constexpr std::size_t sizes[] = {5, 4, 3};
  constexpr std::size_t resolutions[] = {1, 3, 7};
  double worst = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    double prediction = a.at("/readouts/one/intercept").front();
    std::size_t feature = 0;
    for (std::size_t level = 0; level < 3; ++level) {
      const std::size_t row = static_cast<std::size_t>(steps[i]) / resolutions[level];
      const std::vector<double>& shown =
          a.at("/levels/" + std::to_string(level) + "/representation");
      for (std::size_t n = 0; n < sizes[level]; ++n) {
        prediction += weights[feature++] * shown[row * sizes[level] + n];
      }
    }
    worst = std::max(worst, std::abs(prediction - predictions[i]));
  }
  CHECK(worst < 1e-9);

  // Used again they predict the same where nothing learnt any more; and everywhere, also where the
  // target is not known.
  const LogCapture quiet;
  folder.run("b", {"hierarchy.from=a.h5", "hierarchy.learn=false", "readouts[0].learn=false",
                   "data.normalize=stored"});
  const Datasets b = folder.results("b");
  REQUIRE(b.at("/readouts/one/step").size() == static_cast<std::size_t>(kSteps));
  CHECK(same_bits(b.at("/data/mean"), a.at("/data/mean")));
  CHECK(same_bits(b.at("/readouts/one/weights"), weights));
  double latest = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto step = static_cast<std::size_t>(steps[i]);
    CHECK(b.at("/readouts/one/target")[step] == a.at("/readouts/one/target")[i]);
    if (step < 580) continue;  // a reservoir remembers what it was told before
    latest = std::max(latest, std::abs(b.at("/readouts/one/prediction")[step] - predictions[i]));
  }
  CHECK(latest < 1e-3);
  for (std::size_t step = 0; step < static_cast<std::size_t>(kSteps); ++step) {
    CHECK(std::isfinite(b.at("/readouts/one/prediction")[step]));
    CHECK(std::isfinite(b.at("/readouts/one/target")[step]) == (step < 596));
  }
  const hdf5::File file = hdf5::File::open(folder.path("b.h5"));
  CHECK(std::isfinite(*file.open_group("readouts/one").number_attribute("nrmse")));
  CHECK(file.open_group("readouts/one").text_attribute("learn") == "false");
}

TEST_CASE("keys of learning are written as they are read") {
  const Folder folder(everything("oja", "mean"));
  folder.run("a");
  Experiment experiment = folder.load(
      "b", {"hierarchy.from=a.h5", "hierarchy.epochs=4", "hierarchy.levels[1].learn=false",
            "hierarchy.levels[0].layers[0].learn=false", "readouts[1].learn=false",
            "data.normalize=stored"});
  const std::string yaml = to_yaml(experiment.config);
  for (const char* line :
       {"  from: a.h5\n", "  epochs: 4\n", "      learn: false\n", "          learn: false\n",
        "    learn: false\n", "  normalize: stored\n"}) {
    CHECK_SAYS(yaml, line);
  }
  const Experiment again =
      load_experiment_text(yaml, folder.path("again.yaml"), {.set = {"device=cpu"}});
  CHECK(to_yaml(again.config) == yaml);
  CHECK(again.config.data.scaling.scale.size() == 3);
  CHECK(experiment.all_steps() == 4 * kSteps);
  // Null takes it away again.
  CHECK(folder.load("c", {"hierarchy.from=null"}).from == nullptr);
}
