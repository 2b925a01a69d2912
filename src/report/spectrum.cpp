// SPDX-License-Identifier: MIT
#include "spectrum.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <unsupported/Eigen/FFT>

namespace gaia::report {

struct Welch::Transform {
  Eigen::FFT<double> fft;
  std::vector<double> in;
  std::vector<std::complex<double>> out;
};

Welch::Welch(std::int64_t channels, std::int64_t length)
    : channels_(channels),
      length_(length),
      rows_(static_cast<std::size_t>(channels * length)),
      window_(static_cast<std::size_t>(length)),
      power_(static_cast<std::size_t>(length / 2 + 1), 0.0),
      transform_(std::make_unique<Transform>()) {
  for (std::size_t i = 0; i < window_.size(); ++i) {
    const double phase = 2.0 * std::numbers::pi * static_cast<double>(i);
    window_[i] = 0.5 - 0.5 * std::cos(phase / static_cast<double>(length));
  }
  transform_->in.resize(window_.size());
}

Welch::~Welch() = default;
Welch::Welch(Welch&&) noexcept = default;

void Welch::add(std::span<const double> row) {
  std::copy(row.begin(), row.end(), rows_.begin() + held_ * channels_);
  if (++held_ < length_) return;
  take_segment();
  const std::int64_t half = length_ / 2;
  std::copy(rows_.begin() + half * channels_, rows_.end(), rows_.begin());
  held_ = length_ - half;
}

void Welch::interrupt() { held_ = 0; }

void Welch::take_segment() {
  std::vector<double>& in = transform_->in;
  bool any = false;
  for (std::int64_t c = 0; c < channels_; ++c) {
    double mean = 0.0;
    for (std::int64_t r = 0; r < length_; ++r) {
      mean += rows_[static_cast<std::size_t>(r * channels_ + c)];
    }
    mean /= static_cast<double>(length_);
    if (!std::isfinite(mean)) continue;
    for (std::size_t r = 0; r < in.size(); ++r) {
      in[r] =
          (rows_[r * static_cast<std::size_t>(channels_) + static_cast<std::size_t>(c)] - mean) *
          window_[r];
    }
    transform_->fft.fwd(transform_->out, in);
    for (std::size_t k = 0; k < power_.size(); ++k) power_[k] += std::norm(transform_->out[k]);
    ++segments_;
    any = true;
  }
  if (any) ++stretches_;
}

Spectrum Welch::spectrum() const {
  Spectrum spectrum;
  spectrum.segments = stretches_;
  if (segments_ == 0) return spectrum;
  double window_power = 0.0;
  for (const double w : window_) window_power += w * w;
  for (std::size_t k = 0; k < power_.size(); ++k) {
    const bool has_mirror = k > 0 && k + 1 < power_.size();
    spectrum.frequency.push_back(static_cast<double>(k) / static_cast<double>(length_));
    spectrum.density.push_back((has_mirror ? 2.0 : 1.0) * power_[k] /
                               (window_power * static_cast<double>(segments_)));
  }
  return spectrum;
}

std::int64_t Welch::segment_length(std::int64_t rows) {
  std::int64_t length = 16;
  while (length < 4096 && length * 2 * (length < 512 ? 4 : 16) <= rows) length *= 2;
  return length;
}

}  // namespace gaia::report
