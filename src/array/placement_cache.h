// SPDX-License-Identifier: MIT
/// \file
/// The file that keeps measured rates from one process to the next; not for users.
///
/// It only saves time: what cannot be read is measured anew, and what cannot be written is done
/// without.
#pragma once

#include <optional>
#include <string>

#include "placement_rates.h"

namespace gaia {

/// What rates are valid for.
struct RatesKey {
  std::string device;   ///< As the maker calls it.
  std::string version;  ///< Of its driver.
  std::string gaia;     ///< Version and commit.
  int threads = 1;

  std::string text() const;
  friend bool operator==(const RatesKey&, const RatesKey&) = default;
};

/// Of a device, with this gaia and its number of threads.
RatesKey rates_key(Device device);

/// What the file says for this key, if anything.  The log says why a file is of no use.
std::optional<Rates> read_cached_rates(const std::string& path, const RatesKey& key);

/// Puts an entry into the file, beside those of other keys, by writing a new file and giving it the
/// name.  The log says, once, why that is impossible.
void write_cached_rates(const std::string& path, const RatesKey& key, const Rates& rates);

}  // namespace gaia
