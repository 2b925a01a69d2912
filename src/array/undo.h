// SPDX-License-Identifier: MIT
/// \file
/// Arrays as they were before something that changes them and may fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "array.h"

namespace gaia {

/// What arrays held, until it is put back or forgotten:
///
///     ArrayUndo undo;
///     undo.keep(weights_);
///     try {
///       learn(weights_);
///     } catch (...) {
///       undo.put_back();
///       throw;
///     }
///
/// Elements go back to where they were, so anyone who shares them sees them change and change back.
/// The memory of small arrays is used again after `forget`.
class ArrayUndo {
 public:
  /// Whether numbers that are not finite in an array are a fault of what changed it.
  enum class Numbers : std::uint8_t { finite, any };

  /// Keeps the elements of `array`, and the array itself where it is replaced by another one.  It
  /// lives until they are put back or forgotten.
  void keep(Array& array, Numbers numbers = Numbers::finite);
  /// Keeps the elements of an array that shares them with the one that is changed.
  void keep_elements(const Array& array, Numbers numbers = Numbers::finite);
  /// Keeps the array alone, whose elements do not change.
  void keep_handle(Array& array);
  /// Does `action` before arrays are put back.
  void before_put_back(std::function<void()> action) { actions_.push_back(std::move(action)); }

  /// Whether all arrays, as they are now, are free of NaN and Inf where that is asked for.
  bool all_finite() const;
  /// Sets arrays and elements back, and forgets them.
  void put_back();
  void forget();

 private:
  struct Kept {
    Array* place;  ///< Null where it is not set back.
    Array array;
    std::ptrdiff_t small = kNone;  ///< Position of its elements in small_.
    std::ptrdiff_t large = kNone;  ///< Number of its copy in large_.
    Numbers numbers;
  };
  static constexpr std::ptrdiff_t kNone = -1;

  void add(Array* place, const Array& array, Numbers numbers);

  std::vector<Kept> kept_;
  std::vector<std::byte> small_;
  std::size_t used_ = 0;      // bytes of small_ that are used
  std::vector<Array> large_;  // and those on a GPU
  std::vector<std::function<void()>> actions_;
};

}  // namespace gaia
