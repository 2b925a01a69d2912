// SPDX-License-Identifier: MIT
/// \file
/// The Backend of the fake device: checks every view, and lets a CPU backend compute.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../src/array/backend.h"
#include "../../src/core/error.h"
#include "fake_checks.h"
#include "fake_memory.h"

namespace gaia::test::fake {

/// How a fake device differs from one that is as fast as the CPU.
struct Behaviour {
  std::string name = "fake device";
  std::int64_t free_memory = std::int64_t{1} << 40;
  double seconds = 0.0;  ///< Every product, layer that learns and optimiser step takes longer.
  bool answers_zeros = false;  ///< Instead of computing these, which then take no time.
  std::string fails = {};      ///< Not empty: these throw Error with this text.
};

class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(Behaviour behaviour = {}) : behaviour_(std::move(behaviour)) {}

  /// How often it has computed something or taken numbers from the host.
  std::int64_t calls() const { return memory_.uses(); }

  void* allocate(std::int64_t bytes) override { return memory_.allocate(bytes); }
  void release(void* data, std::int64_t bytes) noexcept override { memory_.release(data, bytes); }
  void upload(const void* host, void* data, std::int64_t bytes) override {
    check(!memory_.is_mine(host, bytes), "upload reads device memory");
    check(memory_.is_mine(data, bytes), "upload writes to memory that is not mine");
    memory_.count_use();
    cpu_->upload(host, Memory::host_address(data), bytes);
  }
  void download(const void* data, void* host, std::int64_t bytes) override {
    check(memory_.is_mine(data, bytes), "download reads memory that is not mine");
    check(!memory_.is_mine(host, bytes), "download writes to device memory");
    cpu_->download(Memory::host_address(data), host, bytes);
  }
  bool copy_from(Backend&, const void*, void*, std::int64_t) override { return false; }
  void synchronize() override { ++synchronized_; }
  int synchronized() const { return synchronized_; }
  DeviceInfo info() const override {
    return {.device = {},
            .name = behaviour_.name,
            .description = "a CPU",
            .total_memory = behaviour_.free_memory,
            .free_memory = behaviour_.free_memory,
            .version = "1"};
  }
  MemoryStats memory_stats() const override { return cpu_->memory_stats(); }
  void reset_peak_memory() override { cpu_->reset_peak_memory(); }
  void set_memory_limit(std::int64_t bytes) override { cpu_->set_memory_limit(bytes); }
  void trim_memory() override { cpu_->trim_memory(); }

  void copy(const View& x, const View& y) override {
    check(x.shape == y.shape, "copy between shapes");
    check_apart(x, y);
    cpu_->copy(on_host(x), on_host(y));
  }
  void fill(double value, const View& y) override { cpu_->fill(value, on_host(y)); }
  void unary(const Unary& f, const View& x, const View& y) override {
    check(x.shape == y.shape && x.dtype == y.dtype, "unary of unlike views");
    if (x.data != y.data) check_apart(x, y);
    cpu_->unary(f, on_host(x), on_host(y));
  }
  void unary_slope(const Unary& f, const View& x, const View& y, const View& dy,
                   const View& dx) override {
    for (const View* view : {&x, &y, &dy}) {
      check(view->shape == dx.shape && view->dtype == dx.dtype, "unary_slope of unlike views");
    }
    check(is_float(dx.dtype), "unary_slope of dtypes");
    check_apart(x, dx);
    check_apart(y, dx);
    cpu_->unary_slope(f, on_host(x), on_host(y), on_host(dy), on_host(dx));
  }
  void binary(const Binary& f, const View& a, const View& b, const View& y) override {
    check(a.shape == y.shape && b.shape == y.shape, "binary of unlike shapes");
    check(a.dtype == y.dtype && b.dtype == y.dtype, "binary of unlike dtypes");
    cpu_->binary(f, on_host(a), on_host(b), on_host(y));
  }
  void compare(const Comparison& f, const View& a, const View& b, const View& y) override {
    check(a.shape == y.shape && b.shape == y.shape, "compare of unlike shapes");
    check(a.dtype == b.dtype && y.dtype == DType::boolean, "compare of unlike dtypes");
    cpu_->compare(f, on_host(a), on_host(b), on_host(y));
  }
  void select(const View& condition, const View& a, const View& b, const View& y) override {
    check(condition.shape == y.shape && a.shape == y.shape && b.shape == y.shape,
          "select of unlike shapes");
    check(condition.dtype == DType::boolean && a.dtype == y.dtype && b.dtype == y.dtype,
          "select of unlike dtypes");
    for (const View* view : {&condition, &a}) check_apart(*view, y);
    if (b.data != y.data || b.strides != y.strides) check_apart(b, y);
    cpu_->select(on_host(condition), on_host(a), on_host(b), on_host(y));
  }
  void squares(const View& x, const View& center, const View& y) override {
    check(x.rank() == y.rank() && center.shape == y.shape, "squares of unlike shapes");
    check(center.dtype == DType::float64 && y.dtype == DType::float64, "squares of dtypes");
    check(center.is_contiguous() && y.is_contiguous(), "squares of strides");
    check_apart(x, y);
    check_apart(center, y);
    cpu_->squares(on_host(x), on_host(center), on_host(y));
  }
  void arg_reduce(ArgReduction kind, const View& x, const View& y) override {
    Shape expected = x.shape;
    check(x.rank() >= 1 && x.shape.back() > 0, "arg_reduce of nothing");
    expected.back() = 1;
    check(y.shape == expected && y.dtype == DType::int64, "arg_reduce to another kind of view");
    check_apart(x, y);
    cpu_->arg_reduce(kind, on_host(x), on_host(y));
  }
  void scan(Scan kind, const View& x, const View& y) override {
    check(x.shape == y.shape && x.rank() >= 1, "scan of unlike shapes");
    check_apart(x, y);
    cpu_->scan(kind, on_host(x), on_host(y));
  }
  void reduce(Reduction kind, const View& x, const View& y) override {
    check(x.rank() == y.rank(), "reduce to another rank");
    for (int axis = 0; axis < x.rank(); ++axis) {
      check(y.shape[axis] == x.shape[axis] || y.shape[axis] == 1, "reduce to another shape");
    }
    check_apart(x, y);
    cpu_->reduce(kind, on_host(x), on_host(y));
  }
  void matmul(const View& a, const View& b, const View& y, MatmulPrecision precision) override {
    const DType result = a.dtype == DType::bfloat16 ? DType::float32 : a.dtype;
    check(a.dtype == b.dtype && y.dtype == result, "matmul of dtypes");
    check(y.rank() >= 2 && a.rank() == y.rank() && b.rank() == y.rank(), "matmul of ranks");
    check(y.is_contiguous(), "matmul to strides");
    check_apart(a, y);
    check_apart(b, y);
    if (behaves(y)) cpu_->matmul(on_host(a), on_host(b), on_host(y), precision);
  }
  void ternary_product(const TernaryRun& run) override {
    check(run.x.dtype == run.y.dtype && is_float(run.x.dtype) && run.packed.dtype == DType::int32,
          "ternary_product of dtypes");
    check(run.x.rank() == 2 && run.packed.rank() == 2 && run.y.rank() == 2,
          "ternary_product ranks");
    check(run.packed.shape[1] == (run.x.shape[1] + 15) / 16 &&
              run.y.shape == Shape{run.x.shape[0], run.packed.shape[0]},
          "ternary_product of shapes");
    for (const View* view : {&run.x, &run.packed, &run.y}) {
      check(view->is_contiguous(), "ternary_product of strides");
    }
    check_apart(run.x, run.y);
    if (behaves(run.y)) {
      cpu_->ternary_product({on_host(run.x), on_host(run.packed), on_host(run.y)});
    }
  }
  void softmax(const View& x, const View& y) override {
    check(x.shape == y.shape && x.dtype == y.dtype && is_float(x.dtype), "softmax of unlike views");
    check(x.rank() >= 1 && x.shape.back() > 0 && y.is_contiguous(), "softmax of shapes");
    check_apart(x, y);
    cpu_->softmax(on_host(x), on_host(y));
  }
  void log_softmax(const View& x, const View& y) override {
    check(x.shape == y.shape && x.dtype == y.dtype && is_float(x.dtype), "log_softmax of views");
    check(x.rank() >= 1 && x.shape.back() > 0 && y.is_contiguous(), "log_softmax of shapes");
    check_apart(x, y);
    cpu_->log_softmax(on_host(x), on_host(y));
  }
  void random(const RandomFill& fill, const View& y) override {
    const bool integers = fill.distribution == Distribution::integers;
    check(integers ? y.dtype == DType::int64 : is_float(y.dtype), "random of dtypes");
    check(y.is_contiguous(), "random to strides");
    cpu_->random(fill, on_host(y));
  }
  std::int64_t first_not_finite(const View& x) override {
    check(is_float(x.dtype), "first_not_finite of dtypes");
    return cpu_->first_not_finite(on_host(x));
  }

  void gather(const View& x, int axis, const View& indices, const View& y) override {
    check(x.dtype == y.dtype, "gather of unlike dtypes");
    check_indexing(x, axis, indices, y);
    check_apart(x, y);
    check_apart(indices, y);
    cpu_->gather(on_host(x), axis, on_host(indices), on_host(y));
  }
  void scatter(Scatter mode, const View& values, int axis, const View& indices,
               const View& y) override {
    check(values.dtype == y.dtype, "scatter of unlike dtypes");
    check(mode == Scatter::assign || y.dtype != DType::bfloat16, "scatter adds bfloat16");
    check_indexing(y, axis, indices, values);
    check_apart(values, y);
    check_apart(indices, y);
    cpu_->scatter(mode, on_host(values), axis, on_host(indices), on_host(y));
  }
  std::int64_t first_outside(const View& x, std::int64_t low, std::int64_t high) override {
    check(x.dtype == DType::int64 && x.is_contiguous(), "first_outside of dtypes or strides");
    return cpu_->first_outside(on_host(x), low, high);
  }
  std::int64_t count_true(const View& mask) override {
    check(mask.dtype == DType::boolean && mask.is_contiguous(), "count_true of dtypes or strides");
    return cpu_->count_true(on_host(mask));
  }
  void positions(const View& mask, const View& y) override {
    check(mask.dtype == DType::boolean && y.dtype == DType::int64, "positions of dtypes");
    check(mask.is_contiguous() && y.is_contiguous(), "positions of strides");
    check(y.rank() == 2 && y.shape[1] == mask.rank(), "positions of shapes");
    cpu_->positions(on_host(mask), on_host(y));
  }
  void sort(SortOrder order, const View& x, const View& y) override {
    check(x.shape == y.shape && x.dtype == y.dtype && x.rank() > 0, "sort of unlike views");
    check(x.dtype != DType::bfloat16, "sort of dtypes");
    check_apart(x, y);
    cpu_->sort(order, on_host(x), on_host(y));
  }
  void argsort(SortOrder order, const View& x, const View& y) override {
    check(x.rank() > 0 && x.rank() == y.rank(), "argsort of unlike ranks");
    Shape expected = x.shape;
    expected.back() = y.shape.back();
    check(y.shape == expected && y.shape.back() <= x.shape.back(), "argsort of unlike shapes");
    check(x.dtype != DType::bfloat16 && y.dtype == DType::int64, "argsort of dtypes");
    check_apart(x, y);
    cpu_->argsort(order, on_host(x), on_host(y));
  }
  void search(Side side, const View& sorted, const View& x, const View& y) override {
    check(sorted.rank() == 1 && x.shape == y.shape, "search of unlike shapes");
    check(sorted.dtype == x.dtype && y.dtype == DType::int64, "search of dtypes");
    check_apart(x, y);
    cpu_->search(side, on_host(sorted), on_host(x), on_host(y));
  }
  void convolve(const ConvolutionRun& run) override {
    ConvolutionRun mine = run;
    check(run.x.rank() == 4 && run.weights.rank() == 4 && run.y.rank() == 4, "convolve of ranks");
    for (View* view : {&mine.x, &mine.weights, &mine.y}) take_contiguous(*view, run.y.dtype);
    if (mine.bias) take_contiguous(*mine.bias, run.y.dtype);
    cpu_->convolve(mine);
  }
  void pool_planes(const PlanePoolRun& run) override {
    PlanePoolRun mine = run;
    check(run.x.rank() == 3 && run.y.rank() == 3, "pool_planes of ranks");
    check(mine.indices.has_value() == (run.pooling == PlanePooling::max), "indices of pool_planes");
    for (View* view : {&mine.x, &mine.y}) take_contiguous(*view, run.x.dtype);
    if (mine.indices) take_contiguous(*mine.indices, DType::int64);
    cpu_->pool_planes(mine);
  }

  std::string why_not_fused(FusedKernel kernel, DType dtype) const override {
    return cpu_->why_not_fused(kernel, dtype);
  }
  void linear_gelu(const LinearGeluRun& run) override {
    LinearGeluRun mine = run;
    take_all({&mine.x, &mine.weights, &mine.y}, {&mine.bias, &mine.z});
    cpu_->linear_gelu(mine);
  }
  void linear_gelu_backward(const LinearGeluBackwardRun& run) override {
    LinearGeluBackwardRun mine = run;
    take_all({&mine.dy, &mine.x, &mine.weights, &mine.z, &mine.dz},
             {&mine.dx, &mine.dweights, &mine.dbias});
    cpu_->linear_gelu_backward(mine);
  }
  void layer_norm(const LayerNormRun& run) override {
    LayerNormRun mine = run;
    take_all({&mine.x, &mine.y, &mine.mean, &mine.rstd}, {&mine.weight, &mine.bias});
    cpu_->layer_norm(mine);
  }
  void layer_norm_backward(const LayerNormBackwardRun& run) override {
    LayerNormBackwardRun mine = run;
    take_all({&mine.dy, &mine.x, &mine.mean, &mine.rstd, &mine.dx, &mine.dweight, &mine.dbias},
             {&mine.weight});
    cpu_->layer_norm_backward(mine);
  }
  void attention(const AttentionRun& run) override {
    AttentionRun mine = run;
    take_inputs(mine);
    take_all({&mine.y, &mine.largest, &mine.sum}, {});
    cpu_->attention(mine);
  }
  void attention_backward(const AttentionBackwardRun& run) override {
    AttentionBackwardRun mine = run;
    take_inputs(mine);
    take_all({&mine.dy, &mine.y, &mine.largest, &mine.sum, &mine.dq, &mine.dk, &mine.dv}, {});
    cpu_->attention_backward(mine);
  }
  void optimise(const OptimiserRule& rule, std::int64_t step,
                std::span<const OptimisedViews> parameters) override {
    std::vector<OptimisedViews> mine(parameters.begin(), parameters.end());
    for (OptimisedViews& of : mine) {
      const int states = std::visit([](const auto& one) { return one.states(); }, rule);
      check(of.first.has_value() == (states >= 1), "optimise with another memory");
      check(of.second.has_value() == (states >= 2), "optimise with another second memory");
      for (const View* view :
           {&of.gradient, of.first ? &*of.first : nullptr, of.second ? &*of.second : nullptr}) {
        if (view == nullptr) continue;
        check(view->shape == of.parameter.shape && view->dtype == of.parameter.dtype,
              "optimise of unlike views");
      }
      of.parameter = on_host(of.parameter);
      of.gradient = on_host(of.gradient);
      for (std::optional<View>* view : {&of.first, &of.second}) {
        if (*view) **view = on_host(**view);
      }
    }
    if (behaves({})) cpu_->optimise(rule, step, mine);
  }
  double sum_of_squares(std::span<const View> views) override {
    std::vector<View> mine(views.begin(), views.end());
    for (View& view : mine) take_all({&view}, {});
    return cpu_->sum_of_squares(mine);
  }
  void scale(double factor, std::span<const ScaledViews> arrays) override {
    std::vector<ScaledViews> mine(arrays.begin(), arrays.end());
    for (ScaledViews& of : mine) {
      check(of.x.shape == of.y.shape && of.x.dtype == of.y.dtype, "scale of unlike views");
      take_all({&of.x, &of.y}, {});
    }
    cpu_->scale(factor, mine);
  }

  void plastic(std::span<const PlasticRun> runs) override {
    std::vector<PlasticRun> mine(runs.begin(), runs.end());
    for (PlasticRun& run : mine) {
      check(run.samples.strides == runs[0].samples.strides &&
                run.outputs.strides == runs[0].outputs.strides &&
                run.weights.shape == runs[0].weights.shape &&
                run.weights.dtype == runs[0].weights.dtype &&
                run.activation == runs[0].activation && run.rule.index() == runs[0].rule.index(),
            "plastic of unlike runs");
      take(run);
      run.memory = on_host(run.memory);
    }
    bool computes = true;
    for (const PlasticRun& run : runs) computes = behaves(run.outputs);
    if (computes) cpu_->plastic(mine);
  }
  void equations(const EquationRun& run) override {
    EquationRun mine = run;
    take(mine);
    for (View* view : {&mine.memory, &mine.traces, &mine.layer_signals, &mine.neuron_signals}) {
      *view = on_host(*view);
    }
    if (mine.eligibility.data != nullptr) mine.eligibility = on_host(mine.eligibility);
    if (mine.chained.data != nullptr) mine.chained = on_host(mine.chained);
    if (behaves(run.outputs)) cpu_->equations(mine);
  }
  void recurrent(const RecurrentRun& run) override {
    RecurrentRun mine = run;
    for (View* view : {&mine.drive, &mine.recurrent, &mine.state, &mine.outputs}) {
      *view = on_host(*view);
    }
    cpu_->recurrent(mine);
  }
  void pool(const PoolRun& run) override {
    PoolRun mine = run;
    for (View* view : {&mine.source, &mine.held, &mine.state, &mine.outputs}) {
      *view = on_host(*view);
    }
    cpu_->pool(mine);
  }

 private:
  /// Whether it computes, what would be written to `y`.
  bool behaves(const std::optional<View>& y) {
    if (!behaviour_.fails.empty()) throw Error(behaviour_.fails);
    if (behaviour_.seconds > 0.0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(behaviour_.seconds));
    }
    if (behaviour_.answers_zeros && y) fill(0.0, *y);
    return !behaviour_.answers_zeros;
  }
  View on_host(const View& view) { return memory_.on_host(view); }
  void take_contiguous(View& view, DType dtype) {
    check(view.dtype == dtype && view.is_contiguous(), "a view is of another dtype or strided");
    view = on_host(view);
  }
  /// Contiguous floating views.
  void take_all(std::initializer_list<View*> views,
                std::initializer_list<std::optional<View>*> maybe) {
    const auto take_one = [this](View& view) {
      check(is_float(view.dtype) && view.is_contiguous(), "a fused run of other views");
      view = on_host(view);
    };
    for (View* view : views) take_one(*view);
    for (std::optional<View>* view : maybe) {
      if (*view) take_one(**view);
    }
  }
  void take_inputs(AttentionInputs& run) {
    for (View* view : {&run.q, &run.k, &run.v}) {
      const int row = view->rank() - 2;
      check(is_float(view->dtype), "attention of dtypes");
      check(view->count() == 0 || ((view->shape.back() == 1 || view->strides.back() == 1) &&
                                   (view->shape[row] == 1 || view->strides[row] >= 1)),
            "attention of rows that are not contiguous");
      *view = on_host(*view);
    }
    if (run.key_lengths) {
      check(run.key_lengths->dtype == DType::int64, "attention with lengths of another dtype");
      *run.key_lengths = on_host(*run.key_lengths);
    }
  }
  void take(PlasticBlock& run) {
    for (View* view : {&run.samples, &run.weights, &run.outputs}) *view = on_host(*view);
  }

  Behaviour behaviour_;
  std::unique_ptr<Backend> cpu_ = make_cpu_backend();
  Memory memory_{*cpu_};
  std::atomic<int> synchronized_{0};
};

}  // namespace gaia::test::fake
