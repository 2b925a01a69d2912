// SPDX-License-Identifier: MIT
/// \file
/// Activations, y = f(z): what a layer makes of its drive.  Slopes at kinks are those of PyTorch.
///
/// Each is a functor with its facts and below a function of every element of an array or a tensor.
/// To add one, write it, and name it in ActivationFunctions; for `activation:` in experiments and
/// options of layers, name it in Activation and ActivationTable too.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "../core/host_device.h"
#include "elementwise_choose.h"
#include "elementwise_facts.h"
#include "elementwise_trigonometric.h"
#include "representable.h"

namespace gaia {

/// 1 / (1 + exp(-x)), without overflow for any x.
struct Sigmoid {
  static constexpr UnaryFacts facts{"sigmoid", "1 / (1 + exp(-x)).", Work::medium, Slope::of_both};
  static constexpr const char* layer = "Sigmoid";
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

struct LogSigmoid {
  static constexpr UnaryFacts facts{"log_sigmoid", "log(1 / (1 + exp(-x))).", Work::medium};
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
  static constexpr UnaryFacts facts{"relu", "max(x, 0).", Work::light, Slope::of_y};
  static constexpr const char* layer = "ReLU";
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
  static constexpr UnaryFacts facts{"leaky_relu", "x where it is positive, else 0.01 x.",
                                    Work::medium};
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
  static constexpr UnaryFacts facts{"elu", "x where it is positive, else exp(x) - 1.",
                                    Work::medium};
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
  static constexpr UnaryFacts facts{
      "selu", "elu whose two constants keep mean 0 and variance 1 from layer to layer.",
      Work::medium};
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
  static constexpr UnaryFacts facts{"softplus", "log(1 + exp(x)).", Work::heavy};
  static constexpr const char* layer = "Softplus";
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
  static constexpr UnaryFacts facts{"silu", "x sigmoid(x).", Work::medium};
  static constexpr const char* layer = "SiLU";
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

/// x tanh(log(1 + exp(x))), without overflow.  Misra (2019), arXiv:1908.08681.
struct Mish {
  static constexpr UnaryFacts facts{"mish", "x tanh(log(1 + exp(x))).", Work::medium};
  static constexpr const char* layer = "Mish";
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return x * gate(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    const T g = gate(x);
    return g + x * (T(1) - g * g) * Sigmoid{}.value(x);
  }

 private:
  /// tanh(log(1 + t)) = (t^2 + 2 t) / (t^2 + 2 t + 2) with t = exp(x), divided by t^2 for x >= 0.
  template <class T>
  GAIA_HOST_DEVICE T gate(T x) const {
    using std::abs;
    using std::exp;
    const T e = exp(-abs(x));
    const T above = choose(x >= T(0), T(1) + T(2) * e, e * (e + T(2)));
    return above / (above + choose(x >= T(0), T(2) * e * e, T(2)));
  }
};

/// x min(max(x + 3, 0), 6) / 6; slope 0 at -3 and 1 at 3.  Howard et al. (2019), arXiv:1905.02244.
struct HardSwish {
  static constexpr UnaryFacts facts{"hardswish", "x min(max(x + 3, 0), 6) / 6.", Work::light};
  static constexpr const char* layer = "Hardswish";
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    const T bent = x * (x + T(3)) / T(6);
    return choose(x <= T(-3), T(0), choose(x >= T(3), x, bent));
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    const T bent = x / T(3) + T(0.5);
    return choose(x <= T(-3), T(0), choose(x >= T(3), T(1), bent));
  }
};

/// Which of the two forms of gelu below.
enum class GeluForm : std::uint8_t { tanh, exact };

/// x Phi(x), Phi being the normal distribution function, in its tanh form
/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).  Hendrycks & Gimpel (2016), arXiv:1606.08415.
struct GeluTanh {
  static constexpr UnaryFacts facts{
      "gelu", "x times the normal distribution function, by its form of tanh.", Work::medium};
  static constexpr const char* layer = "GELU";
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
  static constexpr UnaryFacts facts{"gelu", nullptr, Work::heavy};
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

/// Those that stand in this file.
using ActivationFunctions = FunctionList<Sigmoid, LogSigmoid, Relu, LeakyRelu, Elu, Selu, Softplus,
                                         Silu, Mish, HardSwish, GeluTanh, GeluExact>;

auto sigmoid(const Elementwise auto& x) { return elementwise(Sigmoid{}, x); }
auto log_sigmoid(const Elementwise auto& x) { return elementwise(LogSigmoid{}, x); }
auto relu(const Elementwise auto& x) { return elementwise(Relu{}, x); }
auto leaky_relu(const Elementwise auto& x, double negative_slope = 0.01) {
  return elementwise(LeakyRelu{negative_slope}, x);
}
auto elu(const Elementwise auto& x, double alpha = 1.0) { return elementwise(Elu{alpha}, x); }
auto selu(const Elementwise auto& x) { return elementwise(Selu{}, x); }
/// \throws ArgumentError for a beta that the dtype rounds to 0 or infinity.
auto softplus(const Elementwise auto& x, double beta = 1.0, double threshold = 20.0) {
  check_representable("[softplus] beta", beta, x.dtype());
  return elementwise(Softplus{beta, threshold}, x);
}
auto silu(const Elementwise auto& x) { return elementwise(Silu{}, x); }
auto mish(const Elementwise auto& x) { return elementwise(Mish{}, x); }
auto hardswish(const Elementwise auto& x) { return elementwise(HardSwish{}, x); }
auto gelu(const Elementwise auto& x, GeluForm form = GeluForm::tanh) {
  return form == GeluForm::exact ? elementwise(GeluExact{}, x) : elementwise(GeluTanh{}, x);
}

/// f(z) = z.
struct Identity {
  static constexpr const char* name = "linear";
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return x;
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T) const {
    return T(1);
  }
};

/// Softmax over a layer's neurons.  It needs the whole row: of single numbers it is Identity, and
/// the caller normalises rows itself.
struct Softmax : Identity {
  static constexpr const char* name = "softmax";
};

/// max(z - m, 0) with the mean m of the layer's drives at the tick; it needs the whole row too. The
/// triangle activation of Coates, Lee & Ng (2011), AISTATS 14, 215, of drives in place of
/// distances.
struct Coates : Identity {
  static constexpr const char* name = "coates";
};

/// Activations of layers.
enum class Activation : std::uint8_t {
  linear,
  relu,
  leaky_relu,
  tanh,
  sigmoid,
  softmax,
  gelu,
  mish,
  hardswish,
  coates
};

/// Whether a neuron's answer needs the drives of all.
GAIA_HOST_DEVICE constexpr bool is_of_row(Activation activation) {
  return activation == Activation::softmax || activation == Activation::coates;
}

/// One of them and its functor, with the parameters that the functor has by itself.
template <Activation which, class Function>
struct ActivationEntry {
  static constexpr Activation activation = which;
  static constexpr const char* name = [] {
    if constexpr (std::is_base_of_v<Identity, Function>)
      return Function::name;
    else
      return Function::facts.name;
  }();
  using Functor = std::conditional_t<std::is_base_of_v<Identity, Function>, Identity, Function>;
};

using ActivationTable = std::tuple<
    ActivationEntry<Activation::linear, Identity>, ActivationEntry<Activation::relu, Relu>,
    ActivationEntry<Activation::leaky_relu, LeakyRelu>, ActivationEntry<Activation::tanh, Tanh>,
    ActivationEntry<Activation::sigmoid, Sigmoid>, ActivationEntry<Activation::softmax, Softmax>,
    ActivationEntry<Activation::gelu, GeluTanh>, ActivationEntry<Activation::mish, Mish>,
    ActivationEntry<Activation::hardswish, HardSwish>, ActivationEntry<Activation::coates, Coates>>;

/// All activations, in the order of the table.
inline constexpr auto kActivations =
    []<class... Entries>(std::type_identity<std::tuple<Entries...>>) {
      return std::array{Entries::activation...};
    }(std::type_identity<ActivationTable>{});

std::string to_string(Activation activation);

/// The names of all.
std::vector<std::string> activation_names();

/// \throws ArgumentError for a name that is none, listing the known ones.
Activation activation_from_name(std::string_view name);

/// Calls `f` with the functor of a pointwise activation, with Identity for one of a row.
template <std::size_t at = 0, class F>
GAIA_HOST_DEVICE decltype(auto) dispatch_activation(Activation activation, F&& f) {
  using Entry = std::tuple_element_t<at, ActivationTable>;
  if constexpr (at + 1 < std::tuple_size_v<ActivationTable>) {
    if (activation != Entry::activation) return dispatch_activation<at + 1>(activation, f);
  }
  return f(typename Entry::Functor{});
}

}  // namespace gaia
