// SPDX-License-Identifier: MIT
#include "rewire.h"

#include <algorithm>
#include <cmath>

#include "../../array/create.h"
#include "../../array/device.h"
#include "../../array/functions.h"
#include "../../array/ops.h"
#include "../../array/reductions.h"
#include "../../core/message.h"
#include "../../core/names.h"

namespace gaia {
namespace {

constexpr NameTable<RewireOptions::By, 2> kGrowths = {
    {{"random", RewireOptions::By::random}, {"products", RewireOptions::By::products}}};

/// The `count` of `candidates` with the least keys, of equals those that stand first.
std::vector<std::int64_t> least(std::vector<std::int64_t> candidates, const double* keys,
                                std::int64_t count) {
  std::ranges::stable_sort(candidates, {}, [&](std::int64_t j) { return keys[j]; });
  candidates.resize(static_cast<std::size_t>(count));
  return candidates;
}

std::int64_t rounded_share(double share, std::int64_t of) {
  return std::max<std::int64_t>(1, std::llround(share * static_cast<double>(of)));
}

/// w (1 / |w|) or w min(1, bound / |w|) for each row, as the executors have it.
Array normalized_rows(const Array& weights, const WeightControl& control) {
  const Array square = sum(weights * weights, {1}, true);
  const bool unit = control.normalization == Normalization::l2;
  const double scale = unit ? 1.0 : control.bound;
  const Array too_long = square > (unit ? 0.0 : control.bound * control.bound);
  return weights * where(too_long, scale / sqrt(square), 1.0 + square * 0.0);  // Inf gives NaN
}

}  // namespace

void RewireOptions::keys(ConfigVisitor& v) {
  v.number({"density", "share of a neuron's inputs that have a synapse", true}, density,
           {0.0, 1.0, true});
  v.integer({"every", "ticks between two times at which synapses go and come", true}, every, {1});
  v.choice({"by", "which inputs get a synapse"},
           {{"random", "products"},
            [this] { return name_of(kGrowths, by); },
            [this](const std::string& word) { by = from_name(kGrowths, word, "rewire.by"); }});
  v.number({"share", "of its synapses that a neuron changes at a time"}, share, {0.0, 1.0});
  v.integer({"until", "ticks after which synapses stay; 0 is no end"}, until, {0});
}

Rewire::Rewire(const RewireOptions& options, std::int64_t inputs, std::int64_t outputs, DType dtype,
               const RandomStream& random)
    : options_(options),
      random_(RandomStream::named(random.seed, "synapses/" + std::to_string(random.stream))),
      inputs_(inputs),
      outputs_(outputs) {
  const auto& [density, every, by, share, until] = options_;
  require(density > 0 && density <= 1, "[rewire] density must be in (0, 1], got {}", density);
  require(every >= 1, "[rewire] every must be >= 1, got {}", static_cast<double>(every));
  require(share >= 0 && share <= 1, "[rewire] share must be in [0, 1], got {}", share);
  require(until >= 0, "[rewire] until must be >= 0, got {}", static_cast<double>(until));
  const std::int64_t count = rounded_share(density, inputs);
  std::vector<double> mask(static_cast<std::size_t>(outputs * inputs), 0.0);
  std::vector<double> drawn(static_cast<std::size_t>(inputs));
  std::vector<std::int64_t> all(static_cast<std::size_t>(inputs));
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = static_cast<std::int64_t>(j);
  for (std::int64_t i = 0; i < outputs; ++i) {
    random_.uniforms(static_cast<std::uint64_t>(i * inputs), drawn);
    for (const std::int64_t j : least(all, drawn.data(), count)) {
      mask[static_cast<std::size_t>(i * inputs + j)] = 1.0;
    }
  }
  mask_ = from_values(mask, {outputs, inputs}).astype(dtype);
  const bool reads_products = by == RewireOptions::By::products;
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
  if (tick % options_.every == 0) turn_over(weights, others, tick / options_.every);
}

void Rewire::turn_over(const Array& weights, std::span<const Array> others, std::int64_t round) {
  const std::vector<double> w = weights.to_vector<double>();
  const std::vector<double> sums = products_.to_vector<double>();
  std::vector<double> mask = mask_.to_vector<double>();
  std::vector<double> keys(static_cast<std::size_t>(inputs_));
  for (std::int64_t i = 0; i < outputs_ && options_.share > 0; ++i) {
    double* const row = mask.data() + i * inputs_;
    std::vector<std::int64_t> there, absent;
    for (std::int64_t j = 0; j < inputs_; ++j) (row[j] != 0.0 ? there : absent).push_back(j);
    const std::int64_t count =
        std::min(rounded_share(options_.share, std::ssize(there)), std::ssize(absent));
    for (const std::int64_t j : there) {
      keys[static_cast<std::size_t>(j)] = std::abs(w[static_cast<std::size_t>(i * inputs_ + j)]);
    }
    const std::vector<std::int64_t> gone = least(there, keys.data(), count);
    if (options_.by == RewireOptions::By::random) {
      // Numbers of no other neuron and time.
      random_.uniforms(static_cast<std::uint64_t>((round * outputs_ + i) * inputs_), keys);
    } else {
      for (const std::int64_t j : absent) {
        keys[static_cast<std::size_t>(j)] =
            -std::abs(sums[static_cast<std::size_t>(i * inputs_ + j)]);
      }
    }
    for (const std::int64_t j : least(absent, keys.data(), count)) row[j] = 1.0;
    for (const std::int64_t j : gone) row[j] = 0.0;
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
