// SPDX-License-Identifier: MIT
/// \file
/// The Backend interface on the host: one source file per family of methods.
#pragma once

#include "../src/array/backend.h"
#include "../src/array/device_memory.h"
#include "memory_cache.h"

namespace gaia::cpu {

class CpuBackend final : public Backend {
 public:
  void* allocate(std::int64_t bytes) override;
  void release(void* data, std::int64_t bytes) noexcept override;
  void upload(const void* host, void* data, std::int64_t bytes) override;
  void download(const void* data, void* host, std::int64_t bytes) override;
  bool copy_from(Backend&, const void*, void*, std::int64_t) override { return false; }
  void synchronize() override {}
  DeviceInfo info() const override;
  MemoryStats memory_stats() const override;
  void reset_peak_memory() override { count_.reset_peak(); }
  void set_memory_limit(std::int64_t bytes) override { count_.set_limit(bytes); }
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
  void recurrent(const RecurrentRun& run) override;
  void pool(const PoolRun& run) override;

 private:
  MemoryCount count_;
  MemoryCache cache_{std::int64_t{1} << 30};
};

}  // namespace gaia::cpu
