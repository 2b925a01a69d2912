// SPDX-License-Identifier: MIT
#include "early_stop.h"

#include <string>
#include <vector>

#include "../array/create.h"
#include "../core/message.h"

namespace gaia {
namespace {

constexpr const char* kSoFar = "so_far";
const std::string kBest = "best/";

}  // namespace

EarlyStopper::EarlyStopper(const EarlyStop& options) : options_(options) {
  if (options.patience < 0) {
    fail<ArgumentError>("[early_stop] patience: expected at least 0, got {}", options.patience);
  }
  if (!(options.least_progress >= 0.0)) {
    fail<ArgumentError>("[early_stop] least_progress: expected at least 0, got {}",
                        options.least_progress);
  }
}

bool EarlyStopper::observe(double loss, std::int64_t epoch, const Module& net) {
  if (loss < best_loss_ - options_.least_progress) {
    best_loss_ = loss;
    best_epoch_ = epoch;
    idle_epochs_ = 0;
    if (options_.restore_best) {
      best_.clear();
      for (const auto& [name, value] : net.state()) best_.emplace(name, value.copy());
    }
  } else {
    ++idle_epochs_;
  }
  return is_over();
}

void EarlyStopper::restore(Module& net) const {
  if (!best_.empty()) net.set_state(best_);
}

ArrayMap EarlyStopper::state() const {
  ArrayMap state;
  const GPUContext on_host(Device::cpu());
  const std::vector<double> so_far = {best_loss_, static_cast<double>(best_epoch_),
                                      static_cast<double>(idle_epochs_)};
  state.emplace(kSoFar, from_values(so_far, {3}));
  for (const auto& [name, value] : best_) state.emplace(kBest + name, value);
  return state;
}

void EarlyStopper::set_state(const ArrayMap& state) {
  const auto so_far = state.find(kSoFar);
  if (so_far == state.end() || so_far->second.size() != 3) {
    throw ArgumentError("[early_stop] expected a state with 3 numbers so_far");
  }
  const std::vector<double> numbers = so_far->second.to_vector<double>();
  best_loss_ = numbers[0];
  best_epoch_ = static_cast<std::int64_t>(numbers[1]);
  idle_epochs_ = static_cast<std::int64_t>(numbers[2]);
  best_.clear();
  for (const auto& [name, value] : state) {
    if (name.rfind(kBest, 0) == 0) best_.emplace(name.substr(kBest.size()), value.copy());
  }
}

}  // namespace gaia
