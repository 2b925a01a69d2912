// SPDX-License-Identifier: MIT
/// \file
/// Calls that are not POSIX, with a way beside each for systems that lack them
/// (docs/portability.md). They stand here and nowhere else: tests/architecture looks for others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

struct rusage;
struct stat;

// A test compiles them a second time, in another namespace and with nothing but POSIX.
#ifndef GAIA_PLATFORM
#define GAIA_PLATFORM platform
#endif

namespace gaia::GAIA_PLATFORM {

// The machine.

/// Processors that this process may run on; at least one.
int usable_processors();

/// The processor's own name, or "CPU".
std::string processor_name();

/// Memory of the machine in bytes.
std::int64_t installed_memory();

/// Memory in bytes that can be had without swapping, as far as the system tells; 0 where it does
/// not.
std::int64_t available_memory();

/// Asks for large pages under `bytes` of memory at `data`; where there are none, small ones do.
void prefer_large_pages(void* data, std::size_t bytes);

/// One arena of malloc for all threads: what one of them gets and another frees would pull an arena
/// for each apart.
void use_one_arena();

/// Keeps up to 16 MiB that malloc has got back for what asks next, in place of giving pages to the
/// system and asking for them again: runs take and free the same memory block after block.
void keep_freed_memory();

// Processes.

/// The program that runs, or "gaia" for the system to look up.
std::string program_path();

/// The variables of the environment as "NAME=value", and null at the end.
char** environment();

/// Bytes of memory in which a process is; 0 where the system does not tell.
double resident_bytes(int process);

/// Most bytes of memory in which a process was that has ended.
double peak_bytes(const rusage& usage);

/// Has this process end by SIGTERM when `parent`, which started it, does.  A thread looks for that
/// every second where the system does not see to it.
void end_with(int parent);

/// Calls `f` with the code that the program ends with, when exit() is called; where the system does
/// not tell it, never.
void at_exit(void (*f)(int code));

/// Takes the right to gain rights by starting a program from this process, where the system can.
void give_up_new_rights();

// Files.

/// A pipe from `ends[1]` to `ends[0]` that no program inherits.
bool make_pipe(std::array<int, 2>& ends);

/// Two sockets, each of which reads what is sent to the other, that no program inherits.
bool make_socket_pair(std::array<int, 2>& ends);

/// Sends as send() does, without a signal where nobody reads the other end of a socket of
/// make_socket_pair.
std::ptrdiff_t send_silently(int socket, std::string_view bytes, int flags);

/// Closes every descriptor from `first` on.
void close_from(int first);

/// Nanoseconds since 1970 at which a file was changed last.
std::int64_t modification_time(const struct stat& status);

/// Copies at most `most` bytes from where one file stands to where the other does, without bringing
/// them to memory: the bytes copied, 0 at the end, or -1 with errno, ENOSYS where the system
/// cannot.
std::ptrdiff_t copy_between(int from, int to, std::size_t most);

}  // namespace gaia::GAIA_PLATFORM
