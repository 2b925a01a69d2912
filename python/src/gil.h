// SPDX-License-Identifier: MIT
/// \file
/// Work without Python's lock, and things that one thread at a time may use meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <utility>

namespace gaia::python {

namespace nb = nanobind;

/// What `work`, which touches nothing of Python's, returns; other threads of Python's run
/// meanwhile.
template <class Work>
auto without_gil(const Work& work) {
  const nb::gil_scoped_release release;
  return work();
}

/// A thing that one thread at a time may use, the GIL not being held meanwhile.
template <class Thing>
class Guarded {
 public:
  explicit Guarded(Thing thing) : thing_(std::move(thing)) {}

  /// `work` of the thing; what it returns is a copy.
  template <class Work>
  auto alone(const Work& work) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return work(thing_);
  }

  std::unique_ptr<Guarded> clone() {
    return std::make_unique<Guarded>(alone([](const Thing& thing) { return thing; }));
  }

 private:
  Thing thing_;
  std::mutex mutex_;
};

}  // namespace gaia::python
