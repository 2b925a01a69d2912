// SPDX-License-Identifier: MIT
/// \file
/// One walk from results back to what they were computed from.  Not for users.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "node.h"
#include "pointwise.h"

namespace gaia {

/// A sum of gradients that arrive one by one, arrays or tensors.
template <class G>
struct GradientSum {
  void add(const G& gradient) {
    total = count == 0 ? gradient : gaia::add(total, gradient);
    ++count;
  }

  G total;
  std::int64_t count = 0;
};

/// G: Array, or Tensor for a sweep that is differentiated, whose gradients remember how they were
/// made.
template <class G>
class ReverseSweep {
 public:
  /// `roots` require gradients.  With `wanted`, only gradients of these are worked out, and only
  /// the operations between them and the roots are undone; without, those of all leaves.
  ReverseSweep(const char* function, const std::vector<Tensor>& roots,
               const std::vector<Tensor>* wanted);

  /// Undoes the operations, the last first.  The history goes as its gradients are passed on,
  /// unless `retain_graph`.
  void run(const std::vector<G>& seeds, bool retain_graph);

  /// What arrived at each leaf.
  const std::unordered_map<std::shared_ptr<TensorState>, GradientSum<G>>& leaves() const {
    return leaves_;
  }
  /// Whether the roots were computed from a wanted tensor.
  bool has_met(const Tensor& wanted) const;
  /// What arrived at it.
  const GradientSum<G>& at(const Tensor& wanted) const;

 private:
  friend class GradientFlow;
  friend class TensorFlow;

  struct Visit {
    std::shared_ptr<Node> node;
    std::vector<GradientSum<G>> gradients = {};  ///< By output.
    bool is_wanted = false;                      ///< One of its outputs is.
    bool is_undone = false;                      ///< Something behind it is.
  };

  void collect();
  void mark();
  bool reaches(const Edge& edge) const;
  void give(const Edge& edge, const G& gradient);
  void undo(Visit& visit);

  const char* function_;
  const std::vector<Tensor>& roots_;
  const std::vector<Tensor>* wanted_;
  std::vector<Visit> visits_;                            // the last operation first
  std::unordered_map<const Node*, std::size_t> places_;  // in visits_
  std::unordered_set<const TensorState*> wanted_leaves_;
  std::unordered_set<const TensorState*> met_leaves_;
  std::unordered_map<std::shared_ptr<TensorState>, GradientSum<G>> leaves_;
};

}  // namespace gaia
