// SPDX-License-Identifier: MIT
#include "free_run_layout.h"

#include <numeric>
#include <optional>
#include <vector>

#include "results_parts.h"

namespace gaia {

void write_free_run(hdf5::Group& group, const FreeRun::Table& table, bool is_control) {
  hdf5::Group run = group.create_group("free_run");
  const auto starts = std::ssize(table.starts);
  const auto whole = [&](const char* name, const std::vector<std::int64_t>& values,
                         const char* meaning) {
    hdf5::Dataset dataset =
        run.create_dataset(name, {.type = hdf5::Type::int64, .shape = {std::ssize(values)}});
    if (!values.empty()) dataset.write<std::int64_t>(values);
    describe(dataset, meaning);
    return dataset;
  };
  hdf5::Dataset start =
      whole("start", table.starts, "first step whose row is what the readout has said");
  start.make_scale("start");
  std::vector<std::int64_t> steps(static_cast<std::size_t>(table.steps));
  std::iota(steps.begin(), steps.end(), 1);
  hdf5::Dataset ahead = whole("ahead", steps, "steps that the readout goes on by itself");
  ahead.make_scale("ahead");
  std::optional<hdf5::Dataset> output;
  std::vector<std::int64_t> shape = {starts, table.steps};
  if (table.outputs > 1) {
    output = make_index(run, "output", table.outputs, "output");
    shape.push_back(table.outputs);
  }
  const auto rows = [&](const char* name, const std::vector<double>& values, const char* meaning) {
    hdf5::Dataset dataset = run.create_dataset(name, {.type = hdf5::Type::float64, .shape = shape});
    if (!values.empty()) dataset.write<double>(values);
    describe(dataset, meaning);
    dataset.attach_scale(0, start);
    dataset.attach_scale(1, ahead);
    if (output) dataset.attach_scale(2, *output);
  };
  rows("prediction", table.prediction,
       "what the readout says of step start + ahead - 1, and reads there");
  if (!is_control) rows("target", table.target, "what came at that step");
  hdf5::Dataset valid = whole("valid_steps", table.valid_steps,
                              "steps before the error is longer than the threshold");
  valid.attach_scale(0, start);
  hdf5::Dataset error =
      run.create_dataset("error", {.type = hdf5::Type::float64, .shape = {table.steps}});
  error.write<double>(table.error);
  describe(error, "root of the mean square error over starts, over the deviation of the series");
  error.attach_scale(0, ahead);
  mark_plot(run, "error", {"ahead"});
}

}  // namespace gaia
