// SPDX-License-Identifier: MIT
#include "sweep_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "../../core/keys.h"
#include "../../core/names.h"
#include "../../core/text.h"

namespace gaia {
namespace {

/// More than any sweep may have runs.
constexpr std::int64_t kMostValues = 100000;

constexpr const char* kForms =
    "a list, {range: [a, b], steps: n}, {range: [a, b], step: s}, {log_range: [a, b], steps: n} or "
    "{random: uniform, range: [a, b]}";

/// A number without the last bits, which a sum leaves: 0.3, not 0.30000000000000004.
double rounded(double value) { return std::stod(fmt::format("{:.12g}", value)); }

/// From a to b at equal ratios, in six digits: the same on every machine, and fit to be read.
double between_logarithms(double a, double b, double share) {
  const double value = std::exp((1.0 - share) * std::log(a) + share * std::log(b));
  return std::stod(fmt::format("{:.6g}", value));
}

bool is_whole(double value) { return std::floor(value) == value && std::abs(value) < 0x1p53; }

/// The value with its numbers in one way of writing: 0.01 for 1e-2, 1 for 1.0.
YamlNode in_one_form(YamlNode value) {
  if (value.kind == YamlNode::Kind::scalar && !value.quoted) {
    const auto number = parse_integer(value.text) ? std::nullopt : parse_number(value.text);
    if (number)
      value.text = is_whole(*number) ? fmt::format("{:.0f}", *number) : number_text(*number);
  }
  for (YamlNode& item : value.items) item = in_one_form(std::move(item));
  for (YamlNode::Entry& entry : value.entries) entry.value = in_one_form(std::move(entry.value));
  return value;
}

/// An end of a range; integers stay integers.
struct End {
  double value = 0.0;
  bool is_integer = false;
};

/// Reads the map that stands for the values of one key.
class RangeReader {
 public:
  RangeReader(const YamlNode& map, const std::string& key, Problems& problems)
      : map_(map), key_(key), problems_(problems) {}

  /// Complains of keys other than these.
  void allow(const std::vector<std::string>& known) {
    for (const YamlNode::Entry& entry : map_.entries) {
      if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
      fail(entry.origin, "unknown key '" + entry.key + "'" + did_you_mean(entry.key, known) +
                             "; known: " + join(known));
    }
  }

  /// The two ends under `name`.
  std::array<End, 2> ends(const char* name) {
    const YamlNode* node = map_.find(name);
    if (node == nullptr || node->kind != YamlNode::Kind::list || node->items.size() != 2) {
      fail(node == nullptr ? map_.origin : node->origin,
           fmt::format("expected {}: [a, b] with two numbers, got {}", name,
                       node == nullptr ? "nothing" : node->describe()));
      return {};
    }
    std::array<End, 2> ends;
    for (std::size_t i = 0; i < 2; ++i) ends[i] = number(node->items[i]);
    return ends;
  }

  End number(const YamlNode& node) {
    const bool plain = node.kind == YamlNode::Kind::scalar && !node.quoted;
    const auto value = plain ? parse_number(node.text) : std::nullopt;
    if (!value || std::abs(*value) > kLargest) {
      fail(node.origin, "expected a number, got " + node.describe());
      return {};
    }
    return {*value, parse_integer(node.text) && is_whole(*value)};
  }

  std::int64_t steps() {
    const YamlNode* node = map_.find("steps");
    const bool plain = node != nullptr && node->kind == YamlNode::Kind::scalar && !node->quoted;
    const auto value = plain ? parse_integer(node->text) : std::nullopt;
    if (!value || *value < 2 || *value > kMostValues) {
      fail(node == nullptr ? map_.origin : node->origin,
           fmt::format("steps: expected an integer from 2 to {}, got {}", kMostValues,
                       node == nullptr ? "nothing" : node->describe()));
      return 0;
    }
    return *value;
  }

  void fail(const Origin& origin, const std::string& message) {
    problems_.add(origin, key_, message);
    failed_ = true;
  }

  bool failed() const { return failed_; }

  YamlNode node(double value, bool is_integer) const {
    YamlNode made = plain_node(is_integer ? fmt::format("{}", static_cast<std::int64_t>(value))
                                          : number_text(value));
    made.origin = map_.origin;
    return made;
  }

 private:
  const YamlNode& map_;
  const std::string& key_;
  Problems& problems_;
  bool failed_ = false;
};

std::vector<YamlNode> linear(RangeReader& reader, const YamlNode& map) {
  reader.allow({"range", "steps", "step"});
  const auto [first, last] = reader.ends("range");
  const YamlNode* step_node = map.find("step");
  if ((step_node != nullptr) == (map.find("steps") != nullptr)) {
    reader.fail(map.origin, "expected either steps (how many values) or step (their distance)");
  }
  if (reader.failed()) return {};
  double distance = 0.0;
  std::int64_t count = 0;
  bool integers = first.is_integer && last.is_integer;
  if (step_node != nullptr) {
    const End step = reader.number(*step_node);
    if (reader.failed()) return {};
    distance = step.value;
    integers = first.is_integer && step.is_integer;
    const double steps = (last.value - first.value) / distance;
    if (!(steps >= 0.0) || !(steps < static_cast<double>(kMostValues))) {
      reader.fail(step_node->origin,
                  fmt::format("a step of {} does not lead from {} to {} in less than {} steps",
                              step_node->text, first.value, last.value, kMostValues));
      return {};
    }
    // An end that is met but for rounding belongs to the range.
    count = static_cast<std::int64_t>(std::floor(steps + 1e-9)) + 1;
  } else {
    count = reader.steps();
    if (reader.failed()) return {};
    distance = (last.value - first.value) / static_cast<double>(count - 1);
    integers = integers && is_whole(distance);
  }
  std::vector<YamlNode> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool ends = step_node == nullptr && i == count - 1;
    const double value =
        ends ? last.value : rounded(first.value + static_cast<double>(i) * distance);
    values.push_back(reader.node(value, integers));
  }
  return values;
}

std::vector<YamlNode> logarithmic(RangeReader& reader) {
  reader.allow({"log_range", "steps"});
  const auto [first, last] = reader.ends("log_range");
  const std::int64_t count = reader.steps();
  if (reader.failed()) return {};
  std::vector<YamlNode> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    const double value = i == 0           ? first.value
                         : i == count - 1 ? last.value
                                          : between_logarithms(first.value, last.value, share);
    // Decades of integers are integers: 1, 10, 100.
    values.push_back(reader.node(value, first.is_integer && last.is_integer && is_whole(value)));
  }
  return values;
}

}  // namespace

std::vector<YamlNode> values_of_sweep(const YamlNode& node, const std::string& key,
                                      Problems& problems) {
  RangeReader reader(node, key, problems);
  std::vector<YamlNode> values;
  if (node.kind == YamlNode::Kind::list && !node.items.empty()) {
    values = node.items;
  } else if (node.kind == YamlNode::Kind::map && node.find("log_range") != nullptr) {
    const auto ends = reader.ends("log_range");
    if (!reader.failed() && !(ends[0].value > 0.0 && ends[1].value > 0.0)) {
      reader.fail(node.find("log_range")->origin, "expected numbers > 0");
    }
    if (!reader.failed()) values = logarithmic(reader);
  } else if (node.kind == YamlNode::Kind::map && node.find("range") != nullptr) {
    values = linear(reader, node);
  } else {
    reader.fail(node.origin, std::string("expected ") + kForms + ", got " + node.describe());
  }
  if (reader.failed()) return {};
  return values;
}

bool are_distinct(const std::vector<std::vector<YamlNode>>& points, const std::string& key,
                  Problems& problems) {
  const auto texts = [](const std::vector<YamlNode>& values, auto text_of) {
    std::vector<std::string> all;
    for (const YamlNode& value : values) all.push_back(text_of(value));
    return all;
  };
  std::map<std::vector<std::string>, std::string> seen;
  for (const std::vector<YamlNode>& values : points) {
    const std::string text = fmt::format("{}", fmt::join(texts(values, flow_text), " with "));
    const auto [first, is_new] = seen.emplace(
        texts(values, [](const YamlNode& value) { return flow_text(in_one_form(value)); }), text);
    if (is_new) continue;
    problems.add(values.front().origin, key,
                 "the value " + text + " comes twice" +
                     (first->second == text ? "" : ", first as " + first->second));
    return false;
  }
  return true;
}

// Draws

namespace {

constexpr NameTable<SweepDraw::Kind, 3> kDraws = {{{"uniform", SweepDraw::Kind::uniform},
                                                   {"log_uniform", SweepDraw::Kind::log_uniform},
                                                   {"integer", SweepDraw::Kind::integer}}};

}  // namespace

YamlNode SweepDraw::value(const RandomStream& stream, std::uint64_t index) const {
  YamlNode made;
  if (kind == Kind::integer) {
    const auto low = static_cast<std::int64_t>(least);
    const auto count = static_cast<std::int64_t>(most) - low + 1;
    made = plain_node(fmt::format("{}", low + stream.integer(index, count)));
  } else {
    double u = 0.0;
    stream.uniforms(index, {&u, 1});
    const double drawn =
        kind == Kind::uniform ? least + u * (most - least) : between_logarithms(least, most, u);
    made = plain_node(number_text(std::clamp(rounded(drawn), least, most)));
  }
  made.origin = origin;
  return made;
}

bool is_sweep_draw(const YamlNode& node) {
  return node.kind == YamlNode::Kind::map && node.find("random") != nullptr;
}

std::optional<SweepDraw> draw_of_sweep(const YamlNode& node, const std::string& key,
                                       Problems& problems) {
  RangeReader reader(node, key, problems);
  reader.allow({"random", "range"});
  SweepDraw draw{.origin = node.origin};
  const YamlNode& kind = *node.find("random");
  try {
    draw.kind = from_name(kDraws, kind.kind == YamlNode::Kind::scalar ? kind.text : "", "random");
  } catch (const ArgumentError& error) {
    reader.fail(kind.origin, error.what());
  }
  const auto [least, most] = reader.ends("range");
  if (reader.failed()) return std::nullopt;
  draw.least = least.value;
  draw.most = most.value;
  const Origin& at = node.find("range")->origin;
  if (!(draw.least < draw.most)) {
    reader.fail(at, "expected [a, b] with a < b");
  } else if (draw.kind == SweepDraw::Kind::log_uniform && !(draw.least > 0.0)) {
    reader.fail(at, "expected numbers > 0");
  } else if (draw.kind == SweepDraw::Kind::integer && !(least.is_integer && most.is_integer)) {
    reader.fail(at, "expected two integers");
  }
  return reader.failed() ? std::nullopt : std::optional(draw);
}

// Scales of a search

YamlNode SearchScale::node(double value) const {
  if (!choices.empty()) return choices[static_cast<std::size_t>(value)];
  YamlNode made =
      plain_node(scale.is_integer ? fmt::format("{:.0f}", value) : number_text(rounded(value)));
  made.origin = origin;
  return made;
}

std::optional<SearchScale> scale_of_search(const YamlNode& node, const std::string& name,
                                           const std::string& key, Problems& problems) {
  constexpr const char* forms =
      "{range: [a, b]}, {log_range: [a, b]}, either with `integer: true`, or a list of choices";
  RangeReader reader(node, key, problems);
  SearchScale made;
  made.scale.name = name;
  made.origin = node.origin;
  if (node.kind == YamlNode::Kind::list && node.items.size() >= 2) {
    std::vector<std::vector<YamlNode>> points;
    for (const YamlNode& item : node.items) points.push_back({item});
    if (!are_distinct(points, key, problems)) return std::nullopt;
    made.choices = node.items;
    made.scale = SearchParameter::choice(name, std::ssize(node.items));
    return made;
  }
  const bool is_log = node.kind == YamlNode::Kind::map && node.find("log_range") != nullptr;
  const char* word = is_log ? "log_range" : "range";
  if (node.kind != YamlNode::Kind::map || node.find(word) == nullptr) {
    reader.fail(node.origin, std::string("expected ") + forms + ", got " + node.describe());
    return std::nullopt;
  }
  reader.allow({word, "integer"});
  const auto [low, high] = reader.ends(word);
  if (const YamlNode* integer = node.find("integer")) {
    const bool is_flag = integer->kind == YamlNode::Kind::scalar && !integer->quoted &&
                         (integer->text == "true" || integer->text == "false");
    if (!is_flag) reader.fail(integer->origin, "integer: expected true or false");
    made.scale.is_integer = integer->text == "true";
  }
  if (reader.failed()) return std::nullopt;
  made.scale.low = low.value;
  made.scale.high = high.value;
  made.scale.is_log = is_log;
  const Origin& at = node.find(word)->origin;
  if (!(low.value < high.value)) {
    reader.fail(at, "expected [a, b] with a < b");
  } else if (is_log && !(low.value > 0.0)) {
    reader.fail(at, "expected numbers > 0");
  } else if (made.scale.is_integer && !(is_whole(low.value) && is_whole(high.value))) {
    reader.fail(at, "expected two integers");
  }
  return reader.failed() ? std::nullopt : std::optional(made);
}

}  // namespace gaia
