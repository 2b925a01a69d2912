// SPDX-License-Identifier: MIT
/// \file
/// The history of tensors: what `record` writes and a sweep reads.  Not for users.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "function.h"
#include "tensor.h"

namespace gaia {

struct Node;

/// What the handles of one tensor share.
struct TensorState {
  Array value;
  std::optional<Array> gradient = {};
  std::optional<Tensor> gradient_tensor = {};  ///< The same, if it can be differentiated.
  bool requires_grad = false;
  std::shared_ptr<Node> node = {};  ///< Node that computed it; none for a leaf.
  std::size_t output = 0;           ///< Which of the node's results it is.
};

struct TensorAccess {
  static const std::shared_ptr<TensorState>& state(const Tensor& tensor) { return tensor.state_; }
  static Tensor tensor(TensorState state);
};

/// What a gradient has to look like.
struct Likeness {
  explicit Likeness(const Array& x) : shape(x.shape()), dtype(x.dtype()), device(x.device()) {}
  Shape shape;
  DType dtype;
  Device device;
};

/// From an operation to what computed one of its inputs; both null for a constant.
struct Edge {
  explicit Edge(const Tensor& input);
  std::shared_ptr<Node> node;
  std::size_t output;                 ///< Number of the node's output.
  std::shared_ptr<TensorState> leaf;  ///< If there is no node.
  Likeness likeness;
};

struct Operation {
  std::string name;
  Device device;  ///< Device on which it ran.
  std::vector<Edge> inputs = {};
  std::vector<Likeness> outputs = {};
  BackwardFunction backward = {};
  bool is_twice = false;  ///< Whether `backward` works on tensors too.
  Operation* next_dead = nullptr;
};

/// An operation and its place in the order of all operations: inputs come before their users.
struct Node {
  explicit Node(std::unique_ptr<Operation> recorded);
  ~Node() { release(); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// Drops the operation and, without recursion, whatever only it kept alive.
  void release() noexcept;

  std::uint64_t order;
  std::unique_ptr<Operation> operation;  ///< Null once released.
};

}  // namespace gaia
