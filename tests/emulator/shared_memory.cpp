// SPDX-License-Identifier: MIT
#include "shared_memory.h"

#include <sys/mman.h>

#include <cstring>

#include "fiber.h"

namespace gaia::emulator {
namespace {

constexpr std::size_t kArenaBytes = 256 * 1024;
constexpr std::size_t kGuardBytes = 32;
constexpr unsigned kMostVariables = 64;

struct Variable {
  const void* key;
  void* data;
};

char* arena = nullptr;
std::size_t used = 0;
Variable variables[kMostVariables];
unsigned variable_count = 0;

}  // namespace

void renew_shared_memory() {
  if (arena == nullptr) {
    arena = static_cast<char*>(
        mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    used = kArenaBytes;
  }
  open_memory(arena, kArenaBytes);
  if (kWatchesThreads) {
    // A new mapping has no history of accesses: blocks do not share their shared memory.
    mmap(arena, kArenaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
         0);
    used = kArenaBytes;
  }
  std::memset(arena, 0xff, used);
  close_memory(arena, kArenaBytes);
  used = 0;
  variable_count = 0;
}

void* take_shared(std::size_t bytes, const CodePlace& at) {
  const std::size_t offset = (used + 15) / 16 * 16;
  if (offset + bytes > kMostShared) fail("the block takes more than 227 KiB of shared memory", at);
  used = offset + bytes + kGuardBytes;
  open_memory(arena + offset, bytes);
  return arena + offset;
}

void open_shared_memory() { open_memory(arena, kArenaBytes); }

void* shared_variable(const void* key, std::size_t bytes, const CodePlace& at) {
  for (unsigned i = 0; i < variable_count; ++i) {
    if (variables[i].key == key) return variables[i].data;
  }
  if (variable_count == kMostVariables) fail("more than 64 shared variables", at);
  void* const data = take_shared(bytes, at);
  variables[variable_count++] = {key, data};
  return data;
}

void* dynamic_shared() { return arena; }

}  // namespace gaia::emulator
