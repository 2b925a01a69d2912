// SPDX-License-Identifier: MIT
#include "pooling.h"

#include "../core/checked.h"
#include "../core/names.h"

namespace gaia {
namespace {

constexpr NameTable<Pooling, 5> kPoolings = {{{"last", Pooling::last},
                                              {"mean", Pooling::mean},
                                              {"max", Pooling::max},
                                              {"ema", Pooling::ema},
                                              {"concat", Pooling::concat}}};

}  // namespace

std::string to_string(Pooling pooling) { return name_of(kPoolings, pooling); }

std::vector<std::string> pooling_names() { return names_of(kPoolings); }

Pooling pooling_from_name(std::string_view name) { return from_name(kPoolings, name, "pooling"); }

std::optional<std::int64_t> pooled_size(Pooling pooling, std::int64_t resolution, std::int64_t n) {
  return pooling == Pooling::concat ? checked_multiply(resolution, n) : n;
}

}  // namespace gaia
