// SPDX-License-Identifier: MIT
/// \file
/// Any text as a configuration: it is refused with a message, or what it says can be written as
/// YAML and read again.
#include "../../../src/experiment/config/yaml.h"

#include "../../../src/core/error.h"
#include "../../../src/experiment/config/config_reader.h"
#include "../../../src/experiment/config/config_writer.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace gaia;
  const std::string text(test::text_of(bytes, count));
  Problems problems("f.yaml", text);
  const YamlNode root = parse_yaml(text, problems);
  const ReadConfig read = read_config(root, problems);
  if (!problems.empty()) {
    try {
      problems.throw_if_any();
      test::require(false, "problems are told");
    } catch (const ConfigError&) {
      return 0;
    }
  }
  const std::string written = to_yaml(read.config);
  Problems again("again.yaml", written);
  const ReadConfig back = read_config(parse_yaml(written, again), again);
  test::require(again.empty(), "a configuration reads what it writes");
  test::require(to_yaml(back.config) == written, "it reads it as it was");
  return 0;
}
