// SPDX-License-Identifier: MIT
#include "rewire.h"

#include <algorithm>
#include <cmath>

#include "../../array/create.h"
#include "../../array/device.h"
#include "../../array/functions.h"
#include "../../array/ops.h"
#include "../../array/reductions.h"

namespace gaia {
namespace {

/// w (1 / |w|) or w min(1, bound / |w|) for each row, as the executors have it.
Array normalized_rows(const Array& weights, const WeightControl& control) {
  const Array square = sum(weights * weights, {1}, true);
  const bool unit = control.normalization == Normalization::l2;
  const double scale = unit ? 1.0 : control.bound;
  const Array too_long = square > (unit ? 0.0 : control.bound * control.bound);
  return weights * where(too_long, scale / sqrt(square), 1.0 + square * 0.0);  // Inf gives NaN
}

}  // namespace

Rewire::Rewire(const RewireOptions& options, std::int64_t inputs, std::int64_t outputs, DType dtype,
               const RandomStream& random)
    : options_(options),
      random_(RandomStream::named(random.seed, "synapses/" + std::to_string(random.stream))),
      inputs_(inputs),
      outputs_(outputs) {
  check(options_);
  const std::int64_t count = rounded_share(options_.density, inputs);
  std::vector<double> mask(static_cast<std::size_t>(outputs * inputs), 0.0);
  std::vector<double> drawn(static_cast<std::size_t>(inputs));
  std::vector<std::int64_t> all(static_cast<std::size_t>(inputs));
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = static_cast<std::int64_t>(j);
  for (std::int64_t i = 0; i < outputs; ++i) {
    random_.uniforms(static_cast<std::uint64_t>(i * inputs), drawn);
    for (const std::int64_t j : least(all, drawn, count)) {
      mask[static_cast<std::size_t>(i * inputs + j)] = 1.0;
    }
  }
  mask_ = from_values(mask, {outputs, inputs}).astype(dtype);
  const bool reads_products = options_.by == RewireOptions::By::products;
  products_ = zeros({reads_products ? outputs : 0, inputs}, dtype);
  const GPUContext host(Device::cpu());  // which counts ticks without waiting for the device
  ticks_ = zeros({1}, DType::int64);
}

void Rewire::hold(const Array& of_synapses) const { of_synapses *= mask_; }

void Rewire::end_tick(const Array& x, const Array& y, const Array& weights,
                      std::span<const Array> others, const WeightControl& control,
                      const std::optional<WeightBounds>& bounds) {
  hold(weights);
  for (const Array& other : others) hold(other);
  if (control.normalization != Normalization::none) {
    weights.assign(normalized_rows(weights, control));
  }
  if (bounds) {
    weights.assign(minimum(maximum(weights, bounds->low), bounds->high));
    hold(weights);
  }
  const std::int64_t tick = static_cast<std::int64_t>(ticks_.item()) + 1;
  ticks_.fill(static_cast<double>(tick));
  if (options_.until > 0 && tick > options_.until) return;
  if (products_.size() > 0) {
    const std::int64_t streams = x.shape(0);
    const Array answers = y.reshape({streams, outputs_});
    const Array samples = on_current_device(x, "rewire").reshape({streams, inputs_});
    products_ += matmul(answers.transpose(), samples.astype(products_.dtype())) *
                 (1.0 / static_cast<double>(streams));
  }
  const bool is_time = options_.every > 0 && tick % options_.every == 0;
  if (is_time) turn_over(weights, others, tick / options_.every);
}

void Rewire::turn_over(const Array& weights, std::span<const Array> others, std::int64_t round) {
  const std::vector<double> w = weights.to_vector<double>();
  const std::vector<double> sums = products_.to_vector<double>();
  std::vector<double> mask = mask_.to_vector<double>();
  std::vector<double> keys(static_cast<std::size_t>(inputs_));
  for (std::int64_t i = 0; i < outputs_ && options_.share > 0; ++i) {
    const auto first = static_cast<std::size_t>(i * inputs_);
    const std::span row(mask.data() + first, keys.size());
    if (options_.by == RewireOptions::By::random) {
      // Numbers of no other neuron and time.
      random_.uniforms(static_cast<std::uint64_t>((round * outputs_ + i) * inputs_), keys);
    } else {
      for (std::size_t j = 0; j < keys.size(); ++j) keys[j] = -std::abs(sums[first + j]);
    }
    const auto there = static_cast<std::int64_t>(std::ranges::count(row, 1.0));
    gaia::turn_over(row, std::span(w).subspan(first, keys.size()), keys,
                    rounded_share(options_.share, there));
  }
  mask_.assign(from_values(mask, {outputs_, inputs_}));
  hold(weights);
  for (const Array& other : others) hold(other);
  if (products_.size() > 0) products_.fill(0.0);
}

void Rewire::keep(ArrayUndo& undo) {
  undo.keep(mask_);
  if (products_.size() > 0) undo.keep(products_);
  undo.keep(ticks_);
}

Rewire Rewire::copy() const {
  Rewire twin = *this;
  twin.mask_ = mask_.copy();
  twin.products_ = products_.copy();
  twin.ticks_ = ticks_.copy();
  return twin;
}

void Rewire::move_to_current_device() {
  mask_ = on_current_device(mask_, "rewire");
  products_ = on_current_device(products_, "rewire");
}

}  // namespace gaia
