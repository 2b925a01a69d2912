// SPDX-License-Identifier: MIT
/// \file
/// Ranges of time as a profiler sees them, for which fake_nvtx_tool.cpp stands in.  A program of
/// its own, since a process looks for the tool once.
#include "../../src/core/trace_ranges.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "../../src/array/create.h"
#include "../../src/hierarchy/manager.h"
#include "../../src/layers/hierarchy/reactive.h"
#include "../support/catch.h"

namespace gaia::test {
namespace {

/// What the tool was told since the last call.
std::string told() {
  const char* const path = std::getenv("NVTX_INJECTION64_PATH");
  REQUIRE(path != nullptr);
  void* const opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(opened != nullptr);
  const auto all = reinterpret_cast<const char* (*)()>(dlsym(opened, "fake_nvtx_told"));
  REQUIRE(all != nullptr);
  static std::size_t before = 0;
  const std::string text = std::string(all()).substr(before);
  before += text.size();
  return text;
}

TEST_CASE("A range begins and ends with its scope, within those around it") {
  {
    const TraceRange outer([] { return "outer"; });
    {
      const TraceRange inner([] { return std::string("inner"); });
    }
    CHECK(told() == "outer(inner()");
  }
  try {
    const TraceRange range([] { return "fails"; });
    throw std::runtime_error("on the way");
  } catch (const std::runtime_error&) {
  }
  CHECK(told() == ")fails()");
}

TEST_CASE("A hierarchy tells of its blocks, and of each level within them") {
  HierarchyManager hierarchy;
  for (int id = 0; id < 2; ++id) {
    HierarchicalLevel level(id, 3, 3, id + 1);
    level.add_layer(ReactiveLayer(3, 3));
    hierarchy.add_level(std::move(level));
  }
  told();
  hierarchy.process_hierarchy(ones({10, 3}), 10, {.learn = false, .block_steps = 6});
  CHECK(told() ==
        "gaia steps 0 to 5(gaia level 0()gaia level 1())"
        "gaia steps 6 to 9(gaia level 0()gaia level 1())");
}

}  // namespace
}  // namespace gaia::test
