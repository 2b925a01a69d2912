// SPDX-License-Identifier: MIT
/// \file
/// Whether operations on tensors remember how their results were computed.
#pragma once

namespace gaia {

/// Whether the calling thread records operations; true until a guard says otherwise.
bool grad_enabled();

/// While one lives, operations of this thread record nothing: results need no gradient and keep
/// nothing alive.  Guards nest, and each restores what it found.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};

/// While one lives, operations of this thread are recorded, inside a NoGrad too.
class EnableGrad {
 public:
  EnableGrad();
  ~EnableGrad();
  EnableGrad(const EnableGrad&) = delete;
  EnableGrad& operator=(const EnableGrad&) = delete;

 private:
  bool before_;
};

/// Whether layers record operations whose gradients can be differentiated again in place of one
/// operation with a gradient of its own; false until a guard says otherwise.
bool records_for_second_order();

/// While one lives, recurrent layers of this thread record every step, which takes longer and more
/// memory, and whose gradients can be differentiated again (`create_graph`).
class SecondOrder {
 public:
  SecondOrder();
  ~SecondOrder();
  SecondOrder(const SecondOrder&) = delete;
  SecondOrder& operator=(const SecondOrder&) = delete;

 private:
  bool before_;
};

}  // namespace gaia
