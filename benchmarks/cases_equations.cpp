// SPDX-License-Identifier: MIT
/// \file
/// One plastic layer that learns by a rule that is written as its equations.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string_view>

#include "../src/array/create.h"
#include "../src/array/ops.h"
#include "../src/layers/hierarchy/hebbian.h"
#include "../tests/learning/equation_reference.h"
#include "cases.h"
#include "reference.h"

namespace gaia::bench {
namespace {

using test::Numbers;
using test::TickOfStream;

constexpr std::int64_t kCheckedTicks = 40;
constexpr double kRate = 1e-4;

/// A text, and a loop that does what it says.
struct WrittenRule {
  const char* name;
  const char* equations;
  EquationRuleOptions options = {};
  test::RuleOfTick loop = {};
  double events = 1.0;  ///< Share of the inputs that spike at a tick, in place of Gaussian numbers.
};

template <class F>
test::RuleOfTick loop_of(F f) {
  return [f](TickOfStream& s) {
    s.y = s.z;
    f(s);
  };
}

/// Whether fewer than k neurons are ahead of neuron i.
bool is_among_first(const Numbers& z, std::size_t i, int k) {
  int ahead = 0;
  for (std::size_t j = 0; j < z.size(); ++j) {
    if (z[j] > z[i] || (z[j] == z[i] && j < i)) ++ahead;
  }
  return ahead < k;
}

std::vector<WrittenRule> written_rules() {
  const EquationRuleOptions rate = {.parameters = {{"rate", kRate}}};
  std::vector<WrittenRule> rules;
  rules.push_back({"oja", "dw = rate*y*(x - y*w)", rate, loop_of([](TickOfStream& s) {
                     s.each([&](std::size_t i, std::size_t j) {
                       s.dw[i][j] = kRate * s.y[i] * (s.x[j] - s.y[i] * (*s.w)[i][j]);
                     });
                   })});
  rules.push_back(
      {"softhebb", "y = softmax(z)\ndw = rate*y*(x - z*w)", rate, loop_of([](TickOfStream& s) {
         const double most = *std::max_element(s.z.begin(), s.z.end());
         for (double& y : s.y) y = std::exp(y - most);
         const double sum = std::accumulate(s.y.begin(), s.y.end(), 0.0);
         for (double& y : s.y) y /= sum;
         s.each([&](std::size_t i, std::size_t j) {
           s.dw[i][j] = kRate * s.y[i] * (s.x[j] - s.z[i] * (*s.w)[i][j]);
         });
       })});
  rules.push_back(
      {"winner", "y = winner(z)\ndw = rate*y*(x - w)", rate, loop_of([](TickOfStream& s) {
         for (std::size_t i = 0; i < s.y.size(); ++i) {
           s.y[i] = is_among_first(s.z, i, 1) ? 1.0 : 0.0;
         }
         s.each([&](std::size_t i, std::size_t j) {
           s.dw[i][j] = kRate * s.y[i] * (s.x[j] - (*s.w)[i][j]);
         });
       })});
  rules.push_back(
      {"kwta", "y = kwta(z, 20)\ndw = rate*y*(x - y*w)", rate, loop_of([](TickOfStream& s) {
         for (std::size_t i = 0; i < s.y.size(); ++i) {
           if (!is_among_first(s.z, i, 20)) s.y[i] = 0.0;
         }
         s.each([&](std::size_t i, std::size_t j) {
           s.dw[i][j] = kRate * s.y[i] * (s.x[j] - s.y[i] * (*s.w)[i][j]);
         });
       })});
  rules.push_back({"krotov_hopfield",
                   "y = relu(z)\ng = (rank(z) == 0) - 0.4*(rank(z) == 7)\ndw = rate*g*(x - z*w)",
                   rate, loop_of([](TickOfStream& s) {
                     Numbers g(s.z.size());
                     for (std::size_t i = 0; i < g.size(); ++i) {
                       const bool is_eighth =
                           is_among_first(s.z, i, 8) && !is_among_first(s.z, i, 7);
                       g[i] = is_among_first(s.z, i, 1) ? 1.0 : is_eighth ? -0.4 : 0.0;
                       s.y[i] = std::max(s.z[i], 0.0);
                     }
                     s.each([&](std::size_t i, std::size_t j) {
                       s.dw[i][j] = kRate * g[i] * (s.x[j] - s.z[i] * (*s.w)[i][j]);
                     });
                   })});
  rules.push_back({"abcd", "y = tanh(z)\ndw = rate*(0.5*x*y + 0.1*x + 0.2*y + 0.3)", rate,
                   loop_of([](TickOfStream& s) {
                     for (double& y : s.y) y = std::tanh(y);
                     s.each([&](std::size_t i, std::size_t j) {
                       s.dw[i][j] =
                           kRate * (0.5 * s.x[j] * s.y[i] + 0.1 * s.x[j] + 0.2 * s.y[i] + 0.3);
                     });
                   })});
  EquationRuleOptions traced = rate;
  traced.traces = {{"pre", 20.0}};
  rules.push_back({"lif_stdp",
                   "v = 0.9*v + z\ny = v > 1\nv = v*(1 - y)\npost = 0.95*post + y\n"
                   "dw = rate*(y*pre - post*x)",
                   traced, loop_of([](TickOfStream& s) {
                     Numbers& v = s.memory["v"];
                     Numbers& post = s.memory["post"];
                     for (std::size_t i = 0; i < s.y.size(); ++i) {
                       v[i] = 0.9 * v[i] + s.z[i];
                       s.y[i] = v[i] > 1.0 ? 1.0 : 0.0;
                       v[i] *= 1.0 - s.y[i];
                       post[i] = 0.95 * post[i] + s.y[i];
                     }
                     s.each([&](std::size_t i, std::size_t j) {
                       s.dw[i][j] = kRate * (s.y[i] * s.trace["pre"][j] - post[i] * s.x[j]);
                     });
                   })});
  rules.push_back(rules.back());
  rules.back().name = "lif_stdp_events";
  rules.back().events = 0.02;
  rules.push_back({"three_factors", "y = tanh(z)\nde = y*x - e/20\ndw = rate*(y - 0.1)*e", rate,
                   loop_of([](TickOfStream& s) {
                     for (double& y : s.y) y = std::tanh(y);
                     s.each([&](std::size_t i, std::size_t j) {
                       s.e[i][j] += s.y[i] * s.x[j] - s.e[i][j] / 20;
                       s.dw[i][j] = kRate * (s.y[i] - 0.1) * s.e[i][j];
                     });
                   })});
  rules.push_back({"oja_subspace", "dw = rate*y*(x - back(y))", rate, loop_of([](TickOfStream& s) {
                     const Numbers r = s.back(s.y, s.neurons - 1);
                     s.each([&](std::size_t i, std::size_t j) {
                       s.dw[i][j] = kRate * s.y[i] * (s.x[j] - r[j]);
                     });
                   })});
  rules.push_back({"sanger", "dw = rate*y*(x - back_upto(y))", rate, loop_of([](TickOfStream& s) {
                     Numbers r(s.x.size());
                     for (std::size_t i = 0; i < s.y.size(); ++i) {
                       for (std::size_t j = 0; j < r.size(); ++j) {
                         r[j] += s.y[i] * (*s.w)[i][j];
                         s.dw[i][j] = kRate * s.y[i] * (s.x[j] - r[j]);
                       }
                     }
                   })});
  rules.push_back({"soft_bounds", "dw = rate*y*x*w*(1 - w)", rate, loop_of([](TickOfStream& s) {
                     s.each([&](std::size_t i, std::size_t j) {
                       const double w = (*s.w)[i][j];
                       s.dw[i][j] = kRate * s.y[i] * s.x[j] * w * (1 - w);
                     });
                   })});
  return rules;
}

/// What is counted for each weight and tick: two for z and two for the update, and two more where
/// a second matrix is formed or kept, as a trace's term and an eligibility are.
double operations_of(const WrittenRule& rule) {
  const bool has_eligibility =
      std::string_view(rule.equations).find("de =") != std::string_view::npos;
  return rule.options.traces.empty() && !has_eligibility ? 4.0 : 6.0;
}

struct EquationSize {
  std::int64_t inputs, outputs, ticks;
};

test::Rows rows_of(const Array& x) {
  const Numbers all = x.to_vector<double>();
  const auto width = static_cast<std::size_t>(x.shape(-1));
  test::Rows rows;
  for (std::size_t i = 0; i < all.size(); i += width) {
    rows.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(i),
                      all.begin() + static_cast<std::ptrdiff_t>(i + width));
  }
  return rows;
}

/// How far answers and weights of the first ticks are from the loop's.
double error_of(const WrittenRule& rule, const Array& start, const Array& x, HebbianLayer& layer) {
  const std::int64_t ticks = std::min(kCheckedTicks, x.shape(1));
  const Array part = x.slice(1, 0, ticks).copy();
  test::ReferenceLayer reference;
  reference.rule = rule.loop;
  reference.w = rows_of(start);
  TickOfStream stream;
  stream.neurons = static_cast<int>(start.shape(0));
  stream.inputs = static_cast<int>(start.shape(1));
  stream.e.assign(reference.w.size(), Numbers(reference.w[0].size()));
  for (const char* const name : {"v", "post", "g"}) {
    stream.memory[name].assign(reference.w.size(), 0.0);
  }
  for (const auto& [name, tau] : rule.options.traces) {
    stream.trace[name].assign(reference.w[0].size(), 0.0);
    reference.trace_keeps[name] = std::exp(-1.0 / std::get<double>(tau));
  }
  reference.streams = {stream};
  Doubles answers;
  for (const Numbers& sample : rows_of(part)) {
    reference.tick({sample});
    answers.insert(answers.end(), reference.streams[0].y.begin(), reference.streams[0].y.end());
  }
  Doubles weights;
  for (const Numbers& row : reference.w) weights.insert(weights.end(), row.begin(), row.end());
  const Array found = layer.process(part, true);
  return std::max(relative_error(found.to_vector<double>(), answers),
                  relative_error(layer.weights().to_vector<double>(), weights));
}

Task prepare(const WrittenRule& rule, const EquationSize& size) {
  const Shape shape = {1, size.ticks, size.inputs};
  const Array x =
      rule.events < 1.0
          ? less(random_uniform(shape, 0.0, 1.0, DType::float64, RandomStream::named(1, "spikes")),
                 rule.events)
                .astype(DType::float32)
          : normal_input(shape, 1, DType::float32, 0.3);
  const Array start = normal_input({size.outputs, size.inputs}, 2, DType::float32,
                                   1.0 / std::sqrt(static_cast<double>(size.inputs)));
  const auto layer = std::make_shared<HebbianLayer>(
      size.inputs, size.outputs,
      HebbianOptions{.rule = EquationRule(rule.equations, rule.options)});
  const auto reset = [=] {
    layer->set_weights(start);
    layer->reset_state();
  };
  return {.run = [=] { return layer->process(x, true); },
          .error =
              [=] {
                reset();
                const double error = error_of(rule, start, x, *layer);
                reset();
                // And nothing runs away on the whole way.
                const bool finite = first_not_finite(layer->process(x, true)) < 0;
                return finite ? error : std::numeric_limits<double>::infinity();
              },
          .reset = reset};
}

}  // namespace

std::vector<Case> equation_cases(bool quick) {
  const std::vector<EquationSize> sizes =
      quick ? std::vector<EquationSize>{{40, 80, 100}}
            : std::vector<EquationSize>{{784, 400, 2048}, {1000, 2000, 512}, {10, 20, 20000}};
  std::vector<Case> cases;
  for (const EquationSize& size : sizes) {
    for (const WrittenRule& rule : written_rules()) {
      cases.push_back({.name = std::string("equations/") + rule.name + "/" +
                               joined_sizes({size.inputs, size.outputs, size.ticks}) + "/float32",
                       .prepare = [=](const Arrays&) { return prepare(rule, size); },
                       .flops = operations_of(rule) *
                                static_cast<double>(size.inputs * size.outputs * size.ticks) *
                                rule.events,
                       .items = static_cast<double>(size.ticks),
                       .tolerance = 1e-4});
    }
  }
  return cases;
}

}  // namespace gaia::bench
