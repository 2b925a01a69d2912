// SPDX-License-Identifier: MIT
/// \file
/// An exchange between GPUs by NCCL.
#pragma once

#include "nccl_library.h"
#include "streams.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

class NcclExchange final : public DeviceExchange {
 public:
  NcclExchange(const NcclLibrary& library, const ExchangeId& id, int device, int rank, int size)
      : library_(library), device_(device) {
    const DeviceScope scope(device_);
    check_nccl(library_, library_.init_rank(&group_, size, NcclId{id}, rank), "ncclCommInitRank");
  }
  ~NcclExchange() override { library_.destroy(group_); }

  void all_gather(const void* mine, void* all, std::size_t bytes) override {
    const DeviceScope scope(device_);
    // What any stream of this thread still writes to `mine` is waited for; NCCL's work follows no
    // other stream than the one it is given.
    synchronize_thread(device_);
    check_nccl(library_,
               library_.all_gather(mine, all, bytes, kNcclUint8, group_, stream_of_thread(device_)),
               "ncclAllGather");
    synchronize_thread(device_);
  }

 private:
  NcclLibrary library_;
  int device_;
  NcclLibrary::Communicator group_ = nullptr;
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
