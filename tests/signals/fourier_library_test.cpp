// SPDX-License-Identifier: MIT
/// \file
/// Transforms of a CUDA device by cuFFT, for which fake_cufft.cpp stands in, on the emulated GPU.
/// A program of its own, since a process looks for the library once.
#include <dlfcn.h>

#include <random>

#include "../../src/signals/fourier.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

int plans_made() {
  void* const opened = dlopen("libcufft.so.12", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(opened != nullptr);
  const auto count = reinterpret_cast<int (*)()>(dlsym(opened, "fake_plan_count"));
  REQUIRE(count != nullptr);  // else this is not the one that stands in
  return count();
}

TEST_CASE("cuFFT's transforms are those of the CPU, without a copy between devices") {
  std::mt19937_64 engine(1);
  const int before = plans_made();
  for (const DType dtype : {DType::float32, DType::float64}) {
    const double tolerance = dtype == DType::float32 ? 1e-4 : 1e-11;
    for (const std::int64_t n : {1, 2, 7, 12}) {
      const Array real = random_operand(engine, {3, n, 2}, dtype).array;
      const Array imag = random_operand(engine, {3, n, 2}, dtype).array;
      const FourierOptions along{.n = {}, .axis = 1, .norm = FourierNorm::ortho};
      const FourierOptions back{.n = n, .axis = 1, .norm = FourierNorm::ortho};
      const Complex half = rfft(real, along);
      const std::vector<Array> wanted = {fft(Complex{real, imag}, along).real,
                                         fft(Complex{real, imag}, along).imag,
                                         ifft(Complex{real, imag}, along).real,
                                         ifft(Complex{real, imag}, along).imag,
                                         half.real,
                                         half.imag,
                                         irfft(Complex{half.real, half.real}, back)};
      const EmulatedDevice emulated;
      std::vector<Array> got;
      {
        const GPUContext scope(emulated.device());
        const Complex z{real.to(emulated.device()), imag.to(emulated.device())};
        const Array part = half.real.to(emulated.device());
        set_transfer_policy(TransferPolicy::forbid);
        const Complex forward = fft(z, along);
        const Complex inverse = ifft(z, along);
        const Complex some = rfft(z.real, along);
        // Imaginary parts of what is its own conjugate are not read.
        const Array whole = irfft(Complex{part, part}, back);
        set_transfer_policy(TransferPolicy::allow);
        for (const Array& y : {forward.real, forward.imag, inverse.real, inverse.imag, some.real,
                               some.imag, whole}) {
          CHECK(y.device() == emulated.device());
          CHECK(y.dtype() == dtype);
          got.push_back(y.to(Device::cpu()));
        }
      }
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        CAPTURE(i, n, to_string(dtype));
        CHECK(all_close(got[i], wanted[i], tolerance, tolerance));
      }
    }
  }
  // One plan for each kind of transform, length and dtype; both directions share one.
  CHECK(plans_made() - before == 2 * 4 * 3);
}

}  // namespace
}  // namespace gaia::test
