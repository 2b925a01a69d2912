// SPDX-License-Identifier: MIT
/// \file
/// Devices by the names of the GPU guides: which one a thread computes on, and how long things take
/// there.
#include "../../src/array/device.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <vector>

#include "../../src/array/benchmark.h"
#include "../../src/array/device_usage.h"
#include "../../src/array/guide_names.h"
#include "../../src/array/runtime_config.h"
#include "../../src/core/random.h"
#include "bindings.h"
#include "exchange.h"
#include "values.h"

namespace gaia::python {
namespace {

using nb::arg;

/// `with GPUContext("cuda"):`
class ContextScope {
 public:
  explicit ContextScope(std::string name) : name_(std::move(name)) {}
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

  void enter() { scopes_.push_back(std::make_unique<GPUContext>(name_)); }
  void exit() { scopes_.pop_back(); }

 private:
  std::string name_;
  std::vector<std::unique_ptr<GPUContext>> scopes_;
};

Device device_or_current(const std::optional<std::string>& name) {
  return name ? Device::from_name(*name) : current_device();
}

/// None stands for what is not known.
nb::dict usage(const DeviceUsage& usage) {
  nb::dict made;
  made["busy"] = usage.busy;
  made["memory_busy"] = usage.memory_busy;
  made["temperature"] = usage.temperature;
  made["clock"] = usage.clock;
  made["memory_clock"] = usage.memory_clock;
  made["power"] = usage.power;
  made["power_limit"] = usage.power_limit;
  made["why_not"] = usage.why_not;
  return made;
}

nb::dict information(const std::optional<std::string>& name) {
  const DeviceInfo info = device_info(device_or_current(name));
  nb::dict made;
  made["device"] = gaia::to_string(info.device);
  made["name"] = info.name;
  made["description"] = info.description;
  made["total_memory"] = info.total_memory;
  made["free_memory"] = info.free_memory;
  made["version"] = info.version;
  made["usage"] = usage(device_usage(info.device));
  return made;
}

nb::dict guide_information() {
  const GuideDeviceInfo info = get_device_info();
  nb::dict made;
  made["cuda_available"] = info.cuda_available;
  made["preferred_device"] = info.preferred_device;
  made["cuda_version"] = info.cuda_version;
  made["device_count"] = info.device_count;
  made["device_name"] = info.device_name;
  made["device_memory"] = info.device_memory;
  return made;
}

nb::dict memory(const std::optional<std::string>& name) {
  const MemoryStats stats = memory_stats(device_or_current(name));
  nb::dict made;
  made["used"] = stats.used;
  made["peak"] = stats.peak;
  made["reserved"] = stats.reserved;
  made["arrays"] = stats.arrays;
  made["limit"] = stats.limit;
  made["free"] = stats.free;
  made["total"] = stats.total;
  made["allocations"] = stats.allocations;
  made["hits"] = stats.hits;
  return made;
}

/// Sets what of a RuntimeConfig is given, under its names.
void set_runtime(std::optional<std::int64_t> threads, std::optional<std::string> device,
                 std::optional<std::int64_t> memory_limit,
                 std::optional<std::string> transfer_policy,
                 std::optional<std::int64_t> offload_threshold, std::optional<std::int64_t> retries,
                 std::optional<std::string> telemetry, std::optional<std::string> metrics,
                 std::optional<double> seconds) {
  RuntimeConfig config{.threads = threads,
                       .device = device.value_or(""),
                       .memory_limit = memory_limit,
                       .offload_threshold = offload_threshold,
                       .retries = retries};
  if (transfer_policy) config.transfer_policy = transfer_policy_from_name(*transfer_policy);
  if (telemetry || metrics || seconds) {
    config.telemetry = runtime_config().telemetry;
    if (telemetry) config.telemetry->file = *telemetry;
    if (metrics) config.telemetry->metrics = *metrics;
    if (seconds) config.telemetry->seconds = seconds;
  }
  apply(config);
}

nb::dict runtime_now() {
  const RuntimeConfig config = runtime_config();
  const TelemetryConfig telemetry = config.telemetry.value_or(TelemetryConfig{});
  nb::dict made;
  made["threads"] = config.threads;
  made["device"] = config.device;
  made["memory_limit"] = config.memory_limit;
  made["transfer_policy"] = gaia::to_string(config.transfer_policy.value_or(TransferPolicy::allow));
  made["offload_threshold"] = config.offload_threshold;
  made["retries"] = config.retries;
  made["telemetry"] = telemetry.file;
  made["metrics"] = telemetry.metrics;
  made["telemetry_seconds"] = telemetry.seconds;
  return made;
}

}  // namespace

void bind_devices(nb::module_& module) {
  module.def(
      "set_device", [](const std::string& name) { set_device(name); }, arg("name"),
      "Makes \"cpu\", \"cuda\", \"cuda:1\" or \"auto\" current for this thread.\n\n"
      "Raises DeviceError, with the reason and the remedy, if it cannot be used.");
  module.def("get_device", &get_device, "\"cpu\" or \"cuda\".");
  module.def(
      "current_device", [] { return gaia::to_string(current_device()); }, "\"cpu\" or \"cuda:0\".");
  module.def(
      "available_devices",
      [] {
        std::vector<std::string> names;
        for (const Device device : available_devices()) names.push_back(gaia::to_string(device));
        return names;
      },
      "The devices of this machine that can be used: [\"cpu\", \"cuda:0\"].");
  module.def(
      "is_available", [](const std::string& name) { return is_available(Device::from_name(name)); },
      arg("name"), "Whether a device can be used.");
  module.def("why_no_cuda", &why_no_cuda,
             "Why CUDA cannot be used, and what to do about it; \"\" where it can.");
  module.def(
      "set_backend", [](const std::string& name) { set_backend(name); }, arg("name"),
      "The same as set_device, by the name of the guides.");
  module.def("get_backend_name", &get_backend_name, "\"cpu\" or \"cuda\".");
  module.def("synchronize", &synchronize, nb::call_guard<nb::gil_scoped_release>(),
             "Waits until the current device has done all that it was given.");
  module.def("device_info", &information, arg("device") = nb::none(),
             "What is known of a device, by default the current one: device, name, description, "
             "total_memory, free_memory (bytes), version, and what device_usage says as usage.");
  module.def(
      "device_usage",
      [](const std::optional<std::string>& name) {
        return usage(device_usage(device_or_current(name)));
      },
      arg("device") = nb::none(),
      "What a device is doing at this moment, as its driver (NVML) measures it: busy and "
      "memory_busy (shares of the last sample period, 0 to 1), temperature (degrees Celsius), "
      "clock and memory_clock (Hz), power and power_limit (watts).  None stands for what is not "
      "known, and why_not says why.\n\nRaises DeviceError if the device cannot be used.");
  module.def("get_device_info", &guide_information,
             "The same as the guides have it: cuda_available, preferred_device, cuda_version, "
             "device_count, device_name, device_memory.");
  module.def("memory_stats", &memory, arg("device") = nb::none(),
             "What gaia holds of a device's memory, in bytes: used, peak, reserved, limit, free, "
             "total; how many arrays; and since the program began the allocations, and those of "
             "them that memory in reserve has served (hits).");
  module.def(
      "set_runtime", &set_runtime, nb::kw_only(), arg("threads") = nb::none(),
      arg("device") = nb::none(), arg("memory_limit") = nb::none(),
      arg("transfer_policy") = nb::none(), arg("offload_threshold") = nb::none(),
      arg("retries") = nb::none(), arg("telemetry") = nb::none(), arg("metrics") = nb::none(),
      arg("telemetry_seconds") = nb::none(),
      "Sets how this process computes; what is None stays as it is.\n\n"
      "threads             number of threads that compute, 1 to 1024\n"
      "device              device of this thread\n"
      "memory_limit        bytes of arrays on that device; 0: any\n"
      "transfer_policy     policy of this thread where an operand lies on another device: "
      "\"allow\", \"warn_once\" or \"forbid\"\n"
      "offload_threshold   bytes that work has to need for device \"auto\" to try a GPU\n"
      "retries             number of times that a member of a sweep or a search is tried again "
      "that died by a signal or for want of memory\n"
      "telemetry, metrics  files in which runs tell how far they are, as `runtime` of an "
      "experiment has them; \"\" is none\n"
      "telemetry_seconds   seconds from one line to the next, at least\n\n"
      "Raises ArgumentError for a value that cannot be, DeviceError for a device that cannot be "
      "used; then nothing has changed.");
  module.def("runtime_settings", &runtime_now,
             "What `set_runtime` sets, as it is now: a dict whose keys are its arguments.");
  module.def(
      "trim_memory",
      [](const std::optional<std::string>& name) { trim_memory(device_or_current(name)); },
      arg("device") = nb::none(), "Gives memory that no array uses back to the device.");
  module.def("set_seed", &set_seed, arg("seed"),
             "Begins anew with the random numbers for which no seed is said: weights of networks, "
             "random arrays.");
  module.def("to_cpu", taking<const Array&>(GAIA_FUNCTION(to_cpu)), arg("x"), "x on the CPU.");
  module.def("to_gpu", taking<const Array&>(GAIA_FUNCTION(to_gpu)), arg("x"),
             "x on the first CUDA device.\n\nRaises DeviceError if there is none.");
  module.def("to_backend", taking<const Array&>(GAIA_FUNCTION(to_backend)), arg("x"),
             "x on the current device.");
  module.def(
      "to_numpy", [](const Array& x) { return gaia::python::to_numpy(x); }, arg("x"),
      "x as a NumPy array, which shares its elements on the CPU.");

  nb::class_<ContextScope>(
      module, "GPUContext",
      "Within `with GPUContext(\"cuda\"):` this thread computes on that device, and afterwards "
      "where it did before.\n\nRaises DeviceError if the device cannot be used.")
      .def(nb::init<std::string>(), arg("device") = "auto")
      .def(
          "__enter__",
          [](ContextScope& scope) -> ContextScope& {
            scope.enter();
            return scope;
          },
          nb::rv_policy::reference)
      .def("__exit__", [](ContextScope& scope, const nb::args&) { scope.exit(); });

  nb::class_<BenchmarkResult>(module, "BenchmarkResult",
                              "Times of single calls, in seconds: times, mean_time, std_time, "
                              "min_time, max_time, total_time, median_time.")
      .def_prop_ro(
          "device", [](const BenchmarkResult& result) { return gaia::to_string(result.device); },
          "Device that they were measured on.")
      .def_ro("times", &BenchmarkResult::times, "Times of every call.")
      .def_ro("mean_time", &BenchmarkResult::mean_time, "Their mean.")
      .def_ro("std_time", &BenchmarkResult::std_time, "Their standard deviation.")
      .def_ro("min_time", &BenchmarkResult::min_time, "The shortest.")
      .def_ro("max_time", &BenchmarkResult::max_time, "The longest.")
      .def_ro("total_time", &BenchmarkResult::total_time, "Their sum.")
      .def_ro("median_time", &BenchmarkResult::median_time, "Their median.")
      .def("__getitem__",
           [](nb::handle self, const std::string& field) { return self.attr(field.c_str()); });
  module.def(
      "benchmark_device",
      [](nb::object function, std::int64_t warmup, std::int64_t repeats, double max_seconds) {
        return benchmark_device([&] { function(); },
                                {.warmup = warmup, .repeats = repeats, .max_seconds = max_seconds});
      },
      arg("function"), arg("warmup") = 10, arg("repeats") = 100, arg("max_seconds") = 0.0,
      "Measures how long calls of a function without arguments take on the current device, each "
      "until its result is there.\n\n"
      "warmup        calls before the clock starts\n"
      "repeats       calls that are timed\n"
      "max_seconds   seconds after which no further call begins; 0: all are made\n\n"
      "Returns a BenchmarkResult.");
}

}  // namespace gaia::python
