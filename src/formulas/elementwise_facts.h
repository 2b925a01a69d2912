// SPDX-License-Identifier: MIT
/// \file
/// What a function of one number says of itself beside its formula: everything that names, lists or
/// runs such functions goes by these facts.
#pragma once

#include <concepts>
#include <cstdint>
#include <variant>

#include "dtype.h"

namespace gaia {

/// How much there is to compute for one number.  CPUs run loops by it.
enum class Work : std::uint8_t {
  unknown,  ///< Not stated: refused where it is needed.
  light,    ///< Takes less time than to load and store the number.
  medium,   ///< Is written out for several vectors at a time.
  heavy,    ///< Written out so often, it would become a function that is called for every vector.
};

/// What the slope of y = f(x) reads, and gradients therefore keep.
enum class Slope : std::uint8_t {
  of_x,
  of_y,
  of_both,
  constant,  ///< Neither of them.
  flat,      ///< The function consists of steps, which are flat wherever they have a slope.
};

/// What becomes of whole numbers.
enum class Whole : std::uint8_t {
  as_floating,  ///< They are computed as float64.
  computed,     ///< The formula is applied to them; it is not defined for bool.
  unchanged,    ///< They are their own answer.
};

struct UnaryFacts {
  const char* name;   ///< Name in C++, in Python and in errors.
  const char* about;  ///< Description; nullptr where Python has no function of an array alone.
  Work work;
  Slope slope = Slope::of_x;
  Whole whole = Whole::as_floating;
};

struct BinaryFacts {
  Work work;
};

/// What has a function f of one number applied to each of its elements by `elementwise(f, x)`:
/// arrays and tensors.
template <class T>
concept Elementwise = requires(const T& x) {
  { x.astype(DType::float32) } -> std::same_as<T>;
};

/// Some of the functions of one number, or all of them.
template <class... Fs>
struct FunctionList {
  using Variant = std::variant<Fs...>;

  template <class... Gs>
  constexpr FunctionList<Fs..., Gs...> operator+(FunctionList<Gs...> /*more*/) const {
    return {};
  }
  /// Calls f with each.
  template <class F>
  static void for_each(const F& f) {
    (f(Fs{}), ...);
  }
};

}  // namespace gaia
