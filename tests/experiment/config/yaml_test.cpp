// SPDX-License-Identifier: MIT
#include "../../../src/experiment/config/yaml.h"

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../read_text.h"

using namespace gaia;
using gaia::test::parse;

namespace {

/// All problems of a text, as they would be reported.
std::string problems_in(const std::string& text, const YamlLimits& limits = {}) {
  Problems problems("f.yaml", text);
  parse_yaml(text, problems, limits);
  return gaia::test::complaint_of<ConfigError>([&] { problems.throw_if_any(); });
}

}  // namespace

TEST_CASE("every key and value of a YAML tree knows its place") {
  const YamlNode root = parse("a: 1\nb:\n  - {c: two, d: \"3\"}\n  - 4\n");
  REQUIRE(root.kind == YamlNode::Kind::map);
  REQUIRE(root.entries.size() == 2);
  CHECK(root.entries[0].key == "a");
  CHECK(root.entries[0].origin.line == 1);
  CHECK(root.entries[0].value.text == "1");
  CHECK(root.entries[0].value.origin.column == 4);
  const YamlNode& list = root.entries[1].value;
  REQUIRE(list.kind == YamlNode::Kind::list);
  REQUIRE(list.items.size() == 2);
  const YamlNode& map = list.items[0];
  REQUIRE(map.entries.size() == 2);
  CHECK(map.entries[0].origin.line == 3);
  CHECK(map.entries[0].origin.column == 6);
  CHECK_FALSE(map.find("c")->quoted);
  CHECK(map.find("d")->quoted);
  CHECK(map.find("e") == nullptr);
  CHECK(list.items[1].text == "4");
  CHECK(list.items[1].origin.line == 4);
}

TEST_CASE("containers that grow around each other keep their content") {
  std::string text;
  for (int i = 0; i < 50; ++i) {
    text += "k" + std::to_string(i) + ": [[" + std::to_string(i) + ", {x: [1, 2]}], 7]\n";
  }
  const YamlNode root = parse(text);
  REQUIRE(root.entries.size() == 50);
  for (std::size_t i = 0; i < 50; ++i) {
    const YamlNode& inner = root.entries[i].value.items[0];
    CHECK(inner.items[0].text == std::to_string(i));
    CHECK(inner.items[1].find("x")->items[1].text == "2");
  }
}

TEST_CASE("what is refused in YAML is refused with its place") {
  CHECK_SAYS(problems_in("a: &x 1\nb: *x\n"), "f.yaml:1:4: anchors");
  CHECK_SAYS(problems_in("a: 1\nb: *x\n"), "f.yaml:2:4:");
  CHECK_SAYS(problems_in("a: !!int 1\n"), "tags");
  CHECK_SAYS(problems_in("a: {<<: {b: 1}}\n"), "merge keys");
  CHECK_SAYS(problems_in("a: 1\n---\nb: 2\n"), "f.yaml:2:1: more than one document");
  CHECK_SAYS(problems_in("---\na: 1\n...\n---\n[\n"), "f.yaml:4:1: more than one document");
  CHECK(problems_in("# one\n---\na: 1\n...\n").empty());
  CHECK_SAYS(problems_in("a: 1\nb: 2\na: 3\n"), "f.yaml:3:1: duplicate key 'a' (first at line 1)");
  CHECK_SAYS(problems_in("[1, 2]: 3\n"), "a key must be a word");
  CHECK_SAYS(problems_in("a: [1, 2\n"), "is not valid YAML");
  CHECK_SAYS(problems_in(std::string("a: \xff\xfe\n")), "is not UTF-8");
  CHECK_SAYS(problems_in(std::string("a: b\0c\n", 7)), "is not UTF-8");
}

TEST_CASE("a tab in the indentation is told as that, where it is") {
  for (const auto& [text, place] :
       std::vector<std::pair<std::string, std::string>>{{"a:\n\tb: 1\n", "2:1"},
                                                        {"a:\n  b: 1\n\tc: 2\n", "3:1"},
                                                        {"a:\n  - x: 1\n  \ty: 2\n", "3:3"},
                                                        {"\ta: 1\n", "1:1"},
                                                        {"a:\n-\tb: 1\n", "2:2"},
                                                        {"a:\n\t- b\n", "2:1"},
                                                        {"a: b\n\tc: d\n", "2:1"},
                                                        {"a:\n  b:\n\t\tc: 1\n", "3:1"}}) {
    INFO(text);
    CHECK_SAYS(problems_in(text), "f.yaml:" + place + ": is indented by a tab; YAML takes spaces");
  }
  CHECK(problems_in("a:\tb\nc: [1,\n\t2]\n").empty());
  CHECK_SAYS(problems_in("a: b: c\n"), "is not valid YAML");
}

TEST_CASE("a text in quotes reads back, whatever is in it") {
  std::string text =
      "a\"b\\c \t\x7f\xc2\x85\xc2\x9f\xc2\xa0\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf"
      "d";
  for (char c = 1; c < 0x20; ++c) text += c;
  CHECK(parse("a: " + gaia::quoted(text) + "\n").find("a")->text == text);
  CHECK(gaia::quoted("\xc2\x85").find('\x85') == std::string::npos);
}

TEST_CASE("limits on size, depth, count and length hold") {
  CHECK_SAYS(problems_in(std::string((1 << 20) + 1, 'a')), "at most 1048576");
  CHECK_SAYS(problems_in(std::string(100, '[') + std::string(100, ']')), "nested deeper than 32");
  CHECK_SAYS(problems_in("[1, 2, 3, 4]", {.nodes = 3}), "more than 3 values");
  CHECK_SAYS(problems_in("a: " + std::string(70000, 'x')), "70000 bytes");
  // Deeper than yaml-cpp's own guard.
  CHECK_SAYS(problems_in(std::string(5000, '[')), "f.yaml");
}

TEST_CASE("problems come in the order of the file, quote the line and point at the column") {
  Problems problems("f.yaml", "one: 1\ntwo: 2\n");
  problems.add({2, 6, {}}, "two", "is wrong");
  problems.add({1, 1, {}}, "one", "is wrong too");
  problems.add({0, 0, "--set x=1"}, "x", "is unknown");
  CHECK_THROWS_WITH(problems.throw_if_any(),
                    "--set x=1: x: is unknown\n"
                    "f.yaml:1:1: one: is wrong too\n"
                    "    1 | one: 1\n"
                    "      | ^\n"
                    "f.yaml:2:6: two: is wrong\n"
                    "    2 | two: 2\n"
                    "      |      ^\n"
                    "3 errors, nothing was run");
}

TEST_CASE("problems cannot steer a terminal") {
  Problems problems("f.yaml", "a: \x1b[31m\n");
  problems.add({1, 1, {}}, "a", "got '\x1b[31m'");
  const ConfigError error = gaia::test::thrown_by<ConfigError>([&] { problems.throw_if_any(); });
  CHECK(std::string(error.what()).find('\x1b') == std::string::npos);
}
