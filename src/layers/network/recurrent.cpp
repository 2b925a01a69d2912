// SPDX-License-Identifier: MIT
#include "recurrent.h"

#include "../../array/create.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"
#include "../../core/names.h"
#include "dense.h"
#include "recurrent_cells.h"

namespace gaia {

Recurrent::Recurrent(const char* type, std::int64_t gates, std::int64_t inputs, std::int64_t n,
                     const RecurrentOptions& options)
    : answer_(options.answer), has_bias_(options.bias), inputs_(inputs), n_(n) {
  check_size(type, "inputs", inputs);
  check_size(type, "n", n);
  check_trainable(type, options.dtype);
  const auto parameter = [&](const char* name, Tensor& member, const Shape& shape) {
    const RandomStream stream = RandomStream::named(
        options.random.seed, std::string(name) + "/" + std::to_string(options.random.stream));
    member = Tensor(initial_weights(Init::pytorch, shape, {n, n}, options.dtype, stream), true);
    add(name, member);
  };
  parameter("input_weights", input_weights_, {gates * n, inputs});
  parameter("recurrent_weights", recurrent_weights_, {gates * n, n});
  if (has_bias_) {
    parameter("input_bias", input_bias_, {gates * n});
    parameter("recurrent_bias", recurrent_bias_, {gates * n});
  } else {
    recurrent_bias_ = Tensor(zeros({gates * n}, options.dtype));
  }
}

RecurrentResult Recurrent::run(const Tensor& x, const std::optional<Tensor>& hidden,
                               const std::optional<Tensor>& cell) const {
  if (x.rank() != 3 || x.shape(2) != inputs_) {
    fail<ShapeError>("[{}] expected [batch, steps, {}], got shape {}", type(), inputs_, x.shape());
  }
  const Shape state = {x.shape(0), n_};
  const auto or_zeros = [&](const std::optional<Tensor>& given, const char* what) {
    if (!given) return Tensor(zeros(state, recurrent_weights_.dtype()));
    if (!(given->shape() == state)) {
      fail<ShapeError>("[{}] {}: expected {}, got {}", type(), what, state, given->shape());
    }
    return *given;
  };
  const Tensor in_time = transpose(x, {1, 0, 2});
  const Tensor drive =
      has_bias_ ? linear(in_time, input_weights_, input_bias_) : linear(in_time, input_weights_);
  RecurrentResult result = steps(drive, or_zeros(hidden, "hidden"), or_zeros(cell, "cell"));
  result.hidden = x.shape(1) > 0 ? select(result.sequence, 0, -1) : or_zeros(hidden, "hidden");
  result.sequence = transpose(result.sequence, {1, 0, 2});
  return result;
}

Tensor Recurrent::forward(const Tensor& x) {
  const RecurrentResult result = run(x);
  return answer_ == RecurrentAnswer::sequence ? result.sequence : result.hidden;
}

Choice recurrent_answers(RecurrentAnswer& value) {
  return {{"last", "sequence"},
          [&value] { return value == RecurrentAnswer::last ? "last" : "sequence"; },
          [&value](const std::string& word) {
            value = word == "last" ? RecurrentAnswer::last : RecurrentAnswer::sequence;
          }};
}

namespace {

constexpr NameTable<GruReset, 2> kGruResets = {
    {{"after", GruReset::after}, {"before", GruReset::before}}};

}  // namespace

GruReset gru_reset_from_name(std::string_view name) { return from_name(kGruResets, name, "reset"); }

Choice gru_resets(GruReset& value) {
  return {{"after", "before"},
          [&value] { return name_of(kGruResets, value); },
          [&value](const std::string& word) { value = gru_reset_from_name(word); }};
}

RecurrentOptions backward_options(const RecurrentOptions& options) {
  RecurrentOptions mine = options;
  mine.random =
      RandomStream::named(options.random.seed, "backward/" + std::to_string(options.random.stream));
  return mine;
}

Tensor both_ways(RecurrentAnswer answer, const Tensor& x, const Recurrent& forwards,
                 const Recurrent& backwards) {
  const RecurrentResult there = forwards.run(x);
  const RecurrentResult back = backwards.run(flip(x, {1}));
  if (answer == RecurrentAnswer::last) return concatenate({there.hidden, back.hidden}, 1);
  return concatenate({there.sequence, flip(back.sequence, {1})}, 2);
}

RNN::RNN(std::int64_t inputs, std::int64_t n, const RecurrentOptions& options)
    : Recurrent("rnn", 1, inputs, n, options), activation_(options.activation) {
  if (activation_ != Activation::tanh && activation_ != Activation::relu) {
    fail<ArgumentError>("[rnn] activation: expected tanh or relu, got {}", activation_);
  }
}

RecurrentResult RNN::steps(const Tensor& drive, const Tensor& hidden, const Tensor&) const {
  return {rnn_sequence(activation_, drive + recurrent_bias(), hidden, recurrent_weights()), {}, {}};
}

RecurrentResult GRU::steps(const Tensor& drive, const Tensor& hidden, const Tensor&) const {
  const auto sequence = reset_ == GruReset::before ? &gru_sequence_reset_before : &gru_sequence;
  return {sequence(drive, hidden, recurrent_weights(), recurrent_bias()), {}, {}};
}

RecurrentResult LSTM::steps(const Tensor& drive, const Tensor& hidden, const Tensor& cell) const {
  const LstmSequence sequence =
      lstm_sequence(drive + recurrent_bias(), hidden, cell, recurrent_weights());
  return {sequence.hidden, {}, sequence.cell};
}

}  // namespace gaia
