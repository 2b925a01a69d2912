// SPDX-License-Identifier: MIT
#include "trace_ranges.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "log.h"

namespace gaia {
namespace {

// What tool and program know of each other, as nvtx3/nvtxDetail/nvtxTypes.h has it, which need not
// be installed: the tool is passed tables of places for its functions, and fills those it wants.

using NvtxFunction = void (*)();
using NvtxTable = NvtxFunction**;

constexpr int kCore = 1;  // the module of functions without domains
constexpr std::size_t kRangePushA = 9;
constexpr std::size_t kRangePop = 11;
/// Functions that each module has, the first of which stands for none.
constexpr std::array<unsigned, 7> kSizes = {0, 16, 9, 15, 7, 16, 7};
constexpr std::size_t kMostFunctions = 16;

/// A tool may fill any place, but these two alone are called.
struct NvtxPlaces {
  std::array<std::array<NvtxFunction, kMostFunctions>, kSizes.size()> functions = {};
  std::array<std::array<NvtxFunction*, kMostFunctions + 1>, kSizes.size()> tables = {};

  NvtxPlaces() {
    for (std::size_t module = 0; module < kSizes.size(); ++module) {
      for (std::size_t i = 1; i < kSizes[module]; ++i) tables[module][i] = &functions[module][i];
    }
  }
};

NvtxPlaces& places() {
  static NvtxPlaces& instance = *new NvtxPlaces;
  return instance;
}

int table_of_module(int module, NvtxTable* table, unsigned* size) {
  if (module < kCore || module >= static_cast<int>(kSizes.size())) return 0;
  const auto index = static_cast<std::size_t>(module);
  if (size != nullptr) *size = kSizes[index];
  if (table != nullptr) *table = places().tables[index].data();
  return 1;
}

struct NvtxCallbacks {
  std::size_t size;
  int (*table_of_module)(int module, NvtxTable* table, unsigned* size);
};

struct NvtxVersion {
  std::size_t size;
  std::uint32_t version;
  std::uint32_t reserved;
  void (*set_tool_version)(std::uint32_t version);
};

const void* export_table(std::uint32_t which) {
  static const NvtxCallbacks callbacks = {sizeof(NvtxCallbacks), table_of_module};
  static const NvtxVersion version = {sizeof(NvtxVersion), 3, 0, [](std::uint32_t) {}};
  return which == 1   ? static_cast<const void*>(&callbacks)
         : which == 3 ? static_cast<const void*>(&version)
                      : nullptr;
}

TraceTool open_trace_tool() {
  const char* const path = std::getenv("NVTX_INJECTION64_PATH");
  if (path == nullptr || *path == '\0') return {};
  const auto refuse = [&](const std::string& why) {
    log_once(LogLevel::warning, "NVTX",
             "[trace] no ranges are told of to " + std::string(path) +
                 ", which NVTX_INJECTION64_PATH names: " + why);
    return TraceTool{};
  };
  void* const opened = dlopen(path, RTLD_LAZY);
  if (opened == nullptr) return refuse(dlerror());
  const auto begin = reinterpret_cast<int (*)(const void* (*)(std::uint32_t))>(
      dlsym(opened, "InitializeInjectionNvtx2"));
  if (begin == nullptr) return refuse("it lacks InitializeInjectionNvtx2");
  if (begin(export_table) == 0) return refuse("it does not begin");
  const auto& core = places().functions[kCore];
  if (core[kRangePushA] == nullptr || core[kRangePop] == nullptr) return {};
  return {reinterpret_cast<int (*)(const char*)>(core[kRangePushA]),
          reinterpret_cast<int (*)()>(core[kRangePop])};
}

}  // namespace

namespace detail {

std::atomic<const TraceTool*> trace_tool{nullptr};

const TraceTool* find_trace_tool() {
  static const TraceTool found = open_trace_tool();
  trace_tool.store(&found, std::memory_order_release);
  return &found;
}

}  // namespace detail
}  // namespace gaia
