// SPDX-License-Identifier: MIT
/// \file
/// The JSON Schema of an experiment, from the same list of keys that the reader checks.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "config_writer.h"
#include "describe.h"
#include "search_section.h"
#include "sweep_axes.h"

namespace gaia {
namespace {

using Json = nlohmann::ordered_json;

/// While a map is visited, `alternatives_` holds its schemas: one, until a variant splits it.
class SchemaWriter final : public ConfigVisitor {
 public:
  /// The schema of the map that `body` visits.
  Json object(const Body& body) {
    std::vector<Json> outer = std::move(alternatives_);
    alternatives_ = {{{"type", "object"},
                      {"additionalProperties", false},
                      {"required", Json::array()},
                      {"properties", Json::object()}}};
    body();
    for (Json& schema : alternatives_) {
      if (schema["required"].empty()) schema.erase("required");
    }
    Json made = alternatives_.size() == 1 ? alternatives_.front() : Json{{"oneOf", alternatives_}};
    alternatives_ = std::move(outer);
    return made;
  }

  void text(const Key& key, std::string& value) override {
    Json schema = {{"type", {"string", "number"}}};
    if (!value.empty()) schema["default"] = value;
    add(key, std::move(schema));
  }
  void name(const Key& key, std::string&) override {
    add(key, {{"type", "string"}, {"pattern", "^[a-z0-9_-]{1,64}$"}});
  }
  void integer(const Key& key, std::int64_t& value, IntegerRange range) override {
    Json schema = integer_schema(range);
    if (!key.required) schema["default"] = value;
    add(key, std::move(schema));
  }
  void number(const Key& key, double& value, NumberRange range) override {
    Json schema = number_schema(range);
    if (!key.required) schema["default"] = value;
    add(key, std::move(schema));
  }
  void number_or(const Key& key, const char* word, bool&, double& value,
                 NumberRange range) override {
    Json schema = {{"oneOf", {Json{{"const", word}}, number_schema(range)}}};
    if (!key.required) schema["default"] = value;
    add(key, std::move(schema));
  }
  void integer_or(const Key& key, const char* word, bool&, std::int64_t& value,
                  IntegerRange range) override {
    Json schema = {{"oneOf", {Json{{"const", word}}, integer_schema(range)}}};
    if (!key.required) schema["default"] = value;
    add(key, std::move(schema));
  }
  void flag(const Key& key, bool& value) override {
    add(key, {{"type", "boolean"}, {"default", value}});
  }
  void flag_or_words(const Key& key, bool& value, std::vector<std::string>&) override {
    const Json words = array_of({{"type", "string"}});
    add(key, {{"oneOf", {Json{{"type", "boolean"}}, words}}, {"default", value}});
  }
  void choice(const Key& key, const Choice& choice) override {
    Json known = choice.known;
    // YAML takes the word for a truth value unless it is quoted.
    if (choice.known == std::vector<std::string>{"true"}) known.push_back(true);
    add(key, {{"enum", std::move(known)}, {"default", choice.get()}});
  }
  void optional(const Key& key, std::optional<std::int64_t>&, IntegerRange range) override {
    add(key, integer_schema(range));
  }
  void optional(const Key& key, std::optional<double>&, NumberRange range) override {
    add(key, number_schema(range));
  }
  void integers(const Key& key, std::vector<std::int64_t>&, IntegerRange range) override {
    add(key, array_of(integer_schema(range)));
  }
  void integer_or_list(const Key& key, std::vector<std::int64_t>&, IntegerRange range) override {
    add(key, {{"oneOf", {integer_schema(range), array_of(integer_schema(range))}}});
  }
  void numbers(const Key& key, std::vector<double>&, NumberRange range) override {
    add(key, array_of(number_schema(range)));
  }
  void matrix(const Key& key, std::vector<std::vector<double>>&) override {
    add(key, array_of(array_of({{"type", "number"}})));
  }
  void nested(const Key& key, NestedNumbers&, NumberRange range, int least, int most) override {
    Json schema = number_schema(range);
    Json depths = Json::array();
    if (least == 0) depths.push_back(schema);
    for (int depth = 1; depth <= most; ++depth) {
      schema = array_of(schema);
      if (depth >= least) depths.push_back(schema);
    }
    add(key, depths.size() == 1 ? depths.front() : Json{{"anyOf", depths}});
  }
  void words(const Key& key, std::vector<std::string>&) override {
    add(key, array_of({{"type", {"string", "integer"}}}));
  }
  void word_or_words(const Key& key, std::vector<std::string>&) override {
    const Json word = {{"type", {"string", "integer"}}};
    add(key, {{"oneOf", {word, array_of(word)}}});
  }
  void some_of(const Key& key, const std::vector<std::string>& known,
               std::vector<std::string>& values, const KeysOfWords& with_keys) override {
    Json item = {{"enum", known}};
    if (!with_keys.empty()) {
      Json forms = Json::array({item});
      for (const auto& [word, body] : with_keys) {
        forms.push_back({{"type", "object"},
                         {"properties", {{word, object(body)}}},
                         {"required", {word}},
                         {"additionalProperties", false}});
      }
      item = {{"oneOf", std::move(forms)}};
    }
    const Json list = {{"type", "array"}, {"items", std::move(item)}, {"uniqueItems", true}};
    add(key, {{"oneOf", {Json{{"const", "none"}}, list}}, {"default", values}});
  }
  void entries(const Key& key, EntryForm form, std::vector<NamedEntry>&) override {
    const Json word = {{"type", {"string", "integer"}}};
    const Json number = {{"type", "number"}};
    const Json value = form == EntryForm::setting  ? Json(true)
                       : form == EntryForm::number ? number
                       : form == EntryForm::number_or_name
                           ? Json{{"oneOf", {number, {{"type", "string"}}}}}
                           : Json{{"oneOf", {word, array_of(word)}}};
    add(key, {{"type", "object"}, {"additionalProperties", value}});
  }
  void map(const Key& key, const Body& body) override { add(key, object(body)); }
  void optional_map(const Key& key, bool& /*is_there*/, const Body& body) override {
    map(key, body);
  }
  void list(const Key& key, std::size_t, const Resize& resize, const IndexedBody& body) override {
    resize(1);
    Json schema = array_of(object([&] { body(0); }));
    if (!key.required) schema.erase("minItems");
    add(key, std::move(schema));
  }
  void list_or_map(const Key& key, std::size_t, const Resize& resize, const IndexedBody& body,
                   const Body& short_form, const Body&) override {
    resize(1);
    Json list = array_of(object([&] { body(0); }));
    add(key, {{"oneOf", {std::move(list), object(short_form)}}});
  }
  void word_or_map(const Key& key, const Choice& words, const char* map_word,
                   const Body& body) override {
    const std::string before = words.get();
    words.set(map_word);
    Json map = object(body);
    words.set(before);
    Json schema = {{"oneOf", {Json{{"enum", words.known}}, std::move(map)}}, {"default", before}};
    add(key, std::move(schema));
  }
  void number_or_map(const Key& key, std::optional<double>&, NumberRange range, bool&,
                     const Body& body) override {
    Json schema = {{"oneOf", {number_schema(range), object(body)}}};
    add(key, std::move(schema));
  }
  /// One alternative per word, each with the keys that stand beside it.
  void variant(const Key& key, const Choice& choice, const Body& body) override {
    const std::vector<Json> before = std::move(alternatives_);
    std::vector<Json> after;
    // Where the word may be left out, exactly one alternative is without it.
    const std::string standard = key.required ? "" : choice.get();
    for (const std::string& word : choice.known) {
      choice.set(word);
      alternatives_ = before;
      add({key.name, key.meaning, word != standard}, {{"const", word}});
      body();
      after.insert(after.end(), alternatives_.begin(), alternatives_.end());
    }
    alternatives_ = std::move(after);
  }
  void one_of(const std::vector<Key>& keys, const Choice&,
              const std::function<void(const Key&)>& body) override {
    Json exactly_one = Json::array();
    for (const Key& key : keys) {
      body(key);
      exactly_one.push_back({{"required", {key.name}}});
    }
    const auto is_one = [&keys](const Json& name) {
      return std::any_of(keys.begin(), keys.end(),
                         [&name](const Key& key) { return name == key.name; });
    };
    for (Json& schema : alternatives_) {
      // Whichever is there is required, none for itself.
      Json required = Json::array();
      for (const Json& name : schema["required"]) {
        if (!is_one(name)) required.push_back(name);
      }
      schema["required"] = std::move(required);
      schema["oneOf"] = exactly_one;
    }
  }
  void aside(const Key& key) override {
    const std::string_view name = key.name;
    if (name == "include") {
      const Json path = {{"type", "string"}};
      Json paths = {{"type", "array"}, {"items", path}, {"minItems", 1}};
      return add(key, {{"oneOf", {path, std::move(paths)}}});
    }
    add(key, Json::parse(name == "search" ? search_schema() : sweep_schema()));
  }
  void where(bool, const char*, const Body& body) override { body(); }

 private:
  static Json integer_schema(IntegerRange range) {
    return {{"type", "integer"}, {"minimum", range.least}, {"maximum", range.most}};
  }
  static Json number_schema(NumberRange range) {
    Json schema = {{"type", "number"}};
    if (range.least > -kLargest) {
      schema[range.above_least ? "exclusiveMinimum" : "minimum"] = range.least;
    }
    if (range.most < kLargest) {
      schema[range.below_most ? "exclusiveMaximum" : "maximum"] = range.most;
    }
    return schema;
  }
  static Json array_of(Json items) {
    return {{"type", "array"}, {"items", std::move(items)}, {"minItems", 1}};
  }

  void add(const Key& key, Json schema) {
    schema["description"] = key.meaning;
    for (Json& alternative : alternatives_) {
      alternative["properties"][key.name] = schema;
      if (key.required) alternative["required"].push_back(key.name);
    }
  }

  std::vector<Json> alternatives_;
};

/// What has to be there in maps, and exactly one of several, is for the whole.
void require_nothing(Json& schema) {
  schema.erase("required");
  Json forms = Json::array();
  for (const char* const one : {"oneOf", "anyOf"}) {
    if (!schema.contains(one)) continue;
    for (Json form : schema[one]) {
      if (form.size() == 1 && form.contains("required")) continue;
      require_nothing(form);
      forms.push_back(std::move(form));
    }
    schema.erase(one);
  }
  // Without what tells them apart several may fit.
  if (!forms.empty()) schema["anyOf"] = std::move(forms);
  if (!schema.contains("properties")) return;
  for (auto& property : schema["properties"]) require_nothing(property);
}

Json whole_schema() {
  ExperimentConfig config;
  config.has_controls = true;  // lists that are shown by one entry are no data
  SchemaWriter writer;
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "gaia experiment"}};
  schema.update(writer.object([&] { describe(writer, config); }));
  schema["required"] = {"experiment"};
  std::size_t place = 0;
  for (const Kind<ExperimentKind>& kind : ExperimentKind::list()) {
    schema["oneOf"][place++]["required"].push_back(kind->source());
    // What reads no data has other keys beside its section, too.
    if (kind->source() == std::string_view(config.kind->source())) continue;
    ExperimentConfig other;
    other.has_controls = true;
    other.kind = kind;
    const Json own = writer.object([&] { describe(writer, other); });
    for (const auto& [name, property] : own["properties"].items()) {
      Json& known = schema["properties"][name];
      if (known.is_null()) {
        known = property;
      } else if (known != property) {
        known = {{"anyOf", {known, property}}, {"description", known["description"]}};
      }
    }
  }
  return schema;
}

}  // namespace

std::string json_schema() { return whole_schema().dump(2); }

std::string json_schema_of_part() {
  Json schema = whole_schema();
  schema["title"] = "part of a gaia experiment";
  require_nothing(schema);
  return schema.dump(2);
}

}  // namespace gaia
