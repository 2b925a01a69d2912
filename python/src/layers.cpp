// SPDX-License-Identifier: MIT
/// \file
/// gaia.nn: layers over sequences, channels and positions, and functions that they are made of.
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "../../src/autograd/masked_attention.h"
#include "../../src/autograd/normalization.h"
#include "../../src/core/message.h"
#include "../../src/layers/network/adaptive_pooling.h"
#include "../../src/layers/network/bit_linear.h"
#include "../../src/layers/network/convolution.h"
#include "../../src/layers/network/differentiable_plasticity.h"
#include "../../src/layers/network/group_normalization.h"
#include "../../src/layers/network/multi_head_attention.h"
#include "../../src/layers/network/plastic.h"
#include "../../src/layers/network/pointwise.h"
#include "../../src/layers/network/prelu.h"
#include "../../src/layers/network/recurrent.h"
#include "../../src/layers/network/transformer_encoder.h"
#include "../../src/learning/losses.h"
#include "../../src/learning/rule_list.h"
#include "bindings.h"
#include "casters.h"
#include "exchange.h"

namespace gaia::python {

using nb::arg;

namespace {

using OneOrTwo = std::variant<std::int64_t, std::tuple<std::int64_t, std::int64_t>>;

Pair pair_of(const OneOrTwo& given) {
  if (const auto* one = std::get_if<std::int64_t>(&given)) return {*one, *one};
  const auto& [first, second] = std::get<1>(given);
  return {first, second};
}

RecurrentAnswer answer_from_name(const std::string& name) {
  if (name == "sequence") return RecurrentAnswer::sequence;
  if (name == "last") return RecurrentAnswer::last;
  fail<ArgumentError>("[nn] answer: expected sequence or last, got {}", name);
}

RecurrentOptions recurrent_options(const std::string& answer, bool bias, DType dtype) {
  return {.answer = answer_from_name(answer), .bias = bias, .dtype = dtype};
}

/// `run` and what else the three have in common.
template <class Layer>
void add_run(nb::class_<Layer, Module>& layer) {
  layer.def(
      "run",
      [](const Layer& self, const Tensor& x, const std::optional<Tensor>& hidden,
         const std::optional<Tensor>& cell) {
        RecurrentResult made = self.run(x, hidden, cell);
        return std::tuple(std::move(made.sequence), std::move(made.hidden), std::move(made.cell));
      },
      arg("x"), arg("hidden") = nb::none(), arg("cell") = nb::none(),
      "Runs over x [batch, steps, inputs] from the states given, else zeros.\n\n"
      "Returns the states after all steps [batch, steps, size], the last one [batch, size] and of "
      "LSTM the cell [batch, size].  Raises ShapeError where they do not fit.");
}

/// Defines NAME and BidirectionalNAME, whose constructor takes one more argument for GRU and RNN.
template <class Layer>
void bind_recurrent(nb::module_& module, const char* name, const char* both, const char* about) {
  nb::class_<Layer, Module> one(module, name, about);
  nb::class_<Bidirectional<Layer>, Module> two(
      module, both,
      "Two such layers, one of which reads the steps from the last to the first; their answers are "
      "joined, forwards first: [batch, steps, 2 size] or [batch, 2 size].");
  const auto define = [](auto& layer, auto* type) {
    using Made = std::remove_pointer_t<decltype(type)>;
    if constexpr (std::is_same_v<Layer, GRU>) {
      layer.def(
          "__init__",
          [](Made* made, std::int64_t inputs, std::int64_t size, const std::string& answer,
             const std::string& reset, bool bias, DType dtype) {
            RecurrentOptions options = recurrent_options(answer, bias, dtype);
            options.reset = gru_reset_from_name(reset);
            new (made) Made(inputs, size, options);
          },
          arg("inputs"), arg("size"), arg("answer") = "sequence", arg("reset") = "after",
          arg("bias") = true, arg("dtype") = DType::float32);
    } else if constexpr (std::is_same_v<Layer, RNN>) {
      layer.def(
          "__init__",
          [](Made* made, std::int64_t inputs, std::int64_t size, const std::string& answer,
             const std::string& activation, bool bias, DType dtype) {
            RecurrentOptions options = recurrent_options(answer, bias, dtype);
            options.activation = activation_from_name(activation);
            new (made) Made(inputs, size, options);
          },
          arg("inputs"), arg("size"), arg("answer") = "sequence", arg("activation") = "tanh",
          arg("bias") = true, arg("dtype") = DType::float32);
    } else {
      layer.def(
          "__init__",
          [](Made* made, std::int64_t inputs, std::int64_t size, const std::string& answer,
             bool bias, DType dtype) {
            new (made) Made(inputs, size, recurrent_options(answer, bias, dtype));
          },
          arg("inputs"), arg("size"), arg("answer") = "sequence", arg("bias") = true,
          arg("dtype") = DType::float32);
    }
  };
  define(one, static_cast<Layer*>(nullptr));
  define(two, static_cast<Bidirectional<Layer>*>(nullptr));
  add_run(one);
}

/// What `mask` and its numbers mean.
AttentionMask mask_of(const std::string& kind, std::optional<Tensor> mask, std::int64_t before,
                      std::int64_t after, std::int64_t count) {
  const bool has_array = kind == "additive" || kind == "boolean";
  if (has_array != mask.has_value()) {
    fail<ArgumentError>("[masked_attention] mask: expected {} for kind {}",
                        has_array ? "an array" : "none", kind);
  }
  if (kind == "additive") return AdditiveMask{*std::move(mask)};
  if (kind == "boolean") return BooleanMask{mask->value()};
  if (kind == "causal") return CausalMask{};
  if (kind == "window") return SlidingWindowMask{.before = before, .after = after};
  if (kind == "top_k") return TopKMask{.count = count};
  fail<ArgumentError>(
      "[masked_attention] kind: expected additive, boolean, causal, window or top_k, got {}", kind);
}

void bind_norms(nb::module_& module) {
  nb::class_<GroupNorm, Module>(
      module, "GroupNorm",
      "Mean 0 and variance 1 of every sample over groups of channels and their positions, of x "
      "[batch, channels, ...] (Wu & He 2018).\n\nRaises ArgumentError unless groups divides "
      "channels.")
      .def(
          "__init__",
          [](GroupNorm* made, std::int64_t groups, std::int64_t channels, double epsilon,
             bool affine, DType dtype) {
            new (made)
                GroupNorm(groups, channels, {.epsilon = epsilon, .affine = affine, .dtype = dtype});
          },
          arg("groups"), arg("channels"), arg("epsilon") = 1e-5, arg("affine") = true,
          arg("dtype") = DType::float32);
  nb::class_<InstanceNorm, Module>(
      module, "InstanceNorm",
      "Mean 0 and variance 1 of every channel of every sample over its positions, of x [batch, "
      "channels, positions...] (Ulyanov et al. 2016).")
      .def(
          "__init__",
          [](InstanceNorm* made, std::int64_t channels, double epsilon, bool affine, DType dtype) {
            new (made)
                InstanceNorm(channels, {.epsilon = epsilon, .affine = affine, .dtype = dtype});
          },
          arg("channels"), arg("epsilon") = 1e-5, arg("affine") = false,
          arg("dtype") = DType::float32);
  nb::class_<RmsNorm, Module>(module, "RMSNorm",
                              "x / sqrt(mean(x^2) + epsilon) weight over the last axes, of lengths "
                              "`shape` (Zhang & Sennrich 2019).")
      .def(
          "__init__",
          [](RmsNorm* made, const Shape& shape, std::optional<double> epsilon, bool affine,
             DType dtype) {
            new (made) RmsNorm(shape, {.epsilon = epsilon, .affine = affine, .dtype = dtype});
          },
          arg("shape"), arg("epsilon") = nb::none(), arg("affine") = true,
          arg("dtype") = DType::float32);
  nb::class_<PReluLayer, Module>(module, "PReLU",
                                 "x where it is positive, else weight x, with one weight or one "
                                 "for each channel, which is trained (He et al. 2015).")
      .def(
          "__init__",
          [](PReluLayer* made, std::int64_t channels, double start, DType dtype) {
            new (made) PReluLayer({.channels = channels, .start = start, .dtype = dtype});
          },
          arg("channels") = 1, arg("start") = 0.25, arg("dtype") = DType::float32);
  module.def(
      "group_norm",
      [](const Tensor& x, std::int64_t groups, const std::optional<Tensor>& weight,
         const std::optional<Tensor>& bias,
         double epsilon) { return group_norm(x, groups, weight, bias, {.epsilon = epsilon}); },
      arg("x"), arg("groups"), arg("weight") = nb::none(), arg("bias") = nb::none(),
      arg("epsilon") = 1e-5, "What GroupNorm computes; weight and bias [channels].");
  module.def(
      "instance_norm",
      [](const Tensor& x, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
         double epsilon) { return instance_norm(x, weight, bias, {.epsilon = epsilon}); },
      arg("x"), arg("weight") = nb::none(), arg("bias") = nb::none(), arg("epsilon") = 1e-5,
      "What InstanceNorm computes; weight and bias [channels].");
  module.def(
      "rms_norm",
      [](const Tensor& x, const std::optional<Tensor>& weight, int axes,
         std::optional<double> epsilon) {
        return rms_norm(x, weight, {.axes = axes, .epsilon = epsilon});
      },
      arg("x"), arg("weight") = nb::none(), arg("axes") = 1, arg("epsilon") = nb::none(),
      "What RMSNorm computes over so many of the last axes.");
  module.def("prelu", &prelu, arg("x"), arg("weight"), "What PReLU computes.");
}

void bind_layers_of_positions(nb::module_& module) {
  nb::class_<Conv1d, Module>(module, "Conv1d", "A convolution of x [batch, in_channels, length].")
      .def(
          "__init__",
          [](Conv1d* made, std::int64_t in, std::int64_t out, std::int64_t kernel,
             std::int64_t stride, std::int64_t padding, std::int64_t dilation, std::int64_t groups,
             bool bias, DType dtype) {
            new (made) Conv1d(in, out, kernel,
                              {.convolution = {.stride = stride,
                                               .padding = padding,
                                               .dilation = dilation,
                                               .groups = groups},
                               .bias = bias,
                               .dtype = dtype});
          },
          arg("in_channels"), arg("out_channels"), arg("kernel"), arg("stride") = 1,
          arg("padding") = 0, arg("dilation") = 1, arg("groups") = 1, arg("bias") = true,
          arg("dtype") = DType::float32);
  const auto bind_pool1d = [&]<class Pool>(Pool*, const char* name, const char* about) {
    nb::class_<Pool, Module>(module, name, about)
        .def(
            "__init__",
            [](Pool* made, std::int64_t kernel, std::optional<std::int64_t> stride) {
              new (made) Pool(typename Pool::Options{.kernel = kernel, .stride = stride});
            },
            arg("kernel") = 2, arg("stride") = nb::none());
  };
  bind_pool1d(static_cast<MaxPool1d*>(nullptr), "MaxPool1d",
              "The largest number of each window of `kernel` positions.");
  bind_pool1d(static_cast<AvgPool1d*>(nullptr), "AvgPool1d",
              "The mean of each window of `kernel` positions.");
  nb::class_<AvgPool2d, Module>(module, "AvgPool2d", "The mean of each square of kernel x kernel.")
      .def(
          "__init__",
          [](AvgPool2d* made, const OneOrTwo& kernel, const std::optional<OneOrTwo>& stride) {
            new (made) AvgPool2d(AvgPool2dOptions{.kernel = pair_of(kernel),
                                                  .stride = pair_of(stride.value_or(kernel))});
          },
          arg("kernel") = 2, arg("stride") = nb::none());
  const auto bind_adaptive = [&]<class Pool>(Pool*, const char* name, const char* about) {
    nb::class_<Pool, Module> pool(module, name, about);
    if constexpr (std::is_constructible_v<Pool, std::int64_t, std::int64_t>) {
      pool.def(
          "__init__",
          [](Pool* made, const OneOrTwo& size) {
            const Pair sizes = pair_of(size);
            new (made) Pool(sizes[0], sizes[1]);
          },
          arg("size"));
    } else {
      pool.def(nb::init<std::int64_t>(), arg("size"));
    }
  };
  bind_adaptive(static_cast<AdaptiveAvgPool1d*>(nullptr), "AdaptiveAvgPool1d",
                "The means of `size` windows that cover all positions.");
  bind_adaptive(static_cast<AdaptiveAvgPool2d*>(nullptr), "AdaptiveAvgPool2d",
                "The means of size x size windows (or of two numbers) that cover all positions.");
  bind_adaptive(static_cast<AdaptiveMaxPool1d*>(nullptr), "AdaptiveMaxPool1d",
                "The largest numbers of `size` windows that cover all positions.");
  bind_adaptive(static_cast<AdaptiveMaxPool2d*>(nullptr), "AdaptiveMaxPool2d",
                "The largest numbers of size x size windows (or of two numbers).");
  nb::class_<ZeroPad, Module>(module, "ZeroPad",
                              "Zeros around the last axes: before[i] and after[i] of each.")
      .def(nb::init<std::vector<std::int64_t>, std::vector<std::int64_t>>(), arg("before"),
           arg("after"));
}

void bind_attention(nb::module_& module) {
  nb::class_<MultiHeadAttention, Module>(
      module, "MultiHeadAttention",
      "Attention with several heads, of x [batch, steps, features] (Vaswani et al. 2017).\n\n"
      "Raises ArgumentError unless heads divides features.")
      .def(
          "__init__",
          [](MultiHeadAttention* made, std::int64_t features, std::int64_t heads, bool causal,
             bool bias, DType dtype) {
            new (made) MultiHeadAttention(features, heads,
                                          {.causal = causal, .bias = bias, .dtype = dtype});
          },
          arg("features"), arg("heads"), arg("causal") = false, arg("bias") = true,
          arg("dtype") = DType::float32)
      .def("attend", &MultiHeadAttention::attend, arg("query"), arg("key"), arg("value"),
           arg("key_lengths") = nb::none(),
           "query [batch, T, features] reads key and value [batch, S, features], of which the "
           "first key_lengths [batch] steps count.");
  const TransformerEncoderLayerOptions encoder{.random = {}};
  nb::class_<TransformerEncoderLayer, Module>(
      module, "TransformerEncoderLayer",
      "Attention and two dense layers, each with a sum around and a norm, of x [batch, steps, "
      "features] (Vaswani et al. 2017).\n\nRaises ArgumentError unless heads divides features.")
      .def(
          "__init__",
          [](TransformerEncoderLayer* made, std::int64_t features, std::int64_t heads,
             std::int64_t hidden, double dropout, const std::string& activation, double epsilon,
             bool norm_first, bool causal, DType dtype) {
            new (made) TransformerEncoderLayer(features, heads,
                                               {.hidden = hidden,
                                                .dropout = dropout,
                                                .activation = activation_from_name(activation),
                                                .epsilon = epsilon,
                                                .norm_first = norm_first,
                                                .causal = causal,
                                                .dtype = dtype});
          },
          arg("features"), arg("heads"), arg("hidden") = encoder.hidden,
          arg("dropout") = encoder.dropout, arg("activation") = "relu",
          arg("epsilon") = encoder.epsilon, arg("norm_first") = false, arg("causal") = false,
          arg("dtype") = DType::float32)
      .def("encode", &TransformerEncoderLayer::encode, arg("x"), arg("key_lengths") = nb::none(),
           "The same, of each sample the first key_lengths [batch] steps being seen.");
  module.def(
      "masked_attention",
      [](const Tensor& q, const Tensor& k, const Tensor& v, const std::string& kind,
         std::optional<Tensor> mask, std::int64_t before, std::int64_t after, std::int64_t count,
         std::optional<double> scale, const std::optional<Array>& key_lengths) {
        return masked_attention(q, k, v, mask_of(kind, std::move(mask), before, after, count),
                                {.scale = scale, .key_lengths = key_lengths});
      },
      arg("q"), arg("k"), arg("v"), arg("kind") = "causal", arg("mask") = nb::none(),
      arg("before") = 0, arg("after") = 0, arg("count") = 1, arg("scale") = nb::none(),
      arg("key_lengths") = nb::none(),
      "softmax(scale q k^T under a mask) v for q [..., T, d], k [..., S, d], v [..., S, dv].\n\n"
      "kind     \"additive\" (mask is added to the scores), \"boolean\" (mask is True where a key "
      "is seen),\n         \"causal\" (query i sees keys up to i), \"window\" (keys i - before to "
      "i "
      "+ after),\n         \"top_k\" (the `count` keys of the largest scores)\n\n"
      "A query that sees no key has 0.  Raises ShapeError, DTypeError or ArgumentError.");
}

void bind_plastic(nb::module_& module) {
  nb::class_<BitLinear, Module>(
      module, "BitLinear",
      "A dense layer with weights -1, 0 or 1 times a scale, trained straight through (Ma et al. "
      "2024).")
      .def(
          "__init__",
          [](BitLinear* made, std::int64_t inputs, std::int64_t outputs, bool bias,
             std::int64_t activation_bits, DType dtype) {
            new (made)
                BitLinear(inputs, outputs,
                          {.bias = bias, .activation_bits = activation_bits, .dtype = dtype});
          },
          arg("inputs"), arg("outputs"), arg("bias") = false, arg("activation_bits") = 8,
          arg("dtype") = DType::float32)
      .def_prop_ro("weights", &BitLinear::weights, "[outputs, inputs], a Tensor.");
  nb::class_<DifferentiablePlasticity, Module>(
      module, "DifferentiablePlasticity",
      "A layer that learns by a rule within a window, whose rule is trained (Miconi et al. 2018): "
      "y = f((W + alpha H) x + b), with H that changes at every tick, of x [batch, steps, "
      "inputs].\n\n"
      "rule     \"hebbian\", \"oja\" or \"abcd\"\n"
      "alpha    share of H that a connection feels at first\n"
      "rate     rate of the rule at first\n"
      "answer   \"sequence\": [batch, steps, outputs]; \"last\": [batch, outputs]")
      .def(
          "__init__",
          [](DifferentiablePlasticity* made, std::int64_t inputs, std::int64_t outputs,
             const std::string& rule, double alpha, double rate, const std::string& activation,
             const std::string& answer, bool bias, DType dtype) {
            DifferentiablePlasticityOptions options;
            options.rule = differentiable_rule_from_name(rule);
            options.alpha.start = alpha;
            options.parameters["rate"].start = rate;
            options.activation = activation_from_name(activation);
            options.answer = answer_from_name(answer);
            options.bias = bias;
            options.dtype = dtype;
            new (made) DifferentiablePlasticity(inputs, outputs, options);
          },
          arg("inputs"), arg("outputs"), arg("rule") = "hebbian", arg("alpha") = 0.01,
          arg("rate") = 0.1, arg("activation") = "tanh", arg("answer") = "sequence",
          arg("bias") = true, arg("dtype") = DType::float32)
      .def(
          "run",
          [](const DifferentiablePlasticity& self, const Tensor& x,
             const std::optional<Tensor>& plastic, const std::optional<Tensor>& drive) {
            PlasticWindowResult made = self.run(x, {.plastic = plastic, .drive = drive});
            return std::tuple(std::move(made.sequence), std::move(made.plastic));
          },
          arg("x"), arg("plastic") = nb::none(), arg("drive") = nb::none(),
          "Runs from H `plastic` [batch, outputs, inputs], else 0, with `drive` [batch, steps, "
          "outputs] added to what reaches the neurons.\n\nReturns all answers and H after the last "
          "tick.  Raises ShapeError where they do not fit.");
  nb::class_<PlasticModule, Module>(
      module, "PlasticModule",
      "y = f(W x) with weights that follow a plasticity rule while training, and no optimiser.\n\n"
      "rule    the name of one, such as \"oja\", with its numbers by default, or its equations "
      "(docs/rules.md): \"dw = 0.01*y*(x - y*w)\"\n"
      "learn   False: the weights stay\n\n"
      "Raises ArgumentError for a rule that there is not.")
      .def(
          "__init__",
          [](PlasticModule* made, std::int64_t inputs, std::int64_t outputs,
             const std::string& rule, const std::string& activation, bool learn, DType dtype) {
            HebbianOptions options;
            if (rule.find('=') != std::string::npos) {
              options.rule = EquationRule(rule);
            } else {
              options.rule = rule_from_name(rule);
            }
            options.activation = activation_from_name(activation);
            options.learn = learn;
            options.dtype = dtype;
            new (made) PlasticModule(inputs, outputs, options);
          },
          arg("inputs"), arg("outputs"), arg("rule") = "oja", arg("activation") = "linear",
          arg("learn") = true, arg("dtype") = DType::float32)
      .def_prop_ro("weights", &PlasticModule::weights, "[outputs, inputs], an Array.");
  nb::class_<FunctionLayer, Module>(module, "Function", "Any function of a Tensor as a layer.")
      .def(nb::init<std::string, std::function<Tensor(const Tensor&)>>(), arg("name"),
           arg("function"));
  nb::class_<LogSoftmaxLayer, Module>(module, "LogSoftmax", "log(softmax(x)) over an axis.")
      .def(nb::init<std::int64_t>(), arg("axis") = -1);
}

void bind_more_losses(nb::module_& module) {
  module.def(
      "nll",
      [](const Tensor& x, const Tensor& target, std::int64_t ignore_index,
         const std::optional<Array>& weights, const std::string& reduction) {
        return nll(x, target,
                   {.reduction = loss_reduction_from_name(reduction),
                    .ignore_index = ignore_index,
                    .weights = weights});
      },
      arg("log_probabilities"), arg("target"), arg("ignore_index") = -100,
      arg("weights") = nb::none(), arg("reduction") = "mean",
      "Minus the log probabilities [n, classes] of classes [n], integers.");
  module.def(
      "kl_div",
      [](const Tensor& x, const Tensor& target, bool log_target, const std::string& reduction) {
        return kl_div(x, target,
                      {.reduction = loss_reduction_from_name(reduction), .log_target = log_target});
      },
      arg("log_probabilities"), arg("target"), arg("log_target") = false, arg("reduction") = "mean",
      "t (log t - x) of log probabilities x and probabilities t.");
  module.def("cosine_similarity", &cosine_similarity, arg("a"), arg("b"), arg("axis") = 1,
             arg("epsilon") = 1e-8,
             "a b / (max(|a|, epsilon) max(|b|, epsilon)) along an axis, which goes.");
}

}  // namespace

void bind_layers(nb::module_& module) {
  bind_recurrent<RNN>(module, "RNN", "BidirectionalRNN",
                      "h <- f(W_x x + b_x + W_h h + b_h), of x [batch, steps, inputs].\n\n"
                      "answer   \"sequence\": [batch, steps, size]; \"last\": [batch, size]");
  bind_recurrent<GRU>(module, "GRU", "BidirectionalGRU",
                      "A recurrent layer with two gates, of x [batch, steps, inputs] (Cho et al. "
                      "2014).\n\nanswer   \"sequence\": [batch, steps, size]; \"last\": [batch, "
                      "size]\nreset    \"after\" the product with the state, or \"before\" it");
  bind_recurrent<LSTM>(module, "LSTM", "BidirectionalLSTM",
                       "A recurrent layer with a cell, of x [batch, steps, inputs] (Hochreiter & "
                       "Schmidhuber 1997).\n\nanswer   \"sequence\": [batch, steps, size]; "
                       "\"last\": [batch, size]");
  bind_norms(module);
  bind_layers_of_positions(module);
  bind_attention(module);
  bind_plastic(module);
  bind_more_losses(module);
}

}  // namespace gaia::python
