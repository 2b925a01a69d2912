// SPDX-License-Identifier: MIT
/// \file
/// Transforms of short real rows side by side: as complex ones of half the length, made of the
/// numbers at even and at odd places.
#pragma once

#include <cstdint>

#include "fourier_lanes.hpp"
#include "fourier_plan.hpp"
#include "fourier_roots.hpp"
#include "fourier_rows.h"

namespace gaia::fourier {

/// Up to kCount rows of 2 half numbers: half + 1 numbers of each.
template <class T>
void transform_real_direct(std::int64_t half, std::int64_t count, T scale, const T* x,
                           const ComplexNumbers<T>& roots, ComplexPointers<T> y) {
  using L = RowLanes<T>;
  const std::int64_t bins = half + 1;
  const auto transform = lanes_transform<T>(half);
  Workspace<ComplexLanes<T>> space(half + bins);
  ComplexLanes<T>* const in = space.data();
  ComplexLanes<T>* const z = in + bins;
  auto* const places = reinterpret_cast<Lanes<T>*>(in);  // even and odd ones by turns
  L::read(x, 2 * half, count, 2 * half, [&](std::int64_t j, Lanes<T> one) { places[j] = one; });
  transform->run(in, z);
  const Lanes<T> whole(scale);
  const Lanes<T> part(scale / T(2));
  const Lanes<T> none(T(0));
  in[0] = {whole * (z[0].real() + z[0].imag()), none};
  in[half] = {whole * (z[0].real() - z[0].imag()), none};
  for (std::int64_t k = 1; k <= half / 2; ++k) {  // as transform_real_rows, number by number
    const ComplexLanes<T>& a = z[k];
    const ComplexLanes<T>& b = z[half - k];
    const Lanes<T> cosine(roots.real[static_cast<std::size_t>(k)]);
    const Lanes<T> sine(roots.imag[static_cast<std::size_t>(k)]);
    const Lanes<T> er = a.real() + b.real();
    const Lanes<T> ei = a.imag() - b.imag();
    const Lanes<T> o_r = a.imag() + b.imag();
    const Lanes<T> oi = b.real() - a.real();
    const Lanes<T> tr = o_r * cosine - oi * sine;
    const Lanes<T> ti = o_r * sine + oi * cosine;
    in[k] = {part * (er + tr), part * (ei + ti)};
    in[half - k] = {part * (er - tr), part * (ti - ei)};
  }
  L::write(y.real, bins, count, bins, [&](std::int64_t k) { return in[k].real(); });
  L::write(y.imag, bins, count, bins, [&](std::int64_t k) { return in[k].imag(); });
}

/// The inverse.
template <class T>
void transform_to_real_direct(std::int64_t half, std::int64_t count, T scale,
                              ComplexPointers<const T> x, const ComplexNumbers<T>& roots, T* y) {
  using L = RowLanes<T>;
  const std::int64_t bins = half + 1;
  const auto transform = lanes_transform<T>(half);
  Workspace<ComplexLanes<T>> space(half + bins);
  ComplexLanes<T>* const in = space.data();
  ComplexLanes<T>* const z = in + bins;
  L::read(x.real, bins, count, bins, [&](std::int64_t k, Lanes<T> one) { in[k].real(one); });
  L::read(x.imag, bins, count, bins, [&](std::int64_t k, Lanes<T> one) { in[k].imag(one); });
  // Parts change places, by which a transform becomes its inverse.
  z[0] = {in[0].real() - in[half].real(), in[0].real() + in[half].real()};
  for (std::int64_t k = 1; k <= half / 2; ++k) {  // as transform_to_real_rows, number by number
    const ComplexLanes<T>& a = in[k];
    const ComplexLanes<T>& b = in[half - k];
    const Lanes<T> cosine(roots.real[static_cast<std::size_t>(k)]);
    const Lanes<T> sine(roots.imag[static_cast<std::size_t>(k)]);
    const Lanes<T> er = a.real() + b.real();
    const Lanes<T> ei = a.imag() - b.imag();
    const Lanes<T> dr = a.real() - b.real();
    const Lanes<T> di = a.imag() + b.imag();
    const Lanes<T> o_r = dr * cosine + di * sine;
    const Lanes<T> oi = di * cosine - dr * sine;
    z[k] = {ei + o_r, er - oi};
    z[half - k] = {o_r - ei, er + oi};
  }
  transform->run(z, in);
  const Lanes<T> factor(scale);
  L::write(y, 2 * half, count, 2 * half, [&](std::int64_t j) {
    return (j % 2 == 0 ? in[j / 2].imag() : in[j / 2].real()) * factor;
  });
}

}  // namespace gaia::fourier
