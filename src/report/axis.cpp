// SPDX-License-Identifier: MIT
#include "axis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "markup.h"

namespace gaia::report {
namespace {

constexpr double kLargest = 1e300;  // beyond it differences overflow

/// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= least * (1.0 - 1e-9)) return times * power;
  }
  return 10.0 * power;
}

/// How all labels of an axis are written.
class LabelStyle {
 public:
  LabelStyle(double largest, double step) {
    if (largest >= 1e4 && largest < 1e15) {
      const int group = std::clamp(static_cast<int>(std::floor(std::log10(largest) / 3.0)), 1, 4);
      constexpr const char* suffixes[] = {"", " k", " M", " G", " T"};
      unit_ = std::pow(1000.0, group);
      suffix_ = suffixes[group];
    } else if (largest >= 1e15 || (largest < 1e-3 && largest > 0.0)) {
      const int exponent = static_cast<int>(std::floor(std::log10(largest)));
      unit_ = std::pow(10.0, exponent);
      suffix_ = "×" + power_of_ten(exponent);
    }
    decimals_ = std::max(0, static_cast<int>(std::ceil(-std::log10(step / unit_) - 1e-9)));
  }

  std::string operator()(double value) const {
    const std::string text = fmt::format("{:.{}f}", std::abs(value) / unit_, decimals_);
    const bool is_zero = text.find_first_not_of("0.") == std::string::npos;
    if (is_zero) return "0";
    return (value < 0.0 ? "−" : "") + text + suffix_;
  }

  double unit() const { return unit_; }
  const std::string& suffix() const { return suffix_; }

 private:
  double unit_ = 1.0;
  std::string suffix_;
  int decimals_ = 0;
};

std::vector<Tick> linear_ticks(const Scale& scale, int about, bool integers) {
  const double span = scale.high - scale.low;
  double step = round_step(span / about);
  // One number alone says nothing of the scale: the next smaller steps.
  for (int i = 0; i < 3 && std::floor(scale.high / step) - std::ceil(scale.low / step) < 1.0; ++i) {
    step = round_step(step / 2.6);
  }
  if (integers) step = std::max(1.0, std::round(step));
  const LabelStyle label(std::max(std::abs(scale.low), std::abs(scale.high)), step);
  std::vector<Tick> ticks;
  const double first = std::ceil(scale.low / step - 1e-9);
  const double last = std::floor(scale.high / step + 1e-9);
  for (double k = first; k <= last; k += 1.0) ticks.push_back({k * step, label(k * step)});
  return ticks;
}

std::vector<Tick> logarithmic_ticks(const Scale& scale, int about) {
  const int first = static_cast<int>(std::ceil(std::log10(scale.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(scale.high) + 1e-9));
  std::vector<Tick> ticks;
  if (last - first < 1) {  // hardly a decade: 1, 2, 5
    for (int exponent = first - 1; exponent <= last; ++exponent) {
      for (const double times : {1.0, 2.0, 5.0}) {
        const double value = times * std::pow(10.0, exponent);
        if (value >= scale.low * (1.0 - 1e-9) && value <= scale.high * (1.0 + 1e-9)) {
          ticks.push_back({value, number_for_people(value, 1)});
        }
      }
    }
    return ticks.size() < 3 ? linear_ticks(scale, about, false) : ticks;
  }
  const int stride = std::max(1, (last - first + about) / about);
  for (int exponent = first; exponent <= last; exponent += stride) {
    const bool is_plain = first >= -2 && last <= 4;
    const double value = std::pow(10.0, exponent);
    ticks.push_back({value, is_plain ? fmt::format("{:g}", value) : power_of_ten(exponent)});
  }
  return ticks;
}

}  // namespace

double Scale::position(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  if (!(value > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  return std::log(value / low) / std::log(high / low);
}

void Range::add(double value) {
  if (!(std::abs(value) <= kLargest)) return;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
  if (value > 0.0) least_positive_ = std::min(least_positive_, value);
}

Scale Range::padded(double margin) const {
  if (is_empty()) return {};
  double length = high_ - low_;
  // A constant gets room around it, larger than what rounding makes of it.
  if (length <= 1e-12 * std::max(std::abs(low_), std::abs(high_))) {
    length = high_ == 0.0 ? 1.0 : std::abs(high_);
    margin = std::max(margin, 0.25);
  }
  return {low_ - margin * length, high_ + margin * length, false};
}

Scale Range::with_zero(double margin) const {
  if (is_empty()) return {};
  Range both = *this;
  both.add(0.0);
  Scale scale = both.padded(margin);
  if (low_ >= 0.0) scale.low = 0.0;
  if (high_ <= 0.0) scale.high = 0.0;
  return scale.low < scale.high ? scale : Scale{};
}

Scale Range::symmetric(double margin) const {
  Range both = *this;
  if (!is_empty()) {
    both.add(-low_);
    both.add(-high_);
  }
  return both.padded(margin);
}

Scale Range::logarithmic(double margin) const {
  if (!(least_positive_ <= high_)) return {0.1, 1.0, true};
  const double decades = std::max(std::log10(high_ / least_positive_), 0.1);
  const double factor = std::pow(10.0, margin * decades);
  return {least_positive_ / factor, high_ * factor, true};
}

std::vector<Tick> ticks_of(const Scale& scale, int about, bool integers) {
  return scale.logarithmic ? logarithmic_ticks(scale, about) : linear_ticks(scale, about, integers);
}

std::string ruler_attributes(const Scale& scale) {
  const double span = scale.high - scale.low;
  const LabelStyle label(std::max(std::abs(scale.low), std::abs(scale.high)), span);
  std::vector<double> steps;
  for (double step = round_step(1e-5 * span); step < span; step = round_step(1.5 * step)) {
    steps.push_back(step / label.unit());
  }
  return fmt::format(" data-steps=\"{:.6g}\" data-unit=\"{:g}\" data-suffix=\"{}\"",
                     fmt::join(steps, " "), label.unit(), label.suffix());
}

std::string shortened(const std::string& text, std::size_t letters) {
  const auto begins = [&](std::size_t i) { return (text[i] & '\xC0') != '\x80'; };
  std::size_t count = 0;
  std::size_t cut = text.size();  // end of the last letter that fits beside the dots
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!begins(i)) continue;
    if (count + 1 == letters) cut = i;
    ++count;
  }
  return count <= letters ? text : text.substr(0, cut) + "…";
}

TimeBase TimeBase::of(double steps, double rate, double window) {
  if (!(rate > 0.0)) return {};
  const double seconds = steps / rate;
  struct Unit {
    double from;
    double seconds;
    const char* name;
  };
  constexpr Unit units[] = {{3 * 86400.0, 86400.0, "d"}, {3 * 3600.0, 3600.0, "h"},
                            {180.0, 60.0, "min"},        {0.5, 1.0, "s"},
                            {0.5e-3, 1e-3, "ms"},        {0.0, 1e-6, "µs"}};
  for (const Unit& unit : units) {
    if (seconds < unit.from) continue;
    const double factor = 1.0 / (rate * unit.seconds);
    return {factor, (window - 1.0) * factor, std::string("time / ") + unit.name};
  }
  return {};
}

}  // namespace gaia::report
