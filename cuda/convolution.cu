// SPDX-License-Identifier: MIT
/// \file
/// Convolution of planes as matrix products: some images at a time, what their windows read is laid
/// out as columns.  How many depends on shapes alone.
#include "convolution.cuh"

#include <algorithm>
#include <optional>

#include "backend.h"
#include "gemm.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// Bytes of the columns, and of the products of single images, at most, unless one image has more.
constexpr std::int64_t kColumnsBytes = std::int64_t{256} << 20;
constexpr std::int64_t kProductsBytes = std::int64_t{64} << 20;

template <class T>
class Convolution {
 public:
  Convolution(const ConvolutionRun& run, Memory& memory, cudaStream_t stream)
      : run_(run),
        memory_(memory),
        stream_(stream),
        images_(run.x.shape[0]),
        all_channels_(run.x.shape[1]),
        channels_(all_channels_ / run.groups),
        outputs_(run.weights.shape[0] / run.groups),
        kernel_(run.weights.shape[2] * run.weights.shape[3]),
        taps_(channels_ * kernel_),
        plane_(run.x.shape[2] * run.x.shape[3]),
        positions_(run.y.shape[2] * run.y.shape[3]),
        in_place_(kernel_ == 1 && run.window.stride == Pair{1, 1} &&
                  run.window.padding == Pair{0, 0}),
        per_step_(images_at_a_time()) {
    if (!in_place_ && images_ > 0) {
      room_.emplace(memory_, per_step_ * all_channels_ * kernel_ * positions_ * kSize, stream_);
      columns_ = room_->as<T>();
    }
  }

  void forward() {
    for_each_step([&](std::int64_t first, std::int64_t count) {
      const T* const columns = read(first, count);
      multiply(count,
               {.m = outputs_,
                .n = positions_,
                .k = taps_,
                .a = {.data = run_.weights.data, .leading = taps_},
                .b = {.data = columns, .leading = positions_},
                .y = y_planes(first),
                .y_leading = positions_,
                .accumulate = run_.bias.has_value()},
               {.a = {0, outputs_ * taps_}, .b = of_columns(), .y = of_y()});
    });
  }

  void input_gradient() {
    for_each_step([&](std::int64_t first, std::int64_t count) {
      T* const columns = in_place_ ? x_planes(first) : columns_;
      multiply(count,
               {.m = taps_,
                .n = positions_,
                .k = outputs_,
                .a = {.data = run_.weights.data, .leading = taps_, .transposed = true},
                .b = {.data = y_planes(first), .leading = positions_},
                .y = columns,
                .y_leading = positions_},
               {.a = {0, outputs_ * taps_}, .b = of_y(), .y = of_columns()});
      if (in_place_) return;
      const ColumnsArguments<T> arguments = columns_of(first, count);
      launch("convolve", collect_columns_kernel<T>, shape(arguments.planes * plane_), stream_,
             arguments);
    });
  }

  void weight_gradient() {
    const std::int64_t size = run_.weights.count();
    const Scratch products(memory_, per_step_ * size * kSize, stream_);
    const Scratch sums(memory_, size * size_of(DType::float64), stream_);
    for_each_step([&](std::int64_t first, std::int64_t count) {
      const T* const columns = read(first, count);
      multiply(count,
               {.m = outputs_,
                .n = taps_,
                .k = positions_,
                .a = {.data = y_planes(first), .leading = positions_},
                .b = {.data = columns, .leading = positions_, .transposed = true},
                .y = products.as<T>(),
                .y_leading = taps_},
               {.a = of_y(), .b = of_columns(), .y = {size, outputs_ * taps_}});
      const bool is_last = first + count == images_;
      launch("convolve", add_products_kernel<T>, shape(size), stream_, products.as<const T>(),
             count, size, first == 0, sums.as<double>(), is_last ? run_.weights.as<T>() : nullptr);
    });
  }

 private:
  static constexpr std::int64_t kSize = sizeof(T);

  /// Distances between images and between groups.
  struct Steps {
    std::int64_t image;
    std::int64_t group;
  };
  struct AllSteps {
    Steps a;
    Steps b;
    Steps y;
  };

  static LaunchShape shape(std::int64_t count) {
    return {.grid = blocks_for(count, kThreads), .block = kThreads};
  }

  std::int64_t images_at_a_time() const {
    const auto within = [](std::int64_t bytes, std::int64_t of_one) {
      return std::max<std::int64_t>(1, bytes / std::max<std::int64_t>(1, of_one));
    };
    std::int64_t count = std::max<std::int64_t>(1, images_);
    if (!in_place_) {
      count = std::min(count, within(kColumnsBytes, all_channels_ * kernel_ * positions_ * kSize));
    }
    if (run_.pass == ConvolutionPass::weight_gradient) {
      count = std::min(count, within(kProductsBytes, run_.weights.count() * kSize));
    }
    return count;
  }

  /// Calls f(first image, images) for all images.
  template <class F>
  void for_each_step(const F& f) const {
    for (std::int64_t first = 0; first < images_; first += per_step_) {
      f(first, std::min(per_step_, images_ - first));
    }
  }

  T* x_planes(std::int64_t image) const { return run_.x.as<T>() + image * all_channels_ * plane_; }
  T* y_planes(std::int64_t image) const {
    return run_.y.as<T>() + image * run_.groups * outputs_ * positions_;
  }
  Steps of_columns() const { return {run_.groups * taps_ * positions_, taps_ * positions_}; }
  Steps of_y() const { return {run_.groups * outputs_ * positions_, outputs_ * positions_}; }

  ColumnsArguments<T> columns_of(std::int64_t first, std::int64_t count) const {
    return {.window = run_.window,
            .planes = count * all_channels_,
            .height = run_.x.shape[2],
            .width = run_.x.shape[3],
            .y_height = run_.y.shape[2],
            .y_width = run_.y.shape[3],
            .x = x_planes(first),
            .columns = columns_};
  }

  /// [count, groups, taps, positions]: what the windows of these images read.
  const T* read(std::int64_t first, std::int64_t count) const {
    if (in_place_) return x_planes(first);
    const ColumnsArguments<T> arguments = columns_of(first, count);
    launch("convolve", lay_out_columns_kernel<T>, shape(arguments.planes * positions_), stream_,
           arguments);
    return arguments.columns;
  }

  /// The product of one group of one image, for all groups of `images` images.
  void multiply(std::int64_t images, Gemm product, const AllSteps& steps) const {
    product.dtype = dtype_of<T>();
    product.precision = run_.precision;
    // The longer of the two goes into each call.
    const bool by_images = images >= run_.groups;
    product.batch = by_images ? images : run_.groups;
    const auto together = [by_images](const Steps& x) { return by_images ? x.image : x.group; };
    product.a.batch_stride = together(steps.a);
    product.b.batch_stride = together(steps.b);
    product.y_batch_stride = together(steps.y);
    const Gemm first = product;
    for (std::int64_t i = 0; i < (by_images ? run_.groups : images); ++i) {
      const auto apart = [&](const Steps& x) { return i * (by_images ? x.group : x.image); };
      product.a.data = static_cast<const T*>(first.a.data) + apart(steps.a);
      product.b.data = static_cast<const T*>(first.b.data) + apart(steps.b);
      product.y = static_cast<T*>(first.y) + apart(steps.y);
      gemm(product, memory_, stream_);
    }
  }

  const ConvolutionRun& run_;
  Memory& memory_;
  cudaStream_t stream_;
  std::int64_t images_;
  std::int64_t all_channels_;
  std::int64_t channels_;  // channels of a group
  std::int64_t outputs_;   // channels of y in a group
  std::int64_t kernel_;
  std::int64_t taps_;
  std::int64_t plane_;
  std::int64_t positions_;
  bool in_place_;  // windows are single pixels, one behind the other
  std::int64_t per_step_;
  std::optional<Scratch> room_;  // room of the columns, unless images are read in place
  T* columns_ = nullptr;
};

}  // namespace

void CudaBackend::convolve(const ConvolutionRun& run) {
  const Call stream = begin({&run.x, &run.weights, &run.y, if_any(run.bias)});
  const bool is_forward = run.pass == ConvolutionPass::forward;
  const View& result = is_forward                                     ? run.y
                       : run.pass == ConvolutionPass::weight_gradient ? run.weights
                                                                      : run.x;
  if (result.count() == 0) return;
  if (is_forward && run.bias) {
    View repeated = *run.bias;
    repeated.shape = run.y.shape;
    repeated.strides = Strides{0, run.bias->strides[0], 0, 0};
    copy(repeated, run.y);
  }
  if (run.x.count() == 0 || run.weights.count() == 0 || run.y.count() == 0) {
    if (!(is_forward && run.bias)) fill(0.0, result);
    return;
  }
  dispatch_floating(run.x.dtype, [&](auto tag) {
    Convolution<typename decltype(tag)::type> convolution(run, memory_, stream);
    switch (run.pass) {
      case ConvolutionPass::forward:
        return convolution.forward();
      case ConvolutionPass::input_gradient:
        return convolution.input_gradient();
      case ConvolutionPass::weight_gradient:
        return convolution.weight_gradient();
    }
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
