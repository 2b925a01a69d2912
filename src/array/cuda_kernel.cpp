// SPDX-License-Identifier: MIT
#include "cuda_kernel.h"

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "../core/message.h"
#include "backend.h"

namespace gaia {
namespace {

constexpr std::int64_t kMostThreadsOfBlock = 1024;
constexpr KernelExtent kMostBlocksOfGrid = {2147483647, 65535, 65535};
constexpr KernelExtent kMostInBlock = {1024, 1024, 64};

void check_extent(const KernelExtent& extent, const KernelExtent& most, const std::string& name,
                  const char* what) {
  for (const auto& [axis, length, limit] :
       {std::tuple{"x", extent.x, most.x}, {"y", extent.y, most.y}, {"z", extent.z, most.z}}) {
    require(length >= 1 && length <= limit, "[{}] {} along {}: expected 1 to {}, got {}", name,
            what, axis, limit, length);
  }
}

void check_launch(const KernelLaunch& shape, const std::string& name) {
  check_extent(shape.grid, kMostBlocksOfGrid, name, "blocks of the grid");
  check_extent(shape.block, kMostInBlock, name, "threads of a block");
  const std::int64_t threads = shape.block.x * shape.block.y * shape.block.z;
  require(threads <= kMostThreadsOfBlock, "[{}] threads of a block: expected at most {}, got {}",
          name, kMostThreadsOfBlock, threads);
  require(shape.shared_bytes >= 0, "[{}] shared memory: expected 0 bytes or more, got {}", name,
          shape.shared_bytes);
}

/// Whether elements of a dtype are what a pointer points to.
bool fits(DType dtype, const KernelParameter& parameter) {
  using Kind = KernelParameter::Kind;
  const Kind kind = dtype == DType::boolean ? Kind::boolean
                    : is_integer(dtype)     ? Kind::integer
                                            : Kind::floating;
  if (parameter.kind == Kind::unknown) return true;
  if (parameter.kind == Kind::integer && parameter.bytes == 1) return dtype == DType::boolean;
  // The bits of bfloat16, where the text has no type of its own for them.
  if (parameter.kind == Kind::integer && parameter.bytes == 2) return dtype == DType::bfloat16;
  return kind == parameter.kind && std::cmp_equal(size_of(dtype), parameter.bytes);
}

/// The device for which a kernel is compiled when it is created.
Device cuda_device() {
  const Device device = current_device();
  return device.is_cpu() ? Device::cuda(0) : device;
}

}  // namespace

KernelArgument::KernelArgument(const Array& array) : kind_(Kind::array), array_(array) {
  void* const data = array.size() == 0 ? nullptr : array.view().data;
  keep(&data, sizeof data);
}

void KernelArgument::keep(const void* value, std::size_t bytes) {
  static_assert(sizeof(long double) <= sizeof value_);
  bytes_ = bytes;
  std::memcpy(value_, value, bytes);
}

struct CudaKernel::State {
  KernelSource source;
  std::vector<KernelParameter> parameters;
  std::mutex mutex = {};
  /// By device, with the Backend for which it was built: tests replace these.
  std::map<int, std::pair<Backend*, std::unique_ptr<DeviceKernel>>> kernels = {};
};

CudaKernel::CudaKernel(std::string source, std::string name, std::vector<std::string> options)
    : state_(std::make_shared<State>()) {
  require(!name.empty(), "[CudaKernel] expected the name of a kernel, got an empty one");
  state_->parameters = kernel_parameters(source, name);
  state_->source = {.name = "kernel.cu",
                    .source = std::move(source),
                    .headers = {},
                    .options = std::move(options),
                    .kernels = {std::move(name)}};
  on(cuda_device());
}

const std::string& CudaKernel::name() const { return state_->source.kernels[0]; }
const std::string& CudaKernel::source() const { return state_->source.source; }
const std::vector<KernelParameter>& CudaKernel::parameters() const { return state_->parameters; }

DeviceKernel& CudaKernel::on(Device device) const {
  Backend& there = backend(device);
  const std::lock_guard lock(state_->mutex);
  auto& [made_for, kernel] = state_->kernels[device.index()];
  if (made_for != &there) {
    kernel = there.compile_kernel(state_->source);
    made_for = &there;
  }
  return *kernel;
}

void CudaKernel::check(const KernelLaunch& shape, std::span<const KernelArgument> arguments,
                       const DeviceKernel& kernel) const {
  check_launch(shape, name());
  const std::vector<KernelParameter>& declared = parameters();
  const std::optional<std::vector<std::size_t>> bytes = kernel.parameter_bytes();
  const std::size_t count = bytes              ? bytes->size()
                            : declared.empty() ? arguments.size()
                                               : declared.size();
  require(arguments.size() == count, "[{}] expected {} arguments, got {}", name(), count,
          arguments.size());
  for (std::size_t i = 0; i < count; ++i) {
    const KernelArgument& argument = arguments[i];
    const bool is_array = argument.kind_ == KernelArgument::Kind::array;
    if (declared.size() == count) {
      const KernelParameter& parameter = declared[i];
      require(is_array == parameter.is_pointer || parameter.kind == KernelParameter::Kind::unknown,
              "[{}] argument {}: expected {} for '{}', got {}", name(), i,
              parameter.is_pointer ? "an array" : "a number", parameter.text,
              is_array ? "an array" : "a number");
      if (is_array && parameter.is_pointer && !fits(argument.array_.dtype(), parameter)) {
        fail<DTypeError>("[{}] argument {}: an array of {} does not fit '{}'; cast it by astype",
                         name(), i, argument.array_.dtype(), parameter.text);
      }
      // Kinds of numbers have the same order in both, behind `array` and `unknown`.
      const bool is_of_kind =
          parameter.kind == KernelParameter::Kind::unknown ||
          (static_cast<int>(parameter.kind) == static_cast<int>(argument.kind_) &&
           parameter.bytes == argument.bytes_);
      require(is_array || is_of_kind, "[{}] argument {}: a {} of {} bytes does not fit '{}'",
              name(), i,
              argument.kind_ == KernelArgument::Kind::floating ? "floating number" : "whole number",
              argument.bytes_, parameter.text);
    }
    require(!bytes || (*bytes)[i] == argument.bytes_,
            "[{}] argument {}: its parameter has {} bytes, got a value of {}", name(), i,
            bytes ? (*bytes)[i] : 0, argument.bytes_);
  }
}

void CudaKernel::launch(const KernelLaunch& shape,
                        std::span<const KernelArgument> arguments) const {
  std::optional<Device> device;
  std::vector<View> views;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind_ != KernelArgument::Kind::array) continue;
    const Array& array = arguments[i].array_;
    if (array.size() == 0) continue;
    if (!array.is_contiguous()) {
      fail<ShapeError>(
          "[{}] argument {}: expected a contiguous array, got strides {}; contiguous() "
          "makes one",
          name(), i, array.strides());
    }
    if (array.device().is_cpu() || (device && array.device() != *device)) {
      fail<DeviceError>(
          "[{}] argument {}: expected an array on {}, got one on {}; send it there by "
          "to()",
          name(), i, device ? to_string(*device) : "a CUDA device", array.device());
    }
    device = array.device();
    views.push_back(array.view());
  }
  const Device here = device ? *device : cuda_device();
  DeviceKernel& kernel = on(here);
  check(shape, arguments, kernel);
  std::vector<KernelArgument> values(arguments.begin(), arguments.end());
  std::vector<void*> pointers;
  for (KernelArgument& value : values) pointers.push_back(value.value_);
  const GPUContext scope(here, current_stream());
  kernel.launch(shape, views, pointers.data());
  const bool is_known = parameters().size() == arguments.size();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_read_only = is_known && parameters()[i].is_read_only;
    if (arguments[i].kind_ == KernelArgument::Kind::array && arguments[i].array_.size() > 0 &&
        !is_read_only) {
      arguments[i].array_.count_change();
    }
  }
}

}  // namespace gaia
