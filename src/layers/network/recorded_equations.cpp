// SPDX-License-Identifier: MIT
#include "recorded_equations.h"

#include <algorithm>
#include <utility>

#include "../../array/create.h"
#include "../../array/functions.h"
#include "../../array/ops.h"
#include "../../array/reductions.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"

namespace gaia {
namespace {

using Of = EquationPlace::Of;

/// The numbers of a program at a tick as tensors: constants [] to [outputs, inputs], those of the
/// layer [batch, 1, 1], of neurons [batch, outputs, 1], and vectors that broadcast to
/// [batch, outputs, inputs].
class RecordedRule {
 public:
  RecordedRule(const EquationRule& rule, Activation f, const Tensor& x, const Tensor& plastic,
               const std::vector<Tensor>& parameters)
      : program_(rule.program()),
        f_(f),
        dtype_(plastic.dtype()),
        of_layer_({plastic.shape(0), 1, 1}),
        of_neurons_({plastic.shape(0), plastic.shape(1), 1}),
        constants_(program_.constants.size()),
        layer_(program_.layer_places),
        neurons_(program_.neuron_places),
        vectors_(program_.vector_places) {
    for (std::size_t k = 0; k < constants_.size(); ++k)
      constants_[k] = number(program_.constants[k]);
    constants_[EquationProgram::kInputs] = number(static_cast<double>(plastic.shape(2)));
    constants_[EquationProgram::kOutputs] = number(static_cast<double>(plastic.shape(1)));
    constants_[EquationProgram::kLearning] = number(1.0);
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      constants_[EquationProgram::kFirstParameter + k] = parameters[k];
    }
    for (const EquationStep& step : program_.constant_steps) {
      constants_[step.result.index] = computed(step);
    }
    for (std::size_t m = 0; m < program_.memories.size(); ++m) {
      const double initial = rule.initial(program_.memories[m].name);
      memories_.emplace_back(full(of_neurons_, initial, dtype_));
    }
    for (const EquationTrace& trace : program_.traces) {
      keeps_.push_back(exp(-1.0 / time_constant(trace)));
      traces_.emplace_back(zeros({plastic.shape(0), 1, x.shape(2)}, dtype_));
    }
    eligibility_ = Tensor(zeros(plastic.shape(), dtype_));
  }

  /// One tick of x [batch, inputs] with the drives z [batch, outputs]: the answers, and H after it.
  std::pair<Tensor, Tensor> tick(std::int64_t t, const Tensor& x, const Tensor& z,
                                 const Tensor& plastic) {
    const Tensor sample = expand_dims(x, 1);
    for (std::size_t k = 0; k < traces_.size(); ++k) traces_[k] = keeps_[k] * traces_[k] + sample;
    layer_[EquationProgram::kTick] = Tensor(full(of_layer_, static_cast<double>(t), dtype_));
    if (program_.reads_square) {
      layer_[EquationProgram::kSquare] = sum(square(sample), {2}, true);
    }
    neurons_[EquationProgram::kDrive] = expand_dims(z, 2);
    if (program_.reads_weight_square) {
      neurons_[EquationProgram::kWeightSquare] = sum(square(plastic), {2}, true);
    }
    if (program_.reads_activation) {
      neurons_[EquationProgram::kActivated] = expand_dims(activate(f_, z), 2);
    }
    for (std::size_t m = 0; m < memories_.size(); ++m) {
      neurons_[EquationProgram::kFirstMemory + m] = memories_[m];
    }
    for (const EquationStep& step : program_.learning.steps) put(step);
    const Tensor y = squeeze(as_neurons(at(program_.learning.output)), {2});
    std::vector<Tensor> after;
    for (const EquationPlace& place : program_.learning.memory) {
      after.push_back(as_neurons(at(place)));
    }
    const Tensor changed = updated(sample, plastic);
    memories_ = std::move(after);
    return {y, changed};
  }

 private:
  Tensor number(double value) const { return Tensor(full({}, value, dtype_)); }

  /// tau of a trace, as its parameter has it.
  Tensor time_constant(const EquationTrace& trace) const {
    if (const auto* const value = std::get_if<double>(&trace.tau)) return number(*value);
    const auto& name = std::get<std::string>(trace.tau);
    std::size_t k = 0;
    while (program_.parameters[k] != name) ++k;
    const Tensor& tau = constants_[EquationProgram::kFirstParameter + k];
    if (all(greater(tau.value(), 0.0)).item() == 0.0) {
      fail<ArgumentError>(
          "[plastic_sequence] the trace {} has the time constant {}: expected numbers of ticks "
          "above 0; train it more slowly, or keep it as it is",
          trace.name, name);
    }
    return tau;
  }

  Tensor updated(const Tensor& sample, const Tensor& plastic) {
    vectors_[EquationProgram::kWeights] = plastic;
    vectors_[EquationProgram::kSample] = sample;
    vectors_[EquationProgram::kEligibility] = eligibility_;
    std::size_t place = EquationProgram::kFirstTrace;
    for (std::size_t k = 0; k < traces_.size(); ++k) vectors_[place++] = traces_[k];
    for (const EquationBack& back : program_.backs) {
      const Tensor factors = as_neurons(at(back.factors));
      vectors_[place++] =
          back.upto ? cumsum(factors * plastic, 1) : matmul(swapaxes(factors, 1, 2), plastic);
    }
    for (const EquationStep& step : program_.vector_steps) put(step);
    const Tensor changed = program_.dw ? plastic + at(*program_.dw) : plastic;
    if (program_.de) eligibility_ = eligibility_ + at(*program_.de);
    return changed;
  }

  const Tensor& at(const EquationPlace& place) const {
    switch (place.of) {
      case Of::constant:
        return constants_[place.index];
      case Of::layer:
        return layer_[place.index];
      case Of::neuron:
        return neurons_[place.index];
      case Of::vector:
        break;
    }
    return vectors_[place.index];
  }

  /// A result has the shape that its operands broadcast to: where a parameter differs among
  /// weights, what is computed from it does.
  void put(const EquationStep& step) {
    const Tensor result = computed(step);
    const std::uint16_t index = step.result.index;
    if (step.result.of == Of::layer) {
      layer_[index] = result;
    } else if (step.result.of == Of::neuron) {
      neurons_[index] = result;
    } else {
      vectors_[index] = result;
    }
  }

  /// [batch, outputs, 1], where there has to be one number for each neuron.
  Tensor as_neurons(const Tensor& x) const {
    if (x.shape() == of_neurons_) return x;
    if (x.rank() > 0 && x.shape(-1) != 1) {
      throw ArgumentError(
          "[plastic_sequence] an answer, a memory or a number that is read across the layer is "
          "made "
          "of a parameter of shape [outputs, inputs]; expected one that the inputs of a neuron "
          "share, [outputs, 1] or []");
    }
    return broadcast_to(x, of_neurons_);
  }

  /// 1 where the condition holds, else 0; has no slope.
  Tensor truth(const Array& condition) const { return Tensor(condition.astype(dtype_)); }
  static Array is_true(const Tensor& x) { return not_equal(x.value(), 0.0); }

  /// How many neurons of a stream have a larger number; of equals the lower index is ahead.
  static Array rank_of(const Tensor& a) {
    const Array& own = a.value();             // [batch, outputs, 1]
    const Array others = own.swapaxes(1, 2);  // [batch, 1, outputs]
    const Array index = arange(own.shape(1));
    const Array is_ahead = logical_and(equal(others, own), less(index, index.expand_dims(1)));
    return sum(logical_or(greater(others, own), is_ahead).astype(DType::int64), {2}, true);
  }

  Tensor computed(const EquationStep& step) const {
    using Op = EquationOp;
    const Tensor& a = at(step.a);
    const Tensor& b = at(step.b);
    switch (step.op) {
      case Op::copy:
        return a;
      case Op::add:
        return a + b;
      case Op::subtract:
        return a - b;
      case Op::multiply:
        return a * b;
      case Op::divide:
        return a / b;
      case Op::power:
        return power(a, b);
      case Op::negate:
        return negative(a);
      case Op::less:
        return truth(less(a.value(), b.value()));
      case Op::less_equal:
        return truth(less_equal(a.value(), b.value()));
      case Op::greater:
        return truth(greater(a.value(), b.value()));
      case Op::greater_equal:
        return truth(greater_equal(a.value(), b.value()));
      case Op::equal:
        return truth(equal(a.value(), b.value()));
      case Op::not_equal:
        return truth(not_equal(a.value(), b.value()));
      case Op::logical_and:
        return truth(logical_and(is_true(a), is_true(b)));
      case Op::logical_or:
        return truth(logical_or(is_true(a), is_true(b)));
      case Op::logical_not:
        return truth(logical_not(is_true(a)));
      case Op::where:
        return where(is_true(a), b, at(step.c));
      case Op::exp:
        return exp(a);
      case Op::log:
        return log(a);
      case Op::sqrt:
        return sqrt(a);
      case Op::abs:
        return abs(a);
      case Op::sign:
        return sign(a);
      case Op::tanh:
        return tanh(a);
      case Op::sigmoid:
        return sigmoid(a);
      case Op::relu:
        return relu(a);
      case Op::floor:
        return floor(a);
      case Op::sin:
        return sin(a);
      case Op::cos:
        return cos(a);
      case Op::minimum:
        return minimum(a, b);
      case Op::maximum:
        return maximum(a, b);
      case Op::layer_sum:
        return sum(as_neurons(a), {1}, true);
      case Op::layer_mean:
        return mean(as_neurons(a), {1}, true);
      case Op::layer_largest:
        return max(as_neurons(a), {1}, true);
      case Op::layer_smallest:
        return min(as_neurons(a), {1}, true);
      case Op::softmax:
        return softmax(as_neurons(a), 1);
      case Op::rank:
        return truth(rank_of(as_neurons(a)));
      case Op::kwta:
        return where(less(rank_of(as_neurons(a)).astype(dtype_), b.value()), a, 0.0);
      case Op::winner:
        return truth(equal(rank_of(as_neurons(a)), 0));
    }
    throw InternalError("[plastic_sequence] an operation of the equations is not known");
  }

  const EquationProgram& program_;
  Activation f_;
  DType dtype_;
  Shape of_layer_;
  Shape of_neurons_;
  std::vector<Tensor> constants_, layer_, neurons_, vectors_;
  std::vector<Tensor> memories_, keeps_, traces_;
  Tensor eligibility_;
};

}  // namespace

std::string why_not_recorded(const EquationRule& rule) {
  const EquationProgram& program = rule.program();
  if (!program.signals.empty()) return "reads signals, which networks do not have";
  if (!program.draws.empty()) return "draws random numbers, which are not recorded";
  return "";
}

PlasticSequence plastic_sequence(const EquationRule& rule, Activation f, const Tensor& x,
                                 const Tensor& drive, const Tensor& plastic, const Tensor& alpha,
                                 const std::vector<Tensor>& parameters) {
  if (const std::string why = why_not_recorded(rule); !why.empty()) {
    throw ArgumentError("[plastic_sequence] expected a rule that can be recorded, got one that " +
                        why + "; leave that out of its equations");
  }
  check_plastic_operands("plastic_sequence", x, drive, plastic, alpha, rule.program().parameters,
                         parameters);
  RecordedRule recorded(rule, f, x, plastic, parameters);
  std::vector<Tensor> answers;
  Tensor h = plastic;
  for (std::int64_t t = 0; t < x.shape(0); ++t) {
    const Tensor now = select(x, 0, t);
    const Tensor z = select(drive, 0, t) + squeeze(matmul(alpha * h, expand_dims(now, 2)), {2});
    auto [y, changed] = recorded.tick(t, now, z, h);
    answers.push_back(std::move(y));
    h = std::move(changed);
  }
  if (answers.empty()) return {drive, plastic};
  return {stack(answers, 0), h};
}

}  // namespace gaia
