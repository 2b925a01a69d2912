// SPDX-License-Identifier: MIT
#include "device.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "../core/error.h"
#include "../core/log.h"
#include "backend.h"
#include "backend_cuda.h"
#include "transfer.h"

namespace gaia {
namespace {

thread_local Device t_current;
thread_local Stream t_stream;
thread_local TransferPolicy t_policy = TransferPolicy::allow;
thread_local TransferStats t_stats;

struct Registry {
  std::unique_ptr<Backend> cpu = make_cpu_backend();
  std::vector<std::unique_ptr<Backend>> cuda;
  std::string why_no_cuda;    // where there is none
  std::string why_not_these;  // of those that are null

  Registry() { put(make_cuda_backends()); }

  void put(CudaBackends found) {
    why_no_cuda.clear();
    why_not_these.clear();
    (found.devices.empty() ? why_no_cuda : why_not_these) = std::move(found.why_none);
    cuda = std::move(found.devices);
  }

  bool has_cuda() const {
    return std::any_of(cuda.begin(), cuda.end(), [](const auto& one) { return one != nullptr; });
  }

  std::unique_ptr<Backend>* find(Device device) {
    if (device.is_cpu()) return &cpu;
    const auto index = static_cast<std::size_t>(device.index());
    return index < cuda.size() && cuda[index] ? &cuda[index] : nullptr;
  }
};

// Never destroyed: arrays in static variables may outlive any order of destruction.
Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

}  // namespace

Device Device::automatic() {
  Registry& all = registry();
  for (std::size_t i = 0; i < all.cuda.size(); ++i) {
    if (all.cuda[i]) return cuda(static_cast<int>(i));
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
  throw ArgumentError("[device] unknown device '" + std::string(name) +
                      "'; known: cpu, cuda, cuda:N, auto (and gpu, cupy for cuda, numpy for cpu)");
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

bool is_available(Device device) { return registry().find(device) != nullptr; }

std::vector<Device> available_devices() {
  std::vector<Device> devices = {Device::cpu()};
  for (std::size_t i = 0; i < registry().cuda.size(); ++i) {
    const Device device = Device::cuda(static_cast<int>(i));
    if (is_available(device)) devices.push_back(device);
  }
  return devices;
}

Stream current_stream() { return t_stream; }

GPUContext::GPUContext(Device device) : GPUContext(device, t_stream) {}
GPUContext::GPUContext(std::string_view name) : GPUContext(Device::from_name(name)) {}
GPUContext::GPUContext(Device device, Stream stream)
    : before_(t_current), stream_before_(t_stream), device_(device), stream_(stream) {
  if (stream.number < 0 || stream.number >= Stream::kMost) {
    throw ArgumentError("[device] a stream has a number from 0 to " +
                        std::to_string(Stream::kMost - 1) + ", got " +
                        std::to_string(stream.number));
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

std::string why_no_cuda() {
  const Registry& all = registry();
  if (all.has_cuda()) return {};
  return all.why_not_these.empty() ? all.why_no_cuda : all.why_not_these;
}

MemoryStats memory_stats(Device device) { return backend(device).memory_stats(); }
void reset_peak_memory(Device device) { backend(device).reset_peak_memory(); }

void set_memory_limit(std::int64_t bytes, Device device) {
  if (bytes < 0) {
    throw ArgumentError("[set_memory_limit] expected a number of bytes, or 0 for no limit; got " +
                        std::to_string(bytes));
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
  const std::string what = "[" + std::string(function) + "] an operand of " +
                           std::to_string(bytes) + " bytes lives on " + to_string(from) +
                           ", the operation runs on " + to_string(to);
  if (t_policy == TransferPolicy::forbid) {
    throw DeviceError(what + ", and set_transfer_policy forbids the copy; move it with to_gpu, " +
                      "to_cpu or Array::to, or compute in a GPUContext of its device");
  }
  if (t_policy == TransferPolicy::warn_once) log_once(LogLevel::warning, "implicit transfer", what);
  ++t_stats.implicit_copies;
  t_stats.bytes += bytes;
}

Backend& backend(Device device) {
  Registry& all = registry();
  if (std::unique_ptr<Backend>* found = all.find(device)) return **found;
  const std::string wanted = "[device] '" + to_string(device) + "' cannot be used: ";
  if (!all.has_cuda()) throw DeviceError(wanted + why_no_cuda() + "; use device 'cpu' or 'auto'");
  throw DeviceError(wanted + "this machine has " + std::to_string(all.cuda.size()) +
                    " CUDA device(s), numbered from 0" +
                    (all.why_not_these.empty() ? "" : "; " + all.why_not_these));
}

std::unique_ptr<Backend> replace_backend(Device device, std::unique_ptr<Backend> replacement) {
  Registry& all = registry();
  if (device.is_cpu()) {
    if (!replacement) throw ArgumentError("[replace_backend] the CPU cannot be taken away");
    return std::exchange(all.cpu, std::move(replacement));
  }
  const auto index = static_cast<std::size_t>(device.index());
  if (all.cuda.size() <= index) all.cuda.resize(index + 1);
  std::unique_ptr<Backend> before = std::exchange(all.cuda[index], std::move(replacement));
  while (!all.cuda.empty() && !all.cuda.back()) all.cuda.pop_back();
  return before;
}

CudaBackends replace_cuda_backends(CudaBackends replacements) {
  Registry& all = registry();
  CudaBackends before{std::move(all.cuda),
                      all.why_not_these.empty() ? all.why_no_cuda : all.why_not_these};
  all.put(std::move(replacements));
  return before;
}

}  // namespace gaia
