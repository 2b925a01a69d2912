// SPDX-License-Identifier: MIT
// The state of a readout in a checkpoint.
#include <string>

#include "../../io/checkpoint_file.h"
#include "readout.h"

namespace gaia {

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
