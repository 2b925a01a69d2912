// SPDX-License-Identifier: MIT
/// \file
/// How the emulator calls a kernel that the host's compiler built from a text.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace gaia::emulator {

struct HostKernel {
  /// Runs the kernel's body with the values to which pointers point, one for each parameter.
  void (*run)(void* const* values);
  std::size_t parameters;
  const std::size_t* bytes;  ///< Size of each parameter.
};

template <class... Parameters>
constexpr std::size_t kBytes[] = {sizeof(Parameters)..., 0};

template <auto kernel, class... Parameters, std::size_t... I>
void run_with([[maybe_unused]] void* const* values, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_cv_t<Parameters>*>(values[I])...);
}

template <auto kernel, class... Parameters>
constexpr HostKernel host_kernel(void (*)(Parameters...)) {
  // What is copied byte by byte, as CUDA does.
  static_assert((std::is_trivially_copyable_v<Parameters> && ...));
  return {[](void* const* values) {
            run_with<kernel, Parameters...>(values, std::index_sequence_for<Parameters...>{});
          },
          sizeof...(Parameters), kBytes<Parameters...>};
}

}  // namespace gaia::emulator

/// Exports a kernel, which `...` names, under the number that the emulator asks for.
#define GAIA_HOST_KERNEL(number, ...)                              \
  extern "C" gaia::emulator::HostKernel gaia_host_kernel_##number; \
  gaia::emulator::HostKernel gaia_host_kernel_##number =           \
      gaia::emulator::host_kernel<&__VA_ARGS__>(&__VA_ARGS__);
