// SPDX-License-Identifier: MIT
#include "counted_weights.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

namespace gaia {
namespace {

std::int64_t elements_of(const hdf5::Dataset& dataset) {
  std::int64_t count = 1;
  for (const std::int64_t length : dataset.shape()) count *= length;
  return count;
}

/// Numbers in the datasets of these names, and in those of groups of these names.
std::int64_t elements_in(const hdf5::Group& group, std::initializer_list<const char*> names) {
  std::int64_t count = 0;
  for (const char* name : names) {
    if (group.has_dataset(name)) count += elements_of(group.open_dataset(name));
    if (!group.has_group(name)) continue;
    const hdf5::Group inner = group.open_group(name);
    for (const std::string& one : inner.datasets()) count += elements_of(inner.open_dataset(one));
  }
  return count;
}

/// How many of the weights of a layer there are; all where it has no mask.
std::int64_t weights_of_layer(const hdf5::Group& layer) {
  std::int64_t count = elements_in(layer, {"weights", "recurrent", "bias", "feedback"});
  if (layer.has_dataset("mask")) {
    const std::vector<double> mask = layer.open_dataset("mask").read<double>();
    count -= std::count(mask.begin(), mask.end(), 0.0);
  }
  if (layer.has_group("lateral")) {
    count += elements_in(layer.open_group("lateral"), {"weights", "threshold"});
  }
  return count;
}

std::int64_t weights_of_level(const hdf5::Group& level) {
  std::int64_t count = 0;
  if (level.has_group("layers")) {
    const hdf5::Group layers = level.open_group("layers");
    for (const std::string& name : layers.groups()) {
      count += weights_of_layer(layers.open_group(name));
    }
  }
  if (level.has_group("top_down")) {
    count += elements_in(level.open_group("top_down"), {"weights"});
  }
  return count;
}

}  // namespace

std::int64_t count_weights(const hdf5::File& result) {
  std::int64_t count = 0;
  if (result.has_group("levels")) {
    const hdf5::Group levels = result.open_group("levels");
    for (const std::string& name : levels.groups()) {
      count += weights_of_level(levels.open_group(name));
    }
  }
  if (result.has_group("readouts")) {
    const hdf5::Group readouts = result.open_group("readouts");
    for (const std::string& name : readouts.groups()) {
      count += elements_in(readouts.open_group(name), {"weights", "intercept"});
    }
  }
  return count;
}

}  // namespace gaia
