// SPDX-License-Identifier: MIT
/// \file
/// Which columns of a file become the channels of a series.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gaia {

/// "0", "1", ...: names of `count` columns that have none.
std::vector<std::string> numbered_names(std::int64_t count);

/// Indices of the columns asked for, in the order asked for.  A column is asked for by its name, or
/// by its index from 0 where no column is called so.  `source` begins the messages.
/// \throws ArgumentError for columns that are unknown or asked for twice, for a name that several
/// columns have, and for two columns with the same name.
std::vector<std::size_t> select_columns(const std::string& source,
                                        std::span<const std::string> asked,
                                        std::span<const std::string> names);

/// Text of a file as messages quote it: 'text', without control characters and not too long.
std::string in_quotes(std::string_view text);

}  // namespace gaia
