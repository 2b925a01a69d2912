// SPDX-License-Identifier: MIT
#include "hierarchy_run.h"

#include <exception>

#include "block_run.h"

namespace gaia {

HierarchySummary run_hierarchy(Experiment& experiment, const RunOptions& options) {
  BlockRun run(experiment, options, ProcessUse::exclusive);
  run.begin();
  while (const BlockToRead* const block = run.next()) {
    HierarchyBlock made;
    try {
      made = run.hierarchy().process_block(block->x, block->options);
    } catch (...) {
      run.fail(std::current_exception());
    }
    run.take(made);
  }
  return run.finish();
}

}  // namespace gaia
