// SPDX-License-Identifier: MIT
/// \file
/// Named ranges of time in the timelines of NVIDIA's tools (NVTX): Nsight Systems shows which level
/// and which block a thread was at while a device computed.
///
/// Such a tool names a library in NVTX_INJECTION64_PATH of the process, which is opened
/// when the first range begins.  Elsewhere a range is one look at a pointer.
#pragma once

#include <atomic>
#include <string>

namespace gaia {

/// What the tool wants to be called at.
struct TraceTool {
  int (*push)(const char* name) = nullptr;
  int (*pop)() = nullptr;
};

namespace detail {
extern std::atomic<const TraceTool*> trace_tool;  // null before it was looked for
const TraceTool* find_trace_tool();
}  // namespace detail

/// The tool that watches this process; null where none does.
inline const TraceTool* trace_tool() {
  const TraceTool* const known = detail::trace_tool.load(std::memory_order_acquire);
  const TraceTool* const tool = known != nullptr ? known : detail::find_trace_tool();
  return tool->push != nullptr ? tool : nullptr;
}

/// A range from here to the end of the scope, within those that the thread is in.  `name()` makes
/// its name, and is called only where a tool watches.
class TraceRange {
 public:
  template <class Name>
  explicit TraceRange(const Name& name) : tool_(trace_tool()) {
    if (tool_ != nullptr) tool_->push(std::string(name()).c_str());
  }
  ~TraceRange() {
    if (tool_ != nullptr) tool_->pop();
  }
  TraceRange(const TraceRange&) = delete;
  TraceRange& operator=(const TraceRange&) = delete;

 private:
  const TraceTool* tool_;
};

}  // namespace gaia
