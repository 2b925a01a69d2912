// SPDX-License-Identifier: MIT
#include "fourier_library.h"

#include <dlfcn.h>

#include <cstdint>
#include <limits>
#include <list>
#include <string>
#include <tuple>
#include <utility>

#include "../array/create.h"
#include "../array/joining.h"
#include "../array/operands.h"
#include "../core/log.h"

namespace gaia {
namespace {

// What is used of cuFFT's and the driver's interfaces, as their manuals have it: neither is needed
// where gaia is built.

using FftPlan = int;
enum FftType : int {
  real_to_complex = 0x2a,
  complex_to_real = 0x2c,
  complex_to_complex = 0x29,
  double_to_complex = 0x6a,
  complex_to_double = 0x6c,
  double_complex_to_complex = 0x69,
};

struct FftLibrary {
  int (*plan_many)(FftPlan*, int, int*, int*, int, int, int*, int, int, int, int) = nullptr;
  int (*exec_c2c)(FftPlan, void*, void*, int) = nullptr;
  int (*exec_z2z)(FftPlan, void*, void*, int) = nullptr;
  int (*exec_r2c)(FftPlan, void*, void*) = nullptr;
  int (*exec_d2z)(FftPlan, void*, void*) = nullptr;
  int (*exec_c2r)(FftPlan, void*, void*) = nullptr;
  int (*exec_z2d)(FftPlan, void*, void*) = nullptr;
  int (*destroy)(FftPlan) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*context_retain)(void**, int) = nullptr;
  int (*context_release)(int) = nullptr;
  int (*context_push)(void*) = nullptr;
  int (*context_pop)(void**) = nullptr;
  int (*context_synchronize)() = nullptr;
  int (*pointer_attribute)(void*, int, std::uintptr_t) = nullptr;
  std::string why_not = {};  // empty: all were found
};

template <class Function>
void find_in(void* opened, const char* name, Function& function, std::string& why_not) {
  function = reinterpret_cast<Function>(dlsym(opened, name));
  if (function == nullptr && why_not.empty()) why_not = std::string("it lacks ") + name;
}

FftLibrary open_fft_library() {
  FftLibrary library;
  void* fft = nullptr;
  for (const char* name : {"libcufft.so.12", "libcufft.so.11", "libcufft.so"}) {
    fft = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (fft != nullptr) break;
    if (library.why_not.empty()) library.why_not = dlerror();
  }
  if (fft == nullptr) return library;
  library.why_not.clear();
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) {
    library.why_not = dlerror();
    return library;
  }
  find_in(fft, "cufftPlanMany", library.plan_many, library.why_not);
  find_in(fft, "cufftExecC2C", library.exec_c2c, library.why_not);
  find_in(fft, "cufftExecZ2Z", library.exec_z2z, library.why_not);
  find_in(fft, "cufftExecR2C", library.exec_r2c, library.why_not);
  find_in(fft, "cufftExecD2Z", library.exec_d2z, library.why_not);
  find_in(fft, "cufftExecC2R", library.exec_c2r, library.why_not);
  find_in(fft, "cufftExecZ2D", library.exec_z2d, library.why_not);
  find_in(fft, "cufftDestroy", library.destroy, library.why_not);
  find_in(driver, "cuDeviceGet", library.device_get, library.why_not);
  find_in(driver, "cuDevicePrimaryCtxRetain", library.context_retain, library.why_not);
  find_in(driver, "cuDevicePrimaryCtxRelease_v2", library.context_release, library.why_not);
  find_in(driver, "cuCtxPushCurrent_v2", library.context_push, library.why_not);
  find_in(driver, "cuCtxPopCurrent_v2", library.context_pop, library.why_not);
  find_in(driver, "cuCtxSynchronize", library.context_synchronize, library.why_not);
  find_in(driver, "cuPointerGetAttribute", library.pointer_attribute, library.why_not);
  return library;
}

const FftLibrary& fft_library() {
  static const FftLibrary opened = open_fft_library();
  return opened;
}

/// An attribute of memory, if the driver knows it.
std::optional<int> attribute_of(const FftLibrary& library, const void* data, int which) {
  int value = 0;
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  return library.pointer_attribute(&value, which, at) == 0 ? std::optional(value) : std::nullopt;
}

/// Makes the device of some memory the one that cuFFT computes on, until the scope ends.
class ContextOfMemory {
 public:
  ContextOfMemory(const FftLibrary& library, const void* data) : library_(library) {
    constexpr int memory_type = 2;    // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
    constexpr int device_memory = 2;  // CU_MEMORYTYPE_DEVICE
    constexpr int ordinal = 9;        // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    if (attribute_of(library, data, memory_type) != device_memory) return;
    const std::optional<int> index = attribute_of(library, data, ordinal);
    if (!index || library.device_get(&device_, *index) != 0) return;
    void* context = nullptr;
    if (library.context_retain(&context, device_) != 0) return;
    is_current_ = library.context_push(context) == 0;
    if (!is_current_) library.context_release(device_);
  }
  ~ContextOfMemory() {
    if (!is_current_) return;
    void* context = nullptr;
    library_.context_pop(&context);
    library_.context_release(device_);
  }
  ContextOfMemory(const ContextOfMemory&) = delete;
  ContextOfMemory& operator=(const ContextOfMemory&) = delete;

  bool is_current() const { return is_current_; }

 private:
  const FftLibrary& library_;
  int device_ = 0;
  bool is_current_ = false;
};

void tell_why_not(const std::string& why) {
  log_once(
      LogLevel::info, "cufft",
      "[fft] Fourier transforms of CUDA arrays are computed on the host, since cuFFT cannot be "
      "used (" +
          why + "); install cuFFT of CUDA 12 or 13 and name its folder in LD_LIBRARY_PATH");
}

/// The library if the current device is one that it computes on, else null.
const FftLibrary* library_for(std::int64_t length, std::int64_t rows) {
  if (current_device().is_cpu()) return nullptr;
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (length > most || rows > most) return nullptr;
  const FftLibrary& library = fft_library();
  if (!library.why_not.empty()) {
    tell_why_not(library.why_not);
    return nullptr;
  }
  return &library;
}

/// The calling thread's plan, one of the last few; 0 where it cannot be made, with the reason told.
/// Those of a thread that ends stay, since the driver may have ended before.
std::optional<FftPlan> plan_for(const FftLibrary& library, FftType type, std::int64_t length,
                                std::int64_t rows) {
  using Key = std::tuple<int, int, std::int64_t, std::int64_t>;
  constexpr std::size_t most = 16;
  thread_local std::list<std::pair<Key, FftPlan>> plans;
  const Key key{current_device().index(), type, length, rows};
  for (auto one = plans.begin(); one != plans.end(); ++one) {
    if (one->first != key) continue;
    plans.splice(plans.begin(), plans, one);
    return plans.front().second;
  }
  FftPlan plan = 0;
  int n = static_cast<int>(length);
  const int status =
      library.plan_many(&plan, 1, &n, nullptr, 1, 0, nullptr, 1, 0, type, static_cast<int>(rows));
  if (status != 0) {
    tell_why_not("cufftPlanMany gives " + std::to_string(status));
    return std::nullopt;
  }
  plans.emplace_front(key, plan);
  if (plans.size() > most) {
    library.destroy(plans.back().second);
    plans.pop_back();
  }
  return plan;
}

/// Parts beside each other, [..., 2].
Array interleaved(const Complex& x, DType dtype, const char* function) {
  return stack({prepare(x.real, dtype, function), prepare(x.imag, dtype, function)}, -1)
      .contiguous();
}

Complex apart(const Array& y, double scale) {
  return {multiply(y.select(-1, 0), scale), multiply(y.select(-1, 1), scale)};
}

/// Calls run(plan) once what x needs is done, and waits for it: cuFFT works on a stream of its own.
/// Whether it succeeded.
template <class Run>
bool computed(const FftLibrary& library, FftType type, std::int64_t length, std::int64_t rows,
              const Array& x, const Run& run) {
  const ContextOfMemory scope(library, x.view().data);
  if (!scope.is_current()) return false;
  synchronize();
  const std::optional<FftPlan> plan = plan_for(library, type, length, rows);
  if (!plan) return false;
  const int status = run(*plan);
  const int waited = library.context_synchronize();
  if (status == 0 && waited == 0) return true;
  tell_why_not("a transform gives " + std::to_string(status) + ", waiting for it " +
               std::to_string(waited));
  return false;
}

}  // namespace

std::optional<Complex> transform_by_library(const Complex& x, DType dtype, bool inverse,
                                            double scale, const char* function) {
  const std::int64_t n = x.real.shape(-1);
  const std::int64_t rows = x.real.size() / n;
  const FftLibrary* const library = library_for(n, rows);
  if (library == nullptr) return std::nullopt;
  const Array from = interleaved(x, dtype, function);
  const Array to = Array::uninitialized(from.shape(), dtype);
  const bool single = dtype == DType::float32;
  const bool done = computed(*library, single ? complex_to_complex : double_complex_to_complex, n,
                             rows, from, [&](FftPlan plan) {
                               return (single ? library->exec_c2c : library->exec_z2z)(
                                   plan, from.view().data, to.view().data, inverse ? 1 : -1);
                             });
  return done ? std::optional(apart(to, scale)) : std::nullopt;
}

std::optional<Complex> transform_real_by_library(const Array& x, DType dtype, double scale,
                                                 const char* function) {
  const std::int64_t n = x.shape(-1);
  const std::int64_t rows = x.size() / n;
  const FftLibrary* const library = library_for(n, rows);
  if (library == nullptr) return std::nullopt;
  const Array from = prepare(x, dtype, function).contiguous();
  Shape shape = x.shape();
  shape.back() = n / 2 + 1;
  shape.push_back(2);
  const Array to = Array::uninitialized(shape, dtype);
  const bool single = dtype == DType::float32;
  const bool done = computed(*library, single ? real_to_complex : double_to_complex, n, rows, from,
                             [&](FftPlan plan) {
                               return (single ? library->exec_r2c : library->exec_d2z)(
                                   plan, from.view().data, to.view().data);
                             });
  return done ? std::optional(apart(to, scale)) : std::nullopt;
}

std::optional<Array> transform_to_real_by_library(const Complex& x, DType dtype, std::int64_t n,
                                                  double scale, const char* function) {
  const std::int64_t rows = x.real.size() / x.real.shape(-1);
  const FftLibrary* const library = library_for(n, rows);
  if (library == nullptr) return std::nullopt;
  // Imaginary parts of what is its own conjugate count nothing.
  const Array counts = ones({n / 2 + 1}, dtype);
  counts.slice(0, 0, 1).fill(0.0);
  if (n % 2 == 0) counts.slice(0, -1).fill(0.0);
  const Array from = interleaved({x.real, multiply(x.imag, counts)}, dtype, function);
  Shape shape = x.real.shape();
  shape.back() = n;
  const Array to = Array::uninitialized(shape, dtype);
  const bool single = dtype == DType::float32;
  const bool done = computed(*library, single ? complex_to_real : complex_to_double, n, rows, from,
                             [&](FftPlan plan) {
                               return (single ? library->exec_c2r : library->exec_z2d)(
                                   plan, from.view().data, to.view().data);
                             });
  return done ? std::optional(multiply(to, scale)) : std::nullopt;
}

}  // namespace gaia
