// SPDX-License-Identifier: MIT
#include "../../../src/agents/discrete/generative_model.h"

#include <cmath>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "random_models.h"

using namespace gaia;
using namespace gaia::agents;
using gaia::test::random_tables;

TEST_CASE("Counts become probabilities column by column") {
  const ProbabilityTable table = normalised({{2, 3}, {1, 0, 3, 3, 2, 1}});
  CHECK(table.values == std::vector<double>{0.25, 0, 0.75, 0.75, 1, 0.25});
  CHECK_THROWS_WITH_TEXT(normalised({{2, 2}, {1, 0, 1, 0}}), ArgumentError, "none in column 1");
  CHECK_THROWS_WITH_TEXT(normalised({{2, 2}, {1, 0, 1}}), ArgumentError, "expected 4 numbers");
  CHECK_THROWS_WITH_TEXT(normalised({{2}, {1, -1}}), ArgumentError, "-1.0 in place 1");
  CHECK_THROWS_WITH_TEXT(normalised({{2}, {1, NAN}}), ArgumentError, "numbers from 0 on");
  CHECK_THROWS_AS(normalised({{}, {}}), ArgumentError);
  CHECK_THROWS_AS(normalised({{0, 3}, {}}), ArgumentError);
}

TEST_CASE("A model fills in what is not given") {
  ModelTables tables = random_tables({2, 3}, {1, 2}, {4}, 1);
  tables.preferences.clear();
  tables.initial.clear();
  const GenerativeModel model(tables);
  CHECK(model.tables().initial[1] == std::vector<double>(3, 1.0 / 3));
  CHECK(model.tables().depends_on == std::vector<std::vector<std::int64_t>>{{0, 1}});
  for (const double c : model.log_preferences()[0]) CHECK(c == Approx(-std::log(4.0)));
  CHECK(model.states() == std::vector<std::int64_t>{2, 3});
  CHECK(model.actions() == std::vector<std::int64_t>{1, 2});
  CHECK(model.outcomes() == std::vector<std::int64_t>{4});
}

TEST_CASE("Preferences are logarithms of probabilities, whatever constant they have") {
  ModelTables tables = random_tables({2}, {2}, {3}, 1);
  tables.preferences = {{1000, 1001, 1002}};
  const GenerativeModel model(tables);
  double sum = 0;
  for (const double c : model.log_preferences()[0]) sum += std::exp(c);
  CHECK(sum == Approx(1));
  CHECK(model.log_preferences()[0][2] - model.log_preferences()[0][0] == Approx(2));
}

TEST_CASE("Modalities that share factors are one group, others are groups of their own") {
  ModelTables tables = random_tables({2, 3, 2, 2}, {1, 1, 1, 1}, {}, 1);
  tables.likelihoods = {test::random_table({2, 3}, {1, 50}), test::random_table({3, 2, 2}, {1, 51}),
                        test::random_table({2, 2}, {1, 52})};
  tables.depends_on = {{1}, {0, 2}, {2}};
  const GenerativeModel model(tables);
  REQUIRE(model.groups().size() == 2);
  CHECK(model.groups()[0].factors == std::vector<std::int64_t>{0, 2});
  CHECK(model.groups()[0].modalities == std::vector<std::int64_t>{1, 2});
  CHECK(model.groups()[0].joint_outcomes == 6);
  CHECK(model.groups()[1].factors == std::vector<std::int64_t>{1});
}

TEST_CASE("Tables that do not fit are refused, by name") {
  const ModelTables right = random_tables({2, 3}, {1, 2}, {4, 2}, 1);
  CHECK_NOTHROW(GenerativeModel(right));
  const auto refuses = [&](const std::string& text, auto change) {
    ModelTables wrong = right;
    change(wrong);
    CHECK_THROWS_WITH_TEXT(GenerativeModel(wrong), ArgumentError, text);
  };
  refuses("likelihoods", [](auto& t) { t.likelihoods.clear(); });
  refuses("transitions", [](auto& t) { t.transitions.clear(); });
  refuses("likelihoods of modality 1: expected the shape [outcomes, 2, 3]",
          [](auto& t) { t.likelihoods[1].shape = {2, 3, 2}; });
  refuses("transitions of factor 1: expected the shape [states, states, actions], got [3, 6]",
          [](auto& t) { t.transitions[1].shape = {3, 6}; });
  refuses("sum to 1 (normalised() makes them of counts), got 1.5 in column 0",
          [](auto& t) { t.initial[0] = {0.5, 1.0}; });
  refuses("likelihoods of modality 0", [](auto& t) { t.likelihoods[0].values[3] += 1e-3; });
  refuses("transitions of factor 1", [](auto& t) { t.transitions[1].values[0] = -0.1; });
  for (const double value : {-HUGE_VAL, std::nan(""), -1.797e308, 1e101}) {
    refuses("preferences of modality 0: expected logarithms from -1e+100 to 1e+100 (-1000, say,",
            [&](auto& t) { t.preferences[0][1] = value; });
  }
  refuses("preferences of modality 1: expected a number for each of 2",
          [](auto& t) { t.preferences[1].push_back(0); });
  refuses("preferences: expected a list for each of 2", [](auto& t) { t.preferences.pop_back(); });
  refuses("initial of factor 0: expected a number for each of 2",
          [](auto& t) { t.initial[0] = {1}; });
  refuses("initial: expected", [](auto& t) { t.initial.pop_back(); });
  refuses("habits", [](auto& t) { t.habits = {0.4, 0.4}; });
  refuses("depends_on: expected", [](auto& t) { t.depends_on = {{0, 1}}; });
  refuses("depends_on of modality 0", [](auto& t) { t.depends_on = {{1, 0}, {0, 1}}; });
  refuses("depends_on of modality 1", [](auto& t) { t.depends_on = {{0, 1}, {0, 2}}; });
}

TEST_CASE("Groups that are too large are refused with a way out") {
  ModelTables tables = random_tables({2, 2}, {1, 1}, {}, 1);
  for (int m = 0; m < 27; ++m) {
    tables.likelihoods.push_back(test::random_table({2, 2, 2}, {1, 9}));
  }
  tables.preferences.clear();
  CHECK_THROWS_WITH_TEXT(GenerativeModel(tables), ArgumentError, "depends_on");
  // Modalities of one factor each are many small groups, and no trouble.
  tables.likelihoods.clear();
  tables.transitions.assign(27, test::random_table({2, 2, 1}, {1, 9}));
  tables.initial.clear();
  for (std::int64_t m = 0; m < 27; ++m) {
    tables.likelihoods.push_back(test::random_table({2, 2}, {1, 9}));
    tables.depends_on.push_back({m});
  }
  CHECK(GenerativeModel(tables).groups().size() == 27);
}

TEST_CASE("Observations and actions are checked") {
  const GenerativeModel model(random_tables({2, 3}, {1, 2}, {4, 2}, 1));
  CHECK_NOTHROW(model.check_observation({3, unobserved}));
  CHECK_THROWS_WITH_TEXT(model.check_observation({4, 0}), ArgumentError, "below [4, 2]");
  CHECK_THROWS_AS(model.check_observation({-2, 0}), ArgumentError);
  CHECK_THROWS_AS(model.check_observation({0}), ArgumentError);
  CHECK_NOTHROW(model.check_action({0, 1}));
  CHECK_THROWS_WITH_TEXT(model.check_action({1, 1}), ArgumentError, "below [1, 2], got [1, 1]");
  CHECK_THROWS_AS(model.check_action({0}), ArgumentError);
}
