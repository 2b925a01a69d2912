// SPDX-License-Identifier: MIT
/// \file
/// Normalisation by groups of channels, by single channels, and by the size of a sample alone, as
/// layers; the functions are in autograd/normalization.h.
#pragma once

#include <optional>

#include "module.h"
#include "module_kind.h"
#include "normalization.h"

namespace gaia {

/// group_norm of x [batch, channels, ...].  NormOptions::affine: "weight" (ones at first) and
/// "bias" (zeros), both [channels].
class GroupNorm final : public Module {
 public:
  /// \throws ArgumentError unless groups divides channels.
  GroupNorm(std::int64_t groups, std::int64_t channels, const NormOptions& options = {});

  std::string type() const override { return "group_norm"; }
  /// \throws ShapeError for x of another shape.
  Tensor forward(const Tensor& x) override;

 private:
  std::int64_t groups_;
  std::int64_t channels_;
  NormOptions options_;
  Tensor weight_;
  Tensor bias_;
};

/// instance_norm of x [batch, channels, positions...], the same while training and not.  As in
/// PyTorch there are no "weight" and "bias" unless they are asked for.
class InstanceNorm final : public Module {
 public:
  explicit InstanceNorm(std::int64_t channels, const NormOptions& options = {.affine = false});

  std::string type() const override { return "instance_norm"; }
  /// \throws ShapeError for x of another shape.
  Tensor forward(const Tensor& x) override;

 private:
  std::int64_t channels_;
  NormOptions options_;
  Tensor weight_;
  Tensor bias_;
};

struct RmsNormLayerOptions {
  /// Added to the mean square; nothing: the distance from 1 to the next number of the dtype.
  std::optional<double> epsilon = {};
  bool affine = true;  ///< Whether "weight" (ones at first) follows.
  DType dtype = DType::float32;
};

/// rms_norm over the last axes, of lengths `shape`.
class RmsNorm final : public Module {
 public:
  explicit RmsNorm(const Shape& shape, const RmsNormLayerOptions& options = {});
  explicit RmsNorm(std::int64_t features, const RmsNormLayerOptions& options = {})
      : RmsNorm(Shape{features}, options) {}

  std::string type() const override { return "rms_norm"; }
  /// \throws ShapeError unless the last axes of x are `shape`.
  Tensor forward(const Tensor& x) override;

 private:
  Shape shape_;
  RmsNormLayerOptions options_;
  Tensor weight_;
};

/// Keys in an experiment: type: group_norm.
struct GroupNormKind {
  std::int64_t groups = 0;
  NormOptions options = {};

  static constexpr const char* name = "group_norm";
  void keys(ConfigVisitor& v) {
    v.integer({"groups", "how many groups the channels make", true}, groups, {1, 1000000});
    v.number({"epsilon", "added to the variance"}, options.epsilon, kPositive);
  }
  void add_to(const ModulePlace& place) const {
    place.net.add<GroupNorm>(groups, place.shape[1], placed(options, place));
  }
};

/// Keys in an experiment: type: instance_norm.
struct InstanceNormKind {
  NormOptions options = {.affine = false};

  static constexpr const char* name = "instance_norm";
  void keys(ConfigVisitor& v) {
    v.number({"epsilon", "added to the variance"}, options.epsilon, kPositive);
    v.flag({"affine", "whether a weight and a bias of each channel follow"}, options.affine);
  }
  void add_to(const ModulePlace& place) const {
    place.net.add<InstanceNorm>(place.shape[1], placed(options, place));
  }
};

/// Keys in an experiment: type: rms_norm.
struct RmsNormKind {
  RmsNormLayerOptions options = {.epsilon = 1e-6};

  static constexpr const char* name = "rms_norm";
  void keys(ConfigVisitor& v) {
    v.number({"epsilon", "added to the mean square"}, *options.epsilon, kPositive);
  }
  void add_to(const ModulePlace& place) const {
    place.net.add<RmsNorm>(place.features(), placed(options, place));
  }
};

}  // namespace gaia
