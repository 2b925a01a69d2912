// SPDX-License-Identifier: MIT
#include "search_front.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../io/csv_field.h"
#include "../results/results_parts.h"
#include "member_table.h"

namespace gaia {
namespace {

bool is_on(const std::vector<std::size_t>& front, std::size_t candidate) {
  return std::find(front.begin(), front.end(), candidate) != front.end();
}

bool is_on_front(const SearchSummary& summary, std::size_t candidate) {
  return is_on(summary.front, candidate) || is_on(summary.front_at_random, candidate);
}

std::string goal_of(const SearchObjective& objective) {
  return objective.is_minimised ? "minimise" : "maximise";
}

/// Value as a table shows it: whole numbers whole.
std::string shown_value(double value) {
  const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
  return is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4f}", value);
}

/// Hypervolume of a front; NaN without a reference.
double volume_of(const SearchMembers& members, const SearchSummary& summary,
                 const std::vector<std::size_t>& front) {
  const Objectives reference = members.front_options().reference;
  if (reference.empty()) return kNoScore;
  std::vector<Objectives> values;
  for (const std::size_t one : front) {
    values.push_back(signed_means(members.section(), summary.candidates[one]));
  }
  return hypervolume(values, reference);
}

}  // namespace

std::vector<double> hypervolumes_so_far(const SearchMembers& members,
                                        const SearchSummary& summary) {
  const SearchSection& section = members.section();
  const Objectives reference = members.front_options().reference;
  std::vector<double> volumes;
  std::vector<Objectives> front;
  for (std::size_t i = 0; i < summary.candidates.size(); ++i) {
    const SearchCandidate& one = summary.candidates[i];
    if (reference.empty() || one.kind == CandidateKind::own) {
      volumes.push_back(kNoScore);
      continue;
    }
    const bool begins = i == 0 || summary.candidates[i - 1].kind != one.kind;
    if (begins) front.clear();
    front.push_back(signed_means(section, one));
    std::vector<Objectives> left;
    for (const std::size_t place : non_dominated(front)) left.push_back(front[place]);
    // What came last has changed nothing where it is dominated.
    const bool is_new = !left.empty() && left.back() == front.back();
    front = std::move(left);
    volumes.push_back(is_new || begins ? hypervolume(front, reference) : volumes.back());
  }
  return volumes;
}

std::size_t best_by(const SearchSection& section, const SearchSummary& summary,
                    std::size_t objective) {
  std::size_t best = summary.front.front();
  for (const std::size_t one : summary.front) {
    if (signed_means(section, summary.candidates[one])[objective] <
        signed_means(section, summary.candidates[best])[objective]) {
      best = one;
    }
  }
  return best;
}

void write_front(hdf5::Group& search, const hdf5::Dataset& candidate, const SearchMembers& members,
                 const SearchSummary& summary) {
  const SearchSection& section = members.section();
  const std::int64_t count = std::ssize(summary.candidates);
  const std::int64_t objectives = std::ssize(section.objectives);
  hdf5::Group group = search.create_group("front");
  std::vector<std::string> names;
  std::vector<std::string> meanings;
  std::vector<std::string> goals;
  for (const SearchObjective& one : section.objectives) {
    names.push_back(one.name());
    meanings.push_back(one.meaning());
    goals.push_back(goal_of(one));
  }
  group.set_attribute("objectives", names);
  group.set_attribute("meanings", meanings);
  group.set_attribute("goals", goals);
  if (!section.reference.empty()) {
    group.set_attribute("hypervolume", volume_of(members, summary, summary.front));
    if (section.has_random_control) {
      group.set_attribute("hypervolume_at_random",
                          volume_of(members, summary, summary.front_at_random));
    }
  }
  const hdf5::Dataset objective =
      make_index(group, "objective", objectives, "number of the objective, named in `objectives`");
  if (!section.reference.empty()) {
    hdf5::Dataset reference =
        group.create_dataset("reference", {.type = hdf5::Type::float64, .shape = {objectives}});
    reference.write<double>(section.reference);
    describe(reference, "point from which hypervolumes are measured", "1");
    reference.attach_scale(0, objective);
  }
  std::vector<double> means;
  std::vector<double> scores;
  std::vector<std::int64_t> on_front;
  for (std::size_t i = 0; i < summary.candidates.size(); ++i) {
    const SearchCandidate& one = summary.candidates[i];
    const std::vector<double> own = one.means();
    means.insert(means.end(), own.begin(), own.end());
    for (std::size_t k = 0; k < section.objectives.size(); ++k) {
      const std::vector<double>& values = one.values_of(k);
      scores.insert(scores.end(), values.begin(), values.end());
    }
    on_front.push_back(is_on_front(summary, i) ? 1 : 0);
  }
  hdf5::Dataset mean =
      group.create_dataset("mean", {.type = hdf5::Type::float64, .shape = {count, objectives}});
  mean.write<double>(means);
  describe(mean, "mean of each objective over the seeds; NaN: it has none", "1");
  mean.attach_scale(0, candidate);
  mean.attach_scale(1, objective);
  hdf5::Dataset all = group.create_dataset(
      "values", {.type = hdf5::Type::float64, .shape = {count, objectives, section.seeds}});
  all.write<double>(scores);
  describe(all, "each objective with each seed", "1");
  all.attach_scale(0, candidate);
  all.attach_scale(1, objective);
  hdf5::Dataset on =
      group.create_dataset("on_front", {.type = hdf5::Type::int64, .shape = {count}});
  on.write<std::int64_t>(on_front);
  describe(on, "1: no other candidate of its kind dominates it", "1");
  on.attach_scale(0, candidate);
  if (section.reference.empty()) return;
  hdf5::Dataset volume =
      group.create_dataset("hypervolume_so_far", {.type = hdf5::Type::float64, .shape = {count}});
  volume.write<double>(hypervolumes_so_far(members, summary));
  describe(volume, "hypervolume of the candidates of its kind up to this one", "1");
  volume.attach_scale(0, candidate);
}

std::string front_columns(const SearchSection& section) {
  if (!section.has_front()) return "";
  std::string text;
  for (const SearchObjective& one : section.objectives) {
    text += "," + csv_field("objective " + one.name());
  }
  return text + ",on_front" + (section.reference.empty() ? "" : ",hypervolume_so_far");
}

std::string front_fields(const SearchSection& section, const SearchSummary& summary,
                         const std::vector<double>& volumes, std::size_t candidate) {
  if (!section.has_front()) return "";
  std::string text;
  for (const double mean : summary.candidates[candidate].means()) text += "," + csv_number(mean);
  text += is_on_front(summary, candidate) ? ",1" : ",0";
  if (!section.reference.empty()) text += "," + csv_number(volumes[candidate]);
  return text;
}

std::string front_text(const SearchMembers& members, const SearchSummary& summary) {
  const SearchSection& section = members.section();
  if (!section.has_front() || summary.front.empty()) return "";
  std::string text = fmt::format("\nfront    {:>9}", "candidate");
  for (const SearchObjective& one : section.objectives) {
    text += fmt::format("  {:<22}", one.name());
  }
  text += "  values\n";
  std::vector<std::size_t> front = summary.front;
  std::ranges::stable_sort(front, [&](std::size_t a, std::size_t b) {
    return signed_means(section, summary.candidates[a]) <
           signed_means(section, summary.candidates[b]);
  });
  const std::vector<std::string> names = members.short_keys();
  for (const std::size_t one : front) {
    text += fmt::format("         {:>9}", one);
    const std::vector<double> means = summary.candidates[one].means();
    for (std::size_t k = 0; k < means.size(); ++k) {
      const double deviation = spread_of(summary.candidates[one].values_of(k)).deviation;
      const bool varies = !std::isnan(deviation) && deviation > 0.0;
      text += fmt::format(
          "  {:<22}", shown_value(means[k]) + (varies ? fmt::format(" ± {:.4f}", deviation) : ""));
    }
    std::string values;
    const auto first = members.member_of(static_cast<std::int64_t>(one));
    std::size_t k = 0;
    for (const MemberSetting& setting : members.settings(first)) {
      if (setting.key == "seed") continue;
      values += (k == 0 ? "" : ", ") + names[k] + " " + value_text(setting.value);
      ++k;
    }
    text += "  " + values + "\n";
  }
  if (section.reference.empty()) return text;
  text += fmt::format("         hypervolume {:.6g}", volume_of(members, summary, summary.front));
  if (section.has_random_control) {
    text += fmt::format(", of as many at random {:.6g}",
                        volume_of(members, summary, summary.front_at_random));
  }
  return text + "\n";
}

}  // namespace gaia
