// SPDX-License-Identifier: MIT
#include "exported_dataset.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "../../core/message.h"
#include "../../core/names.h"

namespace gaia {
namespace {

using Dataset = hdf5::DatasetDescription;

bool has_exported_type(const Dataset& dataset) {
  return dataset.holds_texts || dataset.type != hdf5::Type::other;
}

/// A name of a file or of a column that does no harm: no step to another folder, nothing that
/// steers a terminal.
bool is_plain_path(const std::string& path) {
  if (!is_utf8(path) || printable(path) != path) return false;
  if (path.find_first_of("\\\n\t") != std::string::npos) return false;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t next = std::min(path.find('/', at + 1), path.size());
    const std::string_view part = std::string_view(path).substr(at + 1, next - at - 1);
    if (part.empty() || part == "." || part == "..") return false;
    at = next;
  }
  return true;
}

std::int64_t bytes_of_number(const Dataset& dataset) {
  return dataset.holds_texts ? static_cast<std::int64_t>(hdf5::kTextCell) : size_of(dataset.type);
}

/// Numbers of a row of the first axis; nothing beyond what is exported.
std::optional<std::int64_t> numbers_of_row(const Dataset& dataset) {
  const std::int64_t most = kWidestExportedRow / bytes_of_number(dataset);
  std::int64_t numbers = 1;
  for (std::size_t axis = 1; axis < dataset.shape.size(); ++axis) {
    const std::int64_t length = dataset.shape[axis];
    if (length > 0 && numbers > most / length) return std::nullopt;
    numbers *= length;
  }
  return numbers;
}

/// Why a dataset is not exported, as a sentence about it; empty if it is.
std::string why_not_exported(const Dataset& dataset) {
  if (!is_plain_path(dataset.path)) {
    return "has a name that leads to another folder or that no file should have";
  }
  if (!has_exported_type(dataset)) return "holds neither numbers nor texts of one axis";
  // A refusal of texts says no more than that they are no numbers.
  if (!dataset.holds_texts && !dataset.refusal.empty()) return dataset.refusal;
  if (!numbers_of_row(dataset)) {
    return message("has rows of more than {}", bytes_text(static_cast<double>(kWidestExportedRow)));
  }
  return {};
}

/// "/levels/0" of "/levels/0/step".
std::string group_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The dataset at a path.  \throws ArgumentError, with what there is, if there is none.
const Dataset& dataset_at(const hdf5::Contents& contents, const std::string& path) {
  if (const Dataset* const found = contents.dataset(path)) return *found;
  std::vector<std::string> paths;
  std::vector<std::string> within;
  const std::string below = path == "/" ? path : path + "/";
  for (const Dataset& dataset : contents.datasets) {
    paths.push_back(dataset.path);
    if (dataset.path.starts_with(below)) within.push_back(dataset.path);
  }
  constexpr std::size_t most = 20;
  const auto listed = [&](std::vector<std::string> names) {
    const std::size_t all = names.size();
    names.resize(std::min(most, all));
    return printable(join(names)) + (all > most ? message(" and {} more", all - most) : "");
  };
  if (contents.group(path) != nullptr) {
    fail<ArgumentError>("{} is a group; name one of its datasets: {}", printable(path),
                        within.empty() ? "it has none" : listed(std::move(within)));
  }
  fail<ArgumentError>("there is no dataset {}{}; `gaia inspect` lists them", printable(path),
                      printable(did_you_mean(path, paths)));
}

}  // namespace

ExportedDataset::ExportedDataset(hdf5::Reader& reader, const std::string& path)
    : reader_(&reader), path_(path.starts_with('/') ? path : "/" + path) {
  description_ = &dataset_at(reader.contents(), path_);
  const std::string why = why_not_exported(*description_);
  if (!why.empty()) fail<DataError>("{} {}", printable(path_), why);
  type_ = description_->holds_texts ? hdf5::Type::text : description_->type;
  for (std::size_t axis = 1; axis + 1 < shape().size(); ++axis) lines_per_row_ *= shape()[axis];
  find_indices();
  name_columns();
}

std::int64_t ExportedDataset::rows() const { return shape().empty() ? 1 : shape().front(); }

std::int64_t ExportedDataset::numbers_per_row() const {
  return lines_per_row_ * static_cast<std::int64_t>(columns_.size());
}

std::int64_t ExportedDataset::block() const {
  constexpr std::int64_t bytes = std::int64_t{1} << 20;
  const std::int64_t row =
      std::max<std::int64_t>(1, numbers_per_row()) * bytes_of_number(*description_);
  return std::clamp<std::int64_t>(bytes / row, 1, 1 << 16);
}

void ExportedDataset::add_index(const Dataset& scale, int axis) {
  const bool is_one_axis =
      scale.shape.size() == 1 && scale.shape.front() == shape()[static_cast<std::size_t>(axis)];
  if (!is_one_axis || !why_not_exported(scale).empty()) return;
  const bool is_floating = scale.type == hdf5::Type::float32 || scale.type == hdf5::Type::float64;
  const std::string units = scale.text("units").value_or("");
  const bool is_date =
      !is_floating && !scale.holds_texts && units.starts_with("nanoseconds since 1970-01-01");
  const hdf5::Type type = scale.holds_texts ? hdf5::Type::text
                          : is_floating     ? hdf5::Type::float64
                                            : hdf5::Type::int64;
  indices_.push_back({last_name(scale.path), axis, is_date, type, &scale, {}});
  if (scale.holds_texts) indices_.back().texts = reader_->read_texts(scale);
}

void ExportedDataset::find_indices() {
  const hdf5::Contents& contents = reader_->contents();
  const int rank = static_cast<int>(shape().size());
  for (int axis = 0; axis < std::max(1, rank - 1) && axis < rank; ++axis) {
    const std::size_t before = indices_.size();
    const auto place = static_cast<std::size_t>(axis);
    const std::string scale_path =
        place < description_->scales.size() ? description_->scales[place] : std::string();
    const Dataset* const scale = scale_path.empty() ? nullptr : contents.dataset(scale_path);
    if (scale != nullptr && scale != description_) {
      add_index(*scale, axis);
      // When the rows of a step were taken stands beside it, along the same axis.
      const Dataset* const time =
          contents.dataset(hdf5::join_path(group_path(scale->path), "time"));
      const bool is_along = time != nullptr && time != description_ && !time->scales.empty() &&
                            time->scales.front() == scale_path;
      if (is_along) add_index(*time, axis);
    }
    if (indices_.size() == before && rank > 2) {
      indices_.push_back({.name = "axis" + std::to_string(axis), .axis = axis});
    }
  }
}

void ExportedDataset::name_columns() {
  const std::string name = last_name(path_);
  if (shape().size() < 2) {
    columns_ = {name};
    return;
  }
  const std::int64_t count = shape().back();
  const std::string& scale_path = description_->scales.empty() ? "" : description_->scales.back();
  const Dataset* const scale =
      scale_path.empty() ? nullptr : reader_->contents().dataset(scale_path);
  const bool fits = scale != nullptr && scale->shape == std::vector<std::int64_t>{count} &&
                    why_not_exported(*scale).empty();
  std::vector<std::string> texts;
  std::vector<double> numbers;
  if (fits && scale->holds_texts) {
    texts = reader_->read_texts(*scale);
  } else if (fits) {
    numbers.resize(static_cast<std::size_t>(count));
    reader_->read_rows(*scale, 0, count, numbers.data());
  }
  columns_.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    std::string end = std::to_string(i);
    if (!texts.empty()) {
      end = texts[place];
    } else if (!numbers.empty()) {
      end = number_text(numbers[place]);
      if (end.ends_with(".0")) end.resize(end.size() - 2);
    }
    columns_.push_back(name + "." + end);
  }
}

IndexValues ExportedDataset::read_index(const ExportedIndex& index, std::int64_t first,
                                        std::int64_t count) const {
  const auto length = static_cast<std::size_t>(count);
  if (index.dataset == nullptr) {
    std::vector<std::int64_t> values(length);
    for (std::size_t i = 0; i < length; ++i) values[i] = first + static_cast<std::int64_t>(i);
    return values;
  }
  if (index.type == hdf5::Type::text) {
    const auto from = index.texts.begin() + first;
    return std::vector<std::string>(from, from + count);
  }
  if (index.type == hdf5::Type::float64) {
    std::vector<double> values(length);
    reader_->read_rows(*index.dataset, first, count, values.data());
    return values;
  }
  std::vector<std::int64_t> values(length);
  reader_->read_rows(*index.dataset, first, count, values.data());
  return values;
}

Exportable exportable(const hdf5::Contents& contents) {
  Exportable found;
  for (const Dataset& dataset : contents.datasets) {
    if (dataset.path.starts_with("/checkpoint/")) continue;
    const std::string why = why_not_exported(dataset);
    if (why.empty()) {
      found.paths.push_back(dataset.path);
    } else {
      found.refusals.push_back(printable(dataset.path) + " " + why);
    }
  }
  return found;
}

}  // namespace gaia
