// SPDX-License-Identifier: MIT
/// \file
/// Work without Python's lock, and things that one thread at a time may use meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <concepts>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace gaia::python {

namespace nb = nanobind;

/// What `work`, which touches nothing of Python's, returns; other threads of Python's run
/// meanwhile.
template <class Work>
auto without_gil(const Work& work) {
  const nb::gil_scoped_release release;
  return work();
}

/// A thing that one thread at a time may use, the GIL not being held meanwhile.
template <class Thing>
class Guarded {
 public:
  explicit Guarded(Thing thing) : thing_(std::move(thing)) {}

  /// `work` of the thing; what it returns is a copy.
  template <class Work>
  auto alone(const Work& work) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return work(thing_);
  }

  std::unique_ptr<Guarded> clone() {
    return std::make_unique<Guarded>(alone([](const Thing& thing) { return thing; }));
  }

 private:
  Thing thing_;
  std::mutex mutex_;
};

/// A parameter of a method as Python passes it.
template <class T>
using Given =
    std::conditional_t<std::same_as<T, std::span<const double>>, const std::vector<double>&, T>;

/// A method as a function of a Core, which is a Guarded thing or one that has it within: called
/// alone, and what it returns copied, of which `tell` makes what Python gets.
template <class Core, class Method, class Tell, class Result, class... Parameters>
auto guarded_call(const Method& method, const Tell& tell,
                  std::type_identity<Result(Parameters...)> /*signature*/) {
  return [method, tell](Core& self, Given<Parameters>... given) {
    const auto work = [&](auto& held) -> std::remove_cvref_t<Result> {
      if constexpr (requires { held.within(); }) {
        return (held.within().*method)(std::forward<Given<Parameters>>(given)...);
      } else {
        return (held.*method)(std::forward<Given<Parameters>>(given)...);
      }
    };
    if constexpr (std::is_void_v<Result>) {
      self.alone(work);
    } else {
      return tell(self.alone(work));
    }
  };
}
template <class Core, class Result, class Thing, class... Parameters, class Tell = std::identity>
auto guarded(Result (Thing::*method)(Parameters...), const Tell& tell = {}) {
  return guarded_call<Core>(method, tell, std::type_identity<Result(Parameters...)>());
}
template <class Core, class Result, class Thing, class... Parameters, class Tell = std::identity>
auto guarded(Result (Thing::*method)(Parameters...) const, const Tell& tell = {}) {
  return guarded_call<Core>(method, tell, std::type_identity<Result(Parameters...)>());
}

}  // namespace gaia::python
