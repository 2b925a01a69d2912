// SPDX-License-Identifier: MIT
/// \file
/// How many evaluations CMA-ES takes to get below 1e-9: the median over seeds 1 to `seeds`; and of
/// how many of 300 seeds it gets there on Rastrigin's function. Made by make.py with cma 4.5.0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// clang-format off
namespace gaia::test::pycma {

struct Median {
  std::string function;
  std::int64_t parameters;
  std::int64_t seeds;
  double evaluations;
};

inline const std::vector<Median> medians = {
  {"sphere", 2, 101, 258},
  {"sphere", 5, 101, 720},
  {"sphere", 10, 15, 1490},
  {"sphere", 20, 15, 2808},
  {"sphere", 40, 15, 5295},
  {"ellipsoid", 2, 101, 486},
  {"ellipsoid", 5, 101, 1488},
  {"ellipsoid", 10, 15, 4080},
  {"ellipsoid", 20, 15, 12888},
  {"ellipsoid", 40, 15, 48495},
  {"rosenbrock", 2, 101, 444},
  {"rosenbrock", 5, 101, 1680},
  {"rosenbrock", 10, 15, 4790},
  {"rosenbrock", 20, 15, 16200},
  {"rosenbrock", 40, 15, 61020},
};

struct Successes {
  std::int64_t parameters;
  std::int64_t population;
  int of_300;
};

inline const std::vector<Successes> rastrigin = {
  {2, 20, 157},
  {5, 50, 75},
  {5, 100, 197},
};

/// Runs over two numbers in bounds, with a first step of half the range.
inline constexpr int bounded_of_300 = 203;

}  // namespace gaia::test::pycma
