// SPDX-License-Identifier: MIT
#include "known_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../../core/names.h"
#include "describe.h"

namespace gaia {
namespace {

/// Visits every key, also those beside words that are not chosen.
class Collector final : public ConfigVisitor {
 public:
  explicit Collector(std::vector<KnownKeys::Known>& all) : all_(all) {}

  void text(const Key& key, std::string&) override { note(key); }
  void name(const Key& key, std::string&) override { note(key); }
  void integer(const Key& key, std::int64_t&, IntegerRange) override { note(key); }
  void number(const Key& key, double&, NumberRange) override { note(key); }
  void number_or(const Key& key, const char* word, bool&, double&, NumberRange) override {
    note(key, {word});
  }
  void integer_or(const Key& key, const char* word, bool&, std::int64_t&, IntegerRange) override {
    note(key, {word});
  }
  void flag(const Key& key, bool&) override { note(key); }
  void flag_or_words(const Key& key, bool&, std::vector<std::string>&) override { note(key); }
  void choice(const Key& key, const Choice& choice) override { note(key, choice.known); }
  void optional(const Key& key, std::optional<std::int64_t>&, IntegerRange) override { note(key); }
  void optional(const Key& key, std::optional<double>&, NumberRange) override { note(key); }
  void integers(const Key& key, std::vector<std::int64_t>&, IntegerRange) override { note(key); }
  void integer_or_list(const Key& key, std::vector<std::int64_t>&, IntegerRange) override {
    note(key);
  }
  void numbers(const Key& key, std::vector<double>&, NumberRange) override { note(key); }
  void matrix(const Key& key, std::vector<std::vector<double>>&) override { note(key); }
  void nested(const Key& key, NestedNumbers&, NumberRange, int, int) override { note(key); }
  void words(const Key& key, std::vector<std::string>&) override { note(key); }
  void word_or_words(const Key& key, std::vector<std::string>&) override { note(key); }
  void some_of(const Key& key, const std::vector<std::string>& known, std::vector<std::string>&,
               const KeysOfWords& with_keys) override {
    note(key, known);
    for (const auto& [word, body] : with_keys) below(fmt::format("{}[0].{}", key.name, word), body);
  }

  void entries(const Key& key, EntryForm, std::vector<NamedEntry>&) override { note(key); }

  void map(const Key& key, const Body& body) override {
    note(key);
    below(key.name, body);
  }
  void optional_map(const Key& key, bool& is_there, const Body& body) override {
    is_there = true;
    map(key, body);
  }
  void list(const Key& key, std::size_t size, const Resize&, const IndexedBody& body) override {
    note(key);
    for (std::size_t i = 0; i < size; ++i) {
      below(std::string(key.name) + "[" + std::to_string(i) + "]", [&] { body(i); });
    }
  }
  void list_or_map(const Key& key, std::size_t size, const Resize& resize, const IndexedBody& body,
                   const Body& short_form, const Body&) override {
    list(key, size, resize, body);
    below(key.name, short_form);
  }
  void word_or_map(const Key& key, const Choice& words, const char* map_word,
                   const Body& body) override {
    note(key, words.known);
    words.set(map_word);
    below(key.name, body);
  }
  void number_or_map(const Key& key, std::optional<double>&, NumberRange, bool& is_map,
                     const Body& body) override {
    note(key);
    is_map = true;
    below(key.name, body);
  }
  void variant(const Key& key, const Choice& choice, const Body& body) override {
    note(key, choice.known);
    const std::string chosen = choice.get();
    const std::string outside = beside_;
    for (const std::string& word : choice.known) {
      choice.set(word);
      beside_ = std::string(key.name) + ": " + word;
      body();
    }
    beside_ = outside;
    choice.set(chosen);
  }
  void one_of(const std::vector<Key>& keys, const Choice& which,
              const std::function<void(const Key&)>& body) override {
    for (const Key& key : keys) {
      if (which.get() == key.name) {
        body(key);
      } else {
        note(key);
      }
    }
  }
  void aside(const Key& key) override { note(key); }
  void where(bool, const char*, const Body& body) override { body(); }

 private:
  void note(const Key& key, std::vector<std::string> words = {}) {
    all_.push_back({path_, key.name, std::move(words), beside_});
  }
  void below(const std::string& name, const Body& body) {
    const std::string outside = path_;
    const std::string beside = std::exchange(beside_, "");
    path_ += (path_.empty() ? "" : ".") + name;
    body();
    path_ = outside;
    beside_ = beside;
  }

  std::vector<KnownKeys::Known>& all_;
  std::string path_;
  std::string beside_;
};

std::string full_name(const KnownKeys::Known& known) {
  return known.path.empty() ? known.key : known.path + "." + known.key;
}

bool is_same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// "'a' or 'b'", three at most.
std::string few(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text += (i == 0 ? "'" : " or '") + names[i] + "'";
  }
  return text;
}

void add_new(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

KnownKeys::KnownKeys(ExperimentConfig config) {
  Collector collector(all_);
  describe(collector, config);
}

std::string KnownKeys::hint_for_key(const std::string& path, std::string_view key,
                                    const std::vector<std::string>& known_there) const {
  std::vector<std::string> beside;
  std::vector<std::string> names;
  for (const Known& known : all_) {
    names.push_back(known.key);
    if (known.path == path && known.key == key) add_new(beside, known.beside);
  }
  if (!beside.empty()) return " (it stands beside " + few(beside) + ")";
  const std::string meant = nearest_name(key, names);
  const std::string near = did_you_mean(key, known_there);
  if (!near.empty() && !is_same_word(key, meant)) return near;
  std::vector<std::string> inside;
  std::vector<std::string> outside;
  for (const Known& known : all_) {
    if (known.key != meant || known.path == path) continue;
    add_new(path.empty() || known.path.starts_with(path) ? inside : outside, full_name(known));
  }
  const std::vector<std::string>& found = inside.empty() ? outside : inside;
  return found.empty() ? near : " (did you mean " + few(found) + "?)";
}

std::string KnownKeys::hint_for_word(const std::string& path, std::string_view key,
                                     std::string_view word,
                                     const std::vector<std::string>& known_there) const {
  const auto same = [&](const std::string& candidate) { return is_same_word(word, candidate); };
  const std::string near = did_you_mean(word, known_there);
  if (std::any_of(known_there.begin(), known_there.end(), same)) return near;
  for (const Known& known : all_) {
    if (known.path != path || known.key == key) continue;
    const auto meant = std::find_if(known.words.begin(), known.words.end(), same);
    if (meant == known.words.end()) continue;
    return " (did you mean '" + known.key + ": " + *meant + "'" +
           (known.beside.empty() ? "" : ", beside '" + known.beside + "'") + "?)";
  }
  return near;
}

}  // namespace gaia
