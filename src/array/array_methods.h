// SPDX-License-Identifier: MIT
/// \file
/// Methods under NumPy's names: x.sum() is sum(x).
///
/// A class that derives from Methods of itself has them all; each calls the function of the same
/// name, whose page says what it does, among those declared where it is used: `gaia.h`, or
/// `array/ops.h`, `array/linear.h` (dot, trace) and `array/sorting.h` (argsort).
#pragma once

#include <cstdint>
#include <optional>

#include "../formulas/shape.h"
#include "scalar.h"

namespace gaia {
namespace called {

// Outside of the class, whose members would hide the functions.
#define GAIA_CALLED(name) \
  inline constexpr auto name##_of = [](const auto&... given) { return name(given...); }
GAIA_CALLED(all);
GAIA_CALLED(any);
GAIA_CALLED(argmax);
GAIA_CALLED(argmin);
GAIA_CALLED(argsort);
GAIA_CALLED(clip);
GAIA_CALLED(cumprod);
GAIA_CALLED(cumsum);
GAIA_CALLED(dot);
GAIA_CALLED(max);
GAIA_CALLED(mean);
GAIA_CALLED(min);
GAIA_CALLED(prod);
GAIA_CALLED(round);
GAIA_CALLED(standard_deviation);
GAIA_CALLED(sum);
GAIA_CALLED(trace);
GAIA_CALLED(var);
#undef GAIA_CALLED

}  // namespace called

template <class Self>
class Methods {
 public:
  // Over axes, as the functions: all of them if there are none.

  Self sum(const Axes& axes = {}, bool keep_dims = false) const {
    return called::sum_of(self(), axes, keep_dims);
  }
  Self prod(const Axes& axes = {}, bool keep_dims = false) const {
    return called::prod_of(self(), axes, keep_dims);
  }
  Self mean(const Axes& axes = {}, bool keep_dims = false) const {
    return called::mean_of(self(), axes, keep_dims);
  }
  Self max(const Axes& axes = {}, bool keep_dims = false) const {
    return called::max_of(self(), axes, keep_dims);
  }
  Self min(const Axes& axes = {}, bool keep_dims = false) const {
    return called::min_of(self(), axes, keep_dims);
  }
  Self any(const Axes& axes = {}, bool keep_dims = false) const {
    return called::any_of(self(), axes, keep_dims);
  }
  Self all(const Axes& axes = {}, bool keep_dims = false) const {
    return called::all_of(self(), axes, keep_dims);
  }
  Self var(const Axes& axes = {}, std::int64_t ddof = 0, bool keep_dims = false) const {
    return called::var_of(self(), axes, ddof, keep_dims);
  }
  Self std(const Axes& axes = {}, std::int64_t ddof = 0, bool keep_dims = false) const {
    return called::standard_deviation_of(self(), axes, ddof, keep_dims);
  }

  // Along an axis, or over all elements in row-major order.

  Self argmax(std::optional<std::int64_t> axis = {}, bool keep_dims = false) const {
    return called::argmax_of(self(), axis, keep_dims);
  }
  Self argmin(std::optional<std::int64_t> axis = {}, bool keep_dims = false) const {
    return called::argmin_of(self(), axis, keep_dims);
  }
  Self cumsum(std::optional<std::int64_t> axis = {}) const {
    return called::cumsum_of(self(), axis);
  }
  Self cumprod(std::optional<std::int64_t> axis = {}) const {
    return called::cumprod_of(self(), axis);
  }
  Self argsort(std::int64_t axis = -1) const { return called::argsort_of(self(), axis); }

  Self clip(std::optional<Scalar> low, std::optional<Scalar> high) const {
    return called::clip_of(self(), low, high);
  }
  Self round(int decimals = 0) const { return called::round_of(self(), decimals); }
  Self dot(const Self& other) const { return called::dot_of(self(), other); }
  Self trace(std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1) const {
    return called::trace_of(self(), offset, axis1, axis2);
  }
  /// The elements in row-major order, 1-d, as elements of one's own.
  Self flatten() const { return self().copy().reshape({-1}); }
  /// The same, a view where the elements lie so.
  Self ravel() const { return self().reshape({-1}); }

 protected:
  ~Methods() = default;

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace gaia
