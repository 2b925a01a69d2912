// SPDX-License-Identifier: MIT
// The keys by which a series is filtered, and rows of it are left out.
#include <fmt/format.h>

#include "describe.h"

namespace gaia {
namespace {

constexpr const char* kPassNames[] = {"low", "high", "band", "stop"};

}  // namespace

void describe_filter(ConfigVisitor& v, SignalFilterConfig& filter) {
  v.optional_map(
      {"filter",
       "which frequencies of each channel are read: Butterworth's filter, which looks at earlier "
       "rows alone"},
      filter.is_on, [&] {
        const Choice which = {
            {"low", "high", "band", "stop"},
            [&filter] { return kPassNames[static_cast<std::size_t>(filter.pass)]; },
            [&filter](const std::string& name) {
              filter.pass = name == "high"   ? PassBand::high
                            : name == "band" ? PassBand::band
                            : name == "stop" ? PassBand::stop
                                             : PassBand::low;
            }};
        v.one_of({{"low", "Hz up to which frequencies pass"},
                  {"high", "Hz from which on they pass"},
                  {"band", "Hz, two of them, between which they pass"},
                  {"stop", "Hz, two of them, between which they do not"}},
                 which, [&](const Key& key) {
                   const std::string_view name = key.name;
                   if (name == "low" || name == "high") {
                     return v.number(key, filter.edge, kPositive);
                   }
                   v.numbers(key, filter.edges, kPositive);
                   if (filter.edges.empty()) return;
                   if (filter.edges.size() != 2 || !(filter.edges[0] < filter.edges[1])) {
                     v.refuse(key, fmt::format("expected two frequencies, the lower one first, got "
                                               "{}{}",
                                               filter.edges.size(),
                                               filter.edges.size() == 2
                                                   ? fmt::format(", {} and {}", filter.edges[0],
                                                                 filter.edges[1])
                                                   : ""));
                   }
                 });
        v.integer({"order", "order, as scipy.signal.butter has it"}, filter.order,
                  {1, kMostFilterOrder});
      });
}

void describe_resample(ConfigVisitor& v, ResampleConfig& resample) {
  using By = ResampleConfig::By;
  bool is_there = resample.by != By::none;
  v.optional_map(
      {"resample",
       "how many of the rows stay, after a low-pass filter that looks at earlier rows alone"},
      is_there, [&] {
        v.one_of({{"every", "rows of the source of which one stays"},
                  {"to", "rows a second that stay, at most as many as come"}},
                 {{"every", "to"},
                  [&resample] { return resample.by == By::to ? "to" : "every"; },
                  [&resample](const std::string& name) {
                    resample.by = name == "to" ? By::to : By::every;
                  }},
                 [&](const Key& key) {
                   if (std::string_view(key.name) == "every") {
                     v.integer(key, resample.every, {1, 10000});
                   } else {
                     v.number(key, resample.to, kPositive);
                   }
                 });
      });
}

}  // namespace gaia
