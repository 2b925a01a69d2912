// SPDX-License-Identifier: MIT
/// \file
/// Choices of a random trial, drawn from the number of the trial alone: a failure names that
/// number, and it fails again.
#pragma once

#include <cstdint>
#include <random>

#include "operands.h"

namespace gaia::test {

inline constexpr DType kEveryDType[] = {DType::boolean,  DType::int32,   DType::int64,
                                        DType::bfloat16, DType::float32, DType::float64};

/// Draws what one trial needs from its own number.
class Trial {
 public:
  explicit Trial(std::uint64_t number) : engine_(number), number_(number) {}

  std::uint64_t seed() const { return number_; }

  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n));
  }
  Shape shape(int most_axes = 4) {
    Shape result;
    for (std::int64_t axes = below(most_axes + 1); axes > 0; --axes) {
      result.push_back(below(12) == 0 ? 0 : 1 + below(below(4) == 0 ? 40 : 6));
    }
    return result;
  }
  /// A shape that broadcasts with `other`: axes left out or of length 1.
  Shape partner(const Shape& other) {
    Shape result;
    for (int axis = static_cast<int>(below(other.rank() + 1)); axis < other.rank(); ++axis) {
      result.push_back(below(3) == 0 ? 1 : other[axis]);
    }
    return result;
  }
  /// From first to last or back, counted from the front or from the end.
  Axes axes(int rank) {
    Axes result;
    const bool backwards = below(2) == 0;
    for (int k = 0; k < rank; ++k) {
      const int axis = backwards ? rank - 1 - k : k;
      if (below(2) == 0) result.push_back(below(2) == 0 ? axis : axis - rank);
    }
    return result;
  }
  DType dtype() { return kEveryDType[below(6)]; }
  Operand operand(const Shape& shape, DType dtype, double low = -4, double high = 4) {
    return random_operand(engine_, shape, dtype, all_layouts()[static_cast<std::size_t>(below(5))],
                          low, high);
  }

 private:
  std::mt19937_64 engine_;
  std::uint64_t number_;
};

/// One of a list.
template <class List>
const auto& pick(Trial& trial, const List& list) {
  return list[static_cast<std::size_t>(trial.below(static_cast<std::int64_t>(list.size())))];
}

}  // namespace gaia::test
