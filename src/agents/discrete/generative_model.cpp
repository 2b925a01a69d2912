// SPDX-License-Identifier: MIT
#include "generative_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "../../core/message.h"
#include "../../core/text.h"

namespace gaia::agents {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 26;
constexpr double kSumTolerance = 1e-6;

/// Beyond it sums over modalities and steps of a plan could come to infinity.
constexpr double kLargestPreference = 1e100;

using Sizes = std::vector<std::int64_t>;

[[noreturn]] void refuse(const std::string& what, const std::string& expected,
                         const std::string& got) {
  fail<ArgumentError>("[agent] {}: expected {}, got {}", what, expected, got);
}

std::string text(const Sizes& sizes) {
  std::string all = "[";
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    all += (k > 0 ? ", " : "") + std::to_string(sizes[k]);
  }
  return all + "]";
}

std::string numbered(const std::string& what, std::size_t index) {
  return message("{} {}", what, index);
}

/// Product of sizes from 1 on, or kLargest + 1 where it is beyond kLargest.
std::int64_t product(const Sizes& sizes) {
  std::int64_t result = 1;
  for (const std::int64_t size : sizes) {
    if (result > kLargest / size) return kLargest + 1;
    result *= size;
  }
  return result;
}

void check_table(const std::string& what, const ProbabilityTable& table) {
  if (table.shape.size() < 1 || std::ranges::any_of(table.shape, [](auto n) { return n < 1; })) {
    refuse(what, "a shape with at least one axis, each of size 1 or more", text(table.shape));
  }
  const std::int64_t size = product(table.shape);
  if (size > kLargest) refuse(what, "at most 2^26 numbers", "the shape " + text(table.shape));
  if (size != static_cast<std::int64_t>(table.values.size())) {
    refuse(what, message("{} numbers for the shape {}", size, text(table.shape)),
           std::to_string(table.values.size()));
  }
  for (std::size_t k = 0; k < table.values.size(); ++k) {
    if (!std::isfinite(table.values[k]) || table.values[k] < 0) {
      refuse(what, "numbers from 0 on", message("{} in place {}", table.values[k], k));
    }
  }
}

std::vector<double> column_sums(const ProbabilityTable& table) {
  const auto rows = static_cast<std::size_t>(table.shape[0]);
  const std::size_t columns = table.values.size() / rows;
  std::vector<double> sums(columns, 0.0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < columns; ++c) sums[c] += table.values[row * columns + c];
  }
  return sums;
}

void divide_columns(ProbabilityTable& table, const std::vector<double>& sums) {
  for (std::size_t k = 0; k < table.values.size(); ++k) table.values[k] /= sums[k % sums.size()];
}

/// Checks that the columns are distributions, and takes off what rounding has left.
void check_distributions(const std::string& what, ProbabilityTable& table) {
  check_table(what, table);
  const std::vector<double> sums = column_sums(table);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (!(std::abs(sums[c] - 1) <= kSumTolerance)) {
      refuse(what, "columns along the first axis that sum to 1 (normalised() makes them of counts)",
             message("{} in column {}", sums[c], c));
    }
  }
  divide_columns(table, sums);
}

void check_distribution(const std::string& what, std::vector<double>& probabilities) {
  ProbabilityTable table{{static_cast<std::int64_t>(probabilities.size())}, probabilities};
  check_distributions(what, table);
  probabilities = std::move(table.values);
}

void replace(const std::string& what, std::vector<ProbabilityTable>& mine,
             std::vector<ProbabilityTable> tables) {
  if (tables.size() != mine.size()) {
    refuse(what, message("{} tables", mine.size()), std::to_string(tables.size()));
  }
  for (std::size_t k = 0; k < tables.size(); ++k) {
    if (tables[k].shape != mine[k].shape) {
      refuse(numbered(what + ", table", k), "the shape " + text(mine[k].shape),
             text(tables[k].shape));
    }
    check_distributions(numbered(what + ", table", k), tables[k]);
  }
  mine = std::move(tables);
}

double entropy_term(double p) { return p > 0 ? p * std::log(p) : 0.0; }

}  // namespace

ProbabilityTable normalised(const ProbabilityTable& table) {
  check_table("normalised", table);
  const std::vector<double> sums = column_sums(table);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (!(sums[c] > 0)) {
      refuse("normalised", "a number above 0 in every column", "none in " + numbered("column", c));
    }
  }
  ProbabilityTable result = table;
  divide_columns(result, sums);
  return result;
}

GenerativeModel::GenerativeModel(ModelTables tables) : tables_(std::move(tables)) {
  check_shapes();
  check_values();
  make_groups();
  list_transitions();
}

void GenerativeModel::check_shapes() {
  if (tables_.likelihoods.empty()) refuse("likelihoods", "a table for each modality", "none");
  if (tables_.transitions.empty()) refuse("transitions", "a table for each factor", "none");
  for (std::size_t f = 0; f < tables_.transitions.size(); ++f) {
    const Sizes& shape = tables_.transitions[f].shape;
    if (shape.size() != 3 || shape[0] != shape[1] || shape[0] < 1 || shape[2] < 1) {
      refuse(numbered("transitions of factor", f), "the shape [states, states, actions]",
             text(shape));
    }
    states_.push_back(shape[0]);
    actions_.push_back(shape[2]);
  }
  const std::size_t modality_count = tables_.likelihoods.size();
  if (tables_.depends_on.empty()) {
    Sizes all(states_.size());
    std::iota(all.begin(), all.end(), 0);
    tables_.depends_on.assign(modality_count, all);
  }
  if (tables_.depends_on.size() != modality_count) {
    refuse("depends_on", message("factors for each of {} modalities", modality_count),
           message("{} lists", tables_.depends_on.size()));
  }
  for (std::size_t m = 0; m < modality_count; ++m) {
    const Sizes& on = tables_.depends_on[m];
    const bool in_range = std::ranges::all_of(on, [&](auto f) { return f >= 0 && f < factors(); });
    const bool ascends = std::ranges::adjacent_find(on, std::greater_equal<>()) == on.end();
    if (on.empty() || !in_range || !ascends) {
      refuse(numbered("depends_on of modality", m),
             message("one or more factors from 0 to {}, in ascending order and each once",
                     factors() - 1),
             text(on));
    }
    const Sizes& shape = tables_.likelihoods[m].shape;
    Sizes expected = {shape.empty() ? 1 : shape[0]};
    for (const std::int64_t f : on) expected.push_back(states_[static_cast<std::size_t>(f)]);
    if (shape != expected || shape[0] < 1) {
      const std::string axes = text(Sizes(expected.begin() + 1, expected.end())).substr(1);
      refuse(numbered("likelihoods of modality", m),
             "the shape [outcomes, " + axes + ", an axis for each factor that it depends on",
             text(shape));
    }
    outcomes_.push_back(shape[0]);
  }
}

void GenerativeModel::check_values() {
  for (std::size_t m = 0; m < tables_.likelihoods.size(); ++m) {
    check_distributions(numbered("likelihoods of modality", m), tables_.likelihoods[m]);
  }
  for (std::size_t f = 0; f < tables_.transitions.size(); ++f) {
    check_distributions(numbered("transitions of factor", f), tables_.transitions[f]);
  }
  if (tables_.preferences.empty()) {
    for (const std::int64_t count : outcomes_) {
      tables_.preferences.emplace_back(static_cast<std::size_t>(count), 0.0);
    }
  }
  if (tables_.preferences.size() != outcomes_.size()) {
    refuse("preferences", message("a list for each of {} modalities", modalities()),
           std::to_string(tables_.preferences.size()));
  }
  for (std::size_t m = 0; m < outcomes_.size(); ++m) {
    const std::vector<double>& c = tables_.preferences[m];
    const std::string what = numbered("preferences of modality", m);
    if (static_cast<std::int64_t>(c.size()) != outcomes_[m]) {
      refuse(what, message("a number for each of {} outcomes", outcomes_[m]),
             std::to_string(c.size()));
    }
    for (const double value : c) {
      if (!(std::abs(value) <= kLargestPreference)) {
        refuse(what, "logarithms from -1e+100 to 1e+100 (-1000, say, for what must not be)",
               number_text(value));
      }
    }
    const double most = std::ranges::max(c);
    double sum = 0;
    for (const double value : c) sum += std::exp(value - most);
    std::vector<double>& log_c = log_preferences_.emplace_back(c);
    for (double& value : log_c) value -= most + std::log(sum);
  }
  if (tables_.initial.empty()) {
    for (const std::int64_t count : states_) {
      tables_.initial.emplace_back(static_cast<std::size_t>(count),
                                   1.0 / static_cast<double>(count));
    }
  }
  if (tables_.initial.size() != states_.size()) {
    refuse("initial", message("probabilities for each of {} factors", factors()),
           message("{} lists", tables_.initial.size()));
  }
  for (std::size_t f = 0; f < states_.size(); ++f) {
    if (static_cast<std::int64_t>(tables_.initial[f].size()) != states_[f]) {
      refuse(numbered("initial of factor", f),
             message("a number for each of {} states", states_[f]),
             std::to_string(tables_.initial[f].size()));
    }
    check_distribution(numbered("initial of factor", f), tables_.initial[f]);
  }
  if (!tables_.habits.empty()) check_distribution("habits", tables_.habits);
}

void GenerativeModel::make_groups() {
  // Factors that a modality shares get one name, the least of theirs, until nothing changes.
  Sizes name(states_.size());
  std::iota(name.begin(), name.end(), 0);
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const Sizes& on : tables_.depends_on) {
      std::int64_t least = factors();
      for (const auto f : on) least = std::min(least, name[static_cast<std::size_t>(f)]);
      for (const auto f : on) {
        std::int64_t& mine = name[static_cast<std::size_t>(f)];
        is_changed |= mine != least;
        mine = least;
      }
    }
  }
  for (std::int64_t first = 0; first < factors(); ++first) {
    ModalityGroup group;
    for (std::int64_t m = 0; m < modalities(); ++m) {
      const auto on = static_cast<std::size_t>(tables_.depends_on[static_cast<std::size_t>(m)][0]);
      if (name[on] == first) group.modalities.push_back(m);
    }
    if (group.modalities.empty()) continue;  // nothing is ever seen of this factor
    for (std::int64_t f = 0; f < factors(); ++f) {
      if (name[static_cast<std::size_t>(f)] != first) continue;
      group.factors.push_back(f);
      group.states.push_back(states_[static_cast<std::size_t>(f)]);
    }
    Sizes outcome_counts;
    for (const auto m : group.modalities) {
      outcome_counts.push_back(outcomes_[static_cast<std::size_t>(m)]);
    }
    group.joint_states = product(group.states);
    group.joint_outcomes = product(outcome_counts);
    const std::string way_out = " (depends_on can tell which factors a modality depends on)";
    if (group.joint_states > kLargest) {
      refuse("factors " + text(group.factors), "at most 2^26 joint states" + way_out, "more");
    }
    if (group.joint_outcomes > kLargest) {
      refuse("modalities " + text(group.modalities), "at most 2^26 joint outcomes" + way_out,
             "more");
    }
    for (const auto m : group.modalities) {
      // The column in the modality's table of a joint state: digits of its own factors alone.
      const Sizes& on = tables_.depends_on[static_cast<std::size_t>(m)];
      Sizes stride(group.factors.size(), 0);
      std::int64_t step = 1;
      for (std::size_t k = on.size(); k-- > 0;) {
        const auto place = std::ranges::find(group.factors, on[k]) - group.factors.begin();
        stride[static_cast<std::size_t>(place)] = step;
        step *= states_[static_cast<std::size_t>(on[k])];
      }
      Sizes columns(static_cast<std::size_t>(group.joint_states));
      for (std::int64_t s = 0; s < group.joint_states; ++s) {
        std::int64_t rest = s, column = 0;
        for (std::size_t k = group.states.size(); k-- > 0;) {
          column += rest % group.states[k] * stride[k];
          rest /= group.states[k];
        }
        columns[static_cast<std::size_t>(s)] = column;
      }
      group.columns.push_back(std::move(columns));
    }
    fill_group(group);
    groups_.push_back(std::move(group));
  }
}

void GenerativeModel::fill_group(ModalityGroup& group) const {
  group.begin.assign(1, 0);
  group.outcome.clear();
  group.probability.clear();
  group.negative_entropy.clear();
  group.ambiguity.clear();
  std::vector<std::vector<double>> entropies;
  for (const auto m : group.modalities) {
    const ProbabilityTable& table = tables_.likelihoods[static_cast<std::size_t>(m)];
    const std::size_t columns = table.values.size() / static_cast<std::size_t>(table.shape[0]);
    std::vector<double>& entropy = entropies.emplace_back(columns, 0.0);
    for (std::size_t k = 0; k < table.values.size(); ++k) {
      entropy[k % columns] -= entropy_term(table.values[k]);
    }
  }
  std::vector<std::pair<std::int64_t, double>> pairs, longer;
  for (std::size_t s = 0; s < static_cast<std::size_t>(group.joint_states); ++s) {
    pairs.assign(1, {0, 1.0});
    double ambiguity = 0;
    for (std::size_t k = 0; k < group.modalities.size(); ++k) {
      const auto m = static_cast<std::size_t>(group.modalities[k]);
      const ProbabilityTable& table = tables_.likelihoods[m];
      const std::size_t columns = entropies[k].size();
      const auto column = static_cast<std::size_t>(group.columns[k][s]);
      longer.clear();
      for (const auto& [outcome, p] : pairs) {
        for (std::int64_t o = 0; o < outcomes_[m]; ++o) {
          const double q = table.values[static_cast<std::size_t>(o) * columns + column];
          if (q > 0) longer.emplace_back(outcome * outcomes_[m] + o, p * q);
        }
      }
      std::swap(pairs, longer);
      ambiguity += entropies[k][column];
    }
    double negative_entropy = 0;
    for (const auto& [outcome, p] : pairs) {
      group.outcome.push_back(outcome);
      group.probability.push_back(p);
      negative_entropy += entropy_term(p);
    }
    if (static_cast<std::int64_t>(group.outcome.size()) > kLargest) {
      refuse("modalities " + text(group.modalities),
             "at most 2^26 pairs of joint states and outcomes that are possible there (depends_on "
             "can tell which factors a modality depends on)",
             "more");
    }
    group.begin.push_back(static_cast<std::int64_t>(group.outcome.size()));
    group.negative_entropy.push_back(negative_entropy);
    group.ambiguity.push_back(ambiguity);
  }
  group.log_preference.assign(1, 0.0);
  for (const auto m : group.modalities) {
    std::vector<double> further;
    for (const double before : group.log_preference) {
      for (const double c : log_preferences_[static_cast<std::size_t>(m)]) {
        further.push_back(before + c);
      }
    }
    group.log_preference = std::move(further);
  }
}

void GenerativeModel::list_transitions() {
  transitions_.clear();
  for (const ProbabilityTable& table : tables_.transitions) {
    const auto states = static_cast<std::size_t>(table.shape[0]);
    const auto actions = static_cast<std::size_t>(table.shape[2]);
    PossibleTransitions& possible = transitions_.emplace_back();
    for (std::size_t action = 0; action < actions; ++action) {
      for (std::size_t s = 0; s < states; ++s) {
        possible.begin.push_back(possible.next.size());
        for (std::size_t next = 0; next < states; ++next) {
          const double p = table.values[(next * states + s) * actions + action];
          if (p == 0) continue;
          possible.next.push_back(next);
          possible.probability.push_back(p);
        }
      }
    }
    possible.begin.push_back(possible.next.size());
  }
}

void GenerativeModel::set_likelihoods(std::vector<ProbabilityTable> tables) {
  replace("set_likelihoods", tables_.likelihoods, std::move(tables));
  for (ModalityGroup& group : groups_) fill_group(group);
}

void GenerativeModel::set_transitions(std::vector<ProbabilityTable> tables) {
  replace("set_transitions", tables_.transitions, std::move(tables));
  list_transitions();
}

void GenerativeModel::set_initial(std::vector<std::vector<double>> probabilities) {
  if (probabilities.size() != tables_.initial.size()) {
    refuse("set_initial", message("{} lists", tables_.initial.size()),
           std::to_string(probabilities.size()));
  }
  for (std::size_t f = 0; f < probabilities.size(); ++f) {
    if (probabilities[f].size() != tables_.initial[f].size()) {
      refuse(numbered("set_initial, factor", f),
             message("{} probabilities", tables_.initial[f].size()),
             std::to_string(probabilities[f].size()));
    }
    check_distribution(numbered("set_initial, factor", f), probabilities[f]);
  }
  tables_.initial = std::move(probabilities);
}

void GenerativeModel::check_observation(const Observation& observation) const {
  bool fits = observation.size() == outcomes_.size();
  for (std::size_t m = 0; fits && m < outcomes_.size(); ++m) {
    fits = observation[m] >= unobserved && observation[m] < outcomes_[m];
  }
  if (!fits) {
    refuse("observation",
           "an outcome for each modality, from 0 below " + text(outcomes_) +
               ", or -1 where nothing was observed",
           text(observation));
  }
}

void GenerativeModel::check_action(const Action& action) const {
  bool fits = action.size() == actions_.size();
  for (std::size_t f = 0; fits && f < actions_.size(); ++f) {
    fits = action[f] >= 0 && action[f] < actions_[f];
  }
  if (!fits) {
    refuse("action", "an action for each factor, from 0 below " + text(actions_), text(action));
  }
}

}  // namespace gaia::agents
