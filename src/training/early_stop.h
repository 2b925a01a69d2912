// SPDX-License-Identifier: MIT
/// \file
/// Ends a training when a loss no longer falls, and goes back to where it was least.
#pragma once

#include <cstdint>
#include <limits>

#include "../layers/network/module.h"

namespace gaia {

/// Ends training when the validation loss (without validation: the loss) no longer falls.
struct EarlyStop {
  std::int64_t patience = 5;    ///< Epochs without progress that pass before.
  double least_progress = 0.0;  ///< By how much a loss must be below the best one.
  bool restore_best = true;     ///< Go back to the parameters and buffers of the best epoch.
};

/// What EarlyStop decides by: the best loss so far, when that was, and the network as it was then
/// (Prechelt 1998, Neural Networks 11, 761-767).  A training that is cut takes its state along and
/// ends where it would have ended.
class EarlyStopper {
 public:
  /// \throws ArgumentError for a patience or a progress below 0.
  explicit EarlyStopper(const EarlyStop& options = {});

  /// Takes the loss that the network has after an epoch.  A loss that is NaN is no progress.
  /// \return is_over().
  bool observe(double loss, std::int64_t epoch, const Module& net);

  /// Whether more epochs than its patience have passed without progress.
  bool is_over() const { return idle_epochs_ > options_.patience; }
  /// The epoch of the least loss; -1 before there is one.
  std::int64_t best_epoch() const { return best_epoch_; }

  /// Gives the network the parameters and buffers of the best epoch, with restore_best.
  void restore(Module& net) const;

  /// Everything that it remembers.
  ArrayMap state() const;
  /// \throws ArgumentError for what is no such state.
  void set_state(const ArrayMap& state);

 private:
  EarlyStop options_;
  double best_loss_ = std::numeric_limits<double>::infinity();
  std::int64_t best_epoch_ = -1;
  std::int64_t idle_epochs_ = 0;
  ArrayMap best_;  // state of the network; empty without restore_best
};

}  // namespace gaia
