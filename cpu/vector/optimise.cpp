// SPDX-License-Identifier: MIT
#include "optimise.h"

#include "loop.h"
#include "simd.h"
#include "simd_math.h"
#include "variant.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

template <class T, class Formula>
GAIA_INLINE void step_along(const Formula& formula, T* w, const T* g, T* a, T* b, std::int64_t n) {
  for_each_vector<T>(n, [&](std::int64_t i, auto count) {
    Vec<T> parameter = load(w + i, count);
    Vec<T> first = a == nullptr ? Vec<T>(T(0)) : load(a + i, count);
    Vec<T> second = b == nullptr ? Vec<T>(T(0)) : load(b + i, count);
    formula(parameter, load(g + i, count), first, second);
    store(parameter, w + i, count);
    if (a != nullptr) store(first, a + i, count);
    if (b != nullptr) store(second, b + i, count);
  });
}

}  // namespace

template <class T>
GAIA_FLATTEN void optimise_run(const OptimiserRule& rule, std::int64_t step, T* w, const T* g, T* a,
                               T* b, std::int64_t n) {
  with_alternative(rule, [&](const auto& one) {
    const auto formula = one.at_step(step);
    step_along(formula, w, g, a, b, n);
  });
}

template void optimise_run(const OptimiserRule&, std::int64_t, float*, const float*, float*, float*,
                           std::int64_t);
template void optimise_run(const OptimiserRule&, std::int64_t, double*, const double*, double*,
                           double*, std::int64_t);

}  // namespace gaia::cpu::GAIA_VECTOR_SET
