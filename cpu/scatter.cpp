// SPDX-License-Identifier: MIT
/// \file
/// Writing elements by their positions.  Threads share what lies beside the indexed axis; along it
/// one thread goes in order, so that repeated indices meet as the definition says.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "../src/formulas/reducers.h"
#include "backend.h"
#include "places.h"
#include "strided_loop.h"
#include "vector/copy.h"
#include "vector/elementwise.h"

namespace gaia::cpu {
namespace {

/// Lanes that are written side by side, at least: a cache line of them.
constexpr std::int64_t kLanesPerTask = 16;

struct Assign {
  template <class T>
  static void write(T& to, T from) {
    to = from;
  }
  template <class T>
  static void write_row(const T* from, T* to, std::int64_t n) {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
    GAIA_VECTOR_KERNEL(copy_bytes)(from, to, n * bytes, Stores::through_caches);
  }
};

struct AddTo {
  template <class T>
  static void write(T& to, T from) {
    to = sum_of_two(to, from);
  }
  template <class T>
  static void write_row(const T* from, T* to, std::int64_t n) {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr std::int64_t short_row = 16;  // not worth the call
      if (n > short_row) {
        GAIA_VECTOR_KERNEL(binary_run<T>)(Add{}, to, 1, from, 1, to, n, Stores::through_caches);
        return;
      }
    }
    for (std::int64_t i = 0; i < n; ++i) write(to[i], from[i]);
  }
};

/// Lanes to a task.  What is wide is cut as seldom as the threads allow: parts of rows end before
/// the processor sees that they are read in order.
std::int64_t lanes_per_task(std::int64_t lanes, std::int64_t count) {
  const std::int64_t threads = inside_parallel_task() ? 1 : num_threads();
  const std::int64_t share = (lanes + threads - 1) / threads;
  const std::int64_t whole = (share + kLanesPerTask - 1) / kLanesPerTask * kLanesPerTask;
  return std::max(whole, kElementsPerTask / std::max<std::int64_t>(1, count));
}

/// One lane in order: to[place k] and from[k] joined, for all k.  Most lanes lie in neighbours.
template <class T, class Write>
void write_lane(const std::int64_t* index, std::int64_t index_step, const T* from,
                std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t length,
                std::int64_t count) {
  const auto write_all = [=](auto next_index, auto next_from, auto next_to) {
    std::int64_t k = 0;
    for (; k + 4 <= count; k += 4) {
      T* place[4];
      for (std::int64_t j = 0; j < 4; ++j) {
        place[j] = to + from_front(index[(k + j) * next_index], length) * next_to;
      }
      for (std::int64_t j = 0; j < 4; ++j) Write::write(*place[j], from[(k + j) * next_from]);
    }
    for (; k < count; ++k) {
      Write::write(to[from_front(index[k * next_index], length) * next_to], from[k * next_from]);
    }
  };
  using One = std::integral_constant<std::int64_t, 1>;
  if (index_step == 1 && from_step == 1 && to_step == 1) return write_all(One{}, One{}, One{});
  write_all(index_step, from_step, to_step);
}

template <class T, class Write>
void scatter_with(const View& values, int axis, const View& indices, const View& y) {
  const std::int64_t length = y.shape[axis];
  const std::int64_t count = indices.shape[axis];
  const std::int64_t along_index = indices.strides[axis];
  const std::int64_t along_values = values.strides[axis];
  const std::int64_t along_y = y.strides[axis];
  Shape beside = y.shape;
  beside[axis] = 1;
  const StridedLoop<3> lanes(beside, {indices.strides, values.strides, y.strides});
  lanes.for_each_run(
      [&](const Offsets<3>& at, std::int64_t n, const Offsets<3>& step) {
        const std::int64_t* const index = indices.as<std::int64_t>() + at[0];
        const T* const from = values.as<T>() + at[1];
        T* const to = y.as<T>() + at[2];
        if (step[0] == 0) {
          // One index for a row of lanes.
          for (std::int64_t k = 0; k < count; ++k) {
            T* const row = to + from_front(index[k * along_index], length) * along_y;
            const T* const added = from + k * along_values;
            if (step[1] == 1 && step[2] == 1) {
              Write::write_row(added, row, n);
            } else {
              for (std::int64_t i = 0; i < n; ++i) {
                Write::write(row[i * step[2]], added[i * step[1]]);
              }
            }
          }
        } else if (n > 1 && std::abs(step[0]) < std::abs(along_index)) {
          // Neighbouring lanes have neighbouring indices.
          for (std::int64_t k = 0; k < count; ++k) {
            const std::int64_t* const own = index + k * along_index;
            const T* const added = from + k * along_values;
            for (std::int64_t i = 0; i < n; ++i) {
              const std::int64_t place = from_front(own[i * step[0]], length);
              Write::write(to[place * along_y + i * step[2]], added[i * step[1]]);
            }
          }
        } else {
          for (std::int64_t i = 0; i < n; ++i) {
            write_lane<T, Write>(index + i * step[0], along_index, from + i * step[1], along_values,
                                 to + i * step[2], along_y, length, count);
          }
        }
      },
      lanes_per_task(count_elements(beside), count));
}

}  // namespace

void CpuBackend::scatter(Scatter mode, const View& values, int axis, const View& indices,
                         const View& y) {
  dispatch(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (mode == Scatter::assign) {
      scatter_with<T, Assign>(values, axis, indices, y);
    } else if constexpr (std::is_same_v<T, bfloat16>) {
      throw InternalError("[cpu::scatter] adds bfloat16");
    } else {
      scatter_with<T, AddTo>(values, axis, indices, y);
    }
  });
}

}  // namespace gaia::cpu
