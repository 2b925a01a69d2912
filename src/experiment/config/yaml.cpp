// SPDX-License-Identifier: MIT
#include "yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "../../core/message.h"
#include "../../core/text.h"

namespace gaia {
namespace {

/// Thrown inside the event handler to leave yaml-cpp's parser; the problem has been noted.
struct Stop {};

Origin origin_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1, {}}; }

/// Builds the tree from yaml-cpp's events, so that nothing is built that will be refused.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(Problems& problems, const YamlLimits& limits)
      : problems_(problems), limits_(limits) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      stop(
          mark,
          "more than one document: the second begins here (---); put one experiment into one file");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    YamlNode& node = add(mark, YamlNode::Kind::null);
    // Nothing is written there; the mark is of whatever comes next.
    if (!open_.empty() && open_.back().node->kind == YamlNode::Kind::map) {
      node.origin = open_.back().node->entries.back().origin;
    }
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    stop(mark, "aliases (*name) are not supported; write the value out");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (value.size() > limits_.scalar) {
      stop(mark,
           message("a value of {} bytes; at most {} are allowed", value.size(), limits_.scalar));
    }
    if (expects_key()) return start_entry(mark, value);
    YamlNode& node = add(mark, YamlNode::Kind::scalar);
    node.text = value;
    node.quoted = tag == "!";
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode* node;
    bool has_key;  // whether a key of a map waits for its value
  };

  [[noreturn]] void stop(const YAML::Mark& mark, const std::string& message) {
    problems_.add(origin_of(mark), {}, message);
    throw Stop{};
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) stop(mark, "anchors (&name) are not supported; write the value out");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      stop(mark, "tags (" + tag + ") are not supported; remove it");
    }
  }

  bool expects_key() const {
    return !open_.empty() && open_.back().node->kind == YamlNode::Kind::map &&
           !open_.back().has_key;
  }

  void count(const YAML::Mark& mark) {
    if (++nodes_ > limits_.nodes) {
      stop(mark, message("more than {} values", limits_.nodes));
    }
  }

  void start_entry(const YAML::Mark& mark, const std::string& key) {
    count(mark);
    YamlNode& map = *open_.back().node;
    if (key == "<<") stop(mark, "merge keys (<<) are not supported; write the entries out");
    const auto same = std::find_if(map.entries.begin(), map.entries.end(),
                                   [&](const YamlNode::Entry& e) { return e.key == key; });
    if (same != map.entries.end()) {
      problems_.add(origin_of(mark), {},
                    message("duplicate key '{}' (first at line {})", key, same->origin.line));
    }
    map.entries.push_back({key, origin_of(mark), {}});
    open_.back().has_key = true;
  }

  YamlNode& add(const YAML::Mark& mark, YamlNode::Kind kind) {
    count(mark);
    YamlNode* place = &root_;
    if (!open_.empty()) {
      YamlNode& parent = *open_.back().node;
      if (parent.kind == YamlNode::Kind::list) {
        place = &parent.items.emplace_back();
      } else if (open_.back().has_key) {
        place = &parent.entries.back().value;
        open_.back().has_key = false;
      } else {
        stop(mark, "a key must be a word");
      }
    }
    place->kind = kind;
    place->origin = origin_of(mark);
    return *place;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (static_cast<int>(open_.size()) >= limits_.depth) {
      stop(mark, message("nested deeper than {} levels", limits_.depth));
    }
    // Children move when their siblings grow, so containers are built on their own and put in place
    // when they close.
    add(mark, kind);
    auto container = std::make_unique<YamlNode>();
    container->kind = kind;
    container->origin = origin_of(mark);
    open_.push_back({container.get(), false});
    containers_.push_back(std::move(container));
  }

  void close() {
    YamlNode done = std::move(*containers_.back());
    containers_.pop_back();
    open_.pop_back();
    if (open_.empty()) {
      root_ = std::move(done);
    } else if (open_.back().node->kind == YamlNode::Kind::list) {
      open_.back().node->items.back() = std::move(done);
    } else {
      open_.back().node->entries.back().value = std::move(done);
    }
  }

  Problems& problems_;
  const YamlLimits& limits_;
  YamlNode root_;
  std::vector<Open> open_;
  std::vector<std::unique_ptr<YamlNode>> containers_;
  int nodes_ = 0;
  int documents_ = 0;
};

/// How a character is written in double quotes that YAML 1.1 or 1.2 refuses within a text, or takes
/// for the end of a line.
struct Escape {
  std::size_t bytes = 0;  ///< Length of the character; 0: it needs no escape.
  std::string text;
};

Escape escape_of(std::string_view rest) {
  const auto byte = [&](std::size_t i) {
    return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0u;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return {1, fmt::format("\\x{:02x}", byte(0))};
  if (byte(0) == '"' || byte(0) == '\\') return {1, std::string("\\") + rest[0]};
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0)
    return {2, fmt::format("\\x{:02x}", byte(1))};
  constexpr std::pair<const char*, const char*> others[] = {{"\u2028", "\\u2028"},
                                                            {"\u2029", "\\u2029"},
                                                            {"\ufeff", "\\ufeff"},
                                                            {"\ufffe", "\\ufffe"},
                                                            {"\uffff", "\\uffff"}};
  for (const auto& [character, text] : others) {
    if (rest.starts_with(character)) return {3, text};
  }
  return {};
}

/// The tab that `error` is about, if it is about one: yaml-cpp takes some for the content of a
/// line.
std::optional<Origin> tab_in_indentation(const std::string& text, const YAML::Exception& error) {
  const char* const told_of_tabs[] = {YAML::ErrorMsg::TAB_IN_INDENTATION, YAML::ErrorMsg::MAP_VALUE,
                                      YAML::ErrorMsg::MAP_KEY, YAML::ErrorMsg::BLOCK_ENTRY};
  const auto is_told = [&](const char* message) { return error.msg == message; };
  if (!std::any_of(std::begin(told_of_tabs), std::end(told_of_tabs), is_told)) return std::nullopt;
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i <= error.mark.line; ++i) std::getline(lines, line);
  const std::size_t tab = line.substr(0, line.find_first_not_of(" \t-")).find('\t');
  if (tab == std::string::npos) return std::nullopt;
  return Origin{error.mark.line + 1, static_cast<int>(tab) + 1, {}};
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

std::string YamlNode::describe() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::list:
      return items.empty() ? "an empty list" : "a list";
    case Kind::map:
      return entries.empty() ? "an empty map" : "a map";
    case Kind::scalar:
      break;
  }
  return "'" + (text.size() > 60 ? text.substr(0, 60) + "..." : text) + "'";
}

YamlNode parse_yaml(const std::string& text, Problems& problems, const YamlLimits& limits) {
  if (text.size() > limits.bytes) {
    problems.add({}, {},
                 message("{} bytes; a configuration has at most {}", text.size(), limits.bytes));
    return {};
  }
  if (!is_utf8(text)) {
    problems.add({}, {}, "is not UTF-8 text");
    return {};
  }
  TreeBuilder builder(problems, limits);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop&) {
    return {};
  } catch (const YAML::Exception& error) {
    const Origin origin = error.mark.line >= 0 ? origin_of(error.mark) : Origin{};
    if (const auto tab = tab_in_indentation(text, error)) {
      problems.add(*tab, {}, "is indented by a tab; YAML takes spaces only");
    } else {
      problems.add(origin, {}, "is not valid YAML: " + error.msg);
    }
    return {};
  }
  return builder.take();
}

YamlNode plain_node(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text;
  return node;
}

YamlNode text_node(const std::string& text) {
  YamlNode node = plain_node(text);
  node.quoted = true;
  return node;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const Escape escape = escape_of(std::string_view(text).substr(i));
    result += escape.bytes > 0 ? escape.text : std::string(1, text[i]);
    i += std::max<std::size_t>(1, escape.bytes);
  }
  return result + "\"";
}

std::string value_text(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar ? node.text : flow_text(node);
}

std::string flow_text(const YamlNode& node) {
  std::string text;
  const auto append = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "null";
    case YamlNode::Kind::scalar:
      return node.quoted ? quoted(node.text) : node.text;
    case YamlNode::Kind::list:
      for (const YamlNode& item : node.items) append(flow_text(item));
      return "[" + text + "]";
    case YamlNode::Kind::map:
      break;
  }
  for (const YamlNode::Entry& entry : node.entries) {
    append(message("{}: {}", entry.key, flow_text(entry.value)));
  }
  return "{" + text + "}";
}

}  // namespace gaia
