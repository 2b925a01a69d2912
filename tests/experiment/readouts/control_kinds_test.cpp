// SPDX-License-Identifier: MIT
/// \file
/// What each control shows its readouts, compared with the same computed by hand.
#include <cmath>
#include <set>

#include "../../../src/array/create.h"
#include "../../../src/array/device.h"
#include "../../../src/experiment/readouts/control.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/setup/build.h"
#include "../../../src/io/hdf5.h"
#include "../../../src/layers/hierarchy/temporal.h"
#include "../../../src/learning/ridge.h"
#include "../../reference/scikit_learn/pca.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"
#include "../regression.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr double kRidge = 1e-6;  // the default of readouts

/// Two channels that are noisy, slow and not linear functions of each other.
test::Rows two_channels(std::size_t rows) {
  test::Rows x;
  double slow = 0.0;
  std::uint32_t state = 12345;
  const auto noise = [&state] {
    state = state * 1664525u + 1013904223u;
    return static_cast<double>(state >> 8) / 16777216.0 - 0.5;
  };
  for (std::size_t t = 0; t < rows; ++t) {
    slow = 0.9 * slow + noise();
    x.push_back(
        {std::sin(0.3 * static_cast<double>(t)) + 0.3 * noise(), std::tanh(slow) + 0.2 * noise()});
  }
  return x;
}

std::string csv_of(const test::Rows& rows, const std::string& header) {
  std::string text = header + "\n";
  for (const std::vector<double>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += (i == 0 ? "" : ",") + std::to_string(row[i]);
    }
    text += "\n";
  }
  return text;
}

/// Rows as they stand in the file: rounded.
test::Rows as_written(test::Rows rows) {
  for (std::vector<double>& row : rows) {
    for (double& value : row) value = std::stod(std::to_string(value));
  }
  return rows;
}

/// An experiment over these rows.
struct Setting {
  TempDir folder;
  Experiment experiment;
  HierarchyManager hierarchy;

  Setting(const test::Rows& rows, const std::string& header, const std::string& yaml) {
    folder.write("d.csv", csv_of(rows, header));
    experiment = load_text(folder, "experiment: e\ndtype: float64\n" + yaml, {"device=cpu"});
    hierarchy = build_hierarchy(experiment.config, experiment.features());
  }

  ControlSetup setup() const { return control_setup(experiment, hierarchy); }

  /// What source `source` of a control shows at its ticks through all trials, read in blocks of so
  /// many steps.
  test::Rows shown_by(Control& control, std::int64_t source, std::int64_t block) const {
    const DataConfig& data = experiment.config.data;
    SampleReader samples(*experiment.series, data, experiment.trials, DType::float64, {}, false);
    test::Rows shown;
    for (const Trial& trial : experiment.trials.all()) {
      control.begin_trial();
      for (std::int64_t step = trial.first_step; step < trial.end(); step += block) {
        const Array x = samples.read(step, std::min(block, trial.end() - step));
        const HierarchyBlock made = control.process({x, {}, step, {}, hierarchy});
        const Array& ticks = made.levels[static_cast<std::size_t>(source)].ticks;
        const std::vector<double> values = ticks.to_vector<double>();
        const auto width = static_cast<std::ptrdiff_t>(ticks.shape(2));
        for (auto at = values.begin(); at != values.end(); at += width) {
          shown.emplace_back(at, at + width);
        }
      }
    }
    return shown;
  }

  double stored(const std::string& control, const std::string& name = "r2",
                const std::string& readout = "a") const {
    const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
    return file.open_group("readouts/" + readout + "/controls/" + control)
        .number_attribute(name)
        .value();
  }
};

void check_rows(const test::Rows& found, const test::Rows& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t t = 0; t < found.size(); ++t) {
    INFO("tick " << t);
    REQUIRE(found[t].size() == expected[t].size());
    for (std::size_t i = 0; i < found[t].size(); ++i) {
      CHECK(found[t][i] == Approx(expected[t][i]).margin(1e-9));
    }
  }
}

/// The last 32 rows before and at each of so many steps from `first` on, oldest first.
test::Rows windows_of(const test::Rows& x, std::size_t first, std::size_t steps,
                      std::size_t spacing) {
  test::Rows windows;
  for (std::size_t t = first; t < first + steps; t += spacing) {
    std::vector<double> row;
    for (std::size_t lag = 32; lag-- > 0;) {
      for (std::size_t c = 0; c < x.front().size(); ++c) {
        row.push_back(t >= first + lag ? x[t - lag][c] : 0.0);
      }
    }
    windows.push_back(row);
  }
  return windows;
}

const std::string kOneLevel =
    "hierarchy:\n"
    "  levels: [{layers: [{type: hebbian, size: 3, rule: oja, learning_rate: 0.001}]}]\n";

}  // namespace

TEST_CASE("the same past is the samples through the same poolings, and its score that of ridge") {
  const test::Rows x = as_written(two_channels(300));
  for (const std::int64_t block : {300, 7, 1}) {
    INFO("blocks of " << block);
    const Setting setting(
        x, "u,v",
        "data: {source: file, path: d.csv}\n"
        "hierarchy:\n  levels:\n"
        "    - layers: [{type: hebbian, size: 3, rule: oja, learning_rate: 0.001}]\n"
        "    - {temporal_resolution: 3, pooling: mean, layers: [{type: reactive, size: 1}]}\n"
        "    - {temporal_resolution: 4, pooling: concat, layers: [{type: reactive, size: 2}]}\n"
        "readouts: [{name: a, target: {channel: u, horizon: 2}, levels: [1, 2]}]\n");
    const auto control = make_control("same_past", setting.setup());
    test::Rows mean;  // at every step, held from tick to tick
    test::Rows means;
    test::Rows joined;
    for (std::size_t t = 0; t < x.size(); ++t) {
      std::vector<double> now = mean.empty() ? std::vector<double>(2) : mean.back();
      if (t % 3 == 0) {
        const std::size_t from = t < 2 ? 0 : t - 2;
        now.assign(2, 0.0);
        for (std::size_t s = from; s <= t; ++s) {
          for (std::size_t c = 0; c < 2; ++c) now[c] += x[s][c] / static_cast<double>(t - from + 1);
        }
        means.push_back(now);
      }
      mean.push_back(now);
      if (t % 4 != 0) continue;
      joined.emplace_back();
      for (std::size_t lag = 4; lag-- > 0;) {
        for (std::size_t c = 0; c < 2; ++c)
          joined.back().push_back(t < lag ? 0.0 : mean[t - lag][c]);
      }
    }
    check_rows(setting.shown_by(*control, 0, block), x);
    check_rows(setting.shown_by(*control, 1, block), means);
    check_rows(setting.shown_by(*control, 2, block), joined);
    if (block != 7) continue;
    test::Rows features;  // at the ticks of level 1; level 2 is held
    std::vector<double> target;
    for (std::size_t t = 0; t + 2 < x.size(); t += 3) {
      features.push_back(means[t / 3]);
      features.back().insert(features.back().end(), joined[t / 4].begin(), joined[t / 4].end());
      target.push_back(x[t + 2][0]);
    }
    const auto trained = static_cast<std::size_t>(0.7 * static_cast<double>(features.size()));
    // Four ticks are within 13 steps: level 2 pools steps t - 3 to t of what level 1 has held for
    // up to two steps, pools three, and is read up to three steps later; the horizon is two.
    const std::vector<double> w = fit_ridge(features, target, 0, trained - 4, kRidge);
    Experiment& experiment = const_cast<Experiment&>(setting.experiment);
    run_hierarchy(experiment);
    CHECK(setting.stored("same_past") ==
          Approx(r2_of(w, features, target, trained, features.size())).epsilon(1e-7));
  }
}

TEST_CASE("the window is a regression on the last 32 rows at the ticks that are read") {
  const test::Rows x = as_written(two_channels(400));
  Setting setting(x, "u,v",
                  "data: {source: file, path: d.csv}\n"
                  "hierarchy:\n  levels:\n"
                  "    - {temporal_resolution: 4, layers: [{type: reactive, size: 1}]}\n"
                  "    - {temporal_resolution: 6, layers: [{type: reactive, size: 2}]}\n"
                  "readouts:\n"
                  "  - {name: a, target: {channel: v, horizon: 1}, levels: [0]}\n"
                  "  - {name: b, target: {channel: v, horizon: 3}, levels: [1]}\n"
                  "controls: [window]\n");
  const auto control = make_control("window", setting.setup());
  for (const std::int64_t block : {400, 9, 1}) {
    check_rows(setting.shown_by(*control, 0, block), windows_of(x, 0, 400, 2));
  }
  test::Rows features = windows_of(x, 0, 399, 4);
  std::vector<double> target;
  for (std::size_t t = 0; t + 1 < x.size(); t += 4) target.push_back(x[t + 1][1]);
  const auto trained = static_cast<std::size_t>(0.7 * static_cast<double>(target.size()));
  // A tick is purged, which is within 1 + 4 + 1 steps of the test part.
  const std::vector<double> w = fit_ridge(features, target, 0, trained - 1, kRidge);
  run_hierarchy(setting.experiment);
  CHECK(setting.stored("window") ==
        Approx(r2_of(w, features, target, trained, target.size())).epsilon(1e-6));
}

/// What nvar reads of the rows [0, t], by plain loops.
std::vector<double> products_at(const test::Rows& x, std::int64_t t, std::int64_t rows,
                                std::int64_t gap) {
  std::vector<double> v;
  for (std::int64_t k = rows - 1; k >= 0; --k) {
    for (std::size_t c = 0; c < x[0].size(); ++c) {
      v.push_back(t - k * gap < 0 ? 0.0 : x[static_cast<std::size_t>(t - k * gap)][c]);
    }
  }
  const std::size_t n = v.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) v.push_back(v[i] * v[j]);
  }
  return v;
}

TEST_CASE("nvar reads a few rows and the products of their numbers, in blocks of any length") {
  const test::Rows x = as_written(two_channels(120));
  const Setting setting(x, "u,v",
                        "data: {source: file, path: d.csv}\n" + kOneLevel +
                            "readouts: [{name: a, target: {channel: u, horizon: 1}, levels: [0]}]\n"
                            "controls: [nvar]\n");
  const auto control = make_control("nvar", setting.setup());
  REQUIRE(control->variants() == 2);
  const std::pair<std::int64_t, std::int64_t> lags[] = {{2, 1}, {6, 3}};
  for (std::int64_t variant = 0; variant < 2; ++variant) {
    const auto& [first, second] = lags[variant];
    test::Rows expected;
    for (std::int64_t t = 0; t < 120; ++t) {
      expected.push_back(products_at(x, t, first, second));
    }
    for (const std::int64_t block : {120, 7, 1}) {
      control->begin_trial();
      check_rows(setting.shown_by(*control, variant, block), expected);
    }
  }
}

TEST_CASE(
    "nvar goes on with the rows that a readout has said, of the variant that it is asked for") {
  const test::Rows x = as_written(two_channels(60));
  const Setting setting(x, "u,v",
                        "data: {source: file, path: d.csv}\n" + kOneLevel +
                            "readouts: [{name: a, target: {channel: u, horizon: 1}, levels: [0]}]\n"
                            "controls: [nvar]\n");
  for (const std::size_t variant : {0U, 1U}) {
    const auto control = make_control("nvar", setting.setup());
    setting.shown_by(*control, static_cast<std::int64_t>(variant), 60);
    const auto reader = control->free_reader(variant, setting.hierarchy);
    test::Rows all = x;
    for (int step = 0; step < 5; ++step) {
      all.push_back({0.1 * step, 1.0 - 0.2 * step});
      const HierarchyBlock block = reader->read(from_values(all.back(), {1, 2}));
      CHECK(block.levels[1 - variant].ticks.size() == 0);
      const std::vector<double> shown = block.levels[variant].ticks.to_vector<double>();
      const std::vector<double> expected =
          products_at(all, std::ssize(all) - 1, variant == 0 ? 2 : 6, variant == 0 ? 1 : 3);
      REQUIRE(shown.size() == expected.size());
      for (std::size_t i = 0; i < shown.size(); ++i) CHECK(shown[i] == Approx(expected[i]));
    }
  }
}

TEST_CASE("nvar goes on by itself with a ridge that holds, and else with that of the readout") {
  const test::Rows x = as_written(two_channels(60));
  const auto ridge_of = [&](const std::string& keys) {
    const Setting setting(x, "u,v",
                          "data: {source: file, path: d.csv}\n" + kOneLevel +
                              "readouts:\n"
                              "  - {name: a, target: {channel: [u, v], horizon: 1}, levels: [0], "
                              "ridge: " +
                              keys + "}\ncontrols: [nvar]\n");
    const auto control = make_control("nvar", setting.setup());
    return control->reader_of(setting.experiment.config.readouts[0])
        .kind.get_if<RidgeOptions>()
        ->ridge;
  };
  CHECK(ridge_of("1.0e-13, free_run: {from: 55, steps: 4}") == 1e-7);
  CHECK(ridge_of("1.0e-3, free_run: {from: 55, steps: 4}") == 1e-3);
  CHECK(ridge_of("1.0e-13") == 1e-13);
}

TEST_CASE("a window of samples gives the window control its older rows, and no trial another's") {
  const test::Rows x = as_written(two_channels(90));
  const Setting setting(x, "u,v",
                        "data: {source: file, path: d.csv, window: 5, trials: {length: 45}}\n" +
                            kOneLevel +
                            "readouts: [{name: a, target: {channel: u, horizon: 1}, levels: [0], "
                            "split: 0.5}]\n");
  const auto control = make_control("window", setting.setup());
  test::Rows expected;
  for (const std::size_t first : {0U, 45U}) {
    const test::Rows trial = windows_of(x, first, 45, 1);
    expected.insert(expected.end(), trial.begin() + 4, trial.end());
  }
  check_rows(setting.shown_by(*control, 0, 11), expected);
}

TEST_CASE("principal components are those of scikit-learn, of the training part alone") {
  namespace scikit = gaia::test::scikit_pca;
  test::Rows x;
  for (std::size_t t = 0; t < 40; ++t) {
    x.emplace_back(scikit::rows.begin() + static_cast<std::ptrdiff_t>(6 * t),
                   scikit::rows.begin() + static_cast<std::ptrdiff_t>(6 * t + 6));
  }
  for (std::size_t t = 0; t < 20; ++t) x.push_back({1e3, -1e3, 1e3, static_cast<double>(t), 0, 1});
  const Setting setting(x, "a,b,c,d,e,f",
                        "data: {source: file, path: d.csv}\n"
                        "hierarchy: {levels: [{layers: [{type: reactive, size: 4}]}]}\n"
                        "readouts:\n"
                        "  - {name: a, target: {channel: 0, horizon: 1}, levels: [0],\n"
                        "     split: {train: 0.9, validation: 0, test: 0.1}}\n"
                        "  - {name: b, target: {channel: 0}, levels: [0],\n"
                        "     split: {train: 0.7, validation: 0.1, test: 0.2}}\n");
  const auto control = make_control("pca", setting.setup());
  // The readout that is trained on least counts: 42 steps but for the two next to those it is
  // validated by.
  CHECK(control->steps_before() == Stretches{{0, 40}});
  SampleReader samples(*setting.experiment.series, setting.experiment.config.data,
                       setting.experiment.trials, DType::float64, {}, false);
  for (std::int64_t step = 0; step < 40; step += 8) control->see(samples.read(step, 8));
  control->end_seeing();
  REQUIRE(control->sources(setting.experiment.config.readouts[0])[0].size == 4);
  const test::Rows codes = setting.shown_by(*control, 0, 7);
  for (std::size_t i = 0; i < 4; ++i) {
    const double sign = codes[0][i] * scikit::codes[i] > 0.0 ? 1.0 : -1.0;
    for (std::size_t t = 0; t < 5; ++t) {
      CHECK(sign * codes[t][i] == Approx(scikit::codes[6 * t + i]).epsilon(1e-8));
    }
  }
}

TEST_CASE("a run finds its principal components before its first step, level by level") {
  const test::Rows x = as_written(two_channels(300));
  Setting setting(
      x, "u,v",
      "data: {source: file, path: d.csv, trials: {length: 50}}\n"
      "hierarchy:\n  levels:\n"
      "    - layers: [{type: hebbian, size: 1, rule: oja, learning_rate: 0.001}]\n"
      "    - {temporal_resolution: 5, pooling: mean, layers: [{type: reactive, size: 7}]}\n"
      "readouts: [{name: a, target: {channel: u, horizon: 1}, levels: [0, 1], split: 0.7}]\n"
      "controls: [pca]\n");
  const auto control = make_control("pca", setting.setup());
  const auto sources = control->sources(setting.experiment.config.readouts[0]);
  CHECK(sources[0].size == 1);
  CHECK(sources[1].size == 2);                            // no more than it reads
  CHECK(control->steps_before() == Stretches{{0, 200}});  // four of six trials
  run_hierarchy(setting.experiment);
  // By hand: the larger component of two channels, their mean over five steps, and ridge.
  double c[3] = {0, 0, 0};
  double mean[2] = {0, 0};
  for (std::size_t t = 0; t < 200; ++t) {
    for (std::size_t i = 0; i < 2; ++i) mean[i] += x[t][i] / 200.0;
  }
  for (std::size_t t = 0; t < 200; ++t) {
    const double u = x[t][0] - mean[0];
    const double v = x[t][1] - mean[1];
    c[0] += u * u;
    c[1] += u * v;
    c[2] += v * v;
  }
  const double angle = 0.5 * std::atan2(2.0 * c[1], c[0] - c[2]);
  test::Rows features;
  std::vector<double> target;
  for (std::size_t trial = 0; trial < 6; ++trial) {
    std::vector<double> slow(2);
    for (std::size_t t = 0; t < 50; ++t) {
      const std::size_t row = trial * 50 + t;
      if (t % 5 == 0) {
        const std::size_t count = t == 0 ? 1 : 5;
        slow.assign(2, 0.0);
        for (std::size_t s = 0; s < count; ++s) {
          for (std::size_t i = 0; i < 2; ++i) slow[i] += x[row - s][i] / static_cast<double>(count);
        }
      }
      if (t == 49) continue;
      // All components of what level 1 reads span what it reads.
      features.push_back(
          {std::cos(angle) * (x[row][0] - mean[0]) + std::sin(angle) * (x[row][1] - mean[1]),
           slow[0], slow[1]});
      target.push_back(x[row + 1][0]);
    }
  }
  const std::vector<double> w = fit_ridge(features, target, 0, 4 * 49, 1e-9);
  CHECK(setting.stored("pca") ==
        Approx(r2_of(w, features, target, 4 * 49, target.size())).epsilon(1e-5));
}

TEST_CASE("the reservoir is a temporal layer, with the leak that is best before the test part") {
  const test::Rows x = as_written(two_channels(500));
  for (const std::string split : {"{train: 0.5, validation: 0.2, test: 0.3}", "0.6"}) {
    INFO("split " << split);
    Setting setting(x, "u,v",
                    "seed: 5\n"
                    "data: {source: file, path: d.csv}\n"
                    "hierarchy:\n  levels:\n"
                    "    - layers: [{type: hebbian, size: 3, rule: oja, learning_rate: 0.001}]\n"
                    "    - {temporal_resolution: 3, layers: [{type: reactive, size: 4}]}\n"
                    "readouts: [{name: a, target: {channel: v, horizon: 2}, levels: [0, 1], "
                    "split: " +
                        split +
                        "}]\n"
                        "controls: [reservoir]\n");
    const auto control = make_control("reservoir", setting.setup());
    REQUIRE(control->variants() == 3);
    std::vector<double> target;
    for (std::size_t t = 0; t + 2 < x.size(); ++t) target.push_back(x[t + 2][1]);
    const bool validates = split[0] == '{';
    // Borders among 498 ticks, from which what is trained on or validated by keeps away.
    const std::size_t trained = validates ? 249 : 298;
    const std::size_t validated = validates ? 348 : 298;
    const std::size_t choosing = validates ? 249 : 298 - 298 / 5;
    constexpr std::size_t purge = 1 + (1 + 3) + 2;  // window, resolutions, horizon
    double best = -1e9;
    double best_leak = 0.0;
    double r2 = 0.0;
    for (std::size_t v = 0; v < 3; ++v) {
      const double leak = std::vector<double>{1.0, 0.3, 0.1}[v];
      HierarchyManager hierarchy;
      HierarchicalLevel level(0, 2, 7);
      level.add_layer(
          TemporalLayer(2, 7,
                        {.activation = Activation::tanh,
                         .leak = leak,
                         .spectral_radius = 0.9,
                         .dtype = DType::float64,
                         .random = RandomStream::named(5, "controls/reservoir/weights")}));
      hierarchy.add_level(std::move(level));
      SampleReader samples(*setting.experiment.series, setting.experiment.config.data,
                           setting.experiment.trials, DType::float64, {}, false);
      const std::vector<double> values =
          hierarchy.process_block(samples.read(0, 500).expand_dims(0), {.learn = false})
              .levels[0]
              .ticks.to_vector<double>();
      test::Rows h;
      for (std::size_t t = 0; t < 500; ++t) {
        h.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(7 * t),
                       values.begin() + static_cast<std::ptrdiff_t>(7 * t + 7));
      }
      check_rows(setting.shown_by(*control, static_cast<std::int64_t>(v), 64), h);
      CHECK(control->variant(v) == Attributes{{"leak", leak}});
      const double validation = validates ? r2_of(fit_ridge(h, target, 0, trained - purge, kRidge),
                                                  h, target, trained, validated - purge)
                                          : r2_of(fit_ridge(h, target, 0, choosing - purge, kRidge),
                                                  h, target, choosing, trained - purge);
      if (validation <= best) continue;
      best = validation;
      best_leak = leak;
      r2 = r2_of(fit_ridge(h, target, 0, trained - purge, kRidge), h, target, validated, 498);
    }
    run_hierarchy(setting.experiment);
    CHECK(setting.stored("reservoir", "leak") == best_leak);
    CHECK(setting.stored("reservoir") == Approx(r2).epsilon(1e-5));
  }
}

TEST_CASE("what a control cannot show without seeing the test part it is left out for") {
  const Setting setting(
      two_channels(200), "u,v",
      "data: {source: file, path: d.csv}\n" + kOneLevel +
          "readouts:\n"
          "  - {name: a, target: {channel: u, horizon: 1}, levels: [0]}\n"
          "  - {name: b, target: {channel: u, horizon: 1}, levels: [0], folds: 4}\n"
          "controls: [frozen, same_past, pca, reservoir, window]\n");
  std::set<std::string> out;
  for (const ControlPlan& plan : plan_controls(setting.setup())) {
    CHECK(plan.is_read(0));
    if (!plan.is_read(1)) out.insert(plan.name);
  }
  CHECK(out == std::set<std::string>{"pca", "reservoir"});
}

TEST_CASE("a control that would read too many numbers is left out, and the file says so") {
  Setting setting(
      two_channels(900), "u,v",
      "data: {source: file, path: d.csv, window: 50}\n"
      "hierarchy:\n  levels:\n"
      "    - layers: [{type: hebbian, size: 3, rule: oja, learning_rate: 0.0001}]\n"
      "    - {temporal_resolution: 30, pooling: concat, layers: [{type: reactive, size: 1}]}\n"
      "    - {temporal_resolution: 30, pooling: concat, layers: [{type: reactive, size: 1}]}\n"
      "readouts:\n"
      "  - {name: a, target: {channel: u, horizon: 1}, levels: [0]}\n"
      "  - {name: b, target: {channel: u, horizon: 1}, levels: [2]}\n");
  const HierarchySummary summary = run_hierarchy(setting.experiment);
  CHECK(summary.readouts[0].controls.size() == 2);
  CHECK(summary.readouts[1].controls.size() == 1);
  REQUIRE(summary.readouts[1].left_out.size() == 1);
  CHECK_SAYS(summary.readouts[1].left_out[0], "same_past: ", "at most 2 048");
  const hdf5::File file = hdf5::File::open(setting.folder.path("r.h5"));
  CHECK(file.open_group("readouts/b").texts_attribute("controls_left_out") ==
        summary.readouts[1].left_out);
}

TEST_CASE("targets of the test part change nothing that comes before it") {
  std::map<std::string, double> before[2];
  for (const bool planted : {false, true}) {
    test::Rows x = two_channels(300);
    for (std::size_t t = 0; t < x.size(); ++t) {
      x[t].push_back(std::sin(0.05 * static_cast<double>(t)) + x[t][1]);
      // What is validated by ends at row 240.
      if (planted && t >= 240) x[t][2] = t % 2 == 0 ? 1e3 : -7.0;
    }
    Setting setting(
        x, "u,v,y",
        "data: {source: file, path: d.csv, columns: [u, v], targets: [y]}\n" + kOneLevel +
            "readouts: [{name: a, target: {column: y}, levels: [0], split: {train: 0.6, "
            "validation: 0.2, test: 0.2}}]\n"
            "controls: [frozen, same_past, pca, reservoir, window]\n");
    run_hierarchy(setting.experiment);
    for (const std::string name : {"frozen", "same_past", "pca", "reservoir", "window"}) {
      before[planted][name] = setting.stored(name, "validation_r2");
      before[planted][name + " test"] = setting.stored(name);
    }
    before[planted]["leak"] = setting.stored("reservoir", "leak");
  }
  for (const auto& [name, value] : before[0]) {
    INFO(name);
    CHECK(std::isfinite(value));
    CHECK((before[1][name] == value) == (name.find(" test") == std::string::npos));
  }
}
