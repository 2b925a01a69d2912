// SPDX-License-Identifier: MIT
#include "results_file.h"

#include <cstdio>

#include "../io/output_files.h"

namespace gaia {
namespace {

/// A flush costs system calls and, where chunks are not full yet, compresses them anew.
constexpr std::chrono::milliseconds kBetweenCommits{250};

/// Appends rows [rows, ...] to a dataset that has `length` rows.
void append_rows(hdf5::Dataset& dataset, std::int64_t length, const Array& rows) {
  const std::int64_t count = rows.shape(0);
  dataset.resize(length + count);
  if (rows.dtype() == DType::float32) {
    dataset.write_rows(length, count, rows.to_vector<float>().data());
  } else {
    dataset.write_rows(length, count, rows.to_vector<double>().data());
  }
}

template <class T>
void append_rows(hdf5::Dataset& dataset, std::int64_t length, std::int64_t count,
                 const std::vector<T>& values) {
  dataset.resize(length + count);
  dataset.write_rows(length, count, values.data());
}

template <class T>
void flush(std::optional<T>& dataset) {
  if (dataset) dataset->flush();
}

}  // namespace

ResultsFile::ResultsFile(const std::string& result_path, const ExperimentConfig& config,
                         const RunFacts& run, const DataFacts& data,
                         const HierarchyManager& hierarchy, const std::vector<Readout>& readouts,
                         std::int64_t block_steps)
    : config_(config),
      result_(result_path),
      partial_(partial_path(result_path)),
      file_(hdf5::File::create(partial_)),
      layout_(lay_out_results(file_, config, run, data, hierarchy, readouts, block_steps)) {
  file_.start_swmr();
}

void ResultsFile::append(const HierarchyBlock& block, const Array& samples) {
  for (std::size_t i = 0; i < layout_.levels.size(); ++i) {
    ResultsLayout::Level& to = layout_.levels[i];
    if (!to.representation) continue;
    const LevelBlock& level = block.levels[i];
    // The recorded ticks are the multiples of `spacing` among those of the block.
    const std::int64_t every = config_.output.representations.every;
    const std::int64_t spacing = level.temporal_resolution * every;
    const std::int64_t first = next_tick(block.first_step, spacing);
    const std::int64_t count = count_ticks(block.first_step, block.steps, spacing);
    if (count == 0) continue;
    std::vector<std::int64_t> steps(static_cast<std::size_t>(count));
    std::vector<double> times(steps.size());
    for (std::size_t k = 0; k < steps.size(); ++k) {
      steps[k] = first + static_cast<std::int64_t>(k) * spacing;
      times[k] = static_cast<double>(steps[k] + config_.data.window - 1) /
                 config_.data.sample_rate.value_or(1.0);
    }
    const std::int64_t row = (first - level.first_tick) / level.temporal_resolution;
    append_rows(*to.step, to.rows, count, steps);
    if (to.time) append_rows(*to.time, to.rows, count, times);
    append_rows(*to.representation, to.rows, level.ticks[0].slice(0, row, {}, every));
    to.rows += count;
  }
  if (layout_.samples) {
    std::vector<std::int64_t> steps(static_cast<std::size_t>(block.steps));
    for (std::size_t k = 0; k < steps.size(); ++k) {
      steps[k] = block.first_step + static_cast<std::int64_t>(k);
    }
    append_rows(*layout_.sample_step, layout_.sample_rows, block.steps, steps);
    append_rows(*layout_.samples, layout_.sample_rows, samples);
    layout_.sample_rows += block.steps;
  }
}

void ResultsFile::append(std::size_t readout, const Readout::Added& added) {
  ResultsLayout::Readout& to = layout_.readouts[readout];
  const auto count = static_cast<std::int64_t>(added.steps.size());
  if (count == 0) return;
  append_rows(to.step, to.rows, count, added.steps);
  append_rows(to.prediction, to.rows, count, added.predictions);
  append_rows(to.target, to.rows, count, added.targets);
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
  ++layout_.metric_rows;
}

void ResultsFile::append_weights(std::int64_t step, const HierarchyManager& hierarchy) {
  for (std::size_t n = 0; n < layout_.levels.size(); ++n) {
    for (std::size_t m = 0; m < layout_.levels[n].layers.size(); ++m) {
      ResultsLayout::Layer& to = layout_.levels[n].layers[m];
      if (!to.history) continue;
      const std::int64_t rows = to.history->shape().front();
      append_rows(*to.history_step, rows, 1, std::vector<std::int64_t>{step});
      const Array weights = hierarchy.levels()[n].layer(m).arrays().front().value;
      append_rows(*to.history, rows, weights.expand_dims(0));
    }
  }
}

void ResultsFile::commit(std::int64_t steps, bool force) {
  const auto now = std::chrono::steady_clock::now();
  if (!force && last_commit_ && now - *last_commit_ < kBetweenCommits) return;
  for (ResultsLayout::Level& level : layout_.levels) {
    flush(level.step);
    flush(level.time);
    flush(level.representation);
    for (ResultsLayout::Layer& layer : level.layers) {
      flush(layer.history_step);
      flush(layer.history);
    }
  }
  for (ResultsLayout::Readout& readout : layout_.readouts) {
    readout.step.flush();
    readout.prediction.flush();
    readout.target.flush();
  }
  for (auto& [name, series] : layout_.metrics) series.flush();
  flush(layout_.sample_step);
  flush(layout_.samples);
  layout_.committed_steps->write<std::int64_t>({&steps, 1});
  layout_.committed_steps->flush();
  last_commit_ = std::chrono::steady_clock::now();
}

void ResultsFile::write_checkpoint(std::int64_t step, const HierarchyManager& hierarchy) {
  ResultsLayout::Checkpoint& to = layout_.checkpoints[next_checkpoint_];
  next_checkpoint_ = (next_checkpoint_ + 1) % layout_.checkpoints.size();
  // While the slot is being written it counts as empty.
  const std::int64_t none = -1;
  to.step.write<std::int64_t>({&none, 1});
  to.step.flush();
  for (const NamedArray& array : hierarchy.state()) {
    const auto found = to.arrays.find(array.name);
    if (found == to.arrays.end()) continue;
    write_whole(found->second, array.value);
    found->second.flush();
  }
  to.step.write<std::int64_t>({&step, 1});
  to.step.flush();
}

void ResultsFile::write_final_weights(const HierarchyManager& hierarchy) {
  for (std::size_t n = 0; n < layout_.levels.size(); ++n) {
    for (std::size_t m = 0; m < layout_.levels[n].layers.size(); ++m) {
      auto& finals = layout_.levels[n].layers[m].finals;
      for (const NamedArray& array : hierarchy.levels()[n].layer(m).arrays()) {
        const auto found = finals.find(array.name);
        if (found != finals.end()) write_whole(found->second, array.value);
      }
    }
  }
}

void ResultsFile::abandon() {
  if (!is_open_) return;
  is_open_ = false;
  struct Remains {
    hdf5::File file;
    ResultsLayout layout;
  };
  static auto& never_closed = *new std::vector<Remains>;
  never_closed.push_back({std::move(file_), std::move(layout_)});
}

std::string ResultsFile::finish(RunStatus status, std::int64_t steps_done, double wall_seconds,
                                const HierarchyManager& hierarchy,
                                const std::vector<Readout>& readouts) {
  if (!is_open_) return partial_;
  is_open_ = false;
  write_final_weights(hierarchy);
  commit(steps_done, true);
  layout_ = {};
  file_.close();

  return finish_results(result_, status, steps_done, wall_seconds, [&](hdf5::File& file) {
    for (const Readout& readout : readouts) {
      const ReadoutScore score = readout.score();
      hdf5::Group group = file.open_group("readouts").open_group(readout.config().name);
      group.set_attribute("nrmse", score.nrmse);
      group.set_attribute("r2", score.r2);
      group.set_attribute("baseline_nrmse", score.baseline_nrmse);
      group.set_attribute("baseline_r2", score.baseline_r2);
    }
  });
}

}  // namespace gaia
