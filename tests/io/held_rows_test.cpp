// SPDX-License-Identifier: MIT
#include "../../src/io/held_rows.h"

#include <algorithm>
#include <numeric>

#include "../support/catch.h"

namespace gaia {
namespace {

using Values = std::vector<double>;

constexpr std::int64_t kPlaces[] = {2, 0};

/// Numbers 0, 1, 2, ... in rows of three, of which some come one by one and others together.
HeldRows rows_of_three() {
  HeldRows held(3);
  double next = 0.0;
  for (const std::int64_t together : {0, 4, 1, 0, 5}) {
    if (together == 0) {
      for (int i = 0; i < 6; ++i) held.add(next++);
      continue;
    }
    auto values = std::make_unique<double[]>(static_cast<std::size_t>(3 * together));
    std::iota(values.get(), values.get() + 3 * together, next);
    next += static_cast<double>(3 * together);
    held.add(std::move(values), together);
  }
  return held;
}

TEST_CASE("HeldRows reads any rows in the order in which they came") {
  const HeldRows held = rows_of_three();
  REQUIRE(held.rows() == 14);
  for (std::int64_t first = 0; first < held.rows(); ++first) {
    for (std::int64_t count = 0; count <= held.rows() - first; ++count) {
      CAPTURE(first, count);
      Values expected;
      for (std::int64_t row = first; row < first + count; ++row) {
        for (const std::int64_t place : kPlaces) {
          expected.push_back(static_cast<double>(3 * row + place));
        }
      }
      Values read(expected.size());
      held.read(first, count, kPlaces, read.data());
      CHECK(read == expected);
    }
  }
}

TEST_CASE("HeldRows counts whole rows") {
  HeldRows held(2);
  CHECK(held.rows() == 0);
  held.add(1.0);
  CHECK(held.rows() == 0);
  held.add(2.0);
  CHECK(held.rows() == 1);
}

TEST_CASE("HeldRows of no numbers holds nothing") {
  HeldRows held;
  held.add(1.0);
  held.add(nullptr, 3);
  CHECK(held.rows() == 0);
}

TEST_CASE("HeldRows takes nothing more once it is full") {
  const std::int64_t most = HeldRows::kMostHeld;
  HeldRows held(most / 2);
  const auto piece = [&](std::int64_t count) {
    return std::make_unique<double[]>(static_cast<std::size_t>(most / 2 * count));
  };
  held.add(piece(1), 1);
  held.add(piece(2), 2);
  CHECK(held.rows() == 1);
  held.add(piece(1), 1);
  CHECK(held.rows() == 1);
}

}  // namespace
}  // namespace gaia
