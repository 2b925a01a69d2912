// SPDX-License-Identifier: MIT
#include "../../src/hierarchy/level.h"

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/layers/hierarchy/reactive.h"
#include "../../src/layers/hierarchy/temporal.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

/// Counts the ticks it answers, and adds one to what it reads.
class CountingLayer final : public Layer {
 public:
  CountingLayer(std::int64_t size, std::shared_ptr<std::int64_t> ticks)
      : Layer(size, size, DType::float64), ticks_(std::move(ticks)) {}
  std::string type() const override { return "counting"; }
  std::unique_ptr<Layer> clone() const override { return std::make_unique<CountingLayer>(*this); }
  std::vector<NamedArray> arrays() const override { return {}; }
  std::int64_t operations_per_tick(bool) const override { return 0; }

 private:
  void answer(const Array& x, bool, const Array& y) override {
    *ticks_ += x.shape(1);
    y.assign(add(x, 1.0));
  }
  void move_to_current_device() override {}

  std::shared_ptr<std::int64_t> ticks_;
};

Array numbered(std::int64_t t) { return full({2}, static_cast<double>(t), DType::float64); }

}  // namespace

TEST_CASE("A level says what it is") {
  const HierarchicalLevel level(3, 12, 5, 4, {.pooling = Pooling::concat});
  CHECK(level.id() == 3);
  CHECK(level.input_size() == 12);
  CHECK(level.output_size() == 5);
  CHECK(level.temporal_resolution() == 4);
  CHECK(level.pooling() == Pooling::concat);
  CHECK(level.source_size() == 3);
  CHECK(HierarchicalLevel(0, 12, 5, 4).source_size() == 12);
  CHECK(HierarchicalLevel(0, 12, 5, 4).pooling() == Pooling::last);
}

TEST_CASE("A level refuses sizes and resolutions below one") {
  CHECK_THROWS_WITH_TEXT(HierarchicalLevel(2, 0, 3), ArgumentError,
                         "[level 2] sizes must be at least 1, got 0 inputs and 3 outputs");
  CHECK_THROWS_WITH_TEXT(HierarchicalLevel(2, 3, 0), ArgumentError, "[level 2] sizes");
  CHECK_THROWS_WITH_TEXT(HierarchicalLevel(2, 3, 3, 0), ArgumentError,
                         "temporal_resolution must be at least 1 step, got 0");
  CHECK_THROWS_WITH_TEXT(HierarchicalLevel(2, 10, 3, 4, {.pooling = Pooling::concat}),
                         ArgumentError,
                         "input_size must be a multiple of temporal_resolution 4, got 10");
}

TEST_CASE("Layers of a level must chain") {
  HierarchicalLevel level(1, 4, 2);
  CHECK_THROWS_WITH_TEXT(level.add_layer(ReactiveLayer(3, 5)), ShapeError,
                         "[level 1] layer 0 (reactive) reads 3 numbers, but what comes before it "
                         "has 4");
  level.add_layer(ReactiveLayer(4, 5));
  CHECK_THROWS_WITH_TEXT(level.add_layer(HebbianLayer(4, 2)), ShapeError,
                         "[level 1] layer 1 (hebbian) reads 4 numbers, but what comes before it "
                         "has 5");
  CHECK_THROWS_WITH_TEXT(level.check_complete(), ShapeError,
                         "[level 1] output_size is 2, but its last layer answers with 5 numbers");
  CHECK_THROWS_AS(level.process_time_step(ones({4}), 0), ShapeError);
  level.add_layer(TemporalLayer(5, 2));
  level.check_complete();
  CHECK(level.layer_count() == 2);
  CHECK(level.layer(1).type() == "temporal");
  CHECK_THROWS_WITH_TEXT(level.layer(2), ArgumentError, "there is no layer 2 among 2");
  CHECK_THROWS_WITH_TEXT(level.add_layer(std::unique_ptr<Layer>()), ArgumentError, "got no layer");
}

TEST_CASE("A level without layers passes on what it reads, and must not change its size") {
  HierarchicalLevel level(0, 3, 3, 2, {.pooling = Pooling::mean});
  level.process_time_step(array({1, 2, 3}), 0);
  level.process_time_step(array({3, 4, 5}), 1);
  CHECK(level.process_time_step(array({5, 6, 7}), 2).to_vector<float>() ==
        std::vector<float>{4, 5, 6});
  HierarchicalLevel wrong(0, 3, 2);
  CHECK_THROWS_WITH_TEXT(wrong.process_time_step(ones({3}), 0), ShapeError,
                         "output_size is 2, but it has no layers and input_size 3");
}

TEST_CASE("Samples may be integers, even where they are pooled") {
  HierarchicalLevel level(0, 2, 2, 2, {.pooling = Pooling::mean});
  level.process_time_step(array({1, 2}, DType::int32), 0);
  level.process_time_step(array({1, 2}, DType::int32), 1);
  const Array y = level.process_time_step(array({2, 4}, DType::int32), 2);
  CHECK(y.dtype() == DType::float64);
  CHECK(y.to_vector<double>() == std::vector<double>{1.5, 3});
}

TEST_CASE("Between its ticks a level holds its representation and its layers do nothing") {
  const std::int64_t resolution = GENERATE(1, 2, 4, 7);
  const Pooling pooling = GENERATE(Pooling::last, Pooling::mean, Pooling::max, Pooling::ema);
  const auto ticks = std::make_shared<std::int64_t>(0);
  HierarchicalLevel level(0, 2, 2, resolution, {.pooling = pooling});
  level.add_layer(CountingLayer(2, ticks));
  std::vector<double> at_tick;
  for (std::int64_t t = 0; t < 23; ++t) {
    const std::vector<double> shown = level.process_time_step(numbered(t), t).to_vector<double>();
    if (t % resolution == 0) at_tick = shown;
    CHECK(shown == at_tick);
    CHECK(*ticks == t / resolution + 1);
  }
}

TEST_CASE("What a level returns is the caller's to keep") {
  HierarchicalLevel level(0, 2, 2, 1);
  const Array first = level.process_time_step(numbered(1), 0);
  level.process_time_step(numbered(2), 1);
  CHECK(first.item({0}) == 1.0);
  first.fill(9.0);
  CHECK(level.representation().item({0, 0}) == 2.0);
}

TEST_CASE("A level that begins between two ticks shows zeros until the first") {
  HierarchicalLevel level(0, 2, 2, 4, {.pooling = Pooling::mean});
  for (std::int64_t t = 5; t < 8; ++t) {
    CHECK(level.process_time_step(numbered(t), t).to_vector<double>() == std::vector<double>{0, 0});
    CHECK_FALSE(level.has_ticked());
  }
  CHECK(level.process_time_step(numbered(8), 8).item({0}) == 6.5);  // the mean of 5 ... 8
  CHECK(level.has_ticked());
}

TEST_CASE("A level that is told to refuses to be read before its first tick") {
  HierarchicalLevel level(
      6, 2, 2, 4, {.pooling = Pooling::mean, .held_until_first = LevelOptions::UntilFirst::refuse});
  CHECK_FALSE(level.shows_at(5));
  CHECK(level.shows_at(8));
  CHECK_THROWS_WITH_TEXT(level.process_time_step(numbered(6), 6), Error,
                         "[level 6] has no representation before its first tick "
                         "(held_until_first)");
  CHECK_THROWS_AS(level.process_time_step(numbered(7), 7), Error);
  // The steps were read all the same.
  CHECK(level.process_time_step(numbered(8), 8).item({0}) == 7.0);
  CHECK(level.process_time_step(numbered(9), 9).item({0}) == 7.0);
  level.reset_state();
  CHECK_THROWS_AS(level.representation(), Error);
}

TEST_CASE("Steps of a level that are left out do not exist for its pooling") {
  HierarchicalLevel level(0, 2, 2, 4, {.pooling = Pooling::mean});
  level.process_time_step(numbered(0), 0);
  level.process_time_step(numbered(1), 1);
  level.process_time_step(numbered(7), 7);
  CHECK(level.process_time_step(numbered(8), 8).item({0}) == 7.5);
}

TEST_CASE("A level forgets its state on reset, but not what it has learnt") {
  HierarchicalLevel level(0, 2, 3, 2, {.pooling = Pooling::ema});
  level.add_layer(HebbianLayer(2, 3, {.rule = OjaRule{}, .dtype = DType::float64}));
  for (std::int64_t t = 0; t < 5; ++t) level.process_time_step(numbered(t + 1), t, true);
  const auto& layer = dynamic_cast<const HebbianLayer&>(level.layer(0));
  const std::vector<double> weights = layer.weights().to_vector<double>();
  level.reset_state();
  CHECK_FALSE(level.has_ticked());
  CHECK(layer.weights().to_vector<double>() == weights);
  const Array y = level.process_time_step(numbered(2), 0, false);
  CHECK(all_close(y, matmul(numbered(2), layer.weights().transpose()), 1e-14, 1e-14));
}

TEST_CASE("A level takes a batch of streams, and as many of them at every step") {
  HierarchicalLevel level(4, 2, 2, 2);
  const Array x = array({{1, 2}, {3, 4}, {5, 6}});
  CHECK(level.process_time_step(x, 0).to_vector<float>() == x.to_vector<float>());
  CHECK(level.process_time_step(zeros({3, 2}), 1).to_vector<float>() == x.to_vector<float>());
  CHECK_THROWS_WITH_TEXT(level.process_time_step(zeros({2, 2}), 2), ShapeError,
                         "[level 4] its state is of 3 stream(s), got 2; reset its state first");
  level.reset_state();
  CHECK(level.process_time_step(zeros({2, 2}), 0).shape() == Shape{2, 2});
}

TEST_CASE("A level refuses samples of another shape and steps before zero") {
  HierarchicalLevel level(4, 2, 2);
  CHECK_THROWS_WITH_TEXT(level.process_time_step(ones({3}), 0), ShapeError,
                         "[level 4] expected [streams, ticks, 2], got [1, 1, 3]");
  CHECK_THROWS_WITH_TEXT(level.process_time_step(ones({1, 1, 2}), 0), ShapeError,
                         "[level 4] process_time_step expects [2] or [streams, 2], got [1, 1, 2]");
  CHECK_THROWS_WITH_TEXT(level.process_time_step(ones({2}), -1), ArgumentError,
                         "[level 4] step must be at least 0, got -1");
}
