// SPDX-License-Identifier: MIT
#include "live_readout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../../core/error.h"
#include "../../core/text.h"
#include "../../io/checkpoint_file.h"
#include "../../learning/change_readout.h"
#include "../../learning/detection_readout.h"
#include "../../learning/online_readout.h"
#include "../readouts/feature_row.h"
#include "stream_state.h"

namespace gaia {
namespace {

constexpr double kUntold = std::numeric_limits<double>::quiet_NaN();

/// Number of the most probable class; NaN where no class has a probability.
double likeliest(std::span<const double> probabilities) {
  const auto most = std::max_element(probabilities.begin(), probabilities.end());
  if (most == probabilities.end() || *most == 0.0) return kUntold;
  return static_cast<double>(most - probabilities.begin());
}

/// Ticks of a readout, of a consensus those that all that it fuses have.
TickOptions live_ticks(const LivePlan& plan, const ReadoutConfig& readout) {
  if (readout.fused.empty()) return tick_options(readout, plan.config);
  std::vector<TickOptions> all;
  for (const std::int64_t index : readout.fused) {
    all.push_back(tick_options(plan.config.readouts[static_cast<std::size_t>(index)], plan.config));
  }
  const std::optional<TickOptions> common = common_tick_options(all);
  if (!common) throw DataError(plan.result + ": a consensus of readouts that never tick together");
  return *common;
}

}  // namespace

std::string model_state_path(const std::string& readout) {
  return "/readouts/" + readout + "/model";
}

std::string why_not_live(const LivePlan& plan, const ReadoutConfig& readout, bool learn) {
  if (readout.kind->is_stored()) return {};
  const hdf5::Contents& contents = plan.run->contents;
  if (contents.dataset(model_state_path(readout.name)) == nullptr) {
    return fmt::format(
        "'{}' is of type {}, and the run of {} did not store what it goes on from; run it again, "
        "or "
        "name other outputs",
        readout.name, readout.kind->name(), printable(plan.result));
  }
  if (learn && readout.kind->is_online() && readout.target.per_trial) {
    return fmt::format(
        "'{}' learns online from one prediction a trial (target.per: trial), whose target is there "
        "only when the trial is over; stream it without learning, or name other outputs",
        readout.name);
  }
  return {};
}

RowRing::RowRing(std::int64_t rows, std::int64_t width)
    : rows_(rows), width_(width), values_(static_cast<std::size_t>(rows * width), kUntold) {}

std::span<double> RowRing::begin(std::int64_t row) {
  // Rows that were left out, where a trial began, are not known.
  for (std::int64_t one = std::max(next_, row - rows_ + 1); one <= row; ++one) {
    std::fill_n(values_.begin() + one % rows_ * width_, width_, kUntold);
  }
  next_ = row + 1;
  return at(row);
}

std::span<double> RowRing::at(std::int64_t row) {
  if (!has(row)) return {};
  return std::span(values_).subspan(static_cast<std::size_t>(row % rows_ * width_),
                                    static_cast<std::size_t>(width_));
}

double RowRing::mean(std::int64_t last, std::int64_t count, std::int64_t which) const {
  double sum = 0.0;
  for (std::int64_t row = last - count + 1; row <= last; ++row) {
    if (!has(row)) return kUntold;
    sum += values_[static_cast<std::size_t>(row % rows_ * width_ + which)];
  }
  return sum / static_cast<double>(count);
}

std::vector<double> RowRing::state() const {
  std::vector<double> state;
  state.reserve(values_.size() + 1);
  for (std::int64_t row = next_ - rows_; row < next_; ++row) {
    const std::int64_t place = (row % rows_ + rows_) % rows_;
    const auto from = values_.begin() + place * width_;
    state.insert(state.end(), from, from + width_);
  }
  state.push_back(static_cast<double>(next_));
  return state;
}

void RowRing::set_state(const std::vector<double>& state) {
  if (state.size() != values_.size() + 1) {
    throw ShapeError(fmt::format("[stream] expected {} numbers of past rows, got {}",
                                 values_.size() + 1, state.size()));
  }
  next_ = count_in_state(state.back());
  auto from = state.begin();
  for (std::int64_t row = next_ - rows_; row < next_; ++row, from += width_) {
    const std::int64_t place = (row % rows_ + rows_) % rows_;
    std::copy_n(from, width_, values_.begin() + place * width_);
  }
}

LiveReadout::LiveReadout(const LivePlan& plan, std::size_t index, const HierarchyManager& hierarchy,
                         const ReadoutSolution& solution, const std::vector<double>& state,
                         bool learn, std::int64_t late)
    : config_(plan.config.readouts[index]), ticks_(live_ticks(plan, config_)), late_(late) {
  const ReadoutTask task = config_.task();
  const auto* const online = config_.kind.get_if<OnlineReadoutOptions>();
  learns_ = learn && online != nullptr && online->goes_on &&
            config_.target.of != ReadoutTarget::Of::latent;
  for (const std::int64_t one : config_.fused) {
    readouts_.push_back(plan.config.readouts[static_cast<std::size_t>(one)].name);
  }
  if (config_.kind->reads_reconstructions()) {
    reconstruction_.emplace(config_.levels);
    errors_.resize(config_.levels.size());
    features_ = std::ssize(config_.levels);
  } else if (config_.kind->fuses()) {
    features_ = std::ssize(config_.fused) * targets();
  } else {
    for (const std::int64_t level : config_.levels) {
      features_ += hierarchy.levels()[static_cast<std::size_t>(level)].output_size();
    }
  }
  if (!config_.kind->fuses()) features_ += config_.features.beside();
  const auto* const watch = config_.kind.get_if<DetectionOptions>();
  if (watch != nullptr) learns_ = false;  // it has no target, and watches anyway
  if (task == ReadoutTask::anomaly || (watch != nullptr && config_.levels.empty())) {
    channels_ = std::ssize(plan.channels);
    features_ += channels_;
  }
  classes_ = solution.classes;
  predicted_ = task == ReadoutTask::classes      ? std::ssize(classes_)
               : task == ReadoutTask::regression ? targets()
               : watch != nullptr                ? watch->series(features_)
                                                 : 1;
  const ReadoutSizes sizes{.features = features_,
                           .targets = task == ReadoutTask::anomaly ? channels_ : predicted_,
                           .intercept = !config_.features.bias};
  model_ = config_.kind->make(sizes);
  const bool changes = config_.target.change && !config_.kind->fuses();
  if (changes) model_ = std::make_unique<ChangeReadout>(std::move(model_), sizes);
  try {
    if (config_.learn) {
      model_->set_state(state);
      model_->begin_trial();
    } else {
      model_->set_solution(solution);
    }
  } catch (const Error& error) {
    throw DataError(fmt::format("{}: readout '{}' cannot be taken over: {}", printable(plan.result),
                                config_.name, error.what()));
  }
  values_.assign(fields().size(), kUntold);
  if (config_.target.per_trial) sums_.resize(static_cast<std::size_t>(features_));
  if (changes) now_.emplace(config_.target.mean_over, targets());
  read_.reserve(width());
  if (learns_) truth_.emplace(late + config_.target.mean_over + 1, targets());
}

std::int64_t LiveReadout::targets() const {
  return std::max<std::int64_t>(1, std::ssize(config_.target.names));
}

std::vector<StreamField> LiveReadout::fields() const {
  const std::string& name = config_.name;
  std::vector<StreamField> fields;
  const auto of_targets = [&](const std::string& prefix) {
    if (predicted_ == 1) return fields.push_back({prefix});
    for (const std::string& target : config_.target.names) {
      fields.push_back({prefix + "." + target});
    }
  };
  switch (config_.task()) {
    case ReadoutTask::classes:
      fields.push_back({name, classes_});
      for (const std::string& one : classes_) fields.push_back({name + "." + one});
      break;
    case ReadoutTask::regression:
      of_targets(name);
      if (!config_.kind->fuses()) break;
      for (const std::string& one : readouts_) fields.push_back({name + ".outlier." + one});
      of_targets(name + ".variance");
      break;
    case ReadoutTask::change:
      fields.push_back({name});
      for (std::int64_t k = 0; k < predicted_ && predicted_ > 1; ++k) {
        fields.push_back({fmt::format("{}.{}", name, k)});
      }
      break;
    case ReadoutTask::anomaly:
    case ReadoutTask::matching:
    case ReadoutTask::statistic:
      fields.push_back({name});
      break;
  }
  return fields;
}

void LiveReadout::before_block(const HierarchyManager& hierarchy, const Array& x) {
  reconstruction_->before_block(hierarchy, x);
}

void LiveReadout::begin_trial(std::int64_t row) {
  std::fill(values_.begin(), values_.end(), kUntold);
  std::fill(errors_.begin(), errors_.end(), 0.0);
  std::fill(sums_.begin(), sums_.end(), 0.0);
  summed_ = 0.0;
  said_.clear();
  model_->begin_trial();
  if (reconstruction_) reconstruction_->begin_trial();
  // What would be known only behind the end of the trial never is.
  for (Waiting& one : waiting_) one.is_over = one.is_over || one.last >= row;
}

std::int64_t LiveReadout::rows_of_target(std::int64_t last, std::int64_t first_row) const {
  return std::min(config_.target.mean_over, last - first_row + 1);
}

void LiveReadout::take_targets(const LiveStep& step, std::span<const double> targets) {
  const bool of_channels = config_.target.of == ReadoutTarget::Of::channel;
  const auto put = [&](RowRing& ring, bool with_filled) {
    const std::span<double> to = ring.begin(step.row);
    for (std::size_t m = 0; m < config_.target.indices.size(); ++m) {
      const auto index = static_cast<std::size_t>(config_.target.indices[m]);
      if (of_channels) {
        const bool is_known = with_filled || step.is_missing[index] == 0;
        to[m] = is_known ? step.newest[index] : kUntold;
      } else if (index < targets.size()) {
        to[m] = targets[index];
      }
    }
  };
  if (truth_) put(*truth_, false);
  if (now_) put(*now_, true);
}

void LiveReadout::teach(std::int64_t row, std::span<const double> targets) {
  if (config_.target.of != ReadoutTarget::Of::column) return;
  for (std::optional<RowRing>* const ring : {&truth_, &now_}) {
    if (!*ring) continue;
    const std::span<double> to = (*ring)->at(row);
    for (std::size_t m = 0; m < to.size(); ++m) {
      const double target = targets[static_cast<std::size_t>(config_.target.indices[m])];
      if (!std::isnan(target)) to[m] = target;
    }
  }
}

void LiveReadout::gather(const LiveStep& step, const std::vector<LiveReadout*>& fused) {
  read_.clear();
  if (config_.kind->fuses()) {
    for (const LiveReadout* const one : fused) {
      const auto end = one->said_.begin() + one->targets();
      read_.insert(read_.end(), one->said_.begin(), end);
    }
  } else if (reconstruction_) {
    read_ = errors_;
  } else {
    for (const std::int64_t level : config_.levels) {
      const std::vector<double>& shown = (*step.shown)[static_cast<std::size_t>(level)];
      read_.insert(read_.end(), shown.begin(), shown.end());
      if (!config_.features.squares) continue;
      square_every_second(std::span(read_).last(shown.size()));
    }
  }
  if (const auto beside = static_cast<std::size_t>(config_.features.beside());
      beside > 0 && !config_.kind->fuses()) {
    read_.resize(read_.size() + beside);
    write_beside(config_.features, step.sample, std::span(read_).last(beside));
  }
  if (channels_ > 0) read_.insert(read_.end(), step.newest.begin(), step.newest.end());
  if (config_.target.per_trial) {
    summed_ += 1.0;
    for (std::size_t f = 0; f < sums_.size(); ++f) {
      sums_[f] += read_[f];
      read_[f] = sums_[f] / summed_;
    }
  }
  if (!now_) return;
  for (std::int64_t m = 0; m < targets(); ++m) {
    read_.push_back(now_->mean(step.row, rows_of_target(step.row, step.first_row), m));
  }
}

void LiveReadout::learn_what_has_come(std::int64_t row, std::vector<std::string>& warnings) {
  std::vector<double> target(static_cast<std::size_t>(targets()));
  for (Waiting& one : waiting_) {
    if (one.is_over) continue;
    if (one.last > row) break;  // so are all behind it
    for (std::size_t m = 0; m < target.size(); ++m) {
      target[m] = truth_->mean(one.last, one.count, static_cast<std::int64_t>(m));
    }
    const auto is_unknown = [](double x) { return std::isnan(x); };
    const bool is_known = std::none_of(target.begin(), target.end(), is_unknown) &&
                          std::none_of(one.read.begin(), one.read.end(), is_unknown);
    one.is_over = is_known || row - one.last > late_;
    if (!is_known) continue;
    try {
      model_->add(one.read, target);
    } catch (const ArgumentError& error) {
      warnings.push_back(fmt::format("readout {} has not learnt the target of row {}: {}",
                                     config_.name, one.last, error.what()));
    }
  }
  while (!waiting_.empty() && waiting_.front().is_over) waiting_.pop_front();
}

void LiveReadout::wait_for_target(const LiveStep& step) {
  const std::int64_t last = step.row + config_.target.horizon;
  waiting_.push_back({last, rows_of_target(last, step.first_row), false, read_});
}

void LiveReadout::read(const LiveStep& step, const std::vector<LiveReadout*>& fused,
                       std::vector<std::string>& warnings) {
  if (reconstruction_) {
    const HierarchyBlock found = reconstruction_->read(*step.block);
    for (std::size_t i = 0; i < errors_.size(); ++i) {
      const Array& error = found.levels[i].ticks;
      if (error.size() > 0) errors_[i] = error.item();
    }
  }
  if (!is_tick(step.step)) return;
  gather(step, fused);
  if (learns_) learn_what_has_come(step.row, warnings);
  said_ = model_->predict(read_);
  show(said_);
  if (learns_) wait_for_target(step);
}

void LiveReadout::show(std::span<const double> said) {
  if (config_.task() == ReadoutTask::change) {
    // Whether any of the series has changed, and which.
    const auto detected = said.first(static_cast<std::size_t>(predicted_));
    values_.front() = *std::max_element(detected.begin(), detected.end());
    if (predicted_ > 1) std::copy(detected.begin(), detected.end(), values_.begin() + 1);
  } else if (config_.task() == ReadoutTask::classes) {
    values_.front() = likeliest(said);
    std::copy(said.begin(), said.end(), values_.begin() + 1);
  } else {
    std::copy_n(said.begin(), values_.size(), values_.begin());
  }
}

void LiveReadout::add_state(ArrayMap& arrays) const {
  const std::string prefix = "readouts/" + config_.name + "/";
  put_numbers(arrays, prefix + "model", config_.learn ? model_->state() : std::vector<double>());
  put_numbers(arrays, prefix + "values", values_);
  put_numbers(arrays, prefix + "said", said_);
  put_numbers(arrays, prefix + "errors", errors_);
  put_numbers(arrays, prefix + "sums", sums_);
  put_numbers(arrays, prefix + "summed", {summed_});
  if (reconstruction_) reconstruction_->add_state(prefix + "reconstruction/", arrays);
  if (now_) put_numbers(arrays, prefix + "now", now_->state());
  if (!truth_) return;
  put_numbers(arrays, prefix + "truth", truth_->state());
  std::vector<double> waiting;
  for (const Waiting& one : waiting_) {
    waiting.push_back(static_cast<double>(one.last));
    waiting.push_back(static_cast<double>(one.count));
    waiting.push_back(one.is_over ? 1.0 : 0.0);
    waiting.insert(waiting.end(), one.read.begin(), one.read.end());
  }
  put_numbers(arrays, prefix + "waiting", waiting);
}

void LiveReadout::set_state(const ArrayMap& arrays, std::int64_t step) {
  const std::string prefix = "readouts/" + config_.name + "/";
  if (config_.learn) model_->set_state(numbers_of(arrays, prefix + "model"));
  values_ = numbers_of(arrays, prefix + "values", values_.size());
  said_ = numbers_of(arrays, prefix + "said");
  if (!said_.empty() && std::ssize(said_) < targets()) {
    throw ShapeError(fmt::format("[stream] expected {} numbers or more in {}said, got {}",
                                 targets(), prefix, said_.size()));
  }
  errors_ = numbers_of(arrays, prefix + "errors", errors_.size());
  sums_ = numbers_of(arrays, prefix + "sums", sums_.size());
  summed_ = numbers_of(arrays, prefix + "summed", 1).front();
  if (reconstruction_) reconstruction_->set_state(prefix + "reconstruction/", arrays, step);
  if (now_) now_->set_state(numbers_of(arrays, prefix + "now"));
  if (!truth_) return;
  truth_->set_state(numbers_of(arrays, prefix + "truth"));
  const std::vector<double> waiting = numbers_of(arrays, prefix + "waiting");
  const std::size_t numbers = 3 + width();
  const std::int64_t most = late_ + config_.target.horizon + 2;
  if (waiting.size() % numbers != 0 || static_cast<std::int64_t>(waiting.size() / numbers) > most) {
    throw ShapeError(
        fmt::format("[stream] expected up to {} rows of {} numbers in {}waiting, got {}"
                    " numbers",
                    most, numbers, prefix, waiting.size()));
  }
  waiting_.clear();
  for (auto from = waiting.begin(); from != waiting.end();
       from += static_cast<std::ptrdiff_t>(numbers)) {
    waiting_.push_back({count_in_state(from[0]),
                        count_in_state(from[1], 1),
                        from[2] != 0.0,
                        {from + 3, from + static_cast<std::ptrdiff_t>(numbers)}});
  }
}

}  // namespace gaia
