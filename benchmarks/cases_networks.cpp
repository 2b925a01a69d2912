// SPDX-License-Identifier: MIT
/// \file
/// Attention, and a step of training a network by gradients.
#include <memory>

#include "../src/array/fused.h"
#include "../src/array/ops.h"
#include "../src/array/unfused.h"
#include "../src/layers/network/dense.h"
#include "../src/layers/network/pointwise.h"
#include "../src/layers/network/sequential.h"
#include "../src/learning/losses.h"
#include "../src/learning/optimisers.h"
#include "case_rows.h"

namespace gaia::bench {
namespace {

constexpr std::int64_t kHeads = 4;
constexpr std::int64_t kWidth = 64;

Array doubled(const Array& x) { return x.astype(DType::float64); }

Case attention_case(std::int64_t steps) {
  const Input input = normals({kHeads, steps, kWidth});
  return make_case(
      {.operation = "attention",
       .sizes = {kHeads, steps, kWidth},
       .dtype = DType::float32,
       .inputs = {input, input, input},
       .function = [](const Arrays& x) { return attention(x[0], x[1], x[2]); },
       .tolerance = 1e-5,
       .flops = 4.0 * number(kHeads * kWidth) * number(steps * steps),
       .error =
           [](const Array& y, const Arrays& x) {
             return relative_error(
                 y, unfused::attention_forward(doubled(x[0]), doubled(x[1]), doubled(x[2])).y);
           },
       .names_dtype = false});
}

/// All three gradients of that.
Case attention_backward_case(std::int64_t steps) {
  const Input input = normals({kHeads, steps, kWidth});
  Case one = make_case({.operation = "attention_backward",
                        .sizes = {kHeads, steps, kWidth},
                        .dtype = DType::float32,
                        .inputs = {input, input, input, input},
                        .tolerance = 1e-5,
                        // Scores again, and four products more.
                        .flops = 10.0 * number(kHeads * kWidth) * number(steps * steps),
                        .names_dtype = false});
  one.prepare = [](const Arrays& x) -> Task {
    const auto run = [x, forward = attention_forward(x[0], x[1], x[2])] {
      return attention_backward(x[3], x[0], x[1], x[2], forward);
    };
    const auto error = [=] {
      const Array q = doubled(x[0]), k = doubled(x[1]), v = doubled(x[2]);
      const AttentionGradients wanted =
          unfused::attention_backward(doubled(x[3]), q, k, v, unfused::attention_forward(q, k, v));
      const AttentionGradients got = run();
      return std::max({relative_error(got.q, wanted.q), relative_error(got.k, wanted.k),
                       relative_error(got.v, wanted.v)});
    };
    return {.run = [=] { return run().q; }, .error = error};
  };
  return one;
}

struct Training {
  NeuralNetwork net;
  std::unique_ptr<Optimiser> optimiser;
  Loss loss = loss_from_name("cross_entropy");
  Array x;
  Array classes;

  void gradients() {
    net.zero_grad();
    loss(net(x), classes).backward();
  }
  void step() {
    gradients();
    optimiser->step();
  }
};

/// Largest difference of the gradients of both weights from the chain rule in float64:
/// dlogits = (softmax - one hot) / n, dW2 = dlogits^T h, dW1 = (dlogits W2 [h > 0])^T x.
double gradient_error(Training& training) {
  training.gradients();
  const std::vector<Tensor> parameters = training.net.parameters();  // W1, b1, W2, b2
  const auto value = [&](std::size_t i) { return doubled(parameters[i].value()); };
  const Array x = doubled(training.x);
  const Array hidden = maximum(matmul(x, value(0).transpose()) + value(1), 0.0);
  const Array logits = matmul(hidden, value(2).transpose()) + value(3);
  const Array powers = exp(logits - max(logits, {1}, true));
  const Array classes = arange(logits.shape(1)).expand_dims(0);
  const Array one_hot = doubled(classes == training.classes.expand_dims(1));
  const Array dlogits = (powers / sum(powers, {1}, true) - one_hot) / number(x.shape(0));
  const Array dhidden = matmul(dlogits, value(2)) * doubled(hidden > 0.0);
  return std::max(relative_error(parameters[2].grad(), matmul(dlogits.transpose(), hidden)),
                  relative_error(parameters[0].grad(), matmul(dhidden.transpose(), x)));
}

Case training_case(std::int64_t inputs, std::int64_t hidden, std::int64_t classes,
                   std::int64_t batch) {
  const double weights = number(inputs * hidden + hidden * classes);
  return {.name = "training_step/" + joined_sizes({inputs, hidden, classes}) + "/" +
                  std::to_string(batch),
          .prepare = [=](const Arrays&) -> Task {
            const auto training = std::make_shared<Training>();
            training->net.add<Dense>(inputs, hidden).add<ReluLayer>().add<Dense>(hidden, classes);
            training->optimiser =
                std::make_unique<Optimiser>(training->net.parameters(), AdamRule{});
            training->x = normal_input({batch, inputs}, 1);
            training->classes = randint(0, classes, {batch}, DType::int64, {7, 2});
            return {.run =
                        [=] {
                          training->step();
                          return training->net.parameters().front().value();
                        },
                    .error = [=] { return gradient_error(*training); }};
          },
          // The gradient of the data is not asked for.
          .flops = number(batch) * (6.0 * weights - 2.0 * number(inputs * hidden)),
          .items = number(batch)};
}

}  // namespace

std::vector<Case> network_cases(bool quick) {
  const std::vector<std::int64_t> lengths =
      quick ? std::vector<std::int64_t>{64} : std::vector<std::int64_t>{128, 256, 512, 1024, 2048};
  std::vector<Case> cases;
  for (const std::int64_t steps : lengths) cases.push_back(attention_case(steps));
  for (const std::int64_t steps : lengths) cases.push_back(attention_backward_case(steps));
  cases.push_back(training_case(784, 128, 10, 64));
  return cases;
}

}  // namespace gaia::bench
