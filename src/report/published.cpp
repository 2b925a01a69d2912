// SPDX-License-Identifier: MIT
#include "published.h"

#include <fmt/format.h>

#include "figure.h"
#include "markup.h"

namespace gaia::report {
namespace {

constexpr int kDigits = 5;

std::string with_spread(double value, const std::optional<double>& spread) {
  std::string text = number_for_people(value, kDigits);
  if (spread) text += " ± " + number_for_people(*spread, 2);
  return text;
}

}  // namespace

std::optional<PublishedFacts> read_published(const Result& result) {
  if (!result.has_group("", "published")) return std::nullopt;
  const auto text = [&](const char* name) { return result.text("published", name); };
  const auto number = [&](const char* name) { return result.number("published", name); };
  PublishedFacts facts{
      .paper = text("paper"),
      .where = text("where"),
      .says = text("says"),
      .readout = text("readout"),
      .differs = text("differs"),
      .scores = {.score = text("score"), .value = number("value"), .spread = number("spread")}};
  if (const auto mean = number("rival_mean")) {
    facts.rival = text("rival_name") + " " + with_spread(*mean, number("rival_spread"));
  }
  return facts;
}

std::string published_text(const PublishedScores& published) {
  return published.value ? with_spread(*published.value, published.spread) : "no figure";
}

std::string published_paragraph(const PublishedFacts& published) {
  std::string text = fmt::format("{} ({}): {}", published.paper, published.where, published.says);
  if (!text.ends_with('.')) text += ".";
  if (!published.differs.empty()) text += " This differs: " + published.differs;
  if (!text.ends_with('.')) text += ".";
  if (!published.rival.empty()) text += " Measured outside: " + published.rival + ".";
  return paragraph(text);
}

}  // namespace gaia::report
