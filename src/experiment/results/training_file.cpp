// SPDX-License-Identifier: MIT
#include "training_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "../../array/create.h"
#include "../../io/output_files.h"
#include "../../layers/network/plastic.h"
#include "../config/config_writer.h"
#include "row_filter_layout.h"

namespace gaia {
namespace {

/// Row `row` of a dataset [rows, ...] of the array's type.
void write_row(hdf5::Dataset& dataset, std::int64_t row, const Array& values) {
  if (values.dtype() == DType::float32) {
    dataset.write_rows(row, 1, values.to_vector<float>().data());
  } else {
    dataset.write_rows(row, 1, values.to_vector<double>().data());
  }
}

}  // namespace

TrainingFile::TrainingFile(const Experiment& experiment, const RunFacts& run,
                           const BuiltNetwork& network, const TrainingData& data,
                           const Recorded& recorded, const TaskSequence* tasks)
    : result_(experiment.config.output.path),
      network_(network),
      data_(data),
      is_classifier_(data.classes > 0),
      file_(create_partial(result_, recorded)) {
  write_root(file_, experiment.config, run, "history");
  lay_out_data(experiment, run, data);
  lay_out_network(experiment);
  lay_out_history(run.steps);
  if (tasks != nullptr && tasks->is_sequence()) lay_out_tasks(experiment, *tasks);
  if (data.validation) lay_out_validation(*data.validation);
  lay_out_test(data);
  if (run.in_sample) file_.open_group("test").set_attribute("in_sample", "true");
  hdf5::Group status = file_.create_group("status");
  hdf5::Dataset committed =
      status.create_dataset("committed_steps", {.type = hdf5::Type::int64, .shape = {}});
  describe(committed, "epochs whose results are safe in the file");
  datasets_.emplace("committed", std::move(committed));
  open_to_readers(file_, result_, recorded, [&] { take_over(recorded); });
  for (auto& [name, dataset] : datasets_) dataset.limit_cache();
}

void TrainingFile::take_over(const Recorded& recorded) {
  epochs_ = recorded.steps;
  for (auto& [name, dataset] : datasets_) {
    const bool is_of_end = name.rfind("test/", 0) == 0 || name.rfind("validation/", 0) == 0;
    if (name == "committed" || is_of_end) continue;
    const hdf5::Dataset before = recorded.file->open_dataset(dataset.place().path);
    if (dataset.can_grow()) {
      take_rows(dataset, before, epochs_);
    } else {
      take_whole(dataset, before);
    }
  }
  datasets_.at("committed").write<std::int64_t>({&epochs_, 1});
}

void TrainingFile::sync() { sync_file(partial_path(result_)); }

void TrainingFile::lay_out_data(const Experiment& experiment, const RunFacts& run,
                                const TrainingData& data) {
  hdf5::Group group = create_data_group(file_, experiment.config, run);
  const std::int64_t kept = data.validation ? data.validation->y.shape(0) : 0;
  group.set_attribute("samples", data.train_y.shape(0) + kept + data.test_y.shape(0));
  group.set_attribute("train_samples", data.train_y.shape(0));
  group.set_attribute("test_samples", data.test_y.shape(0));
  if (data.validation) group.set_attribute("validation_samples", kept);
  if (is_classifier_) {  // images
    group.set_attribute("height", data.test_x.shape(2));
    group.set_attribute("width", data.test_x.shape(3));
    if (data.test_x.shape(1) > 1) group.set_attribute("colours", data.test_x.shape(1));
    if (!experiment.images->classes.empty()) {
      group.set_attribute("classes", experiment.images->classes);
    }
  } else {
    group.set_attribute("window", experiment.config.data.window);
    group.set_attribute("purged_samples", sample_counts(experiment).purged);
    write_channels(group, experiment.series->channel_names(), experiment.config.data, data.scaling);
    write_filled(group, filled_values(experiment));
    write_row_filter(group, experiment.config.data);
  }
}

void TrainingFile::lay_out_network(const Experiment& experiment) {
  hdf5::Group group = file_.create_group("network");
  const NetworkConfig& config = *experiment.config.network();
  for (const auto& [name, value] : attributes_of(config, !is_classifier_)) {
    std::visit([&, &key = name](const auto& v) { group.set_attribute(key, v); }, value);
  }
  group.set_attribute("parameters", network_.net->parameter_count());
  if (!data_.class_weights.empty()) {
    const auto classes = std::ssize(data_.class_weights);
    hdf5::Dataset weights =
        group.create_dataset("class_weights", {.type = hdf5::Type::float64, .shape = {classes}});
    describe(weights, "how much a sample of the class counts in the loss");
    weights.attach_scale(0, make_index(group, "class", classes, "class of a sample"));
    weights.write<double>(data_.class_weights);
  }
  hdf5::Group layers = group.create_group("layers");
  const ArrayMap state = network_.net->state();
  for (std::size_t m = 0; m < config.layers.size(); ++m) {
    hdf5::Group layer = layers.create_group(std::to_string(m));
    for (const auto& [name, value] : attributes_of(config.layers[m])) {
      std::visit([&, &key = name](const auto& v) { layer.set_attribute(key, v); }, value);
    }
    const auto* const plastic =
        dynamic_cast<const PlasticModule*>(&(*network_.net)[network_.modules[m]]);
    if (plastic != nullptr) {
      const RuleExecution execution = plastic->execution(config.batch_size);
      layer.set_attribute("rule_class", execution.rule_class);
      layer.set_attribute("rule_class_why", execution.class_why);
    }
    const std::string prefix = std::to_string(network_.modules[m]) + ".";
    std::map<std::int64_t, hdf5::Dataset> lengths;
    for (const auto& [name, value] : state) {
      if (name.rfind(prefix, 0) != 0) continue;
      const Shape& shape = value.shape();
      hdf5::Dataset dataset = layer.create_dataset(
          name.substr(prefix.size()),
          {.type = stored_type(value.dtype()), .shape = {shape.begin(), shape.end()}});
      describe(dataset, name.substr(prefix.size()) + " after the last epoch that is here");
      for (int axis = 0; axis < shape.rank(); ++axis) {
        const std::int64_t n = shape[axis];
        if (lengths.find(n) == lengths.end()) {
          lengths.emplace(n, make_index(layer, "n" + std::to_string(n), n, "index"));
        }
        dataset.attach_scale(axis, lengths.at(n));
      }
      datasets_.emplace(name, std::move(dataset));
    }
  }
}

void TrainingFile::lay_out_history(std::int64_t epochs) {
  const std::int64_t chunk = std::max<std::int64_t>(1, epochs);
  hdf5::Group group = file_.create_group("history");
  const auto series = [&](const char* name, const char* long_name, const char* units = "1") {
    hdf5::Dataset dataset = group.create_dataset(
        name, {.type = hdf5::Type::float64, .shape = {0}, .chunk = {chunk}, .can_grow = true});
    describe(dataset, long_name, units);
    return dataset;
  };
  hdf5::Dataset epoch = group.create_dataset(
      "epoch", {.type = hdf5::Type::int64, .shape = {0}, .chunk = {chunk}, .can_grow = true});
  describe(epoch, "epoch, from 0");
  epoch.make_scale("epoch");
  const auto add = [&](const char* name, const char* long_name, const char* units = "1") {
    hdf5::Dataset dataset = series(name, long_name, units);
    dataset.attach_scale(0, epoch);
    datasets_.emplace(std::string("history/") + name, std::move(dataset));
  };
  add("loss", "mean loss of the training samples, each before the step it caused");
  add("test_loss", "mean loss of the test samples after the epoch");
  if (data_.validation) {
    add("validation_loss", "mean loss of the validation samples after the epoch");
  }
  if (is_classifier_) {
    add("accuracy", "share of training samples whose class was answered");
    add("test_accuracy", "share of test samples whose class was answered");
    if (data_.validation) {
      add("validation_accuracy", "share of validation samples whose class was answered");
    }
  }
  add("learning_rate", "learning rate at the end of the epoch");
  add("samples_per_second", "speed of training", "s-1");
  lay_out_diagnostics(epoch, chunk);
  datasets_.emplace("history/epoch", std::move(epoch));
  mark_plot(group, "loss", {"epoch"});
}

void TrainingFile::lay_out_diagnostics(const hdf5::Dataset& epoch, std::int64_t chunk) {
  const std::map<std::string, const char*> meanings = {
      {"fast_norm", "norm of the fast trace after the epoch"},
      {"slow_norm", "norm of the slow trace after the epoch"},
      {"update_norm", "norm of what the last batch of the epoch added to the fast trace"},
      {"weight_norm", "norm of the weights behind the codes after the epoch"},
      {"sparsity", "share of codes that are 0 after the epoch"},
      {"gradient_norm", "norm of the weights' gradient in the last step of the epoch, as clipped"}};
  for (const LayerDiagnostics& layer : measure_diagnostics(network_)) {
    const std::string path = fmt::format("network/layers/{}/diagnostics", layer.layer);
    hdf5::Group group =
        file_.open_group(fmt::format("network/layers/{}", layer.layer)).create_group("diagnostics");
    group.link("epoch", epoch.place().path);
    for (const auto& [name, value] : layer.values.named()) {
      hdf5::Dataset dataset = group.create_dataset(
          name, {.type = hdf5::Type::float64, .shape = {0}, .chunk = {chunk}, .can_grow = true});
      describe(dataset, meanings.at(name));
      dataset.attach_scale(0, epoch);
      datasets_.emplace(path + "/" + name, std::move(dataset));
    }
  }
}

void TrainingFile::lay_out_tasks(const Experiment& experiment, const TaskSequence& tasks) {
  tasks_ = tasks.count();
  hdf5::Group group = file_.create_group("tasks");
  const hdf5::Dataset trained = make_index(group, "trained", tasks_, "task that was trained last");
  const hdf5::Dataset tested = make_index(group, "tested", tasks_, "task that is tested");
  const std::int64_t pixels = tasks.permutation().shape(1);
  const hdf5::Dataset pixel = make_index(group, "pixel", pixels, "pixel, row by row");
  hdf5::Dataset permutation =
      group.create_dataset("permutation", {.type = hdf5::Type::int64, .shape = {tasks_, pixels}});
  describe(permutation, "pixel of the picture as it is that stands here in the task");
  permutation.attach_scale(0, tested);
  permutation.attach_scale(1, pixel);
  write_whole(permutation, tasks.permutation());
  hdf5::Dataset accuracy =
      group.create_dataset("accuracy", {.type = hdf5::Type::float64, .shape = {tasks_, tasks_}});
  describe(accuracy,
           "share of test samples of a task whose class was answered; NaN of later tasks");
  accuracy.attach_scale(0, trained);
  accuracy.attach_scale(1, tested);
  write_whole(accuracy,
              full({tasks_, tasks_}, std::numeric_limits<double>::quiet_NaN(), DType::float64));
  datasets_.emplace("tasks/accuracy", std::move(accuracy));
  mark_plot(group, "accuracy", {"trained", "tested"});
  if (!experiment.config.network()->consolidate) return;
  hdf5::Group weights = group.create_group("weights");
  hdf5::Group importance = group.create_group("importance");
  for (const auto& [name, parameter] : network_.net->named_parameters()) {
    const Shape& shape = parameter.shape();
    std::vector<std::int64_t> stacked(shape.begin(), shape.end());
    const hdf5::Type type = stored_type(parameter.dtype());
    hdf5::Dataset how_much = importance.create_dataset(name, {.type = type, .shape = stacked});
    describe(how_much, "importance of " + name + " after the last task that has ended");
    write_whole(how_much, zeros(shape, parameter.dtype()));
    stacked.insert(stacked.begin(), tasks_);
    hdf5::Dataset at_ends = weights.create_dataset(name, {.type = type, .shape = stacked});
    describe(at_ends, name + " at the end of each task");
    at_ends.attach_scale(0, trained);
    datasets_.emplace("tasks/importance/" + name, std::move(how_much));
    datasets_.emplace("tasks/weights/" + name, std::move(at_ends));
  }
}

void TrainingFile::write_task(std::int64_t task, const std::vector<double>& accuracies,
                              const Consolidation* consolidation) {
  hdf5::Dataset& accuracy = datasets_.at("tasks/accuracy");
  write_whole(accuracy, from_values(accuracies, {tasks_, tasks_}));
  accuracy.flush();
  if (task == tasks_ - 1) task_scores_ = task_scores(accuracies, tasks_);
  if (consolidation == nullptr) return;
  std::size_t i = 0;
  for (const auto& [name, parameter] : network_.net->named_parameters()) {
    hdf5::Dataset& importance = datasets_.at("tasks/importance/" + name);
    write_whole(importance, consolidation->importance()[i++]);
    importance.flush();
    hdf5::Dataset& weights = datasets_.at("tasks/weights/" + name);
    write_row(weights, task, parameter.value());
    weights.flush();
  }
}

hdf5::Group TrainingFile::lay_out_answers(const std::string& part, const std::string& title,
                                          const Array& y) {
  hdf5::Group group = file_.create_group(part);
  const std::int64_t n = y.shape(0);
  const hdf5::Dataset sample = make_index(group, "sample", n, title);
  const hdf5::Type type = is_classifier_ ? hdf5::Type::int64 : stored_type(y.dtype());
  for (const char* name : {"prediction", "target"}) {
    hdf5::Dataset dataset = group.create_dataset(name, {.type = type, .shape = {n}});
    describe(dataset, std::string(name) + " for the " + title);
    dataset.attach_scale(0, sample);
    datasets_.emplace(part + "/" + name, std::move(dataset));
  }
  write_whole(datasets_.at(part + "/target"), y.reshape({n}));
  return group;
}

void TrainingFile::lay_out_validation(const ValidationData& data) {
  hdf5::Group group = lay_out_answers("validation", "validation sample", data.y);
  hdf5::Dataset place =
      group.create_dataset(is_classifier_ ? "image" : "step",
                           {.type = hdf5::Type::int64, .shape = {std::ssize(data.places)}});
  describe(place, is_classifier_ ? "number of the sample among the training images"
                                 : "step of the newest row that the prediction is made from");
  place.attach_scale(0, group.open_dataset("sample"));
  place.write<std::int64_t>(data.places);
}

void TrainingFile::lay_out_test(const TrainingData& data) {
  hdf5::Group group = lay_out_answers("test", "test sample", data.test_y);
  const std::int64_t n = data.test_y.shape(0);
  const hdf5::Dataset sample = group.open_dataset("sample");
  if (!is_classifier_) {
    hdf5::Dataset step = group.create_dataset("step", {.type = hdf5::Type::int64, .shape = {n}});
    describe(step, "step of the newest row that the prediction is made from");
    step.attach_scale(0, sample);
    step.write<std::int64_t>(data.test_rows);
    return;
  }
  const hdf5::Dataset target = make_index(group, "target_class", data.classes, "class of a sample");
  const hdf5::Dataset answer = make_index(group, "predicted_class", data.classes, "class answered");
  hdf5::Dataset confusion = group.create_dataset(
      "confusion", {.type = hdf5::Type::int64, .shape = {data.classes, data.classes}});
  describe(confusion, "how often a class was answered for a class");
  confusion.attach_scale(0, target);
  confusion.attach_scale(1, answer);
  datasets_.emplace("test/confusion", std::move(confusion));
  if (data.wants_probabilities) {
    hdf5::Dataset probability = group.create_dataset(
        "probability", {.type = stored_type(data.test_x.dtype()), .shape = {n, data.classes}});
    describe(probability, "probability of the class for the test sample");
    probability.attach_scale(0, sample);
    probability.attach_scale(1, answer);
    datasets_.emplace("test/probability", std::move(probability));
  }
  mark_plot(group, "confusion", {"target_class", "predicted_class"});
}

void TrainingFile::write_weights() {
  for (const auto& [name, value] : network_.net->state()) {
    const auto found = datasets_.find(name);
    if (found == datasets_.end()) continue;
    write_whole(found->second, value);
    found->second.flush();
  }
}

void TrainingFile::append(const EpochReport& report, const Evaluation& test,
                          const std::vector<LayerDiagnostics>& diagnostics) {
  const auto put_at = [&](const std::string& path, auto value) {
    const auto found = datasets_.find(path);
    if (found == datasets_.end()) return;
    found->second.resize(epochs_ + 1);
    found->second.write_rows(epochs_, 1, &value);
    found->second.flush();
  };
  const auto put = [&](const char* name, auto value) {
    put_at(std::string("history/") + name, value);
  };
  for (const LayerDiagnostics& layer : diagnostics) {
    const std::string path = fmt::format("network/layers/{}/diagnostics/", layer.layer);
    for (const auto& [name, value] : layer.values.named()) put_at(path + name, value);
  }
  put("epoch", report.epoch);
  put("loss", report.loss);
  put("accuracy", report.accuracy);
  put("validation_loss", report.validation_loss);
  put("validation_accuracy", report.validation_accuracy);
  put("test_loss", test.loss);
  put("test_accuracy", test.accuracy);
  put("learning_rate", report.learning_rate);
  put("samples_per_second", report.samples_per_second);
  write_weights();
  ++epochs_;
  hdf5::Dataset& committed = datasets_.at("committed");
  committed.write<std::int64_t>({&epochs_, 1});
  committed.flush();
}

void TrainingFile::write_test(const Array& answers, const Array& probabilities) {
  write_whole(datasets_.at("test/prediction"), answers);
  if (data_.wants_probabilities) write_whole(datasets_.at("test/probability"), probabilities);
  if (!is_classifier_ || (data_.known && data_.known->empty())) return;
  write_whole(datasets_.at("test/confusion"),
              confusion_matrix(data_.test_y, answers, data_.classes));
}

void TrainingFile::write_validation(const Array& answers) {
  write_whole(datasets_.at("validation/prediction"), answers);
}

void TrainingFile::write_score(hdf5::Group& group, const TestScore& score) const {
  group.set_attribute("loss", score.loss);
  if (is_classifier_) {
    group.set_attribute("accuracy", score.accuracy);
    return;
  }
  group.set_attribute("nrmse", score.nrmse);
  group.set_attribute("r2", score.r2);
  group.set_attribute("baseline", score.baseline);
  group.set_attribute("baseline_nrmse", score.baseline_nrmse);
  group.set_attribute("baseline_r2", score.baseline_r2);
}

std::string TrainingFile::finish(RunStatus status, std::int64_t epochs_done, double wall_seconds,
                                 const TestScore& score, const Validated& validated) {
  is_open_ = false;
  write_weights();
  datasets_.clear();
  file_.close();
  return finish_results(result_, status, epochs_done, wall_seconds, [&](hdf5::File& file) {
    hdf5::Group group = file.open_group("test");
    write_score(group, score);
    if (data_.validation) {
      hdf5::Group validation = file.open_group("validation");
      write_score(validation, validated.score);
      hdf5::Group network = file.open_group("network");
      if (validated.best_epoch >= 0) network.set_attribute("best_epoch", validated.best_epoch);
      network.set_attribute("stopped_early", validated.stopped_early ? "true" : "false");
    }
    if (tasks_ > 0 && status == RunStatus::complete) {
      hdf5::Group tasks = file.open_group("tasks");
      tasks.set_attribute("mean_accuracy", task_scores_.mean_accuracy);
      tasks.set_attribute("forgetting", task_scores_.forgetting);
    }
    if (!is_classifier_) {
      write_without_blocks(group, {{"r2_without_block", score.without},
                                   {"baseline_r2_without_block", score.baseline_without}});
    }
  });
}

void TrainingFile::abandon() {
  is_open_ = false;
  file_.abandon();
}

}  // namespace gaia
