// SPDX-License-Identifier: MIT
/// \file
/// Networks trained on real images and a chaotic series, with what they reached and how long it
/// took.
///
///     bench_training dense     784-128-10 on Fashion-MNIST, >= 88 % of the test images
///     bench_training conv      a small convolutional net on the same, >= 90 %
///     bench_training gru       Mackey-Glass, 15 steps ahead, NRMSE <= 0.06
///
/// Exits with 1 where that is missed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <vector>

#include "../src/gaia.h"
#include "../src/io/generators/mackey_glass.h"

namespace {

using namespace gaia;

struct Options {
  std::string task = "dense";
  std::string folder = io::kFashionMnistFolder;
  std::int64_t epochs = 0;  // 0: as the task needs
  std::uint64_t seed = 1;
};

bool show(const EpochReport& report) {
  fmt::print(
      "epoch {:2}  loss {:.4f}  accuracy {:.4f}  test loss {:.4f}  test accuracy {:.4f}  "
      "{:.0f} samples/s\n",
      report.epoch + 1, report.loss, report.accuracy, report.validation_loss,
      report.validation_accuracy, report.samples_per_second);
  std::fflush(stdout);
  return true;
}

bool answer(const char* what, double reached, double wanted, bool good,
            std::chrono::steady_clock::time_point start) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{}: {:.4f} ({} {:.2f}) after {:.1f} s on {} threads: {}\n", what, reached,
             good == (reached >= wanted) ? ">=" : "<=", wanted, seconds, num_threads(),
             good ? "reached" : "missed");
  return good;
}

bool images(const Options& options, bool convolutional) {
  const io::LabelledImages data = io::fashion_mnist(options.folder);
  const auto start = std::chrono::steady_clock::now();
  // The same mean and scale for all pixels: those at the rim hardly vary.
  const double pixel_mean = mean(data.train_images).item();
  const double pixel_scale = gaia::std(data.train_images).item();
  const auto normalized = [&](const Array& x) { return (x - pixel_mean) / pixel_scale; };
  NeuralNetwork net;
  if (convolutional) {
    const auto layer = [&](std::int64_t in, std::int64_t out) {
      net.add<Conv2d>(in, out, 3, Conv2dLayerOptions{.convolution = {.padding = {1, 1}}});
      net.add<ReluLayer>().add<MaxPool2d>();
    };
    net.add<Reshape>(Shape{1, 28, 28});
    layer(1, 16);
    layer(16, 32);
    net.add<Flatten>().add<Dense>(32 * 7 * 7, 10);
  } else {
    net.add<Flatten>().add<Dense>(784, 128).add<ReluLayer>().add<Dense>(128, 10);
  }
  fmt::print("{}", net.summary());
  const DataLoader train(normalized(data.train_images), data.train_labels,
                         {.batch_size = 64, .shuffle = true, .seed = options.seed});
  const DataLoader test(normalized(data.test_images), data.test_labels, {.batch_size = 500});
  Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = convolutional ? 2e-3 : 1e-3});
  const std::int64_t epochs = options.epochs > 0 ? options.epochs : convolutional ? 5 : 10;
  const Loss loss = loss_from_name("cross_entropy");
  fit(net, train, loss, optimiser,
      {.epochs = epochs,
       .validation = &test,
       .schedule = cosine_schedule(epochs, 0.05),
       .on_epoch = show});
  const double reached = evaluate(net, test, loss).accuracy;
  const double wanted = convolutional ? 0.90 : 0.88;
  return answer("test accuracy", reached, wanted, reached >= wanted, start);
}

/// Windows of a series and what comes `horizon` steps after each.
DataLoader windows(const Array& series, std::int64_t first, std::int64_t count, std::int64_t length,
                   std::int64_t horizon, const LoaderOptions& options) {
  const Array x = series.slice(0, first, first + count + length - 1).windows(count, length, 1);
  const std::int64_t ahead = first + length - 1 + horizon;
  return {x.expand_dims(2).copy(), series.slice(0, ahead, ahead + count).expand_dims(1), options};
}

bool mackey_glass(const Options& options) {
  constexpr std::int64_t kLength = 40;
  constexpr std::int64_t kHorizon = 15;
  constexpr std::int64_t kTrain = 4000;
  constexpr std::int64_t kTest = 1000;
  constexpr std::int64_t kRows = kTrain + kTest + 2 * (kLength + kHorizon);
  const auto source = make_mackey_glass({}, kRows, options.seed);
  std::vector<double> values(kRows);
  source->read(0, kRows, values);
  const Array raw = from_values(values, {kRows});
  const Normalizer normalizer = normalizer_of(raw.slice(0, 0, kTrain));
  const Array series = normalizer.apply(raw).astype(DType::float32);
  const auto start = std::chrono::steady_clock::now();
  const DataLoader train = windows(series, 0, kTrain, kLength, kHorizon,
                                   {.batch_size = 64, .shuffle = true, .seed = options.seed});
  const DataLoader test =
      windows(series, kTrain + kLength + kHorizon, kTest, kLength, kHorizon, {.batch_size = 250});
  NeuralNetwork net;
  net.add<GRU>(1, 32, RecurrentOptions{.answer = RecurrentAnswer::last}).add<Dense>(32, 1);
  fmt::print("{}", net.summary());
  Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 5e-3});
  const std::int64_t epochs = options.epochs > 0 ? options.epochs : 30;
  fit(net, train, loss_from_name("mse"), optimiser,
      {.epochs = epochs,
       .validation = &test,
       .schedule = cosine_schedule(epochs, 0.02),
       .clip_norm = 1.0,
       .on_epoch = show});
  const Array wanted = test.y();
  const double nrmse =
      std::sqrt(mean(square(predict(net, test.x()) - wanted)).item()) / gaia::std(wanted).item();
  return answer("NRMSE", nrmse, 0.06, nrmse <= 0.06, start);
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  CLI::App app("Trains a network and tells what it reached");
  app.add_option("task", options.task)->check(CLI::IsMember({"dense", "conv", "gru"}));
  app.add_option("--data", options.folder, "Folder of the IDX files");
  app.add_option("--epochs", options.epochs);
  app.add_option("--seed", options.seed);
  CLI11_PARSE(app, count, arguments);
  set_seed(options.seed);
  try {
    const bool good =
        options.task == "gru" ? mackey_glass(options) : images(options, options.task == "conv");
    return good ? 0 : 1;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
}
