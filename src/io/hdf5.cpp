// SPDX-License-Identifier: MIT
#include "hdf5.h"

#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "../core/checked.h"
#include "../core/error.h"
#include "../core/text.h"

namespace gaia::hdf5 {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

// Errors

/// Switches HDF5's own printing off, once.
void silence() {
  static const bool done = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  (void)done;
}

/// The innermost entry of HDF5's error stack, which is where something went wrong.
std::string reason() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* entry, void* data) -> herr_t {
        auto& first = *static_cast<std::string*>(data);
        if (first.empty() && entry->desc != nullptr) first = entry->desc;
        return 0;
      },
      &text);
  H5Eclear2(H5E_DEFAULT);
  return printable(text.empty() ? "unknown reason" : text);
}

[[noreturn]] void fail(const Place& place, const std::string& what) {
  std::string message = place.file + ": cannot " + what;
  if (!place.path.empty() && place.path != "/") message += " " + place.path;
  message += " (HDF5: " + reason() + ")";
  if (place.writing) throw OutputError(message);
  throw DataError(message);
}

/// A negative result of any HDF5 call becomes an error.
template <class T>
T check(T result, const Place& place, const char* what) {
  if (result < 0) fail(place, what);
  return result;
}

Handle own(hid_t id, const Place& place, const char* what) {
  return Handle(check(id, place, what));
}

Place below(const Place& place, const std::string& name) {
  Place child = place;
  if (!name.empty() && name.front() == '/') {
    child.path = name;
  } else {
    child.path = (place.path == "/" ? "" : place.path) + "/" + name;
  }
  return child;
}

// Types

hid_t file_type(Type type) {
  switch (type) {
    case Type::int32:
      return H5T_STD_I32LE;
    case Type::int64:
      return H5T_STD_I64LE;
    case Type::uint8:
      return H5T_STD_U8LE;
    case Type::float32:
      return H5T_IEEE_F32LE;
    case Type::float64:
      return H5T_IEEE_F64LE;
    case Type::other:
      break;
  }
  return -1;
}

template <class T>
hid_t memory_type();
template <>
hid_t memory_type<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
hid_t memory_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
hid_t memory_type<std::uint8_t>() {
  return H5T_NATIVE_UINT8;
}
template <>
hid_t memory_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
hid_t memory_type<double>() {
  return H5T_NATIVE_DOUBLE;
}

/// Our name for a stored type; integers and floats that convert without loss have the next larger
/// one.
Type type_of(hid_t id) {
  const H5T_class_t kind = H5Tget_class(id);
  const std::size_t size = H5Tget_size(id);
  if (kind == H5T_FLOAT && size <= 8) return size <= 4 ? Type::float32 : Type::float64;
  if (kind == H5T_INTEGER && size <= 8) {
    const bool is_signed = H5Tget_sign(id) == H5T_SGN_2;
    if (size == 1 && !is_signed) return Type::uint8;
    return size < 4 || (size == 4 && is_signed) ? Type::int32 : Type::int64;
  }
  return Type::other;
}

std::vector<hsize_t> to_hsize(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

Handle string_type(const Place& place) {
  Handle type = own(H5Tcopy(H5T_C_S1), place, "describe a text for");
  check(H5Tset_size(type.id(), H5T_VARIABLE), place, "describe a text for");
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), place, "describe a text for");
  return type;
}

/// Attributes that are replaced must be free of what they were.
void write_attribute(const Handle& object, const Place& place, const std::string& name,
                     hid_t stored, hid_t memory, hid_t space, const void* value) {
  const Place at = below(place, "@" + name);
  if (check(H5Aexists(object.id(), name.c_str()), at, "look for") > 0) {
    check(H5Adelete(object.id(), name.c_str()), at, "replace");
  }
  const Handle attribute = own(
      H5Acreate2(object.id(), name.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT), at, "create");
  check(H5Awrite(attribute.id(), memory, value), at, "write");
}

/// Access properties of all files: the format in which SWMR works, and no locks of HDF5's own on
/// files that are only read.
Handle file_access(const Place& place) {
  Handle access = own(H5Pcreate(H5P_FILE_ACCESS), place, "open");
  check(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110), place, "open");
  check(H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG), place, "open");
  return access;
}

Handle open_root(const Handle& file, const Place& place) {
  return own(H5Gopen2(file.id(), "/", H5P_DEFAULT), place, "open");
}

/// Names order as people count: "2" before "10".
bool natural_less(const std::string& a, const std::string& b) {
  const auto left = parse_integer(a);
  const auto right = parse_integer(b);
  if (left && right) return *left < *right;
  if (left.has_value() != right.has_value()) return left.has_value();
  return a < b;
}

std::vector<std::string> names_of_kind(const Handle& group, const Place& place, H5O_type_t kind) {
  std::vector<std::string> names;
  hsize_t position = 0;
  check(H5Literate(
            group.id(), H5_INDEX_NAME, H5_ITER_NATIVE, &position,
            [](hid_t, const char* name, const H5L_info_t* link, void* data) -> herr_t {
              if (link->type == H5L_TYPE_HARD) {
                static_cast<std::vector<std::string>*>(data)->emplace_back(name);
              }
              return 0;
            },
            &names),
        place, "list");
  std::erase_if(names, [&](const std::string& name) {
    H5O_info_t info;
    return H5Oget_info_by_name(group.id(), name.c_str(), &info, H5P_DEFAULT) < 0 ||
           info.type != kind;
  });
  H5Eclear2(H5E_DEFAULT);
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

}  // namespace

std::int64_t size_of(Type type) {
  switch (type) {
    case Type::uint8:
      return 1;
    case Type::int32:
    case Type::float32:
      return 4;
    case Type::int64:
    case Type::float64:
    case Type::other:
      break;
  }
  return 8;
}

std::string library_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

Handle::Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(id_, other.id_);
  return *this;
}

Handle::~Handle() {
  if (id_ >= 0 && H5Iis_valid(id_) > 0) H5Idec_ref(id_);
}

// Attributes

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
  write_attribute(handle_, place_, name, type.id(), type.id(), space.id(), texts.data());
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

std::optional<std::int64_t> Object::integer_attribute(const std::string& name) const {
  const ReadAttribute found(*this, name);
  if (!found.is(H5T_INTEGER)) return std::nullopt;
  return found.read<std::int64_t>(*this);
}

std::optional<double> Object::number_attribute(const std::string& name) const {
  const ReadAttribute found(*this, name);
  if (!found.is(H5T_FLOAT) && !found.is(H5T_INTEGER)) return std::nullopt;
  return found.read<double>(*this);
}

// Datasets

Dataset::Dataset(Handle handle, Place place) : Object(std::move(handle), std::move(place)) {
  const Handle stored = own(H5Dget_type(handle_.id()), place_, "read the type of");
  type_ = type_of(stored.id());
}

std::vector<std::int64_t> Dataset::shape() const {
  if (!place_.writing) check(H5Drefresh(handle_.id()), place_, "look at");
  const Handle space = own(H5Dget_space(handle_.id()), place_, "look at");
  const int rank = check(H5Sget_simple_extent_ndims(space.id()), place_, "look at");
  std::vector<hsize_t> lengths(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space.id(), lengths.data(), nullptr), place_, "look at");
  std::vector<std::int64_t> shape;
  for (const hsize_t length : lengths) {
    if (length > static_cast<hsize_t>(std::numeric_limits<std::int64_t>::max())) {
      fail(place_, "use the size of");
    }
    shape.push_back(static_cast<std::int64_t>(length));
  }
  return shape;
}

std::int64_t Dataset::stored_bytes() const {
  return static_cast<std::int64_t>(H5Dget_storage_size(handle_.id()));
}

void Dataset::resize(std::int64_t length) {
  std::vector<hsize_t> lengths = to_hsize(shape());
  lengths.front() = static_cast<hsize_t>(length);
  check(H5Dset_extent(handle_.id(), lengths.data()), place_, "resize");
}

namespace {

/// The rows [first, first + rows) of a dataset, selected in its space, and a space for them in
/// memory.
struct RowSelection {
  Handle stored;
  Handle memory;

  RowSelection(std::int64_t dataset, const Place& place, std::int64_t first, std::int64_t rows) {
    stored = own(H5Dget_space(dataset), place, "select from");
    const int rank = H5Sget_simple_extent_ndims(stored.id());
    if (rank == 0) {
      memory = own(H5Screate(H5S_SCALAR), place, "select from");
      return;
    }
    std::vector<hsize_t> count(static_cast<std::size_t>(rank));
    check(H5Sget_simple_extent_dims(stored.id(), count.data(), nullptr), place, "select from");
    std::vector<hsize_t> start(count.size(), 0);
    start.front() = static_cast<hsize_t>(first);
    count.front() = static_cast<hsize_t>(rows);
    check(H5Sselect_hyperslab(stored.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                              nullptr),
          place, "select from");
    memory = own(H5Screate_simple(rank, count.data(), nullptr), place, "select from");
  }
};

}  // namespace

template <class T>
void Dataset::write_rows(std::int64_t first, std::int64_t rows, const T* values) {
  if (rows == 0) return;
  const RowSelection rows_of(handle_.id(), place_, first, rows);
  check(H5Dwrite(handle_.id(), memory_type<T>(), rows_of.memory.id(), rows_of.stored.id(),
                 H5P_DEFAULT, values),
        place_, "write to");
}

template <class T>
void Dataset::write(std::span<const T> values) {
  if (values.empty()) return;
  check(H5Dwrite(handle_.id(), memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
        place_, "write to");
}

template <class T>
void Dataset::read_rows(std::int64_t first, std::int64_t rows, T* values) const {
  if (rows == 0) return;
  const RowSelection rows_of(handle_.id(), place_, first, rows);
  check(H5Dread(handle_.id(), memory_type<T>(), rows_of.memory.id(), rows_of.stored.id(),
                H5P_DEFAULT, values),
        place_, "read from");
}

template <class T>
std::vector<T> Dataset::read() const {
  std::int64_t count = 1;
  for (const std::int64_t length : shape()) {
    const auto product = checked_multiply(count, length);
    // What is claimed must be there: an array in memory has at most 2^40 bytes.
    if (!product || *product > (std::int64_t{1} << 40) / static_cast<std::int64_t>(sizeof(T))) {
      throw DataError(place_.file + ": " + place_.path + " claims more numbers than can be read");
    }
    count = *product;
  }
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0) {
    check(H5Dread(handle_.id(), memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          place_, "read from");
  }
  return values;
}

#define GAIA_INSTANTIATE(T)                                                \
  template void Dataset::write_rows(std::int64_t, std::int64_t, const T*); \
  template void Dataset::write(std::span<const T>);                        \
  template void Dataset::read_rows(std::int64_t, std::int64_t, T*) const;  \
  template std::vector<T> Dataset::read() const;
GAIA_INSTANTIATE(std::int32_t)
GAIA_INSTANTIATE(std::int64_t)
GAIA_INSTANTIATE(std::uint8_t)
GAIA_INSTANTIATE(float)
GAIA_INSTANTIATE(double)
#undef GAIA_INSTANTIATE

void Dataset::flush() { check(H5Dflush(handle_.id()), place_, "flush"); }

void Dataset::make_scale(const std::string& name) {
  check(H5DSset_scale(handle_.id(), name.c_str()), place_, "make a coordinate of");
}

void Dataset::attach_scale(int axis, const Dataset& scale) {
  check(H5DSattach_scale(handle_.id(), scale.handle_.id(), static_cast<unsigned>(axis)), place_,
        "attach a coordinate to");
}

std::vector<std::string> Dataset::scales() const {
  const std::size_t rank = shape().size();
  std::vector<std::string> names(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    H5DSiterate_scales(
        handle_.id(), static_cast<unsigned>(axis), nullptr,
        [](hid_t, unsigned, hid_t scale, void* data) -> herr_t {
          char name[256] = "";
          if (H5Iget_name(scale, name, sizeof name) > 0) {
            const char* slash = std::strrchr(name, '/');
            *static_cast<std::string*>(data) = slash == nullptr ? name : slash + 1;
          }
          return 1;
        },
        &names[axis]);
  }
  H5Eclear2(H5E_DEFAULT);
  return names;
}

std::string Dataset::foreign_storage() const {
  const Handle properties = own(H5Dget_create_plist(handle_.id()), place_, "look at");
  if (H5Pget_external_count(properties.id()) > 0) return "external files";
  if (H5Pget_layout(properties.id()) == H5D_VIRTUAL) return "other files (a virtual dataset)";
  return {};
}

// Groups

Group Group::create_group(const std::string& name) {
  const Place at = below(place_, name);
  return {own(H5Gcreate2(handle_.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), at,
              "create"),
          at};
}

Group Group::nested(const std::string& path) {
  const std::size_t cut = path.find('/');
  const std::string name = path.substr(0, cut);
  Group child = has_group(name) ? open_group(name) : create_group(name);
  return cut == std::string::npos ? std::move(child) : child.nested(path.substr(cut + 1));
}

Group Group::open_group(const std::string& name) const {
  const Place at = below(place_, name);
  return {own(H5Gopen2(handle_.id(), name.c_str(), H5P_DEFAULT), at, "open"), at};
}

Dataset Group::open_dataset(const std::string& path) const {
  const Place at = below(place_, path);
  return {own(H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT), at, "open"), at};
}

Dataset Group::create_dataset(const std::string& name, const Layout& layout) {
  const Place at = below(place_, name);
  const auto rank = static_cast<int>(layout.shape.size());
  std::vector<hsize_t> shape = to_hsize(layout.shape);
  std::vector<hsize_t> limits = shape;
  if (layout.can_grow) limits.front() = H5S_UNLIMITED;
  const Handle space =
      own(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape.data(), limits.data()),
          at, "lay out");
  const Handle creation = own(H5Pcreate(H5P_DATASET_CREATE), at, "lay out");
  const Handle access = own(H5Pcreate(H5P_DATASET_ACCESS), at, "lay out");
  if (!layout.chunk.empty()) {
    const std::vector<hsize_t> chunk = to_hsize(layout.chunk);
    check(H5Pset_chunk(creation.id(), rank, chunk.data()), at, "lay out");
    std::size_t bytes = static_cast<std::size_t>(size_of(layout.type));
    for (const hsize_t length : chunk) bytes *= length;
    // A chunk that does not fit into the cache is read and compressed anew at every write.
    const std::size_t cache = std::max<std::size_t>(2 * bytes, 1 << 20);
    check(H5Pset_chunk_cache(access.id(), 521, cache, 1.0), at, "lay out");
    if (layout.deflate > 0) {
      check(H5Pset_shuffle(creation.id()), at, "lay out");
      check(H5Pset_deflate(creation.id(), static_cast<unsigned>(layout.deflate)), at, "lay out");
    }
  } else {
    // In place from the start, so that SWMR writes only fill it.
    check(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY), at, "lay out");
  }
  const double nan = std::nan("");
  if (layout.type == Type::float32 || layout.type == Type::float64) {
    check(H5Pset_fill_value(creation.id(), H5T_NATIVE_DOUBLE, &nan), at, "lay out");
  }
  check(H5Pset_attr_phase_change(creation.id(), 64, 0), at, "lay out");
  return {own(H5Dcreate2(handle_.id(), name.c_str(), file_type(layout.type), space.id(),
                         H5P_DEFAULT, creation.id(), access.id()),
              at, "create"),
          at};
}

std::vector<std::string> Group::groups() const {
  return names_of_kind(handle_, place_, H5O_TYPE_GROUP);
}

std::vector<std::string> Group::datasets() const {
  return names_of_kind(handle_, place_, H5O_TYPE_DATASET);
}

bool Group::has_group(const std::string& name) const {
  const std::vector<std::string> names = groups();
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool Group::has_dataset(const std::string& path) const {
  const hid_t id = H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT);
  H5Eclear2(H5E_DEFAULT);
  if (id < 0) return false;
  H5Dclose(id);
  return true;
}

// Files

File::File(Handle file, Handle root, Place place)
    : Group(std::move(root), std::move(place)), file_(std::move(file)) {}

File File::create(const std::string& path) {
  silence();
  const Place place{path, "/", true};
  const Handle access = file_access(place);
  const Handle creation = own(H5Pcreate(H5P_FILE_CREATE), place, "create");
  // Attributes stay in the object's header, however many, where SWMR readers find them.
  check(H5Pset_attr_phase_change(creation.id(), 64, 0), place, "create");
  Handle file =
      own(H5Fcreate(path.c_str(), H5F_ACC_EXCL, creation.id(), access.id()), place, "create");
  Handle root = open_root(file, place);
  return {std::move(file), std::move(root), place};
}

File File::open(const std::string& path) {
  silence();
  const Place place{path, "/", false};
  const Handle access = file_access(place);
  hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id());
  if (id < 0) {
    H5Eclear2(H5E_DEFAULT);
    id = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.id());
  }
  Handle file = own(id, place, "open");
  Handle root = open_root(file, place);
  return {std::move(file), std::move(root), place};
}

File File::modify(const std::string& path) {
  silence();
  const Place place{path, "/", true};
  const Handle access = file_access(place);
  Handle file = own(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()), place, "open");
  Handle root = open_root(file, place);
  return {std::move(file), std::move(root), place};
}

bool File::is_hdf5(const std::string& path) {
  silence();
  const htri_t answer = H5Fis_hdf5(path.c_str());
  H5Eclear2(H5E_DEFAULT);
  return answer > 0;
}

void File::start_swmr() {
  check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), place_, "flush");
  check(H5Fstart_swmr_write(file_.id()), place_, "let readers look on");
}

void File::flush() { check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), place_, "flush"); }

void File::close() {
  flush();
  handle_ = Handle();
  const Handle closing = std::move(file_);
  check(H5Idec_ref(closing.id()), place_, "close");
}

}  // namespace gaia::hdf5
