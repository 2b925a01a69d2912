// SPDX-License-Identifier: MIT
/// \file
/// Numbers behind each weight that hold what it was, each slower than the one before.
#pragma once

#include <cmath>
#include <cstdint>

namespace gaia {

/// The chain of Benna and Fusi (2016, Nat. Neurosci. 19, 1697-1706).  Behind each weight, u_1 = w,
/// stand u_2 .. u_m, which begin at 0.  At each tick that learns all of them move at once, from
/// what they were before the tick,
///
///     u_k <- u_k + rate ratio^(2-2k) (u_(k-1) - u_k) + rate ratio^(1-2k) (u_(k+1) - u_k),
///
/// u_1 without the first of the two terms and u_m with u_(m+1) = 0; and w gets dw as ever, from the
/// weights before the tick.  A change of w is remembered by its inverse root of the age up to about
/// ratio^(2m-2) / rate ticks.  The defaults of rate (alpha) and ratio (n) are the paper's.
struct SynapseChain {
  static constexpr std::int64_t kLongest = 32;
  std::int64_t length = 10;  ///< Numbers of a synapse, with its weight, 2 to kLongest.
  double ratio = 2.0;        ///< Between the sizes of neighbours, >= 1.
  double rate = 0.25;        ///< In (0, 0.5], where each number stays between those around it.

  bool operator==(const SynapseChain&) const = default;
};

/// What draws number k of a chain, from 0, towards the ones before and behind it, as numbers T.
template <class T>
struct ChainPulls {
  std::int64_t length = 0;
  T before[SynapseChain::kLongest] = {};
  T behind[SynapseChain::kLongest] = {};

  ChainPulls() = default;
  explicit ChainPulls(const SynapseChain& chain) : length(chain.length) {
    for (std::int64_t k = 0; k < length; ++k) {
      const auto twice = static_cast<double>(2 * k);
      before[k] = static_cast<T>(k == 0 ? 0.0 : chain.rate * std::pow(chain.ratio, -twice));
      behind[k] = static_cast<T>(chain.rate * std::pow(chain.ratio, -twice - 1.0));
    }
  }
};

}  // namespace gaia
