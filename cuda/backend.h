// SPDX-License-Identifier: MIT
/// \file
/// The Backend interface on a CUDA device: one source file per family of methods.
#pragma once

#include <atomic>
#include <initializer_list>

#include "../src/array/backend.h"
#include "memory.h"
#include "staging.h"
#include "streams.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

class CudaBackend final : public Backend {
 public:
  /// \throws DeviceError if the device cannot run what this build holds.
  explicit CudaBackend(int device);

  void* allocate(std::int64_t bytes) override;
  void release(void* data, std::int64_t bytes) noexcept override;
  void upload(const void* host, void* data, std::int64_t bytes) override;
  void download(const void* data, void* host, std::int64_t bytes) override;
  bool copy_from(Backend& source, const void* from, void* to, std::int64_t bytes) override;
  void synchronize() override;
  DeviceInfo info() const override;
  DeviceUsage usage() const override;
  MemoryStats memory_stats() const override;
  void reset_peak_memory() override;
  void set_memory_limit(std::int64_t bytes) override;
  void trim_memory() override;

  void copy(const View& x, const View& y) override;
  void fill(double value, const View& y) override;
  void unary(const Unary& f, const View& x, const View& y) override;
  void unary_slope(const Unary& f, const View& x, const View& y, const View& dy,
                   const View& dx) override;
  void binary(const Binary& f, const View& a, const View& b, const View& y) override;
  void compare(const Comparison& f, const View& a, const View& b, const View& y) override;
  void select(const View& condition, const View& a, const View& b, const View& y) override;
  void reduce(Reduction kind, const View& x, const View& y) override;
  void squares(const View& x, const View& center, const View& y) override;
  void arg_reduce(ArgReduction kind, const View& x, const View& y) override;
  void scan(Scan kind, const View& x, const View& y) override;
  void matmul(const View& a, const View& b, const View& y, MatmulPrecision precision) override;
  void ternary_product(const TernaryRun& run) override;
  void softmax(const View& x, const View& y) override;
  void log_softmax(const View& x, const View& y) override;
  void random(const RandomFill& fill, const View& y) override;
  std::int64_t first_not_finite(const View& x) override;

  void gather(const View& x, int axis, const View& indices, const View& y) override;
  void scatter(Scatter mode, const View& values, int axis, const View& indices,
               const View& y) override;
  std::int64_t first_outside(const View& x, std::int64_t low, std::int64_t high) override;
  std::int64_t count_true(const View& mask) override;
  void positions(const View& mask, const View& y) override;
  void sort(SortOrder order, const View& x, const View& y) override;
  void argsort(SortOrder order, const View& x, const View& y) override;
  void search(Side side, const View& sorted, const View& x, const View& y) override;
  void convolve(const ConvolutionRun& run) override;
  void pool_planes(const PlanePoolRun& run) override;

  std::string why_not_fused(FusedKernel kernel, DType dtype) const override;
  void linear_gelu(const LinearGeluRun& run) override;
  void linear_gelu_backward(const LinearGeluBackwardRun& run) override;
  void layer_norm(const LayerNormRun& run) override;
  void layer_norm_backward(const LayerNormBackwardRun& run) override;
  void attention(const AttentionRun& run) override;
  void attention_backward(const AttentionBackwardRun& run) override;

  void optimise(const OptimiserRule& rule, std::int64_t step,
                std::span<const OptimisedViews> parameters) override;
  double sum_of_squares(std::span<const View> views) override;
  void scale(double factor, std::span<const ScaledViews> arrays) override;

  void plastic(std::span<const PlasticRun> runs) override;
  void equations(const EquationRun& run) override;
  void equations_together(std::span<const EquationRun> runs) override;
  std::string why_not_chunkwise(const EquationRun& run) const override;
  void recurrent(const RecurrentRun& run) override;
  void pool(const PoolRun& run) override;

  std::unique_ptr<DeviceKernel> compile_kernel(const KernelSource& source) override;

 private:
  class UserKernel;

  /// A call on the calling thread's current stream, with the device made current and with all in
  /// order that other streams have been given to do with `views`, of which some may be null.  Every
  /// method begins with this, and keeps it until it has given all its work to the stream.
  Call begin(std::initializer_list<const View*> views);

  /// Whether cuBLASLt's gelu is as exact as products in full are.  Measured when that matters
  /// first.
  bool is_epilogue_exact(cudaStream_t stream);

  enum class Exactness { unknown, enough, too_little };

  int device_;
  int processors_;
  std::atomic<Exactness> of_epilogue_{Exactness::unknown};
  Memory memory_;
  Staging staging_;
  int capability_;  ///< 10 major + minor.
};

/// For CudaBackend::begin.
inline const View* if_any(const std::optional<View>& view) { return view ? &*view : nullptr; }

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
