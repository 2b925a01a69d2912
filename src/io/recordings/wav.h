// SPDX-License-Identifier: MIT
/// \file
/// Sound in WAV files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "../file_options.h"
#include "../input_file.h"

namespace gaia {

/// What a WAV file says of its samples.
struct WavHeader {
  bool is_float = false;
  std::int64_t sample_bytes = 2;
  std::int64_t channels = 1;
  std::int64_t rate = 1;    ///< Frames a second.
  std::int64_t data = 0;    ///< Offset of the first frame.
  std::int64_t frames = 0;  ///< Rows.
};

/// Whether a file begins as WAV does: RIFF, or RF64 or BW64 where it may be longer than 4 GiB.
bool is_wav(const InputFile& file);

/// \throws DataError "FILE: byte N: expected ..., got ...".
WavHeader read_wav_header(const InputFile& file);

/// Opens a WAV file of PCM with 8, 16, 24 or 32 bits or of floating numbers with 32 or 64; it is
/// read block by block, whatever its length.
///
/// Columns are the channels, "0", "1", ...  Integers of n bits are divided by 2^(n - 1), so that
/// they are in [-1, 1) (those of 8 bits, which have no sign, after 128 was taken off), as
/// libsndfile reads them; floating numbers are as they stand.  sample_rate() tells the rate; a time
/// that is called "time" is seconds since the start. \throws DataError "FILE: byte N: ..." for
/// content that cannot be used, ArgumentError for columns that the file does not have.
std::unique_ptr<FileSeries> open_wav(const std::string& path, const FileOptions& options = {});

}  // namespace gaia
