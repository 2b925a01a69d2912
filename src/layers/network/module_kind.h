// SPDX-License-Identifier: MIT
/// \file
/// Kinds of layers that a network of an experiment can have.
#pragma once

#include <cstdint>
#include <string>

#include "../../core/kinds.h"
#include "../../core/random.h"
#include "../choices.h"
#include "../placed.h"
#include "sequential.h"

namespace gaia {

/// The place to which the modules of a layer are added.
struct ModulePlace {
  NeuralNetwork& net;
  Shape shape;  ///< Shape of what the layer reads, the batch first.
  DType dtype;
  RandomStream random;

  std::int64_t features() const { return shape[shape.rank() - 1]; }
  /// \throws ShapeError unless the layer reads samples of `axes` axes.
  void expect_axes(int axes, const char* form) const;
  /// Adds a module that applies f, unless that is linear.
  void activate(Activation f) const;
};

/// A kind of layer: `name`, `keys(ConfigVisitor&)`, `add_to(const ModulePlace&)`, and, if it cannot
/// train on one sample of some shape (the batch first), `bool needs_two(const Shape&) const`.  The
/// list is in module_kind.cpp.
class ModuleKind : public KindBase<ModuleKind> {
 public:
  virtual void add_to(const ModulePlace& place) const = 0;
  virtual bool needs_two(const Shape& reads) const = 0;

  template <class Layer>
  class Of;
  static KindList<ModuleKind>& list();
};

template <class Layer>
class ModuleKind::Of final : public KindOf<ModuleKind, Layer> {
 public:
  void add_to(const ModulePlace& place) const override { this->options.add_to(place); }
  bool needs_two(const Shape& reads) const override {
    if constexpr (requires { this->options.needs_two(reads); }) {
      return this->options.needs_two(reads);
    } else {
      return false;
    }
  }
};

/// What keys of several kinds have in common.
constexpr IntegerRange kNeurons{1, 1000000};
constexpr IntegerRange kWindow{1, 100000};
constexpr Key kSizeKey{"size", "number of neurons", true};

}  // namespace gaia
