// SPDX-License-Identifier: MIT
/// \file
/// Undoing single steps without a copy of the weights for each: what was done since they were
/// copied is done again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../array/array.h"
#include "../layers/hierarchy/layer.h"
#include "undo.h"

namespace gaia {

class HierarchyManager;

/// Blocks of a few steps that a hierarchy has read since everything was kept.  A copy of large
/// weights takes about as long as a step that learns; once in kMost blocks it costs nothing.
///
/// What a hierarchy does is decided by its state and its inputs alone, bit for bit, so reading the
/// blocks once more brings back any state in between.  That holds as long as nobody else changes
/// it. Writes to its arrays are seen by their versions (who writes to elements past Array's
/// functions calls count_change); as long as arrays are lent nothing is noted; and where somebody
/// may hold a level, what is done again is compared with what was done.
class StepJournal {
 public:
  /// Somebody may hold a level, or its arrays, from here on.
  void expose() {
    is_exposed_ = true;
    was_lent_ = true;
  }
  /// `arrays` for somebody who may write to them as long as they, or views of them, live.
  std::vector<NamedArray> lend(std::vector<NamedArray> arrays);
  /// Whether nobody else can change what the hierarchy carries, and all layers repeat what they did
  /// (Layer::repeats).
  bool applies(const HierarchyManager& hierarchy);
  /// Whether a copy of x takes much less than one of what layers hold.
  bool pays(const HierarchyManager& hierarchy, const Array& x);
  /// Before a block is read: keeps everything, unless the block follows on those that are noted.
  void begin(HierarchyManager& hierarchy, const Array& x);
  /// Whether what the block left is finite, as far as it is looked at: where its numbers are large,
  /// where a rule is written as its equations, which may make anything of small ones, and at the
  /// last block before everything is kept anew.
  bool left_finite(const HierarchyManager& hierarchy, const Array& x) const;
  /// After it.
  void note(const Array& x);
  /// In place of it: the hierarchy is as it was before the block x or, if that was not finite,
  /// before the first block that left it so.
  /// \returns false if x now does what it did not do before, since somebody who held a level has
  ///          changed it in between in a way that no version tells; the journal then ends for good.
  bool put_back(HierarchyManager& hierarchy, const Array& x);
  void end();

 private:
  struct Block {
    std::size_t position;  ///< Place of its numbers in numbers_, in bytes.
    std::int64_t steps;
  };
  static constexpr std::size_t kMost = 512;
  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 20;
  /// How many of its numbers are noted before everything is kept anew.
  std::int64_t most_bytes() const { return std::max(kMostBytes, 4 * layer_bytes_.value_or(0)); }

  bool follows(const HierarchyManager& hierarchy, const Array& x) const;
  void keep(HierarchyManager& hierarchy);
  static void read_block(HierarchyManager& hierarchy, const Array& x);
  /// Reads the first `count` blocks; stops before one that leaves what is not finite, if asked to
  /// look.  \returns how many it has read.
  std::size_t read(HierarchyManager& hierarchy, std::size_t count, bool look) const;

  HierarchyUndo undo_;
  std::vector<std::pair<Array, std::int64_t>> watched_;  // arrays of layers with their versions
  bool always_looks_ = false;
  std::int64_t step_ = 0;  // at which the next block begins
  std::int64_t streams_ = 0;
  DType dtype_ = DType::float32;
  std::vector<Block> blocks_;
  std::vector<std::byte> numbers_;
  std::atomic<bool> is_exposed_{false};
  bool is_over_ = false;
  std::atomic<bool> was_lent_{false};
  std::shared_ptr<const int> loan_ = std::make_shared<const int>();  // held by what is lent
  std::optional<std::int64_t> layer_bytes_;
  std::optional<bool> repeats_;  // looked at once
};

}  // namespace gaia
