// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "../../core/error.h"
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

Sweep::Sweep(const std::string& path, Overrides overrides)
    : file_(read_experiment_file(path, {.set = overrides.set,
                                        .device = overrides.device,
                                        .seed = overrides.seed,
                                        .text = overrides.text,
                                        .rows = overrides.rows})) {
  if (!describes_sweep(file_.root)) {
    file_.problems.add(file_.root.origin, {},
                       "has no sweep; `gaia run " + path + "` runs this one experiment");
    file_.problems.throw_if_any();
  }
  axes_ = read_sweep_axes(file_.root, file_.problems);
  file_.problems.throw_if_any();
  for (const SweepAxis& axis : axes_) size_ *= axis.size();

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
  std::erase_if(file_.root.entries, [](const YamlNode::Entry& e) { return e.key == "sweep"; });
}

std::vector<SweepSetting> Sweep::settings(std::int64_t member) const {
  if (member < 0 || member >= size_) {
    throw ArgumentError(
        fmt::format("there is no member {}; this sweep has 0 to {}", member, size_ - 1));
  }
  std::vector<SweepSetting> settings;
  std::int64_t rest = size_;
  for (const SweepAxis& axis : axes_) {
    rest /= axis.size();
    const auto position = static_cast<std::size_t>(member / rest % axis.size());
    for (std::size_t k = 0; k < axis.keys.size(); ++k) {
      settings.push_back({axis.keys[k].name, axis.values[position][k]});
    }
  }
  return settings;
}

std::vector<std::string> Sweep::keys() const {
  std::vector<std::string> keys;
  for (const SweepAxis& axis : axes_) {
    for (const SweepAxis::Key& key : axis.keys) keys.push_back(key.name);
  }
  return keys;
}

std::vector<std::string> Sweep::short_keys() const {
  // Names that tables of members have already.
  std::vector<std::string> taken = {"member", "status", "file", "wall_seconds"};
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

std::string Sweep::label(std::int64_t member) const {
  const std::vector<SweepSetting> values = settings(member);
  const std::vector<std::string> names = short_keys();
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : ", ") + names[i] + " " + value_text(values[i].value);
  }
  return text;
}

std::string Sweep::result_path(std::int64_t member) const {
  return fmt::format("{}/member-{:05}.h5", folder_, member);
}

YamlNode Sweep::tree_of(std::int64_t member, Problems& problems) const {
  YamlNode root = file_.root;
  std::size_t i = 0;
  std::vector<SweepSetting> values = settings(member);
  for (const SweepAxis& axis : axes_) {
    for (const SweepAxis::Key& key : axis.keys) {
      set_in_yaml(root, key.name, std::move(values[i++].value), key.origin, problems);
    }
  }
  set_in_yaml(root, "output.path", text_node(result_path(member)), Origin{}, problems);
  return root;
}

Experiment Sweep::check_member(std::int64_t member, Problems& problems, Experiment* before) const {
  Experiment experiment = make_experiment(file_.path, tree_of(member, problems), problems, before, file_.rows);
  experiment.stands_in_file = file_.stands_in_file;
  experiment.member = {.number = member, .settings = {}};
  experiment.settings = file_.settings;
  experiment.settings.emplace_back("sweep=null");
  for (const SweepSetting& setting : settings(member)) {
    experiment.settings.push_back(setting.key + "=" + flow_text(setting.value));
    experiment.member->settings.emplace_back(setting.key, attribute_of(setting.value));
  }
  return experiment;
}

Experiment Sweep::load(std::int64_t member) const {
  Problems problems = file_.problems;
  Experiment experiment = check_member(member, problems, nullptr);
  problems.throw_if_any();
  return experiment;
}

void Sweep::check(const std::function<void(std::int64_t, Experiment&)>& see) const {
  std::vector<SharedProblem> shared;
  Experiment before;
  for (std::int64_t member = 0; member < size_; ++member) {
    Problems problems = file_.problems;
    Experiment experiment = check_member(member, problems, &before);
    note(problems, member, shared);
    if (problems.empty()) see(member, experiment);
    before = std::move(experiment);
  }
  Problems all = file_.problems;
  for (const SharedProblem& one : shared) {
    std::string message = one.problem.message;
    if (one.members < size_) {
      message += fmt::format(" (in {} of {} members; the first, {}, has {})", one.members, size_,
                             one.first, label(one.first));
    }
    all.add(one.problem.origin, one.problem.key, message);
  }
  all.throw_if_any();
}

bool is_sweep(const std::string& path, const Overrides& overrides) {
  return describes_sweep(read_experiment_file(path, overrides).root);
}

AttributeValue attribute_of(const YamlNode& value) {
  const bool plain = value.kind == YamlNode::Kind::scalar && !value.quoted;
  if (const auto integer = plain ? parse_integer(value.text) : std::nullopt) return *integer;
  if (const auto number = plain ? parse_number(value.text) : std::nullopt) return *number;
  return value_text(value);
}

}  // namespace gaia
