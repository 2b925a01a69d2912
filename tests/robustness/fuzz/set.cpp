// SPDX-License-Identifier: MIT
/// \file
/// Any settings (KEY=VALUE, one a line) upon a small configuration.
#include <sstream>

#include "../../../src/core/error.h"
#include "../../../src/experiment/config/config_reader.h"
#include "../../../src/experiment/config/yaml_path.h"
#include "../../experiment/minimal.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace gaia;
  Problems problems("f.yaml", test::kMinimal);
  YamlNode root = parse_yaml(test::kMinimal, problems);
  std::istringstream settings{std::string(test::text_of(bytes, count))};
  for (std::string setting; std::getline(settings, setting);) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) continue;
    const std::string path = setting.substr(0, equals);
    set_in_yaml(root, path, setting.substr(equals + 1), "--set " + setting, problems);
    nearest_in_yaml(root, path);
  }
  read_config(root, problems);
  try {
    problems.throw_if_any();
  } catch (const ConfigError&) {
  }
  return 0;
}
