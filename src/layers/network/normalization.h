// SPDX-License-Identifier: MIT
/// \file
/// Layers that bring what passes through them to mean 0 and variance 1.
#pragma once

#include "module.h"
#include "module_kind.h"

namespace gaia {

struct NormOptions {
  double epsilon = 1e-5;  ///< Added to the variance.
  bool affine = true;     ///< Whether "weight" (ones at first) and "bias" (zeros) follow.
  DType dtype = DType::float32;
};

/// \throws ArgumentError unless epsilon is finite, at least 0 and a number of the dtype.
void check_norm_epsilon(const char* type, double epsilon, DType dtype);

/// Over the last axes, of lengths `shape`, of each sample; one fused operation.
/// Ba, Kiros & Hinton (2016), arXiv:1607.06450.
class LayerNorm final : public Module {
 public:
  explicit LayerNorm(const Shape& shape, const NormOptions& options = {});
  explicit LayerNorm(std::int64_t features, const NormOptions& options = {})
      : LayerNorm(Shape{features}, options) {}

  std::string type() const override { return "layer_norm"; }
  /// \throws ShapeError unless the last axes of x are `shape`.
  Tensor forward(const Tensor& x) override;

 private:
  Shape shape_;
  NormOptions options_;
  Tensor weight_;
  Tensor bias_;
};

struct BatchNormOptions {
  double epsilon = 1e-5;
  double momentum = 0.1;  ///< Share of the new batch in the running statistics.
  bool affine = true;     ///< Whether "weight" (ones at first) and "bias" (zeros) follow.
  DType dtype = DType::float32;
};

/// Each of `channels` (axis 1) over batch and positions: while training with the mean and variance
/// of the batch, which also move the buffers "running_mean" and "running_variance" (the unbiased
/// one, at most the largest number of the dtype) by `momentum`; while not training with these.
/// Ioffe & Szegedy (2015), arXiv:1502.03167.
class BatchNorm : public Module {
 public:
  Tensor forward(const Tensor& x) override;

  const Array& running_mean() const { return running_mean_; }
  const Array& running_variance() const { return running_variance_; }

 protected:
  BatchNorm(const char* type, int least_rank, int most_rank, std::int64_t channels,
            const BatchNormOptions& options);

 private:
  int least_rank_;
  int most_rank_;
  std::int64_t channels_;
  BatchNormOptions options_;
  Tensor weight_;
  Tensor bias_;
  Array running_mean_;
  Array running_variance_;
};

/// Batch normalisation of x [batch, channels] or [batch, channels, length].
class BatchNorm1d final : public BatchNorm {
 public:
  explicit BatchNorm1d(std::int64_t channels, const BatchNormOptions& options = {})
      : BatchNorm("batch_norm1d", 2, 3, channels, options) {}
  std::string type() const override { return "batch_norm1d"; }
};

/// Batch normalisation of x [batch, channels, height, width].
class BatchNorm2d final : public BatchNorm {
 public:
  explicit BatchNorm2d(std::int64_t channels, const BatchNormOptions& options = {})
      : BatchNorm("batch_norm2d", 4, 4, channels, options) {}
  std::string type() const override { return "batch_norm2d"; }
};

/// Keys in an experiment: type: layer_norm.
struct LayerNormKind {
  NormOptions options = {};

  static constexpr const char* name = "layer_norm";
  void keys(ConfigVisitor& v) {
    v.number({"epsilon", "added to the variance"}, options.epsilon, kPositive);
  }
  void add_to(const ModulePlace& place) const {
    place.net.add<LayerNorm>(place.features(), placed(options, place));
  }
};

/// Keys in an experiment: type: batch_norm.
struct BatchNormKind {
  BatchNormOptions options = {};

  static constexpr const char* name = "batch_norm";
  void keys(ConfigVisitor& v) {
    v.number({"epsilon", "added to the variance"}, options.epsilon, kPositive);
    v.number({"momentum", "share of a batch in the running statistics"}, options.momentum,
             {0.0, 1.0});
  }
  void add_to(const ModulePlace& place) const;
  /// Whether a channel has a single position, so that the batch needs two samples.
  bool needs_two(const Shape& reads) const { return count_elements(reads) <= reads[1]; }
};

}  // namespace gaia
