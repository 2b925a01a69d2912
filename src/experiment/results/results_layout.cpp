// SPDX-License-Identifier: MIT
#include "results_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "../../layers/hierarchy/plastic_conv.h"
#include "../config/config_writer.h"
#include "../setup/hierarchy_checks.h"
#include "control_scores.h"
#include "drift_layout.h"
#include "filter_layout.h"
#include "numbered_weights.h"
#include "readout_layout.h"
#include "row_filter_layout.h"
#include "smoothed.h"

namespace gaia {
namespace {

/// One results file being laid out.
class Builder {
 public:
  Builder(hdf5::File& file, const ExperimentConfig& config, const HierarchyManager& hierarchy,
          std::int64_t all_steps, const DataFacts& data, std::int64_t block_steps)
      : file_(file),
        config_(config),
        hierarchy_(hierarchy),
        all_steps_(all_steps),
        trials_(data.trials),
        steps_(data.trials.steps()),
        block_steps_(block_steps),
        float_type_(stored_type(config.dtype)),
        growing_(config, data.time) {}

  void data(const DataFacts& facts, const RunFacts& run) {
    hdf5::Group group = create_data_group(file_, config_, run);
    group.set_attribute("samples", steps_);
    group.set_attribute("window", config_.data.window);
    if (const auto rate = config_.data.rate_of_rows()) group.set_attribute("sample_rate", *rate);
    write_channels(group, facts.channel_names, config_.data, facts.scaling);
    write_filled(group, facts.filled);
    trial_starts(group);
    if (!facts.shape.empty()) {
      group.set_attribute("shape", fmt::format("[{}]", fmt::join(facts.shape, ", ")));
    }
    if (facts.whitening != nullptr) write_whitening(group, *facts.whitening);
    write_row_filter(group, config_.data);
    write_drifts(group, facts.drifts);
    if (!config_.output.inputs) return;
    const hdf5::Dataset feature =
        make_index(group, "feature", facts.features, "number in a sample, oldest row first");
    layout.sample_step =
        growing_.dataset(group, "step", hdf5::Type::int64, {}, steps_, block_steps_);
    describe(*layout.sample_step, "step of the sample");
    layout.sample_step->make_scale("step");
    layout.sample_time = growing_.times(group, steps_, block_steps_, *layout.sample_step,
                                        "time of the newest row of the sample");
    layout.samples =
        growing_.dataset(group, "samples", float_type_, {facts.features}, steps_, block_steps_);
    describe(*layout.samples, "samples as level 0 receives them");
    layout.samples->attach_scale(0, *layout.sample_step);
    layout.samples->attach_scale(1, feature);
    mark_plot(group, "samples", {"step", "feature"});
  }

  /// First step of each trial.
  void trial_starts(hdf5::Group& group) const {
    std::vector<std::int64_t> starts;
    for (const Trial& trial : trials_.all()) starts.push_back(trial.first_step);
    hdf5::Dataset dataset = group.create_dataset(
        "trial_start", {.type = hdf5::Type::int64, .shape = {trials_.count()}});
    dataset.write<std::int64_t>(starts);
    describe(dataset, "first step of each trial");
    dataset.attach_scale(0, make_index(group, "trial", trials_.count(), "trial"));
  }

  void levels(const DataFacts& facts, const RunFacts& run) {
    hdf5::Group all = file_.create_group("levels");
    all.set_attribute("epochs", config_.hierarchy().epochs);
    begins_with_learnt_ = facts.from != nullptr;
    if (facts.from) {
      all.set_attribute("from", run.inputs.back());
      all.set_attribute("from_sha256", run.input_hashes.back());
      all.set_attribute("from_run_id", facts.from->run_id);
    }
    all.set_attribute("NX_class", "NXentry");
    all.set_attribute("default", "0");
    for (std::size_t i = 0; i < hierarchy_.levels().size(); ++i) level(all, i);
  }

  void readouts(const std::vector<Readout>& readouts, const DataFacts& facts) {
    if (readouts.empty()) return;
    hdf5::Group all = file_.create_group("readouts");
    const std::vector<ControlPlan> controls =
        plan_controls({config_, trials_, hierarchy_, facts.features});
    for (std::size_t i = 0; i < readouts.size(); ++i) {
      const Readout& readout = readouts[i];
      hdf5::Group group = all.create_group(readout.config().name);
      lay_out_controls(group, controls, i, readout.score());
      layout.readouts.push_back(
          lay_out_readout(group, readout, hierarchy_, facts.channel_names, growing_));
    }
  }

  void metrics() {
    hdf5::Group group = file_.create_group("metrics");
    const auto levels = static_cast<std::int64_t>(hierarchy_.levels().size());
    const hdf5::Dataset level = make_index(group, "level", levels, "level");
    const std::int64_t blocks = (all_steps_ + block_steps_ - 1) / block_steps_;
    hdf5::Dataset step = growing_.dataset(group, "step", hdf5::Type::int64, {}, blocks, 1);
    describe(step, "steps done when the block ended");
    step.make_scale("step");
    const auto series = [&](const char* name, const char* long_name, const char* units,
                            bool per_level) {
      hdf5::Dataset dataset = growing_.dataset(
          group, name, hdf5::Type::float64,
          per_level ? std::vector<std::int64_t>{levels} : std::vector<std::int64_t>{}, blocks, 1);
      describe(dataset, long_name, units);
      dataset.attach_scale(0, step);
      if (per_level) dataset.attach_scale(1, level);
      layout.metrics.emplace(name, std::move(dataset));
    };
    series("steps_per_second", "speed of the block", "s-1", false);
    series("mean_activity", "mean absolute representation over the block", "1", true);
    series("weight_norm", "mean length of a neuron's weights", "1", true);
    series("weight_change", "relative change of the weights over the block", "1", true);
    if (config_.hierarchy().messages.keep > 0) {
      series("seconds", "time that the level took in the block", "s", true);
    }
    layout.metrics.emplace("step", std::move(step));
    mark_plot(group, "weight_norm", {"step", "level"});
  }

  void checkpoints() {
    hdf5::Group all = file_.create_group("checkpoint");
    const std::size_t slots = config_.checkpoint.every > 0 ? 2 : 1;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      hdf5::Group group = all.create_group(std::to_string(slot));
      hdf5::Dataset step = group.create_dataset("step", {.type = hdf5::Type::int64, .shape = {}});
      const std::int64_t none = -1;
      step.write<std::int64_t>({&none, 1});
      describe(step, "steps done when the state was stored; -1: nothing stored yet");
      ResultsLayout::Checkpoint checkpoint{std::move(step), {}};
      std::map<std::int64_t, hdf5::Dataset> lengths;
      for (const NamedArray& array : hierarchy_.state()) {
        if (array.value.size() == 0) continue;
        checkpoint.arrays.emplace(array.name, state_array(group, array, lengths));
      }
      layout.checkpoints.push_back(std::move(checkpoint));
    }
  }

  void status() {
    hdf5::Group group = file_.create_group("status");
    layout.committed_steps =
        group.create_dataset("committed_steps", {.type = hdf5::Type::int64, .shape = {}});
    const std::int64_t none = 0;
    layout.committed_steps->write<std::int64_t>({&none, 1});
    describe(*layout.committed_steps, "steps whose results are safe in the file");
  }

  ResultsLayout layout;

 private:
  void level(hdf5::Group& all, std::size_t index) {
    const HierarchicalLevel& level = hierarchy_.levels()[index];
    hdf5::Group group = all.create_group(std::to_string(index));
    for (const auto& [name, value] : attributes_of(config_.hierarchy().levels[index])) {
      std::visit([&, &key = name](const auto& v) { group.set_attribute(key, v); }, value);
    }
    group.set_attribute("input_size", level.input_size());
    group.set_attribute("output_size", level.output_size());
    ResultsLayout::Level& made = layout.levels.emplace_back();
    const hdf5::Dataset neuron = make_index(group, "neuron", level.output_size(), "neuron");
    const Recording& recording = config_.output.representations;
    if (recording.what != Recording::What::none) {
      const std::int64_t spacing = level.temporal_resolution() * recording.every;
      const std::int64_t rows = trials_.ticks_within(steps_, spacing, level.phase());
      const std::int64_t block_rows = std::max<std::int64_t>(1, block_steps_ / spacing);
      made.step = growing_.dataset(group, "step", hdf5::Type::int64, {}, rows, block_rows);
      describe(*made.step, "step of the tick");
      made.step->make_scale("step");
      made.representation = growing_.dataset(group, "representation", float_type_,
                                             {level.output_size()}, rows, block_rows);
      describe(*made.representation, fmt::format("representation of level {}", index));
      made.representation->attach_scale(0, *made.step);
      made.representation->attach_scale(1, neuron);
      made.time = growing_.times(group, rows, block_rows, *made.step,
                                 "time of the newest row that the tick has seen");
      if (made.time) made.representation->set_attribute("coordinates", "time");
      mark_plot(group, "representation", {"step", "neuron"});
      for (const TickSeries& series : level.tick_series()) {
        made.beside.push_back(lay_out_tick_series(group, series, *made.step, made.time.has_value(),
                                                  rows, block_rows, growing_));
      }
      lay_out_smoothed(group, level, rows, block_rows, growing_, made);
    }
    hdf5::Group layers = group.create_group("layers");
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      made.layers.push_back(
          layer(layers, m, config_.hierarchy().levels[index].layers[m], level.layer(m)));
    }
    if (const TopDown* const above = level.top_down()) {
      made.top_down = top_down(group, level.output_size(),
                               config_.hierarchy().levels[index].layers.back(), *above);
    }
  }

  /// The connection from a level above to the last layer of a level.
  ResultsLayout::Layer top_down(hdf5::Group& level, std::int64_t outputs, const LayerConfig& config,
                                const TopDown& above) {
    constexpr std::string_view prefix = "top_down_";
    hdf5::Group group = level.create_group("top_down");
    for (const auto& [name, value] : attributes_of(config)) {
      if (!name.starts_with(prefix)) continue;
      std::visit(
          [&, key = name.substr(prefix.size())](const auto& v) { group.set_attribute(key, v); },
          value);
    }
    ResultsLayout::Layer made;
    if (config_.output.weights.what == Recording::What::none) return made;
    weights(group,
            {.outputs = outputs,
             .inputs = above.weights().shape(1),
             .input = above.options().bias ? "number that the level above shows; the last is a 1"
                                           : "number that the level above shows",
             .arrays = above.arrays(),
             .learns = !above.options().random},
            made);
    return made;
  }

  ResultsLayout::Layer layer(hdf5::Group& layers, std::size_t index, const LayerConfig& config,
                             const Layer& layer) {
    hdf5::Group group = layers.create_group(std::to_string(index));
    for (const auto& [name, value] : attributes_of(config)) {
      std::visit([&, &key = name](const auto& v) { group.set_attribute(key, v); }, value);
    }
    for (const auto& [name, value] : layer.attributes()) group.set_attribute(name, value);
    if (reads_labels(config) && !config_.data.label_classes.empty()) {
      group.set_attribute("classes", config_.data.label_classes);
    }
    ResultsLayout::Layer made;
    if (config_.output.weights.what != Recording::What::none) {
      const auto* const filters = dynamic_cast<const PlasticConvLayer*>(&layer);
      weights(group,
              {.outputs = filters == nullptr ? layer.output_size() : filters->options().filters,
               .inputs = filters == nullptr ? layer.input_size() : filters->options().patch_size(),
               .input = filters == nullptr ? "input of the layer" : "number of the patch",
               .arrays = layer.arrays(),
               .learns = layer.is_plastic()},
              made);
    }
    if (layer.automatic_rate() != nullptr) rates(group, made);
    return made;
  }

  /// What learning_rate comes to be where it is found: at the steps of the weights' history, where
  /// there is one, else whenever it changes.
  void rates(hdf5::Group& layer, ResultsLayout::Layer& made) {
    constexpr std::int64_t about = 256;  // it changes 16 times while the number of ticks doubles
    const std::int64_t rows = made.history ? all_steps_ / config_.output.weights.every + 1 : about;
    hdf5::Group history = layer.nested("history");
    if (!made.history_step) {
      made.history_step = growing_.dataset(history, "step", hdf5::Type::int64, {}, rows, 1);
      describe(*made.history_step, "steps done: from that step on it is the rate");
      made.history_step->make_scale("step");
    }
    made.rates = growing_.dataset(history, "learning_rate", hdf5::Type::float64, {}, rows, 1);
    describe(*made.rates, made.history ? "learning rate of the tick before so many steps"
                                       : "learning rate from so many steps on");
    made.rates->attach_scale(0, *made.history_step);
  }

  /// The coordinate of the neurons whose state a layer reads, created where it is asked for first.
  static hdf5::Dataset source_neurons(hdf5::Group& layer, std::int64_t count) {
    if (layer.has_dataset("source_neuron")) return layer.open_dataset("source_neuron");
    return make_index(layer, "source_neuron", count, "neuron whose state is read");
  }

  /// The coordinate of the positions of a picture, created where it is asked for first.
  static hdf5::Dataset positions(hdf5::Group& layer, std::int64_t count) {
    if (layer.has_dataset("position")) return layer.open_dataset("position");
    return make_index(layer, "position", count, "position in the picture, row by row");
  }

  /// What has weights: a layer, or a connection from above.
  struct Weighted {
    std::int64_t outputs;
    std::int64_t inputs;
    const char* input;  ///< What an input is.
    std::vector<NamedArray> arrays;
    bool learns;
  };

  void weights(hdf5::Group& group, const Weighted& of, ResultsLayout::Layer& made) {
    const std::int64_t outputs = of.outputs;
    const std::int64_t inputs = of.inputs;
    const hdf5::Dataset neuron = make_index(group, "neuron", outputs, "neuron");
    const hdf5::Dataset input = make_index(group, "input", inputs, of.input);
    const auto array = [&](const std::string& name, const Shape& shape,
                           const std::string& long_name) {
      const std::size_t slash = name.rfind('/');  // "lateral/weights" stands in a group of its own
      const hdf5::Layout of_array{.type = float_type_, .shape = {shape.begin(), shape.end()}};
      hdf5::Dataset dataset = slash == std::string::npos
                                  ? group.create_dataset(name, of_array)
                                  : group.nested(name.substr(0, slash))
                                        .create_dataset(name.substr(slash + 1), of_array);
      describe(dataset, long_name);
      const bool is_of_positions = shape.rank() == 3;
      if (is_of_positions) dataset.attach_scale(0, positions(group, shape[0]));
      dataset.attach_scale(is_of_positions ? 1 : 0, neuron);
      return dataset;
    };
    for (const NamedArray& part : of.arrays) {
      if (part.role == NamedArray::Role::state) continue;
      if (part.role == NamedArray::Role::statistic) {
        statistic(group, part, made);
        continue;
      }
      if (part.role == NamedArray::Role::noise) {
        lay_out_noise(group, part, made);
        continue;
      }
      if (part.memory) {
        memory(group, neuron, part, made);
        continue;
      }
      if (part.role == NamedArray::Role::trace) {
        const bool is_recurrent = part.name.starts_with("trace/recurrent_");
        const Shape& shape = part.value.shape();
        hdf5::Dataset trace =
            group.nested(part.name.substr(0, part.name.rfind('/')))
                .create_dataset(part.name.substr(part.name.rfind('/') + 1),
                                {.type = float_type_, .shape = {shape.begin(), shape.end()}});
        describe(trace, part.name + " at the end");
        if (shape.rank() > 1) trace.attach_scale(0, positions(group, shape[0]));
        if (is_recurrent) {
          trace.attach_scale(shape.rank() - 1, source_neurons(group, outputs));
        } else {
          trace.attach_scale(shape.rank() - 1, input);
        }
        made.finals.emplace(part.name, std::move(trace));
        continue;
      }
      if (is_numbered(part)) {
        lay_out_numbered(group, part, float_type_, made);
        continue;
      }
      if (part.role == NamedArray::Role::synapse) {
        const std::size_t cut = part.name.rfind('/');
        if (cut == std::string::npos) {
          synapses(group, part.name, neuron, input, part, made);
        } else {
          hdf5::Group nested = group.nested(part.name.substr(0, cut));
          synapses(nested, part.name.substr(cut + 1), neuron, input, part, made);
        }
        continue;
      }
      hdf5::Dataset last = array(part.name, part.value.shape(), part.name + " at the end");
      if (part.name == "weights") {
        last.attach_scale(1, input);
        hdf5::Dataset first =
            array("weights_initial", part.value.shape(), "weights as used at tick 0");
        first.attach_scale(1, input);
        write_whole(first, part.value);
        made.initials.push_back(std::move(first));
      } else if (part.name == "lateral/weights") {
        hdf5::Dataset first =
            array("lateral/weights_initial", part.value.shape(), "connections as used at tick 0");
        last.attach_scale(1, source_neurons(group, outputs));
        first.attach_scale(1, source_neurons(group, outputs));
        write_whole(first, part.value);
        made.initials.push_back(std::move(first));
      } else if (part.name == "eligibility") {
        last.attach_scale(part.value.rank() - 1, input);
      } else if (part.name == "feedback") {
        last.attach_scale(1, make_index(group, "fed_back", part.value.shape(1),
                                        "output of the readout that is fed back"));
      } else if (part.value.rank() == 2) {
        last.attach_scale(1, source_neurons(group, outputs));
      }
      if (part.name == "recurrent" && of.learns) {
        hdf5::Dataset first =
            array("recurrent_initial", part.value.shape(), "recurrent weights as used at tick 0");
        first.attach_scale(1, source_neurons(group, outputs));
        write_whole(first, part.value);
        made.initials.push_back(std::move(first));
      }
      made.finals.emplace(part.name, std::move(last));
    }
    if (config_.output.weights.what == Recording::What::every && of.learns) {
      hdf5::Group history = group.create_group("history");
      const std::int64_t rows = all_steps_ / config_.output.weights.every + 1;
      made.history_step = growing_.dataset(history, "step", hdf5::Type::int64, {}, rows, 1);
      describe(*made.history_step, "steps done: these weights answer the sample of that step");
      made.history_step->make_scale("step");
      const bool has_weights = of.arrays.front().name == "weights";
      if (has_weights) {
        made.history =
            growing_.dataset(history, "weights", float_type_, {outputs, inputs}, rows, 1);
        describe(*made.history, "weights after so many steps");
        made.history->attach_scale(0, *made.history_step);
        made.history->attach_scale(1, neuron);
        made.history->attach_scale(2, input);
      }
      for (const NamedArray& part : of.arrays) {
        if (is_numbered(part)) {
          lay_out_numbered_history(group, history, part, float_type_, rows, growing_, made);
        }
        if (part.role == NamedArray::Role::noise) {
          lay_out_noise_history(group, history, part, rows, growing_, made);
          continue;
        }
        const bool is_recurrent = part.name == "recurrent";
        if (!part.memory && !is_recurrent) continue;
        hdf5::Dataset values =
            is_recurrent
                ? growing_.dataset(history, part.name, float_type_, {outputs, outputs}, rows, 1)
                : growing_.dataset(history, part.name, float_type_,
                                   {part.value.shape().begin(), part.value.shape().end()}, rows, 1);
        describe(values, is_recurrent
                             ? std::string("recurrent weights after so many steps")
                             : fmt::format("{}s after so many steps", part.memory->meaning));
        values.attach_scale(0, *made.history_step);
        const bool is_of_positions = part.memory && part.value.rank() > 1;
        if (is_of_positions) values.attach_scale(1, positions(group, part.value.shape(0)));
        values.attach_scale(is_of_positions ? 2 : 1, neuron);
        if (is_recurrent) values.attach_scale(2, source_neurons(group, outputs));
        made.memory_histories.emplace(part.name, std::move(values));
      }
    }
  }

  /// What synapses keep beside their weights: also as it was at tick 0, where that is not 0.
  void synapses(hdf5::Group& group, const std::string& name, const hdf5::Dataset& neuron,
                const hdf5::Dataset& input, const NamedArray& part, ResultsLayout::Layer& made) {
    const auto create = [&](const std::string& dataset_name, const char* when) {
      const Shape& shape = part.value.shape();
      hdf5::Dataset dataset = group.create_dataset(
          dataset_name, {.type = float_type_, .shape = {shape.begin(), shape.end()}});
      describe(dataset, part.name + when);
      dataset.attach_scale(0, neuron);
      dataset.attach_scale(1, input);
      return dataset;
    };
    made.finals.emplace(part.name, create(name, " at the end"));
    if (!begins_with_learnt_ && name != "mask") return;
    hdf5::Dataset first = create(name + "_initial", " as used at tick 0");
    write_whole(first, part.value);
    made.initials.push_back(std::move(first));
  }

  /// What a layer knows of what it reads: "standardize/mean", a number for each channel.
  void statistic(hdf5::Group& layer, const NamedArray& part, ResultsLayout::Layer& made) {
    const std::size_t cut = part.name.rfind('/');
    hdf5::Group group = layer.nested(part.name.substr(0, cut));
    hdf5::Dataset dataset = group.create_dataset(
        part.name.substr(cut + 1), {.type = hdf5::Type::float64, .shape = {part.value.shape(0)}});
    describe(dataset, part.name + " at the end");
    if (part.value.shape(0) > 1) {
      dataset.attach_scale(0, group.has_dataset("channel")
                                  ? group.open_dataset("channel")
                                  : make_index(group, "channel", part.value.shape(0), "channel"));
    }
    made.finals.emplace(part.name, std::move(dataset));
  }

  /// What a rule remembers, in a group of its own.
  void memory(hdf5::Group& layer, const hdf5::Dataset& neuron, const NamedArray& part,
              ResultsLayout::Layer& made) {
    const RuleMemory& told = *part.memory;
    hdf5::Group group = layer.nested("memory");
    const auto create = [&](const std::string& name, const char* when) {
      const Shape& shape = part.value.shape();
      hdf5::Dataset dataset =
          group.create_dataset(name, {.type = float_type_, .shape = {shape.begin(), shape.end()}});
      describe(dataset, part.name + when);
      if (shape.rank() > 1) dataset.attach_scale(0, positions(layer, shape[0]));
      dataset.attach_scale(shape.rank() - 1, neuron);
      dataset.set_attribute("initial", told.initial);
      dataset.set_attribute("meaning", told.meaning);
      if (told.symbol != nullptr) dataset.set_attribute("symbol", told.symbol);
      if (told.beside_weights) layer.link(name, dataset.place().path);
      return dataset;
    };
    made.finals.emplace(part.name, create(part.name, " at the end"));
    if (!begins_with_learnt_) return;
    hdf5::Dataset first = create(part.name + "_initial", " as used at tick 0");
    write_whole(first, part.value);
    made.initials.push_back(std::move(first));
  }

  /// A dataset for an array of the state; its axes get coordinates n3, n100, ... by their length.
  static hdf5::Dataset state_array(hdf5::Group& slot, const NamedArray& array,
                                   std::map<std::int64_t, hdf5::Dataset>& lengths) {
    const std::size_t cut = array.name.rfind('/');
    const Shape& shape = array.value.shape();
    hdf5::Dataset dataset =
        slot.nested(array.name.substr(0, cut))
            .create_dataset(array.name.substr(cut + 1), {.type = stored_type(array.value.dtype()),
                                                         .shape = {shape.begin(), shape.end()}});
    describe(dataset, "state: " + array.name);
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const std::int64_t n = shape[axis];
      if (lengths.find(n) == lengths.end()) {
        lengths.emplace(n, make_index(slot, "n" + std::to_string(n), n, "index"));
      }
      dataset.attach_scale(axis, lengths.at(n));
    }
    return dataset;
  }

  hdf5::File& file_;
  const ExperimentConfig& config_;
  const HierarchyManager& hierarchy_;
  std::int64_t all_steps_;  // steps of all epochs
  Trials trials_;           // trials of the epoch that is recorded
  std::int64_t steps_;
  std::int64_t block_steps_;
  hdf5::Type float_type_;
  GrowingDatasets growing_;
  bool begins_with_learnt_ = false;  // what an earlier run left
};

}  // namespace

void ResultsLayout::limit_caches() {
  const auto limit = [](std::optional<hdf5::Dataset>& dataset) {
    if (dataset) dataset->limit_cache();
  };
  for (Level& level : levels) {
    limit(level.step);
    limit(level.time);
    limit(level.representation);
    for (hdf5::Dataset& values : level.beside) values.limit_cache();
    for (hdf5::Dataset& values : level.smoothed) values.limit_cache();
    for (Layer& layer : level.layers) {
      limit(layer.history);
      limit(layer.history_step);
      limit(layer.rates);
      for (auto& [name, values] : layer.memory_histories) values.limit_cache();
    }
  }
  for (ReadoutDatasets& readout : readouts) {
    readout.step.limit_cache();
    limit(readout.time);
    for (hdf5::Dataset& series : readout.series) series.limit_cache();
  }
  for (auto& [name, series] : metrics) series.limit_cache();
  limit(samples);
  limit(sample_step);
  limit(sample_time);
}

ResultsLayout lay_out_results(hdf5::File& file, const ExperimentConfig& config, const RunFacts& run,
                              const DataFacts& data, const HierarchyManager& hierarchy,
                              const std::vector<Readout>& readouts, std::int64_t block_steps) {
  Builder builder(file, config, hierarchy, run.steps, data, block_steps);
  write_root(file, config, run, "levels");
  builder.data(data, run);
  builder.levels(data, run);
  builder.readouts(readouts, data);
  builder.metrics();
  builder.checkpoints();
  builder.status();
  return std::move(builder.layout);
}

}  // namespace gaia
