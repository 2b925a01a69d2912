// SPDX-License-Identifier: MIT
#include "batch_ahead.h"

#include <system_error>

#include "../array/device.h"

namespace gaia {

BatchAhead::BatchAhead(const DataLoader::Epoch& epoch, std::int64_t first)
    : epoch_(epoch), next_(first), is_ahead_(epoch.is_prefetched()) {
  begin_next();
}

void BatchAhead::begin_next() {
  if (!is_ahead_ || next_ >= epoch_.batches()) return;
  try {
    coming_ = std::async(std::launch::async, [this, number = next_] {
      const GPUContext on_host(Device::cpu());
      return epoch_.gathered(number);
    });
  } catch (const std::system_error&) {
    is_ahead_ = false;  // the system grants no more threads
  }
}

Batch BatchAhead::next() {
  if (!coming_.valid()) return epoch_.batch(next_++);
  Batch batch = coming_.get();
  ++next_;
  begin_next();
  return {batch.x.to(current_device()), batch.y.to(current_device())};
}

}  // namespace gaia
