// SPDX-License-Identifier: MIT
#include "../../../src/experiment/data/whitened_series.h"

#include <cmath>

#include "../../../src/core/random.h"
#include "../../../src/io/images_series.h"
#include "../../support/catch.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// 1300 pictures of 2 x 2 pixels, of which the first and the last are alike; the last 300 are much
/// lighter.
std::string pictures() {
  const RandomStream random = RandomStream::named(1, "pictures");
  std::vector<double> numbers(1300 * 4);
  random.uniforms(0, numbers);
  std::string bytes;
  for (std::size_t n = 0; n < 1300; ++n) {
    const double light = n < 1000 ? 0.0 : 100.0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double u =
          i == 3 ? 0.2 * numbers[4 * n + 3] + 0.8 * numbers[4 * n] : numbers[4 * n + i];
      bytes += static_cast<char>(static_cast<int>(light + 150.0 * u));
    }
  }
  return idx(3, {1300, 2, 2}, bytes);
}

std::vector<double> rows(Series& series, std::int64_t first, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(4 * count));
  series.read(first, count, values);
  return values;
}

}  // namespace

FOLDER_TEST_CASE("the rows that whitening is found by have variance 1 and no correlations") {
  const std::string file = folder.write("a", pictures());
  WhitenedSeries white(open_images({file}, {}), 1000, 0.0);
  const std::vector<double> values = rows(white, 0, 1000);
  for (std::size_t a = 0; a < 4; ++a) {
    double mean = 0.0;
    for (std::size_t n = 0; n < 1000; ++n) mean += values[4 * n + a] / 1000.0;
    CHECK(std::abs(mean) < 1e-10);
    for (std::size_t b = 0; b < 4; ++b) {
      double product = 0.0;
      for (std::size_t n = 0; n < 1000; ++n) product += values[4 * n + a] * values[4 * n + b];
      CHECK(std::abs(product / 999.0 - (a == b ? 1.0 : 0.0)) < 1e-9);
    }
  }
  // Those after them, which are lighter, are not what it is found by, but go through the same map.
  const Whitening& map = white.whitening();
  const auto plain = open_images({file}, {});
  const std::vector<double> test = rows(white, 1100, 1);
  const std::vector<double> x = rows(*plain, 1100, 1);
  for (std::size_t a = 0; a < 4; ++a) {
    double expected = 0.0;
    for (std::size_t b = 0; b < 4; ++b) expected += map.matrix[4 * a + b] * (x[b] - map.mean[b]);
    CHECK(std::abs(test[a] - expected) < 1e-10);
  }
  CHECK(std::abs(test[0]) + std::abs(test[1]) + std::abs(test[2]) > 3.0);
}

FOLDER_TEST_CASE("whitened rows are the same numbers however they are asked for") {
  const std::string file = folder.write("a", pictures());
  WhitenedSeries white(open_images({file}, {}), 1000, 0.01);
  const std::vector<double> all = rows(white, 0, 1300);
  WhitenedSeries other(open_images({file}, {}), 1000, 0.01);
  for (const auto& [first, count] : {std::pair{1290, 10}, {3, 1}, {510, 4}, {0, 700}, {1023, 2}}) {
    const std::vector<double> some = rows(other, first, count);
    CHECK(some == std::vector<double>(all.begin() + 4 * first, all.begin() + 4 * (first + count)));
  }
}

FOLDER_TEST_CASE(
    "a whitened series tells of labels, pictures and rows to learn from as the one within") {
  const std::string images = folder.write("a", idx(3, {3, 1, 2}, "\x01\x02\x03\x09\x05\x06"));
  const std::string labels = folder.write("al", idx(1, {3}, "\x04\x08\x04"));
  WhitenedSeries white(open_images({images, labels}, {images, labels}, {.test = 1}), 3, 0.1);
  CHECK(white.rows() == 4);
  CHECK(white.training_rows() == 3);
  CHECK(white.picture_shape() == std::vector<std::int64_t>{1, 2});
  CHECK(white.classes() == std::vector<std::string>{"4", "8"});
  std::vector<double> values(4);
  std::vector<SideValues> side(1);
  white.read_with_side(1, 2, values, std::vector<std::size_t>{0}, side);
  CHECK(std::get<std::vector<std::int64_t>>(side[0]) == std::vector<std::int64_t>{1, 0});
  std::vector<double> plain(4);
  white.read(1, 2, plain);
  CHECK(values == plain);
  CHECK(whitening_of(white) == &white.whitening());
  CHECK(whitening_of(*open_images({images}, {})) == nullptr);
}
