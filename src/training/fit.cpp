// SPDX-License-Identifier: MIT
#include "fit.h"

#include <chrono>
#include <cmath>

#include "../array/create.h"
#include "../array/indexing.h"
#include "../array/joining.h"
#include "../array/ops.h"
#include "../autograd/grad_mode.h"
#include "../core/message.h"
#include "batch_ahead.h"
#include "rewiring_steps.h"

namespace gaia {
namespace {

/// Sums over batches that stay on the device until the end of an epoch: asking for each would wait
/// for it.
class Sums {
 public:
  explicit Sums(const EpochSoFar& before = {})
      : loss_(full({}, before.loss, DType::float64)),
        hits_(full({}, static_cast<double>(before.hits), DType::int64)),
        samples_(before.samples),
        counted_(before.counted) {}

  void add(const Array& loss, const Array& answers, const Array& targets) {
    const std::int64_t samples = targets.shape(0);
    loss_ = loss_ + loss.astype(DType::float64).reshape({}) * static_cast<double>(samples);
    samples_ += samples;
    if (has_accuracy(answers, targets)) {
      hits_ = hits_ + sum(equal(argmax(answers, 1), targets));
      counted_ += samples;
    }
  }
  void add(const BatchSums& batch) {
    loss_ = loss_ + batch.loss;
    hits_ = hits_ + batch.hits;
    samples_ += batch.samples;
    counted_ += batch.counted;
  }
  std::int64_t samples() const { return samples_; }
  EpochSoFar so_far(std::int64_t batches) const {
    return {.batches = batches,
            .samples = samples_,
            .loss = loss_.item(),
            .hits = static_cast<std::int64_t>(hits_.item()),
            .counted = counted_};
  }
  double loss() const { return loss_.item() / static_cast<double>(samples_); }
  double accuracy() const { return hits_.item() / static_cast<double>(counted_); }  // 0 / 0: NaN

 private:
  Array loss_;
  Array hits_;
  std::int64_t samples_;
  std::int64_t counted_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A training in progress.
class Training {
 public:
  Training(Module& net, const DataLoader& train, const Loss& loss, Optimiser& optimiser,
           const FitOptions& options)
      : net_(net),
        train_(train),
        loss_(loss),
        optimiser_(optimiser),
        options_(options),
        rewiring_(net, optimiser) {
    check_options();
    check_numbers("samples", train_.x());
    check_numbers("targets", train_.y());
    if (options.plateau) plateau_.emplace(*options.plateau);
    if (options.early_stop) stopper_ = &own_stopper_.emplace(*options.early_stop);
    const Communicator* others = options.parallel.communicator;
    if (options.parallel.members != 1 || (others != nullptr && others->size() > 1)) {
      parallel_.emplace(net, loss, optimiser, options.parallel);
    }
  }

  ~Training() { optimiser_.scale_learning_rate(1.0); }
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  History run() {
    // Processes that round differently may see losses that differ.
    const auto is_over = [&] { return stopper_ != nullptr && !goes_on(!stopper_->is_over()); };
    history_.stopped_early = is_over();
    for (std::int64_t epoch = options_.first_epoch;
         epoch < options_.epochs && !history_.stopped_early; ++epoch) {
      if (!run_epoch(epoch)) break;
      history_.stopped_early = is_over();
    }
    if (stopper_ != nullptr) stopper_->restore(net_);
    return std::move(history_);
  }

 private:
  /// \throws ArgumentError for the first sample with a number that is not finite, before anything
  ///         is learnt from it; on a GPU, where the host would wait, nothing is looked at.
  static void check_numbers(const char* what, const Array& all) {
    if (!all.device().is_cpu() || all.size() == 0) return;
    const std::int64_t at = first_not_finite(all.contiguous());
    if (at < 0) return;
    fail<ArgumentError>(
        "[fit] expected {} of finite numbers, got NaN or Inf in sample {}; replace such numbers or "
        "leave the sample out",
        what, at / (all.size() / all.shape(0)));
  }

  void check_options() const {
    if (train_.batches() == 0) {
      fail<ArgumentError>(
          "[fit] expected at least one batch to train on, got none of {} samples; without "
          "drop_last the last batch may be smaller",
          train_.samples());
    }
    // What these saw of the epochs before is nowhere kept.
    const auto refuse = [&](const char* option) {
      fail<ArgumentError>(
          "[fit] {}: expected none with first_epoch above 0, which is {}; it remembers the epochs "
          "before, so train all in one call",
          option, options_.first_epoch);
    };
    if (options_.first_epoch > 0 && options_.plateau) refuse("plateau");
    if (options_.first_epoch > 0 && options_.early_stop) refuse("early_stop");
    if (options_.early_stop && options_.early_stopper != nullptr) {
      throw ArgumentError(
          "[fit] early_stop: expected none beside early_stopper, which takes its place");
    }
  }

  void set_rate(std::int64_t epoch, std::int64_t batch) {
    double factor = plateau_factor_;
    if (options_.schedule) factor *= options_.schedule(epoch);
    if (options_.batch_schedule)
      factor *= options_.batch_schedule(epoch * train_.batches() + batch);
    optimiser_.scale_learning_rate(factor);
  }

  /// One batch, the `number`th of the whole training.
  void step(const Batch& batch, std::int64_t number, Sums& sums) {
    if (parallel_) {
      sums.add(parallel_->gradients(batch, number));
    } else {
      optimiser_.zero_grad();
      const Tensor answer = net_.forward(batch.x);
      const Tensor loss = checked_loss(loss_, answer, batch.y, "fit");
      loss.backward();
      sums.add(loss.value(), answer.value(), batch.y);
    }
    const std::int64_t count = number + 1;
    if (!rewiring_.is_empty()) rewiring_.mask_gradients(count);
    if (options_.clip_norm) clip_grad_norm(optimiser_.parameters(), *options_.clip_norm);
    if (options_.clip_value) clip_grad_value(optimiser_.parameters(), *options_.clip_value);
    if (options_.consolidation != nullptr) {
      options_.consolidation->before_step(optimiser_.learning_rate());
      // Nothing pulls at what is not there.
      if (!rewiring_.is_empty()) rewiring_.mask_gradients(count);
    }
    optimiser_.step();
    if (!rewiring_.is_empty()) rewiring_.end_step(count);
    if (options_.consolidation != nullptr) options_.consolidation->after_step();
  }

  /// Whether to go on: what this process says, or with others, what all say.
  bool goes_on(bool mine) { return parallel_ ? !parallel_->any(!mine) : mine; }

  /// False where training is to end.
  bool run_epoch(std::int64_t epoch) {
    const auto start = std::chrono::steady_clock::now();
    net_.train();
    const EpochSoFar before = epoch == options_.first_epoch ? options_.so_far : EpochSoFar{};
    Sums sums(before);
    const DataLoader::Epoch batches = train_.epoch(epoch);
    BatchAhead ahead(batches, before.batches);
    for (std::int64_t number = before.batches; number < train_.batches(); ++number) {
      set_rate(epoch, number);
      step(ahead.next(), epoch * train_.batches() + number, sums);
      const bool mine = !options_.on_batch ||
                        options_.on_batch({.batch = number,
                                           .batches = train_.batches(),
                                           .samples = sums.samples(),
                                           .seconds = seconds_since(start),
                                           .loss = [&] { return sums.loss(); },
                                           .so_far = [&] { return sums.so_far(number + 1); }});
      if (!goes_on(mine)) {
        return false;
      }
    }
    if (before.batches > 0 && before.batches == train_.batches())
      set_rate(epoch, before.batches - 1);
    EpochReport report;
    report.epoch = epoch;
    report.loss = sums.loss();
    report.accuracy = sums.accuracy();
    report.learning_rate = optimiser_.learning_rate();
    report.seconds = seconds_since(start);
    report.samples_per_second =
        static_cast<double>(sums.samples() - before.samples) / report.seconds;
    check_finite("loss", report.loss, epoch);
    if (options_.validation != nullptr) {
      const Evaluation evaluation = evaluate(net_, *options_.validation, loss_);
      report.validation_loss = evaluation.loss;
      report.validation_accuracy = evaluation.accuracy;
      if (evaluation.samples > 0) check_finite("validation loss", evaluation.loss, epoch);
    }
    // The last step of a training is in no loss that was measured.
    if (epoch + 1 == options_.epochs && !has_finite_parameters(net_)) {
      throw DivergedError(
          message("[fit] the parameters after epoch {} are NaN or infinite{}", epoch, kMayHelp), -1,
          -1, epoch);
    }
    history_.epochs.push_back(report);
    if (plateau_) plateau_factor_ = plateau_->observe(watched(report));
    if (stopper_ != nullptr) stopper_->observe(watched(report), epoch, net_);
    if (parallel_) parallel_->agree();
    return goes_on(!options_.on_epoch || options_.on_epoch(report));
  }

  static constexpr const char* kMayHelp = "; a smaller learning_rate or clip_norm may help";

  static void check_finite(const char* what, double loss, std::int64_t epoch) {
    if (std::isfinite(loss)) return;
    throw DivergedError(message("[fit] the {} of epoch {} is {}{}", what, epoch,
                                std::isnan(loss) ? "NaN" : "infinite", kMayHelp),
                        -1, -1, epoch);
  }

  double watched(const EpochReport& report) const {
    return options_.validation != nullptr ? report.validation_loss : report.loss;
  }

  Module& net_;
  const DataLoader& train_;
  const Loss& loss_;
  Optimiser& optimiser_;
  const FitOptions& options_;
  Rewiring rewiring_;
  std::optional<DataParallel> parallel_;
  std::optional<ReduceOnPlateau> plateau_;
  double plateau_factor_ = 1.0;
  std::optional<EarlyStopper> own_stopper_;
  EarlyStopper* stopper_ = options_.early_stopper;  // null: none
  History history_;
};

}  // namespace

History fit(Module& net, const DataLoader& train, const Loss& loss, Optimiser& optimiser,
            const FitOptions& options) {
  return Training(net, train, loss, optimiser, options).run();
}

bool has_finite_parameters(const Module& net) {
  for (const Tensor& parameter : net.parameters()) {
    if (all(isfinite(parameter.value())).item() == 0.0) return false;
  }
  return true;
}

Evaluation evaluate(Module& net, const DataLoader& data, const Loss& loss) {
  const NoGrad no_grad;
  const Evaluating evaluating(net);
  Sums sums;
  for (const Batch& batch : data.epoch(0)) {
    const Tensor answer = net.forward(batch.x);
    const Tensor value = checked_loss(loss, answer, batch.y, "evaluate");
    sums.add(value.value(), answer.value(), batch.y);
  }
  return {sums.loss(), sums.accuracy(), sums.samples()};
}

Array predict(Module& net, const Array& x, std::int64_t batch_size) {
  if (x.rank() == 0 || x.shape(0) == 0) {
    fail<ShapeError>("[predict] expected samples [n, ...], got shape {}", x.shape());
  }
  const NoGrad no_grad;
  const Evaluating evaluating(net);
  std::vector<Array> answers;
  for (const Batch& batch : DataLoader(x, x, {.batch_size = batch_size}).epoch(0)) {
    answers.push_back(net.forward(batch.x).value());
  }
  return answers.size() == 1 ? answers.front() : concatenate(answers, 0);
}

double accuracy(const Array& answers, const Array& targets) {
  if (!has_accuracy(answers, targets)) {
    fail<ShapeError>(
        "[accuracy] expected answers [n, classes] and classes [n] as integers, got {} and {} {}",
        answers.shape(), targets.dtype(), targets.shape());
  }
  const auto count = static_cast<double>(targets.size());
  return sum(equal(argmax(answers, 1), targets)).item() / count;
}

Array confusion_matrix(const Array& targets, const Array& answers, std::int64_t classes) {
  if (targets.rank() != 1 || !(answers.shape() == targets.shape())) {
    fail<ShapeError>("[confusion_matrix] expected two lists of classes [n], got shapes {} and {}",
                     targets.shape(), answers.shape());
  }
  const Array counts = zeros({classes * classes}, DType::int64);
  if (targets.size() > 0) {
    for (const Array& ids : {targets, answers}) {
      if (min(ids).item() >= 0.0 && max(ids).item() < static_cast<double>(classes)) continue;
      fail<ArgumentError>("[confusion_matrix] expected classes from 0 to {}, got {} to {}",
                          classes - 1, min(ids).item(), max(ids).item());
    }
    const Array cells = targets.astype(DType::int64) * classes + answers.astype(DType::int64);
    index_add(counts, cells, ones({}, DType::int64), 0);
  }
  return counts.reshape({classes, classes});
}

}  // namespace gaia
