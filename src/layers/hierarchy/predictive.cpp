// SPDX-License-Identifier: MIT
#include "predictive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../array/apply.h"
#include "../../array/create.h"
#include "../../array/indexing.h"
#include "../../array/ops.h"
#include "../../array/random_arrays.h"
#include "../../core/message.h"
#include "../../core/names.h"
#include "../../formulas/representable.h"
#include "../../learning/rule_execution.h"
#include "../choices.h"
#include "layer_kind.h"

namespace gaia {
namespace {

constexpr double kMostRate = 1e6;
const char* const kLabels = "labels";  // name by which levels know the classes of rows

/// All activations that are functions of single numbers.
Choice hidden_activations(Activation& value) {
  std::vector<std::string> names = activation_names();
  std::erase_if(names,
                [](const std::string& name) { return is_of_row(activation_from_name(name)); });
  return choice_of(std::move(names), value, activation_from_name);
}

const PredictiveOptions& checked(const PredictiveOptions& options) {
  require(!options.sizes.empty(),
          "[predictive layer] expected sizes of at least one layer, got none");
  for (const std::int64_t size : options.sizes) {
    require(size >= 1, "[predictive layer] sizes must be at least 1, got {}", size);
  }
  require(!is_of_row(options.activation),
          "[predictive layer] activation {} is no function of one number; use tanh",
          to_string(options.activation));
  require(options.learning_rate >= 0.0 && options.learning_rate < kMostRate,
          "[predictive layer] learning_rate must be in [0, 1e6), got {}", options.learning_rate);
  require(options.iterations >= 0, "[predictive layer] iterations must be at least 0, got {}",
          options.iterations);
  require(options.step > 0.0 && std::isfinite(options.step),
          "[predictive layer] step must be above 0, got {}", options.step);
  require(options.variance > 0.0 && std::isfinite(options.variance),
          "[predictive layer] variance must be above 0, got {}", options.variance);
  require(options.batch >= 1, "[predictive layer] batch must be at least 1, got {}", options.batch);
  if (options.top == PredictiveTop::target) {
    require(std::ssize(options.target) == options.outputs(),
            "[predictive layer] expected a column of target for each of the {} neurons of the top, "
            "got {}",
            options.outputs(), options.target.size());
  }
  check_representable("[predictive layer] step", options.step, options.dtype);
  check_representable("[predictive layer] variance", options.variance, options.dtype);
  return options;
}

/// W_l, normal with variance 1 / inputs.  W_1 has the layer's stream.
Array predicting_weights(std::int64_t outputs, std::int64_t inputs, std::size_t l,
                         const PredictiveOptions& options) {
  const RandomStream stream =
      l == 1 ? options.random
             : RandomStream::named(options.random.seed,
                                   fmt::format("predictive/{:016x}/{}", options.random.stream, l));
  const double deviation = 1.0 / std::sqrt(static_cast<double>(inputs));
  return random_normal({outputs, inputs}, 0.0, deviation, DType::float64, stream)
      .astype(options.dtype);
}

/// g f'(x) for y = f(x).
Array through_slope(Activation f, const Array& x, const Array& y, const Array& g) {
  return dispatch_activation(f, [&](auto functor) -> Array {
    if constexpr (std::is_same_v<decltype(functor), Identity>) {
      return g;
    } else {
      return unary_gradient(functor, x, y, g);
    }
  });
}

/// On the CPU, whatever device is current.
Array whole_numbers(const Shape& shape) {
  const GPUContext host(Device::cpu());
  return zeros(shape, DType::int64);
}

}  // namespace

std::string to_string(PredictiveTop top) {
  return top == PredictiveTop::label ? "label" : "target";
}

std::string to_string(LearnWhen when) { return when == LearnWhen::settle ? "settle" : "exact"; }

PredictiveTop predictive_top_from_name(std::string_view name) {
  if (name == "label") return PredictiveTop::label;
  if (name == "target") return PredictiveTop::target;
  fail<ArgumentError>("[predictive layer] expected the top label or target, got '{}'", name);
}

LearnWhen learn_when_from_name(std::string_view name) {
  if (name == "settle") return LearnWhen::settle;
  if (name == "exact") return LearnWhen::exact;
  fail<ArgumentError>("[predictive layer] expected learn_when settle or exact, got '{}'", name);
}

void PredictiveOptions::keys(ConfigVisitor& v) {
  v.integers({"sizes", "number of neurons of each layer of the stack, the top last", true}, sizes,
             {1, 1000000});
  v.choice({"activation", "what a neuron below the top makes of its drive"},
           hidden_activations(activation));
  v.number({"learning_rate", "how fast weights follow the errors"}, learning_rate,
           {0.0, kMostRate, false, true});
  v.choice({"learn_when", "after how many relaxations weights learn"},
           choice_of({"settle", "exact"}, learn_when, learn_when_from_name));
  v.where(learn_when == LearnWhen::settle, "learn_when: settle", [&] {
    v.integer({"iterations", "relaxations at a tick that learns"}, iterations, {0, 1000000});
    v.number({"step", "how far a relaxation goes"}, step, {0.0, 1e6, true});
    v.number({"variance", "what the error of the top is divided by"}, variance, kPositive);
  });
  v.choice({"top", "what the top is held at while it learns"},
           choice_of({"label", "target"}, top, predictive_top_from_name));
  v.where(top == PredictiveTop::target, "top: target", [&] {
    v.word_or_words({"target", "columns of data.targets, one for each neuron of the top",
                     top == PredictiveTop::target},
                    target);
  });
  if (top == PredictiveTop::target && !target.empty() && std::ssize(target) != outputs()) {
    v.refuse({"target", ""}, message("has {} columns, one for each neuron of the top, and the last "
                                     "of sizes is {}",
                                     target.size(), outputs()));
  }
  v.integer({"batch", "ticks that learn together, by their mean"}, batch, {1, 1000000});
}

std::string PredictiveOptions::summary() const {
  return message("{}{}", to_string(learn_when),
                 sizes.size() > 1
                     ? fmt::format(" {} >", fmt::join(sizes.begin(), sizes.end() - 1, " > "))
                     : "");
}

double PredictiveOptions::weights(double inputs, double /*outputs*/) const {
  double all = 0.0;
  for (const std::int64_t size : sizes) {
    all += inputs * static_cast<double>(size);
    inputs = static_cast<double>(size);
  }
  return all;
}

EquationSignalSource PredictiveOptions::signal() const {
  if (top == PredictiveTop::label) return {.name = "top", .is_labels = true};
  return {.name = "target", .columns = target, .is_list = true};
}

PredictiveLayer::PredictiveLayer(std::int64_t input_size, const PredictiveOptions& options)
    : Layer(input_size, checked(options).outputs(), options.dtype), options_(options) {
  std::int64_t inputs = input_size;
  for (std::size_t l = 1; l <= options.sizes.size(); ++l) {
    const std::int64_t outputs = options.sizes[l - 1];
    weights_.push_back(predicting_weights(outputs, inputs, l, options));
    biases_.push_back(zeros({outputs}, options.dtype));
    inputs = outputs;
  }
  if (options.batch > 1) waiting_ticks_ = whole_numbers({1});
}

std::unique_ptr<LayerKind> PredictiveLayer::kind() const {
  return LayerKind::Of<PredictiveOptions>::with(options_);
}

std::unique_ptr<Layer> PredictiveLayer::clone() const {
  auto twin = std::make_unique<PredictiveLayer>(*this);
  for (Array& weights : twin->weights_) weights = weights.copy();
  for (Array& bias : twin->biases_) bias = bias.copy();
  for (Array* const array : {&twin->waiting_samples_, &twin->waiting_targets_,
                             &twin->waiting_learns_, &twin->waiting_ticks_}) {
    *array = array->copy();
  }
  return twin;
}

std::vector<std::pair<std::string, std::string>> PredictiveLayer::attributes() const {
  if (!options_.learn) return {};
  RuleExecution told;
  told.rule_class = "matrix";
  told.class_why = "dw of the first weights is x times a number";
  told.executor = to_string(options_.executor);
  if (options_.executor == Executor::stepwise) told.executor_why = "its executor was asked for";
  return told.attributes();
}

std::vector<NamedArray> PredictiveLayer::arrays() const {
  using Role = NamedArray::Role;
  std::vector<NamedArray> arrays;
  for (std::size_t l = 0; l < depth(); ++l) {
    arrays.push_back({message("weights/{}", l + 1), Role::weights, weights_[l]});
  }
  for (std::size_t l = 0; l < depth(); ++l) {
    arrays.push_back({message("bias/{}", l + 1), Role::weights, biases_[l]});
  }
  if (options_.batch > 1) {
    arrays.push_back({"batch/samples", Role::state, waiting_samples_});
    arrays.push_back({"batch/targets", Role::state, waiting_targets_});
    arrays.push_back({"batch/learns", Role::state, waiting_learns_});
    arrays.push_back({"batch/ticks", Role::state, waiting_ticks_});
  }
  return arrays;
}

std::int64_t PredictiveLayer::operations_per_tick(bool learn) const {
  std::int64_t all = 0;
  for (const Array& weights : weights_) all += 2 * weights.size();
  if (!learn || !options_.learn) return all;
  const std::int64_t above = all - 2 * weights_.front().size();
  // Up and down once per relaxation, and the products that the weights learn by.
  const std::int64_t down = options_.learn_when == LearnWhen::exact ? 1 : 2 * options_.iterations;
  return 2 * all + down * above;
}

std::vector<std::string> PredictiveLayer::signal_columns() const {
  if (!options_.learn) return {};
  if (options_.top == PredictiveTop::label) return {kLabels};
  std::vector<std::string> columns;
  for (const std::string& column : options_.target) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
      columns.push_back(column);
    }
  }
  return columns;
}

void PredictiveLayer::allocate_state(std::int64_t streams) {
  if (options_.batch == 1 || !options_.learn) return;
  if (waiting_samples_.size() > 0 && waiting_samples_.shape(0) == streams) return;
  waiting_samples_ = zeros({streams, options_.batch, input_size()}, dtype());
  waiting_targets_ = zeros({streams, options_.batch, output_size()}, dtype());
  waiting_learns_ = whole_numbers({streams, options_.batch});
  waiting_ticks_.fill(0.0);
}

void PredictiveLayer::keep(ArrayUndo& undo, bool learn) {
  if (!learn || !options_.learn) return;
  for (Array& weights : weights_) undo.keep(weights);
  for (Array& bias : biases_) undo.keep(bias);
  if (options_.batch == 1) return;
  for (Array* const array :
       {&waiting_samples_, &waiting_targets_, &waiting_learns_, &waiting_ticks_}) {
    undo.keep(*array);
  }
}

void PredictiveLayer::move_to_current_device() {
  const auto move = [](Array& array) { array = on_current_device(array, "predictive layer"); };
  for (Array& weights : weights_) move(weights);
  for (Array& bias : biases_) move(bias);
  move(waiting_samples_);
  move(waiting_targets_);
}

std::int64_t PredictiveLayer::waiting() const {
  return options_.batch == 1 ? 0 : static_cast<std::int64_t>(waiting_ticks_.item());
}

std::vector<double> PredictiveLayer::column(const std::string& name, std::int64_t streams,
                                            std::int64_t ticks) const {
  const auto found = signals_.find(name);
  if (found == signals_.end()) {
    std::string known;
    for (const auto& [given, numbers] : signals_) known += (known.empty() ? "" : ", ") + given;
    fail<ArgumentError>(
        "[predictive layer] it learns from the column '{}', which is not given; given: {}; hand "
        "its "
        "numbers over as a signal of that name, or do not let the layer learn",
        name, known.empty() ? "none" : known);
  }
  const Shape expected = {streams, ticks};
  if (!(found->second.shape() == expected)) {
    fail<ShapeError>(
        "[predictive layer] the signal column '{}' must be [streams, ticks] = {}, got {}", name,
        expected, found->second.shape());
  }
  return found->second.astype(DType::float64).to_vector<double>();
}

PredictiveLayer::Held PredictiveLayer::held(std::int64_t streams, std::int64_t ticks) const {
  const Device device = current_device();
  const GPUContext host(Device::cpu());
  const auto rows = static_cast<std::size_t>(streams * ticks);
  const auto width = static_cast<std::size_t>(output_size());
  std::vector<double> targets(rows * width);
  std::vector<bool> learns(rows, true);
  const auto tick_of = [&](std::size_t row) { return static_cast<std::int64_t>(row) % ticks; };
  if (options_.top == PredictiveTop::label) {
    const std::vector<double> classes = column(kLabels, streams, ticks);
    for (std::size_t row = 0; row < rows; ++row) {
      const double number = classes[row];
      learns[row] = number >= 0.0;  // and not NaN
      if (!learns[row]) continue;
      if (number >= static_cast<double>(width) || number != std::floor(number)) {
        fail<ArgumentError>(
            "[predictive layer] expected labels that are numbers of classes below {}, one for each "
            "neuron of the top, got {} at tick {} of the block; make the last of sizes as large as "
            "there are classes",
            width, number, tick_of(row));
      }
      targets[row * width + static_cast<std::size_t>(number)] = 1.0;
    }
  } else {
    for (std::size_t i = 0; i < width; ++i) {
      const std::vector<double> numbers = column(options_.target[i], streams, ticks);
      for (std::size_t row = 0; row < rows; ++row) {
        if (std::isinf(numbers[row])) {
          fail<ArgumentError>(
              "[predictive layer] the target is infinite in column '{}' at tick {} of the block; "
              "expected a finite number, or none where the tick shall not learn",
              options_.target[i], tick_of(row));
        }
        if (std::isnan(numbers[row])) {
          learns[row] = false;
        } else {
          targets[row * width + i] = numbers[row];
        }
      }
    }
  }
  return {from_values(targets, {streams, ticks, output_size()}).astype(dtype()).to(device),
          std::move(learns)};
}

PredictiveLayer::Rows PredictiveLayer::wait_with(const Array& x, const Held& held,
                                                 std::int64_t first, std::int64_t count) {
  const std::int64_t streams = x.shape(0);
  const std::int64_t ticks = x.shape(1);
  const std::int64_t rows = streams * options_.batch;
  const auto learns_at = [&](std::int64_t stream, std::int64_t tick) {
    return held.learns[static_cast<std::size_t>(stream * ticks + tick)];
  };
  Rows made;
  if (count == options_.batch) {  // a whole batch, which need not be put together
    made.samples = x.slice(1, first, first + count).reshape({rows, input_size()});
    made.targets = held.targets.slice(1, first, first + count).reshape({rows, output_size()});
    for (std::int64_t row = 0; row < rows; ++row) {
      if (learns_at(row / count, first + row % count)) made.learning.push_back(row);
    }
    return made;
  }
  const std::int64_t begin = waiting();
  waiting_samples_.slice(1, begin, begin + count).assign(x.slice(1, first, first + count));
  waiting_targets_.slice(1, begin, begin + count)
      .assign(held.targets.slice(1, first, first + count));
  std::vector<std::int64_t> flags = waiting_learns_.to_vector<std::int64_t>();
  for (std::int64_t stream = 0; stream < streams; ++stream) {
    for (std::int64_t k = 0; k < count; ++k) {
      flags[static_cast<std::size_t>(stream * options_.batch + begin + k)] =
          learns_at(stream, first + k) ? 1 : 0;
    }
  }
  {
    const GPUContext host(Device::cpu());
    waiting_learns_.assign(from_values(flags, waiting_learns_.shape()));
  }
  waiting_ticks_.fill(static_cast<double>(begin + count));
  made.samples = waiting_samples_.reshape({rows, input_size()});
  made.targets = waiting_targets_.reshape({rows, output_size()});
  for (std::int64_t row = 0; row < rows; ++row) {
    if (flags[static_cast<std::size_t>(row)] != 0) made.learning.push_back(row);
  }
  return made;
}

Array PredictiveLayer::first_drives(const Array& samples) const {
  return matmul(samples, weights_.front().transpose());
}

PredictiveLayer::PassUp PredictiveLayer::pass_up(const Array& samples, Array drives) const {
  PassUp pass{{Array()}, {samples}};
  for (std::size_t l = 1; l <= depth(); ++l) {
    Array mu = l == 1 ? std::move(drives) : matmul(pass.read.back(), weights_[l - 1].transpose());
    mu += biases_[l - 1];
    if (l < depth()) {
      // Arrays of their own: a linear one would be the same as mu, which relaxing must not change.
      Array read = Array::uninitialized(mu.shape(), mu.dtype());
      activate(options_.activation, mu, read);
      pass.read.push_back(std::move(read));
    }
    pass.mu.push_back(std::move(mu));
  }
  return pass;
}

void PredictiveLayer::answer(const Array& x, bool learn, const Array& y) {
  if (!learn || !options_.learn) {
    Array read = x;
    for (std::size_t l = 1; l < depth(); ++l) {
      const Array above =
          Array::uninitialized({x.shape(0), x.shape(1), weights_[l - 1].shape(0)}, dtype());
      answer_linearly(options_.activation, read, weights_[l - 1], biases_[l - 1], above);
      read = above;
    }
    return answer_linearly(Activation::linear, read, weights_.back(), biases_.back(), y);
  }
  const std::int64_t streams = x.shape(0);
  const std::int64_t ticks = x.shape(1);
  allocate_state(streams);
  const Held held = this->held(streams, ticks);
  const std::int64_t most = options_.executor == Executor::stepwise
                                ? 1
                                : kChunk / std::max(std::int64_t{1}, streams * options_.batch);
  for (std::int64_t tick = 0; tick < ticks;) {
    const std::int64_t before = waiting();
    const std::int64_t batches = std::min(most, (ticks - tick) / options_.batch);
    if (before == 0 && batches > 1) {
      answer_chunk(x, held, tick, batches, y);
      tick += batches * options_.batch;
      continue;
    }
    const std::int64_t count = std::min(options_.batch - before, ticks - tick);
    const Rows rows = wait_with(x, held, tick, count);
    // All rows of a batch, those that are yet to come too: how many rows a product has decides in
    // which order its sums are taken.
    PassUp pass = pass_up(rows.samples, first_drives(rows.samples));
    const Array answers = pass.mu.back().reshape({streams, options_.batch, output_size()});
    y.slice(1, tick, tick + count).assign(answers.slice(1, before, before + count));
    tick += count;
    if (before + count < options_.batch) continue;
    if (!rows.learning.empty()) learn_from(rows, std::move(pass));
    if (count == options_.batch) continue;
    waiting_samples_.fill(0.0);
    waiting_targets_.fill(0.0);
    waiting_learns_.fill(0.0);
    waiting_ticks_.fill(0.0);
  }
}

void PredictiveLayer::answer_chunk(const Array& x, const Held& held, std::int64_t first,
                                   std::int64_t batches, const Array& y) {
  const std::int64_t streams = x.shape(0);
  const std::int64_t batch = options_.batch;
  const std::int64_t ticks = batches * batch;
  const std::int64_t rows = streams * batch;
  // Batch after batch, and in each of them stream after stream.
  const auto by_batch = [&](const Array& all) {
    return all.slice(1, first, first + ticks)
        .reshape({streams, batches, batch, all.shape(2)})
        .transpose({1, 0, 2, 3})
        .reshape({batches * rows, all.shape(2)});
  };
  const Array samples = by_batch(x);
  const Array targets = by_batch(held.targets);
  const Array drives = first_drives(samples);
  const Array products = matmul(samples, samples.transpose());
  const Array steps = zeros(drives.shape(), dtype());
  const Array answers = Array::uninitialized({batches * rows, output_size()}, dtype());
  bool has_learnt = false;
  for (std::int64_t begin = 0; begin < batches * rows; begin += rows) {
    const std::int64_t end = begin + rows;
    Array drive = drives.slice(0, begin, end);
    if (has_learnt) {
      drive += matmul(products.slice(0, begin, end).slice(1, 0, begin), steps.slice(0, 0, begin));
    }
    Rows made{samples.slice(0, begin, end), targets.slice(0, begin, end), {}};
    const std::int64_t tick = first + begin / streams;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t place = row / batch * x.shape(1) + tick + row % batch;
      if (held.learns[static_cast<std::size_t>(place)]) made.learning.push_back(row);
    }
    PassUp pass = pass_up(made.samples, std::move(drive));
    answers.slice(0, begin, end).assign(pass.mu.back());
    if (made.learning.empty()) continue;
    const Array to = steps.slice(0, begin, end);
    learn_from(made, std::move(pass), &to);
    has_learnt = true;
  }
  if (has_learnt) weights_.front() += matmul(steps.transpose(), samples);
  y.slice(1, first, first + ticks)
      .assign(answers.reshape({batches, streams, batch, output_size()})
                  .transpose({1, 0, 2, 3})
                  .reshape({streams, ticks, output_size()}));
}

void PredictiveLayer::learn_from(const Rows& rows, PassUp pass, const Array* first_steps) {
  Array targets = rows.targets;
  const auto count = std::ssize(rows.learning);
  if (count < rows.samples.shape(0)) {
    const Array places = from_values(rows.learning, {count});
    targets = take(targets, places, 0);
    for (std::size_t l = 0; l < pass.read.size(); ++l) pass.read[l] = take(pass.read[l], places, 0);
    for (std::size_t l = 1; l < pass.mu.size(); ++l) pass.mu[l] = take(pass.mu[l], places, 0);
  }
  const std::vector<Array> errors =
      options_.learn_when == LearnWhen::exact ? exact(pass, targets) : settled(pass, targets);
  const double rate = options_.learning_rate * rate_factor_ / static_cast<double>(count);
  for (std::size_t l = 1; l <= depth(); ++l) {
    const Array steps = errors[l] * rate;
    biases_[l - 1] += sum(steps, {0});
    if (l > 1 || first_steps == nullptr) {
      weights_[l - 1] += matmul(steps.transpose(), pass.read[l - 1]);
    } else if (count == first_steps->shape(0)) {
      first_steps->assign(steps);
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t row = rows.learning[static_cast<std::size_t>(i)];
        first_steps->slice(0, row, row + 1).assign(steps.slice(0, i, i + 1));
      }
    }
  }
}

std::vector<Array> PredictiveLayer::settled(PassUp& pass, const Array& targets) const {
  const std::size_t top = depth();
  std::vector<Array> x(top + 1);
  std::vector<Array> errors(top + 1);
  x[top] = targets;
  for (std::size_t l = 1; l < top; ++l) {
    x[l] = pass.mu[l].copy();
    errors[l] = zeros(x[l].shape(), dtype());
  }
  const auto measure = [&](std::size_t l) {
    errors[l] = subtract(x[l], pass.mu[l]);
    if (l == top && options_.variance != 1.0) errors[l] /= options_.variance;
  };
  measure(top);
  if (top == 1) return errors;  // nothing relaxes
  for (std::int64_t k = 0; k < options_.iterations; ++k) {
    for (std::size_t l = 1; l < top; ++l) {
      // x + step (-(x - mu) + pull) = (1 - step) x + step (mu + pull)
      const Array pull = through_slope(options_.activation, x[l], pass.read[l],
                                       matmul(errors[l + 1], weights_[l]));
      pull += pass.mu[l];
      update_weighted(1.0 - options_.step, x[l], options_.step, pull);
      activate(options_.activation, x[l], pass.read[l]);
    }
    for (std::size_t l = 2; l <= top; ++l) {
      pass.mu[l] = matmul(pass.read[l - 1], weights_[l - 1].transpose());
      pass.mu[l] += biases_[l - 1];
      measure(l);
    }
  }
  measure(1);
  return errors;
}

std::vector<Array> PredictiveLayer::exact(const PassUp& pass, const Array& targets) const {
  std::vector<Array> errors(depth() + 1);
  errors[depth()] = subtract(targets, pass.mu[depth()]);
  for (std::size_t l = depth() - 1; l >= 1; --l) {
    errors[l] = through_slope(options_.activation, pass.mu[l], pass.read[l],
                              matmul(errors[l + 1], weights_[l]));
  }
  return errors;
}

}  // namespace gaia
