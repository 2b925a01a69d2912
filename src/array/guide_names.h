// SPDX-License-Identifier: MIT
/// \file
/// What the GPU guides of gaia's predecessors, Cortex and GAIA 4, call what has another name here,
/// for programs that are carried over.  Devices are those of the calling thread, not of the
/// process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "array.h"
#include "device.h"

namespace gaia {

/// "cpu" or "cuda": the kind of the current device, as GAIA 4 calls it.  current_device() says
/// which GPU it is.
std::string get_device();

/// set_device by the names of Cortex: "numpy" or "cpu", "cupy" or "gpu".
/// \throws ArgumentError for another name that is none of a device, DeviceError as set_device.
void set_backend(std::string_view name);

/// The same as get_device: "cpu" for what Cortex calls numpy, "cuda" for cupy.
std::string get_backend_name();

/// A copy on the CPU, or x itself if it is there: to_cpu.  x.to_vector<T>() gives the numbers.
inline Array to_numpy(const Array& x) { return to_cpu(x); }

/// A copy on the current device, or x itself if it is there.
inline Array to_backend(const Array& x) { return x.to(current_device()); }

/// The fields of GAIA 4's get_device_info; device_info() knows more.
struct GuideDeviceInfo {
  bool cuda_available = false;
  std::string preferred_device;   ///< "cuda" where there is one, else "cpu".
  std::string cuda_version;       ///< Versions of driver and runtime; empty without CUDA.
  std::int64_t device_count = 0;  ///< CUDA devices.
  std::string device_name;        ///< Maker's name of the preferred device.
  std::string device_memory;      ///< Memory of the preferred device: "25.4 GB", powers of 1000.
};

GuideDeviceInfo get_device_info();

}  // namespace gaia
