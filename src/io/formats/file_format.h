// SPDX-License-Identifier: MIT
/// \file
/// Formats that files of data are in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../file_options.h"
#include "../input_file.h"
#include "../survey/file_survey.h"

namespace gaia {

/// What a format has to tell.  Anyone who opens a file, surveys it or says which files can be read
/// goes over the list and names none.
class FileFormat {
 public:
  virtual ~FileFormat() = default;

  /// Endings of names, ".h5", in small letters.
  virtual std::vector<std::string> endings() const = 0;
  /// Whether a file says by its bytes that it is in this format, whatever its name.
  virtual bool is_signed(const InputFile& /*file*/) const { return false; }
  /// Whether a file holds several tables, one of which data.dataset names.
  virtual bool has_datasets() const { return false; }
  /// \throws DataError for content that cannot be used, ArgumentError for a dataset or columns that
  /// the file does not have, DataKeyError for what other keys name.
  virtual std::unique_ptr<FileSeries> open(const std::string& path,
                                           const FileOptions& options) const = 0;
  /// What is in files, for those who have no experiment with them yet.  \throws DataError for what
  /// holds no data.
  virtual FileSurvey survey(const std::vector<std::string>& paths) const = 0;

  /// All formats, in the order in which they are reported; a program adds its own before it reads.
  static std::vector<std::shared_ptr<const FileFormat>>& list();
};

/// The format that the first bytes of a file tell; else the one that its ending does, in letters of
/// either case; null if there is none.  \throws DataError, with the way out, for a file in a format
/// that is known but not read, as classic netCDF, and for one that cannot be opened.
const FileFormat* format_of_file(const std::string& path);

/// "a .csv, .npy, .h5/.hdf5/.nc, .mat, .edf/.bdf or .wav file".
std::string a_file_of_data();

/// What messages say of a file in no format: "is of no known kind; known: .csv, .npy, ...".
std::string of_no_known_kind();

}  // namespace gaia
