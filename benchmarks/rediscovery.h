// SPDX-License-Identifier: MIT
/// \file
/// A rule found, not given: the coefficients of the rule `polynomial` are searched with which a
/// neuron's weights go the way of a neuron that follows Oja's rule.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "../src/array/array.h"
#include "../src/array/create.h"
#include "../src/layers/hierarchy/hebbian.h"
#include "../src/learning/catalogue/catalogue.h"
#include "../src/learning/equation_rule.h"
#include "../src/search/search.h"

namespace gaia::bench {

class Rediscovery {
 public:
  static constexpr double kRate = 0.01;
  /// Weights are compared so many times, at equal distances.
  static constexpr std::int64_t kLooks = 10;

  explicit Rediscovery(std::uint64_t seed, std::int64_t inputs = 10, std::int64_t samples = 5000)
      : inputs_(inputs), piece_(samples / kLooks) {
    // Every input has a variance of its own, so that there is a direction to find.
    samples_.resize(static_cast<std::size_t>(inputs * piece_ * kLooks));
    RandomStream::named(seed, "samples").normals(0, samples_);
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const auto input = static_cast<double>(i % static_cast<std::size_t>(inputs));
      samples_[i] *= std::sqrt(1.5 * std::exp(-0.3 * input));
    }
    initial_.resize(static_cast<std::size_t>(inputs));
    RandomStream::named(seed, "weights").normals(0, initial_);
    for (double& weight : initial_) weight *= 0.3;
    follow_oja();
    data_ = from_values(samples_, {piece_ * kLooks, inputs});
  }

  /// The coefficients, which begin at 0.
  static SearchSpace space() {
    std::vector<SearchParameter> all;
    for (const std::string& name : names()) all.push_back(SearchParameter::real(name, -2, 2));
    return SearchSpace(std::move(all));
  }

  static const std::vector<std::string>& names() {
    static const std::vector<std::string> all = {"k",     "k_x",   "k_y",   "k_w",
                                                 "k_xy",  "k_yy",  "k_xw",  "k_yw",
                                                 "k_xyy", "k_yyw", "k_xyw", "k_xyyw"};
    return all;
  }

  /// 1 for x y, -1 for y^2 w, else 0: Oja's rule.
  static std::vector<double> oja() { return {0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0}; }

  /// For each candidate the mean squared distance of its weights from the other neuron's, as a
  /// share of those; NaN where the weights run away.  The population is one layer: each neuron has
  /// coefficients of its own, memories that never change.
  std::vector<double> objectives(const std::vector<std::vector<double>>& candidates) const {
    const std::int64_t count = std::ssize(candidates);
    HebbianLayer layer(inputs_, count, {.rule = rule(), .dtype = DType::float64});
    std::vector<double> weights;
    for (std::int64_t c = 0; c < count; ++c) {
      weights.insert(weights.end(), initial_.begin(), initial_.end());
    }
    layer.set_weights(from_values(weights, {count, inputs_}));
    layer.allocate_state(1);
    for (const NamedArray& array : layer.arrays()) {
      for (std::size_t k = 0; k < names().size(); ++k) {
        if (array.name != names()[k] || array.role != NamedArray::Role::memory) continue;
        std::vector<double> values;
        for (const std::vector<double>& candidate : candidates) values.push_back(candidate[k]);
        array.value.assign(from_values(values, {count}));
      }
    }
    std::vector<double> sums(candidates.size(), 0.0);
    for (std::int64_t look = 0; look < kLooks; ++look) {
      const Array piece = data_.slice(0, look * piece_, (look + 1) * piece_);
      layer.process(piece.expand_dims(0), true);
      weights = layer.weights().to_vector<double>();
      for (std::size_t c = 0; c < candidates.size(); ++c) {
        sums[c] += distance(std::span(weights).subspan(c * initial_.size(), initial_.size()), look);
      }
    }
    for (double& sum : sums) sum /= static_cast<double>(kLooks);
    return sums;
  }

  const std::vector<double>& samples() const { return samples_; }
  const std::vector<double>& initial() const { return initial_; }

 private:
  /// The way of the other neuron, by a loop that knows nothing of gaia's rules.
  void follow_oja() {
    std::vector<double> w = initial_;
    const auto inputs = static_cast<std::size_t>(inputs_);
    for (std::int64_t t = 0; t < piece_ * kLooks; ++t) {
      const double* const x = samples_.data() + static_cast<std::size_t>(t) * inputs;
      double y = 0.0;
      for (std::size_t j = 0; j < inputs; ++j) y += w[j] * x[j];
      for (std::size_t j = 0; j < inputs; ++j) w[j] += kRate * y * (x[j] - y * w[j]);
      if ((t + 1) % piece_ == 0) way_.push_back(w);
    }
  }

  /// `polynomial` with its coefficients as memories.
  static EquationRule rule() {
    std::string text;
    for (const std::string& name : names()) text += name + " = " + name + "\n";
    return EquationRule(text + named_rule("polynomial")->equations,
                        {.parameters = {{"rate", kRate}, {"decay", 0.0}, {"degree", 4.0}}});
  }

  double distance(std::span<const double> weights, std::int64_t look) const {
    const std::vector<double>& other = way_[static_cast<std::size_t>(look)];
    double squares = 0.0;
    double of_other = 0.0;
    for (std::size_t j = 0; j < other.size(); ++j) {
      squares += (weights[j] - other[j]) * (weights[j] - other[j]);
      of_other += other[j] * other[j];
    }
    return std::isfinite(squares) ? squares / of_other : std::numeric_limits<double>::quiet_NaN();
  }

  std::int64_t inputs_;
  std::int64_t piece_;
  std::vector<double> samples_;  // [samples, inputs]
  std::vector<double> initial_;
  std::vector<std::vector<double>> way_;  // the other neuron's weights at each look
  Array data_;
};

/// Whether every coefficient is that of Oja's rule within a share of its scale, which is 1.
inline bool is_oja(const std::vector<double>& coefficients, double within) {
  const std::vector<double> right = Rediscovery::oja();
  for (std::size_t k = 0; k < right.size(); ++k) {
    if (!(std::abs(coefficients[k] - right[k]) <= within)) return false;
  }
  return true;
}

/// Searches until the weights go the same way, or for so many candidates.
inline SearchResult rediscover(const Rediscovery& task, std::uint64_t seed,
                               std::int64_t evaluations) {
  Search search(Rediscovery::space(), {.evaluations = evaluations,
                                       .target = 1e-8,
                                       .random = RandomStream::named(seed, "rediscovery")});
  while (!search.is_done()) search.tell(task.objectives(search.ask()));
  return search.result();
}

/// The best of as many candidates at random.
inline SearchResult best_at_random(const Rediscovery& task, std::uint64_t seed,
                                   std::int64_t evaluations) {
  Search search(Rediscovery::space(), {.method = SearchMethod::random,
                                       .evaluations = evaluations,
                                       .population = 500,
                                       .random = RandomStream::named(seed, "luck")});
  while (!search.is_done()) search.tell(task.objectives(search.ask()));
  return search.result();
}

}  // namespace gaia::bench
