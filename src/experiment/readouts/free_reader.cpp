// SPDX-License-Identifier: MIT
#include "free_reader.h"

namespace gaia {

HierarchyBlock FreeHierarchy::read(const Array& x) {
  HierarchyBlock block =
      hierarchy_.process_block(x.expand_dims(0), {.learn = false,
                                                  .check_finite = false,  // the reader checks
                                                  .undo_failures = false,
                                                  .signals = signals_});
  block.levels.insert(block.levels.begin(), first_, LevelBlock{});
  return block;
}

}  // namespace gaia
