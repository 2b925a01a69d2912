// SPDX-License-Identifier: MIT
#include "filter_layout.h"

#include <string>
#include <vector>

namespace gaia {
namespace {

hdf5::Dataset index_of(hdf5::Group& group, const std::string& name, std::int64_t count,
                       const std::string& meaning) {
  if (group.has_dataset(name)) return group.open_dataset(name);
  return make_index(group, name, count, meaning);
}

bool is_matrix(const NamedArray& part) { return part.name == "Q" || part.name == "R"; }

std::string meaning_of(const NamedArray& part) {
  if (!is_matrix(part)) return "all that the noise adapts from";
  return part.name == "Q" ? "covariance of the noise of the state"
                          : "covariance of the noise of what is observed";
}

/// The coordinates of the two axes of noise from axis `first` on.
void attach_noise_axes(hdf5::Group& layer, const NamedArray& part, hdf5::Dataset& dataset,
                       int first) {
  const std::int64_t size = part.value.shape(1);
  if (!is_matrix(part)) {
    dataset.attach_scale(first, index_of(layer, "adapted_row", 1, "always 0"));
    dataset.attach_scale(
        first + 1, index_of(layer, "adapted_number", size, "number that adapting goes on from"));
    return;
  }
  const std::string axis = part.name == "Q" ? "state" : "observation";
  const std::string what = part.name == "Q" ? "number of the state" : "number that is observed";
  dataset.attach_scale(first, index_of(layer, axis, size, what));
  dataset.attach_scale(first + 1, index_of(layer, "source_" + axis, size, "the other " + what));
}

}  // namespace

hdf5::Dataset lay_out_tick_series(hdf5::Group& level, const TickSeries& series,
                                  const hdf5::Dataset& step, bool has_times, std::int64_t rows,
                                  std::int64_t block_rows, const GrowingDatasets& growing) {
  std::vector<std::int64_t> shape;
  for (const TickSeries::Axis& axis : series.axes) shape.push_back(axis.length);
  hdf5::Dataset dataset =
      growing.dataset(level, series.name, hdf5::Type::float64, shape, rows, block_rows);
  describe(dataset, series.meaning);
  dataset.attach_scale(0, step);
  for (std::size_t i = 0; i < series.axes.size(); ++i) {
    const TickSeries::Axis& axis = series.axes[i];
    dataset.attach_scale(static_cast<int>(i) + 1,
                         index_of(level, axis.name, axis.length, axis.meaning));
  }
  if (has_times) dataset.set_attribute("coordinates", "time");
  return dataset;
}

void lay_out_noise(hdf5::Group& layer, const NamedArray& part, ResultsLayout::Layer& made) {
  const auto create = [&](const std::string& name, const std::string& when) {
    hdf5::Dataset dataset = layer.create_dataset(
        name, {.type = hdf5::Type::float64, .shape = {part.value.shape(0), part.value.shape(1)}});
    describe(dataset, meaning_of(part) + when);
    attach_noise_axes(layer, part, dataset, 0);
    return dataset;
  };
  hdf5::Dataset first = create(part.name + "_initial", ", as used at tick 0");
  write_whole(first, part.value);
  made.initials.push_back(std::move(first));
  made.finals.emplace(part.name, create(part.name, ", at the end"));
}

void lay_out_noise_history(hdf5::Group& layer, hdf5::Group& history, const NamedArray& part,
                           std::int64_t rows, const GrowingDatasets& growing,
                           ResultsLayout::Layer& made) {
  hdf5::Dataset values = growing.dataset(history, part.name, hdf5::Type::float64,
                                         {part.value.shape(0), part.value.shape(1)}, rows, 1);
  describe(values, meaning_of(part) + ", after so many steps");
  values.attach_scale(0, *made.history_step);
  attach_noise_axes(layer, part, values, 1);
  made.memory_histories.emplace(part.name, std::move(values));
}

}  // namespace gaia
