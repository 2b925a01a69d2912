// SPDX-License-Identifier: MIT
/// \file
/// Methods that have no kernel yet.
#include "backend.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

[[noreturn]] void missing(const char* method) {
  throw DeviceError("[cuda] " + std::string(method) + " has no kernel yet; compute it on 'cpu'");
}

}  // namespace

void CudaBackend::random(const RandomFill&, const View&) { missing("random"); }
void CudaBackend::plastic(const PlasticRun&) { missing("plastic"); }
void CudaBackend::coupled(const CoupledRun&) { missing("coupled"); }
void CudaBackend::recurrent(const RecurrentRun&) { missing("recurrent"); }
void CudaBackend::pool(const PoolRun&) { missing("pool"); }

}  // namespace gaia::cuda
