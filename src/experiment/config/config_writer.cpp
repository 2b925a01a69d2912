// SPDX-License-Identifier: MIT
#include "config_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <sstream>
#include <utility>

#include "../../core/text.h"
#include "../../formulas/equations/tokens.h"
#include "../../learning/ridge.h"
#include "describe.h"
#include "yaml.h"

namespace gaia {
namespace {

/// Words that are no text to some reader of YAML, 1.1 or 1.2, however their letters are written.
bool is_yaml_word(std::string text) {
  constexpr const char* words[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

/// A text as YAML reads it back as text: plain where that is safe, else in double quotes.  What
/// begins with a digit, a sign or a point may be a number, a date or a time to YAML 1.1.
std::string yaml_text(const std::string& text) {
  constexpr const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_/";
  constexpr const char* safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
  const bool is_path = text.starts_with("./") || text.starts_with("../");
  const bool begins_well = text.find_first_of(letters) == 0 || is_path;
  const bool plain =
      begins_well && text.find_first_not_of(safe) == std::string::npos && !is_yaml_word(text);
  return plain ? text : quoted(text);
}

/// A column: a name, or an index, which is a number to every reader.
std::string yaml_column(const std::string& text) {
  const auto index = parse_integer(text);
  return index && *index >= 0 && std::to_string(*index) == text ? text : yaml_text(text);
}

/// A number as YAML 1.1 reads it too, which takes 1e-06, without a point, for text.
std::string yaml_number(double value) {
  std::string text = number_text(value);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) {
    text.insert(exponent, ".0");
  }
  return text;
}

template <class T, class Format>
std::string flow_list(const std::vector<T>& values, const Format& format) {
  std::string text = "[";
  for (const T& value : values) text += (text.size() == 1 ? "" : ", ") + format(value);
  return text + "]";
}

/// Lists in lists from `place` of the values on, which moves behind them.
std::string nested_list(const NestedNumbers& numbers, std::size_t depth, std::size_t& place) {
  if (depth == numbers.shape.size()) return yaml_number(numbers.values[place++]);
  std::string text = "[";
  for (std::int64_t i = 0; i < numbers.shape[depth]; ++i) {
    text += (i == 0 ? "" : ", ") + nested_list(numbers, depth + 1, place);
  }
  return text + "]";
}

/// Writes what YAML and attributes have in common: values become words and lists become text; keys
/// that have no effect or no value are left out.
class Writer : public ConfigVisitor {
 public:
  void text(const Key& key, std::string& value) override {
    if (!value.empty()) put(key, value);
  }
  void name(const Key& key, std::string& value) override { put(key, value); }
  void integer(const Key& key, std::int64_t& value, IntegerRange) override { put(key, value); }
  void number(const Key& key, double& value, NumberRange) override { put(key, value); }
  void number_or(const Key& key, const char* word, bool& is_word, double& value,
                 NumberRange) override {
    if (is_word) return put_for_word(key, word, value);
    put(key, value);
  }
  void integer_or(const Key& key, const char* word, bool& is_word, std::int64_t& value,
                  IntegerRange) override {
    if (is_word) return put_for_word(key, word, value);
    put(key, value);
  }
  void flag(const Key& key, bool& value) override { put_word(key, value ? "true" : "false"); }
  void flag_or_words(const Key& key, bool& value, std::vector<std::string>& names) override {
    names.empty() ? flag(key, value) : words(key, names);
  }
  void choice(const Key& key, const Choice& choice) override { put(key, choice.get()); }
  void optional(const Key& key, std::optional<std::int64_t>& value, IntegerRange) override {
    if (value) put(key, *value);
  }
  void optional(const Key& key, std::optional<double>& value, NumberRange) override {
    if (value) put(key, *value);
  }
  void integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange) override {
    put_list(key, values, [](std::int64_t value) { return std::to_string(value); });
  }
  void integer_or_list(const Key& key, std::vector<std::int64_t>& values,
                       IntegerRange range) override {
    if (values.size() == 1) return put(key, values.front());
    integers(key, values, range);
  }
  void numbers(const Key& key, std::vector<double>& values, NumberRange) override {
    put_list(key, values, yaml_number);
  }
  void matrix(const Key& key, std::vector<std::vector<double>>& rows) override {
    put_list(key, rows, [](const std::vector<double>& row) { return flow_list(row, yaml_number); });
  }
  void nested(const Key& key, NestedNumbers& numbers, NumberRange, int, int) override {
    std::size_t place = 0;
    if (numbers.shape.empty() && numbers.values.size() == 1)
      return put(key, numbers.values.front());
    if (!numbers.shape.empty()) put_word(key, nested_list(numbers, 0, place));
  }
  void words(const Key& key, std::vector<std::string>& values) override {
    put_list(key, values, yaml_column);
  }
  void word_or_words(const Key& key, std::vector<std::string>& values) override {
    if (values.size() != 1) return words(key, values);
    const auto index = parse_integer(values.front());
    if (index && std::to_string(*index) == values.front()) {
      put(key, *index);
    } else {
      put(key, values.front());
    }
  }
  void some_of(const Key& key, const std::vector<std::string>&, std::vector<std::string>& values,
               const KeysOfWords& with_keys) override {
    if (values.empty()) return put_word(key, "none");
    put_list(key, values, [&](const std::string& value) {
      for (const auto& [word, body] : with_keys) {
        if (word == value) return fmt::format("{{{}: {}}}", yaml_text(word), flow_map(body));
      }
      return yaml_text(value);
    });
  }
  void entries(const Key& key, EntryForm form, std::vector<NamedEntry>& values) override {
    if (values.empty()) return;
    map(key, [&] {
      for (NamedEntry& entry : values) {
        const Key name{entry.name.c_str(), ""};
        if (auto* const number = std::get_if<double>(&entry.value)) put(name, *number);
        if (auto* const word = std::get_if<std::string>(&entry.value)) {
          is_number_of(form, *word) ? put_word(name, *word) : put(name, *word);
        }
        if (auto* const list = std::get_if<std::vector<std::string>>(&entry.value)) {
          words(name, *list);
        }
      }
    });
  }
  void variant(const Key& key, const Choice& choice, const Body& body) override {
    put_word(key, choice.get());
    body();
  }
  void one_of(const std::vector<Key>& keys, const Choice& which,
              const std::function<void(const Key&)>& body) override {
    for (const Key& key : keys) {
      if (which.get() == key.name) body(key);
    }
  }
  void aside(const Key&) override {}
  void where(bool applies, const char*, const Body& body) override {
    if (applies) body();
  }
  void list_or_map(const Key& key, std::size_t size, const Resize& resize, const IndexedBody& body,
                   const Body&, const Body&) override {
    list(key, size, resize, body);
  }
  void optional_map(const Key& key, bool& is_there, const Body& body) override {
    if (is_there) map(key, body);
  }
  void word_or_map(const Key& key, const Choice& words, const char* map_word,
                   const Body& body) override {
    if (words.get() == map_word) {
      map(key, body);
    } else {
      put_word(key, words.get());
    }
  }
  void number_or_map(const Key& key, std::optional<double>& number, NumberRange range, bool& is_map,
                     const Body& body) override {
    if (is_map) {
      map(key, body);
    } else {
      optional(key, number, range);
    }
  }

 protected:
  virtual void put(const Key& key, const AttributeValue& value) = 0;
  /// A value whose text is YAML already.
  virtual void put_word(const Key& key, const std::string& word) = 0;
  /// A number that stands there as `word`.
  virtual void put_for_word(const Key& key, const char* word, double /*value*/) {
    put_word(key, word);
  }
  virtual void put_for_word(const Key& key, const char* word, std::int64_t /*value*/) {
    put_word(key, word);
  }

 private:
  /// Text of a setting, which stands there as it is unless it is a number.
  static bool is_number_of(EntryForm form, const std::string& word) {
    return form == EntryForm::setting && parse_number(word).has_value();
  }
  /// The keys that a body shows, as a map in one line.
  virtual std::string flow_map(const Body& /*body*/) { return {}; }

  template <class T, class Format>
  void put_list(const Key& key, const std::vector<T>& values, const Format& format) {
    if (!values.empty()) put_word(key, flow_list(values, format));
  }
};

class YamlWriter final : public Writer {
 public:
  std::string take() { return std::move(text_); }

  void map(const Key& key, const Body& body) override {
    line(yaml_text(key.name) + ":");
    ++indent_;
    body();
    --indent_;
  }
  void list(const Key& key, std::size_t size, const Resize&, const IndexedBody& body) override {
    if (size == 0) return;
    line(yaml_text(key.name) + ":");
    indent_ += 2;
    for (std::size_t i = 0; i < size; ++i) {
      starts_item_ = true;
      body(i);
    }
    indent_ -= 2;
  }

 private:
  /// A text of several lines as a block, where its lines can be told from the margin.
  bool put_block(const Key& key, const std::string& text) {
    const bool is_plain =
        text.find('\n') != std::string::npos && text.find_first_of(" \n\t") != 0 &&
        text.find_first_of("\r\t") == std::string::npos &&
        std::all_of(text.begin(), text.end(), [](unsigned char c) { return c == '\n' || c >= 32; });
    const bool ends = text.ends_with('\n');
    if (!is_plain || text.ends_with("\n\n")) return false;
    line(yaml_text(key.name) + ": |" + (ends ? "" : "-"));
    ++indent_;
    std::istringstream lines(text);
    for (std::string one; std::getline(lines, one);) {
      if (one.empty()) {
        text_ += "\n";
      } else {
        line(one);
      }
    }
    --indent_;
    return true;
  }
  void put(const Key& key, const AttributeValue& value) override {
    const auto* const text = std::get_if<std::string>(&value);
    if (text != nullptr && put_block(key, *text)) return;
    struct Format {
      std::string operator()(const std::string& v) const { return yaml_text(v); }
      std::string operator()(std::int64_t v) const { return std::to_string(v); }
      std::string operator()(double v) const { return yaml_number(v); }
    };
    put_word(key, std::visit(Format{}, value));
  }
  void put_word(const Key& key, const std::string& word) override {
    line(yaml_text(key.name) + ": " + word);
  }
  void line(const std::string& content) {
    std::string margin(static_cast<std::size_t>(indent_) * 2, ' ');
    if (starts_item_) margin.replace(margin.size() - 2, 1, "-");
    starts_item_ = false;
    text_ += margin + content + "\n";
  }

  std::string flow_map(const Body& body) override {
    const std::string before = std::exchange(text_, "");
    const int indent = std::exchange(indent_, 0);
    body();
    indent_ = indent;
    std::string map = std::exchange(text_, before);
    if (!map.empty()) map.pop_back();
    for (std::size_t at = 0; (at = map.find('\n', at)) != std::string::npos;) {
      map.replace(at, 1, ", ");
    }
    return "{" + map + "}";
  }

  std::string text_;
  int indent_ = 0;
  bool starts_item_ = false;
};

class AttributeWriter final : public Writer {
  /// An attribute that has the value of a parameter.
  struct NamedTau {
    std::size_t index;
    std::string prefix;
    std::string parameter;
  };

 public:
  Attributes take() {
    for (const NamedTau& tau : named_taus_) resolve(tau);
    return std::move(attributes_);
  }

  /// What the names of a user stand for: parameter_NAME, trace_NAME_tau, signal_NAME.  Initial
  /// values of memories stand beside them.
  void entries(const Key& key, EntryForm form, std::vector<NamedEntry>& values) override {
    std::string one = key.name;
    if (one == "memory") return;
    if (one == "traces") return taus(values);
    if (one.ends_with("s")) one.pop_back();
    Writer::entries({one.c_str(), key.meaning}, form, values);
  }
  void word_or_map(const Key& key, const Choice& words, const char* map_word,
                   const Body& body) override {
    // So is the word for a pooling that is a map.
    if (std::string_view(key.name) == "pooling" && words.get() == map_word) {
      put(key, std::string("legendre"));
    }
    // A rule that is a map has attributes of their own names, as one that is a word.
    if (std::string_view(key.name) != "rule" || words.get() != map_word) {
      return Writer::word_or_map(key, words, map_word, body);
    }
    put(key, std::string("equations"));
    body();
  }
  void map(const Key& key, const Body& body) override {
    const std::string before = prefix_;
    prefix_ += std::string(key.name) + "_";
    body();
    prefix_ = before;
  }
  void list(const Key&, std::size_t size, const Resize&, const IndexedBody& body) override {
    for (std::size_t i = 0; i < size; ++i) body(i);
  }

 private:
  void put(const Key& key, const AttributeValue& value) override {
    attributes_.emplace_back(prefix_ + key.name, value);
  }
  void put_word(const Key& key, const std::string& word) override { put(key, word); }
  /// What was used, where the experiment has it.
  void put_for_word(const Key& key, const char* word, double value) override {
    if (value == 0.0) return put_word(key, word);
    put(key, value);
  }
  void put_for_word(const Key& key, const char* word, std::int64_t value) override {
    if (value == 0) return put_word(key, word);
    put(key, value);
  }

  /// The time constants of traces.  One that is the name of a parameter becomes its number at the
  /// end, since the parameters of a neuron are shown after the rule.
  void taus(const std::vector<NamedEntry>& traces) {
    for (const NamedEntry& trace : traces) {
      const auto* const number = std::get_if<double>(&trace.value);
      if (number == nullptr) {
        named_taus_.push_back({attributes_.size(), prefix_, std::get<std::string>(trace.value)});
      }
      attributes_.emplace_back(prefix_ + "trace_" + trace.name + "_tau",
                               number == nullptr ? 0.0 : *number);
    }
  }
  /// Parameters of the rule have a prefix, those of its neuron stand under their own names.
  void resolve(const NamedTau& tau) {
    for (const std::string& name :
         {tau.prefix + "parameter_" + tau.parameter, tau.prefix + tau.parameter}) {
      for (const auto& [known, value] : attributes_) {
        if (known != name) continue;
        attributes_[tau.index].second = value;
        return;
      }
    }
  }

  Attributes attributes_;
  std::vector<NamedTau> named_taus_;
  std::string prefix_;
};

/// Numbers and their paths, those that stand in a text of equations too.
class NumberWriter final : public Writer {
 public:
  std::vector<std::pair<std::string, double>> take() { return std::move(numbers_); }

  void map(const Key& key, const Body& body) override { below(key.name, body); }
  void list(const Key& key, std::size_t size, const Resize&, const IndexedBody& body) override {
    for (std::size_t i = 0; i < size; ++i) {
      below(fmt::format("{}[{}]", key.name, i), [&] { body(i); });
    }
  }
  void numbers(const Key& key, std::vector<double>& values, NumberRange) override {
    for (const double value : values) put(key, value);
  }

 private:
  void below(const std::string& name, const Body& body) {
    const std::string before = prefix_;
    prefix_ += name + ".";
    body();
    prefix_ = before;
  }
  void put(const Key& key, const AttributeValue& value) override {
    if (const auto* number = std::get_if<double>(&value)) {
      numbers_.emplace_back(prefix_ + key.name, *number);
    }
    const auto* const text = std::get_if<std::string>(&value);
    if (text == nullptr || std::string_view(key.name) != "equations") return;
    equation_language::ProblemList problems(*text);  // which were reported when the text was read
    for (const equation_language::Token& token : equation_language::tokens_of(*text, problems)) {
      if (token.kind != equation_language::Token::Kind::number) continue;
      numbers_.emplace_back(prefix_ + key.name, token.value);
    }
  }
  void put_word(const Key&, const std::string&) override {}

  std::vector<std::pair<std::string, double>> numbers_;
  std::string prefix_;
};

}  // namespace

std::vector<std::pair<std::string, double>> numbers_of(ExperimentConfig config) {
  NumberWriter writer;
  describe(writer, config);
  return writer.take();
}

std::string to_yaml(ExperimentConfig config) {
  YamlWriter writer;
  describe(writer, config);
  return writer.take();
}

std::string to_yaml(HierarchyConfig hierarchy) {
  YamlWriter writer;
  writer.map({HierarchyConfig::name, ""}, [&] { describe(writer, hierarchy); });
  return writer.take();
}

Attributes attributes_of(LevelConfig level) {
  level.layers.clear();
  AttributeWriter writer;
  describe(writer, level);
  return writer.take();
}

Attributes attributes_of(LayerConfig layer) {
  AttributeWriter writer;
  describe(writer, layer);
  return writer.take();
}

Attributes attributes_of(ReadoutConfig readout) {
  AttributeWriter writer;
  describe(writer, readout);
  Attributes attributes = writer.take();
  if (!readout.kind->fuses() || readout.target.names.empty()) return attributes;
  // The target that it has by what it fuses, as those have it.
  readout.kind = Kind<ReadoutKind>(std::make_unique<ReadoutKind::Of<RidgeOptions>>());
  for (auto& one : attributes_of(std::move(readout))) {
    if (one.first.starts_with("target_")) attributes.push_back(std::move(one));
  }
  return attributes;
}

Attributes attributes_of(PublishedConfig published) {
  published.short_form.clear();
  AttributeWriter writer;
  describe_published_keys(writer, published);
  return writer.take();
}

Attributes attributes_of(Kind<ModuleKind> layer) {
  AttributeWriter writer;
  describe(writer, layer);
  return writer.take();
}

Attributes attributes_of(NetworkConfig network, bool on_series) {
  network.layers.clear();
  AttributeWriter writer;
  describe(writer, network, on_series);
  return writer.take();
}

}  // namespace gaia
