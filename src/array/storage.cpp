// SPDX-License-Identifier: MIT
#include "storage.h"

#include "backend.h"

namespace gaia {

Storage::Storage(Device device, std::int64_t bytes)
    : device_(device), bytes_(bytes), data_(backend(device).allocate(bytes)) {}

Storage::~Storage() { backend(device_).release(data_, bytes_); }

}  // namespace gaia
