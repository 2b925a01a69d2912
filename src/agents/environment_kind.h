// SPDX-License-Identifier: MIT
/// \file
/// Kinds of environments that an experiment can have.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "../core/kinds.h"
#include "../core/random.h"
#include "continuous/world.h"
#include "discrete/worlds.h"

namespace gaia::agents {

/// A kind of environment: options with `name`, keys(ConfigVisitor&), and, of discrete states,
///
///     random                            a member, set to the stream of the environment
///     DiscreteWorld make() const        which makes the world
///     WorldNames names() const          what its parts are called
///
/// or, of real numbers,
///
///     ContinuousWorld make_continuous(RandomStream, std::int64_t max_steps) const
///
/// The list is in environment_kind.cpp.
class EnvironmentKind : public KindBase<EnvironmentKind> {
 public:
  /// Which type of agent acts in it: "discrete" or "continuous".
  virtual std::string agent() const = 0;
  /// What is of the other sort throws ArgumentError, as do options that make no world: "[kind] key:
  /// expected ..., got ...".
  virtual DiscreteWorld make_discrete(RandomStream random) const = 0;
  virtual WorldNames names() const = 0;
  virtual ContinuousWorld make_continuous(RandomStream random, std::int64_t max_steps) const = 0;

  template <class Options>
  class Of;
  static KindList<EnvironmentKind>& list();

 protected:
  [[noreturn]] static void refuse(const std::string& name, const char* expected) {
    throw ArgumentError("[" + name + "] expected " + expected);
  }
};

template <class Options>
class EnvironmentKind::Of final : public KindOf<EnvironmentKind, Options> {
  static constexpr bool is_continuous = requires(const Options& options) {
    options.make_continuous(RandomStream{}, std::int64_t{1});
  };

 public:
  std::string agent() const override { return is_continuous ? "continuous" : "discrete"; }
  DiscreteWorld make_discrete(RandomStream random) const override {
    if constexpr (is_continuous) {
      EnvironmentKind::refuse(Options::name, "a world of discrete states, which it is not");
    } else {
      Options placed = this->options;
      placed.random = random;
      return placed.make();
    }
  }
  WorldNames names() const override {
    if constexpr (is_continuous) {
      EnvironmentKind::refuse(Options::name, "a world of discrete states, which it is not");
    } else {
      return this->options.names();
    }
  }
  ContinuousWorld make_continuous(RandomStream random, std::int64_t max_steps) const override {
    if constexpr (is_continuous) {
      return this->options.make_continuous(random, max_steps);
    } else {
      EnvironmentKind::refuse(Options::name, "a world of real numbers, which it is not");
    }
  }
};

}  // namespace gaia::agents
