// SPDX-License-Identifier: MIT
/// \file
/// The file that holds the state of a run: one line that says what it is, one with the SHA-256 of
/// the rest, then arrays by name.  Nothing of the rest is looked at before its hash is right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../array/array_map.h"

namespace gaia {

/// Everything from which a run goes on bit for bit.
struct Checkpoint {
  std::string run;        ///< Names the run: another one's checkpoint is of no use to it.
  std::int64_t step = 0;  ///< Steps done; of a network optimiser steps.
  ArrayMap arrays;        ///< On the CPU when they were read.
};

/// Adds numbers to a state, as float64 [n] on the CPU.
void put_numbers(ArrayMap& arrays, const std::string& name, const std::vector<double>& numbers);

/// The numbers of a name.  \throws ArgumentError if there are none, ShapeError if they are not
/// `count`, where that is given.
std::vector<double> numbers_of(const ArrayMap& arrays, const std::string& name,
                               std::optional<std::size_t> count = {});

/// Writes beside `path`, brings it to the disk and renames it, so that `path` is always whole.
/// \throws OutputError.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// \throws DataError "path: ..." for a file that cannot be read, is none of these, is of a later
///         format or is damaged.
Checkpoint read_checkpoint(const std::string& path);

}  // namespace gaia
