// SPDX-License-Identifier: MIT
/// \file
/// A stack of predictions that relaxes inside a tick and learns from what is left: predictive
/// coding.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../../core/keys.h"
#include "../../core/random.h"
#include "../../learning/equation_rule.h"
#include "layer.h"

namespace gaia {

class PredictiveLayer;

/// What the top is held at where a tick learns.
enum class PredictiveTop : std::uint8_t {
  label,   ///< 1 at the class of the row, 0 elsewhere.
  target,  ///< Columns of data.targets, one for each neuron of the top.
};
/// From which errors weights learn.
enum class LearnWhen : std::uint8_t {
  settle,  ///< Those that are left after `iterations` relaxations.
  exact,   ///< Layer l those after L - l relaxations of step 1: backpropagation.
};

std::string to_string(PredictiveTop top);
std::string to_string(LearnWhen when);
/// \throws ArgumentError for names that are none, listing the known ones.
PredictiveTop predictive_top_from_name(std::string_view name);
LearnWhen learn_when_from_name(std::string_view name);

struct PredictiveOptions {
  std::vector<std::int64_t> sizes = {};  ///< Neurons of each layer, the top last; at least one.
  /// Activation of all layers but the top, which is linear.  Not softmax or coates, which are no
  /// functions of one number.
  Activation activation = Activation::tanh;
  double learning_rate = 0.02;   ///< >= 0.
  std::int64_t iterations = 20;  ///< Relaxations at a tick that learns, >= 0.
  double step = 0.1;             ///< Length of a relaxation, > 0.
  double variance = 1.0;         ///< Variance of the top's error, > 0.
  PredictiveTop top = PredictiveTop::label;
  std::vector<std::string> target = {};  ///< Columns, where the top is `target`.
  LearnWhen learn_when = LearnWhen::settle;
  std::int64_t batch = 1;  ///< Ticks that learn together, >= 1.
  bool learn = true;       ///< false: the weights stay as they are, whatever learns around them.
  DType dtype = DType::float32;
  Executor executor = Executor::chunkwise;
  RandomStream random = next_stream();  ///< Stream of W_1; those above have derived ones.

  static constexpr const char* name = "predictive";
  using Made = PredictiveLayer;
  void keys(ConfigVisitor& v);
  std::string summary() const;
  /// The layer's size, which it tells itself: the last of `sizes`.
  std::int64_t outputs() const { return sizes.empty() ? 0 : sizes.back(); }
  double weights(double inputs, double outputs) const;
  /// What it reads beside samples where it learns.
  EquationSignalSource signal() const;
};

/// Predictive coding with a layered stack of predictions, l = 1 ... L:
///
///     mu_1 = W_1 x_0 + b_1,  mu_l = W_l f(x_{l-1}) + b_l          x_0: the sample, without f
///     eps_l = x_l - mu_l,  eps_L = (x_L - mu_L) / variance
///     x_l <- x_l + step (-eps_l + f'(x_l) * W_{l+1}^T eps_{l+1})  l < L, all at once
///     dW_l = rate eps_l f(x_{l-1})^T,  db_l = rate eps_l
///
/// At every tick the answer is mu_L of the pass up, x = mu, with nothing held above.  At a tick
/// that learns x_L is then held at its label or target, x relaxes `iterations` times from the pass
/// up, eps is computed anew, and the weights learn, all from what they were before.  Whittington &
/// Bogacz (2017), Neural Computation 29, 1229-1262, numbered from the sample upwards; Rao & Ballard
/// (1999), Nature Neuroscience 2, 79-87.
///
/// `exact`: layer l learns from eps_l after L - l relaxations of step 1 and variance 1.  Until then
/// x_{l-1} is that of the pass up, and eps_l = f'(mu_l) * W_{l+1}^T eps_{l+1}: the gradients of
/// sum (target - mu_L)^2 / 2.  Song, Lukasiewicz, Xu & Bogacz (2020), NeurIPS 33.
///
/// Ticks that are to learn are counted in batches of `batch`: with the last tick of one all of its
/// ticks learn, by the mean over those ticks and streams that have a label or target; a batch
/// without any changes nothing.  What is read of a batch that is not full waits, over ends of
/// blocks, trials and epochs; ticks that are left at the end of a run have not been learnt from.
///
/// A batch is one product.  Where it has fewer than `kChunk` rows, batches run chunkwise as far as
/// one call of `process` has them whole: W_1 x_0 of all rows is one product with the W_1 of before,
/// and what the batches before have taught is added from the products of their rows with these,
///
///     W_1(t) x(t) = W_1 x(t) + sum over s of batches before: eps_1(s) rate (x(s) . x(t))
///
/// which is exact.  So answers and weights are the same bytes wherever blocks end, of batches of
/// kChunk rows or more and under Executor::stepwise, and within rounding else.
class PredictiveLayer final : public Layer {
 public:
  static constexpr std::int64_t kChunk = 32;  ///< Rows, ticks of all streams, of a chunk at most.

  /// \throws ArgumentError for options out of their range.
  PredictiveLayer(std::int64_t input_size, const PredictiveOptions& options);

  std::string type() const override { return PredictiveOptions::name; }
  std::unique_ptr<LayerKind> kind() const override;
  std::unique_ptr<Layer> clone() const override;
  bool is_plastic() const override { return options_.learn; }
  void scale_learning_rate(double factor) override { rate_factor_ = factor; }
  /// "labels", or the columns of the target.
  std::vector<std::string> signal_columns() const override;
  void read_signals(const TickSignals& signals) override { signals_ = signals; }
  /// Makes room for a batch; one that waits is dropped where it is of other streams.
  void allocate_state(std::int64_t streams) override;
  void keep(ArrayUndo& undo, bool learn) override;
  bool repeats() const override { return true; }
  /// By which executor W_1 learns.
  std::vector<std::pair<std::string, std::string>> attributes() const override;
  /// weights/1 ... [out, in], bias/1 ... [out], and the batch that waits.
  std::vector<NamedArray> arrays() const override;
  std::int64_t operations_per_tick(bool learn) const override;

  /// W_1 ... W_L and b_1 ... b_L.
  const std::vector<Array>& weights() const { return weights_; }
  const std::vector<Array>& biases() const { return biases_; }

 private:
  /// Rows of a batch: what they read, what the top is held at, and which of them learn.
  struct Rows {
    Array samples;  ///< [rows, inputs]
    Array targets;  ///< [rows, outputs]
    std::vector<std::int64_t> learning;
  };
  /// What layers make of rows on the pass up, by l from 0: mu_l, and f(mu_l), the sample at 0.
  struct PassUp {
    std::vector<Array> mu;
    std::vector<Array> read;
  };
  /// What the top is held at, by tick.
  struct Held {
    Array targets;             ///< [streams, ticks, outputs]
    std::vector<bool> learns;  ///< [streams x ticks]
  };

  void answer(const Array& x, bool learn, const Array& y) override;
  void move_to_current_device() override;

  Held held(std::int64_t streams, std::int64_t ticks) const;
  std::vector<double> column(const std::string& name, std::int64_t streams,
                             std::int64_t ticks) const;
  std::int64_t waiting() const;
  /// Adds ticks [first, first + count) to the batch that waits, and returns it as a whole.
  Rows wait_with(const Array& x, const Held& held, std::int64_t first, std::int64_t count);
  /// W_1 x_0.
  Array first_drives(const Array& samples) const;
  /// From the first drives on, which become mu_1.
  PassUp pass_up(const Array& samples, Array drives) const;
  /// Moves all weights, but W_1 where there is room for its steps [rows, neurons], whose product
  /// with the samples is what it is to move by.
  void learn_from(const Rows& rows, PassUp pass, const Array* first_steps = nullptr);
  /// Reads `batches` whole batches from tick `first` on chunkwise.
  void answer_chunk(const Array& x, const Held& held, std::int64_t first, std::int64_t batches,
                    const Array& y);
  /// The errors by l, from the pass up; f(x_l) of what has relaxed stays in `pass.read`.
  std::vector<Array> settled(PassUp& pass, const Array& targets) const;
  std::vector<Array> exact(const PassUp& pass, const Array& targets) const;
  std::size_t depth() const { return weights_.size(); }

  PredictiveOptions options_;
  double rate_factor_ = 1.0;
  std::vector<Array> weights_;
  std::vector<Array> biases_;
  Array waiting_samples_;  // [streams, batch, inputs]
  Array waiting_targets_;  // [streams, batch, outputs]
  Array waiting_learns_;   // [streams, batch] int64, on the CPU: 1 where a row learns
  Array waiting_ticks_;    // [1] int64, on the CPU: how many ticks of the batch there are
  TickSignals signals_;
};

}  // namespace gaia
