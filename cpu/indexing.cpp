// SPDX-License-Identifier: MIT
/// \file
/// Reading elements by their positions, and finding positions.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "backend.h"
#include "places.h"
#include "strided_loop.h"
#include "vector/copy.h"
#include "vector/select.h"

namespace gaia::cpu {
namespace {

std::int64_t blocks_of(std::int64_t count) {
  return (count + kElementsPerTask - 1) / kElementsPerTask;
}

std::int64_t block_end(std::int64_t block, std::int64_t count) {
  return std::min(count, (block + 1) * kElementsPerTask);
}

/// How many elements of a mask are true before each block, and in all.
std::vector<std::int64_t> true_before(const View& mask) {
  const std::int64_t count = mask.count();
  const bool* const truth = mask.as<bool>();
  std::vector<std::int64_t> before(static_cast<std::size_t>(blocks_of(count)) + 1, 0);
  parallel_for(blocks_of(count), [&](std::int64_t block) {
    before[static_cast<std::size_t>(block) + 1] = GAIA_VECTOR_KERNEL(count_of_true)(
        truth + block * kElementsPerTask, block_end(block, count) - block * kElementsPerTask);
  });
  for (std::size_t i = 1; i < before.size(); ++i) before[i] += before[i - 1];
  return before;
}

/// Writes the places [first, last) of a run at which its mask holds, behind `rank` - 1 numbers that
/// they share, until `end`; returns where it stopped.
///
/// Every place is written, and the next takes its room unless the mask holds: a branch could only
/// be guessed.
std::int64_t* write_places(const bool* mask, std::int64_t first, std::int64_t last,
                           const std::int64_t* shared, int rank, std::int64_t* row,
                           const std::int64_t* end) {
  if (rank == 1) {
    return GAIA_VECTOR_KERNEL(places_of_true)(mask + first, last - first, first, row, end);
  }
  for (std::int64_t i = first; i < last && row != end; ++i) {
    for (int axis = 0; axis < rank - 1; ++axis) row[axis] = shared[axis];
    row[rank - 1] = i;
    row += mask[i] ? rank : 0;
  }
  return row;
}

/// to_i = from[place_i along + i beside], with an index each.
template <class T>
void take_each(const std::int64_t* index, std::int64_t index_step, const T* from,
               std::int64_t along, std::int64_t beside, T* to, std::int64_t to_step,
               std::int64_t length, std::int64_t n) {
  const auto place = [=](std::int64_t i) {
    return from_front(index[i * index_step], length) * along;
  };
  if (index_step != 1 || to_step != 1) {
    for (std::int64_t i = 0; i < n; ++i) to[i * to_step] = from[place(i) + i * beside];
  } else if (along == 1 && beside == 0) {
    // What is read lies close together, and so the number of instructions counts.
    std::int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      T some[4];
      for (std::int64_t j = 0; j < 4; ++j) some[j] = from[from_front(index[i + j], length)];
      for (std::int64_t j = 0; j < 4; ++j) to[i + j] = some[j];
    }
    for (; i < n; ++i) to[i] = from[from_front(index[i], length)];
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      to[i] = from[from_front(index[i], length) * along + i * beside];
    }
  }
}

}  // namespace

void CpuBackend::gather(const View& x, int axis, const View& indices, const View& y) {
  dispatch(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t length = x.shape[axis];
    const std::int64_t along = x.strides[axis];
    // x is walked beside the axis only; the index leads to the place on it.
    Strides beside = x.strides;
    beside[axis] = 0;
    const StridedLoop<3> loop(y.shape, {indices.strides, beside, y.strides});
    loop.for_each_run([&](const Offsets<3>& at, std::int64_t n, const Offsets<3>& step) {
      const std::int64_t* const index = indices.as<std::int64_t>() + at[0];
      const T* const from = x.as<T>() + at[1];
      T* const to = y.as<T>() + at[2];
      if (step[0] != 0) {
        take_each(index, step[0], from, along, step[1], to, step[2], length, n);
        return;
      }
      const T* const row = from + from_front(*index, length) * along;
      if (step[1] == 1 && step[2] == 1) {
        constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
        GAIA_VECTOR_KERNEL(copy_bytes)(row, to, n * bytes, Stores::through_caches);
      } else {
        for (std::int64_t i = 0; i < n; ++i) to[i * step[2]] = row[i * step[1]];
      }
    });
  });
}

std::int64_t CpuBackend::first_outside(const View& x, std::int64_t low, std::int64_t high) {
  const std::int64_t count = x.count();
  const std::int64_t blocks = blocks_of(count);
  const std::int64_t* const values = x.as<std::int64_t>();
  std::vector<std::int64_t> first(static_cast<std::size_t>(blocks), -1);
  constexpr std::int64_t longest = std::int64_t{1} << 62;
  const bool is_length = low >= -longest && low <= 0 && high >= 0 && high <= longest;
  parallel_for(blocks, [&](std::int64_t block) {
    const std::int64_t* const begin = values + block * kElementsPerTask;
    const std::int64_t* const end = values + block_end(block, count);
    if (is_length && GAIA_VECTOR_KERNEL(all_within)(begin, end - begin, low, high)) return;
    const std::int64_t* const found =
        std::find_if(begin, end, [=](std::int64_t value) { return value < low || value >= high; });
    if (found != end) first[static_cast<std::size_t>(block)] = found - values;
  });
  const auto found = std::find_if(first.begin(), first.end(), [](auto at) { return at >= 0; });
  return found == first.end() ? -1 : *found;
}

std::int64_t CpuBackend::count_true(const View& mask) { return true_before(mask).back(); }

void CpuBackend::positions(const View& mask, const View& y) {
  const std::vector<std::int64_t> before = true_before(mask);
  const int last = mask.rank() - 1;
  const std::int64_t length = mask.shape[last];
  const bool* const truth = mask.as<bool>();
  parallel_for(blocks_of(mask.count()), [&](std::int64_t block) {
    const auto number = static_cast<std::size_t>(block);
    std::int64_t* row = y.as<std::int64_t>() + before[number] * mask.rank();
    const std::int64_t* const end = y.as<std::int64_t>() + before[number + 1] * mask.rank();
    for (std::int64_t i = block * kElementsPerTask; row != end;) {
      const std::int64_t start = i - i % length;
      Dims outer = mask.shape;  // the places along all axes but the last
      std::int64_t rest = i / length;
      for (int axis = last - 1; axis >= 0; --axis) {
        outer[axis] = rest % mask.shape[axis];
        rest /= mask.shape[axis];
      }
      const std::int64_t until = std::min(start + length, block_end(block, mask.count()));
      row = write_places(truth + start, i - start, until - start, outer.begin(), mask.rank(), row,
                         end);
      i = until;
    }
  });
}

}  // namespace gaia::cpu
