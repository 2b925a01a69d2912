// SPDX-License-Identifier: MIT
#include "changes_in_file.h"

#include "results_parts.h"

namespace gaia {

void write_changes(hdf5::Group& readout, const std::vector<Readout::Change>& changes) {
  const auto count = std::ssize(changes);
  readout.set_attribute("changes", count);
  if (count == 0) return;
  hdf5::Group group = readout.create_group("changes");
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> series;
  std::vector<double> statistics;
  std::vector<double> estimates;
  for (const Readout::Change& one : changes) {
    steps.push_back(one.step);
    series.push_back(one.series);
    statistics.push_back(one.statistic);
    estimates.push_back(one.estimate);
  }
  hdf5::Dataset step = group.create_dataset("step", {.type = hdf5::Type::int64, .shape = {count}});
  step.write<std::int64_t>(steps);
  describe(step, "step at which a change is told");
  step.make_scale("step");
  hdf5::Dataset which =
      group.create_dataset("series", {.type = hdf5::Type::int64, .shape = {count}});
  which.write<std::int64_t>(series);
  describe(which, "number of the series that has changed, among those that are watched");
  which.attach_scale(0, step);
  const auto numbers = [&](const char* name, const char* meaning,
                           const std::vector<double>& values) {
    hdf5::Dataset dataset =
        group.create_dataset(name, {.type = hdf5::Type::float64, .shape = {count}});
    dataset.write<double>(values);
    describe(dataset, meaning);
    dataset.attach_scale(0, step);
  };
  numbers("statistic", "statistic at the change", statistics);
  numbers("estimate", "mean of the series at the change", estimates);
}

}  // namespace gaia
