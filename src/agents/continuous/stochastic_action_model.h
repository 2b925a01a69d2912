// SPDX-License-Identifier: MIT
/// \file
/// A policy that is learnt: which action to take in a state, from what planning chose there.
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
#include "world_model.h"

namespace gaia::agents {

struct StochasticActionOptions {
  std::vector<std::int64_t> hidden = {64, 64};  ///< Units of each hidden layer.
  std::int64_t batch = 128;                     ///< Choices of a step of training.
  AdamWRule optimiser = {.learning_rate = 1e-3, .weight_decay = 1e-4};
  double max_gradient_norm = 1.0;
  std::int64_t capacity = 100'000;  ///< Choices that are kept; beyond, the oldest go.
  /// Observations that the policy does not read, such as the reward of the last step.
  std::vector<std::int64_t> unread = {};
  DType dtype = DType::float32;
};

/// A stochastic policy: a network that reads an observation s, normalised by the moments of those
/// that it was taught at its last training, and gives a normal distribution that is squashed to
/// the bounds of the actions.  With c the middle of the bounds and h half their width,
///
///     a = c + h tanh(u),  u ~ N(m(s), sigma(s)^2), independent in each dimension,
///     ln pi(a | s) = sum [ -1/2 ((u - m) / sigma)^2 - ln sigma - 1/2 ln 2 pi
///                          - ln h - ln(1 - tanh(u)^2) ],  u = artanh((a - c) / h)
///
/// It is taught by making -ln pi of the choices of another small, the mean over a batch that is
/// drawn from those kept.  The last two terms do not depend on the network, so this is the loss of
/// a GaussianEnsemble of one member whose target is u.  Planning often chooses an action at a
/// bound, where u is infinite: actions beyond 0.99 of half the width are taken to be there.
///
/// Haarnoja et al. 2018, "Soft actor-critic: off-policy maximum entropy deep reinforcement learning
/// with a stochastic actor", ICML, appendix C (the squashed normal distribution); Pomerleau 1991,
/// "Efficient training of artificial neural networks for autonomous navigation", Neural Computation
/// 3 (learning to act from what another chose).
class StochasticActionModel {
 public:
  /// \throws ArgumentError for sizes, bounds and options out of their range.
  StochasticActionModel(std::int64_t observation_size, std::vector<double> action_low,
                        std::vector<double> action_high, const StochasticActionOptions& options,
                        RandomStream random);
  StochasticActionModel(const StochasticActionModel&) = delete;
  StochasticActionModel& operator=(const StochasticActionModel&) = delete;

  /// Keeps what was chosen after an observation, of which the next training takes notice.
  /// \throws ArgumentError for other sizes and for numbers that are not finite.
  void teach(std::span<const double> observation, std::span<const double> action);

  using Training = WorldModel::Training;
  /// Takes the moments of the observations that were taught, then so many steps of gradient
  /// descent.  Losses are in nats, without what does not depend on the network.
  /// \throws ArgumentError where nothing was taught, Error for a loss that is not finite.
  Training train(std::int64_t steps);

  /// The action in the middle of the distribution, c + h tanh(m(s)).
  /// \throws ArgumentError for an observation of another size or that is not finite.
  std::vector<double> get_action(std::span<const double> observation) const;
  /// An action drawn from the distribution; each call draws other numbers.
  std::vector<double> sample(std::span<const double> observation);

  struct Prediction {
    Array mean;       ///< Mean m of u, [N, A].
    Array deviation;  ///< Deviation sigma of u, [N, A].
  };
  /// observations [N, D]; of the dtype.  \throws ShapeError for another shape.
  Prediction predict(const Array& observations) const;
  /// ln pi of actions [N, A] after observations [N, D], in nats: [N], float64.
  /// \throws ShapeError for other shapes.
  Array log_prob(const Array& observations, const Array& actions) const;

  /// u of an action: what is squashed to it.
  std::vector<double> unsquashed(std::span<const double> action) const;
  /// The action of u.
  std::vector<double> squashed(std::span<const double> u) const;

  std::int64_t observation_size() const { return observation_size_; }
  std::int64_t action_size() const { return static_cast<std::int64_t>(middle_.size()); }
  std::int64_t taught() const { return taught_; }    ///< Choices that ever came.
  std::int64_t kept() const;                         ///< Choices that are kept.
  std::int64_t trained() const { return trained_; }  ///< Steps of gradient descent.
  const GaussianEnsemble& network() const { return *network_; }
  /// The observations that it reads.
  const std::vector<std::int64_t>& read() const { return read_; }
  /// By which they are normalised: the moments at the last training.
  const RunningMoments& read_moments() const { return used_; }
  const StochasticActionOptions& options() const { return options_; }

  /// All that is needed to go on bit for bit.
  ArrayMap state() const;
  /// \throws ArgumentError or ShapeError unless it is the state of such a model.
  void set_state(const ArrayMap& state);

 private:
  void use_moments();
  void need_observation(std::span<const double> observation) const;
  std::vector<double> read_of(std::span<const double> observation) const;
  Prediction normal_of(const Array& read) const;
  Prediction after(std::span<const double> observation) const;

  std::int64_t observation_size_;
  StochasticActionOptions options_;
  RandomStream batches_, actions_;
  std::vector<double> middle_, half_;  // centre and half width of the bounds
  std::vector<std::int64_t> read_;
  std::unique_ptr<GaussianEnsemble> network_;
  std::unique_ptr<Optimiser> optimiser_;
  RunningMoments moments_, used_;         // moments of what was taught, and the last training's
  Array mean_, scale_;                    // the latter on the device, of the dtype
  std::vector<double> inputs_, targets_;  // rows of the choices that are kept
  std::int64_t taught_ = 0, trained_ = 0;
  std::uint64_t batch_draws_ = 0, action_draws_ = 0;
};

}  // namespace gaia::agents
