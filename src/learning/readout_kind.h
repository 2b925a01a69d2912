// SPDX-License-Identifier: MIT
/// \file
/// Kinds of readouts: what learns targets from features that come in blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "../core/kinds.h"

namespace gaia {

/// What a readout has learnt: a prediction is weights . x + intercept.
struct ReadoutSolution {
  std::vector<double> weights = {};  ///< One for each feature.
  double intercept = 0.0;
  double target_mean = 0.0;  ///< Of the targets that were trained on.
};

/// What stands behind one readout.
class ReadoutModel {
 public:
  virtual ~ReadoutModel() = default;

  /// Takes targets [rows] and their features [rows, features], row by row.
  /// \throws ShapeError if their lengths do not fit.
  virtual void add(std::span<const double> features, std::span<const double> targets) = 0;

  /// Ends the training.
  virtual void solve() = 0;
  virtual bool is_solved() const = 0;

  /// For features [rows, features].
  virtual std::vector<double> predict(std::span<const double> features) const = 0;

  virtual ReadoutSolution solution() const = 0;
  /// Takes over what another has found.  \throws ShapeError unless there is a weight for each
  /// feature.
  virtual void set_solution(const ReadoutSolution& solution) = 0;

  /// Everything that it has taken and found, as numbers in one list, from which another for as many
  /// features goes on bit for bit.
  virtual std::vector<double> state() const = 0;
  /// \throws ShapeError for a list of another length.
  virtual void set_state(std::span<const double> state) = 0;
};

/// A kind of readout: options with `name`, `keys(ConfigVisitor&)` and `make(features)`.  The list
/// is in readout_kind.cpp.
class ReadoutKind : public KindBase<ReadoutKind> {
 public:
  virtual std::unique_ptr<ReadoutModel> make(std::int64_t features) const = 0;

  template <class Options>
  class Of;
  static KindList<ReadoutKind>& list();
};

template <class Options>
class ReadoutKind::Of final : public KindOf<ReadoutKind, Options> {
 public:
  std::unique_ptr<ReadoutModel> make(std::int64_t features) const override {
    return this->options.make(features);
  }
};

}  // namespace gaia
