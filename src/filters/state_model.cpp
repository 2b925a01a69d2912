// SPDX-License-Identifier: MIT
#include "state_model.h"

#include <utility>

#include "matrices.hpp"

namespace gaia {

StateModel::StateModel(LinearModel linear) : linear_(std::move(linear)) {}

StateModel::StateModel(const std::string& function, const NonlinearModelOptions& options)
    : text_(std::make_shared<const TextModel>(options.text)) {
  linear_ = noise_of(function, options, *text_);
}

void StateModel::step(std::span<double> x, double t) const {
  if (text_) return text_->step(x, t);
  VectorMap state(x.data(), states());
  state = (ConstMatrixMap(linear_.A.data(), states(), states()) * state).eval();
}

void StateModel::observe(std::span<const double> x, double t, std::span<double> y) const {
  if (text_) return text_->observe(x, t, y);
  VectorMap(y.data(), observed()) =
      ConstMatrixMap(linear_.H.data(), observed(), states()) * ConstVectorMap(x.data(), states());
}

}  // namespace gaia
