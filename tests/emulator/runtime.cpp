// SPDX-License-Identifier: MIT
#include "runtime.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace {

using gaia::emulator::Hardware;

std::mutex mutex;
Hardware hardware;
std::map<void*, std::size_t>& blocks() {
  static auto& all = *new std::map<void*, std::size_t>;
  return all;
}
std::size_t taken = 0;
std::size_t reserved = 0;
std::atomic<std::int64_t> waits_made{0};
thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t answer(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

}  // namespace

struct EmulatedStream {};
struct EmulatedEvent {};
struct EmulatedPool {};

namespace gaia::emulator {

void set_hardware(const Hardware& wanted) {
  const std::lock_guard lock(mutex);
  hardware = wanted;
}

Hardware current_hardware() {
  const std::lock_guard lock(mutex);
  return hardware;
}

std::int64_t waits() { return waits_made; }

}  // namespace gaia::emulator

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorNoKernelImageForDevice:
      break;
  }
  return "cudaErrorNoKernelImageForDevice";
}
const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }
cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
cudaError_t cudaDriverGetVersion(int* version) {
  const std::lock_guard lock(mutex);
  *version = hardware.driver_version;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  const std::lock_guard lock(mutex);
  *count = hardware.start_error == cudaSuccess ? hardware.devices : 0;
  return answer(hardware.start_error);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  const std::lock_guard lock(mutex);
  if (device < 0 || device >= hardware.devices) return answer(cudaErrorInvalidDevice);
  std::snprintf(properties->name, sizeof properties->name, "emulated GPU");
  properties->totalGlobalMem = hardware.memory;
  properties->major = hardware.compute_capability;
  properties->minor = 0;
  properties->multiProcessorCount = 2;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  const std::lock_guard lock(mutex);
  if (device < 0 || device >= hardware.devices) return answer(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, void (*)()) {
  const std::lock_guard lock(mutex);
  return answer(hardware.kernel_error);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new EmulatedStream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  ++waits_made;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new EmulatedEvent;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  *pool = new EmulatedPool;
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const std::lock_guard lock(mutex);
  reserved = taken;
  delete pool;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  const std::lock_guard lock(mutex);
  const auto bytes = static_cast<std::uint64_t>(reserved);
  std::memcpy(value, &bytes, sizeof bytes);
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) {
  const std::lock_guard lock(mutex);
  reserved = taken;
  return cudaSuccess;
}
cudaError_t cudaMallocFromPoolAsync(void** data, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
  const std::lock_guard lock(mutex);
  // As in a real pool, what has been given back stays reserved until it is trimmed.
  if (bytes > hardware.memory || reserved > hardware.memory - bytes) {
    return answer(cudaErrorMemoryAllocation);
  }
  if (posix_memalign(data, 256, bytes == 0 ? 1 : bytes) != 0) {
    return answer(cudaErrorMemoryAllocation);
  }
  std::memset(*data, 0xff, bytes);
  blocks()[*data] = bytes;
  taken += bytes;
  reserved += bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t) {
  const std::lock_guard lock(mutex);
  const auto block = blocks().find(data);
  if (block == blocks().end()) return answer(cudaErrorInvalidValue);
  taken -= block->second;
  blocks().erase(block);
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const std::lock_guard lock(mutex);
  *total = hardware.memory;
  *free = hardware.memory - reserved;
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  *data = std::malloc(bytes);
  return *data == nullptr ? answer(cudaErrorMemoryAllocation) : cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
  if (bytes > 0) std::memmove(to, from, bytes);
  return cudaSuccess;
}
