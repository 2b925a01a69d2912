// SPDX-License-Identifier: MIT
#include "../../src/io/formats/file_format.h"

#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/temp_dir.h"

namespace gaia {
namespace {

const std::string kHdf5 = "\x89HDF\r\n\x1a\n and more";

/// The first ending of the format that a file is in.
std::string ending_of(const std::string& path) {
  const FileFormat* const format = format_of_file(path);
  return format == nullptr ? "" : format->endings().front();
}

FOLDER_TEST_CASE("a data file is of the kind that its first bytes say, whatever its name") {
  for (const char* name : {"a.nc", "a.mat", "a.csv", "a", "a.h5"}) {
    CHECK(ending_of(folder.write(name, kHdf5)) == ".h5");
  }
  // Behind a block of the user's, as MATLAB 7.3 writes it.
  CHECK(ending_of(folder.write("b.mat", "MATLAB 7.3 MAT-file" + std::string(493, ' ') + kHdf5)) ==
        ".h5");
  CHECK(ending_of(folder.write("b.dat", std::string(2048, 'x') + kHdf5)) == ".h5");
  CHECK(ending_of(folder.write("b.dat", std::string(1536, 'x') + kHdf5)) == "");
  CHECK(ending_of(folder.write("c.dat", "\x93NUMPY...")) == ".npy");
  CHECK(ending_of(folder.write("c.dat", "MATLAB 5.0 MAT-file, ...")) == ".mat");
  CHECK(ending_of(folder.write("c.dat", "0       X")) == ".edf");
  CHECK(ending_of(folder.write("c.dat", "RF64....WAVE")) == ".wav");
}

FOLDER_TEST_CASE("what does not say of which kind it is has it from its name") {
  CHECK(ending_of(folder.write("a.csv", "1,2\n")) == ".csv");
  CHECK(ending_of(folder.write("a.CSV", "")) == ".csv");
  CHECK(ending_of(folder.write("a.h5", "1,2\n")) == ".h5");
  CHECK(ending_of(folder.write("a.hdf5", "")) == ".h5");
  CHECK(ending_of(folder.write("a.nc", "")) == ".h5");
  CHECK(ending_of(folder.write("a.npy", "")) == ".npy");
  CHECK(ending_of(folder.write("a.mat", "")) == ".mat");
  CHECK(ending_of(folder.write("a.bdf", "")) == ".edf");
  CHECK(ending_of(folder.write("a.wav", "")) == ".wav");
  CHECK(ending_of(folder.write("a.txt", "1,2\n")) == "");
  CHECK(ending_of(folder.path("absent.h5")) == ".h5");
}

FOLDER_TEST_CASE("files of kinds that are not read are told by name, with the way out") {
  const auto refused = [&](const char* name, const std::string& content) {
    const std::string path = folder.write(name, content);
    return test::complaint_about(path, [&] { format_of_file(path); });
  };
  for (const char* version : {"\x01", "\x02", "\x05"}) {
    CHECK(refused("a.nc", std::string("CDF") + version + "rest") ==
          ": is a classic netCDF file, which is not read; write it as netCDF-4, e.g. by `nccopy -k "
          "nc4 FILE NEW.nc`");
  }
  CHECK(refused("a.nc", "CDF\x03") == "");
  CHECK(
      refused("a.wav", "RIFX....WAVE") ==
      ": is a RIFX file, whose numbers have their highest byte first, which is not read; write it "
      "as WAV, e.g. by `ffmpeg -i FILE NEW.wav`");
  CHECK(refused("a.npz", "PK\x03\x04...") ==
        ": is a ZIP archive, as .npz and .xlsx are, which is not read; save one array as .npy, or "
        "a table as CSV");
  CHECK(refused("a.csv.gz", "\x1f\x8b...") ==
        ": is packed by gzip, which is not read; unpack it with gunzip");
  CHECK(refused("a.parquet", "PAR1...") ==
        ": is a Parquet file, which the Python package reads, by gaia.run(experiment, "
        "'FILE.parquet'), and this does not; save the table as CSV");
}

}  // namespace
}  // namespace gaia
