// SPDX-License-Identifier: MIT
/// \file
/// Matrix products by cuBLASLt, compiled for nvcc alone.
///
/// A row-major product y = a b is the column-major product y^T = b^T a^T of the same memory.
#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "gemm.h"
#include "gemm_library.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// Room that a product may have to work in.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
constexpr std::size_t kMostPlans = 4096;
/// Lengths and batches that cuBLASLt surely takes.
constexpr std::int64_t kMostLength = std::int64_t{1} << 30;
constexpr std::int64_t kMostBatch = 32768;

cudaDataType_t type_of(DType dtype) {
  if (dtype == DType::bfloat16) return CUDA_R_16BF;
  return dtype == DType::float64 ? CUDA_R_64F : CUDA_R_32F;
}

/// Operands of another dtype than float32 are never rounded.
cublasComputeType_t compute_type(const Gemm& product) {
  if (product.dtype == DType::float64) return CUBLAS_COMPUTE_64F;
  if (product.dtype != DType::float32) return CUBLAS_COMPUTE_32F;
  switch (product.precision) {
    case MatmulPrecision::tf32:
      return CUBLAS_COMPUTE_32F_FAST_TF32;
    case MatmulPrecision::bfloat16:
      return CUBLAS_COMPUTE_32F_FAST_16BF;
    case MatmulPrecision::full:
      break;
  }
  return CUBLAS_COMPUTE_32F;
}

/// A row-major matrix of these rows and columns, as the column-major one that its memory holds.
GemmLayout make_layout(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                       std::int64_t batch, std::int64_t batch_stride) {
  cublasLtMatrixLayout_t made = nullptr;
  check_status(
      gemm_library().layout_create(&made, type_of(dtype), static_cast<std::uint64_t>(columns),
                                   static_cast<std::uint64_t>(rows), leading),
      "cublasLtMatrixLayoutCreate");
  GemmLayout layout(made);
  if (batch > 1) {
    const auto count = static_cast<std::int32_t>(batch);
    check_status(
        gemm_library().layout_set(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
        "cublasLtMatrixLayoutSetAttribute");
    check_status(gemm_library().layout_set(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                           &batch_stride, sizeof batch_stride),
                 "cublasLtMatrixLayoutSetAttribute");
  }
  return layout;
}

GemmLayout make_layout(const Gemm& product, const GemmMatrix& x, std::int64_t rows,
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
  GemmDescription description;
  GemmLayout left;   ///< b^T
  GemmLayout right;  ///< a^T
  GemmLayout result;
  cublasStatus_t status;  ///< Whether cuBLASLt has an algorithm.
  cublasLtMatmulAlgo_t algorithm;
  std::size_t workspace;
};

using Key = std::array<std::int64_t, 21>;

/// `epilogue` may be null, here and below.
Key key_of(const Gemm& p, const GeluEpilogue* epilogue) {
  return {static_cast<std::int64_t>(p.dtype),
          static_cast<std::int64_t>(p.precision),
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
          alignment(p.y),
          epilogue != nullptr,
          epilogue == nullptr || epilogue->bias == nullptr ? 0 : alignment(epilogue->bias),
          epilogue == nullptr || epilogue->z == nullptr ? 0 : alignment(epilogue->z)};
}

void set_epilogue(cublasLtMatmulDesc_t description, const Gemm& product,
                  const GeluEpilogue& epilogue) {
  const cublasLtEpilogue_t kinds[2][2] = {
      {CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_AUX},
      {CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX_BIAS}};
  set_attribute(description, CUBLASLT_MATMUL_DESC_EPILOGUE,
                kinds[epilogue.bias != nullptr][epilogue.z != nullptr]);
  if (epilogue.bias != nullptr) {
    set_attribute(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, epilogue.bias);
  }
  if (epilogue.z != nullptr) {
    set_attribute(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, epilogue.z);
    set_attribute(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, product.y_leading);
  }
}

Plan make_plan(cublasLtHandle_t handle, const Gemm& product, const GeluEpilogue* epilogue) {
  Plan plan{};
  cublasLtMatmulDesc_t description = nullptr;
  check_status(gemm_library().description_create(&description, compute_type(product),
                                                 type_of(product.y_dtype())),
               "cublasLtMatmulDescCreate");
  plan.description.reset(description);
  const auto set_operation = [&](cublasLtMatmulDescAttributes_t which, bool transposed) {
    set_attribute(description, which, transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  };
  set_operation(CUBLASLT_MATMUL_DESC_TRANSA, product.b.transposed);
  set_operation(CUBLASLT_MATMUL_DESC_TRANSB, product.a.transposed);
  if (epilogue != nullptr) set_epilogue(description, product, *epilogue);
  plan.left = make_layout(product, product.b, product.k, product.n);
  plan.right = make_layout(product, product.a, product.m, product.k);
  plan.result = make_layout(product.y_dtype(), product.m, product.n, product.y_leading,
                            product.batch, product.y_batch_stride);

  cublasLtMatmulPreference_t made = nullptr;
  check_status(gemm_library().preference_create(&made), "cublasLtMatmulPreferenceCreate");
  const GemmPreference preference(made);
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t which, auto value) {
    check_status(gemm_library().preference_set(made, which, &value, sizeof value),
                 "cublasLtMatmulPreferenceSetAttribute");
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kWorkspaceBytes});
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(product.b.data));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(product.a.data));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(product.y));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(product.y));
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  plan.status =
      gemm_library().heuristic(handle, description, plan.left.get(), plan.right.get(),
                               plan.result.get(), plan.result.get(), made, 1, &found, &count);
  if (plan.status == CUBLAS_STATUS_SUCCESS && count == 0) plan.status = CUBLAS_STATUS_NOT_SUPPORTED;
  plan.algorithm = found.algo;
  plan.workspace = found.workspaceSize;
  return plan;
}

/// Whether a product that ends so is computed in another way: where cuBLASLt does not take it as it
/// is.  What else may be wrong concerns all products.
bool is_refused(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE ||
         status == CUBLAS_STATUS_ARCH_MISMATCH;
}

/// What products on one stream share: a stream belongs to one thread at a time.
class Products {
 public:
  Products() { check_status(gemm_library().create(&handle_), "cublasLtCreate"); }

  /// Unless it is success, nothing is done.
  cublasStatus_t run(const Gemm& product, const GeluEpilogue* epilogue, Memory& memory,
                     cudaStream_t stream) {
    const Key key = key_of(product, epilogue);
    auto place = plans_.find(key);
    if (place == plans_.end()) {
      if (plans_.size() >= kMostPlans) plans_.clear();
      place = plans_.emplace(key, make_plan(handle_, product, epilogue)).first;
    }
    Plan& plan = place->second;
    if (plan.status != CUBLAS_STATUS_SUCCESS) return forget_unless_refused(place);
    if (epilogue != nullptr) set_epilogue(plan.description.get(), product, *epilogue);
    std::optional<Scratch> workspace;
    if (plan.workspace > 0) {
      workspace.emplace(memory, static_cast<std::int64_t>(plan.workspace), stream);
    }
    const bool is_double = product.dtype == DType::float64;
    const float one_float = 1.0f;
    const float beta_float = product.accumulate ? 1.0f : 0.0f;
    const double one_double = 1.0;
    const double beta_double = product.accumulate ? 1.0 : 0.0;
    const void* const alpha = is_double ? static_cast<const void*>(&one_double) : &one_float;
    const void* const beta = is_double ? static_cast<const void*>(&beta_double) : &beta_float;
    plan.status = gemm_library().matmul(
        handle_, plan.description.get(), alpha, product.b.data, plan.left.get(), product.a.data,
        plan.right.get(), beta, product.y, plan.result.get(), product.y, plan.result.get(),
        &plan.algorithm, workspace ? workspace->as<void>() : nullptr, plan.workspace, stream);
    return forget_unless_refused(place);
  }

 private:
  /// A refusal is kept, so that it is not asked for again; anything else may pass.
  cublasStatus_t forget_unless_refused(std::map<Key, Plan>::iterator place) {
    const cublasStatus_t status = place->second.status;
    if (status != CUBLAS_STATUS_SUCCESS && !is_refused(status)) plans_.erase(place);
    return status;
  }

  cublasLtHandle_t handle_ = nullptr;
  std::map<Key, Plan> plans_;
};

/// Products of the current device.  They live on as streams do.
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
  rest.y = const_cast<void*>(advance(product.y, most * y_step, product.y_dtype()));
  return rest;
}

}  // namespace

void gemm(const Gemm& product, Memory& memory, cudaStream_t stream) {
  constexpr std::pair<std::int64_t Gemm::*, std::int64_t> limits[] = {{&Gemm::batch, kMostBatch},
                                                                      {&Gemm::m, kMostLength},
                                                                      {&Gemm::n, kMostLength},
                                                                      {&Gemm::k, kMostLength}};
  for (const auto& [length, most] : limits) {
    if (product.*length <= most) continue;
    Gemm rest = product;
    while (true) {
      Gemm first = rest;
      first.*length = std::min(most, rest.*length);
      gemm(first, memory, stream);
      if (rest.*length <= most) return;
      rest = behind(rest, length, most);
    }
  }
  const cublasStatus_t status = products_on(stream).run(product, nullptr, memory, stream);
  if (!is_refused(status)) return check_status(status, "cublasLtMatmul");
  note_product_by_tiles(product, gemm_library().status_string(status));
  gemm_by_tiles(product, stream);
}

bool gemm_gelu(const Gemm& product, const GeluEpilogue& epilogue, Memory& memory,
               cudaStream_t stream) {
  if (!fits_gelu(product, epilogue)) return false;
  if (std::max({product.m, product.n, product.k}) > kMostLength) return false;
  std::string why;
  try {
    const cublasStatus_t status = products_on(stream).run(product, &epilogue, memory, stream);
    if (status == CUBLAS_STATUS_SUCCESS) return true;
    why = gemm_library().status_string(status);
  } catch (const DeviceError& error) {
    why = error.what();
  }
  note_epilogue_by_pass(why);
  return false;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
