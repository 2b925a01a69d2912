// SPDX-License-Identifier: MIT
#include "../../src/formulas/chi_squared.h"

#include <cmath>
#include <limits>

#include "../../src/core/error.h"
#include "../support/catch.h"

namespace gaia::test {
namespace {

struct Tail {
  double given = 0.0;
  double degrees = 0.0;
  double expected = 0.0;
};

}  // namespace

// By the power series of the incomplete gamma function in 40 digits (mpmath).  SciPy agrees with
// these to 1e-12, except where it loses digits itself (degrees of 100000 and more).
TEST_CASE("The distribution of chi squared is right to 1e-12 for few and many degrees") {
  const Tail rows[] = {
      {1e-06, 1, 0.000797884427822125151},     {0.5, 1, 0.520499877813046538},
      {3.84, 1, 0.949956478751294897},         {30, 1, 0.999999956795369422},
      {0.2, 0.3, 0.749113066501983099},        {2, 2, 0.632120558828557678},
      {10, 3, 0.981433864536956767},           {1, 7, 0.00517146348348451774},
      {40, 7, 0.999998741209612629},           {16, 16, 0.547039190513005515},
      {31, 31, 0.533787493782491655},          {33, 31, 0.63046520544487184},
      {20, 40, 0.00345434197585680768},        {70, 40, 0.997675493392157909},
      {90, 100, 0.246802034400170273},         {1000, 1000, 0.505947146170760358},
      {1200, 1000, 0.999987744057669377},      {98000, 100000, 3.38475422807949143e-6},
      {1001000, 1000000, 0.760323195174478638}};
  for (const Tail& row : rows) {
    INFO(row.given << ", " << row.degrees);
    const double got = chi_squared_cdf(row.given, row.degrees);
    CHECK(std::abs(got / row.expected - 1.0) < 1e-12);
  }
}

TEST_CASE("Quantiles of chi squared are right to 1e-12, far out too") {
  const Tail rows[] = {
      {1e-09, 1, 1.57079632679489682e-18},  {0.025, 1, 0.000982069117175256021},
      {0.975, 1, 5.02388618731488742},      {0.999, 1, 10.8275661706627306},
      {0.5, 0.3, 0.0124696115179804329},    {0.001, 2, 0.00200100066716706704},
      {0.999, 4, 18.4668269529031695},      {0.025, 16, 6.90766435349700265},
      {0.999, 16, 39.2523547907684734},     {0.5, 31, 30.3359424581981194},
      {0.975, 200, 241.057895506310914},    {0.025, 1000, 914.257153799258936},
      {0.975, 1000, 1089.53091277491348},   {1.0 - 0x1p-30, 5, 50.8430642670057465},
      {0.025, 100000, 99125.3733006473515}, {0.975, 1000000, 1002773.70146792603}};
  for (const Tail& row : rows) {
    INFO(row.given << ", " << row.degrees);
    const double got = chi_squared_quantile(row.given, row.degrees);
    CHECK(std::abs(got / row.expected - 1.0) < 1e-12);
  }
}

TEST_CASE("Quantile and distribution of chi squared undo each other") {
  for (const double degrees : {0.1, 1.0, 2.5, 15.99, 16.0, 17.0, 64.0, 12345.0}) {
    for (double p = 0.001; p < 1.0; p += 0.037) {
      INFO(p << ", " << degrees);
      CHECK(std::abs(chi_squared_cdf(chi_squared_quantile(p, degrees), degrees) - p) < 1e-13);
    }
  }
}

TEST_CASE("Chi squared at the ends, and what it does not take") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(chi_squared_cdf(0.0, 3) == 0.0);
  CHECK(chi_squared_cdf(-1.0, 3) == 0.0);
  CHECK(chi_squared_cdf(infinity, 3) == 1.0);
  CHECK(chi_squared_cdf(1e6, 3) == 1.0);
  CHECK(chi_squared_quantile(0.0, 3) == 0.0);
  CHECK(chi_squared_quantile(1.0, 3) == infinity);
  for (const double degrees : {0.0, -1.0, infinity, std::nan("")}) {
    CHECK_THROWS_AS(chi_squared_cdf(1.0, degrees), ArgumentError);
    CHECK_THROWS_WITH_TEXT(chi_squared_quantile(0.5, degrees), ArgumentError,
                           "expected degrees of freedom above 0");
  }
  CHECK_THROWS_AS(chi_squared_cdf(std::nan(""), 1), ArgumentError);
  for (const double probability : {-0.1, 1.1, std::nan("")}) {
    CHECK_THROWS_WITH_TEXT(chi_squared_quantile(probability, 1), ArgumentError,
                           "expected a probability in [0, 1]");
  }
}

}  // namespace gaia::test
