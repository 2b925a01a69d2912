// SPDX-License-Identifier: MIT
/// \file
/// Gradients of a batch that several processes compute together.
///
/// A batch is cut into members, whatever the number of processes; each member's gradient is
/// computed by one of them, and all add up the members in their order.  So the sum has the same
/// bits for any number of processes, one among them, and all of them go on with the same network.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../layers/network/module.h"
#include "../learning/losses.h"
#include "../learning/optimisers.h"
#include "communicator.h"
#include "data.h"

namespace gaia {

struct DataParallelOptions {
  /// Parts that every batch is cut into.  Not less than there are processes.
  std::int64_t members = 1;
  /// The processes; null: this one alone.
  Communicator* communicator = nullptr;
};

/// What a batch came to.  Numbers stay on the device: asking for them would wait for it.
struct BatchSums {
  Array loss;                ///< float64: sum over its samples.
  Array hits;                ///< int64: samples whose class was predicted,
  std::int64_t counted = 0;  ///< of those that have one.
  std::int64_t samples = 0;
};

/// Rows of a batch of n samples that are member i of m: those from ceil(i n / m) on, before those
/// of the next.  The first member has at least one.
struct Rows {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
Rows rows_of_member(std::int64_t member, std::int64_t members, std::int64_t samples);

/// How often the class of a sample was predicted: outputs [n, classes], targets int [n].
bool has_accuracy(const Array& answers, const Array& targets);

/// The loss of a batch, which is a mean over its samples.  \throws ArgumentError, which names
/// `function`, unless it is one number.
Tensor checked_loss(const Loss& loss, const Tensor& answer, const Array& target,
                    const char* function);

class DataParallel {
 public:
  /// \throws ArgumentError unless 1 <= processes <= members.
  DataParallel(Module& net, const Loss& loss, Optimiser& optimiser,
               const DataParallelOptions& options);

  /// Leaves the mean gradient over the batch in the optimiser's parameters.  Every member starts
  /// from the buffers as they are before the batch (running means, weights of plastic layers); they
  /// become the mean over the samples of what the members make of them.  `number` counts the
  /// batches of the whole training: what a member draws at random depends on it and on the member
  /// alone.
  BatchSums gradients(const Batch& batch, std::int64_t number);

  /// Whether any process says so.
  bool any(bool mine) { return communicator_->any(mine); }

  /// Checks that all processes still have the same network, bit for bit.  If not, since their
  /// processors round differently, all go on with that of rank 0, and a warning says so.
  void agree();

 private:
  /// Gradients, buffers and sums of one member, each times its share of the batch, in one row.
  Array slot_of(const Batch& rows, double share, std::int64_t& counted);
  Array empty_slot() const;
  void take(const Array& total, BatchSums& sums) const;
  std::vector<Array> buffers() const;
  std::int64_t first_member(int rank) const;
  /// Notes which parameters gradients reach, in any process.
  void find_used();

  Module& net_;
  const Loss& loss_;
  Optimiser& optimiser_;
  std::int64_t members_;
  std::unique_ptr<Communicator> alone_;
  Communicator* communicator_;
  DType dtype_;                      // type of the slots
  std::vector<unsigned char> used_;  // for each parameter: whether a gradient reaches it
  std::int64_t slot_size_;
  bool knows_used_ = false;
};

}  // namespace gaia
