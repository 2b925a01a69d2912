// SPDX-License-Identifier: MIT
/// \file
/// The trials of a series: stretches of rows across whose borders nothing is carried over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stretches.h"

namespace gaia {

/// Rows [first_row, first_row + rows) of a series, which give the samples of the steps
/// [first_step, first_step + steps).  Levels tick where (step - first_step) is a multiple of their
/// temporal resolution.
struct Trial {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t first_step = 0;
  std::int64_t steps = 0;

  std::int64_t end() const { return first_step + steps; }
  /// The newest row of the sample of a step, where samples are windows of so many rows.
  std::int64_t newest_row(std::int64_t step, std::int64_t window) const {
    return first_row + (step - first_step) + window - 1;
  }

  bool operator==(const Trial&) const = default;
};

/// Those that a run reads, in the order of the series; steps go on counting from one to the next.
class Trials {
 public:
  Trials() = default;
  /// Trials that begin at the rows `starts`, the first of which is 0, of a series of `rows` rows
  /// that is read in windows; no more than `steps` samples, where that is given.  A trial that is
  /// shorter than the window is left out.
  Trials(std::span<const std::int64_t> starts, std::int64_t rows, std::int64_t window,
         std::optional<std::int64_t> steps = {});
  /// One trial of so many samples.
  static Trials one(std::int64_t steps, std::int64_t window);

  const std::vector<Trial>& all() const { return all_; }
  std::int64_t count() const { return static_cast<std::int64_t>(all_.size()); }
  /// How many were shorter than the window.
  std::int64_t left_out() const { return left_out_; }
  /// Samples of all of them.
  std::int64_t steps() const { return all_.empty() ? 0 : all_.back().end(); }
  /// Rows of the series up to the last that is read.
  std::int64_t rows() const { return all_.empty() ? 0 : all_.back().first_row + all_.back().rows; }
  /// The first of the longest trials.
  const Trial& longest() const;

  /// The number of the trial that step `step`, from 0 to steps() - 1, belongs to.
  std::size_t index_at(std::int64_t step) const;
  const Trial& at(std::int64_t step) const { return all_[index_at(step)]; }

  /// Steps of one trial, one after the other, whose newest rows are of one group (data.groups).
  struct GroupRun {
    Stretch steps;
    std::int64_t group = 0;

    bool operator==(const GroupRun&) const = default;
  };
  /// Sets groups that begin at the rows `starts`, the first of which is 0, and are called `ids`,
  /// the same number for the same group.
  void set_groups(std::span<const std::int64_t> starts, std::span<const std::int64_t> ids,
                  std::int64_t window);
  /// In order; empty where rows have no groups.  Groups are numbered in order of first appearance.
  const std::vector<GroupRun>& groups() const { return groups_; }
  std::int64_t group_count() const { return group_count_; }
  /// The number of the group that step `step` belongs to.
  std::int64_t group_at(std::int64_t step) const;

  /// How many ticks, one every `spacing` steps of each trial, lie within the first `steps` steps.
  std::int64_t ticks_within(std::int64_t steps, std::int64_t spacing, std::int64_t phase = 0) const;

 private:
  std::vector<Trial> all_;
  std::int64_t left_out_ = 0;
  std::vector<GroupRun> groups_;
  std::int64_t group_count_ = 0;
};

}  // namespace gaia
