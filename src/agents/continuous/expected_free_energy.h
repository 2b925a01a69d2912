// SPDX-License-Identifier: MIT
/// \file
/// The expected free energy of what an ensemble of Gaussian members predicts.
#pragma once

#include <cstdint>
#include <vector>

#include "../../array/array.h"

namespace gaia::agents {

/// What is preferred to be observed: a normal distribution P(o) with mean `target` and independent
/// dimensions.  A precision, one over the variance, of 0 says that the dimension does not matter.
struct GaussianPreference {
  std::vector<double> target;
  std::vector<double> precision;
};

/// \throws ArgumentError unless there is a finite target and a precision of 0 or more for each of
///         so many dimensions.
void check(const GaussianPreference& preference, std::int64_t dimensions);

/// In nats, float64, each of the shape of the predictions without the axes of members and
/// dimensions.
struct GaussianFreeEnergy {
  Array cross_entropy;     ///< -E_Q(o)[ln P(o)].
  Array information_gain;  ///< H[Q(o)] - ambiguity.
  Array risk;              ///< KL[Q(o) || P(o)] = cross_entropy - H[Q(o)].
  Array ambiguity;         ///< E_members[H[Q(o | member)]].
};

/// The parts of the expected free energy of an observation o that member e expects to be
/// N(m_e, S_e), with S_e diagonal; all E members count alike.  Q(o) is the normal distribution with
/// the mean and covariance of their mixture,
///
///     mu = mean m_e,  S = S_ale + S_epi,  S_ale = mean S_e,  S_epi = mean (m_e - mu)(m_e - mu)^T
///
/// and with P(o) = N(o*, L^-1), L diagonal,
///
///     cross_entropy    = 1/2 [(mu - o*)^T L (mu - o*) + tr(L S) - ln det(L / 2 pi)]
///     ambiguity        = 1/2 mean ln det(2 pi e S_e)
///     information_gain = 1/2 ln det S - 1/2 mean ln det S_e
///     risk             = cross_entropy - 1/2 ln det(2 pi e S)
///
/// so that G = risk + ambiguity = cross_entropy - information_gain.  The cross-entropy is that of
/// the mixture itself.  The gain is at least the mixture's mutual information of o and the member,
/// as no distribution with this covariance has more entropy than the normal one.  Dimensions of
/// precision 0 are left out of det(L / 2 pi): there P(o) is flat and has no norm, and the risk is a
/// divergence up to a constant that is the same for all predictions.
///
/// means and log_variances: [members, ..., dimensions].
/// \throws ShapeError unless they have the same shape of two axes or more, ArgumentError for a
///         preference that does not fit.
GaussianFreeEnergy gaussian_free_energy(const Array& means, const Array& log_variances,
                                        const GaussianPreference& preference);

/// ln det of symmetric positive definite matrices, one for each element: lower[i][j], j <= i, is
/// the entry of row i and column j of all of them.
Array log_determinant(std::vector<std::vector<Array>> lower);

}  // namespace gaia::agents
