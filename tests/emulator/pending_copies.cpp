// SPDX-License-Identifier: MIT
#include "pending_copies.h"

namespace gaia::emulator {
namespace {

constexpr unsigned kMostThreads = 1024;
constexpr unsigned kMostCopies = 1024;

struct Copies {
  unsigned first;  ///< Oldest copy that is still on its way.
  unsigned count;
  unsigned groups;  ///< Groups that have ended.
};

// Plain arrays, copied member by member: nothing here may call instrumented code.
Copies copies[kMostThreads];
PendingCopy pending[kMostThreads][kMostCopies];

}  // namespace

void forget_copies(unsigned thread) {
  copies[thread].first = copies[thread].count = copies[thread].groups = 0;
}

void keep_copy(const PendingCopy& copy, const CodePlace& at) {
  Copies& mine = copies[thread_number()];
  if (mine.first == mine.count) mine.first = mine.count = 0;
  if (mine.count == kMostCopies) fail("more than 1024 copies of a thread are on their way", at);
  PendingCopy& kept = pending[thread_number()][mine.count++];
  kept.to = copy.to;
  kept.from = copy.from;
  kept.bytes = copy.bytes;
  kept.group = mine.groups;
}

void end_copy_group() { ++copies[thread_number()].groups; }

bool take_copy(unsigned groups, PendingCopy& copy) {
  Copies& mine = copies[thread_number()];
  if (mine.first == mine.count) return false;
  const PendingCopy& next = pending[thread_number()][mine.first];
  if (next.group + groups >= mine.groups) return false;
  copy.to = next.to;
  copy.from = next.from;
  copy.bytes = next.bytes;
  copy.group = next.group;
  ++mine.first;
  return true;
}

}  // namespace gaia::emulator
