// SPDX-License-Identifier: MIT
#include "numbered_weights.h"

#include <string>
#include <utility>

#include "results_parts.h"

namespace gaia {
namespace {

/// "weights" and "2" of "weights/2".
std::pair<std::string, std::string> kind_and_number(const std::string& name) {
  const std::size_t cut = name.find('/');
  return {name.substr(0, cut), name.substr(cut + 1)};
}

/// Axes of a part from axis `first` on, with coordinates of its number, which parts share.
void attach_numbered_axes(hdf5::Dataset& dataset, hdf5::Group& layer, const NamedArray& part,
                          int first) {
  const std::string number = kind_and_number(part.name).second;
  for (int axis = 0; axis < part.value.rank(); ++axis) {
    const std::string name = (axis == 0 ? "neuron_" : "input_") + number;
    const std::string meaning =
        (axis == 0 ? "neuron of layer " : "input of layer ") + number + " of the stack";
    dataset.attach_scale(first + axis,
                         layer.has_dataset(name)
                             ? layer.open_dataset(name)
                             : make_index(layer, name, part.value.shape(axis), meaning));
  }
}

}  // namespace

bool is_numbered(const NamedArray& part) {
  const bool is_of_stack = part.name.starts_with("weights/") || part.name.starts_with("bias/");
  return part.role == NamedArray::Role::weights && is_of_stack;
}

void lay_out_numbered(hdf5::Group& layer, const NamedArray& part, hdf5::Type type,
                      ResultsLayout::Layer& made) {
  const auto& [kind, number] = kind_and_number(part.name);
  // Named here: clang 14 captures no structured bindings.
  const auto create = [&, &name = number](const std::string& group, const char* when) {
    const Shape& shape = part.value.shape();
    hdf5::Dataset dataset = layer.nested(group).create_dataset(
        name, {.type = type, .shape = {shape.begin(), shape.end()}});
    describe(dataset, part.name + when);
    attach_numbered_axes(dataset, layer, part, 0);
    return dataset;
  };
  made.finals.emplace(part.name, create(kind, " at the end"));
  if (kind != "weights") return;
  hdf5::Dataset first = create("weights_initial", " as used at tick 0");
  write_whole(first, part.value);
  made.initials.push_back(std::move(first));
}

void lay_out_numbered_history(hdf5::Group& layer, hdf5::Group& history, const NamedArray& part,
                              hdf5::Type type, std::int64_t rows, GrowingDatasets& growing,
                              ResultsLayout::Layer& made) {
  const auto& [kind, number] = kind_and_number(part.name);
  hdf5::Group group = history.nested(kind);
  const Shape& shape = part.value.shape();
  hdf5::Dataset values =
      growing.dataset(group, number, type, {shape.begin(), shape.end()}, rows, 1);
  describe(values, part.name + " after so many steps");
  values.attach_scale(0, *made.history_step);
  attach_numbered_axes(values, layer, part, 1);
  made.memory_histories.emplace(part.name, std::move(values));
}

}  // namespace gaia
