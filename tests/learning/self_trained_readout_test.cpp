// SPDX-License-Identifier: MIT
/// \file
/// Logistic regression that goes on by its own answers, compared with a loop over
/// LogisticRegression.
#include "../../src/learning/self_trained_readout.h"

#include <algorithm>

#include "../../src/core/random.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

constexpr std::size_t kFeatures = 3;
constexpr std::int64_t kClasses = 3;

/// Rows around a middle for each class, which moves by and by.
struct Moving {
  std::vector<double> features;
  std::vector<double> classes;
};

Moving moving(std::size_t rows, std::uint64_t seed) {
  Moving made;
  std::vector<double> noise(rows * kFeatures);
  RandomStream{seed, 1}.normals(0, noise);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto code = static_cast<std::size_t>(RandomStream{seed, 2}.integer(row, kClasses));
    made.classes.push_back(static_cast<double>(code));
    const double shift = 2.0 * static_cast<double>(row) / static_cast<double>(rows);
    for (std::size_t j = 0; j < kFeatures; ++j) {
      const double middle = j == code ? 2.0 : j == (code + 1) % kFeatures ? shift : 0.0;
      made.features.push_back(middle + 0.5 * noise[row * kFeatures + j]);
    }
  }
  return made;
}

}  // namespace

TEST_CASE("self-training is logistic regression fitted anew to its newest answers") {
  const Moving data = moving(230, 5);
  constexpr std::size_t kLabelled = 40;
  constexpr std::size_t kMemory = 60;
  constexpr std::size_t kEvery = 25;
  const SelfTrainedOptions options{.l2 = 1e-3, .memory = kMemory, .every = kEvery};
  const std::span<const double> labelled = std::span(data.features).first(kLabelled * kFeatures);
  const std::span<const double> rest = std::span(data.features).subspan(kLabelled * kFeatures);

  std::vector<double> expected;
  LogisticRegression fit(kFeatures, 1e-3);
  std::vector<double> rows(labelled.begin(), labelled.end());
  std::vector<std::int64_t> codes(data.classes.begin(), data.classes.begin() + kLabelled);
  fit.fit(rows, codes);
  for (std::size_t t = 0; t * kFeatures < rest.size(); ++t) {
    const auto row = rest.subspan(t * kFeatures, kFeatures);
    const std::vector<double> p = fit.probabilities(row);
    REQUIRE(p.size() == static_cast<std::size_t>(kClasses));
    expected.insert(expected.end(), p.begin(), p.end());
    rows.insert(rows.end(), row.begin(), row.end());
    codes.push_back(std::max_element(p.begin(), p.end()) - p.begin());
    if ((t + 1) % kEvery != 0) continue;
    const std::size_t newest = codes.size() - kMemory;
    fit.fit(std::span(rows).subspan(newest * kFeatures), std::span(codes).subspan(newest));
  }

  for (const std::size_t piece : {190u, 1u, 7u}) {
    INFO("pieces of " << piece);
    std::unique_ptr<ReadoutModel> model =
        options.make({.features = kFeatures, .targets = kClasses});
    model->add(labelled, std::span(data.classes).first(kLabelled));
    model->solve();
    std::vector<double> said;
    for (std::size_t t = 0; t * kFeatures < rest.size(); t += piece) {
      const std::size_t end = std::min(rest.size(), (t + piece) * kFeatures);
      const std::vector<double> part =
          model->predict(rest.subspan(t * kFeatures, end - t * kFeatures));
      said.insert(said.end(), part.begin(), part.end());
      if (t < 63 || t >= 70) continue;  // once, its state is taken on by another
      std::unique_ptr<ReadoutModel> other =
          options.make({.features = kFeatures, .targets = kClasses});
      other->set_state(model->state());
      model = std::move(other);
    }
    REQUIRE(said.size() == expected.size());
    for (std::size_t i = 0; i < said.size(); ++i) {
      INFO("number " << i);
      CHECK(said[i] == Approx(expected[i]).epsilon(0).margin(1e-12));
    }
  }
}

TEST_CASE("a memory of one class changes nothing, and states of another size are refused") {
  const SelfTrainedOptions options{.memory = 2, .every = 1};
  SelfTrainedReadout model({.features = 1, .targets = 2}, options);
  model.add(std::vector{-1.0, 1.0}, std::vector{0.0, 1.0});
  model.solve();
  const std::vector<double> far = {5.0, 5.0, 5.0, 5.0, -5.0};
  const std::vector<double> said = model.predict(far);
  CHECK(said[8] > 0.9);  // still the other class
  CHECK_THROWS_AS(model.set_state(std::vector<double>{0.0, 100.0, 2.0}), ShapeError);
  CHECK_THROWS_AS(model.set_solution({}), ArgumentError);
}
