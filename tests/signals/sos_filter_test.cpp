// SPDX-License-Identifier: MIT
/// \file
/// Filters of arrays compared with one number after the other, and SciPy's forms of Butterworth's.
#include <cmath>
#include <random>
#include <vector>

#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../../src/signals/sos_filter.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

/// A series through sections, and the states behind.
std::vector<double> plain_filter(const std::vector<SosSection>& sections, std::vector<double> x,
                                 std::vector<double>& states) {
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const SosSection& s = sections[i];
    for (double& number : x) {
      const double y = s.b0 * number + states[2 * i];
      states[2 * i] = s.b1 * number - s.a1 * y + states[2 * i + 1];
      states[2 * i + 1] = s.b2 * number - s.a2 * y;
      number = y;
    }
  }
  return x;
}

TEST_CASE("sosfilt filters along every axis, from a state and to one") {
  std::mt19937_64 engine(1);
  const Array sos = butter_sos(5, {0.2, 0.6}, PassBand::band);
  const std::vector<SosSection> sections = sos_sections(sos);
  REQUIRE(sections.size() == 5);
  for (const DType dtype : {DType::float32, DType::float64}) {
    const double tolerance = dtype == DType::float32 ? 1e-5 : 1e-12;
    for (const int axis : {0, 1, 2}) {
      Shape state_shape = {5, 3, 4, 6};
      state_shape[axis + 1] = 2;
      const Operand x = random_operand(engine, {3, 4, 6}, dtype, Layout::transposed);
      const Operand state = random_operand(engine, state_shape, dtype, Layout::sliced);
      const SosFiltered y = sosfilt(sos.astype(dtype), x.array, state.array, axis);
      REQUIRE(y.values.shape() == x.array.shape());
      REQUIRE(y.state.shape() == state_shape);
      CHECK(y.values.dtype() == dtype);
      Shape others = x.array.shape();
      others[axis] = 1;
      const std::vector<SosSection> used = sos_sections(sos.astype(dtype));
      for_each_index(others, [&](Dims at) {
        std::vector<double> series;
        std::vector<double> states;
        for (std::int64_t t = 0; t < x.array.shape(axis); ++t) {
          at[axis] = t;
          series.push_back(x.values[at]);
        }
        for (std::int64_t i = 0; i < 10; ++i) {
          at[axis] = i % 2;
          states.push_back(state.values[{i / 2, at[0], at[1], at[2]}]);
        }
        const std::vector<double> wanted = plain_filter(used, series, states);
        for (std::int64_t t = 0; t < x.array.shape(axis); ++t) {
          at[axis] = t;
          CHECK(std::abs(y.values.item(at) - wanted[static_cast<std::size_t>(t)]) < tolerance * 50);
        }
        for (std::int64_t i = 0; i < 10; ++i) {
          at[axis] = i % 2;
          CHECK(std::abs(y.state.item({i / 2, at[0], at[1], at[2]}) -
                         states[static_cast<std::size_t>(i)]) < tolerance * 50);
        }
      });
    }
  }
}

TEST_CASE("A series that is cut gives the same bytes, for any number of threads") {
  std::mt19937_64 engine(2);
  const Array sos = butter_sos(4, {8.0}, PassBand::high, 250.0);
  const Array x = random_operand(engine, {9, 4000}, DType::float64).array;
  const Array rest = zeros({sos.shape(0), 2}, DType::float64);
  std::vector<double> wanted;
  for (const int threads : {1, 3}) {
    const Threads scope(threads);
    const SosFiltered whole = sosfilt(sos, x, rest);
    const SosFiltered first = sosfilt(sos, x.slice(1, 0, 1111), rest);
    const SosFiltered second = sosfilt(sos, x.slice(1, 1111), first.state);
    const std::vector<double> all = whole.values.to_vector<double>();
    CHECK(concatenate({first.values, second.values}, 1).to_vector<double>() == all);
    CHECK(second.state.to_vector<double>() == whole.state.to_vector<double>());
    CHECK(sosfilt(sos, x).to_vector<double>() == all);
    if (wanted.empty()) wanted = all;
    CHECK(all == wanted);
  }
  // SosFilter, number by number, is the same filter.
  SosFilter one(butterworth(4, PassBand::high, std::vector<double>{8.0}, 250.0));
  std::vector<double> row = x[3].to_vector<double>();
  one.apply(row);
  CHECK(sosfilt(sos, x)[3].to_vector<double>() == row);
}

TEST_CASE("From its steady state a filter answers a constant by a constant") {
  const Array sos = butter_sos(3, {0.3});
  const Array still = full({2, 30}, 2.0, DType::float64);
  const SosFiltered y = sosfilt(sos, still, multiply(sosfilt_zi(sos), 2.0));
  CHECK(all_close(y.values, still, 0.0, 1e-12));
  const SosFiltered none = sosfilt(sos, zeros({2, 0}, DType::float64), ones({2, 2, 2}));
  CHECK(none.values.shape() == Shape{2, 0});
  CHECK(none.state.to_vector<double>() == std::vector<double>(8, 1.0));
  CHECK(sosfilt(sos, zeros({0, 5})).shape() == Shape{0, 5});
}

TEST_CASE("Butterworth's filters as polynomials are SciPy's") {
  const auto near = [](const std::vector<double>& got, const std::vector<double>& wanted) {
    REQUIRE(got.size() == wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - wanted[i]) < 1e-12);
  };
  // scipy.signal.butter(3, 0.5, "high"), butter(2, 0.25), and butter(2, (1, 3), "bandpass",
  // analog=True)
  const TransferFunction high = transfer_function(butter_zpk(3, {0.5}, PassBand::high));
  near(high.b, {1.0 / 6.0, -0.5, 0.5, -1.0 / 6.0});
  near(high.a, {1.0, 0.0, 1.0 / 3.0, 0.0});
  near(butter_sos(2, {0.25}).to_vector<double>(),
       {0.09763107293781749, 0.19526214587563498, 0.09763107293781749, 1.0, -0.9428090415820634,
        0.33333333333333326});
  const TransferFunction band =
      transfer_function(butter_analogue_zpk(2, {1.0, 3.0}, PassBand::band));
  near(band.b, {4.0, 0.0, 0.0});
  near(band.a, {1.0, 2.8284271247461903, 10.0, 8.485281374238571, 9.0});
}

DEVICE_TEST_CASE("Filters are the same on every device") {
  const Array x = array({1, 0, 0, 0, 0, 0});
  const Array sos = butter_sos(1, {0.5});  // y[t] = (x[t] + x[t - 1]) / 2
  const std::vector<double> y = sosfilt(sos, x).to_vector<double>();
  const std::vector<double> wanted = {0.5, 0.5, 0, 0, 0, 0};
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(std::abs(y[i] - wanted[i]) < 1e-6);
}

TEST_CASE("Filters refuse what they cannot take") {
  const Array sos = butter_sos(3, {0.3});
  const Array x = ones({2, 9});
  CHECK_THROWS_WITH_TEXT(sosfilt(multiply(sos, 2.0), x), ArgumentError, "a0 = 1 in each section");
  CHECK_THROWS_WITH_TEXT(sosfilt(sos.slice(1, 0, 5), x), ShapeError, "shape [sections, 6], got");
  CHECK_THROWS_WITH_TEXT(sosfilt(zeros({0, 6}), x), ShapeError, "shape [sections, 6], got");
  CHECK_THROWS_WITH_TEXT(sosfilt(sos, x, ones({2, 2, 3})), ShapeError,
                         "expected a state of shape [2, 2, 2], or [2, 2]");
  CHECK_THROWS_WITH_TEXT(sosfilt(sos, x, 2), ShapeError, "[sosfilt]");
  CHECK_THROWS_WITH_TEXT(butter_sos(3, {1.0}), ArgumentError, "below half the rate of 2");
  CHECK_THROWS_WITH_TEXT(butter_analogue_zpk(3, {0.0}), ArgumentError, "edges above 0, got 0");
  CHECK_THROWS_WITH_TEXT(butter_sos(3, {0.3}, PassBand::band), ArgumentError, "expected two edges");
}

}  // namespace
}  // namespace gaia::test
