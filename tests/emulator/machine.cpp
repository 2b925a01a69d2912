// SPDX-License-Identifier: MIT
/// \file
/// Compiled without ThreadSanitizer, which then sees what kernels do and nothing of this.
#include "machine.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "fiber.h"
#include "pending_copies.h"
#include "shared_memory.h"

namespace gaia::emulator {
namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kMostThreads = 1024;

enum class State : std::uint8_t { ready, at_barrier, in_collective, done };

struct Thread {
  State state;
  unsigned number;       ///< Number within the block.
  unsigned mask;         ///< Mask of the collective that it waits in.
  unsigned collectives;  ///< Collectives that it has passed: which of two sets of slots is its own.
  const char* file;      ///< File and line at which it waits.
  unsigned line;
  Fiber* fiber;
};

struct Warp {
  alignas(16) unsigned char slots[2][kWarp][kSlotBytes];
  char order[2];
};

/// What is known of the launch that runs.  Plain arrays: nothing here may call instrumented code.
struct Machine {
  Schedule schedule = Schedule::forward;
  std::uint64_t seed = 1;
  std::uint64_t random = 1;

  void (*body)(const void*) = nullptr;
  const void* arguments = nullptr;
  Index3 grid{}, block{}, at{};
  unsigned count = 0;
  unsigned live = 0;
  unsigned barriers = 0;
  std::size_t dynamic_bytes = 0;
  std::uint64_t blocks_run = 0;

  Thread threads[kMostThreads];
  Warp warps[kMostThreads / kWarp];
  unsigned turn[kMostThreads];
  Thread* current = nullptr;
  char barrier_order[2];
  char end_order = 0;

  bool failed = false;
  char message[400];
};

Machine machine;
std::atomic<std::int64_t> launches_made{0};
std::mutex launching;  // one machine; host threads take turns

unsigned random_below(unsigned limit) {
  std::uint64_t& x = machine.random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return static_cast<unsigned>((x >> 11) % limit);
}

void shuffle(unsigned* values, unsigned count) {
  for (unsigned i = count; i > 1; --i) {
    const unsigned j = random_below(i);
    const unsigned kept = values[i - 1];
    values[i - 1] = values[j];
    values[j] = kept;
  }
}

/// Thread 0 of a warp's lanes and how many there are.
unsigned lanes_of(unsigned warp) {
  const unsigned left = machine.count - warp * kWarp;
  return left < kWarp ? left : kWarp;
}

bool can_run(unsigned warp) {
  const unsigned first = warp * kWarp;
  for (unsigned i = first; i < first + lanes_of(warp); ++i) {
    if (machine.threads[i].state == State::ready) return true;
  }
  return false;
}

void run_thread() {
  for (;;) {  // a fiber that ends serves another thread
    machine.body(machine.arguments);
    machine.current->state = State::done;
    publish(&machine.end_order);
    leave_fiber();
  }
}

void wait_here(State state, const CodePlace& at) {
  machine.current->state = state;
  machine.current->file = at.file;
  machine.current->line = at.line;
  leave_fiber();
}

void report(const char* what, const Thread& thread) {
  const char* slash = thread.file ? std::strrchr(thread.file, '/') : nullptr;
  std::snprintf(machine.message, sizeof machine.message, "%s (%s:%u, block %u,%u,%u, thread %u)",
                what, slash ? slash + 1 : "kernel", thread.line, machine.at.x, machine.at.y,
                machine.at.z, thread.number);
  machine.failed = true;
}

/// Lets the lanes go on whose collective is complete.
void release_collectives(unsigned warp) {
  const unsigned lanes = lanes_of(warp);
  Thread* const lane = machine.threads + warp * kWarp;
  for (unsigned i = 0; i < lanes; ++i) {
    if (lane[i].state != State::in_collective) continue;
    const unsigned mask = lane[i].mask;
    bool complete = true;
    for (unsigned j = 0; j < kWarp && complete; ++j) {
      if ((mask >> j & 1u) == 0) continue;
      if (j >= lanes || lane[j].state == State::done) {
        return report("a warp collective names a lane that has exited or does not exist", lane[i]);
      }
      if (lane[j].state != State::in_collective) {
        complete = false;
      } else if (lane[j].mask != mask || lane[j].line != lane[i].line) {
        return report("lanes of a warp wait at different collectives", lane[i]);
      }
    }
    if (!complete) continue;
    for (unsigned j = 0; j < lanes; ++j) {
      if ((mask >> j & 1u) != 0) lane[j].state = State::ready;
    }
  }
}

void run(Thread& thread) {
  machine.current = &thread;
  if (thread.fiber == nullptr) {
    thread.fiber =
        take_fiber(run_thread, static_cast<unsigned>(machine.blocks_run % 4), thread.number);
  }
  enter_fiber(*thread.fiber);
  if (thread.state != State::done) return;
  --machine.live;
  give_fiber_back(*thread.fiber);
  thread.fiber = nullptr;
}

/// One pass over the lanes of a warp that can run.
void run_warp(unsigned warp) {
  const unsigned lanes = lanes_of(warp);
  unsigned* const turn = machine.turn + warp * kWarp;
  if (machine.schedule == Schedule::shuffled) shuffle(turn, lanes);
  const bool from_the_last =
      machine.schedule == Schedule::backward || machine.schedule == Schedule::last_warp_ahead;
  for (unsigned i = 0; i < lanes; ++i) {
    Thread& thread = machine.threads[turn[from_the_last ? lanes - 1 - i : i]];
    if (thread.state != State::ready) continue;
    run(thread);
    if (machine.failed) return;
  }
  release_collectives(warp);
}

/// One pass over the warps; whether anything ran.
bool run_warps() {
  const unsigned warps = (machine.count + kWarp - 1) / kWarp;
  const Schedule schedule = machine.schedule;
  const bool ahead =
      schedule == Schedule::first_warp_ahead || schedule == Schedule::last_warp_ahead;
  const bool from_the_last =
      schedule == Schedule::backward || schedule == Schedule::last_warp_ahead;
  const unsigned first = schedule == Schedule::shuffled ? random_below(warps) : 0;
  bool any = false;
  for (unsigned k = 0; k < warps && !machine.failed; ++k) {
    const unsigned warp = from_the_last ? warps - 1 - k : (first + k) % warps;
    while (can_run(warp) && !machine.failed) {
      any = true;
      run_warp(warp);
      const bool goes_on = ahead || (schedule == Schedule::shuffled && random_below(4) != 0);
      if (!goes_on) break;
    }
  }
  return any;
}

void pass_barrier() {
  unsigned waiting = 0;
  const Thread* first = nullptr;
  bool alike = true;
  for (unsigned i = 0; i < machine.count; ++i) {
    const Thread& thread = machine.threads[i];
    if (thread.state != State::at_barrier) continue;
    ++waiting;
    if (first == nullptr) first = &thread;
    alike = alike && thread.line == first->line && thread.file == first->file;
  }
  if (first == nullptr) {
    for (unsigned i = 0; i < machine.count; ++i) {
      if (machine.threads[i].state == State::in_collective) {
        return report("deadlock: lanes wait in a warp collective that others do not reach",
                      machine.threads[i]);
      }
    }
  }
  if (waiting != machine.live) {
    return report("deadlock: some threads wait at __syncthreads, others in a warp collective",
                  *first);
  }
  if (!alike) return report("threads of a block wait at different __syncthreads", *first);
  if (machine.live != machine.count) {
    return report("__syncthreads after some threads of the block have returned", *first);
  }
  ++machine.barriers;
  for (unsigned i = 0; i < machine.count; ++i) machine.threads[i].state = State::ready;
}

void run_block() {
  for (unsigned i = 0; i < machine.count; ++i) {
    machine.threads[i] = {.state = State::ready,
                          .number = i,
                          .mask = 0,
                          .collectives = 0,
                          .file = nullptr,
                          .line = 0,
                          .fiber = nullptr};
    machine.turn[i] = i;
    forget_copies(i);
  }
  machine.live = machine.count;
  renew_shared_memory();
  if (machine.dynamic_bytes > 0) take_shared(machine.dynamic_bytes, {});
  while (machine.live > 0 && !machine.failed) {
    if (!run_warps() && !machine.failed) pass_barrier();
  }
}

/// Forgets the fibers of a launch that failed: they cannot be unwound.
void abandon() {
  for (unsigned i = 0; i < machine.count; ++i) {
    if (machine.threads[i].fiber != nullptr) {
      abandon_fiber(*machine.threads[i].fiber, &machine.end_order);
    }
  }
}

std::uint64_t greatest_common_divisor(std::uint64_t a, std::uint64_t b) {
  while (b != 0) {
    const std::uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace

void set_schedule(Schedule schedule, std::uint64_t seed) {
  const std::lock_guard lock(launching);
  machine.schedule = schedule;
  machine.seed = seed;
}

std::int64_t launches() { return launches_made; }

void check_launch(Index3 grid, Index3 block, std::size_t dynamic_shared_bytes) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > kMostThreads || block.z > 64) {
    throw KernelError("launch: a block has 1 to 1024 threads");
  }
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffu || grid.y > 65535 ||
      grid.z > 65535) {
    throw KernelError("launch: the grid is empty, or too long along an axis");
  }
  if (dynamic_shared_bytes > kMostShared) {
    throw KernelError("launch: more than 227 KiB of dynamic shared memory");
  }
  ++launches_made;
}

void run_blocks(Index3 grid, Index3 block, std::size_t dynamic_shared_bytes,
                void (*body)(const void*), const void* arguments) {
  const std::lock_guard lock(launching);
  begin_fibers();
  machine.body = body;
  machine.arguments = arguments;
  machine.grid = grid;
  machine.block = block;
  machine.count = block.x * block.y * block.z;
  machine.dynamic_bytes = dynamic_shared_bytes;
  machine.random = machine.seed * 0x9E3779B97F4A7C15ull + 1;
  machine.failed = false;

  // Blocks in order, from the last to the first, or by a random walk that meets each of them once.
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  std::uint64_t stride = 1;
  std::uint64_t number = 0;
  if (machine.schedule == Schedule::backward || machine.schedule == Schedule::last_warp_ahead) {
    stride = blocks - 1;
    number = blocks - 1;
  } else if (machine.schedule == Schedule::shuffled && blocks > 2) {
    do {
      stride = 1 + random_below(static_cast<unsigned>(blocks - 1));
    } while (greatest_common_divisor(stride, blocks) != 1);
    number = random_below(static_cast<unsigned>(blocks));
  }
  for (std::uint64_t k = 0; k < blocks && !machine.failed; ++k) {
    machine.at = {static_cast<unsigned>(number % grid.x),
                  static_cast<unsigned>(number / grid.x % grid.y),
                  static_cast<unsigned>(number / (std::uint64_t{grid.x} * grid.y))};
    ++machine.blocks_run;
    run_block();
    number = (number + stride) % blocks;
  }
  if (machine.failed) abandon();
  collect(&machine.end_order);  // the end of a kernel orders everything before it
  open_shared_memory();
  if (machine.failed) throw KernelError(machine.message);
}

Index3 thread_index() {
  const unsigned number = machine.current->number;
  const Index3& block = machine.block;
  return {number % block.x, number / block.x % block.y, number / (block.x * block.y)};
}

Index3 block_index() { return machine.at; }
Index3 block_shape() { return machine.block; }
Index3 grid_shape() { return machine.grid; }
unsigned thread_number() { return machine.current->number; }
unsigned lane_index() { return machine.current->number % kWarp; }

void block_barrier(const CodePlace& at) {
  char* const order = &machine.barrier_order[machine.barriers % 2];
  publish(order);
  wait_here(State::at_barrier, at);
  collect(order);
}

Slots exchange(unsigned mask, const void* value, std::size_t bytes, bool orders,
               const CodePlace& at) {
  Thread& thread = *machine.current;
  Warp& warp = machine.warps[thread.number / kWarp];
  const unsigned lane = thread.number % kWarp;
  if ((mask >> lane & 1u) == 0) fail("a lane calls a collective whose mask leaves it out", at);
  const unsigned set = thread.collectives++ % 2;
  // Not by memcpy, which ThreadSanitizer watches even here.
  const auto* const from = static_cast<const unsigned char*>(value);
  for (std::size_t i = 0; i < bytes; ++i) warp.slots[set][lane][i] = from[i];
  thread.mask = mask;
  if (orders) publish(&warp.order[set]);
  wait_here(State::in_collective, at);
  if (orders) collect(&warp.order[set]);
  return warp.slots[set];
}

CopyTimes copy_times() {
  if (kWatchesThreads) return {true, true};
  const Schedule schedule = machine.schedule;
  const bool early = schedule == Schedule::backward || schedule == Schedule::last_warp_ahead ||
                     (schedule == Schedule::shuffled && random_below(2) == 0);
  return {early, !early};
}

void fail(const char* what, const CodePlace& at) {
  machine.current->file = at.file;
  machine.current->line = at.line;
  report(what, *machine.current);
  for (;;) leave_fiber();
}

}  // namespace gaia::emulator
