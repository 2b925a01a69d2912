// SPDX-License-Identifier: MIT
/// \file
/// Devices, and which one the calling thread computes on.
///
///     {
///       GPUContext scope("cuda");      // this thread computes on the GPU ...
///       Array y = matmul(a, b);
///     }                                // ... and here again where it did before
///
/// A GPU is prepared (a context, memory, streams) when it is first asked for; a program that
/// stays on the CPU does not even open the driver.
///
/// An operation runs on the calling thread's current device; operands that live elsewhere are
/// copied there and counted in `transfer_stats()`.  Every thread starts on the CPU, and threads
/// never see each other's scopes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gaia {

enum class DeviceKind : std::uint8_t { cpu, cuda };

/// A place that holds arrays and computes on them.
class Device {
 public:
  constexpr Device() = default;  ///< The CPU.
  static constexpr Device cpu() { return {}; }
  static constexpr Device cuda(int index = 0) { return {DeviceKind::cuda, index}; }

  /// The first GPU that works, else the CPU (and one line in the log that says why).  Where
  /// something is done soonest is another question, which fastest_device (placement.h) answers.
  static Device automatic();

  /// "cpu", "cuda", "cuda:1" or "auto"; "gpu" and "cupy" stand for "cuda", "numpy" for "cpu". Upper
  /// and lower case are the same.
  /// \throws ArgumentError for any other name.
  static Device from_name(std::string_view name);

  constexpr DeviceKind kind() const { return kind_; }
  constexpr int index() const { return index_; }
  constexpr bool is_cpu() const { return kind_ == DeviceKind::cpu; }

  friend constexpr bool operator==(const Device&, const Device&) = default;

 private:
  constexpr Device(DeviceKind kind, int index) : kind_(kind), index_(index) {}

  DeviceKind kind_ = DeviceKind::cpu;
  int index_ = 0;
};

/// "cpu", "cuda:0".
std::string to_string(Device device);

/// The device on which this thread's operations run.
Device current_device();

/// Makes `device` current for this thread until the next change.
/// \throws DeviceError naming the reason and the remedy if it cannot be used.
void set_device(Device device);
void set_device(std::string_view name);

/// Whether `device` can be used here and now.  To know that of a GPU, it is prepared for use: a
/// context on it, as with any first use.
bool is_available(Device device);

/// Every device that can be used, the CPU first.  All GPUs are prepared for use.
std::vector<Device> available_devices();

/// How many CUDA devices this machine shows, those that cannot be used among them.  Nothing is
/// created on any.
int cuda_device_count();

/// One of a thread's queues of work on each GPU.  What one stream is given happens in that order;
/// streams run side by side, but for this: anyone who uses an array waits for what was given to the
/// stream that used it last.  So results are those of a single stream.  The CPU has no streams.
struct Stream {
  static constexpr int kMost = 64;

  int number = 0;  ///< 0, the ordinary one, to kMost - 1.

  friend constexpr bool operator==(const Stream&, const Stream&) = default;
};

/// The stream to which this thread's operations are given.
Stream current_stream();

/// Makes a device, and if it is named a stream, current for a scope, and on any exit from it
/// (return, exception) restores what was current before.  Scopes nest, last in first out, on one
/// thread.
class GPUContext {
 public:
  /// \throws DeviceError if the device cannot be used; the current device is then unchanged.
  explicit GPUContext(Device device);
  explicit GPUContext(std::string_view name = "auto");
  /// \throws ArgumentError too, for a stream that is none.
  GPUContext(Device device, Stream stream);
  GPUContext(std::string_view name, Stream stream);
  ~GPUContext();

  GPUContext(const GPUContext&) = delete;
  GPUContext& operator=(const GPUContext&) = delete;

  Device device() const { return device_; }
  Stream stream() const { return stream_; }

 private:
  Device before_;
  Stream stream_before_;
  Device device_;
  Stream stream_;
};

/// Waits until everything this thread has started on its current device, on any stream, is done.
void synchronize();

/// What is known of a device.
struct DeviceInfo {
  Device device;
  std::string name;         ///< Name that its maker gives it.
  std::string description;  ///< Cores, instruction set, compute capability: what there is to say.
  std::int64_t total_memory = 0;  ///< Bytes.
  std::int64_t free_memory = 0;   ///< Bytes, at this moment.
  std::string version;            ///< Versions of driver and runtime; empty for the CPU.
};

/// \throws DeviceError if the device cannot be used.
DeviceInfo device_info(Device device = current_device());

/// Why there is no CUDA device; empty if there is one.
std::string why_no_cuda();

/// Memory that arrays hold on a device, in bytes.
struct MemoryStats {
  std::int64_t used = 0;         ///< By live arrays.
  std::int64_t peak = 0;         ///< Largest `used` since the program began or `reset_peak_memory`.
  std::int64_t reserved = 0;     ///< Taken from the system, for arrays or for later ones.
  std::int64_t arrays = 0;       ///< Live allocations.
  std::int64_t limit = 0;        ///< Largest `used` that set_memory_limit allows; 0: any.
  std::int64_t free = 0;         ///< Free bytes of the whole device, at this moment.
  std::int64_t total = 0;        ///< Bytes of the whole device.
  std::int64_t allocations = 0;  ///< Since the program began.
  std::int64_t hits = 0;         ///< Allocations that memory in reserve has served.
};

MemoryStats memory_stats(Device device = current_device());
void reset_peak_memory(Device device = current_device());

/// Lets this process's arrays hold at most `bytes` bytes on `device`; 0 takes the limit away.  What
/// would pass it throws OutOfMemory, after memory in reserve was given back and it was tried again.
/// Arrays that are there already stay.
/// \throws ArgumentError for a negative number, DeviceError if the device cannot be used.
void set_memory_limit(std::int64_t bytes, Device device = current_device());

/// Gives memory that no array holds back to the system.
void trim_memory(Device device = current_device());

/// What happens when an operation finds an operand on another device.
enum class TransferPolicy : std::uint8_t {
  allow,      ///< Copy it.  The default.
  warn_once,  ///< Copy it; the first copy of the process is logged.
  forbid,  ///< \throws DeviceError.  Explicit copies (`to_cpu`, `to_gpu`, `Array::to`) still work.
};

/// Policy of this thread.
void set_transfer_policy(TransferPolicy policy);
TransferPolicy transfer_policy();

/// Copies between devices that this thread has made, for its operations or on request.
struct TransferStats {
  std::int64_t implicit_copies = 0;  ///< Made because an operand lived elsewhere.
  std::int64_t explicit_copies = 0;  ///< Asked for.
  std::int64_t bytes = 0;            ///< Bytes of both kinds of copies together.
};

TransferStats transfer_stats();
void reset_transfer_stats();

}  // namespace gaia
