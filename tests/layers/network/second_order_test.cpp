// SPDX-License-Identifier: MIT
/// Layers whose gradients are differentiated again.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/array/random_arrays.h"
#include "../../../src/autograd/grad_mode.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/layers/network/dense.h"
#include "../../../src/layers/network/recurrent_cells.h"
#include "../../support/complaint.h"

using namespace gaia;

namespace {

using Layer = std::function<Tensor(const std::vector<Tensor>&)>;

Tensor drawn(const Shape& shape, std::uint64_t stream) {
  return Tensor(random_normal(shape, 0.0, 0.5, DType::float64, {21, stream}), true);
}

/// The squared length of the gradient by all inputs.
double penalty(const Layer& layer, const std::vector<Tensor>& inputs) {
  double total = 0.0;
  for (const Array& slope : grad({sum(square(layer(inputs)))}, inputs)) {
    total += sum(square(slope)).item();
  }
  return total;
}

/// Its gradient against central differences.
void check_penalty(const std::string& name, const Layer& layer, std::vector<Tensor> inputs) {
  INFO(name);
  Tensor total(zeros({}, DType::float64));
  for (const Tensor& slope : grad({sum(square(layer(inputs)))}, inputs, CreateGraph())) {
    total = total + sum(square(slope));
  }
  CHECK(total.item() == Approx(penalty(layer, inputs)));
  const std::vector<Array> gradients = grad({total}, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<double> expected = gradients[i].to_vector<double>();
    const std::span<double> numbers = inputs[i].value().elements<double>();
    for (std::size_t k = 0; k < numbers.size(); k += 3) {
      const double at = numbers[k];
      constexpr double step = 1e-5;
      numbers[k] = at + step;
      const double above = penalty(layer, inputs);
      numbers[k] = at - step;
      const double below = penalty(layer, inputs);
      numbers[k] = at;
      CHECK(expected[k] == Approx((above - below) / (2 * step)).epsilon(1e-5).margin(1e-6));
    }
  }
}

}  // namespace

TEST_CASE("The gradient of a layer's gradient is found", "[network][twice]") {
  check_penalty("dense",
                [](const std::vector<Tensor>& x) { return tanh(linear(x[0], x[1], x[2])); },
                {drawn({3, 4}, 1), drawn({2, 4}, 2), drawn({2}, 3)});
  const SecondOrder steps_one_by_one;
  check_penalty(
      "rnn",
      [](const std::vector<Tensor>& x) { return rnn_sequence(Activation::tanh, x[0], x[1], x[2]); },
      {drawn({3, 2, 2}, 1), drawn({2, 2}, 2), drawn({2, 2}, 3)});
  check_penalty("gru",
                [](const std::vector<Tensor>& x) { return gru_sequence(x[0], x[1], x[2], x[3]); },
                {drawn({3, 2, 6}, 1), drawn({2, 2}, 2), drawn({6, 2}, 3), drawn({6}, 4)});
  check_penalty("gru, reset before",
                [](const std::vector<Tensor>& x) {
                  return gru_sequence_reset_before(x[0], x[1], x[2], x[3]);
                },
                {drawn({3, 2, 6}, 1), drawn({2, 2}, 2), drawn({6, 2}, 3), drawn({6}, 4)});
  check_penalty("lstm",
                [](const std::vector<Tensor>& x) {
                  const LstmSequence found = lstm_sequence(x[0], x[1], x[2], x[3]);
                  return found.hidden + found.cell;
                },
                {drawn({3, 2, 8}, 1), drawn({2, 2}, 2), drawn({2, 2}, 3), drawn({8, 2}, 4)});
}

TEST_CASE("Steps that are recorded one by one compute the same", "[network][twice]") {
  const Tensor drive = drawn({4, 2, 6}, 1);
  const Tensor hidden = drawn({2, 2}, 2);
  const Tensor weights = drawn({6, 2}, 3);
  const Tensor bias = drawn({6}, 4);
  const std::vector<double> whole =
      gru_sequence(drive, hidden, weights, bias).value().to_vector<double>();
  const SecondOrder steps_one_by_one;
  const std::vector<double> steps =
      gru_sequence(drive, hidden, weights, bias).value().to_vector<double>();
  for (std::size_t i = 0; i < whole.size(); ++i) CHECK(steps[i] == Approx(whole[i]).margin(1e-14));
}

TEST_CASE("A recurrent layer that is one operation says that it is", "[network][twice]") {
  const Tensor drive = drawn({3, 2, 2}, 1);
  const Tensor states = rnn_sequence(Activation::tanh, drive, drawn({2, 2}, 2), drawn({2, 2}, 3));
  CHECK(test::complaint_of<ArgumentError>([&] {
          grad({sum(states)}, {drive}, CreateGraph());
        }).find("[backward] the gradient of rnn cannot be differentiated again") == 0);
}
