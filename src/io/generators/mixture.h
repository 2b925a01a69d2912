// SPDX-License-Identifier: MIT
/// \file
/// Channels that are mixtures of latents which go step by step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../columns.h"
#include "generator.h"

namespace gaia {

/// x = M^T s + noise, with s the values() of a Process (as Cursor has it), which are the latents.
template <class Process>
class Mixture final : public Generator {
 public:
  /// `mixing`: M [latents, channels], row-major.
  Mixture(std::int64_t rows, std::int64_t channels, std::vector<std::string> latents,
          std::vector<double> mixing, Process process, Noise noise)
      : Generator(rows, numbered_names(channels), std::move(latents)),
        mixing_(std::move(mixing)),
        shown_(std::move(process)),
        told_(shown_),
        noise_(std::move(noise)) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<double> x = row_of(out, r, channels());
      combine(mixing_, shown_.at(first + r).values(), 1, x);
      noise_.add(first + r, x);
    }
  }

  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), latents());
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<const double> s = told_.at(first + r).values();
      std::copy(s.begin(), s.end(), row_of(out, r, latents()).begin());
    }
  }

 private:
  std::vector<double> mixing_;
  // Channels and latents are read in turn, so each has a cursor of its own.
  Cursor<Process> shown_;
  Cursor<Process> told_;
  Noise noise_;
};

}  // namespace gaia
