// SPDX-License-Identifier: MIT
#include "../../../src/layers/hierarchy/plastic_conv.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/array/random_arrays.h"
#include "../../../src/hierarchy/manager.h"
#include "../../../src/hierarchy/replicas.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/devices.h"

using namespace gaia;
using gaia::test::complaint_of;

namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

constexpr double kRate = 0.05;

/// A small picture of two channels under a kernel that is no square.
PlasticConvOptions picture_options(const char* rule, PatchUpdate update) {
  PlasticConvOptions options;
  options.plastic.rule = rule_from_name(rule);
  learning_rate_of(options.plastic.rule) = kRate;
  options.filters = 3;
  options.kernel = {2, 3};
  options.stride = {1, 2};
  options.padding = {1, 0};
  options.shape = {4, 5, 2};
  options.update = update;
  options.dtype = DType::float64;
  options.random = {7, 1};
  return options;
}

/// The layer as its page says it, number by number, of one stream.
class PlainConv {
 public:
  PlainConv(const PlasticConvLayer& layer, bool oja) : options_(layer.options()), is_oja_(oja) {
    const Row flat = layer.patches().weights().to_vector<double>();
    const std::size_t k = flat.size() / static_cast<std::size_t>(options_.filters);
    for (std::size_t i = 0; i < flat.size(); i += k) {
      weights.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(i),
                           flat.begin() + static_cast<std::ptrdiff_t>(i + k));
    }
    channels_ = static_cast<std::size_t>(options_.shape[2]);
    mean.assign(channels_, 0.0);
    variance.assign(channels_, 1.0);
  }

  Row tick(Row x, bool learns) {
    if (options_.standardize) standardize(x, learns);
    const Rows patches = patches_of(x);
    Rows answers;
    Rows drives;
    for (const Row& patch : patches) {
      drives.push_back(drive(patch));
      answers.push_back(activated(drives.back()));
      const bool now = learns && options_.update == PatchUpdate::position;
      if (now) move({patch}, {drives.back()}, {answers.back()});
    }
    if (learns && options_.update == PatchUpdate::mean) move(patches, drives, answers);
    return pooled(answers);
  }

  Rows weights;
  Row mean, variance;

 private:
  void standardize(Row& x, bool learns) {
    const std::size_t pixels = x.size() / channels_;
    if (learns) ++ticks_;
    for (std::size_t c = 0; c < channels_; ++c) {
      if (learns) {
        double here = 0.0;
        double spread = 0.0;
        for (std::size_t p = 0; p < pixels; ++p) here += x[p * channels_ + c];
        here /= static_cast<double>(pixels);
        for (std::size_t p = 0; p < pixels; ++p) spread += std::pow(x[p * channels_ + c] - here, 2);
        spread /= static_cast<double>(pixels);
        const double a = std::max(*options_.standardize, 1.0 / ticks_);
        const double apart = here - mean[c];
        variance[c] = (1.0 - a) * (variance[c] + a * apart * apart) + a * spread;
        mean[c] += a * apart;
      }
      for (std::size_t p = 0; p < pixels; ++p) {
        double& value = x[p * channels_ + c];
        value = (value - mean[c]) / std::sqrt(variance[c] + 1e-5);
      }
    }
  }

  Rows patches_of(const Row& x) const {
    const std::int64_t height = options_.shape[0];
    const std::int64_t width = options_.shape[1];
    const std::int64_t channels = options_.shape[2];
    const auto side = [](const std::vector<std::int64_t>& of, std::size_t axis) {
      return of.size() > 1 ? of[axis] : of[0];
    };
    Rows all;
    rows_ = columns_ = 0;
    for (std::int64_t top = -side(options_.padding, 0);
         top + side(options_.kernel, 0) <= height + side(options_.padding, 0);
         top += side(options_.stride, 0)) {
      ++rows_;
      columns_ = 0;
      for (std::int64_t left = -side(options_.padding, 1);
           left + side(options_.kernel, 1) <= width + side(options_.padding, 1);
           left += side(options_.stride, 1)) {
        ++columns_;
        Row patch;
        for (std::int64_t i = top; i < top + side(options_.kernel, 0); ++i) {
          for (std::int64_t j = left; j < left + side(options_.kernel, 1); ++j) {
            const bool inside = i >= 0 && i < height && j >= 0 && j < width;
            for (std::int64_t c = 0; c < channels; ++c) {
              patch.push_back(inside ? x[static_cast<std::size_t>((i * width + j) * channels + c)]
                                     : 0.0);
            }
          }
        }
        all.push_back(patch);
      }
    }
    return all;
  }

  Row drive(const Row& patch) const {
    Row z;
    for (const Row& w : weights) {
      double sum = 0.0;
      for (std::size_t j = 0; j < w.size(); ++j) sum += w[j] * patch[j];
      z.push_back(sum);
    }
    return z;
  }

  Row activated(Row z) const {
    if (options_.plastic.activation == Activation::coates) {
      double sum = 0.0;
      for (const double value : z) sum += value;
      for (double& value : z) {
        value = std::max(0.0, value - sum / static_cast<double>(options_.filters));
      }
    }
    return z;
  }

  /// Oja's rule, or SoftHebb with signs.
  void move(const Rows& patches, const Rows& drives, const Rows& answers) {
    const Rows before = weights;
    const double share = kRate / static_cast<double>(patches.size());
    for (std::size_t p = 0; p < patches.size(); ++p) {
      Row factor = answers[p];
      if (!is_oja_) factor = softmax_signed(drives[p]);
      for (std::size_t i = 0; i < before.size(); ++i) {
        const double pull = is_oja_ ? answers[p][i] : drives[p][i];
        for (std::size_t j = 0; j < before[i].size(); ++j) {
          weights[i][j] += share * factor[i] * (patches[p][j] - pull * before[i][j]);
        }
      }
    }
  }

  static Row softmax_signed(const Row& z) {
    const auto best = std::max_element(z.begin(), z.end()) - z.begin();
    double sum = 0.0;
    for (const double value : z) sum += std::exp(value);
    Row y;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double share = std::exp(z[i]) / sum;
      y.push_back(static_cast<std::ptrdiff_t>(i) == best ? share : -share);
    }
    return y;
  }

  Row pooled(const Rows& answers) const {
    const auto filters = static_cast<std::size_t>(options_.filters);
    const auto raised = [&](double y) {
      return std::copysign(std::pow(std::abs(y), options_.power), y);
    };
    Row made;
    const PatchPool& pool = options_.pool;
    if (pool.kind == PatchPool::Kind::none) {
      for (const Row& row : answers) {
        for (const double y : row) made.push_back(raised(y));
      }
      return made;
    }
    const std::int64_t stride = pool.stride.value_or(pool.size);
    for (std::int64_t top = -pool.padding; top + pool.size <= rows_ + pool.padding; top += stride) {
      for (std::int64_t left = -pool.padding; left + pool.size <= columns_ + pool.padding;
           left += stride) {
        for (std::size_t f = 0; f < filters; ++f) {
          double largest = -1e300;
          double sum = 0.0;
          for (std::int64_t i = top; i < top + pool.size; ++i) {
            for (std::int64_t j = left; j < left + pool.size; ++j) {
              if (i < 0 || j < 0 || i >= rows_ || j >= columns_) continue;
              const double y = raised(answers[static_cast<std::size_t>(i * columns_ + j)][f]);
              largest = std::max(largest, y);
              sum += y;
            }
          }
          const double mean_of_all = sum / static_cast<double>(pool.size * pool.size);
          made.push_back(pool.kind == PatchPool::Kind::max ? largest : mean_of_all);
        }
      }
    }
    return made;
  }

  PlasticConvOptions options_;
  bool is_oja_;
  std::size_t channels_ = 0;
  double ticks_ = 0.0;
  mutable std::int64_t rows_ = 0;
  mutable std::int64_t columns_ = 0;
};

bool is_same(const Array& a, const Array& b) {
  return a.shape() == b.shape() && a.to_vector<double>() == b.to_vector<double>();
}

Row row_of(const Array& x, std::int64_t tick) { return x[0][tick].to_vector<double>(); }

void check_rows_near(const Row& a, const Row& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(std::abs(a[i] - b[i]) <= 1e-10 * std::max(1.0, std::abs(b[i])));
  }
}

void check_against_loop(const PlasticConvOptions& options, bool oja) {
  PlasticConvLayer layer(40, options);
  PlainConv plain(layer, oja);
  const Array x = random_normal({1, 6, 40}, 0.3, 1.0, DType::float64, {3, 3});
  const Array learnt = layer.process(x.slice(1, 0, 4), true);
  const Array still = layer.process(x.slice(1, 4, 6), false);
  for (std::int64_t t = 0; t < 6; ++t) {
    check_rows_near(t < 4 ? row_of(learnt, t) : row_of(still, t - 4),
                    plain.tick(row_of(x, t), t < 4));
  }
  Row weights;
  for (const Row& w : plain.weights) weights.insert(weights.end(), w.begin(), w.end());
  check_rows_near(layer.patches().weights().to_vector<double>(), weights);
  if (!options.standardize) return;
  const std::vector<NamedArray> arrays = layer.arrays();
  REQUIRE(arrays.size() >= 3);
  const std::span last = std::span(arrays).last(3);
  CHECK(last[0].name == "standardize/mean");
  check_rows_near(last[0].value.to_vector<double>(), plain.mean);
  CHECK(last[1].name == "standardize/variance");
  check_rows_near(last[1].value.to_vector<double>(), plain.variance);
  CHECK(last[2].name == "standardize/ticks");
  CHECK(last[2].value.item() == 4.0);
}

}  // namespace

DEVICE_TEST_CASE("filters learn from patches as the equations say") {
  for (const PatchUpdate update : {PatchUpdate::position, PatchUpdate::mean}) {
    CAPTURE(to_string(update));
    check_against_loop(picture_options("oja", update), true);
    PlasticConvOptions softhebb = picture_options("softhebb_signed", update);
    // The rule of the catalogue answers with softmax; here its text leaves the answer alone.
    softhebb.plastic.rule =
        EquationRule("p = softmax(z)\ng = where(winner(z), p, -p)\ndw = rate*g*(x - z*w)",
                     {.parameters = {{"rate", kRate}}});
    softhebb.plastic.activation = Activation::coates;
    check_against_loop(softhebb, false);
    softhebb.standardize = 0.3;
    softhebb.power = 0.7;
    softhebb.pool = {.kind = PatchPool::Kind::max, .size = 2, .stride = 1, .padding = 1};
    check_against_loop(softhebb, false);
    softhebb.pool = {.kind = PatchPool::Kind::mean, .size = 2};
    check_against_loop(softhebb, false);
  }
}

TEST_CASE("a layer of filters is the layer of their patches") {
  // One position that is the whole picture: a HebbianLayer under another name.
  PlasticConvOptions options = picture_options("bcm", PatchUpdate::position);
  options.kernel = {4, 5};
  options.stride = {1};
  options.padding = {0};
  PlasticConvLayer filters(40, options);
  HebbianLayer whole(40, 3, options.of_patches());
  const Array x = random_normal({1, 9, 40}, 0.0, 1.0, DType::float64, {3, 3});
  const Array y = filters.process(x, true);
  for (std::int64_t t = 0; t < 9; ++t) {
    CHECK(is_same(whole.process(x.slice(1, t, t + 1), true), y.slice(1, t, t + 1)));
  }
  CHECK(is_same(filters.patches().weights(), whole.weights()));
}

TEST_CASE("answers of filters do not depend on blocks, and copies go on alike") {
  for (const PatchUpdate update : {PatchUpdate::position, PatchUpdate::mean}) {
    for (const char* const rule : {"oja", "softhebb_signed", "covariance"}) {
      CAPTURE(to_string(update), rule);
      PlasticConvOptions options = picture_options(rule, update);
      options.dtype = DType::float32;
      options.standardize = 0.1;
      options.pool = {.kind = PatchPool::Kind::max, .size = 2};
      PlasticConvLayer at_once(40, options);
      PlasticConvLayer in_pieces(40, options);
      const Array x = random_normal({1, 7, 40}, 0.0, 1.0, DType::float32, {3, 3});
      const Array y = at_once.process(x, true);
      for (std::int64_t t = 0; t < 7; ++t) {
        if (t == 3) {
          // What fails leaves it as it was.
          Array bad = x.copy();
          bad.slice(1, 3, 4).fill(std::nan(""));
          CHECK_THROWS_AS(in_pieces.process(bad, true), ArgumentError);
        }
        const Array here = t == 5 ? in_pieces.clone()->process(x.slice(1, 5, 6), true)
                                  : in_pieces.process(x.slice(1, t, t + 1), true);
        CHECK(is_same(here, y.slice(1, t, t + 1)));
        if (t == 5) in_pieces.process(x.slice(1, 5, 6), true);
      }
      CHECK(is_same(in_pieces.patches().weights(), at_once.patches().weights()));
      const Array still = at_once.process(x, false);
      for (std::int64_t t = 0; t < 7; ++t) {
        CHECK(is_same(in_pieces.process(x.slice(1, t, t + 1), false), still.slice(1, t, t + 1)));
      }
    }
  }
}

TEST_CASE("filters of a batch move by the mean of its streams") {
  PlasticConvOptions options = picture_options("oja", PatchUpdate::mean);
  const Array x = random_normal({3, 1, 40}, 0.0, 1.0, DType::float64, {3, 3});
  PlasticConvLayer batch(40, options);
  const Array begin = batch.patches().weights().copy();
  const Array y = batch.process(x, true);
  Array moved = zeros(begin.shape(), DType::float64);
  for (std::int64_t b = 0; b < 3; ++b) {
    PlasticConvLayer alone(40, options);
    CHECK(allclose(alone.process(x.slice(0, b, b + 1), true), y.slice(0, b, b + 1),
                   {.relative = 1e-12}));
    moved += alone.patches().weights() - begin;
  }
  CHECK(allclose(batch.patches().weights(), begin + moved / 3.0, {.relative = 1e-12}));
}

TEST_CASE("statistics of what filters read move alone where they are told to follow") {
  PlasticConvOptions options = picture_options("oja", PatchUpdate::mean);
  options.standardize = 0.1;
  PlasticConvLayer learning(40, options);
  PlasticConvLayer frozen(40, options);
  const Array begin = frozen.patches().weights().copy();
  const Array x = random_normal({1, 5, 40}, 0.4, 2.0, DType::float64, {3, 3});
  learning.process(x, true);
  frozen.follow_input(true);
  frozen.process(x, false);
  CHECK(is_same(frozen.patches().weights(), begin));
  const auto statistic = [](const PlasticConvLayer& layer, std::size_t from_end) {
    const std::vector<NamedArray> arrays = layer.arrays();
    return arrays[arrays.size() - from_end].value;
  };
  for (std::size_t i = 1; i <= 3; ++i) {
    CHECK(is_same(statistic(frozen, i), statistic(learning, i)));
  }
  frozen.follow_input(false);
  frozen.process(x, false);
  CHECK(is_same(statistic(frozen, 3), statistic(learning, 3)));
}

TEST_CASE("replicas of filters each do what they do alone") {
  std::vector<HierarchyManager> replicas;
  std::vector<HierarchyManager> alone;
  for (const double rate : {0.01, 0.03}) {
    for (std::vector<HierarchyManager>* const all : {&replicas, &alone}) {
      PlasticConvOptions options = picture_options("oja", PatchUpdate::mean);
      learning_rate_of(options.plastic.rule) = rate;
      HierarchicalLevel level(0, 40, options.outputs(40));
      level.add_layer(PlasticConvLayer(40, options));
      all->emplace_back().add_level(std::move(level));
    }
  }
  const Array x = random_normal({6, 40}, 0.0, 1.0, DType::float64, {3, 3});
  const auto made = process_replicas(replicas, x, -1, {.learn = true});
  for (std::size_t r = 0; r < 2; ++r) {
    const auto own = alone[r].process_hierarchy(x, -1, {.learn = true});
    CHECK(is_same(made.at(0).ticks[static_cast<std::int64_t>(r)], own.at(0).ticks));
  }
}

TEST_CASE("filters say what keeps them from a picture") {
  const auto told = [](const auto& change, std::int64_t inputs = 40) {
    PlasticConvOptions options = picture_options("oja", PatchUpdate::mean);
    change(options);
    return complaint_of<ArgumentError>([&] { PlasticConvLayer(inputs, options); });
  };
  using Options = PlasticConvOptions;
  CHECK(told([](Options&) {}, 41) ==
        "[conv2d] shape: [4, 5, 2] has 40 numbers, and the layer "
        "reads 41");
  CHECK(told([](Options& o) { o.shape = {}; }).find("[conv2d] shape: is not known") == 0);
  CHECK(told([](Options& o) { o.shape = {40}; }).find("[conv2d] shape: expected") == 0);
  CHECK(told([](Options& o) { o.kernel = {9}; }).find("[conv2d] kernel: [9] does not fit") == 0);
  CHECK(told([](Options& o) { o.kernel = {}; }).find("[conv2d] kernel: expected one or two") == 0);
  CHECK(told([](Options& o) { o.stride = {0}; }).find("[conv2d] stride:") == 0);
  CHECK(told([](Options& o) { o.padding = {-1}; }).find("[conv2d] padding:") == 0);
  CHECK(told([](Options& o) { o.power = 0.0; }).find("[conv2d] power:") == 0);
  CHECK(told([](Options& o) { o.filters = 0; }).find("[conv2d] filters:") == 0);
  CHECK(told([](Options& o) { o.standardize = 1.5; }).find("[conv2d] standardize:") == 0);
  CHECK(told([](Options& o) { o.plastic.lateral.emplace(); }).find("[conv2d] lateral:") == 0);
  CHECK(told([](Options& o) { o.plastic.rewire.emplace(); }).find("[conv2d] rewire:") == 0);
  CHECK(told([](Options& o) { o.plastic.init = Init::samples; }).find("[conv2d] init:") == 0);
  CHECK(told([](Options& o) {
          o.pool = {.kind = PatchPool::Kind::max, .size = 9};
        }).find("[conv2d] pool: a window of 9 does not fit into [5, 2]") == 0);
  CHECK(told([](Options& o) {
          o.pool = {.kind = PatchPool::Kind::max, .size = 2, .padding = 2};
        }).find("[conv2d] pool: expected") == 0);
  CHECK_THROWS_AS(patch_update_from_name("sum"), ArgumentError);
}
