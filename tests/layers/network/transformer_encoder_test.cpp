// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/transformer_encoder.h"

#include <cmath>
#include <memory>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// sin(0.7 i + phase) / 2 for element i.
Array waves(const Shape& shape, double phase) {
  std::vector<double> numbers(static_cast<std::size_t>(count_elements(shape)));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = 0.5 * std::sin(0.7 * static_cast<double>(i) + phase);
  }
  return from_values(numbers, shape);
}

/// A layer of 4 features, 2 heads and 5 neurons with parameters that are waves.
std::unique_ptr<TransformerEncoderLayer> layer_of_waves(bool norm_first) {
  auto made = std::make_unique<TransformerEncoderLayer>(
      4, 2,
      TransformerEncoderLayerOptions{.hidden = 5,
                                     .dropout = 0.0,
                                     .norm_first = norm_first,
                                     .dtype = DType::float64,
                                     .random = {81, 1}});
  ArrayMap state;
  double phase = 0;
  for (const char* name : {"self_attention.input_weights", "self_attention.input_bias",
                           "self_attention.output_weights", "self_attention.output_bias",
                           "linear1.weights", "linear1.bias", "linear2.weights", "linear2.bias",
                           "norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias"}) {
    state[name] = waves(made->state().at(name).shape(), phase++);
  }
  made->set_state(state);
  return made;
}

}  // namespace

TEST_CASE("TransformerEncoderLayer answers what PyTorch's does") {
  // torch.nn.TransformerEncoderLayer of PyTorch 2.15, float64.
  const std::vector<std::vector<double>> expected = {
      {-0.9698442689547914, -0.051644365718679745, 0.1721319305907756, 0.3631805912414344,
       -0.9703533922587688, -0.09757002785828144, 0.21507748204603114, 0.3641829979332041,
       -0.9419703634468339, 0.04941267526180151, -0.09031592374559896, 0.4210065706539681},
      {0.9761197770808026, -0.05845338442183118, 1.137287244150672, -0.5448869782558492,
       1.0200457885394911, -0.6129668301139635, 0.15868476497693962, -1.4132677393362991,
       0.6608225509303614, -0.34935822190349064, 0.9752301398544636, -0.407266779496026}};
  on_each_device([&] {
    for (const bool norm_first : {false, true}) {
      const auto layer = layer_of_waves(norm_first);
      const std::vector<double> y =
          (*layer)(Tensor(waves({1, 3, 4}, 0.1))).value().to_vector<double>();
      for (std::size_t i = 0; i < 12; ++i) {
        CHECK(y[i] == Approx(expected[norm_first ? 1 : 0][i]).margin(1e-10));
      }
    }
  });
}

TEST_CASE("Gradients of TransformerEncoderLayer agree with central differences") {
  for (const bool norm_first : {false, true}) {
    const auto layer = layer_of_waves(norm_first);
    CHECK(gradient_complaint(*layer, random_normal({2, 3, 4}, 0.0, 1.0, DType::float64, {82, 1})) ==
          "");
  }
}

TEST_CASE("TransformerEncoderLayer hides the future, and steps that are not there") {
  TransformerEncoderLayer causal(4, 2, {.hidden = 5, .dropout = 0.0, .causal = true});
  const Array x = random_normal({1, 4, 4}, 0.0, 1.0, DType::float32, {83, 1});
  const Array all = causal(Tensor(x)).value();
  CHECK(all_close(causal(Tensor(x.slice(1, 0, 2))).value(), all.slice(1, 0, 2), 1e-5, 1e-6));
  TransformerEncoderLayer open(4, 2, {.hidden = 5, .dropout = 0.0});
  const Array lengths = full({1}, 2, DType::int64);
  CHECK(all_close(open.encode(Tensor(x), lengths).value().slice(1, 0, 2),
                  open(Tensor(x.slice(1, 0, 2))).value(), 1e-5, 1e-6));
  CHECK_THROWS_AS(TransformerEncoderLayer(4, 3), ArgumentError);
  CHECK_THROWS_AS(TransformerEncoderLayer(4, 2, {.hidden = 0}), ArgumentError);
  CHECK_THROWS_AS(TransformerEncoderLayer(4, 2, {.dropout = 2.0}), ArgumentError);
}
