// SPDX-License-Identifier: MIT
/// \file
/// Convolution of planes as matrix products: a block of positions at a time, what the windows
/// there read is laid out as columns.  Forward, windows one position apart need no columns but only
/// a border of zeros around the planes.  Blocks and tasks depend on shapes alone.
#include <algorithm>
#include <memory>
#include <vector>

#include "../src/core/parallel.h"
#include "backend.h"
#include "gemm.h"
#include "strided_loop.h"
#include "vector/convolution.h"

namespace gaia::cpu {
namespace {

/// Elements of a block of columns: it stays in the cache between being laid out and multiplied.
constexpr std::int64_t kBlockElements = 1 << 16;
/// Positions of a block, at least, so that the product is one of matrices.
constexpr std::int64_t kBlockPositions = 64;
/// Tasks that share an operation, at most; each has a block of its own.
constexpr std::int64_t kTasks = 64;
/// Elements of bordered planes, about, that a task works on at a time.
constexpr std::int64_t kBorderedElements = 1 << 18;
/// From so many planes on tasks are whole ones.
constexpr std::int64_t kManyPlanes = 8;
/// Elements of partial sums of the weights' gradient, at most.
constexpr std::int64_t kPartialElements = 1 << 22;
constexpr std::int64_t kPartials = 16;

template <class T>
class Convolution {
 public:
  explicit Convolution(const ConvolutionRun& run)
      : run_(run),
        images_(run.x.shape[0]),
        channels_(run.x.shape[1] / run.groups),
        height_(run.x.shape[2]),
        width_(run.x.shape[3]),
        outputs_(run.weights.shape[0] / run.groups),
        kernel_(run.weights.shape[2] * run.weights.shape[3]),
        taps_(channels_ * kernel_),
        plane_(height_ * width_),
        y_width_(run.y.shape[3]),
        positions_(run.y.shape[2] * y_width_),
        block_(std::min(positions_, std::max(kBlockPositions,
                                             kBlockElements / std::max<std::int64_t>(1, taps_)))),
        in_place_(kernel_ == 1 && run.window.stride == Pair{1, 1} &&
                  run.window.padding == Pair{0, 0}) {}

  void forward() const {
    if (reads_runs()) return forward_by_rows();
    const std::int64_t blocks = (positions_ + block_ - 1) / block_;
    for_each_unit(
        images_ * run_.groups * blocks, taps_ * block_, [&](std::int64_t unit, T* columns) {
          const std::int64_t first = unit % blocks * block_;
          forward_block(unit / blocks, first, std::min(block_, positions_ - first), columns);
        });
  }

  /// Few images are cut by channels too.
  void input_gradient() const {
    const std::int64_t planes = images_ * run_.groups;
    const std::int64_t parts =
        planes >= kPartials ? 1 : std::min(kPartials, std::max<std::int64_t>(1, channels_));
    const std::int64_t per_part = (channels_ + parts - 1) / parts;
    for_each_unit(planes * parts, per_part * kernel_ * block_, [&](std::int64_t unit, T* columns) {
      const std::int64_t first = unit % parts * per_part;
      const std::int64_t last = std::min(channels_, first + per_part);
      if (first < last) input_gradient_of(unit / parts, first, last, columns);
    });
  }

  /// Sums over fixed shares of the images, and then over these in order.
  void weight_gradient() const {
    const std::int64_t size = run_.weights.count();
    const std::int64_t per_group = outputs_ * taps_;
    const std::int64_t shares = std::clamp<std::int64_t>(
        std::min(kPartialElements / std::max<std::int64_t>(1, size), images_), 1, kPartials);
    std::vector<double> sums(static_cast<std::size_t>(shares * size), 0.0);
    parallel_for(shares * run_.groups, [&](std::int64_t task) {
      const std::int64_t share = task / run_.groups;
      const std::int64_t group = task % run_.groups;
      const auto columns = buffer(taps_ * block_);
      const auto product = buffer(per_group);
      const T* const product_of_image = product.get();
      double* const sum = sums.data() + share * size + group * per_group;
      for (std::int64_t image = images_ * share / shares; image < images_ * (share + 1) / shares;
           ++image) {
        weight_gradient_of(image * run_.groups + group, columns.get(), product.get());
        for (std::int64_t i = 0; i < per_group; ++i) {
          sum[i] += static_cast<double>(product_of_image[i]);
        }
      }
    });
    T* const target = run_.weights.as<T>();
    parallel_for((size + kElementsPerTask - 1) / kElementsPerTask, [&](std::int64_t task) {
      const std::int64_t end = std::min(size, (task + 1) * kElementsPerTask);
      for (std::int64_t i = task * kElementsPerTask; i < end; ++i) {
        double sum = 0.0;
        for (std::int64_t share = 0; share < shares; ++share) {
          sum += sums[static_cast<std::size_t>(share * size + i)];
        }
        target[i] = static_cast<T>(sum);
      }
    });
  }

 private:
  static std::unique_ptr<T[]> buffer(std::int64_t elements) {
    return std::unique_ptr<T[]>(new T[static_cast<std::size_t>(elements)]);
  }

  /// Calls f(unit, block of `elements`) for all units, in parallel.
  template <class F>
  static void for_each_unit(std::int64_t units, std::int64_t elements, const F& f) {
    const std::int64_t tasks = std::min(units, kTasks);
    parallel_for(tasks, [&](std::int64_t task) {
      const auto columns = buffer(elements);
      for (std::int64_t unit = units * task / tasks; unit < units * (task + 1) / tasks; ++unit) {
        f(unit, columns.get());
      }
    });
  }

  // `index` counts the groups of all images.
  T* x_planes(std::int64_t index) const { return run_.x.as<T>() + index * channels_ * plane_; }
  T* y_planes(std::int64_t index) const { return run_.y.as<T>() + index * outputs_ * positions_; }
  MatrixRef<const T> weights_of(std::int64_t index) const {
    return {run_.weights.as<T>() + index % run_.groups * outputs_ * taps_, outputs_, taps_, taps_};
  }
  MatrixRef<const T> y_block(std::int64_t index, std::int64_t first, std::int64_t count) const {
    return {y_planes(index) + first, outputs_, count, positions_};
  }

  /// [taps, count]: what positions [first, first + count) read.
  MatrixRef<const T> read(std::int64_t index, std::int64_t first, std::int64_t count,
                          T* columns) const {
    T* const planes = x_planes(index);
    if (in_place_) return {planes + first, taps_, count, plane_};
    const std::int64_t stride = run_.window.stride[1];
    for_each_segment(0, channels_, planes, first, count, columns,
                     [stride](T* column, std::int64_t before, const T* plane, std::int64_t inside,
                              std::int64_t after) {
                       std::fill_n(column, before, T(0));
                       column += before;
                       if (stride == 1) {
                         std::copy_n(plane, inside, column);
                       } else {
                         for (std::int64_t i = 0; i < inside; ++i) column[i] = plane[i * stride];
                       }
                       std::fill_n(column + inside, after, T(0));
                     });
    return {columns, taps_, count, count};
  }

  /// Calls f(column, zeros before, plane, elements inside, zeros after) for every tap of channels
  /// [c, last) and every piece of a row of positions.
  template <class F>
  void for_each_segment(std::int64_t c, std::int64_t last, T* planes, std::int64_t first,
                        std::int64_t count, T* columns, const F& f) const {
    const SlidingWindow& w = run_.window;
    for (T* column = columns; c < last; ++c) {
      for (std::int64_t a = 0; a < w.kernel[0]; ++a) {
        for (std::int64_t b = 0; b < w.kernel[1]; ++b) {
          const std::int64_t shift = b * w.dilation[1] - w.padding[1];
          // Outputs [low, high) of a row read inside of the plane.
          const std::int64_t low = shift >= 0 ? 0 : (-shift + w.stride[1] - 1) / w.stride[1];
          const std::int64_t high = shift >= width_ ? 0 : (width_ - 1 - shift) / w.stride[1] + 1;
          for (std::int64_t p = first; p < first + count;) {
            const std::int64_t i = p / y_width_;
            const std::int64_t j = p % y_width_;
            const std::int64_t end = std::min(y_width_, j + first + count - p);
            const std::int64_t row = i * w.stride[0] + a * w.dilation[0] - w.padding[0];
            const bool is_inside = row >= 0 && row < height_;
            const std::int64_t from = is_inside ? std::clamp(low, j, end) : end;
            const std::int64_t to = is_inside ? std::clamp(high, from, end) : end;
            T* const plane = from < to
                                 ? planes + c * plane_ + row * width_ + from * w.stride[1] + shift
                                 : nullptr;
            f(column, from - j, plane, to - from, end - to);
            column += end - j;
            p += end - j;
          }
        }
      }
    }
  }

  /// Whether neighbouring windows read neighbours, and rows are long enough to fill vectors.
  bool reads_runs() const {
    const std::int64_t together = GAIA_VECTOR_KERNEL(positions_together<T>)();
    const std::int64_t whole = (y_width_ + together - 1) / together * together;
    return !in_place_ && run_.window.stride[1] == 1 && 4 * y_width_ >= 3 * whole;
  }

  /// Rows of planes with their border that `rows` rows of positions read.
  std::int64_t rows_read(std::int64_t rows) const {
    const SlidingWindow& w = run_.window;
    return (rows - 1) * w.stride[0] + (w.kernel[0] - 1) * w.dilation[0] + 1;
  }

  void forward_by_rows() const {
    const SlidingWindow& w = run_.window;
    const std::int64_t height = run_.y.shape[2];
    const std::int64_t row = y_width_ + (w.kernel[1] - 1) * w.dilation[1];
    const std::int64_t planes = images_ * run_.groups;
    const std::int64_t most = std::max<std::int64_t>(
        1, kBorderedElements / std::max<std::int64_t>(1, channels_ * row * w.stride[0]));
    const std::int64_t shared = std::max<std::int64_t>(1, (block_ + y_width_ - 1) / y_width_);
    const std::int64_t rows = std::min({height, most, planes >= kManyPlanes ? height : shared});
    const std::int64_t blocks = (height + rows - 1) / rows;
    const std::int64_t plane = rows_read(rows) * row;
    std::vector<std::int64_t> offsets;
    for (std::int64_t c = 0; c < channels_; ++c) {
      for (std::int64_t a = 0; a < w.kernel[0]; ++a) {
        for (std::int64_t b = 0; b < w.kernel[1]; ++b) {
          offsets.push_back(c * plane + a * w.dilation[0] * row + b * w.dilation[1]);
        }
      }
    }
    // A vector at the end of a row reads on behind it.
    const std::int64_t behind = GAIA_VECTOR_KERNEL(positions_together<T>)();
    const std::int64_t elements = channels_ * plane + behind;
    for_each_unit(planes * blocks, elements, [&](std::int64_t unit, T* bordered) {
      const std::int64_t index = unit / blocks;
      const std::int64_t first = unit % blocks * rows;
      const std::int64_t count = std::min(rows, height - first);
      copy_with_border(index, first * w.stride[0] - w.padding[0], plane, row, bordered);
      std::fill_n(bordered + channels_ * plane, behind, T(0));
      T* const y = y_planes(index) + first * y_width_;
      fill_with_bias(index, y, count * y_width_);
      GAIA_VECTOR_KERNEL(convolve_rows<T>)
      ({.weights = weights_of(index).data,
        .outputs = outputs_,
        .taps = taps_,
        .x = bordered,
        .x_row = w.stride[0] * row,
        .offsets = offsets.data(),
        .y = y,
        .y_plane = positions_,
        .rows = count,
        .width = y_width_},
       run_.bias.has_value());
    });
  }

  /// Planes of `plane` elements in rows of `row`, from row `top` on, with zeros where x has none.
  void copy_with_border(std::int64_t index, std::int64_t top, std::int64_t plane, std::int64_t row,
                        T* to) const {
    const std::int64_t left = run_.window.padding[1];
    const std::int64_t inside = std::clamp<std::int64_t>(row - left, 0, width_);
    const T* from = x_planes(index);
    for (std::int64_t c = 0; c < channels_; ++c, from += plane_) {
      for (std::int64_t i = 0; i < plane / row; ++i, to += row) {
        const std::int64_t at = top + i;
        if (at < 0 || at >= height_) {
          std::fill_n(to, row, T(0));
          continue;
        }
        std::fill_n(to, std::min(left, row), T(0));
        std::copy_n(from + at * width_, inside, to + left);
        std::fill(to + std::min(left, row) + inside, to + row, T(0));
      }
    }
  }

  /// What outputs begin with at `count` positions, from y on in the first plane.
  void fill_with_bias(std::int64_t index, T* y, std::int64_t count) const {
    if (!run_.bias) return;
    const T* const bias = run_.bias->template as<T>() + index % run_.groups * outputs_;
    for (std::int64_t o = 0; o < outputs_; ++o) std::fill_n(y + o * positions_, count, bias[o]);
  }

  void forward_block(std::int64_t index, std::int64_t first, std::int64_t count, T* columns) const {
    const MatrixRef<T> y{y_planes(index) + first, outputs_, count, positions_};
    fill_with_bias(index, y.data, count);
    gemm<T>(weights_of(index), read(index, first, count, columns), y, run_.bias.has_value());
  }

  void input_gradient_of(std::int64_t index, std::int64_t first_channel, std::int64_t last_channel,
                         T* columns) const {
    T* const planes = x_planes(index);
    MatrixRef<const T> weights = weights_of(index);
    weights.data += first_channel * kernel_;
    weights.columns = (last_channel - first_channel) * kernel_;
    if (in_place_) {
      gemm<T>(weights.transposed(), y_block(index, 0, positions_),
              {planes + first_channel * plane_, weights.columns, positions_, plane_});
      return;
    }
    std::fill_n(planes + first_channel * plane_, (last_channel - first_channel) * plane_, T(0));
    const std::int64_t stride = run_.window.stride[1];
    for (std::int64_t first = 0; first < positions_; first += block_) {
      const std::int64_t count = std::min(block_, positions_ - first);
      gemm<T>(weights.transposed(), y_block(index, first, count),
              {columns, weights.columns, count, count});
      for_each_segment(first_channel, last_channel, planes, first, count, columns,
                       [stride](const T* column, std::int64_t before, T* plane, std::int64_t inside,
                                std::int64_t) {
                         column += before;
                         for (std::int64_t i = 0; i < inside; ++i) plane[i * stride] += column[i];
                       });
    }
  }

  void weight_gradient_of(std::int64_t index, T* columns, T* product) const {
    for (std::int64_t first = 0; first < positions_; first += block_) {
      const std::int64_t count = std::min(block_, positions_ - first);
      gemm<T>(y_block(index, first, count), read(index, first, count, columns).transposed(),
              {product, outputs_, taps_, taps_}, first > 0);
    }
  }

  const ConvolutionRun& run_;
  std::int64_t images_;
  std::int64_t channels_;  // channels of a group
  std::int64_t height_;
  std::int64_t width_;
  std::int64_t outputs_;  // channels of y in a group
  std::int64_t kernel_;
  std::int64_t taps_;
  std::int64_t plane_;
  std::int64_t y_width_;
  std::int64_t positions_;
  std::int64_t block_;
  bool in_place_;  // windows are single pixels, one behind the other
};

}  // namespace

void CpuBackend::convolve(const ConvolutionRun& run) {
  dispatch_floating(run.x.dtype, [&](auto tag) {
    const Convolution<typename decltype(tag)::type> convolution(run);
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

}  // namespace gaia::cpu
