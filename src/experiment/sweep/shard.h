// SPDX-License-Identifier: MIT
/// \file
/// Which members of a sweep one of several processes takes.
#pragma once

#include <cstdint>
#include <string>

namespace gaia {

/// Share `index` of `count`: members index, index + count, index + 2 count ...
struct Shard {
  std::int64_t index = 0;
  std::int64_t count = 1;

  bool has(std::int64_t member) const { return member % count == index; }
};

/// From "2/8", or "auto": what mpirun (Open MPI, MPICH and others with PMI), a Slurm array or srun
/// say in the environment about this process.
/// \throws ArgumentError for another text, or where nothing is said.
Shard shard_from_text(const std::string& text);

}  // namespace gaia
