// SPDX-License-Identifier: MIT
/// \file
/// The processes that train a network together: who they are, and how they exchange numbers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "../array/array.h"

namespace gaia {

/// One of `size` processes, its rank counted from 0.  Its methods but `abort` are called by all of
/// them, in the same order.
class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// What every rank has in `mine`, `bytes` bytes, one behind the other in the order of the ranks.
  virtual void all_gather(const void* mine, void* all, std::size_t bytes) = 0;

  /// The arrays [...] of all ranks, of one shape and dtype, as [size, ...] on the current device.
  /// Goes through the host's memory, where no transport of the devices' own is at hand.
  virtual Array all_gather(const Array& mine);

  /// Ends all ranks at once with this exit code: for an error that the others know nothing of, and
  /// so would wait for this one for ever.
  [[noreturn]] virtual void abort(int code) = 0;

  /// Whether any rank says so.
  bool any(bool mine);
};

/// A single process.
std::unique_ptr<Communicator> alone();

/// How many processes mpirun or srun says that it has started, this one among them; 1 without them.
int launched_processes();

/// Number of this process among those that mpirun or srun has started on this machine, from 0.
int process_on_machine();

/// Why there is no MPI; empty if gaia was built with it.
std::string why_no_mpi();

/// All processes of an mpirun or srun.  To be called once in a process; MPI ends with the result.
/// \throws DeviceError where gaia was built without MPI, Error where MPI does not start.
std::unique_ptr<Communicator> connect_mpi();

}  // namespace gaia
