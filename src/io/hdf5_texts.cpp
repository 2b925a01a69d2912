// SPDX-License-Identifier: MIT
/// \file
/// Texts of the datasets of hdf5.h: of any length, as h5py writes str, or all of one.
#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "../core/error.h"
#include "hdf5_calls.h"

namespace gaia::hdf5 {
namespace {

/// Longest text of a dataset in which all have one length.
constexpr std::size_t kLongestFixed = std::size_t{1} << 16;

void put_cell(std::string_view text, char* cell) {
  const std::uint64_t length = text.size();
  std::memcpy(cell, &length, sizeof length);
  std::memset(cell + sizeof length, 0, kTextCell - sizeof length);
  std::copy_n(text.data(), std::min(text.size(), kTextCell - sizeof length), cell + sizeof length);
}

/// A text of fixed length, without what fills it up.
std::string_view fixed_text(const char* bytes, std::size_t size, H5T_str_t padding) {
  std::string_view text(bytes, size);
  if (padding == H5T_STR_SPACEPAD) {
    return text.substr(0, text.find_last_not_of(std::string_view(" \0", 2)) + 1);
  }
  return text.substr(0, text.find('\0'));
}

/// The texts of HDF5's own memory, given back when they are read.
class VariableTexts {
 public:
  VariableTexts(std::int64_t type, std::int64_t space, std::size_t count)
      : type_(type), space_(space), texts_(count, nullptr) {}
  ~VariableTexts() { H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, texts_.data()); }
  VariableTexts(const VariableTexts&) = delete;
  VariableTexts& operator=(const VariableTexts&) = delete;

  char** data() { return texts_.data(); }
  std::string_view text(std::size_t i) const {
    return texts_[i] == nullptr ? std::string_view() : std::string_view(texts_[i]);
  }

 private:
  std::int64_t type_;
  std::int64_t space_;
  std::vector<char*> texts_;
};

}  // namespace

bool Dataset::holds_texts() const {
  const Handle stored = own(H5Dget_type(handle_.id()), place_, "read the type of");
  return H5Tget_class(stored.id()) == H5T_STRING;
}

void Dataset::read_texts(std::int64_t first, std::int64_t rows, char* cells) const {
  if (rows == 0) return;
  const Handle stored = own(H5Dget_type(handle_.id()), place_, "read the type of");
  if (H5Tget_class(stored.id()) != H5T_STRING || shape().size() != 1) {
    throw DataError(place_.file + ": " + place_.path + ": expected texts of one axis");
  }
  const RowSelection rows_of(handle_.id(), place_, first, rows);
  const auto count = static_cast<std::size_t>(rows);
  if (check(H5Tis_variable_str(stored.id()), place_, "read the type of") > 0) {
    const Handle type = own(H5Tcopy(H5T_C_S1), place_, "read from");
    check(H5Tset_size(type.id(), H5T_VARIABLE), place_, "read from");
    check(H5Tset_cset(type.id(), H5Tget_cset(stored.id())), place_, "read from");
    VariableTexts texts(type.id(), rows_of.memory.id(), count);
    check(H5Dread(handle_.id(), type.id(), rows_of.memory.id(), rows_of.stored.id(), H5P_DEFAULT,
                  texts.data()),
          place_, "read from");
    for (std::size_t i = 0; i < count; ++i) put_cell(texts.text(i), cells + i * kTextCell);
    return;
  }
  const std::size_t size = H5Tget_size(stored.id());
  if (size < 1 || size > kLongestFixed) {
    throw DataError(place_.file + ": " + place_.path + ": expected texts of at most " +
                    std::to_string(kLongestFixed) + " bytes, got " + std::to_string(size));
  }
  std::vector<char> bytes(count * size);
  check(H5Dread(handle_.id(), stored.id(), rows_of.memory.id(), rows_of.stored.id(), H5P_DEFAULT,
                bytes.data()),
        place_, "read from");
  const H5T_str_t padding = H5Tget_strpad(stored.id());
  for (std::size_t i = 0; i < count; ++i) {
    put_cell(fixed_text(bytes.data() + i * size, size, padding), cells + i * kTextCell);
  }
}

}  // namespace gaia::hdf5
