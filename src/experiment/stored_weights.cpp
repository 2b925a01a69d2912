// SPDX-License-Identifier: MIT
#include "stored_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../array/create.h"
#include "../core/error.h"
#include "build.h"
#include "results_parts.h"

namespace gaia {
namespace {

std::string layer_path(std::size_t level, std::size_t layer) {
  return fmt::format("levels/{}/layers/{}", level, layer);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string type_of(const LayerConfig& layer) {
  constexpr const char* names[] = {"reactive", "hebbian", "temporal"};
  return names[layer.kind.index()];
}

std::vector<std::int64_t> shape_of(const Array& array) {
  return {array.shape().begin(), array.shape().end()};
}

[[noreturn]] void fail(const hdf5::File& file, const std::string& what) {
  throw DataError(file.place().file + ": " + what);
}

/// The numbers of a dataset that is as long as it has to be.
std::vector<double> numbers_at(const hdf5::File& file, const std::string& path,
                               const std::vector<std::int64_t>& shape) {
  const hdf5::Dataset dataset = file.open_dataset(path);
  const std::vector<std::int64_t> stored = dataset.shape();
  if (stored != shape || !dataset.foreign_storage().empty()) {
    fail(file, fmt::format("/{}: expected shape {}, got {}", path, shape_text(shape),
                           shape_text(stored)));
  }
  return dataset.read<double>();
}

void load_layer(const hdf5::File& file, const std::string& path, const Layer& layer) {
  for (const NamedArray& part : layer.arrays()) {
    if (part.role == NamedArray::Role::state) continue;
    const std::string name = path + "/" + part.name;
    if (!file.has_dataset(name)) {
      // The threshold of a rule that the stored run did not have.
      if (part.role == NamedArray::Role::memory) continue;
      fail(file, fmt::format("has no /{}: its run was told to store no weights (output.weights)",
                             name));
    }
    const std::vector<double> values = numbers_at(file, name, shape_of(part.value));
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
      fail(file, fmt::format("/{} is not finite: its run diverged, or did not live to write it",
                             name));
    }
    part.value.assign(from_values(values, part.value.shape()));
  }
}

}  // namespace

void check_stored_weights(const hdf5::File& file, const std::string& name,
                          const HierarchyConfig& hierarchy, std::int64_t features,
                          const AddProblem& add) {
  std::int64_t below = features;
  for (std::size_t n = 0; n < hierarchy.levels.size(); ++n) {
    const LevelConfig& level = hierarchy.levels[n];
    const std::string key = fmt::format("hierarchy.levels[{}]", n);
    if (!file.has_dataset(fmt::format("levels/{}/neuron", n))) return;
    const std::size_t stored =
        file.open_group("levels").open_group(std::to_string(n)).open_group("layers").groups().size();
    if (stored != level.layers.size()) {
      add(key + ".layers", fmt::format("expected the {} layers that this level of {} has, got {}",
                                       stored, name, level.layers.size()));
      return;
    }
    std::int64_t inputs = pooled_size(level, below);
    for (std::size_t m = 0; m < stored; ++m) {
      const LayerConfig& layer = level.layers[m];
      const std::string layer_key = fmt::format("{}.layers[{}]", key, m);
      const std::string path = layer_path(n, m);
      const hdf5::Group group = file.open_group(path);
      const std::string type = group.text_attribute("type").value_or("");
      if (type != type_of(layer)) {
        add(layer_key, fmt::format("is {}, that of {} is {}", type_of(layer), name, type));
      }
      const std::vector<std::int64_t> mine = {layer.size, inputs};
      if (group.has_dataset("weights")) {
        const std::vector<std::int64_t> theirs = group.open_dataset("weights").shape();
        if (theirs != mine) {
          add(layer_key, fmt::format("its weights are {}, those of {} {} [neurons, inputs]",
                                     shape_text(mine), name, shape_text(theirs)));
        }
      } else {
        add("hierarchy.from", fmt::format("{} has no weights (its output.weights is none)", name));
        return;
      }
      inputs = layer.size;
    }
    below = inputs;
  }
}

void load_stored_weights(HierarchyManager& hierarchy, const std::string& path) {
  const hdf5::File file = open_results(path);
  for (std::size_t n = 0; n < hierarchy.levels().size(); ++n) {
    if (!file.has_dataset(fmt::format("levels/{}/neuron", n))) return;
    const HierarchicalLevel& level = hierarchy.levels()[n];
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      load_layer(file, layer_path(n, m), level.layer(m));
    }
  }
}

StoredScaling stored_scaling(const hdf5::File& file) {
  if (!file.has_dataset("data/scale")) return {};
  const std::int64_t channels = file.open_group("data").integer_attribute("channels").value_or(0);
  return {numbers_at(file, "data/mean", {channels}), numbers_at(file, "data/scale", {channels})};
}

StoredReadout stored_readout(const hdf5::File& file, const std::string& name) {
  const std::string path = "readouts/" + name;
  if (!file.has_dataset(path + "/weights")) fail(file, "has no weights of a readout " + name);
  const std::vector<std::int64_t> shape = file.open_dataset(path + "/weights").shape();
  if (shape.size() != 1) fail(file, "/" + path + "/weights: expected a list");
  StoredReadout readout{.weights = numbers_at(file, path + "/weights", shape),
                        .intercept = numbers_at(file, path + "/intercept", {}).front(),
                        .target_mean = numbers_at(file, path + "/target_mean", {}).front()};
  if (!std::isfinite(readout.intercept)) {
    fail(file, "its run ended before readout " + name + " was trained");
  }
  return readout;
}

}  // namespace gaia
