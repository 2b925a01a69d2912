// SPDX-License-Identifier: MIT
#include "config_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "../../core/message.h"
#include "../../core/names.h"
#include "describe.h"
#include "known_keys.h"
#include "value_reader.h"

namespace gaia {
namespace {

class ConfigReader final : public ConfigVisitor {
 public:
  /// `hints` may be null.
  ConfigReader(const YamlNode& root, ReadConfig& result, Problems& problems, const KnownKeys* hints)
      : problems_(&problems), result_(result), hints_(hints) {
    if (root.kind != YamlNode::Kind::map) {
      problems_->add(root.origin, {},
                     "expected an experiment (a map of keys), got " + root.describe());
      return;
    }
    // What is included has taken the place of this key where the experiment stands in a file.
    if (const YamlNode* const include = root.find("include")) {
      problems_->add(include->origin, "include",
                     "has no place here: files are included by experiments that are read from "
                     "files; write their keys out");
    }
    // Which keys there are depends on what runs, and some of them come first.
    Kind<ExperimentKind>& kind = result.config.kind;
    for (const auto& key : {&ExperimentKind::source, &ExperimentKind::name}) {
      const auto& kinds = ExperimentKind::list();
      const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) {
        return root.find(((*one).*key)()) != nullptr;
      });
      if (found != kinds.end()) kind = *found;
    }
    if (const YamlNode* const section = root.find(kind->name())) kind->prepare(*section);
    in_map(root, {}, [&] { gaia::describe(*this, result.config); });
  }

  void text(const Key& key, std::string& value) override {
    const YamlNode* node = find(key);
    if (node == nullptr) return;
    // What has no default may be null: `--set hierarchy.from=null`.
    if (node->kind == YamlNode::Kind::null && !key.required && value.empty()) return;
    if (node->kind != YamlNode::Kind::scalar || node->text.empty())
      return wrong(key, *node, "a text");
    value = node->text;
  }

  void name(const Key& key, std::string& value) override {
    constexpr const char* form = "1 to 64 of a-z, 0-9, _ and -";
    const YamlNode* node = scalar(key, form);
    if (node == nullptr) return;
    const std::string& text = node->text;
    const bool fits =
        text.size() >= 1 && text.size() <= 64 &&
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
    if (!fits) return wrong(key, *node, form);
    value = text;
  }

  void integer(const Key& key, std::int64_t& value, IntegerRange range) override {
    if (const YamlNode* node = scalar(key, describe_range(range))) {
      read_integer(key, *node, range, value);
    }
  }

  void number(const Key& key, double& value, NumberRange range) override {
    if (const YamlNode* node = scalar(key, describe_range(range))) {
      read_number(key, *node, range, value);
    }
  }

  void number_or(const Key& key, const char* word, bool& is_word, double& value,
                 NumberRange range) override {
    const std::string expected = message("{}, or {}", describe_range(range), word);
    const YamlNode* node = scalar(key, expected);
    if (node == nullptr) return;
    is_word = node->text == word;
    if (is_word) {
      value = 0.0;
    } else {
      at(key).number(*node, range, value, expected);
    }
  }

  void integer_or(const Key& key, const char* word, bool& is_word, std::int64_t& value,
                  IntegerRange range) override {
    const YamlNode* node = scalar(key, message("{}, or {}", describe_range(range), word));
    if (node == nullptr) return;
    is_word = node->text == word;
    if (is_word) {
      value = 0;
    } else {
      at(key).integer(*node, range, value, word);
    }
  }

  void flag(const Key& key, bool& value) override {
    const YamlNode* node = scalar(key, "true or false");
    if (node == nullptr) return;
    if (node->quoted || (node->text != "true" && node->text != "false")) {
      return wrong(key, *node, "true or false");
    }
    value = node->text == "true";
  }

  void flag_or_words(const Key& key, bool& value, std::vector<std::string>& names) override {
    const YamlNode* node = find(key);
    if (node == nullptr) return;
    if (node->kind == YamlNode::Kind::list) {
      words(key, names);
      value = !names.empty();
    } else if (!node->quoted && (node->text == "true" || node->text == "false")) {
      flag(key, value);
      names.clear();
    } else {
      wrong(key, *node, "true, false or a list of names");
    }
  }

  void choice(const Key& key, const Choice& choice) override {
    if (const YamlNode* node = scalar(key, join(choice.known))) read_word(key, *node, choice);
  }

  void optional(const Key& key, std::optional<std::int64_t>& value, IntegerRange range) override {
    std::int64_t read = 0;
    const YamlNode* node = scalar(key, describe_range(range));
    if (node != nullptr && read_integer(key, *node, range, read)) value = read;
  }

  void optional(const Key& key, std::optional<double>& value, NumberRange range) override {
    double read = 0;
    const YamlNode* node = scalar(key, describe_range(range));
    if (node != nullptr && read_number(key, *node, range, read)) value = read;
  }

  void integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange range) override {
    read_list(key, values, "a list of integers", [&](const YamlNode& item, std::int64_t& value) {
      return read_integer(key, item, range, value);
    });
  }

  void integer_or_list(const Key& key, std::vector<std::int64_t>& values,
                       IntegerRange range) override {
    const YamlNode* node = frame().map->find(key.name);
    if (node != nullptr && node->kind == YamlNode::Kind::list) return integers(key, values, range);
    std::int64_t one = 0;
    integer(key, one, range);
    if (node != nullptr) values = {one};
  }

  void numbers(const Key& key, std::vector<double>& values, NumberRange range) override {
    read_list(key, values, "a list of numbers", [&](const YamlNode& item, double& value) {
      return read_number(key, item, range, value);
    });
  }

  void matrix(const Key& key, std::vector<std::vector<double>>& rows) override {
    read_list(key, rows, "a list of lists of numbers",
              [&](const YamlNode& item, std::vector<double>& row) {
                if (item.kind != YamlNode::Kind::list || item.items.empty()) {
                  wrong(key, item, "a list of numbers");
                  return false;
                }
                for (const YamlNode& element : item.items) {
                  if (!read_number(key, element, kAnyNumber, row.emplace_back())) return false;
                }
                return true;
              });
  }

  void nested(const Key& key, NestedNumbers& numbers, NumberRange range, int least,
              int most) override {
    const YamlNode* node = find(key);
    if (node == nullptr) return;
    NestedNumbers read;
    if (!read_nested(key, *node, range, 0, read)) return;
    const int depth = static_cast<int>(read.shape.size());
    if (depth < least || depth > most) {
      const std::string expected =
          least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
      return problems_->add(node->origin, path_of(key),
                            fmt::format("expected {}lists in lists, {} deep, got {}",
                                        least == 0 ? "a number or " : "", expected,
                                        depth == 0 ? "a number" : std::to_string(depth)));
    }
    numbers = std::move(read);
  }

  void words(const Key& key, std::vector<std::string>& values) override {
    read_list(key, values, "a list of names or indices",
              [&](const YamlNode& item, std::string& value) {
                if (item.kind != YamlNode::Kind::scalar || item.text.empty()) {
                  wrong(key, item, "a name or an index");
                  return false;
                }
                value = item.text;
                return true;
              });
  }

  void word_or_words(const Key& key, std::vector<std::string>& values) override {
    const std::string expected = "a name or an index, or a list of them";
    const YamlNode* node = find(key);
    if (node == nullptr) return;
    const auto is_word = [](const YamlNode& item) {
      return item.kind == YamlNode::Kind::scalar && !item.text.empty();
    };
    if (is_word(*node)) {
      values = {node->text};
      return;
    }
    if (node->kind != YamlNode::Kind::list || node->items.empty()) {
      return wrong(key, *node, expected);
    }
    std::vector<std::string> words;
    for (const YamlNode& item : node->items) {
      if (!is_word(item)) return wrong(key, item, "a name or an index");
      words.push_back(item.text);
    }
    values = std::move(words);
  }

  void some_of(const Key& key, const std::vector<std::string>& known,
               std::vector<std::string>& values, const KeysOfWords& with_keys) override {
    const YamlNode* node = find(key);
    if (node == nullptr) return;
    const bool is_none = node->kind == YamlNode::Kind::scalar && node->text == "none";
    if (!is_none && node->kind != YamlNode::Kind::list) {
      return wrong(key, *node, "none or a list of any of " + join(known));
    }
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      const YamlNode& item = node->items[i];
      const bool has_keys = item.kind == YamlNode::Kind::map && item.entries.size() == 1 &&
                            item.entries.front().value.kind == YamlNode::Kind::map;
      if (item.kind != YamlNode::Kind::scalar && !has_keys) return wrong(key, item, join(known));
      YamlNode word = item;
      if (has_keys) word.text = item.entries.front().key;
      const auto choose = [&chosen](const std::string& one) { chosen.push_back(one); };
      if (std::find(chosen.begin(), chosen.end(), word.text) != chosen.end()) {
        return problems_->add(item.origin, path_of(key), "'" + word.text + "' stands there twice");
      }
      if (!read_word(key, word, {known, {}, choose})) return;
      if (!has_keys) continue;
      const auto found = std::find_if(with_keys.begin(), with_keys.end(),
                                      [&](const auto& one) { return one.first == word.text; });
      if (found == with_keys.end()) return wrong(key, item, word.text + " alone: it has no keys");
      in_map(item.entries.front().value, fmt::format("{}[{}].{}", path_of(key), i, word.text),
             found->second);
    }
    values = std::move(chosen);
  }

  void entries(const Key& key, EntryForm form, std::vector<NamedEntry>& values) override {
    const YamlNode* node = find(key);
    if (node == nullptr) return;
    values = at(key).entries(*node, form);
  }

  void forbid(const Key& key, const std::string& why) override {
    const YamlNode* node = frame().map->find(key.name);
    know(key.name);
    if (node != nullptr) problems_->add(node->origin, path_of(key), "has no place here: " + why);
  }

  void refuse(const Key& key, const std::string& why, int line, int column) override {
    const YamlNode* node = frame().map->find(top_of(key.name));
    Origin origin = node != nullptr ? node->origin : frame().map->origin;
    if (node != nullptr && line > 0) {
      const bool is_block = node->text.find('\n') != std::string::npos;
      // A block begins on the line behind its key.
      if (is_block && origin.argument.empty()) {
        const int margin = problems_->margin_of(origin.line + 1, origin.file);
        origin = {origin.line + line, margin + column, {}, origin.file};
      }
      if (!is_block && !node->quoted && line == 1) origin.column += column - 1;
    }
    problems_->add(origin, path_of(key), why);
  }

  void map(const Key& key, const Body& body) override {
    const YamlNode* node = find(key);
    if (node == nullptr) return;
    if (node->kind == YamlNode::Kind::null && !key.required) return;
    if (node->kind != YamlNode::Kind::map) return wrong(key, *node, "a map of keys");
    in_map(*node, path_of(key), body);
  }
  void optional_map(const Key& key, bool& is_there, const Body& body) override {
    const YamlNode* const node = find(key);
    if (node == nullptr) return;
    is_there = node->kind == YamlNode::Kind::map;
    map(key, body);
  }

  void list(const Key& key, std::size_t /*size*/, const Resize& resize,
            const IndexedBody& body) override {
    const YamlNode* node = find(key);
    if (node == nullptr) return;
    if (node->kind == YamlNode::Kind::null && !key.required) return;
    const bool empty = node->kind == YamlNode::Kind::list && node->items.empty();
    if (node->kind != YamlNode::Kind::list || (empty && key.required)) {
      return wrong(key, *node, key.required ? "a list with at least one entry" : "a list");
    }
    resize(node->items.size());
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      const YamlNode& item = node->items[i];
      const std::string path = fmt::format("{}[{}]", path_of(key), i);
      if (item.kind != YamlNode::Kind::map) {
        problems_->add(item.origin, path, "expected a map of keys, got " + item.describe());
        continue;
      }
      in_map(item, path, [&] { body(i); });
    }
  }

  void list_or_map(const Key& key, std::size_t size, const Resize& resize, const IndexedBody& body,
                   const Body& short_form, const Body& expand) override {
    const YamlNode* node = frame().map->find(key.name);
    if (node == nullptr || node->kind != YamlNode::Kind::map) return list(key, size, resize, body);
    in_map(*find(key), path_of(key), [&] {
      const std::size_t before = problems_->all().size();
      short_form();
      // What is built from keys that are wrong would be wrong once more.
      if (problems_->all().size() == before) expand();
    });
  }

  void word_or_map(const Key& key, const Choice& words, const char* map_word,
                   const Body& body) override {
    const YamlNode* node = find(key);
    if (node == nullptr) return;
    if (node->kind == YamlNode::Kind::map) {
      words.set(map_word);
      return in_map(*node, path_of(key), body);
    }
    if (node->kind != YamlNode::Kind::scalar) {
      return wrong(key, *node, join(words.known) + ", or a map of keys");
    }
    read_word(key, *node, words);
  }

  void number_or_map(const Key& key, std::optional<double>& number, NumberRange range, bool& is_map,
                     const Body& body) override {
    const YamlNode* node = find(key);
    if (node == nullptr) return;
    if (node->kind == YamlNode::Kind::map) {
      is_map = true;
      return in_map(*node, path_of(key), body);
    }
    if (node->kind != YamlNode::Kind::scalar) {
      return wrong(key, *node, describe_range(range) + ", or a map of keys");
    }
    double read = 0.0;
    if (read_number(key, *node, range, read)) number = read;
  }

  void variant(const Key& key, const Choice& choice, const Body& body) override {
    const bool left_out = !key.required && frame().map->find(key.name) == nullptr;
    const YamlNode* node = scalar(key, join(choice.known));
    if (left_out || (node != nullptr && read_word(key, *node, choice))) return body();
    read_as_any(choice, body);
  }

  void one_of(const std::vector<Key>& keys, const Choice& which,
              const std::function<void(const Key&)>& body) override {
    std::vector<const Key*> present;
    for (const Key& key : keys) {
      know(key.name);
      if (frame().map->find(key.name) != nullptr) present.push_back(&key);
    }
    if (present.size() != 1) {
      std::string names;
      for (const Key& key : keys) names += (names.empty() ? "" : ", ") + std::string(key.name);
      problems_->add(frame().map->origin, frame().path,
                     message("expected exactly one of the keys {}, got {}", names, present.size()));
      return;
    }
    which.set(present.front()->name);
    body(*present.front());
  }

  void aside(const Key& key) override { know(key.name); }

  void where(bool applies, const char* condition, const Body& body) override {
    const char* const before = idle_without_;
    if (!applies) idle_without_ = condition;
    body();
    idle_without_ = before;
  }

 private:
  struct Frame {
    const YamlNode* map;
    std::string path;
    std::vector<std::string> known;
  };

  Frame& frame() { return frames_.back(); }

  std::string path_of(const Key& key) {
    return frame().path.empty() ? key.name : frame().path + "." + key.name;
  }

  void in_map(const YamlNode& map, const std::string& path, const Body& body) {
    frames_.push_back({&map, path, {}});
    // A map without effect has been reported; each of its keys would be too much.
    const char* const idle_outside = std::exchange(idle_without_, nullptr);
    body();
    idle_without_ = idle_outside;
    for (const YamlNode::Entry& entry : map.entries) {
      const auto& known = frame().known;
      if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
      const std::string full = path.empty() ? entry.key : path + "." + entry.key;
      const std::string hint =
          hints_ != nullptr ? hints_->hint_for_key(path, entry.key, known) : "";
      problems_->add(entry.origin, full,
                     message("unknown key '{}'{}; known: {}", entry.key, hint, join(known)));
    }
    frames_.pop_back();
  }

  /// Reports, where it is not known which alternative is meant, what is wrong with each of those
  /// that have the key.
  void read_as_any(const Choice& choice, const Body& body) {
    struct Alternative {
      std::vector<std::string> known;
      std::vector<Problem> problems;
      bool has(const std::string& key) const {
        return std::find(known.begin(), known.end(), key) != known.end();
      }
    };
    Problems* const outer = problems_;
    const std::vector<std::string> beside = frame().known;
    const std::size_t warnings = result_.warnings.size();
    std::vector<Alternative> alternatives;
    for (const std::string& word : choice.known) {
      Problems own(outer->file(), {});
      problems_ = &own;
      choice.set(word);
      body();
      alternatives.push_back({std::exchange(frame().known, beside), own.all()});
    }
    problems_ = outer;
    result_.warnings.resize(warnings);

    for (const Alternative& one : alternatives) {
      for (const std::string& key : one.known) know(key);
    }
    std::set<std::string> told;
    for (const Alternative& one : alternatives) {
      for (const Problem& problem : one.problems) {
        const std::string top = top_key(problem.key);
        const bool is_given = frame().map->find(top) != nullptr;
        const bool is_wrong_for_all =
            std::all_of(alternatives.begin(), alternatives.end(), [&](const Alternative& other) {
              return (is_given && !other.has(top)) ||
                     std::any_of(other.problems.begin(), other.problems.end(),
                                 [&](const Problem& p) { return p.key == problem.key; });
            });
        if (is_wrong_for_all && told.insert(problem.key).second) {
          problems_->add(problem.origin, problem.key, problem.message);
        }
      }
    }
  }

  /// "traces" of "traces.pre".
  static std::string top_of(const std::string& name) { return name.substr(0, name.find('.')); }

  /// The key of the innermost map that leads to `path`.
  std::string top_key(const std::string& path) {
    const std::size_t begin = frame().path.empty() ? 0 : frame().path.size() + 1;
    if (path.size() <= begin) return {};
    return path.substr(begin, path.find_first_of(".[", begin) - begin);
  }

  void know(const std::string& key) {
    auto& known = frame().known;
    if (std::find(known.begin(), known.end(), key) == known.end()) known.push_back(key);
  }

  const YamlNode* find(const Key& key) {
    know(key.name);
    const YamlNode* node = frame().map->find(key.name);
    if (node == nullptr && key.required) {
      problems_->add(frame().map->origin, path_of(key), message("missing ({})", key.meaning));
    }
    if (node != nullptr && idle_without_ != nullptr) {
      result_.warnings.push_back(
          message("{} has no effect without {}", path_of(key), idle_without_));
    }
    return node;
  }

  /// The scalar at a key; if it is something else, that is a problem.
  const YamlNode* scalar(const Key& key, const std::string& expected) {
    const YamlNode* node = find(key);
    if (node == nullptr || node->kind == YamlNode::Kind::scalar) return node;
    wrong(key, *node, expected);
    return nullptr;
  }

  ValueReader at(const Key& key) { return {*problems_, path_of(key)}; }
  void wrong(const Key& key, const YamlNode& node, const std::string& expected) {
    at(key).wrong(node, expected);
  }
  bool read_integer(const Key& key, const YamlNode& node, IntegerRange range, std::int64_t& value) {
    return at(key).integer(node, range, value);
  }
  bool read_number(const Key& key, const YamlNode& node, NumberRange range, double& value) {
    return at(key).number(node, range, value, describe_range(range));
  }

  bool read_word(const Key& key, const YamlNode& node, const Choice& choice) {
    const auto& known = choice.known;
    if (std::find(known.begin(), known.end(), node.text) == known.end()) {
      const std::string hint =
          hints_ != nullptr ? hints_->hint_for_word(frame().path, key.name, node.text, known) : "";
      problems_->add(
          node.origin, path_of(key),
          message("unknown {} '{}'{}; known: {}", key.name, node.text, hint, join(known)));
      return false;
    }
    choice.set(node.text);
    return true;
  }

  /// Adds the numbers at `depth` lists within the first; the first list of each depth says how long
  /// the others are.
  bool read_nested(const Key& key, const YamlNode& node, NumberRange range, std::size_t depth,
                   NestedNumbers& read) {
    const bool is_list = node.kind == YamlNode::Kind::list;
    const bool is_first = read.values.empty();
    if (!is_list && !(is_first || depth == read.shape.size())) {
      wrong(key, node, fmt::format("a list of {}", read.shape[depth]));
      return false;
    }
    if (!is_list) return read_number(key, node, range, read.values.emplace_back());
    const auto length = static_cast<std::int64_t>(node.items.size());
    if (is_first && depth == read.shape.size()) read.shape.push_back(length);
    if (length == 0 || depth >= read.shape.size() || length != read.shape[depth]) {
      const std::string expected = depth >= read.shape.size() ? std::string("a number")
                                   : length == 0 ? std::string("a list that is not empty")
                                                 : fmt::format("a list of {}", read.shape[depth]);
      problems_->add(node.origin, path_of(key),
                     fmt::format("expected {}, got a list of {}", expected, length));
      return false;
    }
    for (const YamlNode& item : node.items) {
      if (!read_nested(key, item, range, depth + 1, read)) return false;
    }
    return true;
  }

  template <class T, class Read>
  void read_list(const Key& key, std::vector<T>& values, const char* expected, const Read& read) {
    const YamlNode* node = find(key);
    if (node == nullptr) return;
    if (node->kind != YamlNode::Kind::list || node->items.empty()) {
      return wrong(key, *node, expected);
    }
    std::vector<T> result;
    for (const YamlNode& item : node->items) {
      if (!read(item, result.emplace_back())) return;
    }
    values = std::move(result);
  }

  Problems* problems_;
  ReadConfig& result_;
  const KnownKeys* hints_;
  std::vector<Frame> frames_;
  const char* idle_without_ = nullptr;
};

}  // namespace

ReadConfig read_config(const YamlNode& root, Problems& problems) {
  ReadConfig result;
  Problems found(problems.file(), {});
  { const ConfigReader reader(root, result, found, nullptr); }
  if (found.empty()) return result;
  // Read once more, now that it is known which keys such an experiment has, with hints.
  const KnownKeys hints(result.config);
  ReadConfig again;
  const ConfigReader reader(root, again, problems, &hints);
  return again;
}

}  // namespace gaia
