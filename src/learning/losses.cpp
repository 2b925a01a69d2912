// SPDX-License-Identifier: MIT
#include "losses.h"

#include "../array/create.h"
#include "../autograd/indexing.h"
#include "../autograd/ops.h"
#include "../core/message.h"
#include "../core/names.h"
#include "../formulas/representable.h"

namespace gaia {
namespace {

constexpr NameTable<LossReduction, 3> kReductions = {
    {{"mean", LossReduction::mean}, {"sum", LossReduction::sum}, {"none", LossReduction::none}}};

void check_same_shape(const char* function, const Tensor& answer, const Tensor& target) {
  if (answer.shape() == target.shape()) return;
  fail<ShapeError>("[{}] expected a target of the answer's shape {}, got {}; reshape one of them",
                   function, answer.shape(), target.shape());
}

Tensor reduce(const Tensor& losses, LossReduction reduction) {
  switch (reduction) {
    case LossReduction::mean:
      return mean(losses);
    case LossReduction::sum:
      return sum(losses);
    case LossReduction::none:
      break;
  }
  return losses;
}

/// What cross_entropy works with: log probabilities with the classes along `axis`.
struct Classes {
  Tensor log_probabilities;
  int axis;
  std::int64_t count;
  std::optional<Array> weights;  ///< Shaped to broadcast along `axis`.
  double smoothing;
};

/// sum_c w_c log p_c, without the class axis.
Tensor weighted_sum(const Classes& classes, const Tensor& log_probabilities) {
  const Tensor weighted =
      classes.weights ? log_probabilities * Tensor(*classes.weights) : log_probabilities;
  return sum(weighted, {classes.axis});
}

Tensor probability_loss(const Classes& classes, const Tensor& target, LossReduction reduction) {
  const auto count = static_cast<double>(classes.count);
  const Tensor smooth = classes.smoothing == 0.0
                            ? target
                            : target * (1.0 - classes.smoothing) + classes.smoothing / count;
  const Tensor losses = -weighted_sum(classes, classes.log_probabilities * smooth);
  if (reduction != LossReduction::mean) return reduce(losses, reduction);
  return sum(losses) / static_cast<double>(losses.size());
}

/// Classes with 0 in place of those to ignore, and which those are.
struct CheckedIds {
  Array ids;
  Array counts;  ///< bool
};

CheckedIds check_ids(const char* function, const Array& target, std::int64_t classes,
                     std::int64_t ignore_index) {
  const Array ids = target.astype(DType::int64);
  const Array ignored = equal(ids, ignore_index);
  CheckedIds checked = {where(ignored, zeros_like(ids), ids), logical_not(ignored)};
  if (ids.size() == 0) return checked;
  for (const double id : {min(checked.ids).item(), max(checked.ids).item()}) {
    if (id >= 0.0 && id < static_cast<double>(classes)) continue;
    fail<ArgumentError>("[{}] expected classes from 0 to {} or ignore_index {}, got {}", function,
                        classes - 1, ignore_index, static_cast<std::int64_t>(id));
  }
  return checked;
}

Tensor id_loss(const char* function, const Classes& classes, const Array& target,
               const CrossEntropyOptions& options) {
  const CheckedIds checked = check_ids(function, target, classes.count, options.ignore_index);
  const DType dtype = classes.log_probabilities.dtype();
  const Array positions = checked.ids.expand_dims(classes.axis);
  Array weights = checked.counts.astype(dtype);
  if (classes.weights) weights = weights * take(*options.weights, checked.ids, 0).astype(dtype);
  const Tensor picked =
      squeeze(gather(classes.log_probabilities, positions, classes.axis), {classes.axis});
  // where, not a product: 0 * -inf of an ignored sample would be NaN.
  const Tensor none(zeros({}, dtype));
  Tensor losses = where(checked.counts, -picked * Tensor(weights), none);
  if (classes.smoothing != 0.0) {
    const double share = classes.smoothing / static_cast<double>(classes.count);
    const Tensor all =
        where(checked.counts, -weighted_sum(classes, classes.log_probabilities), none);
    losses = losses * (1.0 - classes.smoothing) + all * share;
  }
  if (options.reduction != LossReduction::mean) return reduce(losses, options.reduction);
  return sum(losses) / Tensor(sum(weights));
}

/// Log probabilities with what cross_entropy's options say of their classes.
Classes classes_of(const char* function, const Tensor& log_probabilities,
                   const CrossEntropyOptions& options) {
  const int axis = log_probabilities.rank() == 1 ? 0 : 1;
  const std::int64_t count = log_probabilities.shape(axis);
  Classes classes = {log_probabilities, axis, count, {}, options.label_smoothing};
  if (options.weights) {
    if (!(options.weights->shape() == Shape{count})) {
      fail<ShapeError>("[{}] expected weights [{}], got {}", function, count,
                       options.weights->shape());
    }
    Shape shape = Shape::filled(log_probabilities.rank(), 1);
    shape[axis] = count;
    classes.weights = options.weights->reshape(shape).astype(log_probabilities.dtype());
  }
  return classes;
}

}  // namespace

std::string to_string(LossReduction reduction) { return name_of(kReductions, reduction); }
LossReduction loss_reduction_from_name(std::string_view name) {
  return from_name(kReductions, name, "reduction");
}

Tensor cross_entropy(const Tensor& logits, const Tensor& target,
                     const CrossEntropyOptions& options) {
  if (logits.rank() == 0) throw ShapeError("[cross_entropy] expected logits [N, C], got shape []");
  if (!(options.label_smoothing >= 0.0 && options.label_smoothing <= 1.0)) {
    fail<ArgumentError>("[cross_entropy] label_smoothing: expected 0 to 1, got {}",
                        options.label_smoothing);
  }
  const int axis = logits.rank() == 1 ? 0 : 1;
  const Classes classes = classes_of("cross_entropy", log_softmax(logits, axis), options);
  Shape samples = logits.shape();
  samples.erase(axis);
  if (is_integer(target.dtype()) && target.shape() == samples) {
    return id_loss("cross_entropy", classes, target.value(), options);
  }
  if (is_floating(target.dtype()) && target.shape() == logits.shape()) {
    return probability_loss(classes, target, options.reduction);
  }
  fail<ShapeError>(
      "[cross_entropy] expected classes (integers) of shape {} or probabilities of shape {}, got "
      "{} of shape {}",
      samples, logits.shape(), target.dtype(), target.shape());
}

Loss weighted_cross_entropy(const std::vector<double>& weights) {
  if (weights.empty()) {
    throw ArgumentError("[weighted_cross_entropy] expected a weight for each class, got none");
  }
  return [weights](const Tensor& logits, const Array& target) {
    std::vector<double> of_all = weights;
    of_all.resize(static_cast<std::size_t>(logits.rank() == 2 ? logits.shape(1) : 0));
    const Array all = from_values(of_all, {std::ssize(of_all)});
    return mean(cross_entropy(logits, target, {.reduction = LossReduction::none, .weights = all}));
  };
}

Tensor nll(const Tensor& log_probabilities, const Tensor& target,
           const CrossEntropyOptions& options) {
  if (log_probabilities.rank() == 0) {
    throw ShapeError("[nll] expected log probabilities [N, C], got shape []");
  }
  if (options.label_smoothing != 0.0) {
    fail<ArgumentError>("[nll] label_smoothing: expected 0, got {}; cross_entropy has it",
                        options.label_smoothing);
  }
  const Classes classes = classes_of("nll", log_probabilities, options);
  Shape samples = log_probabilities.shape();
  samples.erase(classes.axis);
  if (!is_integer(target.dtype()) || !(target.shape() == samples)) {
    fail<ShapeError>("[nll] expected classes (integers) of shape {}, got {} of shape {}", samples,
                     target.dtype(), target.shape());
  }
  return id_loss("nll", classes, target.value(), options);
}

Tensor kl_div(const Tensor& log_probabilities, const Tensor& target, const KlDivOptions& options) {
  check_same_shape("kl_div", log_probabilities, target);
  if (options.log_target) {
    return reduce(exp(target) * (target - log_probabilities), options.reduction);
  }
  // Where t is 0 the log is that of 1, so that neither value nor gradient is NaN; t x stays, since
  // its gradient is -t.
  const Array none = equal(target.value(), 0.0);
  const Tensor logs = log(where(none, 1.0, target));
  return reduce(target * logs - where(none, 0.0, target * log_probabilities), options.reduction);
}

Tensor cosine_similarity(const Tensor& a, const Tensor& b, std::int64_t axis, double epsilon) {
  if (!(epsilon >= 0.0)) {
    fail<ArgumentError>("[cosine_similarity] epsilon: expected a number >= 0, got {}", epsilon);
  }
  const auto length = [&](const Tensor& x) { return maximum(norm(x, {axis}, true), epsilon); };
  return sum((a / length(a)) * (b / length(b)), {axis});
}

Tensor bce_with_logits(const Tensor& logits, const Tensor& target, const BceOptions& options) {
  check_same_shape("bce_with_logits", logits, target);
  // (1 - t) x - (1 + (p - 1) t) log sigmoid(x)
  Tensor losses;
  if (options.positive_weight) {
    const Tensor factor = 1.0 + (Tensor(*options.positive_weight) - 1.0) * target;
    losses = (1.0 - target) * logits - factor * log_sigmoid(logits);
  } else {
    losses = (1.0 - target) * logits - log_sigmoid(logits);
  }
  if (options.weight) losses = losses * Tensor(*options.weight);
  return reduce(losses, options.reduction);
}

Tensor mse(const Tensor& answer, const Tensor& target, LossReduction reduction) {
  check_same_shape("mse", answer, target);
  return reduce(square(answer - target), reduction);
}

Tensor l1(const Tensor& answer, const Tensor& target, LossReduction reduction) {
  check_same_shape("l1", answer, target);
  return reduce(abs(answer - target), reduction);
}

Tensor huber(const Tensor& answer, const Tensor& target, double delta, LossReduction reduction) {
  check_same_shape("huber", answer, target);
  if (!(delta > 0.0)) fail<ArgumentError>("[huber] delta: expected more than 0, got {}", delta);
  check_representable("[huber] delta", delta, answer.dtype());
  const Tensor error = answer - target;
  const Tensor size = abs(error);
  const Array is_small = less_equal(size.value(), delta);
  return reduce(where(is_small, square(error) * 0.5, (size - 0.5 * delta) * delta), reduction);
}

Loss loss_from_name(std::string_view name) {
  using Entry = Tensor (*)(const Tensor&, const Array&);
  static constexpr NameTable<Entry, 7> kLosses = {
      {{"cross_entropy", [](const Tensor& y, const Array& t) { return cross_entropy(y, t); }},
       {"nll", [](const Tensor& y, const Array& t) { return nll(y, t); }},
       {"kl_div", [](const Tensor& y, const Array& t) { return kl_div(y, t); }},
       {"bce_with_logits", [](const Tensor& y, const Array& t) { return bce_with_logits(y, t); }},
       {"mse", [](const Tensor& y, const Array& t) { return mse(y, t); }},
       {"l1", [](const Tensor& y, const Array& t) { return l1(y, t); }},
       {"huber", [](const Tensor& y, const Array& t) { return huber(y, t); }}}};
  return from_name(kLosses, name, "loss");
}

}  // namespace gaia
