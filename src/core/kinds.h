// SPDX-License-Identifier: MIT
/// \file
/// Kinds: what an experiment asks for by name, such as a generator or a layer.
///
/// A kind is a type that says its name, its keys and how it is made; what else is asked of it is up
/// to its family, the interface of all kinds of one sort (GeneratorKind, LayerKind ...).  A family
/// is derived from KindBase, has a template Of<T> that implements it by the kind T, and a list:
///
///     class GeneratorKind : public KindBase<GeneratorKind> {
///      public:
///       virtual std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const = 0;
///       template <class T> class Of;  // derived from KindOf: `make`, by the options T
///       static KindList<GeneratorKind>& list();
///     };
///
/// Whoever reads, writes or makes something holds a Kind<Family> and goes over Family::list(); to
/// add a kind is to write it down and to name it in that list, or, from another program, to hand it
/// to `register_kind`.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error.h"
#include "keys.h"

namespace gaia {

/// What every family asks of its kinds.
template <class Family>
class KindBase {
 public:
  virtual ~KindBase() = default;

  /// Name in YAML and in results.
  virtual std::string name() const = 0;
  /// Shows every key to `visitor`, with the place where its value lives.
  virtual void keys(ConfigVisitor& visitor) = 0;
  virtual std::unique_ptr<Family> copy() const = 0;
};

/// What Family::Of<T> has in common with those of other families.
template <class Family, class T>
class KindOf : public Family {
 public:
  std::string name() const override { return T::name; }
  void keys(ConfigVisitor& visitor) override { options.keys(visitor); }
  std::unique_ptr<Family> copy() const override {
    using Own = typename Family::template Of<T>;
    return std::make_unique<Own>(static_cast<const Own&>(*this));
  }

  T options = begin();

 private:
  /// No options with a stream of random numbers take one away from the program: where a kind is
  /// made it is told its own.
  static T begin() {
    if constexpr (requires { T{.random = {}}; }) {
      return T{.random = {}};
    } else {
      return T{};
    }
  }
};

/// A kind of a family with the values of its keys, held by value; the first of the list by default.
template <class Family>
class Kind {
 public:
  Kind() : Kind(Family::list().first()) {}
  explicit Kind(std::unique_ptr<Family> held) : held_(std::move(held)) {}
  Kind(const Kind& other) : held_(other.held_ == nullptr ? nullptr : other.held_->copy()) {}
  Kind(Kind&&) noexcept = default;
  Kind& operator=(Kind other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }

  Family& operator*() { return *held_; }
  const Family& operator*() const { return *held_; }
  Family* operator->() { return held_.get(); }
  const Family* operator->() const { return held_.get(); }

  /// The options of kind T; null where it is another kind.
  template <class T>
  auto* get_if() {
    auto* held = dynamic_cast<typename Family::template Of<T>*>(held_.get());
    return held == nullptr ? nullptr : &held->options;
  }
  template <class T>
  const auto* get_if() const {
    return const_cast<Kind*>(this)->template get_if<T>();
  }

 private:
  std::unique_ptr<Family> held_;
};

/// The kinds of a family in the order in which they are reported.
template <class Family>
class KindList {
 public:
  explicit KindList(std::vector<Kind<Family>> kinds) : kinds_(std::move(kinds)) {}

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Kind<Family>& kind : kinds_) names.push_back(kind->name());
    return names;
  }

  const Kind<Family>& first() const { return kinds_.front(); }
  auto begin() const { return kinds_.begin(); }
  auto end() const { return kinds_.end(); }

  /// The kind of that name with default values; null if there is none.
  const Kind<Family>* find(std::string_view name) const {
    for (const Kind<Family>& kind : kinds_) {
      if (kind->name() == name) return &kind;
    }
    return nullptr;
  }

  /// \throws ArgumentError if there is one of that name.
  void add(Kind<Family> kind) {
    if (find(kind->name()) != nullptr) {
      throw ArgumentError("[register_kind] expected a name that no other kind has, got '" +
                          std::string(kind->name()) + "'");
    }
    kinds_.push_back(std::move(kind));
  }

 private:
  std::vector<Kind<Family>> kinds_;
};

/// Kind T of a family with the values that it begins with.
template <class Family, class T>
Kind<Family> kind_of() {
  return Kind<Family>(std::make_unique<typename Family::template Of<T>>());
}

/// A list of the kinds T.
template <class Family, class... T>
KindList<Family> kinds_of() {
  return KindList<Family>({kind_of<Family, T>()...});
}

/// Makes kind T known to everything that reads experiments; to be called before that, from one
/// thread.  \throws ArgumentError if there is one of that name.
template <class Family, class T>
void register_kind() {
  Family::list().add(kind_of<Family, T>());
}

/// A Choice among the kinds of a family.
template <class Family>
Choice choice_of(Kind<Family>& kind) {
  return {Family::list().names(), [&kind] { return kind->name(); },
          [&kind](const std::string& name) {
            // Keep what is there if it is of this kind already.
            if (kind->name() != name) kind = *Family::list().find(name);
          }};
}

}  // namespace gaia
