// SPDX-License-Identifier: MIT
/// \file
/// Which devices there are, what is known of them, and copies to and from the host.
#include "backend.h"

#include "nvml_library.h"
#include "streams.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// "13.0" for 13000.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string versions() {
  int driver = 0;
  int runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  return "driver for CUDA " + version_text(driver) + ", runtime " + version_text(runtime);
}

/// Why cudaGetDeviceCount failed, and what to do about it.
std::string why_no_device(cudaError_t error) {
  int driver = 0;
  cudaDriverGetVersion(&driver);
  if (driver == 0) return "this machine has no NVIDIA driver";
  if (error == cudaErrorInsufficientDriver) {
    return "the NVIDIA driver is too old (" + versions() + "); install a newer one";
  }
  if (error == cudaErrorNoDevice || error == cudaSuccess) {
    return "there is no CUDA device, or CUDA_VISIBLE_DEVICES hides it";
  }
  return std::string(cudaGetErrorName(error)) + " (" + cudaGetErrorString(error) + "), " +
         versions();
}

/// There for its attributes alone.
__global__ void probe_kernel() {}

/// \throws DeviceError if this build holds no code for the current device.
void check_code(const cudaDeviceProp& properties) {
  cudaFuncAttributes attributes{};
  const cudaError_t error = cudaFuncGetAttributes(&attributes, probe_kernel);
  if (error != cudaErrorNoKernelImageForDevice) return check(error, "cudaFuncGetAttributes");
  cudaGetLastError();
  const std::string major = std::to_string(properties.major);
  const std::string minor = std::to_string(properties.minor);
  throw DeviceError("[cuda] this build of gaia has no code for " + std::string(properties.name) +
                    " (compute capability " + major + "." + minor +
                    "); configure it with -DCMAKE_CUDA_ARCHITECTURES=" + major + minor);
}

cudaDeviceProp properties_of(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return properties;
}

/// Asked before anything is created on the device.  \throws DeviceError if no build runs there.
void check_capability(const cudaDeviceProp& properties) {
  if (properties.major >= 8) return;
  throw DeviceError("[cuda] " + std::string(properties.name) + " has compute capability " +
                    std::to_string(properties.major) + "." + std::to_string(properties.minor) +
                    "; gaia needs 8.0 or later");
}

/// How many multiprocessors it has.  \throws DeviceError if it cannot run what this build holds.
int processors_of(int device) {
  const cudaDeviceProp properties = properties_of(device);
  check_code(properties);
  return properties.multiProcessorCount;
}

/// Its compute capability, 10 major + minor.
int capability_of(int device) {
  const cudaDeviceProp properties = properties_of(device);
  return 10 * properties.major + properties.minor;
}

}  // namespace

CudaBackend::CudaBackend(int device)
    : device_(device),
      processors_(processors_of(device)),
      memory_(device),
      capability_(capability_of(device)) {}

Call CudaBackend::begin(std::initializer_list<const View*> views) {
  // Left as it is: the thread's next call on this device finds it so.
  check(cudaSetDevice(device_), "cudaSetDevice");
  const Call call(device_);  // before it is asked whether there are other streams
  if (has_many_streams(device_)) {
    for (const View* view : views) {
      if (view != nullptr) memory_.use(view->data, call);
    }
  }
  return call;
}

void* CudaBackend::allocate(std::int64_t bytes) {
  const DeviceScope scope(device_);
  return memory_.allocate(bytes, stream_of_thread(device_));
}

void CudaBackend::release(void* data, std::int64_t bytes) noexcept { memory_.release(data, bytes); }

void CudaBackend::upload(const void* host, void* data, std::int64_t bytes) {
  if (bytes == 0) return;
  const DeviceScope scope(device_);
  const Call stream(device_);
  memory_.use(data, stream);
  staging_.upload(host, data, bytes, stream);
}

void CudaBackend::download(const void* data, void* host, std::int64_t bytes) {
  if (bytes == 0) return;
  const DeviceScope scope(device_);
  const Call stream(device_);
  memory_.use(data, stream);
  staging_.download(data, host, bytes, stream);
}

bool CudaBackend::copy_from(Backend& source, const void* from, void* to, std::int64_t bytes) {
  auto* const theirs = dynamic_cast<CudaBackend*>(&source);
  if (theirs == nullptr) return false;
  theirs->memory_.let_read(device_);
  const Call here(device_);
  const Call there(theirs->device_);
  {
    const DeviceScope scope(theirs->device_);
    theirs->memory_.use(from, there);
    wait_for(here, there);
  }
  const DeviceScope scope(device_);
  memory_.use(to, here);
  check(cudaMemcpyPeerAsync(to, device_, from, theirs->device_, static_cast<std::size_t>(bytes),
                            here),
        "cudaMemcpyPeerAsync");
  wait_for(there, here);  // before `from` is changed or given back
  return true;
}

void CudaBackend::synchronize() {
  const DeviceScope scope(device_);
  synchronize_thread(device_);
}

DeviceInfo CudaBackend::info() const {
  const DeviceScope scope(device_);
  const cudaDeviceProp properties = properties_of(device_);
  const MemoryStats memory = memory_.stats();
  return {.device = Device::cuda(device_),
          .name = properties.name,
          .description = std::to_string(properties.multiProcessorCount) +
                         " multiprocessors, compute capability " +
                         std::to_string(properties.major) + "." + std::to_string(properties.minor),
          .total_memory = memory.total,
          .free_memory = memory.free,
          .version = versions()};
}

DeviceUsage CudaBackend::usage() const {
  char bus_id[32] = {};
  check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device_), "cudaDeviceGetPCIBusId");
  return usage_by_nvml(bus_id);
}

MemoryStats CudaBackend::memory_stats() const { return memory_.stats(); }
void CudaBackend::reset_peak_memory() { memory_.reset_peak(); }

void CudaBackend::set_memory_limit(std::int64_t bytes) { memory_.set_limit(bytes); }
void CudaBackend::trim_memory() { memory_.trim(); }

CudaDevices find_devices() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    cudaGetLastError();
    return {0, why_no_device(error), nullptr};
  }
  const auto make = [](int device) -> std::unique_ptr<Backend> {
    check_capability(properties_of(device));
    const DeviceScope scope(device);
    return std::make_unique<CudaBackend>(device);
  };
  return {count, {}, make};
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD

#ifdef __CUDACC__
gaia::CudaDevices gaia::find_cuda_devices() { return cuda::find_devices(); }
#endif
