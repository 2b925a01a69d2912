// SPDX-License-Identifier: MIT
#include "result.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "../core/checked.h"
#include "../core/error.h"
#include "../core/text.h"
#include "../experiment/data/schema_version.h"
#include "../experiment/sweep/seed_verdict.h"
#include "../io/foreign_hdf5/hdf5_reader.h"

namespace gaia::report {
namespace {

std::unique_ptr<hdf5::Reader> open(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw ConfigError(path + ": no such file");
  std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(path);
  const hdf5::Description& root = reader->contents().root();
  const auto verdict = root.integer("verdict_version");
  if (!verdict) {
    check_schema(root.integer("schema_version"), path);
  } else if (*verdict != kVerdictVersion) {
    throw DataError(fmt::format("{}: is a verdict of version {}; this gaia reads version {}", path,
                                *verdict, kVerdictVersion));
  }
  return reader;
}

/// Names as people count: "2" before "10".
bool natural_less(const std::string& a, const std::string& b) {
  const auto left = parse_integer(a);
  const auto right = parse_integer(b);
  if (left && right) return *left < *right;
  return left.has_value() != right.has_value() ? left.has_value() : a < b;
}

}  // namespace

Result::Result(const std::string& path) : path_(path), reader_(open(path)) {
  const hdf5::Contents& contents = reader_->contents();
  for (const hdf5::Description& group : contents.groups) groups_[group.path] = &group;
  for (const hdf5::DatasetDescription& dataset : contents.datasets) {
    if (dataset.type != hdf5::Type::other && dataset.refusal.empty()) {
      datasets_[dataset.path] = &dataset;
      for (const std::string& other : dataset.other_paths) datasets_[other] = &dataset;
    }
  }
  if (is_seed_verdict()) return;
  steps_ = std::max<std::int64_t>(0, integer("", "steps").value_or(0));
  const hdf5::DatasetDescription* committed = dataset("status/committed_steps");
  if (committed == nullptr || !committed->shape.empty()) {
    throw DataError(path + ": expected a number /status/committed_steps");
  }
  done_ = std::clamp<std::int64_t>(reader_->read<std::int64_t>(*committed).front(), 0, steps_);
  epochs_ = std::clamp<std::int64_t>(integer("levels", "epochs").value_or(1), 1,
                                     std::max<std::int64_t>(1, steps_));
  series_done_ = std::max<std::int64_t>(0, done_ - steps_ / epochs_ * (epochs_ - 1));
}

std::string Result::name() const {
  std::filesystem::path file = std::filesystem::path(path_).filename();
  if (file.extension() == ".partial") file = file.stem();
  return file.stem().string();
}

const hdf5::DatasetDescription* Result::dataset(const std::string& path) const {
  const auto found = datasets_.find("/" + path);
  return found == datasets_.end() ? nullptr : found->second;
}

const hdf5::Description* Result::object(const std::string& path) const {
  const auto found = groups_.find("/" + path);
  return found == groups_.end() ? dataset(path) : found->second;
}

std::string Result::text(const std::string& path, const std::string& name) const {
  const hdf5::Description* const found = object(path);
  return found == nullptr ? "" : found->text(name).value_or("");
}

std::optional<std::int64_t> Result::integer(const std::string& path,
                                            const std::string& name) const {
  const hdf5::Description* const found = object(path);
  return found == nullptr ? std::nullopt : found->integer(name);
}

std::optional<double> Result::number(const std::string& path, const std::string& name) const {
  const hdf5::Description* const found = object(path);
  if (found == nullptr) return std::nullopt;
  for (const auto& [key, value] : found->attributes) {
    if (key != name) continue;
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  }
  return std::nullopt;
}

std::vector<std::string> Result::texts(const std::string& path, const std::string& name) const {
  const hdf5::Description* const found = object(path);
  if (found == nullptr) return {};
  if (auto texts = found->texts(name)) return *std::move(texts);
  // A list of one text is read as a text.
  const std::string one = found->text(name).value_or("");
  return one.empty() ? std::vector<std::string>() : std::vector{one};
}

std::vector<std::string> Result::children(const std::string& group, bool of_groups) const {
  const std::string below = group.empty() ? "/" : "/" + group + "/";
  std::vector<std::string> names;
  const auto collect = [&](const auto& objects) {
    for (auto at = objects.upper_bound(below);
         at != objects.end() && at->first.rfind(below, 0) == 0; ++at) {
      const std::string name = at->first.substr(below.size());
      if (name.find('/') == std::string::npos) names.push_back(name);
    }
  };
  of_groups ? collect(groups_) : collect(datasets_);
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

std::vector<std::string> Result::groups(const std::string& path) const {
  return children(path, true);
}

std::vector<std::string> Result::datasets(const std::string& path) const {
  return children(path, false);
}

bool Result::has_group(const std::string& above, const std::string& name) const {
  return groups_.count((above.empty() ? "/" : "/" + above + "/") + name) > 0;
}

std::vector<std::int64_t> Result::shape(const std::string& path) const {
  const hdf5::DatasetDescription* found = dataset(path);
  return found == nullptr ? std::vector<std::int64_t>() : found->shape;
}

void Result::read_rows(const std::string& path, std::int64_t first, std::int64_t rows,
                       double* values) const {
  const hdf5::DatasetDescription* found = dataset(path);
  if (found == nullptr) throw DataError(path_ + ": /" + path + " is missing");
  reader_->read_rows(*found, first, rows, values);
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
