// SPDX-License-Identifier: MIT
/// \file
/// Matrix products by cuBLASLt.  The library is opened when it is needed first, so that programs
/// start without it, and compiled for nvcc alone.
///
/// A row-major product y = a b is the column-major product y^T = b^T a^T of the same memory.
#include <cublasLt.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "gemm.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
constexpr std::size_t kMostPlans = 4096;
/// Lengths and batches that cuBLASLt surely takes.
constexpr std::int64_t kMostLength = std::int64_t{1} << 30;
constexpr std::int64_t kMostBatch = 32768;

/// The functions of the library by their names.
struct Library {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtGetStatusString) status_string;
  decltype(&cublasLtMatmulDescCreate) description_create;
  decltype(&cublasLtMatmulDescDestroy) description_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) description_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatrixLayoutSetAttribute) layout_set;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmul) matmul;
};

template <class Function>
void find(void* opened, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(opened, name));
  if (function == nullptr) {
    throw DeviceError("[cuda] libcublasLt lacks " + std::string(name) +
                      "; install the cuBLAS of CUDA 12 or 13, or compute on 'cpu'");
  }
}

Library open_library() {
  void* opened = nullptr;
  std::string why;
  for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}) {
    opened = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (opened != nullptr) break;
    if (why.empty()) why = dlerror();
  }
  if (opened == nullptr) {
    throw DeviceError(
        "[cuda] matrix products need libcublasLt.so.13 or .12, which cannot be opened (" + why +
        "); install cuBLAS and name its folder in LD_LIBRARY_PATH, or compute on "
        "'cpu'");
  }
  Library library{};
  find(opened, "cublasLtCreate", library.create);
  find(opened, "cublasLtGetStatusString", library.status_string);
  find(opened, "cublasLtMatmulDescCreate", library.description_create);
  find(opened, "cublasLtMatmulDescDestroy", library.description_destroy);
  find(opened, "cublasLtMatmulDescSetAttribute", library.description_set);
  find(opened, "cublasLtMatrixLayoutCreate", library.layout_create);
  find(opened, "cublasLtMatrixLayoutDestroy", library.layout_destroy);
  find(opened, "cublasLtMatrixLayoutSetAttribute", library.layout_set);
  find(opened, "cublasLtMatmulPreferenceCreate", library.preference_create);
  find(opened, "cublasLtMatmulPreferenceDestroy", library.preference_destroy);
  find(opened, "cublasLtMatmulPreferenceSetAttribute", library.preference_set);
  find(opened, "cublasLtMatmulAlgoGetHeuristic", library.heuristic);
  find(opened, "cublasLtMatmul", library.matmul);
  return library;
}

const Library& library() {
  static const Library opened = open_library();  // tried again if it throws
  return opened;
}

void check_status(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceError("[cuda] " + std::string(call) + ": " + library().status_string(status));
}

struct DestroyDescription {
  void operator()(cublasLtMatmulDesc_t x) const { library().description_destroy(x); }
};
struct DestroyLayout {
  void operator()(cublasLtMatrixLayout_t x) const { library().layout_destroy(x); }
};
struct DestroyPreference {
  void operator()(cublasLtMatmulPreference_t x) const { library().preference_destroy(x); }
};
template <class Handle, class Destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;
using Layout = Owned<cublasLtMatrixLayout_t, DestroyLayout>;

cudaDataType_t type_of(DType dtype) { return dtype == DType::float64 ? CUDA_R_64F : CUDA_R_32F; }

/// A row-major matrix of these rows and columns, as the column-major one that its memory holds.
Layout make_layout(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                   std::int64_t batch, std::int64_t batch_stride) {
  cublasLtMatrixLayout_t made = nullptr;
  check_status(library().layout_create(&made, type_of(dtype), static_cast<std::uint64_t>(columns),
                                       static_cast<std::uint64_t>(rows), leading),
               "cublasLtMatrixLayoutCreate");
  Layout layout(made);
  if (batch > 1) {
    const auto count = static_cast<std::int32_t>(batch);
    check_status(
        library().layout_set(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
        "cublasLtMatrixLayoutSetAttribute");
    check_status(library().layout_set(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                      &batch_stride, sizeof batch_stride),
                 "cublasLtMatrixLayoutSetAttribute");
  }
  return layout;
}

Layout make_layout(const Gemm& product, const GemmMatrix& x, std::int64_t rows,
                   std::int64_t columns) {
  return x.transposed
             ? make_layout(product.dtype, columns, rows, x.leading, product.batch, x.batch_stride)
             : make_layout(product.dtype, rows, columns, x.leading, product.batch, x.batch_stride);
}

/// The largest power of two, up to 256, that divides an address.
std::uint32_t alignment(const void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data) | 256u;
  return static_cast<std::uint32_t>(address & (~address + 1));
}

/// How a product is computed: the same for all products of the same key.
struct Plan {
  Owned<cublasLtMatmulDesc_t, DestroyDescription> description;
  Layout left;   ///< b^T
  Layout right;  ///< a^T
  Layout result;
  cublasLtMatmulAlgo_t algorithm;
  std::size_t workspace;
};

using Key = std::array<std::int64_t, 17>;

Key key_of(const Gemm& p) {
  return {static_cast<std::int64_t>(p.dtype),
          p.m,
          p.n,
          p.k,
          p.a.leading,
          p.a.transposed,
          p.a.batch_stride,
          p.b.leading,
          p.b.transposed,
          p.b.batch_stride,
          p.y_leading,
          p.y_batch_stride,
          p.batch,
          p.accumulate,
          alignment(p.a.data),
          alignment(p.b.data),
          alignment(p.y)};
}

Plan make_plan(cublasLtHandle_t handle, const Gemm& product) {
  const bool is_double = product.dtype == DType::float64;
  Plan plan{};
  cublasLtMatmulDesc_t description = nullptr;
  check_status(library().description_create(&description,
                                            is_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                                            type_of(product.dtype)),
               "cublasLtMatmulDescCreate");
  plan.description.reset(description);
  const auto set_operation = [&](cublasLtMatmulDescAttributes_t which, bool transposed) {
    const cublasOperation_t operation = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    check_status(library().description_set(description, which, &operation, sizeof operation),
                 "cublasLtMatmulDescSetAttribute");
  };
  set_operation(CUBLASLT_MATMUL_DESC_TRANSA, product.b.transposed);
  set_operation(CUBLASLT_MATMUL_DESC_TRANSB, product.a.transposed);
  plan.left = make_layout(product, product.b, product.k, product.n);
  plan.right = make_layout(product, product.a, product.m, product.k);
  plan.result = make_layout(product.dtype, product.m, product.n, product.y_leading, product.batch,
                            product.y_batch_stride);

  cublasLtMatmulPreference_t made = nullptr;
  check_status(library().preference_create(&made), "cublasLtMatmulPreferenceCreate");
  const Owned<cublasLtMatmulPreference_t, DestroyPreference> preference(made);
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t which, auto value) {
    check_status(library().preference_set(made, which, &value, sizeof value),
                 "cublasLtMatmulPreferenceSetAttribute");
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kWorkspaceBytes});
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(product.b.data));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(product.a.data));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(product.y));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(product.y));
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  check_status(library().heuristic(handle, description, plan.left.get(), plan.right.get(),
                                   plan.result.get(), plan.result.get(), made, 1, &found, &count),
               "cublasLtMatmulAlgoGetHeuristic");
  if (count == 0) throw DeviceError("[cuda] cuBLASLt has no algorithm for a matrix product");
  plan.algorithm = found.algo;
  plan.workspace = found.workspaceSize;
  return plan;
}

/// What products on one stream share: a stream belongs to one thread at a time.
class Products {
 public:
  Products() { check_status(library().create(&handle_), "cublasLtCreate"); }

  void run(const Gemm& product, cudaStream_t stream) {
    const Key key = key_of(product);
    auto place = plans_.find(key);
    if (place == plans_.end()) {
      if (plans_.size() >= kMostPlans) plans_.clear();
      place = plans_.emplace(key, make_plan(handle_, product)).first;
    }
    const Plan& plan = place->second;
    if (plan.workspace > 0 && workspace_ == nullptr) {
      check(cudaMallocAsync(&workspace_, kWorkspaceBytes, stream), "cudaMallocAsync");
    }
    const bool is_double = product.dtype == DType::float64;
    const float one_float = 1.0f;
    const float beta_float = product.accumulate ? 1.0f : 0.0f;
    const double one_double = 1.0;
    const double beta_double = product.accumulate ? 1.0 : 0.0;
    const void* const alpha = is_double ? static_cast<const void*>(&one_double) : &one_float;
    const void* const beta = is_double ? static_cast<const void*>(&beta_double) : &beta_float;
    check_status(
        library().matmul(handle_, plan.description.get(), alpha, product.b.data, plan.left.get(),
                         product.a.data, plan.right.get(), beta, product.y, plan.result.get(),
                         product.y, plan.result.get(), &plan.algorithm, workspace_,
                         workspace_ == nullptr ? 0 : kWorkspaceBytes, stream),
        "cublasLtMatmul");
  }

 private:
  cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
  std::map<Key, Plan> plans_;
};

/// Of the current device.  They live on as streams do.
Products& products_on(cudaStream_t stream) {
  static std::mutex& mutex = *new std::mutex;
  static auto& all = *new std::map<std::pair<int, cudaStream_t>, std::unique_ptr<Products>>;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  std::unique_ptr<Products>& found = all[{device, stream}];
  if (found == nullptr) found = std::make_unique<Products>();
  return *found;
}

const void* advance(const void* data, std::int64_t elements, DType dtype) {
  return static_cast<const char*>(data) + elements * size_of(dtype);
}

/// What is left of a product behind its first `most` along one of its lengths.
Gemm behind(const Gemm& product, std::int64_t Gemm::*length, std::int64_t most) {
  const GemmMatrix& a = product.a;
  const GemmMatrix& b = product.b;
  Gemm rest = product;
  rest.*length -= most;
  std::int64_t a_step = 0;
  std::int64_t b_step = 0;
  std::int64_t y_step = 0;
  if (length == &Gemm::m) {
    a_step = a.transposed ? 1 : a.leading;
    y_step = product.y_leading;
  } else if (length == &Gemm::n) {
    b_step = b.transposed ? b.leading : 1;
    y_step = 1;
  } else if (length == &Gemm::k) {
    a_step = a.transposed ? a.leading : 1;
    b_step = b.transposed ? 1 : b.leading;
    rest.accumulate = true;
  } else {
    a_step = a.batch_stride;
    b_step = b.batch_stride;
    y_step = product.y_batch_stride;
  }
  rest.a.data = advance(a.data, most * a_step, product.dtype);
  rest.b.data = advance(b.data, most * b_step, product.dtype);
  rest.y = const_cast<void*>(advance(product.y, most * y_step, product.dtype));
  return rest;
}

}  // namespace

void gemm(const Gemm& product, cudaStream_t stream) {
  constexpr std::pair<std::int64_t Gemm::*, std::int64_t> limits[] = {{&Gemm::batch, kMostBatch},
                                                                      {&Gemm::m, kMostLength},
                                                                      {&Gemm::n, kMostLength},
                                                                      {&Gemm::k, kMostLength}};
  for (const auto& [length, most] : limits) {
    if (product.*length <= most) continue;
    Gemm first = product;
    first.*length = most;
    gemm(first, stream);
    return gemm(behind(product, length, most), stream);
  }
  products_on(stream).run(product, stream);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
