// SPDX-License-Identifier: MIT
#include "../../src/core/names.h"

#include "../support/catch.h"

namespace gaia {
namespace {

enum class Fruit { apple, pear, plum, unnamed };

constexpr NameTable<Fruit, 3> kFruits = {
    {{"apple", Fruit::apple}, {"pear", Fruit::pear}, {"plum", Fruit::plum}}};

TEST_CASE("nearest_name finds the word that was probably meant") {
  const std::vector<std::string> rules = {"hebbian", "oja", "sanger", "bcm", "stdp_rate"};
  CHECK(nearest_name("bmc", rules) == "bcm");         // neighbours swapped
  CHECK(nearest_name("hebian", rules) == "hebbian");  // a letter missing
  CHECK(nearest_name("ojaa", rules) == "oja");        // one too many
  CHECK(nearest_name("sanjer", rules) == "sanger");   // another letter
  CHECK(nearest_name("stdprate", rules) == "stdp_rate");
  CHECK(nearest_name("oja", rules) == "oja");
  CHECK(nearest_name("Oja", rules) == "oja");  // capitals
  CHECK(nearest_name("HEBIAN", rules) == "hebbian");
}

TEST_CASE("nearest_name finds nothing where no word is near") {
  const std::vector<std::string> rules = {"hebbian", "oja", "bcm"};
  CHECK(nearest_name("gradient", rules).empty());
  CHECK(nearest_name("xyz", rules).empty());
  CHECK(nearest_name("oja", {}).empty());
  CHECK(nearest_name("", rules).empty());
  CHECK(nearest_name("x", std::vector<std::string>{"0", "1"}).empty());
  CHECK(nearest_name(std::string(100000, 'x'), rules).empty());
}

TEST_CASE("nearest_name prefers fewer edits, then the word that comes first") {
  const std::vector<std::string> words = {"mean_a", "mean", "mear"};
  CHECK(nearest_name("meam", words) == "mean");
  const std::vector<std::string> tied = {"cat", "car"};
  CHECK(nearest_name("caz", tied) == "cat");
}

TEST_CASE("did_you_mean is a question or nothing") {
  const std::vector<std::string> words = {"mean", "max"};
  CHECK(did_you_mean("maen", words) == " (did you mean 'mean'?)");
  CHECK(did_you_mean("concat", words).empty());
}

TEST_CASE("join puts commas between words") {
  CHECK(join(std::vector<std::string>{"a", "b", "c"}) == "a, b, c");
  CHECK(join(std::vector<std::string>{"a"}) == "a");
  CHECK(join({}).empty());
}

TEST_CASE("A table of names is read in both directions") {
  CHECK(name_of(kFruits, Fruit::pear) == "pear");
  CHECK(names_of(kFruits) == std::vector<std::string>{"apple", "pear", "plum"});
  CHECK(from_name(kFruits, "plum", "fruit") == Fruit::plum);
  CHECK_THROWS_AS(name_of(kFruits, Fruit::unnamed), InternalError);
}

TEST_CASE("An unknown name is answered with the nearest and all known ones") {
  CHECK_THROWS_AS(from_name(kFruits, "appel", "fruit"), ArgumentError);
  CHECK_THROWS_WITH(from_name(kFruits, "appel", "fruit"),
                    "unknown fruit 'appel' (did you mean 'apple'?); known: apple, pear, plum");
  CHECK_THROWS_WITH(from_name(kFruits, "kiwi", "fruit"),
                    "unknown fruit 'kiwi'; known: apple, pear, plum");
  CHECK_THROWS_AS(from_name(kFruits, "Apple", "fruit"), ArgumentError);
}

}  // namespace
}  // namespace gaia
