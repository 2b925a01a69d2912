// SPDX-License-Identifier: MIT
#include "device.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <mutex>
#include <utility>

#include "../core/log.h"
#include "../core/message.h"
#include "backend.h"
#include "backend_cuda.h"
#include "transfer.h"

namespace gaia {
namespace {

thread_local Device t_current;
thread_local Stream t_stream;
thread_local TransferPolicy t_policy = TransferPolicy::allow;
thread_local TransferStats t_stats;

}  // namespace

/// The CUDA devices of a machine, and those that were put in their place.
class CudaMachine {
 public:
  explicit CudaMachine(CudaDevices found) : found_(std::move(found)) { resize(found_.count); }

  int count() const { return static_cast<int>(slots_.size()); }

  /// Null if it cannot be used.
  Backend* find(int index) {
    if (index >= count()) return nullptr;
    Slot& slot = *slots_[static_cast<std::size_t>(index)];
    if (Backend* ready = slot.ready.load(std::memory_order_acquire)) return ready;
    const std::lock_guard lock(slot.mutex);
    if (slot.backend == nullptr && slot.why_not.empty() && index < found_.count) {
      try {
        slot.backend = found_.make(index);
      } catch (const Error& unusable) {
        slot.why_not = unusable.what();
      }
      slot.ready.store(slot.backend.get(), std::memory_order_release);
    }
    return slot.backend.get();
  }

  bool has_any() {
    for (int index = 0; index < count(); ++index) {
      if (find(index) != nullptr) return true;
    }
    return false;
  }

  /// Why `index` cannot be used, if it was asked for in vain.
  std::string why_not(int index) const {
    if (index >= count()) return {};
    const std::string& why = slots_[static_cast<std::size_t>(index)]->why_not;
    return why.empty() || count() == 1 ? why : message("{}: {}", Device::cuda(index), why);
  }

  /// Why none can be used, where that is so.
  std::string why_none() const {
    std::string all;
    for (int index = 0; index < count(); ++index) {
      const std::string why = why_not(index);
      if (!why.empty()) all += (all.empty() ? "" : "; ") + why;
    }
    return all.empty() ? found_.why_none : all;
  }

  std::unique_ptr<Backend> put(int index, std::unique_ptr<Backend> backend) {
    if (index >= count()) resize(index + 1);
    Slot& slot = *slots_[static_cast<std::size_t>(index)];
    slot.ready = backend.get();
    slot.why_not.clear();
    std::unique_ptr<Backend> before = std::exchange(slot.backend, std::move(backend));
    while (count() > found_.count && slots_.back()->backend == nullptr) slots_.pop_back();
    return before;
  }

 private:
  /// A device.  Its backend is created when it is asked for, since that takes a context, which is
  /// some hundred megabytes of its memory and tenths of a second.
  struct Slot {
    std::mutex mutex;
    std::atomic<Backend*> ready{nullptr};  ///< What every operation reads, without the mutex.
    std::unique_ptr<Backend> backend;
    std::string why_not;  ///< If making it was tried in vain; it is not tried again.
  };

  void resize(int count) {
    while (this->count() < count) slots_.push_back(std::make_unique<Slot>());
  }

  CudaDevices found_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

namespace {

// Neither is ever destroyed: arrays in static variables may outlive any order of destruction.
std::unique_ptr<Backend>& cpu_backend() {
  static auto& instance = *new std::unique_ptr<Backend>(make_cpu_backend());
  return instance;
}

/// Looked for when a CUDA device is first asked about: a program that stays on the CPU does not
/// even open the driver.
CudaMachine*& machine() {
  static CudaMachine* instance = new CudaMachine(find_cuda_devices());
  return instance;
}

Backend* find_backend(Device device) {
  return device.is_cpu() ? cpu_backend().get() : machine()->find(device.index());
}

}  // namespace

Device Device::automatic() {
  for (int index = 0; index < machine()->count(); ++index) {
    if (machine()->find(index) != nullptr) return cuda(index);
  }
  log_once(LogLevel::info, "device auto", "device auto: CPU (" + why_no_cuda() + ")");
  return cpu();
}

Device Device::from_name(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "auto") return automatic();
  if (lower == "cpu" || lower == "numpy") return cpu();
  const std::size_t colon = lower.find(':');
  const std::string kind = lower.substr(0, colon);
  if (kind == "cuda" || kind == "gpu" || kind == "cupy") {
    if (colon == std::string::npos) return cuda(0);
    int index = 0;
    const char* begin = lower.data() + colon + 1;
    const char* end = lower.data() + lower.size();
    const auto [stop, error] = std::from_chars(begin, end, index);
    if (error == std::errc() && stop == end && index >= 0) return cuda(index);
  }
  fail<ArgumentError>(
      "[device] unknown device '{}'; known: cpu, cuda, cuda:N, auto (and gpu, cupy for cuda, numpy "
      "for cpu)",
      name);
}

std::string to_string(Device device) {
  return device.is_cpu() ? "cpu" : "cuda:" + std::to_string(device.index());
}

Device current_device() { return t_current; }

void set_device(Device device) {
  backend(device);  // throws if it cannot be used
  t_current = device;
}

void set_device(std::string_view name) { set_device(Device::from_name(name)); }

bool is_available(Device device) { return find_backend(device) != nullptr; }

std::vector<Device> available_devices() {
  std::vector<Device> devices = {Device::cpu()};
  for (int index = 0; index < machine()->count(); ++index) {
    if (machine()->find(index) != nullptr) devices.push_back(Device::cuda(index));
  }
  return devices;
}

int cuda_device_count() { return machine()->count(); }

Stream current_stream() { return t_stream; }

GPUContext::GPUContext(Device device) : GPUContext(device, t_stream) {}
GPUContext::GPUContext(std::string_view name) : GPUContext(Device::from_name(name)) {}
GPUContext::GPUContext(Device device, Stream stream)
    : before_(t_current), stream_before_(t_stream), device_(device), stream_(stream) {
  if (stream.number < 0 || stream.number >= Stream::kMost) {
    fail<ArgumentError>("[device] a stream has a number from 0 to {}, got {}", Stream::kMost - 1,
                        stream.number);
  }
  set_device(device);
  t_stream = stream;
}
GPUContext::GPUContext(std::string_view name, Stream stream)
    : GPUContext(Device::from_name(name), stream) {}
GPUContext::~GPUContext() {
  t_current = before_;
  t_stream = stream_before_;
}

void synchronize() { backend(current_device()).synchronize(); }

DeviceInfo device_info(Device device) {
  DeviceInfo info = backend(device).info();
  info.device = device;
  return info;
}

std::string why_no_cuda() { return machine()->has_any() ? std::string() : machine()->why_none(); }

MemoryStats memory_stats(Device device) { return backend(device).memory_stats(); }
void reset_peak_memory(Device device) { backend(device).reset_peak_memory(); }

void set_memory_limit(std::int64_t bytes, Device device) {
  if (bytes < 0) {
    fail<ArgumentError>("[set_memory_limit] expected a number of bytes, or 0 for no limit; got {}",
                        bytes);
  }
  backend(device).set_memory_limit(bytes);
}

void trim_memory(Device device) { backend(device).trim_memory(); }

void set_transfer_policy(TransferPolicy policy) { t_policy = policy; }
TransferPolicy transfer_policy() { return t_policy; }
TransferStats transfer_stats() { return t_stats; }
void reset_transfer_stats() { t_stats = {}; }

void add_transfer_stats(const TransferStats& made) {
  t_stats.implicit_copies += made.implicit_copies;
  t_stats.explicit_copies += made.explicit_copies;
  t_stats.bytes += made.bytes;
}

void note_explicit_transfer(std::int64_t bytes) {
  ++t_stats.explicit_copies;
  t_stats.bytes += bytes;
}

void note_implicit_transfer(Device from, Device to, std::int64_t bytes, const char* function) {
  const std::string what =
      message("[{}] an operand of {} bytes lives on {}, the operation runs on {}", function, bytes,
              from, to);
  if (t_policy == TransferPolicy::forbid) {
    throw DeviceError(what + ", and set_transfer_policy forbids the copy; move it with to_gpu, " +
                      "to_cpu or Array::to, or compute in a GPUContext of its device");
  }
  if (t_policy == TransferPolicy::warn_once) log_once(LogLevel::warning, "implicit transfer", what);
  ++t_stats.implicit_copies;
  t_stats.bytes += bytes;
}

Backend& backend(Device device) {
  if (Backend* found = find_backend(device)) return *found;
  const std::string wanted = message("[device] '{}' cannot be used: ", device);
  CudaMachine& all = *machine();
  if (!all.has_any()) fail<DeviceError>("{}{}; use device 'cpu' or 'auto'", wanted, all.why_none());
  const std::string why_not = all.why_not(device.index());
  fail<DeviceError>("{}this machine has {} CUDA device(s), numbered from 0{}", wanted, all.count(),
                    why_not.empty() ? "" : "; " + why_not);
}

std::unique_ptr<Backend> replace_backend(Device device, std::unique_ptr<Backend> replacement) {
  if (!device.is_cpu()) return machine()->put(device.index(), std::move(replacement));
  if (!replacement) throw ArgumentError("[replace_backend] the CPU cannot be taken away");
  return std::exchange(cpu_backend(), std::move(replacement));
}

OtherCudaDevices::OtherCudaDevices(CudaDevices devices)
    : mine_(std::make_unique<CudaMachine>(std::move(devices))),
      before_(std::exchange(machine(), mine_.get())) {}

OtherCudaDevices::~OtherCudaDevices() { machine() = before_; }

}  // namespace gaia
