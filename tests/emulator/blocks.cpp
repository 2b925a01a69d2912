// SPDX-License-Identifier: MIT
/// \file
/// Memory of the emulated devices, pinned memory of the host, and copies between them.
#include "blocks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "machine.h"
#include "queues.h"

struct EmulatedPool {
  int device;
  std::size_t taken = 0;
  std::size_t reserved = 0;
  std::uint64_t threshold = 0;
  bool destroyed = false;
};

namespace {

using gaia::emulator::answer;
using gaia::emulator::append;
using gaia::emulator::enqueue;
using gaia::emulator::KernelError;
using gaia::emulator::Timing;

struct Block {
  std::size_t bytes;
  EmulatedPool* pool;
  std::int64_t number;   ///< Which of all that ever lay there.
  bool leaving = false;  ///< Given to cudaFreeAsync.
};

std::mutex counting;  // of what follows; taken last
std::map<const char*, Block>& blocks() {
  static auto& all = *new std::map<const char*, Block>;
  return all;
}
std::map<const char*, std::size_t>& pinned() {
  static auto& all = *new std::map<const char*, std::size_t>;
  return all;
}
std::set<EmulatedPool*>& pools() {
  static auto& all = *new std::set<EmulatedPool*>;
  return all;
}
std::size_t pinned_bytes = 0;
std::int64_t blocks_made = 0;

int current_device() {
  int device = 0;
  cudaGetDevice(&device);
  return device;
}

std::size_t reserved_on(int device) {
  std::size_t sum = 0;
  for (const EmulatedPool* pool : pools()) sum += pool->device == device ? pool->reserved : 0;
  return sum;
}

/// The pool of cudaMallocAsync.
EmulatedPool* default_pool(int device) {
  static auto& all = *new std::map<int, EmulatedPool*>;
  EmulatedPool*& mine = all[device];
  if (mine == nullptr) pools().insert(mine = new EmulatedPool{.device = device});
  return mine;
}

void shrink(EmulatedPool& pool, std::uint64_t keep) {
  pool.reserved = std::max<std::size_t>(pool.taken, std::min<std::size_t>(pool.reserved, keep));
}

/// The entry of `all` in which `bytes` bytes from `data` lie, or the end.
template <class Map, class Size>
typename Map::iterator find(Map& all, const void* data, std::size_t bytes, const Size& size) {
  const auto* const first = static_cast<const char*>(data);
  auto found = all.upper_bound(first);
  if (found == all.begin()) return all.end();
  --found;
  const std::size_t before = static_cast<std::size_t>(first - found->first);
  return before <= size(found->second) && bytes <= size(found->second) - before ? found : all.end();
}

/// The device in whose memory these bytes lie, or -1.
int device_of(const void* data, std::size_t bytes) {
  const std::lock_guard lock(counting);
  const auto block = find(blocks(), data, bytes, [](const Block& of) { return of.bytes; });
  return block == blocks().end() || block->second.leaving ? -1 : block->second.pool->device;
}

bool is_pinned(const void* data, std::size_t bytes) {
  const std::lock_guard lock(counting);
  return find(pinned(), data, bytes, [](std::size_t size) { return size; }) != pinned().end();
}

bool is_on_a_device(const void* data) { return device_of(data, 1) >= 0; }

/// Gives a block to the stream that allocated it: before that, nobody may have used it.
void hand_over(char* data, std::int64_t number) {
  const std::lock_guard lock(counting);
  const auto block = blocks().find(data);
  if (block == blocks().end() || block->second.number != number) {
    throw KernelError("memory is given back before the stream that allocated it came to that");
  }
  std::memset(data, 0xff, block->second.bytes);
}

void take_back(char* data) {
  const std::lock_guard lock(counting);
  const auto block = blocks().find(data);
  EmulatedPool* const pool = block->second.pool;
  pool->taken -= block->second.bytes;
  std::memset(data, 0xff, block->second.bytes);  // who still reads it gets no numbers
  blocks().erase(block);
  std::free(data);
  if (!pool->destroyed) return;
  shrink(*pool, 0);
  if (pool->taken > 0) return;
  pools().erase(pool);
  delete pool;
}

/// Copies now, or when the stream comes to it.
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  enqueue(stream, [=] { std::memmove(to, from, bytes); });
  return cudaSuccess;
}

}  // namespace

namespace gaia::emulator {

void shrink_pools() {
  const std::lock_guard lock(counting);
  for (EmulatedPool* pool : pools()) shrink(*pool, pool->threshold);
}

}  // namespace gaia::emulator

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  gaia::emulator::make_context();
  const cudaError_t error = cudaMallocFromPoolAsync(data, bytes, nullptr, nullptr);
  return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}
cudaError_t cudaFree(void* data) {
  cudaDeviceSynchronize();
  const cudaError_t error = cudaFreeAsync(data, nullptr);
  return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (const cudaError_t error = gaia::emulator::hardware().pool_error; error != cudaSuccess) {
    return answer(error);
  }
  const std::lock_guard lock(counting);
  *pool = new EmulatedPool{.device = properties->location.id};
  pools().insert(*pool);
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const std::lock_guard lock(counting);
  pool->destroyed = true;
  shrink(*pool, 0);
  if (pool->taken > 0) return cudaSuccess;  // the last block takes it along
  pools().erase(pool);
  delete pool;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (attribute != cudaMemPoolAttrReleaseThreshold) return answer(cudaErrorInvalidValue);
  const std::lock_guard lock(counting);
  std::memcpy(&pool->threshold, value, sizeof pool->threshold);
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (attribute != cudaMemPoolAttrReservedMemCurrent) return answer(cudaErrorInvalidValue);
  const std::lock_guard lock(counting);
  const auto bytes = static_cast<std::uint64_t>(pool->reserved);
  std::memcpy(value, &bytes, sizeof bytes);
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* peers,
                                 std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    int possible = 0;
    const cudaError_t error =
        cudaDeviceCanAccessPeer(&possible, peers[i].location.id, pool->device);
    if (error != cudaSuccess) return error;
    if (possible == 0) return answer(cudaErrorInvalidDevice);
  }
  return answer(gaia::emulator::hardware().access_error);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t bytes) {
  const std::lock_guard lock(counting);
  shrink(*pool, bytes);
  return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void** data, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (bytes >> 48 != 0) return answer(cudaErrorInvalidValue);  // as a driver says of absurd sizes
  const std::size_t memory = gaia::emulator::hardware().memory;
  char* made = nullptr;
  std::int64_t number = 0;
  {
    const std::lock_guard lock(counting);
    EmulatedPool* const mine = pool == nullptr ? default_pool(current_device()) : pool;
    // Memory that was given back stays reserved until it is trimmed, as in a real pool.
    const std::size_t reserved = reserved_on(mine->device);
    if (bytes > memory || reserved > memory - bytes) return answer(cudaErrorMemoryAllocation);
    if (posix_memalign(data, 256, bytes == 0 ? 1 : bytes) != 0) {
      return answer(cudaErrorMemoryAllocation);
    }
    std::memset(*data, 0xff, bytes);
    made = static_cast<char*>(*data);
    number = ++blocks_made;
    blocks()[made] = {bytes, mine, number};
    mine->taken += bytes;
    mine->reserved += bytes;
  }
  if (gaia::emulator::timing() == Timing::late) {
    enqueue(stream, [=] { hand_over(made, number); });
  }
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  auto* const mine = static_cast<char*>(data);
  {
    const std::lock_guard lock(counting);
    const auto block = blocks().find(mine);
    if (block == blocks().end() || std::exchange(block->second.leaving, true)) {
      return answer(cudaErrorInvalidValue);
    }
  }
  append(stream, [mine] { take_back(mine); });
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  gaia::emulator::make_context();
  *total = gaia::emulator::hardware().memory;
  const std::lock_guard lock(counting);
  *free = *total - reserved_on(current_device());
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  gaia::emulator::make_context();
  const std::size_t most = gaia::emulator::hardware().pinned_memory;
  const std::lock_guard lock(counting);
  if (bytes > most || pinned_bytes > most - bytes) return answer(cudaErrorMemoryAllocation);
  *data = std::malloc(bytes == 0 ? 1 : bytes);
  if (*data == nullptr) return answer(cudaErrorMemoryAllocation);
  std::memset(*data, 0xff, bytes);
  pinned()[static_cast<const char*>(*data)] = bytes;
  pinned_bytes += bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
  const std::lock_guard lock(counting);
  const auto block = pinned().find(static_cast<const char*>(data));
  if (block == pinned().end()) return answer(cudaErrorInvalidValue);
  std::memset(data, 0xff, block->second);
  pinned_bytes -= block->second;
  pinned().erase(block);
  std::free(data);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  const bool to_device = kind != cudaMemcpyDeviceToHost;
  const bool from_device = kind != cudaMemcpyHostToDevice;
  const int there = to_device ? device_of(to, bytes) : -1;
  const int here = from_device ? device_of(from, bytes) : -1;
  if ((to_device && there < 0) || (from_device && here < 0) ||
      (to_device && from_device && there != here) || (!to_device && is_on_a_device(to)) ||
      (!from_device && is_on_a_device(from))) {
    return answer(cudaErrorInvalidValue);
  }
  if (kind == cudaMemcpyHostToDevice && !is_pinned(from, bytes)) {
    // Ordinary memory may have been read when this returns; that a copy back lands so early is no
    // more than a habit of drivers.
    const auto* const first = static_cast<const char*>(from);
    enqueue(stream, [to, staged = std::vector<char>(first, first + bytes)] {
      std::memcpy(to, staged.data(), staged.size());
    });
    return cudaSuccess;
  }
  return copy(to, from, bytes, stream);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (device_of(to, bytes) != to_device || device_of(from, bytes) != from_device) {
    return answer(cudaErrorInvalidValue);
  }
  return copy(to, from, bytes, stream);
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (device_of(data, bytes) < 0) return answer(cudaErrorInvalidValue);
  enqueue(stream, [=] { std::memset(data, value, bytes); });
  return cudaSuccess;
}
