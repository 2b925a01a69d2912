// SPDX-License-Identifier: MIT
/// \file
/// gaia export: datasets as CSV, NPY and NPZ, and files that mean harm.
#include <filesystem>
#include <limits>

#include "../../src/io/hdf5.h"
#include "../../src/io/npy.h"
#include "../support/catch.h"
#include "minimal_run.h"

using namespace gaia;
using namespace gaia::test;

namespace {

namespace fs = std::filesystem;

/// Two steps, their times, and numbers [2, 3] along them.
void write_result(const TempDir& folder) {
  hdf5::File file = hdf5::File::create(folder.path("r.h5"));
  hdf5::Group level = file.nested("levels/0");
  hdf5::Dataset step = level.create_dataset("step", {.type = hdf5::Type::int64, .shape = {2}});
  step.write(std::span<const std::int64_t>(std::vector<std::int64_t>{3, 7}));
  step.make_scale("step");
  hdf5::Dataset time = level.create_dataset("time", {.shape = {2}});
  time.write(std::span<const double>(std::vector<double>{0.3, 0.7}));
  time.attach_scale(0, step);
  hdf5::Dataset shown = level.create_dataset("shown", {.shape = {2, 3}});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  shown.write(std::span<const double>(std::vector<double>{1.0, 0.1, nan, -2.5, 1e300, 3.0}));
  shown.attach_scale(0, step);
  hdf5::Dataset texts = level.create_texts("texts", {"a,b", "c"});
  file.close();
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

FOLDER_TEST_CASE("export writes a table with the step and the time of every line") {
  write_result(folder);
  const Finished done =
      gaia_command(folder, {"export", "r.h5", "--to", "csv", "--dataset", "levels/0/shown"});
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(done.out.empty());
  CHECK_SAYS(done.err, "wrote    r.levels.0.shown.csv");
  CHECK(file_text(folder.path("r.levels.0.shown.csv")) ==
        "step,time,shown.0,shown.1,shown.2\n3,0.3,1,0.1,NaN\n7,0.7,-2.5,1e+300,3\n");
  CHECK(gaia_command(folder, {"export", "r.h5", "--to", "csv", "--dataset", "levels/0/texts",
                              "--output", "below/t.csv"})
            .code == 0);
  CHECK(file_text(folder.path("below/t.csv")) == "texts\n\"a,b\"\nc\n");
}

FOLDER_TEST_CASE("an exported array is what gaia reads of it") {
  CHECK(run(folder).code == 0);
  const std::string result = "results/minimal.h5";
  REQUIRE(fs::exists(folder.path(result)));
  CHECK(gaia_command(folder, {"export", result, "--to", "npy", "--dataset",
                              "/levels/0/representation", "--output", "x.npy"})
            .code == 0);
  const auto series = open_npy(folder.path("x.npy"));
  const hdf5::File file = hdf5::File::open(folder.path(result));
  const hdf5::Dataset stored = file.open_dataset("/levels/0/representation");
  REQUIRE(series->rows() == stored.shape().front());
  CHECK(gaia_command(folder, {"export", result, "--to", "npz"}).code == 0);
  CHECK(file_text(folder.path("results/minimal.npz")).starts_with("PK\x03\x04"));
  const Finished all = gaia_command(folder, {"export", result, "--to", "csv"});
  CHECK(all.code == 0);
  CHECK_SAYS(all.err, " files in results/minimal.csv.d");
}

FOLDER_TEST_CASE(
    "export replaces nothing without --overwrite, and leaves nothing that is not whole") {
  write_result(folder);
  folder.write("x.csv", "mine");
  const std::vector<std::string> arguments = {"export",    "r.h5",           "--to",     "csv",
                                              "--dataset", "levels/0/shown", "--output", "x.csv"};
  const Finished refused = gaia_command(folder, arguments);
  CHECK(refused.code == 4);
  CHECK_SAYS(refused.err, "x.csv: exists; use --overwrite");
  CHECK(file_text(folder.path("x.csv")) == "mine");
  std::vector<std::string> over = arguments;
  over.push_back("--overwrite");
  CHECK(gaia_command(folder, over).code == 0);
  CHECK_SAYS(file_text(folder.path("x.csv")), "step,time");
  CHECK_FALSE(fs::exists(folder.path("x.csv.writing")));
}

FOLDER_TEST_CASE("export names what there is where a dataset is not there") {
  write_result(folder);
  const auto refused = [&](const std::string& dataset) {
    const Finished done =
        gaia_command(folder, {"export", "r.h5", "--to", "csv", "--dataset", dataset});
    CHECK(done.code == 2);
    return done.err;
  };
  CHECK_SAYS(refused("levels/0/show"), "did you mean '/levels/0/shown'");
  CHECK_SAYS(refused("levels/0"), "is a group; name one of its datasets: /levels/0/");
  CHECK_SAYS(refused("../../etc/passwd"), "there is no dataset");
  CHECK_SAYS(refused(""), "r.h5: ");
  CHECK(gaia_command(folder, {"export", "nowhere.h5", "--to", "csv"}).code == 2);
  CHECK(gaia_command(folder, {"export", "r.h5", "--to", "xlsx"}).code == 2);
  CHECK(gaia_command(folder, {"export", "r.h5"}).code == 2);
  folder.write("text.h5", "no HDF5");
  CHECK(gaia_command(folder, {"export", "text.h5", "--to", "csv"}).code == 3);
}

FOLDER_TEST_CASE("names in a file lead export nowhere else") {
  hdf5::File file = hdf5::File::create(folder.path("r.h5"));
  file.nested("..").create_dataset("x", {.shape = {2}});
  file.create_dataset("good", {.shape = {2}});
  file.create_dataset("steers\x1b[2J", {.shape = {2}});
  file.close();
  for (const char* format : {"csv", "npy", "npz"}) {
    const Finished done = gaia_command(folder, {"export", "r.h5", "--to", format});
    CHECK(done.code == 0);
    CHECK_SAYS(done.err, "leads to another folder");
    CHECK(done.err.find('\x1b') == std::string::npos);
  }
  CHECK(files_in(folder.path("r.csv.d")) == 1);
  CHECK(file_text(folder.path("r.npz")).find("..") == std::string::npos);
  CHECK(gaia_command(folder, {"export", "r.h5", "--to", "csv", "--dataset", "/../x"}).code == 3);
}

FOLDER_TEST_CASE("export refuses rows that are too wide and numbers that are not in the file") {
  hdf5::File file = hdf5::File::create(folder.path("r.h5"));
  file.create_dataset("wide", {.shape = {1, std::int64_t{1} << 40}, .chunk = {1, 1 << 10}});
  file.create_dataset("many", {.shape = {std::int64_t{1} << 50}, .chunk = {1 << 10}});
  file.close();
  for (const char* dataset : {"wide", "many"}) {
    const Finished done =
        gaia_command(folder, {"export", "r.h5", "--to", "csv", "--dataset", dataset});
    CHECK(done.code == 3);
    CHECK_SAYS(done.err, std::string("r.h5: /") + dataset);
  }
  CHECK(gaia_command(folder, {"export", "r.h5", "--to", "npz"}).code == 3);
  CHECK_FALSE(fs::exists(folder.path("r.npz")));
}
