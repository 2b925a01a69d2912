// SPDX-License-Identifier: MIT
/// \file
/// Pooling to a given number of positions, and zeros around positions, as layers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../autograd/tensor.h"
#include "module.h"
#include "module_kind.h"

namespace gaia {

/// The mean (or the largest) of x [batch, channels, positions...] over windows: output i of m along
/// an axis of n positions is computed from positions floor(i n / m) to ceil((i + 1) n / m) - 1,
/// which may overlap where m does not divide n.  `sizes` has m of each axis of positions.  The
/// gradient of the largest goes to the one that max takes.
/// \throws ShapeError unless x has batch, channels and as many axes of positions as there are
///         sizes, none of them empty; ArgumentError for a size below 1.
Tensor adaptive_avg_pool(const Tensor& x, const std::vector<std::int64_t>& sizes);
Tensor adaptive_max_pool(const Tensor& x, const std::vector<std::int64_t>& sizes);

/// Zeros around the last axes: before[i] and after[i] of axis i of the last before.size().
/// \throws ShapeError for fewer axes, ArgumentError for negative numbers or unequal lengths.
Tensor zero_pad(const Tensor& x, const std::vector<std::int64_t>& before,
                const std::vector<std::int64_t>& after);

/// What the four have in common.
class AdaptivePool : public Module {
 public:
  std::string type() const override { return type_; }
  Tensor forward(const Tensor& x) override;

 protected:
  /// \throws ArgumentError for a size below 1.
  AdaptivePool(std::string type, bool largest, std::vector<std::int64_t> sizes);

 private:
  std::string type_;
  bool largest_;
  std::vector<std::int64_t> sizes_;
};

class AdaptiveAvgPool1d final : public AdaptivePool {
 public:
  static constexpr const char* name = "adaptive_avg_pool1d";
  explicit AdaptiveAvgPool1d(std::int64_t size) : AdaptivePool(name, false, {size}) {}
};

class AdaptiveAvgPool2d final : public AdaptivePool {
 public:
  static constexpr const char* name = "adaptive_avg_pool2d";
  AdaptiveAvgPool2d(std::int64_t height, std::int64_t width)
      : AdaptivePool(name, false, {height, width}) {}
  explicit AdaptiveAvgPool2d(std::int64_t size) : AdaptiveAvgPool2d(size, size) {}
};

class AdaptiveMaxPool1d final : public AdaptivePool {
 public:
  static constexpr const char* name = "adaptive_max_pool1d";
  explicit AdaptiveMaxPool1d(std::int64_t size) : AdaptivePool(name, true, {size}) {}
};

class AdaptiveMaxPool2d final : public AdaptivePool {
 public:
  static constexpr const char* name = "adaptive_max_pool2d";
  AdaptiveMaxPool2d(std::int64_t height, std::int64_t width)
      : AdaptivePool(name, true, {height, width}) {}
  explicit AdaptiveMaxPool2d(std::int64_t size) : AdaptiveMaxPool2d(size, size) {}
};

/// zero_pad as a layer: unequal padding before a convolution that has none of its own.
class ZeroPad final : public Module {
 public:
  /// \throws ArgumentError for negative numbers or unequal lengths.
  ZeroPad(std::vector<std::int64_t> before, std::vector<std::int64_t> after);
  std::string type() const override { return "zero_pad"; }
  Tensor forward(const Tensor& x) override { return zero_pad(x, before_, after_); }

 private:
  std::vector<std::int64_t> before_;
  std::vector<std::int64_t> after_;
};

/// Keys in an experiment: type: adaptive_avg_pool1d, adaptive_max_pool1d, ...
struct AdaptivePoolKeys {
  std::int64_t size = 0;

  void keys(ConfigVisitor& v) {
    v.integer({"size", "positions along every axis that are left", true}, size, kWindow);
  }
};

template <class Pool>
struct AdaptivePool1dKind : AdaptivePoolKeys {
  static constexpr const char* name = Pool::name;
  void add_to(const ModulePlace& place) const {
    place.expect_axes(2, "[channels, length]");
    place.net.add<Pool>(size);
  }
};

template <class Pool>
struct AdaptivePool2dKind : AdaptivePoolKeys {
  static constexpr const char* name = Pool::name;
  void add_to(const ModulePlace& place) const {
    place.expect_axes(3, "[channels, height, width]");
    place.net.add<Pool>(size);
  }
};

/// Keys in an experiment: type: zero_pad.
struct ZeroPadKind {
  std::vector<std::int64_t> before = {0};
  std::vector<std::int64_t> after = {0};

  static constexpr const char* name = "zero_pad";
  void keys(ConfigVisitor& v) {
    v.integers({"before", "zeros before each of the last axes"}, before, {0, 100000});
    v.integers({"after", "zeros behind each of the last axes"}, after, {0, 100000});
  }
  void add_to(const ModulePlace& place) const { place.net.add<ZeroPad>(before, after); }
};

}  // namespace gaia
