// SPDX-License-Identifier: MIT
/// \file
/// Writing elements by their positions.  Threads share what lies beside the indexed axis; along it
/// one thread goes in order, so that repeated indices meet as the definition says.
#include <algorithm>

#include "../src/array/reducers.h"
#include "backend.h"
#include "strided_loop.h"

namespace gaia::cpu {
namespace {

/// Lanes that are written side by side, at least: a cache line of them.
constexpr std::int64_t kLanesPerTask = 16;

template <class T, class Write>
void scatter_with(const View& values, int axis, const View& indices, const View& y,
                  const Write& write) {
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
        const auto place = [&](std::int64_t i) { return (i < 0 ? i + length : i) * along_y; };
        if (step[0] == 0) {
          // One index for a row of lanes.
          for (std::int64_t k = 0; k < count; ++k) {
            T* const row = to + place(index[k * along_index]);
            const T* const added = from + k * along_values;
            if (step[1] == 1 && step[2] == 1) {
              for (std::int64_t i = 0; i < n; ++i) write(row[i], added[i]);
            } else {
              for (std::int64_t i = 0; i < n; ++i) write(row[i * step[2]], added[i * step[1]]);
            }
          }
          return;
        }
        for (std::int64_t i = 0; i < n; ++i) {
          T* const lane = to + i * step[2];
          const std::int64_t* const own = index + i * step[0];
          const T* const added = from + i * step[1];
          for (std::int64_t k = 0; k < count; ++k) {
            write(lane[place(own[k * along_index])], added[k * along_values]);
          }
        }
      },
      std::max(kLanesPerTask, kElementsPerTask / std::max<std::int64_t>(1, count)));
}

}  // namespace

void CpuBackend::scatter(Scatter mode, const View& values, int axis, const View& indices,
                         const View& y) {
  dispatch(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (mode == Scatter::assign) {
      scatter_with<T>(values, axis, indices, y, [](T& to, T from) { to = from; });
    } else if constexpr (std::is_same_v<T, bfloat16>) {
      throw InternalError("[cpu::scatter] adds bfloat16");
    } else {
      scatter_with<T>(values, axis, indices, y, [](T& to, T from) { to = sum_of_two(to, from); });
    }
  });
}

}  // namespace gaia::cpu
