// SPDX-License-Identifier: MIT
#include "schedules.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../core/message.h"

namespace gaia {
namespace {

void check_length(const char* function, const char* what, std::int64_t value) {
  if (value < 1) fail<ArgumentError>("[{}] {}: expected at least 1, got {}", function, what, value);
}

void check_range(const char* function, const char* what, bool good, double value) {
  if (!good) {
    fail<ArgumentError>("[{}] {}: expected a number between 0 and 1, got {}", function, what,
                        value);
  }
}

}  // namespace

Schedule step_schedule(std::int64_t every, double factor) {
  check_length("step_schedule", "every", every);
  check_range("step_schedule", "factor", factor > 0.0 && factor <= 1.0, factor);
  return [=](std::int64_t t) { return std::pow(factor, static_cast<double>(t / every)); };
}

Schedule exponential_schedule(double factor) {
  check_range("exponential_schedule", "factor", factor > 0.0 && factor <= 1.0, factor);
  return [=](std::int64_t t) { return std::pow(factor, static_cast<double>(t)); };
}

Schedule cosine_schedule(std::int64_t length, double least) {
  check_length("cosine_schedule", "length", length);
  check_range("cosine_schedule", "least", least >= 0.0 && least <= 1.0, least);
  return [=](std::int64_t t) {
    if (t >= length) return least;
    const double phase = std::numbers::pi * static_cast<double>(t) / static_cast<double>(length);
    return least + (1.0 - least) * (1.0 + std::cos(phase)) / 2.0;
  };
}

Schedule warm_up(std::int64_t length, Schedule after) {
  check_length("warm_up", "length", length);
  return [length, after = std::move(after)](std::int64_t t) {
    if (t < length) return static_cast<double>(t + 1) / static_cast<double>(length);
    return after ? after(t - length) : 1.0;
  };
}

ReduceOnPlateau::ReduceOnPlateau(const PlateauOptions& options) : options_(options) {
  const char* name = "reduce_on_plateau";
  check_range(name, "factor", options.factor > 0.0 && options.factor < 1.0, options.factor);
  check_range(name, "threshold", options.threshold >= 0.0 && options.threshold < 1.0,
              options.threshold);
  check_range(name, "least", options.least >= 0.0 && options.least < 1.0, options.least);
  if (options.patience < 0) {
    fail<ArgumentError>("[reduce_on_plateau] patience: expected at least 0, got {}",
                        options.patience);
  }
}

double ReduceOnPlateau::observe(double loss) {
  if (loss < best_ * (1.0 - options_.threshold)) {
    best_ = loss;
    bad_ = 0;
  } else if (++bad_ > options_.patience) {
    factor_ = std::max(factor_ * options_.factor, options_.least);
    bad_ = 0;
  }
  return factor_;
}

}  // namespace gaia
