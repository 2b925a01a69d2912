// SPDX-License-Identifier: MIT
/// \file
/// gaia.nn: modules, losses, optimisers, training.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "../../src/io/arrays.h"
#include "../../src/layers/network/convolution.h"
#include "../../src/layers/network/dense.h"
#include "../../src/layers/network/embedding.h"
#include "../../src/layers/network/normalization.h"
#include "../../src/layers/network/pointwise.h"
#include "../../src/layers/network/sequential.h"
#include "../../src/learning/losses.h"
#include "../../src/learning/optimisers.h"
#include "../../src/training/data.h"
#include "../../src/training/fit.h"
#include "bindings.h"
#include "casters.h"
#include "exchange.h"

namespace gaia::python {
namespace {

using nb::arg;

/// A loss by its name, or a function of Python's.
Loss loss_of(nb::object given) {
  if (nb::isinstance<nb::str>(given)) return loss_from_name(nb::cast<std::string>(given));
  return [given = std::move(given)](const Tensor& answer, const Array& target) {
    const nb::gil_scoped_acquire gil;
    return nb::cast<Tensor>(given(answer, target));
  };
}

/// The rule of that name with the numbers given.  \throws ArgumentError for one that it has not.
OptimiserRule rule_of(const std::string& name, const nb::kwargs& numbers) {
  OptimiserRule rule = optimiser_from_name(name);
  for (const auto [key, value] : numbers) {
    const auto word = nb::cast<std::string>(key);
    const double number = nb::cast<double>(value);
    const bool is_known = std::visit(
        [&](auto& one) {
          const auto set = [&](const char* of, double& member) {
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
            if (word == "nesterov") {
              one.nesterov = number != 0.0;
              found = true;
            }
          }
          return found;
        },
        rule);
    if (!is_known) throw ArgumentError("[" + name + "] has no parameter '" + word + "'");
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

/// How a training goes on.
struct FitArguments {
  std::int64_t epochs;
  std::int64_t batch_size;
  bool shuffle;
  std::uint64_t seed;
  std::optional<double> clip_norm;
};

nb::list fit_network(Module& net, const Array& x, const Array& y, nb::object loss,
                     Optimiser& optimiser, const FitArguments& arguments, nb::object validation,
                     nb::object on_epoch) {
  const DataLoader train(
      x, y,
      {.batch_size = arguments.batch_size, .shuffle = arguments.shuffle, .seed = arguments.seed});
  std::optional<DataLoader> held_out;
  if (!validation.is_none()) {
    const auto [of_x, of_y] = nb::cast<std::pair<Array, Array>>(validation);
    held_out.emplace(of_x, of_y, LoaderOptions{.batch_size = arguments.batch_size});
  }
  const Loss measure = loss_of(std::move(loss));
  FitOptions options{.epochs = arguments.epochs,
                     .validation = held_out ? &*held_out : nullptr,
                     .clip_norm = arguments.clip_norm};
  // What Python throws, as Ctrl-C does, ends the training and goes on to whoever called.
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

void bind_modules(nb::module_& module) {
  nb::class_<Module>(module, "Module", "A part of a network: a function with parameters.")
      .def("forward", &Module::forward, arg("x"))
      .def("__call__", &Module::forward, arg("x"))
      .def_prop_ro("type", &Module::type)
      .def("parameters", &Module::parameters)
      .def("named_parameters", &Module::named_parameters)
      .def("parameter_count", &Module::parameter_count)
      .def("state", &Module::state, "Parameters and buffers by name; they share their elements.")
      .def("set_state", &Module::set_state, arg("values"))
      .def("train", &Module::train, arg("training") = true)
      .def("eval", &Module::eval)
      .def_prop_ro("is_training", &Module::is_training)
      .def("zero_grad", &Module::zero_grad)
      .def(
          "to", [](Module& net, const std::string& name) { net.to(Device::from_name(name)); },
          arg("device"))
      .def(
          "save",
          [](const Module& net, const std::string& path, bool overwrite) {
            io::save(path, net.state(), {.overwrite = overwrite});
          },
          arg("path"), arg("overwrite") = false, "Writes parameters and buffers to an HDF5 file.")
      .def(
          "load",
          [](Module& net, const std::string& path) {
            net.set_state(io::load(path, {.trusted = true}));
          },
          arg("path"), "Reads what `save` wrote.");
  nb::class_<Sequential, Module>(module, "Sequential", "Modules one after the other.")
      .def("__init__",
           [](Sequential* made, const nb::args& modules) {
             new (made) Sequential();
             for (const nb::handle one : modules) made->add(nb::cast<std::shared_ptr<Module>>(one));
           })
      .def(
          "add",
          [](nb::handle self, std::shared_ptr<Module> one) {
            nb::cast<Sequential&>(self).add(std::move(one));
            return nb::borrow(self);
          },
          arg("module"))
      .def("summary", &Sequential::summary)
      .def("__len__", &Sequential::size)
      .def("__getitem__", [](const Sequential& net, std::int64_t index) {
        if (index < 0 || index >= net.size()) throw nb::index_error("no such module");
        return net.children()[static_cast<std::size_t>(index)].second;
      });
  nb::class_<Dense, Module>(module, "Dense", "y = f(x W^T + b), W [outputs, inputs].")
      .def(
          "__init__",
          [](Dense* made, std::int64_t inputs, std::int64_t outputs, const std::string& activation,
             bool bias, DType dtype) {
            new (made) Dense(
                inputs, outputs,
                {.activation = activation_from_name(activation), .bias = bias, .dtype = dtype});
          },
          arg("inputs"), arg("outputs"), arg("activation") = "linear", arg("bias") = true,
          arg("dtype") = DType::float32)
      .def_prop_ro("weights", &Dense::weights)
      .def_prop_ro("bias", &Dense::bias);
  nb::class_<Conv2d, Module>(module, "Conv2d", "x [batch, in, height, width].")
      .def(
          "__init__",
          [](Conv2d* made, std::int64_t in, std::int64_t out, std::int64_t kernel,
             std::int64_t stride, std::int64_t padding) {
            Conv2dLayerOptions options;
            options.convolution.stride = {stride, stride};
            options.convolution.padding = {padding, padding};
            new (made) Conv2d(in, out, kernel, options);
          },
          arg("in_channels"), arg("out_channels"), arg("kernel"), arg("stride") = 1,
          arg("padding") = 0);
  nb::class_<MaxPool2d, Module>(module, "MaxPool2d")
      .def(
          "__init__",
          [](MaxPool2d* made, std::int64_t kernel) {
            new (made) MaxPool2d(MaxPool2dOptions{.kernel = {kernel, kernel}});
          },
          arg("kernel") = 2);
  nb::class_<LayerNorm, Module>(module, "LayerNorm")
      .def(
          "__init__",
          [](LayerNorm* made, const Shape& shape, double epsilon) {
            new (made) LayerNorm(shape, {.epsilon = epsilon});
          },
          arg("shape"), arg("epsilon") = 1e-5);
  nb::class_<BatchNorm1d, Module>(module, "BatchNorm1d")
      .def(nb::init<std::int64_t>(), arg("channels"));
  nb::class_<BatchNorm2d, Module>(module, "BatchNorm2d")
      .def(nb::init<std::int64_t>(), arg("channels"));
  nb::class_<Embedding, Module>(module, "Embedding")
      .def(nb::init<std::int64_t, std::int64_t>(), arg("symbols"), arg("features"));
  nb::class_<Flatten, Module>(module, "Flatten").def(nb::init<>());
  nb::class_<Reshape, Module>(module, "Reshape").def(nb::init<const Shape&>(), arg("shape"));
  nb::class_<Dropout, Module>(module, "Dropout").def(nb::init<double>(), arg("probability") = 0.5);
  nb::class_<ReluLayer, Module>(module, "ReLU").def(nb::init<>());
  nb::class_<LeakyReluLayer, Module>(module, "LeakyReLU")
      .def(nb::init<double>(), arg("negative_slope") = 0.01);
  nb::class_<EluLayer, Module>(module, "ELU").def(nb::init<double>(), arg("alpha") = 1.0);
  nb::class_<GeluLayer, Module>(module, "GELU").def(nb::init<>());
  nb::class_<SiluLayer, Module>(module, "SiLU").def(nb::init<>());
  nb::class_<SoftplusLayer, Module>(module, "Softplus").def(nb::init<>());
  nb::class_<TanhLayer, Module>(module, "Tanh").def(nb::init<>());
  nb::class_<SigmoidLayer, Module>(module, "Sigmoid").def(nb::init<>());
  nb::class_<SoftmaxLayer, Module>(module, "Softmax")
      .def(nb::init<std::int64_t>(), arg("axis") = -1);
}

void bind_losses(nb::module_& module) {
  // Targets of mse and l1 are tensors too; classes are not.
  module.def(
      "cross_entropy",
      [](const Tensor& logits, const Tensor& target, double smoothing) {
        return cross_entropy(logits, target, {.label_smoothing = smoothing});
      },
      arg("logits"), arg("target"), arg("label_smoothing") = 0.0,
      "Of logits [n, classes] to classes [n], integers, or probabilities [n, classes].");
  module.def(
      "bce_with_logits",
      [](const Tensor& logits, const Tensor& target) { return bce_with_logits(logits, target); },
      arg("logits"), arg("target"));
  module.def(
      "mse", [](const Tensor& answer, const Tensor& target) { return mse(answer, target); },
      arg("answer"), arg("target"), "The mean of (answer - target)^2.");
  module.def(
      "l1", [](const Tensor& answer, const Tensor& target) { return l1(answer, target); },
      arg("answer"), arg("target"));
  module.def(
      "huber",
      [](const Tensor& answer, const Tensor& target, double delta) {
        return huber(answer, target, delta);
      },
      arg("answer"), arg("target"), arg("delta") = 1.0);
}

}  // namespace

void bind_networks(nb::module_& module) {
  bind_modules(module);
  bind_losses(module);
  nb::class_<Optimiser>(module, "Optimiser",
                        "What gradients make of parameters: \"sgd\", \"adam\", \"adamw\", "
                        "\"rmsprop\" or \"lion\", with their numbers by name.")
      .def(
          "__init__",
          [](Optimiser* made, std::vector<Tensor> parameters, const std::string& rule,
             const nb::kwargs& numbers) {
            new (made) Optimiser(std::move(parameters), rule_of(rule, numbers));
          },
          arg("parameters"), arg("rule") = "adam", arg("numbers"))
      .def("step", &Optimiser::step)
      .def("zero_grad", &Optimiser::zero_grad)
      .def_prop_rw("learning_rate", &Optimiser::learning_rate, &Optimiser::set_learning_rate)
      .def("state", &Optimiser::state)
      .def("set_state", &Optimiser::set_state, arg("state"));
  module.def(
      "fit",
      [](Module& net, const Array& x, const Array& y, nb::object loss, Optimiser& optimiser,
         std::int64_t epochs, std::int64_t batch_size, bool shuffle, std::uint64_t seed,
         std::optional<double> clip_norm, nb::object validation, nb::object on_epoch) {
        return fit_network(net, x, y, std::move(loss), optimiser,
                           {epochs, batch_size, shuffle, seed, clip_norm}, std::move(validation),
                           std::move(on_epoch));
      },
      arg("net"), arg("x"), arg("y"), arg("loss"), arg("optimiser"), arg("epochs") = 10,
      arg("batch_size") = 32, arg("shuffle") = true, arg("seed") = 0, arg("clip_norm") = nb::none(),
      arg("validation") = nb::none(), arg("on_epoch") = nb::none(),
      "Trains a network on samples x [n, ...] and targets y [n, ...]; a list of dicts, one an "
      "epoch.\n\n"
      "loss         a name (\"cross_entropy\", \"mse\", ...) or a function of (answer, target)\n"
      "validation   (x, y), asked after every epoch\n"
      "on_epoch     called with the dict of every epoch; False ends the training\n\n"
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
      arg("net"), arg("x"), arg("y"), arg("loss"), arg("batch_size") = 256);
  module.def(
      "predict",
      [](Module& net, const Array& x, std::int64_t batch_size) {
        const nb::gil_scoped_release release;
        return predict(net, x, batch_size);
      },
      arg("net"), arg("x"), arg("batch_size") = 256,
      "The outputs for x [n, ...], without gradients, in evaluation mode: an Array.");
  module.def("clip_grad_norm", &clip_grad_norm, arg("parameters"), arg("max_norm"));
}

}  // namespace gaia::python
