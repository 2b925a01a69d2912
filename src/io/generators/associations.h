// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../columns.h"
#include "generator.h"

namespace gaia {

/// Trials in each of which something new is to be remembered: `pairs` rows show a key of `size`
/// numbers, each -1 or 1, and a value, -1 or 1; one row more shows one of these keys again, each of
/// its numbers with the other sign with probability `flip`, and 0 for the value.  Then come
/// `recall` rows of zeros, in which a network has time to find the answer.  Keys, values and which
/// of them is asked for are drawn uniformly, anew in every trial, so that nothing that was learnt
/// in one helps in another.  Channels are named 0, 1, ... (the key) and "value"; the latent
/// "answer" is the value that goes with the key, also where it is not shown.
///
/// After the one-shot tasks of Miconi, Clune & Stanley (2018), arXiv:1804.02464.
struct AssociationsOptions {
  std::int64_t pairs = 5;
  std::int64_t size = 20;
  double flip = 0.0;
  std::int64_t recall = 0;

  static constexpr const char* name = "associations";
  void keys(ConfigVisitor& v) {
    v.integer({"pairs", "pairs of a key and a value that a trial shows"}, pairs, {1, 100000});
    v.integer({"size", "numbers of a key"}, size, {1, 100000});
    v.number({"flip", "how often a number of the key that is asked for has the other sign"}, flip,
             {0.0, 1.0});
    v.integer({"recall", "rows of zeros at the end of a trial"}, recall, {0, 100000});
  }
  std::int64_t trial_rows() const { return pairs + 1 + recall; }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<AssociationsOptions> make_associations;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::associations {

inline std::vector<std::string> channels_of(const AssociationsOptions& options) {
  std::vector<std::string> names = numbered_names(options.size);
  names.emplace_back("value");
  return names;
}

class Associations final : public Generator {
 public:
  Associations(const AssociationsOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, channels_of(options), {"answer"}),
        pairs_(options.pairs),
        trial_rows_(options.trial_rows()),
        size_(options.size),
        flip_(options.flip),
        keys_(data_stream(seed, AssociationsOptions::name, "keys")),
        values_(data_stream(seed, AssociationsOptions::name, "values")),
        asked_(data_stream(seed, AssociationsOptions::name, "asked")),
        flips_(data_stream(seed, AssociationsOptions::name, "flips")) {
    for (std::int64_t start = 0; start < rows; start += trial_rows_) starts_.push_back(start);
  }

  const std::vector<std::int64_t>& trial_starts() const override { return starts_; }

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<double> x = row_of(out, r, channels());
      const Place at = place_of(first + r);
      if (at.is_over) {
        std::fill(x.begin(), x.end(), 0.0);
        continue;
      }
      show_key(at.pair, x.first(static_cast<std::size_t>(size_)));
      if (at.is_question) flip(first + r, x.first(static_cast<std::size_t>(size_)));
      x.back() = at.is_question ? 0.0 : value_of(at.pair);
    }
  }

  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), latents());
    for (std::int64_t r = 0; r < count; ++r) {
      out[static_cast<std::size_t>(r)] = value_of(place_of(first + r).pair);
    }
  }

 private:
  struct Place {
    std::int64_t pair;  ///< Number of the pair among those of all trials.
    bool is_question;
    bool is_over;  ///< Behind the question, of whose pair the answer is.
  };

  Place place_of(std::int64_t row) const {
    const std::int64_t trial = row / trial_rows_;
    const std::int64_t in_trial = row % trial_rows_;
    const bool is_question = in_trial == pairs_;
    const bool is_over = in_trial > pairs_;
    const std::int64_t pair = is_question || is_over
                                  ? asked_.integer(static_cast<std::uint64_t>(trial), pairs_)
                                  : in_trial;
    return {trial * pairs_ + pair, is_question, is_over};
  }

  double value_of(std::int64_t pair) const { return sign(values_, pair); }

  void show_key(std::int64_t pair, std::span<double> key) const {
    for (std::size_t i = 0; i < key.size(); ++i) {
      key[i] = sign(keys_, pair * size_ + static_cast<std::int64_t>(i));
    }
  }

  void flip(std::int64_t row, std::span<double> key) {
    if (flip_ == 0.0) return;
    draws_.resize(key.size());
    flips_.uniforms(static_cast<std::uint64_t>(row * size_), draws_);
    for (std::size_t i = 0; i < key.size(); ++i) {
      if (draws_[i] < flip_) key[i] = -key[i];
    }
  }

  static double sign(const RandomStream& stream, std::int64_t index) {
    return stream.integer(static_cast<std::uint64_t>(index), 2) == 0 ? -1.0 : 1.0;
  }

  std::int64_t pairs_, trial_rows_, size_;
  double flip_;
  RandomStream keys_, values_, asked_, flips_;
  std::vector<std::int64_t> starts_;
  std::vector<double> draws_;
};

}  // namespace detail::associations

std::unique_ptr<Series> AssociationsOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  check.integer("pairs", pairs, 1, 100000);
  check.integer("size", size, 1, OptionChecks::kMostChannels - 1);
  check.number("flip", flip, 0.0, 1.0);
  check.integer("recall", recall, 0, 100000);
  check.rows(rows, size + 1);
  return std::make_unique<detail::associations::Associations>(*this, rows, seed);
}
#endif

}  // namespace gaia
