// SPDX-License-Identifier: MIT
/// \file
/// Data for training: in batches, in two parts, at one scale.  Axis 0 counts the samples.
#pragma once

#include <cstdint>
#include <optional>

#include "../array/array.h"

namespace gaia {

struct Batch {
  Array x;
  Array y;
};

struct LoaderOptions {
  std::int64_t batch_size = 32;
  bool shuffle = false;    ///< Another order in every epoch, a function of seed and epoch alone.
  std::uint64_t seed = 0;  ///< Seed of the shuffling.
  bool drop_last = false;  ///< Leave out a last batch that is not full.
  /// Whether `fit` has the next batch put together by a thread of its own while it trains on one
  /// (BatchAhead); takes samples and targets on the host.  By default it does where the batches are
  /// wanted on another device, which works by itself meanwhile.
  std::optional<bool> prefetch = {};
};

/// Samples x [n, ...] and targets y [n, ...] in batches.  Both may lie on another device than that
/// on which batches are wanted: a batch is put together where they lie and then moved.
class DataLoader {
 public:
  /// \throws ShapeError unless x and y have equally many samples, ArgumentError for a batch size
  ///         below 1.
  DataLoader(Array x, Array y, const LoaderOptions& options = {});

  std::int64_t samples() const { return x_.shape(0); }
  std::int64_t batches() const;
  const Array& x() const { return x_; }
  const Array& y() const { return y_; }

  /// The batches of one epoch, for a loop: `for (const Batch& batch : loader.epoch(3))`.  Shares
  /// the samples with the loader.
  class Epoch;
  Epoch epoch(std::int64_t number) const;

 private:
  friend class Epoch;

  Array x_;
  Array y_;
  LoaderOptions options_;
};

class DataLoader::Epoch {
 public:
  class Iterator {
   public:
    /// On the current device.
    Batch operator*() const { return epoch_->batch(index_); }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

   private:
    friend class Epoch;
    Iterator(const Epoch* epoch, std::int64_t index) : epoch_(epoch), index_(index) {}

    const Epoch* epoch_;
    std::int64_t index_;
  };

  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, loader_.batches()}; }
  std::int64_t batches() const { return loader_.batches(); }
  /// Batch number `index`, on the current device.  \throws ArgumentError if there is none.
  Batch batch(std::int64_t index) const;
  /// The same where samples and targets lie.
  Batch gathered(std::int64_t index) const;
  /// Whether the next batch is put together while one is trained on.
  bool is_prefetched() const;

 private:
  friend class DataLoader;
  Epoch(DataLoader loader, Array order) : loader_(std::move(loader)), order_(std::move(order)) {}

  DataLoader loader_;  // shares its elements
  Array order_;        // order of the samples; empty: as they are
};

/// Samples and targets in two parts.
struct Split {
  Array train_x;
  Array train_y;
  Array test_x;
  Array test_y;
};

/// Puts round(share n) samples, chosen by `seed` alone, aside for testing.
/// \throws ArgumentError unless 0 <= share <= 1, ShapeError as DataLoader.
Split train_test_split(const Array& x, const Array& y, double share, std::uint64_t seed);

/// Mean and deviation of features, to bring data to mean 0 and variance 1 and back.
struct Normalizer {
  Array mean;   ///< [features...]
  Array scale;  ///< [features...]; 1 where a feature does not vary.

  Array apply(const Array& x) const;    ///< (x - mean) / scale
  Array restore(const Array& x) const;  ///< x scale + mean
};

/// The normaliser of x [samples, features...], with the deviation of the population.
/// \throws ShapeError if x has no samples.
Normalizer normalizer_of(const Array& x);

}  // namespace gaia
