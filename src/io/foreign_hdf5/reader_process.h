// SPDX-License-Identifier: MIT
/// \file
/// The process that reads a foreign HDF5 file, as gaia sees it: bytes go there, bytes come back, or
/// it dies.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace gaia::hdf5 {

/// What a file that somebody else wrote may cost.
struct ReaderLimits {
  /// The reader is ended when it says nothing for so long, or takes so much processor time for one
  /// piece (it tells of every piece) or for listing what is in the file (it tells of that too, but
  /// has no more processor time for it); in seconds.
  int patience = 60;
  /// Address space of the reader, in bytes.  Not in builds with AddressSanitizer or
  /// ThreadSanitizer, which need more than they use.
  std::int64_t memory = std::int64_t{4} << 30;
};

/// The program gaia-hdf5-reader at work on one file.
///
/// A program of its own and not a fork: a fork of a process with threads may only call what is safe
/// in a signal handler, which HDF5 is not, would inherit CUDA's reservations of address space
/// (which no limit on it would leave room for) and would hand a hostile file everything in our
/// memory.
class ReaderProcess {
 public:
  /// \throws Error if the program is not where the library looks for it, or cannot be started.
  ReaderProcess(const std::string& path, const ReaderLimits& limits);
  ~ReaderProcess();
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;

  /// \throws DataError saying how the process ended, or that it did not reply.
  void send(const std::string& bytes);
  /// Fills `bytes`.  \throws DataError as send().
  void receive(std::span<char> bytes);

  /// Ends the process.  \throws DataError "FILE: damaged or hostile (reader WHAT)", which begins
  /// with "too slow, " where it had no more time, Error if the program is of another build.
  [[noreturn]] void fail(const std::string& what);

 private:
  /// Waits until something can be sent or received.
  void wait_for(int events);
  /// Ends the process, if it has not been; how it ended, as part of a sentence.
  std::string end();

  std::string path_;
  ReaderLimits limits_;
  int socket_ = -1;
  int process_ = -1;
  bool is_of_other_build_ = false;  // whether it said so as it ended
  bool is_out_of_time_ = false;     // whether processor time or patience ran out
};

/// The program that reads foreign files, the first of these that exists: what the environment
/// variable GAIA_HDF5_READER names, then beside the library that this code is in, as it was
/// installed or built, then where this build was configured to be installed.  \throws Error if it
/// is nowhere.
std::string reader_program();

}  // namespace gaia::hdf5
