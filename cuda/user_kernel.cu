// SPDX-License-Identifier: MIT
/// \file
/// Kernels that a program brings as text.
#include "backend.h"
#include "run_time_compiler.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

class CudaBackend::UserKernel final : public DeviceKernel {
 public:
  UserKernel(CudaBackend& backend, const LaunchableKernel& kernel)
      : backend_(backend), kernel_(kernel) {}

  std::optional<std::vector<std::size_t>> parameter_bytes() const override {
    return kernel_.parameter_bytes();
  }

  void launch(const KernelLaunch& shape, std::span<const View> arrays, void** arguments) override {
    const Call call = backend_.begin({});
    for (const View& view : arrays) {
      if (has_many_streams(backend_.device_)) backend_.memory_.use(view.data, call);
    }
    const auto extent = [](const KernelExtent& of) {
      return dim3(static_cast<unsigned>(of.x), static_cast<unsigned>(of.y),
                  static_cast<unsigned>(of.z));
    };
    kernel_.launch(
        {extent(shape.grid), extent(shape.block), static_cast<std::size_t>(shape.shared_bytes)},
        call, arguments);
  }

 private:
  CudaBackend& backend_;
  LaunchableKernel kernel_;
};

std::unique_ptr<DeviceKernel> CudaBackend::compile_kernel(const KernelSource& source) {
  const DeviceScope scope(device_);
  return std::make_unique<UserKernel>(*this,
                                      compiled_kernels(source)->kernel(source.kernels.at(0)));
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
