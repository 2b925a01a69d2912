// SPDX-License-Identifier: MIT
#include "results_file.h"

#include <algorithm>
#include <numeric>

#include "../../io/output_files.h"
#include "../readouts/readout_notices.h"
#include "../readouts/readout_verdict.h"
#include "../setup/one_seed.h"
#include "changes_in_file.h"
#include "control_scores.h"
#include "free_run_layout.h"
#include "message_log.h"
#include "readout_layout.h"
#include "smoothed.h"

namespace gaia {
namespace {

/// A flush costs system calls and, where chunks are not full yet, compresses them anew.
constexpr std::chrono::milliseconds kBetweenCommits{250};

/// Appends rows [rows, ...] to a dataset that has `length` rows.
void append_rows(hdf5::Dataset& dataset, std::int64_t length, const Array& rows) {
  const std::int64_t count = rows.shape(0);
  const Array here = rows.contiguous();
  dataset.resize(length + count);
  if (rows.dtype() == DType::float32) {
    dataset.write_rows(length, count, here.elements<float>().data());
  } else {
    dataset.write_rows(length, count, here.elements<double>().data());
  }
}

template <class T>
void append_rows(hdf5::Dataset& dataset, std::int64_t length, std::int64_t count,
                 const std::vector<T>& values) {
  dataset.resize(length + count);
  dataset.write_rows(length, count, values.data());
}

/// The times of some steps among those of a block; nothing where none are known.
std::optional<SideValues> times_of(const std::vector<std::int64_t>& steps, const BlockRows& rows) {
  if (!rows.times) return {};
  return std::visit(
      [&]<class T>(const std::vector<T>& times) -> SideValues {
        std::vector<T> chosen;
        for (const std::int64_t step : steps) {
          chosen.push_back(
              times[static_cast<std::size_t>(step - rows.trial_start - rows.first_step)]);
        }
        return chosen;
      },
      *rows.times);
}

/// What learning_rate came to be where it is found.
void write_found_rates(hdf5::File& file, const HierarchyManager& hierarchy) {
  for (std::size_t n = 0; n < hierarchy.levels().size(); ++n) {
    const HierarchicalLevel& level = hierarchy.levels()[n];
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      const AutoRate* const found = level.layer(m).automatic_rate();
      if (found == nullptr) continue;
      file.open_group("levels/" + std::to_string(n) + "/layers/" + std::to_string(m))
          .set_attribute("learning_rate", found->rate());
    }
  }
}

template <class T>
void flush(std::optional<T>& dataset) {
  if (dataset) dataset->flush();
}

/// Writes how many neurons of a level answer nothing, and so on, and what a reader should know.
void write_answers(hdf5::File& file, const NeuronAnswers& answers) {
  hdf5::Group level = file.open_group("levels").open_group(std::to_string(answers.level));
  level.set_attribute("silent_neurons", std::ssize(answers.silent));
  level.set_attribute("always_neurons", std::ssize(answers.always));
  level.set_attribute("constant_neurons", std::ssize(answers.constant));
  level.set_attribute("noticed", answers.sentences());
}

}  // namespace

ResultsFile::ResultsFile(const std::string& result_path, const ExperimentConfig& config,
                         const RunFacts& run, const DataFacts& data,
                         const HierarchyManager& hierarchy, const std::vector<Readout>& readouts,
                         std::int64_t block_steps, const Recorded& recorded)
    : config_(config),
      all_steps_(run.steps),
      trials_(data.trials),
      result_(result_path),
      partial_(partial_path(result_path)),
      file_(create_partial(result_path, recorded)),
      layout_(lay_out_results(file_, config, run, data, hierarchy, readouts, block_steps)) {
  open_to_readers(file_, result_path, recorded, [&] { take_over(recorded, readouts); });
  layout_.limit_caches();
}

template <class Body>
void ResultsFile::for_each_history(ResultsLayout::Layer& layer, const Body& body) {
  for (std::optional<hdf5::Dataset>* const one :
       {&layer.history_step, &layer.history, &layer.rates}) {
    if (*one) body(**one);
  }
  for (auto& [name, values] : layer.memory_histories) body(values);
}

std::int64_t ResultsFile::ticks_within(std::size_t level, std::int64_t steps) const {
  const std::int64_t spacing =
      config_.hierarchy().levels[level].temporal_resolution * config_.output.representations.every;
  return trials_.ticks_within(steps, spacing, config_.hierarchy().levels[level].options.phase);
}

void ResultsFile::take_over(const Recorded& recorded, const std::vector<Readout>& readouts) {
  const hdf5::File& from = *recorded.file;
  const std::int64_t steps = recorded.steps;
  const std::int64_t in_series = std::max<std::int64_t>(0, steps - (all_steps_ - trials_.steps()));
  const auto same = [&](const hdf5::Dataset& to) { return from.open_dataset(to.place().path); };
  const auto take = [&](std::optional<hdf5::Dataset>& to, std::int64_t rows) {
    if (to) take_rows(*to, same(*to), rows);
  };
  for (std::size_t n = 0; n < layout_.levels.size(); ++n) {
    ResultsLayout::Level& level = layout_.levels[n];
    level.rows = ticks_within(n, in_series);
    take(level.step, level.rows);
    take(level.time, level.rows);
    take(level.representation, level.rows);
    for (hdf5::Dataset& to : level.beside) take_rows(to, same(to), level.rows);
    level.for_each_part([&](ResultsLayout::Layer& layer, const std::string&) {
      for (hdf5::Dataset& initial : layer.initials) take_whole(initial, same(initial));
      // Weights of step `steps` stand before its tick, a rate from there on is of that tick.
      const std::int64_t rows = layer.history || !layer.memory_histories.empty()
                                    ? steps / config_.output.weights.every + 1
                                : layer.rates ? rows_below(same(*layer.history_step), steps)
                                              : 0;
      for_each_history(layer, [&](hdf5::Dataset& to) { take_rows(to, same(to), rows); });
    });
  }
  for (std::size_t i = 0; i < readouts.size(); ++i) {
    ReadoutDatasets& readout = layout_.readouts[i];
    readout.rows = readouts[i].added();
    take_rows(readout.step, same(readout.step), readout.rows);
    take(readout.time, readout.rows);
    for (hdf5::Dataset& series : readout.series) take_rows(series, same(series), readout.rows);
    for (hdf5::Dataset& part : readout.solution) take_whole(part, same(part));
    for (std::optional<hdf5::Dataset>* const part : {&readout.name, &readout.asked}) {
      if (*part) take_whole(**part, same(**part));
    }
  }
  layout_.metric_rows = rows_within(from.open_group("metrics"), {steps, in_series});
  for (auto& [name, series] : layout_.metrics) take_rows(series, same(series), layout_.metric_rows);
  layout_.sample_rows = layout_.samples ? in_series : 0;
  take(layout_.sample_step, layout_.sample_rows);
  take(layout_.sample_time, layout_.sample_rows);
  take(layout_.samples, layout_.sample_rows);
  for (ResultsLayout::Checkpoint& slot : layout_.checkpoints) {
    take_whole(slot.step, same(slot.step));
    const std::int64_t step = slot.step.read<std::int64_t>().front();
    if (step > steps) slot.step.write<std::int64_t>(std::vector<std::int64_t>{-1});
    if (step < 0 || step > steps) continue;
    for (auto& [name, array] : slot.arrays) take_whole(array, same(array));
  }
  layout_.committed_steps->write<std::int64_t>({&steps, 1});
}

BlockRows rows_of(const HierarchyBlock& block, const Array& samples, std::int64_t first,
                  std::optional<SideValues> times, const OutputConfig& output) {
  BlockRows rows{.trial_start = first - block.first_step,
                 .first_step = block.first_step,
                 .steps = block.steps,
                 .times = std::move(times),
                 .representations = {},
                 .samples = {}};
  if (output.inputs) rows.samples = samples.to(Device::cpu());
  if (output.representations.what == Recording::What::none) return rows;
  const std::int64_t every = output.representations.every;
  for (const LevelBlock& level : block.levels) {
    // The recorded ticks are those every `spacing` steps among those of the block.
    const std::int64_t spacing = level.temporal_resolution * every;
    const std::int64_t tick = next_tick(block.first_step, spacing, level.phase);
    const std::int64_t row = (tick - level.first_tick) / level.temporal_resolution;
    const Array ticks = level.ticks[0].slice(0, row, {}, every);
    // A few of many rows do not keep the others in memory.
    rows.representations.push_back((every > 1 ? ticks.copy() : ticks).to(Device::cpu()));
    std::vector<Array>& beside = rows.beside.emplace_back();
    for (const Array& values : level.beside) {
      const Array one = values[0].slice(0, row, {}, every);
      beside.push_back(every > 1 ? one.copy() : one);
    }
  }
  return rows;
}

void ResultsFile::append(const BlockRows& rows) {
  for (std::size_t i = 0; i < rows.representations.size(); ++i) {
    ResultsLayout::Level& to = layout_.levels[i];
    const std::int64_t count = rows.representations[i].shape(0);
    if (count == 0) continue;
    const std::int64_t spacing =
        config_.hierarchy().levels[i].temporal_resolution * config_.output.representations.every;
    const std::int64_t first =
        next_tick(rows.first_step, spacing, config_.hierarchy().levels[i].options.phase);
    std::vector<std::int64_t> steps(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < steps.size(); ++k) {
      steps[k] = rows.trial_start + first + static_cast<std::int64_t>(k) * spacing;
    }
    append_rows(*to.step, to.rows, count, steps);
    if (to.time) append_times(*to.time, to.rows, steps, times_of(steps, rows));
    append_rows(*to.representation, to.rows, rows.representations[i]);
    for (std::size_t k = 0; k < to.beside.size(); ++k) {
      append_rows(to.beside[k], to.rows, rows.beside[i][k]);
    }
    to.rows += count;
  }
  if (layout_.samples) {
    std::vector<std::int64_t> steps(static_cast<std::size_t>(rows.steps));
    std::iota(steps.begin(), steps.end(), rows.trial_start + rows.first_step);
    append_rows(*layout_.sample_step, layout_.sample_rows, rows.steps, steps);
    if (layout_.sample_time) {
      append_times(*layout_.sample_time, layout_.sample_rows, steps, times_of(steps, rows));
    }
    append_rows(*layout_.samples, layout_.sample_rows, rows.samples);
    layout_.sample_rows += rows.steps;
  }
}

void ResultsFile::append_times(hdf5::Dataset& to, std::int64_t length,
                               const std::vector<std::int64_t>& steps,
                               const std::optional<SideValues>& times) const {
  const auto count = static_cast<std::int64_t>(steps.size());
  if (times) {
    return std::visit([&](const auto& values) { append_rows(to, length, count, values); }, *times);
  }
  std::vector<double> seconds;
  for (const std::int64_t step : steps) {
    seconds.push_back(static_cast<double>(trials_.at(step).newest_row(step, config_.data.window)) /
                      config_.data.rate_of_rows().value_or(1.0));
  }
  append_rows(to, length, count, seconds);
}

void ResultsFile::append(std::size_t readout, const Readout::Added& added) {
  ReadoutDatasets& to = layout_.readouts[readout];
  const auto count = static_cast<std::int64_t>(added.steps.size());
  if (count == 0) return;
  append_rows(to.step, to.rows, count, added.steps);
  if (to.time) append_times(*to.time, to.rows, added.steps, added.times);
  for (std::size_t k = 0; k < to.series.size(); ++k) {
    const std::vector<double>& values = added.values[k];
    if (to.series[k].type() == hdf5::Type::int64) {
      append_rows(to.series[k], to.rows, count,
                  std::vector<std::int64_t>(values.begin(), values.end()));
    } else {
      append_rows(to.series[k], to.rows, count, values);
    }
  }
  to.rows += count;
}

void ResultsFile::append(const BlockMetrics& metrics) {
  const auto put = [&](const char* name, const auto& values) {
    append_rows(layout_.metrics.at(name), layout_.metric_rows, 1, values);
  };
  put("step", std::vector<std::int64_t>{metrics.step});
  put("steps_per_second", std::vector<double>{metrics.steps_per_second});
  put("mean_activity", metrics.mean_activity);
  put("weight_norm", metrics.weight_norm);
  put("weight_change", metrics.weight_change);
  if (layout_.metrics.count("seconds") > 0) put("seconds", metrics.seconds);
  ++layout_.metric_rows;
}

void ResultsFile::append(const RateRows& rows) {
  ResultsLayout::Layer& to = layout_.levels[rows.level].layers[rows.layer];
  if (to.history) return;
  const std::int64_t length = to.rates->shape().front();
  append_rows(*to.history_step, length, std::ssize(rows.steps), rows.steps);
  append_rows(*to.rates, length, std::ssize(rows.rates), rows.rates);
}

void ResultsFile::append_weights(std::int64_t step, const ArrayMap& state,
                                 const std::vector<double>& rates) {
  auto rate = rates.begin();
  for (std::size_t n = 0; n < layout_.levels.size(); ++n) {
    layout_.levels[n].for_each_part([&](ResultsLayout::Layer& to, const std::string& path) {
      if (!to.history && to.memory_histories.empty()) return;
      const std::string layer = "levels/" + std::to_string(n) + "/" + path;
      const std::int64_t rows = to.history_step->shape().front();
      append_rows(*to.history_step, rows, 1, std::vector<std::int64_t>{step});
      if (to.history) append_rows(*to.history, rows, state.at(layer + "/weights").expand_dims(0));
      if (to.rates) append_rows(*to.rates, rows, 1, std::vector<double>{*rate++});
      for (auto& [name, values] : to.memory_histories) {
        append_rows(values, rows, state.at(layer + "/" + name).expand_dims(0));
      }
    });
  }
}

void ResultsFile::commit(std::int64_t steps, bool force) {
  const auto now = std::chrono::steady_clock::now();
  if (!force && last_commit_ && now - *last_commit_ < kBetweenCommits) return;
  for (ResultsLayout::Level& level : layout_.levels) {
    flush(level.step);
    flush(level.time);
    flush(level.representation);
    for (hdf5::Dataset& values : level.beside) values.flush();
    level.for_each_part([&](ResultsLayout::Layer& layer, const std::string&) {
      for_each_history(layer, [](hdf5::Dataset& dataset) { dataset.flush(); });
    });
  }
  for (ReadoutDatasets& readout : layout_.readouts) {
    readout.step.flush();
    flush(readout.time);
    for (hdf5::Dataset& series : readout.series) series.flush();
  }
  for (auto& [name, series] : layout_.metrics) series.flush();
  flush(layout_.sample_step);
  flush(layout_.sample_time);
  flush(layout_.samples);
  layout_.committed_steps->write<std::int64_t>({&steps, 1});
  layout_.committed_steps->flush();
  last_commit_ = std::chrono::steady_clock::now();
}

void ResultsFile::sync() { sync_file(partial_); }

void ResultsFile::write_checkpoint(std::int64_t step, const ArrayMap& state, bool is_end) {
  // Multiples of `every` go to the slots in turn, so that at the end these hold the last of them
  // and the end itself, whatever interrupted the run; any other step takes the slot of the next
  // multiple.
  const std::int64_t every = config_.checkpoint.every;
  const std::int64_t turn = every == 0 ? 0 : is_end ? step / every : step / every - 1;
  ResultsLayout::Checkpoint& to =
      layout_.checkpoints[static_cast<std::size_t>(turn) % layout_.checkpoints.size()];
  // While the slot is being written it counts as empty.
  const std::int64_t none = -1;
  to.step.write<std::int64_t>({&none, 1});
  to.step.flush();
  for (auto& [name, array] : to.arrays) {
    write_whole(array, state.at(name));
    array.flush();
  }
  to.step.write<std::int64_t>({&step, 1});
  to.step.flush();
}

void ResultsFile::write_final_weights(const HierarchyManager& hierarchy) {
  for (std::size_t n = 0; n < layout_.levels.size(); ++n) {
    layout_.levels[n].for_each_part(
        hierarchy.levels()[n],
        [](ResultsLayout::Layer& part, const std::vector<NamedArray>& arrays) {
          for (const NamedArray& array : arrays) {
            const auto found = part.finals.find(array.name);
            if (found != part.finals.end()) write_whole(found->second, array.value);
          }
        });
  }
}

void ResultsFile::write_solution(std::size_t readout, const ReadoutSolution& solution) {
  ReadoutDatasets& to = layout_.readouts[readout];
  const bool fuses = !solution.errors.empty();
  const std::vector<double>* const parts[] = {
      fuses ? &solution.errors : &solution.weights,
      fuses ? &solution.fused_covariance : &solution.intercepts, &solution.target_means};
  for (std::size_t k = 0; k < to.solution.size(); ++k) {
    to.solution[k].write<double>(*parts[k]);
    to.solution[k].flush();
  }
  const auto write = [](std::optional<hdf5::Dataset>& dataset,
                        const std::vector<std::int64_t>& values) {
    if (!dataset || values.empty()) return;
    dataset->write<std::int64_t>(values);
    dataset->flush();
  };
  write(to.name, solution.names);
  write(to.asked, solution.asked_steps);
}

void ResultsFile::smooth(const HierarchyManager& hierarchy) {
  for (std::size_t n = 0; n < layout_.levels.size(); ++n) {
    write_smoothed(layout_.levels[n], hierarchy.levels()[n], trials_,
                   [&](std::int64_t step) { return ticks_within(n, step); });
  }
}

void ResultsFile::abandon() {
  is_open_ = false;
  file_.abandon();
}

std::string ResultsFile::finish(RunStatus status, std::int64_t steps_done, double wall_seconds,
                                const HierarchyManager& hierarchy,
                                const std::vector<Readout>& readouts,
                                const std::vector<std::vector<ControlScore>>& controls,
                                bool in_sample, const std::vector<NeuronAnswers>& answers,
                                const Messages* messages,
                                const std::vector<std::string>& inputs_noticed) {
  if (!is_open_) return partial_;
  is_open_ = false;
  write_final_weights(hierarchy);
  for (std::size_t i = 0; i < readouts.size(); ++i) {
    if (const auto solution = readouts[i].solution()) write_solution(i, *solution);
  }
  commit(steps_done, true);
  layout_ = {};
  file_.close();

  return finish_results(result_, status, steps_done, wall_seconds, [&](hdf5::File& file) {
    for (const NeuronAnswers& one : answers) write_answers(file, one);
    if (!inputs_noticed.empty()) {
      file.open_group("data").set_attribute("noticed", inputs_noticed);
    }
    if (messages != nullptr) write_messages(file, *messages, hierarchy, config_.dtype);
    write_found_rates(file, hierarchy);
    std::vector<Verdict> verdicts;
    for (std::size_t i = 0; i < readouts.size(); ++i) {
      const ReadoutConfig& config = readouts[i].config();
      const ReadoutScore score = readouts[i].score();
      hdf5::Group group = file.open_group("readouts").open_group(config.name);
      write_scores(group, score);
      write_windows(group, readouts[i].windows());
      write_folds(group, readouts[i].fold_scores(), config.group_names);
      write_model(group, readouts[i].model_state());
      if (const auto run = readouts[i].free_run()) write_free_run(group, *run, false);
      if (const auto validation = readouts[i].validation()) {
        for (const auto& [name, value] : validation->numbers()) {
          group.set_attribute("validation_" + name, value);
        }
      }
      write_control_scores(group, controls[i], config.group_names);
      group.set_attribute("noticed", notices_of(readouts[i], score, controls[i]));
      if (!config.predicts()) {
        write_changes(group, readouts[i].changes());
        continue;
      }
      verdicts.push_back(
          verdict_of_readout(config, score, controls[i], in_sample, readouts[i].remarks()));
      group.set_attribute("verdict", verdicts.back().text);
      if (in_sample && !config.learn) group.set_attribute("in_sample", "true");
    }
    if (verdicts.empty()) return;
    file.set_attribute("verdict", with_cause(of_one_seed(verdict_of_run(verdicts)),
                                             likely_cause(verdicts, hierarchy)));
  });
}

}  // namespace gaia
