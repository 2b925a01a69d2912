// SPDX-License-Identifier: MIT
#include "readout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "../../core/error.h"
#include "../../io/checkpoint_file.h"

namespace gaia {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kNoClass = -1.0;

std::span<const double> rows_of(const std::vector<double>& values, std::int64_t begin,
                                std::int64_t end, std::int64_t width) {
  return std::span(values).subspan(static_cast<std::size_t>(begin * width),
                                   static_cast<std::size_t>((end - begin) * width));
}

void append(std::vector<double>& to, std::span<const double> values) {
  to.insert(to.end(), values.begin(), values.end());
}

}  // namespace

std::vector<ReadoutSource> readout_sources(const ReadoutConfig& config,
                                           const HierarchyManager& hierarchy) {
  std::vector<ReadoutSource> sources;
  for (const std::int64_t level : config.levels) {
    sources.push_back(
        {level, hierarchy.levels()[static_cast<std::size_t>(level)].output_size()});
  }
  return sources;
}

SampleReader::Reach reach_of(const std::vector<ReadoutConfig>& readouts) {
  SampleReader::Reach reach;
  for (const ReadoutConfig& readout : readouts) {
    reach.back = std::max(reach.back, readout.target.mean_over - 1);
    reach.ahead = std::max(reach.ahead, readout.target.horizon);
  }
  return reach;
}

bool read_latents(const std::vector<ReadoutConfig>& readouts) {
  return std::any_of(readouts.begin(), readouts.end(), [](const ReadoutConfig& readout) {
    return readout.target.of == ReadoutTarget::Of::latent;
  });
}

std::string target_text(const ReadoutConfig& config,
                        const std::vector<std::string>& channel_names) {
  const ReadoutTarget& target = config.target;
  if (config.task() == ReadoutTask::anomaly) return "anomalies";
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
                 std::int64_t spacing, const Trials& trials, std::int64_t channels,
                 std::int64_t classes, const ReadoutSolution& stored)
    : config_(config),
      sources_(std::move(sources)),
      trials_(trials),
      ticks_(readout_ticks(config, trials, spacing)),
      classes_(classes) {
  if (config_.kind->reads_reconstructions()) {
    std::vector<std::int64_t> levels;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      levels.push_back(sources_[i].level);
      sources_[i] = {static_cast<std::int64_t>(i), 1};
    }
    reconstruction_.emplace(std::move(levels));
  }
  for (const ReadoutSource& source : sources_) {
    features_ += source.size;
    held_.emplace_back(static_cast<std::size_t>(source.size));
  }
  if (config_.task() == ReadoutTask::regression) {
    targets_ = std::max<std::int64_t>(1, std::ssize(config_.target.indices));
    predicted_ = targets_;
  } else if (config_.task() == ReadoutTask::classes) {
    predicted_ = classes_;
    seen_classes_.resize(static_cast<std::size_t>(classes_));
  } else {
    channels_ = channels;
    features_ += channels;
    predicted_ = 2;  // its score and the baseline's
  }
  const std::string baseline = config_.target.horizon > 0 ? "persistence" : kMeanBaseline;
  validation_ = make_scorer(config_.task(), predicted_, baseline);
  test_ = make_scorer(config_.task(), predicted_, baseline);
  model_ = make_model();
  if (!config_.learn) model_->set_solution(stored);
}

std::unique_ptr<ReadoutModel> Readout::make_model() const {
  const bool is_anomaly = config_.task() == ReadoutTask::anomaly;
  return config_.kind->make({features_, is_anomaly ? channels_ : predicted_});
}

std::int64_t Readout::rows() const {
  return config_.folds > 0 ? ticks_.all() - ticks_.first : ticks_.of_test();
}

std::vector<ReadoutSeries> Readout::series() const {
  switch (config_.task()) {
    case ReadoutTask::regression: {
      const std::int64_t width = targets_ > 1 ? targets_ : 0;
      return {{"prediction", "prediction of the target", hdf5::Type::float64, width, "output"},
              {"target", "the target, horizon steps after the step", hdf5::Type::float64, width,
               "output"}};
    }
    case ReadoutTask::classes:
      return {{"prediction", "the most probable class", hdf5::Type::int64},
              {"target", "the class, horizon steps after the step; -1: not known",
               hdf5::Type::int64},
              {"probability", "probability of each class", hdf5::Type::float64, classes_,
               "class"}};
    case ReadoutTask::anomaly:
      break;
  }
  return {{"score", "how unusual the sample is, in standard deviations of the training part"},
          {"baseline_score", "|x - running mean|, scaled as in the training part"},
          {"target", "whether it is an anomaly: 0 no, 1 yes, -1 not known", hdf5::Type::int64}};
}

void Readout::begin_trial() {
  for (std::vector<double>& level : held_) std::fill(level.begin(), level.end(), 0.0);
  model_->begin_trial();
  if (reconstruction_) reconstruction_->begin_trial();
}

void Readout::before_block(const HierarchyManager& hierarchy, const Array& x) {
  if (reconstruction_) reconstruction_->before_block(hierarchy, x);
}

std::vector<double> Readout::gather(const HierarchyBlock& block, const SampleReader& samples,
                                    std::int64_t first_tick, std::int64_t ticks) {
  std::vector<double> features(static_cast<std::size_t>(ticks * features_));
  std::int64_t column = 0;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const LevelBlock& level = block.levels[static_cast<std::size_t>(sources_[i].level)];
    std::vector<double>& held = held_[i];
    const auto n = static_cast<std::int64_t>(held.size());
    const std::vector<double> shown = level.ticks.to_vector<double>();
    for (std::int64_t k = 0; k < ticks; ++k) {
      const std::int64_t step = first_tick + k * ticks_.spacing;
      const std::int64_t row = (step - level.first_tick) / level.temporal_resolution;
      const double* from = step < level.first_tick ? held.data() : shown.data() + row * n;
      std::copy_n(from, n, features.data() + k * features_ + column);
    }
    if (!shown.empty()) std::copy_n(shown.end() - n, n, held.begin());
    column += n;
  }
  for (std::int64_t c = 0; c < channels_ && ticks > 0; ++c) {
    const std::vector<double> values =
        samples.channel(c, samples.trial().first_step + first_tick,
                        (ticks - 1) * ticks_.spacing + 1);
    for (std::int64_t k = 0; k < ticks; ++k) {
      features[static_cast<std::size_t>(k * features_ + column + c)] =
          values[static_cast<std::size_t>(k * ticks_.spacing)];
    }
  }
  return features;
}

std::vector<double> Readout::targets_at(const SampleReader& samples, std::int64_t first_tick,
                                        std::int64_t ticks, std::int64_t horizon) const {
  std::vector<double> found(static_cast<std::size_t>(ticks * targets_));
  if (ticks == 0) return found;
  const std::int64_t spacing = ticks_.spacing;
  const std::int64_t newest = first_tick + horizon;  // step of the first target's newest value
  const std::int64_t span = config_.target.mean_over;
  const std::int64_t oldest = std::max<std::int64_t>(0, newest - span + 1);
  const std::int64_t steps = newest + (ticks - 1) * spacing + 1 - oldest;
  for (std::int64_t m = 0; m < targets_; ++m) {
    const std::vector<double> values =
        samples.target(config_.target, static_cast<std::size_t>(m),
                       samples.trial().first_step + oldest, steps);
    for (std::int64_t k = 0; k < ticks; ++k) {
      const std::int64_t end = newest + k * spacing + 1 - oldest;
      const std::int64_t count = std::min(span, end);
      found[static_cast<std::size_t>(k * targets_ + m)] =
          std::accumulate(values.begin() + (end - count), values.begin() + end, 0.0) /
          static_cast<double>(count);
    }
  }
  return found;
}

Readout::Rows Readout::read(const HierarchyBlock& block, const SampleReader& samples) {
  const Trial& trial = samples.trial();
  const std::size_t index = samples.trial_index();
  const std::int64_t horizon = config_.target.horizon;
  const auto known_of = [&](std::int64_t ahead) {
    return count_ticks(0, std::max<std::int64_t>(0, trial.steps - ahead), ticks_.spacing);
  };
  const std::int64_t first = next_tick(block.first_step, ticks_.spacing);
  const std::int64_t before = first / ticks_.spacing;  // ticks of the trial
  const std::int64_t in_block = count_ticks(block.first_step, block.steps, ticks_.spacing);
  const std::int64_t usable = known_of(config_.learn ? horizon : 0);
  const std::int64_t count = std::clamp<std::int64_t>(usable - before, 0, in_block);
  Rows rows;
  rows.first = ticks_.begins[index] + before;
  for (std::int64_t k = 0; k < count; ++k) {
    rows.steps.push_back(trial.first_step + first + k * ticks_.spacing);
  }
  time_kind_ = samples.time_kind();
  if (count > 0) {
    const std::int64_t span = (count - 1) * ticks_.spacing + 1;
    if (const auto times = samples.times(rows.steps.front(), span)) {
      std::visit(
          [&](const auto& values) {
            for (std::int64_t k = 0; k < span; k += ticks_.spacing) {
              rows.times.push_back(std::bit_cast<std::int64_t>(values[static_cast<std::size_t>(k)]));
            }
          },
          *times);
    }
  }
  rows.features = gather(block, samples, first, count);
  // Where the trial ends, or the series has no such column, targets are not known.
  const std::int64_t known =
      samples.has_target(config_.target)
          ? std::clamp<std::int64_t>(known_of(horizon) - before, 0, count)
          : 0;
  rows.targets = targets_at(samples, first, known, horizon);
  rows.targets.resize(static_cast<std::size_t>(count * targets_),
                      config_.target.is_label() ? kNoClass : kUnknown);
  if (horizon > 0) rows.baseline = targets_at(samples, first, known, 0);
  rows.baseline.resize(rows.targets.size(), kUnknown);
  return rows;
}

void Readout::add_time(Added& added, const Rows& rows, std::int64_t row) const {
  if (time_kind_ == SampleReader::TimeKind::none) return;
  const std::int64_t time = rows.times[static_cast<std::size_t>(row)];
  if (time_kind_ == SampleReader::TimeKind::dates) {
    if (!added.times) added.times = std::vector<std::int64_t>();
    std::get<std::vector<std::int64_t>>(*added.times).push_back(time);
  } else {
    if (!added.times) added.times = std::vector<double>();
    std::get<std::vector<double>>(*added.times).push_back(std::bit_cast<double>(time));
  }
}

Readout::Rows Readout::average(const Rows& rows, std::size_t trial) {
  const std::int64_t count = rows.count();
  if (summed_ == 0.0) {
    sums_ = {};
    sums_.features.resize(static_cast<std::size_t>(features_));
    sums_.targets.resize(static_cast<std::size_t>(targets_));
  }
  for (std::int64_t k = 0; k < count; ++k) {
    for (std::int64_t f = 0; f < features_; ++f) {
      sums_.features[static_cast<std::size_t>(f)] +=
          rows.features[static_cast<std::size_t>(k * features_ + f)];
    }
    for (std::int64_t m = 0; m < targets_; ++m) {
      sums_.targets[static_cast<std::size_t>(m)] +=
          rows.targets[static_cast<std::size_t>(k * targets_ + m)];
    }
    summed_ += 1.0;
  }
  const Trial& of = trials_.all()[trial];
  const std::int64_t usable = count_ticks(
      0, std::max<std::int64_t>(0, of.steps - (config_.learn ? config_.target.horizon : 0)),
      ticks_.spacing);
  if (count == 0 || static_cast<std::int64_t>(summed_) < usable) return {};
  Rows one;
  one.first = ticks_.begins[trial];
  one.steps = {rows.steps.back()};
  if (!rows.times.empty()) one.times = {rows.times.back()};
  one.features = sums_.features;
  for (double& feature : one.features) feature /= summed_;
  if (config_.target.is_label()) {
    one.targets = {rows.targets.back()};  // a trial's class is the one at its end
  } else {
    one.targets = sums_.targets;
    for (double& target : one.targets) target /= summed_;
  }
  one.baseline.assign(one.targets.size(), kUnknown);
  summed_ = 0.0;
  return one;
}

Readout::Added Readout::process(const HierarchyBlock& block, const SampleReader& samples) {
  Rows rows = read(reconstruction_ ? reconstruction_->errors(block) : block, samples);
  if (config_.target.per_trial) rows = average(rows, samples.trial_index());
  if (config_.folds > 0) return take_folds(rows);
  return model_->is_online() ? take_online(rows) : take(rows);
}

bool Readout::is_known(const Rows& rows, std::int64_t row) const {
  const auto target = rows_of(rows.targets, row, row + 1, targets_);
  return std::none_of(target.begin(), target.end(), [&](double value) {
    return config_.target.is_label() ? value < 0.0 : std::isnan(value);
  });
}

void Readout::train(ReadoutModel& model, const Rows& rows, std::int64_t begin, std::int64_t end) {
  if (config_.task() == ReadoutTask::anomaly) {
    // It learns what is usual; the truth is for scores alone.
    if (end > begin) model.add(rows_of(rows.features, begin, end, features_), {});
    return;
  }
  // In stretches whose targets are known; usually that is one.
  while (begin < end) {
    while (begin < end && !is_known(rows, begin)) ++begin;
    std::int64_t stop = begin;
    while (stop < end && is_known(rows, stop)) ++stop;
    const std::span<const double> targets = rows_of(rows.targets, begin, stop, targets_);
    if (config_.task() == ReadoutTask::classes) {
      for (const double code : targets) seen_classes_[static_cast<std::size_t>(code)] += 1.0;
    }
    if (stop > begin) model.add(rows_of(rows.features, begin, stop, features_), targets);
    begin = stop;
  }
}

void Readout::predict(ReadoutModel& model, const Rows& rows, std::int64_t begin, std::int64_t end,
                      Added& added) {
  if (begin >= end) return;
  const std::vector<double> predictions =
      model.predict(rows_of(rows.features, begin, end, features_));
  const std::vector<double> means = model.target_means();
  const bool is_regression = config_.task() == ReadoutTask::regression;
  const double majority = static_cast<double>(
      std::max_element(seen_classes_.begin(), seen_classes_.end()) - seen_classes_.begin());
  added.values.resize(series().size());
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t number = rows.first + row;
    const auto prediction = rows_of(predictions, row - begin, row - begin + 1, predicted_);
    const auto target = rows_of(rows.targets, row, row + 1, targets_);
    const bool is_validation = number < ticks_.validated && config_.folds == 0 && config_.learn;
    const bool is_test = config_.folds > 0 || !config_.learn ||
                         (number >= ticks_.validated && number < ticks_.tested);
    Scorer& scorer = is_validation ? *validation_ : *test_;
    if (is_validation && number < ticks_.trained) continue;  // of what learns online
    if (!is_validation && !is_test) continue;
    if (is_known(rows, row)) {
      const auto now = rows_of(rows.baseline, row, row + 1, targets_);
      const std::span<const double> baseline =
          !is_regression                  ? std::span(&majority, 1)
          : config_.target.horizon > 0 && !std::isnan(now.front()) ? now
                                          : std::span<const double>(means);
      scorer.add({prediction, target, baseline, means});
    }
    if (!is_test) continue;
    added.steps.push_back(rows.steps[static_cast<std::size_t>(row)]);
    add_time(added, rows, row);
    ++added_;
    if (is_regression) {
      append(added.values[0], prediction);
      append(added.values[1], target);
    } else if (config_.task() == ReadoutTask::anomaly) {
      added.values[0].push_back(prediction[0]);
      added.values[1].push_back(prediction[1]);
      append(added.values[2], target);
    } else {
      added.values[0].push_back(static_cast<double>(
          std::max_element(prediction.begin(), prediction.end()) - prediction.begin()));
      append(added.values[1], target);
      append(added.values[2], prediction);
    }
  }
}

Readout::Added Readout::take(const Rows& rows) {
  const std::int64_t count = rows.count();
  const std::int64_t begin = std::clamp<std::int64_t>(ticks_.first - rows.first, 0, count);
  const std::int64_t end = std::clamp<std::int64_t>(ticks_.trained - rows.first, 0, count);
  train(*model_, rows, begin, end);
  Added added;
  if (end == count) return added;
  if (!model_->is_solved()) model_->solve();
  predict(*model_, rows, end, count, added);
  return added;
}

Readout::Added Readout::take_online(const Rows& rows) {
  Added added;
  for (std::int64_t row = 0; row < rows.count(); ++row) {
    const std::int64_t now = rows.steps[static_cast<std::size_t>(row)];
    const std::int64_t trial_start = trials_.at(now).first_step;
    // What was predicted before and has come true since.
    while (!not_known_.empty()) {
      const std::int64_t made = not_known_.front().steps.front();
      if (made >= trial_start && made + config_.target.horizon > now) break;
      train(*model_, not_known_.front(), 0, 1);
      not_known_.pop_front();
    }
    predict(*model_, rows, row, row + 1, added);
    const auto part = [&](const std::vector<double>& values, std::int64_t width) {
      const auto of = rows_of(values, row, row + 1, width);
      return std::vector<double>(of.begin(), of.end());
    };
    not_known_.push_back({rows.first + row, {now}, {}, part(rows.features, features_),
                          part(rows.targets, targets_), {}});
  }
  return added;
}

Readout::Added Readout::take_folds(const Rows& rows) {
  append(kept_.features, rows.features);
  append(kept_.targets, rows.targets);
  append(kept_.baseline, rows.baseline);
  kept_.steps.insert(kept_.steps.end(), rows.steps.begin(), rows.steps.end());
  kept_.times.insert(kept_.times.end(), rows.times.begin(), rows.times.end());
  Added added;
  const std::int64_t all = ticks_.all();
  if (rows.count() == 0 || kept_.count() < all) return added;
  for (std::int64_t fold = 0; fold < config_.folds; ++fold) {
    const std::int64_t begin = ticks_.fold_begin(fold, config_.folds);
    const std::int64_t end = ticks_.fold_begin(fold + 1, config_.folds);
    std::fill(seen_classes_.begin(), seen_classes_.end(), 0.0);
    const std::unique_ptr<ReadoutModel> model = make_model();
    train(*model, kept_, ticks_.first, begin);
    train(*model, kept_, end, all);
    model->solve();
    predict(*model, kept_, begin, end, added);
  }
  // What is stored has learnt from all of them.
  std::fill(seen_classes_.begin(), seen_classes_.end(), 0.0);
  train(*model_, kept_, ticks_.first, all);
  model_->solve();
  kept_ = {};
  return added;
}

std::optional<ReadoutScore> Readout::validation() const {
  if (config_.folds > 0 || ticks_.of_validation() == 0) return {};
  return validation_->score();
}

std::optional<ReadoutSolution> Readout::solution() const {
  if (!is_linear() || !model_->is_solved()) return {};
  return model_->solution();
}

void Readout::add_state(ArrayMap& arrays) const {
  const std::string prefix = "readouts/" + config_.name + "/";
  put_numbers(arrays, prefix + "model", model_->state());
  std::vector<double> held;
  for (const std::vector<double>& level : held_) append(held, level);
  put_numbers(arrays, prefix + "held", held);
  put_numbers(arrays, prefix + "counts", {static_cast<double>(added_), summed_});
  put_numbers(arrays, prefix + "seen_classes", seen_classes_);
  put_numbers(arrays, prefix + "validation", validation_->state());
  put_numbers(arrays, prefix + "test", test_->state());
  const auto put_rows = [&](const std::string& name, const Rows& rows) {
    const std::string place = prefix + name + "/";
    put_numbers(arrays, place + "steps", {rows.steps.begin(), rows.steps.end()});
    // Whole numbers of 64 bits, as two doubles each.
    std::vector<double> times;
    for (const std::int64_t time : rows.times) {
      const std::int64_t high = time >> 32;
      append(times, std::vector{static_cast<double>(high),
                                static_cast<double>(time - (high << 32))});
    }
    put_numbers(arrays, place + "times", times);
    put_numbers(arrays, place + "features", rows.features);
    put_numbers(arrays, place + "targets", rows.targets);
    put_numbers(arrays, place + "baseline", rows.baseline);
  };
  if (reconstruction_) reconstruction_->add_state(prefix + "reconstruction/", arrays);
  put_rows("sums", sums_);
  put_rows("kept", kept_);
  Rows pending;
  for (const Rows& row : not_known_) {
    pending.steps.push_back(row.steps.front());
    append(pending.features, row.features);
    append(pending.targets, row.targets);
  }
  put_rows("not_known", pending);
}

void Readout::set_state(const ArrayMap& arrays, std::int64_t step) {
  const std::string prefix = "readouts/" + config_.name + "/";
  if (reconstruction_) reconstruction_->set_state(prefix + "reconstruction/", arrays, step);
  const auto take = [&](const std::string& name) { return numbers_of(arrays, prefix + name); };
  model_->set_state(take("model"));
  const std::vector<double> held =
      numbers_of(arrays, prefix + "held", static_cast<std::size_t>(features_));
  auto from = held.begin();
  for (std::vector<double>& level : held_) {
    std::copy_n(from, level.size(), level.begin());
    from += static_cast<std::ptrdiff_t>(level.size());
  }
  const std::vector<double> counts = numbers_of(arrays, prefix + "counts", 2);
  added_ = static_cast<std::int64_t>(counts[0]);
  summed_ = counts[1];
  seen_classes_ = numbers_of(arrays, prefix + "seen_classes", seen_classes_.size());
  validation_->set_state(take("validation"));
  test_->set_state(take("test"));
  const auto take_rows = [&](const std::string& name) {
    Rows rows;
    for (const double step : take(name + "/steps")) {
      rows.steps.push_back(static_cast<std::int64_t>(step));
    }
    const std::vector<double> times = take(name + "/times");
    for (std::size_t i = 0; i + 1 < times.size(); i += 2) {
      rows.times.push_back((static_cast<std::int64_t>(times[i]) << 32) +
                           static_cast<std::int64_t>(times[i + 1]));
    }
    rows.features = take(name + "/features");
    rows.targets = take(name + "/targets");
    rows.baseline = take(name + "/baseline");
    return rows;
  };
  sums_ = take_rows("sums");
  kept_ = take_rows("kept");
  const Rows pending = take_rows("not_known");
  const auto count = static_cast<std::size_t>(pending.count());
  if (pending.features.size() != count * static_cast<std::size_t>(features_) ||
      pending.targets.size() != count * static_cast<std::size_t>(targets_)) {
    throw ShapeError("[Readout] a state of another size");
  }
  not_known_.clear();
  for (std::int64_t row = 0; row < pending.count(); ++row) {
    const auto features = rows_of(pending.features, row, row + 1, features_);
    const auto targets = rows_of(pending.targets, row, row + 1, targets_);
    not_known_.push_back({0,
                          {pending.steps[static_cast<std::size_t>(row)]},
                          {},
                          {features.begin(), features.end()},
                          {targets.begin(), targets.end()},
                          {}});
  }
}

}  // namespace gaia
