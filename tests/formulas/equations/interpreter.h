// SPDX-License-Identifier: MIT
/// \file
/// Runs the program of a rule tick by tick in double, in the plainest way.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../../src/formulas/equations/equations.h"
#include "../../../src/formulas/equations/evaluate.h"

namespace gaia::test {

using Numbers = std::vector<double>;

/// What one tick sees from outside.
struct TickInput {
  Numbers x;
  std::vector<Numbers> signals;  ///< One number, or one for each neuron.
  std::vector<Numbers> draws = {};
  bool learns = true;
  std::int64_t t = 0;
};

/// One layer, one stream.
class Interpreter {
 public:
  /// Whether the update comes from the sums or from the vector steps.
  enum class Update { sums, vector_steps };

  Interpreter(EquationProgram program, Numbers parameters, std::size_t inputs, Numbers weights,
              Update update)
      : w(std::move(weights)),
        e(w.size(), 0.0),
        program_(std::move(program)),
        parameters_(std::move(parameters)),
        inputs_(inputs),
        outputs_(w.size() / inputs),
        update_(update) {
    memory.assign(program_.memories.size(), Numbers(outputs_, 0.0));
    for (std::size_t i = 0; i < program_.traces.size(); ++i) traces.emplace_back(inputs_, 0.0);
  }

  void tick(const TickInput& in) {
    filter(in.x);
    set_inputs(in);
    const EquationTick& tick = in.learns ? program_.learning : program_.still;
    for (const EquationStep& step : tick.steps) run(step);
    y = neurons_of(tick.output);
    std::vector<Numbers> next;
    for (const EquationPlace& place : tick.memory) next.push_back(neurons_of(place));
    if (in.learns) change_weights();
    memory = next;
  }

  Numbers w, e, y;
  std::vector<Numbers> memory, traces;

 private:
  using Of = EquationPlace::Of;
  using Program = EquationProgram;

  void filter(const Numbers& x) {
    for (std::size_t i = 0; i < traces.size(); ++i) {
      const auto& tau = program_.traces[i].tau;
      double ticks = 0.0;
      if (const double* const number = std::get_if<double>(&tau)) {
        ticks = *number;
      } else {
        const auto named = std::find(program_.parameters.begin(), program_.parameters.end(),
                                     std::get<std::string>(tau));
        ticks = parameters_[static_cast<std::size_t>(named - program_.parameters.begin())];
      }
      for (std::size_t j = 0; j < inputs_; ++j) {
        traces[i][j] = std::exp(-1.0 / ticks) * traces[i][j] + x[j];
      }
    }
  }

  void set_inputs(const TickInput& in) {
    // What is not written before it is read is not a number.
    constants_ = program_.bound_constants(parameters_, static_cast<std::int64_t>(inputs_),
                                          static_cast<std::int64_t>(outputs_), in.learns);
    layer_.assign(program_.layer_places, std::nan(""));
    neurons_.assign(program_.neuron_places, Numbers(outputs_, std::nan("")));
    vectors_.assign(program_.vector_places, Numbers(w.size(), std::nan("")));
    layer_[Program::kTick] = static_cast<double>(in.t);
    layer_[Program::kSquare] = 0.0;
    for (const double x : in.x) layer_[Program::kSquare] += x * x;
    for (std::size_t i = 0; i < outputs_; ++i) {
      double z = 0.0;
      double square = 0.0;
      for (std::size_t j = 0; j < inputs_; ++j) {
        z += w[i * inputs_ + j] * in.x[j];
        square += w[i * inputs_ + j] * w[i * inputs_ + j];
      }
      neurons_[Program::kDrive][i] = z;
      neurons_[Program::kWeightSquare][i] = square;
      neurons_[Program::kActivated][i] = std::tanh(z);
    }
    for (std::size_t i = 0; i < memory.size(); ++i) {
      neurons_[Program::kFirstMemory + i] = memory[i];
    }
    std::size_t of_layer = Program::kFirstLayerSignal;
    std::size_t of_neurons = program_.first_neuron_signal();
    for (std::size_t i = 0; i < program_.signals.size(); ++i) {
      if (program_.signals[i].of_neurons) {
        neurons_[of_neurons++] = in.signals[i];
      } else {
        layer_[of_layer++] = in.signals[i].front();
      }
    }
    for (std::size_t k = 0; k < program_.draws.size(); ++k) {
      neurons_[program_.first_draw() + k] = in.draws[k];
    }
    vectors_[Program::kWeights] = w;
    vectors_[Program::kEligibility] = e;
    vectors_[Program::kSample] = every_neuron(in.x);
    for (std::size_t i = 0; i < traces.size(); ++i) {
      vectors_[Program::kFirstTrace + i] = every_neuron(traces[i]);
    }
  }

  Numbers every_neuron(const Numbers& inputs) const {
    Numbers all;
    for (std::size_t i = 0; i < outputs_; ++i) all.insert(all.end(), inputs.begin(), inputs.end());
    return all;
  }

  /// The number at a place for neuron i and, of a vector, input j.
  double at(const EquationPlace& place, std::size_t i, std::size_t j) const {
    switch (place.of) {
      case Of::constant:
        return constants_[place.index];
      case Of::layer:
        return layer_[place.index];
      case Of::neuron:
        return neurons_[place.index][i];
      case Of::vector:
        return vectors_[place.index][i * inputs_ + j];
    }
    return std::nan("");
  }

  Numbers neurons_of(const EquationPlace& place) const {
    Numbers all(outputs_);
    for (std::size_t i = 0; i < outputs_; ++i) all[i] = at(place, i, 0);
    return all;
  }

  static std::size_t rank(const Numbers& a, std::size_t i) {
    std::size_t ahead = 0;
    for (std::size_t k = 0; k < a.size(); ++k) ahead += a[k] > a[i] || (a[k] == a[i] && k < i);
    return ahead;
  }

  void run(const EquationStep& step) {
    const auto plain = [&](std::size_t i, std::size_t j) {
      const int operands = operand_count(step.op);
      return evaluate(step.op, at(step.a, i, j), operands > 1 ? at(step.b, i, j) : 0.0,
                      operands > 2 ? at(step.c, i, j) : 0.0);
    };
    if (crosses_layer(step.op)) return run_across(step);
    if (step.result.of == Of::layer) layer_[step.result.index] = plain(0, 0);
    for (std::size_t i = 0; i < outputs_ && step.result.of >= Of::neuron; ++i) {
      if (step.result.of == Of::neuron) {
        neurons_[step.result.index][i] = plain(i, 0);
        continue;
      }
      for (std::size_t j = 0; j < inputs_; ++j) {
        vectors_[step.result.index][i * inputs_ + j] = plain(i, j);
      }
    }
  }

  void run_across(const EquationStep& step) {
    const Numbers a = neurons_of(step.a);
    const double largest = *std::max_element(a.begin(), a.end());
    double sum = 0.0;
    double exponentials = 0.0;
    for (const double one : a) {
      sum += one;
      exponentials += std::exp(one - largest);
    }
    double& to_layer = layer_[step.result.of == Of::layer ? step.result.index : 0];
    switch (step.op) {
      case EquationOp::layer_sum:
        to_layer = sum;
        return;
      case EquationOp::layer_mean:
        to_layer = sum / static_cast<double>(outputs_);
        return;
      case EquationOp::layer_largest:
        to_layer = largest;
        return;
      case EquationOp::layer_smallest:
        to_layer = *std::min_element(a.begin(), a.end());
        return;
      default:
        break;
    }
    for (std::size_t i = 0; i < outputs_; ++i) {
      double& result = neurons_[step.result.index][i];
      const auto place = static_cast<double>(rank(a, i));
      if (step.op == EquationOp::softmax) result = std::exp(a[i] - largest) / exponentials;
      if (step.op == EquationOp::rank) result = place;
      if (step.op == EquationOp::kwta) result = place < at(step.b, i, 0) ? a[i] : 0.0;
      if (step.op == EquationOp::winner) result = place == 0.0;
    }
  }

  void fill_backs() {
    for (std::size_t k = 0; k < program_.backs.size(); ++k) {
      const EquationBack& back = program_.backs[k];
      Numbers& all = vectors_[Program::kFirstTrace + traces.size() + k];
      for (std::size_t j = 0; j < inputs_; ++j) {
        double sum = 0.0;
        for (std::size_t i = 0; i < outputs_; ++i)
          sum += at(back.factors, i, 0) * w[i * inputs_ + j];
        double upto = 0.0;
        for (std::size_t i = 0; i < outputs_; ++i) {
          upto += at(back.factors, i, 0) * w[i * inputs_ + j];
          all[i * inputs_ + j] = back.upto ? upto : sum;
        }
      }
    }
  }

  double vector_at(const EquationVector& vector, std::size_t i, std::size_t j) const {
    using Kind = EquationVector::Kind;
    std::size_t place = 0;
    switch (vector.kind) {
      case Kind::ones:
        return 1.0;
      case Kind::w:
        place = Program::kWeights;
        break;
      case Kind::e:
        place = Program::kEligibility;
        break;
      case Kind::x:
        place = Program::kSample;
        break;
      case Kind::trace:
        place = Program::kFirstTrace + vector.index;
        break;
      case Kind::back:
        place = Program::kFirstTrace + traces.size() + vector.index;
        break;
    }
    return vectors_[place][i * inputs_ + j];
  }

  void change_weights() {
    fill_backs();
    if (update_ == Update::vector_steps) {
      for (const EquationStep& step : program_.vector_steps) run(step);
    }
    const auto sum_of = [&](const std::vector<EquationTerm>& terms, std::size_t i, std::size_t j) {
      double sum = 0.0;
      for (const EquationTerm& term : terms)
        sum += at(term.factor, i, j) * vector_at(term.vector, i, j);
      return sum;
    };
    for (std::size_t i = 0; i < outputs_; ++i) {
      for (std::size_t j = 0; j < inputs_; ++j) {
        const std::size_t k = i * inputs_ + j;
        if (update_ == Update::sums) {
          w[k] += sum_of(program_.dw_terms, i, j);
          e[k] += sum_of(program_.de_terms, i, j);
        } else {
          if (program_.dw) w[k] += at(*program_.dw, i, j);
          if (program_.de) e[k] += at(*program_.de, i, j);
        }
      }
    }
  }

  EquationProgram program_;
  Numbers parameters_;
  std::size_t inputs_, outputs_;
  Update update_;
  Numbers constants_, layer_;
  std::vector<Numbers> neurons_, vectors_;
};

}  // namespace gaia::test
