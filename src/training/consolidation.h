// SPDX-License-Identifier: MIT
/// \file
/// Against forgetting: what keeps the weights of a network that learns one task after another near
/// those that earlier tasks need.
///
///     Consolidation kept(net.parameters(), {.method = ConsolidateOptions::Method::ewc,
///                                           .strength = 30.0});
///     for (const Task& task : tasks) {
///       fit(net, task.train, loss, optimiser, {.epochs = 5, .consolidation = &kept});
///       kept.end_task(net, task.train.x(), task.train.y(), loss);
///     }
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "../array/array_map.h"
#include "../core/keys.h"
#include "../layers/network/module.h"
#include "../learning/losses.h"

namespace gaia {

/// `consolidate:` of a network.
struct ConsolidateOptions {
  enum class Method : std::uint8_t {
    /// Elastic weight consolidation (Kirkpatrick et al. 2017, PNAS 114, 3521): importance is the
    /// diagonal of the Fisher information, here the empirical one, of the true labels.
    ewc,
    /// Zenke, Poole and Ganguli 2017 (ICML): importance is what a weight has done for the loss on
    /// its way, over the square of that way.
    synaptic_intelligence,
    /// All weights are equally important: the control of the two others.
    last_weights,
  };
  Method method = Method::ewc;
  double strength = 30.0;       ///< >= 0.
  double damping = 0.1;         ///< xi of synaptic intelligence, > 0.
  std::int64_t samples = 2000;  ///< Samples of a task, its first, that ewc measures with, >= 1.

  void keys(ConfigVisitor& v);
  bool operator==(const ConsolidateOptions&) const = default;
};

/// "ewc", "synaptic_intelligence" or "last_weights".  \throws ArgumentError for another name.
ConsolidateOptions::Method consolidation_from_name(std::string_view name);

/// The parameters w of a network, their importance O and their anchors a, the weights at the end of
/// the last task (arrays of the shape of each parameter).  Before the first task ends nothing
/// pulls.
///
/// Every step, with the gradient g of the loss (as clipped) and the optimiser's rate:
///
///     ewc, last_weights:       c = strength O
///     synaptic_intelligence:   c = 2 strength O,   path <- path - g (w' - w), w' after the step
///     gradient                 g + min(c, 1 / rate) (w - a)
///
/// so that rate c <= 1: plain steps of a stiffer pull would jump over the anchor, and swing ever
/// further for rate c > 2, which the importance of a few weights always exceeds.
///
/// At the end of a task of samples (x_i, t_i), s being the first `samples` of them:
///
///     ewc                      O <- O + 1/s sum_i (d loss(net(x_i), t_i) / dw)^2, sample by sample
///     synaptic_intelligence    O <- O + max(path, 0) / ((w - b)^2 + damping), path <- 0
///     last_weights             O <- 1
///     all                      a <- w
///
/// b being the weights with which the task began: a, or those at the start for the first task.  The
/// network is in evaluation mode while ewc measures, and its gradients are dropped.
class Consolidation {
 public:
  /// \throws ArgumentError for an option out of its range, or without parameters.
  Consolidation(std::vector<Tensor> parameters, const ConsolidateOptions& options);

  const ConsolidateOptions& options() const { return options_; }
  std::int64_t tasks() const { return tasks_; }                         ///< Those that have ended.
  const std::vector<Array>& importance() const { return importance_; }  ///< One array a parameter.
  const std::vector<Array>& anchors() const { return anchors_; }        ///< One array a parameter.

  /// Adds the pull to the gradients, which an optimiser of this rate then follows.
  void before_step(double rate);
  /// Behind that step.
  void after_step();
  /// Ends a task of samples x [n, ...] and targets y [n, ...], on any device.
  /// \throws ShapeError unless there are as many, and one at least.
  void end_task(Module& net, const Array& x, const Array& y, const Loss& loss);

  /// All that is carried on: "tasks", and of parameter i "i.importance", "i.anchor" and, of
  /// synaptic_intelligence, "i.path".
  ArrayMap state() const;
  /// \throws ArgumentError or ShapeError unless it is the state of such a one; nothing has changed
  ///         then.
  void set_state(const ArrayMap& state);

 private:
  bool follows_path() const {
    return options_.method == ConsolidateOptions::Method::synaptic_intelligence;
  }
  void add_fisher(Module& net, const Array& x, const Array& y, const Loss& loss);

  std::vector<Tensor> parameters_;
  ConsolidateOptions options_;
  std::int64_t tasks_ = 0;
  std::vector<Array> importance_;
  std::vector<Array> anchors_;
  std::vector<Array> path_;  // path of synaptic intelligence
  struct Moved {
    Array gradient;
    Array before;
  };
  std::vector<Moved> moved_;  // within a step; no elements where there is no gradient
};

}  // namespace gaia
