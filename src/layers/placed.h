// SPDX-License-Identifier: MIT
#pragma once

namespace gaia {

/// `options` with what the place decides, as far as they have it.
template <class Options, class Place>
Options placed(Options options, const Place& place) {
  if constexpr (requires { options.dtype = place.dtype; }) options.dtype = place.dtype;
  if constexpr (requires { options.random = place.random; }) options.random = place.random;
  if constexpr (requires { options.executor = place.executor; }) options.executor = place.executor;
  if constexpr (requires { options.learn = place.learn; }) options.learn = place.learn;
  return options;
}

}  // namespace gaia
