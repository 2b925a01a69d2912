// SPDX-License-Identifier: MIT
/// What holds for every generator; each has a test of its own for its equation.
#include "../../../src/io/generators/associations.h"
#include "../../../src/io/generators/bars.h"
#include "../../../src/io/generators/context.h"
#include "../../../src/io/generators/gaussian.h"
#include "../../../src/io/generators/lorenz.h"
#include "../../../src/io/generators/mackey_glass.h"
#include "../../../src/io/generators/narma10.h"
#include "../../../src/io/generators/ornstein_uhlenbeck.h"
#include "../../../src/io/generators/patterns.h"
#include "../../../src/io/generators/poisson.h"
#include "../../../src/io/generators/sines.h"
#include "../../../src/io/generators/switching_ar.h"
#include "../../../src/io/generators/turning_subspace.h"
#include "../../../src/io/generators/voices.h"

#include <cmath>
#include <string>

#include "../../../src/core/error.h"
#include "../../../src/io/generators/generator.h"
#include "../../support/catch.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

struct Kind {
  const char* name;
  std::function<std::unique_ptr<Series>(std::int64_t rows, std::uint64_t seed)> make;
};

/// Every kind, with noise and other options that make it use all its random numbers.
std::vector<Kind> kinds() {
  return {
      {"sines",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_sines(
             {.frequencies = {0.01, 0.123}, .amplitudes = {1.0, 0.5}, .channels = 3, .noise = 0.1},
             rows, seed);
       }},
      {"ornstein_uhlenbeck",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_ornstein_uhlenbeck({.tau = {4.0, 40.0, 5.0}, .channels = 5, .noise = 0.1},
                                        rows, seed);
       }},
      {"mackey_glass",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_mackey_glass({.washout = 20, .noise = 0.1}, rows, seed);
       }},
      {"lorenz",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_lorenz({.washout = 20, .noise = 0.1}, rows, seed);
       }},
      {"narma10", [](std::int64_t rows,
                     std::uint64_t seed) { return make_narma10({.washout = 20}, rows, seed); }},
      {"switching_ar",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_switching_ar({.coefficients = {{0.9}, {0.2, -0.5, 0.1}},
                                   .deviations = {1.0, 0.3},
                                   .dwell = 10.0,
                                   .washout = 20,
                                   .noise = 0.1},
                                  rows, seed);
       }},
      {"gaussian",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_gaussian({.spectrum = {3.0, 1.0, 0.5}}, rows, seed);
       }},
      {"gaussian without rotation",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_gaussian({.spectrum = {3.0, 1.0, 0.5}, .rotate = false}, rows, seed);
       }},
      {"patterns",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_patterns({.count = 3, .channels = 5, .noise = 0.1}, rows, seed);
       }},
      {"associations",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_associations({.pairs = 3, .size = 4, .flip = 0.1}, rows, seed);
       }},
      {"poisson",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_poisson({.rates = {0.4, 0.5, 0.3}, .depths = {0.5, -1.0, 0.0}, .period = 7.3},
                             rows, seed);
       }},
      {"turning_subspace",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_turning_subspace({.spectrum = {2.0, 1.0}, .channels = 5, .from = 20, .to = 90},
                                      rows, seed);
       }},
      {"voices",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_voices({.sources = 3, .channels = 4, .noise = 0.1}, rows, seed);
       }},
      {"context_values",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_context_values({.channels = 6, .dwell = 9.0}, rows, seed);
       }},
      {"context_patterns",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_context_patterns({.channels = 3, .dwell = 9.0}, rows, seed);
       }},
      {"bars",
       [](std::int64_t rows, std::uint64_t seed) {
         return make_bars({.size = 4, .probability = 0.3}, rows, seed);
       }},
  };
}

TEST_CASE("generators give the same bits however they are cut into blocks") {
  for (const Kind& kind : kinds()) {
    INFO(kind.name);
    check_any_cut([&] { return kind.make(130, 7); });
  }
}

TEST_CASE("generators do not depend on how many rows there are") {
  for (const Kind& kind : kinds()) {
    INFO(kind.name);
    const auto few = kind.make(50, 7);
    const auto many = kind.make(500, 7);
    CHECK(read_all(*few) == read_rows(*many, 0, 50));
  }
}

TEST_CASE("generators give the same numbers for a seed and others for another") {
  for (const Kind& kind : kinds()) {
    INFO(kind.name);
    const std::vector<double> one = read_all(*kind.make(60, 7));
    CHECK(read_all(*kind.make(60, 7)) == one);
    CHECK(read_all(*kind.make(60, 8)) != one);
  }
}

TEST_CASE("generators name their channels and latents") {
  using Names = std::vector<std::string>;
  const auto check = [](const Series& series, const Names& channels, const Names& latents) {
    CHECK(series.rows() == 3);
    CHECK(series.channel_names() == channels);
    CHECK(series.latent_names() == latents);
  };
  check(*make_sines({.frequencies = {0.1}, .channels = 2}, 3, 0), {"0", "1"}, {});
  check(*make_ornstein_uhlenbeck({.tau = {1.0, 2.0}, .channels = 3}, 3, 0), {"0", "1", "2"},
        {"u0", "u1"});
  check(*make_mackey_glass({}, 3, 0), {"x"}, {});
  check(*make_lorenz({}, 3, 0), {"x", "y", "z"}, {});
  check(*make_narma10({}, 3, 0), {"u", "y"}, {});
  check(*make_switching_ar({.coefficients = {{0.5}}}, 3, 0), {"x"}, {"state", "regime"});
  check(*make_associations({.size = 2}, 3, 0), {"0", "1", "value"}, {"answer"});
  check(*make_gaussian({.spectrum = {1.0, 2.0}}, 3, 0), {"0", "1"}, {"component0", "component1"});
  check(*make_patterns({.count = 2, .channels = 3}, 3, 0), {"0", "1", "2"}, {"pattern"});
  check(*make_voices({.sources = 2, .channels = 3}, 3, 0), {"0", "1", "2"}, {"voice0", "voice1"});
  check(*make_poisson({.rates = {0.1, 0.2}}, 3, 0), {"0", "1"}, {});
  check(*make_poisson({.rates = {0.1, 0.2}, .depths = {0.0, 1.0}}, 3, 0), {"0", "1"}, {"drive"});
}

TEST_CASE("generators refuse rows that do not exist and blocks without room") {
  for (const Kind& kind : kinds()) {
    INFO(kind.name);
    const auto series = kind.make(10, 7);
    std::vector<double> block(static_cast<std::size_t>(11 * series->channels()));
    CHECK_THROWS_AS(series->read(0, 11, block), ArgumentError);
    CHECK_THROWS_AS(series->read(10, 1, block), ArgumentError);
    CHECK_THROWS_AS(series->read(-1, 1, block), ArgumentError);
    CHECK_THROWS_AS(series->read(0, -1, block), ArgumentError);
    CHECK_NOTHROW(series->read(10, 0, block));
    CHECK_THROWS_AS(series->read(0, 2, std::span(block).first(1)), ArgumentError);
    if (series->latents() == 0) {
      CHECK_THROWS_AS(series->read_latents(0, 1, block), ArgumentError);
    } else {
      CHECK_THROWS_AS(series->read_latents(9, 2, block), ArgumentError);
    }
  }
}

TEST_CASE("generators refuse to make no rows, or too many to count") {
  for (const Kind& kind : kinds()) {
    INFO(kind.name);
    CHECK_THROWS_WITH_TEXT(kind.make(0, 7), ArgumentError, "] rows: expected at least 1, got 0");
    CHECK_THROWS_WITH_TEXT(kind.make(-5, 7), ArgumentError, "] rows: expected at least 1, got -5");
  }
  CHECK_THROWS_WITH_TEXT(make_lorenz({}, std::int64_t{1} << 62, 7), ArgumentError,
                         "[lorenz] rows: expected as many as 64 bits can count");
}

TEST_CASE("noise is white, independent between channels and as large as asked for") {
  constexpr std::int64_t kRows = 40000;
  const auto quiet = make_sines({.frequencies = {0.1}, .channels = 2}, kRows, 3);
  const auto loud = make_sines({.frequencies = {0.1}, .channels = 2, .noise = 0.5}, kRows, 3);
  std::vector<double> noise = read_all(*loud);
  const std::vector<double> signal = read_all(*quiet);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = (noise[i] - signal[i]) / 0.5;
  const auto correlation = [&](std::size_t lag) {
    double sum = 0.0;
    for (std::size_t i = lag; i < noise.size(); ++i) sum += noise[i] * noise[i - lag];
    return sum / static_cast<double>(noise.size());
  };
  // Standard errors are 1 / sqrt(80000) = 0.0035 and, for the variance, 0.005.
  CHECK(correlation(0) == Approx(1.0).margin(0.02));
  CHECK(std::abs(correlation(1)) < 0.015);  // the other channel
  CHECK(std::abs(correlation(2)) < 0.015);  // the step before
}

TEST_CASE("noise must be a standard deviation") {
  CHECK_THROWS_WITH_TEXT(make_sines({.frequencies = {0.1}, .noise = -1.0}, 3, 0), ArgumentError,
                         "[sines] noise: expected a number of at least 0, got -1");
  CHECK_THROWS_WITH_TEXT(make_lorenz({.noise = std::nan("")}, 3, 0), ArgumentError,
                         "[lorenz] noise: expected a number of at least 0, got nan");
  CHECK_THROWS_WITH_TEXT(make_mackey_glass({.noise = INFINITY}, 3, 0), ArgumentError,
                         "[mackey_glass] noise: expected a number of at least 0, got inf");
  CHECK_THROWS_WITH_TEXT(
      make_ornstein_uhlenbeck({.tau = {1.0}, .channels = 1, .noise = -0.5}, 3, 0), ArgumentError,
      "[ornstein_uhlenbeck] noise: expected a number of at least 0, got -0.5");
  CHECK_THROWS_WITH_TEXT(make_patterns({.count = 2, .noise = -0.5}, 3, 0), ArgumentError,
                         "[patterns] noise: expected a number of at least 0, got -0.5");
}

TEST_CASE("combine adds up vectors by their weights, in their order") {
  for (const std::size_t rows : {1U, 2U, 15U, 16U, 17U, 40U}) {
    for (const std::size_t count : {0U, 1U, 3U, 4U, 5U, 9U}) {
      for (const std::size_t n : {1U, 2U, 7U, 8U}) {
        std::vector<double> vectors(count * n);
        std::vector<double> weights(rows * count);
        RandomStream{1, n}.normals(0, vectors);
        RandomStream{2, rows}.normals(0, weights);
        std::vector<double> expected(rows * n);
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t k = 0; k < count; ++k) {
            for (std::size_t c = 0; c < n; ++c) {
              expected[r * n + c] += weights[r * count + k] * vectors[k * n + c];
            }
          }
        }
        std::vector<double> x(rows * n, 7.0);
        combine(vectors, weights, static_cast<std::int64_t>(rows), x);
        INFO(rows << " rows of " << n << " from " << count);
        CHECK((x == expected));
      }
    }
  }
}

}  // namespace
}  // namespace gaia
