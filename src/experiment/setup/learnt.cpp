// SPDX-License-Identifier: MIT
#include "learnt.h"

#include <fmt/format.h>

#include <utility>

#include "../../array/create.h"
#include "../../core/error.h"
#include "../../core/text.h"
#include "../../layers/hierarchy/plastic_conv.h"
#include "../../layers/hierarchy/predictive.h"
#include "../../layers/hierarchy/temporal.h"
#include "../config/config_writer.h"
#include "../data/whitened_series.h"
#include "build.h"

namespace gaia {
namespace {

std::string layer_path(std::size_t level, std::size_t layer) {
  return fmt::format("/levels/{}/layers/{}", level, layer);
}

std::string top_down_path(std::size_t level) { return fmt::format("/levels/{}/top_down", level); }

void load_arrays(hdf5::Reader& reader, const std::string& file, const std::string& path,
                 const std::vector<NamedArray>& arrays) {
  for (const NamedArray& part : arrays) {
    // What a trial begins anew, a run does too.
    const bool is_of_synapses = part.role == NamedArray::Role::synapse;
    const bool is_carried =
        part.role == NamedArray::Role::weights || part.role == NamedArray::Role::noise ||
        part.role == NamedArray::Role::statistic || is_of_synapses ||
        (part.role == NamedArray::Role::memory && (!part.memory || part.memory->across_trials));
    if (!is_carried) continue;
    const bool is_memory = part.role == NamedArray::Role::memory;
    const auto is_there = [&](const std::string& name) {
      return reader.contents().dataset(name) != nullptr;
    };
    std::string name = path + (is_memory ? "/memory/" : "/") + part.name;
    // gaia 0.1 had memories beside the weights.
    if (is_memory && !is_there(name)) name = path + "/" + part.name;
    // The memory of a rule that the stored run did not have begins as usual, and so do synapses and
    // connections between neurons that it did not have.
    const bool is_lateral = part.name.starts_with("lateral/");
    if ((is_memory || is_of_synapses || is_lateral) && !is_there(name)) continue;
    const Shape& shape = part.value.shape();
    const std::vector<double> values = numbers_at(reader, file, name, {shape.begin(), shape.end()});
    part.value.assign(from_values(values, shape));
  }
}

/// Synapses that are not there have no weight, though the run may have had them all.
void hold_synapses(const Layer& layer) {
  const auto* const plastic = dynamic_cast<const HebbianLayer*>(&layer);
  if (plastic == nullptr || !plastic->rewire()) return;
  for (const NamedArray& part : layer.arrays()) {
    const bool is_of_synapses = part.role == NamedArray::Role::synapse || part.name == "weights";
    if (is_of_synapses) plastic->rewire()->hold(part.value);
  }
}

/// Notes what keeps the connection from above to the last layer of level `n` from beginning with
/// that of the run, where either has one.
void check_top_down(const StoredRun& run, const std::vector<LevelConfig>& levels, std::size_t n,
                    const AddProblem& add) {
  const auto* const options = levels[n].layers.back().kind.get_if<HebbianOptions>();
  const hdf5::Description* const stored = run.contents.group(top_down_path(n));
  if (options == nullptr || !options->top_down || stored == nullptr) return;
  const TopDownOptions& own = *options->top_down;
  const std::string key =
      fmt::format("hierarchy.levels[{}].layers[{}].top_down", n, levels[n].layers.size() - 1);
  const std::string name = printable(run.path);
  const std::string as = stored->text("as").value_or("");
  if (as != to_string(own.as)) {
    add(key + ".as", fmt::format("expected {}, as that of {} (hierarchy.from), got {}",
                                 printable(as), name, to_string(own.as)));
  }
  const bool was_random =
      stored->text("random").value_or("") == "true" || stored->integer("random").value_or(0) != 0;
  if (was_random != own.random) {
    add(key + ".random", fmt::format("expected {}, as that of {} (hierarchy.from), got {}",
                                     was_random, name, own.random));
  }
  const hdf5::DatasetDescription* const weights =
      run.contents.dataset(top_down_path(n) + "/weights");
  if (weights == nullptr || own.from < 0 || own.from >= std::ssize(levels)) return;
  const std::int64_t heard =
      levels[static_cast<std::size_t>(own.from)].layers.back().size + (own.bias ? 1 : 0);
  const std::int64_t neurons = levels[n].layers.back().size;
  if (weights->shape != std::vector{neurons, heard}) {
    add(key, fmt::format("its weights are [{}, {}], those of {} (hierarchy.from) [{}] [neurons, "
                         "numbers heard]",
                         neurons, heard, name, fmt::join(weights->shape, ", ")));
  }
}

/// The names of a layer's matrices of weights, each of which reads what the one before it gives,
/// and how many neurons each has.
std::vector<std::pair<std::string, std::int64_t>> weights_of(const LayerConfig& layer) {
  if (layer.kind->filter_place()) return {};
  if (const auto* const patches = layer.kind.get_if<PlasticConvOptions>()) {
    return {{"weights", patches->filters}};
  }
  const auto* const stack = layer.kind.get_if<PredictiveOptions>();
  if (stack == nullptr) return {{"weights", layer.size}};
  std::vector<std::pair<std::string, std::int64_t>> all;
  for (std::size_t l = 0; l < stack->sizes.size(); ++l) {
    all.emplace_back(fmt::format("weights/{}", l + 1), stack->sizes[l]);
  }
  return all;
}

/// Checks that a layer reads as many numbers of a readout as the one that it takes over.
void check_feedback_weights(const StoredRun& run, const std::string& path, const std::string& key,
                            const TemporalOptions& options, std::int64_t neurons,
                            const AddProblem& add) {
  const hdf5::DatasetDescription* const stored = run.contents.dataset(path + "/feedback");
  const std::string name = printable(run.path);
  if (stored == nullptr && options.feedback_size > 0) {
    add(key + ".feedback", "the layer of " + name + " (hierarchy.from) read no readout");
  } else if (stored != nullptr && stored->shape != std::vector{neurons, options.feedback_size}) {
    add(key + ".feedback",
        fmt::format("its weights are [{}, {}], those of {} (hierarchy.from) [{}]", neurons,
                    options.feedback_size, name, fmt::join(stored->shape, ", ")));
  }
}

std::int64_t features_of(const ReadoutConfig& readout, const HierarchyConfig& hierarchy) {
  std::int64_t features = readout.features.beside();
  for (const std::int64_t level : readout.levels) {
    features += hierarchy.levels[static_cast<std::size_t>(level)].layers.back().size;
  }
  return features;
}

/// Numbers that a readout predicts at a tick; of classes as many as there are, which the file says.
std::int64_t outputs_of(const ReadoutConfig& readout) {
  return readout.task() == ReadoutTask::classes ? -1 : std::ssize(readout.target.names);
}

/// Names of the classes of a stored readout.
std::vector<std::string> classes_of(hdf5::Reader& reader, const std::string& file,
                                    const std::string& group) {
  const hdf5::Description* const of = reader.contents().group(group);
  auto classes = of == nullptr ? std::nullopt : of->texts("classes");
  // A list of one text is read as a text.
  if (of != nullptr && !classes && of->text("classes")) classes = {*of->text("classes")};
  const hdf5::DatasetDescription* const weights = reader.contents().dataset(group + "/weights");
  if (!classes || weights == nullptr || weights->shape.size() != 2 ||
      weights->shape.front() != std::ssize(*classes)) {
    throw DataError(fmt::format("{}: {} does not name its classes", file, group));
  }
  return *classes;
}

}  // namespace

namespace {

/// Notes what keeps a layer that filters from beginning with the noise of the run.
void check_filter(const StoredRun& run, const std::string& path, const LayerConfig& layer,
                  const std::string& key, const AddProblem& add) {
  const std::string name = printable(run.path);
  const hdf5::DatasetDescription* const noise = run.contents.dataset(path + "/Q");
  if (noise == nullptr) {
    return add("hierarchy.from", name +
                                     " has no noise of its filters: its run was told to store none "
                                     "(output.weights)");
  }
  if (noise->shape != std::vector{layer.size, layer.size}) {
    add(key, fmt::format("it has {} states, and that of {} (hierarchy.from) has noise of [{}]",
                         layer.size, name, fmt::join(noise->shape, ", ")));
  }
  const std::string had = run.contents.group(path)->text("adapt").value_or("none");
  const AdaptedNoise adapts = layer.kind->filter_place()->adapts;
  const std::string has = adapts == AdaptedNoise::state         ? "Q"
                          : adapts == AdaptedNoise::observation ? "R"
                                                                : "none";
  if (had != has) {
    add(key + ".adapt", fmt::format("expected {}, as that of {} (hierarchy.from), got {}",
                                    printable(had), name, has));
  }
}

}  // namespace

void check_weights(const StoredRun& run, const ExperimentConfig& config, std::int64_t features,
                   const AddProblem& add) {
  const auto& contents = run.contents;
  const std::string name = printable(run.path);
  if (contents.group("/levels") == nullptr) {
    return add("hierarchy.from", name + " is no result of a hierarchy");
  }
  const std::string status = contents.root().text("status").value_or("");
  if (status != "complete") {
    return add("hierarchy.from",
               fmt::format("the run of {} is {}, not complete; `gaia resume` goes on with one that "
                           "was cut",
                           name, printable(status)));
  }
  const std::string dtype = contents.root().text("dtype").value_or("");
  if (dtype != to_string(config.dtype)) {
    add("hierarchy.from", fmt::format("the weights of {} are {}, those of this run {}; they must "
                                      "be the same (dtype)",
                                      name, printable(dtype), to_string(config.dtype)));
  }
  std::int64_t below = features;
  const std::vector<LevelConfig>& levels = config.hierarchy().levels;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    if (contents.group(fmt::format("/levels/{}", n)) == nullptr) return;
    const LevelConfig& level = levels[n];
    const std::string key = fmt::format("hierarchy.levels[{}]", n);
    std::size_t stored = 0;
    while (contents.group(layer_path(n, stored)) != nullptr) ++stored;
    if (stored != level.layers.size()) {
      return add(key + ".layers",
                 fmt::format("expected {} layers, as this level of {} (hierarchy.from) has, got {}",
                             stored, name, level.layers.size()));
    }
    std::int64_t inputs = pooled_size(level, below);
    for (std::size_t m = 0; m < stored; ++m) {
      const LayerConfig& layer = level.layers[m];
      const std::string layer_key = fmt::format("{}.layers[{}]", key, m);
      const std::string path = layer_path(n, m);
      const std::string type = contents.group(path)->text("type").value_or("");
      if (type != layer.kind->name()) {
        add(layer_key + ".type", fmt::format("expected {}, as that of {} (hierarchy.from), got {}",
                                             printable(type), name, layer.kind->name()));
      }
      const auto* const patches = layer.kind.get_if<PlasticConvOptions>();
      if (patches != nullptr) inputs = patches->patch_size();
      for (const auto& [dataset, neurons] : weights_of(layer)) {
        const hdf5::DatasetDescription* weights = contents.dataset(path + "/" + dataset);
        // A stack with more of them has at least the first.
        if (weights == nullptr && contents.dataset(path + "/weights/1") == nullptr) {
          return add("hierarchy.from",
                     name + " has no weights: its run was told to store none (output.weights)");
        }
        if (weights == nullptr) {
          add(layer_key, fmt::format("{} (hierarchy.from) has no {}", name, dataset));
        } else if (weights->shape != std::vector{neurons, inputs}) {
          add(layer_key,
              fmt::format("its {} are [{}, {}], those of {} (hierarchy.from) [{}] "
                          "[neurons, inputs]",
                          dataset, neurons, inputs, name, fmt::join(weights->shape, ", ")));
        }
        inputs = neurons;
      }
      if (patches != nullptr) inputs = layer.size;
      if (const auto* const temporal = layer.kind.get_if<TemporalOptions>()) {
        check_feedback_weights(run, path, layer_key, *temporal, layer.size, add);
      }
      if (layer.kind->filter_place()) {
        check_filter(run, path, layer, layer_key, add);
        inputs = layer.size;
      }
    }
    check_top_down(run, levels, n, add);
    below = inputs;
  }
}

void check_readout(const StoredRun& run, const ExperimentConfig& config, std::size_t index,
                   const AddProblem& add) {
  const ReadoutConfig& readout = config.readouts[index];
  const std::string key = fmt::format("readouts[{}]", index);
  const std::string name = printable(run.path);
  const std::string path = "/readouts/" + readout.name;
  const hdf5::Description* group = run.contents.group(path);
  if (group == nullptr) {
    return add(key + ".name",
               fmt::format("{} (hierarchy.from) has no readout '{}'", name, readout.name));
  }
  const bool fuses = readout.kind->fuses();
  const hdf5::DatasetDescription* weights =
      run.contents.dataset(path + (fuses ? "/error_covariance" : "/weights"));
  if (weights == nullptr && !fuses) {
    return add(key + ".learn",
               name +
                   " (hierarchy.from) was written by a gaia that stored no readouts; run it "
                   "again, or let the readout learn");
  }
  const std::string type = group->text("type").value_or(readout.kind->name());
  if (type != readout.kind->name()) {
    return add(key + ".type", fmt::format("expected {}, as that of the readout in {} "
                                          "(hierarchy.from), got {}",
                                          printable(type), name, readout.kind->name()));
  }
  // What it reads and predicts, as the file has it.
  for (const auto& [attribute, value] : attributes_of(readout)) {
    const bool matters = attribute == "levels" || attribute == "features" || attribute == "of" ||
                         attribute.rfind("target_", 0) == 0;
    // gaia 0.1 knew no other than one prediction a tick, no changes, and no other features.
    const bool is_older =
        !group->has(attribute) && ((attribute == "target_per" && !readout.target.per_trial) ||
                                   (attribute == "target_change" && !readout.target.change) ||
                                   (attribute == "features" && readout.features.are_plain()));
    if (!matters || is_older) continue;
    // Named here: clang 14 captures no structured bindings.
    const auto differs = [&, what = attribute](const auto& mine, const auto& theirs) {
      if (theirs && *theirs == mine) return;
      add(key, fmt::format("{} is {}, that of the readout in {} (hierarchy.from) {}", what, mine,
                           name, theirs ? printable(fmt::format("{}", *theirs)) : "another"));
    };
    if (const auto* text = std::get_if<std::string>(&value)) {
      differs(*text, group->text(attribute));
    } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
      differs(*number, group->integer(attribute));
    }
  }
  if (fuses) {
    const std::int64_t width = std::ssize(readout.fused) * outputs_of(readout);
    if (weights != nullptr && weights->shape == std::vector{width, width}) return;
    return add(key, fmt::format(
                        "it needs the covariance [{}, {}] of the errors of what it fuses, and "
                        "the readout in {} (hierarchy.from) has {}",
                        width, width, name,
                        weights == nullptr ? "none"
                                           : fmt::format("[{}]", fmt::join(weights->shape, ", "))));
  }
  const std::int64_t features = features_of(readout, config.hierarchy());
  const bool fits = weights->shape.size() <= 2 && !weights->shape.empty() &&
                    weights->shape.back() == features &&
                    (weights->shape.size() == 1) == (outputs_of(readout) == 1);
  if (!fits) {
    add(key, fmt::format("it reads {} numbers, the readout in {} (hierarchy.from) has weights [{}]",
                         features, name, fmt::join(weights->shape, ", ")));
  }
}

Learnt load_learnt(const std::string& path, const ExperimentConfig& config,
                   HierarchyManager& hierarchy) {
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(path);
  hierarchy.connect();
  for (std::size_t n = 0; n < hierarchy.levels().size(); ++n) {
    if (reader->contents().group(fmt::format("/levels/{}", n)) == nullptr) break;
    const HierarchicalLevel& level = hierarchy.levels()[n];
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      load_arrays(*reader, path, layer_path(n, m), level.layer(m).arrays());
      hold_synapses(level.layer(m));
    }
    const TopDown* const above = level.top_down();
    // It begins as usual if the run had no such connection.
    if (above != nullptr && reader->contents().group(top_down_path(n)) != nullptr) {
      load_arrays(*reader, path, top_down_path(n), above->arrays());
    }
  }
  Learnt learnt;
  for (const ReadoutConfig& readout : config.readouts) {
    ReadoutSolution& stored = learnt.readouts.emplace_back();
    if (readout.learn) continue;
    const std::string group = "/readouts/" + readout.name;
    std::vector<std::int64_t> shape;
    if (readout.kind->fuses()) {
      const std::int64_t numbers = outputs_of(readout);
      const std::int64_t width = std::ssize(readout.fused) * numbers;
      stored.errors = numbers_at(*reader, path, group + "/error_covariance", {width, width});
      stored.target_means = numbers_at(*reader, path, group + "/target_mean", {numbers});
      continue;
    }
    if (outputs_of(readout) != 1) {
      const hdf5::DatasetDescription* intercept = reader->contents().dataset(group + "/intercept");
      if (intercept == nullptr || intercept->shape.size() != 1) {
        throw DataError(fmt::format("{}: has no {}/intercept of several outputs", path, group));
      }
      shape = intercept->shape;
    }
    const auto part = [&](const char* name) {
      return numbers_at(*reader, path, group + "/" + name, shape);
    };
    stored.intercepts = part("intercept");
    stored.target_means = part("target_mean");
    if (readout.task() == ReadoutTask::classes) stored.classes = classes_of(*reader, path, group);
    shape.push_back(features_of(readout, config.hierarchy()));
    stored.weights = part("weights");
  }
  return learnt;
}

}  // namespace gaia
