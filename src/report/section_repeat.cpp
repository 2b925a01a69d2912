// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "../core/text.h"
#include "../experiment/setup/one_seed.h"
#include "departures.h"
#include "inputs.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

std::string fact(const char* name, const std::string& value) {
  if (value.empty()) return {};
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escape(value));
}

std::string facts(const Result& result) {
  const auto text = [&](const char* name) { return result.text("", name); };
  const auto count = [&](const char* name) {
    const auto value = result.integer("", name);
    return value ? std::to_string(*value) : std::string();
  };
  std::string out = "<dl>\n";
  out += fact("gaia", text("gaia_version") + " (" + text("git_commit") + ")");
  out += fact("configuration", text("config_file"));
  out += fact("seed", count("seed"));
  out += fact("device", text("device") + ", " + text("dtype") + ", precision " + text("precision") +
                            ", " + count("threads") + " threads");
  out += fact("machine", text("hostname"));
  out += fact("started", text("created_utc"));
  out += fact("ended", text("finished_utc"));
  const double seconds = result.number("", "wall_seconds").value_or(0.0);
  if (seconds > 0.0) out += fact("took", duration_text(seconds));
  const std::string data = result.text("data", "path");
  if (!data.empty()) {
    std::string why_not;
    const std::string found = find_data_file(result, why_not);
    out += fact("data", data);
    out += fact("its SHA-256", result.text("data", "sha256"));
    out += fact("now", found.empty() ? why_not : "the file is there, with this SHA-256");
  } else if (const std::string world = result.text("agent", "environment"); !world.empty()) {
    out += fact("environment", world);
  } else {
    out += fact("data", "made by gaia: " + result.text("data", "source"));
  }
  out += fact("result", result.path());
  return out + "</dl>\n";
}

/// The configuration, with the lines that depart from the defaults in another colour.
std::string configuration(const Result& result) {
  const std::string config = result.text("", "config");
  if (config.empty()) return {};
  const std::set<int> departing = departing_lines(config);
  std::string lines;
  int number = 0;
  for (std::size_t begin = 0; begin < config.size();) {
    const std::size_t end = std::min(config.find('\n', begin), config.size());
    const std::string line = escape(config.substr(begin, end - begin));
    const bool is_container = line.empty() || line.back() == ':';
    ++number;
    if (departing.count(number) > 0) {
      lines += "<b>" + line + "</b>\n";
    } else if (is_container || departing.empty()) {
      lines += line + "\n";
    } else {
      lines += "<i>" + line + "</i>\n";
    }
    begin = end + 1;
  }
  const char* const legend = departing.empty()
                                 ? "as it ran, with every default written out"
                                 : "as it ran; what is not a default stands out, defaults are grey";
  return fmt::format("<details><summary>The configuration, {}</summary>\n<pre>{}</pre></details>\n",
                     legend, lines);
}

}  // namespace

std::string one_seed_sentence(const Result& result) {
  const std::int64_t seed = result.integer("", "seed").value_or(0);
  if (!result.kind().has_verdict()) {
    return fmt::format("One seed, {}: a sweep over `seed` tells whether others agree.", seed);
  }
  const bool stands_in_file = !result.text("", "config_path").empty();
  std::string text =
      one_seed_text(seed, stands_in_file ? result.text("", "config_file") : std::string(),
                    result.texts("", "settings"));
  text.front() = 'O';
  return text + ".";
}

std::string repeat_section(const Result& result) {
  std::string out;
  const std::string command = result.text("", "command_line");
  if (!command.empty()) {
    out += fmt::format("<pre class=\"wrap\">{}</pre>\n", escape(command));
    out += paragraph(
        "The same command with the same data gives the same numbers, whatever the number of "
        "threads; only the speed differs. An existing result is replaced only with --overwrite.");
  } else {
    out += paragraph("This run was started by a program, not from the command line.");
  }
  return out + facts(result) + configuration(result);
}

}  // namespace gaia::report
