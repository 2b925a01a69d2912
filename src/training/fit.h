// SPDX-License-Identifier: MIT
/// \file
/// Training, testing and asking a network.
///
///     DataLoader train(images, labels, {.batch_size = 64, .shuffle = true});
///     Optimiser optimiser(net.parameters(), AdamRule{});
///     History history = fit(net, train, loss_from_name("cross_entropy"), optimiser, {.epochs =
///     5}); double accuracy = evaluate(net, test, loss_from_name("cross_entropy")).accuracy;
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "../layers/network/module.h"
#include "../learning/losses.h"
#include "../learning/optimisers.h"
#include "../learning/schedules.h"
#include "consolidation.h"
#include "data.h"
#include "data_parallel.h"
#include "early_stop.h"

namespace gaia {

/// What an epoch brought.  NaN where something was not asked for or makes no sense: accuracies are
/// those of outputs [n, classes] to targets that are classes [n].
struct EpochReport {
  std::int64_t epoch = 0;  ///< From 0.
  double loss = 0.0;       ///< Mean over the samples, each before the step it caused.
  double accuracy = std::numeric_limits<double>::quiet_NaN();
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  double validation_accuracy = std::numeric_limits<double>::quiet_NaN();
  double learning_rate = 0.0;  ///< At the end of the epoch.
  double seconds = 0.0;        ///< Without validation.
  double samples_per_second = 0.0;
};

/// What an epoch has come to after some of its batches: with the states of the network and of the
/// optimiser and this a training goes on as if nothing had been between.
struct EpochSoFar {
  std::int64_t batches = 0;
  std::int64_t samples = 0;
  double loss = 0.0;         ///< Sum over the samples.
  std::int64_t hits = 0;     ///< Samples whose class was predicted,
  std::int64_t counted = 0;  ///< of those that have one.
};

/// How far an epoch is.
struct BatchReport {
  std::int64_t batch = 0;    ///< From 0; this one is done.
  std::int64_t batches = 0;  ///< In the epoch.
  std::int64_t samples = 0;  ///< Samples of the epoch so far.
  double seconds = 0.0;      ///< Since the epoch began.
  /// Mean over the samples so far.  The sum stays on the device, and asking waits for it: not to be
  /// called for every batch where speed matters.  Valid within `on_batch` only.
  std::function<double()> loss = {};
  /// For a checkpoint; waits for the device as `loss` does.
  std::function<EpochSoFar()> so_far = {};
};

struct History {
  std::vector<EpochReport> epochs;
  bool stopped_early = false;
};

struct FitOptions {
  std::int64_t epochs = 10;
  std::int64_t first_epoch = 0;  ///< First epoch of a resumed training: [first_epoch, epochs).
  EpochSoFar so_far = {};        ///< State of the first epoch, if the training resumes within it.
  const DataLoader* validation = nullptr;      ///< Asked after every epoch.
  Schedule schedule = {};                      ///< Factor of the learning rate; t counts epochs.
  Schedule batch_schedule = {};                ///< The same, but t counts batches.
  std::optional<PlateauOptions> plateau = {};  ///< Lower the rate where the loss no longer falls.
  std::optional<double> clip_norm = {};        ///< Largest norm, for clip_grad_norm.
  std::optional<double> clip_value = {};       ///< Limit, for clip_grad_value.
  std::optional<EarlyStop> early_stop = {};
  /// In place of early_stop: one whose memory outlives the call, so that a training can go on from
  /// its state.  It has taken the loss of an epoch when `on_epoch` is called.  Null: none.
  EarlyStopper* early_stopper = nullptr;
  /// Members of a batch, and processes that share them.  The loss must be a mean over samples then.
  DataParallelOptions parallel = {};
  /// What holds weights near those of earlier tasks; it takes part in every step.  Null: nothing.
  Consolidation* consolidation = nullptr;
  /// Called after every epoch; false ends the training.
  std::function<bool(const EpochReport&)> on_epoch = {};
  /// Called after every batch; false ends the training, and the epoch is not reported.
  std::function<bool(const BatchReport&)> on_batch = {};
};

/// Trains a network: for every batch output, loss (one element), gradients, what clips them, the
/// pull of `consolidation`, step; layers that are rewired (RewiredDense) change behind it.  The
/// network is in training mode meanwhile and keeps that mode.  Same data, seeds and options give
/// the same network, with any number of threads and, for the same `parallel.members`, of processes.
/// Where there are several, all call this with the same arguments, and `on_batch` and `on_epoch`
/// are called in each; all end when one of these says so.  \throws ArgumentError for a loss that is
/// not one number, for data without a batch, for `early_stop` beside `early_stopper`, and for
/// `plateau` or `early_stop` with a first epoch above 0, whose memory would be missing (an
/// `early_stopper` brings its own); DivergedError where the loss of an epoch, its validation
/// loss or, after the last one, a parameter is not finite.
History fit(Module& net, const DataLoader& train, const Loss& loss, Optimiser& optimiser,
            const FitOptions& options = {});

/// Whether no number of the network's parameters is NaN or infinite.
bool has_finite_parameters(const Module& net);

struct Evaluation {
  double loss = 0.0;  ///< Mean over the samples.
  double accuracy = std::numeric_limits<double>::quiet_NaN();
  std::int64_t samples = 0;
};

/// Evaluates without training and without gradients, in the network's evaluation mode.  \throws
/// ArgumentError for a loss that is not one number.
Evaluation evaluate(Module& net, const DataLoader& data, const Loss& loss);

/// The outputs for x [n, ...], batch by batch, without gradients, in evaluation mode.
Array predict(Module& net, const Array& x, std::int64_t batch_size = 256);

/// Share of rows of outputs [n, classes] whose largest number stands at the class in targets [n].
double accuracy(const Array& answers, const Array& targets);

/// How often class j was predicted for class i: int64 [classes, classes], from classes [n] each.
/// \throws ShapeError, or ArgumentError for a class out of range.
Array confusion_matrix(const Array& targets, const Array& answers, std::int64_t classes);

}  // namespace gaia
