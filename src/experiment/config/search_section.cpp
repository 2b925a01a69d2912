// SPDX-License-Identifier: MIT
#include "search_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "../../core/names.h"
#include "../../core/text.h"
#include "../../learning/statistic_readout.h"
#include "sweep_axes.h"
#include "varied_keys.h"

namespace gaia {
namespace {

/// How many candidates there are at each rung; without halving there is one.
std::vector<std::int64_t> candidates_of_rungs(const SearchSection& section) {
  if (!section.halving) return {section.evaluations * (section.has_random_control ? 2 : 1)};
  const HalvingOptions& options = section.halving->options;
  std::vector<std::int64_t> candidates = {std::max(kLeastSearchPopulation, section.evaluations)};
  for (std::int64_t rung = 1; rung < options.rungs; ++rung) {
    candidates.push_back(std::max<std::int64_t>(1, candidates.back() / options.factor));
  }
  return candidates;
}

class SectionReader {
 public:
  SectionReader(const YamlNode& root, Problems& problems)
      : section_(*root.find("search")), problems_(problems) {
    if (!is_map(section_, "search")) return;
    allow(section_, "search",
          {"parameters", "objective", "objectives", "reference", "method", "population",
           "generations", "evaluations", "separable", "seeds", "random_control", "held_out_seeds",
           "halving"});
    read_parameters();
    read_objectives();
    read_reference();
    if (const auto method = word(section_, "search", "method", search_methods())) {
      made_.method = *method == "random" ? SearchMethod::random : SearchMethod::cma_es;
    }
    read_budget();
    made_.seeds = integer("seeds", 1, kMostSearchSeeds).value_or(made_.seeds);
    made_.held_out_seeds =
        integer("held_out_seeds", 0, kMostSearchSeeds).value_or(made_.held_out_seeds);
    made_.is_separable = flag("separable").value_or(false);
    const auto control = flag("random_control");
    made_.has_random_control = control.value_or(true) && made_.method != SearchMethod::random;
    if (made_.method == SearchMethod::random) {
      for (const char* key : {"separable", "random_control"}) {
        if (const YamlNode* node = section_.find(key)) {
          fail(node->origin, key, "has no effect on a random search; remove it");
        }
      }
    } else if (const YamlNode* node = section_.find("separable"); node && made_.has_front()) {
      fail(node->origin, "separable",
           "has no effect on a search for several objectives; remove it");
    }
    read_halving();
    check_count();
  }

  SearchSection take() { return std::move(made_); }

 private:
  void fail(const Origin& origin, const std::string& key, const std::string& message) {
    problems_.add(origin, "search." + key, message);
  }

  bool is_map(const YamlNode& node, const std::string& key) {
    if (node.kind == YamlNode::Kind::map && !node.entries.empty()) return true;
    problems_.add(node.origin, key, "expected a map of keys, got " + node.describe());
    return false;
  }

  void allow(const YamlNode& map, const std::string& key, const std::vector<std::string>& known) {
    for (const YamlNode::Entry& entry : map.entries) {
      if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
      problems_.add(entry.origin, key + "." + entry.key,
                    "unknown key" + did_you_mean(entry.key, known) + "; known: " + join(known));
    }
  }

  std::optional<std::string> word(const YamlNode& map, const std::string& place, const char* key,
                                  const std::vector<std::string>& known) {
    const YamlNode* node = map.find(key);
    if (node == nullptr) return std::nullopt;
    const std::string text = node->kind == YamlNode::Kind::scalar ? node->text : "";
    if (std::find(known.begin(), known.end(), text) != known.end()) return text;
    problems_.add(
        node->origin, place + "." + key,
        "expected one of " + join(known) + ", got " + node->describe() + did_you_mean(text, known));
    return std::nullopt;
  }

  std::optional<std::int64_t> integer(const char* key, std::int64_t least, std::int64_t most) {
    return integer_in(section_, "", key, least, most);
  }

  std::optional<std::int64_t> integer_in(const YamlNode& map, const std::string& above,
                                         const char* key, std::int64_t least, std::int64_t most) {
    const YamlNode* node = map.find(key);
    if (node == nullptr) return std::nullopt;
    const bool is_plain = node->kind == YamlNode::Kind::scalar && !node->quoted;
    const auto value = is_plain ? parse_integer(node->text) : std::nullopt;
    if (value && *value >= least && *value <= most) return value;
    fail(node->origin, above + key,
         fmt::format("expected an integer from {} to {}, got {}", least, most, node->describe()));
    return std::nullopt;
  }

  std::optional<bool> flag(const char* key) {
    const YamlNode* node = section_.find(key);
    if (node == nullptr) return std::nullopt;
    const bool is_plain = node->kind == YamlNode::Kind::scalar && !node->quoted;
    if (is_plain && (node->text == "true" || node->text == "false")) return node->text == "true";
    fail(node->origin, key, "expected true or false, got " + node->describe());
    return std::nullopt;
  }

  void read_parameters() {
    const YamlNode* map = section_.find("parameters");
    if (map == nullptr) {
      return fail(section_.origin, "parameters", "is missing: which keys are searched, and where");
    }
    if (!is_map(*map, "search.parameters")) return;
    VariedKeys varied("search", problems_);
    for (const YamlNode::Entry& entry : map->entries) {
      const std::string place = "parameters." + entry.key;
      if (entry.key == "seed") {
        fail(entry.origin, place,
             "cannot be searched; `seeds` says how many runs judge a candidate");
        continue;
      }
      if (!varied.accept(entry)) continue;
      if (auto scale = scale_of_search(entry.value, entry.key, "search." + place, problems_)) {
        scale->origin = entry.origin;
        made_.parameters.push_back(*std::move(scale));
      }
    }
  }

  void read_objectives() {
    const YamlNode* const one = section_.find("objective");
    const YamlNode* const several = section_.find("objectives");
    if (one != nullptr && several != nullptr) {
      return fail(several->origin, "objectives",
                  "objective says what candidates are chosen by; remove one of them");
    }
    if (several != nullptr) return read_several(*several);
    if (one == nullptr) {
      return fail(section_.origin, "objective",
                  "is missing: {readout: NAME, score: r2}, by whose validation score candidates "
                  "are chosen");
    }
    if (!is_map(*one, "search.objective")) return;
    allow(*one, "search.objective", {"readout", "score"});
    add_score(*one, "objective");
  }

  void read_several(const YamlNode& list) {
    if (list.kind != YamlNode::Kind::list || list.items.size() < 2 ||
        std::ssize(list.items) > kMostObjectives) {
      return fail(list.origin, "objectives",
                  fmt::format("expected a list of 2 to {} objectives, each {{readout: NAME, score: "
                              "r2}} or one of {}, got {}",
                              kMostObjectives, join(search_measures()), list.describe()));
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const std::size_t before = made_.objectives.size();
      read_one(list.items[i], fmt::format("objectives[{}]", i));
      if (made_.objectives.size() == before) continue;
      const SearchObjective& added = made_.objectives.back();
      if (i == 0 && added.measure != SearchObjective::Measure::score) {
        fail(list.items[i].origin, "objectives[0]",
             "the first objective must be a readout's score: best.yaml is the best by it, and it "
             "is judged at the end");
      }
      for (std::size_t k = 0; k < before; ++k) {
        if (made_.objectives[k].name() == added.name()) {
          fail(list.items[i].origin, fmt::format("objectives[{}]", i),
               added.name() + " comes twice");
        }
      }
    }
  }

  void read_one(const YamlNode& node, const std::string& place) {
    if (node.kind == YamlNode::Kind::scalar) {
      add_measure(node, place, node, place);
      return;
    }
    if (!is_map(node, "search." + place)) return;
    if (const YamlNode* measure = node.find("measure")) {
      allow(node, "search." + place, {"measure", "goal"});
      add_measure(*measure, place + ".measure", node, place);
    } else {
      allow(node, "search." + place, {"readout", "score", "measure", "goal"});
      add_score(node, place);
    }
  }

  /// `word_node` says what is measured, and `node` around it perhaps to what end.
  void add_measure(const YamlNode& word_node, const std::string& word_place, const YamlNode& node,
                   const std::string& place) {
    const std::string text = word_node.kind == YamlNode::Kind::scalar ? word_node.text : "";
    const std::vector<std::string>& known = search_measures();
    if (std::find(known.begin(), known.end(), text) == known.end()) {
      return fail(word_node.origin, word_place,
                  "expected {readout: NAME, score: r2} or one of " + join(known) + ", got " +
                      word_node.describe() + did_you_mean(text, known));
    }
    SearchObjective made{.measure = text == "time" ? SearchObjective::Measure::time
                                                   : SearchObjective::Measure::weights,
                         .is_minimised = true};
    take_goal(node, place, made);
    made_.objectives.push_back(std::move(made));
  }

  void add_score(const YamlNode& map, const std::string& place) {
    SearchObjective made;
    const YamlNode* readout = map.find("readout");
    if (readout == nullptr || readout->kind != YamlNode::Kind::scalar || readout->text.empty()) {
      fail(readout == nullptr ? map.origin : readout->origin, place + ".readout",
           "expected the name of a readout, got " +
               (readout == nullptr ? std::string("nothing") : readout->describe()));
    } else {
      made.readout = readout->text;
    }
    if (map.find("score") == nullptr) {
      fail(map.origin, place + ".score", "is missing: one of " + join(search_scores()));
    }
    made.score = word(map, "search." + place, "score", search_scores()).value_or("");
    made.is_minimised = is_error_measure(made.score);
    take_goal(map, place, made);
    if (made_.objectives.empty()) {
      made_.readout = made.readout;
      made_.score = made.score;
    }
    made_.objectives.push_back(std::move(made));
  }

  void take_goal(const YamlNode& node, const std::string& place, SearchObjective& made) {
    if (node.kind != YamlNode::Kind::map) return;
    if (const auto goal = word(node, "search." + place, "goal", search_goals())) {
      made.is_minimised = *goal == "minimise";
    }
  }

  void read_reference() {
    const YamlNode* node = section_.find("reference");
    if (node == nullptr) return;
    if (section_.find("objectives") == nullptr) {
      return fail(node->origin, "reference",
                  "is for several objectives, whose front it measures; remove it");
    }
    const std::size_t count = made_.objectives.size();
    if (node->kind == YamlNode::Kind::list && node->items.size() == count) {
      for (const YamlNode& item : node->items) {
        const bool is_plain = item.kind == YamlNode::Kind::scalar && !item.quoted;
        const auto value = is_plain ? parse_number(item.text) : std::nullopt;
        if (!value || !std::isfinite(*value)) break;
        made_.reference.push_back(*value);
      }
    }
    if (made_.reference.size() == count) return;
    made_.reference.clear();
    fail(node->origin, "reference",
         fmt::format("expected a finite number for each of {} objectives, got {}", count,
                     node->describe()));
  }

  void read_budget() {
    made_.population = integer("population", kLeastSearchPopulation, kMostMembers).value_or(0);
    const auto evaluations = integer("evaluations", 1, kMostMembers);
    const auto generations = integer("generations", 1, kMostMembers);
    if (section_.find("generations") == nullptr) {
      made_.evaluations = evaluations.value_or(made_.evaluations);
      return;
    }
    const Origin& at = section_.find("generations")->origin;
    if (section_.find("evaluations") != nullptr) {
      fail(at, "generations", "evaluations says how long it searches; remove one of them");
    }
    if (section_.find("population") == nullptr) {
      fail(at, "generations", "needs population, how many candidates there are in each");
    }
    made_.evaluations = generations.value_or(1) * std::max<std::int64_t>(1, made_.population);
  }

  void read_halving() {
    const YamlNode* map = section_.find("halving");
    if (map == nullptr || !is_map(*map, "search.halving")) return;
    if (made_.method != SearchMethod::random) {
      fail(map->origin, "halving", "is for candidates at random; add method: random");
    }
    if (made_.has_front()) {
      fail(map->origin, "halving", "is for one objective, by which candidates stay; remove it");
    }
    for (const char* key : {"population", "generations"}) {
      if (const YamlNode* node = section_.find(key)) {
        fail(node->origin, key,
             "has no effect with halving, whose first rung has all evaluations; remove it");
      }
    }
    allow(*map, "search.halving", {"factor", "rungs", "shortens"});
    HalvingSection halving{.options = {}, .origin = map->origin};
    halving.options.factor =
        integer_in(*map, "halving.", "factor", 2, 1000).value_or(halving.options.factor);
    halving.options.rungs =
        integer_in(*map, "halving.", "rungs", 2, 20).value_or(halving.options.rungs);
    if (const YamlNode* keys = map->find("shortens")) read_shortened(*keys, halving);
    for (const std::string& key : halving.shortens) {
      for (const SearchScale& one : made_.parameters) {
        if (one.scale.name != key) continue;
        fail(map->origin, "halving.shortens",
             key + " is searched too; a rung would change what was drawn");
      }
    }
    made_.halving = std::move(halving);
  }

  void read_shortened(const YamlNode& keys, HalvingSection& halving) {
    halving.shortens.clear();
    VariedKeys varied("search", problems_);
    const bool is_list = keys.kind == YamlNode::Kind::list && !keys.items.empty();
    for (const YamlNode& key : is_list ? keys.items : std::vector<YamlNode>()) {
      if (key.kind != YamlNode::Kind::scalar || key.text.empty() || key.text == "seed") {
        fail(key.origin, "halving.shortens",
             "expected dotted keys such as data.steps, got " + key.describe());
      } else if (varied.accept({key.text, key.origin, key})) {
        halving.shortens.push_back(key.text);
      }
    }
    if (is_list) return;
    fail(keys.origin, "halving.shortens",
         "expected a list of dotted keys such as data.steps, got " + keys.describe());
  }

  void check_count() {
    // The file's own values, what is searched, and as much at random.
    const std::int64_t candidates = 1 + made_.searched_runs() / made_.seeds;
    if (candidates > kMostMembers / made_.seeds) {
      problems_.add(section_.origin, "search",
                    fmt::format("{} candidates of {} seeds are more than {} runs", candidates,
                                made_.seeds, kMostMembers));
    }
  }

  const YamlNode& section_;
  Problems& problems_;
  SearchSection made_;
};

}  // namespace

const std::vector<std::string>& search_scores() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names = {
        "nrmse", "r2",      "accuracy", "balanced_accuracy", "macro_f1", "log_loss",
        "auc",   "auc_roc", "auc_pr",   "mean_correlation"};
    for (const StatisticMeasure& one : statistic_measures()) names.emplace_back(one.attribute);
    return names;
  }();
  return all;
}

const std::vector<std::string>& search_measures() {
  static const std::vector<std::string> all = {"weights", "time"};
  return all;
}

const std::vector<std::string>& search_goals() {
  static const std::vector<std::string> all = {"minimise", "maximise"};
  return all;
}

std::string SearchObjective::name() const {
  if (measure == Measure::score) return readout + "_" + score;
  return measure == Measure::weights ? "weights" : "time";
}

std::string SearchObjective::meaning() const {
  if (measure == Measure::score) return "validation " + score + " of readout " + readout;
  return measure == Measure::weights ? "weights" : "time in s";
}

bool SearchSection::is_timed() const {
  return std::any_of(objectives.begin(), objectives.end(), [](const SearchObjective& one) {
    return one.measure == SearchObjective::Measure::time;
  });
}

const std::vector<std::string>& search_methods() {
  static const std::vector<std::string> all = {"cma_es", "random"};
  return all;
}

std::int64_t SearchSection::searched_runs() const {
  std::int64_t candidates = 0;
  for (const std::int64_t at_rung : candidates_of_rungs(*this)) candidates += at_rung;
  return candidates * seeds;
}

double SearchSection::whole_runs() const {
  double candidates = 0.0;
  for (const std::int64_t at_rung : candidates_of_rungs(*this)) {
    if (halving) candidates /= static_cast<double>(halving->options.factor);
    candidates += static_cast<double>(at_rung);
  }
  return candidates * static_cast<double>(seeds);
}

SearchSpace SearchSection::space() const {
  std::vector<SearchParameter> scales;
  for (const SearchScale& one : parameters) scales.push_back(one.scale);
  return SearchSpace(std::move(scales));
}

SearchSection read_search_section(const YamlNode& root, Problems& problems) {
  return SectionReader(root, problems).take();
}

}  // namespace gaia
