// SPDX-License-Identifier: MIT
/// \file
/// gaia.nn: data for training, in batches, in two parts, at one scale.
#include "../../src/training/data.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <cstdint>
#include <utility>

#include "bindings.h"
#include "casters.h"
#include "exchange.h"

namespace gaia::python {
namespace {

using nb::arg;

/// A loader that counts the epochs which loops have begun.
struct Batches {
  DataLoader loader;
  std::int64_t batch_size = 0;
  std::int64_t next = 0;
};

/// A loop over one epoch.
struct EpochLoop {
  DataLoader::Epoch epoch;
  std::int64_t batches = 0;
  std::int64_t at = 0;

  std::pair<Array, Array> next() {
    if (at == batches) throw nb::stop_iteration();
    Batch batch = [&] {
      const nb::gil_scoped_release release;
      return epoch.batch(at);
    }();
    ++at;
    return {std::move(batch.x), std::move(batch.y)};
  }
};

EpochLoop loop_of(const Batches& data, std::int64_t number) {
  return {data.loader.epoch(number), data.loader.batches()};
}

}  // namespace

void bind_data(nb::module_& module) {
  nb::class_<EpochLoop>(module, "_EpochLoop")
      .def(
          "__iter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __iter__(self) -> _EpochLoop"))
      .def("__next__", &EpochLoop::next)
      .def("__length_hint__", [](const EpochLoop& loop) { return loop.batches - loop.at; });
  nb::class_<Batches>(
      module, "DataLoader",
      "Samples x [n, ...] and targets y [n, ...] in batches.\n\n"
      "    for x, y in nn.DataLoader(images, labels, batch_size=64, shuffle=True):\n"
      "        ...\n\n"
      "Each loop over it is the next epoch; len() is the number of batches in one. Both may lie "
      "on another device than the current one, to which batches come.\n\n"
      "shuffle     another order in every epoch, which follows from seed and epoch alone\n"
      "drop_last   leaves out a last batch that is not full\n\n"
      "Raises ShapeError unless x and y have equally many samples, ArgumentError for a batch size "
      "below 1.")
      .def(
          "__init__",
          [](Batches* made, const Array& x, const Array& y, std::int64_t batch_size, bool shuffle,
             std::uint64_t seed, bool drop_last) {
            new (made) Batches{DataLoader(x, y,
                                          {.batch_size = batch_size,
                                           .shuffle = shuffle,
                                           .seed = seed,
                                           .drop_last = drop_last}),
                               batch_size};
          },
          arg("x"), arg("y"), arg("batch_size") = 32, arg("shuffle") = false, arg("seed") = 0,
          arg("drop_last") = false)
      .def("__iter__", [](Batches& data) { return loop_of(data, data.next++); })
      .def("__len__", [](const Batches& data) { return data.loader.batches(); })
      .def("epoch", &loop_of, arg("number"),
           "The batches of that epoch, from 0, for a loop: pairs of x and y.")
      .def_prop_ro(
          "batch_size", [](const Batches& data) { return data.batch_size; },
          "How many samples a full batch has.")
      .def_prop_ro(
          "samples", [](const Batches& data) { return data.loader.samples(); },
          "How many samples there are.")
      .def_prop_ro(
          "batches", [](const Batches& data) { return data.loader.batches(); },
          "How many batches an epoch has.")
      .def_prop_ro(
          "x", [](const Batches& data) { return data.loader.x(); }, "All samples, an Array.")
      .def_prop_ro(
          "y", [](const Batches& data) { return data.loader.y(); }, "All targets, an Array.");
  module.def(
      "_train_test_split",
      [](const Array& x, const Array& y, double share, std::uint64_t seed) {
        const Split parts = train_test_split(x, y, share, seed);
        return nb::make_tuple(parts.train_x, parts.train_y, parts.test_x, parts.test_y);
      },
      arg("x"), arg("y"), arg("share"), arg("seed"));
  nb::class_<Normalizer>(module, "Normalizer",
                         "Mean and deviation of features, to bring data to mean 0 and variance 1 "
                         "and back; `normalizer_of` finds it.")
      .def_ro("mean", &Normalizer::mean, "The mean of each feature, an Array.")
      .def_ro("scale", &Normalizer::scale,
              "The deviation of each feature, an Array; 1 where it does not vary.")
      .def("apply", &Normalizer::apply, arg("x"), "(x - mean) / scale.")
      .def("restore", &Normalizer::restore, arg("x"), "x scale + mean.");
  module.def("normalizer_of", &normalizer_of, arg("x"),
             "Mean and deviation (of the population) of x [samples, features...]: a Normalizer.\n\n"
             "Raises ShapeError if x has no samples.");
}

}  // namespace gaia::python
