// SPDX-License-Identifier: MIT
#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "hdf5_calls.h"

namespace gaia::hdf5 {
namespace {

Handle string_type(const Place& place) {
  Handle type = own(H5Tcopy(H5T_C_S1), place, "describe a text for");
  check(H5Tset_size(type.id(), H5T_VARIABLE), place, "describe a text for");
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), place, "describe a text for");
  return type;
}

/// Attributes that are replaced must be free of what they were.  Of no values there is no pointer.
void write_attribute(const Handle& object, const Place& place, const std::string& name,
                     hid_t stored, hid_t memory, hid_t space, const void* value) {
  require_room();
  const Place at = below(place, "@" + name);
  if (check(H5Aexists(object.id(), name.c_str()), at, "look for") > 0) {
    check(H5Adelete(object.id(), name.c_str()), at, "replace");
  }
  Handle attribute = own(
      H5Acreate2(object.id(), name.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT), at, "create");
  if (value != nullptr) check(H5Awrite(attribute.id(), memory, value), at, "write");
  if (!attribute.close()) fail(at, "write");
}

}  // namespace

void Object::set_attribute(const std::string& name, const std::string& value) {
  const Handle type = string_type(place_);
  const Handle space = own(H5Screate(H5S_SCALAR), place_, "write to");
  const char* text = value.c_str();
  write_attribute(handle_, place_, name, type.id(), type.id(), space.id(), &text);
}

void Object::set_attribute(const std::string& name, const char* value) {
  set_attribute(name, std::string(value));
}

void Object::set_attribute(const std::string& name, std::int64_t value) {
  const Handle space = own(H5Screate(H5S_SCALAR), place_, "write to");
  write_attribute(handle_, place_, name, H5T_STD_I64LE, H5T_NATIVE_INT64, space.id(), &value);
}

void Object::set_attribute(const std::string& name, double value) {
  const Handle space = own(H5Screate(H5S_SCALAR), place_, "write to");
  write_attribute(handle_, place_, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space.id(), &value);
}

void Object::set_attribute(const std::string& name, const std::vector<std::string>& values) {
  const Handle type = string_type(place_);
  const hsize_t count = values.size();
  const Handle space = own(H5Screate_simple(1, &count, nullptr), place_, "write to");
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  write_attribute(handle_, place_, name, type.id(), type.id(), space.id(),
                  texts.empty() ? nullptr : texts.data());
}

std::uint64_t Object::address() const {
  H5O_info_t info;
  check(H5Oget_info2(handle_.id(), &info, H5O_INFO_BASIC), place_, "look at");
  return info.addr;
}

void Object::take_attributes(const Object& from) {
  constexpr const char* of_coordinates[] = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST"};
  for (const std::string& name : from.attribute_names()) {
    if (std::find(std::begin(of_coordinates), std::end(of_coordinates), name) !=
        std::end(of_coordinates)) {
      continue;
    }
    const Place at = below(from.place(), "@" + name);
    const Handle attribute = own(H5Aopen(from.id(), name.c_str(), H5P_DEFAULT), at, "open");
    const Handle type = own(H5Aget_type(attribute.id()), at, "read the type of");
    const Handle space = own(H5Aget_space(attribute.id()), at, "look at");
    // Attributes lie in the header of their object, which has no more room than this.
    constexpr std::size_t most = 1 << 20;
    const auto count =
        static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space.id()), at, "look at"));
    const std::size_t size = H5Tget_size(type.id());
    if (size == 0 || count > most / size) fail(at, "use the size of");
    std::vector<char> values(count * size + 1);
    if (count > 0) check(H5Aread(attribute.id(), type.id(), values.data()), at, "read from");
    write_attribute(handle_, place_, name, type.id(), type.id(), space.id(),
                    count > 0 ? values.data() : nullptr);
    if (count > 0) H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, values.data());
  }
}

bool Object::has_attribute(const std::string& name) const {
  return check(H5Aexists(handle_.id(), name.c_str()), place_, "look at") > 0;
}

std::vector<std::string> Object::attribute_names() const {
  std::vector<std::string> names;
  hsize_t position = 0;
  check(H5Aiterate2(
            handle_.id(), H5_INDEX_NAME, H5_ITER_NATIVE, &position,
            [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
              static_cast<std::vector<std::string>*>(data)->emplace_back(name);
              return 0;
            },
            &names),
        place_, "list the attributes of");
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

/// An attribute opened for reading, if it is a scalar of the class wanted.
struct ReadAttribute {
  Handle attribute;
  Handle type;

  ReadAttribute(const Object& object, const std::string& name) {
    const Place at = below(object.place(), "@" + name);
    if (!object.has_attribute(name)) return;
    attribute = own(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), at, "open");
    const Handle space = own(H5Aget_space(attribute.id()), at, "open");
    if (H5Sget_simple_extent_npoints(space.id()) != 1) return;
    type = own(H5Aget_type(attribute.id()), at, "open");
  }

  bool is(H5T_class_t kind) const { return type.id() >= 0 && H5Tget_class(type.id()) == kind; }

  template <class T>
  std::optional<T> read(const Object& object) const {
    T value{};
    check(H5Aread(attribute.id(), memory_type<T>(), &value), object.place(), "read from");
    return value;
  }
};

}  // namespace

std::optional<std::string> Object::text_attribute(const std::string& name) const {
  const ReadAttribute found(*this, name);
  if (!found.is(H5T_STRING)) return std::nullopt;
  if (H5Tis_variable_str(found.type.id()) > 0) {
    char* text = nullptr;
    const Handle memory = own(H5Tcopy(found.type.id()), place_, "read from");
    check(H5Aread(found.attribute.id(), memory.id(), &text), place_, "read from");
    std::string value = text == nullptr ? "" : text;
    H5free_memory(text);
    return value;
  }
  std::vector<char> text(H5Tget_size(found.type.id()) + 1, '\0');
  const Handle memory = own(H5Tcopy(found.type.id()), place_, "read from");
  check(H5Aread(found.attribute.id(), memory.id(), text.data()), place_, "read from");
  return std::string(text.data());
}

std::optional<std::vector<std::string>> Object::texts_attribute(const std::string& name) const {
  constexpr hssize_t most = 100000;
  constexpr std::size_t most_bytes = std::size_t{1} << 24;
  if (!has_attribute(name)) return std::nullopt;
  const Place at = below(place_, "@" + name);
  const Handle attribute = own(H5Aopen(handle_.id(), name.c_str(), H5P_DEFAULT), at, "open");
  const Handle space = own(H5Aget_space(attribute.id()), at, "open");
  const Handle type = own(H5Aget_type(attribute.id()), at, "open");
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  const bool fits = H5Sget_simple_extent_ndims(space.id()) == 1 && count >= 0 && count <= most &&
                    H5Tget_class(type.id()) == H5T_STRING;
  if (!fits) return std::nullopt;
  std::vector<std::string> values;
  if (H5Tis_variable_str(type.id()) <= 0) {
    const std::size_t size = H5Tget_size(type.id());
    if (size == 0 || static_cast<std::size_t>(count) > most_bytes / size) return std::nullopt;
    std::vector<char> texts(static_cast<std::size_t>(count) * size + 1);
    if (count > 0) check(H5Aread(attribute.id(), type.id(), texts.data()), at, "read from");
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const char* text = texts.data() + i * size;
      values.emplace_back(text, strnlen(text, size));
    }
    return values;
  }
  std::vector<char*> texts(static_cast<std::size_t>(count), nullptr);
  if (count > 0) check(H5Aread(attribute.id(), type.id(), texts.data()), at, "read from");
  for (char* text : texts) {
    values.emplace_back(text == nullptr ? "" : text);
    H5free_memory(text);
  }
  return values;
}

std::optional<std::int64_t> Object::integer_attribute(const std::string& name) const {
  const ReadAttribute found(*this, name);
  if (!found.is(H5T_INTEGER)) return std::nullopt;
  return found.read<std::int64_t>(*this);
}

template <class T>
std::optional<std::vector<T>> Object::list_attribute(const std::string& name) const {
  constexpr hssize_t most = 100;
  if (!has_attribute(name)) return std::nullopt;
  const Place at = below(place_, "@" + name);
  const Handle attribute = own(H5Aopen(handle_.id(), name.c_str(), H5P_DEFAULT), at, "open");
  const Handle space = own(H5Aget_space(attribute.id()), at, "open");
  const Handle type = own(H5Aget_type(attribute.id()), at, "open");
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  const bool fits =
      H5Sget_simple_extent_ndims(space.id()) == 1 && count >= 1 && count <= most &&
      H5Tget_class(type.id()) == (std::is_same_v<T, std::int64_t> ? H5T_INTEGER : H5T_FLOAT);
  if (!fits) return std::nullopt;
  std::vector<T> values(static_cast<std::size_t>(count));
  check(H5Aread(attribute.id(), memory_type<T>(), values.data()), at, "read from");
  return values;
}
template std::optional<std::vector<std::int64_t>> Object::list_attribute(const std::string&) const;
template std::optional<std::vector<double>> Object::list_attribute(const std::string&) const;

std::optional<double> Object::number_attribute(const std::string& name) const {
  const ReadAttribute found(*this, name);
  if (!found.is(H5T_FLOAT) && !found.is(H5T_INTEGER)) return std::nullopt;
  return found.read<double>(*this);
}

}  // namespace gaia::hdf5
