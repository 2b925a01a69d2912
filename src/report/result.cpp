// SPDX-License-Identifier: MIT
#include "result.h"

#include <algorithm>
#include <filesystem>

#include "../core/checked.h"
#include "../core/error.h"
#include "../core/text.h"
#include "../io/hdf5_reader.h"

namespace gaia::report {
namespace {

hdf5::File open(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw ConfigError(path + ": no such file");
  hdf5::probe(path);
  hdf5::File file = hdf5::File::open(path);
  if (!file.integer_attribute("schema_version")) {
    throw DataError(path + ": is not a results file of gaia (it has no schema_version)");
  }
  return file;
}

}  // namespace

Result::Result(const std::string& path) : path_(path), file_(open(path)) {
  steps_ = std::max<std::int64_t>(0, integer("", "steps").value_or(0));
  if (!file_.has_dataset("status/committed_steps")) {
    throw DataError(path + ": is not a results file of gaia (it has no /status/committed_steps)");
  }
  std::int64_t committed = 0;
  const hdf5::Dataset safe = file_.open_dataset("status/committed_steps");
  if (safe.shape().empty()) safe.read_rows<std::int64_t>(0, 1, &committed);
  done_ = std::clamp<std::int64_t>(committed, 0, steps_);
}

std::string Result::name() const {
  std::filesystem::path file = std::filesystem::path(path_).filename();
  if (file.extension() == ".partial") file = file.stem();
  return file.stem().string();
}

const hdf5::Group* Result::group(const std::string& path) const {
  if (path.empty()) return &file_;
  const auto known = groups_.find(path);
  if (known != groups_.end()) return known->second ? &*known->second : nullptr;
  const std::size_t cut = path.rfind('/');
  const hdf5::Group* above = group(cut == std::string::npos ? "" : path.substr(0, cut));
  const std::string name = path.substr(cut == std::string::npos ? 0 : cut + 1);
  std::optional<hdf5::Group> found;
  if (above != nullptr && above->has_group(name)) found.emplace(above->open_group(name));
  const auto& kept = groups_.emplace(path, std::move(found)).first->second;
  return kept ? &*kept : nullptr;
}

const hdf5::Dataset* Result::dataset(const std::string& path) const {
  const auto known = datasets_.find(path);
  if (known != datasets_.end()) return known->second ? &*known->second : nullptr;
  const std::size_t cut = path.rfind('/');
  const hdf5::Group* above = group(cut == std::string::npos ? "" : path.substr(0, cut));
  const std::string name = path.substr(cut == std::string::npos ? 0 : cut + 1);
  std::optional<hdf5::Dataset> found;
  if (above != nullptr) {
    const std::vector<std::string> names = above->datasets();
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      hdf5::Dataset opened = above->open_dataset(name);
      const bool can_be_read =
          opened.type() != hdf5::Type::other && opened.foreign_storage().empty();
      if (can_be_read) found.emplace(std::move(opened));
    }
  }
  const auto& kept = datasets_.emplace(path, std::move(found)).first->second;
  return kept ? &*kept : nullptr;
}

std::string Result::text(const std::string& object, const std::string& name) const {
  const hdf5::Group* found = group(object);
  return found == nullptr ? "" : found->text_attribute(name).value_or("");
}

std::optional<std::int64_t> Result::integer(const std::string& object,
                                            const std::string& name) const {
  const hdf5::Group* found = group(object);
  return found == nullptr ? std::nullopt : found->integer_attribute(name);
}

std::optional<double> Result::number(const std::string& object, const std::string& name) const {
  const hdf5::Group* found = group(object);
  if (found == nullptr) return std::nullopt;
  if (const auto value = found->number_attribute(name)) return value;
  const auto whole = found->integer_attribute(name);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> Result::attributes(
    const std::string& object) const {
  std::vector<std::pair<std::string, std::string>> all;
  const hdf5::Group* found = group(object);
  if (found == nullptr) return all;
  for (const std::string& name : found->attribute_names()) {
    if (const auto text = found->text_attribute(name)) {
      all.emplace_back(name, *text);
    } else if (const auto integer = found->integer_attribute(name)) {
      all.emplace_back(name, std::to_string(*integer));
    } else if (const auto number = found->number_attribute(name)) {
      all.emplace_back(name, number_text(*number));
    }
  }
  return all;
}

std::vector<std::string> Result::groups(const std::string& path) const {
  const hdf5::Group* found = group(path);
  return found == nullptr ? std::vector<std::string>() : found->groups();
}

std::vector<std::string> Result::datasets(const std::string& path) const {
  const hdf5::Group* found = group(path);
  return found == nullptr ? std::vector<std::string>() : found->datasets();
}

bool Result::has_group(const std::string& above, const std::string& name) const {
  return group(above.empty() ? name : above + "/" + name) != nullptr;
}

std::vector<std::int64_t> Result::shape(const std::string& path) const {
  const hdf5::Dataset* found = dataset(path);
  return found == nullptr ? std::vector<std::int64_t>() : found->shape();
}

void Result::read_rows(const std::string& path, std::int64_t first, std::int64_t rows,
                       double* values) const {
  const hdf5::Dataset* found = dataset(path);
  if (found == nullptr) throw DataError(path_ + ": /" + path + " is missing");
  found->read_rows(first, rows, values);
}

std::vector<double> Result::read(const std::string& path, std::int64_t most) const {
  std::int64_t count = has(path) ? 1 : 0;
  for (const std::int64_t length : shape(path)) {
    const auto product = checked_multiply(count, length);
    if (!product || *product > most) return {};
    count = *product;
  }
  std::vector<double> values(static_cast<std::size_t>(count));
  if (count > 0) read_rows(path, 0, shape(path).front(), values.data());
  return values;
}

}  // namespace gaia::report
