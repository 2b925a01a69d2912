// SPDX-License-Identifier: MIT
/// \file
/// HDF5 files, groups and datasets as values that close themselves; no HDF5 type shows here.
///
/// Files open for writing throw OutputError, files open for reading DataError; the message names
/// the file, the object and HDF5's own reason.  Every return code is checked.
///
/// Closing writes what is still in memory.  Objects that close themselves cannot throw, so what
/// fails then is kept and thrown by File::close(), without which nothing written is safe.  After
/// the first failure of a file that is written HDF5 is not let near it any more: it crashes on what
/// it could not write.  What is open of the file stays open until the program ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gaia::hdf5 {

/// `text` stands in requests only, where texts are read in cells: a dataset of texts is of type
/// other.
enum class Type { int32, int64, uint8, float32, float64, other, text };

/// Bytes of a text as it is passed on: its length in 8 bytes, then as much of it as there is room
/// for.
constexpr std::size_t kTextCell = 264;

std::int64_t size_of(Type type);

/// Owns an HDF5 identifier.
class Handle {
 public:
  Handle() = default;
  explicit Handle(std::int64_t id) : id_(id) {}
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  ~Handle();

  std::int64_t id() const { return id_; }

  /// Whether that went well; there is nothing left to close afterwards in either case.
  bool close() noexcept;
  /// Never closes it.
  void leave() noexcept { id_ = -1; }

 private:
  std::int64_t id_ = -1;
};

class OpenChunk;
struct Packing;

/// Rows that a dataset keeps until their chunk is full, or it is flushed.
class HeldRows {
 public:
  virtual ~HeldRows() = default;
  virtual void write() = 0;
};

/// What became of a file that is written; its objects share it.
struct Condition {
  bool has_failed = false;
  std::string failure;  ///< What failed first; may be empty for want of memory.
  std::vector<HeldRows*> held = {};
};

/// The place of an object, for messages, and the error that its failures are.
struct Place {
  std::string file;
  std::string path;
  std::shared_ptr<Condition> writing = {};  ///< Null: the file is only read.
};

/// Attributes, which files, groups and datasets all have.
class Object {
 public:
  /// Scalar attributes; a string is written with variable length in UTF-8.  An attribute that
  /// exists is replaced.
  void set_attribute(const std::string& name, const std::string& value);
  void set_attribute(const std::string& name, const char* value);
  void set_attribute(const std::string& name, std::int64_t value);
  void set_attribute(const std::string& name, double value);
  void set_attribute(const std::string& name, const std::vector<std::string>& values);

  /// Sets every attribute that `from` has, of another file, but for those that make coordinates.
  void take_attributes(const Object& from);

  bool has_attribute(const std::string& name) const;
  std::vector<std::string> attribute_names() const;
  /// Nothing if there is no such attribute, or it is of another kind.
  std::optional<std::string> text_attribute(const std::string& name) const;
  /// A list of texts of variable length, as set_attribute writes it.
  std::optional<std::vector<std::string>> texts_attribute(const std::string& name) const;
  std::optional<std::int64_t> integer_attribute(const std::string& name) const;
  std::optional<double> number_attribute(const std::string& name) const;
  /// A list of up to 100 numbers: T is std::int64_t for integers, double for floating numbers.
  template <class T>
  std::optional<std::vector<T>> list_attribute(const std::string& name) const;

  /// Tells the objects of a file apart, whatever their names.
  std::uint64_t address() const;

  const Place& place() const { return place_; }
  std::int64_t id() const { return handle_.id(); }

  Object(Object&& other) noexcept = default;
  Object& operator=(Object&& other) noexcept;

 protected:
  Object(Handle handle, Place place) : handle_(std::move(handle)), place_(std::move(place)) {}
  ~Object();

  /// Closes the object; a failure is kept in the condition of its file.
  void close_object() noexcept;

  Handle handle_;
  Place place_;
};

/// How a dataset is laid out.  Without `chunk` it is contiguous and of fixed size.
struct Layout {
  Type type = Type::float64;
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> chunk = {};
  bool can_grow = false;  ///< Along the first axis, without limit.
  int deflate = 0;        ///< 0-9, after shuffling; needs `chunk`.
};

/// The place of a part of a virtual dataset.
struct VirtualSource {
  std::string file;     ///< Relative to the folder of the file that shows it; empty: nowhere.
  std::string dataset;  ///< "/levels/0/representation"
};

/// What was flushed of a file that is written, other processes can read; this one not before it is
/// closed (hdf5_chunks.h).
class Dataset : public Object {
 public:
  Dataset(Dataset&& other) noexcept;
  Dataset& operator=(Dataset&& other) noexcept;
  ~Dataset();

  Type type() const { return type_; }
  /// The current shape, for readers of a file that grows too; these must not have it open twice.
  std::vector<std::int64_t> shape() const;

  /// Bytes of one number, as it is stored.
  std::int64_t element_bytes() const;
  /// Bytes that the numbers take in the file, packed or not.
  std::int64_t stored_bytes() const;

  /// Sets the length of the first axis, which only grows.
  void resize(std::int64_t length);
  /// Writes rows [first, first + rows) of the first axis (of a scalar: the value) from row-major
  /// numbers of type T, which must be the dataset's.
  template <class T>
  void write_rows(std::int64_t first, std::int64_t rows, const T* values);
  /// Writes the whole dataset.
  template <class T>
  void write(std::span<const T> values);
  /// Reads rows [first, first + rows), converted to T.
  template <class T>
  void read_rows(std::int64_t first, std::int64_t rows, T* values) const;
  /// The same where the type is known only when the program runs.
  void read_rows(Type type, std::int64_t first, std::int64_t rows, void* values) const;
  /// Reads the whole dataset.
  template <class T>
  std::vector<T> read() const;
  bool holds_texts() const;
  /// Reads the texts of rows [first, first + rows) of one axis into as many cells.
  void read_texts(std::int64_t first, std::int64_t rows, char* cells) const;

  /// Writes what is still in memory.  A packed chunk that is not full yet takes new room in the
  /// file each time, but in all no more than about twice what its numbers take.
  void flush();

  /// Opens a chunked dataset that grows anew, so that HDF5 keeps no more than two of its chunks in
  /// memory: File::start_swmr makes it forget what create_dataset asked for, and it would keep
  /// 1 MiB of each.
  void limit_cache();

  /// Makes this dataset the coordinate called `name`.
  void make_scale(const std::string& name);
  bool is_scale() const;
  /// Names the coordinate of an axis.
  void attach_scale(int axis, const Dataset& scale);
  /// Names of the coordinates, "" where an axis has none.
  std::vector<std::string> scales() const;
  /// The same as addresses (see address()): their paths HDF5 finds by going through the whole file.
  std::vector<std::optional<std::uint64_t>> scale_addresses() const;
  /// The name under which it is a coordinate, if it is one.
  std::optional<std::string> scale_name() const;
  bool can_grow() const;

  /// Why the content may lie outside the file (external storage, virtual dataset); empty if it does
  /// not.
  std::string foreign_storage() const;
  /// The first filter that is neither deflate, shuffle nor fletcher32; empty if there is none.
  std::string other_filter() const;
  /// Bytes of a chunk, unpacked, and of all chunks beside each other that hold the same rows; 0 if
  /// the dataset is not chunked, the largest number where 64 bits cannot count them.
  std::int64_t chunk_bytes() const;
  std::int64_t chunk_row_bytes() const;

 private:
  friend class Group;
  Dataset(Handle handle, Place place);

  /// Lengths of a chunk; empty if the dataset is not chunked.
  std::vector<std::int64_t> chunk() const;
  void reopen();
  /// The chunk that begins at row `first`, for more of its rows; so many are there.
  OpenChunk& open_chunk(const Packing& packing, std::int64_t first, std::int64_t rows);
  OpenChunk* open_chunk() const;
  void write_open_chunk();
  /// Bytes of so many numbers as they are stored.
  std::int64_t stored_bytes_of(const std::vector<std::int64_t>& lengths) const;

  Type type_;
  std::unique_ptr<HeldRows> held_;    // an OpenChunk
  bool has_unpacked_chunks_ = false;  ///< Written since it was opened.
};

class Group : public Object {
 public:
  Group create_group(const std::string& name);
  /// The group at a path "a/b/c" below this one, created with those on the way where they are
  /// missing.
  Group nested(const std::string& path);
  Group open_group(const std::string& name) const;
  /// A text of another encoding, a compound and the like have Type::other.
  Dataset open_dataset(const std::string& path) const;
  /// Numbers start out as NaN or 0.
  Dataset create_dataset(const std::string& name, const Layout& layout);
  /// A list of texts of variable length in UTF-8.
  Dataset create_texts(const std::string& name, const std::vector<std::string>& values);
  /// Datasets of other files, of one type and shape [...], seen as one [sources, ...].  Where a
  /// source is missing, or has no file, there is NaN or -1.
  Dataset create_virtual(const std::string& name, Type type, const std::vector<std::int64_t>& shape,
                         const std::vector<VirtualSource>& sources);

  /// A dataset laid out as `model` is, of another file; one that can grow has no rows yet.
  Dataset create_like(const std::string& name, const Dataset& model);

  /// A second name, a hard link, for what lies at `path` from the root of the file.
  void link(const std::string& name, const std::string& path);

  /// Names of what is in the group, in alphabetical order of numbers and letters; soft links and
  /// links that leave the file, which are not followed, have a list of their own.
  std::vector<std::string> groups() const;
  std::vector<std::string> datasets() const;
  std::vector<std::string> links() const;
  bool has_group(const std::string& name) const;
  bool has_dataset(const std::string& path) const;

 protected:
  friend class File;
  Group(Handle handle, Place place) : Object(std::move(handle), std::move(place)) {}
};

/// The root group of a file.
class File : public Group {
 public:
  /// A new file in the 1.10 format, which messages call `shown`, if that is not empty: the name
  /// that it will have.  \throws OutputError if there is one already.
  static File create(const std::string& path, const std::string& shown = {});
  /// For reading; a file that another process is writing in SWMR mode is read as it grows.
  static File open(const std::string& path);
  /// For changes to a file that is complete.
  static File modify(const std::string& path);
  /// Whether the file starts like an HDF5 file.
  static bool is_hdf5(const std::string& path);

  /// Size of the file.
  std::int64_t bytes() const;

  /// From here on readers may look on, and no object or attribute can be added.  Datasets that grow
  /// need Dataset::limit_cache after it.
  void start_swmr();
  void flush();
  /// Closes the file and all of its objects that are still open.  \throws OutputError if anything
  /// of it could not be written, now or when one of its objects was closed.
  void close();
  /// Closes a file that is being written in the state in which a killed program would leave it.
  void abandon() noexcept;

  File(File&& other) noexcept = default;
  File& operator=(File&& other) noexcept;
  ~File();

 private:
  File(Handle file, Handle root, Place place);
  void throw_if_failed() const;

  Handle file_;
};

/// "1.10.8".
std::string library_version();

}  // namespace gaia::hdf5
