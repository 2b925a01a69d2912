// SPDX-License-Identifier: MIT
/// \file
/// Everything in an HDF5 file but the numbers, as plain values: what a file tells of itself before
/// anything is read from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../hdf5.h"

namespace gaia::hdf5 {

/// A text, a number, a list of them, or nothing where it is of another kind.
using AttributeValue = std::variant<std::string, std::int64_t, double, std::vector<std::string>,
                                    std::vector<std::int64_t>, std::vector<double>, std::monostate>;

/// A group or a dataset.
struct Description {
  std::string path;  ///< "/levels/0"; the root is "/".
  /// In alphabetical order.
  std::vector<std::pair<std::string, AttributeValue>> attributes;

  bool has(const std::string& name) const;
  /// Nothing if there is no such attribute, or it is of another kind.
  std::optional<std::string> text(const std::string& name) const;
  std::optional<std::int64_t> integer(const std::string& name) const;
  std::optional<double> number(const std::string& name) const;
  std::optional<std::vector<std::string>> texts(const std::string& name) const;
};

struct DatasetDescription : Description {
  Type type = Type::other;
  std::int64_t element_bytes = 0;  ///< Bytes of one number, as it is stored.
  std::vector<std::int64_t> shape;
  std::vector<std::string> scales;       ///< Path of each axis' coordinate, or "".
  std::vector<std::string> other_paths;  ///< Other paths by which the file has it, as hard links.
  std::int64_t stored_bytes = 0;  ///< Bytes that its numbers take in the file, packed or not.
  /// Why its numbers are not read, as a sentence about it; empty if they are.  Numbers are read
  /// that lie in the file itself, packed by deflate, shuffle and fletcher32 at most, and are no
  /// more than what is stored can hold.
  std::string refusal;
  /// Texts of one axis, of which only Reader::read_texts() has the use.
  bool holds_texts = false;

  /// Bytes of its numbers as `type`; nothing where 64 bits cannot count them.
  std::optional<std::int64_t> bytes() const;
};

/// Groups and datasets that the file itself holds; links that leave it, and soft links, are not
/// followed.  An object with several names is listed under the first of them.
struct Contents {
  std::int64_t file_bytes = 0;
  std::vector<Description> groups;  ///< The root first.
  std::vector<DatasetDescription> datasets;
  std::vector<std::string> links;  ///< Paths of those that are not followed.

  const Description& root() const { return groups.front(); }
  const Description* group(const std::string& path) const;
  /// By any of its names.
  const DatasetDescription* dataset(const std::string& path) const;
};

/// Whether it says where along an axis of others something is.
bool is_coordinate(const Contents& contents, const DatasetDescription& dataset);

/// What a file may hold at most; more is an error.
struct ContentsLimits {
  int depth = 64;  ///< Levels of groups within groups.
  std::size_t objects = 200000;
  std::size_t attributes = 1000;  ///< Attributes of one object.
  std::int64_t chunk_bytes = std::int64_t{1} << 30;
};

/// Groups and datasets from one call of `tell` to the next.
inline constexpr std::size_t kObjectsPerTelling = 100;

/// Takes time that grows as the number of objects and attributes does, and calls `tell` now and
/// then.  \throws DataError for a file that is damaged or holds more than the limits allow.
Contents contents_of(const File& file, const ContentsLimits& limits = {},
                     const std::function<void()>& tell = {});

/// "/levels/0" + "step" = "/levels/0/step".
std::string join_path(const std::string& group, const std::string& name);

}  // namespace gaia::hdf5
