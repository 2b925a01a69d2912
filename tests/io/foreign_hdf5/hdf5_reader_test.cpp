// SPDX-License-Identifier: MIT
#include "../../../src/io/foreign_hdf5/hdf5_reader.h"

#include <hdf5.h>
#include <sys/stat.h>

#include <filesystem>
#include <iterator>

#include "../../../src/core/error.h"
#include "../../../src/io/foreign_hdf5/hdf5_messages.h"
#include "../../../src/io/foreign_hdf5/reader_process.h"
#include "../../support/catch.h"
#include "../../support/environment.h"
#include "../../support/temp_dir.h"
#include "../../support/text.h"

using namespace gaia;
using namespace gaia::test;
namespace h5 = gaia::hdf5;

namespace {

/// /numbers [5, 3] float32, /deep/bytes [4] uint8, /deep/one (a scalar) int64, with attributes.
std::string small_file(const TempDir& folder) {
  std::string path = folder.path("small.h5");
  h5::File file = h5::File::create(path);
  file.set_attribute("title", "a file");
  file.set_attribute("version", std::int64_t{3});
  file.set_attribute("ratio", 0.5);
  std::vector<float> numbers(15);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  h5::Dataset dataset = file.create_dataset(
      "numbers", {.type = h5::Type::float32, .shape = {5, 3}, .chunk = {2, 3}, .deflate = 4});
  dataset.write(std::span<const float>(numbers));
  dataset.set_attribute("units", "mV");
  h5::Group deep = file.create_group("deep");
  deep.create_dataset("bytes", {.type = h5::Type::uint8, .shape = {4}})
      .write(std::span<const std::uint8_t>(std::vector<std::uint8_t>{1, 2, 3, 255}));
  deep.create_dataset("one", {.type = h5::Type::int64, .shape = {}})
      .write(std::span<const std::int64_t>(std::vector<std::int64_t>{-7}));
  file.close();
  return path;
}

/// Takes the place of gaia-hdf5-reader while it lives.
class FakeReader {
 public:
  FakeReader(const TempDir& folder, const std::string& script)
      : program_(folder.write("reader", "#!/bin/sh\n" + script + "\n")),
        named_("GAIA_HDF5_READER", program_.c_str()) {
    chmod(program_.c_str(), 0755);
  }

 private:
  std::string program_;
  gaia::test::Environment named_;
};

}  // namespace

FOLDER_TEST_CASE("reader: what is in a file, trusted or not") {
  const std::string path = small_file(folder);
  for (const bool trusted : {false, true}) {
    const auto reader = h5::open_reader(path, {.trusted = trusted});
    const h5::Contents& contents = reader->contents();
    CHECK(contents.file_bytes == static_cast<std::int64_t>(std::filesystem::file_size(path)));
    CHECK(contents.root().text("title") == "a file");
    CHECK(contents.root().integer("version") == 3);
    CHECK_FALSE(contents.root().text("version"));
    REQUIRE(contents.groups.size() == 2);
    CHECK(contents.groups[1].path == "/deep");
    REQUIRE(contents.datasets.size() == 3);
    const h5::DatasetDescription* numbers = contents.dataset("/numbers");
    REQUIRE(numbers != nullptr);
    CHECK(numbers->shape == std::vector<std::int64_t>{5, 3});
    CHECK(numbers->type == h5::Type::float32);
    CHECK(numbers->text("units") == "mV");
    CHECK(numbers->bytes() == 60);
    CHECK(numbers->refusal.empty());
    std::vector<double> rows(6);
    reader->read_rows(*numbers, 3, 2, rows.data());
    CHECK(rows == std::vector<double>{9, 10, 11, 12, 13, 14});
    CHECK(reader->read<std::int32_t>(*numbers).back() == 14);
    CHECK(reader->read<std::uint8_t>(*contents.dataset("/deep/bytes")) ==
          std::vector<std::uint8_t>{1, 2, 3, 255});
    CHECK(reader->read<std::int64_t>(*contents.dataset("/deep/one")).front() == -7);
    CHECK_THROWS_AS(reader->read_rows(*numbers, 4, 2, rows.data()), ArgumentError);
    CHECK_THROWS_AS(reader->read_rows(*numbers, -1, 1, rows.data()), ArgumentError);
  }
  h5::probe(path);
}

FOLDER_TEST_CASE("reader: one of another build is named, not the file that it cannot read") {
  const std::string path = small_file(folder);
  const std::string program = h5::reader_program();
  // What a gaia that speaks another language would call it with.
  const FakeReader other(folder, "exec '" + program + "' \"$1\" \"$2\" \"$3\" other 0<&0");
  CHECK_THROWS_WITH_TEXT(h5::open_reader(path), Error, "of another build than this gaia");
}

FOLDER_TEST_CASE("reader: numbers that take many messages come whole") {
  const std::string path = folder.path("long.h5");
  constexpr std::int64_t rows = 1500000;
  std::vector<double> numbers(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  {
    h5::File file = h5::File::create(path);
    file.create_dataset("x", {.shape = {rows}}).write(std::span<const double>(numbers));
    file.create_dataset("one_row", {.shape = {1, rows}}).write(std::span<const double>(numbers));
    file.close();
  }
  const auto reader = h5::open_reader(path);
  CHECK(reader->read<double>(*reader->contents().dataset("/x")) == numbers);
  CHECK(reader->read<double>(*reader->contents().dataset("/one_row")) == numbers);
}

FOLDER_TEST_CASE("reader: what is no HDF5 file, and no file") {
  for (const bool trusted : {false, true}) {
    const h5::ReaderOptions options{.trusted = trusted};
    CHECK_THROWS_WITH_TEXT(h5::open_reader(folder.path("none.h5"), options), DataError,
                           "No such file");
    CHECK_THROWS_WITH_TEXT(h5::open_reader(folder.path(""), options), DataError, "a directory");
    CHECK_THROWS_WITH_TEXT(h5::open_reader(folder.write("t.h5", "text"), options), DataError,
                           "t.h5: cannot open");
  }
  const std::string pipe = folder.path("pipe.h5");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH_TEXT(h5::open_reader(pipe), DataError, "a pipe");
  CHECK_THROWS_AS(h5::probe(folder.path("none.h5")), DataError);
}

FOLDER_TEST_CASE("reader: a crash is an error that names the file") {
  const std::string path = small_file(folder);
  const FakeReader crash(folder, "kill -SEGV $$");
  CHECK_THROWS_WITH_TEXT(h5::open_reader(path), DataError,
                         "small.h5: damaged or hostile (reader crashed: signal 11)");
  CHECK_THROWS_AS(h5::probe(path), DataError);
  // Trust needs no reader.
  CHECK(h5::open_reader(path, {.trusted = true})->contents().datasets.size() == 3);
}

FOLDER_TEST_CASE("reader: one that hangs is ended") {
  const std::string path = small_file(folder);
  const h5::ReaderOptions hurried{.limits = {.patience = 1}};
  {
    const FakeReader hang(folder, "sleep 100");
    CHECK_THROWS_WITH_TEXT(
        h5::open_reader(path, hurried), DataError,
        "small.h5: too slow, damaged or hostile (reader gave no answer for 1 s)");
  }
  const FakeReader busy(folder, "ulimit -S -t 1; while :; do :; done");
  CHECK_THROWS_WITH_TEXT(h5::open_reader(path, {.limits = {.patience = 30}}), DataError,
                         "small.h5: too slow, damaged or hostile (reader took more than 30 s of "
                         "processor time)");
}

FOLDER_TEST_CASE("reader: going through a long file takes as long as it takes") {
  const std::string path = small_file(folder);
  const h5::Contents contents = h5::open_reader(path)->contents();
  const std::string packed = h5::pack(contents);
  folder.write("contents",
               h5::pack(h5::MessageHeader{h5::MessageKind::contents, packed.size()}) + packed);
  folder.write("progress", h5::pack(h5::MessageHeader{h5::MessageKind::progress, 0}));
  folder.write("done", h5::pack(h5::MessageHeader{h5::MessageKind::done, 0}));
  // More of them than a file may have objects for.
  std::string chatter;
  for (std::size_t i = 0; i <= h5::ContentsLimits().objects / h5::kObjectsPerTelling; ++i) {
    chatter += h5::pack(h5::MessageHeader{h5::MessageKind::progress, 0});
  }
  folder.write("chatter", chatter);
  const std::string say = "cat " + folder.path("");
  {
    const FakeReader slow(folder, say + "contents >&0; for i in 1 2 3 4 5 6; do sleep 0.8; " + say +
                                      "progress >&0; done; " + say + "done >&0; sleep 9");
    CHECK_NOTHROW(h5::probe(path, {.patience = 4}));
  }
  {
    const FakeReader slow(folder, "for i in 1 2 3 4 5 6; do sleep 0.8; " + say +
                                      "progress >&0; done; " + say + "contents >&0; sleep 9");
    CHECK_NOTHROW(h5::open_reader(path, {.limits = {.patience = 4}}));
  }
  {
    const FakeReader chatty(folder, say + "chatter >&0; " + say + "contents >&0; sleep 9");
    CHECK_THROWS_WITH_TEXT(h5::open_reader(path), DataError, "(reader talks nonsense)");
  }
  const FakeReader hang(folder, say + "contents >&0; " + say + "progress >&0; sleep 100");
  CHECK_THROWS_WITH_TEXT(h5::probe(path, {.patience = 1}), DataError, "gave no answer for 1 s");
}

FOLDER_TEST_CASE("reader: one that has ended is asked in vain, and nothing else is ended") {
  const std::string path = small_file(folder);
  const FakeReader crash(folder, "exit 3");
  h5::ReaderProcess reader(path, {});
  char bytes[1];
  CHECK_THROWS_WITH_TEXT(reader.receive(bytes), DataError, "damaged or hostile (reader ");
  // kill(-1) would end this program's parents too.
  CHECK_THROWS_WITH_TEXT(reader.receive(bytes), DataError, "(reader has ended before)");
  CHECK_THROWS_WITH_TEXT(reader.send("a"), DataError, "(reader has ended before)");
}

FOLDER_TEST_CASE("reader: every piece of a walk is told of") {
  const std::string path = folder.path("long.h5");
  {
    h5::File file = h5::File::create(path);
    const std::vector<double> numbers(1500000, 1.0);  // 12 MB, in pieces of 4 MiB
    file.create_dataset("x", {.shape = {1500000}}).write(std::span<const double>(numbers));
    file.create_dataset("y", {.shape = {1}}).write(std::span<const double>(numbers).first(1));
    file.close();
  }
  h5::ReaderProcess reader(path, {});
  const auto next = [&] {
    char bytes[h5::kHeaderBytes];
    reader.receive(bytes);
    return h5::unpack_header({bytes, sizeof bytes});
  };
  std::string contents(next().bytes, '\0');
  reader.receive(contents);
  reader.send(h5::pack(h5::MessageHeader{h5::MessageKind::walk, 0}));
  for (int piece = 0; piece < 4; ++piece) REQUIRE(next().kind == h5::MessageKind::progress);
  REQUIRE(next().kind == h5::MessageKind::done);
}

FOLDER_TEST_CASE("reader: it tells that it goes on listing a file of many objects") {
  const std::string path = folder.path("many.h5");
  constexpr std::size_t tellings = 3;
  {
    h5::File file = h5::File::create(path);
    for (std::size_t i = 0; i < tellings * h5::kObjectsPerTelling; ++i) {
      file.create_group(std::to_string(i));
    }
    file.close();
  }
  h5::ReaderProcess reader(path, {});
  const auto next = [&] {
    char bytes[h5::kHeaderBytes];
    reader.receive(bytes);
    return h5::unpack_header({bytes, sizeof bytes});
  };
  for (std::size_t i = 0; i < tellings; ++i) REQUIRE(next().kind == h5::MessageKind::progress);
  REQUIRE(next().kind == h5::MessageKind::contents);
  CHECK(h5::open_reader(path)->contents().groups.size() == tellings * h5::kObjectsPerTelling + 1);
}

FOLDER_TEST_CASE("reader: datasets that share their bytes are not gone through") {
  const std::string path = folder.path("shared.h5");
  constexpr hsize_t bytes = 1 << 20;
  constexpr int copies = 4;
  std::uint64_t address = 0;
  {
    // In the old format, whose headers have no hashes.
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &bytes, nullptr);
    const std::vector<char> numbers(bytes, 1);
    for (int i = 0; i < copies; ++i) {
      const std::string name = "x" + std::to_string(i);
      const hid_t dataset = H5Dcreate2(file, name.c_str(), H5T_NATIVE_UCHAR, space, H5P_DEFAULT,
                                       H5P_DEFAULT, H5P_DEFAULT);
      if (i == 0) {
        H5Dwrite(dataset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
        address = H5Dget_offset(dataset);
      }
      H5Dclose(dataset);
    }
    H5Sclose(space);
    H5Fclose(file);
  }
  CHECK_NOTHROW(h5::probe(path));
  // A layout: version 3, contiguous, the address, the size.
  const auto layout = [](std::uint64_t where) {
    const std::uint64_t numbers[] = {where, bytes};
    return std::string("\3\1") +
           std::string(reinterpret_cast<const char*>(numbers), sizeof numbers);
  };
  std::string file = file_text(path);
  for (std::size_t at; (at = file.find(layout(~std::uint64_t{0}))) != std::string::npos;) {
    file.replace(at, layout(0).size(), layout(address));
  }
  folder.write("shared.h5", file);
  REQUIRE(h5::open_reader(path)->contents().dataset("/x3")->stored_bytes ==
          static_cast<std::int64_t>(bytes));
  CHECK_THROWS_WITH_TEXT(h5::probe(path), DataError, "claim more bytes of the file than it has");
}

FOLDER_TEST_CASE("reader: one that was taken over is not believed") {
  const std::string path = small_file(folder);
  // Nothing; an end without a word; a kind that there is none of; contents of 2^63 bytes; contents
  // of no groups; numbers that nobody asked for.
  for (const char* script :
       {"exit 0", "exit 3", "printf '\\377aaaaaaaa' >&0; sleep 9",
        "printf '\\000\\000\\000\\000\\000\\000\\000\\000\\200' >&0; sleep 9",
        "printf '\\000\\003\\000\\000\\000\\000\\000\\000\\000abc' >&0; sleep 9",
        "printf '\\001\\003\\000\\000\\000\\000\\000\\000\\000abc' >&0; sleep 9"}) {
    INFO(script);
    const FakeReader liar(folder, script);
    CHECK_THROWS_WITH_TEXT(h5::open_reader(path), DataError, "damaged or hostile (reader ");
  }
  const FakeReader artist(folder,
                          "printf '\\003\\005\\000\\000\\000\\000\\000\\000\\000a\\033[2J' >&0");
  CHECK_THROWS_WITH(h5::open_reader(path), "a?[2J");
}

TEST_CASE("reader: limits on memory hold") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GAIA_SKIP("sanitizers reserve more memory than any limit");
#else
  const TempDir folder;
  const std::string path = folder.path("wide.h5");
  {
    h5::File file = h5::File::create(path);
    file.create_dataset("x", {.type = h5::Type::uint8, .shape = {2, 100 << 20}});
    file.create_dataset("y", {.type = h5::Type::uint8, .shape = {2}});
    file.close();
  }
  const auto reader = h5::open_reader(path, {.limits = {.memory = 80 << 20}});
  std::vector<std::uint8_t> row(100 << 20);
  CHECK_THROWS_WITH_TEXT(reader->read_rows(*reader->contents().dataset("/x"), 0, 1, row.data()),
                         DataError, "needs more than 83.9 MB of memory");
#endif
}

FOLDER_TEST_CASE("reader: a missing program says where it was looked for") {
  const std::string path = small_file(folder);
  const gaia::test::Environment named("GAIA_HDF5_READER", "/nowhere/reader");
  CHECK_THROWS_WITH_TEXT(h5::open_reader(path), Error, "looked for /nowhere/reader");
  CHECK_THROWS_WITH_TEXT(h5::open_reader(path), Error, "data.trusted: true");
}

FOLDER_TEST_CASE("reader: a program that anybody may change is not run") {
  const std::string path = small_file(folder);
  const FakeReader open(folder, "kill -SEGV $$");
  chmod(folder.path("reader").c_str(), 0777);
  CHECK_THROWS_WITH_TEXT(h5::open_reader(path), Error, "was not found");
}

FOLDER_TEST_CASE("HDF5 loads no plugins, in a program that has used it before either") {
  REQUIRE(H5Sclose(H5Screate(H5S_SCALAR)) >= 0);  // the first call of ctest's own process
  h5::File::open(small_file(folder));
  unsigned allowed = 1;
  REQUIRE(H5PLget_loading_state(&allowed) >= 0);
  CHECK(allowed == 0);
}
