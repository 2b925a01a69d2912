// SPDX-License-Identifier: MIT
/// \file
/// What neurons do to a number.  Slopes at kinks are those of PyTorch.
#pragma once

#include <cmath>
#include <cstdint>

#include "../core/host_device.h"
#include "elementwise_choose.h"

namespace gaia {

/// 1 / (1 + exp(-x)), without overflow for any x.
struct Sigmoid {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::abs;
    using std::exp;
    const T e = exp(-abs(x));
    return choose(x >= T(0), T(1), e) / (T(1) + e);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T y) const {
    using std::abs;
    using std::exp;
    // y (1 - y) without cancellation where y is near 1.
    return choose(x > T(0), y * y * exp(-abs(x)), y * (T(1) - y));
  }
};

/// log(1 / (1 + exp(-x))).
struct LogSigmoid {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::abs;
    using std::exp;
    using std::log1p;
    return choose(x < T(0), x, T(0)) - log1p(exp(-abs(x)));
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    return Sigmoid{}.value(-x);
  }
};

/// max(x, 0); NaN stays NaN.  Slope 0 at 0.
struct Relu {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return choose(x < T(0), T(0), x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    return choose(x <= T(0), T(0), T(1));
  }
};

/// x for x >= 0, negative_slope * x below, slope at 0 included.  Maas, Hannun & Ng (2013).
struct LeakyRelu {
  double negative_slope = 0.01;
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return choose(x < T(0), T(negative_slope) * x, x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    return choose(x > T(0), T(1), T(negative_slope));
  }
};

/// x for x > 0, alpha (exp(x) - 1) below, slope alpha at 0.
/// Clevert, Unterthiner & Hochreiter (2016), arXiv:1511.07289.
struct Elu {
  double alpha = 1.0;
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::expm1;
    return choose(x > T(0), x, T(alpha) * expm1(x));
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::exp;
    return choose(x > T(0), T(1), T(alpha) * exp(x));
  }
};

/// Elu whose two constants keep mean 0 and variance 1 from layer to layer.
/// Klambauer, Unterthiner, Mayr & Hochreiter (2017), arXiv:1706.02515.
struct Selu {
  static constexpr double alpha = 1.6732632423543772848170429916717;
  static constexpr double scale = 1.0507009873554804934193349852946;
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return T(scale) * Elu{alpha}.value(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T y) const {
    return T(scale) * Elu{alpha}.slope(x, y);
  }
};

/// log(1 + exp(beta x)) / beta, and x itself where beta x > threshold.
struct Softplus {
  double beta = 1.0;
  double threshold = 20.0;
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::abs;
    using std::exp;
    using std::log1p;
    const T z = T(beta) * x;
    const T bent = (choose(z > T(0), z, T(0)) + log1p(exp(-abs(z)))) / T(beta);
    return choose(z > T(threshold), x, bent);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    const T z = T(beta) * x;
    return choose(z > T(threshold), T(1), Sigmoid{}.value(z));
  }
};

/// x / (1 + exp(-x)).  Hendrycks & Gimpel (2016), arXiv:1606.08415.
struct Silu {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return x * Sigmoid{}.value(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    const T s = Sigmoid{}.value(x);
    return s * (T(1) + x * (T(1) - s));
  }
};

/// Which of the two forms of gelu below.
enum class GeluForm : std::uint8_t { tanh, exact };

/// x Phi(x), Phi being the normal distribution function, in its tanh form
/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).  Hendrycks & Gimpel (2016), arXiv:1606.08415.
struct GeluTanh {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return x * gate(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    const T s = gate(x);
    const T fade = s * (T(1) - s);
    const T bend = x * fade * T(1.59576912160573071176) * (T(1) + T(0.134145) * x * x);
    return choose(fade == T(0), s, s + bend);  // x^2 may overflow there
  }

 private:
  /// (1 + tanh(u)) / 2 = sigmoid(2 u), which keeps its digits where tanh is near -1.
  template <class T>
  GAIA_HOST_DEVICE T gate(T x) const {
    return Sigmoid{}.value(T(1.59576912160573071176) * (x + T(0.044715) * x * x * x));
  }
};

/// x Phi(x) without approximation.  Hendrycks & Gimpel (2016), arXiv:1606.08415.
struct GeluExact {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return x * phi(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::exp;
    return phi(x) + x * T(0.39894228040143267794) * exp(T(-0.5) * x * x);
  }

 private:
  /// (1 + erf(x / sqrt 2)) / 2, by erfc, which keeps its digits where erf is near -1.
  template <class T>
  GAIA_HOST_DEVICE T phi(T x) const {
    using std::erfc;
    return T(0.5) * erfc(x * T(-0.70710678118654752440));
  }
};

}  // namespace gaia
