// SPDX-License-Identifier: MIT
/// \file
/// Kernels by NVRTC, loaded and launched by the driver; for nvcc alone.
#include <cuda.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "../src/core/log.h"
#include "../src/core/message.h"
#include "nvrtc_library.h"
#include "run_time_compiler.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

struct LaunchableKernel::State {
  std::string name;
  CUkernel kernel = nullptr;
  std::mutex mutex = {};
  std::map<int, std::size_t> allowed = {};  ///< Dynamic shared memory on each device.
};

namespace {

/// What the driver is asked for: all of CUDA 12.0.
struct Driver {
  decltype(&cuGetErrorString) error_string;
  decltype(&cuLibraryLoadData) load;
  decltype(&cuLibraryGetKernel) kernel;
  decltype(&cuKernelSetAttribute) set;
  decltype(&cuLaunchKernel) launch;
  /// Function of CUDA 12.4, else null.
  CUresult (*parameter)(CUkernel kernel, std::size_t index, std::size_t* offset,
                        std::size_t* bytes);
};

/// `version` is the first of CUDA that has it.
template <class Function>
void find(Function& function, const char* name, [[maybe_unused]] unsigned version = 12000) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer{};
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &answer), name);
#else
  check(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &answer), name);
#endif
  if (answer != cudaDriverEntryPointSuccess || found == nullptr) {
    throw DeviceError("[cuda] the NVIDIA driver lacks " + std::string(name) +
                      "; install one for CUDA 12 or later");
  }
  function = reinterpret_cast<Function>(found);
}

/// \throws DeviceError if it is too old.
const Driver& driver() {
  static const Driver found = [] {
    Driver made{};
    find(made.error_string, "cuGetErrorString");
    find(made.load, "cuLibraryLoadData");
    find(made.kernel, "cuLibraryGetKernel");
    find(made.set, "cuKernelSetAttribute");
    find(made.launch, "cuLaunchKernel");
    try {
      find(made.parameter, "cuKernelGetParamInfo", 12040);
    } catch (const DeviceError&) {
      made.parameter = nullptr;
    }
    return made;
  }();
  return found;
}

/// \throws DeviceError, or OutOfMemory, with the driver's words.
void check_driver(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return;
  const char* words = nullptr;
  driver().error_string(result, &words);
  const std::string text = "[cuda] " + what + ": " + (words != nullptr ? words : "unknown error");
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemory(text);
  throw DeviceError(text);
}

/// \throws DeviceError where it cannot be opened.
const NvrtcLibrary& nvrtc() {
  static const NvrtcLibrary opened = [] {
    int version = 0;
    cudaDriverGetVersion(&version);
    const int major = version / 1000;
    NvrtcLibrary library = open_nvrtc(major);
    if (library.major > major) {
      fail<DeviceError>(
          "[cuda] the NVIDIA driver, for CUDA {}, does not take what NVRTC {} makes; "
          "install NVRTC of CUDA {}, or a newer driver",
          major, library.version_text, major);
    }
    return library;
  }();  // tried again if it throws
  return opened;
}

/// Compute capability of the current device: 90.
int capability_now() {
  int device = 0;
  int major = 0;
  int minor = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
        "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
        "cudaDeviceGetAttribute");
  return 10 * major + minor;
}

}  // namespace

std::string why_not_compile() {
  try {
    nvrtc();
    driver();
    return {};
  } catch (const DeviceError& error) {
    return error.what();
  }
}

std::string compiler_now() {
  return "NVRTC " + nvrtc().version_text + " for " + std::to_string(capability_now());
}

// A line for each kernel's name in the image, then the image.

std::string compile_to_bytes(const KernelSource& source) {
  const NvrtcResult made = compile_by_nvrtc(nvrtc(), source, capability_now());
  if (!made.log.empty()) log_debug(made.log);
  std::string bytes;
  for (const std::string& name : made.lowered) bytes += name + "\n";
  return bytes + made.image;
}

std::vector<LaunchableKernel> load_kernels(const KernelSource& source, const std::string& bytes) {
  check(cudaFree(nullptr), "cudaFree");  // makes the device's context, if nothing else has
  std::vector<std::string> lowered;
  std::size_t at = 0;
  while (lowered.size() < source.kernels.size()) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    lowered.push_back(bytes.substr(at, end - at));
    at = std::min(end + 1, bytes.size());
  }
  CUlibrary library = nullptr;  // for all devices, until the program ends
  check_driver(driver().load(&library, bytes.data() + at, nullptr, nullptr, 0, nullptr, nullptr, 0),
               source.name);
  std::vector<LaunchableKernel> kernels;
  for (const std::string& name : lowered) {
    auto* const state = new LaunchableKernel::State{source.kernels[kernels.size()]};
    check_driver(driver().kernel(&state->kernel, library, name.c_str()), state->name);
    kernels.emplace_back(*state);
  }
  return kernels;
}

void LaunchableKernel::launch(const LaunchShape& shape, cudaStream_t stream,
                              void** arguments) const {
  State& state = *state_;
  if (shape.shared_bytes > kSharedUnasked) {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    const std::lock_guard lock(state.mutex);
    std::size_t& most = state.allowed[device];  // as allow_shared does
    if (shape.shared_bytes > most) {
      check_driver(driver().set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                static_cast<int>(shape.shared_bytes), state.kernel, device),
                   state.name);
      most = shape.shared_bytes;
    }
  }
  check_driver(
      driver().launch(reinterpret_cast<CUfunction>(state.kernel), shape.grid.x, shape.grid.y,
                      shape.grid.z, shape.block.x, shape.block.y, shape.block.z,
                      static_cast<unsigned>(shape.shared_bytes), stream, arguments, nullptr),
      state.name);
}

std::optional<std::vector<std::size_t>> LaunchableKernel::parameter_bytes() const {
  if (driver().parameter == nullptr) return std::nullopt;
  std::vector<std::size_t> all;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  while (driver().parameter(state_->kernel, all.size(), &offset, &bytes) == CUDA_SUCCESS) {
    all.push_back(bytes);
  }
  return all;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
