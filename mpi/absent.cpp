// SPDX-License-Identifier: MIT
/// \file
/// What stands in for MPI where gaia is built without it.
#include "../src/core/error.h"
#include "../src/training/communicator.h"

namespace gaia {

std::string why_no_mpi() {
  return "gaia was built without MPI; install libopenmpi-dev and openmpi-bin, and configure with "
         "-DGAIA_MPI=ON";
}

std::unique_ptr<Communicator> connect_mpi() { throw DeviceError("[connect_mpi] " + why_no_mpi()); }

}  // namespace gaia
