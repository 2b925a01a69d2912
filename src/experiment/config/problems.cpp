// SPDX-License-Identifier: MIT
#include "problems.h"

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>

#include "../../core/error.h"
#include "../../core/text.h"

namespace gaia {
namespace {

constexpr std::size_t kMostShown = 20;
constexpr std::size_t kLongestLine = 120;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

Problems::Problems(std::string file, const std::string& text)
    : file_(std::move(file)), lines_{lines_of(text)} {}

void Problems::add_included(const std::string& path, const std::string& text) {
  if (place_of(path) > 0) return;
  included_.push_back({path, text});
  lines_.push_back(lines_of(text));
}

std::size_t Problems::place_of(const std::string& file) const {
  const auto found = std::find_if(included_.begin(), included_.end(),
                                  [&](const Included& one) { return one.path == file; });
  return found == included_.end() ? 0 : static_cast<std::size_t>(found - included_.begin()) + 1;
}

void Problems::add(const Origin& origin, const std::string& key, const std::string& message) {
  problems_.push_back({origin, key, message});
}

int Problems::margin_of(int line, const std::string& file) const {
  const std::vector<std::string>& lines = lines_[place_of(file)];
  const auto index = static_cast<std::size_t>(line - 1);
  if (line < 1 || index >= lines.size()) return 0;
  const std::size_t margin = lines[index].find_first_not_of(' ');
  return margin == std::string::npos ? 0 : static_cast<int>(margin);
}

std::string Problems::text_of(const Problem& problem) const {
  const Origin& origin = problem.origin;
  const std::vector<std::string>& lines = lines_[place_of(origin.file)];
  std::string text;
  if (!origin.argument.empty()) {
    text = origin.argument + ": ";
  } else {
    text = (origin.file.empty() ? file_ : origin.file) + ":";
    if (origin.line > 0) {
      text += std::to_string(origin.line) + ":" + std::to_string(origin.column) + ":";
    }
    text += " ";
  }
  if (!problem.key.empty()) text += problem.key + ": ";
  text += problem.message;
  text = printable(text);
  const auto index = static_cast<std::size_t>(origin.line - 1);
  if (origin.argument.empty() && origin.line > 0 && index < lines.size()) {
    const std::string number = std::to_string(origin.line);
    const std::string margin(number.size() < 5 ? 5 - number.size() : 0, ' ');
    text += "\n" + margin + number + " | " + printable(lines[index].substr(0, kLongestLine));
    const auto column = static_cast<std::size_t>(std::max(origin.column, 1));
    if (column <= kLongestLine) {
      text += "\n" + std::string(std::max<std::size_t>(5, number.size()), ' ') + " | " +
              std::string(column - 1, ' ') + "^";
    }
  }
  return text;
}

bool Problems::any_below(const std::string& key) const {
  return std::any_of(problems_.begin(), problems_.end(), [&](const Problem& problem) {
    return problem.key.empty() || problem.key == key || problem.key.rfind(key + ".", 0) == 0 ||
           problem.key.rfind(key + "[", 0) == 0;
  });
}

void Problems::throw_if_any() const {
  if (problems_.empty()) return;
  std::vector<Problem> sorted = problems_;
  std::ranges::stable_sort(sorted, [&](const Problem& a, const Problem& b) {
    const auto place = [&](const Origin& origin) {
      return std::tuple(place_of(origin.file), origin.line, origin.column);
    };
    return place(a.origin) < place(b.origin);
  });
  std::string all;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostShown); ++i) {
    all += text_of(sorted[i]) + "\n";
  }
  if (sorted.size() > kMostShown) {
    all += "... and " + std::to_string(sorted.size() - kMostShown) + " more\n";
  }
  const bool one = sorted.size() == 1;
  all += std::to_string(sorted.size()) + (one ? " error" : " errors") + ", nothing was run";
  // Those of the command line come first and have no place, and those of included files have none
  // in the file itself.
  const auto place = std::find_if(sorted.begin(), sorted.end(), [](const Problem& problem) {
    return problem.origin.line > 0 && problem.origin.file.empty();
  });
  if (place == sorted.end()) throw ConfigError(all);
  throw ConfigError(all, place->origin.line, place->origin.column);
}

}  // namespace gaia
