// SPDX-License-Identifier: MIT
#include "../../src/io/hdf5.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <optional>

#include "../../src/core/error.h"
#include "../../src/io/foreign_hdf5/hdf5_reader.h"
#include "../support/catch.h"
#include "../support/temp_dir.h"

using namespace gaia;
namespace h5 = gaia::hdf5;

namespace {

/// A full disk: as long as it lives no file can be written beyond its first bytes.
class FullDisk {
 public:
  FullDisk() : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{1, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*signal_)(int);
};

}  // namespace

FOLDER_TEST_CASE("attributes come back as they were written, and can be replaced") {
  {
    h5::File file = h5::File::create(folder.path("a.h5"));
    file.set_attribute("text", "grüße");
    file.set_attribute("empty", "");
    file.set_attribute("integer", std::int64_t{-5});
    file.set_attribute("number", 0.1);
    file.set_attribute("list", std::vector<std::string>{"step", "neuron"});
    file.set_attribute("text", "a longer text than before, of another length");
    // More than fit into a compact header of the usual size.
    for (int i = 0; i < 40; ++i) file.set_attribute("n" + std::to_string(i), std::int64_t{i});
    file.set_attribute("long", std::string(200000, 'x'));
    file.close();
  }
  const h5::File file = h5::File::open(folder.path("a.h5"));
  CHECK(file.text_attribute("text") == "a longer text than before, of another length");
  CHECK(file.text_attribute("empty") == "");
  CHECK(file.text_attribute("long")->size() == 200000);
  CHECK(file.integer_attribute("integer") == -5);
  CHECK(file.number_attribute("number") == 0.1);
  CHECK(file.number_attribute("integer") == -5.0);
  CHECK(file.integer_attribute("n39") == 39);
  CHECK_FALSE(file.integer_attribute("number"));
  CHECK_FALSE(file.integer_attribute("text"));
  CHECK_FALSE(file.text_attribute("integer"));
  CHECK_FALSE(file.text_attribute("list"));
  CHECK_FALSE(file.text_attribute("none"));
  CHECK(file.attribute_names().size() == 46);
}

FOLDER_TEST_CASE("datasets grow row by row and are read back in any piece and type") {
  {
    h5::File file = h5::File::create(folder.path("a.h5"));
    h5::Dataset data = file.create_dataset("d", {.type = h5::Type::float32,
                                                 .shape = {0, 3},
                                                 .chunk = {4, 3},
                                                 .can_grow = true,
                                                 .deflate = 4});
    std::vector<double> rows;
    for (int i = 0; i < 30; ++i) rows.push_back(0.5 * i);
    data.resize(4);
    data.write_rows(0, 4, rows.data());
    data.resize(10);
    data.write_rows(4, 6, rows.data() + 12);
    file.close();
  }
  const h5::File file = h5::File::open(folder.path("a.h5"));
  const h5::Dataset data = file.open_dataset("d");
  CHECK(data.type() == h5::Type::float32);
  CHECK(data.shape() == std::vector<std::int64_t>{10, 3});
  CHECK(data.read<float>()[29] == 14.5f);
  std::vector<double> piece(6);
  data.read_rows(7, 2, piece.data());
  CHECK(piece == std::vector<double>{10.5, 11.0, 11.5, 12.0, 12.5, 13.0});
  CHECK(data.read<std::int32_t>()[4] == 2);
  CHECK_THROWS_AS(data.read_rows(9, 5, piece.data()), DataError);
}

FOLDER_TEST_CASE("what is not written yet is NaN or 0, and scalars and empty datasets work") {
  h5::File file = h5::File::create(folder.path("a.h5"));
  CHECK(std::isnan(
      file.create_dataset("f", {.type = h5::Type::float64, .shape = {2}}).read<double>()[1]));
  CHECK(file.create_dataset("i", {.type = h5::Type::int64, .shape = {2}}).read<std::int64_t>()[1] ==
        0);
  h5::Dataset scalar = file.create_dataset("s", {.type = h5::Type::int64, .shape = {}});
  const std::int64_t value = 42;
  scalar.write<std::int64_t>({&value, 1});
  CHECK(scalar.shape().empty());
  CHECK(scalar.read<std::int64_t>() == std::vector<std::int64_t>{42});
  CHECK(file.create_dataset("e", {.type = h5::Type::float32, .shape = {0}}).read<float>().empty());
}

FOLDER_TEST_CASE("coordinates have names") {
  h5::File file = h5::File::create(folder.path("a.h5"));
  h5::Group group = file.create_group("g");
  h5::Dataset step = group.create_dataset("step", {.type = h5::Type::int64, .shape = {3}});
  step.make_scale("step");
  h5::Dataset data = group.create_dataset("d", {.type = h5::Type::float32, .shape = {3, 2}});
  data.attach_scale(0, step);
  CHECK(data.scales() == std::vector<std::string>{"step", ""});
}

FOLDER_TEST_CASE("groups list what they hold, numbers in the order people count") {
  h5::File file = h5::File::create(folder.path("a.h5"));
  for (const char* name : {"10", "b", "2", "1"}) file.create_group(name);
  file.create_dataset("d", {.shape = {1}});
  file.nested("b/c/d").create_dataset("e", {.shape = {1}});
  CHECK(file.groups() == std::vector<std::string>{"1", "2", "10", "b"});
  CHECK(file.datasets() == std::vector<std::string>{"d"});
  CHECK(file.has_group("b"));
  CHECK_FALSE(file.has_group("d"));
  CHECK(file.has_dataset("b/c/d/e"));
  CHECK_FALSE(file.has_dataset("b/c"));
}

FOLDER_TEST_CASE("a file that exists is never created anew") {
  folder.write("a.h5", "precious");
  CHECK_THROWS_WITH_TEXT(h5::File::create(folder.path("a.h5")), OutputError, "a.h5: cannot create");
  CHECK(std::filesystem::file_size(folder.path("a.h5")) == 8);
}

FOLDER_TEST_CASE("failures name the file, the object and the reason") {
  folder.write("text.h5", "this is no HDF5 file");
  CHECK_FALSE(h5::File::is_hdf5(folder.path("text.h5")));
  CHECK_THROWS_WITH_TEXT(h5::File::open(folder.path("text.h5")), DataError,
                         "text.h5: cannot open (HDF5: ");
  CHECK_THROWS_AS(h5::File::open(folder.path("none.h5")), DataError);
  CHECK_THROWS_AS(h5::File::create(folder.path("no/folder.h5")), OutputError);
  h5::File::create(folder.path("a.h5")).close();
  const h5::File file = h5::File::open(folder.path("a.h5"));
  CHECK(h5::File::is_hdf5(folder.path("a.h5")));
  CHECK_THROWS_WITH_TEXT(file.open_dataset("deep/er"), DataError, "cannot open /deep/er");
  CHECK_THROWS_WITH_TEXT(file.open_group("g"), DataError, "/g");
}

FOLDER_TEST_CASE("readers look on while a file is written, and see what was flushed") {
  h5::File file = h5::File::create(folder.path("a.h5"));
  h5::Dataset data = file.create_dataset(
      "d", {.type = h5::Type::int64, .shape = {0}, .chunk = {8}, .can_grow = true, .deflate = 1});
  file.start_swmr();
  for (std::int64_t i = 0; i < 20; ++i) {
    data.resize(i + 1);
    data.write_rows(i, 1, &i);
    data.flush();
    const auto reader = h5::open_reader(folder.path("a.h5"));  // a process of its own
    const h5::DatasetDescription* const seen = reader->contents().dataset("/d");
    REQUIRE(seen != nullptr);
    CHECK(seen->shape.front() == i + 1);
    CHECK(reader->read<std::int64_t>(*seen).back() == i);
  }
  file.close();
}

FOLDER_TEST_CASE(
    "no lock of a reader's stops who writes a file, nor is there one to stop readers") {
  const std::string path = folder.path("a.h5");
  h5::File file = h5::File::create(path);
  const int reader = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  CHECK(::flock(reader, LOCK_EX | LOCK_NB) == 0);
  CHECK(::flock(reader, LOCK_SH | LOCK_NB) == 0);
  // Being laid out, it is closed to readers by what its superblock says.
  file.flush();
  CHECK_THROWS_WITH_TEXT(h5::open_reader(path), DataError, "not already open for SWMR writing");
  file.start_swmr();
  CHECK(h5::open_reader(path)->contents().dataset("/d") == nullptr);
  file.close();
  file = h5::File::modify(path);
  file.set_attribute("status", "complete");
  file.close();
  ::close(reader);
  CHECK(h5::File::open(path).text_attribute("status") == "complete");
}

FOLDER_TEST_CASE("a file can be changed when it is complete") {
  {
    h5::File file = h5::File::create(folder.path("a.h5"));
    file.set_attribute("status", "running");
    file.start_swmr();
    file.close();
  }
  {
    h5::File file = h5::File::modify(folder.path("a.h5"));
    file.set_attribute("status", "complete");
    file.close();
  }
  CHECK(h5::File::open(folder.path("a.h5")).text_attribute("status") == "complete");
}

FOLDER_TEST_CASE("has_group knows the groups of a file's own, by their names alone") {
  h5::File file = h5::File::create(folder.path("a.h5"));
  file.nested("a/b");
  file.create_dataset("d", {.shape = {2}});
  CHECK(file.has_group("a"));
  CHECK(file.open_group("a").has_group("b"));
  for (const char* name : {"d", "c", "a/b", "/a", "", "."}) {
    INFO(name);
    CHECK_FALSE(file.has_group(name));
  }
}

FOLDER_TEST_CASE("what cannot be written when a dataset is closed is told when its file is") {
  const std::vector<double> rows(100, 1.5);
  h5::File file = h5::File::create(folder.path("chunks.h5"));
  std::optional<h5::Dataset> data =
      file.create_group("g").create_dataset("d", {.shape = {100}, .chunk = {100}});
  data->write_rows(0, 100, rows.data());
  {
    const FullDisk full;
    data.reset();  // what is still in memory is lost here
  }
  CHECK_THROWS_WITH_TEXT(file.close(), OutputError, "h5: cannot write /g/d (HDF5: ");
}

FOLDER_TEST_CASE("numbers in one piece are in the file once they are written") {
  const std::vector<double> rows(100, 1.5);
  const std::string path = folder.path("plain.h5");
  {
    h5::File file = h5::File::create(path);
    std::optional<h5::Dataset> data = file.create_dataset("d", {.shape = {100}});
    data->write_rows(0, 100, rows.data());
    {
      const FullDisk full;
      data.reset();  // nothing is left to be written
    }
    file.close();
  }
  CHECK((h5::File::open(path).open_dataset("d").read<double>() == rows));
  h5::File file = h5::File::modify(path);
  h5::Dataset data = file.open_dataset("d");
  const FullDisk full;
  CHECK_THROWS_WITH_TEXT(data.write_rows(0, 100, rows.data()), OutputError,
                         "h5: cannot write to /d (HDF5: ");
}

FOLDER_TEST_CASE(
    "a file that could not be written stays closed to HDF5, and others are not concerned") {
  const std::vector<double> rows(1000, 1.5);
  {
    h5::File file = h5::File::create(folder.path("a.h5"));
    h5::Dataset data = file.create_dataset("d", {.shape = {0}, .chunk = {10}, .can_grow = true});
    file.start_swmr();
    const FullDisk full;
    data.resize(1000);
    CHECK_THROWS_AS((data.write_rows(0, 1000, rows.data()), data.flush()), OutputError);
    CHECK_THROWS_WITH_TEXT(file.flush(), OutputError, "a.h5: cannot ");
    CHECK_THROWS_WITH_TEXT(file.close(), OutputError, "a.h5: cannot ");
  }
  {
    // One that is not closed as it should be when the disk is full.
    h5::File file = h5::File::create(folder.path("b.h5"));
    h5::Dataset data = file.create_dataset("d", {.shape = {1000}, .chunk = {1000}});
    data.write_rows(0, 1000, rows.data());
    const FullDisk full;
    CHECK_THROWS_WITH_TEXT(file.close(), OutputError, "b.h5: cannot flush");
  }
  h5::File file = h5::File::create(folder.path("c.h5"));
  file.create_dataset("d", {.shape = {1000}}).write(std::span<const double>(rows));
  file.close();
  CHECK(h5::File::open(folder.path("c.h5")).open_dataset("d").read<double>() == rows);
}

FOLDER_TEST_CASE("a file that is given up is left as it was flushed") {
  {
    h5::File file = h5::File::create(folder.path("a.h5"));
    h5::Dataset data = file.create_dataset("d", {.shape = {0}, .chunk = {8}, .can_grow = true});
    file.start_swmr();
    const double value = 2.5;
    for (std::int64_t i = 0; i < 3; ++i) {
      data.resize(i + 1);
      data.write_rows(i, 1, &value);
      if (i == 1) data.flush();
    }
    file.abandon();
    CHECK_THROWS_AS(file.close(), OutputError);
  }
  // Read in another way than by the process that still holds it.
  std::filesystem::copy_file(folder.path("a.h5"), folder.path("b.h5"));
  const h5::File file = h5::File::open(folder.path("b.h5"));
  CHECK(file.open_dataset("d").shape() == std::vector<std::int64_t>{2});
}
