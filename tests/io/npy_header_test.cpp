// SPDX-License-Identifier: MIT
#include "../../src/io/npy_header.h"

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/complaint.h"

namespace gaia {
namespace {

using Shape = std::vector<std::int64_t>;

NpyHeader parse(std::string_view text) { return parse_npy_header(text, "a.npy"); }

std::string header_error(std::string_view text) {
  return test::complaint_of<DataError>([&] { parse(text); });
}

std::string with_type(const std::string& descr) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (3,), }";
}

TEST_CASE("parse_npy_header reads what NumPy writes") {
  const NpyHeader header =
      parse("{'descr': '<u2', 'fortran_order': False, 'shape': (108000,), }      \n");
  CHECK(header.type == NpyType::uint16);
  CHECK_FALSE(header.fortran_order);
  CHECK(header.shape == Shape{108000});
}

TEST_CASE("parse_npy_header reads dictionaries in any spelling") {
  const NpyHeader header = parse("{ \"shape\":( 4 ,5 ),\"fortran_order\" : True,\n 'descr':'|b1'}");
  CHECK(header.type == NpyType::bool8);
  CHECK(header.fortran_order);
  CHECK(header.shape == Shape{4, 5});
  CHECK(parse("{'descr': '<f8', 'fortran_order': False, 'shape': ()}").shape.empty());
  CHECK(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4,)}").shape ==
        Shape{2, 3, 4});
}

TEST_CASE("parse_npy_header knows the types of numbers") {
  const std::pair<const char*, NpyType> types[] = {
      {"|b1", NpyType::bool8},  {"|i1", NpyType::int8},    {"<i1", NpyType::int8},
      {"<i2", NpyType::int16},  {"<i4", NpyType::int32},   {"<i8", NpyType::int64},
      {"|u1", NpyType::uint8},  {"<u2", NpyType::uint16},  {"<u4", NpyType::uint32},
      {"<u8", NpyType::uint64}, {"<f4", NpyType::float32}, {"<f8", NpyType::float64}};
  for (const auto& [descr, type] : types) {
    INFO(descr);
    CHECK(parse(with_type(descr)).type == type);
    CHECK(size_of(type) == descr[2] - '0');
  }
}

TEST_CASE("parse_npy_header knows texts of one length") {
  CHECK(parse(with_type("<U5")).type == NpyType::unicode);
  CHECK(parse(with_type("<U5")).item_bytes() == 20);
  CHECK(parse(with_type("|S13")).type == NpyType::bytes);
  CHECK(parse(with_type("|S13")).item_bytes() == 13);
}

TEST_CASE("parse_npy_header refuses types that are no numbers of ours") {
  CHECK(
      header_error(with_type(">f8")) ==
      "a.npy: header: expected numbers in little-endian order, got big-endian '>f8'; convert with "
      "astype('<f8')");
  CHECK(header_error(with_type("<c16")) ==
        "a.npy: header: expected a type out of b1, i1, i2, i4, i8, u1, u2, u4, u8, f4, f8, "
        "little-endian, got '<c16'");
  for (const char* descr : {"|O", "<f2", "<M8[ns]", ">U5", "<U", "<U0", "|S-3", "<U99999999999",
                            "f8", "=f8", "|f8", "", "<"}) {
    INFO(descr);
    CHECK_THROWS_WITH_TEXT(parse(with_type(descr)), DataError, "expected a type out of");
  }
  CHECK(header_error("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (3,)}") ==
        "a.npy: header: expected a string, got '[('x', '<f8')], 'fortran_order': False, ...'");
}

TEST_CASE("parse_npy_header refuses headers that are not written like this") {
  const char* const bad[] = {
      "",
      "{",
      "{}",
      "x",
      "{'descr': '<f8', 'fortran_order': False}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} x",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
      "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
      "{'descr': '<f8' 'fortran_order': False, 'shape': (3,)}",
      "{'descr' '<f8', 'fortran_order': False, 'shape': (3,)}",
      "{'descr': '<f8, 'fortran_order': False, 'shape': (3,)}",
      "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': [3]}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3 4)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3.0,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3L,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775808,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3,",
      "{'descr",
  };
  for (const char* text : bad) {
    INFO(text);
    CHECK_THROWS_WITH_TEXT(parse(text), DataError, "a.npy: header: expected ");
  }
  CHECK(header_error("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}") ==
        "a.npy: header: expected keys descr, fortran_order and shape, each once, got 'more'");
  CHECK(header_error("{'descr': '<f8'}") ==
        "a.npy: header: expected keys descr, fortran_order and shape, got only some of them");
}

}  // namespace
}  // namespace gaia
