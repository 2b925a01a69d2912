// SPDX-License-Identifier: MIT
#include "../../learning/optimisers.h"
#include "describe.h"

namespace gaia {
namespace {

void describe_early_stop(ConfigVisitor& v, std::optional<EarlyStop>& stop) {
  bool is_there = stop.has_value();
  EarlyStop options = stop.value_or(EarlyStop{});
  v.word_or_map({"early_stop", "when the loss of the validation part ends the training"},
                {{"none"},
                 [&] { return is_there ? "map" : "none"; },
                 [&](const std::string& word) { is_there = word == "map"; }},
                "map", [&] {
                  v.integer({"patience", "epochs without progress that pass before"},
                            options.patience, {0, 1000000});
                  v.number({"least_progress", "by how much a loss must be below the best one"},
                           options.least_progress, kNotNegative);
                  v.flag({"restore_best", "whether weights are those of the best epoch at the end"},
                         options.restore_best);
                });
  stop = is_there ? std::optional(options) : std::nullopt;
}

void describe(ConfigVisitor& v, OptimiserRule& rule) {
  v.variant({"type", "which optimiser"}, choice_of(rule), [&] {
    std::visit(
        [&](auto& r) {
          v.number({"learning_rate", "size of a step"}, r.learning_rate, {0.0, 1e6});
          v.number({"weight_decay", "pull of the weights towards 0"}, r.weight_decay, kNotNegative);
          r.keys(v);
        },
        rule);
  });
}

}  // namespace

void describe(ConfigVisitor& v, Kind<ModuleKind>& layer) {
  v.variant({"type", "what the layer is", true}, choice_of(layer), [&] { layer->keys(v); });
}

void describe(ConfigVisitor& v, NetworkConfig& network, bool on_series) {
  v.list(
      {"layers", "the layers, each reading the one before it", true}, network.layers.size(),
      [&](std::size_t n) { network.layers.resize(n); },
      [&](std::size_t i) { describe(v, network.layers[i]); });
  v.choice({"loss", "what training makes small; auto: cross_entropy for images, mse for a series"},
           {{"auto", "cross_entropy", "mse", "l1", "huber"},
            [&] { return network.loss; },
            [&](const std::string& name) { network.loss = name; }});
  v.map({"optimizer", "how gradients change the weights"}, [&] { describe(v, network.optimizer); });
  v.where(!on_series, "images with classes (data.source: images)", [&] {
    v.choice({"class_weight",
              "how much a picture counts in the loss: none, once; balanced, so that all classes "
              "count alike"},
             choice_of({"none", "balanced"}, network.class_weight, class_weight_from_name));
  });
  v.integer({"epochs", "how often all samples are shown"}, network.epochs, {1, 1000000});
  v.number({"validation",
            "share of the training part that is not trained on, but tells after every epoch how "
            "good the network is; 0: none"},
           network.validation, {0.0, 1.0, false, true});
  describe_early_stop(v, network.early_stop);
  v.integer({"batch_size", "samples per step"}, network.batch_size, {1, 10000000});
  v.integer({"members", "parts of a batch that processes may share; fixes the order of its sums"},
            network.members, {1, 10000});
  v.optional({"clip_norm", "largest length of all gradients together; default no limit"},
             network.clip_norm, kPositive);
  v.number({"final_rate", "share of the learning rate that is left at the end"}, network.final_rate,
           {0.0, 1.0});
  bool is_held = network.consolidate.has_value();
  ConsolidateOptions held = network.consolidate.value_or(ConsolidateOptions{});
  v.word_or_map({"consolidate", "what holds weights that earlier tasks need; takes data.tasks"},
                {{"none"},
                 [&] { return is_held ? "map" : "none"; },
                 [&](const std::string& word) { is_held = word == "map"; }},
                "map", [&] { held.keys(v); });
  network.consolidate = is_held ? std::optional(held) : std::nullopt;
  v.where(on_series, kSeries, [&] {
    v.map({"target", "what a network on a series answers"}, [&] {
      v.one_of({{"channel", "index of a channel of the series"},
                {"latent", "index of a latent of the generator"}},
               {{"channel", "latent"},
                [&] { return network.target.of_latent ? "latent" : "channel"; },
                [&](const std::string& word) { network.target.of_latent = word == "latent"; }},
               [&](const Key& key) { v.integer(key, network.target.index, {0, 1000000}); });
      v.integer({"horizon", "how many steps ahead"}, network.target.horizon, {0, 100000000});
    });
    v.number({"split", "share of a series, from its start, that is trained on"}, network.split,
             {0.0, 1.0, true, true});
  });
}

}  // namespace gaia
