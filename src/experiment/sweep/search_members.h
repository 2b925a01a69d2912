// SPDX-License-Identifier: MIT
/// \file
/// The runs of a search: for each candidate one for every seed.  Which candidates there are is
/// found out on the way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../search/front_search.h"
#include "../config/search_section.h"
#include "members.h"

namespace gaia {

/// Member `candidate * seeds + k` is the candidate with seed `seed + k`, or so much later as it was
/// put there with.
class SearchMembers : public Members {
 public:
  /// \throws ConfigError for a file that cannot be read, has no `search`, or a wrong one, or no
  /// such readout with a validation part.
  SearchMembers(const std::string& path, const Overrides& overrides);

  const SearchSection& section() const { return section_; }
  std::int64_t first_seed() const { return first_seed_; }

  /// The values that the file itself gives to the keys that are searched; nothing where it leaves
  /// one out that has no default.
  const std::optional<std::vector<YamlNode>>& own_values() const { return own_values_; }

  /// What is minimised, as it is searched.
  SearchOptions options() const;
  /// The same of a search for a front, and of as many candidates at random beside it.
  FrontSearchOptions front_options() const;
  FrontSearchOptions front_options_of_control(std::int64_t count) const;
  /// The same of the candidates at random that it is compared with; `count` of them.
  SearchOptions options_of_control(std::int64_t count) const;

  /// Puts the candidates at the ends of all ranges, and one for every choice, in place of all.
  /// Whoever checks these finds ranges that reach beyond what a key may be before anything runs.
  void set_ends();

  /// Puts a candidate into place `number`: values of the parameters, or none for the file's own.
  /// Its seeds begin `later` after the first; its runs are as short as those of a rung, or whole.
  void set(std::int64_t number, std::vector<double> values, std::int64_t later = 0,
           std::optional<std::int64_t> rung = {});
  /// Values of the candidate that this member runs; empty if it runs the file's own values.
  /// \throws ArgumentError if there is no such member.
  const std::vector<double>& values_of(std::int64_t member) const { return at(member).values; }
  /// Its seed.  \throws ArgumentError as values_of.
  std::int64_t seed_of(std::int64_t member) const {
    return first_seed_ + at(member).later + member % section_.seeds;
  }
  /// The rung that it is run for; none where its run is whole.  \throws ArgumentError as values_of.
  std::optional<std::int64_t> rung_of(std::int64_t member) const { return at(member).rung; }
  /// Whether candidates differ in numbers of a hierarchy alone, so that members can be computed
  /// together (run_members_together).
  bool may_be_replicas() const;

  std::int64_t candidates() const { return static_cast<std::int64_t>(candidates_.size()); }
  std::int64_t member_of(std::int64_t candidate) const { return candidate * section_.seeds; }

  std::int64_t size() const override { return candidates() * section_.seeds; }
  std::vector<std::string> keys() const override;
  std::vector<MemberSetting> settings(std::int64_t member) const override;

 private:
  struct Candidate {
    std::vector<double> values;
    std::int64_t later = 0;
    std::optional<std::int64_t> rung = {};
  };

  const Candidate& at(std::int64_t member) const;
  void take_lengths(const YamlNode& resolved);
  void check_objectives(const ExperimentConfig& config, const YamlNode& root) const;
  void check_score(const ExperimentConfig& config, const SearchObjective& objective,
                   const std::string& key, const Origin& at, Problems& problems) const;
  Objectives reference() const;

  SearchSection section_;
  std::int64_t first_seed_ = 0;
  std::optional<std::vector<YamlNode>> own_values_;
  std::vector<std::int64_t> lengths_;  // values of halving.shortens in a whole run
  std::vector<std::optional<Candidate>> candidates_;
};

}  // namespace gaia
