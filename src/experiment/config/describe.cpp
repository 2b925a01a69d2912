// SPDX-License-Identifier: MIT
#include "describe.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "../../core/error.h"
#include "../../core/names.h"
#include "../../layers/hierarchy/hebbian.h"

namespace gaia {
namespace {

// Output

/// none | `all_word` | {every: N}
void describe_recording(ConfigVisitor& v, const Key& key, const char* all_word,
                        const char* every_meaning, Recording& recording) {
  v.word_or_map(key,
                {{all_word, "none"},
                 [&recording, all_word]() -> std::string {
                   if (recording.what == Recording::What::every) return "map";
                   return recording.what == Recording::What::all ? all_word : "none";
                 },
                 [&recording, all_word](const std::string& word) {
                   recording.what = word == "map"      ? Recording::What::every
                                    : word == all_word ? Recording::What::all
                                                       : Recording::What::none;
                 }},
                "map", [&] {
                  v.integer({"every", every_meaning, true}, recording.every,
                            {1, std::int64_t{1} << 48});
                });
}

void describe(ConfigVisitor& v, OutputConfig& output, const ExperimentKind& kind) {
  const std::vector<std::string> keys = kind.output_keys();
  const auto has = [&](const char* key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  v.text({"path",
          "the results file, .h5, relative to the working directory; default "
          "results/<experiment>.h5"},
         output.path);
  v.where(has("representations"), "hierarchy (what is stored of a network is always the same)",
          [&] {
            describe_recording(v, {"representations", "which ticks of every level are recorded"},
                               "all", "every N-th tick of each level", output.representations);
            describe_recording(v, {"weights", "whether weights are stored, and their history"},
                               "final", "also the weights after every N steps", output.weights);
            v.choice({"inputs", "whether the samples themselves are stored"},
                     {{"none", "all"},
                      [&] { return output.inputs ? "all" : "none"; },
                      [&](const std::string& word) { output.inputs = word == "all"; }});
          });
  v.where(has("steps"), "agent", [&] {
    describe_recording(v, {"steps", "which steps of an agent are recorded"}, "all",
                       "every N-th step of an agent", output.steps);
    describe_recording(
        v, {"plans", "of which steps of an agent the worth of all policies is recorded"}, "all",
        "of every N-th step", output.plans);
  });
  v.where(has("compression"), "hierarchy (what is stored of a network is always the same)", [&] {
    v.integer({"compression", "deflate level of the recorded series; 0 switches it off"},
              output.compression, {0, 9});
  });
}

}  // namespace

namespace {

/// "hebbian, temporal with a rule".
std::string plastic_kinds() {
  std::vector<std::string> names;
  for (const std::string& name : LayerKind::list().names()) {
    const auto& kind = *LayerKind::list().find(name);
    if (kind->may_be_plastic()) {
      names.push_back(name + " with " + kind->plastic_with());
    } else if (kind->is_plastic()) {
      names.push_back(name);
    }
  }
  return join(names);
}

}  // namespace

void describe(ConfigVisitor& v, LevelConfig& level) {
  v.integer({"temporal_resolution", "steps from one tick of the level to the next"},
            level.temporal_resolution, {1, 1000000000});
  level.options.keys(v);
  v.list(
      {"layers", "the layers, each reading the one before it", true}, level.layers.size(),
      [&](std::size_t n) { level.layers.resize(n); },
      [&](std::size_t i) { describe(v, level.layers[i]); });
}

namespace {

/// `is_of_all`: of every level of a short form, which tells their sizes.
void describe_layer(ConfigVisitor& v, LayerConfig& layer, bool is_of_all) {
  v.variant({"type", "what the layer is", !is_of_all}, choice_of(layer.kind), [&] {
    const bool has_own_size = layer.kind->own_size().has_value();
    if (is_of_all) {
      v.forbid({"size", ""}, "`sizes` has those of all levels");
    } else if (!has_own_size) {
      v.integer({"size", "number of neurons", true}, layer.size, {1, 1000000});
    }
    const std::string condition = "type: " + plastic_kinds() + " (other layers never learn)";
    const auto learn = [&] {
      v.where(layer.kind->is_plastic(), condition.c_str(), [&] {
        v.flag({"learn", "whether the layer learns where its level does"}, layer.learn);
      });
    };
    // Behind the keys where these say whether the layer is plastic.
    if (!layer.kind->may_be_plastic()) learn();
    layer.kind->keys(v);
    if (layer.kind.get_if<HebbianOptions>() == nullptr) {
      v.forbid({"top_down", ""}, std::string("only a layer of type ") + HebbianOptions::name +
                                     " hears a level above");
    }
    if (layer.kind->may_be_plastic()) learn();
    if (has_own_size) layer.size = layer.kind->own_size().value_or(0);
  });
}

}  // namespace

void describe(ConfigVisitor& v, LayerConfig& layer) { describe_layer(v, layer, false); }

void describe_layer_of_all(ConfigVisitor& v, LayerConfig& layer) { describe_layer(v, layer, true); }

namespace {

/// none | {half_life: N} | {cosine_to: N} | {tenth_after: N}
void describe(ConfigVisitor& v, RateSchedule& schedule) {
  using Kind = RateSchedule::Kind;
  v.word_or_map({"schedule", "how learning rates fall from step to step"},
                {{"none"},
                 [&] { return schedule.kind == Kind::none ? "none" : "map"; },
                 [&](const std::string& word) {
                   if (word == "none") schedule.kind = Kind::none;
                   if (word == "map" && schedule.kind == Kind::none) {
                     schedule.kind = Kind::half_life;
                   }
                 }},
                "map", [&] {
                  v.one_of({{"half_life", "steps in which rates fall to a half"},
                            {"cosine_to", "the step at which they have fallen to 0, by a cosine"},
                            {"tenth_after", "the step from which on they are a tenth"}},
                           {{"half_life", "cosine_to", "tenth_after"},
                            [&] {
                              if (schedule.kind == Kind::tenth_after) return "tenth_after";
                              return schedule.kind == Kind::cosine_to ? "cosine_to" : "half_life";
                            },
                            [&](const std::string& word) {
                              schedule.kind = word == "cosine_to"     ? Kind::cosine_to
                                              : word == "tenth_after" ? Kind::tenth_after
                                                                      : Kind::half_life;
                            }},
                           [&](const Key& key) {
                             v.integer(key, schedule.steps, {1, std::int64_t{1} << 53});
                           });
                });
}

/// none | {keep: k, every: n}
void describe(ConfigVisitor& v, MessagesConfig& messages) {
  v.word_or_map({"messages", "what levels tell those above and below them, kept in the results"},
                {{"none"},
                 [&] { return messages.keep == 0 ? "none" : "map"; },
                 [&](const std::string& word) {
                   if (word == "none") messages.keep = 0;
                   if (word == "map" && messages.keep == 0) messages.keep = 16;
                 }},
                "map", [&] {
                  v.integer({"keep", "messages of each level that are kept, the last ones"},
                            messages.keep, {1, 1000000});
                  v.integer_or_list({"every",
                                     "ticks of a level from one message to the next; or a list, a "
                                     "number for each level"},
                                    messages.every, {1, 1000000000});
                });
}

}  // namespace

void describe(ConfigVisitor& v, HierarchyConfig& hierarchy) {
  v.text({"from",
          "a results file, relative to the YAML file: the hierarchy begins with what that run has "
          "learnt"},
         hierarchy.from);
  v.flag({"learn", "whether plastic layers learn"}, hierarchy.learn);
  v.optional({"freeze_after", "steps after which nothing learns any more"}, hierarchy.freeze_after,
             {0});
  v.optional({"layerwise",
              "steps in which a level learns, one level after the other, from its first layer on; "
              "before and after them it stays as it is, and `schedule` begins anew with each"},
             hierarchy.layerwise, {1});
  describe(v, hierarchy.schedule);
  if (hierarchy.layerwise && hierarchy.schedule.kind == RateSchedule::Kind::cosine_to &&
      hierarchy.schedule.steps < *hierarchy.layerwise) {
    v.refuse({"layerwise", ""}, "schedule.cosine_to ends learning after " +
                                    std::to_string(hierarchy.schedule.steps) +
                                    " steps, and a level has " +
                                    std::to_string(*hierarchy.layerwise) + "; make the two alike");
  }
  v.integer({"epochs", "how often the series is read"}, hierarchy.epochs, {1, 1000000000});
  v.choice({"executor", "how plastic layers are computed; the results agree within rounding"},
           choice_of({"chunkwise", "stepwise"}, hierarchy.executor, executor_from_name));
  describe(v, hierarchy.messages);
  describe_levels(v, hierarchy.levels);
  const std::size_t every = hierarchy.messages.every.size();
  if (hierarchy.messages.keep > 0 && every != 1 && every != hierarchy.levels.size()) {
    v.refuse({"messages", ""}, "expected one number in `every`, or one for each of the " +
                                   std::to_string(hierarchy.levels.size()) + " levels, got " +
                                   std::to_string(every));
  }
}

void describe_source(ConfigVisitor& v, DataConfig& data, bool of_hierarchy) {
  v.map({"data", "the series", true}, [&] { describe(v, data, of_hierarchy); });
  v.forbid({"environment", ""}, "it is what an agent acts in, and there is no agent");
}

namespace {

void describe(ConfigVisitor& v, SelfTraining& training) {
  v.integer({"memory", "rows that it is fitted to, the newest"}, training.memory, {2, 10000000});
  v.integer({"every", "ticks from one fit to the next"}, training.every, {1, 1000000000});
}

/// Whether a level hears one above it.
bool any_talks(const HierarchyConfig& hierarchy) {
  for (const LevelConfig& level : hierarchy.levels) {
    for (const LayerConfig& layer : level.layers) {
      const auto* const options = layer.kind.get_if<HebbianOptions>();
      if (options != nullptr && options->top_down) return true;
    }
  }
  return false;
}

/// Those that ask what the data and the levels ask of learning.
std::vector<std::string> default_controls(const ExperimentConfig& config) {
  const DataConfig& data = config.data;
  std::vector<std::string> controls = {"frozen"};
  if (!data.drift.empty()) controls.push_back("stopped");
  if (data.order.by == OrderConfig::By::runs) controls.push_back("shuffled");
  if (any_talks(config.hierarchy())) {
    controls.push_back("silent");
    controls.push_back("random_map");
  }
  controls.push_back("same_past");
  return controls;
}

}  // namespace

void describe_readouts(ConfigVisitor& v, ExperimentConfig& config, bool has_controls) {
  v.list(
      {"readouts", "what is predicted from the representations of levels"}, config.readouts.size(),
      [&](std::size_t n) { config.readouts.resize(n); },
      [&](std::size_t i) { describe(v, config.readouts[i]); });
  if (!config.has_controls) {
    config.controls = default_controls(config);
    config.has_controls = true;
  }
  v.where(has_controls, "hierarchy (a network has no controls)", [&] {
    v.some_of({"controls",
               "what the same readouts read for comparison: frozen, the same hierarchy that never "
               "learns; stopped, the same that has learnt in the training part alone; shuffled, "
               "the same that has seen the training part in another order; silent, the same in "
               "which no level hears another (top_down); random_map, the same whose levels hear "
               "each other by random maps; same_past, the samples through the same poolings; pca, "
               "their principal components; reservoir; window, the last rows; self_trained, "
               "logistic regression on the same past that goes on by its "
               "own answers; none: nothing; default frozen and same_past, with stopped where there "
               "is data.drift, shuffled where data.order has runs, and silent and random_map "
               "where a level has top_down"},
              known_controls(), config.controls,
              {{"self_trained", [&] { describe(v, config.self_trained); }}});
  });
}

void describe(ConfigVisitor& v, ExperimentConfig& config) {
  v.name({"experiment", "name of the experiment", true}, config.experiment);
  v.integer({"seed", "of all random numbers"}, config.seed,
            {0, std::numeric_limits<std::int64_t>::max()});
  v.text({"device", "cpu, cuda, cuda:N or auto"}, config.device);
  v.where(config.kind->has_dtype(),
          "hierarchy, network or a continuous agent (discrete ones are in float64)", [&] {
            v.choice({"dtype", "precision of weights and representations"},
                     {{"float32", "float64"},
                      [&] { return to_string(config.dtype); },
                      [&](const std::string& name) { config.dtype = dtype_from_name(name); }});
            v.choice(
                {"precision",
                 "to what products of float32 may be rounded, where a device has units for it; "
                 "bfloat16 of a network: mixed precision on every device"},
                {{"full", "tf32", "bfloat16"},
                 [&] { return to_string(config.precision); },
                 [&](const std::string& name) {
                   config.precision = matmul_precision_from_name(name);
                 }});
          });
  config.kind->source_keys(v, config);
  std::vector<Key> sections;
  for (const Kind<ExperimentKind>& kind : ExperimentKind::list()) {
    sections.push_back({kind->name(), kind->meaning()});
  }
  v.one_of(sections, choice_of(config.kind), [&](const Key& key) {
    v.map(key, [&] {
      if (config.kind->name() == std::string_view(key.name)) return config.kind->keys(v, config);
      Kind<ExperimentKind> unused = *ExperimentKind::list().find(key.name);
      unused->keys(v, config);
    });
  });
  config.kind->further_keys(v, config);
  v.map({"output", "what is stored, and where"}, [&] { describe(v, config.output, *config.kind); });
  v.map({"checkpoint", "when the state of the run is stored"}, [&] {
    v.integer({"every",
               "steps (of a network: optimiser steps) from one checkpoint to the next; 0: none by "
               "their number"},
              config.checkpoint.every, {0, std::int64_t{1} << 48});
    v.number({"minutes", "minutes from one checkpoint to the next; 0: none by the clock"},
             config.checkpoint.minutes, {0.0, 1e6});
  });
  describe_runtime(v, config.has_runtime, config.runtime);
  describe_published(v, config.published, config.readouts);
  v.aside({"include",
           "a YAML file, or a list of them, whose keys this experiment has beside its "
           "own, by paths relative to this file"});
  v.aside({"sweep", "what is varied, run by run, by `gaia sweep`"});
  v.aside({"search", "what `gaia search` searches, and for what"});
}

}  // namespace gaia
