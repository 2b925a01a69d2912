// SPDX-License-Identifier: MIT
/// \file
/// Texts of rules, and loops that do what they say.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "../../src/learning/equation_rule.h"
#include "equation_reference.h"

namespace gaia::test {

struct RuleCase {
  std::string name;
  std::string equations;
  EquationRuleOptions options;
  RuleOfTick rule;
  bool chunkwise = true;  ///< Runs through products where nothing else keeps it from them.
  bool spikes = false;    ///< The input is 0 or 1.
};

inline Numbers of_each(Numbers a, double (*f)(double)) {
  for (double& value : a) value = f(value);
  return a;
}

inline Numbers softmax_of(Numbers a) {
  const double most = *std::max_element(a.begin(), a.end());
  double sum = 0;
  for (double& value : a) sum += value = std::exp(value - most);
  for (double& value : a) value /= sum;
  return a;
}

inline Numbers rank_of(const Numbers& a) {
  Numbers rank(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      if (a[j] > a[i] || (a[j] == a[i] && j < i)) rank[i] += 1;
    }
  }
  return rank;
}

/// For layers of so many neurons.
inline std::vector<RuleCase> rule_cases(int neurons) {
  std::vector<RuleCase> cases;
  const auto add = [&](std::string name, std::string equations, EquationRuleOptions options,
                       RuleOfTick rule, bool chunkwise = true, bool spikes = false) {
    cases.push_back({std::move(name), std::move(equations), std::move(options), std::move(rule),
                     chunkwise, spikes});
  };
  add("oja", "dw = rate*y*(x - y*w)", {.parameters = {{"rate", 0.02}}}, [](TickOfStream& s) {
    s.y = s.z;
    s.each([&](Size i, Size j) { s.dw[i][j] = 0.02 * s.y[i] * (s.x[j] - s.y[i] * (*s.w)[i][j]); });
  });
  add("bcm", "dw = rate*y*(y - theta)*x\ntheta = theta + (y^2 - theta)/tau",
      {.parameters = {{"rate", 0.003}, {"tau", 20}}, .memory = {{"theta", 0.7}}},
      [](TickOfStream& s) {
        s.y = s.z;
        s.each([&](Size i, Size j) {
          s.dw[i][j] = 0.003 * s.y[i] * (s.y[i] - s.memory["theta"][i]) * s.x[j];
        });
        for (std::size_t i = 0; i < s.y.size(); ++i) {
          double& theta = s.memory["theta"][i];
          theta += (s.y[i] * s.y[i] - theta) / 20;
        }
      });
  add("abcd", "y = tanh(z)\ndw = rate*(A*x*y + B*x + C*y + D)",
      {.parameters = {{"rate", 0.01}, {"A", 0.5}, {"B", -0.2}, {"C", 0.3}, {"D", 0.1}}},
      [](TickOfStream& s) {
        s.y = of_each(s.z, std::tanh);
        s.each([&](Size i, Size j) {
          s.dw[i][j] = 0.01 * (0.5 * s.x[j] * s.y[i] - 0.2 * s.x[j] + 0.3 * s.y[i] + 0.1);
        });
      });
  add("covariance with decay",
      "y_mean = y_mean + (y - y_mean)/tau\n"
      "dw = rate*(y - y_mean)*(x - (1 - exp(-1/8))*slow) - decay*w",
      {.parameters = {{"rate", 0.02}, {"tau", 30}, {"decay", 0.01}},
       .memory = {{"y_mean", 0.1}},
       .traces = {{"slow", 8.0}}},
      [](TickOfStream& s) {
        s.y = s.z;
        Numbers& mean = s.memory["y_mean"];
        for (std::size_t i = 0; i < s.y.size(); ++i) mean[i] += (s.y[i] - mean[i]) / 30;
        s.each([&](Size i, Size j) {
          s.dw[i][j] =
              0.02 * (s.y[i] - mean[i]) * (s.x[j] - (1 - std::exp(-1.0 / 8)) * s.trace["slow"][j]) -
              0.01 * (*s.w)[i][j];
        });
      });
  add(
      "lif with trace STDP",
      "v = leak*v + z\ny = v > threshold\nv = v*(1 - y)\n"
      "post = exp(-1/tau_post)*post + y\ndw = a_plus*y*pre - a_minus*post*x",
      {.parameters = {{"leak", 0.9},
                      {"threshold", 0.8},
                      {"tau_post", 15},
                      {"a_plus", 0.01},
                      {"a_minus", 0.012}},
       .traces = {{"pre", 12.0}}},
      [](TickOfStream& s) {
        Numbers& v = s.memory["v"];
        Numbers& post = s.memory["post"];
        s.y.assign(s.z.size(), 0.0);
        for (std::size_t i = 0; i < s.z.size(); ++i) {
          v[i] = 0.9 * v[i] + s.z[i];
          s.y[i] = v[i] > 0.8 ? 1 : 0;
          v[i] = v[i] * (1 - s.y[i]);
          post[i] = std::exp(-1.0 / 15) * post[i] + s.y[i];
        }
        s.each([&](Size i, Size j) {
          s.dw[i][j] = 0.01 * s.y[i] * s.trace["pre"][j] - 0.012 * post[i] * s.x[j];
        });
      },
      true, true);
  add("three factors", "y = tanh(z)\nde = -e/tau_e + y*x\ndw = rate*reward*e - decay*w",
      {.parameters = {{"rate", 0.01}, {"tau_e", 5}, {"decay", 0.002}},
       .signals = {{.name = "reward", .columns = {"gain"}}}},
      [](TickOfStream& s) {
        s.y = of_each(s.z, std::tanh);
        s.each([&](Size i, Size j) {
          s.e[i][j] += -s.e[i][j] / 5 + s.y[i] * s.x[j];
          s.dw[i][j] = 0.01 * s.signals["reward"][i] * s.e[i][j] - 0.002 * (*s.w)[i][j];
        });
      });
  add("eligibility of traces and weights, above and below",
      "dw = rate*(e + 0.1*z*e) + 0.01*post*slow\npost = 0.8*post + y\n"
      "de = -0.2*e + post*x + 0.05*w + 0.03*slow + 0.01*y",
      {.parameters = {{"rate", 0.01}}, .traces = {{"slow", 6.0}}}, [](TickOfStream& s) {
        s.y = s.z;
        const Numbers before = s.memory["post"];
        for (std::size_t i = 0; i < s.y.size(); ++i) {
          s.memory["post"][i] = 0.8 * before[i] + s.y[i];
        }
        s.each([&](Size i, Size j) {
          s.dw[i][j] =
              0.01 * (s.e[i][j] + 0.1 * s.z[i] * s.e[i][j]) + 0.01 * before[i] * s.trace["slow"][j];
          s.e[i][j] += -0.2 * s.e[i][j] + s.memory["post"][i] * s.x[j] + 0.05 * (*s.w)[i][j] +
                       0.03 * s.trace["slow"][j] + 0.01 * s.y[i];
        });
      });
  add("eligibility of no sample", "de = y - e/3\ndw = rate*(e + z*w)",
      {.parameters = {{"rate", 0.01}}}, [](TickOfStream& s) {
        s.y = s.z;
        s.each([&](Size i, Size j) {
          s.e[i][j] += s.y[i] - s.e[i][j] / 3;
          s.dw[i][j] = 0.01 * (s.e[i][j] + s.z[i] * (*s.w)[i][j]);
        });
      });
  add("softhebb", "y = softmax(z/temperature)\ndw = rate*y*(x - z*w)",
      {.parameters = {{"rate", 0.05}, {"temperature", 0.7}}}, [](TickOfStream& s) {
        Numbers u = s.z;
        for (double& value : u) value /= 0.7;
        s.y = softmax_of(u);
        s.each(
            [&](Size i, Size j) { s.dw[i][j] = 0.05 * s.y[i] * (s.x[j] - s.z[i] * (*s.w)[i][j]); });
      });
  add("krotov_hopfield",
      "y = relu(z)\ng = (rank(z) == 0) - delta*(rank(z) == k - 1)\n"
      "dw = rate*g*(x - z*w)",
      {.parameters = {{"rate", 0.02}, {"delta", 0.4}, {"k", 3}}}, [](TickOfStream& s) {
        const Numbers rank = rank_of(s.z);
        s.y = s.z;
        for (double& y : s.y) y = std::max(y, 0.0);
        s.memory["g"].assign(s.z.size(), 0.0);
        for (std::size_t i = 0; i < s.z.size(); ++i) {
          s.memory["g"][i] = (rank[i] == 0) - 0.4 * (rank[i] == 2);
        }
        s.each([&](Size i, Size j) {
          s.dw[i][j] = 0.02 * s.memory["g"][i] * (s.x[j] - s.z[i] * (*s.w)[i][j]);
        });
      });
  // Ranks that are only compared, and such that are numbers beside.
  add("comparisons of ranks",
      "y = relu(z)\ng = (rank(z) < k) - 0.3*(2 >= rank(z)) + 0.2*(rank(y - z) != 1)\n"
      "post = rank(-z) > 3\ndw = rate*(g + 0.1*post + 0.01*rank(z))*(x - z*w)",
      {.parameters = {{"rate", 0.02}, {"k", 4}}}, [](TickOfStream& s) {
        const Numbers rank = rank_of(s.z);
        s.y = s.z;
        for (double& y : s.y) y = std::max(y, 0.0);
        Numbers missing = s.z;
        for (std::size_t i = 0; i < missing.size(); ++i) missing[i] = s.y[i] - s.z[i];
        const Numbers rank_of_missing = rank_of(missing);
        Numbers turned = s.z;
        for (double& value : turned) value = -value;
        const Numbers rank_of_turned = rank_of(turned);
        Numbers& g = s.memory["g"];
        Numbers& post = s.memory["post"];
        g.assign(s.z.size(), 0.0);
        post = g;
        for (std::size_t i = 0; i < s.z.size(); ++i) {
          g[i] = (rank[i] < 4) - 0.3 * (rank[i] <= 2) + 0.2 * (rank_of_missing[i] != 1);
          post[i] = rank_of_turned[i] > 3;
        }
        s.each([&](Size i, Size j) {
          s.dw[i][j] =
              0.02 * (g[i] + 0.1 * post[i] + 0.01 * rank[i]) * (s.x[j] - s.z[i] * (*s.w)[i][j]);
        });
      });
  add("kwta and sums over the layer",
      "y = kwta(z, 4)\ndw = rate*(y - mean(y) + 0.1*winner(z)*largest(z))*x",
      {.parameters = {{"rate", 0.02}}}, [](TickOfStream& s) {
        const Numbers rank = rank_of(s.z);
        s.y = s.z;
        for (std::size_t i = 0; i < s.y.size(); ++i) {
          if (rank[i] >= 4) s.y[i] = 0;
        }
        const double mean =
            std::accumulate(s.y.begin(), s.y.end(), 0.0) / static_cast<double>(s.y.size());
        const double most = *std::max_element(s.z.begin(), s.z.end());
        s.each([&](Size i, Size j) {
          s.dw[i][j] = 0.02 * (s.y[i] - mean + 0.1 * (rank[i] == 0) * most) * s.x[j];
        });
      });
  add("the nearest neuron", "near = 2*z - ww - xx\ny = winner(near)\ndw = rate*y*(x - w) - decay*w",
      {.parameters = {{"rate", 0.3}, {"decay", 0.001}}}, [](TickOfStream& s) {
        Numbers& near = s.memory["near"];
        near.assign(s.z.size(), 0.0);
        for (std::size_t i = 0; i < near.size(); ++i) {
          near[i] = 2 * s.z[i] - s.squared_weights(i) - s.squared_length();
        }
        s.y = rank_of(near);
        for (double& y : s.y) y = y == 0 ? 1 : 0;
        s.each([&](Size i, Size j) {
          const double w = (*s.w)[i][j];
          s.dw[i][j] = 0.3 * s.y[i] * (s.x[j] - w) - 0.001 * w;
        });
      });
  add("lengths of neurons that do not see each other",
      "g = ww\ny = z*(1 - ww)\ndw = rate*(y*x - ww*w + where(t > 9, 0.3, 0)*w)",
      {.parameters = {{"rate", 0.02}}}, [](TickOfStream& s) {
        s.y = s.z;
        for (std::size_t i = 0; i < s.y.size(); ++i) s.y[i] *= 1 - s.squared_weights(i);
        s.each([&](Size i, Size j) {
          const double ww = s.squared_weights(i);
          s.dw[i][j] =
              0.02 * (s.y[i] * s.x[j] - ww * (*s.w)[i][j] + (s.t > 9 ? 0.3 : 0.0) * (*s.w)[i][j]);
        });
        Numbers& g = s.memory["g"];
        g.assign(s.z.size(), 0.0);
        for (std::size_t i = 0; i < g.size(); ++i) g[i] = s.squared_weights(i);
      });
  add(
      "lengths beside a trace", "dw = rate*(y*pre - ww*w) + 0.001*ww",
      {.parameters = {{"rate", 0.02}}, .traces = {{"pre", 5.0}}},
      [](TickOfStream& s) {
        s.y = s.z;
        s.each([&](Size i, Size j) {
          const double ww = s.squared_weights(i);
          s.dw[i][j] = 0.02 * (s.y[i] * s.trace["pre"][j] - ww * (*s.w)[i][j]) + 0.001 * ww;
        });
      },
      false);
  EquationSignalSource targets{.name = "target", .columns = {}, .is_list = true};
  for (int i = 0; i < neurons; ++i) targets.columns.push_back("target_" + std::to_string(i));
  add("nlms", "dw = rate*(target - y)*x/(0.5 + xx)",
      {.parameters = {{"rate", 0.3}}, .signals = {targets}}, [](TickOfStream& s) {
        s.y = s.z;
        s.each([&](Size i, Size j) {
          s.dw[i][j] =
              0.3 * (s.signals["target"][i] - s.y[i]) * s.x[j] / (0.5 + s.squared_length());
        });
      });
  add("labels", "y = sigmoid(z)\ndw = rate*(truth - y)*x*(1 + 0.01*t)",
      {.parameters = {{"rate", 0.1}}, .signals = {{.name = "truth", .is_labels = true}}},
      [](TickOfStream& s) {
        s.y = s.z;
        for (double& y : s.y) y = 1 / (1 + std::exp(-y));
        s.each([&](Size i, Size j) {
          s.dw[i][j] = 0.1 * (s.signals["truth"][i] - s.y[i]) * s.x[j] * (1 + 0.01 * s.t);
        });
      });
  add("oja_subspace", "dw = rate*y*(x - back(y))", {.parameters = {{"rate", 0.02}}},
      [](TickOfStream& s) {
        s.y = s.z;
        const Numbers r = s.back(s.y, s.neurons - 1);
        s.each([&](Size i, Size j) { s.dw[i][j] = 0.02 * s.y[i] * (s.x[j] - r[j]); });
      });
  add("two that go back, beside all else",
      "post = 0.8*post + y\n"
      "dw = rate*y*(x - back(y)) - decay*w + 0.01*post*pre + 0.002*y + 0.004*back(tanh(z))*post",
      {.parameters = {{"rate", 0.02}, {"decay", 0.003}}, .traces = {{"pre", 5.0}}},
      [](TickOfStream& s) {
        s.y = s.z;
        const Numbers bent = of_each(s.z, std::tanh);
        const Numbers r = s.back(s.y, s.neurons - 1);
        const Numbers q = s.back(bent, s.neurons - 1);
        Numbers& post = s.memory["post"];
        for (std::size_t i = 0; i < post.size(); ++i) post[i] = 0.8 * post[i] + s.y[i];
        s.each([&](Size i, Size j) {
          s.dw[i][j] = 0.02 * s.y[i] * (s.x[j] - r[j]) - 0.003 * (*s.w)[i][j] +
                       0.01 * post[i] * s.trace["pre"][j] + 0.002 * s.y[i] + 0.004 * q[j] * post[i];
        });
      });
  add("oja_subspace that soon forgets", "dw = rate*y*(x - back(y)) - 0.3*w",
      {.parameters = {{"rate", 0.02}}}, [](TickOfStream& s) {
        s.y = s.z;
        const Numbers r = s.back(s.y, s.neurons - 1);
        s.each([&](Size i, Size j) {
          s.dw[i][j] = 0.02 * s.y[i] * (s.x[j] - r[j]) - 0.3 * (*s.w)[i][j];
        });
      });
  add("sanger", "dw = rate*y*(x - back_upto(y))", {.parameters = {{"rate", 0.02}}},
      [](TickOfStream& s) {
        s.y = s.z;
        s.each_upto(s.y,
                    [&](Size n, Size j, double r) { s.dw[n][j] = 0.02 * s.y[n] * (s.x[j] - r); });
      });
  add("sanger beside all else",
      "post = 0.8*post + y\n"
      "dw = rate*y*(x - back_upto(y)) - decay*w + 0.01*post*pre + 0.002*y",
      {.parameters = {{"rate", 0.02}, {"decay", 0.003}}, .traces = {{"pre", 5.0}}},
      [](TickOfStream& s) {
        s.y = s.z;
        Numbers& post = s.memory["post"];
        for (std::size_t i = 0; i < post.size(); ++i) post[i] = 0.8 * post[i] + s.y[i];
        s.each_upto(s.y, [&](Size n, Size j, double r) {
          s.dw[n][j] = 0.02 * s.y[n] * (s.x[j] - r) - 0.003 * (*s.w)[n][j] +
                       0.01 * post[n] * s.trace["pre"][j] + 0.002 * s.y[n];
        });
      });
  // Some ticks take of their sums what they add of the sample, others do not.
  add("sanger whose sample counts more at some ticks",
      "dw = rate*y*(where(t > 5, where(t < 12, 1.5, 1), 1)*x - back_upto(y))",
      {.parameters = {{"rate", 0.02}}}, [](TickOfStream& s) {
        s.y = s.z;
        const double share = s.t > 5 && s.t < 12 ? 1.5 : 1.0;
        s.each_upto(s.y, [&](Size n, Size j, double r) {
          s.dw[n][j] = 0.02 * s.y[n] * (share * s.x[j] - r);
        });
      });
  add("several that go back, up to a neuron and over all",
      "dw = rate*(y*(x - back_upto(y)) + 0.3*z*back_upto(tanh(z)) - 0.2*y*back(y)) "
      "- 0.003*w + 0.01*y*pre",
      {.parameters = {{"rate", 0.02}}, .traces = {{"pre", 5.0}}}, [](TickOfStream& s) {
        s.y = s.z;
        const Numbers bent = of_each(s.z, std::tanh);
        const Numbers all = s.back(s.y, s.neurons - 1);
        for (int i = 0; i < s.neurons; ++i) {
          const Numbers r = s.back(s.y, i);
          const Numbers q = s.back(bent, i);
          const auto n = static_cast<std::size_t>(i);
          for (std::size_t j = 0; j < r.size(); ++j) {
            s.dw[n][j] =
                0.02 * (s.y[n] * (s.x[j] - r[j]) + 0.3 * s.z[n] * q[j] - 0.2 * s.y[n] * all[j]) -
                0.003 * (*s.w)[n][j] + 0.01 * s.y[n] * s.trace["pre"][j];
          }
        }
      });
  add(
      "soft bounds", "y = relu(z)\ndw = rate*y*x*w*(1 - w) + 0.001*exp(-abs(w))*pre",
      {.parameters = {{"rate", 0.05}}, .traces = {{"pre", 3.0}}},
      [](TickOfStream& s) {
        s.y = s.z;
        for (double& y : s.y) y = std::max(y, 0.0);
        s.each([&](Size i, Size j) {
          const double w = (*s.w)[i][j];
          s.dw[i][j] = 0.05 * s.y[i] * s.x[j] * w * (1 - w) +
                       0.001 * std::exp(-std::abs(w)) * s.trace["pre"][j];
        });
      },
      false);
  return cases;
}

}  // namespace gaia::test
