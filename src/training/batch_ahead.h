// SPDX-License-Identifier: MIT
/// \file
/// The batches of an epoch, each of which is put together while the one before it is worked with.
#pragma once

#include <cstdint>
#include <future>

#include "data.h"

namespace gaia {

/// Gives the batches of an epoch in their order.  While the caller works with one, a thread puts
/// the next together on the host, if LoaderOptions::prefetch says so; the caller's own thread then
/// moves it to the current device.  The batches are those of DataLoader::Epoch::batch, bit for bit.
class BatchAhead {
 public:
  /// From batch number `first` on.
  BatchAhead(const DataLoader::Epoch& epoch, std::int64_t first = 0);
  BatchAhead(const BatchAhead&) = delete;
  BatchAhead& operator=(const BatchAhead&) = delete;

  /// The next one, on the current device.  \throws ArgumentError if there is none, and what putting
  /// it together has thrown.
  Batch next();

 private:
  void begin_next();

  const DataLoader::Epoch& epoch_;
  std::int64_t next_;
  bool is_ahead_;
  std::future<Batch> coming_;  // batch number next_; its end waits for the thread
};

}  // namespace gaia
