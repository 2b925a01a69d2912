// SPDX-License-Identifier: MIT
#include "readout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "../../core/error.h"
#include "../../io/checkpoint_file.h"
#include "../../learning/change_readout.h"
#include "../../learning/detection_readout.h"
#include "../../learning/online_readout.h"
#include "../../learning/statistic_readout.h"
#include "statistic_scorer.h"

namespace gaia {
namespace {

/// Windows of a test part where nobody says how long they are to be.
constexpr std::int64_t kWindows = 20;

void append(std::vector<double>& to, std::span<const double> values) {
  to.insert(to.end(), values.begin(), values.end());
}

double place_of_largest(std::span<const double> values) {
  return static_cast<double>(std::max_element(values.begin(), values.end()) - values.begin());
}

/// The most probable class; none (-1) where no class has a probability.
double class_of_largest(std::span<const double> probabilities) {
  const bool is_none = std::all_of(probabilities.begin(), probabilities.end(),
                                   [](double one) { return one == 0.0; });
  return is_none ? -1.0 : place_of_largest(probabilities);
}

}  // namespace

namespace {

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

}  // namespace

namespace {

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

std::vector<ReadoutSeries> Readout::series() const {
  std::vector<ReadoutSeries> series = series_of_task();
  if (config_.seen) {
    series.push_back({"scored", "whether the tick counts for scores: 1 yes, 0 no, its row was seen",
                      hdf5::Type::int64});
  }
  return series;
}

std::vector<ReadoutSeries> Readout::series_of_task() const {
  switch (config_.task()) {
    case ReadoutTask::regression: {
      const std::int64_t width = predicted_ > 1 ? predicted_ : 0;
      std::vector<ReadoutSeries> series = {
          {"prediction", "prediction of the target", hdf5::Type::float64, width, "output"},
          {"target", "the target, horizon steps after the step", hdf5::Type::float64, width,
           "output"}};
      if (!config_.kind->fuses()) return series;
      series.push_back({"outlier", "1 where the readout was left out of the consensus, else 0",
                        hdf5::Type::int64, std::ssize(config_.fused), "readout"});
      series.push_back({"variance", "variance that the error of the prediction is expected to have",
                        hdf5::Type::float64, width, "output"});
      return series;
    }
    case ReadoutTask::classes:
      return {
          {"prediction", "the most probable class; -1: none, what answers most has no name",
           hdf5::Type::int64},
          {"target", "the class, horizon steps after the step; -1: not known", hdf5::Type::int64},
          {"probability", "probability of each class", hdf5::Type::float64, predicted_, "class"}};
    case ReadoutTask::matching:
      return {{"target", "the target, horizon steps after the step", hdf5::Type::float64,
               reader_.targets() > 1 ? reader_.targets() : 0, "output"}};
    case ReadoutTask::change: {
      const std::int64_t count = predicted_ / 3;
      const std::int64_t width = count > 1 ? count : 0;
      const char* const axis = config_.levels.empty() ? "channel" : "feature";
      return {
          {"detected", "1 where the series has changed, else 0", hdf5::Type::int64, width, axis},
          {"statistic", "how much speaks for a change", hdf5::Type::float64, width, axis},
          {"estimate", "mean of the series as it is now", hdf5::Type::float64, width, axis}};
    }
    case ReadoutTask::statistic:
      return {};
    case ReadoutTask::anomaly:
      break;
  }
  return {{"score", "how unusual the sample is, in standard deviations of the training part"},
          {"baseline_score", "|x - running mean|, scaled as in the training part"},
          {"target", "whether it is an anomaly: 0 no, 1 yes, -1 not known", hdf5::Type::int64}};
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

std::vector<double> Readout::read_by_model(const ReadoutRows& rows, std::int64_t begin,
                                           std::int64_t end) const {
  std::vector<double> read;
  if (!config_.target.change || config_.kind->fuses()) {
    append(read, rows_between(rows.features, begin, end, features()));
    return read;
  }
  for (std::int64_t row = begin; row < end; ++row) {
    append(read, rows_between(rows.features, row, row + 1, features()));
    append(read, rows_between(rows.baseline, row, row + 1, reader_.targets()));
  }
  return read;
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

void Readout::train(ReadoutModel& model, const ReadoutRows& rows, std::int64_t begin,
                    std::int64_t end) {
  const auto add_between = [&](std::int64_t from, std::int64_t to,
                               std::span<const double> targets) {
    if (to > from) model.add(read_by_model(rows, from, to), targets);
  };
  // It learns what is usual, or measures what is read; the truth is for scores alone.
  if (config_.task() == ReadoutTask::anomaly || config_.task() == ReadoutTask::statistic) {
    return add_between(begin, end, {});
  }
  // In stretches whose targets it is told; usually that is one.
  while (begin < end) {
    while (begin < end && !is_told(rows, begin)) ++begin;
    std::int64_t stop = begin;
    while (stop < end && is_told(rows, stop)) ++stop;
    add_between(begin, stop, rows_between(rows.targets, begin, stop, reader_.targets()));
    begin = stop;
  }
}

Readout::Said Readout::say(ReadoutModel& model, const ReadoutRows& rows, std::int64_t begin,
                           std::int64_t end) const {
  return {model.predict(read_by_model(rows, begin, end)),
          config_.kind->fuses() ? means_ : model.target_means()};
}

void Readout::predict(ReadoutModel& model, const ReadoutRows& rows, std::int64_t begin,
                      std::int64_t end, Added& added) {
  if (begin >= end) return;
  if (weighed_ != nullptr) return take_weights(rows, begin, end, added);
  const Said said = say(model, rows, begin, end);
  if (config_.feeds_back) fed_back_.assign(said.predictions.end() - told_, said.predictions.end());
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t number = rows.first + row;
    const bool is_validation = contains(ticks().validation(), number);
    if (!is_validation && !contains(ticks().test(), number)) continue;
    const auto prediction = rows_between(said.predictions, row - begin, row - begin + 1, told_);
    if (config_.heard != ReadoutConfig::Heard::not_at_all) {
      speak(rows.steps[static_cast<std::size_t>(row)], prediction);
    }
    score(rows, row, prediction, said.means, is_validation, added);
  }
}

void Readout::take_weights(const ReadoutRows& rows, std::int64_t begin, std::int64_t end,
                           Added& added) {
  bool is_validated = false;
  bool is_tested = false;
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t number = rows.first + row;
    if (contains(ticks().validation(), number)) is_validated = true;
    if (!contains(ticks().test(), number)) continue;
    is_tested = true;
    windows_->add(rows.steps[static_cast<std::size_t>(row)], nullptr);
    add(rows, row, {}, added);
  }
  if (!is_validated && !is_tested) return;
  const auto level = static_cast<std::size_t>(config_.levels.front());
  std::vector<double> weights;
  for (const NamedArray& array : weighed_->levels()[level].layer(0).arrays()) {
    if (array.name == "weights") weights = array.value.to_vector<double>();
  }
  const std::vector<double> told = model_->predict(weights);
  const Scorer::Row row = {.prediction = told, .target = {}, .baseline = {}, .mean = {}};
  if (is_validated) validation_->add(row);
  if (is_tested) test_->add(row);
}

void Readout::score(const ReadoutRows& rows, std::int64_t row, std::span<const double> prediction,
                    const std::vector<double>& means, bool is_validation, Added& added,
                    Scorer* fold_test) {
  if (config_.is_watched) note_miss(rows, row, prediction, is_validation);
  const bool counts = is_scored(rows, row);
  if (counts) {
    // For classes, the means are their shares of the training.
    const std::vector<double> majority = {place_of_largest(means)};
    const bool is_regression = config_.task() == ReadoutTask::regression;
    const std::int64_t width = reader_.targets();
    const auto now = rows_between(rows.baseline, row, row + 1, width);
    const bool persists = config_.target.horizon > 0 && !std::isnan(now.front());
    const Scorer::Row scored = {prediction, rows_between(rows.targets, row, row + 1, width),
                                !is_regression ? std::span<const double>(majority)
                                : persists     ? now
                                               : std::span<const double>(means),
                                means};
    (is_validation ? *validation_ : *test_).add(scored);
    if (fold_test != nullptr) fold_test->add(scored);
    if (!is_validation) windows_->add(rows.steps[static_cast<std::size_t>(row)], &scored);
  }
  if (is_validation) return;
  if (!counts) windows_->add(rows.steps[static_cast<std::size_t>(row)], nullptr);
  add(rows, row, prediction, added);
}

void Readout::add(const ReadoutRows& rows, std::int64_t row, std::span<const double> prediction,
                  Added& added) {
  added.values.resize(series().size());
  added.steps.push_back(rows.steps[static_cast<std::size_t>(row)]);
  ++added_;
  if (time_kind_ != SampleReader::TimeKind::none) {
    add_time(rows.times[static_cast<std::size_t>(row)], added);
  }
  if (config_.seen) added.values.back().push_back(is_scored(rows, row) ? 1.0 : 0.0);
  const auto target = rows_between(rows.targets, row, row + 1, reader_.targets());
  switch (config_.task()) {
    case ReadoutTask::regression:
      append(added.values[0], prediction.first(static_cast<std::size_t>(predicted_)));
      append(added.values[1], target);
      if (!config_.kind->fuses()) return;
      prediction = prediction.subspan(static_cast<std::size_t>(predicted_));
      append(added.values[2], prediction.first(config_.fused.size()));
      return append(added.values[3], prediction.subspan(config_.fused.size()));
    case ReadoutTask::classes:
      added.values[0].push_back(class_of_largest(prediction));
      append(added.values[1], target);
      return append(added.values[2], prediction);
    case ReadoutTask::matching:
      return append(added.values[0], target);
    case ReadoutTask::change:  // add_watched
    case ReadoutTask::statistic:
      return;
    case ReadoutTask::anomaly:
      added.values[0].push_back(prediction[0]);
      added.values[1].push_back(prediction[1]);
      return append(added.values[2], target);
  }
}

void Readout::add_time(std::int64_t time, Added& added) const {
  const bool are_whole = time_kind_ != SampleReader::TimeKind::numbers;
  if (!added.times)
    added.times = are_whole ? SideValues(std::vector<std::int64_t>()) : SideValues();
  if (are_whole) {
    std::get<std::vector<std::int64_t>>(*added.times).push_back(time);
  } else {
    std::get<std::vector<double>>(*added.times).push_back(std::bit_cast<double>(time));
  }
}

Readout::Added Readout::take(const ReadoutRows& rows) {
  const std::int64_t count = rows.count();
  if (count == 0) return {};
  const bool again = config_.reads_again();  // which is when it is trained
  const Stretch all{rows.first, rows.first + count};
  for (const Stretch& part :
       intersection(ticks().training(), again ? Stretches{} : Stretches{all})) {
    train(*model_, rows, part.begin - rows.first, part.end - rows.first);
    keep_trained(rows, part.begin - rows.first, part.end - rows.first);
  }
  Added added;
  // Ticks that are purged behind the training are predicted too, and not scored: what is unusual is
  // told by the tick before.
  const std::int64_t first_scored = ticks().first_scored();
  const std::int64_t told = again ? first_scored : std::min(ticks().training_end(), first_scored);
  const std::int64_t begin = std::clamp<std::int64_t>(told - rows.first, 0, count);
  const bool waits = again ? !model_->is_solved() : rows.first + count < ticks().training_end();
  if (waits) {
    if (begin == count) return added;
    kept_.append(rows.part(begin, count));
    kept_.first = told;
    return added;
  }
  if (!model_->is_solved()) model_->solve();
  speak_of_trained();
  if (kept_.count() > 0) {
    predict(*model_, kept_, 0, kept_.count(), added);
    kept_ = {};
  }
  predict(*model_, rows, begin, count, added);
  return added;
}

std::int64_t Readout::read_again_at() const {
  const Stretches& steps = ticks().training_steps();
  return config_.reads_again() && !steps.empty() ? steps.back().end : 0;
}

void Readout::begin_reading_again(const std::vector<std::int64_t>& asked) {
  added_steps_.clear();
  told_steps_ = asked;
  std::sort(told_steps_.begin(), told_steps_.end());
}

void Readout::begin_trial_again() { again_->begin_trial(); }

void Readout::read_again(const HierarchyBlock& block, const SampleReader& samples) {
  ReadoutRows rows = again_->read(block, samples);
  translate(rows);
  const Stretch all{rows.first, rows.first + rows.count()};
  if (all.count() == 0) return;
  for (const Stretch& part : intersection(ticks().training(), {all})) {
    const std::int64_t begin = part.begin - rows.first;
    const std::int64_t end = part.end - rows.first;
    train(*model_, rows, begin, end);
    for (std::int64_t row = begin; row < end; ++row) {
      if (is_told(rows, row)) added_steps_.push_back(rows.steps[static_cast<std::size_t>(row)]);
    }
  }
}

Readout::Added Readout::end_reading_again() {
  model_->solve();
  asked_steps_ = model_->asked();
  for (std::int64_t& step : asked_steps_) {
    if (step >= 0) step = added_steps_[static_cast<std::size_t>(step)];
  }
  added_steps_ = {};
  Added added;
  predict(*model_, kept_, 0, kept_.count(), added);
  kept_ = {};
  return added;
}

Readout::Added Readout::take_online(const ReadoutRows& rows) {
  Added added;
  const bool goes_on = config_.kind.get_if<OnlineReadoutOptions>()->goes_on;
  const std::int64_t learnt = goes_on ? ticks().all() : ticks().training_end();
  for (std::int64_t row = 0; row < rows.count(); ++row) {
    const std::int64_t now = rows.steps[static_cast<std::size_t>(row)];
    const std::int64_t trial_start = reader_.trials().at(now).first_step;
    // What was predicted before and has come true since.
    std::int64_t known = 0;
    while (known < not_known_.count()) {
      const std::int64_t made = not_known_.steps[static_cast<std::size_t>(known)];
      if (made >= trial_start && made + config_.target.horizon > now) break;
      ++known;
    }
    train(*model_, not_known_, 0, known);
    not_known_ = not_known_.part(known, not_known_.count());
    predict(*model_, rows, row, row + 1, added);
    if (rows.first + row < learnt) not_known_.append(rows.part(row, row + 1));
  }
  return added;
}

Readout::Added Readout::take_folds(const ReadoutRows& rows,
                                   const std::vector<const Readout*>& fused) {
  kept_.append(rows);
  Added added;
  const std::int64_t all = ticks().all();
  if (rows.count() == 0 || kept_.count() < all) return added;
  const bool is_heard = config_.heard != ReadoutConfig::Heard::not_at_all;
  // Each tick is in one fold; in order of ticks they are scored, whichever fold they are in.
  std::vector<double> predictions(static_cast<std::size_t>(all * told_));
  std::vector<std::vector<double>> means;
  std::vector<std::pair<Stretch, std::size_t>> tested;
  for (std::int64_t k = 0; k < config_.folds; ++k) {
    const ReadoutTicks::Fold fold = ticks().fold(k);
    const std::unique_ptr<ReadoutModel> model = make_model();
    if (!fused.empty()) hear_fold(fused, static_cast<std::size_t>(k));
    for (const Stretch& part : fold.training) train(*model, kept_, part.begin, part.end);
    model->solve();
    if (is_heard) spoken_.by_folds.push_back(say(*model, kept_, 0, all));
    for (const Stretch& part : fold.test) {
      const Said said = say(*model, kept_, part.begin, part.end);
      std::copy(said.predictions.begin(), said.predictions.end(),
                predictions.begin() + part.begin * told_);
      tested.emplace_back(part, means.size());
    }
    means.push_back(fused.empty() ? model->target_means() : means_);
  }
  std::sort(tested.begin(), tested.end(),
            [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  for (const auto& [part, fold] : tested) {
    for (std::int64_t row = part.begin; row < part.end; ++row) {
      score(kept_, row, rows_between(predictions, row, row + 1, told_), means[fold], false, added,
            fold_tests_.empty() ? nullptr : fold_tests_[fold].get());
    }
  }
  // What is stored has learnt from all of them.
  if (!fused.empty()) hear_fold(fused, static_cast<std::size_t>(config_.folds));
  for (const Stretch& part : ticks().of_folds()) train(*model_, kept_, part.begin, part.end);
  model_->solve();
  if (is_heard) spoken_.by_folds.push_back(say(*model_, kept_, 0, all));
  kept_ = {};
  return added;
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

void Readout::add_state(ArrayMap& arrays) const {
  const std::string prefix = "readouts/" + config_.name + "/";
  put_numbers(arrays, prefix + "model", model_->state());
  put_numbers(arrays, prefix + "added", {static_cast<double>(added_)});
  put_numbers(arrays, prefix + "asked", {asked_steps_.begin(), asked_steps_.end()});
  put_numbers(arrays, prefix + "validation", validation_->state());
  put_numbers(arrays, prefix + "test", test_->state());
  put_numbers(arrays, prefix + "windows", windows_->state());
  for (std::size_t k = 0; k < fold_tests_.size(); ++k) {
    put_numbers(arrays, prefix + "fold_tests/" + std::to_string(k), fold_tests_[k]->state());
  }
  if (config_.feeds_back) put_numbers(arrays, prefix + "fed_back", fed_back_);
  if (free_run_) put_numbers(arrays, prefix + "free_run", free_run_->state());
  reader_.add_state(prefix, arrays);
  if (config_.is_watched || config_.task() == ReadoutTask::change) {
    add_watched_state(prefix, arrays);
  }
  kept_.add_state(prefix + "kept/", arrays);
  not_known_.add_state(prefix + "not_known/", arrays);
  if (config_.heard == ReadoutConfig::Heard::trained) {
    trained_.add_state(prefix + "trained/", arrays);
  }
  if (!config_.kind->fuses()) return;
  put_numbers(arrays, prefix + "means", means_);
  put_numbers(arrays, prefix + "unheard/first", {static_cast<double>(unheard_.first)});
  unheard_.add_state(prefix + "unheard/", arrays);
}

void Readout::set_state(const ArrayMap& arrays, std::int64_t step) {
  const std::string prefix = "readouts/" + config_.name + "/";
  model_->set_state(numbers_of(arrays, prefix + "model"));
  added_ = static_cast<std::int64_t>(numbers_of(arrays, prefix + "added", 1).front());
  asked_steps_.clear();
  for (const double asked : numbers_of(arrays, prefix + "asked")) {
    asked_steps_.push_back(static_cast<std::int64_t>(asked));
  }
  validation_->set_state(numbers_of(arrays, prefix + "validation"));
  test_->set_state(numbers_of(arrays, prefix + "test"));
  windows_->set_state(numbers_of(arrays, prefix + "windows"));
  for (std::size_t k = 0; k < fold_tests_.size(); ++k) {
    fold_tests_[k]->set_state(numbers_of(arrays, prefix + "fold_tests/" + std::to_string(k)));
  }
  if (config_.feeds_back) fed_back_ = numbers_of(arrays, prefix + "fed_back", fed_back_.size());
  if (free_run_) free_run_->set_state(numbers_of(arrays, prefix + "free_run"));
  reader_.set_state(prefix, arrays, step);
  if (config_.is_watched || config_.task() == ReadoutTask::change) {
    set_watched_state(prefix, arrays);
  }
  kept_.set_state(prefix + "kept/", arrays, features(), reader_.targets());
  kept_.first = config_.folds > 0 ? 0 : ticks().first_scored();
  not_known_.set_state(prefix + "not_known/", arrays, features(), reader_.targets());
  if (config_.heard == ReadoutConfig::Heard::trained) {
    trained_.set_state(prefix + "trained/", arrays, features(), reader_.targets());
  }
  if (!config_.kind->fuses()) return;
  means_ = numbers_of(arrays, prefix + "means");
  unheard_.first =
      static_cast<std::int64_t>(numbers_of(arrays, prefix + "unheard/first", 1).front());
  unheard_.set_state(prefix + "unheard/", arrays, features(), reader_.targets());
}

}  // namespace gaia
