// SPDX-License-Identifier: MIT
/// \file
/// Methods that have no kernel yet.
#include "backend.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

[[noreturn]] void missing(const char* method) {
  throw DeviceError("[cuda] " + std::string(method) + " has no kernel yet; compute it on 'cpu'");
}

}  // namespace

void CudaBackend::reduce(Reduction, const View&, const View&) { missing("reduce"); }
void CudaBackend::squares(const View&, const View&, const View&) { missing("squares"); }
void CudaBackend::arg_reduce(ArgReduction, const View&, const View&) { missing("arg_reduce"); }
void CudaBackend::scan(Scan, const View&, const View&) { missing("scan"); }
void CudaBackend::matmul(const View&, const View&, const View&) { missing("matmul"); }
void CudaBackend::softmax(const View&, const View&) { missing("softmax"); }
void CudaBackend::log_softmax(const View&, const View&) { missing("log_softmax"); }
std::int64_t CudaBackend::first_not_finite(const View&) { missing("first_not_finite"); }
void CudaBackend::gather(const View&, int, const View&, const View&) { missing("gather"); }
void CudaBackend::scatter(Scatter, const View&, int, const View&, const View&) { missing("scatter"); }
std::int64_t CudaBackend::first_outside(const View&, std::int64_t, std::int64_t) { missing("first_outside"); }
std::int64_t CudaBackend::count_true(const View&) { missing("count_true"); }
void CudaBackend::positions(const View&, const View&) { missing("positions"); }
void CudaBackend::sort(SortOrder, const View&, const View&) { missing("sort"); }
void CudaBackend::argsort(SortOrder, const View&, const View&) { missing("argsort"); }
void CudaBackend::search(Side, const View&, const View&, const View&) { missing("search"); }
void CudaBackend::convolve(const ConvolutionRun&) { missing("convolve"); }
void CudaBackend::pool_planes(const PlanePoolRun&) { missing("pool_planes"); }
std::string CudaBackend::why_not_fused(FusedKernel, DType) const { missing("why_not_fused"); }
void CudaBackend::linear_gelu(const LinearGeluRun&) { missing("linear_gelu"); }
void CudaBackend::linear_gelu_backward(const LinearGeluBackwardRun&) { missing("linear_gelu_backward"); }
void CudaBackend::layer_norm(const LayerNormRun&) { missing("layer_norm"); }
void CudaBackend::layer_norm_backward(const LayerNormBackwardRun&) { missing("layer_norm_backward"); }
void CudaBackend::attention(const AttentionRun&) { missing("attention"); }
void CudaBackend::attention_backward(const AttentionBackwardRun&) { missing("attention_backward"); }
void CudaBackend::optimise(const OptimiserRule&, std::int64_t, std::span<const OptimisedViews>) { missing("optimise"); }
double CudaBackend::sum_of_squares(std::span<const View>) { missing("sum_of_squares"); }

}  // namespace gaia::cuda
