// SPDX-License-Identifier: MIT
/// Second derivatives against central differences of first ones.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/random_arrays.h"
#include "../../src/autograd/ops.h"
#include "../support/complaint.h"
#include "../support/devices.h"
#include "gradient_check.h"

using namespace gaia;
using test::Inputs;

namespace {

struct TwiceCase {
  std::string name;
  std::vector<Shape> shapes;
  std::function<Tensor(const Inputs&)> f;
  double shift = 0.0;  // keeps inputs away from where f has no slope
};

/// The gradient of a weighted sum of f by every input, itself weighted and summed: one number whose
/// gradient consists of second derivatives.
Tensor slope_sum(const TwiceCase& c, const Inputs& inputs) {
  const Tensor y = c.f(inputs);
  const Array dy = random_normal(y.shape(), 0.0, 1.0, DType::float64, {3, 1});
  const std::vector<Tensor> slopes = grad({y}, inputs, CreateGraph({Tensor(dy)}));
  // The first derivatives are those of a sweep without.
  const std::vector<Array> once = grad({y}, inputs, {.seeds = {dy}, .retain_graph = true});
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    if (!(once[i].shape() == slopes[i].shape()) ||
        !all_close(once[i], slopes[i].value(), 1e-10, 1e-10)) {
      FAIL(c.name + ": the first derivatives differ");
    }
  }
  Tensor total(zeros({}, DType::float64));
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const Array weights = random_normal(slopes[i].shape(), 0.0, 1.0, DType::float64, {4, i});
    total = total + sum(slopes[i] * weights);
  }
  return total;
}

std::string twice_complaint(const TwiceCase& c) {
  std::vector<test::Operand> operands;
  std::mt19937_64 engine(5);
  for (const Shape& shape : c.shapes) {
    operands.push_back(test::random_operand(engine, shape, DType::float64));
  }
  const test::GradientCase once = {
      c.name, operands, [&c](const Inputs& given) {
        // Values alone reach f where differences are taken.
        const EnableGrad recording;
        Inputs inputs;
        for (const Tensor& x : given) {
          inputs.push_back(x.requires_grad() ? x : Tensor(x.value(), true));
        }
        Inputs shifted;
        for (const Tensor& x : inputs) {
          shifted.push_back(c.shift == 0.0 ? x : square(x) + c.shift);
        }
        return slope_sum(c, shifted);
      }};
  return test::gradient_complaint(once);
}

}  // namespace

TEST_CASE("Gradients of gradients are central differences", "[autograd][twice]") {
  const Array index = array({{0, 2}, {1, 1}}, DType::int64);
  const Array mask = array({{1, 0, 1}, {0, 1, 1}}, DType::boolean);
  const std::vector<TwiceCase> cases = {
      {"add", {{2, 3}, {3}}, [](const Inputs& x) { return square(x[0] + x[1]); }},
      {"subtract", {{2, 3}, {2, 1}}, [](const Inputs& x) { return square(x[0] - x[1]); }},
      {"multiply", {{2, 3}, {3}}, [](const Inputs& x) { return x[0] * x[1] * x[0]; }},
      {"divide", {{2, 3}, {3}}, [](const Inputs& x) { return x[0] / x[1]; }, 1.0},
      {"scalars",
       {{4}},
       [](const Inputs& x) { return square(2.0 / (1.0 - x[0] * 3.0 + 1.5)); },
       1.0},
      {"power", {{3}, {3}}, [](const Inputs& x) { return power(x[0], 0.1 * x[1]); }, 0.5},
      {"power of a number", {{3}}, [](const Inputs& x) { return power(x[0], 3.0); }},
      {"power by", {{3}}, [](const Inputs& x) { return power(2.0, x[0]); }},
      {"weighted_sum",
       {{3}, {3}},
       [](const Inputs& x) { return square(weighted_sum(0.3, x[0], -2.0, x[1])); }},
      {"matmul", {{2, 3}, {3, 2}}, [](const Inputs& x) { return square(matmul(x[0], x[1])); }},
      {"matmul, batch",
       {{2, 2, 3}, {3, 2}},
       [](const Inputs& x) { return square(matmul(x[0], x[1])); }},
      {"matmul, vectors", {{3}, {3}}, [](const Inputs& x) { return square(matmul(x[0], x[1])); }},
      {"einsum",
       {{2, 3}, {3}},
       [](const Inputs& x) { return square(einsum("ij,j->i", x[0], x[1])); }},
      {"exp and log",
       {{4}},
       [](const Inputs& x) { return exp(x[0]) + log(x[0]) + log1p(x[0]); },
       0.5},
      {"roots",
       {{4}},
       [](const Inputs& x) { return sqrt(x[0]) + rsqrt(x[0]) + reciprocal(x[0]); },
       0.5},
      {"exp2, expm1, log2, log10",
       {{4}},
       [](const Inputs& x) { return exp2(x[0]) + expm1(x[0]) + log2(x[0]) * log10(x[0]); },
       0.5},
      {"waves",
       {{4}},
       [](const Inputs& x) { return sin(x[0]) * cos(x[0]) + sinh(x[0]) - cosh(x[0]); }},
      {"tanh", {{4}}, [](const Inputs& x) { return tanh(x[0]); }},
      {"sigmoid", {{4}}, [](const Inputs& x) { return sigmoid(x[0]); }},
      {"softplus, silu", {{4}}, [](const Inputs& x) { return softplus(x[0]) + silu(x[0]); }},
      {"log_sigmoid, erf", {{4}}, [](const Inputs& x) { return log_sigmoid(x[0]) * erf(x[0]); }},
      {"gelu", {{4}}, [](const Inputs& x) { return gelu(x[0]) + gelu(x[0], GeluForm::exact); }},
      {"relu", {{6}}, [](const Inputs& x) { return square(relu(x[0])) + leaky_relu(x[0]); }, 0.1},
      {"abs", {{4}}, [](const Inputs& x) { return abs(x[0]) * x[0]; }, 0.1},
      {"sum", {{2, 3}}, [](const Inputs& x) { return square(sum(x[0], {1})); }},
      {"mean", {{2, 3}}, [](const Inputs& x) { return square(mean(x[0], {0}, true)); }},
      {"var", {{2, 4}}, [](const Inputs& x) { return square(var(x[0], {1}, 1)); }},
      {"std", {{2, 4}}, [](const Inputs& x) { return gaia::std(x[0], {1}); }},
      {"norm", {{2, 4}}, [](const Inputs& x) { return norm(x[0], {1}); }},
      {"norm 3", {{4}}, [](const Inputs& x) { return norm(x[0], {}, false, 3.0); }, 0.5},
      {"max", {{2, 4}}, [](const Inputs& x) { return square(max(x[0], {1})); }},
      {"maximum", {{4}, {4}}, [](const Inputs& x) { return square(maximum(x[0], x[1])); }},
      {"logsumexp", {{2, 4}}, [](const Inputs& x) { return logsumexp(x[0], {1}); }},
      {"softmax", {{2, 4}}, [](const Inputs& x) { return softmax(x[0]); }},
      {"log_softmax", {{2, 4}}, [](const Inputs& x) { return log_softmax(x[0], 0); }},
      {"cumsum", {{2, 3}}, [](const Inputs& x) { return square(cumsum(x[0], 1)); }},
      {"where",
       {{2, 3}, {2, 3}},
       [mask](const Inputs& x) { return square(where(mask, x[0], x[1])); }},
      {"shapes",
       {{2, 3, 4}},
       [](const Inputs& x) {
         return square(x[0].reshape({6, 4}).transpose().expand_dims(0).squeeze().swapaxes(0, 1));
       }},
      {"parts",
       {{4, 4}},
       [](const Inputs& x) {
         return square(x[0].slice(0, 1, {}, 2)) *
                    square(x[0].select(1, -1).slice(0, 0, 2).expand_dims(1)) +
                square(x[0].diagonal());
       }},
      {"triangles", {{3, 3}}, [](const Inputs& x) { return square(tril(x[0]) + triu(x[0], 1)); }},
      {"joining",
       {{2, 3}, {2, 3}},
       [](const Inputs& x) {
         const std::vector<Tensor> halves = split(concatenate({x[0], x[1]}, 0), 2, 0);
         return square(stack({halves[0] * halves[1], x[1]}, 1)) * flip(x[0].expand_dims(1), {0});
       }},
      {"elements",
       {{2, 3}},
       [index](const Inputs& x) {
         return square(take_along_axis(x[0], index, 1)) + square(take(x[0], index[0], 1)) +
                square(gather(x[0], index, 1));
       }},
      {"a network",
       {{5, 3}, {4, 3}, {4}, {2, 4}},
       [](const Inputs& x) {
         const Tensor hidden = tanh(matmul(x[0], x[1].transpose()) + x[2]);
         return log_softmax(matmul(hidden, x[3].transpose()));
       }},
  };
  for (const TwiceCase& c : cases) {
    INFO(c.name);
    CHECK(twice_complaint(c) == "");
  }
}

DEVICE_TEST_CASE("A gradient of a gradient of a gradient is one of x^5", "[autograd][twice]") {
  const Tensor x(array({2.0, -1.0}, DType::float64), true);
  Tensor y = power(x, 5.0);
  const std::vector<std::vector<double>> expected = {{80, 5}, {160, -20}, {240, 60}, {240, -120}};
  for (const std::vector<double>& slopes : expected) {
    y = grad({sum(y)}, {x}, CreateGraph()).front();
    CHECK(y.value().to_vector<double>() == slopes);
  }
}

TEST_CASE("backward leaves gradients that can be differentiated", "[autograd][twice]") {
  Tensor x(array({1.0, 2.0}, DType::float64), true);
  sum(x * x * x).backward({.create_graph = true});
  CHECK(x.grad().to_vector<double>() == std::vector<double>{3, 12});
  const Tensor slope = x.grad_tensor();
  CHECK(slope.requires_grad());
  x.zero_grad();
  sum(square(slope)).backward();  // d/dx 9 x^4
  CHECK(x.grad().to_vector<double>() == std::vector<double>{36, 288});
  CHECK(test::complaint_of<ArgumentError>([&] {
          x.grad_tensor();
        }).find("[grad_tensor] there is no gradient that can be differentiated") == 0);

  // A second sweep adds up, as without.
  x.zero_grad();
  sum(x * x).backward({.create_graph = true});
  sum(x * x).backward({.create_graph = true});
  CHECK(x.grad_tensor().value().to_vector<double>() == std::vector<double>{4, 8});
  sum(x).backward();
  CHECK(x.grad().to_vector<double>() == std::vector<double>{5, 9});
  CHECK_THROWS_AS(x.grad_tensor(), ArgumentError);
}

TEST_CASE("A penalty of a gradient's length trains the weights", "[autograd][twice]") {
  const Tensor w(array({3.0, 4.0}, DType::float64), true);
  const Tensor x(array({1.0, 1.0}, DType::float64), true);
  const Tensor slope = grad({sum(w * x)}, {x}, CreateGraph()).front();
  square(norm(slope) - 1.0).backward();  // (|w| - 1)^2: 2 (5 - 1) w / 5
  CHECK(w.grad().to_vector<double>()[0] == Approx(4.8));
  CHECK(w.grad().to_vector<double>()[1] == Approx(6.4));
}

TEST_CASE("Seeds may require gradients themselves", "[autograd][twice]") {
  // The product of the Jacobian with a vector, by two sweeps backward.
  const Tensor x(array({1.0, 2.0}, DType::float64), true);
  const Tensor v(zeros({2}, DType::float64), true);
  const Tensor back = grad({square(x)}, {x}, CreateGraph({v})).front();
  const Array forward = grad({back}, {v}, {.seeds = {array({1.0, 10.0}, DType::float64)}}).front();
  CHECK(forward.to_vector<double>() == std::vector<double>{2, 40});
}

TEST_CASE("A gradient that cannot be differentiated says whose it is", "[autograd][twice]") {
  const Tensor x(array({1.0, 2.0, 3.0}), true);
  const Tensor y = sum(sort(x));
  CHECK(test::complaint_of<ArgumentError>([&] {
          grad({y}, {x}, CreateGraph());
        }).find("[backward] the gradient of sort cannot be differentiated again") == 0);
  const Tensor z = sum(arcsin(x * 0.1));
  CHECK(test::complaint_of<ArgumentError>([&] {
          grad({z}, {x}, CreateGraph());
        }).find("[backward] the gradient of arcsin cannot be differentiated again") == 0);
  // The history stays for a sweep without.
  CHECK(grad({y}, {x}).front().to_vector<double>() == std::vector<double>{1, 1, 1});
}

TEST_CASE("Options in braces are those of a sweep without", "[autograd][twice]") {
  const Tensor x(array({1.0, 2.0}), true);
  CHECK(grad({sum(x * x)}, {x}, {}).front().to_vector<double>() == std::vector<double>{2, 4});
}

TEST_CASE("A value that was changed in place is refused in both sweeps", "[autograd][twice]") {
  const Tensor x(array({1.0, 2.0}), true);
  const Tensor y = sum(x * x);
  x.value().assign(ones({2}));
  CHECK_THROWS_AS(grad({y}, {x}, CreateGraph()), ArgumentError);
}
