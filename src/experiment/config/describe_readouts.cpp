// SPDX-License-Identifier: MIT
#include <algorithm>

#include "../../core/names.h"
#include "../../learning/detection_readout.h"
#include "describe.h"

namespace gaia {
namespace {

constexpr NameTable<ReadoutTarget::Of, 4> kTargets = {{{"channel", ReadoutTarget::Of::channel},
                                                       {"latent", ReadoutTarget::Of::latent},
                                                       {"column", ReadoutTarget::Of::column},
                                                       {"label", ReadoutTarget::Of::label}}};

WatchedSeries watched_by(const ReadoutConfig& readout) {
  const auto* const options = readout.kind.get_if<DetectionOptions>();
  return options == nullptr ? WatchedSeries::error : options->watched;
}

void describe(ConfigVisitor& v, ReadoutTarget& target, ReadoutTask task) {
  const bool of_classes = task == ReadoutTask::classes;
  v.one_of({{"channel", "channels of the series, by name or index"},
            {"latent", "latents of the generator, by name or index"},
            {"column", "columns of data.targets, by name or index"},
            {"label", "true: the classes of data.labels"}},
           {{"channel", "latent", "column", "label"},
            [&] { return name_of(kTargets, target.of); },
            [&](const std::string& word) { target.of = from_name(kTargets, word, "target"); }},
           [&](const Key& key) {
             if (std::string_view(key.name) == "label") {
               v.choice(key, {{"true"}, [] { return "true"; }, [](const std::string&) {}});
             } else {
               v.word_or_words(key, target.names);
             }
           });
  v.integer({"horizon", "how many steps ahead"}, target.horizon, {0, 100000000});
  v.where(!of_classes, "a target of numbers", [&] {
    v.integer({"mean_over", "the target's mean over so many steps up to there is predicted"},
              target.mean_over, {1, 1000000});
    v.where(task != ReadoutTask::matching, "a readout that learns", [&] {
      v.flag({"change", "the change from now is learnt, and added to what there is now"},
             target.change);
    });
  });
  v.choice({"per",
            "tick: a prediction at every tick; trial: one at the end of each trial, from the "
            "means over it"},
           {{"tick", "trial"},
            [&] { return target.per_trial ? "trial" : "tick"; },
            [&](const std::string& word) { target.per_trial = word == "trial"; }});
}

void describe(ConfigVisitor& v, ReadoutLabels& labels) {
  using Count = ReadoutLabels::Count;
  const auto set = [&](const std::string& word) {
    labels.of = word == "per_class" ? Count::per_class : Count::in_all;
  };
  v.word_or_map(
      {"labels", "how many ticks of the training part it is told the class of, drawn by the seed"},
      {{"all"},
       [&] { return labels.of == Count::all ? "all" : "map"; },
       [&](const std::string& word) { labels.of = word == "all" ? Count::all : Count::per_class; }},
      "map", [&] {
        labels.count = std::max<std::int64_t>(labels.count, 1);
        v.one_of({{"per_class", "ticks of each class"}, {"count", "ticks of all classes together"}},
                 {{"per_class", "count"},
                  [&] { return labels.of == Count::in_all ? "count" : "per_class"; },
                  set},
                 [&](const Key& key) { v.integer(key, labels.count, {1, 1000000000}); });
      });
}

void describe_training(ConfigVisitor& v, ReadoutConfig& readout) {
  v.optional({"skip",
              "share of the ticks (of several trials, of these), from the start, left out; default "
              "0, of what learns online by zscore or minmax 0.1"},
             readout.skip, {0.0, 1.0, false, true});
  ReadoutSplit& split = readout.split;
  v.number_or_map(
      {"split",
       "share of the ticks (of several trials, of these), from the start, that is trained on and "
       "not scored; default 0.7, of what learns online 0"},
      split.share, {0.0, 1.0, !readout.kind->is_online(), true}, split.is_map, [&] {
        v.number({"train", "share that is trained on", true}, split.train, {0.0, 1.0, true, true});
        v.number({"validation", "share, behind it, by which sweeps and searches choose"},
                 split.validation, {0.0, 1.0, false, true});
        v.number({"test", "share, behind these, that the scores are of", true}, split.test,
                 {0.0, 1.0, true, true});
      });
}

/// What tells of changes has no target, and no parts but one that is skipped.
void describe_watch(ConfigVisitor& v, ReadoutConfig& readout) {
  constexpr const char* why = "nothing is predicted: it tells when what it watches changes";
  for (const char* const name : {"target", "split", "folds", "embargo", "scored", "score_every"}) {
    v.forbid({name, ""}, why);
  }
  readout.kind->keys(v);
  const WatchedSeries watched = watched_by(readout);
  v.where(watched == WatchedSeries::levels, "of: levels", [&] {
    v.integers({"levels", "levels whose neurons are watched, by index; default all"},
               readout.levels, {0, 1000});
  });
  v.where(watched != WatchedSeries::error, "of: levels or input", [&] {
    v.optional({"skip",
                "share of the ticks (of several trials, of these), from the start, that is not "
                "watched; default 0, by zscore or minmax 0.1"},
               readout.skip, {0.0, 1.0, false, true});
  });
}

void describe_windows(ConfigVisitor& v, ReadoutConfig& readout) {
  v.optional({"score_every",
              "ticks of a window of scores along the stream; default a twentieth of the test "
              "part"},
             readout.score_every, {1, 1000000000000});
}

/// Parts that a row of it is built from.
void describe_features(ConfigVisitor& v, ReadoutConfig& readout) {
  ReadoutFeatures& features = readout.features;
  const bool is_ridge = readout.task() == ReadoutTask::regression && !readout.kind->is_online();
  std::vector<std::pair<std::string, bool*>> all = {
      {"level", &features.level}, {"squares", &features.squares}, {"input", &features.input}};
  // Others fit an intercept apart, beside which a 1 has nothing to say.
  if (is_ridge) all.emplace_back("bias", &features.bias);
  std::vector<std::string> known;
  std::vector<std::string> chosen;
  for (const auto& [word, is_there] : all) {
    known.push_back(word);
    if (*is_there) chosen.push_back(word);
  }
  v.some_of(
      {"features",
       "what its row is made of: level, what the levels show; squares, of their neurons 1, 3, "
       "5 ... the squares; input, the sample that level 0 reads; bias, a 1 in place of an "
       "intercept"},
      known, chosen, {});
  for (const auto& [word, is_there] : all) {
    *is_there = std::find(chosen.begin(), chosen.end(), word) != chosen.end();
  }
  if (features.level) return;
  v.refuse({"features", ""}, "level is missing: what levels show is what a readout is of; add it");
}

/// What reads readouts has their target, and is measured and scored where all of them are.
void describe_fusion(ConfigVisitor& v, ReadoutConfig& readout) {
  constexpr const char* why = "it is that of the readouts that `of` names";
  for (const char* const name :
       {"target", "levels", "features", "split", "skip", "folds", "embargo", "scored"}) {
    v.forbid({name, ""}, why);
  }
  readout.kind->keys(v);
  v.flag({"learn", "whether it is trained; false: it is the one of its name in hierarchy.from"},
         readout.learn);
  describe_windows(v, readout);
}

}  // namespace

void describe(ConfigVisitor& v, ReadoutConfig& readout) {
  v.name({"name", "name of the readout in the results", true}, readout.name);
  v.variant({"type", "what learns"}, choice_of(readout.kind), [&] {
    if (readout.task() == ReadoutTask::change) return describe_watch(v, readout);
    if (readout.kind->fuses()) return describe_fusion(v, readout);
    const ReadoutTask task = readout.task();
    if (task == ReadoutTask::statistic) {
      for (const char* const name : {"target", "folds", "embargo"}) {
        v.forbid({name, ""}, "nothing is predicted: it measures what neurons or weights are like");
      }
    } else if (task != ReadoutTask::anomaly) {
      v.map({"target", "what is predicted", true}, [&] { describe(v, readout.target, task); });
    }
    v.integers({"levels", "levels whose representations are read, by index", true}, readout.levels,
               {0, 1000});
    const bool is_classifier = task == ReadoutTask::classes && !readout.kind->names_neurons();
    if (task == ReadoutTask::regression || is_classifier) describe_features(v, readout);
    if (readout.kind->is_stored()) {
      v.flag({"learn", "whether it is trained; false: it is the one of its name in hierarchy.from"},
             readout.learn);
    }
    v.where(readout.learn, "learn: true", [&] {
      if (task == ReadoutTask::anomaly) {
        v.optional({"train",
                    "share of the ticks (of several trials, of these), from the start, by "
                    "which it learns what is usual; default 0.3"},
                   readout.split.share, {0.0, 1.0, true, true});
        v.text({"normal", "the class of data.labels that is no anomaly; default the first"},
               readout.normal);
      } else {
        describe_training(v, readout);
      }
      const bool is_taught = task != ReadoutTask::anomaly && task != ReadoutTask::statistic;
      if (is_taught && !readout.kind->is_online()) {
        v.integer_or(
            {"folds",
             "folds of a cross-validation in place of a split; 0: none; groups: each group "
             "of data.groups is one"},
            "groups", readout.is_fold_for_group, readout.folds, {0, 1000});
        if (readout.is_fold_for_group && readout.folds == 0) readout.folds = 2;
      }
      if (task != ReadoutTask::statistic && !readout.kind->is_online()) {
        v.integer({"embargo",
                   "steps by which what is trained on is kept further from what is scored, beyond "
                   "what its rows reach"},
                  readout.embargo, {0, 100000000});
      }
      v.choice({"scored",
                "which ticks of the test part count for scores: all, or those whose row the data "
                "have not shown before the first readout was trained (data.order: draw)"},
               {{"all", "unseen"},
                [&] { return readout.scores_unseen ? "unseen" : "all"; },
                [&](const std::string& word) { readout.scores_unseen = word == "unseen"; }});
      readout.kind->keys(v);
      const bool asks = readout.kind->asks();
      if (task == ReadoutTask::classes) {
        v.where(!asks, "by: majority", [&] { describe(v, readout.labels); });
      }
    });
    describe_windows(v, readout);
    if (task == ReadoutTask::regression && !readout.kind->is_online()) {
      describe_free_run(v, readout.free_run);
    }
  });
}

std::string to_string(ReadoutTarget::Of of) { return name_of(kTargets, of); }

}  // namespace gaia
