// SPDX-License-Identifier: MIT
#include "neuron_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../array/ops.h"
#include "../../array/reductions.h"
#include "../../io/checkpoint_file.h"

namespace gaia {
namespace {

constexpr std::int64_t kLeastTicks = 8;
constexpr double kSilentShare = 1e-6;    // share of the level's mean |y|
constexpr double kConstantShare = 1e-9;  // share of the neuron's largest |y|
constexpr double kSparseShare = 0.5;     // share of the others' answers that are 0

}  // namespace

std::string neurons_text(const std::vector<std::int64_t>& neurons) {
  constexpr std::size_t most = 8;
  std::string text = neurons.size() == 1 ? "neuron" : "neurons";
  const std::size_t told = std::min(most, neurons.size());
  for (std::size_t i = 0; i < told; ++i) {
    const bool is_last = i + 1 == neurons.size();
    text += (i == 0 ? " " : is_last ? " and " : ", ") + std::to_string(neurons[i]);
  }
  if (neurons.size() > told) text += fmt::format(" and {} more", neurons.size() - told);
  return text;
}

std::vector<std::string> NeuronAnswers::sentences() const {
  std::vector<std::string> found;
  const auto tell = [&](const std::vector<std::int64_t>& which, const char* what) {
    if (which.empty()) return;
    found.push_back(fmt::format("level {}: {} of {} neurons {} ({})", level, which.size(), neurons,
                                what, neurons_text(which)));
  };
  tell(silent, "never answer in the last epoch: dead units");
  tell(always, "answer at every tick of the last epoch, while others mostly do not");
  tell(constant, "give the same answer at every tick of the last epoch");
  for (const Unmoved& one : unmoved) {
    found.push_back(fmt::format(
        "level {}, layer {}: {} of {} neurons have learnt nothing, their weights are those of the "
        "beginning ({})",
        level, one.layer, one.which.size(), one.neurons, neurons_text(one.which)));
  }
  if (has_stood_still) {
    found.push_back(fmt::format(
        "level {}: no weight has changed, so nothing was learnt; look at its learning_rate and at "
        "what it reads",
        level));
  }
  return found;
}

void AnswerCounts::add(const Array& ticks) {
  if (ticks.size() == 0) return;
  const std::vector<double> least = min(ticks, {0, 1}).to_vector<double>();
  const std::vector<double> largest = max(ticks, {0, 1}).to_vector<double>();
  const std::vector<double> answered = count_nonzero(ticks, {0, 1}).to_vector<double>();
  if (answers_ == 0) {
    least_ = least;
    largest_ = largest;
    answered_.assign(least.size(), 0.0);
  }
  for (std::size_t i = 0; i < least.size(); ++i) {
    least_[i] = std::min(least_[i], least[i]);
    largest_[i] = std::max(largest_[i], largest[i]);
    answered_[i] += answered[i];
  }
  answers_ += ticks.shape(0) * ticks.shape(1);
  activity_ += norm(ticks, {}, false, 1.0).item();
}

NeuronAnswers AnswerCounts::answers() const {
  NeuronAnswers found;
  found.neurons = std::ssize(least_);
  if (answers_ < kLeastTicks) return found;
  const auto ticks = static_cast<double>(answers_);
  const double mean = activity_ / (ticks * static_cast<double>(found.neurons));
  double all_answered = 0.0;
  for (const double one : answered_) all_answered += one;
  for (std::size_t i = 0; i < least_.size(); ++i) {
    const auto neuron = static_cast<std::int64_t>(i);
    const double size = std::max(std::abs(least_[i]), std::abs(largest_[i]));
    const double of_others =
        (all_answered - answered_[i]) / (ticks * static_cast<double>(found.neurons - 1));
    if (size <= kSilentShare * mean) {
      found.silent.push_back(neuron);
    } else if (answered_[i] == ticks && of_others <= 1.0 - kSparseShare) {
      found.always.push_back(neuron);
    } else if (largest_[i] - least_[i] <= kConstantShare * size) {
      found.constant.push_back(neuron);
    }
  }
  return found;
}

void AnswerCounts::add_state(ArrayMap& arrays, const std::string& prefix) const {
  if (answers_ == 0) return;
  put_numbers(arrays, prefix + "sums", {static_cast<double>(answers_), activity_});
  put_numbers(arrays, prefix + "least", least_);
  put_numbers(arrays, prefix + "largest", largest_);
  put_numbers(arrays, prefix + "answered", answered_);
}

void AnswerCounts::set_state(const ArrayMap& arrays, const std::string& prefix) {
  *this = {};
  if (arrays.count(prefix + "sums") == 0) return;
  const std::vector<double> sums = numbers_of(arrays, prefix + "sums", 2);
  answers_ = static_cast<std::int64_t>(sums[0]);
  activity_ = sums[1];
  least_ = numbers_of(arrays, prefix + "least");
  largest_ = numbers_of(arrays, prefix + "largest", least_.size());
  answered_ = numbers_of(arrays, prefix + "answered", least_.size());
}

}  // namespace gaia
