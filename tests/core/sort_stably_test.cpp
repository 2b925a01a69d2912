// SPDX-License-Identifier: MIT
#include "../../src/core/sort_stably.h"

#include <string>
#include <vector>

#include "../support/catch.h"

TEST_CASE("sort_stably sorts, and keeps the order of what is alike") {
  // By the number of letters, which many share; expected by inserting one after the other.
  std::vector<std::string> words;
  for (int i = 0; i < 500; ++i)
    words.push_back(std::string(static_cast<std::size_t>(i * 7919 % 13), 'x') + std::to_string(i));
  std::vector<std::string> expected;
  for (const std::string& word : words) {
    auto at = expected.begin();
    while (at != expected.end() && at->size() <= word.size()) ++at;
    expected.insert(at, word);
  }
  gaia::sort_stably(words,
                    [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  CHECK(words == expected);
  std::vector<std::string> none;
  gaia::sort_stably(none, std::less<>());
  CHECK(none.empty());
}
