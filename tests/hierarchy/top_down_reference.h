// SPDX-License-Identifier: MIT
/// \file
/// Levels that hear a level above, by plain loops in double that share nothing with gaia.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace gaia::test {

using Numbers = std::vector<double>;
using Rows = std::vector<Numbers>;

inline Numbers times(const Rows& weights, const Numbers& x) {
  Numbers z(weights.size(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) z[i] += weights[i][j] * x[j];
  }
  return z;
}

inline Numbers softmax_of(const Numbers& z) {
  const double largest = *std::max_element(z.begin(), z.end());
  Numbers y = z;
  double sum = 0.0;
  for (double& value : y) sum += value = std::exp(value - largest);
  for (double& value : y) value /= sum;
  return y;
}

inline Numbers activated_by(const std::string& f, const Numbers& z) {
  if (f == "softmax") return softmax_of(z);
  Numbers y = z;
  for (double& value : y) {
    if (f == "tanh") value = std::tanh(value);
  }
  return y;
}

/// What a level hears of one above.
struct TopDownReferenceAbove {
  std::size_t from = 1;
  std::string as = "gain";
  std::size_t delay = 1;
  bool bias = true;
  double rate = 0.001;
  Rows v;                                  // [neurons][heard (+ 1)]
  Rows m;                                  // [streams][neurons]
  Rows largest_m;                          // the same
  std::vector<std::deque<Numbers>> heard;  // of each stream, oldest first
};

/// One level of one layer under Oja's rule, which pools the mean.  `by_text`: with a, a memory from
/// 0,
///
///     y = z (1 + td) + 0.3 plain - 0.2 a,   a <- a + (y - a)/10,   dw = rate y (x - y w)
///
/// where p is that y with td = 0 and plain = z, and plain is then p.
struct TopDownReferenceLevel {
  std::size_t resolution = 1;
  std::size_t phase = 0;
  double rate = 0.0;
  std::string activation = "linear";
  bool by_text = false;
  Rows a;  // [streams][neurons]
  Rows w;
  std::optional<TopDownReferenceAbove> above;
  // State of each stream.
  Rows plain, shown;         // as held
  std::vector<Rows> window;  // what has been read since the last tick
  std::vector<Rows> ticks;   // what was shown at each tick
};

/// Reads step after step.  `above_reads_shown`: the mistake that makes a level above read what it
/// has gated itself.
class TopDownReference {
 public:
  std::vector<TopDownReferenceLevel> levels;
  bool above_reads_shown = false;
  bool learns = true;

  void begin_trial(std::size_t streams) {
    time_ = 0;
    for (TopDownReferenceLevel& level : levels) {
      const Numbers zeros(level.w.size(), 0.0);
      level.plain.assign(streams, zeros);
      level.shown.assign(streams, zeros);
      level.window.assign(streams, {});
      level.ticks.resize(streams);
      level.a.assign(streams, zeros);
      if (!level.above) continue;
      TopDownReferenceAbove& above = *level.above;
      const std::size_t heard = levels[above.from].w.size();
      if (above.v.empty()) above.v.assign(zeros.size(), Numbers(heard + (above.bias ? 1 : 0), 0.0));
      if (above.m.size() != streams) {
        above.m.assign(streams, Numbers(zeros.size(), 1.0));
        above.largest_m = above.m;
      }
      above.heard.assign(streams, std::deque<Numbers>(above.delay, Numbers(heard, 0.0)));
    }
  }

  /// x[stream] and target[stream][neuron or 1].
  void step(const Rows& x, const Rows& target) {
    for (std::size_t l = 0; l < levels.size(); ++l) {
      TopDownReferenceLevel& level = levels[l];
      for (std::size_t b = 0; b < x.size(); ++b) {
        const Rows& below =
            above_reads_shown ? levels[l == 0 ? 0 : l - 1].shown : levels[l == 0 ? 0 : l - 1].plain;
        level.window[b].push_back(l == 0 ? x[b] : below[b]);
        if (level.window[b].size() > level.resolution)
          level.window[b].erase(level.window[b].begin());
      }
      if (time_ % level.resolution == level.phase) tick(level, target);
    }
    ++time_;
  }

 private:
  static Numbers mean(const Rows& rows) {
    Numbers sum(rows.front().size(), 0.0);
    for (const Numbers& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) sum[i] += row[i];
    }
    for (double& value : sum) value /= static_cast<double>(rows.size());
    return sum;
  }

  void tick(TopDownReferenceLevel& level, const Rows& target) {
    const std::size_t streams = level.window.size();
    const std::size_t n = level.w.size();
    Rows x, z, p;
    for (std::size_t b = 0; b < streams; ++b) {
      x.push_back(mean(level.window[b]));
      z.push_back(times(level.w, x[b]));
      p.push_back(activated_by(level.activation, z[b]));
      if (!level.by_text) continue;
      for (std::size_t i = 0; i < n; ++i) p[b][i] = 1.3 * z[b][i] - 0.2 * level.a[b][i];
    }
    Rows y = p;
    if (level.above) y = hear(*level.above, level, z, p, target);
    const Rows& learnt_from = level.by_text ? y : p;
    for (std::size_t b = 0; level.by_text && b < streams; ++b) {
      for (std::size_t i = 0; i < n; ++i) level.a[b][i] += (y[b][i] - level.a[b][i]) / 10.0;
    }
    if (learns) {
      for (std::size_t i = 0; i < n; ++i) {
        Numbers change(level.w[i].size(), 0.0);
        for (std::size_t b = 0; b < streams; ++b) {
          for (std::size_t j = 0; j < change.size(); ++j) {
            change[j] += learnt_from[b][i] * (x[b][j] - learnt_from[b][i] * level.w[i][j]);
          }
        }
        for (std::size_t j = 0; j < change.size(); ++j) {
          level.w[i][j] += level.rate * change[j] / static_cast<double>(streams);
        }
      }
    }
    level.plain = p;
    level.shown = y;
    for (std::size_t b = 0; b < streams; ++b) level.ticks[b].push_back(y[b]);
    const auto place = static_cast<std::size_t>(&level - levels.data());
    for (TopDownReferenceLevel& other : levels) {
      if (!other.above || other.above->from != place) continue;
      for (std::size_t b = 0; b < streams; ++b) {
        other.above->heard[b].push_back(y[b]);
        other.above->heard[b].pop_front();
      }
    }
  }

  Rows hear(TopDownReferenceAbove& above, const TopDownReferenceLevel& level, const Rows& z,
            const Rows& p, const Rows& target) const {
    const std::size_t streams = z.size();
    const std::size_t n = z.front().size();
    Rows y = p;
    Rows change(n, Numbers(above.v.front().size(), 0.0));
    for (std::size_t b = 0; b < streams; ++b) {
      Numbers s = above.heard[b].front();
      if (above.bias) s.push_back(1.0);
      const Numbers td = times(above.v, s);
      Numbers with = z[b];
      for (std::size_t i = 0; i < n; ++i) with[i] += td[i];
      if (level.by_text) {
        for (std::size_t i = 0; i < n; ++i) {
          y[b][i] = z[b][i] * (1.0 + td[i]) + 0.3 * p[b][i] - 0.2 * level.a[b][i];
        }
      } else if (above.as == "gain") {
        for (std::size_t i = 0; i < n; ++i) y[b][i] = p[b][i] * (1.0 + td[i]);
      } else {
        y[b] = activated_by(above.as == "prior" ? "softmax" : level.activation, with);
      }
      const Numbers guess = softmax_of(td);
      for (std::size_t i = 0; i < n; ++i) {
        double error = 0.0;
        if (above.as == "gain") {
          const double wish = target[b].size() == 1 ? target[b][0] : target[b][i];
          error = wish * z[b][i] / std::max(above.m[b][i], above.largest_m[b][i] / 1000.0) - 1.0 -
                  td[i];
        } else {
          error = above.as == "bias" ? p[b][i] - td[i] : y[b][i] - guess[i];
        }
        for (std::size_t j = 0; j < s.size(); ++j) change[i][j] += error * s[j];
        if (above.as != "gain" || !learns) continue;
        above.m[b][i] += (z[b][i] * z[b][i] - above.m[b][i]) / 1000.0;
        above.largest_m[b][i] = std::max(above.largest_m[b][i], above.m[b][i]);
      }
    }
    if (!learns) return y;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < change[i].size(); ++j) {
        above.v[i][j] += above.rate * change[i][j] / static_cast<double>(streams);
      }
    }
    return y;
  }

  std::size_t time_ = 0;
};

}  // namespace gaia::test
