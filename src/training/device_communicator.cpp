// SPDX-License-Identifier: MIT
#include "device_communicator.h"

#include <unistd.h>

#include <cstdio>
#include <set>
#include <vector>

#include "../core/log.h"

namespace gaia {
namespace {

/// Which GPU of which machine a process has.
using Seat = std::array<char, 320>;

/// Whether every process has a GPU of its own.
bool have_devices_of_their_own(Communicator& host, Device device) {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  Seat mine{};
  std::snprintf(mine.data(), mine.size(), "%s %s %d", name.data(),
                visible == nullptr ? "" : visible, device.index());
  std::vector<Seat> all(static_cast<std::size_t>(host.size()));
  host.all_gather(&mine, all.data(), sizeof mine);
  return std::set<Seat>(all.begin(), all.end()).size() == all.size();
}

}  // namespace

Array DeviceCommunicator::all_gather(const Array& mine) {
  if (!(mine.device() == device_) || !(current_device() == device_)) {
    return Communicator::all_gather(mine);
  }
  const Array here = mine.contiguous();
  std::vector<std::int64_t> lengths = {size()};
  for (const std::int64_t length : here.shape()) lengths.push_back(length);
  const Array all = Array::uninitialized(Shape(lengths), here.dtype());
  if (here.bytes() > 0) {
    exchange_->all_gather(here.view().data, all.view().data,
                          static_cast<std::size_t>(here.bytes()));
  }
  return all;
}

std::unique_ptr<Communicator> over_devices(Communicator* host, Device device) {
  if (host == nullptr || host->size() == 1) return nullptr;
  const std::string missing = device.is_cpu() ? "they compute on CPUs" : why_no_device_exchange();
  if (host->any(!missing.empty()) || !have_devices_of_their_own(*host, device)) {
    if (!device.is_cpu() && host->rank() == 0) {
      log_info("the processes exchange through the host's memory" +
               (missing.empty() ? "" : ": " + missing));
    }
    return nullptr;
  }
  ExchangeId id{};
  if (host->rank() == 0) id = new_exchange_id();
  std::vector<ExchangeId> ids(static_cast<std::size_t>(host->size()));
  host->all_gather(&id, ids.data(), sizeof id);
  return std::make_unique<DeviceCommunicator>(
      *host, device, join_device_exchange(ids.front(), device, host->rank(), host->size()));
}

}  // namespace gaia
