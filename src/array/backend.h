// SPDX-License-Identifier: MIT
/// \file
/// The narrow waist between what gaia computes and where: one interface, implemented once per kind
/// of device.
///
/// Implementations see views, never arrays.  Checks, allocation and promotion happen above: every
/// view is valid, lies on the device, and has the dtype and shape that the method names.  Unless a
/// method says otherwise views may have any strides, and inputs do not overlap outputs.
/// Results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../core/error.h"
#include "../core/random.h"
#include "../formulas/activation.h"
#include "../formulas/elementwise.h"
#include "../formulas/equations/program.h"
#include "../formulas/optimiser_rules.h"
#include "../formulas/order.h"
#include "../formulas/pooling.h"
#include "../formulas/rules.h"
#include "../formulas/rules_control.h"
#include "../formulas/sliding.h"
#include "../formulas/synapse_chain.h"
#include "../formulas/view.h"
#include "backend_fused.h"
#include "backend_kernels.h"
#include "device.h"
#include "device_usage.h"
#include "lateral_ticks.h"
#include "precision.h"

namespace gaia {

/// norm: the root of the sum of squares.
enum class Reduction : std::uint8_t { sum, mean, max, min, prod, norm };

enum class ArgReduction : std::uint8_t { max, min };

enum class Scan : std::uint8_t { sum, prod };

enum class Distribution : std::uint8_t { uniform, normal, integers };

/// Numbers `first`, `first` + 1, ... of `stream`: uniform in [a, b), normal with mean a and
/// standard deviation b, or integers of [low, low + count).
struct RandomFill {
  RandomStream stream;
  std::uint64_t first = 0;
  Distribution distribution = Distribution::uniform;
  double a = 0.0;
  double b = 1.0;
  std::int64_t low = 0;
  std::uint64_t count = 1;  ///< 0 stands for 2^64.
};

/// What becomes of an element that is written by its position.
enum class Scatter : std::uint8_t { assign, add };

/// What is computed of y = convolution of x with weights, from the two others.
enum class ConvolutionPass : std::uint8_t { forward, input_gradient, weight_gradient };

/// A convolution of planes as conv2d defines it, or one of its gradients.  All views contiguous and
/// of one floating dtype.
struct ConvolutionRun {
  ConvolutionPass pass = ConvolutionPass::forward;
  SlidingWindow window;
  std::int64_t groups = 1;
  MatmulPrecision precision = MatmulPrecision::full;
  View x;                    ///< [N, C, H, W]; written by input_gradient
  View weights;              ///< [O, C / groups, kh, kw]; written by weight_gradient
  View y;                    ///< [N, O, H', W']; written by forward
  std::optional<View> bias;  ///< [O]; added by forward
};

enum class PlanePooling : std::uint8_t { max, average, average_gradient };

/// Pooling of planes as max_pool2d and avg_pool2d define it.  All views contiguous; x and y of one
/// floating dtype.
struct PlanePoolRun {
  PlanePooling pooling = PlanePooling::max;
  SlidingWindow window;
  bool count_padding = true;    ///< For averages.
  View x;                       ///< [planes, H, W]; written by average_gradient
  View y;                       ///< [planes, H', W']; written otherwise
  std::optional<View> indices;  ///< [planes, H', W'] int64, written by max
};

/// How plastic layers are computed; the results agree within rounding.
enum class Executor : std::uint8_t {
  stepwise,   ///< Sample by sample: the definition.
  chunkwise,  ///< Chunks of samples through matrix products.
};

/// A plastic layer over a block of ticks.  At each tick: y = f(W x) with the weights before the
/// update; the rule; homeostasis; normalisation.  The streams of a batch see the same
/// weights, and the update is the mean of theirs.
struct PlasticBlock {
  Activation activation = Activation::linear;
  WeightControl control;
  View samples;  ///< [streams, ticks, inputs], last axis contiguous
  View weights;  ///< [outputs, inputs], contiguous, updated
  View outputs;  ///< [streams, ticks, outputs], last axis contiguous, written
};

/// A layer under a rule of {loss, gain}.
struct PlasticRun : PlasticBlock {
  Rule rule;    ///< A CustomRule only on the CPU.
  View memory;  ///< [memories of the rule, outputs], contiguous, updated
  Executor executor = Executor::chunkwise;
  std::int64_t chunk = 32;  ///< Samples per chunk, >= 1.
};

/// What holds every weight between two numbers.
struct WeightBounds {
  double low = 0.0;
  double high = 1.0;
};

/// A layer under a rule that is text, with a state of its own for each stream of a batch.
struct EquationRun : PlasticBlock {
  const EquationProgram* program = nullptr;
  std::vector<double> parameters;   ///< Values of the parameters, in the program's order.
  std::vector<double> trace_keeps;  ///< exp(-1/tau) of each trace.
  bool learns = true;               ///< Else weights, eligibility and most memories stay.
  std::int64_t first_tick = 0;      ///< t of the first tick.
  RandomStream random;              ///< Random stream of the program's draws.
  std::int64_t ticks_before = 0;    ///< Draws are those of tick ticks_before + t.
  std::optional<WeightBounds> bounds;
  View memory;          ///< [streams, memories, outputs], contiguous, updated
  View traces;          ///< [streams, traces, inputs], contiguous, updated
  View eligibility;     ///< [streams, outputs, inputs], contiguous, updated; null without a de
  View layer_signals;   ///< [streams, ticks, signals of the layer], contiguous
  View neuron_signals;  ///< [streams, ticks, signals of neurons, outputs], contiguous
  Executor executor = Executor::chunkwise;
  std::int64_t chunk = 32;            ///< Samples per chunk, >= 1.
  std::optional<SynapseChain> chain;  ///< Behind each weight.
  View chained;  ///< [chain length - 1, outputs, inputs], contiguous, updated: u_2, u_3, ...
  /// Makes f(z) in place of the activation and learns at each tick; on the CPU alone.
  LateralTicks* lateral = nullptr;
  /// Precision of products, where a device takes them and no length is carried along.
  MatmulPrecision precision = MatmulPrecision::full;
};

/// A leaky recurrent layer over a block of ticks: h <- (1 - leak) h + leak f(drive + R h).
struct RecurrentRun {
  Activation activation = Activation::tanh;
  double leak = 1.0;
  View drive;      ///< [streams, ticks, n], last axis contiguous
  View recurrent;  ///< R [n, n], contiguous
  View state;      ///< h [streams, n], contiguous, updated
  View outputs;    ///< [streams, ticks, n], last axis contiguous, written
};

/// Temporal pooling over steps [first_step, first_step + steps).
struct PoolRun {
  Pooling pooling = Pooling::last;  ///< Any but legendre, which is a product over concat.
  std::int64_t resolution = 1;      ///< Resolution of the level that pools.
  std::int64_t source_resolution = 1;
  std::int64_t phase = 0;         ///< It ticks at the steps t with (t - phase) % resolution == 0.
  std::int64_t source_phase = 0;  ///< The same of the source.
  std::int64_t first_step = 0;
  std::int64_t steps = 0;
  /// Steps before first_step that the window in progress holds; for ema, all there were.
  std::int64_t steps_held = 0;
  View source;  ///< [streams, source ticks in the range, n], last axis contiguous
  View held;    ///< [streams, n] contiguous: the source before its first tick here; updated
  /// [streams, n] (concat: [streams, resolution, n]) contiguous, updated; 0 where the window in
  /// progress at the end holds nothing, so that checkpoints of all devices are the same.
  View state;
  View outputs;  ///< [streams, ticks in the range, n (concat: resolution n)], contiguous, written
};

/// y [rows, outputs] = x [rows, columns] times codes [outputs, columns], packed as ternary_product
/// says (ternary_product.h).  x and y have one floating dtype; all are contiguous.
struct TernaryRun {
  View x;
  View packed;  ///< int32 [outputs, ceil(columns / 16)].
  View y;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Memory

  /// At least `bytes` bytes, aligned for any vector.  \throws OutOfMemory.
  virtual void* allocate(std::int64_t bytes) = 0;
  virtual void release(void* data, std::int64_t bytes) noexcept = 0;
  virtual void upload(const void* host, void* data, std::int64_t bytes) = 0;
  virtual void download(const void* data, void* host, std::int64_t bytes) = 0;
  /// Copies from the memory of another device without the host; false, and nothing is done, where
  /// there is no such way.
  virtual bool copy_from(Backend& source, const void* from, void* to, std::int64_t bytes) = 0;
  virtual void synchronize() = 0;
  virtual DeviceInfo info() const = 0;
  virtual MemoryStats memory_stats() const = 0;
  virtual void reset_peak_memory() = 0;
  /// 0: none.
  virtual void set_memory_limit(std::int64_t bytes) = 0;
  virtual void trim_memory() = 0;

  // Arrays

  /// y = x, broadcast along axes of stride 0 and cast to y's dtype.  x and y have the same shape.
  virtual void copy(const View& x, const View& y) = 0;
  /// y = value, cast to y's dtype.
  virtual void fill(double value, const View& y) = 0;
  /// x and y: same shape and dtype; y may be x.  Integers only for Negate, Abs, Sign and Square.
  virtual void unary(const Unary& f, const View& x, const View& y) = 0;
  /// dx = dy f'(x), where y = f(x) is given too.  All of one shape and floating dtype; dx may be
  /// dy.
  virtual void unary_slope(const Unary& f, const View& x, const View& y, const View& dy,
                           const View& dx) = 0;
  /// a, b and y: same shape and dtype; y may be a or b.  Bool only for Maximum and Minimum;
  /// floating for Divide, Arctan2, Hypot and LogAddExp.
  virtual void binary(const Binary& f, const View& a, const View& b, const View& y) = 0;
  /// a and b: same shape and dtype; y boolean.
  virtual void compare(const Comparison& f, const View& a, const View& b, const View& y) = 0;
  /// y = a where the condition, which is boolean, holds, and b elsewhere.  a, b and y: same dtype;
  /// all of one shape; y may be b.
  virtual void select(const View& condition, const View& a, const View& b, const View& y) = 0;
  /// y has the shape of x with length 1 along the reduced axes.  Sums and products are carried in
  /// double or int64, norms in double; max and min of nothing are refused above.
  virtual void reduce(Reduction kind, const View& x, const View& y) = 0;
  /// y = sum over the reduced axes of (x - center)^2, in double.  center and y: float64,
  /// contiguous, with the shape of x but for length 1 along the reduced axes.
  virtual void squares(const View& x, const View& center, const View& y) = 0;
  /// Position along the last axis, which is not empty, of the first largest or smallest element, or
  /// of the first NaN.  y: int64, of length 1 along that axis.
  virtual void arg_reduce(ArgReduction kind, const View& x, const View& y) = 0;
  /// y[..., i] = the sum or product of x[..., 0] to x[..., i], carried in double or int64.
  /// y: int64 if x is integer or bool, else the computing dtype of x.
  virtual void scan(Scan kind, const View& x, const View& y) = 0;
  /// y [..., m, n] = a [..., m, k] b [..., k, n], all of one dtype, but float32 y for bfloat16 a
  /// and b; y contiguous.  `precision` is that allowed for float32.  Integers wrap around; of bool
  /// the sum is "or" and the product "and".
  virtual void matmul(const View& a, const View& b, const View& y, MatmulPrecision precision) = 0;
  virtual void ternary_product(const TernaryRun& run) = 0;
  /// Along the last axis, which is not empty; floating, y contiguous.
  virtual void softmax(const View& x, const View& y) = 0;
  /// The logarithm of softmax, under the same conditions.
  virtual void log_softmax(const View& x, const View& y) = 0;
  /// y contiguous; int64 for integers, else float32 or float64.
  virtual void random(const RandomFill& fill, const View& y) = 0;
  /// Index in row-major order of the first element that is NaN or infinite, or -1; floating.
  virtual std::int64_t first_not_finite(const View& x) = 0;

  // Elements by position.  Indices are int64 in [-length, length); negative ones count from the
  // end.

  /// y[..., i, ...] = x[..., indices[..., i, ...], ...] along `axis`.  y has the shape of
  /// `indices`, which is that of x beside the axis, and x's dtype.
  virtual void gather(const View& x, int axis, const View& indices, const View& y) = 0;
  /// The reverse: writes values[..., i, ...] to y[..., indices[..., i, ...], ...], or adds it; i
  /// in ascending order where indices repeat.  values and y have the same dtype, which is not
  /// bfloat16 for adding.
  virtual void scatter(Scatter mode, const View& values, int axis, const View& indices,
                       const View& y) = 0;
  /// Number in row-major order of the first element below `low` or not below `high`, or -1; int64,
  /// contiguous.
  virtual std::int64_t first_outside(const View& x, std::int64_t low, std::int64_t high) = 0;
  /// How many elements of `mask` (bool, contiguous) are true.
  virtual std::int64_t count_true(const View& mask) = 0;
  /// y [count, rank], int64: the positions where `mask` (bool, at least 1-d) is true, in row-major
  /// order, count being that of count_true; both contiguous.
  virtual void positions(const View& mask, const View& y) = 0;

  // Order, by ComesBefore.  No bfloat16.

  /// y = x in order along the last axis; same shape and dtype.
  virtual void sort(SortOrder order, const View& x, const View& y) = 0;
  /// The positions that put x in stable order along its last axis; y (int64) may hold fewer of
  /// them.
  virtual void argsort(SortOrder order, const View& x, const View& y) = 0;
  /// y (int64) = number of elements of `sorted` [n] that come before those of x (left), or that
  /// those of x do not come before (right).
  virtual void search(Side side, const View& sorted, const View& x, const View& y) = 0;

  // Windows on planes

  virtual void convolve(const ConvolutionRun& run) = 0;
  virtual void pool_planes(const PlanePoolRun& run) = 0;

  // Fused operations (backend_fused.h)

  /// Why this device has no such kernel for such operands, to follow "the fused kernel "; empty if
  /// it has one.
  virtual std::string why_not_fused(FusedKernel kernel, DType dtype) const = 0;
  virtual void linear_gelu(const LinearGeluRun& run) = 0;
  virtual void linear_gelu_backward(const LinearGeluBackwardRun& run) = 0;
  virtual void layer_norm(const LayerNormRun& run) = 0;
  virtual void layer_norm_backward(const LayerNormBackwardRun& run) = 0;
  virtual void attention(const AttentionRun& run) = 0;
  virtual void attention_backward(const AttentionBackwardRun& run) = 0;

  // Gradient descent

  /// Step `step` (from 1) of `rule` for every parameter.
  virtual void optimise(const OptimiserRule& rule, std::int64_t step,
                        std::span<const OptimisedViews> parameters) = 0;
  /// Sum of the squares of all elements, in double; float32 or float64, contiguous.
  virtual double sum_of_squares(std::span<const View> views) = 0;
  /// y = factor x for each, the factor rounded to the dtype of x.
  virtual void scale(double factor, std::span<const ScaledViews> arrays) = 0;

  // Learning in time; all views of one run have one floating dtype.

  /// Runs that do not share what they write, and differ only in where their views lie (these have
  /// the same shapes, strides and dtype) and in the numbers of rule and control, not in the kind of
  /// either.  Each gives the bits that it gives alone, if the executor is stepwise or the device
  /// the CPU.
  virtual void plastic(std::span<const PlasticRun> runs) = 0;
  virtual void equations(const EquationRun& run) = 0;
  virtual void recurrent(const RecurrentRun& run) = 0;
  virtual void pool(const PoolRun& run) = 0;

  /// What the device is doing, as far as somebody tells.
  virtual DeviceUsage usage() const {
    return {.why_not = "nothing measures what this kind of device is doing"};
  }
  /// Layers under one text, alike but for their numbers, at once where the device can.
  virtual void equations_together(std::span<const EquationRun> runs) {
    for (const EquationRun& run : runs) equations(run);
  }
  /// Why a layer of these sizes goes sample after sample here though its rule could go chunkwise,
  /// to follow "stepwise, since "; empty where it does go so.  Data are not read, and ticks are as
  /// many as a chunk has.
  virtual std::string why_not_chunkwise(const EquationRun&) const { return {}; }

  // Kernels that a program brings

  /// The one kernel of a source.  \throws CompileError; DeviceError where there is no compiler.
  virtual std::unique_ptr<DeviceKernel> compile_kernel(const KernelSource& source) {
    throw DeviceError("[CudaKernel] " + source.kernels.at(0) + " cannot run on this device");
  }
};

/// The backend of a device.  \throws DeviceError naming the reason and the remedy.
Backend& backend(Device device);

/// Puts a backend in place of what `device` had, and returns that: null if nothing was created
/// there yet.  In place of a null one comes what the machine has, when it is asked for.  For tests
/// and programs that bring a backend of their own; not while another thread computes.
std::unique_ptr<Backend> replace_backend(Device device, std::unique_ptr<Backend> replacement);

// Defined once by each implementation.

std::unique_ptr<Backend> make_cpu_backend();

/// The CUDA devices that a machine shows, on which nothing is created by finding them.
struct CudaDevices {
  int count = 0;
  std::string why_none;  ///< The reason, if there is none.
  /// The backend of one of them.  \throws DeviceError if it cannot be used.
  std::function<std::unique_ptr<Backend>(int index)> make;
};
CudaDevices find_cuda_devices();

}  // namespace gaia
