// SPDX-License-Identifier: MIT
/// \file
/// Kernels on views that begin anywhere in memory, with rows cut out of longer ones, axes in any
/// order, steps forward, backward and of 0, for what is read and what is written, compared with the
/// CPU. What lies around a view stays as it was.  A failure names its trial, which fails again.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "../../src/array/backend.h"
#include "../emulator/schedules.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/near.h"
#include "../support/trial.h"

namespace gaia::test {
namespace {

Backend& cpu() { return backend(Device::cpu()); }
Backend& gpu() { return backend(EmulatedDevice::device()); }

enum class Use { read, written, contiguous };

struct Numbers {
  bool odd = false;        ///< NaN, infinities and both zeros among floating-point numbers.
  std::int64_t low = -10;  ///< Least of the integers.
  std::int64_t high = 11;  ///< Bound that the integers stay below.
};
constexpr Numbers kOdd{.odd = true};

/// A view of memory that is the same on the CPU and on the emulated GPU.
class Twin {
 public:
  Twin(Trial& trial, const Shape& shape, DType dtype, Use use, const Numbers& numbers = {})
      : dtype_(dtype), shape_(shape), strides_(row_major_strides(shape)) {
    std::int64_t low = 0;
    std::int64_t high = count_elements(shape);
    if (use != Use::contiguous) spread(trial, use == Use::read, low, high);
    // At the beginning of memory, on the border of a pack, or anywhere.
    const std::int64_t lead = trial.below(3) * (trial.below(2) == 0 ? 4 : trial.below(4));
    offset_ = lead - low;
    const std::int64_t count = offset_ + high + 1 + trial.below(3);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& x : values) x = number(trial, numbers);
    const GPUContext scope(Device::cpu());
    on_cpu_ = from_values(values, {count}).astype(dtype);
    on_gpu_ = on_cpu_.to(EmulatedDevice::device());
  }

  View here() const { return of(on_cpu_); }
  View there() const { return of(on_gpu_); }

  /// Whether both have the same numbers, within `units` epsilons of the larger of a number and
  /// `scale`; of 0 units, the same bits, but for those of NaN.
  void check_alike(double units = 0.0, double scale = 1.0) const {
    const std::vector<double> wanted = on_cpu_.to_vector<double>();
    const std::vector<double> got = on_gpu_.to_vector<double>();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (std::memcmp(&got[i], &wanted[i], sizeof(double)) == 0) continue;
      if (std::isnan(got[i]) && std::isnan(wanted[i])) continue;
      const double allowed = units * epsilon(dtype_) * std::max(scale, std::abs(wanted[i]));
      if (units > 0.0 && std::abs(got[i] - wanted[i]) <= allowed) continue;
      INFO("element " << i << " of memory, " << text());
      CHECK(got[i] == wanted[i]);
      CHECK(std::signbit(got[i]) == std::signbit(wanted[i]));
      return;
    }
    SUCCEED();
  }

  std::string text() const {
    return to_string(dtype_) + " " + to_string(shape_) + " with strides " + to_string(strides_) +
           " from element " + std::to_string(offset_) + " on";
  }

 private:
  /// Strides of the axes, innermost first; elements are from `low` to `high` - 1 then.
  void spread(Trial& trial, bool may_repeat, std::int64_t& low, std::int64_t& high) {
    std::vector<int> order;
    for (int axis = shape_.rank() - 1; axis >= 0; --axis) order.push_back(axis);
    const std::int64_t how = trial.below(4);  // in order, rows of longer ones, with repeats, anyhow
    if (how == 3)
      std::rotate(order.begin(), order.begin() + trial.below(4) % (shape_.rank() + 1), order.end());
    std::int64_t next = 1;
    high = 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int axis = order[i];
      const std::int64_t length = shape_[axis];
      std::int64_t step = next;
      if (how == 1 && i > 0)
        step = trial.below(2) == 0 ? (next + 3) / 4 * 4 : next + trial.below(6);
      if (how == 3) step = (step + trial.below(3)) * (trial.below(3) == 0 ? -1 : 1);
      if (may_repeat && how >= 2 && trial.below(3) == 0) step = 0;
      strides_[axis] = step;
      next = std::max(next, std::abs(step) * length);
      if (length > 0) (step < 0 ? low : high) += step * (length - 1);
    }
  }

  double number(Trial& trial, const Numbers& numbers) const {
    if (dtype_ == DType::boolean) return static_cast<double>(trial.below(2));
    if (!is_floating(dtype_))
      return static_cast<double>(numbers.low + trial.below(numbers.high - numbers.low));
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static const std::vector<double> odd = {0.0, -0.0, kInfinity, -kInfinity, std::nan("")};
    if (numbers.odd && trial.below(12) == 0) return pick(trial, odd);
    return static_cast<double>(trial.below(2001) - 1000) / 128.0;
  }

  View of(const Array& memory) const {
    const View all = memory.view();
    return {static_cast<char*>(all.data) + offset_ * size_of(dtype_), dtype_, shape_, strides_};
  }

  DType dtype_;
  Shape shape_;
  Strides strides_;
  std::int64_t offset_ = 0;
  Array on_cpu_;
  Array on_gpu_;
};

DType floating(Trial& trial) { return trial.below(2) == 0 ? DType::float32 : DType::float64; }

/// Neither bool nor bfloat16.
DType number_type(Trial& trial) {
  static const std::vector<DType> types = {DType::int32, DType::int64, DType::float32,
                                           DType::float64};
  return pick(trial, types);
}

/// A shape with elements, of which packs are often a divisor.
Shape some_shape(Trial& trial) {
  Shape shape;
  for (std::int64_t axes = trial.below(5); axes > 0; --axes) {
    const std::int64_t kind = trial.below(4);
    const bool is_long = count_elements(shape) < 100;
    shape.push_back(kind == 0 ? 4 * (1 + trial.below(is_long ? 20 : 2))
                              : 1 + trial.below(kind == 1 && is_long ? 90 : 5));
  }
  return shape;
}

void binary_trial(Trial& trial) {
  static const std::vector<Binary> functions = {Add{},     Subtract{},    Multiply{},  Maximum{},
                                                Minimum{}, FloorDivide{}, Remainder{}, Fmod{}};
  const Binary& f = pick(trial, functions);
  const Shape shape = some_shape(trial);
  const DType dtype = number_type(trial);
  const Twin a(trial, shape, dtype, Use::read, kOdd);
  const Twin b(trial, shape, dtype, Use::read, kOdd);
  const Twin y(trial, shape, dtype, Use::written, kOdd);
  INFO(f.index() << " of " << a.text() << " and " << b.text());
  const std::int64_t place = trial.below(3);  // y may be a or b
  const Twin& left = place == 0 ? y : a;
  const Twin& right = place == 1 ? y : b;
  cpu().binary(f, left.here(), right.here(), y.here());
  gpu().binary(f, left.there(), right.there(), y.there());
  y.check_alike();
}

void select_trial(Trial& trial) {
  const Shape shape = some_shape(trial);
  const DType dtype = trial.dtype();
  const DType compared = number_type(trial);
  const Twin a(trial, shape, compared, Use::read, kOdd);
  const Twin b(trial, shape, compared, Use::read, kOdd);
  const Twin is_less(trial, shape, DType::boolean, Use::written);
  INFO(a.text() << " and " << b.text());
  cpu().compare(Less{}, a.here(), b.here(), is_less.here());
  gpu().compare(Less{}, a.there(), b.there(), is_less.there());
  is_less.check_alike();
  const Twin c(trial, shape, dtype, Use::read, kOdd);
  const Twin y(trial, shape, dtype, Use::written, kOdd);
  INFO("by " << is_less.text() << " " << c.text());
  cpu().select(is_less.here(), c.here(), y.here(), y.here());
  gpu().select(is_less.there(), c.there(), y.there(), y.there());
  y.check_alike();
}

void copy_trial(Trial& trial) {
  const Shape shape = some_shape(trial);
  const Twin x(trial, shape, trial.dtype(), Use::read, kOdd);
  const Twin y(trial, shape, trial.dtype(), Use::written);
  INFO(x.text());
  cpu().copy(x.here(), y.here());
  gpu().copy(x.there(), y.there());
  y.check_alike();
}

void slope_trial(Trial& trial) {
  const Shape shape = some_shape(trial);
  const DType dtype = floating(trial);
  const Twin x(trial, shape, dtype, Use::read);
  const Twin y(trial, shape, dtype, Use::read);
  const Twin dx(trial, shape, dtype, Use::written);
  INFO(x.text() << " and " << y.text());
  cpu().unary_slope(Tanh{}, x.here(), y.here(), dx.here(), dx.here());
  gpu().unary_slope(Tanh{}, x.there(), y.there(), dx.there(), dx.there());
  dx.check_alike(4);
}

void reduce_trial(Trial& trial) {
  Shape shape = some_shape(trial);
  if (trial.below(4) == 0) shape = {1 + trial.below(3), 1 + trial.below(9000)};
  Shape kept = shape;
  for (const std::int64_t axis : normalize_axes(trial.axes(shape.rank()), shape.rank(), "test")) {
    kept[static_cast<int>(axis)] = 1;
  }
  static const std::vector<Reduction> kinds = {Reduction::max, Reduction::min, Reduction::sum,
                                               Reduction::mean, Reduction::norm};
  const Reduction kind = pick(trial, kinds);
  const bool is_extreme = kind == Reduction::max || kind == Reduction::min;
  const DType dtype = trial.dtype();
  DType of_y = dtype == DType::float64 ? dtype : DType::float32;
  if (kind == Reduction::sum && !is_floating(dtype)) of_y = DType::int64;
  if (is_extreme && dtype != DType::bfloat16) of_y = dtype;
  const Twin x(trial, shape, dtype, Use::read, {.odd = is_extreme});
  const Twin y(trial, kept, of_y, Use::written);
  INFO("reduction " << static_cast<int>(kind) << " of " << x.text());
  cpu().reduce(kind, x.here(), y.here());
  gpu().reduce(kind, x.there(), y.there());
  y.check_alike(of_y == DType::float64 ? 2000 : 1);
}

void along_last_trial(Trial& trial) {
  Shape shape = some_shape(trial);
  shape.push_back(1 + trial.below(40));
  while (shape.rank() > 3) shape.erase(0);
  if (trial.below(8) == 0) shape = {1 + trial.below(3), 1 + trial.below(5000)};
  const DType dtype = number_type(trial);
  const Twin x(trial, shape, dtype, Use::read, kOdd);
  INFO(x.text());
  Shape kept = shape;
  kept.back() = 1;
  const Twin where(trial, kept, DType::int64, Use::written);
  cpu().arg_reduce(ArgReduction::min, x.here(), where.here());
  gpu().arg_reduce(ArgReduction::min, x.there(), where.there());
  where.check_alike();
  const Twin order(trial, shape, DType::int64, Use::written);
  cpu().argsort(SortOrder::descending, x.here(), order.here());
  gpu().argsort(SortOrder::descending, x.there(), order.there());
  order.check_alike();
  if (!is_floating(dtype)) {
    const Twin running(trial, shape, DType::int64, Use::written);
    cpu().scan(Scan::sum, x.here(), running.here());
    gpu().scan(Scan::sum, x.there(), running.there());
    return running.check_alike();
  }
  const Twin shares(trial, shape, dtype, Use::contiguous);
  cpu().softmax(x.here(), shares.here());
  gpu().softmax(x.there(), shares.there());
  shares.check_alike(16);
}

void position_trial(Trial& trial) {
  Shape shape = some_shape(trial);
  shape.push_back(trial.below(2) == 0 ? 4 * (1 + trial.below(3)) : 1 + trial.below(9));
  while (shape.rank() > 3) shape.erase(0);
  const int axis = static_cast<int>(trial.below(shape.rank()));
  Shape taken = shape;
  taken[axis] = 1 + trial.below(trial.below(3) == 0 ? 100 : 9);
  const DType dtype = number_type(trial);
  const Numbers places{.low = -shape[axis], .high = shape[axis]};
  const Twin indices(trial, taken, DType::int64, Use::read, places);
  const Twin x(trial, shape, dtype, Use::written, kOdd);
  const Twin y(trial, taken, dtype, Use::written, kOdd);
  INFO("axis " << axis << ", indices " << indices.text() << " of " << x.text());
  cpu().gather(x.here(), axis, indices.here(), y.here());
  gpu().gather(x.there(), axis, indices.there(), y.there());
  y.check_alike();
  const Scatter mode = trial.below(2) == 0 ? Scatter::assign : Scatter::add;
  cpu().scatter(mode, y.here(), axis, indices.here(), x.here());
  gpu().scatter(mode, y.there(), axis, indices.there(), x.there());
  x.check_alike();
}

/// Contiguous, but anywhere in memory, as packs of rows are.
void layer_norm_trial(Trial& trial) {
  const std::int64_t kind = trial.below(3);
  const std::int64_t n = kind == 0   ? 1 + trial.below(9000)
                         : kind == 1 ? 1 + trial.below(40)
                                     : 4 * (1 + trial.below(300));
  const std::int64_t rows = 1 + trial.below(kind == 1 ? 300 : 5);
  const DType dtype = floating(trial);
  const auto twin = [&](const Shape& shape) { return Twin(trial, shape, dtype, Use::contiguous); };
  const Twin x = twin({rows, n});
  const Twin weight = twin({n});
  const Twin bias = twin({n});
  const Twin y = twin({rows, n});
  const Twin mean = twin({rows});
  const Twin rstd = twin({rows});
  const Twin dy = twin({rows, n});
  const Twin dx = twin({rows, n});
  const Twin dweight = twin({n});
  const Twin dbias = twin({n});
  INFO(x.text() << " into " << y.text());
  const bool has_weight = trial.below(2) == 0;
  const bool has_bias = trial.below(2) == 0;
  using Side = View (Twin::*)() const;
  for (const Side of : {&Twin::here, &Twin::there}) {
    Backend& device = of == &Twin::here ? cpu() : gpu();
    const auto if_any = [of](bool is_there, const Twin& of_norm) {
      return is_there ? std::optional((of_norm.*of)()) : std::nullopt;
    };
    device.layer_norm({.x = (x.*of)(),
                       .weight = if_any(has_weight, weight),
                       .bias = if_any(has_bias, bias),
                       .y = (y.*of)(),
                       .mean = (mean.*of)(),
                       .rstd = (rstd.*of)()});
    device.layer_norm_backward({.dy = (dy.*of)(),
                                .x = (x.*of)(),
                                .weight = if_any(has_weight, weight),
                                .mean = (mean.*of)(),
                                .rstd = (rstd.*of)(),
                                .dx = (dx.*of)(),
                                .dweight = (dweight.*of)(),
                                .dbias = (dbias.*of)()});
  }
  for (const Twin* written : {&y, &mean, &rstd, &dweight, &dbias}) written->check_alike(64, 64);
  dx.check_alike(64, n == 1 ? 1e4 : 64);  // there rstd is 316
}

void random_trial(Trial& trial) {
  const DType dtype = floating(trial);
  const Twin y(trial, {trial.below(trial.below(4) == 0 ? 3000 : 20)}, dtype, Use::contiguous);
  const bool is_late = trial.below(2) == 0;
  const RandomFill fill{
      .stream = {trial.seed(), 3},
      .first = (is_late ? (1ull << 34) - 5 : 0) + static_cast<std::uint64_t>(trial.below(9)),
      .distribution = trial.below(2) == 0 ? Distribution::normal : Distribution::uniform,
      .a = -1.5,
      .b = 2.5};
  INFO("from number " << fill.first << " on into " << y.text());
  cpu().random(fill, y.here());
  gpu().random(fill, y.there());
  y.check_alike();
}

/// Some arrays in one launch.
void together_trial(Trial& trial) {
  std::vector<Twin> parameters;
  std::vector<OptimisedViews> here;
  std::vector<OptimisedViews> there;
  std::vector<ScaledViews> scaled_here;
  std::vector<ScaledViews> scaled_there;
  for (std::int64_t left = 1 + trial.below(5); left > 0; --left) {
    const Shape shape = trial.below(3) == 0 ? Shape{1 + trial.below(5000)} : some_shape(trial);
    const DType dtype = floating(trial);
    const bool is_plain = trial.below(2) == 0;
    for (int i = 0; i < 4; ++i) {
      parameters.emplace_back(trial, shape, dtype, is_plain ? Use::contiguous : Use::written);
    }
    const Twin* const of = &parameters.back() - 3;
    here.push_back({of[0].here(), of[1].here(), of[2].here(), {}});
    there.push_back({of[0].there(), of[1].there(), of[2].there(), {}});
    if (!is_plain) continue;
    scaled_here.push_back({of[1].here(), of[3].here()});
    scaled_there.push_back({of[1].there(), of[3].there()});
  }
  const OptimiserRule rule = SgdRule{.learning_rate = 0.1, .momentum = 0.9};
  cpu().optimise(rule, 2, here);
  gpu().optimise(rule, 2, there);
  cpu().scale(0.3, scaled_here);
  gpu().scale(0.3, scaled_there);
  for (const Twin& parameter : parameters) parameter.check_alike(4);
}

void try_each(const std::vector<void (*)(Trial&)>& kinds, std::uint64_t trials) {
  const EmulatedDevice emulated;
  std::size_t schedule = 0;
  for (std::uint64_t number = 1; number <= trials; ++number) {
    INFO("trial " << number);
    Trial trial(number);
    emulator::set_schedule(static_cast<emulator::Schedule>(schedule++ % 5));
    kinds[number % kinds.size()](trial);
  }
  emulator::set_schedule(emulator::Schedule::forward);
}

}  // namespace

TEST_CASE("Elements of views that lie anyhow are read and written where they are") {
  try_each({binary_trial, select_trial, copy_trial, slope_trial, position_trial}, 4000);
}

TEST_CASE("Views that lie anyhow are reduced and ordered as on the CPU") {
  try_each({reduce_trial, along_last_trial}, 300);
}

TEST_CASE("Rows and random numbers and parameters begin anywhere in memory") {
  try_each({layer_norm_trial, random_trial, together_trial}, 300);
}

}  // namespace gaia::test
