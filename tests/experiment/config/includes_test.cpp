// SPDX-License-Identifier: MIT
#include "../../../src/experiment/config/includes.h"

#include <map>
#include <nlohmann/json.hpp>

#include "../../../src/core/error.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"

using namespace gaia;

namespace {

using Texts = std::map<std::string, std::string>;

/// What "folder/main.yaml" of these files comes to, in one line; the problems otherwise.
struct Included {
  std::string text;
  std::string problems;
  std::vector<std::string> files;
  YamlNode root;
};

Included include(const Texts& texts) {
  const std::string main = "folder/main.yaml";
  Problems problems(main, texts.at(main));
  Included made;
  made.root = parse_yaml(texts.at(main), problems);
  resolve_includes(made.root, main, problems, [&](const std::string& path) {
    const auto found = texts.find(path);
    if (found == texts.end()) throw ConfigError(path + ": no such file");
    return found->second;
  });
  made.text = flow_text(made.root);
  for (const Problems::Included& one : problems.included()) made.files.push_back(one.path);
  made.problems = gaia::test::complaint_of<ConfigError>([&] { problems.throw_if_any(); });
  return made;
}

void check_problem(const Texts& texts, const std::string& expected) {
  const std::string found = include(texts).problems;
  CAPTURE(found, expected);
  CHECK(found.find(expected) != std::string::npos);
}

}  // namespace

TEST_CASE("maps of included files merge, and the including file wins", "[include]") {
  const Included made =
      include({{"folder/main.yaml",
                "include: base.yaml\nseed: 7\ndata:\n  window: 4\n  drift: [a]\nlist: [3]\n"},
               {"folder/base.yaml",
                "seed: 1\ndata:\n  source: sine\n  window: 1\n  drift: {x: 1}\nlist: [1, 2]\nmore: "
                "yes\n"}});
  CHECK(made.problems.empty());
  CHECK(made.text ==
        "{seed: 7, data: {source: sine, window: 4, drift: [a]}, list: [3], more: yes}");
  CHECK(made.files == std::vector<std::string>{"folder/base.yaml"});
}

TEST_CASE("of two included files the later one wins, of nested ones the outer one", "[include]") {
  const Included made = include({{"folder/main.yaml", "include: [a.yaml, ../b/b.yaml]\nz: 0\n"},
                                 {"folder/a.yaml", "x: a\ny: a\nz: a\nm: {a: 1, b: 1}\n"},
                                 {"b/b.yaml", "include: c.yaml\ny: b\nm: {b: 2}\n"},
                                 {"b/c.yaml", "y: c\nw: c\nm: {b: 3, c: 3}\n"}});
  CHECK(made.problems.empty());
  CHECK(made.text == "{x: a, y: b, z: 0, m: {a: 1, b: 2, c: 3}, w: c}");
  CHECK(made.files == std::vector<std::string>{"folder/a.yaml", "b/b.yaml", "b/c.yaml"});
}

TEST_CASE("without include a file is as it was", "[include]") {
  const Included made = include({{"folder/main.yaml", "a: 1\nb: {include: x.yaml}\n"}});
  CHECK(made.text == "{a: 1, b: {include: x.yaml}}");
  CHECK(made.files.empty());
  CHECK(made.problems.empty());
}

TEST_CASE("a file may be included twice, and files may hold nothing", "[include]") {
  const Included made = include({{"folder/main.yaml", "include: [a.yaml, b.yaml]\n"},
                                 {"folder/a.yaml", "include: c.yaml\n"},
                                 {"folder/b.yaml", "include: c.yaml\n"},
                                 {"folder/c.yaml", "# nothing yet\n"}});
  CHECK(made.problems.empty());
  CHECK(made.text == "{}");
  CHECK(made.files.size() == 3);
}

TEST_CASE("included keys know their own file and line", "[include]") {
  Included made = include({{"folder/main.yaml", "include: a.yaml\nseed: 1\n"},
                           {"folder/a.yaml", "\ndata:\n  window: many\n"}});
  const YamlNode* const window = made.root.find("data")->find("window");
  CHECK(window->origin.file == "folder/a.yaml");
  CHECK(window->origin.line == 3);
  CHECK(made.root.find("seed")->origin.file.empty());

  Problems problems("folder/main.yaml", "include: a.yaml\nseed: 1\n");
  problems.add_included("folder/a.yaml", "\ndata:\n  window: many\n");
  problems.add(window->origin, "data.window", "expected an integer, got 'many'");
  problems.add(made.root.find("seed")->origin, "seed", "is wrong");
  const ConfigError error = gaia::test::thrown_by<ConfigError>([&] { problems.throw_if_any(); });
  const std::string what = error.what();
  CAPTURE(what);
  CHECK(what.starts_with("folder/main.yaml:2:7: seed: is wrong\n    2 | seed: 1\n"));
  CHECK(what.find("folder/a.yaml:3:11: data.window: expected an integer, got 'many'\n"
                  "    3 |   window: many\n") != std::string::npos);
  CHECK(problems.margin_of(3, "folder/a.yaml") == 2);
  CHECK(problems.margin_of(2) == 0);
}

TEST_CASE("includes that cannot be are errors with their place", "[include]") {
  check_problem({{"folder/main.yaml", "seed: 1\ninclude: gone.yaml\n"}},
                "folder/main.yaml:2:10: include: folder/gone.yaml: no such file");
  check_problem({{"folder/main.yaml", "include: main.yaml\n"}},
                "folder/main.yaml:1:10: include: folder/main.yaml includes itself");
  check_problem(
      {{"folder/main.yaml", "include: a.yaml\n"},
       {"folder/a.yaml", "x: 1\ninclude: [b.yaml]\n"},
       {"folder/b.yaml", "include: ./a.yaml\n"}},
      "folder/b.yaml:1:10: include: folder/a.yaml includes itself, by way of the files it "
      "includes");
  check_problem({{"folder/main.yaml", "include:\n"}}, "include: expected the path of a YAML file");
  check_problem({{"folder/main.yaml", "include: []\n"}}, "got an empty list");
  check_problem({{"folder/main.yaml", "include: [a.yaml, {b: 1}]\n"}}, "got a list");
  check_problem({{"folder/main.yaml", "include: {a: 1}\n"}}, "got a map");
  check_problem({{"folder/main.yaml", "include: a.yaml\n"}, {"folder/a.yaml", "- 1\n"}},
                "folder/a.yaml:1:1: expected a map of keys, got a list");
  check_problem({{"folder/main.yaml", "include: a.yaml\n"}, {"folder/a.yaml", "x: 1\nx: 2\n"}},
                "folder/a.yaml:2:1: duplicate key 'x'");
  check_problem({{"folder/main.yaml", "include: a.yaml\n"}, {"folder/a.yaml", "x: [1\n"}},
                "is not valid YAML");
}

TEST_CASE("there is a limit to files in files, and to all of them", "[include]") {
  Texts chain = {{"folder/main.yaml", "include: f0.yaml\n"}};
  const auto name = [](int i) { return "f" + std::to_string(i) + ".yaml"; };
  for (int i = 0; i < kDeepestInclude; ++i) {
    const bool is_last = i + 1 == kDeepestInclude;
    chain["folder/" + name(i)] = is_last ? "x: 1\n" : "include: " + name(i + 1) + "\n";
  }
  CHECK(include(chain).problems.empty());
  chain["folder/" + name(kDeepestInclude - 1)] = "include: last.yaml\n";
  chain["folder/last.yaml"] = "x: 1\n";
  check_problem(chain, "files include each other more than 16 deep");

  // Each includes the next twice.
  Texts doubled = {{"folder/main.yaml", "include: f0.yaml\n"}};
  for (int i = 0; i < 12; ++i) {
    doubled["folder/" + name(i)] = "include: [" + name(i + 1) + ", " + name(i + 1) + "]\n";
  }
  doubled["folder/" + name(12)] = "x: 1\n";
  check_problem(doubled, "more than 64 files are included");
}

TEST_CASE("the schema of parts requires nothing of maps, and all of what lists hold", "[include]") {
  const nlohmann::json whole = nlohmann::json::parse(json_schema());
  const nlohmann::json part = nlohmann::json::parse(json_schema_of_part());
  CHECK(whole.contains("required"));
  CHECK(whole.contains("oneOf"));
  CHECK_FALSE(part.contains("required"));
  CHECK_FALSE(part.contains("oneOf"));
  CHECK_FALSE(part.contains("anyOf"));
  CHECK(part["additionalProperties"] == false);
  const nlohmann::json& hierarchy = part["properties"]["hierarchy"];
  CHECK(whole["properties"]["hierarchy"]["required"] == nlohmann::json({"levels"}));
  CHECK_FALSE(hierarchy.contains("required"));
  const nlohmann::json& sources = part["properties"]["data"]["anyOf"];
  CHECK(sources.size() == whole["properties"]["data"]["oneOf"].size());
  for (const nlohmann::json& source : sources) {
    CHECK_FALSE(source.contains("required"));
    CHECK(source["properties"]["source"].contains("const"));
  }
  CHECK(hierarchy["properties"]["levels"]["anyOf"][0]["items"] ==
        whole["properties"]["hierarchy"]["properties"]["levels"]["oneOf"][0]["items"]);
  CHECK(part["properties"]["readouts"]["items"] == whole["properties"]["readouts"]["items"]);
}
