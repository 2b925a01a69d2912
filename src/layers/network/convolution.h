// SPDX-License-Identifier: MIT
/// \file
/// Convolution and pooling as layers; channels stand before positions.
#pragma once

#include <optional>

#include "../../autograd/ops.h"
#include "../../core/random.h"
#include "../init.h"
#include "module.h"
#include "module_kind.h"

namespace gaia {

struct Conv1dLayerOptions {
  Conv1dOptions convolution = {};  ///< Stride, padding, dilation, groups.
  bool bias = true;
  Init init = Init::pytorch;
  DType dtype = DType::float32;
  RandomStream random = next_stream();
};

/// conv1d of x [batch, in, length]: "weights" [out, in / groups, kernel], "bias" [out].
class Conv1d final : public Module {
 public:
  /// \throws ArgumentError unless sizes are at least 1 and divided by groups, DTypeError.
  Conv1d(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel,
         const Conv1dLayerOptions& options = {});

  std::string type() const override { return "conv1d"; }
  Tensor forward(const Tensor& x) override;
  Tensor forward_bfloat16(const Tensor& x, DType answer) override;
  const Tensor& weights() const { return weights_; }
  const Tensor& bias() const { return bias_; }  ///< Without elements if there is none.

 private:
  Conv1dOptions options_;
  bool has_bias_;
  Tensor weights_;
  Tensor bias_;
};

struct Conv2dLayerOptions {
  Conv2dOptions convolution = {};  ///< Stride, padding, dilation, groups.
  bool bias = true;
  Init init = Init::pytorch;
  DType dtype = DType::float32;
  RandomStream random = next_stream();
};

/// conv2d of x [batch, in, height, width]: "weights" [out, in / groups, kernel, kernel],
/// "bias" [out].
class Conv2d final : public Module {
 public:
  /// \throws ArgumentError unless sizes are at least 1 and divided by groups, DTypeError.
  Conv2d(std::int64_t in_channels, std::int64_t out_channels, Pair kernel,
         const Conv2dLayerOptions& options = {});
  Conv2d(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel,
         const Conv2dLayerOptions& options = {})
      : Conv2d(in_channels, out_channels, Pair{kernel, kernel}, options) {}

  std::string type() const override { return "conv2d"; }
  Tensor forward(const Tensor& x) override;
  Tensor forward_bfloat16(const Tensor& x, DType answer) override;
  const Tensor& weights() const { return weights_; }
  const Tensor& bias() const { return bias_; }  ///< Without elements if there is none.

 private:
  Conv2dOptions options_;
  bool has_bias_;
  Tensor weights_;
  Tensor bias_;
};

/// The largest or the mean of each window, as the functions with the options' names.  A number
/// alone is the length of the window along every axis.
class MaxPool1d final : public Module {
 public:
  static constexpr const char* name = "max_pool1d";
  using Options = MaxPool1dOptions;
  explicit MaxPool1d(const MaxPool1dOptions& options = {}) : options_(options) {}
  explicit MaxPool1d(std::int64_t kernel) : MaxPool1d(MaxPool1dOptions{.kernel = kernel}) {}
  std::string type() const override { return name; }
  Tensor forward(const Tensor& x) override { return max_pool1d(x, options_); }

 private:
  MaxPool1dOptions options_;
};

class MaxPool2d final : public Module {
 public:
  static constexpr const char* name = "max_pool2d";
  using Options = MaxPool2dOptions;
  explicit MaxPool2d(const MaxPool2dOptions& options = {}) : options_(options) {}
  explicit MaxPool2d(std::int64_t kernel)
      : MaxPool2d(MaxPool2dOptions{.kernel = {kernel, kernel}}) {}
  std::string type() const override { return name; }
  Tensor forward(const Tensor& x) override { return max_pool2d(x, options_); }

 private:
  MaxPool2dOptions options_;
};

class AvgPool1d final : public Module {
 public:
  static constexpr const char* name = "avg_pool1d";
  using Options = AvgPool1dOptions;
  explicit AvgPool1d(const AvgPool1dOptions& options = {}) : options_(options) {}
  explicit AvgPool1d(std::int64_t kernel) : AvgPool1d(AvgPool1dOptions{.kernel = kernel}) {}
  std::string type() const override { return name; }
  Tensor forward(const Tensor& x) override { return avg_pool1d(x, options_); }

 private:
  AvgPool1dOptions options_;
};

class AvgPool2d final : public Module {
 public:
  static constexpr const char* name = "avg_pool2d";
  using Options = AvgPool2dOptions;
  explicit AvgPool2d(const AvgPool2dOptions& options = {}) : options_(options) {}
  explicit AvgPool2d(std::int64_t kernel)
      : AvgPool2d(AvgPool2dOptions{.kernel = {kernel, kernel}}) {}
  std::string type() const override { return name; }
  Tensor forward(const Tensor& x) override { return avg_pool2d(x, options_); }

 private:
  AvgPool2dOptions options_;
};

/// What the keys of type: conv1d and conv2d say beside the options of the module.
struct ConvKeys {
  std::int64_t channels = 0;
  std::int64_t kernel = 3;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  Activation activation = Activation::linear;

  void keys(ConfigVisitor& v);
};

struct Conv1dKind : ConvKeys {
  static constexpr const char* name = "conv1d";
  void add_to(const ModulePlace& place) const;
};

struct Conv2dKind : ConvKeys {
  static constexpr const char* name = "conv2d";
  void add_to(const ModulePlace& place) const;
};

/// What the keys of types that pool say: type: max_pool1d, avg_pool1d, max_pool2d, avg_pool2d.
struct PoolKeys {
  std::int64_t kernel = 2;
  std::optional<std::int64_t> stride = {};  ///< Step of the window; the kernel if not given.

  void keys(ConfigVisitor& v) {
    v.integer({"kernel", "length of the window along every axis"}, kernel, kWindow);
    v.optional({"stride", "from one window to the next; default the kernel"}, stride, kWindow);
  }
};

template <class Pool>
struct Pool1dKind : PoolKeys {
  static constexpr const char* name = Pool::name;
  void add_to(const ModulePlace& place) const {
    place.expect_axes(2, "[channels, length]");
    place.net.add<Pool>(typename Pool::Options{.kernel = kernel, .stride = stride});
  }
};

template <class Pool>
struct Pool2dKind : PoolKeys {
  static constexpr const char* name = Pool::name;
  void add_to(const ModulePlace& place) const {
    place.expect_axes(3, "[channels, height, width]");
    const std::int64_t step = stride.value_or(kernel);
    place.net.add<Pool>(
        typename Pool::Options{.kernel = Pair{kernel, kernel}, .stride = Pair{step, step}});
  }
};

}  // namespace gaia
