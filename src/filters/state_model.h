// SPDX-License-Identifier: MIT
/// \file
/// A model of a hidden state with its noise, linear or written as text, for filters that evaluate
/// it at points.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "extended_kalman_filter.h"
#include "linear_model.h"
#include "text_model.h"

namespace gaia {

/// x <- f(x, t) + N(0, Q), y = h(x, t) + N(0, R); t is the index of the tick in its trial, from 0.
class StateModel {
 public:
  /// f(x, t) = A x and h(x, t) = H x.
  StateModel(LinearModel linear);
  /// A model of texts; `function` is who complains.  \throws as TextModel and noise_of.
  StateModel(const std::string& function, const NonlinearModelOptions& options);

  std::int64_t states() const { return linear_.states; }
  std::int64_t observed() const { return linear_.observed; }
  std::span<const double> Q() const { return linear_.Q; }    ///< [states, states]
  std::span<const double> R() const { return linear_.R; }    ///< [observed, observed]
  std::span<const double> P0() const { return linear_.P0; }  ///< [states, states]
  /// The texts; null of a linear model.
  const TextModel* text() const { return text_.get(); }

  /// Replaces x [states] by f(x, t).
  void step(std::span<double> x, double t) const;
  /// Writes h(x, t) to y [observed].
  void observe(std::span<const double> x, double t, std::span<double> y) const;

 private:
  LinearModel linear_;                     // without A and H where there is a text
  std::shared_ptr<const TextModel> text_;  // never changes, so that copies share it
};

}  // namespace gaia
