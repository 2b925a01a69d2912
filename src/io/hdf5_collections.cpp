// SPDX-License-Identifier: MIT
/// \file
/// Datasets that are not plain numbers of the file itself: lists of texts, and views of other
/// files.
#include <hdf5.h>

#include <cmath>

#include "hdf5_calls.h"

namespace gaia::hdf5 {
namespace {

Handle space_of(const std::vector<hsize_t>& shape, const Place& place) {
  return own(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), place,
             "lay out");
}

}  // namespace

Dataset Group::create_texts(const std::string& name, const std::vector<std::string>& values) {
  const Place at = below(place_, name);
  const Handle type = own(H5Tcopy(H5T_C_S1), at, "lay out");
  check(H5Tset_size(type.id(), H5T_VARIABLE), at, "lay out");
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), at, "lay out");
  const Handle space = space_of({values.size()}, at);
  Handle made = own(H5Dcreate2(handle_.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT),
                    at, "create");
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  if (!texts.empty()) {
    check(H5Dwrite(made.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()), at,
          "write to");
  }
  return {std::move(made), at};
}

Dataset Group::create_virtual(const std::string& name, Type type,
                              const std::vector<std::int64_t>& shape,
                              const std::vector<VirtualSource>& sources) {
  const Place at = below(place_, name);
  const std::vector<hsize_t> one(shape.begin(), shape.end());
  std::vector<hsize_t> all = one;
  all.insert(all.begin(), sources.size());
  const Handle source_space = space_of(one, at);
  const Handle space = space_of(all, at);
  const Handle creation = own(H5Pcreate(H5P_DATASET_CREATE), at, "lay out");
  const bool floats = type == Type::float32 || type == Type::float64;
  const double nowhere = floats ? std::nan("") : -1.0;
  check(H5Pset_fill_value(creation.id(), H5T_NATIVE_DOUBLE, &nowhere), at, "lay out");
  std::vector<hsize_t> start(all.size(), 0);
  std::vector<hsize_t> count = all;
  count.front() = 1;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].file.empty()) continue;
    start.front() = i;
    check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                              nullptr),
          at, "lay out");
    check(H5Pset_virtual(creation.id(), space.id(), sources[i].file.c_str(),
                         sources[i].dataset.c_str(), source_space.id()),
          at, "lay out");
  }
  const Handle whole = space_of(all, at);
  return {own(H5Dcreate2(handle_.id(), name.c_str(), file_type(type), whole.id(), H5P_DEFAULT,
                         creation.id(), H5P_DEFAULT),
              at, "create"),
          at};
}

}  // namespace gaia::hdf5
