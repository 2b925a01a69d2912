// SPDX-License-Identifier: MIT
/// \file
/// What gaia calls of cuFFT and of CUDA's driver, on the host's memory, number by number: stands in
/// for libcufft.so.12 and libcuda.so.1 in the test of fourier_library.h.
#include <cstdint>
#include <vector>

#include "plain_fourier.h"

namespace {

struct FakePlan {
  int type;
  std::int64_t n;
  std::int64_t rows;
};

std::vector<FakePlan>& fake_plans() {
  static std::vector<FakePlan> plans;
  return plans;
}

/// Contexts that are current.
int& fake_contexts() {
  static int count = 0;
  return count;
}

/// Each row of a plan, read by `read(row, j)` and written by `write(row, k, z)`.
template <class Read, class Write>
int transform(int number, bool inverse, const Read& read, const Write& write) {
  const FakePlan& plan = fake_plans()[static_cast<std::size_t>(number - 1)];
  for (std::int64_t row = 0; row < plan.rows; ++row) {
    gaia::test::ComplexNumbers x;
    for (std::int64_t j = 0; j < plan.n; ++j) x.push_back(read(plan, row, j));
    const gaia::test::ComplexNumbers y = gaia::test::plain_fourier(x, inverse);
    for (std::int64_t k = 0; k < plan.n; ++k) write(plan, row, k, y[static_cast<std::size_t>(k)]);
  }
  return 0;
}

template <class T>
int complex_to_complex(int number, const T* from, T* to, int direction) {
  return transform(
      number, direction == 1,
      [from](const FakePlan& plan, std::int64_t row, std::int64_t j) {
        const T* const z = from + 2 * (row * plan.n + j);
        return std::complex<double>(z[0], z[1]);
      },
      [to](const FakePlan& plan, std::int64_t row, std::int64_t k, std::complex<double> z) {
        to[2 * (row * plan.n + k)] = static_cast<T>(z.real());
        to[2 * (row * plan.n + k) + 1] = static_cast<T>(z.imag());
      });
}

template <class T>
int real_to_complex(int number, const T* from, T* to) {
  return transform(
      number, false,
      [from](const FakePlan& plan, std::int64_t row, std::int64_t j) {
        return std::complex<double>(from[row * plan.n + j]);
      },
      [to](const FakePlan& plan, std::int64_t row, std::int64_t k, std::complex<double> z) {
        const std::int64_t bins = plan.n / 2 + 1;
        if (k >= bins) return;
        to[2 * (row * bins + k)] = static_cast<T>(z.real());
        to[2 * (row * bins + k) + 1] = static_cast<T>(z.imag());
      });
}

template <class T>
int complex_to_real(int number, const T* from, T* to) {
  return transform(
      number, true,
      [from](const FakePlan& plan, std::int64_t row, std::int64_t j) {
        const std::int64_t bins = plan.n / 2 + 1;
        const bool is_given = j < bins;
        const T* const z = from + 2 * (row * bins + (is_given ? j : plan.n - j));
        return std::complex<double>(z[0], is_given ? z[1] : -z[1]);
      },
      [to](const FakePlan& plan, std::int64_t row, std::int64_t k, std::complex<double> z) {
        to[row * plan.n + k] = static_cast<T>(z.real());
      });
}

}  // namespace

extern "C" {

int cufftPlanMany(int* plan, int rank, int* n, int*, int, int, int*, int, int, int type,
                  int batch) {
  if (rank != 1) return 4;
  fake_plans().push_back({type, n[0], batch});
  *plan = static_cast<int>(fake_plans().size());
  return 0;
}
int cufftDestroy(int) { return 0; }
int cufftExecC2C(int plan, const float* from, float* to, int direction) {
  return complex_to_complex(plan, from, to, direction);
}
int cufftExecZ2Z(int plan, const double* from, double* to, int direction) {
  return complex_to_complex(plan, from, to, direction);
}
int cufftExecR2C(int plan, const float* from, float* to) { return real_to_complex(plan, from, to); }
int cufftExecD2Z(int plan, const double* from, double* to) {
  return real_to_complex(plan, from, to);
}
int cufftExecC2R(int plan, const float* from, float* to) { return complex_to_real(plan, from, to); }
int cufftExecZ2D(int plan, const double* from, double* to) {
  return complex_to_real(plan, from, to);
}

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &fake_contexts();
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxPushCurrent_v2(void*) {
  ++fake_contexts();
  return 0;
}
int cuCtxPopCurrent_v2(void**) {
  --fake_contexts();
  return 0;
}
int cuCtxSynchronize() { return fake_contexts() == 1 ? 0 : 201; }  // there is no context
int cuPointerGetAttribute(int* value, int attribute, std::uintptr_t) {
  if (attribute != 2 && attribute != 9) return 1;
  *value = attribute == 2 ? 2 : 0;  // memory of a device; of the first one
  return 0;
}

/// Number of plans that were created.
int fake_plan_count() { return static_cast<int>(fake_plans().size()); }
}
