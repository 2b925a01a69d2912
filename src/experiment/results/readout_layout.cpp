// SPDX-License-Identifier: MIT
#include "readout_layout.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "../config/config_writer.h"
#include "results_parts.h"

namespace gaia {
namespace {

/// The attributes that will hold the scores of a readout.
void lay_out_scores(hdf5::Group& group, const Readout& readout) {
  for (const auto& [name, value] : readout.score().numbers()) {
    group.set_attribute(name, std::nan(""));
  }
  if (readout.validation()) {
    for (const auto& [name, value] : readout.validation()->numbers()) {
      group.set_attribute("validation_" + name, std::nan(""));
    }
  }
  group.set_attribute("score_undefined", "the run has not ended");
  group.set_attribute("verdict", "");
  if (!readout.score().baseline.empty()) {
    group.set_attribute("baseline", readout.score().baseline);
  }
}

/// The coordinate of what a readout reads, with the level and the neuron that each number is of;
/// those of the sample and the 1 are of no level.
hdf5::Dataset lay_out_features(hdf5::Group& group, const Readout& readout,
                               const HierarchyManager& hierarchy) {
  hdf5::Dataset feature =
      make_index(group, "feature", readout.features(), "number that the readout reads");
  std::vector<std::int32_t> levels;
  std::vector<std::int32_t> neurons;
  for (const std::int64_t level : readout.config().levels) {
    const std::int64_t size = hierarchy.levels()[static_cast<std::size_t>(level)].output_size();
    for (std::int64_t neuron = 0; neuron < size; ++neuron) {
      levels.push_back(static_cast<std::int32_t>(level));
      neurons.push_back(static_cast<std::int32_t>(neuron));
    }
  }
  const ReadoutFeatures& features = readout.config().features;
  constexpr std::int32_t kNone = -1;
  levels.resize(static_cast<std::size_t>(readout.features()), kNone);
  for (std::int64_t i = 0; features.input && i < features.input_size; ++i) {
    neurons.push_back(static_cast<std::int32_t>(i));
  }
  neurons.resize(levels.size(), kNone);
  const auto numbers = [&](const char* name, const char* long_name,
                           const std::vector<std::int32_t>& values) {
    hdf5::Dataset dataset =
        group.create_dataset(name, {.type = hdf5::Type::int32, .shape = {readout.features()}});
    dataset.write<std::int32_t>(values);
    describe(dataset, long_name);
    dataset.attach_scale(0, feature);
  };
  if (features.are_plain()) {
    numbers("level", "level that the number is of", levels);
    numbers("neuron", "neuron of that level", neurons);
    return feature;
  }
  numbers("level", "level that the number is of; -1: it is one of the sample, or the 1", levels);
  numbers("neuron", "neuron of that level, or place in the sample; -1: it is the 1", neurons);
  if (!features.squares) return feature;
  std::vector<std::int32_t> squared;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    squared.push_back(levels[i] != kNone && neurons[i] % 2 == 1 ? 1 : 0);
  }
  numbers("squared", "1: what is read is the square of the neuron; 0: the number itself", squared);
  return feature;
}

}  // namespace

namespace {

/// Steps whose classes it is told, where these are few.
void lay_out_labels(hdf5::Group& group, const ReadoutConfig& readout) {
  if (!readout.labelled || readout.kind->asks()) return;
  const std::vector<std::int64_t>& steps = readout.labelled->steps;
  hdf5::Dataset dataset = group.create_dataset(
      "labelled_step", {.type = hdf5::Type::int64, .shape = {std::ssize(steps)}});
  dataset.write<std::int64_t>(steps);
  describe(dataset, "step of the training part whose class the readout is told");
  dataset.make_scale("labelled_step");
}

/// Names of the neurons that are read, and the steps that these have asked for.
void lay_out_names(hdf5::Group& group, const Readout& readout, const hdf5::Dataset& feature,
                   ReadoutDatasets& made) {
  const ReadoutConfig& config = readout.config();
  const auto numbers = [&](const char* name, const char* meaning) {
    hdf5::Dataset dataset =
        group.create_dataset(name, {.type = hdf5::Type::int64, .shape = {readout.features()}});
    dataset.write<std::int64_t>(
        std::vector<std::int64_t>(static_cast<std::size_t>(readout.features()), -1));
    describe(dataset, meaning);
    dataset.attach_scale(0, feature);
    return dataset;
  };
  if (!config.kind->names_neurons()) return;
  made.name = numbers("name", "class that the neuron is called by; -1: none");
  if (!config.kind->asks() || !config.learn) return;
  made.asked = numbers("asked_step", "step whose class the neuron has asked for; -1: none");
}

}  // namespace

namespace {

/// What stands along an axis of a readout's series.
void name_axis(hdf5::Group& group, const Readout& readout, const std::string& axis,
               const std::vector<std::string>& channel_names) {
  if (axis == "class") group.set_attribute("classes", readout.classes());
  if (axis == "output") group.set_attribute("outputs", readout.config().target.names);
  if (axis == "readout") group.set_attribute("readouts", readout.fused_names());
  if (axis == "channel") group.set_attribute("channels", channel_names);
}

/// What a consensus finds: S, and how sure all together are.
void lay_out_fusion(hdf5::Group& group, const Readout& readout,
                    std::map<std::string, hdf5::Dataset>& axes, ReadoutDatasets& made) {
  const std::int64_t numbers = std::max<std::int64_t>(1, std::ssize(readout.config().target.names));
  const hdf5::Dataset error =
      make_index(group, "error", readout.features(),
                 "readout and output that the error is of, output by output of each readout");
  if (!axes.contains("output")) {
    axes.emplace("output", make_index(group, "output", numbers, "output"));
  }
  const auto matrix = [&](const char* name, const char* meaning, std::int64_t width,
                          const hdf5::Dataset& scale) {
    hdf5::Dataset dataset =
        group.create_dataset(name, {.type = hdf5::Type::float64, .shape = {width, width}});
    describe(dataset, meaning);
    dataset.attach_scale(0, scale);
    dataset.attach_scale(1, scale);
    made.solution.push_back(std::move(dataset));
  };
  matrix("error_covariance", "second moment of the errors of the readouts that are fused, S",
         readout.features(), error);
  matrix("fused_covariance", "covariance of the error of the prediction where all are fused",
         numbers, axes.at("output"));
  hdf5::Dataset mean =
      group.create_dataset("target_mean", {.type = hdf5::Type::float64, .shape = {numbers}});
  describe(mean, "mean of the targets that the readouts were trained on");
  mean.attach_scale(0, axes.at("output"));
  made.solution.push_back(std::move(mean));
}

}  // namespace

ReadoutDatasets lay_out_readout(hdf5::Group& group, const Readout& readout,
                                const HierarchyManager& hierarchy,
                                const std::vector<std::string>& channel_names,
                                const GrowingDatasets& growing) {
  for (const auto& [name, value] : attributes_of(readout.config())) {
    std::visit([&, &key = name](const auto& v) { group.set_attribute(key, v); }, value);
  }
  lay_out_scores(group, readout);
  const ReadoutTarget& target = readout.config().target;
  if (target.of == ReadoutTarget::Of::channel && target.indices.size() == 1) {
    const auto index = static_cast<std::size_t>(target.indices.front());
    group.set_attribute("target_name", channel_names[index]);
  }
  group.set_attribute("training_ticks", readout.training_ticks());
  lay_out_labels(group, readout.config());
  if (!readout.remarks().empty()) group.set_attribute("remarks", readout.remarks());
  if (readout.config().learn && !readout.config().kind->is_online()) {
    group.set_attribute("purge", readout.purge());
    group.set_attribute("purged", readout.ticks().purged());
  }
  const std::int64_t rows = readout.rows();
  hdf5::Dataset step = growing.dataset(group, "step", hdf5::Type::int64, {}, rows, 1);
  const bool tells_changes = readout.config().task() == ReadoutTask::change;
  describe(step, tells_changes ? "step at which a change is known"
                 : readout.config().task() == ReadoutTask::statistic
                     ? "step that is measured"
                     : "step at which the prediction is made");
  step.make_scale("step");
  ReadoutDatasets made{std::move(step), {}, {}, {}, {}, {}, 0};
  const std::vector<ReadoutSeries> told = readout.series();
  // Axes of several targets or classes, in the order of their axis.
  std::map<std::string, hdf5::Dataset> axes;
  for (const ReadoutSeries& series : told) {
    std::vector<std::int64_t> shape;
    if (series.width > 0) {
      shape = {series.width};
      if (!axes.contains(series.axis)) {
        axes.emplace(series.axis, series.axis == "feature"
                                      ? lay_out_features(group, readout, hierarchy)
                                      : make_index(group, series.axis, series.width, series.axis));
        name_axis(group, readout, series.axis, channel_names);
      }
    }
    hdf5::Dataset dataset = growing.dataset(group, series.name, series.type, shape, rows, 1);
    describe(dataset, series.meaning);
    dataset.attach_scale(0, made.step);
    if (series.width > 0) dataset.attach_scale(1, axes.at(series.axis));
    made.series.push_back(std::move(dataset));
  }
  made.time = growing.times(group, rows, 1, made.step,
                            tells_changes ? "time of the newest row that has been seen"
                                          : "time of the newest row that the prediction has seen");
  if (!told.empty()) mark_plot(group, told.front().name.c_str(), {"step"});
  if (!readout.config().predicts()) return made;
  if (readout.config().kind->fuses()) lay_out_fusion(group, readout, axes, made);
  if (!readout.is_linear()) return made;
  if (!readout.solved_by().empty()) group.set_attribute("solved_by", readout.solved_by());
  // Linear ones have one axis at most.
  const hdf5::Dataset* const axis = axes.empty() ? nullptr : &axes.begin()->second;
  const hdf5::Dataset feature = lay_out_features(group, readout, hierarchy);
  const auto part = [&](const char* name, const char* meaning, bool per_feature) {
    std::vector<std::int64_t> shape;
    if (axis != nullptr) shape.push_back(axis->shape().front());
    if (per_feature) shape.push_back(readout.features());
    hdf5::Dataset dataset =
        group.create_dataset(name, {.type = hdf5::Type::float64, .shape = shape});
    describe(dataset, meaning);
    if (axis != nullptr) dataset.attach_scale(0, *axis);
    if (per_feature) dataset.attach_scale(axis != nullptr ? 1 : 0, feature);
    made.solution.push_back(std::move(dataset));
  };
  part("weights",
       readout.config().kind->names_neurons()
           ? "share of each class among what the neuron is called by"
       : readout.config().features.are_plain() ? "weight of each neuron that is read"
                                               : "weight of each number that is read",
       true);
  part("intercept", "prediction where all neurons are silent", false);
  part("target_mean", "mean of the targets that it was trained on", false);
  lay_out_names(group, readout, feature, made);
  return made;
}

void write_model(hdf5::Group& group, const std::vector<double>& state) {
  if (state.empty()) return;
  hdf5::Dataset model =
      group.create_dataset("model", {.type = hdf5::Type::float64, .shape = {std::ssize(state)}});
  model.write<double>(state);
  describe(model, "all that the readout goes on from at the end, as a stream does");
}

}  // namespace gaia
