// SPDX-License-Identifier: MIT
#include "../../../src/io/foreign_hdf5/hdf5_contents.h"

#include <hdf5.h>

#include <algorithm>

#include "../../../src/core/error.h"
#include "../../../src/io/foreign_hdf5/hdf5_messages.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using gaia::test::TempDir;
namespace h5 = gaia::hdf5;

namespace {

/// A dataset /x [64] of doubles that a file holds as `creation` says.
void add_dataset(hid_t file, hid_t creation, const char* name = "x") {
  const hsize_t n = 64;
  const hid_t space = H5Screate_simple(1, &n, nullptr);
  const hid_t set =
      H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  REQUIRE(set >= 0);
  H5Dclose(set);
  H5Sclose(space);
}

/// Why the dataset /x that `change` makes is not read.
template <class Change>
std::string refusal_of(const Change& change) {
  const TempDir folder;
  const std::string path = folder.path("a.h5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  change(creation);
  add_dataset(file, creation);
  H5Pclose(creation);
  H5Fclose(file);
  const h5::Contents contents = h5::contents_of(h5::File::open(path));
  REQUIRE(contents.datasets.size() == 1);
  return contents.datasets.front().refusal;
}

const hsize_t kChunk = 16;

}  // namespace

TEST_CASE("contents: numbers are read from the file itself, by filters that are well known") {
  CHECK(refusal_of([](hid_t) {}).empty());
  CHECK(refusal_of([](hid_t creation) {
          H5Pset_chunk(creation, 1, &kChunk);
          H5Pset_shuffle(creation);
          H5Pset_deflate(creation, 4);
          H5Pset_fletcher32(creation);
        }).empty());
  const std::string packed = refusal_of([](hid_t creation) {
    H5Pset_chunk(creation, 1, &kChunk);
    H5Pset_scaleoffset(creation, H5Z_SO_FLOAT_DSCALE, 2);
  });
  CHECK_SAYS(packed, "filter 6 'scaleoffset'");
  CHECK_SAYS(refusal_of([](hid_t creation) { H5Pset_external(creation, "/etc/passwd", 0, 512); }),
             "lie in external files");
  CHECK_SAYS(refusal_of([](hid_t creation) {
               const hsize_t n = 64;
               const hid_t space = H5Screate_simple(1, &n, nullptr);
               H5Pset_virtual(creation, space, "other.h5", "/x", space);
               H5Sclose(space);
             }),
             "a virtual dataset");
}

FOLDER_TEST_CASE("contents: a dataset cannot claim more numbers than its bytes can hold") {
  const std::string path = folder.path("a.h5");
  {
    h5::File file = h5::File::create(path);
    file.create_dataset("claims", {.shape = {1LL << 40}, .chunk = {1024}});
    file.create_dataset("more", {.shape = {1LL << 61, 8}, .chunk = {1024, 8}});
    file.create_dataset("unwritten", {.shape = {1000}, .chunk = {100}});
    std::vector<double> zeros(1 << 20);
    file.create_dataset("zeros", {.shape = {1 << 20}, .chunk = {1 << 14}, .deflate = 9})
        .write(std::span<const double>(zeros));
    file.close();
  }
  const h5::Contents contents = h5::contents_of(h5::File::open(path));
  CHECK_SAYS(contents.dataset("/claims")->refusal, "claims 8796093022208 bytes");
  CHECK_SAYS(contents.dataset("/more")->refusal, "more numbers than 64 bits can count");
  CHECK(contents.dataset("/unwritten")->refusal.empty());
  CHECK(contents.dataset("/zeros")->refusal.empty());
  const h5::Contents strict = h5::contents_of(h5::File::open(path), {.chunk_bytes = 1 << 16});
  CHECK_SAYS(strict.dataset("/zeros")->refusal, "chunks are larger than 65.5 kB");
}

FOLDER_TEST_CASE("contents: links that lead elsewhere or in circles") {
  const std::string path = folder.path("a.h5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  add_dataset(file, H5P_DEFAULT);
  for (const char* name : {"up", "again"}) {
    H5Lcreate_hard(file, "/", group, name, H5P_DEFAULT, H5P_DEFAULT);
  }
  H5Lcreate_hard(file, "/x", group, "same", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/x", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("other.h5", "/x", file, "external", H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(group);
  H5Fclose(file);
  const h5::Contents contents = h5::contents_of(h5::File::open(path));
  CHECK(contents.groups.size() == 2);
  REQUIRE(contents.datasets.size() == 1);
  CHECK(contents.datasets.front().path == "/x");
  CHECK(contents.links == std::vector<std::string>{"/external", "/soft"});
}

FOLDER_TEST_CASE("contents: limits on depth, objects and attributes") {
  const std::string path = folder.path("a.h5");
  {
    h5::File file = h5::File::create(path);
    file.nested("a/b/c/d");
    for (int i = 0; i < 5; ++i) file.set_attribute("k" + std::to_string(i), std::int64_t{i});
    file.close();
  }
  const auto with = [&](const h5::ContentsLimits& limits) {
    return h5::contents_of(h5::File::open(path), limits);
  };
  CHECK(with({.depth = 4, .objects = 5, .attributes = 5}).groups.size() == 5);
  CHECK_THROWS_WITH_TEXT(with({.depth = 3}), DataError, "less deep than 3");
  CHECK_THROWS_WITH_TEXT(with({.objects = 4}), DataError, "at most 4 groups and datasets");
  CHECK_THROWS_WITH_TEXT(with({.attributes = 4}), DataError, "at most 4 attributes, got 5");
}

FOLDER_TEST_CASE("contents: every coordinate has its path, one in another group too") {
  const std::string path = folder.path("a.h5");
  constexpr int groups = 500;
  {
    h5::File file = h5::File::create(path);
    h5::Dataset shared = file.create_dataset("z", {.type = h5::Type::int64, .shape = {3}});
    shared.make_scale("of another name");
    for (int i = 0; i < groups; ++i) {
      h5::Group group = file.create_group(std::to_string(i));
      h5::Dataset data = group.create_dataset("a", {.type = h5::Type::uint8, .shape = {3, 2, 1}});
      h5::Dataset step = group.create_dataset("step", {.type = h5::Type::int64, .shape = {2}});
      step.make_scale("step");
      if (i == 7) data.attach_scale(0, shared);
      data.attach_scale(1, step);
    }
    file.close();
  }
  int told = 0;
  const h5::Contents contents = h5::contents_of(h5::File::open(path), {}, [&] { ++told; });
  REQUIRE(contents.groups.size() == groups + 1);
  REQUIRE(contents.datasets.size() == 2 * groups + 1);
  for (int i = 0; i < groups; ++i) {
    const std::string group = "/" + std::to_string(i);
    INFO(group);
    const h5::DatasetDescription* data = contents.dataset(group + "/a");
    REQUIRE(data != nullptr);
    CHECK(data->scales == std::vector<std::string>{i == 7 ? "/z" : "", group + "/step", ""});
  }
  CHECK(told == (3 * groups + 2) / static_cast<int>(h5::kObjectsPerTelling));
}

TEST_CASE("messages: contents and requests come back as they were") {
  h5::Contents contents;
  contents.file_bytes = 1234;
  contents.groups.push_back({"/", {{"a", "text"}, {"b", std::int64_t{-5}}, {"c", 0.25}}});
  contents.groups[0].attributes.emplace_back("d", std::vector<std::string>{"one", ""});
  contents.groups[0].attributes.emplace_back("e", std::monostate());
  h5::DatasetDescription dataset;
  dataset.path = "/x";
  dataset.type = h5::Type::int32;
  dataset.shape = {3, 4};
  dataset.scales = {"row", ""};
  dataset.stored_bytes = 48;
  dataset.refusal = "why";
  contents.datasets.push_back(dataset);
  contents.links = {"/y", "/g/z"};
  const std::string packed = pack(contents);
  const h5::Contents back = h5::unpack_contents(packed);
  CHECK(back.file_bytes == 1234);
  CHECK(back.root().attributes == contents.root().attributes);
  REQUIRE(back.datasets.size() == 1);
  CHECK(back.datasets[0].shape == dataset.shape);
  CHECK(back.datasets[0].scales == dataset.scales);
  CHECK(back.datasets[0].refusal == "why");
  CHECK(back.links == contents.links);
  CHECK(pack(back) == packed);
  const h5::ReadRequest request{"/x", h5::Type::float32, 7, 9};
  const h5::ReadRequest again = h5::unpack_read_request(pack(request));
  CHECK(again.path == "/x");
  CHECK(again.type == h5::Type::float32);
  CHECK(again.first == 7);
  CHECK(again.rows == 9);
}

TEST_CASE("messages: what is cut or changed is refused or read, and nothing worse") {
  h5::Contents contents;
  contents.groups.push_back({"/", {{"a", "text"}}});
  contents.datasets.emplace_back();
  contents.datasets.back().shape = {2};
  contents.datasets.back().scales = {""};
  const std::string packed = pack(contents);
  for (std::size_t length = 0; length < packed.size(); ++length) {
    CHECK_THROWS_AS(h5::unpack_contents(packed.substr(0, length)), DataError);
  }
  CHECK_THROWS_AS(h5::unpack_contents(packed + "x"), DataError);
  for (std::size_t i = 0; i < packed.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      std::string changed = packed;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      try {
        const h5::Contents read = h5::unpack_contents(changed);
        CHECK(read.datasets.size() <= 1);
      } catch (const DataError&) {
        SUCCEED();
      }
    }
  }
  CHECK_THROWS_AS(h5::unpack_header("short"), DataError);
}
