// SPDX-License-Identifier: MIT
/// \file
/// Whether a series of numbers that come one by one has changed.
///
///     Adwin errors;
///     for (double error : stream) if (errors.update(error)) retrain();
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gaia {

/// Which way a mean goes that is a change.
enum class ChangeMode { up, down, both };

std::vector<std::string> change_mode_names();
std::string to_string(ChangeMode mode);
/// \throws ArgumentError for an unknown name.
ChangeMode change_mode_from_name(std::string_view name);

struct PageHinkleyOptions {
  std::int64_t min_instances = 30;  ///< Numbers before which no change is reported.
  double delta = 0.005;             ///< Change of the mean that is none, in units of the numbers.
  double threshold = 50.0;          ///< The statistic of a change is above it.
  double alpha = 0.9999;            ///< Weight that a sum keeps, one number later.
  ChangeMode mode = ChangeMode::both;
};

/// The test of Page and Hinkley (Page 1954, Biometrika 41, 100-115; as Gama et al. 2014, ACM
/// Computing Surveys 46, 44, write it, with forgetting): for numbers x_1, x_2, ... since the start
/// or the last change, and their mean m_t,
///     up_t   = alpha up_(t-1) + x_t - m_t - delta,     u_t = up_t - min of up_1 ... up_t,
///     down_t = alpha down_(t-1) + x_t - m_t + delta,   d_t = max of down_1 ... down_t - down_t,
/// and there is a change at t >= min_instances where u_t (mode up), d_t (down) or any of the two
/// (both) is above the threshold.  The number after a change is the first of a new series.
class PageHinkley {
 public:
  /// \throws ArgumentError for numbers that are out of range.
  explicit PageHinkley(const PageHinkleyOptions& options = {});

  /// Takes the next number; whether there is a change.  \throws ArgumentError unless it is finite.
  bool update(double x);
  /// Whether there was one at the last number.
  bool detected() const { return detected_; }
  /// Largest of what is compared with the threshold.
  double statistic() const;
  /// Mean of the numbers since the start or the last change, which ends with that number; 0 before
  /// the first.
  double estimation() const { return mean_; }
  /// How many these are.
  std::int64_t width() const { return count_; }
  const PageHinkleyOptions& options() const { return options_; }

  /// All that is carried, as numbers in one list, from which another with the same options goes on
  /// bit for bit.
  std::vector<double> state() const;
  /// \throws ShapeError for a list that is no such state.
  void set_state(std::span<const double> state);

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  void restart();

  PageHinkleyOptions options_;
  std::int64_t count_ = 0;
  double mean_ = 0.0;
  double up_ = 0.0;
  double down_ = 0.0;
  double least_up_ = 0.0;
  double most_down_ = 0.0;
  bool detected_ = false;
};

struct AdwinOptions {
  double delta = 0.002;                ///< Probability of a change that is none, at every look.
  std::int64_t clock = 32;             ///< Numbers from one look to the next.
  std::int64_t max_buckets = 5;        ///< Buckets of one size.
  std::int64_t min_window_length = 5;  ///< Numbers of the shorter part at least.
  std::int64_t grace_period = 10;      ///< Numbers before which no change is reported.
};

/// ADWIN2 of Bifet and Gavalda (2007, Proc. SIAM Data Mining, 443-448): a window of the newest W
/// numbers, kept in buckets of 1, 2, 4, ... numbers, at most max_buckets of each size.  At every
/// clock-th number it is looked at all cuts between buckets into n0 older and n1 newer numbers of
/// means mu0 and mu1, both at least min_window_length; there is a change where
///     |mu0 - mu1| > e = sqrt(2 / m * s^2 * L) + 2 / (3 m) * L,   L = ln(2 ln(W) / delta),
///     1 / m = 1 / (n0 - min_window_length + 1) + 1 / (n1 - min_window_length + 1),
/// with s^2 the variance of the window (over W); then the oldest bucket is dropped, and all cuts
/// are looked at again, until there is none.  The bound holds for numbers from 0 to 1.  As in river
/// (Montiel et al. 2021, J. Mach. Learn. Res. 22, 110), m is of the shorter parts, and the number
/// after a change is the first of a new window.
class Adwin {
 public:
  /// \throws ArgumentError for numbers that are out of range.
  explicit Adwin(const AdwinOptions& options = {});

  /// Takes the next number; whether there is a change.  \throws ArgumentError unless it is finite.
  bool update(double x);
  /// Whether there was one at the last number.
  bool detected() const { return detected_; }
  /// Largest |mu0 - mu1| / e of the cuts that were looked at last; above 1 at a change, 0 before
  /// the first look.
  double statistic() const { return statistic_; }
  /// Mean of the numbers in the window; 0 of none.
  double estimation() const { return width_ > 0 ? total_ / static_cast<double>(width_) : 0.0; }
  /// How many these are.
  std::int64_t width() const { return width_; }
  /// Variance over W of the numbers in the window.
  double variance() const { return width_ > 0 ? squares_ / static_cast<double>(width_) : 0.0; }
  const AdwinOptions& options() const { return options_; }

  /// All that is carried, as numbers in one list, from which another with the same options goes on
  /// bit for bit.
  std::vector<double> state() const;
  /// \throws ShapeError for a list that is no such state.
  void set_state(std::span<const double> state);

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  /// Numbers that follow on each other.
  struct Bucket {
    double total = 0.0;
    double squares = 0.0;  // sum of their squared distances from their mean
  };
  void restart();
  void insert(double x);
  void merge();
  void drop_oldest();
  /// Whether some cut tells of a change.
  bool is_cut();

  AdwinOptions options_;
  std::int64_t ticks_ = 0;  // numbers since the window was begun
  std::int64_t width_ = 0;
  double total_ = 0.0;
  double squares_ = 0.0;
  double statistic_ = 0.0;
  bool detected_ = false;
  std::vector<std::vector<Bucket>> sizes_;  // buckets of 2^k numbers at place k, the oldest first
};

}  // namespace gaia
