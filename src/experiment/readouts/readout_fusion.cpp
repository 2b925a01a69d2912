// SPDX-License-Identifier: MIT
// What readouts say for a consensus, and what it hears of them.
#include <algorithm>
#include <utility>

#include "readout.h"

namespace gaia {

void Readout::keep_trained(const ReadoutRows& rows, std::int64_t begin, std::int64_t end) {
  if (config_.heard == ReadoutConfig::Heard::trained) trained_.append(rows.part(begin, end));
}

void Readout::speak_of_trained() {
  if (config_.heard == ReadoutConfig::Heard::not_at_all) return;
  spoken_.means = model_->target_means();
  if (trained_.count() == 0) return;
  const Said said = say(*model_, trained_, 0, trained_.count());
  for (std::int64_t row = 0; row < trained_.count(); ++row) {
    speak(trained_.steps[static_cast<std::size_t>(row)],
          rows_between(said.predictions, row, row + 1, told_));
  }
  trained_ = {};
}

void Readout::speak(std::int64_t step, std::span<const double> prediction) {
  spoken_.steps.push_back(step);
  spoken_.predictions.insert(spoken_.predictions.end(), prediction.begin(), prediction.end());
}

Readout::Added Readout::take_fused(const ReadoutRows& rows,
                                   const std::vector<const Readout*>& fused) {
  // Nothing before this tick is heard.
  const Stretches& training = ticks().training();
  const std::int64_t needed = training.empty()
                                  ? ticks().first_scored()
                                  : std::min(training.front().begin, ticks().first_scored());
  const std::int64_t begin = std::clamp<std::int64_t>(needed - rows.first, 0, rows.count());
  if (begin < rows.count()) {
    if (unheard_.count() == 0) unheard_.first = rows.first + begin;
    unheard_.append(rows.part(begin, rows.count()));
  }
  const auto width = static_cast<std::size_t>(predicted_);
  for (std::size_t i = 0; i < fused.size(); ++i) {
    const Spoken& spoken = fused[i]->spoken_;
    for (std::size_t k = 0; k < spoken.steps.size(); ++k) {
      const auto found =
          std::lower_bound(unheard_.steps.begin(), unheard_.steps.end(), spoken.steps[k]);
      if (found == unheard_.steps.end() || *found != spoken.steps[k]) continue;
      const auto row = static_cast<std::size_t>(found - unheard_.steps.begin());
      std::copy_n(spoken.predictions.begin() + static_cast<std::ptrdiff_t>(k * width), width,
                  unheard_.features.begin() +
                      static_cast<std::ptrdiff_t>((row * fused.size() + i) * width));
    }
  }
  if (means_.empty()) means_ = fused.front()->spoken_.means;
  const bool all_trained = std::all_of(fused.begin(), fused.end(),
                                       [](const Readout* one) { return one->model_->is_solved(); });
  if (!all_trained) return {};
  const ReadoutRows heard = std::exchange(unheard_, {});
  return take(heard);
}

void Readout::hear_fold(const std::vector<const Readout*>& fused, std::size_t k) {
  const auto width = static_cast<std::size_t>(predicted_);
  means_ = fused.front()->spoken_.by_folds[k].means;
  for (std::size_t row = 0; row < kept_.steps.size(); ++row) {
    for (std::size_t i = 0; i < fused.size(); ++i) {
      const std::vector<double>& said = fused[i]->spoken_.by_folds[k].predictions;
      std::copy_n(
          said.begin() + static_cast<std::ptrdiff_t>(row * width), width,
          kept_.features.begin() + static_cast<std::ptrdiff_t>((row * fused.size() + i) * width));
    }
  }
}

}  // namespace gaia
