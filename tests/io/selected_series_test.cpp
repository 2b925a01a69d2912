// SPDX-License-Identifier: MIT
#include "../../src/io/selected_series.h"

#include "../../src/io/file_series.h"
#include "../../src/io/generators/narma10.h"
#include "../../src/io/generators/ornstein_uhlenbeck.h"
#include "../support/catch.h"
#include "read_series.h"
#include "side_values.h"

namespace gaia {
namespace {

using Names = std::vector<std::string>;
using Role = SideColumn::Role;
using namespace test;

TEST_CASE("channels of a generator are chosen by name, others are targets") {
  const auto whole = make_narma10({}, 50, 3);
  const std::vector<double> both = read_all(*whole);
  const auto series = select_channels(make_narma10({}, 50, 3), "narma10", {"u"}, {"y"});
  CHECK(series->channel_names() == Names{"u"});
  CHECK(series->side_columns() == std::vector<SideColumn>{{Role::target, "y"}});
  CHECK(read_all(*series) == column(both, 2, 0));
  CHECK(side_of<double>(*series, 0) == column(both, 2, 1));
  test::check_any_cut(
      [] { return select_channels(make_narma10({}, 50, 3), "narma10", {"u"}, {"y"}); });
  // Those that are no targets; and only some, in another order.
  CHECK(select_channels(make_narma10({}, 5, 3), "narma10", {}, {"u"})->channel_names() ==
        Names{"y"});
  CHECK(select_channels(make_narma10({}, 5, 3), "narma10", {"y", "0"}, {})->channel_names() ==
        Names{"y", "u"});
}

TEST_CASE("latents stand behind the targets") {
  const OrnsteinUhlenbeckOptions options{.tau = {5, 50}, .channels = 3};
  const auto whole = make_ornstein_uhlenbeck(options, 20, 1);
  const auto series =
      select_channels(make_ornstein_uhlenbeck(options, 20, 1), "ornstein_uhlenbeck", {"2"}, {"0"});
  CHECK(series->latents() == 2);
  REQUIRE(series->side_columns().size() == 3);
  CHECK(series->side_columns()[0].role == Role::target);
  CHECK(series->side_columns()[2].role == Role::latent);
  CHECK(side_of<double>(*series, 2) == column(test::read_all_latents(*whole), 2, 1));
  CHECK(side_of<double>(*series, 0) == column(read_all(*whole), 3, 0));
  // Both at once, in any order.
  std::vector<double> rows(20);
  std::vector<SideValues> side(2);
  series->read_with_side(0, 20, rows, std::vector<std::size_t>{1, 0}, side);
  CHECK(std::get<std::vector<double>>(side[0]) == column(test::read_all_latents(*whole), 2, 0));
  CHECK(std::get<std::vector<double>>(side[1]) == column(read_all(*whole), 3, 0));
}

TEST_CASE("channels that there are not, or for both, are told with their key") {
  const auto key_of = [](const Names& columns, const Names& targets) -> std::string {
    try {
      select_channels(make_narma10({}, 5, 3), "narma10", columns, targets);
    } catch (const DataKeyError& error) {
      return error.key;
    }
    return "";
  };
  CHECK(key_of({"v"}, {}) == "columns");
  CHECK(key_of({}, {"v"}) == "targets");
  CHECK(key_of({"u", "u"}, {}) == "columns");
  CHECK(key_of({"u"}, {"u"}) == "columns");
  CHECK(key_of({}, {"u", "y"}) == "targets");
}

}  // namespace
}  // namespace gaia
