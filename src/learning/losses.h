// SPDX-License-Identifier: MIT
/// \file
/// How far outputs are from what they should be.
///
/// Definitions are PyTorch's.  Any function of an output and a target that gives a tensor of one
/// element is a Loss too:
///
///     Loss cubic = [](const Tensor& y, const Array& t) { return mean(power(abs(y - t), 3.0)); };
///
/// All throw ShapeError unless output and target fit: nothing is broadcast.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../autograd/tensor.h"

namespace gaia {

using Loss = std::function<Tensor(const Tensor& answer, const Array& target)>;

/// What becomes of the losses of all elements (of cross_entropy: of all samples).
enum class LossReduction : std::uint8_t { mean, sum, none };

/// "mean", "sum", "none".
std::string to_string(LossReduction reduction);
LossReduction loss_reduction_from_name(std::string_view name);

// Classes

struct CrossEntropyOptions {
  LossReduction reduction = LossReduction::mean;
  std::int64_t ignore_index = -100;   ///< Samples of this class do not count.
  double label_smoothing = 0.0;       ///< e in [0, 1]: targets become (1 - e) t + e / C.
  std::optional<Array> weights = {};  ///< Weights of the classes, [C].
};

/// -sum_c w_c t_c log softmax(x)_c for logits x [N, C] or [N, C, positions...] (or [C]).  Targets
/// are classes, integers [N, positions...]; or probabilities t, floating, of x's shape, through
/// which gradients pass too.  The mean of classes divides by the sum of the targets' weights (NaN
/// if none counts), that of probabilities by the number of samples. \throws ArgumentError for a
/// class out of range or a smoothing out of [0, 1], DTypeError.
Tensor cross_entropy(const Tensor& logits, const Tensor& target,
                     const CrossEntropyOptions& options = {});

/// Cross entropy to classes [N], integers, in which a sample of class c counts w_c times: the mean
/// over samples of w_c l, which, in contrast to that of `cross_entropy` with weights, is the same
/// in whatever batches the samples come.  Classes behind the last weight count 0 times.
/// `balanced_class_weights` (class_weights.h) lets all classes count alike.
/// \throws ArgumentError for no weights.
Loss weighted_cross_entropy(const std::vector<double>& weights);
/// cross_entropy of log probabilities, which are taken as they are: -w_t x_t for x [N, C] or
/// [N, C, positions...] (or [C]) and classes t.  `label_smoothing` has to be 0.  Options and errors
/// are those of cross_entropy.
Tensor nll(const Tensor& log_probabilities, const Tensor& target,
           const CrossEntropyOptions& options = {});

struct KlDivOptions {
  LossReduction reduction = LossReduction::mean;  ///< The mean is one over elements.
  bool log_target = false;                        ///< Whether targets are log probabilities too.
};

/// t (log t - x), 0 where t is 0, for log probabilities x and probabilities t of the same shape;
/// with log_target exp(t) (t - x).  Kullback & Leibler (1951), Ann. Math. Stat. 22, 79; the
/// divergence of rows is the sum over them.
Tensor kl_div(const Tensor& log_probabilities, const Tensor& target,
              const KlDivOptions& options = {});

struct BceOptions {
  LossReduction reduction = LossReduction::mean;
  std::optional<Array> weight = {};           ///< Weight of the elements; broadcasts to x.
  std::optional<Array> positive_weight = {};  ///< p, of the positive classes; broadcasts to x.
};

/// -w (p t log sigmoid(x) + (1 - t) log(1 - sigmoid(x))), without overflow.
Tensor bce_with_logits(const Tensor& logits, const Tensor& target, const BceOptions& options = {});

// Numbers; e = output - target

/// e^2
Tensor mse(const Tensor& answer, const Tensor& target,
           LossReduction reduction = LossReduction::mean);
/// |e|
Tensor l1(const Tensor& answer, const Tensor& target,
          LossReduction reduction = LossReduction::mean);
/// e^2 / 2 where |e| <= delta, else delta (|e| - delta / 2).  Huber (1964), Ann. Math. Stat.
/// 35, 73. \throws ArgumentError unless delta > 0.
Tensor huber(const Tensor& answer, const Tensor& target, double delta = 1.0,
             LossReduction reduction = LossReduction::mean);

/// a b / (max(|a|, epsilon) max(|b|, epsilon)) along `axis`, which goes; shapes broadcast.  No loss
/// yet: 1 - cosine_similarity is one.  \throws ShapeError, ArgumentError for an epsilon below 0.
Tensor cosine_similarity(const Tensor& a, const Tensor& b, std::int64_t axis = 1,
                         double epsilon = 1e-8);

/// The loss called "cross_entropy", "nll", "kl_div", "bce_with_logits", "mse", "l1" or "huber",
/// with its defaults. \throws ArgumentError for a name that is none, listing the known ones.
Loss loss_from_name(std::string_view name);

}  // namespace gaia
