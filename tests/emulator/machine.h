// SPDX-License-Identifier: MIT
/// \file
/// Runs blocks of CUDA threads on the host, one fiber per thread.
///
/// A thread runs until it meets a barrier or a warp collective, and then another one goes on; which
/// one, the schedule says.  Bugs that hardware shows now and then show here every time under one
/// schedule or another, so a kernel is tested under all of them, with sizes around its tile.
///
/// Reported, with the line in the kernel: deadlock, barriers that not all threads reach, lanes that
/// wait at different collectives, shuffles from outside their mask, too much shared memory,
/// launches that hardware would refuse, misaligned asynchronous copies and packs.  Shared memory is
/// all NaN at the start of a block, and has guards around its variables under AddressSanitizer.
/// Under ThreadSanitizer every thread of a block is a thread of its own, and only barriers,
/// __syncwarp and atomics order memory.
///
/// Not shown: speed, registers, alignment of other vector loads without a sanitizer, the memory
/// model between blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace gaia::emulator {

enum class Schedule : std::uint8_t {
  forward,           ///< Threads in turn, each up to its next collective.
  backward,          ///< The same from the last thread to the first.
  first_warp_ahead,  ///< A warp runs as far as it can before the next one starts.
  last_warp_ahead,   ///< The same from the last warp to the first.
  shuffled,          ///< Random threads of random warps.
};

/// For all launches from here on.
void set_schedule(Schedule schedule, std::uint64_t seed = 1);

/// A kernel that hardware would hang on, or corrupt memory with.
class KernelError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Place in the code at which something is called: as a default argument, at the call.
struct CodePlace {
  const char* file;
  unsigned line;

  static constexpr CodePlace here(const char* file = __builtin_FILE(),
                                  unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

struct Index3 {
  unsigned x, y, z;
};

/// Counts a launch.  \throws KernelError if hardware would refuse one of this shape.
void check_launch(Index3 grid, Index3 block, std::size_t dynamic_shared_bytes);

/// Calls `body(arguments)` once for each thread of each block.
/// \throws KernelError.
void run_blocks(Index3 grid, Index3 block, std::size_t dynamic_shared_bytes,
                void (*body)(const void*), const void* arguments);

/// How many launches there were since the program began.
std::int64_t launches();

// For the thread that is running.

Index3 thread_index();
Index3 block_index();
Index3 block_shape();
Index3 grid_shape();
unsigned thread_number();  ///< Within the block.
unsigned lane_index();

void block_barrier(const CodePlace& at);

constexpr std::size_t kSlotBytes = 32;
using Slots = const unsigned char (*)[kSlotBytes];

/// Waits for the lanes of `mask`, and answers what each of them has passed.  `orders`: whether
/// memory is ordered too.
Slots exchange(unsigned mask, const void* value, std::size_t bytes, bool orders,
               const CodePlace& at);

/// A copy to shared memory that has begun, and that hardware may do at any time until it is waited
/// for.
struct PendingCopy {
  void* to;
  const void* from;  ///< Null: zeros.
  unsigned bytes;
  unsigned group;
};

/// When a copy that begins now has to be done: at once, at its wait, or at both.  Some schedules
/// copy early and see memory that is still read; others late, and see what nobody waited for.
struct CopyTimes {
  bool at_once;
  bool at_wait;
};
CopyTimes copy_times();
void keep_copy(const PendingCopy& copy, const CodePlace& at);
/// Ends the group that the calling thread's latest copies belong to.
void end_copy_group();
/// Takes one of the calling thread's copies that are in none of its last `groups` groups; whether
/// there was one.
bool take_copy(unsigned groups, PendingCopy& copy);

/// Ends the launch with an error.
[[noreturn]] void fail(const char* what, const CodePlace& at);

/// The variable of this block that `key` stands for.
void* shared_variable(const void* key, std::size_t bytes, const CodePlace& at);
void* dynamic_shared();

}  // namespace gaia::emulator
