// SPDX-License-Identifier: MIT
/// \file
/// From numbers to places along an axis, and the numbers that are written beside it.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace gaia::report {

/// The numbers between the ends of an axis.
struct Scale {
  double low = 0.0;
  double high = 1.0;
  bool logarithmic = false;  ///< Both ends are above 0.

  /// 0 at `low`, 1 at `high`; NaN for what has no place, such as 0 on a logarithmic axis.
  double position(double value) const;
};

/// The finite numbers that were met, and scales that hold all of them.
class Range {
 public:
  void add(double value);
  bool is_empty() const { return low_ > high_; }
  double low() const { return low_; }
  double high() const { return high_; }

  /// With a margin at both ends, a share of the length; never of length 0.
  Scale padded(double margin = 0.05) const;
  /// From 0, or up to 0, with a margin at the other end.
  Scale with_zero(double margin = 0.05) const;
  /// Scale that is as large on both sides of 0.
  Scale symmetric(double margin = 0.05) const;
  /// Logarithmic scale of the numbers above 0.
  Scale logarithmic(double margin = 0.05) const;

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
  double least_positive_ = std::numeric_limits<double>::infinity();
};

struct Tick {
  double value;
  std::string label;
};

/// About `about` round numbers within the scale, all written alike ("20 k", "0.05", "10⁻³").
/// `integers`: whole numbers only.
std::vector<Tick> ticks_of(const Scale& scale, int about = 5, bool integers = false);

/// For the script, which draws a linear axis anew where a reader looks closer, down to a 10⁴th of
/// it: data-steps, those that ticks may have, in data-unit, which data-suffix stands for.
std::string ruler_attributes(const Scale& scale);

struct DatedStep;  // dates.h

/// What is drawn beside a panel.
struct Axis {
  Scale scale;
  std::string label;  ///< With its unit.
  int about = 5;      ///< Ticks wanted.
  bool integers = false;
  bool labelled = true;  ///< Else the numbers are left out, where a panel below has them.
  /// Dates of an axis of steps, which stand in place of the numbers; null if there are none.
  std::shared_ptr<const std::vector<DatedStep>> dates = {};
  /// Names on an axis of whole numbers, in place of 0, 1, ...; numbers beyond stay.
  std::vector<std::string> names = {};
  bool gridded = true;  ///< Lines across the panel.
};

/// At most `letters` of a text; "…" stands for those that are left out.
std::string shortened(const std::string& text, std::size_t letters);

/// Steps as the reader of a plot counts them: time in a unit that suits its span, or steps.
struct TimeBase {
  double factor = 1.0;
  double offset = 0.0;
  std::string label = "step";

  double operator()(double step) const { return step * factor + offset; }
  /// For `steps` steps of a run; `rate` is the number of rows per second, 0 if there is none, and
  /// step 0 ends at row window - 1.
  static TimeBase of(double steps, double rate, double window);
};

}  // namespace gaia::report
