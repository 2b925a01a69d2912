// SPDX-License-Identifier: MIT
#include "rules.h"

namespace gaia::test {
namespace {

using Size = std::size_t;

/// y of all neurons is f(z).
void answer(Layer& l) {
  l.neurons([&](Size i) { l.y[i] = l.f(i); });
}

}  // namespace

std::vector<Rule> rules_of_lines() {
  return {
      {"dw = rate*y*x",
       {"rate"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) { l.dw(i, j) = 0.05 * l.y[i] * l.x(j); });
       }},
      {"# A comment\r\n\r\ndw = rate * (y  # of the answer\r\n   * x\r\n)\r\n",
       {"rate"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) { l.dw(i, j) = 0.05 * l.y[i] * l.x(j); });
       }},
      // Above its line a memory is last tick's, below it the new one.
      {"m = m + (y - m)/tau\ndw = rate*m*x",
       {"rate", "tau"},
       [](Layer& l) {
         answer(l);
         l.neurons([&](Size i) { l.m("m", i) += (l.y[i] - l.m("m", i)) / 4.0; });
         l.weights_each([&](Size i, Size j) { l.dw(i, j) = 0.05 * l.m("m", i) * l.x(j); });
       },
       true,
       {{"m", 0.25}}},
      {"dw = rate*m*x\nm = m + (y - m)/tau",
       {"rate", "tau"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) { l.dw(i, j) = 0.05 * l.m("m", i) * l.x(j); });
         l.neurons([&](Size i) { l.m("m", i) += (l.y[i] - l.m("m", i)) / 4.0; });
       },
       true,
       {{"m", 0.25}}},
      // Above its line y is f(z).
      {"m = y\ny = 2*z\nm = m + y\ny = y - m\ndw = m*x + y*w",
       {},
       [](Layer& l) {
         l.neurons([&](Size i) {
           l.m("m", i) = l.f(i) + 2 * l.z(i);
           l.y[i] = 2 * l.z(i) - l.m("m", i);
         });
         l.weights_each(
             [&](Size i, Size j) { l.dw(i, j) = l.m("m", i) * l.x(j) + l.y[i] * l.w(i, j); });
       },
       true,
       {},
       {},
       {},
       {"m"}},
      {"de = y*x - e/tau\ndw = rate*e",
       {"rate", "tau"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) {
           l.de(i, j) = l.y[i] * l.x(j) - l.e(i, j) / 4.0;
           l.dw(i, j) = 0.05 * (l.e(i, j) + l.de(i, j));
         });
       }},
      {"dw = rate*e\nde = y*x - e/tau",
       {"rate", "tau"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) {
           l.de(i, j) = l.y[i] * l.x(j) - l.e(i, j) / 4.0;
           l.dw(i, j) = 0.05 * l.e(i, j);
         });
       }},
      {"de = rate*y\ndw = e - rate",
       {"rate"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) {
           l.de(i, j) = 0.05 * l.y[i];
           l.dw(i, j) = l.e(i, j) + l.de(i, j) - 0.05;
         });
       }},
      {"de = rate*x*w - e\ndw = rate*e + e*e",
       {"rate"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) {
           l.de(i, j) = 0.05 * l.x(j) * l.w(i, j) - l.e(i, j);
           const double e = l.e(i, j) + l.de(i, j);
           l.dw(i, j) = 0.05 * e + e * e;
         });
       },
       false},
      {"dw = rate*e - rate*back(y)\nde = y*back_upto(y) - e/tau",
       {"rate", "tau"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) {
           const auto back = [&](Size k) { return l.y[k] * l.w(k, j); };
           l.dw(i, j) = 0.05 * l.e(i, j) - 0.05 * Layer::sum(back);
           l.de(i, j) = l.y[i] * Layer::sum(back, i) - l.e(i, j) / 4.0;
         });
       }},
      {"dw = rate*(back(y*z) - z*back(relu(y)) + back(1) - back_upto(xx) + back(y))",
       {"rate"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) {
           const auto sum = [&](const auto& of, Size last = Layer::kNeurons - 1) {
             return Layer::sum([&](Size k) { return of(k) * l.w(k, j); }, last);
           };
           l.dw(i, j) =
               0.05 * (sum([&](Size k) { return l.y[k] * l.z(k); }) -
                       l.z(i) * sum([&](Size k) { return l.y[k] > 0 ? l.y[k] : 0; }) +
                       sum([](Size) { return 1.0; }) - sum([&](Size) { return l.xx(); }, i) +
                       sum([&](Size k) { return l.y[k]; }));
         });
       }},
      {"dw = rate*abs(x - back(y))",
       {"rate"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) =
               0.05 * std::abs(l.x(j) - Layer::sum([&](Size k) { return l.y[k] * l.w(k, j); }));
         });
       },
       false},
      {"dw = a*pre - b*slow*y + c*x",
       {"a", "b", "c", "tau"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) = 0.3 * l.trace("pre", j) + 0.2 * l.trace("slow", j) * l.y[i] + 0.15 * l.x(j);
         });
       },
       true,
       {},
       {{"slow", "tau"}, {"pre", 1.5}}},
      {"y = target\ndw = gate*(target - z)*x*reward",
       {},
       [](Layer& l) {
         l.neurons([&](Size i) { l.y[i] = l.in.signals[1][i]; });
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) =
               l.in.signals[2][i] * (l.in.signals[1][i] - l.z(i)) * l.x(j) * l.in.signals[0][0];
         });
       },
       true,
       {},
       {},
       {{"reward", false}, {"target", true}, {"gate", true}}},
      {"dw = rate",
       {"rate"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) { l.dw(i, j) = 0.05; });
       }},
      {"dw = rate*y",
       {"rate"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) { l.dw(i, j) = 0.05 * l.y[i]; });
       }},
      {"dw = x",
       {},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) { l.dw(i, j) = l.x(j); });
       }},
      {"dw = rate*x*t/(1 + xx)/n_in - n_out*0.001*w*learning",
       {"rate"},
       [](Layer& l) {
         answer(l);
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) = 0.05 * l.x(j) * static_cast<double>(l.in.t) / (1 + l.xx()) / 5.0 -
                        4.0 * 0.001 * l.w(i, j);
         });
       }},
      {"y = z", {}, [](Layer& l) { l.neurons([&](Size i) { l.y[i] = l.z(i); }); }},
      {"m = z",
       {},
       [](Layer& l) {
         answer(l);
         l.neurons([&](Size i) { l.m("m", i) = l.z(i); });
       }},
      {"s = sum(z)\nm = xx\nk3 = 3\ndw = rate*(s + m)*x/k3",
       {"rate"},
       [](Layer& l) {
         answer(l);
         l.neurons([&](Size i) {
           l.m("s", i) = Layer::sum([&](Size k) { return l.z(k); });
           l.m("m", i) = l.xx();
           l.m("k3", i) = 3;
         });
         l.weights_each(
             [&](Size i, Size j) { l.dw(i, j) = 0.05 * (l.m("s", i) + l.m("m", i)) * l.x(j) / 3; });
       }},
      {"m = ww\ny = winner(2*z - ww - xx)\ndw = rate*(y*(x - w) - ww*w)",
       {"rate"},
       [](Layer& l) {
         Numbers near(Layer::kNeurons);
         l.neurons([&](Size i) { near[i] = 2 * l.z(i) - l.ww(i) - l.xx(); });
         l.neurons([&](Size i) {
           l.m("m", i) = l.ww(i);
           l.y[i] = Layer::rank(near, i) == 0;
         });
         l.weights_each([&](Size i, Size j) {
           l.dw(i, j) = 0.05 * (l.y[i] * (l.x(j) - l.w(i, j)) - l.ww(i) * l.w(i, j));
         });
       }},
      // Memories change places.
      {"c1 = a1\na1 = b1\nb1 = c1\ny = a1",
       {},
       [](Layer& l) {
         l.neurons([&](Size i) {
           l.m("c1", i) = l.m("a1", i);
           std::swap(l.m("a1", i), l.m("b1", i));
           l.y[i] = l.m("a1", i);
         });
       },
       true,
       {{"a1", 1.0}, {"b1", 2.0}},
       {},
       {},
       {"a1", "b1", "c1"}},
      {"y = m\nm = m",
       {},
       [](Layer& l) { l.neurons([&](Size i) { l.y[i] = l.m("m", i); }); },
       true,
       {{"m", 0.5}},
       {},
       {},
       {"m"}},
      // When still: what y is computed from, directly or through others.
      {"m1 = m1 + z\nm2 = m2 + m1\ny = tanh(m2) + q\nm3 = m3 + y + learning\nq = 0.5*q + 0.1*z\ndw "
       "= rate*m3*x",
       {"rate"},
       [](Layer& l) {
         l.neurons([&](Size i) {
           l.m("m1", i) += l.z(i);
           l.m("m2", i) += l.m("m1", i);
           l.y[i] = std::tanh(l.m("m2", i)) + l.m("q", i);
           l.m("m3", i) += l.y[i] + 1;
           l.m("q", i) = 0.5 * l.m("q", i) + 0.1 * l.z(i);
         });
         l.weights_each([&](Size i, Size j) { l.dw(i, j) = 0.05 * l.m("m3", i) * l.x(j); });
       },
       true,
       {{"q", 0.3}},
       {},
       {},
       {"m1", "m2", "q"}},
      // Also what y is computed from through an earlier y.
      {"y = n*z + 1\nn = n + 0.1\ny = 2*y\nk1 = k1 + y",
       {},
       [](Layer& l) {
         l.neurons([&](Size i) {
           l.y[i] = 2 * (l.m("n", i) * l.z(i) + 1);
           l.m("n", i) += 0.1;
           l.m("k1", i) += l.y[i];
         });
       },
       true,
       {{"n", 0.5}},
       {},
       {},
       {"n"}},
      // A memory that y reads only below its line goes on as well.
      {"m = 2*z + n\nn = learning\ny = m\nm = m + 1",
       {},
       [](Layer& l) {
         l.neurons([&](Size i) {
           l.y[i] = 2 * l.z(i) + l.m("n", i);
           l.m("n", i) = l.in.learns;
           l.m("m", i) = l.y[i] + 1;
         });
       },
       true,
       {},
       {},
       {},
       {"m", "n"}},
  };
}

}  // namespace gaia::test
