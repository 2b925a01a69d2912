// SPDX-License-Identifier: MIT
#include "rewiring_steps.h"

#include "../array/create.h"
#include "../array/ops.h"

namespace gaia {

Rewiring::Rewiring(Module& net, Optimiser& optimiser) : optimiser_(optimiser) { find(net); }

void Rewiring::find(Module& module) {
  if (auto* const dense = dynamic_cast<RewiredDense*>(&module)) {
    const std::vector<Tensor>& all = optimiser_.parameters();
    std::size_t at = 0;
    while (at < all.size() && &all[at].value() != &dense->weights().value()) ++at;
    // Weights that are not trained keep their mask.
    if (at < all.size()) layers_.push_back({dense, at, {}});
  }
  for (const auto& [name, child] : module.children()) find(*child);
}

void Rewiring::mask_gradients(std::int64_t step) {
  for (Layer& layer : layers_) {
    layer.dense->round_mask();
    Tensor weights = layer.dense->weights();
    if (!weights.has_grad()) continue;
    const bool by_products = layer.dense->rewire().by == RewireOptions::By::products;
    const bool is_first = layer.gradient.size() == 0;  // call of this step: others add nothing
    if (by_products && is_first && layer.dense->turns_over(step)) {
      layer.gradient = weights.grad().copy();
    }
    // A new array: gradients of several parameters may share one.
    weights.set_grad(weights.grad() * layer.dense->mask());
  }
}

void Rewiring::end_step(std::int64_t step) {
  for (Layer& layer : layers_) {
    layer.dense->hold(layer.dense->weights().value());
    if (!layer.dense->turns_over(step)) continue;
    const bool by_products = layer.dense->rewire().by == RewireOptions::By::products;
    if (by_products && layer.gradient.size() == 0) continue;  // no gradient reached it
    optimiser_.forget(layer.parameter, layer.dense->turn_over(step, layer.gradient));
    layer.gradient = Array();
  }
}

}  // namespace gaia
