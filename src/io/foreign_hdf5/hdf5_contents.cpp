// SPDX-License-Identifier: MIT
#include "hdf5_contents.h"

#include <algorithm>
#include <map>
#include <set>

#include "../../core/checked.h"
#include "../../core/error.h"
#include "../../core/text.h"

namespace gaia::hdf5 {
namespace {

/// deflate packs no tighter than 1032 to 1.
constexpr std::int64_t kTightest = 1032;
/// Numbers that were never written take no bytes; so many may be read for all that.
constexpr std::int64_t kUnwritten = std::int64_t{1} << 20;

template <class T>
std::optional<T> attribute_of(const Description& object, const std::string& name) {
  for (const auto& [known, value] : object.attributes) {
    if (known == name && std::holds_alternative<T>(value)) return std::get<T>(value);
  }
  return std::nullopt;
}

template <class T>
const T* find_path(const std::vector<T>& objects, const std::string& path) {
  const auto found = std::find_if(objects.begin(), objects.end(),
                                  [&](const T& object) { return object.path == path; });
  return found == objects.end() ? nullptr : &*found;
}

class Collector {
 public:
  Collector(const File& file, const ContentsLimits& limits, const std::function<void()>& tell)
      : limits_(limits), tell_(tell) {
    contents_.file_bytes = file.bytes();
    collect(file, "/", 0);
  }

  Contents take() {
    // All datasets are known now.
    for (std::size_t i = 0; i < contents_.datasets.size(); ++i) {
      for (const std::optional<std::uint64_t>& scale : scales_[i]) {
        const auto found = scale ? paths_.find(*scale) : paths_.end();
        contents_.datasets[i].scales.push_back(found == paths_.end() ? "" : found->second);
      }
    }
    return std::move(contents_);
  }

 private:
  [[noreturn]] static void fail(const Object& object, const std::string& what) {
    throw DataError(object.place().file + ": " + printable(object.place().path) + ": " + what);
  }

  /// Whether an object is met for the first time.  Hard links can make a group its own ancestor.
  bool is_new(const Object& object) {
    if (!seen_.insert(object.address()).second) return false;
    if (seen_.size() > limits_.objects) {
      fail(object, "expected at most " + std::to_string(limits_.objects) +
                       " groups and datasets in a file, got more");
    }
    if (tell_ && seen_.size() % kObjectsPerTelling == 0) tell_();
    return true;
  }

  void collect(const Group& group, const std::string& path, int depth) {
    if (!is_new(group)) return;
    if (depth > limits_.depth) {
      fail(group, "expected groups within groups less deep than " + std::to_string(limits_.depth));
    }
    contents_.groups.emplace_back();
    describe(group, path, contents_.groups.back());
    for (const std::string& name : group.datasets()) {
      const Dataset dataset = group.open_dataset(name);
      if (is_new(dataset)) {
        add(dataset, join_path(path, name));
      } else {
        add_path(dataset, join_path(path, name));
      }
    }
    for (const std::string& name : group.links()) contents_.links.push_back(join_path(path, name));
    if (contents_.links.size() > limits_.objects) {
      fail(group, "expected at most " + std::to_string(limits_.objects) + " links, got more");
    }
    for (const std::string& name : group.groups()) {
      collect(group.open_group(name), join_path(path, name), depth + 1);
    }
  }

  void describe(const Object& object, const std::string& path, Description& to) {
    to.path = path;
    const std::vector<std::string> names = object.attribute_names();
    if (names.size() > limits_.attributes) {
      fail(object, "expected at most " + std::to_string(limits_.attributes) + " attributes, got " +
                       std::to_string(names.size()));
    }
    for (const std::string& name : names) {
      if (auto text = object.text_attribute(name)) {
        to.attributes.emplace_back(name, *std::move(text));
      } else if (const auto integer = object.integer_attribute(name)) {
        to.attributes.emplace_back(name, *integer);
      } else if (const auto number = object.number_attribute(name)) {
        to.attributes.emplace_back(name, *number);
      } else if (auto texts = object.texts_attribute(name)) {
        to.attributes.emplace_back(name, *std::move(texts));
      } else if (auto integers = object.list_attribute<std::int64_t>(name)) {
        to.attributes.emplace_back(name, *std::move(integers));
      } else if (auto numbers = object.list_attribute<double>(name)) {
        to.attributes.emplace_back(name, *std::move(numbers));
      } else {
        to.attributes.emplace_back(name, std::monostate());
      }
    }
  }

  void add(const Dataset& dataset, const std::string& path) {
    DatasetDescription& to = contents_.datasets.emplace_back();
    describe(dataset, path, to);
    to.type = dataset.type();
    to.element_bytes = dataset.element_bytes();
    to.shape = dataset.shape();
    paths_[dataset.address()] = path;
    places_[dataset.address()] = contents_.datasets.size() - 1;
    scales_.push_back(dataset.scale_addresses());
    to.stored_bytes = dataset.stored_bytes();
    to.refusal = refusal_of_matlab(to);
    if (to.refusal.empty()) {
      to.refusal = refusal_of(dataset, to);
    } else {
      to.type = Type::other;
    }
    to.holds_texts = has_texts(dataset, to);
  }

  void add_path(const Dataset& dataset, const std::string& path) {
    if (++other_paths_ > limits_.objects) {
      fail(dataset, "expected at most " + std::to_string(limits_.objects) +
                        " further names of datasets, got more");
    }
    contents_.datasets[places_.at(dataset.address())].other_paths.push_back(path);
  }

  /// Whether its texts may be read, by what is asked of numbers too.
  bool has_texts(const Dataset& dataset, const DatasetDescription& to) const {
    if (!dataset.holds_texts() || to.shape.size() != 1 || !dataset.foreign_storage().empty() ||
        !dataset.other_filter().empty() || dataset.chunk_bytes() > limits_.chunk_bytes) {
      return false;
    }
    const auto bytes = checked_multiply(to.shape.front(), to.element_bytes);
    const std::int64_t stored = std::min(to.stored_bytes, contents_.file_bytes);
    return bytes && (*bytes - kUnwritten) / kTightest <= stored;
  }

  /// MATLAB 7.3 stores codes of characters, handles and the sizes of empty variables as integers.
  static std::string refusal_of_matlab(const DatasetDescription& to) {
    if (to.integer("MATLAB_empty").value_or(0) != 0) {
      return "is an empty variable of MATLAB's, of which the file has the size alone";
    }
    static const std::set<std::string> numeric = {"double", "single", "logical", "int8",
                                                  "uint8",  "int16",  "uint16",  "int32",
                                                  "uint32", "int64",  "uint64"};
    const std::optional<std::string> kind = to.text("MATLAB_class");
    if (!kind || numeric.count(*kind) > 0) return {};
    return "is of MATLAB's class " + printable(*kind) + "; only numbers and truth values are read";
  }

  std::string refusal_of(const Dataset& dataset, const DatasetDescription& to) const {
    const std::string foreign = dataset.foreign_storage();
    if (!foreign.empty()) {
      return "its numbers lie in " + foreign + ", which is refused; `h5repack -l " +
             printable(to.path) + ":CONTI FILE COPY` brings them into one file";
    }
    const std::string filter = dataset.other_filter();
    if (!filter.empty()) {
      return "it is packed by the filter " + printable(filter) +
             "; only deflate, shuffle and fletcher32 are read";
    }
    if (to.type == Type::other)
      return "expected integers or floating numbers of up to 64 bits, or truth values";
    const std::optional<std::int64_t> bytes = to.bytes();
    if (!bytes) return "claims more numbers than 64 bits can count";
    const std::int64_t stored = std::min(to.stored_bytes, contents_.file_bytes);
    if ((*bytes - kUnwritten) / kTightest > stored) {
      return "claims " + std::to_string(*bytes) + " bytes of numbers, more than the " +
             std::to_string(stored) + " bytes that it takes in the file can hold";
    }
    if (dataset.chunk_bytes() > limits_.chunk_bytes) {
      return "its chunks are larger than " + bytes_text(static_cast<double>(limits_.chunk_bytes)) +
             "; write it in smaller ones";
    }
    return {};
  }

  const ContentsLimits& limits_;
  const std::function<void()>& tell_;
  Contents contents_;
  std::set<std::uint64_t> seen_;
  std::map<std::uint64_t, std::string> paths_;   // paths of datasets, by address
  std::map<std::uint64_t, std::size_t> places_;  // places of datasets in contents_
  std::size_t other_paths_ = 0;
  std::vector<std::vector<std::optional<std::uint64_t>>> scales_;  // scales by dataset and axis
};

}  // namespace

bool is_coordinate(const Contents& contents, const DatasetDescription& dataset) {
  if (dataset.text("CLASS").value_or("") == "DIMENSION_SCALE") return true;
  return std::any_of(contents.datasets.begin(), contents.datasets.end(), [&](const auto& other) {
    return std::find(other.scales.begin(), other.scales.end(), dataset.path) != other.scales.end();
  });
}

std::string join_path(const std::string& group, const std::string& name) {
  return (group == "/" ? "" : group) + "/" + name;
}

bool Description::has(const std::string& name) const {
  return std::any_of(attributes.begin(), attributes.end(),
                     [&](const auto& attribute) { return attribute.first == name; });
}

std::optional<std::string> Description::text(const std::string& name) const {
  return attribute_of<std::string>(*this, name);
}

std::optional<std::int64_t> Description::integer(const std::string& name) const {
  return attribute_of<std::int64_t>(*this, name);
}

std::optional<double> Description::number(const std::string& name) const {
  return attribute_of<double>(*this, name);
}

std::optional<std::vector<std::string>> Description::texts(const std::string& name) const {
  return attribute_of<std::vector<std::string>>(*this, name);
}

std::optional<std::int64_t> DatasetDescription::bytes() const {
  std::optional<std::int64_t> product = size_of(type);
  for (const std::int64_t length : shape) {
    if (product) product = checked_multiply(*product, length);
  }
  return product;
}

const Description* Contents::group(const std::string& path) const {
  return find_path(groups, path);
}

const DatasetDescription* Contents::dataset(const std::string& path) const {
  if (const DatasetDescription* const found = find_path(datasets, path)) return found;
  for (const DatasetDescription& dataset : datasets) {
    const auto& others = dataset.other_paths;
    if (std::find(others.begin(), others.end(), path) != others.end()) return &dataset;
  }
  return nullptr;
}

Contents contents_of(const File& file, const ContentsLimits& limits,
                     const std::function<void()>& tell) {
  return Collector(file, limits, tell).take();
}

}  // namespace gaia::hdf5
