// SPDX-License-Identifier: MIT
#include "../../../src/io/generators/context.h"

#include <algorithm>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

/// Column `c` of rows of `width` numbers.
std::vector<double> column_of(const std::vector<double>& rows, std::size_t width, std::size_t c) {
  std::vector<double> column;
  for (std::size_t at = c; at < rows.size(); at += width) column.push_back(rows[at]);
  return column;
}

double mean_product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum / static_cast<double>(a.size());
}

/// Rows from one change to the next, on average.
double mean_dwell(const std::vector<double>& context) {
  double changes = 0.0;
  for (std::size_t t = 1; t < context.size(); ++t) changes += context[t] != context[t - 1];
  return static_cast<double>(context.size() - 1) / changes;
}

/// The pattern of every row.
std::vector<std::int64_t> labels_of(Series& series) {
  const auto rows = static_cast<std::size_t>(series.rows());
  std::vector<double> x(rows * static_cast<std::size_t>(series.channels()));
  const std::size_t label = 1;
  SideValues side;
  series.read_with_side(0, series.rows(), x, {&label, 1}, {&side, 1});
  return std::get<std::vector<std::int64_t>>(side);
}

TEST_CASE("context_values wants the one value or the other, as the context says") {
  const ContextValuesOptions options{.channels = 7, .dwell = 20.0, .noise = 0.0};
  const std::size_t rows = 60000;
  const auto series = make_context_values(options, static_cast<std::int64_t>(rows), 4);
  CHECK(series->channel_names() ==
        std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "wanted"});
  CHECK(series->latent_names() == std::vector<std::string>{"context", "first", "second"});
  const std::vector<double> x = read_all(*series);
  const std::vector<double> s = read_all_latents(*series);
  const std::vector<double> context = column_of(s, 3, 0);
  const std::vector<double> first = column_of(s, 3, 1);
  const std::vector<double> second = column_of(s, 3, 2);
  const std::vector<double> wanted = column_of(x, 8, 7);
  for (std::size_t t = 0; t < rows; ++t) {
    REQUIRE(std::abs(context[t]) == 1.0);
    REQUIRE(wanted[t] == (context[t] > 0.0 ? first[t] : second[t]));
  }
  // 3 000 changes, give or take 53; variances to 1 %.
  CHECK(mean_dwell(context) == Approx(20.0).epsilon(0.1));
  CHECK(mean_product(first, first) == Approx(2.2 * 2.2).epsilon(0.04));
  CHECK(mean_product(second, second) == Approx(1.8 * 1.8).epsilon(0.04));
  CHECK(mean_product(first, second) == Approx(0.0).margin(0.1));
  CHECK(mean_product(first, context) == Approx(0.0).margin(0.1));
}

TEST_CASE("context_values shows its parts along orthonormal vectors") {
  // The mean of x times a part is its vector times the part's variance; 600 000 rows.
  const ContextValuesOptions options{
      .channels = 6, .cue = 0.5, .distractors = 1, .dwell = 5.0, .noise = 0.0};
  const auto series = make_context_values(options, 600000, 9);
  const std::vector<double> x = read_all(*series);
  const std::vector<double> s = read_all_latents(*series);
  std::vector<std::vector<double>> vectors;
  for (std::size_t part = 0; part < 3; ++part) {
    const std::vector<double> own = column_of(s, 3, part);
    const double scale = part == 0 ? 0.5 : mean_product(own, own);
    std::vector<double> vector;
    for (std::size_t c = 0; c < 6; ++c) {
      vector.push_back(mean_product(column_of(x, 7, c), own) / scale);
    }
    vectors.push_back(vector);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double product = 6.0 * mean_product(vectors[i], vectors[j]);
      CHECK(product == Approx(i == j ? 1.0 : 0.0).margin(0.05));
    }
  }
  // What is left of the energy is that of the distractor.
  double energy = 0.0;
  for (std::size_t c = 0; c < 6; ++c) {
    energy += mean_product(column_of(x, 7, c), column_of(x, 7, c));
  }
  CHECK(energy == Approx(2.2 * 2.2 + 1.8 * 1.8 + 0.25 + 0.25 * 2.25).epsilon(0.02));
  // White noise is added on all six channels.
  ContextValuesOptions noisy = options;
  noisy.noise = 2.0;
  const std::vector<double> y = read_all(*make_context_values(noisy, 100000, 9));
  std::vector<double> noise;
  for (std::size_t t = 0; t < 100000; ++t) {
    noise.push_back(y[t * 7 + 2] - x[t * 7 + 2]);
    REQUIRE(y[t * 7 + 6] == x[t * 7 + 6]);
  }
  CHECK(mean_product(noise, noise) == Approx(4.0).epsilon(0.03));
}

TEST_CASE("context_values with a cue of another context tells nothing of its own") {
  ContextValuesOptions options{.channels = 3,
                               .deviations = {0.0, 0.0},
                               .cue = 1.0,
                               .distractors = 0,
                               .dwell = 5.0,
                               .noise = 0.0};
  for (const bool unrelated : {false, true}) {
    options.unrelated = unrelated;
    const auto series = make_context_values(options, 100000, 2);
    const std::vector<double> x = read_all(*series);
    const std::vector<double> context = column_of(read_all_latents(*series), 3, 0);
    double agreement = 0.0;  // |x| is 1, along one vector
    for (std::size_t c = 0; c < 3; ++c) {
      agreement += std::pow(mean_product(column_of(x, 4, c), context), 2.0);
    }
    CHECK(std::sqrt(agreement) == Approx(unrelated ? 0.0 : 1.0).margin(0.05));
  }
}

TEST_CASE("context_patterns shows patterns of its context, some of which look alike") {
  const ContextPatternsOptions options{
      .channels = 30, .patterns = 3, .alike = 1, .length = 5.0, .dwell = 50.0, .noise = 0.0};
  const std::int64_t rows = 40000;
  const auto series = make_context_patterns(options, rows, 6);
  CHECK(series->channels() == 30);
  CHECK(series->classes() == std::vector<std::string>{"0", "1", "2", "3", "4", "5"});
  CHECK(series->side_columns() == std::vector<SideColumn>{{SideColumn::Role::latent, "context"},
                                                          {SideColumn::Role::label, "label"}});
  const std::vector<double> x = read_all(*series);
  const std::vector<double> context = read_all_latents(*series);
  const std::vector<std::int64_t> label = labels_of(*series);
  std::vector<std::vector<double>> patterns(6);
  std::vector<double> shares(6);
  for (std::size_t t = 0; t < label.size(); ++t) {
    const auto k = static_cast<std::size_t>(label[t]);
    REQUIRE((label[t] >= 3) == (context[t] == 1.0));
    const std::vector<double> row(x.begin() + static_cast<std::ptrdiff_t>(30 * t),
                                  x.begin() + static_cast<std::ptrdiff_t>(30 * t + 30));
    if (patterns[k].empty()) patterns[k] = row;
    REQUIRE(row == patterns[k]);
    shares[k] += 1.0 / static_cast<double>(rows);
  }
  CHECK(mean_dwell(context) == Approx(50.0).epsilon(0.15));
  for (std::size_t k = 0; k < 6; ++k) {
    CHECK(shares[k] == Approx(1.0 / 6.0).margin(0.03));
    CHECK(30.0 * mean_product(patterns[k], patterns[k]) == Approx(25.0).epsilon(1e-12));
  }
  const auto distance = [&](std::size_t i, std::size_t j) {
    double square = 0.0;
    for (std::size_t c = 0; c < 30; ++c) square += std::pow(patterns[i][c] - patterns[j][c], 2.0);
    return std::sqrt(square);
  };
  CHECK(distance(3, 0) == Approx(0.15 * std::sqrt(30.0)).epsilon(0.4));
  CHECK(distance(4, 1) > 4.0);
  CHECK(distance(1, 0) > 4.0);
}

TEST_CASE("context_patterns tells labels and context however rows are read") {
  const auto series = make_context_patterns({.dwell = 7.0}, 300, 3);
  const std::vector<std::int64_t> all = labels_of(*series);
  std::vector<double> x(static_cast<std::size_t>(50 * series->channels()));
  for (const std::int64_t first : {250, 100, 0}) {
    const std::size_t wanted[] = {1, 0};
    SideValues side[2];
    series->read_with_side(first, 50, x, wanted, side);
    const auto& labels = std::get<std::vector<std::int64_t>>(side[0]);
    const auto& contexts = std::get<std::vector<double>>(side[1]);
    CHECK(std::equal(labels.begin(), labels.end(), all.begin() + first));
    for (std::size_t r = 0; r < 50; ++r) CHECK((labels[r] >= 4) == (contexts[r] == 1.0));
  }
}

TEST_CASE("series with a context refuse what they cannot make") {
  CHECK_THROWS_WITH_TEXT(make_context_values({.channels = 5}, 10, 1), ArgumentError,
                         "[context_values] channels: expected at least 6, two for the values, one "
                         "for the cue and one for each distractor, got 5");
  CHECK_THROWS_WITH_TEXT(make_context_values({.deviations = {1.0}}, 10, 1), ArgumentError,
                         "[context_values] deviations: expected 2");
  CHECK_THROWS_WITH_TEXT(make_context_values({.dwell = 0.5}, 10, 1), ArgumentError,
                         "[context_values] dwell: expected");
  CHECK_THROWS_WITH_TEXT(make_context_patterns({.patterns = 2, .alike = 3}, 10, 1), ArgumentError,
                         "[context_patterns] alike: expected");
  CHECK_THROWS_WITH_TEXT(make_context_patterns({.length = 0.0}, 10, 1), ArgumentError,
                         "[context_patterns] length: expected");
  CHECK_THROWS_WITH_TEXT(make_context_patterns({}, 0, 1), ArgumentError, "[context_patterns]");
}

}  // namespace
}  // namespace gaia
