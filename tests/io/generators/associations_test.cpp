// SPDX-License-Identifier: MIT
#include "../../../src/io/generators/associations.h"

#include <cmath>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

std::vector<double> answers(Series& series) {
  std::vector<double> all(static_cast<std::size_t>(series.rows()));
  series.read_latents(0, series.rows(), all);
  return all;
}

TEST_CASE("a trial of associations shows pairs, and asks for the value of one of them") {
  const std::int64_t pairs = 4;
  const std::size_t size = 12;
  const std::int64_t trials = 500;
  const auto series = make_associations({.pairs = pairs, .size = 12}, trials * (pairs + 1), 3);
  CHECK(series->channel_names().back() == "value");
  REQUIRE(series->trial_starts().size() == static_cast<std::size_t>(trials));
  CHECK(series->trial_starts()[7] == 7 * (pairs + 1));
  const std::vector<double> x = read_all(*series);
  const std::vector<double> answer = answers(*series);
  const auto key = [&](std::int64_t row) {
    const auto at = x.begin() + row * static_cast<std::int64_t>(size + 1);
    return std::vector<double>(at, at + static_cast<std::int64_t>(size));
  };
  const auto value = [&](std::int64_t row) {
    return x[static_cast<std::size_t>(row + 1) * (size + 1) - 1];
  };
  std::vector<int> asked(pairs);
  double sum = 0.0;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    const std::int64_t first = trial * (pairs + 1);
    const std::int64_t question = first + pairs;
    CHECK(value(question) == 0.0);
    std::vector<std::int64_t> same;
    for (std::int64_t p = 0; p < pairs; ++p) {
      CHECK(std::abs(value(first + p)) == 1.0);
      CHECK(answer[static_cast<std::size_t>(first + p)] == value(first + p));
      sum += value(first + p);
      if (key(first + p) == key(question)) same.push_back(p);
    }
    // Two of four keys of 12 signs are the same in one of 700 trials.
    REQUIRE_FALSE(same.empty());
    if (same.size() > 1) continue;
    ++asked[static_cast<std::size_t>(same.front())];
    CHECK(answer[static_cast<std::size_t>(question)] == value(first + same.front()));
  }
  // Within five deviations of what is drawn uniformly.
  CHECK(std::abs(sum) < 5.0 * std::sqrt(static_cast<double>(trials * pairs)));
  for (const int count : asked) CHECK(std::abs(count - 125) < 5.0 * std::sqrt(500 * 0.1875));
  for (std::size_t i = 0; i < size; ++i) {
    double mean = 0.0;
    for (std::int64_t trial = 0; trial < trials; ++trial) mean += key(trial * (pairs + 1))[i];
    CHECK(std::abs(mean) < 5.0 * std::sqrt(500.0));
  }
}

TEST_CASE("keys that are asked for are flipped as often as is said, those that are shown never") {
  const AssociationsOptions plain{.pairs = 1, .size = 40};
  AssociationsOptions noisy = plain;
  noisy.flip = 0.2;
  const std::vector<double> clean = read_all(*make_associations(plain, 1000, 5));
  const std::vector<double> flipped = read_all(*make_associations(noisy, 1000, 5));
  int shown = 0;
  int asked = 0;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    if (clean[i] == flipped[i]) continue;
    ++((i / 41) % 2 == 0 ? shown : asked);
  }
  CHECK(shown == 0);
  CHECK(std::abs(asked - 4000) < 5.0 * std::sqrt(20000 * 0.16));
}

TEST_CASE("associations refuse what they cannot draw") {
  CHECK_THROWS_WITH_TEXT(make_associations({.pairs = 0}, 10, 0), ArgumentError,
                         "[associations] pairs: expected");
  CHECK_THROWS_WITH_TEXT(make_associations({.size = 0}, 10, 0), ArgumentError,
                         "[associations] size: expected");
  CHECK_THROWS_WITH_TEXT(make_associations({.flip = 1.5}, 10, 0), ArgumentError,
                         "[associations] flip: expected");
}

TEST_CASE("rows to recall in are zeros behind each question, with its answer beside them") {
  const auto plain = make_associations({.pairs = 3, .size = 5}, 40, 3);
  const auto series = make_associations({.pairs = 3, .size = 5, .recall = 2}, 60, 3);
  CHECK(series->trial_starts().size() == 10);
  const std::vector<double> x = read_all(*plain);
  const std::vector<double> y = read_all(*series);
  const std::vector<double> answer = answers(*plain);
  const std::vector<double> answer_later = answers(*series);
  for (std::size_t row = 0; row < 60; ++row) {
    const std::size_t trial = row / 6;
    const std::size_t before = 4 * trial + std::min<std::size_t>(row % 6, 3);
    CHECK(answer_later[row] == answer[before]);
    for (std::size_t c = 0; c < 6; ++c) {
      CHECK(y[6 * row + c] == (row % 6 > 3 ? 0.0 : x[6 * before + c]));
    }
  }
}

}  // namespace
}  // namespace gaia
