// SPDX-License-Identifier: MIT
/// \file
/// Kinds of layers that a level of an experiment can have.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../core/error.h"
#include "../../core/kinds.h"
#include "../../core/random.h"
#include "../../learning/plasticity.h"
#include "../placed.h"
#include "filter_place.h"
#include "layer.h"

namespace gaia {

struct HebbianOptions;

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
///     bool is_plastic() const     whether it is, where that depends on its keys
///     std::vector<const PlasticityRule*> rules() const   those of its weights, if not `rule`
///     std::string summary() const                      what is reported beside its name
///     double weights(inputs, outputs)                  how many there are, if not inputs * outputs
///     std::int64_t outputs() const                     a size that its own keys say, in place of
///     std::int64_t outputs(inputs) const               the key `size`, alone or with what it
///     reads;
///                                                      then Made takes (inputs, options)
///     filter_of(inputs), place() const                 a StateFilter that does the work of
///                                                      FilterLayer, and its FilterPlace
///     static constexpr const char* plastic_with        what makes it plastic where that depends on
///                                                      its keys, if that is no rule
///     std::vector<std::string> warnings(inputs, outputs) const
///     std::string why_not(inputs) const    "[NAME] KEY: why" it cannot read so many, if that
///     depends on it HebbianOptions plastic      those of a HebbianLayer that does its learning
///     void drop_idle()            resets what has no effect, of which `warnings` tells
///     void simplify()             resets what has no influence on sizes, for estimates
///
/// The list is in layer_kind.cpp.
class LayerKind : public KindBase<LayerKind> {
 public:
  virtual std::unique_ptr<Layer> make(const LayerPlace& place) const = 0;
  virtual bool is_plastic() const = 0;
  /// Whether that depends on keys: fixed unless these name a rule.
  virtual bool may_be_plastic() const = 0;
  /// Rules of its weights.
  virtual std::vector<const PlasticityRule*> rules() const = 0;
  /// "reactive relu", "hebbian oja".
  virtual std::string summary() const = 0;
  virtual double weights(double inputs, double outputs) const = 0;
  /// What it is plastic with, where that depends on keys: "a rule".
  virtual std::string plastic_with() const = 0;
  /// The size that its own keys say, in place of the key `size`; nothing of other kinds.  0 where
  /// that depends on what it reads.
  virtual std::optional<std::int64_t> own_size() const = 0;
  /// The size that its own keys say where it reads so many inputs; nothing of other kinds.
  virtual std::optional<std::int64_t> own_size(std::int64_t inputs) const = 0;
  /// What a layer that filters is told; nothing of other kinds.
  virtual std::optional<FilterPlace> filter_place() const = 0;
  /// What keeps it from reading so many inputs, where that cannot be told without them.
  virtual std::string why_not(std::int64_t inputs) const = 0;
  virtual std::vector<std::string> warnings(std::int64_t inputs, std::int64_t outputs) const = 0;
  virtual void simplify() = 0;
  /// Options of the HebbianLayer that it is, or that answers its patches; null of other kinds.
  virtual const HebbianOptions* hebbian() const = 0;
  HebbianOptions* hebbian() { return const_cast<HebbianOptions*>(std::as_const(*this).hebbian()); }

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
    constexpr bool says_size = requires { made.outputs(); } || requires { made.outputs(1); };
    if constexpr (says_size) {
      return std::make_unique<typename Options::Made>(place.inputs, made);
    } else {
      return std::make_unique<typename Options::Made>(place.inputs, place.outputs, made);
    }
  }
  bool is_plastic() const override {
    if constexpr (requires { this->options.is_plastic(); }) {
      return this->options.is_plastic();
    } else {
      return requires(Options options) { options.learn = true; };
    }
  }
  bool may_be_plastic() const override {
    return requires(const Options options) { options.is_plastic(); };
  }
  std::vector<const PlasticityRule*> rules() const override {
    if constexpr (requires { this->options.rules(); }) {
      return this->options.rules();
    } else if constexpr (requires { PlasticityRule(this->options.rule); }) {
      return {&this->options.rule};
    } else {
      return {};
    }
  }
  std::string summary() const override {
    if constexpr (requires { this->options.summary(); }) {
      const std::string more = this->options.summary();
      return more.empty() ? this->name() : this->name() + " " + more;
    } else {
      return this->name();
    }
  }
  using LayerKind::hebbian;
  const HebbianOptions* hebbian() const override {
    if constexpr (std::is_same_v<Options, HebbianOptions>) {
      return &this->options;
    } else if constexpr (requires { this->options.plastic; }) {
      return &this->options.plastic;
    } else {
      return nullptr;
    }
  }
  double weights(double inputs, double outputs) const override {
    if constexpr (requires { this->options.weights(inputs, outputs); }) {
      return this->options.weights(inputs, outputs);
    } else {
      return inputs * outputs;
    }
  }
  std::string plastic_with() const override {
    if constexpr (requires { Options::plastic_with; }) return Options::plastic_with;
    return "a rule";
  }
  std::optional<std::int64_t> own_size() const override {
    if constexpr (requires { this->options.outputs(); }) {
      return this->options.outputs();
    } else if constexpr (requires { this->options.outputs(1); }) {
      return 0;
    } else {
      return std::nullopt;
    }
  }
  std::optional<std::int64_t> own_size(std::int64_t inputs) const override {
    if constexpr (requires { this->options.outputs(inputs); }) return this->options.outputs(inputs);
    return own_size();
  }
  std::optional<FilterPlace> filter_place() const override {
    if constexpr (requires { this->options.filter_of(1); }) {
      return this->options.place();
    } else {
      return std::nullopt;
    }
  }
  std::string why_not(std::int64_t inputs) const override {
    if constexpr (requires { this->options.why_not(inputs); }) {
      return this->options.why_not(inputs);
    } else if constexpr (requires { this->options.filter_of(inputs); }) {
      try {
        const typename Options::Made made(inputs, this->options);
      } catch (const Error& error) {
        return error.what();
      }
    }
    return {};
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
