// SPDX-License-Identifier: MIT
#include "network_diagnostics.h"

#include "../../io/checkpoint_file.h"

namespace gaia {
namespace {

constexpr const char* kStateName = "diagnostics";

std::vector<double*> places_of_diagnostics(PlasticLinearDiagnostics& values) {
  return {&values.fast_norm,   &values.slow_norm, &values.update_norm,
          &values.weight_norm, &values.sparsity,  &values.gradient_norm};
}

/// Calls visit(number of the layer, layer) for each that has diagnostics.
template <class Visit>
void for_each_plastic_linear(const BuiltNetwork& network, const Visit& visit) {
  for (std::size_t m = 0; m < network.modules.size(); ++m) {
    const auto* const layer =
        dynamic_cast<const PlasticLinear*>(&(*network.net)[network.modules[m]]);
    if (layer != nullptr) visit(m, *layer);
  }
}

}  // namespace

std::vector<LayerDiagnostics> measure_diagnostics(const BuiltNetwork& network) {
  std::vector<LayerDiagnostics> all;
  for_each_plastic_linear(network, [&](std::size_t m, const PlasticLinear& layer) {
    all.push_back({m, layer.diagnostics()});
  });
  return all;
}

void put_diagnostics(ArrayMap& arrays, const std::vector<LayerDiagnostics>& diagnostics) {
  if (diagnostics.empty()) return;
  std::vector<double> numbers;
  for (LayerDiagnostics layer : diagnostics) {
    for (const double* number : places_of_diagnostics(layer.values)) numbers.push_back(*number);
  }
  put_numbers(arrays, kStateName, numbers);
}

std::vector<LayerDiagnostics> take_diagnostics(const ArrayMap& arrays,
                                               const BuiltNetwork& network) {
  std::vector<LayerDiagnostics> all;
  if (!arrays.contains(kStateName)) return all;
  for_each_plastic_linear(network,
                          [&](std::size_t m, const PlasticLinear&) { all.push_back({m, {}}); });
  const std::size_t each = PlasticLinearDiagnostics{}.named().size();
  const std::vector<double> numbers = numbers_of(arrays, kStateName, all.size() * each);
  for (std::size_t l = 0; l < all.size(); ++l) {
    const std::vector<double*> places = places_of_diagnostics(all[l].values);
    for (std::size_t i = 0; i < each; ++i) *places[i] = numbers[l * each + i];
  }
  return all;
}

}  // namespace gaia
