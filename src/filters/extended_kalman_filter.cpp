// SPDX-License-Identifier: MIT
#include "extended_kalman_filter.h"

#include "../core/message.h"

namespace gaia {

LinearModel noise_of(const std::string& function, const NonlinearModelOptions& options,
                     const TextModel& text) {
  LinearModel model;
  model.states = text.states();
  model.observed = text.observed();
  require(model.states <= kMostFilterStates, "[{}] state: expected 1 to {} states, got {}",
          function, kMostFilterStates, model.states);
  model.Q = covariance_of(function, "Q", options.Q, model.states);
  model.R = covariance_of(function, "R", options.R, model.observed);
  model.P0 = covariance_of(function, "P0", options.P0, model.states);
  return model;
}

ExtendedKalmanFilter::ExtendedKalmanFilter(const ExtendedKalmanOptions& options,
                                           std::int64_t streams)
    : KalmanFilter(noise_of("extended_kalman", options.model, TextModel(options.model.text)),
                   options.form, options.adapt, options.forgetting, streams),
      text_(options.model.text) {}

std::unique_ptr<StateFilter> ExtendedKalmanFilter::clone() const {
  return std::make_unique<ExtendedKalmanFilter>(*this);
}

void ExtendedKalmanFilter::begin() {
  KalmanFilter::begin();
  ticks_ = 0;
}

void ExtendedKalmanFilter::predict() {
  ++ticks_;
  KalmanFilter::predict();
}

void ExtendedKalmanFilter::go_on(std::span<double> mean, std::span<double> jacobian) const {
  text_.step(mean, static_cast<double>(ticks_ - 1), jacobian);
}

void ExtendedKalmanFilter::expect(std::span<const double> mean, std::span<double> expected,
                                  std::span<double> jacobian) const {
  text_.observe(mean, static_cast<double>(ticks_ - 1), expected, jacobian);
}

std::vector<double> ExtendedKalmanFilter::carried() const {
  const std::vector<double> linear = KalmanFilter::carried();
  const std::size_t each = linear.size() / static_cast<std::size_t>(streams());
  std::vector<double> numbers;
  for (std::size_t s = 0; s < static_cast<std::size_t>(streams()); ++s) {
    const auto piece = std::span(linear).subspan(s * each, each);
    numbers.insert(numbers.end(), piece.begin(), piece.end());
    numbers.push_back(static_cast<double>(ticks_));
  }
  return numbers;
}

void ExtendedKalmanFilter::set_carried(std::span<const double> numbers) {
  const auto each = static_cast<std::size_t>(states() + states() * states());
  require<ShapeError>(numbers.size() == (each + 1) * static_cast<std::size_t>(streams()),
                      "[extended_kalman] expected {} numbers for each of {} streams, got {} in all",
                      each + 1, streams(), numbers.size());
  std::vector<double> linear;
  for (std::size_t s = 0; s < static_cast<std::size_t>(streams()); ++s) {
    const auto piece = numbers.subspan(s * (each + 1), each);
    linear.insert(linear.end(), piece.begin(), piece.end());
  }
  KalmanFilter::set_carried(linear);
  ticks_ = static_cast<std::int64_t>(numbers[each]);
}

}  // namespace gaia
