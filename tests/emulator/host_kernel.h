// SPDX-License-Identifier: MIT
/// \file
/// How the emulator calls a kernel that the host's compiler made of a text.
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace gaia::emulator {

struct HostKernel {
  /// The values to which pointers point, one for each parameter.
  std::shared_ptr<const void> (*copy)(void** arguments);
  /// Runs the kernel's body with them.
  void (*run)(const void* values);
};

template <class Values, std::size_t... I>
std::shared_ptr<const void> copy_values([[maybe_unused]] void** from, std::index_sequence<I...>) {
  return std::make_shared<const Values>(
      *static_cast<const std::tuple_element_t<I, Values>*>(from[I])...);
}

template <auto kernel, class... Parameters>
constexpr HostKernel host_kernel(void (*)(Parameters...)) {
  using Values = std::tuple<std::remove_cv_t<Parameters>...>;
  return {[](void** arguments) {
            return copy_values<Values>(arguments, std::index_sequence_for<Parameters...>{});
          },
          [](const void* values) { std::apply(kernel, *static_cast<const Values*>(values)); }};
}

}  // namespace gaia::emulator

/// Exports a kernel, which `...` names, under the number that the emulator asks for.
#define GAIA_HOST_KERNEL(number, ...)                              \
  extern "C" gaia::emulator::HostKernel gaia_host_kernel_##number; \
  gaia::emulator::HostKernel gaia_host_kernel_##number =           \
      gaia::emulator::host_kernel<&__VA_ARGS__>(&__VA_ARGS__);
