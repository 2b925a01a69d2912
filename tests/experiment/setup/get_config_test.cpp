// SPDX-License-Identifier: MIT
// Hierarchies that programs have built, run by the YAML that get_config writes of them.
#include "../../../src/experiment/setup/get_config.h"

#include <cstdio>
#include <string>
#include <vector>

#include "../../../src/array/random_arrays.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/setup/build.h"
#include "../../../src/layers/hierarchy/hebbian.h"
#include "../../../src/layers/hierarchy/reactive.h"
#include "../../../src/layers/hierarchy/temporal.h"
#include "../../support/catch.h"
#include "../../support/datasets.h"
#include "../../support/experiment_text.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::int64_t kSeed = 11;
constexpr std::int64_t kSourceRows = 240;

/// Three levels with layers of all that an experiment has most, in one dtype.
HierarchyManager built(DType dtype) {
  HierarchyManager hierarchy;
  HierarchicalLevel low(0, 5, 4, 1);
  low.add_layer(ReactiveLayer(
      5, 6,
      {.activation = Activation::tanh, .dtype = dtype, .random = weights_stream(kSeed, 0, 0)}));
  low.add_layer(HebbianLayer(6, 4,
                             {.rule = SangerRule{.learning_rate = 0.0123},
                              .dtype = dtype,
                              .random = weights_stream(kSeed, 0, 1)}));
  hierarchy.add_level(std::move(low));
  HierarchicalLevel middle(1, 4, 5, 3, {.pooling = Pooling::mean, .phase = 2});
  middle.add_layer(
      TemporalLayer(4, 5, {.leak = 0.4, .dtype = dtype, .random = weights_stream(kSeed, 1, 0)}));
  hierarchy.add_level(std::move(middle));
  HierarchicalLevel high(2, 5, 2, 6);
  high.add_layer(HebbianLayer(
      5, 2,
      {.rule = EquationRule("dw = rate*y*(x - y*w)", {.parameters = {{"rate", 1.0 / 30.0}}}),
       .control = {.normalization = Normalization::l2},
       .dtype = dtype,
       .random = weights_stream(kSeed, 2, 0)}));
  hierarchy.add_level(std::move(high));
  return hierarchy;
}

std::vector<double> numbers(const Array& array) {
  return array.astype(DType::float64).to_vector<double>();
}

}  // namespace

TEST_CASE("an experiment of what get_config writes comes to the same bits as the hierarchy") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    INFO(to_string(dtype));
    const gaia::test::TempDir folder;
    const Array x =
        random_normal({kSourceRows, 5}, 0.0, 1.0, dtype, RandomStream::named(5, "rows"));
    const std::vector<double> values = numbers(x);
    std::string rows = "a,b,c,d,e\n";
    for (std::size_t i = 0; i < values.size(); ++i) {
      char number[32];
      std::snprintf(number, sizeof number, "%.17g", values[i]);
      rows += number + std::string(i % 5 == 4 ? "\n" : ",");
    }
    folder.write("rows.csv", rows);
    HierarchyManager hierarchy = built(dtype);
    const std::string yaml = "experiment: written\nseed: " + std::to_string(kSeed) +
                             "\ndtype: " + to_string(dtype) +
                             "\ndata: {source: file, path: rows.csv}\n" + get_config(hierarchy);
    Experiment experiment = load_text(folder, yaml);
    run_hierarchy(experiment);
    const auto shown = hierarchy.process_hierarchy(x);
    const Datasets run = datasets_of(folder.path("r.h5"));
    for (const auto& [id, level] : shown) {
      INFO("level " << id);
      const std::string path = "/levels/" + std::to_string(id);
      CHECK(gaia::test::same_bits(run.at(path + "/representation"), numbers(level.ticks)));
      const HierarchicalLevel& of = hierarchy.level(id);
      for (std::size_t m = 0; m < of.layer_count(); ++m) {
        CHECK(gaia::test::same_bits(run.at(path + "/layers/" + std::to_string(m) + "/weights"),
                                    numbers(hierarchy.arrays(id, m).front().value)));
      }
    }
    // What is written of the experiment's hierarchy is the same text.
    CHECK(get_config(build_hierarchy(experiment.config, 5)) == get_config(built(dtype)));
  }
}

TEST_CASE("get_config refuses what no experiment can have, by level and layer") {
  const auto of_layer = [](HebbianOptions options, const LevelOptions& level_options = {}) {
    HierarchicalLevel level(3, 2, 2, 1, level_options);
    level.add_layer(HebbianLayer(2, 2, std::move(options)));
    HierarchyManager hierarchy;
    hierarchy.add_level(std::move(level));
    return get_config(hierarchy);
  };
  CHECK_THROWS_WITH_TEXT(of_layer({.rule = OjaRule{}, .chunk = 7}), ArgumentError,
                         "level 3, layer 0: an experiment has chunks of");
  CHECK_THROWS_WITH_TEXT(
      of_layer({.rule = OjaRule{}}, {.held_until_first = LevelOptions::UntilFirst::refuse}),
      ArgumentError, "level 3: an experiment shows zeros before the first tick");
}
