// SPDX-License-Identifier: MIT
/// \file
/// What the text of a kernel says of its parameters.
#include <cctype>
#include <map>
#include <regex>

#include "cuda_kernel.h"

namespace gaia {
namespace {

using Kind = KernelParameter::Kind;

struct NumberType {
  Kind kind;
  std::size_t bytes;
};

const std::map<std::string, NumberType>& number_types() {
  static const std::map<std::string, NumberType> types = {
      {"bool", {Kind::boolean, 1}},
      {"char", {Kind::integer, 1}},
      {"signed char", {Kind::integer, 1}},
      {"unsigned char", {Kind::integer, 1}},
      {"short", {Kind::integer, 2}},
      {"unsigned short", {Kind::integer, 2}},
      {"int", {Kind::integer, 4}},
      {"unsigned", {Kind::integer, 4}},
      {"unsigned int", {Kind::integer, 4}},
      {"long", {Kind::integer, sizeof(long)}},
      {"unsigned long", {Kind::integer, sizeof(long)}},
      {"long long", {Kind::integer, 8}},
      {"long long int", {Kind::integer, 8}},
      {"unsigned long long", {Kind::integer, 8}},
      {"int8_t", {Kind::integer, 1}},
      {"uint8_t", {Kind::integer, 1}},
      {"int16_t", {Kind::integer, 2}},
      {"uint16_t", {Kind::integer, 2}},
      {"int32_t", {Kind::integer, 4}},
      {"uint32_t", {Kind::integer, 4}},
      {"int64_t", {Kind::integer, 8}},
      {"uint64_t", {Kind::integer, 8}},
      {"size_t", {Kind::integer, 8}},
      {"ptrdiff_t", {Kind::integer, 8}},
      {"float", {Kind::floating, 4}},
      {"double", {Kind::floating, 8}},
      {"__nv_bfloat16", {Kind::floating, 2}}};
  return types;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// The words of a declaration but for those that do not change its type.
std::vector<std::string> words_of(std::string text) {
  static const std::regex word("[A-Za-z_][A-Za-z0-9_]*(?:\\s*::\\s*[A-Za-z_][A-Za-z0-9_]*)*");
  std::vector<std::string> words;
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
    const std::string found = at->str();
    if (found == "const" || found == "volatile" || found == "restrict" ||
        found.starts_with("__restrict") || found == "__grid_constant__") {
      continue;
    }
    words.push_back(found.starts_with("std::") ? found.substr(5) : found);
  }
  return words;
}

KernelParameter read_parameter(const std::string& declaration) {
  KernelParameter made{.text = trimmed(declaration)};
  const auto star = declaration.find('*');
  const bool is_simple =
      declaration.find_first_of("&<[(") == std::string::npos &&
      (star == std::string::npos || declaration.find('*', star + 1) == std::string::npos);
  made.is_pointer = star != std::string::npos || declaration.find('[') != std::string::npos;
  if (!is_simple) return made;
  const std::string type = declaration.substr(0, star);
  made.is_read_only = made.is_pointer && std::regex_search(type, std::regex("\\bconst\\b"));
  std::vector<std::string> words = words_of(type);
  // Without a star the last word is the parameter's name, where it has one.
  for (const bool has_name : {made.is_pointer ? false : true, false}) {
    std::string spelled;
    for (std::size_t i = 0; i + (has_name ? 1 : 0) < words.size(); ++i) {
      spelled += (spelled.empty() ? "" : " ") + words[i];
    }
    const auto found = number_types().find(spelled);
    if (found == number_types().end()) continue;
    made.kind = found->second.kind;
    made.bytes = found->second.bytes;
    break;
  }
  return made;
}

}  // namespace

std::vector<KernelParameter> kernel_parameters(const std::string& source, const std::string& name) {
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return {};
  }
  static const std::regex comment("//[^\n]*|/\\*[^*]*\\*+(?:[^/*][^*]*\\*+)*/");
  const std::string text = std::regex_replace(source, comment, " ");
  std::smatch found;
  if (!std::regex_search(text, found, std::regex("\\bvoid\\s+" + name + "\\s*\\(([^()]*)\\)"))) {
    return {};
  }
  const std::string list = found[1].str();
  std::vector<KernelParameter> parameters;
  if (trimmed(list).empty() || trimmed(list) == "void") return parameters;
  int depth = 0;  // depth of template arguments
  std::string declaration;
  for (const char c : list + ",") {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parameters.push_back(read_parameter(declaration));
      declaration.clear();
    } else {
      declaration += c;
    }
  }
  return parameters;
}

}  // namespace gaia
