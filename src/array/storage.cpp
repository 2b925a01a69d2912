// SPDX-License-Identifier: MIT
#include "storage.h"

#include <utility>

#include "backend.h"

namespace gaia {

Storage::Storage(Device device, std::int64_t bytes)
    : device_(device), bytes_(bytes), data_(backend(device).allocate(bytes)) {}

Storage::Storage(Device device, void* data, std::int64_t bytes, std::shared_ptr<const void> owner)
    : device_(device), bytes_(bytes), data_(data), is_borrowed_(true), owner_(std::move(owner)) {}

Storage::~Storage() {
  if (!is_borrowed_) backend(device_).release(data_, bytes_);
}

}  // namespace gaia
