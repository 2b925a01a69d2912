// SPDX-License-Identifier: MIT
#include "search_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>
#include <utility>

#include "../../core/error.h"
#include "../../core/text.h"
#include "../../io/csv_field.h"
#include "../../io/output_files.h"
#include "../config/config_writer.h"
#include "../results/results_parts.h"
#include "search_conclusion.h"
#include "search_front.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBestHead = "# Found by gaia search";

/// Over the seeds, with n - 1; NaN for one of them, and where a run diverged.
double deviation_of(const SearchCandidate& candidate) {
  return std::isnan(candidate.mean()) ? kNoScore : spread_of(candidate.scores).deviation;
}

/// The best mean of a kind of candidates up to each of them, those of other kinds apart.
std::vector<double> best_so_far(const SearchSection& section, const SearchSummary& summary) {
  std::vector<double> best;
  for (std::size_t i = 0; i < summary.candidates.size(); ++i) {
    const SearchCandidate& candidate = summary.candidates[i];
    const double own = candidate.mean();
    // Scores of another rung are of runs of another length.
    const bool goes_on =
        i > 0 && summary.candidates[i - 1].kind == candidate.kind &&
        (!section.halving || summary.candidates[i - 1].generation == candidate.generation);
    const double before = goes_on ? best.back() : kNoScore;
    const bool is_better =
        std::isnan(before) || (section.is_minimised() ? own < before : own > before);
    best.push_back(is_better ? own : before);
  }
  return best;
}

/// The values of a candidate as texts, as they stand in YAML.
std::vector<std::string> value_texts(const SearchMembers& members, std::size_t candidate) {
  std::vector<std::string> texts;
  const auto first = members.member_of(static_cast<std::int64_t>(candidate));
  std::vector<MemberSetting> settings = members.settings(first);
  settings.resize(members.section().parameters.size());  // without lengths and seed
  for (const MemberSetting& setting : settings) texts.push_back(value_text(setting.value));
  return texts;
}

/// A name for each parameter that no other column of history.csv has.
std::vector<std::string> parameter_columns(const SearchMembers& members) {
  std::vector<std::string> others = {"candidate", "kind",        "generation",  "mean",
                                     "deviation", "best_so_far", "first_member"};
  if (members.section().halving) others.insert(others.end(), {"begun_as", "steps"});
  const std::vector<std::string> keys = members.keys();
  std::vector<std::string> names = members.short_keys();
  names.resize(members.section().parameters.size());  // without lengths and seed
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (std::find(others.begin(), others.end(), names[k]) != others.end()) names[k] = keys[k];
  }
  return names;
}

/// Test scores of the chosen with seeds that have chosen nothing, and what they say.
void write_judgement(hdf5::Group& group, const SearchMembers& members,
                     const SearchSummary& summary) {
  const SearchSection& section = members.section();
  group.set_attribute("conclusions", conclusions_of(section, summary));
  if (summary.judged.empty()) return;
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> seeds;
  std::vector<double> scores;
  for (const JudgedCandidate& one : summary.judged) {
    numbers.push_back(static_cast<std::int64_t>(one.candidate));
    scores.insert(scores.end(), one.scores.begin(), one.scores.end());
  }
  const std::int64_t each = std::ssize(summary.judged.front().scores);
  for (std::int64_t k = 0; k < each; ++k) {
    seeds.push_back(members.first_seed() + section.seeds + k);
  }
  hdf5::Group judged = group.create_group("held_out");
  const auto scale = [&](const char* name, const std::vector<std::int64_t>& values,
                         const char* meaning) {
    hdf5::Dataset made =
        judged.create_dataset(name, {.type = hdf5::Type::int64, .shape = {std::ssize(values)}});
    made.write<std::int64_t>(values);
    describe(made, meaning);
    made.make_scale(name);
    return made;
  };
  const hdf5::Dataset candidate = scale("chosen", numbers, "number of the candidate");
  const hdf5::Dataset seed = scale("seed", seeds, "seed by which nothing was chosen");
  hdf5::Dataset score = judged.create_dataset(
      "score", {.type = hdf5::Type::float64, .shape = {std::ssize(numbers), each}});
  score.write<double>(scores);
  describe(score, "test " + section.score + " of readout " + section.readout);
  score.attach_scale(0, candidate);
  score.attach_scale(1, seed);
}

/// What candidates have of halving beside their rung.
void write_halving(hdf5::Group& group, const HalvingSection& halving, const SearchSummary& summary,
                   const hdf5::Dataset& candidate) {
  group.set_attribute("halving_factor", halving.options.factor);
  group.set_attribute("halving_rungs", halving.options.rungs);
  group.set_attribute("halving_shortens", halving.shortens);
  const HalvingSteps steps = halving_steps(summary);
  group.set_attribute("halving_steps", steps.done);
  if (steps.without > 0) group.set_attribute("steps_without_halving", steps.without);
  std::vector<std::int64_t> begun_as, of_runs;
  for (const SearchCandidate& one : summary.candidates) {
    begun_as.push_back(static_cast<std::int64_t>(one.begun_as));
    of_runs.push_back(one.steps);
  }
  for (const auto& [name, meaning, values] :
       {std::tuple("begun_as", "number under which its values were first judged", &begun_as),
        std::tuple("steps", "steps of all its runs; of the file's own values not told, 0",
                   &of_runs)}) {
    hdf5::Dataset made =
        group.create_dataset(name, {.type = hdf5::Type::int64, .shape = {std::ssize(*values)}});
    made.write<std::int64_t>(*values);
    describe(made, meaning, "1");
    made.attach_scale(0, candidate);
  }
}

void write_search_group(hdf5::File& file, const SearchMembers& members,
                        const SearchSummary& summary) {
  const SearchSection& section = members.section();
  const std::int64_t count = std::ssize(summary.candidates);
  hdf5::Group group = file.create_group("search");
  group.set_attribute("method", section.method == SearchMethod::random ? "random" : "cma_es");
  group.set_attribute("readout", section.readout);
  group.set_attribute("score", section.score);
  group.set_attribute("is_minimised", static_cast<std::int64_t>(section.is_minimised()));
  group.set_attribute("seeds", section.seeds);
  group.set_attribute("why_stopped", summary.why_stopped);
  for (const auto& [name, place] :
       {std::pair("own_candidate", summary.own), std::pair("best_candidate", summary.best),
        std::pair("best_random_candidate", summary.at_random)}) {
    if (place) group.set_attribute(name, static_cast<std::int64_t>(*place));
  }
  const hdf5::Dataset candidate = make_index(group, "candidate", count, "number of the candidate");
  const hdf5::Dataset seed = make_index(group, "seed_of_candidate", section.seeds,
                                        "number of the seed, from the first on");

  std::vector<std::string> kinds;
  std::vector<std::int64_t> generations;
  std::vector<double> means;
  std::vector<double> deviations;
  std::vector<double> scores;
  for (const SearchCandidate& one : summary.candidates) {
    kinds.push_back(to_string(one.kind));
    generations.push_back(one.generation);
    means.push_back(one.mean());
    deviations.push_back(deviation_of(one));
    scores.insert(scores.end(), one.scores.begin(), one.scores.end());
  }
  hdf5::Dataset kind = group.create_texts("kind", kinds);
  describe(kind, "own: the values of the file, searched: by the method, random: for comparison",
           "1");
  kind.attach_scale(0, candidate);
  hdf5::Dataset generation =
      group.create_dataset("generation", {.type = hdf5::Type::int64, .shape = {count}});
  generation.write<std::int64_t>(generations);
  describe(generation,
           section.halving ? "rung of the candidate, from 0 in each kind"
                           : "generation of the candidate, from 0 in each kind",
           "1");
  generation.attach_scale(0, candidate);

  const std::string what = "validation " + section.score + " of readout " + section.readout;
  const auto add = [&](const std::string& name, const std::string& meaning,
                       const std::vector<double>& values) {
    hdf5::Dataset dataset =
        group.create_dataset(name, {.type = hdf5::Type::float64, .shape = {count}});
    dataset.write<double>(values);
    describe(dataset, meaning, "1");
    dataset.attach_scale(0, candidate);
  };
  add("mean", what + ", mean over the seeds; NaN: a run diverged", means);
  add("deviation", what + ", standard deviation over the seeds", deviations);
  add("best_so_far", what + ", the best mean of its kind up to this candidate",
      best_so_far(section, summary));
  hdf5::Dataset all = group.create_dataset(
      "scores", {.type = hdf5::Type::float64, .shape = {count, section.seeds}});
  all.write<double>(scores);
  describe(all, what, "1");
  all.attach_scale(0, candidate);
  all.attach_scale(1, seed);
  if (section.halving) write_halving(group, *section.halving, summary, candidate);
  write_judgement(group, members, summary);
  if (section.has_front()) write_front(group, candidate, members, summary);
}

/// The path `given`, relative to the folder of the file `from`, as the folder `to` has to name it.
std::string moved(const std::string& given, const std::string& from, const std::string& to) {
  if (given.empty() || fs::path(given).is_absolute()) return given;
  const fs::path source = fs::absolute(fs::path(from).parent_path() / given).lexically_normal();
  const fs::path target = fs::absolute(to).lexically_normal();
  return source.lexically_relative(target).string();
}

/// Every path of a configuration that is relative to its file.
void move_paths(ExperimentConfig& config, const std::string& from, const std::string& to) {
  const auto move = [&](std::string& path) { path = moved(path, from, to); };
  if (auto* file = std::get_if<FileConfig>(&config.data.source)) {
    move(file->path);
    for (std::string& path : file->files) move(path);
  } else if (auto* images = std::get_if<ImagesConfig>(&config.data.source)) {
    move(images->folder);
    move(images->path);
    move(images->labels);
  } else if (auto* events = std::get_if<EventsConfig>(&config.data.source)) {
    move(events->path);
  }
  if (auto* const own = config.kind.get_if<HierarchyConfig>()) move(own->from);
}

/// An experiment with the values of `place`, the best by an objective, whose results go to `name`.
std::string best_yaml(const SearchMembers& members, const SearchSummary& summary, std::size_t place,
                      std::size_t objective, const std::string& name) {
  const SearchSection& section = members.section();
  const SearchCandidate& best = summary.candidates[place];
  ExperimentConfig config =
      members.load(members.member_of(static_cast<std::int64_t>(place))).config;
  config.output.path = members.folder() + "/" + name + ".h5";
  move_paths(config, members.path(), members.folder());
  return fmt::format(
      "{} in {}: candidate {}, {}\n"
      "# {:.6g} on average over {} seed{}.\n{}",
      kBestHead, printable(members.path()), place, section.objectives[objective].meaning(),
      best.means()[objective], section.seeds, section.seeds == 1 ? "" : "s", to_yaml(config));
}

/// A file that was there must begin like one that a search has written.
void refuse_foreign(const std::string& path, const std::string& beginning) {
  if (!fs::exists(path)) return;
  std::ifstream file(path);
  std::string text(beginning.size(), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file && text == beginning) return;
  throw OutputError(path + " exists and was not written by a search; move it away");
}

/// The score of the test part, averaged over the seeds; NaN where a run has none.
double test_score(const SearchMembers& members, std::size_t candidate) {
  const SearchSection& section = members.section();
  const auto first = members.member_of(static_cast<std::int64_t>(candidate));
  double sum = 0.0;
  for (std::int64_t k = 0; k < section.seeds; ++k) {
    const hdf5::File file = hdf5::File::open(members.result_path(first + k));
    sum += file.open_group("readouts")
               .open_group(section.readout)
               .number_attribute(section.score)
               .value_or(kNoScore);
  }
  return sum / static_cast<double>(section.seeds);
}

std::string with_deviation(double mean, double deviation) {
  if (std::isnan(mean)) return "-";
  return fmt::format("{:.4f}", mean) +
         (std::isnan(deviation) ? "" : fmt::format(" ± {:.4f}", deviation));
}

/// The test score: with the seeds that have chosen nothing where there are such, else with those of
/// the candidate.
std::string test_text_of(const SearchMembers& members, const SearchSummary& summary,
                         std::size_t candidate) {
  const JudgedCandidate* const judged = judgement_of(summary, candidate);
  if (judged == nullptr) return with_deviation(test_score(members, candidate), kNoScore);
  const Spread spread = spread_of(judged->scores);
  return with_deviation(spread.mean, spread.deviation);
}

std::string row_text(const SearchMembers& members, const SearchSummary& summary, const char* name,
                     std::size_t candidate) {
  const SearchCandidate& one = summary.candidates[candidate];
  if (std::isnan(one.mean())) {
    return fmt::format("{:<8} {:>9}  no score: {}\n", name, candidate, one.reason);
  }
  const double deviation = deviation_of(one);
  const std::vector<std::string> names = members.short_keys();
  const std::vector<std::string> texts = value_texts(members, candidate);
  std::string values;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    values += (k == 0 ? "" : ", ") + names[k] + " " + texts[k];
  }
  return fmt::format("{:<8} {:>9}  {:<22}  {:<22}  {}\n", name, candidate,
                     with_deviation(one.mean(), deviation),
                     test_text_of(members, summary, candidate), values);
}

/// How many candidates there were at each rung, and what that has saved.
std::string halving_text(const SearchSummary& summary) {
  std::vector<std::int64_t> at_rungs;
  for (const SearchCandidate& one : summary.candidates) {
    if (one.kind != CandidateKind::searched) continue;
    at_rungs.resize(static_cast<std::size_t>(one.generation) + 1);
    ++at_rungs.back();
  }
  std::string rungs;
  for (const std::int64_t count : at_rungs) {
    rungs += (rungs.empty() ? "" : ", ") + std::to_string(count);
  }
  const HalvingSteps steps = halving_steps(summary);
  return fmt::format("halving  {} candidates, {} steps; all of them to the end: {}\n", rungs,
                     grouped(steps.done), grouped(steps.without));
}

/// Reason why nothing in a search has a score.
std::string reason_of(const SearchSummary& summary) {
  for (const SearchCandidate& one : summary.candidates) {
    if (!one.reason.empty()) return fmt::format("; of the first {}\n", one.reason);
  }
  return "\n";
}

}  // namespace

std::string history_csv(const SearchMembers& members, const SearchSummary& summary) {
  std::string text = "candidate,kind,generation";
  for (const std::string& name : parameter_columns(members)) text += "," + csv_field(name);
  const SearchSection& section = members.section();
  const bool halves = section.halving.has_value();
  text += ",mean,deviation,best_so_far,first_member" + front_columns(section);
  text += halves ? ",begun_as,steps\n" : "\n";
  const std::vector<double> best = best_so_far(section, summary);
  const std::vector<double> volumes =
      section.has_front() ? hypervolumes_so_far(members, summary) : std::vector<double>();
  for (std::size_t i = 0; i < summary.candidates.size(); ++i) {
    const SearchCandidate& one = summary.candidates[i];
    text += fmt::format("{},{},{}", i, to_string(one.kind), one.generation);
    for (const std::string& value : value_texts(members, i)) text += "," + csv_field(value);
    text += fmt::format(",{},{},{},{}{}", csv_number(one.mean()), csv_number(deviation_of(one)),
                        csv_number(best[i]), members.member_of(static_cast<std::int64_t>(i)),
                        front_fields(section, summary, volumes, i));
    text += halves ? fmt::format(",{},{}\n", one.begun_as, one.steps) : "\n";
  }
  return text;
}

CollectedSearch collect_search(const SearchMembers& members, const SearchSummary& summary) {
  CollectedSearch collected;
  collected.history = members.folder() + "/history.csv";
  const std::string best = members.folder() + "/best.yaml";
  refuse_foreign(collected.history, "candidate,kind,generation,");
  refuse_foreign(best, kBestHead);
  const SearchSection& section = members.section();
  std::vector<std::pair<std::string, std::size_t>> others;  // files of the further objectives
  for (std::size_t k = 1; k < section.objectives.size() && !summary.front.empty(); ++k) {
    others.emplace_back(members.folder() + "/best-" + section.objectives[k].name() + ".yaml", k);
    refuse_foreign(others.back().first, kBestHead);
  }
  collected.members = collect_members(
      members, [&](hdf5::File& file) { write_search_group(file, members, summary); });
  write_file(collected.history, {history_csv(members, summary)});
  if (summary.best) {
    collected.best = best;
    write_file(collected.best, {best_yaml(members, summary, *summary.best, 0, "best")});
  }
  for (const auto& [path, objective] : others) {
    const std::string name = fs::path(path).stem().string();
    write_file(
        path, {best_yaml(members, summary, best_by(section, summary, objective), objective, name)});
    collected.best_by.push_back(path);
  }
  return collected;
}

std::string search_text(const SearchMembers& members, const SearchSummary& summary) {
  const SearchSection& section = members.section();
  const std::string other =
      summary.judged.empty()
          ? ""
          : fmt::format(", {} other seeds", summary.judged.front().scores.size());
  std::string text = fmt::format("         candidate  {:<22}  {:<22}  values\n",
                                 "validation " + section.score, "test" + other);
  if (summary.own) text += row_text(members, summary, "own", *summary.own);
  if (summary.at_random) text += row_text(members, summary, "random", *summary.at_random);
  if (!summary.best)
    return text + "found    nothing: no candidate has a score" + reason_of(summary);
  text += row_text(members, summary, "found", *summary.best);

  for (const std::string& one : conclusions_of(section, summary)) text += "         " + one + "\n";
  if (section.halving) text += halving_text(summary);
  return text + front_text(members, summary);
}

}  // namespace gaia
