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

void CudaBackend::matmul(const View&, const View&, const View&) { missing("matmul"); }
void CudaBackend::random(const RandomFill&, const View&) { missing("random"); }
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
void CudaBackend::plastic(const PlasticRun&) { missing("plastic"); }
void CudaBackend::coupled(const CoupledRun&) { missing("coupled"); }
void CudaBackend::recurrent(const RecurrentRun&) { missing("recurrent"); }
void CudaBackend::pool(const PoolRun&) { missing("pool"); }

}  // namespace gaia::cuda
