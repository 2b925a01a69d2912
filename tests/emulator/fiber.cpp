// SPDX-License-Identifier: MIT
#include "fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#ifndef __x86_64__
#include <ucontext.h>
#endif
#ifdef GAIA_EMULATOR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef GAIA_EMULATOR_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace gaia::emulator {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;
constexpr std::size_t kPage = 4096;
constexpr unsigned kSets = 4;
constexpr unsigned kThreads = 1024;

}  // namespace

struct Fiber {
  char* stack = nullptr;
  void (*entry)() = nullptr;
  Fiber* next = nullptr;  ///< In the list of free ones.
  void* fake_stack = nullptr;
  void* watched = nullptr;
#ifdef __x86_64__
  void* saved = nullptr;
#else
  ucontext_t saved;
#endif
};

namespace {

Fiber* free_fibers = nullptr;
Fiber* own[kSets][kThreads] = {};
Fiber* running = nullptr;

/// The host thread that launches.
struct Launcher {
  void* fake_stack = nullptr;
  const void* stack = nullptr;
  std::size_t stack_bytes = 0;
  void* watched = nullptr;
#ifdef __x86_64__
  void* saved = nullptr;
#else
  ucontext_t saved;
#endif
} launcher;

#ifdef __x86_64__
// Saves the registers that a function must keep, changes stacks and takes the others up there.
extern "C" void gaia_emulator_switch(void** save, void* load);
asm(R"(
.text
.type gaia_emulator_switch, @function
gaia_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size gaia_emulator_switch, . - gaia_emulator_switch
)");
#endif

void begin() {
#ifdef GAIA_EMULATOR_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &launcher.stack, &launcher.stack_bytes);
#endif
  running->entry();
  std::abort();
}

Fiber* make_fiber() {
  auto* const fiber = new Fiber;
  char* const memory = static_cast<char*>(mmap(nullptr, kStackBytes + kPage, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  mprotect(memory, kPage, PROT_NONE);  // running over the end of the stack stops here
  fiber->stack = memory + kPage;
#ifdef GAIA_EMULATOR_TSAN
  fiber->watched = __tsan_create_fiber(0);
#endif
#ifdef __x86_64__
  auto** top = reinterpret_cast<void**>(fiber->stack + kStackBytes);
  *--top = nullptr;  // a function expects its stack at 8 modulo 16
  *--top = reinterpret_cast<void*>(&begin);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  fiber->saved = top;
#else
  getcontext(&fiber->saved);
  fiber->saved.uc_stack.ss_sp = fiber->stack;
  fiber->saved.uc_stack.ss_size = kStackBytes;
  fiber->saved.uc_link = nullptr;
  makecontext(&fiber->saved, &begin, 0);
#endif
  return fiber;
}

}  // namespace

void begin_fibers() {
#ifdef GAIA_EMULATOR_TSAN
  launcher.watched = __tsan_get_current_fiber();
#endif
}

Fiber* take_fiber(void (*entry)(), unsigned set, unsigned number) {
  Fiber* fiber = nullptr;
  if (kWatchesThreads) {
    if (own[set][number] == nullptr) own[set][number] = make_fiber();
    fiber = own[set][number];
  } else if (free_fibers != nullptr) {
    fiber = free_fibers;
    free_fibers = fiber->next;
  } else {
    fiber = make_fiber();
  }
  fiber->entry = entry;
  return fiber;
}

void give_fiber_back(Fiber& fiber) {
  if (kWatchesThreads) return;
  fiber.next = free_fibers;
  free_fibers = &fiber;
}

void abandon_fiber(Fiber& fiber, [[maybe_unused]] char* place) {
#ifdef GAIA_EMULATOR_TSAN
  __tsan_switch_to_fiber(fiber.watched, 1);
  __tsan_release(place);
  __tsan_switch_to_fiber(launcher.watched, 1);
#endif
  for (auto& set : own) {
    for (Fiber*& kept : set) {
      if (kept == &fiber) kept = nullptr;
    }
  }
  static Fiber* abandoned = nullptr;  // still known, so that no one takes it for a leak
  fiber.next = abandoned;
  abandoned = &fiber;
}

void enter_fiber(Fiber& fiber) {
  running = &fiber;
#ifdef GAIA_EMULATOR_ASAN
  __sanitizer_start_switch_fiber(&launcher.fake_stack, fiber.stack, kStackBytes);
#endif
#ifdef GAIA_EMULATOR_TSAN
  __tsan_switch_to_fiber(fiber.watched, 0);  // 0: what came before the launch is seen
#endif
#ifdef __x86_64__
  gaia_emulator_switch(&launcher.saved, fiber.saved);
#else
  swapcontext(&launcher.saved, &fiber.saved);
#endif
#ifdef GAIA_EMULATOR_ASAN
  __sanitizer_finish_switch_fiber(launcher.fake_stack, nullptr, nullptr);
#endif
}

void leave_fiber() {
  Fiber& fiber = *running;
#ifdef GAIA_EMULATOR_ASAN
  __sanitizer_start_switch_fiber(&fiber.fake_stack, launcher.stack, launcher.stack_bytes);
#endif
#ifdef GAIA_EMULATOR_TSAN
  __tsan_switch_to_fiber(launcher.watched, 1);  // 1: changing threads orders nothing
#endif
#ifdef __x86_64__
  gaia_emulator_switch(&fiber.saved, launcher.saved);
#else
  swapcontext(&fiber.saved, &launcher.saved);
#endif
#ifdef GAIA_EMULATOR_ASAN
  __sanitizer_finish_switch_fiber(fiber.fake_stack, &launcher.stack, &launcher.stack_bytes);
#endif
}

#ifdef GAIA_EMULATOR_TSAN
void publish(char* place) { __tsan_release(place); }
void collect(char* place) { __tsan_acquire(place); }
#else
void publish(char*) {}
void collect(char*) {}
#endif

#ifdef GAIA_EMULATOR_ASAN
// Not by the macros, which do nothing in a file that is not watched itself.
void open_memory(void* data, std::size_t bytes) { __asan_unpoison_memory_region(data, bytes); }
void close_memory(void* data, std::size_t bytes) { __asan_poison_memory_region(data, bytes); }
#else
void open_memory(void*, std::size_t) {}
void close_memory(void*, std::size_t) {}
#endif

}  // namespace gaia::emulator
