// SPDX-License-Identifier: MIT
/// \file
/// Kinds of environments that an experiment can have.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include "../core/kinds.h"
#include "../core/random.h"
#include "discrete/worlds.h"

namespace gaia::agents {

/// A kind of environment: options with `name`, keys(ConfigVisitor&), a member `random`, and
///
///     DiscreteWorld make() const        which makes the world
///     WorldNames names() const          what its parts are called
///
/// The list is in environment_kind.cpp.
class EnvironmentKind : public KindBase<EnvironmentKind> {
 public:
  /// Which type of agent acts in it: "discrete".
  virtual std::string agent() const = 0;
  /// \throws ArgumentError "[kind] key: expected ..., got ..." for options that make none, or for
  /// an environment that is not discrete.
  virtual DiscreteWorld make_discrete(RandomStream random) const = 0;
  virtual WorldNames names() const = 0;

  template <class Options>
  class Of;
  static KindList<EnvironmentKind>& list();
};

template <class Options>
class EnvironmentKind::Of final : public KindOf<EnvironmentKind, Options> {
 public:
  std::string agent() const override { return "discrete"; }
  DiscreteWorld make_discrete(RandomStream random) const override {
    Options placed = this->options;
    placed.random = random;
    return placed.make();
  }
  WorldNames names() const override { return this->options.names(); }
};

}  // namespace gaia::agents
