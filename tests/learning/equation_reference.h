// SPDX-License-Identifier: MIT
/// \file
/// Rules as loops in float64, written from their equations without gaia's language, to be compared
/// with what the executors make of the texts.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gaia::test {

using Numbers = std::vector<double>;
using Size = std::size_t;
using Rows = std::vector<Numbers>;

/// One stream of a layer at a tick: what a rule reads, and what it makes of it.
struct TickOfStream {
  int neurons = 0;
  int inputs = 0;
  int stream = 0;  // its number
  const Rows* w = nullptr;
  Numbers x;
  Numbers z;
  std::map<std::string, Numbers> memory;   // [neurons]
  std::map<std::string, Numbers> trace;    // [inputs]
  std::map<std::string, Numbers> signals;  // [neurons]; of one column the same for all
  Rows e;                                  // changed in its place
  int t = 0;
  bool learning = true;

  Numbers y;  // to be computed
  Rows dw;    // to be computed, zeros before

  double squared_length() const {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return sum;
  }
  double squared_weights(std::size_t neuron) const {
    double sum = 0;
    for (const double value : (*w)[neuron]) sum += value * value;
    return sum;
  }
  /// sum over neurons of a_i w_ij, up to neuron `last`.
  Numbers back(const Numbers& a, int last) const {
    Numbers r(static_cast<std::size_t>(inputs));
    for (int i = 0; i <= last; ++i) {
      for (std::size_t j = 0; j < r.size(); ++j) {
        r[j] += a[static_cast<std::size_t>(i)] * (*w)[static_cast<std::size_t>(i)][j];
      }
    }
    return r;
  }
  /// Calls f(neuron, input) for all.
  template <class F>
  void each(const F& f) const {
    for (Size i = 0; i < static_cast<Size>(neurons); ++i) {
      for (Size j = 0; j < static_cast<Size>(inputs); ++j) f(i, j);
    }
  }
  /// Calls f(neuron, input, r) for all, r being what goes back of `a` up to the neuron.
  template <class F>
  void each_upto(const Numbers& a, const F& f) const {
    for (int i = 0; i < neurons; ++i) {
      const Numbers r = back(a, i);
      for (Size j = 0; j < r.size(); ++j) f(static_cast<Size>(i), j, r[j]);
    }
  }
};

/// Fills y and dw, and changes memory and e.
using RuleOfTick = std::function<void(TickOfStream&)>;

/// A layer that is computed tick by tick.
struct ReferenceLayer {
  RuleOfTick rule;
  Rows w;
  std::vector<TickOfStream> streams;
  std::map<std::string, double> trace_keeps;
  double homeostasis_target = 0, homeostasis_strength = 0;
  std::string normalization = "none";  // or l2, max_norm with bound
  double bound = 1;
  bool bounded = false;
  double low = 0, high = 0;
  bool learns = true;
  std::vector<Rows> chain;  // u_2, u_3, ...; empty: there is none
  double chain_ratio = 2, chain_rate = 0.25;
  Rows mask;  // of synapses that are there; empty: all are

  /// Moves u_2, u_3, ..., and returns what w changes by, all from before.
  Rows move_chain() {
    Rows pull(w.size(), Numbers(w[0].size()));
    for (std::size_t i = 0; i < w.size(); ++i) {
      for (std::size_t j = 0; j < w[i].size(); ++j) {
        Numbers u = {w[i][j]};
        for (const Rows& rows : chain) u.push_back(rows[i][j]);
        u.push_back(0.0);
        for (std::size_t k = 1; k < u.size(); ++k) {  // as the paper counts: u_1 is w
          const double n = static_cast<double>(k);
          const double before =
              k > 1 ? chain_rate * std::pow(chain_ratio, 2 - 2 * n) * (u[k - 2] - u[k - 1]) : 0;
          const double behind = chain_rate * std::pow(chain_ratio, 1 - 2 * n) * (u[k] - u[k - 1]);
          (k == 1 ? pull[i][j] : chain[k - 2][i][j]) += before + behind;
        }
      }
    }
    return pull;
  }

  /// x [streams][inputs]; the outputs are in streams[b].y.
  void tick(const Rows& x) {
    Rows sum(w.size(), Numbers(w[0].size()));
    for (std::size_t b = 0; b < streams.size(); ++b) {
      TickOfStream& s = streams[b];
      s.x = x[b];
      s.w = &w;
      s.learning = learns;
      for (auto& [name, q] : s.trace) {
        for (std::size_t j = 0; j < q.size(); ++j) q[j] = trace_keeps.at(name) * q[j] + s.x[j];
      }
      s.z.assign(w.size(), 0.0);
      for (std::size_t i = 0; i < w.size(); ++i) {
        for (std::size_t j = 0; j < s.x.size(); ++j) s.z[i] += w[i][j] * s.x[j];
      }
      s.dw.assign(w.size(), Numbers(w[0].size()));
      rule(s);
      for (std::size_t i = 0; i < w.size(); ++i) {
        for (std::size_t j = 0; j < w[i].size(); ++j) {
          sum[i][j] += s.dw[i][j] / static_cast<double>(streams.size());
        }
      }
      ++s.t;
    }
    if (!learns) return;
    if (!chain.empty()) {
      const Rows pull = move_chain();
      for (std::size_t i = 0; i < w.size(); ++i) {
        for (std::size_t j = 0; j < w[i].size(); ++j) sum[i][j] += pull[i][j];
      }
    }
    for (std::size_t i = 0; i < w.size(); ++i) {
      double mean = 0;
      for (const TickOfStream& s : streams) mean += s.y[i] / static_cast<double>(streams.size());
      double square = 0;
      const double factor = std::exp(homeostasis_strength * (homeostasis_target - mean));
      for (std::size_t j = 0; j < w[i].size(); ++j) {
        w[i][j] = (w[i][j] + sum[i][j]) * factor;
        if (!mask.empty()) w[i][j] *= mask[i][j];
        square += w[i][j] * w[i][j];
      }
      const double length = std::sqrt(square);
      double scale = 1;
      if (normalization == "l2" && length > 0) scale = 1 / length;
      if (normalization == "max_norm" && length > bound) scale = bound / length;
      for (double& value : w[i]) {
        value *= scale;
        if (bounded) value = std::min(high, std::max(low, value));
      }
      for (std::size_t j = 0; !mask.empty() && j < w[i].size(); ++j) {
        w[i][j] *= mask[i][j];
        for (Rows& rows : chain) rows[i][j] *= mask[i][j];
        for (TickOfStream& s : streams) {
          if (!s.e.empty()) s.e[i][j] *= mask[i][j];
        }
      }
    }
  }
};

}  // namespace gaia::test
