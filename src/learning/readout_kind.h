// SPDX-License-Identifier: MIT
/// \file
/// Kinds of readouts: what learns targets from features that come in blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../core/kinds.h"

namespace gaia {

/// What is asked of a readout.
enum class ReadoutTask {
  regression,  ///< Numbers.
  classes,     ///< Which class a sample is of.
  anomaly,     ///< How unusual a sample is; the targets are its samples themselves.
  matching,    ///< Which number that is read goes with which target, one to one.
  change,      ///< Whether series have changed; nothing is predicted.
  statistic,   ///< What neurons or their weights are like; nothing is predicted.
};

/// What a readout reads and what it predicts at a tick.
struct ReadoutSizes {
  std::int64_t features = 0;
  std::int64_t targets = 1;  ///< Numbers; of classes, how many there are.
  /// Whether a ridge regression fits an intercept; false where one of the features is a 1.
  bool intercept = true;
};

/// What a linear readout has learnt: prediction k is weights[k] . x + intercepts[k], where x of a
/// naming is 1 for the neuron that answers most and 0 for all others.
struct ReadoutSolution {
  std::vector<double> weights = {};       ///< [targets, features]
  std::vector<double> intercepts = {};    ///< [targets]
  std::vector<double> target_means = {};  ///< [targets], of those that were trained on.
  std::vector<std::string> classes = {};  ///< Names of the targets, if they are classes.

  // Names of neurons, one for each feature, where they have any:
  std::vector<std::int64_t> names = {};  ///< Classes that they are called by; -1: none.
  /// Steps of the samples whose classes they asked for; -1: none.  Empty where nothing was asked.
  std::vector<std::int64_t> asked_steps = {};

  // Kinds that fuse readouts (consensus.h) have no weights:
  std::vector<double> errors = {};            ///< [L d, L d], S: covariance of their errors.
  std::vector<double> fused_covariance = {};  ///< [d, d], where all are fused.
};

/// What stands behind one readout.
class ReadoutModel {
 public:
  virtual ~ReadoutModel() = default;

  /// Takes features [rows, features] and their targets: [rows, targets], or [rows] numbers of
  /// classes.  \throws ShapeError if their lengths do not fit.
  virtual void add(std::span<const double> features, std::span<const double> targets) = 0;

  /// Ends the training.
  virtual void solve() = 0;
  virtual bool is_solved() const = 0;

  /// For features [rows, features]: [rows, targets] predictions, probabilities of the classes, or
  /// [rows] scores of an anomaly.
  virtual std::vector<double> predict(std::span<const double> features) = 0;

  /// Whether the model goes on learning, target by target, while it predicts: `add` may follow
  /// `predict`, and there is no `solve`.
  virtual bool is_online() const { return false; }

  /// A trial begins: what came before has no bearing on what comes next.
  virtual void begin_trial() {}

  /// [targets], of the targets that were trained on so far; empty where there are none.
  virtual std::vector<double> target_means() const { return solution().target_means; }

  /// Whether its predictions are those of a solution, in which there are weights for each target.
  virtual bool is_linear() const = 0;
  /// Whether it finds what another run can take over.
  virtual bool has_solution() const { return is_linear(); }
  /// Empty for what finds nothing such.
  virtual ReadoutSolution solution() const { return {}; }
  /// Takes over what another has found.  \throws ShapeError unless there is a weight for each
  /// feature, ArgumentError for what is not linear.
  virtual void set_solution(const ReadoutSolution& solution) = 0;

  /// For each feature the number of the row, of all that were added, whose class it has asked for;
  /// -1 where there is none.  Empty for what asks for nothing.
  virtual std::vector<std::int64_t> asked() const { return {}; }
  /// How it finds what it finds, where there are several ways; else empty.
  virtual std::string solved_by() const { return {}; }
  /// What a reader should know of what it has found, in sentences without their ends.
  virtual std::vector<std::string> notices() const { return {}; }

  /// Everything that it has taken and found, as numbers in one list, from which another of the same
  /// sizes goes on bit for bit.
  virtual std::vector<double> state() const = 0;
  /// \throws ShapeError for a list of a length that no such state has.
  virtual void set_state(std::span<const double> state) = 0;
};

/// A kind of readout: options with `name`, `task`, `keys(ConfigVisitor&)` and `make(sizes)`; with
/// `is_online`, `reads_reconstructions()`, `names_neurons`, `asks()` and `fuses`, if they are true;
/// one that fuses has the names of what it fuses as `of`, and `measures_errors()`; one that hears
/// what others miss their targets by has their names as `heard()`.  The list is in
/// readout_kind.cpp.
class ReadoutKind : public KindBase<ReadoutKind> {
 public:
  virtual ReadoutTask task() const = 0;
  virtual bool is_online() const = 0;
  /// Whether its features are the errors with which levels rebuild what they read.
  virtual bool reads_reconstructions() const = 0;
  /// Whether it is trained by what neurons answer to the samples of the training part once that is
  /// over, with the weights that they have then.
  virtual bool names_neurons() const = 0;
  /// Whether it asks for the class of one sample for each neuron, and knows no other.
  virtual bool asks() const = 0;
  /// Whether its features are what other readouts predict, or miss their targets by, and their
  /// names.
  virtual bool fuses() const = 0;
  virtual std::vector<std::string> of() const = 0;
  /// Whether it learns the covariance of their errors, which else is given.
  virtual bool measures_errors() const = 0;
  virtual std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const = 0;
  /// Whether another run can take over what its models, of whatever sizes, have learnt.
  bool is_stored() const { return !is_online() && (fuses() || make(kSmallest)->has_solution()); }

  template <class Options>
  class Of;
  static KindList<ReadoutKind>& list();

 private:
  /// For an anomaly a number and a channel, for a consensus two readouts of one number.
  static constexpr ReadoutSizes kSmallest{.features = 2, .targets = 1};
};

template <class Options>
class ReadoutKind::Of final : public KindOf<ReadoutKind, Options> {
 public:
  ReadoutTask task() const override { return Options::task; }
  bool is_online() const override {
    if constexpr (requires { Options::is_online; }) {
      return Options::is_online;
    } else {
      return false;
    }
  }
  bool reads_reconstructions() const override {
    if constexpr (requires { this->options.reads_reconstructions(); }) {
      return this->options.reads_reconstructions();
    } else {
      return false;
    }
  }
  bool names_neurons() const override {
    return requires { Options::names_neurons; };
  }
  bool asks() const override {
    if constexpr (requires { this->options.asks(); }) {
      return this->options.asks();
    } else {
      return false;
    }
  }
  bool fuses() const override {
    if constexpr (requires { this->options.heard(); }) {
      return !this->options.heard().empty();
    } else {
      return requires { Options::fuses; };
    }
  }
  std::vector<std::string> of() const override {
    if constexpr (requires { this->options.heard(); }) {
      return this->options.heard();
    } else if constexpr (requires { this->options.of; }) {
      return this->options.of;
    } else {
      return {};
    }
  }
  bool measures_errors() const override {
    if constexpr (requires { this->options.measures_errors(); }) {
      return this->options.measures_errors();
    } else {
      return false;
    }
  }
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const override {
    return this->options.make(sizes);
  }
};

}  // namespace gaia
