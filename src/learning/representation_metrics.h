// SPDX-License-Identifier: MIT
/// \file
/// What a layer represents: in how many directions it answers, how selective its neurons are, how
/// different their weights, and what of the samples its answers keep.
///
/// Arrays may have any dtype and lie on any device; all is computed in double precision on the
/// host, and neither large nor small numbers leave its range.  What the numbers do not define is
/// NaN, as said there, and so is what is computed from a number that is not finite.  All of them
/// throw ShapeError for an array that has not the two axes which are named.
#pragma once

#include <cstdint>
#include <vector>

#include "../array/array.h"

namespace gaia::metrics {

struct RepresentationRank {
  double effective = 0.0;      ///< exp(-sum_i p_i ln p_i), p_i = s_i / sum_k s_k.
  double participation = 0.0;  ///< (sum_i s_i^2)^2 / sum_i s_i^4.
  std::int64_t numerical = 0;  ///< How many s_i are more than rounding compared with the largest.
};

/// In how many directions responses [samples, neurons] vary, by the singular values s_i of the
/// responses less their means over samples (of the responses as they are if not `centred`).
/// All three are between 1 and the smaller side, equal to k where k directions have the same
/// variance and the others none, and 0 where nothing varies.  What is rounding is left out: s_i^2
/// up to n 2^-52 s_1^2, n being the larger side, and of float32 s_i up to n 2^-23 s_1.  A neuron
/// that answers with noise raises them: they count directions, whatever these are good for.
/// effective: Roy & Vetterli (2007), EUSIPCO, 606-610.  participation: Abbott, Rajan & Sompolinsky
/// (2011), in The Dynamic Brain, 65-82.  Costs the product of both sides and the smaller one, and
/// the third power of that.
RepresentationRank representation_rank(const Array& responses, bool centred = true);

/// The selectivity of each neuron, [neurons],
///     1 - mean_s y_s / max_s y_s
/// over the responses y [samples, neurons] to one sample of each kind: 0 of one that answers all
/// alike, 1 - 1/samples of one that answers a single sample and the others with 0.  Where responses
/// below 0 outweigh the others it is above 1.  NaN where no response is above 0.
/// Bienenstock, Cooper & Munro (1982), J. Neurosci. 2, 32-48.
std::vector<double> selectivity(const Array& responses);

/// The lifetime sparseness of each neuron, [neurons],
///     (1 - a) / (1 - 1/n),   a = (sum_s y_s / n)^2 / (sum_s y_s^2 / n)
/// over its n responses y [samples, neurons]: 0 of one that answers all alike, 1 of one that
/// answers a single sample.  NaN where there is one sample, or every response is 0.  Treves & Rolls
/// (1991), Network 2, 371-397, have a; Vinje & Gallant (2000), Science 287, 1273-1276, scale it.
///
/// \throws ArgumentError for a response below 0, of which the formula knows nothing.
std::vector<double> lifetime_sparseness(const Array& responses);
/// The same of each sample over the neurons, [samples]: 1 where one neuron answers it.
std::vector<double> population_sparseness(const Array& responses);

/// How far apart the directions of neurons with weights [neurons, inputs] are,
///     1 - mean over pairs of cos^2(w_i, w_j):
/// 1 where all are at right angles, 0 where all lie on one line, on average 1 - 1/inputs of random
/// directions.  The frame potential of Benedetto & Fickus (2003), Adv. Comput. Math. 18, 357-385,
/// without its diagonal.  NaN of one neuron, and where one has no weights but 0.
double orthogonality(const Array& weights);

/// The largest |cos(w_i, w_j)| among pairs of neurons with weights [neurons, inputs]: 0 where all
/// are at right angles, 1 where two have one direction.  Donoho & Huo (2001), IEEE Trans. Inf.
/// Theory 47, 2845-2862.  NaN as orthogonality.
double mutual_coherence(const Array& weights);

/// What answers W x do not keep of samples [samples, inputs], weights being [neurons, inputs]:
///     sum_s |x_s - P x_s|^2 / sum_s |x_s|^2,
/// P the projection onto the span of the weights, which is the best that a linear readout of the
/// answers can give back.  Between 0 and 1, whatever the lengths of the weights; of orthonormal
/// ones it is the error of W^T W x.  The least that m neurons can have is the share of the
/// eigenvalues of mean x x^T beyond the first m (Baldi & Hornik 1989, Neural Networks 2, 53-58).
/// NaN where every sample is 0.  If `centred`, x is less its mean over samples.
///
/// \throws ShapeError unless both have as many inputs.
double reconstruction_error(const Array& samples, const Array& weights, bool centred = false);

/// How much of the span of directions [k, inputs], linearly independent, lies within that of
/// weights [neurons, inputs]: the mean over the k of cos^2 of the principal angles (Björck & Golub
/// 1973, Math. Comp. 27, 579-594).  1 where they are all there, 0 where they are at right angles to
/// it or all weights are 0, on average neurons/inputs of random weights.  Of one neuron and one
/// direction it is cos^2 of the angle between them.
///
/// \throws ShapeError unless both have as many inputs, ArgumentError for directions that are not
/// independent.
double subspace_score(const Array& weights, const Array& directions);

}  // namespace gaia::metrics
