// SPDX-License-Identifier: MIT
/// \file
/// Exchanges between the GPUs of processes, compiled for nvcc alone.
#include "exchange.h"

namespace gaia {
namespace {

/// \throws DeviceError if it cannot be opened.
const cuda::NcclLibrary& nccl_library() {
  static const cuda::NcclLibrary opened = cuda::open_nccl_library();  // tried again if it throws
  return opened;
}

}  // namespace

std::string why_no_device_exchange() {
  try {
    nccl_library();
    return {};
  } catch (const DeviceError& error) {
    return error.what();
  }
}

ExchangeId new_exchange_id() {
  cuda::NcclId id;
  cuda::check_nccl(nccl_library(), nccl_library().get_unique_id(&id), "ncclGetUniqueId");
  return id.bytes;
}

std::unique_ptr<DeviceExchange> join_device_exchange(const ExchangeId& id, Device device, int rank,
                                                     int size) {
  return std::make_unique<cuda::NcclExchange>(nccl_library(), id, device.index(), rank, size);
}

}  // namespace gaia
