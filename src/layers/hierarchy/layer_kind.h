// SPDX-License-Identifier: MIT
/// \file
/// Kinds of layers that a level of an experiment can have.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../core/kinds.h"
#include "../../core/random.h"
#include "../../learning/plasticity.h"
#include "../placed.h"
#include "layer.h"

namespace gaia {

/// What a layer is made for.
struct LayerPlace {
  std::int64_t inputs = 1;
  std::int64_t outputs = 1;
  DType dtype = DType::float32;
  RandomStream random = {};
  Executor executor = Executor::chunkwise;
  bool learn = true;
};

/// A kind of layer: options of which the constructor of `Options::Made`, a Layer, takes
/// (inputs, outputs, options).  They have `name`, `keys(ConfigVisitor&)`, and, where they need it,
///
///     dtype, random, executor     set to those of the experiment
///     bool learn                  the layer is plastic: it learns where this is set
///     std::string summary() const                      what is told beside its name
///     double weights(inputs, outputs)                  how many there are, if not inputs * outputs
///     std::vector<std::string> warnings(inputs, outputs) const
///     void drop_idle()            resets what has no effect, of which `warnings` tells
///     void simplify()             resets what has no influence on sizes, for estimates
///
/// The list is in layer_kind.cpp.
class LayerKind : public KindBase<LayerKind> {
 public:
  virtual std::unique_ptr<Layer> make(const LayerPlace& place) const = 0;
  virtual bool is_plastic() const = 0;
  /// "reactive relu", "hebbian oja".
  virtual std::string summary() const = 0;
  virtual double weights(double inputs, double outputs) const = 0;
  virtual std::vector<std::string> warnings(std::int64_t inputs, std::int64_t outputs) const = 0;
  virtual void simplify() = 0;

  template <class Options>
  class Of;
  static KindList<LayerKind>& list();
};

template <class Options>
class LayerKind::Of final : public KindOf<LayerKind, Options> {
 public:
  /// With these options.
  static std::unique_ptr<LayerKind> with(const Options& options) {
    auto made = std::make_unique<Of>();
    made->options = options;
    return made;
  }

  std::unique_ptr<Layer> make(const LayerPlace& place) const override {
    Options made = placed(this->options, place);
    if constexpr (requires { made.drop_idle(); }) made.drop_idle();
    return std::make_unique<typename Options::Made>(place.inputs, place.outputs, made);
  }
  bool is_plastic() const override {
    return requires(Options options) { options.learn = true; };
  }
  std::string summary() const override {
    if constexpr (requires { this->options.summary(); }) {
      return this->name() + " " + this->options.summary();
    } else {
      return this->name();
    }
  }
  double weights(double inputs, double outputs) const override {
    if constexpr (requires { Options::weights(inputs, outputs); }) {
      return Options::weights(inputs, outputs);
    } else {
      return inputs * outputs;
    }
  }
  std::vector<std::string> warnings(std::int64_t inputs, std::int64_t outputs) const override {
    if constexpr (requires { this->options.warnings(inputs, outputs); }) {
      return this->options.warnings(inputs, outputs);
    } else {
      return {};
    }
  }
  void simplify() override {
    if constexpr (requires { this->options.simplify(); }) this->options.simplify();
  }
};

}  // namespace gaia
