// SPDX-License-Identifier: MIT
#include "hdf5.h"

#include <hdf5.h>
#include <sys/stat.h>

#include <algorithm>
#include <new>
#include <utility>

#include "../core/error.h"
#include "../core/text.h"
#include "hdf5_calls.h"

namespace gaia::hdf5 {
namespace {

/// Before the first call, once.  HDF5's own printing is switched off, in every thread, each of
/// which has a setting of its own; and its clean-up when the program ends, which crashes on what a
/// full disk has left unwritten: our handles close themselves.  No file makes it load code: its
/// plugins are switched off too.
void prepare() {
  static const bool done = [] {
    H5dont_atexit();  // fails where the program has used HDF5 before; the rest is wanted even so
    return H5PLset_loading_state(0) >= 0;
  }();
  static thread_local const bool is_silent = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  (void)done;
  (void)is_silent;
}

/// Access properties of all files: the format in which SWMR works.
Handle file_access(const Place& place) {
  require_room();
  Handle access = own(H5Pcreate(H5P_FILE_ACCESS), place, "open");
  check(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110), place, "open");
  check(H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG), place, "open");
  return access;
}

/// The same of files that are written: numbers that lie in one piece go straight to the file, and
/// none are held back in a buffer until their dataset is closed.  HDF5's own locks are left out: by
/// them anyone who opens the file to read it while it is being laid out would end the run.  What is
/// written has no other writer (OutputLock), and its superblock keeps readers away until it has
/// begun.
Handle writing_access(const Place& place) {
  Handle access = file_access(place);
  check(H5Pset_file_locking(access.id(), false, true), place, "open");
  check(H5Pset_sieve_buf_size(access.id(), 0), place, "open");
  return access;
}

/// Whether what was written to a dataset may still be in memory; true where that cannot be told.
bool holds_back(const Handle& object) noexcept {
  if (object.id() < 0 || H5Iget_type(object.id()) != H5I_DATASET) return false;
  try {
    require_room();
  } catch (const std::bad_alloc&) {
    return true;
  }
  const Handle properties(H5Dget_create_plist(object.id()));
  const bool is_in_one_piece = H5Pget_layout(properties.id()) == H5D_CONTIGUOUS;
  H5Eclear2(H5E_DEFAULT);
  return !is_in_one_piece;
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

/// What a group holds itself, and what it has links to.
struct Names {
  std::vector<std::string> own;
  std::vector<std::string> linked;
};

Names names_in(const Handle& group, const Place& place) {
  Names names;
  hsize_t position = 0;
  check(H5Literate(
            group.id(), H5_INDEX_NAME, H5_ITER_NATIVE, &position,
            [](hid_t, const char* name, const H5L_info_t* link, void* data) -> herr_t {
              Names& found = *static_cast<Names*>(data);
              (link->type == H5L_TYPE_HARD ? found.own : found.linked).emplace_back(name);
              return 0;
            },
            &names),
        place, "list");
  std::sort(names.linked.begin(), names.linked.end(), natural_less);
  return names;
}

bool is_of_kind(const Handle& group, const std::string& name, H5O_type_t kind) {
  H5O_info_t info;
  const bool is_there = H5Oget_info_by_name(group.id(), name.c_str(), &info, H5P_DEFAULT) >= 0;
  H5Eclear2(H5E_DEFAULT);
  return is_there && info.type == kind;
}

std::vector<std::string> names_of_kind(const Handle& group, const Place& place, H5O_type_t kind) {
  std::vector<std::string> names = names_in(group, place).own;
  std::erase_if(names, [&](const std::string& name) { return !is_of_kind(group, name, kind); });
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

}  // namespace

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

Handle::~Handle() { close(); }

bool Handle::close() noexcept {
  const std::int64_t id = std::exchange(id_, -1);
  return id < 0 || H5Iis_valid(id) <= 0 || H5Idec_ref(id) >= 0;
}

// Objects

Object& Object::operator=(Object&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(place_, other.place_);
  return *this;
}

Object::~Object() { close_object(); }

void Object::close_object() noexcept {
  if (place_.writing == nullptr) {
    handle_.close();
    return;
  }
  // A dataset that cannot be written when it is closed stays in HDF5's list after it is gone, and
  // HDF5 crashes on it when it goes through the list for any other file.  So it is written first,
  // and one that could not be stays open.  (Where there is nothing to write, flushing would still
  // go through everything that HDF5 has in memory.)
  if (!place_.writing->has_failed && holds_back(handle_) && H5Dflush(handle_.id()) < 0) {
    note_failure(place_, "write");
  }
  if (place_.writing->has_failed) {
    handle_.leave();
  } else if (!handle_.close()) {
    note_failure(place_, "close");
  }
}

// Groups

Group Group::create_group(const std::string& name) {
  require_room();
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

void Group::link(const std::string& name, const std::string& path) {
  check(H5Lcreate_hard(handle_.id(), path.c_str(), handle_.id(), name.c_str(), H5P_DEFAULT,
                       H5P_DEFAULT),
        below(place_, name), "create");
}

Group Group::open_group(const std::string& name) const {
  const Place at = below(place_, name);
  return {own(H5Gopen2(handle_.id(), name.c_str(), H5P_DEFAULT), at, "open"), at};
}

Dataset Group::open_dataset(const std::string& path) const {
  const Place at = below(place_, path);
  Dataset dataset(own(H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT), at, "open"), at);
  // Chunks that HDF5's cache of 1 MiB does not hold would be unpacked anew for every few rows.
  constexpr std::int64_t usual = std::int64_t{1} << 20;
  constexpr std::int64_t most = std::int64_t{1} << 28;
  const std::int64_t needed = dataset.chunk_row_bytes();
  if (needed <= usual || needed > most) return dataset;
  const Handle access = own(H5Pcreate(H5P_DATASET_ACCESS), at, "open");
  check(H5Pset_chunk_cache(access.id(), 12421, static_cast<std::size_t>(needed), 1.0), at, "open");
  return {own(H5Dopen2(handle_.id(), path.c_str(), access.id()), at, "open"), at};
}

std::vector<std::string> Group::groups() const {
  return names_of_kind(handle_, place_, H5O_TYPE_GROUP);
}

std::vector<std::string> Group::datasets() const {
  return names_of_kind(handle_, place_, H5O_TYPE_DATASET);
}

std::vector<std::string> Group::links() const { return names_in(handle_, place_).linked; }

bool Group::has_group(const std::string& name) const {
  if (name.find('/') != std::string::npos) return false;
  H5L_info_t link;
  const bool is_there = H5Lget_info(handle_.id(), name.c_str(), &link, H5P_DEFAULT) >= 0;
  H5Eclear2(H5E_DEFAULT);
  return is_there && link.type == H5L_TYPE_HARD && is_of_kind(handle_, name, H5O_TYPE_GROUP);
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

File File::create(const std::string& path, const std::string& shown) {
  prepare();
  const Place place{shown.empty() ? path : shown, "/", std::make_shared<Condition>()};
  const Handle access = writing_access(place);
  const Handle creation = own(H5Pcreate(H5P_FILE_CREATE), place, "create");
  // Attributes stay in the object's header, however many, where SWMR readers find them.
  check(H5Pset_attr_phase_change(creation.id(), 64, 0), place, "create");
  // A process that is killed in the middle of a write has written whole pages of memory, and then
  // nothing.  What HDF5 keeps of the structure of a file is checked by hashes, each of which must
  // be as before or as after the write: so small pieces of it lie within one page each.
  constexpr hsize_t page = 4096;
  check(H5Pset_file_space_strategy(creation.id(), H5F_FSPACE_STRATEGY_PAGE, 0, 1), place, "create");
  check(H5Pset_file_space_page_size(creation.id(), page), place, "create");
  Handle file =
      own(H5Fcreate(path.c_str(), H5F_ACC_EXCL, creation.id(), access.id()), place, "create");
  Handle root = open_root(file, place);
  return {std::move(file), std::move(root), place};
}

File File::open(const std::string& path) {
  prepare();
  const Place place{path, "/"};
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
  prepare();
  const Place place{path, "/", std::make_shared<Condition>()};
  const Handle access = writing_access(place);
  Handle file = own(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()), place, "open");
  Handle root = open_root(file, place);
  return {std::move(file), std::move(root), place};
}

bool File::is_hdf5(const std::string& path) {
  prepare();
  const htri_t answer = H5Fis_hdf5(path.c_str());
  H5Eclear2(H5E_DEFAULT);
  return answer > 0;
}

std::int64_t File::bytes() const {
  // The length of the file itself, not what its superblock says of it.
  void* descriptor = nullptr;
  check(H5Fget_vfd_handle(file_.id(), H5P_DEFAULT, &descriptor), place_, "look at");
  struct stat status {};
  if (::fstat(*static_cast<const int*>(descriptor), &status) != 0) fail(place_, "look at");
  return status.st_size;
}

void File::start_swmr() {
  flush();
  check(H5Fstart_swmr_write(file_.id()), place_, "let readers look on");
}

void File::throw_if_failed() const {
  if (place_.writing == nullptr || !place_.writing->has_failed) return;
  const std::string& first = place_.writing->failure;
  throw OutputError(first.empty() ? place_.file + ": could not be written" : first);
}

void File::flush() {
  throw_if_failed();
  require_room();
  for (HeldRows* const rows : place_.writing->held) rows->write();
  check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), place_, "flush");
}

void File::close() {
  flush();
  close_object();
  throw_if_failed();
  if (!file_.close()) fail(place_, "close");
}

void File::abandon() noexcept {
  if (place_.writing != nullptr) place_.writing->has_failed = true;
}

File& File::operator=(File&& other) noexcept {
  Group::operator=(std::move(other));
  std::swap(file_, other.file_);
  return *this;
}

File::~File() {
  if (place_.writing != nullptr && place_.writing->has_failed) file_.leave();
}

}  // namespace gaia::hdf5
