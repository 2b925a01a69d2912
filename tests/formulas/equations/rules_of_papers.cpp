// SPDX-License-Identifier: MIT
#include "rules.h"

namespace gaia::test {
namespace {

using Size = std::size_t;

void answer_by_activation(Layer& l) {
  l.neurons([&](Size i) { l.y[i] = l.f(i); });
}

Numbers drives(const Layer& l) {
  Numbers z(Layer::kNeurons);
  for (Size i = 0; i < z.size(); ++i) z[i] = l.z(i);
  return z;
}

std::vector<Rule> of_rates() {
  return {
      {"dw = rate*y*(x - y*w)",
       {"rate"},
       [](Layer& l) {
         answer_by_activation(l);
         l.weights_each(
             [&](Size i, Size j) { l.dw(i, j) = 0.05 * l.y[i] * (l.x(j) - l.y[i] * l.w(i, j)); });
       }},
      {"dw = rate*y*(y - th)*x\nth = th + (y^2 - th)/tau",
       {"rate", "tau"},
       [](Layer& l) {
         answer_by_activation(l);
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) = 0.05 * l.y[i] * (l.y[i] - l.m("th", i)) * l.x(j);
         });
         l.neurons([&](Size i) { l.m("th", i) += (l.y[i] * l.y[i] - l.m("th", i)) / 4; });
       },
       true,
       {{"th", 1.0}}},
      {"dw = rate*y*(y - th)*x/th\nth = th + (y^2 - th)/tau",
       {"rate", "tau"},
       [](Layer& l) {
         answer_by_activation(l);
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) = 0.05 * l.y[i] * (l.y[i] - l.m("th", i)) * l.x(j) / l.m("th", i);
         });
         l.neurons([&](Size i) { l.m("th", i) += (l.y[i] * l.y[i] - l.m("th", i)) / 4; });
       },
       true,
       {{"th", 1.0}}},
      {"y_mean = y_mean + (y - y_mean)/tau\ndw = rate*(y - y_mean)*(x - (1 - exp(-1/tau))*x_sum)",
       {"rate", "tau"},
       [](Layer& l) {
         answer_by_activation(l);
         l.neurons([&](Size i) { l.m("y_mean", i) += (l.y[i] - l.m("y_mean", i)) / 4; });
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) = 0.05 * (l.y[i] - l.m("y_mean", i)) *
                        (l.x(j) - (1 - std::exp(-0.25)) * l.trace("x_sum", j));
         });
       },
       true,
       {},
       {{"x_sum", "tau"}}},
      {"y = softmax(z/temperature)\ndw = rate*y*(x - z*w)",
       {"rate", "temperature"},
       [](Layer& l) {
         const double sum = Layer::sum([&](Size k) { return std::exp(l.z(k) / 0.7); });
         l.neurons([&](Size i) { l.y[i] = std::exp(l.z(i) / 0.7) / sum; });
         l.weights_each(
             [&](Size i, Size j) { l.dw(i, j) = 0.05 * l.y[i] * (l.x(j) - l.z(i) * l.w(i, j)); });
       }},
      {"g = (rank(z) == 0) - delta*(rank(z) == k - 1)\ndw = rate*g*(x - z*w)",
       {"rate", "delta", "k"},
       [](Layer& l) {
         answer_by_activation(l);
         const Numbers z = drives(l);
         l.neurons([&](Size i) {
           l.m("g", i) = (Layer::rank(z, i) == 0) - 0.4 * (Layer::rank(z, i) == 1);
         });
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) = 0.05 * l.m("g", i) * (l.x(j) - z[i] * l.w(i, j));
         });
       }},
      {"y = winner(z)\ndw = rate*y*(x - w)",
       {"rate"},
       [](Layer& l) {
         const Numbers z = drives(l);
         l.neurons([&](Size i) { l.y[i] = Layer::rank(z, i) == 0; });
         l.weights_each([&](Size i, Size j) { l.dw(i, j) = 0.05 * l.y[i] * (l.x(j) - l.w(i, j)); });
       }},
      {"ybar = (1 - delta)*ybar + delta*y\ndw = rate*ybar*(x - w)",
       {"rate", "delta"},
       [](Layer& l) {
         answer_by_activation(l);
         l.neurons([&](Size i) { l.m("ybar", i) = 0.6 * l.m("ybar", i) + 0.4 * l.y[i]; });
         l.weights_each(
             [&](Size i, Size j) { l.dw(i, j) = 0.05 * l.m("ybar", i) * (l.x(j) - l.w(i, j)); });
       }},
      {"dw = rate*(a*x*y + b*x + c*y + d)",
       {"rate", "a", "b", "c", "d"},
       [](Layer& l) {
         answer_by_activation(l);
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) = 0.05 * (0.3 * l.x(j) * l.y[i] - 0.2 * l.x(j) + 0.15 * l.y[i] + 0.01);
         });
       }},
      {"dw = rate*(target - y)*x/(d + xx)",
       {"rate", "d"},
       [](Layer& l) {
         answer_by_activation(l);
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) = 0.05 * (l.in.signals[0][i] - l.y[i]) * l.x(j) / (0.01 + l.xx());
         });
       },
       true,
       {},
       {},
       {{"target", true}}},
      {"dw = rate*y*(x - back_upto(y))",
       {"rate"},
       [](Layer& l) {
         answer_by_activation(l);
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) =
               0.05 * l.y[i] * (l.x(j) - Layer::sum([&](Size k) { return l.y[k] * l.w(k, j); }, i));
         });
       }},
  };
}

std::vector<Rule> of_spikes() {
  return {
      {"y = z > theta\npost = exp(-1/tau_post)*post + y\ndw = a_plus*y*pre - a_minus*post*x",
       {"theta", "tau_post", "a_plus", "a_minus"},
       [](Layer& l) {
         l.neurons([&](Size i) {
           l.y[i] = l.z(i) > 0.3;
           l.m("post", i) = std::exp(-1 / 3.0) * l.m("post", i) + l.y[i];
         });
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) = 0.04 * l.y[i] * l.trace("pre", j) - 0.05 * l.m("post", i) * l.x(j);
         });
       },
       true,
       {},
       {{"pre", 20.0}}},
      {"post = exp(-1/tau_post)*post + y\n"
       "dw = a_plus*y*pre*(1 - w) - a_minus*post*x*w",
       {"tau_post", "a_plus", "a_minus"},
       [](Layer& l) {
         answer_by_activation(l);
         l.neurons([&](Size i) { l.m("post", i) = std::exp(-1 / 3.0) * l.m("post", i) + l.y[i]; });
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) = 0.04 * l.y[i] * l.trace("pre", j) * (1 - l.w(i, j)) -
                        0.05 * l.m("post", i) * l.x(j) * l.w(i, j);
         });
       },
       false,
       {},
       {{"pre", 20.0}}},
      {"dw = y*r1*(a_plus + b*o2) - x*o1*(a_minus + c)\no1 = exp(-1/tau)*o1 + y\no2 = "
       "exp(-1/tau_post)*o2 + y",
       {"a_plus", "a_minus", "b", "c", "tau", "tau_post"},
       [](Layer& l) {
         answer_by_activation(l);
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) = l.y[i] * l.trace("r1", j) * (0.04 - 0.2 * l.m("o2", i)) -
                        l.x(j) * l.m("o1", i) * 0.2;
         });
         l.neurons([&](Size i) {
           l.m("o1", i) = std::exp(-0.25) * l.m("o1", i) + l.y[i];
           l.m("o2", i) = std::exp(-1 / 3.0) * l.m("o2", i) + l.y[i];
         });
       },
       true,
       {},
       {{"r1", 10.0}}},
      {"post = exp(-1/tau_post)*post + y\nde = -e/tau + a_plus*y*pre - a_minus*post*x\ndw = "
       "reward*e",
       {"tau", "tau_post", "a_plus", "a_minus"},
       [](Layer& l) {
         answer_by_activation(l);
         l.neurons([&](Size i) { l.m("post", i) = std::exp(-1 / 3.0) * l.m("post", i) + l.y[i]; });
         l.weights_each([&](Size i, Size j) {
           l.de(i, j) =
               -l.e(i, j) / 4 + 0.04 * l.y[i] * l.trace("pre", j) - 0.05 * l.m("post", i) * l.x(j);
           l.dw(i, j) = l.in.signals[0][0] * (l.e(i, j) + l.de(i, j));
         });
       },
       true,
       {},
       {{"pre", 20.0}},
       {{"reward", false}}},
      {"v = leak*v + z\ny = v > theta\nv = v*(1 - y)\ndw = rate*y*(x - w)",
       {"leak", "theta", "rate"},
       [](Layer& l) {
         l.neurons([&](Size i) {
           l.m("v", i) = 0.8 * l.m("v", i) + l.z(i);
           l.y[i] = l.m("v", i) > 0.3;
           if (l.y[i] != 0) l.m("v", i) = 0;
         });
         l.weights_each([&](Size i, Size j) { l.dw(i, j) = 0.05 * l.y[i] * (l.x(j) - l.w(i, j)); });
       },
       true,
       {},
       {},
       {},
       {"v"}},
  };
}

}  // namespace

std::vector<Rule> rules_of_papers() {
  std::vector<Rule> rules = of_rates();
  const std::vector<Rule> more = of_spikes();
  rules.insert(rules.end(), more.begin(), more.end());
  return rules;
}

}  // namespace gaia::test
