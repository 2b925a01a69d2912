// SPDX-License-Identifier: MIT
#include "runtime.h"

#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "blocks.h"
#include "machine.h"
#include "shared_memory.h"

namespace {

using gaia::emulator::answer;
using gaia::emulator::Hardware;

std::mutex mutex;
Hardware present;
thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

/// Shared memory that is allowed to kernels on devices, where it was set.
std::map<std::pair<const void*, int>, std::size_t>& shared_allowed() {
  static auto& all = *new std::map<std::pair<const void*, int>, std::size_t>;
  return all;
}

std::set<int> contexts;

bool is_there(int device) { return device >= 0 && device < present.devices; }

}  // namespace

namespace gaia::emulator {

void set_hardware(const Hardware& wanted) {
  const std::lock_guard lock(mutex);
  present = wanted;
  contexts.clear();
}

void make_context() {
  const std::lock_guard lock(mutex);
  contexts.insert(current_device);
}

bool has_context(int device) {
  const std::lock_guard lock(mutex);
  return contexts.contains(device);
}

void set_devices(int count) {
  const std::lock_guard lock(mutex);
  present.devices = count;
  current_device = 0;
  contexts.clear();
}

Hardware hardware() {
  const std::lock_guard lock(mutex);
  return present;
}

void check_shared(const void* kernel, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  const auto set = shared_allowed().find({kernel, current_device});
  const std::size_t allowed = set == shared_allowed().end() ? 48 * 1024 : set->second;
  if (bytes <= allowed) return;
  throw KernelError("launch: " + std::to_string(bytes) + " bytes of dynamic shared memory, of " +
                    std::to_string(allowed) + " that the kernel may have");
}

cudaError_t answer(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

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
    case cudaErrorNotSupported:
      return "cudaErrorNotSupported";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorNoKernelImageForDevice:
      return "cudaErrorNoKernelImageForDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady:
      break;
  }
  return "cudaErrorNotReady";
}
const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }
cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
cudaError_t cudaDriverGetVersion(int* version) {
  const std::lock_guard lock(mutex);
  *version = present.driver_version;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  const std::lock_guard lock(mutex);
  *count = present.start_error == cudaSuccess ? present.devices : 0;
  return answer(present.start_error);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  const std::lock_guard lock(mutex);
  if (!is_there(device)) return answer(cudaErrorInvalidDevice);
  std::snprintf(properties->name, sizeof properties->name, "emulated GPU");
  properties->totalGlobalMem = present.memory;
  properties->major = present.compute_capability;
  properties->minor = 0;
  properties->multiProcessorCount = 2;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  const std::lock_guard lock(mutex);
  if (!is_there(device)) return answer(cudaErrorInvalidDevice);
  std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", device);
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  const std::lock_guard lock(mutex);
  if (!is_there(device)) return answer(cudaErrorInvalidDevice);
  current_device = device;
  contexts.insert(device);  // since CUDA 12
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* possible, int device, int peer) {
  const std::lock_guard lock(mutex);
  if (!is_there(device) || !is_there(peer)) return answer(cudaErrorInvalidDevice);
  *possible = present.peers && device != peer ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, void (*)()) {
  gaia::emulator::make_context();
  const std::lock_guard lock(mutex);
  const bool is_good = present.bad_device >= 0 && present.bad_device != current_device;
  return answer(is_good ? cudaSuccess : present.kernel_error);
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  const auto bytes = static_cast<std::size_t>(value);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
      bytes > gaia::emulator::kMostShared) {
    return answer(cudaErrorInvalidValue);
  }
  {
    const std::lock_guard lock(mutex);
    shared_allowed()[{kernel, current_device}] = bytes;
  }
  // Time for another thread to come in between this and the launch that it is for.
  std::this_thread::sleep_for(std::chrono::microseconds(50));
  return cudaSuccess;
}
