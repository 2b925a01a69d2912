// SPDX-License-Identifier: MIT
/// \file
/// gaia.nn: losses, optimisers, training.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "../../src/array/ops.h"
#include "../../src/array/reductions.h"
#include "../../src/layers/network/module.h"
#include "../../src/learning/class_weights.h"
#include "../../src/learning/losses.h"
#include "../../src/learning/optimisers.h"
#include "../../src/training/data.h"
#include "../../src/training/fit.h"
#include "bindings.h"
#include "casters.h"
#include "exchange.h"
#include "values.h"

namespace gaia::python {
namespace {

using nb::arg;

/// A loss by its name, or a function of Python's.
Loss loss_of(nb::object given) {
  if (nb::isinstance<nb::str>(given)) return loss_from_name(nb::cast<std::string>(given));
  return [given = std::move(given)](const Tensor& answer, const Array& target) {
    const nb::gil_scoped_acquire gil;
    const nb::object loss = given(answer, target);
    if (!nb::isinstance<Tensor>(loss)) {
      throw ArgumentError(
          "[loss] expected the function to return a gaia.Tensor made of its answer, as gaia's "
          "functions make it, got " +
          nb::cast<std::string>(loss.type().attr("__name__")));
    }
    return nb::cast<Tensor>(loss);
  };
}

/// The rule of that name with the numbers given.  \throws ArgumentError for one that it has not.
OptimiserRule rule_of(const std::string& name, const nb::kwargs& numbers) {
  OptimiserRule rule = optimiser_from_name(name);
  for (const auto [key, value] : numbers) {
    const auto word = nb::cast<std::string>(key);
    const double number = nb::cast<double>(value);
    std::string known;
    const bool is_known = std::visit(
        [&](auto& one) {
          const auto set = [&](const char* of, double& member) {
            known += (known.empty() ? "" : ", ") + std::string(of);
            if (word != of) return false;
            member = number;
            return true;
          };
          bool found =
              set("learning_rate", one.learning_rate) || set("weight_decay", one.weight_decay);
          if constexpr (requires { one.beta1; }) {
            found = found || set("beta1", one.beta1) || set("beta2", one.beta2);
          }
          if constexpr (requires { one.epsilon; }) found = found || set("epsilon", one.epsilon);
          if constexpr (requires { one.alpha; }) found = found || set("alpha", one.alpha);
          if constexpr (requires { one.momentum; }) found = found || set("momentum", one.momentum);
          if constexpr (requires { one.nesterov; }) {
            known += ", nesterov";
            if (word == "nesterov") {
              one.nesterov = number != 0.0;
              found = true;
            }
          }
          return found;
        },
        rule);
    if (!is_known)
      throw ArgumentError("[" + name + "] has no parameter '" + word + "'; it has " + known);
  }
  return rule;
}

nb::dict as_dict(const EpochReport& report) {
  nb::dict made;
  made["epoch"] = report.epoch;
  made["loss"] = report.loss;
  made["accuracy"] = report.accuracy;
  made["validation_loss"] = report.validation_loss;
  made["validation_accuracy"] = report.validation_accuracy;
  made["learning_rate"] = report.learning_rate;
  made["seconds"] = report.seconds;
  made["samples_per_second"] = report.samples_per_second;
  return made;
}

/// Cross entropy in which the classes of y count as `class_weight` says.
Loss balanced_loss(const nb::object& loss, const Array& y) {
  if (!nb::isinstance<nb::str>(loss) || nb::cast<std::string>(loss) != "cross_entropy") {
    throw ArgumentError(
        "[fit] class_weight: expected loss=\"cross_entropy\" beside \"balanced\"; a loss of one's "
        "own has weights of its own");
  }
  if (y.rank() != 1 || !is_integer(y.dtype()) || y.size() == 0 || min(y).item() < 0.0) {
    throw ArgumentError("[fit] class_weight: expected y of classes [n], integers from 0 on");
  }
  const std::vector<std::int64_t> classes = y.astype(DType::int64).to_vector<std::int64_t>();
  return weighted_cross_entropy(
      balanced_class_weights(classes, static_cast<std::int64_t>(max(y).item()) + 1));
}

nb::list fit_network(Module& net, const Array& x, const Array& y, nb::object loss,
                     Optimiser& optimiser, std::int64_t epochs, std::int64_t batch_size,
                     bool shuffle, std::uint64_t seed, std::optional<double> clip_norm,
                     nb::object validation, nb::object on_epoch, Consolidation* consolidation,
                     std::optional<std::int64_t> early_stop, const std::string& class_weight) {
  const DataLoader train(x, y, {.batch_size = batch_size, .shuffle = shuffle, .seed = seed});
  std::optional<DataLoader> held_out;
  if (!validation.is_none()) {
    const auto [of_x, of_y] = nb::cast<std::pair<Array, Array>>(validation);
    held_out.emplace(of_x, of_y, LoaderOptions{.batch_size = batch_size});
  }
  const bool is_balanced = class_weight_from_name(class_weight) == ClassWeight::balanced;
  const Loss measure = is_balanced ? balanced_loss(loss, y) : loss_of(std::move(loss));
  FitOptions options{.epochs = epochs,
                     .validation = held_out ? &*held_out : nullptr,
                     .clip_norm = clip_norm,
                     .consolidation = consolidation};
  if (early_stop) options.early_stop = EarlyStop{.patience = *early_stop};
  // What Python throws, as Ctrl-C does, ends the training and goes on to the caller.
  const auto ask_python = [] {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  };
  options.on_batch = [&](const BatchReport& /*report*/) {
    ask_python();
    return true;
  };
  options.on_epoch = [&](const EpochReport& report) {
    const nb::gil_scoped_acquire gil;
    if (on_epoch.is_none()) return true;
    const nb::object goes_on = on_epoch(as_dict(report));
    return goes_on.is_none() || nb::cast<bool>(goes_on);
  };
  const History history = [&] {
    const nb::gil_scoped_release release;
    return fit(net, train, measure, optimiser, options);
  }();
  nb::list made;
  for (const EpochReport& report : history.epochs) made.append(as_dict(report));
  return made;
}

void bind_consolidation(nb::module_& module) {
  nb::class_<Consolidation>(
      module, "Consolidation",
      "Holds weights w near those a of the end of the last task, each by its importance O: adds "
      "min(c, 1 / rate) (w - a) to the gradient of every step, c = strength O.\n\n"
      "parameters   tensors that require gradients: net.parameters()\n"
      "method       \"ewc\", \"synaptic_intelligence\" or \"last_weights\"\n"
      "strength     at least 0\n"
      "damping      damping of synaptic_intelligence, more than 0\n"
      "samples      number of samples of a task, its first ones, that ewc measures with\n\n"
      "ewc (Kirkpatrick et al. 2017): at the end of a task O grows by the mean over samples of the "
      "squared gradient of each one's loss. synaptic_intelligence (Zenke et al. 2017): c = 2 "
      "strength O, and O grows by max(path, 0) / (moved^2 + damping), path being the sum of "
      "-gradient "
      "times step. last_weights: O = 1. Raises ArgumentError for a number out of its range.")
      .def(
          "__init__",
          [](Consolidation* made, std::vector<Tensor> parameters, const std::string& method,
             double strength, double damping, std::int64_t samples) {
            new (made)
                Consolidation(std::move(parameters), {.method = consolidation_from_name(method),
                                                      .strength = strength,
                                                      .damping = damping,
                                                      .samples = samples});
          },
          arg("parameters"), arg("method") = "ewc", arg("strength") = 30.0, arg("damping") = 0.1,
          arg("samples") = 2000)
      .def("before_step", &Consolidation::before_step, arg("rate"),
           "Adds the pull to the gradients, which an optimiser of this rate then follows.")
      .def("after_step", &Consolidation::after_step,
           "Follows the path of the weights, behind the optimiser's step.")
      .def(
          "end_task",
          [](Consolidation& held, Module& net, const Array& x, const Array& y, nb::object loss) {
            const Loss measure = loss_of(std::move(loss));
            const nb::gil_scoped_release release;
            held.end_task(net, x, y, measure);
          },
          arg("net"), arg("x"), arg("y"), arg("loss") = "cross_entropy",
          "Ends a task of samples x [n, ...] and targets y [n, ...]: measures how important every "
          "weight is, and holds the weights as they are now.")
      .def_prop_ro("tasks", &Consolidation::tasks, "How many tasks have ended.")
      .def_prop_ro("importance", &Consolidation::importance, "O of each parameter, Arrays.")
      .def_prop_ro("anchors", &Consolidation::anchors, "a of each parameter, Arrays.")
      .def("state", &Consolidation::state, "All from which it goes on, arrays by name.")
      .def("set_state", &Consolidation::set_state, arg("state"), "Takes over what `state` gave.");
}

void bind_losses(nb::module_& module) {
  // Targets of mse and l1 are tensors too; classes are not.
  module.def(
      "cross_entropy",
      [](const Tensor& logits, const Tensor& target, double smoothing) {
        return cross_entropy(logits, target, {.label_smoothing = smoothing});
      },
      arg("logits"), arg("target"), arg("label_smoothing") = 0.0,
      "The mean cross entropy of logits [n, classes] to classes [n], integers, or to "
      "probabilities [n, classes].");
  module.def("bce_with_logits",
             taking<const Tensor&, const Tensor&>(GAIA_FUNCTION(bce_with_logits)), arg("logits"),
             arg("target"),
             "The mean binary cross entropy of logits [...] to targets [...] from 0 to 1.");
  module.def("mse", taking<const Tensor&, const Tensor&>(GAIA_FUNCTION(mse)), arg("answer"),
             arg("target"), "The mean of (answer - target)^2.");
  module.def("l1", taking<const Tensor&, const Tensor&>(GAIA_FUNCTION(l1)), arg("answer"),
             arg("target"), "The mean of |answer - target|.");
  module.def(
      "huber", taking<const Tensor&, const Tensor&, double>(GAIA_FUNCTION(huber)), arg("answer"),
      arg("target"), arg("delta") = 1.0,
      "The mean of d^2 / 2 for d = answer - target up to delta, and of delta (|d| - delta / 2) "
      "beyond.");
}

}  // namespace

void bind_networks(nb::module_& module) {
  bind_losses(module);
  nb::class_<Optimiser>(module, "Optimiser",
                        "What gradients make of parameters.\n\n"
                        "parameters   tensors that require gradients: net.parameters()\n"
                        "rule         \"sgd\", \"adam\", \"adamw\", \"rmsprop\" or \"lion\"\n"
                        "numbers      numbers of the rule, by name: learning_rate, "
                        "weight_decay, momentum, nesterov, beta1, beta2, epsilon, alpha\n\n"
                        "Raises ArgumentError for a rule or a number that there is not.")
      .def(
          "__init__",
          [](Optimiser* made, std::vector<Tensor> parameters, const std::string& rule,
             const nb::kwargs& numbers) {
            new (made) Optimiser(std::move(parameters), rule_of(rule, numbers));
          },
          arg("parameters"), arg("rule") = "adam", arg("numbers"))
      .def("step", &Optimiser::step, "Changes every parameter that has a gradient.")
      .def("zero_grad", &Optimiser::zero_grad, "Forgets the gradients.")
      .def_prop_rw("learning_rate", &Optimiser::learning_rate, &Optimiser::set_learning_rate,
                   "The rate of the next step.")
      .def("state", &Optimiser::state, "All from which it goes on, arrays by name.")
      .def("set_state", &Optimiser::set_state, arg("state"), "Takes over what `state` gave.");
  bind_consolidation(module);
  module.def(
      "fit", &fit_network, arg("net"), arg("x"), arg("y"), arg("loss"), arg("optimiser"),
      arg("epochs") = 10, arg("batch_size") = 32, arg("shuffle") = true, arg("seed") = 0,
      arg("clip_norm") = nb::none(), arg("validation") = nb::none(), arg("on_epoch") = nb::none(),
      arg("consolidation") = nb::none(), arg("early_stop") = nb::none(),
      arg("class_weight") = "none",
      "Trains a network on samples x [n, ...] and targets y [n, ...]; a list of dicts, one an "
      "epoch.\n\n"
      "loss         a name (\"cross_entropy\", \"mse\", ...) or a function of (answer, target)\n"
      "validation   (x, y), asked after every epoch\n"
      "on_epoch     called with the dict of every epoch; False ends the training\n"
      "consolidation   a Consolidation, which takes part in every step\n"
      "early_stop   epochs without progress of the validation loss (without validation: of the "
      "loss) that pass before the training ends, with the weights of the best epoch\n"
      "class_weight   weights of classes of loss \"cross_entropy\": \"balanced\" lets all classes "
      "in y count alike, by w_c = n / (K n_c) for each sample of class c, else \"none\"\n\n"
      "Raises DivergedError where a loss is not finite.");
  module.def(
      "evaluate",
      [](Module& net, const Array& x, const Array& y, nb::object loss, std::int64_t batch_size) {
        const Loss measure = loss_of(std::move(loss));
        const DataLoader data(x, y, {.batch_size = batch_size});
        const Evaluation found = [&] {
          const nb::gil_scoped_release release;
          return evaluate(net, data, measure);
        }();
        nb::dict made;
        made["loss"] = found.loss;
        made["accuracy"] = found.accuracy;
        made["samples"] = found.samples;
        return made;
      },
      arg("net"), arg("x"), arg("y"), arg("loss"), arg("batch_size") = 256,
      "How a network does on samples x [n, ...] and targets y [n, ...], without learning: a dict "
      "of loss, accuracy (of classes) and samples.");
  module.def(
      "predict",
      [](Module& net, const Array& x, std::int64_t batch_size) {
        const nb::gil_scoped_release release;
        return predict(net, x, batch_size);
      },
      arg("net"), arg("x"), arg("batch_size") = 256,
      "The outputs for x [n, ...], without gradients, in evaluation mode: an Array.");
  module.def(
      "clip_grad_norm", &clip_grad_norm, arg("parameters"), arg("max_norm"),
      "Scales the gradients down to a common length of at most `max_norm`.  Returns the length "
      "that they had.");
}

}  // namespace gaia::python
