// SPDX-License-Identifier: MIT
/// \file
/// What a layer makes of its drive: y = f(z).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "elementwise.h"

namespace gaia {

/// gelu is the tanh form, leaky_relu has slope 0.01 below zero, softmax runs over a layer's
/// neurons.
enum class Activation : std::uint8_t { linear, relu, leaky_relu, tanh, sigmoid, softmax, gelu };

std::string to_string(Activation activation);

/// \throws ArgumentError for a name that is none, listing the known ones.
Activation activation_from_name(std::string_view name);

/// f(z) = z.
struct Identity {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return x;
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T) const {
    return T(1);
  }
};

/// Calls `f` with the functor of a pointwise activation.  Softmax, which needs the whole row, comes
/// as Identity: the caller normalises rows itself.
template <class F>
GAIA_HOST_DEVICE decltype(auto) dispatch_activation(Activation activation, F&& f) {
  switch (activation) {
    case Activation::relu:
      return f(Relu{});
    case Activation::leaky_relu:
      return f(LeakyRelu{});
    case Activation::tanh:
      return f(Tanh{});
    case Activation::sigmoid:
      return f(Sigmoid{});
    case Activation::gelu:
      return f(GeluTanh{});
    case Activation::linear:
    case Activation::softmax:
      break;
  }
  return f(Identity{});
}

}  // namespace gaia
