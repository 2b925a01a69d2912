// SPDX-License-Identifier: MIT
#include "input_watch.h"

#include <algorithm>
#include <span>

#include "../../io/checkpoint_file.h"
#include "../config/yaml.h"
#include "../setup/training_part.h"

namespace gaia {
namespace {

constexpr std::size_t kNumbersOfLeft = 5;
constexpr const char* kRangeState = "inputs/range";
constexpr const char* kLeftState = "inputs/left";

}  // namespace

bool scales_by_range(const StoredRun& run) {
  const std::string text = run.contents.root().text("config").value_or("");
  Problems problems("config", text);
  const YamlNode root = parse_yaml(text, problems);
  const YamlNode* const data = root.find("data");
  const YamlNode* const normalize = data == nullptr ? nullptr : data->find("normalize");
  return normalize != nullptr && normalize->text == "minmax";
}

InputWatch::InputWatch(const Experiment& experiment) {
  const DataConfig& data = experiment.config.data;
  if (!experiment.series) return;
  bool is_range = data.normalize == Normalize::minmax;
  if (data.normalize == Normalize::stored) {
    is_range = experiment.from && scales_by_range(*experiment.from);
  } else if (data.is_measured() && !data.measured.empty()) {
    const TrainingPart part = training_part(experiment);
    if (part.is_whole() || part.steps().empty()) return;
    from_ = part.steps().back().end;
  } else {
    return;
  }
  const std::vector<std::string> names = experiment.series->channel_names();
  channels_ = names.size();
  range_.emplace(names, is_range);
}

void InputWatch::tell(const InputLeft& left) {
  left_.push_back(left);
  told_.push_back(range_->text(left));
}

void InputWatch::read(const SampleReader& samples, std::int64_t first, std::int64_t count,
                      bool begins_trial) {
  if (!range_) return;
  if (begins_trial) range_->begin_trial();
  const std::int64_t begin = std::max(first, from_);
  const std::int64_t end = first + count;
  if (begin >= end) return;
  const std::span<const double> rows = samples.newest_rows(begin, end - begin);
  for (std::int64_t step = begin; step < end; ++step) {
    const auto row = rows.subspan(static_cast<std::size_t>(step - begin) * channels_, channels_);
    for (const InputLeft& left : range_->read(step, row)) tell(left);
  }
}

void InputWatch::add_state(ArrayMap& arrays) const {
  if (!range_) return;
  put_numbers(arrays, kRangeState, range_->state());
  std::vector<double> numbers;
  for (const InputLeft& one : left_) {
    numbers.insert(numbers.end(), {static_cast<double>(one.channel), static_cast<double>(one.step),
                                   one.mean, one.distance, one.limit});
  }
  put_numbers(arrays, kLeftState, numbers);
}

void InputWatch::set_state(const ArrayMap& arrays) {
  if (!range_ || arrays.find(kRangeState) == arrays.end()) return;
  range_->set_state(numbers_of(arrays, kRangeState));
  left_.clear();
  told_.clear();
  const std::vector<double> numbers = numbers_of(arrays, kLeftState);
  for (std::size_t i = 0; i + kNumbersOfLeft <= numbers.size(); i += kNumbersOfLeft) {
    const InputLeft left{static_cast<std::size_t>(numbers[i]),
                         static_cast<std::int64_t>(numbers[i + 1]), numbers[i + 2], numbers[i + 3],
                         numbers[i + 4]};
    if (left.channel < channels_) tell(left);
  }
}

}  // namespace gaia
