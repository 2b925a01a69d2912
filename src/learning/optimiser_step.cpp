// SPDX-License-Identifier: MIT
#include "optimiser_step.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../array/backend.h"
#include "../array/kernel_families.h"
#include "../array/operands.h"
#include "../array/ops.h"
#include "../core/message.h"

namespace gaia {
namespace {

/// What backends take for gradient descent.
bool is_trained_in(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }

[[noreturn]] void refuse_shape(const Array& got, const Array& parameter, const char* name) {
  fail<ShapeError>("[optimiser_step] expected {} of shape {} like the parameter, got {}", name,
                   parameter.shape(), got.shape());
}

/// An array that the step changes.
void check_changed(const Array& x, const Array& parameter, const char* name) {
  if (!(x.shape() == parameter.shape())) refuse_shape(x, parameter, name);
  if (x.dtype() != parameter.dtype()) {
    fail<DTypeError>("[optimiser_step] expected {} of {} like the parameter, got {}", name,
                     parameter.dtype(), x.dtype());
  }
  if (x.size() > 0 && x.device() != parameter.device()) {
    fail<DeviceError>("[optimiser_step] expected {} on {} like the parameter, got {}", name,
                      parameter.device(), x.device());
  }
  check_writable(x, "optimiser_step");
}

void check(const OptimisedArray& of, int states) {
  const DType dtype = of.parameter.dtype();
  if (!is_trained_in(dtype)) {
    fail<DTypeError>("[optimiser_step] expected float32 or float64 parameters, got {}", dtype);
  }
  check_changed(of.parameter, of.parameter, "a parameter");
  if (!(of.gradient.shape() == of.parameter.shape())) {
    refuse_shape(of.gradient, of.parameter, "a gradient");
  }
  if (of.gradient.dtype() != dtype) {
    fail<DTypeError>(
        "[optimiser_step] expected a gradient of {} like the parameter, got {}; use astype", dtype,
        of.gradient.dtype());
  }
  if (states >= 1) check_changed(of.first, of.parameter, "a first memory");
  if (states >= 2) check_changed(of.second, of.parameter, "a second memory");
}

/// Whether each could be scaled where it lies, on the current device, beside all the others.
bool lie_apart(std::span<const Array> arrays) {
  std::vector<std::pair<const std::byte*, const std::byte*>> places;
  for (const Array& x : arrays) {
    const View view = x.view();
    if (!is_trained_in(view.dtype) || !view.is_contiguous()) return false;
    if (x.size() > 0 && x.device() != current_device()) return false;
    const auto* const first = view.as<std::byte>();
    places.emplace_back(first, first + x.size() * size_of(x.dtype()));
  }
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end(), [](const auto& a, const auto& b) {
           return b.first < a.second;
         }) == places.end();
}

}  // namespace

int state_count(const OptimiserRule& rule) {
  return std::visit([](const auto& one) { return one.states(); }, rule);
}

void optimiser_step(const OptimiserRule& rule, std::int64_t step,
                    std::span<const OptimisedArray> parameters) {
  if (step < 1) fail<ArgumentError>("[optimiser_step] steps count from 1, got {}", step);
  const int states = state_count(rule);
  for (const OptimisedArray& of : parameters) check(of, states);
  std::size_t next = 0;
  while (next < parameters.size()) {
    // Neighbours on one device go together, so that the device may take them in one go.
    const Device device = parameters[next].parameter.device();
    const GPUContext there(device);
    std::vector<Array> gradients;  // kept alive
    std::vector<OptimisedViews> views;
    for (; next < parameters.size() && parameters[next].parameter.device() == device; ++next) {
      const OptimisedArray& of = parameters[next];
      if (of.parameter.size() == 0) continue;
      gradients.push_back(on_current_device(of.gradient, "optimiser_step"));
      OptimisedViews one{of.parameter.view(), gradients.back().view(), {}, {}};
      of.parameter.count_change();
      if (states >= 1) {
        one.first = of.first.view();
        of.first.count_change();
      }
      if (states >= 2) {
        one.second = of.second.view();
        of.second.count_change();
      }
      views.push_back(one);
    }
    if (views.empty()) continue;
    count_call(KernelFamily::optimiser);
    backend(device).optimise(rule, step, views);
  }
}

double total_norm(std::span<const Array> arrays) {
  std::vector<Array> kept;
  std::vector<View> views;
  for (const Array& x : arrays) {
    if (x.size() == 0) continue;
    kept.push_back(on_current_device(x, "total_norm").astype(floating_result(x.dtype())));
    kept.back() = kept.back().contiguous();
    views.push_back(kept.back().view());
  }
  return views.empty() ? 0.0
                       : std::sqrt(backend_for(KernelFamily::optimiser).sum_of_squares(views));
}

std::vector<Array> scaled(std::span<const Array> arrays, double factor) {
  std::vector<Array> kept;
  std::vector<Array> made;
  std::vector<ScaledViews> views;
  for (const Array& x : arrays) {
    if (x.size() == 0 || !is_trained_in(x.dtype())) {
      made.push_back(x * factor);
      continue;
    }
    kept.push_back(on_current_device(x, "scaled").contiguous());
    made.push_back(Array::uninitialized(x.shape(), x.dtype()));
    views.push_back({kept.back().view(), made.back().view()});
  }
  if (!views.empty()) backend_for(KernelFamily::optimiser).scale(factor, views);
  return made;
}

double clip_grad_norm(std::span<const Array> gradients, double max_norm) {
  if (!(max_norm >= 0.0)) {
    fail<ArgumentError>("[clip_grad_norm] expected max_norm >= 0, got {}",
                        std::to_string(max_norm));
  }
  const double norm = total_norm(gradients);
  const double factor = max_norm / (norm + 1e-6);
  // A norm that is NaN goes on too, as in PyTorch: all gradients become NaN.
  if (factor >= 1.0) return norm;
  if (lie_apart(gradients)) {
    std::vector<ScaledViews> views;
    for (const Array& gradient : gradients) {
      views.push_back({gradient.view(), gradient.view()});
      gradient.count_change();
    }
    backend_for(KernelFamily::optimiser).scale(factor, views);
    return norm;
  }
  const std::vector<Array> shorter = scaled(gradients, factor);
  for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i].assign(shorter[i]);
  return norm;
}

}  // namespace gaia
