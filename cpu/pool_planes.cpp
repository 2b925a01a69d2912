// SPDX-License-Identifier: MIT
/// \file
/// Maxima and means of windows that slide over planes; planes are shared among threads.
#include <algorithm>
#include <limits>
#include <vector>

#include "../src/formulas/sliding_reach.h"
#include "backend.h"
#include "strided_loop.h"
#include "vector/pool.h"

namespace gaia::cpu {
namespace {

std::vector<Reach> reaches(const SlidingWindow& window, std::size_t side, std::int64_t length,
                           std::int64_t outputs) {
  std::vector<Reach> result;
  for (std::int64_t i = 0; i < outputs; ++i) result.push_back(reach(window, side, length, i));
  return result;
}

/// Outputs [first, last) whose windows have every tap.
struct Span {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

Span whole_windows(const std::vector<Reach>& reaches, std::int64_t taps) {
  Span span;
  const auto count = std::ssize(reaches);
  const auto is_whole = [&](std::int64_t i) {
    return reaches[static_cast<std::size_t>(i)].taps == taps;
  };
  while (span.first < count && !is_whole(span.first)) ++span.first;
  span.last = span.first;
  while (span.last < count && is_whole(span.last)) ++span.last;
  return span;
}

template <class T>
class PlanePool {
 public:
  explicit PlanePool(const PlanePoolRun& run)
      : run_(run),
        width_(run.x.shape[2]),
        plane_(run.x.shape[1] * width_),
        outputs_(run.y.shape[1] * run.y.shape[2]),
        rows_(reaches(run.window, 0, run.x.shape[1], run.y.shape[1])),
        columns_(reaches(run.window, 1, width_, run.y.shape[2])),
        whole_(whole_windows(columns_, run.window.kernel[1])) {
    // Vectors count the taps of a window in 32 bits.
    const bool counts = plane_ <= std::numeric_limits<std::int32_t>::max();
    if (!counts || whole_.last - whole_.first < GAIA_VECTOR_KERNEL(windows_together<T>)()) {
      whole_ = {};
    }
  }

  void run() const {
    const std::int64_t planes = run_.x.shape[0];
    const std::int64_t per_task =
        std::max<std::int64_t>(1, kElementsPerTask / std::max<std::int64_t>(1, plane_));
    parallel_for((planes + per_task - 1) / per_task, [&](std::int64_t task) {
      for (std::int64_t i = task * per_task; i < std::min(planes, (task + 1) * per_task); ++i) {
        T* const x = run_.x.as<T>() + i * plane_;
        T* const y = run_.y.as<T>() + i * outputs_;
        switch (run_.pooling) {
          case PlanePooling::max:
            max(x, y, run_.indices->template as<std::int64_t>() + i * outputs_);
            break;
          case PlanePooling::average:
            average(x, y);
            break;
          case PlanePooling::average_gradient:
            spread(y, x);
            break;
        }
      }
    });
  }

 private:
  const Reach& column(std::int64_t j) const { return columns_[static_cast<std::size_t>(j)]; }

  /// Calls f for the outputs of a row whose windows `whole_` leaves out.
  template <class F>
  void for_each_other(const F& f) const {
    for (std::int64_t j = 0; j < whole_.first; ++j) f(j);
    for (std::int64_t j = whole_.last; j < std::ssize(columns_); ++j) f(j);
  }

  WindowRow whole_windows_of(const Reach& row) const {
    const Reach& first = column(whole_.first);
    return {.first = row.first * width_ + first.first,
            .stride = run_.window.stride[1],
            .rows = row.taps,
            .columns = first.taps,
            .row_step = row.step * width_,
            .column_step = first.step};
  }

  void max(const T* x, T* y, std::int64_t* indices) const {
    for (const Reach& row : rows_) {
      if (const std::int64_t n = whole_.last - whole_.first; n > 0) {
        GAIA_VECTOR_KERNEL(max_of_windows<T>)
        (x, whole_windows_of(row), n, y + whole_.first, indices + whole_.first);
      }
      for_each_other([&](std::int64_t j) {
        const Reach& column = this->column(j);
        std::int64_t best_at = row.first * width_ + column.first;
        T best = -std::numeric_limits<T>::infinity();
        for (std::int64_t a = 0; a < row.taps; ++a) {
          const std::int64_t line = (row.first + a * row.step) * width_ + column.first;
          for (std::int64_t b = 0; b < column.taps; ++b) {
            const std::int64_t at = line + b * column.step;
            const T value = x[at];
            const bool is_larger = is_larger_or_nan(value, best);
            best = is_larger ? value : best;
            best_at = is_larger ? at : best_at;
          }
        }
        y[j] = best;
        indices[j] = best_at;
      });
      y += columns_.size();
      indices += columns_.size();
    }
  }

  void average(const T* x, T* y) const {
    for (const Reach& row : rows_) {
      if (const std::int64_t n = whole_.last - whole_.first; n > 0) {
        GAIA_VECTOR_KERNEL(mean_of_windows<T>)
        (x, whole_windows_of(row), n, divisor(row, column(whole_.first)), y + whole_.first);
      }
      for_each_other([&](std::int64_t j) {
        const Reach& column = this->column(j);
        double sum = 0.0;
        for (std::int64_t a = 0; a < row.taps; ++a) {
          const T* const line = x + (row.first + a) * width_ + column.first;
          for (std::int64_t b = 0; b < column.taps; ++b) sum += static_cast<double>(line[b]);
        }
        y[j] = static_cast<T>(sum / divisor(row, column));
      });
      y += columns_.size();
    }
  }

  void spread(const T* dy, T* dx) const {
    std::fill_n(dx, plane_, T(0));
    for (const Reach& row : rows_) {
      for (const Reach& column : columns_) {
        const T share = static_cast<T>(static_cast<double>(*dy++) / divisor(row, column));
        for (std::int64_t a = 0; a < row.taps; ++a) {
          T* const line = dx + (row.first + a) * width_ + column.first;
          for (std::int64_t b = 0; b < column.taps; ++b) line[b] += share;
        }
      }
    }
  }

  double divisor(const Reach& row, const Reach& column) const {
    return mean_divisor(row, column, run_.count_padding);
  }

  const PlanePoolRun& run_;
  std::int64_t width_;
  std::int64_t plane_;
  std::int64_t outputs_;
  std::vector<Reach> rows_;
  std::vector<Reach> columns_;
  Span whole_;  // Outputs of a row that vectors make.
};

}  // namespace

void CpuBackend::pool_planes(const PlanePoolRun& run) {
  dispatch_floating(run.x.dtype,
                    [&](auto tag) { PlanePool<typename decltype(tag)::type>(run).run(); });
}

}  // namespace gaia::cpu
