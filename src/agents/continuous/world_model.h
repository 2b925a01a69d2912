// SPDX-License-Identifier: MIT
/// \file
/// What comes after an observation and an action, learnt from transitions by an ensemble.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "../../array/array_map.h"
#include "../../core/random.h"
#include "../../learning/optimisers.h"
#include "gaussian_ensemble.h"
#include "moments.h"
#include "replay.h"

namespace gaia::agents {

struct WorldModelOptions {
  std::int64_t members = 5;
  std::vector<std::int64_t> hidden = {64, 64};  ///< Units of each hidden layer.
  double mask_probability = 0.8;  ///< Probability that a member learns from a transition.
  std::int64_t batch = 128;       ///< Transitions of a step of training, for each member its own.
  AdamWRule optimiser = {.learning_rate = 1e-3, .weight_decay = 1e-4};
  double max_gradient_norm = 1.0;
  /// Observations that the model does not read, such as the reward of the last step.  Of these it
  /// predicts the next value, and of the others the change.
  std::vector<std::int64_t> unread = {};
  /// Standard deviation of noise that observations are taken to have beside what members expect,
  /// relative to that of the changes.  Without it, members that know a world without noise ever
  /// better would still disagree by as much as they expect noise, and never be done with learning.
  double noise = 0.05;
  DType dtype = DType::float32;
};

/// Reads observation and action, and predicts the change of the observation, both normalised by
/// their moments at the last training.
class WorldModel {
 public:
  /// \throws ArgumentError for options out of their range.
  WorldModel(std::int64_t observation_size, std::int64_t action_size,
             const WorldModelOptions& options, RandomStream random);
  WorldModel(const WorldModel&) = delete;
  WorldModel& operator=(const WorldModel&) = delete;

  /// Counts a transition for the moments, of which the next training takes notice.
  void observe(std::span<const double> before, std::span<const double> action,
               std::span<const double> after);

  struct Training {
    std::vector<double> losses;  ///< Loss of each step, in nats.
    double gradient_norm = 0.0;  ///< The largest before clipping.
  };
  /// Takes the moments of all that was observed, then so many steps of gradient descent.
  Training train(const Replay& replay, std::int64_t steps);

  struct Prediction {
    Array mean;          ///< Mean of the next observation by each member: [E, N, D].
    Array log_variance;  ///< [E, N, D]
  };
  /// observations [N, D], actions [N, A].  Records nothing.
  Prediction predict(const Array& observations, const Array& actions) const;

  struct Rollout {
    Array means;          ///< [E, steps, N, D]
    Array log_variances;  ///< [E, steps, N, D]
  };
  /// From one observation [D] by N sequences of actions [steps, N, A].  After each step the next
  /// observation is the mean over members, and all are asked there.  Elements of one dimension lie
  /// side by side in memory.
  Rollout roll_out(std::span<const double> observation, const Array& actions) const;

  const GaussianEnsemble& ensemble() const { return *ensemble_; }
  /// The observations that it reads, before the actions.
  const std::vector<std::int64_t>& read() const { return read_; }
  /// By which inputs and changes are normalised: those of the last training.
  const RunningMoments& read_moments() const { return used_inputs_; }
  const RunningMoments& change_moments() const { return used_targets_; }
  std::int64_t observation_size() const { return observation_size_; }
  std::int64_t action_size() const { return action_size_; }
  DType dtype() const { return options_.dtype; }

  ArrayMap state() const;
  /// \throws ArgumentError or ShapeError unless it is the state of such a model.
  void set_state(const ArrayMap& state);

 private:
  void use_moments();
  Array input_from(const Array& observations, const Array& actions) const;
  std::vector<double> input_of(std::span<const double> before,
                               std::span<const double> action) const;
  std::vector<double> target_of(std::span<const double> before,
                                std::span<const double> after) const;

  std::int64_t observation_size_, action_size_;
  WorldModelOptions options_;
  RandomStream batches_;
  std::uint64_t draws_ = 0;
  std::vector<std::int64_t> read_;  ///< Observations that it reads.
  std::vector<double> keeps_;       ///< 1 where the change is predicted, 0 where the value is.
  std::unique_ptr<GaussianEnsemble> ensemble_;
  std::unique_ptr<Optimiser> optimiser_;
  RunningMoments inputs_, targets_;            ///< Moments of all that was observed.
  RunningMoments used_inputs_, used_targets_;  ///< Those at the last training.
  // The same on the device, of the dtype: rows.
  Array input_mean_, input_scale_, target_mean_, target_scale_, target_shift_, noise_, kept_;
};

}  // namespace gaia::agents
