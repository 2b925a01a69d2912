// SPDX-License-Identifier: MIT
#include "../../src/learning/losses.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/autograd/ops.h"
#include "../../src/core/error.h"
#include "../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Real = long double;

Array normal(const Shape& shape, std::uint64_t stream) {
  return random_normal(shape, 0.0, 2.0, DType::float64, {61, stream});
}

/// log softmax of a row.
std::vector<Real> log_softmax_of(const Array& row) {
  const std::vector<double> x = row.to_vector<double>();
  Real total = 0;
  for (const double v : x) total += std::exp(static_cast<Real>(v));
  std::vector<Real> y;
  for (const double v : x) y.push_back(v - std::log(total));
  return y;
}

/// Cross entropy of logits [n, c] with classes, sample by sample, and what the mean divides by.
struct Expected {
  std::vector<Real> losses;
  Real divisor = 0;
  Real sum() const {
    Real total = 0;
    for (const Real loss : losses) total += loss;
    return total;
  }
};

Expected expected_of(const Array& logits, const std::vector<std::int64_t>& ids,
                     const std::vector<double>& weights, double smoothing, std::int64_t ignored) {
  Expected result;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == ignored) {
      result.losses.push_back(0);
      continue;
    }
    const std::vector<Real> logs = log_softmax_of(logits[static_cast<std::int64_t>(i)]);
    const auto id = static_cast<std::size_t>(ids[i]);
    Real loss = -(1 - static_cast<Real>(smoothing)) * weights[id] * logs[id];
    for (std::size_t c = 0; c < logs.size(); ++c) {
      loss -= static_cast<Real>(smoothing) / static_cast<Real>(logs.size()) * weights[c] * logs[c];
    }
    result.losses.push_back(loss);
    result.divisor += weights[id];
  }
  return result;
}

/// What is wrong with the gradient of f at x, or nothing.
std::string complaint(const Array& x, const std::function<Tensor(const Tensor&)>& f) {
  const Tensor input(x.copy(), true);
  sum(f(input)).backward();
  std::vector<double> numbers = x.to_vector<double>();
  const std::vector<double> got = input.grad().to_vector<double>();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double before = numbers[i];
    const auto at = [&](double value) {
      numbers[i] = value;
      return sum(f(Tensor(from_values(numbers, x.shape())))).item();
    };
    const double wanted = (at(before + 1e-6) - at(before - 1e-6)) / 2e-6;
    numbers[i] = before;
    if (!(std::abs(got[i] - wanted) <= 1e-5 + 1e-3 * std::abs(wanted))) {
      return std::to_string(i) + " is " + std::to_string(got[i]) + ", differences give " +
             std::to_string(wanted);
    }
  }
  return "";
}

}  // namespace

DEVICE_TEST_CASE("cross_entropy of classes with weights, smoothing and samples to ignore") {
  const Array logits = normal({6, 4}, 1);
  const std::vector<std::int64_t> ids = {3, 0, 2, 2, 1, 0};
  const std::vector<double> some = {0.5, 2.0, 1.5, 1.0};
  const Array target = from_values(ids, {6});
  for (const double smoothing : {0.0, 0.3, 1.0}) {
    for (const std::int64_t ignored : {-100, 2}) {
      for (const bool weighted : {false, true}) {
        INFO("smoothing " << smoothing << ", ignored " << ignored << ", weighted " << weighted);
        const Expected expected = expected_of(
            logits, ids, weighted ? some : std::vector<double>(4, 1.0), smoothing, ignored);
        CrossEntropyOptions options = {.ignore_index = ignored, .label_smoothing = smoothing};
        if (weighted) options.weights = from_values(some, {4});
        CHECK(cross_entropy(logits, target, options).item() ==
              Approx(static_cast<double>(expected.sum() / expected.divisor)).epsilon(1e-12));
        options.reduction = LossReduction::sum;
        CHECK(cross_entropy(logits, target, options).item() ==
              Approx(static_cast<double>(expected.sum())).epsilon(1e-12));
        options.reduction = LossReduction::none;
        const Array losses = cross_entropy(logits, target, options).value();
        REQUIRE(losses.shape() == Shape{6});
        for (std::int64_t i = 0; i < 6; ++i) {
          CHECK(losses.item({i}) ==
                Approx(static_cast<double>(expected.losses[static_cast<std::size_t>(i)]))
                    .epsilon(1e-12));
        }
      }
    }
  }
}

TEST_CASE("cross_entropy of probabilities, and of positions") {
  const Array logits = normal({3, 4}, 2);
  const Array t = softmax(normal({3, 4}, 3));
  Real sum = 0;
  const std::vector<double> w = {0.5, 2.0, 1.5, 1.0};
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::vector<Real> logs = log_softmax_of(logits[i]);
    for (std::size_t c = 0; c < 4; ++c) {
      sum -= w[c] * (0.9L * t.item({i, static_cast<std::int64_t>(c)}) + 0.025L) * logs[c];
    }
  }
  CrossEntropyOptions options = {.label_smoothing = 0.1, .weights = from_values(w, {4})};
  CHECK(cross_entropy(logits, t, options).item() ==
        Approx(static_cast<double>(sum / 3)).epsilon(1e-12));
  options.reduction = LossReduction::none;
  CHECK(cross_entropy(logits, t, options).shape() == Shape{3});

  // [N, C, positions] is a sample for each position.
  const Array deep = normal({2, 4, 3}, 4);
  const Array ids = from_values(std::vector<std::int64_t>{0, 3, -100, 2, 1, 1}, {2, 3});
  const Array flat = deep.transpose({0, 2, 1}).reshape({6, 4});
  for (const LossReduction reduction : {LossReduction::mean, LossReduction::sum}) {
    CHECK(cross_entropy(deep, ids, {.reduction = reduction, .label_smoothing = 0.2}).item() ==
          Approx(cross_entropy(flat, ids.reshape({6}),
                               {.reduction = reduction, .label_smoothing = 0.2})
                     .item())
              .epsilon(1e-13));
  }
  // One sample alone.
  const Array one = full({}, 1.0, DType::int64);
  CHECK(cross_entropy(logits[0], one).item() ==
        Approx(-static_cast<double>(log_softmax_of(logits[0])[1])));
}

TEST_CASE("cross_entropy at the edges") {
  // Large logits, and classes that cannot be.
  const Array far = array({{1000.0, -1000.0}, {-INFINITY, 0.0}}, DType::float64);
  const Array ids = from_values(std::vector<std::int32_t>{0, 1}, {2});
  CHECK(cross_entropy(far, ids).item() == 0.0);
  const Array losses = cross_entropy(far, from_values(std::vector<std::int32_t>{1, 1}, {2}),
                                     {.reduction = LossReduction::none})
                           .value();
  CHECK(losses.to_vector<double>() == std::vector<double>{2000.0, 0.0});
  // Nothing counts: a mean of nothing, a sum of nothing.
  const Array none = full({2}, -100.0, DType::int64);
  CHECK(std::isnan(cross_entropy(far, none).item()));
  CHECK(cross_entropy(far, none, {.reduction = LossReduction::sum}).item() == 0.0);
  const Tensor x(normal({2, 3}, 5), true);
  cross_entropy(x, from_values(std::vector<std::int64_t>{-100, 2}, {2})).backward();
  CHECK(norm(x.grad()[0]).item() == 0.0);
  CHECK(norm(x.grad()[1]).item() > 0.0);
}

TEST_CASE("Gradients of losses agree with differences") {
  const Array x = normal({4, 3}, 6);
  const Array ids = from_values(std::vector<std::int64_t>{2, 0, -100, 1}, {4});
  const Array w = array({0.5, 2.0, 1.0}, DType::float64);
  for (const double smoothing : {0.0, 0.2}) {
    CHECK(complaint(x, [&](const Tensor& y) {
            return cross_entropy(y, ids, {.label_smoothing = smoothing, .weights = w});
          }) == "");
    const Array t = softmax(normal({4, 3}, 7));
    CHECK(complaint(x, [&](const Tensor& y) {
            return cross_entropy(y, t, {.label_smoothing = smoothing, .weights = w});
          }) == "");
  }
  // By the logits and by probabilities that are a tensor themselves.
  const Array t = softmax(normal({4, 3}, 7));
  for (const double smoothing : {0.0, 0.2}) {
    CHECK(complaint(t, [&](const Tensor& probabilities) {
            return cross_entropy(x, probabilities, {.label_smoothing = smoothing, .weights = w});
          }) == "");
  }
  const Tensor soft(t, true);
  cross_entropy(x, soft).backward();
  CHECK(all_close(soft.grad(), log_softmax(x) / -4.0, 1e-12, 1e-12));
  const Tensor target(normal({4, 3}, 8));
  CHECK(complaint(x, [&](const Tensor& y) { return mse(y, target); }) == "");
  CHECK(complaint(x, [&](const Tensor& y) { return l1(y, target, LossReduction::none); }) == "");
  CHECK(complaint(x, [&](const Tensor& y) { return huber(y, target, 1.3); }) == "");
  const Tensor share(sigmoid(normal({4, 3}, 9)));
  CHECK(complaint(x, [&](const Tensor& y) {
          return bce_with_logits(y, share, {.weight = w, .positive_weight = w * 2.0});
        }) == "");
}

DEVICE_TEST_CASE("mse, l1 and huber are their formulas") {
  const Array y = array({1.0, 2.0, -3.0, 0.0}, DType::float64);
  const Array t = array({0.5, 4.0, -3.0, -1.5}, DType::float64);
  const auto all = [](const Tensor& losses) { return losses.value().to_vector<double>(); };
  CHECK(all(mse(y, t, LossReduction::none)) == std::vector<double>{0.25, 4.0, 0.0, 2.25});
  CHECK(mse(y, t).item() == Approx(6.5 / 4.0));
  CHECK(all(l1(y, t, LossReduction::none)) == std::vector<double>{0.5, 2.0, 0.0, 1.5});
  CHECK(l1(y, t, LossReduction::sum).item() == Approx(4.0));
  CHECK(all(huber(y, t, 1.5, LossReduction::none)) ==
        std::vector<double>{0.125, 1.5 * (2.0 - 0.75), 0.0, 1.125});
  CHECK(huber(y, t).item() == Approx((0.125 + 1.5 + 1.0) / 4.0));
}

DEVICE_TEST_CASE("bce_with_logits is its formula, also where a sigmoid would be 0 or 1") {
  const Array x = array({0.3, -1.2, 800.0, -800.0}, DType::float64);
  const Array t = array({1.0, 0.25, 0.0, 1.0}, DType::float64);
  const auto plain = [](double z, double target, double p) {
    const Real y = 1.0L / (1.0L + std::exp(-static_cast<Real>(z)));
    return static_cast<double>(-(p * target * std::log(y) + (1 - target) * std::log(1 - y)));
  };
  const Array losses = bce_with_logits(x, t, {.reduction = LossReduction::none}).value();
  CHECK(losses.item({0}) == Approx(plain(0.3, 1.0, 1.0)).epsilon(1e-12));
  CHECK(losses.item({1}) == Approx(plain(-1.2, 0.25, 1.0)).epsilon(1e-12));
  CHECK(losses.item({2}) == 800.0);
  CHECK(losses.item({3}) == 800.0);
  const Array p = full({}, 3.0, DType::float64);
  const Array w = array({2.0, 1.0, 0.0, 1.0}, DType::float64);
  const Array weighted = bce_with_logits(x, t, {LossReduction::none, w, p}).value();
  CHECK(weighted.item({0}) == Approx(2.0 * plain(0.3, 1.0, 3.0)).epsilon(1e-12));
  CHECK(weighted.item({1}) == Approx(plain(-1.2, 0.25, 3.0)).epsilon(1e-12));
  CHECK(weighted.item({2}) == 0.0);
}

DEVICE_TEST_CASE("weighted_cross_entropy is a mean over samples, in whatever batches they come") {
  const Array x = normal({6, 4}, 31);
  const Array t = array({2, 0, 1, 1, 3, 2}).astype(DType::int64);
  const std::vector<double> w = {0.5, 2.0, 1.25};  // class 3 does not count
  const Loss loss = weighted_cross_entropy(w);
  std::vector<Real> losses;
  for (std::int64_t i = 0; i < 6; ++i) {
    const auto c = static_cast<std::size_t>(t.item({i}));
    losses.push_back(c < 3 ? -w[c] * log_softmax_of(x[i])[c] : 0.0L);
  }
  const auto mean_of = [&](std::size_t begin, std::size_t end) {
    Real sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += losses[i];
    return static_cast<double>(sum / static_cast<Real>(end - begin));
  };
  CHECK(loss(x, t).item() == Approx(mean_of(0, 6)).epsilon(1e-12));
  const double first = loss(x.slice(0, 0, 2), t.slice(0, 0, 2)).item();
  const double second = loss(x.slice(0, 2, 6), t.slice(0, 2, 6)).item();
  CHECK(first == Approx(mean_of(0, 2)).epsilon(1e-12));
  CHECK((2.0 * first + 4.0 * second) / 6.0 == Approx(mean_of(0, 6)).epsilon(1e-12));
  const Tensor logits(x, true);
  loss(logits, t).backward();
  for (std::int64_t i = 0; i < 6; ++i) {
    const auto c = static_cast<std::size_t>(t.item({i}));
    const std::vector<Real> log_p = log_softmax_of(x[i]);
    for (std::size_t k = 0; k < 4; ++k) {
      const Real slope = std::exp(log_p[k]) - (k == c ? 1 : 0);
      const double expected = static_cast<double>((c < 3 ? w[c] : 0.0) * slope / 6);
      CHECK(logits.grad().item({i, static_cast<std::int64_t>(k)}) ==
            Approx(expected).epsilon(1e-10).margin(1e-14));
    }
  }
  CHECK_THROWS_WITH_TEXT(weighted_cross_entropy({}), ArgumentError,
                         "[weighted_cross_entropy] expected a weight for each class, got none");
}

TEST_CASE("Losses refuse targets that do not fit") {
  const Array x = ones({2, 3});
  CHECK_THROWS_WITH_TEXT(mse(x, ones({2, 1})), ShapeError,
                         "[mse] expected a target of the answer's shape [2, 3], got [2, 1]");
  CHECK_THROWS_AS(bce_with_logits(x, ones({3})), ShapeError);
  CHECK_THROWS_AS(huber(x, x, 0.0), ArgumentError);
  CHECK_THROWS_WITH_TEXT(huber(x, x, 1e-50), ArgumentError,
                         "[huber] delta: expected a number that");
  CHECK_THROWS_WITH_TEXT(cross_entropy(x, zeros({3}, DType::int64)), ShapeError,
                         "expected classes (integers) of shape [2] or probabilities of shape "
                         "[2, 3], got int64 of shape [3]");
  CHECK_THROWS_AS(cross_entropy(x, zeros({2})), ShapeError);
  CHECK_THROWS_WITH_TEXT(cross_entropy(x, full({2}, 3.0, DType::int64)), ArgumentError,
                         "expected classes from 0 to 2 or ignore_index -100, got 3");
  CHECK_THROWS_AS(cross_entropy(x, full({2}, -1.0, DType::int64)), ArgumentError);
  CHECK_THROWS_AS(cross_entropy(x, zeros({2}, DType::int64), {.label_smoothing = 1.5}),
                  ArgumentError);
  CHECK_THROWS_AS(cross_entropy(x, zeros({2}, DType::int64), {.weights = ones({2})}), ShapeError);
}

TEST_CASE("Losses and reductions have names") {
  const Array x = array({{1.0, 2.0}}, DType::float64);
  const Array t = array({{0.0, 1.0}}, DType::float64);
  CHECK(loss_from_name("mse")(x, t).item() == 1.0);
  CHECK(loss_from_name("l1")(x, t).item() == 1.0);
  CHECK(loss_from_name("huber")(x, t).item() == 0.5);
  CHECK(loss_from_name("bce_with_logits")(x, t).item() == bce_with_logits(x, t).item());
  CHECK(loss_from_name("cross_entropy")(x, t).item() == cross_entropy(x, t).item());
  CHECK_THROWS_WITH_TEXT(loss_from_name("msee"), ArgumentError, "did you mean 'mse'?");
  for (const char* name : {"mean", "sum", "none"}) {
    CHECK(to_string(loss_reduction_from_name(name)) == name);
  }
}

DEVICE_TEST_CASE("nll is cross_entropy of log probabilities, with every option and shape") {
  const Tensor x(normal({5, 4, 3}, 21));
  Array t = zeros({5, 3}, DType::int64);
  for (std::int64_t i = 0; i < 15; ++i)
    t[i / 3][i % 3].assign(full({}, static_cast<double>((i * 7) % 4)));
  const Array w = array({0.5, 1.0, 2.0, 0.25}, DType::float64);
  for (const LossReduction reduction :
       {LossReduction::mean, LossReduction::sum, LossReduction::none}) {
    const CrossEntropyOptions options = {.reduction = reduction, .ignore_index = 2, .weights = w};
    CHECK(all_close(nll(log_softmax(x, 1), t, options).value(),
                    cross_entropy(x, t, options).value(), 1e-12, 1e-12));
  }
  CHECK(loss_from_name("nll")(log_softmax(x, 1), t).item() ==
        Approx(cross_entropy(x, t).item()).epsilon(1e-12));
  CHECK_THROWS_AS(nll(zeros({2, 3}), zeros({2})), ShapeError);
  CHECK_THROWS_WITH_TEXT(nll(zeros({2, 3}), full({2}, 3.0, DType::int64)), ArgumentError,
                         "[nll] expected classes from 0 to 2 or ignore_index -100, got 3");
  CHECK_THROWS_AS(nll(zeros({2, 3}), zeros({2}, DType::int64), {.label_smoothing = 0.1}),
                  ArgumentError);
}

DEVICE_TEST_CASE("kl_div is its formula, also where a target is 0") {
  const Array x = array({{-0.5, -1.5}, {-2.0, -0.25}}, DType::float64);
  const Array t = array({{0.0, 1.0}, {0.25, 0.75}}, DType::float64);
  const Array losses = kl_div(x, t, {.reduction = LossReduction::none}).value();
  CHECK(losses.item({0, 0}) == 0.0);
  CHECK(losses.item({0, 1}) == Approx(1.5));
  CHECK(losses.item({1, 0}) == Approx(0.25 * (std::log(0.25) + 2.0)));
  CHECK(losses.item({1, 1}) == Approx(0.75 * (std::log(0.75) + 0.25)));
  CHECK(kl_div(x, t).item() == Approx(sum(losses).item() / 4));
  const Array logs = array({{-3.0, -0.1}, {-1.0, -0.5}}, DType::float64);
  const Array of_logs =
      kl_div(x, logs, {.reduction = LossReduction::none, .log_target = true}).value();
  CHECK(of_logs.item({0, 0}) == Approx(std::exp(-3.0) * (-3.0 + 0.5)));
  CHECK_THROWS_AS(kl_div(zeros({2}), zeros({3})), ShapeError);
}

DEVICE_TEST_CASE("cosine_similarity divides by lengths of at least epsilon") {
  const Array a = array({{3.0, 4.0}, {0.0, 0.0}}, DType::float64);
  const Array b = array({{4.0, 3.0}, {1.0, 2.0}}, DType::float64);
  const Array y = cosine_similarity(a, b).value();
  CHECK(y.item({0}) == Approx(24.0 / 25.0));
  CHECK(y.item({1}) == 0.0);
  CHECK(cosine_similarity(a, b, 0).value().item({0}) == Approx(12.0 / (3.0 * std::sqrt(17.0))));
  CHECK_THROWS_AS(cosine_similarity(ones({2, 2}), ones({2, 2}), 1, -1.0), ArgumentError);
}
