// SPDX-License-Identifier: MIT
// The keys of faults, which the values of a series may have.
#include <algorithm>

#include "../../core/names.h"
#include "describe.h"

namespace gaia {
namespace {

using Shows = FaultConfig::Shows;

constexpr NameTable<Shows, 3> kShows = {
    {{"missing", Shows::missing}, {"last", Shows::last}, {"zero", Shows::zero}}};

}  // namespace

bool leaves_missing(const std::vector<FaultConfig>& faults) {
  return std::any_of(faults.begin(), faults.end(),
                     [](const FaultConfig& fault) { return fault.shows == Shows::missing; });
}

void describe_faults(ConfigVisitor& v, std::vector<FaultConfig>& faults) {
  v.list(
      {"faults", "values that are missing, stand still or are 0, as those of sensors are; a list"},
      faults.size(), [&](std::size_t n) { faults.resize(n); },
      [&](std::size_t i) {
        FaultConfig& fault = faults[i];
        v.choice(
            {"shows",
             "what stands in place of a faulty value: nothing, which takes levels that filter; "
             "the last value before it; or 0"},
            {{"missing", "last", "zero"},
             [&fault] { return name_of(kShows, fault.shows); },
             [&fault](const std::string& name) {
               fault.shows = from_name(kShows, name, "shows");
             }});
        v.number({"probability", "share of the rows of a channel that are faulty"},
                 fault.probability, {0.0, 1.0});
        v.integer({"length", "rows of a fault; two may follow each other"}, fault.length,
                  {1, std::int64_t{1} << 48});
        v.integer({"from", "row before which there are no faults"}, fault.from,
                  {0, std::int64_t{1} << 53});
        v.words({"channels", "channels that have them, by name or index; default all"},
                fault.channels);
      });
}

}  // namespace gaia
