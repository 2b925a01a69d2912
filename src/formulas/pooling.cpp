// SPDX-License-Identifier: MIT
#include "pooling.h"

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

Pooling pooling_from_name(std::string_view name) { return from_name(kPoolings, name, "pooling"); }

}  // namespace gaia
