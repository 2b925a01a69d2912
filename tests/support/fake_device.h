// SPDX-License-Identifier: MIT
/// \file
/// A second device without hardware, to test what happens between devices and that every operation
/// does its work where it should.  Its memory is apart from the host's (fake_memory.h), every view
/// is checked (fake_checks.h), and what it computes, a CPU backend computes for it
/// (fake_backend.h).
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "fake_backend.h"

namespace gaia::test {

/// Makes a fake::FakeBackend Device::cuda(0) for a scope.  Arrays on it must be gone before it is.
class FakeDevice {
 public:
  explicit FakeDevice(fake::Behaviour behaviour = {}) {
    auto made = std::make_unique<fake::FakeBackend>(std::move(behaviour));
    backend_ = made.get();
    before_ = replace_backend(device(), std::move(made));
  }
  ~FakeDevice() {
    if (backend_->memory_stats().arrays != 0) {
      std::fputs("[fake device] arrays outlive it\n", stderr);
      std::abort();
    }
    replace_backend(device(), std::move(before_));
  }
  FakeDevice(const FakeDevice&) = delete;
  FakeDevice& operator=(const FakeDevice&) = delete;

  static Device device() { return Device::cuda(0); }
  const fake::FakeBackend& backend() const { return *backend_; }

 private:
  fake::FakeBackend* backend_;
  std::unique_ptr<Backend> before_;
};

}  // namespace gaia::test
