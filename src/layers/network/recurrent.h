// SPDX-License-Identifier: MIT
/// \file
/// RNN, GRU and LSTM, with PyTorch's equations, order of gates and shapes of parameters.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "../../core/random.h"
#include "../../formulas/activation.h"
#include "../init.h"
#include "module.h"
#include "module_kind.h"

namespace gaia {

/// What a recurrent layer puts out when it stands among others.
enum class RecurrentAnswer : std::uint8_t {
  sequence,  ///< The states after all steps: [batch, steps, n].
  last,      ///< The state after the last step: [batch, n].
};

/// Place at which a GRU's reset gate acts.
enum class GruReset : std::uint8_t {
  after,   ///< On the product W_hn h + b_hn: cuDNN's and PyTorch's.
  before,  ///< On h, before the product: W_hn (r h) + b_hn.  Cho et al. (2014).
};

struct RecurrentOptions {
  RecurrentAnswer answer = RecurrentAnswer::sequence;
  bool bias = true;
  Activation activation = Activation::tanh;  ///< Activation of an RNN alone: tanh or relu.
  GruReset reset = GruReset::after;          ///< Place of a GRU's reset gate.
  DType dtype = DType::float32;
  RandomStream random = next_stream();  ///< Parameters start uniform in +-1 / sqrt(n).
};

/// What a run leaves.
struct RecurrentResult {
  Tensor sequence;  ///< The states after each step, [batch, steps, n].
  Tensor hidden;    ///< The last of them, [batch, n].
  Tensor cell;      ///< LSTM: the cell after the last step, [batch, n].
};

/// What the three have in common.  Parameters, with g n rows for g gates: "input_weights"
/// [g n, inputs], "recurrent_weights" [g n, n], "input_bias" and "recurrent_bias" [g n].
class Recurrent : public Module {
 public:
  /// Runs over x [batch, steps, inputs] from the initial states, zeros where none is given.
  /// \throws ShapeError if they do not fit.
  RecurrentResult run(const Tensor& x, const std::optional<Tensor>& hidden = {},
                      const std::optional<Tensor>& cell = {}) const;

  /// x [batch, steps, inputs], from zeros.
  Tensor forward(const Tensor& x) override;

  std::int64_t hidden_size() const { return n_; }

 protected:
  Recurrent(const char* type, std::int64_t gates, std::int64_t inputs, std::int64_t n,
            const RecurrentOptions& options);

  /// The same as `run`, with drive [steps, batch, g n] without the recurrent bias; time comes first
  /// in the result.
  virtual RecurrentResult steps(const Tensor& drive, const Tensor& hidden,
                                const Tensor& cell) const = 0;

  const Tensor& recurrent_weights() const { return recurrent_weights_; }
  /// Zeros if there is none.
  const Tensor& recurrent_bias() const { return recurrent_bias_; }

 private:
  RecurrentAnswer answer_;
  bool has_bias_;
  std::int64_t inputs_;
  std::int64_t n_;
  Tensor input_weights_;
  Tensor recurrent_weights_;
  Tensor input_bias_;
  Tensor recurrent_bias_;
};

/// h <- f(W_x x + b_x + W_h h + b_h)
class RNN final : public Recurrent {
 public:
  RNN(std::int64_t inputs, std::int64_t n, const RecurrentOptions& options = {});
  static constexpr const char* name = "rnn";
  std::string type() const override { return name; }

 private:
  RecurrentResult steps(const Tensor& drive, const Tensor& hidden,
                        const Tensor& cell) const override;
  Activation activation_;
};

/// Gates r, z, n:
///     r = sigmoid(W_xr x + b_xr + W_hr h + b_hr),  z alike,
///     m = tanh(W_xn x + b_xn + r (W_hn h + b_hn)),  h <- (1 - z) m + z h;
/// with GruReset::before m = tanh(W_xn x + b_xn + W_hn (r h) + b_hn).
class GRU final : public Recurrent {
 public:
  GRU(std::int64_t inputs, std::int64_t n, const RecurrentOptions& options = {})
      : Recurrent(name, 3, inputs, n, options), reset_(options.reset) {}
  static constexpr const char* name = "gru";
  std::string type() const override { return name; }

 private:
  RecurrentResult steps(const Tensor& drive, const Tensor& hidden,
                        const Tensor& cell) const override;
  GruReset reset_;
};

/// Gates i, f, g, o, each of W_x x + b_x + W_h h + b_h:
///     c <- sigmoid(f) c + sigmoid(i) tanh(g),  h <- sigmoid(o) tanh(c).
class LSTM final : public Recurrent {
 public:
  LSTM(std::int64_t inputs, std::int64_t n, const RecurrentOptions& options = {})
      : Recurrent(name, 4, inputs, n, options) {}
  static constexpr const char* name = "lstm";
  std::string type() const override { return name; }

 private:
  RecurrentResult steps(const Tensor& drive, const Tensor& hidden,
                        const Tensor& cell) const override;
};

/// The options of the layer that runs backwards: the same with random numbers of its own.
RecurrentOptions backward_options(const RecurrentOptions& options);
/// What Bidirectional answers.
Tensor both_ways(RecurrentAnswer answer, const Tensor& x, const Recurrent& forwards,
                 const Recurrent& backwards);

/// Two layers of one kind, one of which runs over the steps from the last to the first.  Answers
/// are joined, forwards first: [batch, steps, 2 n], or with RecurrentAnswer::last what both end
/// with, [batch, 2 n].  Children "forward" and "backward".  Schuster & Paliwal (1997), IEEE Trans.
/// Signal Process. 45, 2673.
template <class Layer>
class Bidirectional final : public Module {
 public:
  Bidirectional(std::int64_t inputs, std::int64_t n, const RecurrentOptions& options = {})
      : answer_(options.answer),
        forwards_(std::make_shared<Layer>(inputs, n, options)),
        backwards_(std::make_shared<Layer>(inputs, n, backward_options(options))) {
    add("forward", forwards_);
    add("backward", backwards_);
  }
  std::string type() const override { return std::string("bidirectional_") + Layer::name; }
  Tensor forward(const Tensor& x) override {
    return both_ways(answer_, x, *forwards_, *backwards_);
  }

 private:
  RecurrentAnswer answer_;
  std::shared_ptr<Layer> forwards_;
  std::shared_ptr<Layer> backwards_;
};

constexpr Key kAnswerKey{"answer", "the state after the last step, or those after all"};
Choice recurrent_answers(RecurrentAnswer& value);
Choice gru_resets(GruReset& value);
GruReset gru_reset_from_name(std::string_view name);

/// Keys in an experiment: type: rnn, gru or lstm.
template <class Layer>
struct RecurrentKind {
  std::int64_t size = 0;
  bool bidirectional = false;
  RecurrentOptions options = {.answer = RecurrentAnswer::last, .random = {}};

  static constexpr const char* name = Layer::name;
  void keys(ConfigVisitor& v) {
    v.integer(kSizeKey, size, kNeurons);
    v.choice(kAnswerKey, recurrent_answers(options.answer));
    v.flag({"bidirectional", "whether another one reads the steps from the last to the first"},
           bidirectional);
    if constexpr (std::is_same_v<Layer, GRU>) {
      v.choice({"reset", "after the product with the state, or before it on the state"},
               gru_resets(options.reset));
    }
  }
  void add_to(const ModulePlace& place) const {
    place.expect_axes(2, "[steps, features]");
    if (bidirectional) {
      place.net.add<Bidirectional<Layer>>(place.features(), size, placed(options, place));
    } else {
      place.net.add<Layer>(place.features(), size, placed(options, place));
    }
  }
};

}  // namespace gaia
