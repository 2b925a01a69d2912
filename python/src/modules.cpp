// SPDX-License-Identifier: MIT
/// \file
/// gaia.nn: modules, the parts of networks.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nanobind/trampoline.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../src/agents/continuous/gaussian_ensemble.h"
#include "../../src/io/arrays.h"
#include "../../src/layers/network/convolution.h"
#include "../../src/layers/network/dense.h"
#include "../../src/layers/network/embedding.h"
#include "../../src/layers/network/normalization.h"
#include "../../src/layers/network/pointwise.h"
#include "../../src/layers/network/rewired_dense.h"
#include "../../src/layers/network/sequential.h"
#include "bindings.h"
#include "casters.h"
#include "exchange.h"
#include "values.h"

namespace gaia::python {

using nb::arg;

namespace {

/// A module that is written in Python: a class with a `forward`, whose attributes are its parts.
class WrittenModule final : public Module {
 public:
  NB_TRAMPOLINE(Module);

  std::string type() const override {
    const nb::gil_scoped_acquire gil;
    return name();
  }

  Tensor forward(const Tensor& x) override {
    const nb::gil_scoped_acquire gil;
    constexpr std::uint64_t hash = nb::detail::str_hash("forward");
    const nb::detail::ticket ticket(nb_trampoline, "forward", hash, false);
    if (!ticket.key.is_valid()) {
      throw ArgumentError("[forward] expected the class " + name() +
                          " to have a forward(self, x), which makes a Tensor of a Tensor");
    }
    const nb::object made = nb_trampoline.base().attr(ticket.key)(x);
    if (!nb::isinstance<Tensor>(made)) {
      throw ArgumentError("[forward] expected forward of " + name() + " to return a Tensor, got " +
                          nb::cast<std::string>(made.type().attr("__name__")));
    }
    return nb::cast<Tensor>(made);
  }

  void keep_parameter(const std::string& attribute, const Tensor& parameter) {
    const bool is_new = !parameters_.contains(attribute);
    Tensor& held = parameters_[attribute];
    held = parameter;
    if (is_new) add(attribute, held);
  }

  void keep_buffer(const std::string& attribute, const Array& buffer) {
    const bool is_new = !buffers_.contains(attribute);
    Array& held = buffers_[attribute];
    held = buffer;
    if (is_new) add(attribute, held);
  }

  void keep_child(const std::string& attribute, std::shared_ptr<Module> child) {
    add(attribute, std::move(child));
  }

  nb::object kept(const std::string& attribute) const {
    if (const auto found = parameters_.find(attribute); found != parameters_.end()) {
      return nb::cast(found->second);
    }
    if (const auto found = buffers_.find(attribute); found != buffers_.end()) {
      return nb::cast(found->second);
    }
    return nb::none();
  }

  nb::dict all_kept() const {
    nb::dict made;
    for (const auto& [attribute, parameter] : parameters_) made[attribute.c_str()] = parameter;
    for (const auto& [attribute, buffer] : buffers_) made[attribute.c_str()] = buffer;
    return made;
  }

 private:
  std::string name() const {
    return nb::cast<std::string>(nb_trampoline.base().type().attr("__name__"));
  }

  std::map<std::string, Tensor> parameters_;
  std::map<std::string, Array> buffers_;
};

/// \throws ArgumentError for a module that is not written in Python.
WrittenModule& written(Module& module) {
  auto* const made = dynamic_cast<WrittenModule*>(&module);
  if (made == nullptr) {
    throw ArgumentError(
        "[Module] expected a class that derives from nn.Module itself to hold "
        "modules, parameters or arrays, got a " +
        module.type());
  }
  return *made;
}

}  // namespace

void bind_modules(nb::module_& module) {
  nb::class_<Module, WrittenModule>(
      module, "Module", nb::dynamic_attr(),
      "A part of a network: a function of a Tensor, with parameters.\n\n"
      "    class Twice(nn.Module):\n"
      "        def __init__(self, n):\n"
      "            super().__init__()\n"
      "            self.inner = nn.Dense(n, n)\n"
      "            self.scale = gaia.Tensor([1.0])\n\n"
      "        def forward(self, x):\n"
      "            return self.scale * self.inner(self.inner(x))\n\n"
      "In a class of one's own, attributes that are modules are its parts, tensors that collect "
      "gradients its\nparameters, and arrays its buffers.  Modules are copied and pickled with all "
      "that they hold.")
      .def(nb::init<>())
      .def("_keep_parameter",
           [](Module& net, const std::string& name, const Tensor& parameter) {
             written(net).keep_parameter(name, parameter);
           })
      .def("_keep_buffer", [](Module& net, const std::string& name,
                              const Array& buffer) { written(net).keep_buffer(name, buffer); })
      .def("_keep_child",
           [](Module& net, const std::string& name, std::shared_ptr<Module> child) {
             written(net).keep_child(name, std::move(child));
           })
      .def("_kept",
           [](Module& net, const std::string& name) -> nb::object {
             auto* const made = dynamic_cast<WrittenModule*>(&net);
             return made == nullptr ? nb::none() : made->kept(name);
           })
      .def("_all_kept",
           [](Module& net) -> nb::dict {
             auto* const made = dynamic_cast<WrittenModule*>(&net);
             return made == nullptr ? nb::dict() : made->all_kept();
           })
      .def("_counts", &Module::counts)
      .def("_set_counts", &Module::set_counts)
      .def("children", &Module::children, "The modules that it has, by name: pairs.")
      .def("set_requires_grad", &Module::set_requires_grad, arg("required"),
           "Whether gradients reach the parameters: without, they stay as they are.")
      .def("forward", &Module::forward, arg("x"), "What it makes of x, a Tensor.")
      .def("__call__", &Module::forward, arg("x"), "What it makes of x, a Tensor.")
      .def_prop_ro("type", &Module::type, "What kind of module it is: \"Dense\".")
      .def("parameters", &Module::parameters, "The tensors that gradients train.")
      .def("named_parameters", &Module::named_parameters, "The same with their names.")
      .def("parameter_count", &Module::parameter_count, "How many numbers they are.")
      .def("state", &Module::state, "Parameters and buffers by name; they share their elements.")
      .def("set_state", &Module::set_state, arg("values"),
           "Takes over what `state` gave.\n\n"
           "Raises ArgumentError for an array that is missing, ShapeError for another shape.")
      .def("train", &Module::train, arg("training") = true,
           "Dropout drops and batches are normalised by their own numbers from here on.")
      .def("eval", &Module::eval, "train(False).")
      .def_prop_ro("is_training", &Module::is_training, "Whether `train` was called last.")
      .def("zero_grad", &Module::zero_grad, "Forgets the gradients of all parameters.")
      .def(
          "to", [](Module& net, const std::string& name) { net.to(Device::from_name(name)); },
          arg("device"), "Moves parameters and buffers to a device.")
      .def(
          "save",
          [](const Module& net, const std::string& path, bool overwrite) {
            io::save(path, net.state(), {.overwrite = overwrite});
          },
          arg("path"), arg("overwrite") = false,
          "Writes parameters and buffers to an HDF5 file.\n\n"
          "Raises OutputError if there is a file and `overwrite` is not set.")
      .def(
          "load",
          [](Module& net, const std::string& path) {
            net.set_state(io::load(path, {.trusted = true}));
          },
          arg("path"), "Reads what `save` wrote.\n\nRaises DataError for another file.");
  nb::class_<Sequential, Module>(
      module, "Sequential",
      "Modules one after the other.\n\n"
      "    net = nn.Sequential(nn.Dense(4, 16), nn.Tanh(), nn.Dense(16, 3))\n"
      "    net(gaia.Tensor(x))              # [n, 3]")
      .def("__init__",
           [](Sequential* made, const nb::args& modules) {
             new (made) Sequential();
             for (const nb::handle one : modules) {
               std::shared_ptr<Module> part;
               if (!nb::try_cast(one, part) || part == nullptr) {
                 const auto given = nb::cast<std::string>(one.type().attr("__name__"));
                 made->~Sequential();
                 throw ArgumentError("[Sequential] expected modules, got " + given);
               }
               made->add(std::move(part));
             }
           })
      .def(
          "add",
          [](nb::handle self, std::shared_ptr<Module> one) {
            nb::cast<Sequential&>(self).add(std::move(one));
            return nb::borrow(self);
          },
          arg("module"), "Adds a module at the end.  Returns the network.")
      .def("summary", &Sequential::summary, "A table of the modules, as text.")
      .def_prop_rw("mixed_precision", &Sequential::is_mixed_precision,
                   &Sequential::set_mixed_precision,
                   "Whether what modules pass on and the weights of products are stored as "
                   "bfloat16, while parameters, gradients and sums are float32.")
      .def("__len__", &Sequential::size)
      .def("__getitem__", [](const Sequential& net, std::int64_t index) {
        if (index < -net.size() || index >= net.size()) {
          raise_position_error("[Sequential] expected a position from " +
                               std::to_string(-net.size()) + " to " +
                               std::to_string(net.size() - 1) + ", got " + std::to_string(index));
        }
        return net.children()[static_cast<std::size_t>(index < 0 ? index + net.size() : index)]
            .second;
      });
  nb::class_<Dense, Module>(module, "Dense",
                            "y = f(x W^T + b), with weights W [outputs, inputs], x [..., inputs].")
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
      .def_prop_ro("weights", &Dense::weights, "[outputs, inputs], a Tensor.")
      .def_prop_ro("bias", &Dense::bias, "[outputs], a Tensor.");
  nb::class_<RewiredDense, Module>(
      module, "RewiredDense",
      "y = f(x W^T + b) with few of its weights W [outputs, inputs], which go and come while `fit` "
      "trains it (Mocanu et al. 2018; by=\"products\": Evci et al. 2020).\n\n"
      "density   share of the weights that are there, in (0, 1]; the others are exactly 0\n"
      "every     optimiser steps between two times at which weights go and come; 0: never\n"
      "by        choice of those that come: \"random\" ones, or by \"products\" those of the "
      "largest gradient\n"
      "share     share of the weights that are there that goes and comes at a time\n"
      "until     steps after which they stay, to which the share falls by a cosine; 0: no end\n\n"
      "Raises ArgumentError for a number out of its range.")
      .def(
          "__init__",
          [](RewiredDense* made, std::int64_t inputs, std::int64_t outputs, double density,
             std::int64_t every, const std::string& by, double share, std::int64_t until,
             const std::string& activation, bool bias, DType dtype) {
            new (made) RewiredDense(
                inputs, outputs,
                {.density = density,
                 .every = every,
                 .by = growth_from_name(by),
                 .share = share,
                 .until = until},
                {.activation = activation_from_name(activation), .bias = bias, .dtype = dtype});
          },
          arg("inputs"), arg("outputs"), arg("density"), arg("every"), arg("by") = "random",
          arg("share") = 0.1, arg("until") = 0, arg("activation") = "linear", arg("bias") = true,
          arg("dtype") = DType::float32)
      .def_prop_ro("weights", &RewiredDense::weights, "[outputs, inputs], a Tensor.")
      .def_prop_ro("mask", &RewiredDense::mask, "1 where a weight is there, else 0, an Array.")
      .def_prop_ro("bias", &RewiredDense::bias, "[outputs], a Tensor.");
  nb::class_<Conv2d, Module>(module, "Conv2d",
                             "A convolution of pictures x [batch, in_channels, height, width].")
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
  nb::class_<MaxPool2d, Module>(module, "MaxPool2d",
                                "The largest number of each square of kernel x kernel.")
      .def(
          "__init__", [](MaxPool2d* made, std::int64_t kernel) { new (made) MaxPool2d(kernel); },
          arg("kernel") = 2);
  nb::class_<LayerNorm, Module>(
      module, "LayerNorm", "Mean 0 and variance 1 of every sample, over its last axes `shape`.")
      .def(
          "__init__",
          [](LayerNorm* made, const Shape& shape, double epsilon) {
            new (made) LayerNorm(shape, {.epsilon = epsilon});
          },
          arg("shape"), arg("epsilon") = 1e-5);
  nb::class_<BatchNorm1d, Module>(module, "BatchNorm1d",
                                  "Mean 0 and variance 1 of every channel of x [batch, channels].")
      .def(nb::init<std::int64_t>(), arg("channels"));
  nb::class_<BatchNorm2d, Module>(
      module, "BatchNorm2d",
      "Mean 0 and variance 1 of every channel of x [batch, channels, height, width].")
      .def(nb::init<std::int64_t>(), arg("channels"));
  nb::class_<Embedding, Module>(module, "Embedding",
                                "A row of `features` numbers for each of so many symbols.")
      .def(nb::init<std::int64_t, std::int64_t>(), arg("symbols"), arg("features"));
  const agents::GaussianEnsembleOptions ensemble{.random = {0, 0}};
  nb::class_<agents::GaussianEnsemble, Module>(
      module, "GaussianEnsemble",
      "Several networks side by side with hidden layers of silu, which share nothing: each "
      "predicts "
      "a normal\n"
      "distribution of y [n, outputs] from x [n, inputs].\n\n"
      "    ensemble = nn.GaussianEnsemble(3, 2, members=5, hidden=[64, 64])\n"
      "    mean, log_variance = ensemble.predict(x)     # [members, n, outputs] each\n\n"
      "Log variances are bounded softly, by bounds that are learnt too and begin at "
      "`least_log_variance` and\n"
      "`most_log_variance`.  `loss` is what training makes small.\n\n"
      "Raises ArgumentError for sizes below 1 and bounds that are not in their order.")
      .def(
          "__init__",
          [](agents::GaussianEnsemble* made, std::int64_t inputs, std::int64_t outputs,
             std::int64_t members, std::vector<std::int64_t> hidden, double least, double most,
             DType dtype) {
            new (made) agents::GaussianEnsemble(inputs, outputs,
                                                {.members = members,
                                                 .hidden = std::move(hidden),
                                                 .least_log_variance = least,
                                                 .most_log_variance = most,
                                                 .dtype = dtype});
          },
          arg("inputs"), arg("outputs"), arg("members") = ensemble.members,
          arg("hidden") = ensemble.hidden, arg("least_log_variance") = ensemble.least_log_variance,
          arg("most_log_variance") = ensemble.most_log_variance, arg("dtype") = ensemble.dtype)
      .def(
          "predict",
          [](agents::GaussianEnsemble& net, const Tensor& x) {
            agents::GaussianEnsemble::Prediction made = net.predict(x);
            return std::pair(std::move(made.mean), std::move(made.log_variance));
          },
          arg("x"),
          "Mean and log variance, [members, n, outputs] each, from x [n, inputs], which all "
          "members "
          "read, or\n[members, n, inputs].")
      .def("loss", &agents::GaussianEnsemble::loss, arg("x"), arg("y"), arg("weights"),
           "What training makes small, of x [members, n, inputs], y [members, n, outputs] and "
           "weights [members, n]:\nthe mean over members of the weighted negative log-likelihood, "
           "in nats without its constant, and a\nhundredth of the width of the bounds.\n\n"
           "Raises ShapeError for other shapes.")
      .def_prop_ro("members", &agents::GaussianEnsemble::members, "How many networks they are.");
  nb::class_<Flatten, Module>(module, "Flatten", "x [batch, ...] as [batch, n].").def(nb::init<>());
  nb::class_<Reshape, Module>(module, "Reshape", "x [batch, ...] as [batch, *shape].")
      .def(nb::init<const Shape&>(), arg("shape"));
  nb::class_<Dropout, Module>(module, "Dropout",
                              "Zeroes numbers by chance while training, and scales the others up.")
      .def(nb::init<double>(), arg("probability") = 0.5);
  nb::class_<LeakyReluLayer, Module>(module, "LeakyReLU",
                                     "x where it is positive, else negative_slope x.")
      .def(nb::init<double>(), arg("negative_slope") = 0.01);
  nb::class_<EluLayer, Module>(module, "ELU", "x where it is positive, else alpha (exp(x) - 1).")
      .def(nb::init<double>(), arg("alpha") = 1.0);
  UnaryFunctions::for_each([&]<class F>(const F& f) {
    if constexpr (requires { F::layer; }) {
      nb::class_<ElementwiseLayer<F>, Module>(module, F::layer, f.facts.about).def(nb::init<>());
    }
  });
  nb::class_<SoftmaxLayer, Module>(module, "Softmax", "exp(x) divided by its sum over an axis.")
      .def(nb::init<std::int64_t>(), arg("axis") = -1);
}

}  // namespace gaia::python
