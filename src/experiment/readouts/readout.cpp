// SPDX-License-Identifier: MIT
#include "readout.h"

#include <algorithm>
#include <utility>

#include "../../core/error.h"
#include "../../learning/change_readout.h"
#include "../../learning/detection_readout.h"
#include "../../learning/statistic_readout.h"
#include "statistic_scorer.h"

namespace gaia {
namespace {

/// Windows of a test part where nobody says how long they are to be.
constexpr std::int64_t kWindows = 20;

ReadoutTicks common_ticks(const ReadoutConfig& config, const Trials& trials,
                          const std::vector<const Readout*>& fused) {
  if (config.task() == ReadoutTask::change) return fused.front()->ticks();
  std::vector<const ReadoutTicks*> all;
  for (const Readout* const one : fused) all.push_back(&one->ticks());
  return ReadoutTicks::common(config, trials, all);
}

std::int64_t purge_of_all(const std::vector<const Readout*>& fused) {
  std::int64_t purge = 0;
  for (const Readout* const one : fused) purge = std::max(purge, one->purge());
  return purge;
}

std::int64_t watched_series(const ReadoutConfig& config, std::int64_t features) {
  const auto* const options = config.kind.get_if<DetectionOptions>();
  return options == nullptr ? 0 : options->series(features);
}

const StatisticOptions* statistic_of(const ReadoutConfig& config) {
  return config.kind.get_if<StatisticOptions>();
}

bool is_of_weights(const ReadoutConfig& config) {
  const StatisticOptions* const statistic = statistic_of(config);
  return statistic != nullptr && statistic->is_of_weights();
}

}  // namespace

std::string target_text(const ReadoutConfig& config,
                        const std::vector<std::string>& channel_names) {
  const ReadoutTarget& target = config.target;
  if (config.task() == ReadoutTask::anomaly) return "anomalies";
  if (const StatisticOptions* const statistic = statistic_of(config)) {
    return statistic->measure().name;
  }
  if (const auto* const watch = config.kind.get_if<DetectionOptions>()) {
    return watch->watched == WatchedSeries::error    ? "changes of the errors of " + watch->readout
           : watch->watched == WatchedSeries::levels ? "changes of what levels answer"
                                                     : "changes of the channels";
  }
  if (target.is_label()) return "the classes";
  std::string text;
  for (std::size_t i = 0; i < target.names.size(); ++i) {
    const auto index = static_cast<std::size_t>(target.indices[i]);
    text += text.empty() ? "" : ", ";
    text += target.of == ReadoutTarget::Of::column ? "column " + target.names[i]
            : target.of == ReadoutTarget::Of::latent
                ? series_text("latent", target.indices[i], "")
                : series_text("channel", target.indices[i], channel_names[index]);
  }
  return text;
}

Readout::Readout(const ReadoutConfig& config, std::vector<ReadoutSource> sources,
                 const TickOptions& ticks, const Trials& trials, std::int64_t channels,
                 const std::vector<std::string>& classes, const ReadoutSolution& stored)
    : Readout(config, std::move(sources), ReadoutTicks(config, trials, ticks), ticks.purge, trials,
              channels, classes, stored) {}

Readout::Readout(const ReadoutConfig& config, const std::vector<const Readout*>& fused,
                 const Trials& trials, const ReadoutSolution& stored)
    : Readout(config, {}, common_ticks(config, trials, fused), purge_of_all(fused), trials, 0, {},
              stored) {}

Readout::Readout(const ReadoutConfig& config, std::vector<ReadoutSource> sources,
                 ReadoutTicks ticks, std::int64_t purge, const Trials& trials,
                 std::int64_t channels, const std::vector<std::string>& classes,
                 const ReadoutSolution& stored)
    : config_(config), purge_(purge), reader_(config, sources, ticks, trials, channels) {
  if (config_.reads_again()) again_.emplace(config, std::move(sources), ticks, trials, channels);
  const ReadoutTask task = config_.task();
  if (task == ReadoutTask::classes) {
    // One that was trained elsewhere knows its own; what it never saw comes behind them.
    classes_ = stored.classes;
    for (const std::string& name : classes) {
      const auto found = std::find(classes_.begin(), classes_.end(), name);
      class_of_.push_back(static_cast<double>(found - classes_.begin()));
      if (found == classes_.end()) classes_.push_back(name);
    }
  }
  predicted_ = task == ReadoutTask::classes      ? std::ssize(classes_)
               : task == ReadoutTask::regression ? reader_.targets()
               : task == ReadoutTask::matching   ? features()
               : task == ReadoutTask::statistic  ? features()
               : task == ReadoutTask::change     ? 3 * watched_series(config_, features())
                                                 : 2;  // its score and the baseline's
  // A consensus also tells what it has left out, and how sure it is.
  const std::int64_t readouts = std::ssize(config_.fused);
  const bool is_consensus = readouts > 0 && task != ReadoutTask::change;
  told_ = predicted_ + (is_consensus ? readouts + predicted_ : 0);
  const std::string baseline = config_.target.horizon > 0 ? "persistence" : kMeanBaseline;
  // Targets that follow each other have steps in common, and so have the ways that lead to them.
  const std::int64_t reach = config_.target.horizon + config_.target.mean_over - 1;
  const auto blocks_of = [&](std::int64_t ticks_in_part) {
    return ChanceBlocks(ticks_in_part, (reach + ticks.spacing() - 1) / ticks.spacing());
  };
  const StatisticOptions* const measured = statistic_of(config_);
  const auto scorer = [task, predicted = predicted_, baseline, targets = reader_.targets(),
                       statistic = measured != nullptr ? std::optional(*measured) : std::nullopt](
                          const ChanceBlocks& blocks) -> std::unique_ptr<Scorer> {
    if (statistic) return std::make_unique<StatisticScorer>(*statistic, blocks);
    return make_scorer(task, predicted, baseline, blocks, targets);
  };
  validation_ = scorer(blocks_of(count_of(reader_.ticks().validation())));
  test_ = scorer(blocks_of(rows()));
  const std::int64_t every =
      config_.score_every.value_or(std::max<std::int64_t>(1, (rows() + kWindows - 1) / kWindows));
  windows_.emplace(every, [scorer, is_none = is_of_weights(config_)]() {
    // A statistic of weights has one score, in the end.
    return is_none ? make_scorer(ReadoutTask::change, 0, {}, ChanceBlocks(1))
                   : scorer(ChanceBlocks(1));
  });
  for (std::int64_t k = 0; config_.is_fold_for_group && config_.learn && k < config_.folds; ++k) {
    fold_tests_.push_back(scorer(ChanceBlocks(1)));
  }
  model_ = make_model();
  if (config_.feeds_back) fed_back_.resize(static_cast<std::size_t>(predicted_));
  if (config_.free_run.is_there) free_run_.emplace(config_.free_run, predicted_);
  if (config_.learn) return;
  if (config_.kind->fuses()) {
    means_ = stored.target_means;
    model_->set_solution(stored);
    return;
  }
  // It says nothing of what it never saw: those weights and shares are 0.
  ReadoutSolution known = stored;
  const auto outputs = static_cast<std::size_t>(predicted_);
  known.weights.resize(outputs * static_cast<std::size_t>(features()));
  known.intercepts.resize(outputs);
  known.target_means.resize(outputs);
  model_->set_solution(known);
}

std::unique_ptr<ReadoutModel> Readout::make_model() const {
  const bool is_anomaly = config_.task() == ReadoutTask::anomaly;
  const ReadoutSizes sizes{.features = features(),
                           .targets = is_anomaly ? reader_.channels() : predicted_,
                           .intercept = !config_.features.bias};
  std::unique_ptr<ReadoutModel> model = config_.kind->make(sizes);
  if (!config_.target.change || config_.kind->fuses()) return model;
  return std::make_unique<ChangeReadout>(std::move(model), sizes);
}

std::int64_t Readout::rows() const {
  return count_of(config_.folds > 0 ? ticks().of_folds() : ticks().test());
}

std::int64_t Readout::training_ticks() const {
  if (config_.labelled) return std::ssize(config_.labelled->ticks);
  return count_of(config_.folds > 0 ? ticks().of_folds() : ticks().training());
}

void Readout::begin_trial() {
  reader_.begin_trial();
  model_->begin_trial();
  std::fill(fed_back_.begin(), fed_back_.end(), 0.0);
}

void Readout::before_block(const HierarchyManager& hierarchy, const Array& x) {
  reader_.before_block(hierarchy, x);
  weighed_ = is_of_weights(config_) ? &hierarchy : nullptr;
}

std::int64_t Readout::end_of_part(std::int64_t step, std::int64_t end) const {
  if (!is_of_weights(config_)) return end;
  for (const Stretches* const part : {&ticks().validation(), &ticks().test()}) {
    if (part->empty()) continue;
    const std::int64_t behind =
        ticks().step_of(part->back().end - 1, reader_.trials(), config_.target) + 1;
    if (behind > step) end = std::min(end, behind);
  }
  return end;
}

void Readout::translate(ReadoutRows& rows) const {
  for (double& code : rows.targets) {
    if (code >= 0.0) code = class_of_[static_cast<std::size_t>(code)];
  }
}

Readout::Added Readout::process(const HierarchyBlock& block, const SampleReader& samples,
                                const std::vector<const Readout*>& fused) {
  time_kind_ = samples.time_kind();
  spoken_ = {};
  misses_.erase(misses_.begin(), misses_.begin() + static_cast<std::ptrdiff_t>(heard_misses_));
  heard_misses_ = 0;
  const bool is_change = config_.task() == ReadoutTask::change;
  if (is_change && !fused.empty()) return watch_errors(*fused.front());
  const ReadoutRows rows = read(block, samples);
  if (is_change) return watch_rows(rows);
  if (config_.is_watched && !rows.times.empty()) note_target_times(rows, samples);
  if (config_.feeds_back && samples.trial().first_step + block.first_step < speaks_from()) {
    const std::vector<double> taught = feedback(samples, block.first_step, block.steps);
    fed_back_.assign(taught.end() - reader_.targets(), taught.end());
  }
  if (free_run_) watch(rows, block, samples);
  Added added = take_any(rows, fused);
  heard_misses_ = misses_.size();
  return added;
}

ReadoutRows Readout::read(const HierarchyBlock& block, const SampleReader& samples) {
  ReadoutRows rows = reader_.read(block, samples);
  if (config_.task() == ReadoutTask::classes) translate(rows);
  return rows;
}

Readout::Added Readout::take_any(const ReadoutRows& rows,
                                 const std::vector<const Readout*>& fused) {
  if (config_.folds > 0) return take_folds(rows, fused);
  if (config_.kind->fuses()) return take_fused(rows, fused);
  return model_->is_online() ? take_online(rows) : take(rows);
}

bool Readout::is_scored(const ReadoutRows& rows, std::int64_t row) const {
  if (config_.is_scored_by_told) return is_told(rows, row);
  const bool is_seen = config_.seen && std::binary_search(config_.seen->begin(),
                                                          config_.seen->end(), rows.first + row);
  const StatisticOptions* const statistic = statistic_of(config_);
  const bool has_target = statistic == nullptr || statistic->measured == Statistic::selectivity;
  return !is_seen && (!has_target || reader_.is_known(rows, row));
}

bool Readout::is_told(const ReadoutRows& rows, std::int64_t row) const {
  if (!reader_.is_known(rows, row)) return false;
  if (config_.is_told_asked) {
    return std::binary_search(told_steps_.begin(), told_steps_.end(),
                              rows.steps[static_cast<std::size_t>(row)]);
  }
  if (!config_.labelled) return true;
  const std::vector<std::int64_t>& ticks = config_.labelled->ticks;
  return std::binary_search(ticks.begin(), ticks.end(), rows.first + row);
}

ReadoutScore Readout::score() const {
  ReadoutScore score = test_->score();
  if (free_run_) score.free_run = free_run_->score();
  return score;
}

FoldScores Readout::fold_scores() const {
  FoldScores scores;
  for (const std::unique_ptr<Scorer>& test : fold_tests_) {
    const auto numbers = test->score().numbers();
    if (scores.empty()) {
      for (const auto& [name, value] : numbers) scores.emplace_back(name, 0);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      scores[i].second.push_back(numbers[i].second);
    }
  }
  return scores;
}

std::optional<ReadoutScore> Readout::validation() const {
  if (config_.folds > 0 || ticks().validation().empty()) return {};
  return validation_->score();
}

std::optional<ReadoutSolution> Readout::solution() const {
  if (!model_->has_solution() || !model_->is_solved()) return {};
  ReadoutSolution solution = model_->solution();
  if (config_.kind->fuses()) solution.target_means = means_;
  solution.asked_steps = asked_steps_;
  return solution;
}

}  // namespace gaia
