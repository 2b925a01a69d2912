// SPDX-License-Identifier: MIT
#include "member_index.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "../../core/error.h"
#include "../../core/version.h"
#include "../../io/hdf5.h"
#include "../../io/output_files.h"
#include "../results/results_parts.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kIndexVersion = 1;

/// A dataset that all complete members have, in the same shape, type and over the same coordinates.
struct SharedDataset {
  std::string group;  ///< "levels/0", without a slash at the ends
  std::string name;
  hdf5::Type type;
  std::vector<std::int64_t> shape;
  std::vector<std::string> scales;
  std::string long_name;
  std::string units;
};

std::string path_of(const std::string& group, const std::string& name) {
  return group.empty() ? name : group + "/" + name;
}

bool is_number(hdf5::Type type) { return type != hdf5::Type::other; }

/// The datasets in the groups of one file that can be seen as one; the root has none.
void list_datasets(const hdf5::Group& group, const std::string& path,
                   std::vector<SharedDataset>& found) {
  for (const std::string& name : path.empty() ? std::vector<std::string>{} : group.datasets()) {
    const hdf5::Dataset dataset = group.open_dataset(name);
    const std::vector<std::int64_t> shape = dataset.shape();
    const bool is_empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
    if (shape.empty() || is_empty || dataset.is_scale() || !is_number(dataset.type())) continue;
    found.push_back({path, name, dataset.type(), shape, dataset.scales(),
                     dataset.text_attribute("long_name").value_or(""),
                     dataset.text_attribute("units").value_or("1")});
  }
  for (const std::string& name : group.groups()) {
    const bool of_the_run = path.empty() && (name == "checkpoint" || name == "status");
    if (!of_the_run) list_datasets(group.open_group(name), path_of(path, name), found);
  }
}

/// The group that holds the coordinate of this name: that of the dataset, or the nearest above it.
std::string group_of_scale(const hdf5::Group& root, std::string group, const std::string& scale) {
  while (!group.empty() && !root.has_dataset(path_of(group, scale))) {
    const std::size_t slash = group.rfind('/');
    group.resize(slash == std::string::npos ? 0 : slash);
  }
  return group;
}

/// The coordinates of a dataset in one file.
std::vector<std::vector<double>> coordinates_of(const hdf5::Group& root,
                                                const SharedDataset& shared) {
  std::vector<std::vector<double>> coordinates;
  for (const std::string& scale : shared.scales) {
    const std::string path = path_of(group_of_scale(root, shared.group, scale), scale);
    coordinates.push_back(scale.empty() || !root.has_dataset(path)
                              ? std::vector<double>{}
                              : root.open_dataset(path).read<double>());
  }
  return coordinates;
}

class IndexWriter {
 public:
  IndexWriter(const Members& members, const MemberTable& table, const std::string& path)
      : members_(members), table_(table), file_(hdf5::File::create(path)) {}

  void write(const std::function<void(hdf5::File&)>& add) {
    root();
    settings();
    scores();
    find_shared();
    for (const SharedDataset& shared : shared_) add_virtual(shared);
    if (add) add(file_);
    file_.close();
  }

 private:
  void root() {
    file_.set_attribute("gaia_version", version());
    file_.set_attribute("git_commit", git_commit());
    file_.set_attribute("index_version", kIndexVersion);
    file_.set_attribute("experiment", members_.name());
    file_.set_attribute("config_file", members_.path());
    file_.set_attribute("members", table_.size());
    file_.set_attribute("complete", table_.complete());
    file_.set_attribute("Conventions", "CF-1.8");
    member_.emplace(make_index(file_, "member", table_.size(), "number of the member"));
    hdf5::Dataset status = file_.create_texts("status", table_.status);
    add_to_root(status,
                "complete, interrupted, failed, unfinished, missing, damaged, other or changed");
    hdf5::Dataset reason = file_.create_texts("reason", table_.reasons);
    add_to_root(reason, "why a member failed, or how far it is; empty: neither");
  }

  void add_to_root(hdf5::Dataset& dataset, const std::string& long_name, const char* units = "1") {
    describe(dataset, long_name, units);
    dataset.attach_scale(0, *member_);
  }

  void numbers(const std::string& name, const std::string& long_name,
               const std::vector<double>& values, const char* units = "1") {
    hdf5::Dataset dataset =
        file_.create_dataset(name, {.type = hdf5::Type::float64, .shape = {table_.size()}});
    dataset.write<double>(values);
    add_to_root(dataset, long_name, units);
  }

  /// Writes each setting as integers if all are, else as numbers if all are, else as texts.
  void settings() {
    for (const SettingColumn& column : table_.settings) {
      std::vector<std::int64_t> integers;
      std::vector<double> reals;
      std::vector<std::string> texts;
      for (const AttributeValue& value : column.values) {
        if (const auto* integer = std::get_if<std::int64_t>(&value)) {
          integers.push_back(*integer);
          reals.push_back(static_cast<double>(*integer));
        } else if (const auto* real = std::get_if<double>(&value)) {
          reals.push_back(*real);
        }
        texts.push_back(setting_text(value));
      }
      if (integers.size() == texts.size()) {
        hdf5::Dataset dataset = file_.create_dataset(
            column.name, {.type = hdf5::Type::int64, .shape = {table_.size()}});
        dataset.write<std::int64_t>(integers);
        add_to_root(dataset, column.key);
      } else if (reals.size() == texts.size()) {
        numbers(column.name, column.key, reals);
      } else {
        hdf5::Dataset dataset = file_.create_texts(column.name, texts);
        add_to_root(dataset, column.key);
      }
    }
  }

  void scores() {
    for (const ScoreColumn& column : table_.scores) {
      numbers(column.name, column.description, column.values);
    }
    numbers("wall_seconds", "from start to end of the run", table_.wall_seconds, "s");
  }

  /// What the first complete member has, without what any other has not.
  void find_shared() {
    std::vector<std::vector<std::vector<double>>> coordinates;
    bool is_first = true;
    for (std::int64_t i = 0; i < table_.size(); ++i) {
      if (table_.status[static_cast<std::size_t>(i)] != "complete") continue;
      const hdf5::File member = hdf5::File::open(members_.result_path(i));
      if (is_first) {
        list_datasets(member, "", shared_);
        for (const SharedDataset& shared : shared_) {
          coordinates.push_back(coordinates_of(member, shared));
        }
        is_first = false;
        continue;
      }
      for (std::size_t k = 0; k < shared_.size();) {
        if (is_shared_by(member, shared_[k], coordinates[k])) {
          ++k;
          continue;
        }
        shared_.erase(shared_.begin() + static_cast<std::ptrdiff_t>(k));
        coordinates.erase(coordinates.begin() + static_cast<std::ptrdiff_t>(k));
      }
    }
  }

  static bool is_shared_by(const hdf5::File& member, const SharedDataset& shared,
                           const std::vector<std::vector<double>>& coordinates) {
    const std::string path = path_of(shared.group, shared.name);
    if (!member.has_dataset(path)) return false;
    const hdf5::Dataset dataset = member.open_dataset(path);
    return dataset.type() == shared.type && dataset.shape() == shared.shape &&
           dataset.scales() == shared.scales && coordinates_of(member, shared) == coordinates;
  }

  void add_virtual(const SharedDataset& shared) {
    hdf5::Group group = file_.nested(shared.group);
    const std::string path = "/" + path_of(shared.group, shared.name);
    std::vector<hdf5::VirtualSource> sources;
    std::optional<std::int64_t> first;
    for (std::int64_t i = 0; i < table_.size(); ++i) {
      const bool complete = table_.status[static_cast<std::size_t>(i)] == "complete";
      if (complete && !first) first = i;
      sources.push_back(
          {complete ? fs::path(members_.result_path(i)).filename().string() : "", path});
    }
    hdf5::Dataset dataset = group.create_virtual(shared.name, shared.type, shared.shape, sources);
    describe(dataset, shared.long_name, shared.units.c_str());
    dataset.attach_scale(0, *member_);
    const hdf5::File member = hdf5::File::open(members_.result_path(*first));
    for (std::size_t axis = 0; axis < shared.scales.size(); ++axis) {
      if (shared.scales[axis].empty()) continue;
      dataset.attach_scale(static_cast<int>(axis) + 1,
                           coordinate(member, shared, shared.scales[axis]));
    }
  }

  /// The coordinate of a group, copied from a member.
  const hdf5::Dataset& coordinate(const hdf5::File& member, const SharedDataset& shared,
                                  const std::string& name) {
    const std::string place = group_of_scale(member, shared.group, name);
    const std::string path = path_of(place, name);
    const auto known = coordinates_.find(path);
    if (known != coordinates_.end()) return known->second;
    const hdf5::Dataset from = member.open_dataset(path);
    hdf5::Group group = file_.nested(place);
    hdf5::Dataset to = group.create_dataset(name, {.type = from.type(), .shape = from.shape()});
    if (from.type() == hdf5::Type::float64 || from.type() == hdf5::Type::float32) {
      const std::vector<double> values = from.read<double>();
      if (from.type() == hdf5::Type::float64) {
        to.write<double>(values);
      } else {
        to.write<float>(std::vector<float>(values.begin(), values.end()));
      }
    } else if (from.type() == hdf5::Type::int32) {
      to.write<std::int32_t>(from.read<std::int32_t>());
    } else {
      to.write<std::int64_t>(from.read<std::int64_t>());
    }
    describe(to, from.text_attribute("long_name").value_or(""),
             from.text_attribute("units").value_or("1").c_str());
    to.make_scale(name);
    return coordinates_.emplace(path, std::move(to)).first->second;
  }

  const Members& members_;
  const MemberTable& table_;
  hdf5::File file_;
  std::optional<hdf5::Dataset> member_;
  std::vector<SharedDataset> shared_;
  std::map<std::string, hdf5::Dataset> coordinates_;
};

void refuse_foreign_index(const std::string& path) {
  if (!fs::exists(path)) return;
  const bool ours = hdf5::File::is_hdf5(path) &&
                    hdf5::File::open(path).integer_attribute("index_version").has_value();
  if (!ours) throw OutputError(path + " exists and is no index of a sweep; move it away");
}

void refuse_foreign_csv(const std::string& path) {
  if (!fs::exists(path)) return;
  std::string line;
  std::getline(std::ifstream(path) >> std::ws, line);
  if (line.rfind("member,status,", 0) != 0) {
    throw OutputError(path + " exists and is no table of a sweep; move it away");
  }
}

}  // namespace

CollectedMembers collect_members(const Members& members,
                                 const std::function<void(hdf5::File&)>& add) {
  if (!fs::is_directory(members.folder())) {
    throw ConfigError(
        members.folder() +
        ": no such folder; it is where the results are (`gaia sweep` makes it, --output "
        "names another)");
  }
  CollectedMembers collected{members.folder() + "/index.h5", members.folder() + "/members.csv",
                             read_member_table(members)};
  refuse_foreign_index(collected.index);
  refuse_foreign_csv(collected.csv);
  const auto lock = claim_output(collected.index, true);
  const std::string partial = partial_path(collected.index);
  try {
    IndexWriter(members, collected.table, partial).write(add);
    publish(partial, collected.index);
  } catch (...) {
    discard(partial);
    throw;
  }
  write_file(collected.csv, {csv_of(collected.table, members)});
  return collected;
}

}  // namespace gaia
