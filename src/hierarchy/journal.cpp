// SPDX-License-Identifier: MIT
#include "journal.h"

#include <algorithm>
#include <cstring>

#include "../array/ops.h"
#include "../layers/hierarchy/plastic_conv.h"
#include "../layers/hierarchy/temporal.h"
#include "manager.h"

namespace gaia {
namespace {

/// Numbers beyond these are looked at: those within do not make weights overflow in one tick, under
/// any rule that has a name.
constexpr double kLargeInput = 1e10;
constexpr double kLargeAnswer = 1e4;

bool carry_finite(const std::vector<HierarchicalLevel>& levels) {
  return std::all_of(levels.begin(), levels.end(),
                     [](const HierarchicalLevel& level) { return level.carries_finite(true); });
}

/// Whether two contiguous arrays on the CPU are alike byte by byte.
bool same_bytes(const Array& a, const Array& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         (a.size() == 0 ||
          std::memcmp(a.view().data, b.view().data, static_cast<std::size_t>(a.bytes())) == 0);
}

}  // namespace

std::vector<NamedArray> StepJournal::lend(std::vector<NamedArray> arrays) {
  was_lent_ = true;
  for (NamedArray& array : arrays) {
    const Array own = array.value;
    const View view = own.view();
    const auto owner = std::make_shared<std::pair<Array, std::shared_ptr<const int>>>(own, loan_);
    array.value =
        Array::borrowed(view.data, view.shape, view.strides, view.dtype, own.device(), owner);
  }
  return arrays;
}

bool StepJournal::applies(const HierarchyManager& hierarchy) {
  if (is_over_ || loan_.use_count() > 1) return false;
  if (!repeats_) {
    repeats_ = std::all_of(hierarchy.levels_.begin(), hierarchy.levels_.end(),
                           [](const HierarchicalLevel& level) { return level.repeats(); });
  }
  return *repeats_;
}

bool StepJournal::pays(const HierarchyManager& hierarchy, const Array& x) {
  constexpr std::int64_t kFewBytes = 4096;
  if (x.bytes() <= kFewBytes) return true;
  if (!layer_bytes_) {
    layer_bytes_ = 0;
    for (const HierarchicalLevel& level : hierarchy.levels_) {
      for (std::size_t i = 0; i < level.layer_count(); ++i) {
        for (const NamedArray& array : level.layer(i).arrays())
          *layer_bytes_ += array.value.bytes();
      }
    }
  }
  return 2 * x.bytes() <= *layer_bytes_;
}

bool StepJournal::follows(const HierarchyManager& hierarchy, const Array& x) const {
  return undo_.is_of(hierarchy) && blocks_.size() < kMost && std::ssize(numbers_) < most_bytes() &&
         hierarchy.step_ == step_ && x.shape(0) == streams_ && x.dtype() == dtype_ &&
         std::all_of(watched_.begin(), watched_.end(),
                     [](const auto& one) { return one.first.version() == one.second; });
}

void StepJournal::begin(HierarchyManager& hierarchy, const Array& x) {
  if (!was_lent_.exchange(false) && follows(hierarchy, x)) return;
  end();
  keep(hierarchy);
  always_looks_ = false;
  for (const HierarchicalLevel& level : hierarchy.levels_) {
    for (std::size_t i = 0; i < level.layer_count(); ++i) {
      const HebbianLayer* const plastic = hebbian_of(level.layer(i));
      always_looks_ |= plastic != nullptr && !plastic->has_plain_rule();
      always_looks_ |=
          level.layer(i).type() == TemporalOptions::name && level.layer(i).is_plastic();
      for (const NamedArray& array : level.layer(i).arrays()) {
        if (array.value.size() > 0) watched_.emplace_back(array.value, array.value.version());
      }
    }
  }
  step_ = hierarchy.step_;
  streams_ = x.shape(0);
  dtype_ = x.dtype();
}

bool StepJournal::left_finite(const HierarchyManager& hierarchy, const Array& x) const {
  const std::vector<HierarchicalLevel>& levels = hierarchy.levels_;
  const std::int64_t bytes = std::ssize(numbers_) + x.bytes();
  const bool looks = always_looks_ || blocks_.size() + 1 >= kMost || bytes >= most_bytes() ||
                     !all_within(x, kLargeInput) ||
                     !std::all_of(levels.begin(), levels.end(), [](const HierarchicalLevel& level) {
                       return level.answers_within(kLargeAnswer);
                     });
  if (!looks) return true;
  return std::all_of(watched_.begin(), watched_.end(),
                     [](const auto& one) { return first_not_finite(one.first) < 0; }) &&
         std::all_of(levels.begin(), levels.end(),
                     [](const HierarchicalLevel& level) { return level.carries_finite(false); });
}

void StepJournal::note(const Array& x) {
  const Array rows = x.contiguous();
  const auto bytes = static_cast<std::size_t>(rows.bytes());
  blocks_.push_back({numbers_.size(), x.shape(1)});
  numbers_.resize(numbers_.size() + bytes);
  std::memcpy(numbers_.data() + blocks_.back().position, rows.view().data, bytes);
  step_ += x.shape(1);
  for (auto& [array, version] : watched_) version = array.version();
}

void StepJournal::read_block(HierarchyManager& hierarchy, const Array& x) {
  hierarchy.run_levels(x,
                       {.first_step = hierarchy.step_,
                        .learn = true,
                        .continues = false,
                        .side_by_side = false,
                        .signals = {}},
                       {});
}

std::size_t StepJournal::read(HierarchyManager& hierarchy, std::size_t count, bool look) const {
  for (std::size_t i = 0; i < count; ++i) {
    const Block& block = blocks_[i];
    const std::int64_t features = hierarchy.levels_.front().source_size();
    const Shape shape = {streams_, block.steps, features};
    const Array x = Array::uninitialized(shape, dtype_);
    std::memcpy(x.view().data, numbers_.data() + block.position,
                static_cast<std::size_t>(x.bytes()));
    read_block(hierarchy, x);
    if (look && !carry_finite(hierarchy.levels_)) return i;
    hierarchy.step_ += block.steps;
  }
  return count;
}

void StepJournal::keep(HierarchyManager& hierarchy) {
  constexpr std::int64_t kEveryTick = std::int64_t{1} << 40;
  undo_.keep(hierarchy, kEveryTick, true);
}

bool StepJournal::put_back(HierarchyManager& hierarchy, const Array& x) {
  std::vector<Array> left;
  if (is_exposed_) {
    for (const auto& [array, version] : watched_) left.push_back(array.copy());
  }
  const auto go_to = [&](std::size_t count, bool look) {
    undo_.put_back();
    keep(hierarchy);
    return read(hierarchy, count, look);
  };
  go_to(blocks_.size(), false);
  bool does_the_same = true;
  if (is_exposed_) {
    try {
      read_block(hierarchy, x);
    } catch (const Error&) {  // it stays as before
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      does_the_same &= same_bytes(left[i], watched_[i].first.copy());
    }
    is_over_ = !does_the_same;
    go_to(blocks_.size(), false);
  }
  if (!carry_finite(hierarchy.levels_)) {
    const std::size_t good = go_to(blocks_.size(), true);
    if (good < blocks_.size()) go_to(good, false);
  }
  end();
  return does_the_same;
}

void StepJournal::end() {
  undo_.forget();
  watched_.clear();
  blocks_.clear();
  numbers_.clear();
}

}  // namespace gaia
