// SPDX-License-Identifier: MIT
/// \file
/// The random numbers of rules once more, from the papers and docs/rules.md, without the library's
/// generator; and rules that read them, compared with loops.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <string_view>

#include "../../src/core/random.h"
#include "equation_rules.h"

namespace gaia::test {

using PhiloxWords = std::array<std::uint32_t, 4>;

/// Philox4x32-10, Salmon, Moraes, Dror & Shaw (2011), SC'11.
inline PhiloxWords philox_of_paper(PhiloxWords c, std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    k = {k[0] + 0x9E3779B9, k[1] + 0xBB67AE85};
  }
  return c;
}

/// What a layer draws whose initial weights have the stream `random`.
class DrawsOfLayer {
 public:
  explicit DrawsOfLayer(const RandomStream& random)
      : seed_(random.seed), layer_(fnv1a("draws/" + std::to_string(random.stream))) {}

  double uniform(int call, int stream, std::int64_t tick, int neuron) const {
    const PhiloxWords w = words(call, stream, tick, neuron);
    const std::size_t half = neuron % 2 == 0 ? 0 : 2;
    return static_cast<double>(bits53(w[half], w[half + 1])) / 0x1p53;
  }
  double normal(int call, int stream, std::int64_t tick, int neuron) const {
    const PhiloxWords w = words(call, stream, tick, neuron);
    const double radius =
        std::sqrt(-2 * std::log(static_cast<double>(bits53(w[0], w[1]) + 1) / 0x1p53));
    const double angle = 2 * std::numbers::pi * (static_cast<double>(bits53(w[2], w[3])) / 0x1p53);
    return radius * (neuron % 2 == 0 ? std::cos(angle) : std::sin(angle));
  }

 private:
  static PhiloxWords block(std::uint64_t key, std::uint64_t stream, std::uint64_t index) {
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    return philox_of_paper({low(index), low(index >> 32), low(stream), low(stream >> 32)},
                           {low(key), low(key >> 32)});
  }
  PhiloxWords words(int call, int stream, std::int64_t tick, int neuron) const {
    const PhiloxWords w = block(
        seed_, layer_, static_cast<std::uint64_t>(call) << 32 | static_cast<std::uint64_t>(stream));
    const auto joined = [](std::uint64_t low, std::uint64_t high) { return high << 32 | low; };
    return block(joined(w[0], w[1]), joined(w[2], w[3]) + static_cast<std::uint64_t>(tick),
                 static_cast<std::uint64_t>(neuron / 2));
  }
  static std::uint64_t bits53(std::uint64_t high, std::uint64_t low) {
    return (high >> 5) << 26 | low >> 6;
  }
  static std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t value = 0xCBF29CE484222325;
    for (const char each : text) {
      value = (value ^ static_cast<unsigned char>(each)) * 0x100000001B3;
    }
    return value;
  }

  std::uint64_t seed_, layer_;
};

/// Rules that draw, of layers with the stream `random`.
inline std::vector<RuleCase> drawing_cases(const RandomStream& random) {
  const DrawsOfLayer draws(random);
  // The numbers of all neurons of a tick.
  const auto uniform = [draws](const TickOfStream& s, int call) {
    Numbers u(static_cast<std::size_t>(s.neurons));
    for (int i = 0; i < s.neurons; ++i) {
      u[static_cast<std::size_t>(i)] = draws.uniform(call, s.stream, s.t, i);
    }
    return u;
  };
  const auto normal = [draws](const TickOfStream& s, int call) {
    Numbers n(static_cast<std::size_t>(s.neurons));
    for (int i = 0; i < s.neurons; ++i) {
      n[static_cast<std::size_t>(i)] = draws.normal(call, s.stream, s.t, i);
    }
    return n;
  };
  std::vector<RuleCase> cases;
  const auto add = [&](std::string name, std::string equations, EquationRuleOptions options,
                       RuleOfTick rule, bool chunkwise = true, bool spikes = false) {
    cases.push_back({std::move(name), std::move(equations), std::move(options), std::move(rule),
                     chunkwise, spikes});
  };
  add("neurons that fire by chance", "p = sigmoid(z)\ny = uniform() < p\ndw = rate*(y*x - p*w)",
      {.parameters = {{"rate", 0.05}}}, [=](TickOfStream& s) {
        const Numbers u = uniform(s, 0);
        Numbers& p = s.memory["p"];
        s.y = s.z;
        for (std::size_t i = 0; i < p.size(); ++i) {
          p[i] = 1 / (1 + std::exp(-s.z[i]));
          s.y[i] = u[i] < p[i] ? 1 : 0;
        }
        s.each(
            [&](Size i, Size j) { s.dw[i][j] = 0.05 * (s.y[i] * s.x[j] - p[i] * (*s.w)[i][j]); });
      });
  add("a membrane with noise, spikes, traces and noise on weights",
      "v = 0.9*v + z + 0.2*normal()\ny = tanh(v)\n"
      "u = uniform()\n"
      "dw = rate*(y*pre - 0.1*u*w + 0.05*normal() - 0.05*normal()*pre)",
      {.parameters = {{"rate", 0.03}}, .traces = {{"pre", 5.0}}}, [=](TickOfStream& s) {
        const Numbers noise = normal(s, 0);
        const Numbers first = normal(s, 2);
        const Numbers second = normal(s, 3);
        Numbers& v = s.memory["v"];
        s.memory["u"] = uniform(s, 1);
        s.y = s.z;
        for (std::size_t i = 0; i < v.size(); ++i) {
          v[i] = 0.9 * v[i] + s.z[i] + 0.2 * noise[i];
          s.y[i] = std::tanh(v[i]);
        }
        s.each([&](Size i, Size j) {
          const double pre = s.trace["pre"][j];
          s.dw[i][j] = 0.03 * (s.y[i] * pre - 0.1 * s.memory["u"][i] * (*s.w)[i][j] +
                               0.05 * first[i] - 0.05 * second[i] * pre);
        });
      });
  add("competition among chances",
      "y = softmax(z + 0.5*normal())\nmost = largest(uniform())\n"
      "dw = rate*y*(x - z*w)*most",
      {.parameters = {{"rate", 0.05}}}, [=](TickOfStream& s) {
        const Numbers noise = normal(s, 0);
        const Numbers u = uniform(s, 1);
        Numbers a = s.z;
        for (std::size_t i = 0; i < a.size(); ++i) a[i] += 0.5 * noise[i];
        s.y = softmax_of(a);
        const double most = *std::max_element(u.begin(), u.end());
        s.memory["most"].assign(u.size(), most);
        s.each([&](Size i, Size j) {
          s.dw[i][j] = 0.05 * s.y[i] * (s.x[j] - s.z[i] * (*s.w)[i][j]) * most;
        });
      });
  add("an eligibility by chance", "y = tanh(z)\nde = (uniform() < 0.3)*y*x - e/4\ndw = rate*e",
      {.parameters = {{"rate", 0.02}}}, [=](TickOfStream& s) {
        const Numbers u = uniform(s, 0);
        s.y = of_each(s.z, std::tanh);
        s.each([&](Size i, Size j) {
          s.e[i][j] += (u[i] < 0.3 ? s.y[i] * s.x[j] : 0) - s.e[i][j] / 4;
          s.dw[i][j] = 0.02 * s.e[i][j];
        });
      });
  add("noise that goes back", "a = y + 0.1*normal()\ndw = rate*(y*(x - back(a)))",
      {.parameters = {{"rate", 0.02}}}, [=](TickOfStream& s) {
        const Numbers noise = normal(s, 0);
        s.y = s.z;
        Numbers& a = s.memory["a"];
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = s.y[i] + 0.1 * noise[i];
        const Numbers r = s.back(a, s.neurons - 1);
        s.each([&](Size i, Size j) { s.dw[i][j] = 0.02 * s.y[i] * (s.x[j] - r[j]); });
      });
  add("noise that goes back up to a neuron", "dw = rate*(y*(x - back_upto(y + 0.1*normal())))",
      {.parameters = {{"rate", 0.02}}}, [=](TickOfStream& s) {
        s.y = s.z;
        Numbers a = normal(s, 0);
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = s.y[i] + 0.1 * a[i];
        s.each_upto(a,
                    [&](Size n, Size j, double r) { s.dw[n][j] = 0.02 * s.y[n] * (s.x[j] - r); });
      });
  add(
      "weight by weight", "dw = rate*y*x*w*(1 - w)*uniform() + 0.001*normal()*exp(-abs(w))",
      {.parameters = {{"rate", 0.05}}},
      [=](TickOfStream& s) {
        const Numbers u = uniform(s, 0);
        const Numbers n = normal(s, 1);
        s.y = s.z;
        s.each([&](Size i, Size j) {
          const double w = (*s.w)[i][j];
          s.dw[i][j] =
              0.05 * s.y[i] * s.x[j] * w * (1 - w) * u[i] + 0.001 * n[i] * std::exp(-std::abs(w));
        });
      },
      false);
  return cases;
}

}  // namespace gaia::test
