// SPDX-License-Identifier: MIT
/// \file
/// How a kind of thing (a rule, a layer, a generator ...) tells of the keys by which it is
/// configured: it lists them once, as calls to a ConfigVisitor.  One visitor reads YAML into the
/// options, others write them as YAML, as a JSON Schema and as attributes of the results file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "key.h"

namespace gaia {

/// A word out of a few.
struct Choice {
  std::vector<std::string> known;
  std::function<std::string()> get;
  std::function<void(const std::string&)> set;
};

/// A Choice for an enumeration with to_string and a function from names.
template <class Enum, class FromName>
Choice choice_of(std::vector<std::string> known, Enum& value, FromName from_name) {
  return {std::move(known), [&value] { return to_string(value); },
          [&value, from_name](const std::string& name) { value = from_name(name); }};
}

/// A Choice among the alternatives of a variant, each of which says its name.
template <class... Alternatives>
Choice choice_of(std::variant<Alternatives...>& value) {
  return {{Alternatives::name...},
          [&value] {
            return std::visit(
                []<class T>(const T& /*alternative*/) { return std::string(T::name); }, value);
          },
          [&value](const std::string& name) {
            const auto take = [&]<class T>(std::type_identity<T> /*alternative*/) {
              // Keep what is there if it is of this kind already.
              if (name == T::name && !std::holds_alternative<T>(value)) value.template emplace<T>();
            };
            (take(std::type_identity<Alternatives>{}), ...);
          }};
}

/// A name that the user chose, and what stands behind it.
struct NamedEntry {
  std::string name;
  std::variant<double, std::string, std::vector<std::string>> value;
};

/// What may stand behind such a name.
enum class EntryForm {
  number,
  number_or_name,
  name_or_names,
  setting,  ///< Any value, kept as what --set takes behind the =.
};

/// Lists of numbers in lists, all equally long at each depth: row-major.
struct NestedNumbers {
  std::vector<std::int64_t> shape = {};  ///< Empty: there are none.
  std::vector<double> values = {};

  friend bool operator==(const NestedNumbers&, const NestedNumbers&) = default;
};

class ConfigVisitor {
 public:
  using Body = std::function<void()>;
  using IndexedBody = std::function<void(std::size_t)>;
  using Resize = std::function<void(std::size_t)>;
  using KeysOfWords = std::vector<std::pair<std::string, Body>>;

  virtual ~ConfigVisitor() = default;

  /// Free text, not empty.
  virtual void text(const Key& key, std::string& value) = 0;
  /// 1 to 64 of a-z, 0-9, _ and -.
  virtual void name(const Key& key, std::string& value) = 0;
  virtual void integer(const Key& key, std::int64_t& value, IntegerRange range = {}) = 0;
  virtual void number(const Key& key, double& value, NumberRange range) = 0;
  /// A number, or `word` in its place: `is_word` says which.  `value` is the number, or what the
  /// word stands for, as far as that is known.
  virtual void number_or(const Key& key, const char* word, bool& is_word, double& value,
                         NumberRange range) = 0;
  /// An integer, or `word` in its place: `is_word` says which, `value` is then what it stands for,
  /// as far as that is known.
  virtual void integer_or(const Key& key, const char* word, bool& is_word, std::int64_t& value,
                          IntegerRange range) = 0;
  virtual void flag(const Key& key, bool& value) = 0;
  /// true or false, or a list of words for which alone it is true.
  virtual void flag_or_words(const Key& key, bool& value, std::vector<std::string>& words) = 0;
  virtual void choice(const Key& key, const Choice& choice) = 0;

  /// A value that may be left out altogether.
  virtual void optional(const Key& key, std::optional<std::int64_t>& value, IntegerRange range) = 0;
  virtual void optional(const Key& key, std::optional<double>& value, NumberRange range) = 0;

  virtual void integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange range) = 0;
  /// A list of integers, or one alone in place of a list of it.
  virtual void integer_or_list(const Key& key, std::vector<std::int64_t>& values,
                               IntegerRange range) = 0;
  virtual void numbers(const Key& key, std::vector<double>& values, NumberRange range) = 0;
  virtual void matrix(const Key& key, std::vector<std::vector<double>>& rows) = 0;
  /// Lists in lists, `least` to `most` deep; 0 deep is a number alone, of which `shape` is empty.
  virtual void nested(const Key& key, NestedNumbers& numbers, NumberRange range, int least,
                      int most) = 0;
  /// Words or integers, which are kept as written.
  virtual void words(const Key& key, std::vector<std::string>& values) = 0;
  /// The same, where one alone may stand without brackets.
  virtual void word_or_words(const Key& key, std::vector<std::string>& values) = 0;
  /// Any of the known words, as a list; the word `none` in its place is an empty one.  A word of
  /// `with_keys` may be a map of one key, `word: {keys}`, whose keys its body visits.
  virtual void some_of(const Key& key, const std::vector<std::string>& known,
                       std::vector<std::string>& values, const KeysOfWords& with_keys) = 0;

  /// A map whose keys are names that the user chooses; `meaning` of the key says of what.
  virtual void entries(const Key& key, EntryForm form, std::vector<NamedEntry>& values) = 0;

  virtual void map(const Key& key, const Body& body) = 0;
  /// A map that may be left out altogether.
  virtual void optional_map(const Key& key, bool& is_there, const Body& body) = 0;
  /// A list of maps: `resize` sets how many there are, `body` visits one.
  virtual void list(const Key& key, std::size_t size, const Resize& resize,
                    const IndexedBody& body) = 0;
  /// A list of maps, in place of which a map may stand that a list is built from: `short_form`
  /// visits its keys, `expand` makes the list of them.
  virtual void list_or_map(const Key& key, std::size_t size, const Resize& resize,
                           const IndexedBody& body, const Body& short_form, const Body& expand) = 0;
  /// Either one of the words or a map.
  virtual void word_or_map(const Key& key, const Choice& words, const char* map_word,
                           const Body& body) = 0;
  /// Either a number or a map; it may be left out.
  virtual void number_or_map(const Key& key, std::optional<double>& number, NumberRange range,
                             bool& is_map, const Body& body) = 0;
  /// A word that decides which keys stand beside it.
  virtual void variant(const Key& key, const Choice& choice, const Body& body) = 0;
  /// Exactly one of several keys.
  virtual void one_of(const std::vector<Key>& keys, const Choice& which,
                      const std::function<void(const Key&)>& body) = 0;
  /// A section of the file that is read elsewhere: `sweep`.
  virtual void aside(const Key& key) = 0;
  /// A key that may not stand here, with the reason: "the equations have parameters".
  virtual void forbid(const Key& /*key*/, const std::string& /*why*/) {}
  /// What is wrong with the value of a key that was read; of a text at a line and column, from 1,
  /// where they are not 0.
  virtual void refuse(const Key& /*key*/, const std::string& /*why*/, int /*line*/ = 0,
                      int /*column*/ = 0) {}
  /// Keys that have an effect only if `applies`; elsewhere they are accepted with a warning that
  /// says `condition`.
  virtual void where(bool applies, const char* condition, const Body& body) = 0;
};

}  // namespace gaia
