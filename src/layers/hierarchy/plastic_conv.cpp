// SPDX-License-Identifier: MIT
#include "plastic_conv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../core/message.h"
#include "layer_kind.h"

namespace gaia {
namespace {

constexpr double kLeastVariance = 1e-5;  // added to variances
/// Numbers of patches that are computed at once where nothing learns.
constexpr std::int64_t kPatchNumbers = std::int64_t{1} << 19;
constexpr IntegerRange kSides{1, 100000};

std::int64_t side(const std::vector<std::int64_t>& of_both, std::size_t axis) {
  return of_both.size() > 1 ? of_both[axis] : of_both.front();
}

/// How many windows fit, 0 where none does.
std::int64_t windows_in(std::int64_t length, std::int64_t size, std::int64_t stride,
                        std::int64_t padding) {
  const std::int64_t room = length + 2 * padding - size;
  return room < 0 ? 0 : room / stride + 1;
}

std::string in_brackets(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return "[" + text + "]";
}

const PlasticConvOptions& fitting(const PlasticConvOptions& options, std::int64_t inputs) {
  const std::string why = options.why_not(inputs);
  if (!why.empty()) throw ArgumentError(why);
  return options;
}

/// The elements of x in another shape, of which some may stand in several places.
Array strided(const Array& x, const Shape& shape, const Strides& strides) {
  return Array::borrowed(x.view().data, shape, strides, x.dtype(), x.device(),
                         std::make_shared<Array>(x));
}

Array without_elements() {
  const GPUContext host(Device::cpu());
  return zeros({0}, DType::float64);
}

/// Windows of one axis of a picture [rows, height, width, filters], put together.
Array pooled_along(const Array& y, std::int64_t axis, const PatchPool& pool) {
  const std::int64_t stride = pool.stride.value_or(pool.size);
  const std::int64_t count = windows_in(y.shape(static_cast<int>(axis)), pool.size, stride, 0);
  Array made;
  for (std::int64_t at = 0; at < pool.size; ++at) {
    const Array here = y.slice(axis, at, at + (count - 1) * stride + 1, stride);
    if (at == 0) {
      made = here;
    } else {
      made = pool.kind == PatchPool::Kind::max ? maximum(made, here) : made + here;
    }
  }
  return made;
}

}  // namespace

std::string to_string(PatchUpdate update) {
  return update == PatchUpdate::position ? "position" : "mean";
}

PatchUpdate patch_update_from_name(std::string_view name) {
  if (name == "position") return PatchUpdate::position;
  if (name == "mean") return PatchUpdate::mean;
  fail<ArgumentError>("[conv2d layer] expected the update position or mean, got '{}'", name);
}

void PlasticConvOptions::keys(ConfigVisitor& v) {
  v.integer({"filters", "number of neurons at every position", true}, filters, {1, 1000000});
  v.integer_or_list({"kernel", "height and width of a patch, or one number for both"}, kernel,
                    kSides);
  v.integer_or_list({"stride", "rows and columns from one patch to the next, or one for both"},
                    stride, kSides);
  v.integer_or_list({"padding", "rows and columns of zeros at every end, or one for both"}, padding,
                    {0, 100000});
  v.integers({"shape",
              "height, width and channels of what it reads; default that of the picture, or of "
              "the conv2d layer below"},
             shape, kSides);
  v.choice({"update", "whether positions teach one after another, or all at once by their mean"},
           choice_of({"position", "mean"}, update, patch_update_from_name));
  plastic.patch_keys(v);
  if (plastic.init == Init::samples) {
    v.refuse({"init", ""},
             "samples are what a layer reads, and a patch is a part of that; take "
             "another init");
  }
  v.number({"power", "to what power the size of an answer is raised, behind the rule"}, power,
           {0.0, 1000.0, true});
  bool is_standardized = standardize.has_value();
  double forget = standardize.value_or(0.01);
  v.word_or_map(
      {"standardize", "running mean and variance that channels of its input are freed of"},
      {{"none"},
       [&] { return is_standardized ? "map" : "none"; },
       [&](const std::string& word) { is_standardized = word == "map"; }},
      "map", [&] {
        v.number({"forget", "least share of a tick in the mean and the variance"}, forget,
                 {0.0, 1.0});
      });
  standardize = is_standardized ? std::optional(forget) : std::nullopt;
  using Kind = PatchPool::Kind;
  v.word_or_map({"pool", "what of the answers of neighbouring positions is handed on"},
                {{"none"},
                 [&] { return pool.kind == Kind::none ? "none" : "map"; },
                 [&](const std::string& word) {
                   if (word == "none") pool.kind = Kind::none;
                   if (word == "map" && pool.kind == Kind::none) pool.kind = Kind::max;
                 }},
                "map", [&] {
                  v.one_of({{"max", "rows and columns of a window, whose largest answer counts"},
                            {"mean", "rows and columns of a window, whose mean answer counts"}},
                           {{"max", "mean"},
                            [&] { return pool.kind == Kind::mean ? "mean" : "max"; },
                            [&](const std::string& word) {
                              pool.kind = word == "mean" ? Kind::mean : Kind::max;
                            }},
                           [&](const Key& key) { v.integer(key, pool.size, kSides); });
                  v.optional({"stride",
                              "rows and columns from one window to the next; default as "
                              "many as a window has"},
                             pool.stride, kSides);
                  v.integer({"padding", "rows and columns at every end that windows reach over"},
                            pool.padding, {0, 50000});
                });
  const auto is_pair = [&](const char* key, const std::vector<std::int64_t>& of_both) {
    if (of_both.size() == 1 || of_both.size() == 2) return;
    v.refuse({key, ""}, message("expected one number, or one for rows and one for columns, got {}",
                                of_both.size()));
  };
  is_pair("kernel", kernel);
  is_pair("stride", stride);
  is_pair("padding", padding);
  if (shape.size() == 2) shape.push_back(1);
  if (!shape.empty() && shape.size() != 3) {
    v.refuse({"shape", ""}, message("expected height, width and, if there are several, channels, "
                                    "got {} numbers",
                                    shape.size()));
  }
  if (pool.kind != Kind::none && 2 * pool.padding > pool.size) {
    v.refuse({"pool", ""}, message("padding must be at most half of the window of {}, got {}",
                                   pool.size, pool.padding));
  }
}

double PlasticConvOptions::weights(double /*inputs*/, double /*outputs*/) const {
  return shape.size() == 3 ? static_cast<double>(filters * patch_size()) : 0.0;
}

std::int64_t PlasticConvOptions::patch_size() const {
  return side(kernel, 0) * side(kernel, 1) * shape[2];
}

std::vector<std::int64_t> PlasticConvOptions::positions() const {
  return {windows_in(shape[0], side(kernel, 0), side(stride, 0), side(padding, 0)),
          windows_in(shape[1], side(kernel, 1), side(stride, 1), side(padding, 1))};
}

std::vector<std::int64_t> PlasticConvOptions::output_shape() const {
  if (shape.size() != 3) return {};
  std::vector<std::int64_t> made = positions();
  made.push_back(filters);
  for (std::size_t axis = 0; axis < 2 && pool.kind != PatchPool::Kind::none; ++axis) {
    if (made[axis] < 1) return {};
    made[axis] = windows_in(made[axis], pool.size, pool.stride.value_or(pool.size), pool.padding);
  }
  if (made[0] < 1 || made[1] < 1) return {};
  return made;
}

std::int64_t PlasticConvOptions::outputs(std::int64_t /*inputs*/) const {
  const std::vector<std::int64_t> made = output_shape();
  return made.empty() ? 0 : made[0] * made[1] * made[2];
}

std::string PlasticConvOptions::why_not(std::int64_t inputs) const {
  const auto is_pair = [](const std::vector<std::int64_t>& of_both, std::int64_t least) {
    return (of_both.size() == 1 || of_both.size() == 2) &&
           std::ranges::all_of(of_both, [&](std::int64_t one) { return one >= least; });
  };
  if (filters < 1) return message("[conv2d] filters: expected at least 1, got {}", filters);
  if (!is_pair(kernel, 1)) return "[conv2d] kernel: expected one or two numbers of at least 1";
  if (!is_pair(stride, 1)) return "[conv2d] stride: expected one or two numbers of at least 1";
  if (!is_pair(padding, 0)) return "[conv2d] padding: expected one or two numbers of at least 0";
  if (!(power > 0.0) || !std::isfinite(power)) {
    return message("[conv2d] power: expected a number above 0, got {}", power);
  }
  if (standardize && !(*standardize >= 0.0 && *standardize <= 1.0)) {
    return message("[conv2d] standardize: expected forget in [0, 1], got {}", *standardize);
  }
  if (plastic.lateral) return "[conv2d] lateral: has no place among patches";
  if (plastic.rewire) return "[conv2d] rewire: has no place among patches";
  if (plastic.top_down) return "[conv2d] top_down: has no place among patches";
  if (shape.empty()) {
    return message(
        "[conv2d] shape: is not known of the {} numbers that the layer reads: they are no "
        "picture, and come from no conv2d layer; write [height, width, channels]",
        inputs);
  }
  if (shape.size() != 3 || !is_pair({shape[0], shape[1]}, 1) || shape[2] < 1) {
    return "[conv2d] shape: expected [height, width, channels] of at least 1, got " +
           in_brackets(shape);
  }
  if (shape[0] * shape[1] * shape[2] != inputs) {
    return message("[conv2d] shape: {} has {} numbers, and the layer reads {}", in_brackets(shape),
                   shape[0] * shape[1] * shape[2], inputs);
  }
  if (positions()[0] < 1 || positions()[1] < 1) {
    return message("[conv2d] kernel: {} does not fit into a picture of {} with padding {}",
                   in_brackets(kernel), in_brackets(shape), in_brackets(padding));
  }
  if (pool.kind == PatchPool::Kind::none) return {};
  if (pool.size < 1 || pool.stride.value_or(1) < 1 || pool.padding < 0 ||
      2 * pool.padding > pool.size) {
    return message(
        "[conv2d] pool: expected a window and a stride of at least 1 and a padding of at most "
        "half of the window, got {}, {} and {}",
        pool.size, pool.stride.value_or(pool.size), pool.padding);
  }
  if (output_shape().empty()) {
    return message("[conv2d] pool: a window of {} does not fit into {} positions", pool.size,
                   in_brackets(positions()));
  }
  return {};
}

std::vector<std::string> PlasticConvOptions::warnings(std::int64_t /*inputs*/,
                                                      std::int64_t /*outputs*/) const {
  if (shape.size() != 3) return {};
  return plastic.warnings(patch_size(), filters);
}

void PlasticConvOptions::simplify() {
  plastic.simplify();
  plastic.random = random;
}

HebbianOptions PlasticConvOptions::of_patches() const {
  HebbianOptions options = plastic;
  options.dtype = dtype;
  options.random = random;
  options.executor = executor;
  options.learn = learn;
  return options;
}

PlasticConvLayer::PlasticConvLayer(std::int64_t input_size, const PlasticConvOptions& options)
    : Layer(input_size, fitting(options, input_size).outputs(input_size), options.dtype),
      options_(options),
      patches_(std::make_unique<HebbianLayer>(options.patch_size(), options.filters,
                                              options.of_patches())),
      mean_(without_elements()),
      variance_(without_elements()),
      ticks_(without_elements()) {
  if (options.plastic.init == Init::samples) {
    throw ArgumentError("[conv2d] init: patches cannot be samples of what the layer reads");
  }
  options_.plastic = options.of_patches();
  if (!options_.standardize) return;
  mean_ = zeros({options_.shape[2]}, DType::float64);
  variance_ = ones({options_.shape[2]}, DType::float64);
  const GPUContext host(Device::cpu());
  ticks_ = zeros({1}, DType::float64);
}

PlasticConvLayer::PlasticConvLayer(const PlasticConvLayer& other)
    : Layer(other),
      options_(other.options_),
      patches_(static_cast<HebbianLayer*>(other.patches_->clone().release())),
      mean_(other.mean_.copy()),
      variance_(other.variance_.copy()),
      ticks_(other.ticks_.copy()),
      follows_(other.follows_),
      signals_(other.signals_) {}

std::unique_ptr<Layer> PlasticConvLayer::clone() const {
  return std::make_unique<PlasticConvLayer>(*this);
}

std::unique_ptr<LayerKind> PlasticConvLayer::kind() const {
  return LayerKind::Of<PlasticConvOptions>::with(options_);
}

std::int64_t PlasticConvLayer::places() const {
  const std::vector<std::int64_t> rows = options_.positions();
  return rows[0] * rows[1];
}

void PlasticConvLayer::allocate_state(std::int64_t streams) {
  patches_->allocate_state(options_.update == PatchUpdate::mean ? streams * places() : streams);
}

void PlasticConvLayer::keep(ArrayUndo& undo, bool learn) {
  patches_->keep(undo, learn);
  if (!learn || !options_.learn || !options_.standardize) return;
  undo.keep(mean_);
  undo.keep(variance_);
  undo.keep(ticks_);
}

std::string PlasticConvLayer::why_not_replica(const Layer& other) const {
  const std::string why_not = Layer::why_not_replica(other);
  const auto* twin = dynamic_cast<const PlasticConvLayer*>(&other);
  if (!why_not.empty() || twin == nullptr) return why_not;
  return patches_->why_not_replica(*twin->patches_);
}

std::vector<std::pair<std::string, std::string>> PlasticConvLayer::attributes() const {
  auto told = patches_->attributes();
  told.emplace_back("patch_shape", in_brackets({side(options_.kernel, 0), side(options_.kernel, 1),
                                                options_.shape[2]}));
  told.emplace_back("output_shape", in_brackets(options_.output_shape()));
  return told;
}

std::vector<NamedArray> PlasticConvLayer::arrays() const {
  std::vector<NamedArray> all = patches_->arrays();
  if (!options_.standardize) return all;
  all.push_back({"standardize/mean", NamedArray::Role::statistic, mean_});
  all.push_back({"standardize/variance", NamedArray::Role::statistic, variance_});
  all.push_back({"standardize/ticks", NamedArray::Role::statistic, ticks_});
  return all;
}

std::int64_t PlasticConvLayer::operations_per_tick(bool learn) const {
  return places() * patches_->operations_per_tick(learn);
}

void PlasticConvLayer::move_to_current_device() {
  if (!options_.standardize) return;
  mean_ = on_current_device(mean_, "conv2d layer");
  variance_ = on_current_device(variance_, "conv2d layer");
}

/// Moves the running mean and variance by the one tick of x.
void PlasticConvLayer::follow(const Array& x) {
  const std::int64_t channels = options_.shape[2];
  const Array values =
      x.reshape({x.shape(0) * x.shape(2) / channels, channels}).astype(DType::float64);
  const double count = ticks_.item() + 1.0;
  ticks_.fill(count);
  const double share = std::max(*options_.standardize, 1.0 / count);
  const Array here = mean(values, {0});
  const Array apart = here - mean_;
  const Array spread = mean(square(values - here), {0});
  variance_.assign((variance_ + square(apart) * share) * (1.0 - share) + spread * share);
  mean_ += apart * share;
}

/// x [rows, height, width, channels] freed of its mean and variance.
Array PlasticConvLayer::standardized(const Array& x) const {
  const Array scale = reciprocal(sqrt(variance_ + kLeastVariance));
  return (x - mean_.astype(dtype())) * scale.astype(dtype());
}

/// [rows, positions, numbers of a patch], contiguous.
Array PlasticConvLayer::patches_of(const Array& x) const {
  const std::int64_t rows = x.shape(0);
  const std::int64_t channels = options_.shape[2];
  const Pair kernel = {side(options_.kernel, 0), side(options_.kernel, 1)};
  const Pair stride = {side(options_.stride, 0), side(options_.stride, 1)};
  const Pair padding = {side(options_.padding, 0), side(options_.padding, 1)};
  const std::vector<std::int64_t> positions = options_.positions();
  Array picture = x.contiguous();
  if (padding[0] > 0 || padding[1] > 0) {
    picture =
        zeros({rows, x.shape(1) + 2 * padding[0], x.shape(2) + 2 * padding[1], channels}, dtype());
    picture.slice(1, padding[0], padding[0] + x.shape(1))
        .slice(2, padding[1], padding[1] + x.shape(2))
        .assign(x);
  }
  const std::int64_t line = picture.shape(2) * channels;
  const Array windows =
      strided(picture, {rows, positions[0], positions[1], kernel[0], kernel[1] * channels},
              {picture.shape(1) * line, stride[0] * line, stride[1] * channels, line, 1});
  return windows.contiguous().reshape({rows, places(), options_.patch_size()});
}

Array PlasticConvLayer::raised(const Array& y) const {
  return options_.power == 1.0 ? y : sign(y) * power(abs(y), options_.power);
}

/// y [rows, height, width, filters] as it is passed on.
Array PlasticConvLayer::pooled(const Array& y) const {
  const PatchPool& pool = options_.pool;
  if (pool.kind == PatchPool::Kind::none) return raised(y);
  // The largest of powers is the power of the largest.
  const bool is_max = pool.kind == PatchPool::Kind::max;
  Array picture = is_max ? y : raised(y);
  if (pool.padding > 0) {
    const double outside = is_max ? -std::numeric_limits<double>::infinity() : 0.0;
    const Array padded =
        full({y.shape(0), y.shape(1) + 2 * pool.padding, y.shape(2) + 2 * pool.padding, y.shape(3)},
             outside, dtype());
    padded.slice(1, pool.padding, pool.padding + y.shape(1))
        .slice(2, pool.padding, pool.padding + y.shape(2))
        .assign(picture);
    picture = padded;
  }
  const Array made = pooled_along(pooled_along(picture, 1, pool), 2, pool);
  return is_max ? raised(made) : made * (1.0 / static_cast<double>(pool.size * pool.size));
}

void PlasticConvLayer::answer_ticks(const Array& x, bool learn, std::int64_t first,
                                    std::int64_t end, const Array& y) {
  const std::int64_t streams = x.shape(0);
  const std::int64_t ticks = end - first;
  const std::vector<std::int64_t> positions = options_.positions();
  const Array samples = x.slice(1, first, end);
  if ((learn || follows_) && options_.standardize) follow(samples);
  Array pictures =
      samples.reshape({streams * ticks, options_.shape[0], options_.shape[1], options_.shape[2]});
  if (options_.standardize) pictures = standardized(pictures);
  const Array patches = patches_of(pictures);
  // If nothing is carried on, positions stand behind each other, of one tick as of several, so
  // that they are answered in the same way.
  const bool is_mean =
      options_.update == PatchUpdate::mean && (learn || !patches_->has_plain_rule());
  const Shape rows = {is_mean ? streams * places() : streams, is_mean ? 1 : ticks * places()};
  TickSignals signals;
  for (const auto& [name, values] : signals_) {
    signals[name] = values.slice(1, first, end)
                        .expand_dims(2)
                        .broadcast_to({streams, ticks, places()})
                        .reshape(rows);
  }
  patches_->read_signals(signals);
  const Array made = patches_->process_unguarded(
      patches.reshape({rows[0], rows[1], options_.patch_size()}), learn);
  const Array answers =
      made.reshape({streams * ticks, positions[0], positions[1], options_.filters});
  y.slice(1, first, end).assign(pooled(answers).reshape({streams, ticks, output_size()}));
}

void PlasticConvLayer::answer(const Array& x, bool learn, const Array& y) {
  const bool learns = learn && options_.learn;
  // Tick by tick while it learns, so that no chunk goes from one picture to the next, and nothing
  // depends on where blocks end; and where positions carry something on, as streams.
  const bool carries = options_.update == PatchUpdate::mean && !patches_->has_plain_rule();
  const std::int64_t numbers = x.shape(0) * places() * options_.patch_size();
  const std::int64_t at_once =
      learns || follows_ || carries ? 1 : std::max<std::int64_t>(1, kPatchNumbers / numbers);
  for (std::int64_t first = 0; first < x.shape(1); first += at_once) {
    answer_ticks(x, learns, first, std::min(x.shape(1), first + at_once), y);
  }
}

const HebbianLayer* hebbian_of(const Layer& layer) {
  if (const auto* const filters = dynamic_cast<const PlasticConvLayer*>(&layer)) {
    return &filters->patches();
  }
  return dynamic_cast<const HebbianLayer*>(&layer);
}

}  // namespace gaia
