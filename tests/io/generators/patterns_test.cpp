// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/io/generators/patterns.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

/// How often each of n values comes in x.
std::vector<double> shares(const std::vector<double>& x, std::size_t n) {
  std::vector<double> counts(n);
  for (std::size_t k = 0; k < n; ++k) {
    counts[k] = static_cast<double>(std::count(x.begin(), x.end(), static_cast<double>(k))) /
                static_cast<double>(x.size());
  }
  return counts;
}

TEST_CASE("patterns that are written out are shown as they are") {
  const std::vector<std::vector<double>> patterns = {{1.0, 0.0, 2.0}, {-1.5, 3.0, 0.25}};
  const auto series = make_patterns({.patterns = patterns}, 1000, 2);
  const std::vector<double> x = read_all(*series);
  const std::vector<double> shown = read_all_latents(*series);
  bool is_same = true;
  for (std::size_t t = 0; t < 1000; ++t) {
    const std::vector<double>& pattern = patterns.at(static_cast<std::size_t>(shown[t]));
    for (std::size_t c = 0; c < 3; ++c) is_same = is_same && x[t * 3 + c] == pattern[c];
  }
  CHECK(is_same);
  CHECK(shares(shown, 2)[0] == Approx(0.5).margin(0.08));
}

TEST_CASE("patterns come as often as their probabilities say, on any scale") {
  for (const double scale : {1.0, 20.0}) {
    const PatternsOptions options{.count = 3,
                                  .probabilities = {0.2 * scale, 0.7 * scale, 0.1 * scale}};
    const std::vector<double> share =
        shares(read_all_latents(*make_patterns(options, 100000, 2)), 3);
    // Standard errors are below 0.0016.
    CHECK(share[0] == Approx(0.2).margin(0.008));
    CHECK(share[1] == Approx(0.7).margin(0.008));
    CHECK(share[2] == Approx(0.1).margin(0.008));
    CHECK(share[0] + share[1] + share[2] == Approx(1.0));
  }
}

TEST_CASE("patterns are chosen independently at every step") {
  const std::vector<double> shown = read_all_latents(*make_patterns({.count = 4}, 100000, 2));
  std::vector<double> pairs;
  for (std::size_t t = 1; t < shown.size(); ++t) pairs.push_back(4.0 * shown[t - 1] + shown[t]);
  for (const double share : shares(pairs, 16)) CHECK(share == Approx(1.0 / 16.0).margin(0.005));
}

TEST_CASE("patterns by count are orthonormal") {
  const auto series = make_patterns({.count = 4, .channels = 9}, 200, 2);
  const std::vector<double> x = read_all(*series);
  const std::vector<double> shown = read_all_latents(*series);
  double largest = 0.0;
  for (std::size_t s = 0; s < 200; ++s) {
    for (std::size_t t = 0; t < 200; ++t) {
      double product = 0.0;
      for (std::size_t c = 0; c < 9; ++c) product += x[s * 9 + c] * x[t * 9 + c];
      largest = std::max(largest, std::abs(product - (shown[s] == shown[t] ? 1.0 : 0.0)));
    }
  }
  CHECK(largest < 1e-13);
  CHECK(x[0] != 0.0);
}

TEST_CASE("patterns without rotation are a one in a channel of their own") {
  const auto series = make_patterns({.count = 3, .channels = 5, .rotate = false}, 100, 2);
  const std::vector<double> x = read_all(*series);
  const std::vector<double> shown = read_all_latents(*series);
  bool is_same = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    is_same = is_same && x[i] == (static_cast<double>(i % 5) == shown[i / 5] ? 1.0 : 0.0);
  }
  CHECK(is_same);
}

TEST_CASE("patterns have as many channels as needed where none are asked for") {
  CHECK(make_patterns({.count = 4}, 3, 0)->channels() == 4);
  CHECK(make_patterns({.channels = 2, .patterns = {{1.0, 2.0}}}, 3, 0)->channels() == 2);
}

TEST_CASE("patterns refuse options that make no series") {
  const auto message = [](const PatternsOptions& options) {
    return test::complaint_of<ArgumentError>([&] { make_patterns(options, 3, 0); });
  };
  CHECK(message({}) == "[patterns] count: expected an integer from 1 to 100000, got 0");
  CHECK(message({.count = 4, .channels = 3}) ==
        "[patterns] channels: expected at least 4, the number of patterns, got 3");
  CHECK(message({.count = 2, .patterns = {{1.0}, {2.0}}}) ==
        "[patterns] count: expected none beside patterns, got 2");
  CHECK(message({.channels = 3, .patterns = {{1.0, 2.0}}}) ==
        "[patterns] channels: expected 2, the length of the patterns, got 3");
  CHECK(message({.patterns = {{1.0, 2.0}, {1.0}}}) ==
        "[patterns] patterns[1]: expected 2 numbers, as in patterns[0], got 1");
  CHECK(message({.patterns = {{1.0, INFINITY}}}) ==
        "[patterns] patterns[0][1]: expected a finite number, got inf");
  CHECK(message({.patterns = {{}}}) ==
        "[patterns] patterns: expected an integer from 1 to 100000, got 0");
  CHECK(message({.count = 2, .probabilities = {1.0}}) ==
        "[patterns] probabilities: expected 2 numbers, one for each of the patterns, got 1");
  CHECK(message({.count = 2, .probabilities = {1.0, 0.0}}) ==
        "[patterns] probabilities[1]: expected a number above 0, at most 1e+100, got 0");
  CHECK(message({.count = 50000, .channels = 100000}) ==
        "[patterns] channels: expected at most 335 channels for 50000 vectors, got 100000");
}

}  // namespace
}  // namespace gaia
