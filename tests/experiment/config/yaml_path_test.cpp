// SPDX-License-Identifier: MIT
#include "../../../src/experiment/config/yaml_path.h"

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../read_text.h"

using namespace gaia;
using gaia::test::parse;

TEST_CASE("a setting replaces, adds, and descends into lists") {
  YamlNode root = parse("a: {b: [1, {c: 2}]}\nd: none\n");
  Problems problems("f.yaml", "");
  set_in_yaml(root, "a.b[1].c", "[5, 6]", "--set x", problems);
  set_in_yaml(root, "e.f", "7", "--set y", problems);
  set_in_yaml(root, "d.g", "8", "--set z", problems);
  REQUIRE(problems.empty());
  CHECK(root.find("a")->find("b")->items[1].find("c")->items[1].text == "6");
  CHECK(root.find("a")->find("b")->items[1].find("c")->origin.argument == "--set x");
  CHECK(root.find("e")->find("f")->text == "7");
  CHECK(root.find("d")->find("g")->text == "8");
}

TEST_CASE("settings that cannot be made are problems of the command line") {
  const auto problem = [](const std::string& path, const std::string& value) {
    YamlNode root = parse("a: {b: [1]}\n");
    Problems problems("f.yaml", "");
    set_in_yaml(root, path, value, "--set " + path, problems);
    return gaia::test::complaint_of<ConfigError>([&] { problems.throw_if_any(); });
  };
  CHECK_SAYS(problem("a.b[1]", "2"), "--set a.b[1]: a.b: has no element 1 (it has 1)");
  CHECK_SAYS(problem("a.b.c", "2"), "is a list; name an element");
  for (const char* path : {"", ".", "a..b", "a[", "a[x]", "a[-1]", "a.b[0]x"}) {
    INFO(path);
    CHECK_SAYS(problem(path, "2"), "is not a key such as");
  }
  CHECK_SAYS(problem("a.b[0]", "[1"), "is not valid YAML");
}

TEST_CASE("the nearest node to a path is found") {
  const YamlNode root = parse("a:\n  b:\n    - c: 1\n");
  CHECK(nearest_in_yaml(root, "a.b[0].c").origin.line == 3);
  CHECK(nearest_in_yaml(root, "a.b[0].x.y").kind == YamlNode::Kind::map);
  CHECK(nearest_in_yaml(root, "a.b[7].x").kind == YamlNode::Kind::list);
  CHECK(nearest_in_yaml(root, "z").entries.size() == 1);
}
