// SPDX-License-Identifier: MIT
#include "members.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "../../core/text.h"
#include "../config/yaml_path.h"

namespace gaia {
namespace {

/// The words of a dotted key.
std::vector<std::string> words_of(const std::string& key) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    words.push_back(key.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// The last `count` words of a key.
std::string ending(const std::string& key, std::size_t count) {
  const std::vector<std::string> words = words_of(key);
  std::string text;
  for (std::size_t i = words.size() - std::min(count, words.size()); i < words.size(); ++i) {
    text += (text.empty() ? "" : ".") + words[i];
  }
  return text;
}

/// What is wrong with some members.
struct SharedProblem {
  Problem problem;
  std::int64_t first = 0;
  std::int64_t members = 0;
};

void note(const Problems& problems, std::int64_t member, std::vector<SharedProblem>& shared) {
  for (const Problem& problem : problems.all()) {
    const auto known = std::find_if(shared.begin(), shared.end(), [&](const SharedProblem& one) {
      return one.problem == problem;
    });
    if (known == shared.end()) {
      shared.push_back({problem, member, 1});
    } else {
      ++known->members;
    }
  }
}

}  // namespace

Members::Members(const std::string& path, const Overrides& overrides, std::string section)
    : file_(read_experiment_file(path, {.set = overrides.set,
                                        .device = overrides.device,
                                        .seed = overrides.seed,
                                        .text = overrides.text,
                                        .rows = overrides.rows})),
      section_(std::move(section)) {
  const auto has = [&](const char* name) {
    const YamlNode* node = file_.root.find(name);
    return node != nullptr && node->kind != YamlNode::Kind::null;
  };
  if (has("sweep") && has("search")) {
    file_.problems.add(file_.root.find("search")->origin, "search",
                       "a file has either sweep or search; `--set sweep=null` or `--set "
                       "search=null` leaves one of them out");
  } else if (!has(section_.c_str())) {
    const std::string other = section_of_many(file_.root);
    file_.problems.add(
        file_.root.origin, {},
        fmt::format("has no {}; `gaia {} {}` runs {}", section_, other.empty() ? "run" : other,
                    path, other.empty() ? "this one experiment" : "what it describes"));
  }
  file_.problems.throw_if_any();
  const YamlNode* name = file_.root.find("experiment");
  if (name != nullptr) name_ = name->text;
  const YamlNode& output = nearest_in_yaml(file_.root, "output.path");
  if (overrides.output) {
    folder_ = *overrides.output;
  } else if (output.kind == YamlNode::Kind::scalar) {
    folder_ = output.text;
  } else {
    folder_ = "results/" + name_;
  }
  for (const char* ending : {".h5", ".hdf5"}) {
    const std::filesystem::path folder(folder_);
    if (folder.extension() == ending) folder_ = folder.parent_path() / folder.stem();
  }
}

void Members::take_section(
    const std::function<void(const YamlNode& root, Problems& problems)>& read) {
  read(file_.root, file_.problems);
  file_.problems.throw_if_any();
  std::erase_if(file_.root.entries, [&](const YamlNode::Entry& e) { return e.key == section_; });
}

Experiment Members::load_own() const {
  Problems problems = file_.problems;
  Experiment experiment = make_experiment(file_.path, file_.root, problems, nullptr, file_.rows);
  problems.throw_if_any();
  return experiment;
}

std::vector<std::string> Members::short_keys() const {
  // Names that tables of members have already, and those of groups of results, which stand beside
  // the columns in the index.
  const std::vector<std::string> taken = {
      "member",  "status", "file",  "wall_seconds", "reason", "levels", "readouts",  "data",
      "network", "agent",  "tasks", "history",      "sweep",  "search", "checkpoint"};
  const std::vector<std::string> full = keys();
  std::vector<std::string> names;
  for (const std::string& key : full) {
    std::size_t count = 1;
    const auto is_ambiguous = [&] {
      const std::string name = ending(key, count);
      if (std::find(taken.begin(), taken.end(), name) != taken.end()) return true;
      return std::count_if(full.begin(), full.end(), [&](const std::string& other) {
               return ending(other, count) == name;
             }) > 1;
    };
    while (count < words_of(key).size() && is_ambiguous()) ++count;
    names.push_back(ending(key, count));
  }
  return names;
}

std::string Members::label(std::int64_t member) const {
  const std::vector<MemberSetting> values = settings(member);
  const std::vector<std::string> names = short_keys();
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : ", ") + names[i] + " " + value_text(values[i].value);
  }
  return text;
}

std::string Members::result_path(std::int64_t member) const {
  return fmt::format("{}/member-{:05}.h5", folder_, member);
}

YamlNode Members::tree_of(std::int64_t member, Problems& problems) const {
  YamlNode root = file_.root;
  for (MemberSetting& setting : settings(member)) {
    set_in_yaml(root, setting.key, std::move(setting.value), setting.origin, problems);
  }
  set_in_yaml(root, "output.path", text_node(result_path(member)), Origin{}, problems);
  return root;
}

Experiment Members::check_member(std::int64_t member, Problems& problems,
                                 Experiment* before) const {
  Experiment experiment =
      make_experiment(file_.path, tree_of(member, problems), problems, before, file_.rows);
  experiment.stands_in_file = file_.stands_in_file;
  experiment.member = {.number = member, .settings = {}};
  experiment.settings = file_.settings;
  experiment.settings.push_back(section_ + "=null");
  for (const MemberSetting& setting : settings(member)) {
    experiment.settings.push_back(setting.key + "=" + flow_text(setting.value));
    experiment.member->settings.emplace_back(setting.key, attribute_of(setting.value));
  }
  return experiment;
}

Experiment Members::load(std::int64_t member) const {
  Problems problems = file_.problems;
  Experiment experiment = check_member(member, problems, nullptr);
  problems.throw_if_any();
  return experiment;
}

void Members::check(const std::function<void(std::int64_t, Experiment&)>& see,
                    std::int64_t first) const {
  std::vector<SharedProblem> shared;
  Experiment before;
  for (std::int64_t member = first; member < size(); ++member) {
    Problems problems = file_.problems;
    Experiment experiment = check_member(member, problems, &before);
    note(problems, member, shared);
    if (problems.empty()) see(member, experiment);
    before = std::move(experiment);
  }
  Problems all = file_.problems;
  for (const SharedProblem& one : shared) {
    std::string message = one.problem.message;
    if (one.members < size() - first) {
      message += fmt::format(" (in {} of {} members; the first, {}, has {})", one.members,
                             size() - first, one.first, label(one.first));
    }
    all.add(one.problem.origin, one.problem.key, message);
  }
  all.throw_if_any();
}

std::string section_of_many(const std::string& path, const Overrides& overrides) {
  return section_of_many(read_experiment_file(path, overrides).root);
}

AttributeValue attribute_of(const YamlNode& value) {
  const bool plain = value.kind == YamlNode::Kind::scalar && !value.quoted;
  if (const auto integer = plain ? parse_integer(value.text) : std::nullopt) return *integer;
  if (const auto number = plain ? parse_number(value.text) : std::nullopt) return *number;
  return value_text(value);
}

}  // namespace gaia
