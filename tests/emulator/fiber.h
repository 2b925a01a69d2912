// SPDX-License-Identifier: MIT
/// \file
/// Stacks that take turns on one host thread, and what the sanitizers have to be told of them.
#pragma once

#include <cstddef>

namespace gaia::emulator {

struct Fiber;

/// Notes the host thread that launches: what enter_fiber leaves and leave_fiber returns to.
void begin_fibers();

/// A fiber that will run `entry`, which never returns.  Under ThreadSanitizer thread `number` of
/// blocks with the same `set` always gets the same one, so that its history stays its own.
Fiber* take_fiber(void (*entry)(), unsigned set, unsigned number);
void give_fiber_back(Fiber& fiber);

/// Never runs it again.  What it has done so far is seen after collect(place).
void abandon_fiber(Fiber& fiber, char* place);

void enter_fiber(Fiber& fiber);
void leave_fiber();

/// For ThreadSanitizer: what came before publish(x) is seen after collect(x).
void publish(char* place);
void collect(char* place);

/// For AddressSanitizer: memory that may, or may not, be touched.
void open_memory(void* data, std::size_t bytes);
void close_memory(void* data, std::size_t bytes);

#ifdef GAIA_EMULATOR_TSAN
constexpr bool kWatchesThreads = true;
#else
constexpr bool kWatchesThreads = false;
#endif

}  // namespace gaia::emulator
