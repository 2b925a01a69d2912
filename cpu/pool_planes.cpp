// SPDX-License-Identifier: MIT
/// \file
/// Maxima and means of windows that slide over planes; planes are shared among threads.
#include <algorithm>
#include <limits>
#include <vector>

#include "../src/array/sliding_reach.h"
#include "backend.h"
#include "strided_loop.h"

namespace gaia::cpu {
namespace {

std::vector<Reach> reaches(const SlidingWindow& window, std::size_t side, std::int64_t length,
                           std::int64_t outputs) {
  std::vector<Reach> result;
  for (std::int64_t i = 0; i < outputs; ++i) result.push_back(reach(window, side, length, i));
  return result;
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
        columns_(reaches(run.window, 1, width_, run.y.shape[2])) {}

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
  void max(const T* x, T* y, std::int64_t* indices) const {
    for (const Reach& row : rows_) {
      for (const Reach& column : columns_) {
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
        *y++ = best;
        *indices++ = best_at;
      }
    }
  }

  void average(const T* x, T* y) const {
    for (const Reach& row : rows_) {
      for (const Reach& column : columns_) {
        double sum = 0.0;
        for (std::int64_t a = 0; a < row.taps; ++a) {
          const T* const line = x + (row.first + a) * width_ + column.first;
          for (std::int64_t b = 0; b < column.taps; ++b) sum += static_cast<double>(line[b]);
        }
        *y++ = static_cast<T>(sum / divisor(row, column));
      }
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
};

}  // namespace

void CpuBackend::pool_planes(const PlanePoolRun& run) {
  dispatch_floating(run.x.dtype,
                    [&](auto tag) { PlanePool<typename decltype(tag)::type>(run).run(); });
}

}  // namespace gaia::cpu
