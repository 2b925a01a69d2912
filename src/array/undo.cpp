// SPDX-License-Identifier: MIT
#include "undo.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "ops.h"

namespace gaia {
namespace {

/// Up to here a copy takes less time than memory of its own.
constexpr std::int64_t kSmallBytes = 16384;

bool is_small(const Array& array) {
  return array.bytes() <= kSmallBytes && array.device().is_cpu() && array.is_contiguous();
}

/// 0 times a number is 0 unless it is NaN or infinite.
template <class T>
bool sums_to_zero(std::span<const T> numbers) {
  T sum = 0;
  for (const T x : numbers) sum += x * T(0);
  return sum == T(0);
}

bool is_finite(const Array& array) {
  if (!is_floating(array.dtype()) || array.size() == 0) return true;
  // For a few numbers, a call of the backend would take longer than they do.
  constexpr std::int64_t kFew = 64;
  if (array.size() <= kFew && is_small(array)) {
    const auto count = static_cast<std::size_t>(array.size());
    const void* const data = array.view().data;
    if (array.dtype() == DType::float32) {
      return sums_to_zero(std::span(static_cast<const float*>(data), count));
    }
    if (array.dtype() == DType::float64) {
      return sums_to_zero(std::span(static_cast<const double*>(data), count));
    }
  }
  return first_not_finite(array) < 0;
}

}  // namespace

void ArrayUndo::add(Array* place, const Array& array, Numbers numbers) {
  Kept& kept = kept_.emplace_back(Kept{place, array, kNone, kNone, numbers});
  if (array.size() == 0) return;
  if (!is_small(array)) {
    kept.large = std::ssize(large_);
    large_.push_back(array.copy());
    return;
  }
  const auto bytes = static_cast<std::size_t>(array.bytes());
  if (small_.size() < used_ + bytes) small_.resize(std::max(2 * small_.size(), used_ + bytes));
  std::memcpy(small_.data() + used_, array.view().data, bytes);
  kept.small = static_cast<std::ptrdiff_t>(used_);
  used_ += bytes;
}

void ArrayUndo::keep(Array& array, Numbers numbers) { add(&array, array, numbers); }

void ArrayUndo::keep_elements(const Array& array, Numbers numbers) { add(nullptr, array, numbers); }

void ArrayUndo::keep_handle(Array& array) {
  kept_.push_back(Kept{&array, array, kNone, kNone, Numbers::any});
}

bool ArrayUndo::all_finite() const {
  return std::all_of(kept_.begin(), kept_.end(), [](const Kept& kept) {
    return kept.numbers == Numbers::any ||
           is_finite(kept.place == nullptr ? kept.array : *kept.place);
  });
}

void ArrayUndo::put_back() {
  for (const auto& action : actions_) action();
  for (Kept& kept : kept_) {
    if (kept.large != kNone) {
      kept.array.assign(large_[static_cast<std::size_t>(kept.large)]);
    } else if (kept.small != kNone) {
      std::memcpy(kept.array.view().data, small_.data() + kept.small,
                  static_cast<std::size_t>(kept.array.bytes()));
      kept.array.count_change();
    }
    if (kept.place != nullptr) *kept.place = std::move(kept.array);
  }
  forget();
}

void ArrayUndo::forget() {
  kept_.clear();
  large_.clear();
  actions_.clear();
  used_ = 0;
}

}  // namespace gaia
