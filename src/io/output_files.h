// SPDX-License-Identifier: MIT
/// \file
/// The files that a result goes through: NAME.h5.lock while a run lives, NAME.h5.partial while it
/// is written, NAME.h5.checkpoint.0 and .1 from which it can go on, NAME.h5 when it is complete.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace gaia {

/// Holds an output for this process as long as it lives.
class OutputLock {
 public:
  /// \throws LockedError naming the process that holds it, OutputError if the folder cannot be
  /// used.
  explicit OutputLock(const std::string& result_path);
  ~OutputLock();

  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// NAME.h5.partial.
std::string partial_path(const std::string& result_path);

/// Checkpoints of the state of a run: the newest and the one before, written in turn.
inline constexpr int kCheckpoints = 2;

/// NAME.h5.checkpoint.N, N = 0 or 1.
std::string checkpoint_path(const std::string& result_path, int number);

/// NAME.h5.resuming: the partial file of a run that goes on, until it has what the old one had.
std::string resuming_path(const std::string& result_path);

/// Removes checkpoints and whatever else may be left of a run whose partial file is gone.
void remove_leftovers(const std::string& result_path);

/// Makes the folder of a result, and the folders above it.  \throws OutputError.
void make_folder_of(const std::string& path);

/// What an error about a file that exists proposes, for the command line or for a program.
struct WayOut {
  const char* replace = "--overwrite";
  const char* rename = "--output for another name";
};

/// Refuses a result or a partial one that exists, unless `overwrite`, which removes the partial one
/// (the result itself stays until it is replaced) or it is of a run that diverged; then removes
/// leftovers.
/// \throws OutputError with the way out.
void clear_the_way(const std::string& result_path, bool overwrite, const WayOut& way_out = {});

/// Makes the folder, takes the lock and clears the way.
std::unique_ptr<OutputLock> claim_output(const std::string& result_path, bool overwrite);

/// Copies a file, sharing its blocks where the file system can.  \throws OutputError; the copy is
/// then removed.
void copy_file(const std::string& from, const std::string& to);

/// Brings a file's content to the disk, gives it the name `to`, replacing what was called so, and
/// brings the folder to the disk.  \throws OutputError.
void publish(const std::string& from, const std::string& to);

/// Removes a file that was not finished.  Its room on the disk is free at once, even where a failed
/// hdf5::File still holds it.
void discard(const std::string& path) noexcept;

/// Brings a file's content to the disk.  \throws OutputError.
void sync_file(const std::string& path);

/// Writes the parts one after another to a file beside `path`, and publishes it as `path`.
/// \throws OutputError; what was beside is then removed.
void write_file(const std::string& path, std::initializer_list<std::string_view> parts);

/// Bytes that can still be written to the file system of `path`'s folder.
double free_space(const std::string& path);

}  // namespace gaia
