// SPDX-License-Identifier: MIT
/// \file
/// Recursive filters of series under SciPy's names, of arrays and of tensors.
///
///     const Array sos = butter_sos(4, {8.0, 12.0}, PassBand::band, 250.0);
///     const SosFiltered first = sosfilt(sos, x, zeros({sos.shape(0), 2}, x.dtype()));
///     const SosFiltered rest = sosfilt(sos, more, first.state);       // goes on where x ended
///
/// Sections are rows b0, b1, b2, a0 = 1, a1, a2 of an array [sections, 6], as SciPy's; formulas and
/// bounds are those of formulas/butterworth.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../autograd/tensor.h"
#include "../formulas/butterworth.h"

namespace gaia {

/// Sections as rows of [sections, 6], float64, on the current device.
Array sos_array(std::span<const SosSection> sections);
/// The sections of such an array.  \throws ShapeError for another shape or none, ArgumentError for
/// a0 that is not 1.
std::vector<SosSection> sos_sections(const Array& sos);

/// Butterworth's filter of an order as sections [sections, 6], float64.  `edges`: one of
/// PassBand::low and high, else two, ascending, between 0 and half of `fs`; with the fs of 2 they
/// are shares of half the rate, as SciPy's without fs.
/// \throws ArgumentError for edges that are not, and an order outside 1 to kMostFilterOrder.
Array butter_sos(std::int64_t order, const std::vector<double>& edges,
                 PassBand pass = PassBand::low, double fs = 2.0);
/// The same filter as zeros, poles and gain.
ZerosPoles butter_zpk(std::int64_t order, const std::vector<double>& edges,
                      PassBand pass = PassBand::low, double fs = 2.0);
/// The analogue one, with edges in rad/s.
ZerosPoles butter_analogue_zpk(std::int64_t order, const std::vector<double>& edges,
                               PassBand pass = PassBand::low);

/// Polynomials of a filter, highest power first: y = b / a x.
struct TransferFunction {
  std::vector<double> b;
  std::vector<double> a;
};
/// Sections of zeros and poles that are real or come with their conjugates.
TransferFunction transfer_function(const ZerosPoles& filter);

/// State of sections at which an input that is 1 for ever gives an output that stays the same:
/// [sections, 2], float64.  \throws ArgumentError for a section with a pole at 1.
Array sosfilt_zi(const Array& sos);

template <class T>
struct SosFilteredOf {
  T values;  ///< The shape of x.
  /// What is carried on: [sections, ...x..., ], with 2 in place of the length of `axis`.
  T state;
};
using SosFiltered = SosFilteredOf<Array>;

/// x filtered along `axis` by one section behind the other (the transposed direct form II),
/// beginning with zeros.  Computed in float64 on the host, and returned in the floating dtype that
/// sos and x promote to.  Of tensors gradients flow to x, to the state and to the coefficients.
/// \throws as sos_sections, ShapeError for a state of another shape.
Array sosfilt(const Array& sos, const Array& x, std::int64_t axis = -1);
Tensor sosfilt(const Tensor& sos, const Tensor& x, std::int64_t axis = -1);
/// The same beginning with a state, which is shaped as the one that is returned, or [sections, 2]
/// for all series alike.
SosFiltered sosfilt(const Array& sos, const Array& x, const Array& state, std::int64_t axis = -1);
SosFilteredOf<Tensor> sosfilt(const Tensor& sos, const Tensor& x, const Tensor& state,
                              std::int64_t axis = -1);

}  // namespace gaia
