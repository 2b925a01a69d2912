// SPDX-License-Identifier: MIT
#include "control_scores.h"

#include <cmath>
#include <optional>

#include "free_run_layout.h"
#include "results_parts.h"

namespace gaia {
namespace {

constexpr const char* kGroup = "controls";

/// Numbers that are read with which each target of a matching goes.
void write_pairs(hdf5::Group& group, const ReadoutScore& score) {
  if (score.pairs.empty()) return;
  const auto targets = std::ssize(score.pairs);
  const hdf5::Dataset matched = make_index(group, "matched", targets, "target that is matched");
  hdf5::Dataset pair =
      group.create_dataset("pair", {.type = hdf5::Type::int64, .shape = {targets}});
  pair.write<std::int64_t>(score.pairs);
  describe(pair, "number, of those that are read, that the target goes with; -1: none is left");
  pair.attach_scale(0, matched);
  hdf5::Dataset r =
      group.create_dataset("correlation", {.type = hdf5::Type::float64, .shape = {targets}});
  r.write<double>(score.correlations);
  describe(r, "correlation of the target with that number; 0 where there is none");
  r.attach_scale(0, matched);
}

/// A statistic of each neuron that it is the mean over.
void write_of_each(hdf5::Group& group, const ReadoutScore& score) {
  if (score.of_each.empty()) return;
  const auto count = std::ssize(score.of_each);
  const hdf5::Dataset neuron = make_index(group, "neuron", count, "number that is measured");
  hdf5::Dataset each =
      group.create_dataset("of_each", {.type = hdf5::Type::float64, .shape = {count}});
  each.write<double>(score.of_each);
  describe(each, std::string(score.measure->name) + " of each, whose mean is the score");
  each.attach_scale(0, neuron);
}

}  // namespace

void write_scores(hdf5::Group& group, const ReadoutScore& score) {
  for (const auto& [name, value] : score.numbers()) group.set_attribute(name, value);
  write_without_blocks(group, score.without_blocks());
  group.set_attribute("score_undefined", score.undefined);
  write_pairs(group, score);
  write_of_each(group, score);
  if (score.confusion.empty()) return;
  const auto classes = static_cast<std::int64_t>(
      std::lround(std::sqrt(static_cast<double>(score.confusion.size()))));
  hdf5::Dataset confusion =
      group.create_dataset("confusion", {.type = hdf5::Type::int64, .shape = {classes, classes}});
  confusion.write<std::int64_t>(score.confusion);
  describe(confusion, "test predictions by true class (rows) and predicted class");
  confusion.attach_scale(0, make_index(group, "target_class", classes, "true class"));
  confusion.attach_scale(1, make_index(group, "predicted_class", classes, "class predicted"));
}

void write_windows(hdf5::Group& scored, const WindowScores::Table& windows) {
  const auto count = std::ssize(windows.steps);
  if (count == 0) return;
  hdf5::Group group = scored.create_group("windows");
  hdf5::Dataset step = group.create_dataset("step", {.type = hdf5::Type::int64, .shape = {count}});
  step.write<std::int64_t>(windows.steps);
  describe(step, "step of the last tick of the window");
  step.make_scale("step");
  for (const auto& [name, values] : windows.scores) {
    hdf5::Dataset score =
        group.create_dataset(name, {.type = hdf5::Type::float64, .shape = {count}});
    score.write<double>(values);
    describe(score, name + " of the window");
    score.attach_scale(0, step);
  }
}

void write_folds(hdf5::Group& scored, const FoldScores& folds,
                 const std::vector<std::string>& names) {
  if (folds.empty()) return;
  hdf5::Group group = scored.create_group("groups");
  const hdf5::Dataset index =
      make_index(group, "group", std::ssize(names), "group, each of which was once the test part");
  group.set_attribute("names", names);
  for (const auto& [name, values] : folds) {
    hdf5::Dataset score =
        group.create_dataset(name, {.type = hdf5::Type::float64, .shape = {std::ssize(values)}});
    score.write<double>(values);
    describe(score, name + " of the group, by what the others teach");
    score.attach_scale(0, index);
  }
}

void lay_out_controls(hdf5::Group& readout, const std::vector<ControlPlan>& plans,
                      std::size_t index, const ReadoutScore& kind) {
  std::optional<hdf5::Group> all;
  std::vector<std::string> left_out;
  for (const ControlPlan& plan : plans) {
    if (!plan.is_read(index)) {
      left_out.push_back(plan.name + ": " + plan.left_out[index]);
      continue;
    }
    if (!all) all = readout.create_group(kGroup);
    hdf5::Group group = all->create_group(plan.name);
    for (const auto& [score, value] : kind.numbers()) group.set_attribute(score, std::nan(""));
    group.set_attribute("score_undefined", "the run has not ended");
  }
  if (!left_out.empty()) readout.set_attribute("controls_left_out", left_out);
}

void write_control_scores(hdf5::Group& readout, const std::vector<ControlScore>& scores,
                          const std::vector<std::string>& group_names) {
  if (scores.empty()) return;
  const hdf5::Group all = readout.open_group(kGroup);
  for (const ControlScore& one : scores) {
    hdf5::Group group = all.open_group(one.control);
    write_scores(group, one.score);
    write_windows(group, one.windows);
    write_folds(group, one.folds, group_names);
    if (one.free_run) write_free_run(group, *one.free_run, true);
    group.set_attribute("title", one.title);
    if (one.validation) {
      for (const auto& [name, value] : one.validation->numbers()) {
        group.set_attribute("validation_" + name, value);
      }
    }
    for (const auto& [name, value] : one.variant) {
      std::visit([&, &key = name](const auto& v) { group.set_attribute(key, v); }, value);
    }
  }
}

}  // namespace gaia
