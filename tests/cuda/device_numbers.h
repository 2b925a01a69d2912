// SPDX-License-Identifier: MIT
/// \file
/// Memory of the emulated device for kernels that a test starts by itself.
#pragma once

#include <cstddef>
#include <vector>

#include "../../cuda/portable.cuh"
#include "../support/catch.h"

namespace gaia::test {

/// Memory of exactly that size, poisoned, so that every step past it is seen.
template <class T>
class DeviceNumbers {
 public:
  explicit DeviceNumbers(std::size_t count) : count_(count) {
    void* data = nullptr;
    REQUIRE(cudaMallocFromPoolAsync(&data, count * sizeof(T), nullptr, nullptr) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
    data_ = static_cast<T*>(data);
  }
  /// f(0), f(1), ...
  template <class F>
  DeviceNumbers(std::size_t count, const F& f) : DeviceNumbers(count) {
    for (std::size_t i = 0; i < count; ++i) data_[i] = static_cast<T>(f(static_cast<int>(i)));
  }
  ~DeviceNumbers() { cudaFreeAsync(data_, nullptr); }
  DeviceNumbers(const DeviceNumbers&) = delete;
  DeviceNumbers& operator=(const DeviceNumbers&) = delete;

  T* data() const { return data_; }
  T& operator[](int i) const { return data_[i]; }
  void append_to(std::vector<double>& all) const {
    for (std::size_t i = 0; i < count_; ++i) all.push_back(static_cast<double>(data_[i]));
  }

 private:
  std::size_t count_;
  T* data_ = nullptr;
};

}  // namespace gaia::test
