// SPDX-License-Identifier: MIT
/// \file
/// Memory that an operation needs while it runs, counted like that of arrays.
#pragma once

#include <cstdint>

#include "../src/array/backend.h"

namespace gaia::cpu {

/// `count` numbers, not set.
template <class T>
class Workspace {
 public:
  Workspace(Backend& backend, std::int64_t count)
      : backend_(backend),
        bytes_(count * static_cast<std::int64_t>(sizeof(T))),
        data_(static_cast<T*>(backend.allocate(bytes_))) {}
  ~Workspace() { backend_.release(data_, bytes_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  T* data() const { return data_; }
  T& operator[](std::int64_t i) const { return data_[i]; }

 private:
  Backend& backend_;
  std::int64_t bytes_;
  T* data_;
};

}  // namespace gaia::cpu
