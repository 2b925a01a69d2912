// SPDX-License-Identifier: MIT
/// \file
/// One include for Catch2 2.13 (Debian 12, Ubuntu 22.04) and 3.x (Ubuntu 24.04 and later).
#pragma once

#include <string>
#include <vector>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers
#endif
using Catch::Matchers::ContainsSubstring;

/// Ends a test that cannot run here, saying why.
#ifdef SKIP
#define GAIA_SKIP(why) SKIP(why)
#else
#define GAIA_SKIP(why)        \
  do {                        \
    WARN("skipped: " << why); \
    SUCCEED();                \
    return;                   \
  } while (false)
#endif

/// Checks that an expression throws `type` with a message that holds `text`.
#define CHECK_THROWS_WITH_TEXT(expression, type, text) \
  CHECK_THROWS_AS(expression, type);                   \
  CHECK_THROWS_WITH(expression, Catch::Matchers::ContainsSubstring(text))

/// A name that begins with `prefix` and that nothing else has.
#define GAIA_UNIQUE(prefix) GAIA_JOINED(prefix, __COUNTER__)
#define GAIA_JOINED(prefix, number) GAIA_JOINED_NOW(prefix, number)
#define GAIA_JOINED_NOW(prefix, number) prefix##number

/// A TEST_CASE of `T`, which is float, then double.
#define FLOAT_TEST_CASE(name) GAIA_TEST_OF_FLOATS(GAIA_UNIQUE(of_floats_), name)
#define GAIA_TEST_OF_FLOATS(body, name)                             \
  template <class T>                                                \
  static void body();                                               \
  TEMPLATE_TEST_CASE(name, "", float, double) { body<TestType>(); } \
  template <class T>                                                \
  static void body()

/// Checks that a text holds each of the parts that follow it.  The text is copied, since it may be
/// a part of a value that goes.
#define CHECK_SAYS(text, ...)                                                    \
  do {                                                                           \
    const std::string gaia_said = text;                                          \
    for (const std::string& gaia_part : std::vector<std::string>{__VA_ARGS__}) { \
      CHECK_THAT(gaia_said, ContainsSubstring(gaia_part));                       \
    }                                                                            \
  } while (false)
