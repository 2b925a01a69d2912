// SPDX-License-Identifier: MIT
#include "free_reader.h"

namespace gaia {

HierarchyBlock FreeHierarchy::read(const Array& x) {
  HierarchyBlock block =
      hierarchy_.process_block(x.expand_dims(0), {.learn = false,
                                                  .check_finite = false,  // whoever reads it looks
                                                  .undo_failures = false});
  block.levels.insert(block.levels.begin(), first_, LevelBlock{});
  return block;
}

}  // namespace gaia
