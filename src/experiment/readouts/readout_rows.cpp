// SPDX-License-Identifier: MIT
// A readout's model over rows: trained on some, asked about the others, and scored by what it says.
#include <algorithm>
#include <cmath>
#include <utility>

#include "../../learning/online_readout.h"
#include "readout.h"

namespace gaia {

std::span<const double> Readout::read_by_model(const ReadoutRows& rows, std::int64_t begin,
                                               std::int64_t end, std::vector<double>& room) const {
  if (!config_.target.change || config_.kind->fuses()) {
    return rows_between(rows.features, begin, end, features());
  }
  room.clear();
  for (std::int64_t row = begin; row < end; ++row) {
    const auto read_there = rows_between(rows.features, row, row + 1, features());
    const auto now = rows_between(rows.baseline, row, row + 1, reader_.targets());
    room.insert(room.end(), read_there.begin(), read_there.end());
    room.insert(room.end(), now.begin(), now.end());
  }
  return room;
}

void Readout::train(ReadoutModel& model, const ReadoutRows& rows, std::int64_t begin,
                    std::int64_t end) {
  std::vector<double> room;
  const auto add_between = [&](std::int64_t from, std::int64_t to,
                               std::span<const double> targets) {
    if (to > from) model.add(read_by_model(rows, from, to, room), targets);
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
  std::vector<double> room;
  return {model.predict(read_by_model(rows, begin, end, room)),
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
    const auto most_frequent = std::max_element(means.begin(), means.end()) - means.begin();
    const std::vector<double> majority = {static_cast<double>(most_frequent)};
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

}  // namespace gaia
