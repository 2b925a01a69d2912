// SPDX-License-Identifier: MIT
#include "../../src/learning/change_readout.h"

#include "../../src/core/error.h"
#include "../../src/core/random.h"
#include "../../src/learning/ridge.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

constexpr std::size_t kRows = 200;
constexpr std::size_t kFeatures = 3;

struct Data {
  std::vector<double> features;     // [rows, 3]
  std::vector<double> with_now;     // [rows, 3 + 2]
  std::vector<double> now, target;  // [rows, 2]
  std::vector<double> change;       // target - now
};

Data make_data() {
  std::vector<double> noise(kRows * 7);
  RandomStream{3, 8}.normals(0, noise);
  Data data;
  for (std::size_t r = 0; r < kRows; ++r) {
    const double* const x = &noise[7 * r];
    const double now[] = {50.0 + x[3], -x[4]};
    data.features.insert(data.features.end(), x, x + kFeatures);
    data.with_now.insert(data.with_now.end(), x, x + kFeatures);
    for (std::size_t k = 0; k < 2; ++k) {
      const double change = 0.4 * x[k] - x[k + 1] + 0.1 * x[5 + k] + 0.2;
      data.with_now.push_back(now[k]);
      data.now.push_back(now[k]);
      data.target.push_back(now[k] + change);
      data.change.push_back(data.target.back() - now[k]);
    }
  }
  return data;
}

std::unique_ptr<ReadoutModel> ridge(double regularisation) {
  return std::make_unique<RidgeRegression>(3, RidgeOptions{.ridge = regularisation}, 2);
}

}  // namespace

TEST_CASE("what changes is learnt, and added to what there is now") {
  const Data data = make_data();
  ChangeReadout model(ridge(1e-3), {.features = 3, .targets = 2});
  // In two parts, as blocks come.
  const auto part = [](const std::vector<double>& all, std::size_t begin, std::size_t end) {
    return std::span(all).subspan(begin, end - begin);
  };
  model.add(part(data.with_now, 0, 5 * 70), part(data.target, 0, 2 * 70));
  model.add(part(data.with_now, 5 * 70, 5 * kRows), part(data.target, 2 * 70, 2 * kRows));
  ChangeReadout copy(ridge(1e-3), {.features = 3, .targets = 2});
  copy.set_state(model.state());
  model.solve();
  copy.solve();
  RidgeRegression alone(3, {.ridge = 1e-3}, 2);
  alone.add(data.features, data.change);
  alone.solve();
  const std::vector<double> expected = alone.predict(data.features);
  const std::vector<double> found = model.predict(data.with_now);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == Approx(expected[i] + data.now[i]).margin(1e-9));
  }
  CHECK(copy.predict(data.with_now) == found);
  double mean = 0.0;
  for (std::size_t r = 0; r < kRows; ++r) mean += data.target[2 * r] / kRows;
  CHECK(model.target_means()[0] == Approx(mean));
  // Another that takes over what it has found says the same.
  ChangeReadout other(ridge(1.0), {.features = 3, .targets = 2});
  other.set_solution(model.solution());
  CHECK(other.predict(data.with_now) == found);
  CHECK(other.target_means() == model.target_means());
}

TEST_CASE("a strong regularisation of changes is persistence with a drift") {
  const Data data = make_data();
  ChangeReadout model(ridge(1e9), {.features = 3, .targets = 2});
  model.add(data.with_now, data.target);
  model.solve();
  double drift = 0.0;
  for (std::size_t r = 0; r < kRows; ++r) drift += data.change[2 * r] / kRows;
  const std::vector<double> found = model.predict(data.with_now);
  for (std::size_t r = 0; r < kRows; ++r) {
    CHECK(found[2 * r] == Approx(data.now[2 * r] + drift).margin(1e-6));
  }
}

TEST_CASE("rows of other lengths are refused") {
  ChangeReadout model(ridge(1.0), {.features = 3, .targets = 2});
  const std::vector<double> six(6);
  const std::vector<double> five(5);
  CHECK_THROWS_AS(model.add(six, six), ShapeError);
  CHECK_THROWS_AS(model.add(five, five), ShapeError);
  CHECK_THROWS_AS(model.set_state(std::vector<double>(2)), ShapeError);
}

TEST_CASE("a row that the model refuses changes nothing") {
  ChangeReadout model(ridge(1.0), {.features = 3, .targets = 2});
  model.add(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{1, 2});
  const std::vector<double> before = model.state();
  CHECK_THROWS_AS(model.add(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{1, NAN}),
                  ArgumentError);
  CHECK(model.state() == before);
}
