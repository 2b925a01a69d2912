// SPDX-License-Identifier: MIT
/// \file
/// What the bindings of agents share: tables and beliefs as NumPy arrays, options out of a dict,
/// and objects that one thread at a time may use.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../src/agents/discrete/generative_model.h"
#include "../../src/agents/saved_state.h"
#include "../../src/core/error.h"
#include "../../src/core/random.h"
#include "gil.h"

namespace gaia::python {

namespace nb = nanobind;

/// float64 on the CPU, row-major, as gaia/_agent_values.py passes it.
using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

inline agents::ProbabilityTable table_of(const Numbers& numbers) {
  agents::ProbabilityTable table;
  for (std::size_t axis = 0; axis < numbers.ndim(); ++axis) {
    table.shape.push_back(static_cast<std::int64_t>(numbers.shape(axis)));
  }
  table.values.assign(numbers.data(), numbers.data() + numbers.size());
  return table;
}

inline std::vector<agents::ProbabilityTable> tables_of(const std::vector<Numbers>& given) {
  std::vector<agents::ProbabilityTable> tables;
  for (const Numbers& one : given) tables.push_back(table_of(one));
  return tables;
}

/// A NumPy array of its own with these values.
inline nb::object numpy_of(std::vector<double> values, const std::vector<std::int64_t>& shape) {
  std::vector<std::size_t> sizes;
  for (const std::int64_t n : shape) sizes.push_back(static_cast<std::size_t>(n));
  auto kept = std::make_unique<std::vector<double>>(std::move(values));
  double* const data = kept->data();
  const nb::capsule owner(
      kept.release(), [](void* held) noexcept { delete static_cast<std::vector<double>*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, double>(data, sizes.size(), sizes.data(), owner));
}

inline nb::object numpy_of(std::vector<double> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return numpy_of(std::move(values), {size});
}

inline nb::list numpy_of(const std::vector<std::vector<double>>& lists) {
  nb::list made;
  for (const std::vector<double>& one : lists) made.append(numpy_of(one));
  return made;
}

inline nb::list numpy_of(const std::vector<agents::ProbabilityTable>& tables) {
  nb::list made;
  for (const agents::ProbabilityTable& one : tables) made.append(numpy_of(one.values, one.shape));
  return made;
}

/// Numbers by name, from which an agent goes on, as Python has them.
inline nb::dict state_as_dict(const agents::SavedState& saved) {
  nb::dict state;
  for (const auto& [name, values] : saved) state[name.c_str()] = numpy_of(values);
  return state;
}
inline agents::SavedState saved_state_of(const nb::dict& given) {
  agents::SavedState saved;
  for (const auto [name, value] : given) {
    const auto numbers = nb::cast<Numbers>(value);
    saved[nb::cast<std::string>(name)].assign(numbers.data(), numbers.data() + numbers.size());
  }
  return saved;
}

/// A RandomStream as Python has it, for pickles: its seed, and its number.
using Stream = std::pair<std::uint64_t, std::uint64_t>;
inline Stream as_pair(const RandomStream& random) { return {random.seed, random.stream}; }

/// Makes an array of what a method of numbers returns.
constexpr auto as_numpy = [](auto numbers) { return numpy_of(std::move(numbers)); };
/// Makes a pair of the stream among the options that a method returns.
constexpr auto stream_as_pair = [](const auto& options) { return as_pair(options.random); };

/// What an option is, for its error.
template <class T>
std::string kind_of_option() {
  if constexpr (std::is_same_v<T, bool>) return "True or False";
  if constexpr (std::is_integral_v<T>) return "a whole number";
  if constexpr (std::is_floating_point_v<T>) return "a number";
  if constexpr (std::is_same_v<T, std::string>) return "a text";
  return "whole numbers";
}

/// The option of that name into `member`, where the dict has it.
/// \throws ArgumentError for a value of another kind.
template <class T>
void read_option(const nb::dict& options, const char* name, T& member) {
  if (!options.contains(name)) return;
  const nb::object given = options[name];
  if (nb::try_cast(given, member)) return;
  throw ArgumentError("[" + std::string(name) + "] expected " + kind_of_option<T>() + ", got " +
                      nb::cast<std::string>(nb::str(nb::repr(given))));
}

/// Reads options out of a dict, each by its name.  A function `list_options` names those of a
/// struct, to this and to DefaultTeller.
class OptionReader {
 public:
  explicit OptionReader(const nb::dict& given) : given_(given) {}

  template <class T>
  void operator()(const char* name, T& member) const {
    read_option(given_, name, member);
  }
  /// An option that has a name, of which `from_name` makes it.
  template <class T>
  void named(const char* name, T& member, T (*from_name)(std::string_view)) const {
    std::string text = to_string(member);
    read_option(given_, name, text);
    member = from_name(text);
  }
  /// An option that Python leaves out by a default of its own.
  template <class T>
  void without_default(const char* name, T& member) const {
    read_option(given_, name, member);
  }

 private:
  const nb::dict& given_;
};

/// What the options are in a program in C++ that sets none; the package has the same, and a test
/// compares.
class DefaultTeller {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
      told[name] = nb::tuple(nb::cast(value));
    } else {
      told[name] = value;
    }
  }
  template <class T>
  void named(const char* name, const T& value, T (* /*from_name*/)(std::string_view)) {
    told[name] = to_string(value);
  }
  template <class T>
  void without_default(const char* /*name*/, const T& /*value*/) {}

  nb::dict told;
};

/// The options of a dict; what it leaves out stays as it is.
template <class Options>
Options read_options(const nb::dict& given, Options options) {
  list_options(OptionReader(given), options);
  return options;
}

/// The defaults of options, by name.
template <class Options>
nb::dict defaults_of(Options options) {
  DefaultTeller teller;
  list_options(teller, options);
  return teller.told;
}

/// The stream of `seed` for this purpose; without a seed one that nobody else has.
inline RandomStream stream_of(std::optional<std::uint64_t> seed, const char* purpose) {
  return seed ? RandomStream::named(*seed, purpose) : next_stream();
}

/// The stream that another agent had, or where there is none the one of `seed`.
inline RandomStream agent_stream(std::optional<std::uint64_t> seed,
                                 const std::optional<Stream>& stream) {
  return stream ? RandomStream{stream->first, stream->second} : stream_of(seed, "agent");
}

}  // namespace gaia::python
