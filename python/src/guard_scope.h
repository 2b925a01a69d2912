// SPDX-License-Identifier: MIT
/// \file
/// Guards of C++ as `with` statements.
#pragma once

#include <memory>
#include <vector>

namespace gaia::python {

/// `with NAME():` holds a Guard; the same object may be entered again within.
template <class Guard>
class GuardScope {
 public:
  GuardScope() = default;
  GuardScope(const GuardScope&) = delete;
  GuardScope& operator=(const GuardScope&) = delete;

  void enter() { guards_.push_back(std::make_unique<Guard>()); }
  void exit() { guards_.pop_back(); }

 private:
  std::vector<std::unique_ptr<Guard>> guards_;
};

}  // namespace gaia::python
