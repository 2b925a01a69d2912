// SPDX-License-Identifier: MIT
/// \file
/// A plastic layer that reads the patches of a picture.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../core/keys.h"
#include "hebbian.h"

namespace gaia {

class PlasticConvLayer;

/// How the positions of a picture teach the filters that they share.
enum class PatchUpdate : std::uint8_t {
  position,  ///< One after another, row by row, as if they were ticks.
  mean,      ///< All at once, by their mean, as if they were streams of a batch.
};

std::string to_string(PatchUpdate update);
/// \throws ArgumentError for a name that is none, listing the known ones.
PatchUpdate patch_update_from_name(std::string_view name);

/// What of the answers of neighbouring positions is passed on.
struct PatchPool {
  enum class Kind : std::uint8_t { none, max, mean } kind = Kind::none;
  std::int64_t size = 2;
  std::optional<std::int64_t> stride = {};  ///< Rows and columns; those of the window if not given.
  std::int64_t padding = 0;  ///< At most half of the size: never the largest, 0 in a mean.
};

struct PlasticConvOptions {
  /// What the filters learn by.  Its dtype, random, executor and learn are those of below, and it
  /// has no lateral, top_down or rewire.
  HebbianOptions plastic = {.random = {}};
  std::int64_t filters = 1;
  std::vector<std::int64_t> kernel = {3};   ///< Height and width, or one number for both.
  std::vector<std::int64_t> stride = {1};   ///< The same.
  std::vector<std::int64_t> padding = {0};  ///< The same; zeros at every end.
  /// Height, width and channels of what it reads, channels innermost.
  std::vector<std::int64_t> shape = {};
  PatchUpdate update = PatchUpdate::position;
  /// Least share of a tick in the running mean and variance of each channel, by which what is read
  /// is standardised; none: it stays as it is.
  std::optional<double> standardize = {};
  PatchPool pool = {};
  double power = 1.0;  ///< y -> sign(y) |y|^power, behind the rule.
  bool learn = true;
  Executor executor = Executor::chunkwise;
  DType dtype = DType::float32;
  RandomStream random = next_stream();

  static constexpr const char* name = "conv2d";
  using Made = PlasticConvLayer;
  void keys(ConfigVisitor& v);
  std::string summary() const { return plastic.summary(); }
  std::vector<const PlasticityRule*> rules() const { return {&plastic.rule}; }
  double weights(double inputs, double outputs) const;
  /// Its size, which its own keys say; 0 where they do not fit together.
  std::int64_t outputs(std::int64_t inputs) const;
  /// Height, width and channels of what it answers.  Empty where its keys do not fit together.
  std::vector<std::int64_t> output_shape() const;
  /// Rows and columns of positions, before pooling.
  std::vector<std::int64_t> positions() const;
  /// Numbers in a patch.
  std::int64_t patch_size() const;
  /// What keeps it from reading so many numbers, as "[conv2d] KEY: why"; empty if nothing does.
  std::string why_not(std::int64_t inputs) const;
  std::vector<std::string> warnings(std::int64_t inputs, std::int64_t outputs) const;
  void drop_idle() { plastic.drop_idle(); }
  void simplify();

  /// Options with which the layer of the patches is built.
  HebbianOptions of_patches() const;
};

/// y [height, width, filters] of x [height, width, channels], each a row of numbers, channels
/// innermost.  At a tick:
///
///     with standardize, while learning, of each channel c, a = max(standardize, 1 / ticks so far):
///       d = mean(x_c) - m_c,  m_c <- m_c + a d,  v_c <- (1 - a) (v_c + a d^2) + a var(x_c)
///     x_c <- (x_c - m_c) / sqrt(v_c + 1e-5)
///     patch p: kernel rows and columns of x from p stride - padding on, 0 outside
///     y_p = the answer of a HebbianLayer [filters, kernel height x width x channels] to patch p,
///           which learns from it
///     y <- sign(y) |y|^power,  then the largest or mean of each window of the pool
///
/// Under PatchUpdate::position patches are ticks of that layer, those of a picture row by row, and
/// what its rule remembers goes on from position to position.  Under PatchUpdate::mean they are
/// streams of a batch: weights move by the mean over positions, and memories and traces are those
/// of a position.  What is read from outside (labels, targets) is the same at all positions.
///
/// Answers and weights do not depend on where blocks end.
class PlasticConvLayer final : public Layer {
 public:
  /// \throws ArgumentError for keys that do not fit together or to the number of inputs, and those
  ///         of HebbianLayer.
  PlasticConvLayer(std::int64_t input_size, const PlasticConvOptions& options);
  PlasticConvLayer(const PlasticConvLayer& other);

  std::string type() const override { return PlasticConvOptions::name; }
  std::unique_ptr<Layer> clone() const override;
  std::unique_ptr<LayerKind> kind() const override;
  bool is_plastic() const override { return options_.learn; }
  void scale_learning_rate(double factor) override { patches_->scale_learning_rate(factor); }
  AutoRate* automatic_rate() override { return patches_->automatic_rate(); }
  std::vector<std::string> signal_columns() const override { return patches_->signal_columns(); }
  void read_signals(const TickSignals& signals) override { signals_ = signals; }
  void allocate_state(std::int64_t streams) override;
  void reset_state() override { patches_->reset_state(); }
  void keep(ArrayUndo& undo, bool learn) override;
  bool repeats() const override { return patches_->repeats(); }
  std::string why_not_replica(const Layer& other) const override;
  std::vector<std::pair<std::string, std::string>> attributes() const override;
  /// Those of the layer of the patches; under PatchUpdate::mean what a stream of it carries has an
  /// axis of positions.  With standardize, "standardize/mean" and "standardize/variance" [channels]
  /// and "standardize/ticks" [1], float64.
  std::vector<NamedArray> arrays() const override;
  void follow_input(bool follows) override { follows_ = follows; }
  std::int64_t operations_per_tick(bool learn) const override;

  const PlasticConvOptions& options() const { return options_; }
  /// The layer [filters, numbers of a patch] that answers patches and learns from them.
  HebbianLayer& patches() { return *patches_; }
  const HebbianLayer& patches() const { return *patches_; }

 private:
  void answer(const Array& x, bool learn, const Array& y) override;
  void move_to_current_device() override;

  std::int64_t places() const;
  void follow(const Array& x);
  /// Answers ticks [first, end), a single one where it learns or positions carry something on.
  void answer_ticks(const Array& x, bool learn, std::int64_t first, std::int64_t end,
                    const Array& y);
  Array standardized(const Array& x) const;
  Array patches_of(const Array& x) const;
  Array pooled(const Array& y) const;
  Array raised(const Array& y) const;

  PlasticConvOptions options_;
  std::unique_ptr<HebbianLayer> patches_;
  Array mean_, variance_, ticks_;  // float64; without elements where nothing is standardised
  bool follows_ = false;
  TickSignals signals_;
};

/// The HebbianLayer that a layer is, or that answers its patches; null of other layers.
const HebbianLayer* hebbian_of(const Layer& layer);

}  // namespace gaia
