// SPDX-License-Identifier: MIT
/// \file
/// Temporal pooling, word by word: a level that ticks at step t pools the steps (t - r, t], as far
/// as they exist, of what the level below shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../src/formulas/pooling.h"

namespace gaia::test {

using Row = std::vector<double>;

/// shown[i] is what the level below shows at step first_step + i, the first step there is.  Returns
/// what each tick reads.
inline std::vector<Row> pool(Pooling pooling, std::int64_t r, std::int64_t first_step,
                             const std::vector<Row>& shown) {
  const auto at = [&](std::int64_t step) {
    return shown[static_cast<std::size_t>(step - first_step)];
  };
  std::vector<Row> answers;
  Row ema;
  const std::int64_t end = first_step + static_cast<std::int64_t>(shown.size());
  for (std::int64_t t = first_step; t < end; ++t) {
    const Row now = at(t);
    if (t == first_step) ema = now;
    for (std::size_t j = 0; j < now.size(); ++j)
      ema[j] += (now[j] - ema[j]) / static_cast<double>(r);
    if (t % r != 0) continue;

    std::vector<Row> window;
    for (std::int64_t s = std::max(first_step, t - r + 1); s <= t; ++s) window.push_back(at(s));
    Row answer(now.size(), 0.0);
    if (pooling == Pooling::last) answer = now;
    if (pooling == Pooling::ema) answer = ema;
    if (pooling == Pooling::mean) {
      for (const Row& row : window) {
        for (std::size_t j = 0; j < row.size(); ++j) answer[j] += row[j];
      }
      for (double& sum : answer) sum /= static_cast<double>(window.size());
    }
    if (pooling == Pooling::max) {
      answer = window.front();
      for (const Row& row : window) {
        for (std::size_t j = 0; j < row.size(); ++j) answer[j] = std::max(answer[j], row[j]);
      }
    }
    if (pooling == Pooling::concat) {
      answer.assign((static_cast<std::size_t>(r) - window.size()) * now.size(), 0.0);
      for (const Row& row : window) answer.insert(answer.end(), row.begin(), row.end());
    }
    answers.push_back(answer);
  }
  return answers;
}

}  // namespace gaia::test
